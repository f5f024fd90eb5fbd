# SPDX-License-Identifier: BSD-3-Clause
"""Change many proofs, run the checker on each in a process of its own, and judge what it still calls proved."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from proofs.checker import Outcome, runs
from proofs.judge import untruths
from proofs.mutations import changed

__all__ = ["main"]

_PROVED, _NOT_READ, _NOT_PROVED = 0, 2, 3


def main() -> int:
    """Run what the command line asks for; the exit status is 1 if a false claim was proved, or the checker failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many files (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first (default %(default)s)")
    parser.add_argument("--seed", type=int, help="this one alone, which is kept in the folder")
    parser.add_argument("--folder", type=Path, help="where files are written, instead of a folder that is removed")
    options = parser.parse_args()
    seeds = [options.seed] if options.seed is not None else range(options.first, options.first + options.count)
    with TemporaryDirectory() as scratch:
        outcomes, wrong = _tried(seeds, options.folder or Path(scratch), keep=options.seed is not None)
    found = Counter(outcome.status for outcome in outcomes)
    slowest = max(outcomes, key=lambda outcome: outcome.seconds)
    print(f"{len(outcomes)} changed files")
    print(f"  refused as unreadable (2)    {found.pop(_NOT_READ, 0)}")
    print(f"  refused as not proved (3)    {found.pop(_NOT_PROVED, 0)}")
    print(f"  proved, and still true       {found.pop(_PROVED, 0) - len(wrong)}")
    print(f"  proved, and false            {len(wrong)}")
    print(f"  crashes                      {found.total()} {dict(found) or ''}")
    print(f"  longest                      {slowest.seconds:.2f} s")
    print(f"  most memory                  {max(outcome.memory for outcome in outcomes):.0f} MiB")
    for line in wrong:
        print(line)
    return int(bool(wrong or found))


def _tried(seeds: range | list[int], folder: Path, *, keep: bool) -> tuple[list[Outcome], list[str]]:
    outcomes, wrong = [], []
    with runs() as run:
        for seed in seeds:
            change = changed(seed)
            path = change.write(folder)
            outcome = run(path)
            outcomes.append(outcome)
            if keep:
                print(path, *change.words, outcome)
            else:
                path.unlink()
            if outcome.status == _PROVED and (said := untruths(change.raw, folder)):
                wrong.append(f"FALSE seed {seed} ({', '.join(change.words)}): {'; '.join(said)}")
            if outcome.status not in (_PROVED, _NOT_READ, _NOT_PROVED):
                print(f"CRASH seed {seed} ({', '.join(change.words)}): {outcome}", flush=True)
    return outcomes, wrong
