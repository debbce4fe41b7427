"""Runs a piece of work in one transaction, and comes back with its answer or with a refusal.

Nothing that a driver or a piece of work raised gets out of here, since it may hold what was
submitted. What another transaction has spoilt is tried again, from then on with a lock.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar, overload

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from phaseproof.journal.connections import BEGINNING, ForeignKeysOffError, begin_at_once
from phaseproof.journal.refusals import Refusal, RefusedError, what_the_database_said
from phaseproof.journal.stepping import DecidedStep, StepTransaction
from phaseproof.journal.steps import StoredStep

__all__ = ["Work", "attempt", "attempt_async"]

T = TypeVar("T")
Work = Callable[[Connection], T]

_ATTEMPTS: Final = 40
"""Enough for dozens of processes that all move one run."""

_LONGEST_PAUSE_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class _Again:
    """Why an attempt failed that another one may not fail for."""

    refusal: Refusal


def _pauses() -> Iterator[float]:
    """Before each further attempt, a random while, so that two don't meet again."""
    for _ in range(_ATTEMPTS - 1):
        yield random.random() * _LONGEST_PAUSE_S  # noqa: S311  # no secret


def _perform(c: Connection, work: Any, *, writing: bool, careful: bool) -> Any:
    """The answer of a piece of work, once it is committed; a `Refusal`, or an `_Again`."""
    is_step = isinstance(work, StepTransaction)
    # SQLite has one writer at a time, so that whoever may write looks before nobody else can.
    hopeful = is_step and not careful and c.dialect.name != "sqlite"
    c.info[BEGINNING] = "later" if hopeful else "at once" if writing else "to read"
    committing = False
    failure: Refusal | _Again
    dbapi = c.dialect.loaded_dbapi
    try:
        transaction = c.begin()
        if is_step and not hopeful:
            work.lock(c)
        answer = work.look(c) if is_step else work(c)
        if isinstance(answer, DecidedStep):
            committing = hopeful and answer.is_single  # one statement is a transaction by itself
            if hopeful and not committing:
                begin_at_once(c)
            answer = work.append(c, answer, at_once=committing)
        committing = True
        transaction.commit()
    except RefusedError as error:
        failure = error.refusal
    except (SQLAlchemyError, dbapi.Error) as error:
        failure = _judged(c, error, committing=committing)
        if hopeful:
            failure = _perhaps_again(failure)
    else:
        return answer
    _give_up(c)
    return failure


def _perhaps_again(failure: Refusal | _Again) -> Refusal | _Again:
    """A constraint says, too, that somebody was first and has taken the number."""
    if isinstance(failure, Refusal) and failure.code == "refused_by_database":
        return _Again(failure)
    return failure


def _judged(c: Connection, error: Exception, *, committing: bool) -> Refusal | _Again:
    """What an error of a database comes to."""
    said = what_the_database_said(error)
    refusal = Refusal(said.code, said.constraint)
    if said.code == "database_unavailable":
        if committing:
            return Refusal("outcome_unknown")
        if _is_disconnect(c, error):
            c.engine.dispose()  # the other connections that wait in the pool are dead as well
            return _Again(refusal)
    return _Again(refusal) if said.try_again else refusal


def _is_disconnect(c: Connection, error: Exception) -> bool:
    if isinstance(error, DBAPIError):
        return error.connection_invalidated
    if c.invalidated or c.closed:
        return True
    return c.dialect.is_disconnect(error, c.connection.dbapi_connection, None)  # type: ignore[arg-type]  # the driver's own error


def _give_up(c: Connection) -> None:
    """Undo what was begun, and never give a connection back that can't even do that."""
    try:
        c.rollback()
    except Exception:  # noqa: BLE001  # whatever a broken connection raises
        c.invalidate()


@overload
def attempt(engine: Engine, work: StepTransaction, *, writing: bool) -> StoredStep | Refusal: ...
@overload
def attempt(engine: Engine, work: Work[T], *, writing: bool) -> T | Refusal: ...
def attempt(engine: Engine, work: Any, *, writing: bool) -> Any:
    """The answer of a piece of work, once it is committed; or why there is none."""
    careful = False
    pauses = _pauses()
    while True:
        try:
            with engine.connect() as c:
                answer = _perform(c, work, writing=writing, careful=careful)
        except (SQLAlchemyError, ForeignKeysOffError, OSError):
            return Refusal("database_unavailable")
        if not isinstance(answer, _Again):
            return answer
        pause = next(pauses, None)
        if pause is None:
            return answer.refusal
        time.sleep(pause)
        careful = True


@overload
async def attempt_async(
    engine: AsyncEngine, work: StepTransaction, *, writing: bool
) -> StoredStep | Refusal: ...
@overload
async def attempt_async(engine: AsyncEngine, work: Work[T], *, writing: bool) -> T | Refusal: ...
async def attempt_async(engine: AsyncEngine, work: Any, *, writing: bool) -> Any:
    """The same for asyncio."""
    careful = False
    pauses = _pauses()
    while True:
        try:
            async with engine.connect() as c:
                answer = await c.run_sync(_perform, work, writing=writing, careful=careful)
        except (SQLAlchemyError, ForeignKeysOffError, OSError):
            return Refusal("database_unavailable")
        if not isinstance(answer, _Again):
            return answer
        pause = next(pauses, None)
        if pause is None:
            return answer.refusal
        await asyncio.sleep(pause)
        careful = True
