# SPDX-License-Identifier: BSD-3-Clause
"""One problem by all solvers in turns, each answer certified."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.answers import Point, Solved, same_points, support_sizes, weakest_gap
from benchmarks.computer import Computer, Watch
from benchmarks.limit import limit
from benchmarks.ours import answered, proved
from benchmarks.peers import Peer
from benchmarks.problems import Machine, Problem
from benchmarks.records import ANSWERED, MATCHED, PROVED, Comparison, Run

__all__ = ["compare"]

_FINEST, _COARSEST = 1e-12, 0.5
"""Gap below which ours is not asked to match a peer, as it would be that of rounding, and the largest asked for."""


def compare(
    problem: Problem,
    folder: Path,
    peers: Sequence[Peer],
    repeats: int,
    tol: float,
    limit_seconds: float,
    computer: Computer,
) -> Comparison:
    """Return what each solver takes.

    Ours runs as its users call it, to the proved answer, and as the solver alone. Peers stop by a tolerance of another
    kind, so it runs once more, at the best gap that a peer reached in the first turn. A solver whose time was up in a
    turn gets no other.
    """
    X, y = problem.load(folder)
    watch = Watch(computer)
    machines = problem.machines(X, y)
    columns = {
        name: _Column(machines, tol, limit_seconds) for name in (*(peer.name for peer in peers), ANSWERED, PROVED)
    }
    limits: list[tuple[float, ...]] = []
    for _ in range(repeats):
        for peer in peers:
            if columns[peer.name].in_time:
                columns[peer.name].add(peer.solve(problem, X, y, tol, limit_seconds))
        for name, ours in ((ANSWERED, answered), (PROVED, proved)):
            if columns[name].in_time:
                columns[name].add(ours(problem, X, y, tol, limit_seconds))
        reached = [gap for peer in peers if (gap := columns[peer.name].gap) is not None]
        if reached and MATCHED not in columns:
            columns[MATCHED] = _Column(machines, min(max(min(reached), _FINEST), _COARSEST), limit_seconds)
        if MATCHED in columns and columns[MATCHED].in_time:
            columns[MATCHED].add(proved(problem, X, y, columns[MATCHED].tol, limit_seconds))
        support = support_sizes(columns[MATCHED if MATCHED in columns else PROVED].points)
        parts = zip(machines, support, strict=True)
        limits.append(limit([(X[machine.rows], size) for machine, size in parts]))
    return Comparison(
        where=watch.setting(),
        problem=problem.name,
        tol=tol,
        samples=len(y),
        features=X.shape[1],
        machines=len(machines),
        support=sum(support),
        limit=tuple(limits),
        runs={name: column.run() for name, column in columns.items()},
    )


class _Column:
    """The runs of one solver as they come in, with the largest gap of its answers; the same answer is judged once."""

    def __init__(self, machines: Sequence[Machine], tol: float, limit_seconds: float) -> None:
        self._machines, self._limit = machines, limit_seconds
        self._turns: list[tuple[float, ...]] = []
        self.tol = tol
        self.points: tuple[Point, ...] = ()
        self.gap: float | None = None
        self.in_time = True

    def add(self, solved: Solved | None) -> None:
        """Take note of an answer, or of none in time."""
        self.in_time = solved is not None and solved.in_time
        if solved is None:
            return
        self._turns.append(solved.seconds)
        if self.gap is None or not same_points(self.points, solved.points):
            self.points = solved.points
            self.gap = max(self.gap or 0.0, weakest_gap(self._machines, self.points))

    def run(self) -> Run:
        """Return the record."""
        return Run(tuple(self._turns), self.gap, self.tol, None if self.in_time else self._limit)
