# SPDX-License-Identifier: BSD-3-Clause
"""Machines as JSON: numbers that are read back exactly, kernels as trees of operations, and rules by their names.

A kernel is ``["exp", ["negative_squares", 0.5]]``: the name of an operation of
:class:`~qpkernels.kernels.arithmetic.Arithmetic`, followed by its arguments.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from formulations.modelling.prediction.exporting.machine_format import MachineFormat
from formulations.modelling.prediction.exporting.rounding import DOUBLE, Floats
from formulations.modelling.prediction.exporting.table import MachineTable
from formulations.modelling.prediction.rules import Ballot, Largest, Ruled, Thresholds
from qpkernels.kernels.arithmetic import Arithmetic, Metric, Weights

__all__ = ["Json"]


class Json(MachineFormat):
    """JSON, for programs that compute in double precision."""

    suffix: ClassVar[str] = ".json"
    floats: ClassVar[Floats] = DOUBLE

    def written(self, table: MachineTable, name: str, title: str) -> bytes:
        """Return the text."""
        contents: dict[str, Any] = {
            "format": "qpkernels exported machine",
            "version": 1,
            "name": name,
            "title": title,
            "features": table.features,
            "feature_names": table.names,
            "columns": table.columns.tolist(),
            "steps": [
                {part: getattr(step, part).tolist() for part in ("shift", "factor", "offset")} for step in table.steps
            ],
            "terms": [
                {
                    "formula": term.kernel.formula(),
                    "kernel": _Tree().of(term.kernel),
                    "centers": term.centers.tolist(),
                    "coefficients": term.coefficients.tolist(),
                }
                for term in table.terms
            ],
            "intercepts": table.intercepts.tolist(),
        }
        if table.rule is not None:
            contents["classes"] = table.rule.classes.tolist()
            contents["rule"] = table.rule.stated(_Words())
        if table.sigmoids is not None:
            contents["sigmoids"] = {"A": table.sigmoids.A.tolist(), "B": table.sigmoids.B.tolist()}
            contents["pairs"] = table.pairs
        return json.dumps(contents, allow_nan=False).encode()


class _Tree(Arithmetic[list[Any]]):
    def inner_products(self) -> list[Any]:
        return ["inner_products"]

    def negative_squares(self, weights: Weights) -> list[Any]:
        return ["negative_squares", weights]

    def distances(self, metric: Metric) -> list[Any]:
        return ["distances", metric]

    def affine(self, value: list[Any], factor: float, constant: float) -> list[Any]:
        return ["affine", value, factor, constant]

    def plus(self, left: list[Any], right: list[Any]) -> list[Any]:
        return ["plus", left, right]

    def times(self, left: list[Any], right: list[Any]) -> list[Any]:
        return ["times", left, right]

    def power(self, value: list[Any], exponent: int) -> list[Any]:
        return ["power", value, exponent]

    def exp(self, value: list[Any]) -> list[Any]:
        return ["exp", value]

    def tanh(self, value: list[Any]) -> list[Any]:
        return ["tanh", value]


class _Words(Ruled[dict[str, Any]]):
    def of_thresholds(self, rule: Thresholds) -> dict[str, Any]:
        return {"kind": "thresholds", "thresholds": rule.thresholds.tolist()}

    def of_largest(self, rule: Largest) -> dict[str, Any]:
        del rule
        return {"kind": "largest"}

    def of_ballot(self, rule: Ballot) -> dict[str, Any]:
        return {"kind": "ballot", "pairs": rule.pairs, "ties_to_first": rule.ties_to_first}
