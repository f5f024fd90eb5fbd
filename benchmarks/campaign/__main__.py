# SPDX-License-Identifier: BSD-3-Clause
"""Examine random problems, a record a line, and say how the default fares; a rerun goes on where the last one ended."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from benchmarks.campaign.records import FILE, Examined, append, load, save
from benchmarks.campaign.summary import page, summary
from benchmarks.campaign.trials import again, examine


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, examine, write."""
    options = _parse(arguments)
    records = options.out / FILE
    if options.again:
        _try_again(records, options.workers)
    known = {examined.number for examined in load(records)}
    wanted = [number for number in range(options.first, options.first + options.cases) if number not in known]
    with ThreadPoolExecutor(options.workers) as pool:
        pending = [pool.submit(examine, number, tuple(options.tol), options.limit_seconds) for number in wanted]
        for done, future in enumerate(as_completed(pending), start=1):
            append(records, future.result())
            print(f"\r{done} of {len(wanted)} problems", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    campaign = load(records)
    print(summary(campaign))
    (options.out / "campaign.md").write_text(page(campaign), encoding="utf-8")


def _try_again(records: Path, workers: int) -> None:
    """Try the default anew on all problems that are known."""
    known = load(records)
    with ThreadPoolExecutor(workers) as pool:
        renewed: list[Examined] = []
        for examined in pool.map(again, known):
            renewed.append(examined)
            print(f"\r{len(renewed)} of {len(known)} problems, again", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    save(records, renewed)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.campaign", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="how many problems (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (default %(default)s)")
    parser.add_argument(
        "--again", action="store_true", help="first, the default anew on what is known: its code changed"
    )
    parser.add_argument("--tol", type=float, nargs="+", default=[1e-3, 1e-6], help="tolerances asked for")
    parser.add_argument("--limit-seconds", type=float, default=30.0, help="of each answer (default %(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time (default %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("docs/performance"), help="folder of records and page")
    options = parser.parse_args(arguments)
    for name in ("cases", "workers"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1, but {getattr(options, name)} came.")
    return options


if __name__ == "__main__":
    main()
