"""What the refusals mean: a value, a record or a text that was not accepted."""

from __future__ import annotations

from typing import Final

from phaseproof.code_explanations.explanation import CodeExplanation as Row

__all__ = ["REFUSALS"]

REFUSALS: Final = (
    Row(
        "duplicate_artifact_id",
        "Two artifact references have the same artifact id.",
        "References of several actions were joined without looking for repeats.",
        "Keep one reference per artifact.",
    ),
    Row(
        "duplicate_key",
        "A JSON object has the same key twice.",
        "The text was put together by hand or by templates; readers would disagree on which one "
        "counts.",
        "Write evidence with `encode`, or with a JSON library from one mapping.",
    ),
    Row(
        "duration_exceeded",
        "An interval is longer than the maximum that was declared with it.",
        "The run or action ran into its limit and wasn't ended there.",
        "Enforce the limit where the work is done, or declare the true one.",
    ),
    Row(
        "end_before_start",
        "An interval ends before it starts.",
        "The two times come from different clocks, or from a clock that was set back.",
        "Take both from one monotonic clock, such as `time.monotonic_ns()`.",
    ),
    Row(
        "identifier_too_long",
        "A governance identifier has more than 512 characters.",
        "Something else was passed in its place.",
        "Pass `kind:namespace/local-name`, with a version if there is one.",
    ),
    Row(
        "invalid_actions",
        "The action timings are no tuple of `ActionTiming`.",
        "A list or a generator was passed; only exact tuples are taken.",
        "Wrap it: `tuple(...)`.",
    ),
    Row(
        "invalid_artifact_id",
        "An artifact id isn't `art_` and 32 lower-case hex digits.",
        "A file name, a path or an upper-case UUID was used.",
        "Generate an opaque id for each artifact.",
    ),
    Row(
        "invalid_artifact_ids",
        "The artifact ids of an action are no tuple of artifact ids.",
        "A list was passed, or one of them isn't `art_` and 32 lower-case hex digits.",
        "Pass a tuple of the ids of the artifacts that the action produced.",
    ),
    Row(
        "invalid_byte_size",
        "A byte size isn't an exact integer from 1 to 2^63 - 1.",
        "An empty artifact was declared, or the size was passed as a string or a float.",
        "Declare only artifacts that exist, with their size in bytes.",
    ),
    Row(
        "invalid_collection",
        "One of a run's collections is no tuple of the records that belong there.",
        "A list was passed, or events, graph, actions, timings and artifacts were mixed up.",
        "Pass tuples, in the order of the signature.",
    ),
    Row(
        "invalid_correlation",
        "An action's correlation is no `ActionCorrelation`.",
        "A mapping or a plain id was passed.",
        "Build it from a `RunId` and an `ActionId`, or with `ActionCorrelation.from_dict`.",
    ),
    Row(
        "invalid_count",
        "A count in a report made by hand isn't an exact integer, or doesn't fit the rest.",
        "The report was constructed instead of returned by a check.",
        "Let the check make the report.",
    ),
    Row(
        "invalid_encoding",
        "The text isn't UTF-8, or a string of it can't be written as UTF-8.",
        "The file is UTF-16 or Latin-1, begins with a byte order mark, or holds a lone surrogate.",
        "Write it as UTF-8 without a byte order mark.",
    ),
    Row(
        "invalid_error",
        "An error is no `ErrorEnvelope`.",
        "An exception or its text was passed; evidence holds neither.",
        "Use `envelope_from_exception` or `ErrorEnvelope.for_code`.",
    ),
    Row(
        "invalid_exception",
        "What an envelope was to be made from is no exception, or the mapping of types isn't one.",
        "The exception's text or class was passed instead of the exception.",
        "Pass the exception itself; only its type is read.",
    ),
    Row(
        "invalid_finding",
        "A report made by hand holds something that is no finding, or findings out of order.",
        "The report was constructed instead of returned by a check.",
        "Let the check make the report.",
    ),
    Row(
        "invalid_flag",
        "A flag isn't exactly True or False.",
        '`1`, `"true"` or a NumPy boolean was passed.',
        "Pass a bool: `bool(...)` on your side, once you know what the value means.",
    ),
    Row(
        "invalid_graph",
        "The plan has more than 10,000 actions, and isn't judged.",
        "Many runs were recorded as one, or a loop planned without end.",
        "Split the run.",
    ),
    Row(
        "invalid_identifier",
        "An identifier doesn't have the form that its field demands.",
        "A name, a path, a URL or an upper-case UUID was used, or a value of another type.",
        "Use the generated ids; `docs/codes.md` and the record's docstring give each grammar.",
    ),
    Row(
        "invalid_identifier_type",
        "A governance identifier isn't exactly a string.",
        "An identifier object was passed where its text belongs, or a string subclass.",
        "Pass `str(identifier)`.",
    ),
    Row(
        "invalid_node_type",
        "A plan holds something that is no `ActionNode`.",
        "Mappings were passed instead of records.",
        "Build an `ActionNode` for each planned action.",
    ),
    Row(
        "invalid_number",
        "The text holds a number that JSON doesn't have, or one that isn't an integer here.",
        "NaN, Infinity, 1e999, or a time with a fraction was written.",
        "Write integers: times are whole nanoseconds.",
    ),
    Row(
        "invalid_outcome",
        "An outcome is no `WorkflowOutcome`.",
        "A status word was passed.",
        "Build it from an `OutcomeClass` and one of its reason codes.",
    ),
    Row(
        "invalid_payload_type",
        "What is to be decoded is neither exactly a str nor exactly bytes.",
        "A mapping that was parsed already was passed, or a bytearray.",
        "Pass the text itself; it has to be read strictly.",
    ),
    Row(
        "invalid_phase",
        "A final phase is no phase.",
        "Another system's status word was passed, or one in other case or spelling.",
        "Map your status to an `ActionPhase`, and pass the member or its exact string.",
    ),
    Row(
        "invalid_reference",
        "A collection of artifacts holds something that is no `ArtifactReference`.",
        "Paths or mappings were passed.",
        "Build an `ArtifactReference` for each.",
    ),
    Row(
        "invalid_reference_collection",
        "The artifact references are no tuple.",
        "A list or a generator was passed; only exact tuples are taken.",
        "Wrap it: `tuple(...)`.",
    ),
    Row(
        "invalid_reference_type",
        "A sequence holds something that is no `EventReference`, or one that was never "
        "initialised.",
        "Mappings or whole events were passed.",
        "Build an `EventReference` for each event.",
    ),
    Row(
        "invalid_report",
        "A report made by hand has an unknown, unsorted or repeated code, or another schema.",
        "The report was constructed instead of returned by `check_run_invariants`.",
        "Let the check make the report.",
    ),
    Row(
        "invalid_reviewed",
        "The declaration of a review isn't exactly True or False.",
        '`1`, `"true"` or a NumPy boolean was passed.',
        "Pass True only where your review process has permitted the resumption.",
    ),
    Row(
        "invalid_run",
        "What is to be checked or timed is no record of a run, or one that was never initialised.",
        "A mapping or JSON text was passed.",
        "Decode it first: `decode(text)` gives a `CompletedRun`.",
    ),
    Row(
        "invalid_run_id",
        "A run's id is no `RunId`.",
        "Its string was passed.",
        "Pass `RunId.parse(text)`.",
    ),
    Row(
        "invalid_schema_id",
        "A schema id isn't dotted lower-case words that end in `.v` and a number.",
        "A class name or a URL was used.",
        "Name it like `org.example.note.v1`, 128 characters at most.",
    ),
    Row(
        "invalid_schema_version",
        "A schema version isn't the one that is read here.",
        "The record was written by another version, or is of another kind.",
        "Read it with the version that wrote it; `phaseproof schema` prints what is accepted.",
    ),
    Row(
        "invalid_sequence_number",
        "A sequence number isn't exactly an integer.",
        "It was passed as a string, a float or a bool.",
        "Pass an int.",
    ),
    Row(
        "invalid_sha256",
        "A digest isn't 64 lower-case hex digits.",
        "It was written in upper case, in base64, or of another algorithm.",
        "Use `hashlib.sha256(...).hexdigest()`.",
    ),
    Row(
        "invalid_stage_for_class",
        "An error of this class can't occur in that stage.",
        "The stage was set to a default, or the class guessed.",
        "See the table of classes and stages in the docstring of `ErrorEnvelope`.",
    ),
    Row(
        "invalid_terminal_sequence_number",
        "A run's terminal sequence number isn't exactly an integer.",
        "It was left out as None, or passed as a string.",
        "Pass the number of the event that ended the run.",
    ),
    Row(
        "invalid_time",
        "A time isn't exactly a non-negative integer.",
        "Seconds were passed as a float, or a wall-clock datetime.",
        "Pass monotonic nanoseconds.",
    ),
    Row(
        "invalid_token_source",
        "A token source raised, or didn't return exactly 16 bytes.",
        "It returns hex text, or the wrong number of bytes.",
        "Return 16 random bytes, such as `secrets.token_bytes(16)`; or pass none.",
    ),
    Row(
        "invalid_tool_id",
        "A planned action's tool id isn't `tool:namespace/local-name`, with a version if any.",
        "A function name was used, or an id of another kind.",
        "Name the tool like `tool:org.example/lookup-code@1.2.0`.",
    ),
    Row(
        "invalid_transition",
        "The lifecycle has no such step.",
        "A phase was skipped, repeated or gone back to, an action was resumed without "
        "preflight, or something happened after it had ended.",
        "Take the steps in between; `phaseproof step CURRENT TARGET` names what may follow.",
    ),
    Row(
        "invalid_type",
        "A field of the text has another JSON type than it must have.",
        "A number was written as a string, or an object as an array.",
        "See the JSON Schema: `phaseproof schema completed-run`.",
    ),
    Row(
        "invalid_version",
        "An artifact reference's version isn't 1.",
        "It was written by another version.",
        "Read it with the version that wrote it.",
    ),
    Row(
        "malformed_json",
        "The text is no JSON.",
        "A line was cut off by a crash or a full disk, or two were written into each other.",
        "Look at that line. Append whole lines, and flush them, from one writer.",
    ),
    Row(
        "missing_field",
        "A required field is absent.",
        "Fields that are null were left out; they must be written.",
        "Write every field, null where there is nothing.",
    ),
    Row(
        "namespace_too_long",
        "The namespace of a governance identifier has more than 253 characters.",
        "Something else was passed in its place.",
        "Use a reversed domain name.",
    ),
    Row(
        "not_a_mapping",
        "What is to be read isn't exactly a dict.",
        "A list, a string or a mapping of another type was passed.",
        "Pass a dict: `dict(...)`.",
    ),
    Row(
        "number_too_large",
        "A number has more than 640 digits.",
        "The text is damaged or hostile.",
        "Look at that line.",
    ),
    Row(
        "outside_parent",
        "An action's interval isn't within its parent's.",
        "The parent was ended before its child, or clocks of two machines were mixed.",
        "End children first, and take all times of a run from one clock.",
    ),
    Row(
        "outside_run",
        "An action's interval isn't within the run's.",
        "The run's times were taken too late or too early.",
        "Take the run's start before its first action and its end after the last.",
    ),
    Row(
        "overlapping_actions",
        "Two actions overlap in time although that was excluded.",
        "They ran concurrently.",
        "Run them one after the other, or allow overlaps.",
    ),
    Row(
        "parent_cycle",
        "Parents form a circle.",
        "Parent ids were mixed up.",
        "An action's parent is the one that caused it; follow the chain up to the run.",
    ),
    Row(
        "review_required",
        "The step exists, but only after an external review.",
        "An adapter resumed a paused action by itself.",
        "Ask your review process, and pass `reviewed=True` only once it has permitted the "
        "resumption.",
    ),
    Row(
        "self_parent",
        "An action is its own parent.",
        "The action's id was passed as its parent's.",
        "Leave the parent out for an action that the run itself started.",
    ),
    Row(
        "sequence_number_out_of_range",
        "A sequence number isn't from 0 to 1,000,000,000.",
        "A time was used as the number.",
        "Count events from 0.",
    ),
    Row(
        "terminal_before_start",
        "The terminal number is below the number that the sequence must start with.",
        "The two arguments were mixed up.",
        "Pass the number of the last event as the terminal number.",
    ),
    Row(
        "time_too_large",
        "A time has more than 640 digits.",
        "The value is damaged or hostile.",
        "Pass monotonic nanoseconds.",
    ),
    Row(
        "too_deep",
        "The text nests deeper than 64 levels.",
        "It is no evidence, or hostile: evidence nests five levels deep.",
        "Look at that line.",
    ),
    Row(
        "too_large",
        "The text is larger than 64 MiB.",
        "Content was written into evidence, or line ends are missing, so that a file is one line.",
        "Write one run a line, metadata only.",
    ),
    Row(
        "too_many_dependencies",
        "A planned action has more than 64 dependencies.",
        "An action collects the results of very many.",
        "Plan intermediate actions that collect some of them each.",
    ),
    Row(
        "too_many_events",
        "A sequence has more than 100,000 events.",
        "Many runs were recorded as one, or progress was recorded as events.",
        "Record what changes the state, and split the run.",
    ),
    Row(
        "too_many_nodes",
        "A plan has more than 10,000 actions.",
        "Many runs were recorded as one.",
        "Split the run.",
    ),
    Row(
        "unknown_class",
        "An outcome class is none of the five.",
        "A status word was used.",
        "Use an `OutcomeClass`: success, abstained, review_required, policy_denied, failed.",
    ),
    Row(
        "unknown_error_class",
        "An error class is none of the seven.",
        "An exception's name was used.",
        "Use an `ErrorClass`, or `envelope_from_exception`.",
    ),
    Row(
        "unknown_error_code",
        "An error code isn't registered, or not for this class.",
        "A text or a code of another system was used.",
        "Use a registered code; `ErrorEnvelope.for_code` finds its class.",
    ),
    Row(
        "unknown_field",
        "An object or mapping has a field that doesn't belong there.",
        "Content, or a note of the adapter's own, was added to a record.",
        "Remove it: evidence holds what the schema names and nothing else.",
    ),
    Row(
        "unknown_kind",
        "A kind isn't one that exists.",
        "The kind of a governance identifier or of an artifact is misspelt.",
        "Identifiers: capability, policy, purpose, tool, workflow. Artifacts: evidence, preview, "
        "fhir, omop, evaluation.",
    ),
    Row(
        "unknown_parent",
        "An action's parent isn't among the timed actions.",
        "The parent's timing was lost, or it belongs to another run.",
        "Record the parent's timing, or leave the parent out.",
    ),
    Row(
        "unknown_phase",
        "A value is no phase of the lifecycle, or not spelled exactly so.",
        "Another system's status word was passed, or one in other case or spelling, such as "
        "`waiting_review`.",
        "Use the members of `ActionPhase`, or their exact strings. Nothing is coerced.",
    ),
    Row(
        "unknown_reason",
        "A reason code doesn't belong to the outcome class.",
        "A free text was used, or the reason of another class.",
        "`allowed_reason_codes(outcome_class)` gives those that do.",
    ),
    Row(
        "unknown_reason_code",
        "A finding made by hand has a code that its report can't hold.",
        "The finding was constructed instead of returned by a check.",
        "Let the check make the finding.",
    ),
    Row(
        "unknown_stage",
        "An error stage is none of the six.",
        "A name of the adapter's own was used.",
        "Use an `ErrorStage`.",
    ),
    Row(
        "unreadable_mapping",
        "A mapping changed, or failed, while it was read.",
        "Another thread writes to it, or its keys misbehave.",
        "Pass a dict of your own: `dict(...)`.",
    ),
    Row(
        "wrong_identifier_kind",
        "A run id stands where an action id belongs, or the reverse.",
        "Arguments were swapped.",
        "Pass the `RunId` first, then the `ActionId`.",
    ),
    Row(
        "wrong_kind",
        "A governance identifier is of another kind than the one demanded.",
        "A workflow was named where a tool belongs, say.",
        "Use the class of the kind that the text names.",
    ),
)
"""Every refusal with its explanation, but for those that are findings too."""
