"""Values as JSON describes them: vocabulary, near misses of it, and things nobody should submit."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from phaseproof import ActionPhase, ArtifactKind, ErrorClass, ErrorStage, OutcomeClass
from phaseproof.contracts.errors import ERROR_CODES
from phaseproof.contracts.outcomes import OUTCOME_REASON_CODES
from verification.parity.peer_server import Json

__all__ = [
    "ACTION_IDS",
    "COLLECTION_TAGS",
    "ENUMS",
    "ERROR_CODES_OF_CLASSES",
    "HUGE_TIME",
    "NUMBERS",
    "OPAQUE_IDS",
    "PHASES",
    "REASON_CODES",
    "SINGLE_TIMING_FAULTS",
    "TIMES",
    "TOOL",
    "TOOL_IDS",
    "any_values",
    "call",
    "entries",
    "identifier",
    "member",
    "members_of",
    "mostly",
    "near_misses",
    "odd_values",
]

ENUMS: Final[dict[str, tuple[str, ...]]] = {
    kind.__name__: tuple(one.value for one in kind)
    for kind in (ActionPhase, OutcomeClass, ErrorClass, ErrorStage, ArtifactKind)
}
"""The name of each enum, and its values."""

PHASES: Final = ENUMS["ActionPhase"]
REASON_CODES: Final = tuple(sorted(set[str]().union(*OUTCOME_REASON_CODES.values())))
ERROR_CODES_OF_CLASSES: Final = tuple(sorted(set[str]().union(*ERROR_CODES.values())))

TOOL: Final = "tool:org.example/lookup"
HUGE_TIME: Final = 10**640
"""The first time that this package refuses for its size alone."""


def call(name: str, *positional: Json, **by_name: Json) -> Json:
    """The question what a call comes to."""
    return {"call": [name, list(positional), by_name]}


def member(enum: str, value: str) -> Json:
    """A real member of one of the contracts' enums."""
    return {"member": [enum, value]}


def identifier(prefix: str, number: int) -> str:
    """The run, action or artifact identifier with this number."""
    return f"{prefix}_{number:032x}"


def entries(document: dict[str, Json]) -> Json:
    """A dictionary, as a question describes it."""
    return {"dict": [[key, value] for key, value in document.items()]}


ACTION_IDS: Final = tuple(identifier("act", number) for number in (1, 2, 3, 99))
OPAQUE_IDS: Final = ("a", "b", "A.b_c-1", "a" * 128, "a" * 129, "a:b", "a-", ".a", "1")
TOOL_IDS: Final = (TOOL, f"{TOOL}@1.2.0", f"{TOOL}@1.02.0", "policy:org.example/x", "tool:org/x")
NUMBERS: Final = (0, 1, 2, 3, 5, -1, 10**9, 10**9 + 1)
TIMES: Final = (0, 1, 5, 10, 50, 90, 100, 101, 2**70, HUGE_TIME, HUGE_TIME + 7)
COLLECTION_TAGS: Final = ("tuple", "tuple", "tuple", "tuple", "list", "generator")


@cache
def near_misses(word: str) -> SearchStrategy[Json]:
    """What is almost this string, and what only pretends to be."""
    variants: list[Json] = [
        word.upper(),
        word.title(),
        f" {word}",
        f"{word} ",
        f"{word}\n",
        f"{word}\0",
        word[:-1],
        word + word[-1:],
        word.replace("-", "_"),
        word.replace("e", "\N{CYRILLIC SMALL LETTER IE}"),
        word.replace("0", "\N{ARABIC-INDIC DIGIT ZERO}"),
        word.replace("a", "\N{FULLWIDTH LATIN SMALL LETTER A}"),
        f"{word}\N{COMBINING ACUTE ACCENT}",
        {"subclass": word},
        {"bytes": word.encode().hex()},
        {"bytearray": word.encode().hex()},
        {"tuple": [word]},
        {"list": [word]},
    ]
    return st.sampled_from(variants)


@cache
def odd_values() -> SearchStrategy[Json]:
    """Values of every type that nobody should submit."""
    atoms: SearchStrategy[Json] = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 3),
        st.sampled_from([2**31, 2**63 - 1, 2**63, 2**64, 2**70, 10**9, 10**9 + 1, -(2**63)]),
        st.floats(allow_nan=False),
        st.text(max_size=6),
        st.text(alphabet="aZ09_.:-/\\~@ \n\ud800\N{FULLWIDTH DIGIT ZERO}", max_size=5),
    )
    made: list[Json] = [
        {"object": None},
        {"type": "str"},
        {"look-alike": "ready"},
        {"look-alike": "success"},
        {"look-alike": "policy"},
        {"look-alike": "fhir"},
        {"subclass": 0},
        {"subclass": "a"},
        {"subclass": 1.0},
        {"subclass": {"tuple": []}},
        {"bytes": ""},
        {"bytearray": "61"},
        {"dict": []},
        {"source": "ready"},
        {"exception": "ValueError"},
        *({tag: []} for tag in ("tuple", "list", "set", "generator")),
        *(member(enum, values[0]) for enum, values in ENUMS.items()),
        *({"forged": [enum, values[-1]]} for enum, values in ENUMS.items()),
        *({"forged": [enum, "unheard-of"]} for enum in ENUMS),
    ]
    items = st.lists(atoms, max_size=2)
    # A set of two has no order to compare by.
    containers = st.one_of(
        st.builds(lambda tag, held: {tag: held}, st.sampled_from(["tuple", "list"]), items),
        st.builds(lambda held: {"set": [held]}, st.text(max_size=3)),
    )
    return st.one_of(atoms, st.sampled_from(made), containers)


def any_values(*words: str) -> SearchStrategy[Json]:
    """Some of these words, near misses of them, and odd values."""
    listed = st.sampled_from(words)
    return st.one_of(listed, listed.flatmap(near_misses), odd_values())


def mostly(*words: Json) -> SearchStrategy[Json]:
    """Mostly one of these; now and then a near miss of a string, or something odd."""
    listed = st.sampled_from(words)
    strings = [word for word in words if isinstance(word, str) and word]
    nearly = st.sampled_from(strings).flatmap(near_misses) if strings else odd_values()
    return st.one_of(listed, listed, listed, nearly, odd_values())


def members_of(enum: str) -> SearchStrategy[Json]:
    """Members of an enum, forged ones, their strings, near misses and odd values."""
    values = ENUMS[enum]
    real = [member(enum, value) for value in values]
    forged = [{"forged": [enum, value]} for value in (*values, "unheard-of")]
    return mostly(*real, *real, *values, *forged)


def _timings_with_one_fault() -> list[Json]:
    run: dict[str, Any] = {"start_ns": 1, "end_ns": 9}
    action: dict[str, Any] = {"action_id": "a", **run}
    faults: list[dict[str, Json]] = [
        *({name: -1} for name in ("start_ns", "end_ns", "max_duration_ns")),
        *({name: "x"} for name in ("start_ns", "end_ns", "max_duration_ns")),
        {"end_ns": 0},
        {"max_duration_ns": 7},
        {"correlation_id": "/"},
    ]
    of_records = [
        *(call("RunTiming", **{**run, **fault}) for fault in faults),
        *(call("ActionTiming", **{**action, **fault}) for fault in faults),
        *(call("ActionTiming", **{**action, n: "/"}) for n in ("action_id", "parent_action_id")),
    ]

    def together(*actions: tuple[str, int, int, str | None], overlaps: Json = True) -> Json:
        return call(
            "AgentRunTiming",
            run=call("RunTiming", 1, 9),
            actions={"tuple": [call("ActionTiming", *one) for one in actions]},
            allow_action_overlaps=overlaps,
        )

    return [
        *of_records,
        call("AgentRunTiming", run=3, actions={"tuple": []}),
        call("AgentRunTiming", run=call("RunTiming", 1, 9), actions={"tuple": [3]}),
        call("AgentRunTiming", run=call("RunTiming", 1, 9), actions=3),
        together(overlaps=1),
        together(("a", 0, 5, None)),
        together(("a", 1, 10, None)),
        together(("a", 1, 2, None), ("a", 3, 4, None)),
        together(("a", 1, 2, "a")),
        together(("a", 1, 2, "b")),
        together(("a", 1, 5, "b"), ("b", 1, 4, None)),
        together(("a", 1, 5, "b"), ("b", 1, 5, "a")),
        together(("a", 1, 5, None), ("b", 4, 9, None), overlaps=False),
    ]


SINGLE_TIMING_FAULTS: Final[tuple[Json, ...]] = tuple(_timings_with_one_fault())
"""Timing records with exactly one fault each, one for every code and field."""
