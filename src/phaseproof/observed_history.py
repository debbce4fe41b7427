"""Coarse histories: what a system that records fewer states than seven can and can't show.

A view says which phases each of its status words may stand for. Hidden steps may lie between two
observations, so a lawful verdict proves only that nothing observed rules a lawful history out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeGuard

from phaseproof.action_phases import ACTION_PHASE_TRANSITIONS, ActionPhase
from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.strict_json import dump_json
from phaseproof.phase_history import LawfulPath, lawful_path

__all__ = [
    "MAX_STATUS_LENGTH",
    "OBSERVED_HISTORY_SCHEMA_VERSION",
    "ObservedHistoryError",
    "ObservedHistoryReport",
    "ObservedStatus",
    "ObservedVerdict",
    "PhaseView",
    "check_observed_history",
]

OBSERVED_HISTORY_SCHEMA_VERSION: Final = "phaseproof.observed_history.v1"

MAX_STATUS_LENGTH: Final = 128
"""Characters of a status word."""

_find_surrogate: Final = re.compile("[\ud800-\udfff]").search
_ORDER: Final = tuple(ActionPhase)
_START: Final = frozenset(
    phase
    for phase in ActionPhase
    if not any(phase in targets for targets in ACTION_PHASE_TRANSITIONS.values())
)
_NOTHING_KNOWN: Final = frozenset(ActionPhase)


class ObservedHistoryError(CodedError):
    """Something that is no view, no status, or no collection of statuses.

    Codes: of `PhaseView` ``invalid_name`` (field ``name``, ``source`` or ``version``),
    ``invalid_words`` (``words``), ``invalid_events`` (``events``), ``invalid_blind_spots``
    (``blind_spots``); of `ObservedStatus` ``invalid_status`` (``status``),
    ``invalid_reviewed`` (``reviewed``); of `check_observed_history` ``invalid_view`` (``view``),
    ``invalid_statuses``, ``invalid_status`` (``statuses``); of `ObservedHistoryReport`
    ``invalid_verdict`` (``verdict``), ``invalid_index`` (``index``), ``invalid_count``
    (``status_count``), ``invalid_phase`` (``possible_phases``), ``invalid_path``
    (``nearest``), ``invalid_schema_version`` (``schema_version``).
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_blind_spots",
            "invalid_count",
            "invalid_events",
            "invalid_index",
            "invalid_name",
            "invalid_path",
            "invalid_phase",
            "invalid_reviewed",
            "invalid_schema_version",
            "invalid_status",
            "invalid_statuses",
            "invalid_verdict",
            "invalid_view",
            "invalid_words",
        }
    )


class ObservedVerdict(StrEnum):
    """What can be said of a coarse history, the gravest that applies."""

    LAWFUL = "lawful"
    AMBIGUOUS = "ambiguous"
    UNKNOWN_STATUS = "unknown_status"
    UNLAWFUL = "unlawful"


_VERDICTS: Final = {id(verdict): verdict for verdict in ObservedVerdict}


def _is_text(value: object) -> TypeGuard[str]:
    """Whether this is exactly a str of 1 to 128 characters that can be written as UTF-8."""
    if type(value) is not str or not 0 < len(value) <= MAX_STATUS_LENGTH:
        return False
    return _find_surrogate(value) is None


def _is_phase_set(phases: object) -> bool:
    if type(phases) is not frozenset or not phases:
        return False
    return all(any(phase is member for member in ActionPhase) for phase in phases)


def _view_refusal(
    texts: Iterable[tuple[str, object]], words: object, events: object, blind_spots: object
) -> tuple[str, str] | None:
    for field_name, text in texts:
        if not _is_text(text):
            return "invalid_name", field_name
    if type(words) is not dict or not words:
        return "invalid_words", "words"
    if not all(_is_text(word) for word in words):
        return "invalid_words", "words"
    if not all(_is_phase_set(phases) for phases in words.values()):
        return "invalid_words", "words"
    if type(events) is not frozenset or not all(_is_text(event) for event in events):
        return "invalid_events", "events"
    if not events.isdisjoint(words):
        return "invalid_events", "events"
    if type(blind_spots) is not tuple or not all(type(text) is str for text in blind_spots):
        return "invalid_blind_spots", "blind_spots"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PhaseView(HiddenValues):
    """What each status word of another system may stand for.

    Parameters
    ----------
    name, source, version:
        What the view is called, whose vocabulary it is, and of which version; 1 to 128
        characters each.
    words:
        A dict of word to a frozenset of the phases that it may stand for, at least one. It is
        copied, and read-only afterwards. Words are matched exactly.
    events:
        A frozenset of words that say that something was asked for or delivered, and nothing
        about a phase: a request to cancel, say.
    blind_spots:
        A tuple of sentences on what this system doesn't show.

    Raises
    ------
    ObservedHistoryError
        ``invalid_name``, ``invalid_words``, ``invalid_events``, ``invalid_blind_spots``.
    """

    name: str
    source: str
    version: str
    words: Mapping[str, frozenset[ActionPhase]]
    events: frozenset[str]
    blind_spots: tuple[str, ...]

    def __init__(
        self,
        name: str,
        source: str,
        version: str,
        words: Mapping[str, frozenset[ActionPhase]],
        events: frozenset[str] = frozenset(),
        blind_spots: tuple[str, ...] = (),
    ) -> None:
        texts = (("name", name), ("source", source), ("version", version))
        refusal = _view_refusal(texts, words, events, blind_spots)
        if refusal is not None:
            del self, name, source, version, words, events, blind_spots, texts
            raise ObservedHistoryError(*refusal)
        put = object.__setattr__
        put(self, "name", name)
        put(self, "source", source)
        put(self, "version", version)
        put(self, "words", MappingProxyType(dict(words)))
        put(self, "events", events)
        put(self, "blind_spots", blind_spots)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ObservedStatus(HiddenValues):
    """One status word as a system reported it.

    Parameters
    ----------
    status:
        The word, 1 to 128 characters.
    reviewed:
        Exactly True where there is evidence, besides the word, that an external review
        permitted the action to go on since the status before. A status that merely shows that
        somebody answered is none.

    Raises
    ------
    ObservedHistoryError
        ``invalid_status``, ``invalid_reviewed``.
    """

    status: str
    reviewed: bool

    def __init__(self, status: str, reviewed: bool = False) -> None:
        refusal = None
        if not _is_text(status):
            refusal = "invalid_status", "status"
        elif reviewed is not True and reviewed is not False:
            refusal = "invalid_reviewed", "reviewed"
        if refusal is not None:
            del self, status, reviewed
            raise ObservedHistoryError(*refusal)
        object.__setattr__(self, "status", status)
        object.__setattr__(self, "reviewed", reviewed)


def _report_refusal(
    verdict: object,
    status_count: object,
    index: object,
    possible_phases: object,
    nearest: object,
    schema_version: object,
) -> tuple[str, str] | None:
    if id(verdict) not in _VERDICTS:
        return "invalid_verdict", "verdict"
    if type(status_count) is not int or not 0 <= status_count <= sys.maxsize:
        return "invalid_count", "status_count"
    if (index is None) != (verdict is ObservedVerdict.LAWFUL):
        return "invalid_index", "index"
    if index is not None and (type(index) is not int or not 0 <= index < status_count):
        return "invalid_index", "index"
    if type(possible_phases) is not tuple or not all(
        any(phase is member for member in ActionPhase) for phase in possible_phases
    ):
        return "invalid_phase", "possible_phases"
    if nearest is not None and (
        type(nearest) is not LawfulPath or not hasattr(nearest, "needs_review")
    ):
        return "invalid_path", "nearest"
    if type(schema_version) is not str or schema_version != OBSERVED_HISTORY_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ObservedHistoryReport(HiddenValues):
    """Whether a lawful history could have produced what was observed.

    Parameters
    ----------
    verdict:
        *Unlawful*: no lawful history explains it, whatever the words stood for.
        *Unknown status*: a word isn't in the view, and nothing else rules it out.
        *Ambiguous*: lawful or not, depending on what a word stood for. *Lawful*: whatever each
        word stood for, a lawful history goes on from there.
    status_count:
        How many observations were judged.
    index:
        The first observation that gives the verdict; None for a lawful one.
    possible_phases:
        Where the action may be after the last observation, in the order of the lifecycle; after
        the last explained one where the verdict is unlawful.
    nearest:
        Of an unlawful verdict the shortest lawful way to that observation from where the action
        may have been, or None where there is no way.

    Raises
    ------
    ObservedHistoryError
        ``invalid_verdict``, ``invalid_count``, ``invalid_index``, ``invalid_phase``,
        ``invalid_path``, ``invalid_schema_version``.
    """

    verdict: ObservedVerdict
    status_count: int
    index: int | None
    possible_phases: tuple[ActionPhase, ...]
    nearest: LawfulPath | None
    schema_version: str

    def __init__(
        self,
        verdict: ObservedVerdict,
        status_count: int,
        index: int | None,
        possible_phases: tuple[ActionPhase, ...],
        nearest: LawfulPath | None = None,
        schema_version: str = OBSERVED_HISTORY_SCHEMA_VERSION,
    ) -> None:
        refusal = _report_refusal(
            verdict, status_count, index, possible_phases, nearest, schema_version
        )
        if refusal is not None:
            del self, verdict, status_count, index, possible_phases, nearest, schema_version
            raise ObservedHistoryError(*refusal)
        put = object.__setattr__
        put(self, "verdict", verdict)
        put(self, "status_count", status_count)
        put(self, "index", index)
        put(self, "possible_phases", possible_phases)
        put(self, "nearest", nearest)
        put(self, "schema_version", schema_version)

    @property
    def is_lawful(self) -> bool:
        """Whether the verdict is lawful: nothing observed rules a lawful history out."""
        return self.verdict is ObservedVerdict.LAWFUL

    def to_dict(self) -> dict[str, Any]:
        """The fields, ``schema_version`` first. No status word."""
        return {
            "schema_version": self.schema_version,
            "verdict": self.verdict.value,
            "status_count": self.status_count,
            "index": self.index,
            "possible_phases": [phase.value for phase in self.possible_phases],
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())


def _unreviewed_reach(start: ActionPhase) -> frozenset[ActionPhase]:
    """A phase and all that may follow it by any number of unreviewed steps."""
    reached = {start}
    waiting = [start]
    while waiting:
        for target, needs_review in ACTION_PHASE_TRANSITIONS[waiting.pop()].items():
            if not needs_review and target not in reached:
                reached.add(target)
                waiting.append(target)
    return frozenset(reached)


# Computed from the graph: where an action may be one observation later, without a review in
# between and with one.
_UNREVIEWED: Final = {phase: _unreviewed_reach(phase) for phase in ActionPhase}
_REVIEWED: Final = {
    phase: reach.union(
        *(
            _UNREVIEWED[target]
            for source in reach
            for target, needs_review in ACTION_PHASE_TRANSITIONS[source].items()
            if needs_review
        )
    )
    for phase, reach in _UNREVIEWED.items()
}


def _nearest(sources: frozenset[ActionPhase], targets: frozenset[ActionPhase]) -> LawfulPath | None:
    """The shortest lawful way from any of these phases to any of those."""
    paths = [
        path
        for source in _ORDER
        for target in _ORDER
        if source in sources and target in targets
        if (path := lawful_path(source, target)) is not None
    ]
    return min(paths, key=lambda path: (len(path.skipped), path.needs_review), default=None)


def _observations(statuses: object) -> list[tuple[str, bool]] | str:
    """Words with their evidence of review; or the code of a refusal."""
    if type(statuses) is not tuple:
        return "invalid_statuses"
    observed = []
    for status in statuses:
        if type(status) is ObservedStatus:
            observed.append((status.status, status.reviewed))
        elif _is_text(status):
            observed.append((status, False))
        else:
            return "invalid_status"
    return observed


def check_observed_history(
    statuses: tuple[str | ObservedStatus, ...], view: PhaseView
) -> ObservedHistoryReport:
    """Say whether any lawful history could have produced what was observed of one action.

    Parameters
    ----------
    statuses:
        A tuple of words, or of `ObservedStatus` where there is evidence of a review, in the
        order in which they came about. The same word again may be a repeated delivery.
    view:
        What the words may stand for.

    Returns
    -------
    ObservedHistoryReport
        The gravest verdict that applies: unlawful, unknown status, ambiguous, lawful. No
        observation at all is lawful.

    Raises
    ------
    ObservedHistoryError
        ``invalid_view``, ``invalid_statuses``, ``invalid_status``.

    Notes
    -----
    The set of phases in which the action may be is followed through the graph, with any number
    of hidden steps between two observations, but over the reviewed edge only where there is
    evidence of a review, once. A phase of the set from which no lawful step explains the next
    observation makes the verdict depend on what the word before stood for. Linear.
    """
    observed: list[tuple[str, bool]] | str = []
    code, field_name = None, "statuses"
    try:
        observed = _observations(statuses)
        code = observed if type(observed) is str else None
        if type(view) is not PhaseView or not hasattr(view, "words"):
            code, field_name = "invalid_view", "view"
        elif code is None:
            return _follow(observed, view)  # type: ignore[arg-type]  # a list where there is no code
    except AttributeError:
        code = "invalid_status"  # a record that was allocated and never initialised
    del statuses, view, observed
    raise ObservedHistoryError(code or "invalid_status", field_name)


def _follow(observed: list[tuple[str, bool]], view: PhaseView) -> ObservedHistoryReport:
    possible = _START
    verdict, index = ObservedVerdict.LAWFUL, None
    for position, (word, reviewed) in enumerate(observed):
        if word in view.events:
            continue
        meant = view.words.get(word)
        if meant is None:
            if verdict is not ObservedVerdict.UNKNOWN_STATUS:
                verdict, index = ObservedVerdict.UNKNOWN_STATUS, position
            meant = _NOTHING_KNOWN
        reach = _REVIEWED if reviewed else _UNREVIEWED
        explained = [reach[phase] & meant for phase in possible]
        following = frozenset().union(*explained)
        if not following:
            return ObservedHistoryReport(
                ObservedVerdict.UNLAWFUL,
                len(observed),
                position,
                _ordered(possible),
                _nearest(possible, meant),
            )
        if verdict is ObservedVerdict.LAWFUL and not all(explained):
            verdict, index = ObservedVerdict.AMBIGUOUS, position
        possible = following
    return ObservedHistoryReport(verdict, len(observed), index, _ordered(possible))


def _ordered(phases: frozenset[ActionPhase]) -> tuple[ActionPhase, ...]:
    return tuple(phase for phase in _ORDER if phase in phases)
