"""Reading a mapping exactly once, without trusting it.

The field names and the number of fields are closed; nothing that a key or value defines is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, cast

__all__ = ["read_mapping"]

# `isinstance` asks the object for `__class__` and the abstract base class for its opinion, and
# `type(x).__mro__` asks the metaclass. This descriptor asks nobody.
_resolution_order: Final = type.__dict__["__mro__"].__get__


def _is_or_inherits(kind: type, base: type) -> bool:
    return any(ancestor is base for ancestor in _resolution_order(kind))


def read_mapping(
    data: object, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> tuple[dict[str, object], str | None]:
    """Copy a mapping whose keys must be among the given names.

    Parameters
    ----------
    data:
        A dict, a mapping proxy, or anything that inherits from one of them or from
        ``collections.abc.Mapping``. A dict (also of a subclass) is read below its overrides.
    required, optional:
        The field names.

    Returns
    -------
    tuple
        The fields and None, or an empty dict and one of ``not_a_mapping``,
        ``unreadable_mapping`` (a look-up raised), ``unknown_field``, ``missing_field``.

    Notes
    -----
    Reads at most one key more than there are names, so an endless mapping ends too.
    """
    known = frozenset(required + optional)
    fields: dict[str, object] = {}
    entries: Iterator[tuple[object, object]]
    kind = type(data)
    try:
        if _is_or_inherits(kind, dict):
            entries = iter(dict.items(cast("dict[object, object]", data)))
        elif kind is MappingProxyType or _is_or_inherits(kind, Mapping):
            entries = _entries(cast("Mapping[object, object]", data))
        else:
            return {}, "not_a_mapping"
        for name, value in entries:
            if type(name) is not str or name not in known or name in fields:
                return {}, "unknown_field"
            fields[name] = value
    except Exception:  # noqa: BLE001  # a mapping of somebody else's may raise anything at all
        return {}, "not_a_mapping"
    if any(name not in fields for name in required):
        return {}, "missing_field"
    # Only now: which names there are is judged before what they lead to.
    if any(value is _UNREADABLE for value in fields.values()):
        return {}, "unreadable_mapping"
    return fields, None


_UNREADABLE: Final = object()
"""Stands for a value whose look-up raised."""


def _entries(mapping: Mapping[object, object]) -> Iterator[tuple[object, object]]:
    """The keys of a foreign mapping with their values, each looked up once."""
    for name in mapping:
        try:
            value = mapping[name]
        except Exception:  # noqa: BLE001  # as above
            value = _UNREADABLE
        yield name, value
