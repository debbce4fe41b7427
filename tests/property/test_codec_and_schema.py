"""Generated damage to real evidence: the decoder and the shipped schema say the same."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phaseproof import CodecError, CompletedRun, decode, decode_run, encode
from phaseproof.codec import to_document
from phaseproof.evidence_schema import completed_run_schema

VALIDATOR = jsonschema.Draft202012Validator(completed_run_schema())
BEYOND_A_SCHEMA = {"end_before_start", "duration_exceeded", "self_parent", "time_too_large"}

with gzip.open(Path(__file__).parent.parent / "data" / "peer-verdicts.jsonl.gz", "rt") as lines:
    DOCUMENTS = [json.loads(line)["run"] for line in lines][:60]

WORDS = st.sampled_from(
    [
        "completed",
        "waiting-review",
        "failed",
        "timeout",
        "run_" + "0" * 32,
        "act_" + "0" * 32,
        "act_" + "0" * 32 + "\n",
        "tool:a.b/c",
        f"tool:{'.'.join(['a' * 62] * 4)}.bb/c",
        "openmed.agent.outcome.v1",
        "a" * 128,
        "a" * 129,
        "\ud800",
        "\u0661",
        "0a" * 32,
    ]
)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: number % 1 != 0),
    WORDS,
    st.text(max_size=5),
    st.lists(WORDS, max_size=2),
    st.dictionaries(WORDS, st.integers(), max_size=2),
)


def containers(value: Any) -> list[Any]:
    """Every object and list that has something in it."""
    found = []
    if isinstance(value, dict | list) and value:
        found.append(value)
        for item in value.values() if isinstance(value, dict) else value:
            found += containers(item)
    return found


@st.composite
def damaged(draw: st.DrawFn) -> Any:
    """A real document with up to three changes anywhere."""
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 3))):
        container = draw(st.sampled_from(containers(document)))
        key = draw(
            st.sampled_from(
                sorted(container) if isinstance(container, dict) else range(len(container))
            )
        )
        action = draw(st.sampled_from(["replace", "delete", "add", "copy"]))
        if action == "replace":
            container[key] = draw(VALUES)
        elif action == "delete":
            del container[key]
        elif action == "copy" and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif isinstance(container, dict):
            container[draw(st.text(max_size=3))] = draw(VALUES)
        if not document:
            break
    return document


def attempt(payload: bytes | str) -> CompletedRun | str:
    """The run, or the code that it was refused with."""
    try:
        return decode_run(payload)
    except CodecError as error:
        return error.code


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged())
def test_the_decoder_and_the_schema_agree(document: Any) -> None:
    accepted = VALIDATOR.is_valid(document)
    read = attempt(json.dumps(document))
    if isinstance(read, str):
        assert not accepted or read in BEYOND_A_SCHEMA
    else:
        assert accepted
        assert decode(encode(read)) == read
        assert VALIDATOR.is_valid(to_document(read))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60)))
def test_no_text_at_all_raises_anything_but_a_codec_error(payload: bytes | str) -> None:
    assert attempt(payload) in CodecError.CODES
