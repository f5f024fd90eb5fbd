# SPDX-License-Identifier: BSD-3-Clause
"""Kernels written as expressions: ``matern(nu=1.5, length=2) + 0.5 * linear``.

::

    kernel = name | name(value, parameter=value, ...) | kernel + kernel | kernel * kernel | kernel + number
           | number * kernel | kernel ** integer | exp(kernel) | (kernel)
    value  = number | scale | auto | [number, ...]

Names are those of :data:`qpkernels.kernels.catalogue.KERNELS`.
Numbers may be computed with + - * / and **, and ``inf`` is a number. For samples with d features, ``scale`` is 1 / (d
Var X) and ``auto`` is 1 / d. The text is read by Python's parser, and only the operations listed here are carried out.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, TypeAlias, TypeVar
from warnings import catch_warnings

from qpkernels.arrays import Samples
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel
from qpkernels.kernels.catalogue import KERNELS, NAMED, KernelEntry
from qpkernels.kernels.rbf import scale_gamma

__all__ = ["read_kernel"]

Number: TypeAlias = int | float

Made = TypeVar("Made")

_LONGEST = 1000
"""Most characters of an expression; more would be a slip, or an attack on the parser."""


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def read_kernel(text: str, X: Samples, options: Mapping[str, str | Number] | None = None) -> Kernel:
    """Return the kernel that an expression states, for samples ``X``.

    The options are values of parameters, for kernels that have them and do not state them in the expression.
    """
    if len(text) > _LONGEST or not text.isascii():
        raise ParameterError(f"--kernel takes an expression of at most {_LONGEST} ASCII characters; shorten it.")
    reader = _Reader(" ".join(text.split()), X)
    reader.options = {name: reader.option(name, value) for name, value in (options or {}).items()}
    kernel = reader.kernel()
    for name in (options or {}).keys() - reader.used:
        raise ParameterError(f"--kernel {text} has no use for --{name}; leave it out, or choose another kernel.")
    return kernel


def _sum(kernel: Kernel, other: Kernel | Number) -> Kernel:
    return kernel + other if isinstance(other, Kernel) else kernel.polynomial((other, 1.0))


class _Reader:
    """Carries out the syntax tree of one expression."""

    def __init__(self, text: str, X: Samples) -> None:
        self.text = text
        self.X = X
        self.options: Mapping[str, Any] = {}
        self.used: set[str] = set()

    def kernel(self) -> Kernel:
        node = self._parsed()
        value = self._value(node)
        if not isinstance(value, Kernel):
            raise self._fault(node, f"--kernel must state a kernel, but this is the number {value:g}")
        return value

    def option(self, name: str, value: str | Number) -> Any:
        """Return the value of an option, which may be written as in an expression."""
        if not isinstance(value, str):
            return value
        reader = _Reader(value, self.X)
        try:
            number = reader._argument(reader._parsed())
        except ParameterError:
            number = None
        if number is None or isinstance(number, Kernel):
            raise ParameterError(f"--{name} must be a number, 'scale' or 'auto', but {value!r} came.")
        return number

    def _parsed(self) -> ast.expr:
        try:
            # What the parser only warns of, such as 1(2), is refused below.
            with catch_warnings(action="ignore"):
                tree = ast.parse(self.text, mode="eval")
        except SyntaxError as error:
            column = (error.offset or 0) - 1
            column = column if 0 < column < len(self.text) else len(self.text)
            what = "--kernel must be an expression such as 'rbf(gamma=0.1) + linear'"
            raise self._point(column, column + 1, what) from None
        except (ValueError, RecursionError, MemoryError):
            raise ParameterError("--kernel must be an expression such as 'rbf(gamma=0.1) + linear'.") from None
        return tree.body

    def _value(self, node: ast.expr) -> Kernel | Number:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return number
            case ast.Name(id=name):
                return self._named(node, name)
            case ast.Call(func=ast.Name(id="exp"), args=[base], keywords=[]):
                return self._kernel(base).exp()
            case ast.Call(func=ast.Name(id=name)):
                return self._made(node, name, node.args, node.keywords)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                number = self._number(operand)
                return -number if isinstance(node.op, ast.USub) else number
            case ast.BinOp(left=left, op=op, right=right):
                return self._combined(node, self._value(left), op, self._value(right))
        raise self._fault(
            node, "an expression has names of kernels, numbers, + * ** and parentheses, but no other parts"
        )

    def _kernel(self, node: ast.expr) -> Kernel:
        value = self._value(node)
        if not isinstance(value, Kernel):
            raise self._fault(node, "a kernel belongs here, such as rbf(gamma=0.1)")
        return value

    def _number(self, node: ast.expr) -> Number:
        value = self._value(node)
        if isinstance(value, Kernel):
            raise self._fault(node, "a number belongs here, and this is a kernel")
        return value

    def _named(self, node: ast.expr, name: str) -> Kernel | Number:
        match name:
            case "inf":
                return math.inf
            case "auto":
                return 1.0 / int(self.X.shape[1])
            case "scale":
                return self._checked(node, lambda: scale_gamma(self.X))
        return self._made(node, name, [], [])

    def _made(self, node: ast.expr, name: str, values: list[ast.expr], keywords: list[ast.keyword]) -> Kernel:
        kind: type[Kernel] | None = NAMED.get(name.lower())
        if kind is None or kind.entry is None or kind.entry.takes:
            raise self._unknown(node, name, kind)
        parameters = [each.name for each in kind.entry.parameters]
        given: dict[str, Any] = {}
        if len(values) > len(parameters):
            raise self._fault(values[-1], f"{name} takes {len(parameters)} parameters at most")
        stated: list[tuple[str, ast.expr, ast.expr | ast.keyword]] = [
            (parameter, value, value) for parameter, value in zip(parameters, values, strict=False)
        ]
        for keyword in keywords:
            parameter = kind.entry.parameter(keyword.arg or "**")
            if parameter is None:
                has = f"its parameters are {', '.join(parameters)}" if parameters else "it has none"
                raise self._fault(keyword, f"{name} has no parameter {keyword.arg or '**'}; {has}")
            stated.append((parameter, keyword.value, keyword))
        for parameter, value, place in stated:
            if parameter in given:
                raise self._fault(place, f"{parameter} of {name} is stated twice")
            given[parameter] = self._argument(value)
        complete = self._completed(kind.entry, given)
        return self._checked(node, lambda: kind.named(**complete), complete.keys() - given.keys())

    def _completed(self, entry: KernelEntry, given: Mapping[str, Any]) -> dict[str, Any]:
        """Add the values of the options, and a width by the data."""
        width = {"gamma", *entry.instead}
        settled = width if given.keys() & width else set()
        open_ = {each.name for each in entry.parameters} - settled - given.keys()
        own = {name: value for name, value in self.options.items() if name in open_}
        self.used |= own.keys()
        complete = {**own, **given}
        if entry.by_data and not complete.keys() & width:
            complete["gamma"] = scale_gamma(self.X)
        return complete

    def _argument(self, node: ast.expr) -> Any:
        if isinstance(node, ast.List | ast.Tuple):
            return tuple(float(self._number(entry)) for entry in node.elts)
        return self._number(node)

    def _combined(
        self, node: ast.expr, left: Kernel | Number, op: ast.operator, right: Kernel | Number
    ) -> Kernel | Number:
        if not isinstance(left, Kernel) and not isinstance(right, Kernel):
            return self._computed(node, left, op, right)
        kernel, other = (left, right) if isinstance(left, Kernel) else (right, left)
        assert isinstance(kernel, Kernel)
        match op:
            case ast.Add():
                return self._checked(node, lambda: _sum(kernel, other))
            case ast.Mult():
                return self._checked(node, lambda: kernel * other)
            case ast.Pow() if kernel is left and not isinstance(other, Kernel):
                # Whether the exponent is a whole number, the kernel says.
                return self._checked(node, lambda: kernel**other)  # type: ignore[operator]
        raise self._fault(
            node, "kernels are combined by + and *, and raised to whole numbers by **; nothing else makes kernels"
        )

    def _computed(self, node: ast.expr, left: Number, op: ast.operator, right: Number) -> Number:
        if type(op) not in _OPERATIONS:
            raise self._fault(node, "numbers are combined by + - * / and **")
        try:
            value = float(_OPERATIONS[type(op)](float(left), float(right)))
        except (ArithmeticError, ValueError) as error:
            raise self._fault(node, f"this is no number ({error})") from None
        whole = isinstance(left, int) and isinstance(right, int) and value.is_integer() and abs(value) < 2**53
        return int(value) if whole else value

    def _checked(self, node: ast.expr, make: Callable[[], Made], options: Collection[str] = ()) -> Made:
        """Return the result; an error is reported with its place, or with its option."""
        try:
            return make()
        except ParameterError as error:
            if str(error).partition(" must ")[0] in options:
                raise ParameterError(f"--{error}") from None
            raise self._fault(node, str(error).removesuffix(".")) from None

    def _unknown(self, node: ast.expr, name: str, kind: type[Kernel] | None) -> ParameterError:
        if kind is not None and kind.entry is not None:
            return self._fault(
                node, f"{name} takes {kind.entry.takes}, and files of this command hold features; state it in Python"
            )
        known = [each for each, kind in KERNELS.items() if not kind.entry.takes]
        near = get_close_matches(name.lower(), known, n=1)
        hint = f"did you mean {near[0]!r}? There are" if near else "there are"
        return self._fault(
            node, f"no kernel is called {name!r}; {hint} {', '.join(known)}, and none for explicit features"
        )

    def _fault(self, node: ast.expr | ast.keyword, what: str) -> ParameterError:
        return self._point(node.col_offset, node.end_col_offset or node.col_offset + 1, what)

    def _point(self, start: int, stop: int, what: str) -> ParameterError:
        mark = " " * start + "^" * max(stop - start, 1)
        return ParameterError(f"{what}.\n  {self.text}\n  {mark}")
