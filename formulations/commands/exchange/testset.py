# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels testset``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.table import Table

from formulations.commands.options import JsonPath
from formulations.commands.output import command, show

if TYPE_CHECKING:
    from formulations.judging.testset import Member

__all__ = ["write_testset"]


@command
def write_testset(
    folder: Annotated[
        Path, typer.Argument(help="The folder to write to; it is made where it is not there.", metavar="FOLDER")
    ],
    max_variables: Annotated[int, typer.Option(help="Leave out problems with more variables than that.")] = 5000,
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="A suffix beside .mat, such as .mps; may be repeated.")
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Write the kernel-machine QP set: files, proved optimal values, and what the benchmarks of others read it with."""
    from formulations.judging.testset import entries, write_test_set

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column("problem", overflow="fold")
    for heading in ("variables", "rows", "status", "optimum", "width"):
        table.add_column(heading, justify="right", no_wrap=True)

    def add(member: Member) -> None:
        record = member.record()
        low, high = record["lower"], record["upper"]
        ends = ("", "") if low is None or high is None else (f"{low:.8g}", f"{high - low:.0e}")
        table.add_row(record["name"], str(record["variables"]), str(record["rows"]), record["status"], *ends)

    members = write_test_set(folder, entries(max_variables), formats or (), add)
    show(table, [member.record() for member in members], json_path)
