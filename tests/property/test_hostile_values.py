"""Every adversary in every argument of every public callable: a fixed code, and nothing called.

What each brings about follows from the kind of the argument: ``tests/support/expectations.py``.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import ChainMap, OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Self

import pytest

import phaseproof as pp
from phaseproof import codec
from phaseproof.contracts.errors import ErrorStage
from phaseproof.run_invariants import RunInvariantReport
from tests.support.adversaries import ADVERSARIES, HostileError, LyingString, spy
from tests.support.battery import complaints, error_faults
from tests.support.entry_points import ENTRY_POINTS, EXEMPT, EntryPoint, public_parameters

OUTCOME = pp.WorkflowOutcome(pp.OutcomeClass.SUCCESS, "completed")
BY_NAME = {entry.name: entry for entry in ENTRY_POINTS}
RIGHT_RECORDS = {
    name: entry.given["data"].value
    for name, entry in BY_NAME.items()
    if name.endswith(".from_dict")
}


@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=str)
def test_an_adversary_gets_the_fixed_code_and_nothing_of_it_is_called(entry: EntryPoint) -> None:
    assert complaints(entry, entry.given) == []


@pytest.mark.parametrize("entry", ENTRY_POINTS, ids=str)
def test_the_right_values_are_accepted(entry: EntryPoint) -> None:
    assert entry.says(entry.call(**entry.arguments())) == "accepted"


def test_every_public_callable_and_each_of_its_parameters_takes_part() -> None:
    covered: dict[str, set[str]] = {}
    for entry in ENTRY_POINTS:
        if not entry.name.endswith(".from_dict, a field"):  # takes the fields, not the mapping
            covered.setdefault(entry.public_name, set()).update(entry.given)
    for name in EXEMPT:
        callable_name, _, parameter = name.removesuffix(")").partition("(")
        if parameter:
            covered[callable_name].add(parameter)
    public = public_parameters()
    wholly_exempt = {name for name in EXEMPT if "(" not in name}
    assert len(public) > 60
    assert public.keys() == covered.keys() | wholly_exempt
    assert wholly_exempt.isdisjoint(covered)
    assert {name: public[name] for name in covered} == covered


def test_a_new_public_callable_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Reader:
        @classmethod
        def read(cls, text: str) -> str:
            return text

    monkeypatch.setattr(codec, "Reader", Reader, raising=False)
    monkeypatch.setattr(codec, "decode", lambda payload, strict: None)
    monkeypatch.setattr(codec, "__all__", [*codec.__all__, "Reader"])
    public = public_parameters()
    assert public["Reader.read"] == {"text"}
    assert public["decode"] >= {"strict"}


def test_each_field_that_a_mapping_is_read_for_takes_part() -> None:
    assert len(RIGHT_RECORDS) == 3
    for name, right in RIGHT_RECORDS.items():
        assert BY_NAME[f"{name}, a field"].given.keys() == right.keys()


def test_the_rules_name_adversaries_that_exist() -> None:
    names = [adversary.name for adversary in ADVERSARIES]
    assert len(set(names)) == len(names)
    for entry in ENTRY_POINTS:
        for given in entry.given.values():
            for exceptions in given.rule.but.values():
                assert set(exceptions) <= set(names)


def test_every_adversary_is_used() -> None:
    used = {
        adversary
        for adversary in ADVERSARIES
        for entry in ENTRY_POINTS
        for given in entry.given.values()
        if adversary.applies(given.value)
    }
    assert used == set(ADVERSARIES)


# Forged members


def _verdict(*arguments: Any, reviewed: bool) -> str:
    try:
        pp.validate_action_transition(*arguments, reviewed=reviewed)
    except pp.ActionPhaseError as error:
        return str(error)
    return "accepted"


class _Assignable(str):  # noqa: SLOT000  # only a class with a dict can be assigned to
    """Its instances get the class of a phase."""


def _forgeries(text: str) -> Iterator[Any]:
    yield str.__new__(pp.ActionPhase, text)
    assigned = _Assignable(text)
    object.__setattr__(assigned, "__class__", pp.ActionPhase)
    yield assigned


@pytest.mark.parametrize("reviewed", [False, True])
def test_a_forged_phase_is_judged_exactly_as_the_string_that_it_holds(reviewed: bool) -> None:
    texts = [*(phase.value for phase in pp.ActionPhase), "READY", "ready ", "", "no phase"]
    for current, target in itertools.product(texts, texts):
        expected = _verdict(current, target, reviewed=reviewed)
        for one, other in itertools.product(_forgeries(current), _forgeries(target)):
            assert _verdict(one, other, reviewed=reviewed) == expected
            assert _verdict(one, target, reviewed=reviewed) == expected
            assert _verdict(current, other, reviewed=reviewed) == expected


@pytest.mark.parametrize("phase", list(pp.ActionPhase))
def test_a_forged_phase_is_kept_as_the_real_one(phase: pp.ActionPhase) -> None:
    correlation = pp.ActionCorrelation(pp.RunId("run_" + "0" * 32), pp.ActionId("act_" + "0" * 32))
    for forgery in _forgeries(phase.value):
        assert pp.RunAction(correlation, forgery).phase is phase
        assert pp.is_terminal_phase(forgery) is pp.is_terminal_phase(phase)
        assert pp.is_resumable_phase(forgery) is pp.is_resumable_phase(phase)


@pytest.mark.parametrize("kind", [pp.OutcomeClass, pp.ErrorClass, pp.ErrorStage, pp.ArtifactKind])
def test_a_forged_member_hashes_and_compares_as_its_string_without_failing(kind: Any) -> None:
    for member in kind:
        forgery = str.__new__(kind, member.value)
        assert {forgery: 1} == {member.value: 1}
        assert forgery == member
        assert forgery != "something else"


# Mappings


class ChangingDict(dict[str, Any]):
    """Says something else each time that it is asked."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        super().__init__(answers[0])
        self.answers = list(answers)
        self.asked = 0

    def items(self) -> Any:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1].items()

    __iter__ = keys = __getitem__ = get = __contains__ = __len__ = items  # type: ignore[assignment]  # not meant to fit


def test_a_dict_that_would_change_between_reads_is_read_below_its_overrides() -> None:
    changing = ChangingDict(OUTCOME.to_dict(), {"outcome_class": "failed"})
    assert pp.WorkflowOutcome.from_dict(changing) == OUTCOME
    assert changing.asked == 0


class ForeignMapping(Mapping[str, Any]):
    """Holds fields, gives each of them once, and then others. Notes what it is asked."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = dict(fields)
        self.asked: list[str] = []

    def __iter__(self) -> Iterator[str]:
        self.asked.append("iter")
        names = list(self.fields)
        yield from names
        self.fields = dict.fromkeys(self.fields, "changed")

    def __getitem__(self, name: str) -> Any:
        self.asked.append(name)
        value = self.fields[name]
        self.fields[name] = "changed"
        return value

    def _refuse(self, *_: object) -> Any:
        raise HostileError

    __len__ = __contains__ = __eq__ = keys = items = values = get = _refuse
    __hash__ = _refuse


def _read(name: str) -> Callable[[object], Any]:
    return BY_NAME[name].call


@pytest.mark.parametrize("name", RIGHT_RECORDS)
def test_a_foreign_mapping_that_changes_is_read_once_key_by_key(name: str) -> None:
    right = RIGHT_RECORDS[name]
    mapping = ForeignMapping(right)
    assert _read(name)(mapping) == _read(name)(right)
    assert mapping.asked == ["iter", *right]


@pytest.mark.parametrize("name", RIGHT_RECORDS)
def test_the_usual_mappings_are_read_as_dicts(name: str) -> None:
    right = RIGHT_RECORDS[name]
    for kind in (OrderedDict, UserDict, ChainMap, MappingProxyType):
        mapping: Any = kind(right)
        assert _read(name)(mapping) == _read(name)(right)
    growing: dict[str, Any] = defaultdict(lambda: "invented", right)
    assert _read(name)(growing) == _read(name)(right)
    del growing[next(iter(right))]
    before = dict(growing)
    with contextlib.suppress(pp.CodedError):
        _read(name)(growing)
    assert growing == before


class Unreadable(Mapping[str, Any]):
    """Raises where it is told to."""

    def __init__(self, where: str, error: Exception) -> None:
        self.where = where
        self.error = error

    def _check(self, where: str) -> None:
        if where == self.where:
            raise self.error

    def __iter__(self) -> Iterator[str]:
        self._check("iter")
        return self._names()

    def _names(self) -> Iterator[str]:
        self._check("next")
        yield from ("outcome_class", "reason_code", "run_id", "artifact_id")

    def __getitem__(self, name: str) -> Any:
        self._check("getitem")
        return name

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    "error",
    [KeyError("x"), RuntimeError("x"), RecursionError(), StopIteration("x"), MemoryError()],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("where", ["iter", "next", "getitem"])
@pytest.mark.parametrize("name", RIGHT_RECORDS)
def test_a_mapping_that_raises_is_refused_without_a_trace_of_its_exception(
    name: str, where: str, error: Exception
) -> None:
    with pytest.raises(pp.CodedError) as refused:
        _read(name)(Unreadable(where, error))
    assert list(error_faults(refused.value)) == []
    # It names a field that belongs elsewhere: names are judged before what they lead to.
    assert refused.value.code == ("unknown_field" if where == "getitem" else "not_a_mapping")


@pytest.mark.parametrize("name", RIGHT_RECORDS)
def test_a_mapping_of_the_right_names_that_cannot_be_looked_up_is_unreadable(name: str) -> None:
    class Locked(ForeignMapping):
        def __getitem__(self, name: str) -> Any:
            raise RuntimeError(name)

    with pytest.raises(pp.CodedError) as refused:
        _read(name)(Locked(RIGHT_RECORDS[name]))
    assert list(error_faults(refused.value)) == []
    # of outcomes there is one code for both
    outcome = name == "WorkflowOutcome.from_dict"
    assert refused.value.code == ("not_a_mapping" if outcome else "unreadable_mapping")
    with pytest.raises(pp.CodedError, match=r"^missing_field$"):
        _read(name)(Locked(dict(list(RIGHT_RECORDS[name].items())[:1])))


@pytest.mark.parametrize("names", [itertools.count(), itertools.repeat("run_id")])
@pytest.mark.parametrize("name", RIGHT_RECORDS)
def test_an_endless_mapping_ends(name: str, names: Iterator[Any]) -> None:
    class Endless(ForeignMapping):
        def __iter__(self) -> Iterator[str]:
            return names

        def __getitem__(self, name: str) -> Any:
            return name

    with pytest.raises(pp.CodedError, match=r"^unknown_field$"):
        _read(name)(Endless({}))


def test_a_class_that_only_says_that_it_is_a_mapping_is_none() -> None:
    class Registered:
        def __iter__(self) -> Iterator[str]:
            raise HostileError

    Mapping.register(Registered)
    calls: list[str] = []
    for value in (Registered(), spy(object, calls, {}, lies=True)):
        with pytest.raises(pp.OutcomeError, match=r"^not_a_mapping$"):
            pp.WorkflowOutcome.from_dict(value)
    assert calls == []


@pytest.mark.parametrize("name", RIGHT_RECORDS)
@pytest.mark.parametrize("base", [str, object, int])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_key_that_misbehaves_is_an_unknown_field(name: str, base: type, place: int) -> None:
    right = list(RIGHT_RECORDS[name].items())
    calls: list[str] = []
    key = spy(base, calls, right[place][0], lies=True)
    data: dict[Any, Any] = {}
    for index, (field_name, value) in enumerate(right):
        data[key if index == place else field_name] = value
    calls.clear()
    with pytest.raises(pp.CodedError, match=r"^unknown_field$"):
        _read(name)(data)
    assert calls == []


class Saboteur(str):
    """A key that empties its dict when it is compared, and when it is hashed again."""

    __slots__ = ("data",)

    data: dict[Any, Any]

    def __new__(cls, text: str, data: dict[Any, Any]) -> Self:
        made = super().__new__(cls, text)
        made.data = data
        return made

    def __eq__(self, other: object) -> bool:
        self.data.clear()
        return True

    def __hash__(self) -> int:
        self.data.clear()
        return hash(str(self))


def test_a_key_that_changes_its_dict_never_gets_to_it() -> None:
    data: dict[Any, Any] = {}
    key = Saboteur("reason_code", data)
    data[key] = "completed"
    dict.__setitem__(data, "outcome_class", "success")
    with pytest.raises(pp.OutcomeError, match=r"^unknown_field$"):
        pp.WorkflowOutcome.from_dict(data)
    assert len(data) == 2


# Callables and registrations of the caller


@pytest.mark.parametrize("kind", [pp.RunId, pp.ActionId])
@pytest.mark.parametrize(
    "token",
    [
        b"",
        b"0" * 15,
        b"0" * 17,
        bytearray(b"0" * 16),
        "0" * 16,
        16,
        None,
        type("Bytes", (bytes,), {"__len__": lambda _: 16, "hex": lambda _: "0" * 32})(b"0"),
    ],
    ids=lambda token: f"{type(token).__name__}-{len(token) if hasattr(token, '__len__') else ''}",
)
def test_a_source_of_tokens_must_give_sixteen_bytes(kind: Any, token: object) -> None:
    with pytest.raises(pp.CorrelationIdError, match=r"^\w+_id: invalid_token_source$") as refused:
        kind.generate(token_source=lambda _: token)
    assert list(error_faults(refused.value)) == []


def test_a_source_of_tokens_that_raises_leaves_no_trace() -> None:
    def source(_: int) -> bytes:
        raise RuntimeError("secret")

    with pytest.raises(pp.CorrelationIdError) as refused:
        pp.RunId.generate(token_source=source)
    assert list(error_faults(refused.value)) == []


def test_what_a_source_of_tokens_gives_is_never_asked() -> None:
    calls: list[str] = []
    for base in (object, bytes, str):
        token: Any = spy(base, calls, lies=True)
        with pytest.raises(pp.CorrelationIdError, match=r"^run_id: invalid_token_source$"):
            pp.RunId.generate(token_source={16: token}.__getitem__)
    assert calls == []


def test_hostile_registrations_of_exceptions_are_never_asked() -> None:
    calls: list[str] = []
    key: Any = spy(object, calls, lies=True)
    code: Any = spy(str, calls, "invalid_input", lies=True)
    codes: dict[Any, Any] = {key: "invalid_input"}
    calls.clear()
    envelope = pp.envelope_from_exception(KeyError(), stage=ErrorStage.TOOL_CALL, codes=codes)
    assert envelope.error_code == "internal_error"
    with pytest.raises(pp.ErrorEnvelopeError, match=r"^error_code: unknown_error_code$"):
        pp.envelope_from_exception(
            KeyError(), stage=ErrorStage.TOOL_CALL, codes={LookupError: code}
        )
    assert calls == []


def test_of_an_exception_only_its_type_is_read() -> None:
    calls: list[str] = []
    exception: Any = spy(Exception, calls, lies=True)
    envelope = pp.envelope_from_exception(exception, stage=ErrorStage.TOOL_CALL)
    assert envelope.error_code == "internal_error"
    assert calls == []


# The battery itself


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        (lambda value: value == "ready", "__eq__"),
        (lambda value: value < "ready", "__lt__"),
        (lambda value: {value}, "__hash__"),
        (lambda value: f"{value}", "__format__"),
        (str, "__str__"),
        (repr, "__repr__"),
        (bool, "__bool__"),
        (len, "__len__"),
        (list, "__iter__"),
        (int, "__int__"),
        (lambda value: [0][value], "__index__"),
        (lambda value: "x" in value, "__contains__"),
        (lambda value: value + 1, "__add__"),
        (lambda value: value.strip(), "__getattribute__"),
        (lambda value: value.__class__, "__getattribute__"),
        (lambda value: isinstance(value, pp.ActionPhase), "__getattribute__"),
        (lambda value: isinstance("x", type(value)), "type.__instancecheck__"),
        (lambda value: issubclass(str, type(value)), "type.__subclasscheck__"),
        (lambda value: type(value) == str, "type.__eq__"),  # noqa: E721  # the fault to be seen
        (lambda value: type(value) in (str, pp.ActionPhase), "type.__eq__"),
        (lambda value: type(value) in {str, pp.ActionPhase}, "type.__hash__"),
        (lambda value: type(value).__name__, "type.__getattribute__"),
        (lambda value: type(value).__mro__, "type.__getattribute__"),
        (lambda value: repr(type(value)), "type.__repr__"),
    ],
)
def test_the_record_of_calls_sees_each_use_that_a_careless_check_makes(
    use: Callable[[Any], object], expected: str
) -> None:
    calls: list[str] = []
    value = spy(object, calls, lies=False)
    with contextlib.suppress(HostileError):
        use(value)
    assert expected in calls


def test_a_liar_would_deceive_whoever_asks_it() -> None:
    calls: list[str] = []
    value = spy(object, calls, pp.ActionPhase.READY, lies=True)
    assert isinstance(value, pp.ActionPhase)
    assert value == "ready"
    assert hash(value) == hash("ready")
    assert str(value) == "ready"
    assert isinstance(value, RunInvariantReport) is False
    assert LyingString("x") == "ready"
    assert re.search("eq", " ".join(calls))
