"""``python -m verification.run_model.replay``: walk through one run again, step by step.

A path names each step by action and choice: ``3.0/3.1`` is action 3 taking the first edge out of
its phase, then the second edge out of the next. It is judged, whether or not it is permitted.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verification.run_model.composed_run import composed_run
from verification.run_model.dependency_graphs import DependencyGraph
from verification.run_model.model import Model, State, Step
from verification.subject import Subject, Transitions, changed

__all__ = ["ReplayError", "Replayed", "main", "path_of", "replay", "replay_command"]

_STEP: Final = re.compile(r"(\d{1,2})\.(\d{1,2})", re.ASCII)


class ReplayError(Exception):
    """A path that no run of this model can be, even if every rule were broken."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One step of a replayed run.

    ``refusal`` says why the scheduler doesn't permit the step, ``broken`` which claims of every
    state don't hold in the state that it leads to.
    """

    step: Step
    state: State
    refusal: str | None
    broken: tuple[str, ...]


def path_of(trace: Sequence[Step]) -> str:
    """The path by which a run can be replayed."""
    return "/".join(f"{step.action}.{step.choice}" for step in trace)


def replay_command(graph: DependencyGraph, capacity: int | None, trace: Sequence[Step]) -> str:
    """The command that replays a run."""
    limit = "" if capacity is None else f"--capacity {capacity} "
    return (
        f"replay: python -m verification.run_model.replay {limit}"
        f"--depends {graph.spelled} {path_of(trace)}"
    )


def replay(model: Model, path: str) -> Iterator[Replayed]:
    """Take the steps of a path from the initial state, the forbidden ones too.

    Raises
    ------
    ReplayError
        It isn't a path, or an action has no such edge out of its phase.
    """
    state = model.initial
    for text in path.split("/") if path else ():
        matched = _STEP.fullmatch(text)
        if matched is None:
            raise ReplayError(f"not a step such as 3.0: {text!r}")
        action, choice = map(int, matched.groups())
        step = next(
            (
                step
                for step in model.steps
                if (step.action, step.choice) == (action, choice) and step.source == state[action]
            ),
            None,
        )
        if step is None:
            raise ReplayError(f"there is no step {text} in this state")
        refusal = _refusal(model, step, state)
        state = model.after(step, state)
        yield Replayed(step, state, refusal, tuple(model.broken(state)))


def _refusal(model: Model, step: Step, state: State) -> str | None:
    waits_for = [
        f"{model.actions[action]}, which is {model.phases[state[action]]}"
        for action, phase in step.needs
        if state[action] != phase
    ]
    if waits_for:
        return f"not permitted: waits for {'; '.join(waits_for)}"
    if step.takes_place and not model.has_place(state):
        return "not permitted: no place is free"
    return None


def _edge(text: str) -> tuple[str, str]:
    source, separator, target = text.partition(":")
    if not separator:
        raise argparse.ArgumentTypeError("an edge is SOURCE:TARGET")
    return source, target


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m verification.run_model.replay",
        description="Walk through one run of the composed model again.",
        epilog="Exit status 0: every step is permitted, and every state as claimed; 1: not so; "
        "2: no such run.",
    )
    parser.add_argument("path", help="steps such as 0.0/1.0/1.2: action, choice of edge")
    parser.add_argument(
        "--depends",
        type=DependencyGraph.parse,
        required=True,
        metavar="GRAPH",
        help="for each action what it depends on, such as _/0/0,1",
    )
    parser.add_argument("--capacity", type=int, metavar="N", help="how many may run at once")
    parser.add_argument(
        "--with-edge",
        type=_edge,
        action="append",
        default=[],
        metavar="SOURCE:TARGET",
        help="add an edge to the lifecycle (repeatable)",
    )
    parser.add_argument(
        "--without-edge",
        type=_edge,
        action="append",
        default=[],
        metavar="SOURCE:TARGET",
        help="take an edge from the lifecycle (repeatable)",
    )
    return parser


def _lifecycle(options: argparse.Namespace) -> Transitions:
    transitions = Subject().transitions
    edits = [(edge, None) for edge in options.without_edge]
    for (source, target), review in [*edits, *((edge, False) for edge in options.with_edge)]:
        if source not in transitions or target not in transitions:
            raise ReplayError(f"no such phase: {source} or {target}")
        transitions = changed(transitions, source, target, review)
    return transitions


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each step with what is wrong about it, and return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        model = composed_run(_lifecycle(options), options.depends, options.capacity)
        replayed = list(replay(model, options.path))
    except (ReplayError, ValueError) as error:
        parser.error(str(error))
    wrong = False
    for number, one in enumerate(replayed, start=1):
        print(f"{number:>4}. {model.name_of(one.step)}")
        for remark in (one.refusal, *(f"not so: {claim}" for claim in one.broken)):
            if remark is not None:
                print(f"      {remark}")
                wrong = True
    state = replayed[-1].state if replayed else model.initial
    where = ", ".join(
        f"{action} {model.phases[phase]}"
        for action, phase in zip(model.actions, state, strict=True)
    )
    print(f"      then {where}")
    if not model.is_final(state) and next(model.successors(state), None) is None:
        print("      not so: no reachable state is stuck")
        wrong = True
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
