"""Which run and which action a record belongs to, and which action caused it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from phaseproof.coded_error import CodedError
from phaseproof.contracts.hidden_values import HiddenValues
from phaseproof.contracts.identifiers import is_action_id, is_run_id
from phaseproof.contracts.strict_json import dump_json, parse_json
from phaseproof.contracts.strict_mapping import read_mapping

__all__ = [
    "ACTION_ID_PREFIX",
    "CORRELATION_SCHEMA_VERSION",
    "CORRELATION_TOKEN_BYTES",
    "RUN_ID_PREFIX",
    "ActionCorrelation",
    "ActionId",
    "CorrelationIdError",
    "RunId",
]

RUN_ID_PREFIX: Final = "run_"
ACTION_ID_PREFIX: Final = "act_"
CORRELATION_TOKEN_BYTES: Final = 16
"""Random bytes behind a generated identifier."""

CORRELATION_SCHEMA_VERSION: Final = "openmed.agent.correlation.v1"


class CorrelationIdError(CodedError):
    """A run or action identifier, or a correlation of them, that isn't one.

    Codes: ``invalid_identifier``, ``wrong_identifier_kind``, ``invalid_token_source`` (field
    ``run_id``, ``action_id`` or ``parent_action_id``), ``self_parent`` (``parent_action_id``),
    ``invalid_schema_version`` (``schema_version``); without a field ``not_a_mapping``,
    ``unreadable_mapping``, ``unknown_field``, ``missing_field``, ``malformed_json``.
    """

    CODES: ClassVar = frozenset(
        {
            "invalid_identifier",
            "invalid_schema_version",
            "invalid_token_source",
            "malformed_json",
            "missing_field",
            "not_a_mapping",
            "self_parent",
            "unknown_field",
            "unreadable_mapping",
            "wrong_identifier_kind",
        }
    )


def _id_refusal(value: object, prefix: str) -> str | None:
    """The code that an identifier of this kind is refused with, or None."""
    if is_run_id(value):
        return None if prefix == RUN_ID_PREFIX else "wrong_identifier_kind"
    if is_action_id(value):
        return None if prefix == ACTION_ID_PREFIX else "wrong_identifier_kind"
    return "invalid_identifier"


def _hex_token(token_source: object) -> str | None:
    """32 hex digits from the given source of bytes, or None where it doesn't give 16 of them."""
    if token_source is None:
        return os.urandom(CORRELATION_TOKEN_BYTES).hex()
    try:
        token = token_source(CORRELATION_TOKEN_BYTES)  # type: ignore[operator]  # it may well not be callable
    except Exception:  # noqa: BLE001  # a caller's source may raise anything at all
        return None
    if type(token) is not bytes or len(token) != CORRELATION_TOKEN_BYTES:
        return None
    return token.hex()


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _CorrelationId(HiddenValues):
    """A prefix that says what is named, and 32 lower-case hex digits that say nothing."""

    PREFIX: ClassVar[str]
    FIELD: ClassVar[str]

    value: str

    def __init__(self, value: str) -> None:
        code = _id_refusal(value, self.PREFIX)
        if code is not None:
            field_name = self.FIELD
            del self, value
            raise CorrelationIdError(code, field_name)
        object.__setattr__(self, "value", value)

    @classmethod
    def parse(cls, value: str) -> Self:
        """The identifier that a string spells. Raises `CorrelationIdError` as the class does."""
        code = _id_refusal(value, cls.PREFIX)
        if code is not None:
            del value
            raise CorrelationIdError(code, cls.FIELD)
        return cls(value)

    @classmethod
    def generate(cls, *, token_source: Callable[[int], bytes] | None = None) -> Self:
        """A new identifier from 16 bytes of the system's randomness, or of ``token_source(16)``.

        Raises
        ------
        CorrelationIdError
            ``invalid_token_source`` where the source gives anything but 16 bytes, or raises.
        """
        token = _hex_token(token_source)
        del token_source
        if token is None:
            raise CorrelationIdError("invalid_token_source", cls.FIELD)
        return cls(cls.PREFIX + token)

    def serialize(self) -> str:
        """The string that `parse` takes."""
        return self.value

    def __str__(self) -> str:
        return self.value


class RunId(_CorrelationId):
    """Names a run: ``run_`` and 32 lower-case hex digits. `str` gives it, `repr` doesn't.

    Raises
    ------
    CorrelationIdError
        ``invalid_identifier``, or ``wrong_identifier_kind`` for a well-formed action
        identifier (field ``run_id``).
    """

    __slots__ = ()
    PREFIX: ClassVar[str] = RUN_ID_PREFIX
    FIELD: ClassVar[str] = "run_id"


class ActionId(_CorrelationId):
    """Names an action: ``act_`` and 32 lower-case hex digits. `str` gives it, `repr` doesn't.

    Raises
    ------
    CorrelationIdError
        ``invalid_identifier``, or ``wrong_identifier_kind`` for a well-formed run identifier
        (field ``action_id``).
    """

    __slots__ = ()
    PREFIX: ClassVar[str] = ACTION_ID_PREFIX
    FIELD: ClassVar[str] = "action_id"


def _correlation_refusal(
    run_id: object, action_id: object, parent_action_id: object, schema_version: object
) -> tuple[str, str] | None:
    # An identifier that was allocated and never initialised has no value, and is none.
    if type(run_id) is not RunId or not hasattr(run_id, "value"):
        return "wrong_identifier_kind", "run_id"
    if type(action_id) is not ActionId or not hasattr(action_id, "value"):
        return "wrong_identifier_kind", "action_id"
    if parent_action_id is not None:
        if type(parent_action_id) is not ActionId or not hasattr(parent_action_id, "value"):
            return "wrong_identifier_kind", "parent_action_id"
        if parent_action_id.value == action_id.value:
            return "self_parent", "parent_action_id"
    if type(schema_version) is not str or schema_version != CORRELATION_SCHEMA_VERSION:
        return "invalid_schema_version", "schema_version"
    return None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ActionCorrelation(HiddenValues):
    """One action of one run, and the action that caused it, if one did.

    Parameters
    ----------
    run_id, action_id, parent_action_id:
        A `RunId`, an `ActionId` and an `ActionId` or None: the records, not strings.

    Raises
    ------
    CorrelationIdError
        ``wrong_identifier_kind`` (the field), ``self_parent``, ``invalid_schema_version``.
    """

    run_id: RunId
    action_id: ActionId
    parent_action_id: ActionId | None
    schema_version: str

    def __init__(
        self,
        run_id: RunId,
        action_id: ActionId,
        parent_action_id: ActionId | None = None,
        schema_version: str = CORRELATION_SCHEMA_VERSION,
    ) -> None:
        refusal = _correlation_refusal(run_id, action_id, parent_action_id, schema_version)
        if refusal is not None:
            del self, run_id, action_id, parent_action_id, schema_version
            raise CorrelationIdError(*refusal)
        put = object.__setattr__
        put(self, "run_id", run_id)
        put(self, "action_id", action_id)
        put(self, "parent_action_id", parent_action_id)
        put(self, "schema_version", CORRELATION_SCHEMA_VERSION)

    @property
    def is_root_action(self) -> bool:
        """Whether no other action caused this one."""
        return self.parent_action_id is None

    def to_dict(self) -> dict[str, str | None]:
        """``schema_version`` first, then the fields in order, as strings or None."""
        parent = self.parent_action_id
        return {
            "schema_version": self.schema_version,
            "run_id": self.run_id.value,
            "action_id": self.action_id.value,
            "parent_action_id": None if parent is None else parent.value,
        }

    def to_json(self) -> str:
        """`to_dict` as canonical JSON."""
        return dump_json(self.to_dict())

    @classmethod
    def from_dict(cls, data: object) -> ActionCorrelation:
        """Read what `to_dict` gives; ``parent_action_id`` and ``schema_version`` may be left out.

        Raises
        ------
        CorrelationIdError
            ``not_a_mapping``, ``unreadable_mapping``, ``unknown_field``, ``missing_field``, or
            what the constructors raise.
        """
        read = _read_correlation(data)
        del data
        if isinstance(read, CorrelationIdError):
            raise read
        return read

    @classmethod
    def from_json(cls, payload: str | bytes | bytearray) -> ActionCorrelation:
        """Read what `to_json` gives. Raises as `from_dict`, or ``malformed_json``."""
        data, code = parse_json(payload)
        del payload
        if code is not None:
            del data
            raise CorrelationIdError("malformed_json")
        read = _read_correlation(data)
        del data
        if isinstance(read, CorrelationIdError):
            raise read
        return read


def _read_correlation(data: object) -> ActionCorrelation | CorrelationIdError:
    """Read a mapping, and return the refusal instead of raising it through a frame with values."""
    fields, code = read_mapping(
        data, ("run_id", "action_id"), ("parent_action_id", "schema_version")
    )
    if code is not None:
        return CorrelationIdError(code)
    parent = fields.get("parent_action_id")
    try:
        run_id = RunId(fields["run_id"])  # type: ignore[arg-type]  # the constructors judge types
        action_id = ActionId(fields["action_id"])  # type: ignore[arg-type]  # as above
        if parent is not None and (code := _id_refusal(parent, ACTION_ID_PREFIX)) is not None:
            return CorrelationIdError(code, "parent_action_id")
        return ActionCorrelation(
            run_id,
            action_id,
            None if parent is None else ActionId(parent),  # type: ignore[arg-type]  # shown above
            fields.get("schema_version", CORRELATION_SCHEMA_VERSION),  # type: ignore[arg-type]
        )
    except CorrelationIdError as error:
        return error.with_traceback(None)
