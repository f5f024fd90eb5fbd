# SPDX-License-Identifier: BSD-3-Clause
"""The base class of kernels: a function k(x, z) with its matrix, diagonal, algebra and named parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import ChecksKeywords, Matrix, Samples, Vector, finite_matrix, finite_samples, is_sparse, shown
from qpkernels.display import Card, Carded, Fact
from qpkernels.display.problem import TextbookLine
from qpkernels.errors import NoEnclosureError, NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels.arithmetic import Arithmetic, EnclosedArithmetic, Value
from qpkernels.kernels.catalogue import KernelEntry, register
from qpkernels.kernels.derivatives import Axes
from qpkernels.kernels.enclosed import EnclosedRows
from qpkernels.kernels.products import ProductForm, Rational, are_equal, as_rational

__all__ = [
    "Algebra",
    "Kernel",
    "SampleFunction",
    "Samples",
    "parameters_of",
    "with_parameters",
]


class SampleFunction(ABC):
    """A function of samples that a file can hold: a frozen dataclass, whose fields are its parameters.

    It acts on each sample by itself: a row of its answer depends on the same row of ``X`` alone.

    Notes
    -----
    Arguments of the methods:

    X
        Samples, shape (m, d).
    """

    @abstractmethod
    def __call__(self, X: ArrayLike) -> NDArray[Any]:
        """Return one row, or one number, for each sample."""

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` checked and in the container this function works on; here: a finite float64 matrix."""
        return finite_matrix(X, "X")


_OF_A_MATRIX = (
    "entry",
    "product_form",
    "derivative",
    "smoothness",
    "computed",
    "enclosed",
    "relating",
    "vanishes",
    "tested",
    "formula",
    "frequencies",
)
"""Attributes that are true of the function that :meth:`Kernel.matrix` evaluates, and of no other."""

_NUMBER = (int, float, np.integer, np.floating)


@dataclass(frozen=True)
class Algebra:
    """The makers of kernels from kernels: what the operators of :class:`Kernel` call.

    They are kernels themselves, so the package states them, above this class.
    """

    sum: Callable[[Kernel, Kernel], Kernel]
    product: Callable[[Kernel, Kernel], Kernel]
    scaled: Callable[[Kernel, float], Kernel]
    power: Callable[[Kernel, int], Kernel]
    exponential: Callable[[Kernel], Kernel]
    polynomial: Callable[[Kernel, Any], Kernel]
    composed: Callable[[Kernel, Callable[[Samples], ArrayLike]], Kernel]


class Kernel(Carded, metaclass=ChecksKeywords):
    r"""A symmetric function :math:`k(x, z)`, evaluated on all pairs of two sets of samples.

    A subclass is a frozen dataclass whose fields are its parameters, and gives :meth:`matrix` and :meth:`diagonal`.
    The laws that the contract tests check for every kernel:

    * ``matrix(X, Z).T == matrix(Z, X)``
    * ``diagonal(X) == matrix(X, X).diagonal()``
    * ``features(X) @ features(Z).T == matrix(X, Z)`` where there are features
    * ``matrix(X, X)`` has no negative eigenvalue when :attr:`positive_semidefinite` is true.

    Kernels combine: ``k1 + k2``, ``k1 * k2``, ``a * k`` with a > 0, ``k ** n`` with an integer n >= 1, ``k.exp()``,
    ``k.polynomial([c0, c1, c2])`` with coefficients >= 0, ``k.compose(phi)`` for k(phi(x), phi(z)), and
    ``RankOne(f)`` is the kernel f(x) f(z).

    Notes
    -----
    Arguments of the methods:

    X, Z
        Samples, m and n of them, in the container that :meth:`samples` returned.
    x, z
        What the formula calls the two samples.
    left, right
        Axes along which x and z move, integers from 0, each repeated as often as the order of its derivative says.
    weights
        Weights of the features, shape (d,), or (d, n) for n functions.
    generator, count, features
        Random numbers, how many frequencies are drawn, and the number of features of a sample.
    """

    algebra: ClassVar[Algebra]

    entry: ClassVar[KernelEntry | None] = None
    """Its name and its parameters, wherever kernels are chosen by name; None: it is stated as an object."""

    tested: ClassVar[bool] = False
    """Whether these laws are tested for the class, as for some of this library; others are checked on few samples."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Drop what is inherited of a product form, errors, derivatives and tests from a subclass with its own matrix.

        That may be another function.
        """
        super().__init_subclass__(**options)
        entry = vars(cls).get("entry")
        if entry is not None:
            register(cls, entry)
        if "matrix" in vars(cls):
            for name in _OF_A_MATRIX:
                if name not in vars(cls):
                    setattr(cls, name, vars(Kernel)[name])

    @classmethod
    def named(cls, **values: Any) -> Kernel:
        """Return the kernel of values of the parameters of :attr:`entry`, by their names there.

        Parameters
        ----------
        **values
            By the names of parameters.

        Raises
        ------
        ParameterError
            If a value is outside its range, or needed and not stated.
        """
        return cls(**values)

    def stated(self) -> dict[str, Any]:
        """Return the values of the parameters of :attr:`entry` by their names there: what :meth:`named` takes."""
        entry = self.entry
        return {} if entry is None else {each.name: getattr(self, each.name) for each in entry.own}

    @abstractmethod
    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        """Return the matrix k(x_i, z_j), dense, of m and n samples that :meth:`samples` returned; shape (m, n)."""

    @abstractmethod
    def diagonal(self, X: Samples) -> Vector:
        """Return k(x_i, x_i), shape (m,), of m samples that :meth:`samples` returned."""

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return k(x, z) with its parameters, in the notation of :mod:`qpkernels.display.maths`.

        Here the name of the class, of which no more is known.
        """
        return f"{type(self).__name__}({x}, {z})"

    def card(self) -> Card:
        """Return the formula and the parameters."""
        known: tuple[Field[Any], ...] = fields(self) if is_dataclass(self) else ()
        numbers = ((each.name, getattr(self, each.name)) for each in known if each.repr)
        facts = tuple(Fact(name, shown(value)) for name, value in numbers if not isinstance(value, Kernel))
        return Card(type(self).__name__, (TextbookLine("", f"k(x, z) = {self.formula()}"),), facts)

    @property
    def positive_semidefinite(self) -> bool:
        """Whether every matrix of this kernel is positive semidefinite by construction (a Mercer kernel).

        Here False: nothing is known, and a :class:`~qpkernels.gram.Gram` checks the matrix, whole. A kernel that has a
        proof returns True, and is checked on few samples only.
        """
        return False

    @property
    def takes_sparse(self) -> bool:
        """Whether :meth:`matrix` works on sparse samples, SciPy's csr_array, beside dense ones and mixed with them.

        :mod:`qpkernels.kernels.products` has the inner products and distances of either.
        """
        return False

    @property
    def names(self) -> frozenset[str] | None:
        """The columns of a table that the kernel looks up by their names, if it takes nothing else; here None."""
        return None

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where k(x, x) = 0 in exact arithmetic, shape (m,): there a computed 0 is none that underflowed.

        Here: wherever it is 0 as computed.
        """
        return np.equal(self.diagonal(X), 0.0)

    def features(self, X: Samples) -> Matrix | None:
        """Return features Phi, dense, shape (m, d), with k(x, z) = phi(x)'phi(z), or None if they are not few."""
        del X
        return None

    def sparse_features(self, X: Samples) -> Any:
        """Return features Phi as a csr_array of shape (m, d), however many, or None if they are not sparse."""
        del X
        return None

    def condensed(self, weights: Vector | Matrix) -> tuple[Samples, Any] | None:
        """Return few z_j and c_j with sum_j c_j k(z_j, x) = <weights, phi(x)> in its features; None: none are known.

        For several functions, one a column, the c_j are rows.
        """
        del weights
        return None

    def frequencies(self, generator: np.random.Generator, count: int, features: int) -> Matrix | None:
        """Return frequencies w with k(x, z) = E cos(w'(x - z)), shape (count, features), or None if none are known."""
        del generator, count, features
        return None

    @property
    def smoothness(self) -> float:
        """The largest s for which D^(left, right) k with up to s axes in each tuple exists and is continuous.

        Then every f in the space of k is s times continuously differentiable, and each of its derivatives is an inner
        product, D^left f(x) = <f, D^(left, ()) k(x, .)>. Here: the least of the kernels that it is made of, infinite
        where there are none, and 0 where the class does not state :meth:`derivative`.
        """
        if type(self).derivative is Kernel.derivative:
            return 0
        return min((part.smoothness for part in vars(self).values() if isinstance(part, Kernel)), default=np.inf)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        r"""Return :math:`D^{left, right} k(x_i, z_j)`, shape (m, n), of dense samples that :meth:`samples` returned.

        Here :math:`D^{left, right} = \prod_{a} \partial/\partial x_a \prod_{b} \partial/\partial z_b`, a in left and
        b in right: ``()`` on both sides is the value, ``(0,)`` the first derivative along axis 0, ``(0, 0)`` the
        second, ``(0, 1)`` the mixed one. It is the inner product of the functionals that take a function f in the space
        of k to D^left f(x_i) and to D^right f(z_j). The base class states the value alone.

        Raises
        ------
        ParameterError
            If the kernel states no such derivative, or an axis is no feature.
        ShapeError
            If samples are sparse.

        Notes
        -----
        Source: Zhou, Derivative reproducing properties for kernel methods in learning theory (Journal of Computational
        and Applied Mathematics, 2008).

        Examples
        --------
        >>> import numpy as np
        >>> from qpkernels import RBF, Matern
        >>> X, Z = np.array([[0.0], [1.0]]), np.array([[0.0]])
        >>> print(RBF(gamma=0.5).derivative(X, Z, (0,), (0,)).round(3))
        [[1.]
         [0.]]
        >>> print(Matern(nu=2.5).smoothness, Matern(nu=0.5).smoothness)
        2 0
        """
        if left == () and right == ():
            return self.matrix(X, Z)
        raise ParameterError(
            f"{self!r} states derivatives of order {self.smoothness:g} at most in each sample, but the axes "
            f"{shown(left)} and {shown(right)} came; Linear, Polynomial, RBF, Matern with nu above the order, and what "
            "these combine to, have them. A class of your own states its own by derivative(X, Z, left, right)."
        )

    def product_form(self, X: Samples) -> ProductForm | None:
        """Return how k comes from inner products, around the samples ``X``, or None if it has no such form.

        Rows of a kernel that has one are made and summed in compiled code.
        """
        del X
        return None

    def computed(self, by: Arithmetic[Value]) -> Value:
        """Return k(x, z) by the operations of an arithmetic, which may enclose values or write a program.

        Parameters
        ----------
        by
            What is computed with.

        Raises
        ------
        ParameterError
            If the kernel states no such formula.
        """
        del by
        raise ParameterError(
            f"{self!r} states no formula that another program could compute; take Linear, Polynomial, RBF, Laplacian, "
            "Sigmoid, Matern with nu = 1/2, 3/2, 5/2 or inf, or what these combine to, or give its class the method "
            "computed(by), which states k in the operations of qpkernels.kernels.arithmetic.Arithmetic."
        )

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the maker of rows of k(x_i, z_j) with proved bounds of their rounding errors.

        Here: those of :meth:`computed`.

        The kernel that is meant is the exact one of the samples and parameters as they are in float64; what functions
        of the user return (of :class:`~qpkernels.kernels.Composed` and :class:`~qpkernels.kernels.RankOne`) counts as
        data. Errors may be infinite.

        Raises
        ------
        NoEnclosureError
            If the kernel states no such bounds.
        """
        if type(self).computed is Kernel.computed:
            raise self._no_enclosure()
        return self.computed(EnclosedArithmetic(X, Z))

    def _no_enclosure(self) -> NoEnclosureError:
        return NoEnclosureError(
            f"{self!r} states no bound of its rounding errors, so nothing is proved in exact arithmetic; give its "
            "class the method enclosed(X, Z), or take the matrix as data: Precomputed(kernel(X))."
        )

    def relating(self, X: Samples, Z: Samples) -> Rational:
        """Return a rational matrix R, shape (m, n): where R v = 0, sum_j v_j k(z_j, x_i) = 0 for all i, exactly.

        So it proves that samples are linearly dependent in the space of the kernel. Here R is k where no value was
        rounded, and otherwise 1 for equal samples and 0 for others: no other dependence is seen. Kernels that are
        positive semidefinite, and rational functions of the samples, return k up to positive factors of its terms.
        """
        try:
            exact = self.enclosed(X, Z)(slice(None))
        except NoEnclosureError:
            return are_equal(X, Z)
        return are_equal(X, Z) if exact.reach.any() else as_rational(exact.values)

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` checked and in the container this kernel works on; here: finite float64, samples x features.

        Parameters
        ----------
        X
            Samples as users pass them: an array, a table, a sparse matrix.

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` is not such a matrix, or sparse and the kernel does not take that.
        """
        if is_sparse(X) and not self.takes_sparse:
            raise ShapeError(
                f"{self!r} takes dense samples only, but a sparse matrix came; pass X.toarray(), or choose a kernel "
                "that takes it, such as Linear or RBF, and what these combine to."
            )
        return finite_samples(X, "X")

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> Matrix:
        """Return the matrix k(x_i, z_j); of ``X`` with itself when ``Z`` is left out.

        Parameters
        ----------
        X, Z
            Samples, one a row, with the same number of features. Either may be sparse if the kernel takes that.

        Raises
        ------
        ShapeError, NonFiniteError
            If these are none, or have other features; or if the kernel overflows on them.
        """
        left = self.samples(X)
        right = left if Z is None else self.samples(Z)
        if left.shape[1:] != right.shape[1:]:
            raise ShapeError(
                f"X and Z must have the same features, but a sample of X has shape {left.shape[1:]} "
                f"and one of Z {right.shape[1:]}."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            return self.check_values(self.matrix(left, right))

    def check_values(self, K: Matrix) -> Matrix:
        """Return kernel values, which are finite.

        Parameters
        ----------
        K
            Values of this kernel.

        Raises
        ------
        NonFiniteError
            If they are not.
        """
        if not np.isfinite(K).all():
            raise NonFiniteError(self.overflow)
        return K

    @property
    def overflow(self) -> str:
        """The message for samples on which it is not finite."""
        return f"{self!r} is not finite on these samples; scale the features, or choose other parameters."

    @property
    def underflow(self) -> str:
        """The message for samples on which it is too small for float64, and not 0."""
        return (
            f"{self!r} is below 1e-307 on some of these samples, which float64 takes for 0; scale the features, or "
            "choose other parameters."
        )

    def __add__(self, other: Kernel) -> Kernel:
        """Return the kernel k1(x, z) + k2(x, z)."""
        return self.algebra.sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        """Return the kernel k1(x, z) k2(x, z), or a k(x, z) for a number a > 0."""
        if isinstance(other, Kernel):
            return self.algebra.product(self, other)
        return self.algebra.scaled(self, cast(float, other)) if isinstance(other, _NUMBER) else NotImplemented

    def __rmul__(self, factor: Any) -> Kernel:
        """Return the kernel a k(x, z) for a number a > 0."""
        return self.algebra.scaled(self, cast(float, factor)) if isinstance(factor, _NUMBER) else NotImplemented

    def __pow__(self, exponent: int) -> Kernel:
        """Return the kernel k(x, z)^n for an integer n >= 1."""
        return self.algebra.power(self, exponent)

    def exp(self) -> Kernel:
        """Return the kernel exp(k(x, z))."""
        return self.algebra.exponential(self)

    def polynomial(self, coefficients: ArrayLike) -> Kernel:
        """Return the kernel c_0 + c_1 k(x, z) + c_2 k(x, z)^2 + ... for coefficients of at least 0.

        Parameters
        ----------
        coefficients
            c_0, c_1, ..., at least 0 and one of them above 0.
        """
        return self.algebra.polynomial(self, coefficients)

    def compose(self, phi: Callable[[Samples], ArrayLike]) -> Kernel:
        """Return the kernel k(phi(x), phi(z)); see :class:`~qpkernels.kernels.Composed` for what phi may be.

        Parameters
        ----------
        phi
            A map of samples, one row for each.
        """
        return self.algebra.composed(self, phi)


def parameters_of(kernel: Kernel) -> dict[str, Any]:
    """Return the parameters of a kernel, those of kernels in it under their name and two underscores.

    ``RBF(0.1) + Linear()`` has ``left``, ``left__gamma`` and ``right``.
    """
    found: dict[str, Any] = {}
    # Fields that it is made with: others follow from these.
    names: list[str] = [each.name for each in fields(kernel) if each.init] if is_dataclass(kernel) else []
    for name in names:
        found[name] = value = getattr(kernel, name)
        if isinstance(value, Kernel):
            found |= {f"{name}__{inner}": each for inner, each in parameters_of(value).items()}
    return found


def with_parameters(kernel: Kernel, changes: Mapping[str, Any]) -> Kernel:
    """Return the kernel with other values of its parameters, named as :func:`parameters_of` names them.

    Raises
    ------
    ParameterError
        If it has no such parameter, or does not take the value.
    """
    known, own, inner = parameters_of(kernel), dict[str, Any](), dict[str, dict[str, Any]]()
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        if first not in known or (rest and not isinstance(changes.get(first, known[first]), Kernel)):
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ParameterError(f"the kernel {kernel!r} has no parameter {name!r}; {has}.")
        if rest:
            inner.setdefault(first, {})[rest] = value
        else:
            own[first] = value
    own |= {name: with_parameters(own.get(name, known[name]), rest) for name, rest in inner.items()}
    try:
        return replace(kernel, **own) if own else kernel  # type: ignore[type-var]
    except (ShapeError, TypeError) as error:
        raise ParameterError(f"{kernel!r} does not take {shown(own)}: {error}") from error
