# SPDX-License-Identifier: BSD-3-Clause
"""Runs many attacks in child processes that may hang or die, and writes what became of each, and a table."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from attack.children import run_batch, run_here
from attack.runner import Record, attack
from attack.table import summary

__all__ = ["main"]


def main() -> int:
    """Run what the command line asks for; the exit status is 1 if anything failed."""
    options = _parser().parse_args()
    if options.child:
        return run_here(options.child)
    if options.seed is not None:
        return _report(attack(options.seed, tell=lambda words: print(words, flush=True)))
    last = options.first + options.cases
    batches = [range(start, min(start + options.batch, last)) for start in range(options.first, last, options.batch)]
    records: list[Record] = []
    with ThreadPoolExecutor(options.workers) as pool, options.output.open("w", encoding="utf-8") as file:
        for batch in pool.map(lambda seeds: list(run_batch(seeds)), batches):
            for record in batch:
                file.write(json.dumps(asdict(record)) + "\n")
            file.flush()
            records += batch
            failed = sum(bool(record.failures) for record in records)
            print(f"\r{len(records)} attacks, {failed} failed", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(summary(records))
    return int(any(record.failures for record in records))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000, help="how many (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="seed of the first (default %(default)s)")
    parser.add_argument("--seed", type=int, help="run this one alone, in this process")
    parser.add_argument("--workers", type=int, default=2, help="child processes at a time (default %(default)s)")
    parser.add_argument("--batch", type=int, default=25, help="attacks for each child (default %(default)s)")
    parser.add_argument("--output", type=Path, default=Path("attack.jsonl"), help="a record a line (%(default)s)")
    parser.add_argument("--child", type=int, nargs="+", help=argparse.SUPPRESS)
    return parser


def _report(record: Record) -> int:
    for row in record.answers:
        print(*row, sep="; ")
    print(f"{record.forgeries} forgeries")
    for kind, words in record.failures:
        print(f"FAILED {kind}: {words}")
    return int(bool(record.failures))
