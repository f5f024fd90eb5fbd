# SPDX-License-Identifier: BSD-3-Clause
"""The options that several commands have; what they mean is in :mod:`formulations.commands.stating`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "SOFT_MARGIN",
    "Coef0",
    "Cost",
    "Data",
    "Degree",
    "FormName",
    "Gamma",
    "JsonPath",
    "KernelName",
    "ModelName",
    "ModelNames",
    "Positive",
    "Scale",
    "Settings",
    "Target",
    "TimeLimit",
    "Tolerance",
]

SOFT_MARGIN = "soft-margin"

Data = Annotated[str, typer.Argument(help="A bundled set (breast-cancer, digits, wine, iris, diabetes) or a file.")]
ModelName = Annotated[str, typer.Option("--model", help="A model, as 'qpkernels models' lists them.")]
ModelNames = Annotated[list[str], typer.Option("--model", help="A model; may be repeated.")]
FormName = Annotated[
    str | None, typer.Option("--form", help="A form of the model, such as primal or dual; default: the usual one.")
]
KernelName = Annotated[
    str, typer.Option("--kernel", help="rbf, linear, polynomial, or none: weights in the features themselves.")
]
Gamma = Annotated[
    str | None,
    typer.Option(help="Of rbf and polynomial: a number, 'auto' for 1 / d, or 'scale', the default, for 1 / (d Var X)."),
]
Degree = Annotated[int | None, typer.Option(help="Degree of the polynomial kernel; default 3.")]
Coef0 = Annotated[float | None, typer.Option(help="Constant of the polynomial kernel; default 0.")]
Cost = Annotated[float | None, typer.Option("--C", help="Cost of a loss; default 1.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Another hyper-parameter, such as epsilon=0.1; may be repeated."),
]
Scale = Annotated[bool, typer.Option("--scale", help="Map every feature to [-1, 1].")]
Positive = Annotated[str | None, typer.Option(help="The class that is +1, against all others.")]
Target = Annotated[str | None, typer.Option(help="Target column of a CSV file: its name, or its number from 1.")]
Tolerance = Annotated[float, typer.Option(help="What the certificate must show for 'optimal'.")]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds for the solver.")]
JsonPath = Annotated[str | None, typer.Option("--json", help="Also write JSON to this file; '-' prints JSON only.")]
