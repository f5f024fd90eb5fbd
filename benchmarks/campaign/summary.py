# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign says of the default: what it missed, and its time over that of the fastest proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from benchmarks.campaign.records import DEFAULT, Examined, Trial

__all__ = ["Verdict", "page", "summary", "verdicts"]

_WORST = 15
"""Problems shown where the default is slowest against the best."""


@dataclass(frozen=True)
class Verdict:
    """The default beside the fastest proof of a problem at a tolerance; None: nobody proved it."""

    examined: Examined
    tol: float
    default: Trial
    best: Trial | None

    @property
    def missed(self) -> bool:
        """Whether somebody proved it and the default did not."""
        return self.best is not None and not self.default.proved

    def ratio(self, measure: Literal["seconds", "cpu"] = "seconds") -> float:
        """Return the time of the default over that of the fastest proof, which may be its own."""
        assert self.best is not None
        theirs: float = getattr(self.best, measure)
        ours: float = getattr(self.default, measure)
        return max(1.0, ours / theirs)


def verdicts(campaign: Iterable[Examined], tol: float) -> list[Verdict]:
    """Hold the default against the fastest proof of each problem."""
    return [_verdict(examined, tol) for examined in campaign]


def _verdict(examined: Examined, tol: float) -> Verdict:
    trials = [trial for trial in examined.trials if trial.tol == tol]
    default = next(trial for trial in trials if trial.route == DEFAULT)
    best = min((trial for trial in trials if trial.proved), key=lambda trial: trial.seconds, default=None)
    return Verdict(examined, tol, default, best)


def summary(campaign: list[Examined]) -> str:
    """Return the figures at each tolerance as a table in Markdown, then what was missed and what was slowest."""
    tolerances = sorted({trial.tol for each in campaign for trial in each.trials}, reverse=True)
    head = [
        "tol",
        "problems",
        "proved by any",
        "by the default",
        "missed",
        "median",
        "99 %",
        "median, CPU",
        "99 %, CPU",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{'---:|' * len(head)}"]
    found = {tol: verdicts(campaign, tol) for tol in tolerances}
    for tol, all_of in found.items():
        proved = [each for each in all_of if each.best is not None]
        both = [each for each in proved if not each.missed]
        counts = [len(all_of), len(proved), len(both), len(proved) - len(both)]
        cells = [f"{tol:g}", *map(str, counts), *_quantiles(both)]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *_named("Missed by the default", (each for row in found.values() for each in row if each.missed))]
    slow = [each for row in found.values() for each in row if each.best is not None and not each.missed]
    slow.sort(key=lambda each: -each.ratio())
    return "\n".join([*lines, "", *_named("Slowest against the best", slow[:_WORST])])


def _quantiles(both: list[Verdict]) -> Iterator[str]:
    for measure in ("seconds", "cpu"):
        ratios = [each.ratio(measure) for each in both]
        yield from (f"{np.quantile(ratios, part):.2f}" if ratios else "-" for part in (0.5, 0.99))


def _named(title: str, listed: Iterable[Verdict]) -> Iterator[str]:
    yield f"{title}:"
    empty = True
    for each in listed:
        assert each.best is not None
        empty = False
        ours = f"{each.default.status} by {each.default.solver or 'nobody'} in {each.default.seconds:.3g} s"
        yield (
            f"- {each.examined.number} at {each.tol:g}, {each.examined.words}: {ours}; "
            f"{each.best.route} in {each.best.seconds:.3g} s"
        )
    if empty:
        yield "- none"


_HEAD = """# The default against every other solver

Written by `python -m benchmarks.campaign`; what decides is in [campaign.jsonl](campaign.jsonl). Each problem is drawn
by its number: a model of any family, 20 to 2,000 samples of 2 to 2,000 features, in units of their own or not, C from
1e-3 to 1e6, with explicit features or a kernel. It goes to `model.solve()`, and to every installed solver on every form
that it takes. The times are those of a user, from the arrays to the proved answer, of the fastest of up to five turns;
a ratio is the time of the default over that of the fastest proof, be it its own.
"""


def page(campaign: list[Examined]) -> str:
    """Return the page of a campaign."""
    settings = sorted({(each.limit, each.processors) for each in campaign})
    allowed = " or ".join(f"{limit:g} s on {count} processor{'s' * (count > 1)}" for limit, count in settings)
    return f"{_HEAD}Each answer had {allowed}.\n\n{summary(campaign)}\n"
