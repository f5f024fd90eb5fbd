# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the first page, read off the records that the commands of the benchmarks have written."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import everyday
from benchmarks.campaign.records import load as load_campaign
from benchmarks.campaign.summary import verdicts
from benchmarks.records import Comparison, Results

if TYPE_CHECKING:
    from sphinx.application import Sphinx

RECORDS = Path(__file__).parent.parent / "performance"

LARGE, TOL = "a9a C=1", 1e-3
CAMPAIGN_TOL = 1e-6


def setup(app: Sphinx) -> dict[str, bool]:
    """Let pages name the figures between double braces."""
    app.config.myst_substitutions = {**app.config.myst_substitutions, **figures()}
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def figures() -> dict[str, str]:
    """Return the figures by name."""
    fits = [
        case.times("fit")
        for each in everyday.load(RECORDS / "everyday.jsonl")
        for case in each.cases
        if case.machine == "SVC" and each.samples >= everyday.SMALL
    ]
    (large,) = (each for each in Results.load(RECORDS).of(Comparison) if each.key == (LARGE, TOL))
    defaults = [verdict.default for verdict in verdicts(load_campaign(RECORDS / "campaign.jsonl"), CAMPAIGN_TOL)]
    return {
        "svc_fits": str(len(fits)),
        "svc_median": f"{median(fits):.1f}",
        "svc_slower": str(sum(value < 1 for value in fits) or "none"),
        "large_samples": f"{large.samples:,}",
        "large_ours": f"{large.runs['ours, proved'].seconds:.2g}",
        "large_peer": f"{large.runs['LIBSVM'].seconds:.0f}",
        "drawn": f"{len(defaults):,}",
        "drawn_proved": str(sum(trial.proved for trial in defaults)),
    }
