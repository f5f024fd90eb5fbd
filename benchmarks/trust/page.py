# SPDX-License-Identifier: BSD-3-Clause
"""The page: claims beside proofs, in words and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from benchmarks.trust.records import Proof, Trial
from qpkernels.errors import NonconvexError

__all__ = ["References", "page"]

_TOLERANCES = (1e-3, 1e-6, 1e-9)

_RIGHT = 1e-8
"""Error of the objective, relative to max(1, |optimum|), within which a solver is right."""

_DIGITS = 1e-7
"""Error that a value published in eight digits may have, relative to the same."""

_HEAD = """# Maros-Meszaros before a judge

Written by `python -m benchmarks.trust`; every trial is in [maros_meszaros.json](maros_meszaros.json). Each solver runs
in a process of its own with a limit of time and memory, and is asked for 1e-6. The certificate of cone programs, which
knows nothing of the solver, judges its answer. An answer that is not proved as it came is repaired (polished) and
judged again. The result is the least tolerance at which the certificate holds; there is none where a residual that no
value counts is above 1e-9.

* **claimed**: the solver calls its answer optimal. **as it came**: the answer is proved at 1e-6 without repair.
* **accepted**: the answer is proved at that tolerance, repaired or not.
* **false accepts**: the answer is proved at one of the tolerances, and yet its error is larger.
* **right**: the objective at the solver's point is within 1e-8 of the optimal value, relative to max(1, |value|).
  **false rejects**: the answer is right, but not accepted at 1e-6; each case is explained below.
* **seconds**: the median of the solver's own time where its answer was accepted, and the longest time of a judgement.

The optimal value is that of the tightest proof where it agrees with the published value to its eight digits, and
otherwise the published value. The exception is a published value that lies outside an interval which holds the optimal
value in exact arithmetic, for the data as they are in the files.

The picture shows the share of all problems whose answer is proved at 1e-6, repaired or not, over the seconds that the
solver took for it.

![share of problems proved over seconds](maros_meszaros.png)
"""


class References:
    """The optimal value of each problem: of the tightest proof, unless the published one contradicts it."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self.values: dict[str, float] = {}
        self.contradicted: dict[str, tuple[float, float]] = {}
        tightest: dict[str, Trial] = {}
        intervals: dict[str, list[Trial]] = {}
        for trial in trials:
            intervals.setdefault(trial.problem, []).append(trial)
            best = tightest.get(trial.problem)
            if best is None or _error(trial) < _error(best):
                tightest[trial.problem] = trial
        for name, trial in tightest.items():
            proved = _middle(trial) if trial.accepted(_TOLERANCES[-1]) else None
            # A value that a constant all but cancels has its eight digits from before that.
            digits, published = _DIGITS * max(1.0, abs(trial.constant)), trial.published
            excluded = published is not None and _excluded(intervals[name], published, digits)
            if published is not None and proved is not None and _off(proved, published) > digits:
                self.contradicted[name] = published, proved
            trusted = proved is not None and name not in self.contradicted
            value = proved if excluded or trusted else published
            if value is not None:
                self.values[name] = value

    def right(self, trial: Trial) -> bool:
        """Return whether the objective at the solver's point is the optimal value."""
        known = self.values.get(trial.problem)
        return known is not None and trial.value is not None and _off(trial.value, known) <= _RIGHT

    def falsely_accepted(self, trial: Trial) -> bool:
        """Return whether something was proved at a tolerance that the optimal value does not bear out."""
        known = self.values.get(trial.problem)
        if known is None or trial.repaired is None:
            return False
        off = _off(trial.repaired.primal, known)
        return any(trial.accepted(tol) and off > tol + _DIGITS for tol in _TOLERANCES)


def _excluded(trials: Iterable[Trial], published: float, digits: float) -> bool:
    """Return whether intervals exclude all values that the published one may stand for."""
    slack = digits * max(1.0, abs(published))
    near = (published - slack, published + slack)
    return any(all(trial.excludes(end) for end in near) for trial in trials)


def page(trials: Sequence[Trial]) -> str:
    """Return it."""
    references = References(trials)
    solvers = sorted({trial.solver for trial in trials})
    count = len({trial.problem for trial in trials})
    parts = [_HEAD, f"\n## {count} problems\n", _row("solver", *_COLUMNS), _row(*["---"] * (len(_COLUMNS) + 1))]
    for solver in solvers:
        parts.append(_row(solver, *_counts([trial for trial in trials if trial.solver == solver], references)))
    rejected = [trial for trial in trials if references.right(trial) and not trial.accepted(1e-6)]
    parts += [_REJECTS, *(_rejection(trial) for trial in rejected)] if rejected else []
    accepted = [trial for trial in trials if references.falsely_accepted(trial)]
    parts += ["\n## False accepts\n", *(_acceptance(trial, references) for trial in accepted)] if accepted else []
    if refused := sorted({trial.problem for trial in trials if NonconvexError.__name__ in trial.message}):
        parts += ["\n## Not convex, so that nothing is proved\n", *(f"* {name}" for name in refused)]
    if references.contradicted:
        parts += ["\n## Published values that a proof at 1e-9 contradicts\n"]
        for name, (published, proved) in sorted(references.contradicted.items()):
            excluded = references.values[name] != published
            words = "is proved, and an interval excludes the other" if excluded else "is proved"
            parts.append(f"* {name}: {published:.8g} is published, {proved:.12g} {words}.")
    return "\n".join(parts) + "\n"


_REJECTS = """
## False rejects

The objective is right, but a row, or the slope along a variable, is off by the share of its own terms that the list
gives, and no repair brought both within 1e-9 and the gap within 1e-6. A row that forces variables to 0 is off by all of
its terms where a point leaves them at any other value, however small.
"""

_COLUMNS = (
    "tried",
    "claimed",
    "as it came",
    "accepted 1e-3",
    "1e-6",
    "1e-9",
    "false accepts",
    "right",
    "false rejects",
    "seconds, judge",
)


def _counts(trials: Sequence[Trial], references: References) -> list[str]:
    right = [trial for trial in trials if references.right(trial)]
    proved = [trial for trial in trials if trial.accepted(1e-6)]
    seconds = f"{median(trial.seconds for trial in proved):.3g}" if proved else "-"
    counts = (
        len(trials),
        sum(trial.claim == "optimal" for trial in trials),
        sum(trial.came is not None and trial.came.error <= 1e-6 for trial in trials),
        *(sum(trial.accepted(tol) for trial in trials) for tol in _TOLERANCES),
        sum(references.falsely_accepted(trial) for trial in trials),
        len(right),
        sum(not trial.accepted(1e-6) for trial in right),
    )
    return [*map(str, counts), f"{seconds}, {max(trial.judged for trial in trials):.3g}"]


def _rejection(trial: Trial) -> str:
    proved = f"proved at {_least(trial.repaired)}: {trial.repaired.worst}" if trial.repaired else ""
    why = "; ".join(part for part in (trial.message, proved) if part)
    return f"* {trial.problem}, {trial.solver} ({trial.claim}): {why or 'no multipliers'}"


def _least(proof: Proof) -> str:
    return f"{proof.error:.1e} only" if proof.error < float("inf") else "no tolerance"


def _acceptance(trial: Trial, references: References) -> str:
    value = f"{trial.repaired.primal:.12g} at {trial.repaired.error:.1e}" if trial.repaired else ""
    return (
        f"* {trial.problem}, {trial.solver}: {value}, but the optimal value is {references.values[trial.problem]:.12g}"
    )


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _error(trial: Trial) -> float:
    return float("inf") if trial.repaired is None else trial.repaired.error


def _middle(trial: Trial) -> float | None:
    return None if trial.repaired is None else 0.5 * (trial.repaired.primal + trial.repaired.dual)


def _off(value: float, known: float) -> float:
    return abs(value - known) / max(1.0, abs(known))
