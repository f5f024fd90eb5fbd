# SPDX-License-Identifier: BSD-3-Clause
"""The page that says which tests of scikit-learn hold here, and why the others do not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from textwrap import fill

from scikit_learn.reasons import REASONS, reason_of
from scikit_learn.running import MODULES, REPLACED, Outcomes

__all__ = ["Page", "write"]

_WORDS = (
    "Written by `make scikit-learn-tests`, which runs the tests that ship with scikit-learn {version} on the classes "
    "of `formulations.estimators` in place of its own: {classes}. The modules are {modules}, as they are installed. "
    "The seed is scikit-learn's usual one, and the default solvers are asked at the default tolerances."
)


@dataclass(frozen=True)
class Page:
    """What is written of a run.

    Attributes
    ----------
    summary
        How many tests pass.
    text
        The page.
    complaints
        Tests that fail without a reason, and reasons for tests that pass, or are none.
    """

    summary: str
    text: str
    complaints: tuple[str, ...]


def write(outcomes: Outcomes, version: str) -> Page:
    """Write the page of a run with scikit-learn of that version."""
    failed = {name: error for name, error in outcomes.errors.items() if error is not None}
    total, passed = len(outcomes.errors), len(outcomes.errors) - len(failed)
    summary = f"{passed} of {total} tests pass."
    classes = ", ".join(f"`{name}`" for names in REPLACED.values() for name in names)
    modules = " and ".join(f"`{module}`" for module in MODULES)
    words = fill(_WORDS.format(version=version, classes=classes, modules=modules), 120, break_on_hyphens=False)
    text = f"# The tests of scikit-learn\n\n{words}\n\n{summary}\n{_listed(failed)}"
    return Page(summary, text, tuple(_complaints(outcomes, failed)))


def _listed(failed: dict[str, str]) -> str:
    """Return the tests that do not hold, by their reason."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for name in failed:
        by_reason[reason_of(name) or "no reason is known"].append(name)
    lines = ["", f"The other {len(failed)}, and why:", "", "| why | tests |", "| --- | --- |"] if failed else [""]
    for reason, names in sorted(by_reason.items(), key=lambda each: (-len(each[1]), each[0])):
        lines.append(f"| {reason} | {', '.join(f'`{name}`' for name in sorted(names))} |")
    return "\n".join([*lines, ""])


def _complaints(outcomes: Outcomes, failed: dict[str, str]) -> list[str]:
    unknown = [f"fails without a reason: {name}: {error}" for name, error in failed.items() if not reason_of(name)]
    needed = {key for name in failed for key in (name, name.partition("[")[0])}
    spare = [f"passes, though reasons.py says why not: {key}" for key in REASONS if key not in needed]
    nothing = [] if outcomes.errors else ["no test was found: does this scikit-learn ship its tests?"]
    return [*unknown, *spare, *nothing]
