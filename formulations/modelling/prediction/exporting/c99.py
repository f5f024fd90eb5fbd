# SPDX-License-Identifier: BSD-3-Clause
"""Machines as C99: one file with a table and a few functions, which needs the compiler and ``exp`` alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from formulations.modelling.prediction.exporting.machine_format import MachineFormat
from formulations.modelling.prediction.exporting.rounding import DOUBLE, Floats
from formulations.modelling.prediction.exporting.table import MachineTable, Term
from formulations.modelling.prediction.rules import Ballot, Largest, Ruled, Thresholds
from qpkernels.arrays import Matrix
from qpkernels.errors import ParameterError
from qpkernels.kernels.arithmetic import Arithmetic, Metric, Weights

__all__ = ["C99"]


class C99(MachineFormat):
    """C99 in double precision."""

    suffix: ClassVar[str] = ".c"
    floats: ClassVar[Floats] = DOUBLE

    def written(self, table: MachineTable, name: str, title: str) -> bytes:
        """Return the source text."""
        return ("\n".join(_File(table, name, title).lines()) + "\n").encode()


_EXPIT = """
/* 1 / (1 + exp(-t)), without overflow. */
static double {name}_share(double t)
{{
    double e = exp(t < 0.0 ? t : -t);
    return t < 0.0 ? e / (1.0 + e) : 1.0 / (1.0 + e);
}}"""

_COUPLED = """
/* The p with (Q + 1 1') p = const and sum p = 1, for Q_ii = sum_s r_si^2 and Q_ij = -r_ji r_ij (Wu, Lin and Weng,
   2004): the matrix is positive definite, so that no elimination needs a pivot. */
static void {name}_coupled(double r[{K}][{K}], double *shares)
{{
    double system[{K}][{K} + 1], sum = 0.0;
    int i, j, k;
    for (i = 0; i < {K}; ++i) {{
        double squares = 0.0;
        for (j = 0; j < {K}; ++j) {{
            if (j == i) continue;
            squares += r[j][i] * r[j][i];
            system[i][j] = 1.0 - r[j][i] * r[i][j];
        }}
        system[i][i] = 1.0 + squares;
        system[i][{K}] = 1.0;
    }}
    for (k = 0; k < {K}; ++k) {{
        for (j = k + 1; j <= {K}; ++j) system[k][j] /= system[k][k];
        for (i = 0; i < {K}; ++i) {{
            if (i == k) continue;
            for (j = k + 1; j <= {K}; ++j) system[i][j] -= system[i][k] * system[k][j];
        }}
    }}
    for (i = 0; i < {K}; ++i) {{
        shares[i] = system[i][{K}] > 0.0 ? system[i][{K}] : 0.0;
        sum += shares[i];
    }}
    for (i = 0; i < {K}; ++i) shares[i] /= sum;
}}"""


class _File:
    """One file: what its lines are made of."""

    def __init__(self, table: MachineTable, name: str, title: str) -> None:
        self.table, self.name, self.title = table, name, title

    def lines(self) -> Iterable[str]:
        table, name = self.table, self.name
        features, functions = table.features, table.intercepts.size
        yield f"/* {self.title}\n"
        yield f"       void {name}_decision(const double *sample, double *values);"
        if table.rule is not None:
            yield f"       int {name}_predict(const double *sample);"
        if table.sigmoids is not None:
            yield f"       void {name}_probabilities(const double *sample, double *shares);"
        yield f"\n   A sample has {features} numbers, and {functions} decision values."
        if table.rule is not None:
            yield f"   What is predicted is the number of the label in {name}_classes."
        if table.names is not None:
            yield f"   The numbers are, in this order: {_comment(', '.join(table.names))}."
        yield "   Needed: IEEE doubles, and an exp that is exact to 4 units in the last place. No -ffast-math. */\n"
        yield "#include <math.h>\n"
        for number, term in enumerate(table.terms):
            yield from self.term(number, term)
        yield from self.decision()
        if table.rule is not None:
            yield from self.predict()
        if table.sigmoids is not None:
            yield from self.probabilities()

    def term(self, number: int, term: Term) -> Iterable[str]:
        """Yield the tables of a term, and its kernel."""
        name, (n, d) = self.name, term.centers.shape
        yield f"/* k(x, z) = {_comment(term.kernel.formula())} */"
        yield _table(f"{name}_centers_{number}", term.centers)
        if self.table.intercepts.size == 1:
            yield _table(f"{name}_coefficients_{number}", term.coefficients[:, 0])
        else:
            rows, columns = np.nonzero(term.coefficients)
            yield "/* Center j has the coefficients from starts[j] to starts[j + 1], of the functions in places. */"
            yield _table(f"{name}_coefficients_{number}", term.coefficients[rows, columns])
            yield _table(f"{name}_places_{number}", columns)
            yield _table(f"{name}_starts_{number}", np.searchsorted(rows, np.arange(n + 1)))
        kernel = _KernelLines(f"{name}_weights_{number}", d)
        value = kernel.of(term.kernel)
        yield from kernel.tables
        yield f"\nstatic double {name}_kernel_{number}(const double *x, const double *z)\n{{"
        yield from kernel.lines
        yield f"    return {value};\n}}\n"

    def decision(self) -> Iterable[str]:
        """Yield the function of the values."""
        table, name = self.table, self.name
        plain = not table.steps and np.array_equal(table.columns, np.arange(table.features))
        if not plain:
            yield _table(f"{name}_columns", table.columns)
            for number, step in enumerate(table.steps):
                for part in ("shift", "factor", "offset"):
                    yield _table(f"{name}_{part}_{number}", getattr(step, part))
        yield _table(f"{name}_intercepts", table.intercepts)
        yield f"\nvoid {name}_decision(const double *sample, double *values)\n{{"
        d, m = table.columns.size, table.intercepts.size
        yield f"    double sums[{m}];"
        yield f"    int {'j' if plain else 'j, k'};"
        if plain:
            yield "    const double *x = sample;"
        else:
            yield f"    double x[{d}];"
            mapped = f"sample[{name}_columns[k]]"
            for number in range(len(table.steps)):
                own = [f"{name}_{part}_{number}[k]" for part in ("shift", "factor", "offset")]
                mapped = f"(({mapped} - {own[0]}) * {own[1]} + {own[2]})"
            yield f"    for (k = 0; k < {d}; ++k) x[k] = {mapped};"
        yield f"    for (j = 0; j < {m}; ++j) sums[j] = {name}_intercepts[j];"
        for number, term in enumerate(table.terms):
            n, call = len(term.centers), f"{name}_kernel_{number}(x, {name}_centers_{number}[j])"
            if not n:
                continue
            if m == 1:
                yield f"    for (j = 0; j < {n}; ++j) sums[0] += {name}_coefficients_{number}[j] * {call};"
                continue
            yield f"    for (j = 0; j < {n}; ++j) {{"
            yield f"        double value = {call};"
            yield f"        int e, end = {name}_starts_{number}[j + 1];"
            yield f"        for (e = {name}_starts_{number}[j]; e < end; ++e)"
            yield f"            sums[{name}_places_{number}[e]] += {name}_coefficients_{number}[e] * value;"
            yield "    }"
        yield f"    for (j = 0; j < {m}; ++j) values[j] = sums[j];\n}}"

    def predict(self) -> Iterable[str]:
        """Yield the function of the label."""
        assert self.table.rule is not None
        rule, name = self.table.rule, self.name
        yield f"\n{_labels(f'{name}_classes', rule.classes)}"
        lines = rule.stated(_RuleLines(name))
        yield from lines.tables
        yield f"\nint {name}_predict(const double *sample)\n{{"
        yield f"    double values[{self.table.intercepts.size}];"
        yield from lines.declared
        yield f"    {name}_decision(sample, values);"
        yield from lines.body
        yield "}"

    def probabilities(self) -> Iterable[str]:
        """Yield the function of the probabilities, in the order of the classes."""
        table, name = self.table, self.name
        assert table.rule is not None
        assert table.sigmoids is not None
        K, m = table.rule.classes.size, table.intercepts.size
        yield _EXPIT.format(name=name)
        against_rest, coupled = all(j < 0 for j, _ in table.pairs), len(table.pairs) > 1
        if coupled and not against_rest:
            if set(range(K)) != {j for pair in table.pairs for j in pair}:
                raise ParameterError(
                    "a class of this machine is in no pair, so that its probabilities are not coupled."
                )
            yield _COUPLED.format(name=name, K=K)
            yield _table(f"{name}_pairs", np.array(table.pairs))
        yield _table(f"{name}_sigmoids", np.column_stack([table.sigmoids.A, table.sigmoids.B]))
        yield f"\nvoid {name}_probabilities(const double *sample, double *shares)\n{{"
        yield f"    double values[{m}];"
        share = f"{name}_share({name}_sigmoids[{{k}}][0] * values[{{k}}] + {name}_sigmoids[{{k}}][1])"
        if not coupled:
            yield f"    {name}_decision(sample, values);"
            yield f"    shares[1] = {share.format(k=0)};"
            yield "    shares[0] = 1.0 - shares[1];\n}"
        elif against_rest:
            yield "    double sum = 0.0;\n    int k;"
            yield f"    {name}_decision(sample, values);"
            yield f"    for (k = 0; k < {m}; ++k) sum += shares[k] = {share.format(k='k')};"
            yield f"    for (k = 0; k < {m}; ++k) shares[k] = sum > 0.0 ? shares[k] / sum : 1.0 / {m};\n}}"
        else:
            yield f"    double r[{K}][{K}], second;\n    int k;"
            yield f"    {name}_decision(sample, values);"
            yield f"    for (k = 0; k < {m}; ++k) {{\n        second = {share.format(k='k')};"
            yield "        second = second < 1e-7 ? 1e-7 : second > 1.0 - 1e-7 ? 1.0 - 1e-7 : second;"
            yield f"        r[{name}_pairs[k][1]][{name}_pairs[k][0]] = second;"
            yield f"        r[{name}_pairs[k][0]][{name}_pairs[k][1]] = 1.0 - second;\n    }}"
            yield f"    {name}_coupled(r, shares);\n}}"


class _KernelLines(Arithmetic[str]):
    """The kernel of one sample and one center, as an expression after some lines."""

    def __init__(self, name: str, features: int) -> None:
        self._name, self._features = name, features
        self.tables: list[str] = []
        self.lines: list[str] = []
        self._count = 0

    def _named(self, expression: str) -> str:
        self._count += 1
        self.lines.append(f"    const double v{self._count} = {expression};")
        return f"v{self._count}"

    def _sum(self, expression: str) -> str:
        self._count += 1
        name, k = f"s{self._count}", f"k{self._count}"
        self.lines.append(f"    double {name} = 0.0;\n    int {k};")
        self.lines.append(
            f"    for ({k} = 0; {k} < {self._features}; ++{k}) {name} += {expression.replace('[k]', f'[{k}]')};"
        )
        return name

    def inner_products(self) -> str:
        return self._sum("x[k] * z[k]")

    def negative_squares(self, weights: Weights) -> str:
        if not isinstance(weights, tuple):
            return self._named(f"{_number(-weights)} * {self._sum('(x[k] - z[k]) * (x[k] - z[k])')}")
        name = f"{self._name}_{len(self.tables)}"
        self.tables.append(_table(name, np.array(weights)))
        return self._named(f"-{self._sum(f'{name}[k] * ((x[k] - z[k]) * (x[k] - z[k]))')}")

    def distances(self, metric: Metric) -> str:
        if metric == "cityblock":
            return self._sum("fabs(x[k] - z[k])")
        return self._named(f"sqrt({self._sum('(x[k] - z[k]) * (x[k] - z[k])')})")

    def affine(self, value: str, factor: float, constant: float) -> str:
        product = value if factor == 1.0 else f"{_number(factor)} * {value}"
        return self._named(product if constant == 0.0 else f"{product} + {_number(constant)}")

    def plus(self, left: str, right: str) -> str:
        return self._named(f"{left} + {right}")

    def times(self, left: str, right: str) -> str:
        return self._named(f"{left} * {right}")

    def power(self, value: str, exponent: int) -> str:
        return value if exponent == 1 else self._named(" * ".join([value] * exponent))

    def exp(self, value: str) -> str:
        return self._named(f"exp({value})")

    def tanh(self, value: str) -> str:
        return self._named(f"1.0 - 2.0 / (exp(2.0 * {value}) + 1.0)")


class _Lines:
    """What the label takes: tables, declarations, and the lines that end with its return."""

    def __init__(self, tables: list[str], declared: list[str], body: list[str]) -> None:
        self.tables, self.declared, self.body = tables, declared, body


class _RuleLines(Ruled[_Lines]):
    def __init__(self, name: str) -> None:
        self._name = name

    def of_thresholds(self, rule: Thresholds) -> _Lines:
        name, n = self._name, rule.thresholds.size
        return _Lines(
            [_table(f"{name}_thresholds", rule.thresholds)],
            ["    int k, number = 0;"],
            [f"    for (k = 0; k < {n}; ++k) number += values[0] > {name}_thresholds[k];", "    return number;"],
        )

    def of_largest(self, rule: Largest) -> _Lines:
        return _Lines(
            [],
            ["    int k, best = 0;"],
            [
                f"    for (k = 1; k < {rule.classes.size}; ++k) if (values[k] > values[best]) best = k;",
                "    return best;",
            ],
        )

    def of_ballot(self, rule: Ballot) -> _Lines:
        name, K, m = self._name, rule.classes.size, len(rule.pairs)
        declared = f"    double votes[{K}] = {{0.0}}{'' if rule.ties_to_first else f', favours[{K}] = {{0.0}}'};"
        ties = (
            []
            if rule.ties_to_first
            else [
                f"        favours[{name}_ballot[k][1]] += values[k];",
                f"        favours[{name}_ballot[k][0]] -= values[k];",
            ]
        )
        order = (
            []
            if rule.ties_to_first
            else [
                "    /* Squeezed into (-1/3, 1/3), what the values say in sum orders ties. */",
                f"    for (k = 0; k < {K}; ++k) votes[k] += favours[k] / (3.0 * (fabs(favours[k]) + 1.0));",
            ]
        )
        return _Lines(
            [_table(f"{name}_ballot", np.array(rule.pairs))],
            [declared, "    int k, best = 0;"],
            [
                f"    for (k = 0; k < {m}; ++k) {{",
                f"        votes[{name}_ballot[k][values[k] > 0.0]] += 1.0;",
                *ties,
                "    }",
                *order,
                f"    for (k = 1; k < {K}; ++k) if (votes[k] > votes[best]) best = k;",
                "    return best;",
            ],
        )


def _number(value: float) -> str:
    """Return a number that is read back exactly."""
    return float(value).hex() if value >= 0 else f"({float(value).hex()})"


def _table(name: str, values: NDArray[Any] | Matrix) -> str:
    """Return a constant array."""
    kind, write = ("double", float.hex) if values.dtype.kind == "f" else ("int", str)
    # No array of C99 is empty.
    rows = values if values.size else np.zeros((1,) * values.ndim, values.dtype)
    sizes = "".join(f"[{size}]" for size in rows.shape)
    if rows.ndim == 1:
        lines = [", ".join(map(write, rows[k : k + 8].tolist())) for k in range(0, len(rows), 8)]
        inside = ",\n    ".join(lines)
    else:
        inside = ",\n    ".join(f"{{{', '.join(map(write, row))}}}" for row in rows.tolist())
    return f"static const {kind} {name}{sizes} = {{\n    {inside}}};"


def _labels(name: str, classes: NDArray[Any]) -> str:
    """Return the labels as whole numbers, numbers or text."""
    if classes.dtype.kind == "U":
        texts = ", ".join(f'"{"".join(_character(byte) for byte in str(each).encode())}"' for each in classes.tolist())
        return f"const char *const {name}[{classes.size}] = {{{texts}}};"
    if classes.dtype.kind == "f":
        return f"const double {name}[{classes.size}] = {{{', '.join(map(repr, classes.tolist()))}}};"
    return f"const long long {name}[{classes.size}] = {{{', '.join(str(int(each)) for each in classes.tolist())}}};"


def _character(byte: int) -> str:
    return chr(byte) if (chr(byte).isalnum() and byte < 128) or byte in b" _-.,:;" else f"\\{byte:03o}"


def _comment(text: str) -> str:
    return text.replace("*/", "* /").replace("\n", " ")
