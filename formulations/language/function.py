# SPDX-License-Identifier: BSD-3-Clause
r"""Functions in a reproducing kernel Hilbert space as variables of a convex program in CVXPY.

A program looks for f in H. CVXPY sees finitely many numbers that depend on f, each an affine expression::

    f(x)  =  <f, k(x, .)>,    D^a f(x)  =  <f, D^a k(x, .)>,    sum_i w_i f(x_i),    <f, g>  of a known g in H

and the norms ||f||, ||f||^2, ||f - g||, which are convex. Sums, differences and multiples of functions are functions.
Where the norm of f is penalised or bounded, an optimal f is in the span of the representers of the functionals in the
program. This is the representer theorem (Kimeldorf and Wahba 1971; Schoelkopf, Herbrich and Smola 2001).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, vstack

import formulations.modelling.cvx as cp
from formulations.modelling.lowering import is_lowered, is_written_back
from qpkernels.arrays import Matrix, Vector, finite_matrix, finite_vector, is_integer, is_sparse, real_number, shown
from qpkernels.arrays.checks import add_samples
from qpkernels.display import count
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram.features import pivoted_cholesky
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Kernel
from qpkernels.kernels.functionals import Representers, box_rule

__all__ = [
    "Combination",
    "FittedFunction",
    "Function",
    "NewSample",
    "Norm",
    "Values",
    "VectorFunction",
    "refuse_tables",
    "stacked",
]

_ROUNDING = 1e-10
"""Share of the largest entry of a matrix below which an eigenvalue, or a difference of its triangles, is rounding."""


@dataclass(frozen=True, eq=False)
class FittedFunction:
    r"""f = sum_j c_j D^{a_j} k(z_j, .), as found by a program.

    Attributes
    ----------
    parts
        The representers, which are of one kernel, in one group for each D^a.
    coefficients
        c, shape (number of representers,), in their order.

    Notes
    -----
    Arguments of the methods:

    X
        Points, as the kernel takes them.
    points
        Representers D^b k(x_i, .) of the same kernel.

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations.language import Function, Machine
    >>> from qpkernels import RBF
    >>> f = Function(RBF(1.0))
    >>> misfit = cp.sum_squares(f([[0.0], [1.0]]) - [1.0, 2.0])
    >>> found = Machine(cp.Minimize(f.squared_norm + misfit)).solve().function(f)
    >>> print(found([[0.0], [1.0]]).round(3), f"{found.squared_norm:.3f}")
    [0.673 1.06 ] 1.216
    """

    parts: tuple[Representers, ...]
    coefficients: Vector

    @classmethod
    def of(cls, terms: Iterable[tuple[Representers, Vector]]) -> FittedFunction:
        """Return the sum of these terms, which are all of one kernel.

        Parameters
        ----------
        terms
            Representers with a coefficient for each.
        """
        parts, coefficients = zip(*terms, strict=True)
        return cls(parts, np.concatenate(coefficients))

    @property
    def terms(self) -> list[tuple[Representers, Vector]]:
        """The representers of each D^a with their coefficients."""
        ends = np.cumsum([len(part) for part in self.parts])
        return list(zip(self.parts, np.split(self.coefficients, ends[:-1]), strict=True))

    @property
    def kernel(self) -> Kernel:
        """K."""
        return self.parts[0].kernel

    def __call__(self, X: ArrayLike) -> Vector:
        """Return f(x_i), shape (n,), at points X that the kernel takes."""
        return self.derivative(X)

    def derivative(self, X: ArrayLike, *axes: int) -> Vector:
        """Return the derivative of f along these axes, once for each time that an axis is named, shape (n,).

        Parameters
        ----------
        X
            Points, as the kernel takes them.
        *axes
            Numbers of features from 0; without any, the values of f are returned.
        """
        at = Representers(self.kernel, self.kernel.samples(X), axes)
        return self.at(at)

    def at(self, points: Representers) -> Vector:
        """Return the inner products of f with representers of its space, shape (n,)."""
        values = np.zeros(len(points))
        for part, c in self.terms:
            (used,) = np.nonzero(c)
            if used.size and not (part.axes or points.axes):
                # Sums over the centres, of which no matrix is kept.
                values += Expansion.over(self.kernel, part.X[used], c[used], 0.0, None, None)(points.X)
            elif used.size:
                values += points.inner(part.part(used)) @ c[used]
        return values

    @property
    def squared_norm(self) -> float:
        """||f||^2."""
        return max(sum(float(c @ self.at(part)) for part, c in self.terms), 0.0)

    @property
    def expansion(self) -> Expansion:
        """F as an :class:`~qpkernels.gram.functions.Expansion`, which models, files and plots take.

        Raises
        ------
        ParameterError
            If f contains derivatives of the kernel.
        """
        if any(part.axes and c.any() for part, c in self.terms):
            raise ParameterError(
                "the function has terms that are derivatives of its kernel, which an Expansion cannot hold."
            )
        values = [(part.X, c) for part, c in self.terms if not part.axes]
        X, c = stacked([points for points, _ in values]), np.concatenate([own for _, own in values])
        (used,) = np.nonzero(c)
        used = used if used.size else np.arange(1)
        return Expansion(self.kernel, X[used], c[used])


def stacked(parts: list[Any]) -> Any:
    """Return samples one below the other, dense or sparse."""
    if len(parts) == 1:
        return parts[0]
    return csr_array(vstack(parts)) if any(is_sparse(part) for part in parts) else np.concatenate(parts)


Known: TypeAlias = Expansion | FittedFunction
"""A function that is known."""


class Values(cp.Variable):  # type: ignore[misc]
    """Numbers that functionals take of one function: W D^a f(X), or D^a f(X), shape (n,); a leaf of expressions.

    Attributes
    ----------
    function
        f.
    points
        The representers of D^a f at X.
    weights
        W, shape (n, number of points); None: the identity.
    """

    def __init__(self, function: Function, points: Representers, weights: csr_array | None) -> None:
        super().__init__((len(points) if weights is None else weights.shape[0],))
        self.function, self.points, self.weights = function, points, weights

    def name(self) -> str:
        """Return what it is called in programs and messages, after the function."""
        own = f"{self.function.name}{''.join(f'_{axis}' for axis in self.points.axes)}(X)"
        return own if self.weights is None else f"weighted {own}"

    def of(self, fitted: FittedFunction) -> Vector:
        """Return the numbers of a function that is known."""
        values = fitted.at(self.points)
        return values if self.weights is None else np.asarray(self.weights @ values)

    @property
    def value(self) -> Any:
        """The numbers; where no program with them was solved, those of the function that was found last."""
        found = super().value
        if found is None and self.function.fitted is not None and not is_lowered():
            return self.of(self.function.fitted)
        return found

    @value.setter
    def value(self, values: Any) -> None:
        self.save_value(self._validate_value(values))


def refuse_tables(part: Any) -> None:
    """Refuse values of functions, shape (n,), that meet a column of shape (n, 1): all would be compared with all.

    Parameters
    ----------
    part
        An objective, an expression or a constraint.

    Raises
    ------
    ShapeError
        If some do in it.
    """
    n = part.shape[0] if len(part.shape) == 2 else 0
    # In sums and products CVXPY writes down that it spreads a part, and what is spread is inside.
    met = [each.args[0] if type(each).__name__ == "broadcast_to" else each for each in part.args]
    if n > 1 and part.shape == (n, n) and (n, 1) in [each.shape for each in met]:
        for values in (each for each in met if each.shape == (n,)):
            if any(isinstance(leaf, Values) for leaf in values.variables()):
                raise ShapeError(
                    f"{n} values of a function, shape ({n},), meet a column of shape ({n}, 1), which makes a table of "
                    f"{n} x {n}; give targets the shape ({n},), as y.ravel() has it, or write f(X)[:, None]."
                )
    for each in part.args:
        refuse_tables(each)


class NewSample(cp.Variable):  # type: ignore[misc]
    """A sample that is not known yet: functions take it, and what they say of it are variables.

    Parameters
    ----------
    shape
        That of one sample.

    Attributes
    ----------
    functionals
        The variables by function and axes.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__((1, *shape), name="X")
        self.functionals: dict[tuple[Function | FittedFunction, tuple[int, ...]], Any] = {}

    def value_of(self, function: Function | FittedFunction, axes: tuple[int, ...]) -> Any:
        """Return D^axes f at the sample, the same variable whenever it is asked for.

        Parameters
        ----------
        function, axes
            Which.
        """
        return self.functionals.setdefault((function, axes), cp.Variable(1, name="f(X)"))


class Norm(cp.Variable):  # type: ignore[misc]
    """The stand-in for the coordinates of a function under a norm until all functionals of a program are known.

    Attributes
    ----------
    combination
        The function.
    """

    def __init__(self, combination: Combination) -> None:
        # Two, since CVXPY takes the norm of one number for its absolute value.
        super().__init__((2,))
        self.combination = combination

    def name(self) -> str:
        """Return what it is called in programs and messages, after the function."""
        return f"coordinates of {self.combination}"

    def save_value(self, value: Any) -> None:
        """Keep the value.

        Raises
        ------
        ParameterError
            If it is what CVXPY found alone: without the functions, values at points would cost nothing.
        """
        if value is not None and not is_written_back():
            raise ParameterError(
                f"a cp.Problem sees only numbers; it cannot know that some of them are values of {self.combination}, "
                "so the result would not be a solution; solve the statement by Machine(objective, constraints).solve()."
            )
        super().save_value(value)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The unknown functions in it."""
        return tuple(function for _, function in self.combination.terms)


class Combination:
    """A sum of multiples of functions, unknown and known: sum_i a_i f_i + sum_j c_j g_j.

    Attributes
    ----------
    terms
        Pairs (a_i, f_i).
    known
        Pairs (c_j, g_j).

    Notes
    -----
    Arguments of the methods:

    X
        Points, as the kernel takes them.
    weights
        Shape (m,), or (n, m) for n sums.

    Examples
    --------
    >>> from formulations.language import Function
    >>> from qpkernels import RBF
    >>> f, g = Function(RBF(1.0), "f"), Function(RBF(1.0), "g")
    >>> print(f - 2 * g, (f - 2 * g)([[0.0], [1.0]]).shape)
    f + -2 g (2,)
    """

    def __init__(
        self, terms: tuple[tuple[float, Function], ...], known: tuple[tuple[float, FittedFunction], ...]
    ) -> None:
        self.terms, self.known = terms, known
        self._norm: Norm | None = None

    # Functionals ----------------------------------------------------------------------------------------------

    def __call__(self, X: ArrayLike) -> cp.Expression:
        """Return f(x_1), ..., f(x_m), an affine expression of shape (m,)."""
        return self._functional(X, ())

    def derivative(self, X: ArrayLike, axis: int, order: int = 1) -> cp.Expression:
        """Return the derivative of f along one axis at each of the points, shape (m,).

        Parameters
        ----------
        axis
            The number of a feature, from 0.
        order
            The order of the derivative, at least 1.

        Raises
        ------
        ParameterError
            If the kernel does not have this derivative.
        """
        if not is_integer(order) or order < 1:
            raise ParameterError(
                f"the order of a derivative must be an integer of at least 1, but {shown(order)} came."
            )
        if not is_integer(axis):
            raise ParameterError(f"an axis is the number of a feature, from 0, but {shown(axis)} came.")
        return self._functional(X, (int(axis),) * int(order))

    def gradient(self, X: ArrayLike) -> cp.Expression:
        """Return the gradient of f at each of the points, an affine expression of shape (m, d)."""
        features = X.shape[1:] if isinstance(X, NewSample) else self._kernel.samples(X).shape[1:]
        if len(features) != 1:
            raise ShapeError("a gradient needs points with features, one row each.")
        return cp.vstack([self.derivative(X, axis) for axis in range(features[0])]).T

    def mean(self, X: ArrayLike, weights: ArrayLike | None = None) -> cp.Expression:
        """Return sum_i w_i f(x_i), a scalar, or n such sums; without weights, the mean of f at the points."""
        if isinstance(X, NewSample):
            raise ParameterError("a sample at a time is predicted, and the mean of one is its value: take f(X).")
        if weights is None:
            m = self._kernel.samples(X).shape[0]
            return self._functional(X, (), np.full(m, 1.0 / m))
        rows = finite_matrix(weights, "weights") if np.ndim(weights) == 2 else finite_vector(weights, "weights")
        return self._functional(X, (), rows)

    def integral(self, lower: ArrayLike, upper: ArrayLike) -> cp.Expression:
        """Return the integral of f over a box, a scalar, as a sum of values that equals it up to rounding.

        Parameters
        ----------
        lower, upper
            The ends of the box, a number for each feature, with lower < upper.

        Raises
        ------
        ShapeError, NonFiniteError
            If they are not such ends.
        ParameterError
            If it is not a box or takes too many values, or the kernel is not made of RBF, Linear and Polynomial.
        """
        low, high = (finite_vector(np.atleast_1d(end), name) for end, name in ((lower, "lower"), (upper, "upper")))
        if low.shape != high.shape or not (low < high).all():
            raise ParameterError(
                f"a box has a lower end below the upper one for each feature, but {shown(lower)} and {shown(upper)} "
                "came."
            )
        kernels = [*(f.kernel for _, f in self.terms), *(g.kernel for _, g in self.known)]
        return self.mean(*box_rule(kernels, low, high))

    def inner(self, function: Known) -> cp.Expression:
        """Return <f, g> for a known g in the same space, a scalar expression.

        Parameters
        ----------
        function
            g: an Expansion without an intercept, such as ``solution.function``, or a FittedFunction.

        Raises
        ------
        ParameterError
            If g is in another space.
        """
        g = _as_fitted(function)
        self._require_space(g.kernel)
        return sum(self._functional(part.X, part.axes, c) for part, c in g.terms)

    def _functional(self, X: ArrayLike, axes: tuple[int, ...], weights: Matrix | Vector | None = None) -> Any:
        total: Any = 0.0
        for a, function in self.terms:
            values = function.values(X, axes, weights)
            total = total + (values if a == 1 else a * values)
        for c, g in self.known:
            values = X.value_of(g, axes) if isinstance(X, NewSample) else g.derivative(X, *axes)
            total = total + c * (values if weights is None else _applied(weights, values))
        return total

    @property
    def _kernel(self) -> Kernel:
        """The kernel of the first function."""
        return self.terms[0][1].kernel if self.terms else self.known[0][1].kernel

    # Norms ----------------------------------------------------------------------------------------------------

    @property
    def coordinates(self) -> Norm:
        """The stand-in for it under a norm."""
        if self._norm is None:
            if not self.terms:
                raise ParameterError("the norm of a known function is a number; see its squared_norm.")
            self.require_one_space()
            self._norm = Norm(self)
        return self._norm

    def require_one_space(self) -> None:
        """Refuse a sum of functions of several kernels.

        Raises
        ------
        ParameterError
            If there are two kernels.
        """
        for kernel in (*(f.kernel for _, f in self.terms), *(g.kernel for _, g in self.known)):
            self._require_space(kernel)

    @property
    def norm(self) -> cp.Expression:
        """||f|| in the space of the kernel, a convex expression."""
        return cp.norm(self.coordinates)

    @property
    def squared_norm(self) -> cp.Expression:
        """||f||^2, a convex expression."""
        return cp.sum_squares(self.coordinates)

    def _require_space(self, kernel: Kernel) -> None:
        own = self._kernel
        if own != kernel:
            raise ParameterError(
                f"the functions must be in one space for that, but their kernels are {own!r} and {kernel!r}; take a "
                "kernel that is the sum of both, or the norms of the functions apart."
            )

    # Sums and multiples ---------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Combination:
        """Return the sum with another function."""
        added = _as_combination(other)
        if added is None:
            raise ParameterError(
                f"a function is added to a function, but {shown(other)} came; add numbers and variables to its values: "
                "f(X) + b."
            )
        return Combination(self.terms + added.terms, self.known + added.known)

    __radd__ = __add__

    def __neg__(self) -> Combination:
        """Return the function with the other sign."""
        return self * -1.0

    def __sub__(self, other: Any) -> Combination:
        """Return the difference to another function."""
        added = _as_combination(other)
        return self.__add__(other if added is None else -added)

    def __rsub__(self, other: Any) -> Combination:
        """Return the difference of another function and this one."""
        return (-self).__add__(other)

    # NumPy leaves operations with a function on the right to the function.
    __array_ufunc__ = None

    def __array__(self, *args: Any, **options: Any) -> Any:
        """Refuse to be an array, which CVXPY and NumPy would make of it.

        Raises
        ------
        ParameterError
            Always.
        """
        raise ParameterError(f"the function {self} is no array; expressions have its values at points, such as f(X).")

    def __mul__(self, factor: Any) -> Combination:
        """Return the multiple by a number."""
        a = real_number(factor, "the factor of a function", "a finite number")
        return Combination(tuple((a * c, f) for c, f in self.terms), tuple((a * c, g) for c, g in self.known))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Combination:
        """Return the multiple by 1 / divisor."""
        number = real_number(divisor, "the divisor of a function", "a number other than 0")
        if number == 0:
            raise ParameterError("the divisor of a function must be a number other than 0, but 0 came.")
        return self * (1.0 / number)

    def __str__(self) -> str:
        parts = [f"{'' if a == 1 else f'{a:g} '}{f.name}" for a, f in self.terms]
        return " + ".join(parts + ["a known function"] * bool(self.known))

    def __repr__(self) -> str:
        return f"<function {self}>"


class Function(Combination):
    """An unknown f in the space of a kernel.

    Parameters
    ----------
    kernel
        The kernel of the space; positive semidefinite.
    name
        Its name where the program is shown. A Machine numbers functions of the same name.

    Attributes
    ----------
    fitted
        The f that the last program found; None before the first.

    Examples
    --------
    >>> import cvxpy as cp
    >>> from formulations import Function, Machine
    >>> from qpkernels import RBF
    >>> f = Function(RBF(1.0))
    >>> machine = Machine(cp.Minimize(f.squared_norm), [f([[0.0], [1.0]]) == [1.0, -1.0]])
    >>> solution = machine.solve()
    >>> print(solution.status, f([[0.0], [0.5]]).value.round(6) + 0.0)
    optimal [1. 0.]
    """

    def __init__(self, kernel: Kernel, name: str = "f") -> None:
        if not isinstance(kernel, Kernel):
            raise ParameterError(f"a Function is given a kernel, such as RBF(1.0), but {shown(kernel)} came.")
        self.kernel, self.name = kernel, str(name)
        self.fitted: FittedFunction | None = None
        self._made: dict[bytes, Values] = {}
        super().__init__(((1.0, self),), ())

    def values(self, X: ArrayLike, axes: tuple[int, ...], weights: Matrix | Vector | None = None) -> Any:
        """Return W D^axes f(X), which is the same variable for every call.

        Parameters
        ----------
        axes
            Numbers of features, each as often as f is differentiated along it.
        """
        if isinstance(X, NewSample):
            return X.value_of(self, axes)
        if isinstance(X, cp.Expression):
            raise ParameterError(
                f"{self.name} takes known points, or the sample X of a predicting function, but the expression "
                f"{shown(X)} came; a kernel of some columns is Columns(kernel, columns)."
            )
        points = Representers(self.kernel, self.kernel.samples(X), axes)
        if axes:
            features = points.X.shape[-1]
            if points.X.ndim == 2 and not 0 <= min(axes) <= max(axes) < features:
                raise ParameterError(
                    f"an axis is the number of a feature, here from 0 to {features - 1}, but {axes[0]} came."
                )
            # A kernel without such a derivative says so here.
            first = points.part(np.arange(1))
            first.inner(first)
        digest = hashlib.sha256(repr(axes).encode())
        add_samples(digest, points.X)
        rows = None
        if weights is not None:
            rows = np.atleast_2d(weights)
            if rows.shape[1] != len(points):
                raise ShapeError(
                    f"there must be one weight for each of {len(points)} points, but {rows.shape[1]} came."
                )
            add_samples(digest, rows)
        key = digest.digest()
        if key not in self._made:
            self._made[key] = Values(self, points, None if rows is None else csr_array(rows))
        made = self._made[key]
        return made[0] if weights is not None and np.ndim(weights) == 1 else made


class VectorFunction:
    r"""An unknown f with p outputs, in the space of the kernel k(x, z) B with a matrix B of p x p numbers.

    Its inner products are <f_i(x), f_j(z)> = k(x, z) B_ij, where B says how much the outputs have in common (the
    intrinsic model of coregionalisation). With B = L L', f_i = sum_j L_ij g_j for functions g_j in the space of k, and
    ||f||^2 = sum_j ||g_j||^2. Each output is a function like any other: ``f[0]``, and ``f[0] - f[1]``.

    Parameters
    ----------
    kernel
        k.
    outputs
        B, symmetric and positive semidefinite, shape (p, p); or p, for outputs that have nothing in common.
    name
        Its name where the program is shown.

    Attributes
    ----------
    parts
        The g_j.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If B is not such a matrix.

    Notes
    -----
    Arguments of the methods:

    X
        m points, as the kernel takes them.

    Source: M. A. Alvarez, L. Rosasco and N. D. Lawrence, Foundations and Trends in Machine Learning 4 (2012), "Kernels
    for vector-valued functions: a review".

    Examples
    --------
    >>> import cvxpy as cp
    >>> import numpy as np
    >>> from formulations import Machine, VectorFunction
    >>> from qpkernels import RBF
    >>> X, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0, 0.1], [1.0, 0.9], [0.0, 0.2]])
    >>> f = VectorFunction(RBF(1.0), outputs=[[1.0, 0.8], [0.8, 1.0]])
    >>> machine = Machine(cp.Minimize(0.1 * f.squared_norm + cp.sum_squares(f(X) - Y)))
    >>> print(machine.solve().status, f(X).value.shape, f([[0.5]]).value.round(2))
    optimal (3, 2) [[0.58 0.57]]
    """

    def __init__(self, kernel: Kernel, outputs: ArrayLike, name: str = "f") -> None:
        B = _matrix_of_outputs(outputs)
        L = pivoted_cholesky(B, B.diagonal()).factor
        self.parts = tuple(Function(kernel, f"{name}_{j}") for j in range(L.shape[1]))
        self.outputs = tuple(
            Combination(tuple((float(a), g) for a, g in zip(row, self.parts, strict=True) if a), ()) for row in L
        )
        self.name = str(name)

    def __len__(self) -> int:
        """Return p."""
        return len(self.outputs)

    def __getitem__(self, number: int) -> Combination:
        """Return an output, a function, by its number from 0."""
        return self.outputs[number]

    def __call__(self, X: ArrayLike) -> cp.Expression:
        """Return f_1(x), ..., f_p(x) at each of the points, an affine expression of shape (m, p)."""
        return cp.vstack([each(X) for each in self.outputs]).T

    def derivative(self, X: ArrayLike, axis: int, order: int = 1) -> cp.Expression:
        """Return the derivatives of all outputs along one axis at each of the points, shape (m, p).

        Parameters
        ----------
        axis, order
            As in :meth:`Combination.derivative`.
        """
        return cp.vstack([each.derivative(X, axis, order) for each in self.outputs]).T

    @property
    def norm(self) -> cp.Expression:
        """||f||, a convex expression."""
        return cp.norm(cp.hstack([each.norm for each in self.parts]))

    @property
    def squared_norm(self) -> cp.Expression:
        """||f||^2, a convex expression."""
        return sum(each.squared_norm for each in self.parts)

    def __repr__(self) -> str:
        return f"<function {self.name} with {count(len(self), 'output')}>"


def _matrix_of_outputs(outputs: ArrayLike) -> Matrix:
    if is_integer(outputs):
        if outputs < 1:
            raise ParameterError(f"a VectorFunction has an output at least, but outputs={shown(outputs)} came.")
        return np.eye(int(outputs))
    B = finite_matrix(outputs, "outputs")
    size = float(np.abs(B).max(initial=0.0))
    if B.shape[0] != B.shape[1] or np.abs(B - B.T).max() > _ROUNDING * size:
        raise ShapeError(
            f"outputs is the number of outputs, or a symmetric matrix with a row for each, but {shown(outputs)} came."
        )
    B = 0.5 * (B + B.T)
    least = float(np.linalg.eigvalsh(B)[0])
    if least < -_ROUNDING * size or not (B.diagonal() > 0).all():
        raise ParameterError(
            "the matrix of the outputs must be positive semidefinite, with numbers above 0 on its diagonal, but its "
            f"least eigenvalue is {least:.3g}, and its diagonal {shown(B.diagonal().tolist())}."
        )
    return B


def _applied(weights: Matrix | Vector, values: Vector) -> Any:
    return weights @ values


def _as_fitted(function: object) -> FittedFunction:
    if isinstance(function, FittedFunction):
        return function
    if isinstance(function, Expansion):
        if function.intercept:
            raise ParameterError(
                f"an Expansion with the intercept {function.intercept:g} is in no space of its kernel; take it off."
            )
        return FittedFunction((Representers(function.kernel, function.centers),), function.coefficients)
    unknown = "; of a Function g that was solved for, pass solution.functions[g] or g.fitted"
    raise ParameterError(
        f"a known function is an Expansion or a FittedFunction, but {shown(function)} came"
        f"{unknown if isinstance(function, Combination) else ''}."
    )


def _as_combination(other: object) -> Combination | None:
    if isinstance(other, Combination):
        return other
    if isinstance(other, Expansion | FittedFunction):
        return Combination((), ((1.0, _as_fitted(other)),))
    # Of sum([...]), which starts with 0.
    return Combination((), ()) if isinstance(other, int) and other == 0 else None
