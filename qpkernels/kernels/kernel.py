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
from qpkernels.errors import NoEnclosureError, NonFiniteError, NoProofError, ParameterError, ShapeError
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

    It acts on each sample separately: a row of its result depends only on the same row of ``X``.

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
        """Return ``X``, checked and in the container that this function works on; by default finite float64."""
        return finite_matrix(X, "X")


_OF_A_MATRIX = (
    "entry",
    "portable",
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
    """The constructors of kernels from kernels that the operators of :class:`Kernel` call.

    They are kernels themselves, so the package fills them in after this class exists.
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
    * ``features(X) @ features(Z).T == matrix(X, Z)`` where the kernel has features
    * ``matrix(X, X)`` has no negative eigenvalue when :attr:`positive_semidefinite` is true.

    Kernels combine: ``k1 + k2``, ``k1 * k2``, ``a * k`` with a > 0, ``k ** n`` with an integer n >= 1, ``k.exp()``,
    ``k.polynomial([c0, c1, c2])`` with coefficients >= 0, ``k.compose(phi)`` for k(phi(x), phi(z)), and
    ``RankOne(f)`` is the kernel f(x) f(z).

    Notes
    -----
    Arguments of the methods:

    X, Z
        m and n samples, in the container that :meth:`samples` returned.
    x, z
        The names of the two samples in the formula.
    left, right
        Axes along which x and z move, integers from 0, each repeated as often as the order of its derivative says.
    weights
        Weights of the features, shape (d,), or (d, n) for n functions.
    generator, count, features
        The random generator, the number of frequencies to draw, and the number of features of a sample.

    Examples
    --------
    >>> from qpkernels import RBF, Linear
    >>> kernel = 2 * RBF(gamma=1.0) + Linear() ** 2
    >>> print(kernel([[0.0], [1.0]], [[1.0]]).round(3).tolist(), kernel.positive_semidefinite)
    [[0.736], [3.0]] True
    """

    algebra: ClassVar[Algebra]

    entry: ClassVar[KernelEntry | None] = None
    """The name and the parameters by which the kernel is chosen; None if it can only be stated as an object."""

    tested: ClassVar[bool] = False
    """Whether these laws are tested for the class, as for some of this library; others are checked on few samples."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Drop what is inherited of a product form, errors, derivatives and tests from a subclass with its own matrix.

        That matrix may belong to another function.
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
        """Return the kernel with the given values of the parameters of :attr:`entry`, by their names there.

        Parameters
        ----------
        **values
            The values, by the names of the parameters.

        Raises
        ------
        ParameterError
            If a value is outside its range, or if a required value is missing.
        """
        return cls(**values)

    def stated(self) -> dict[str, Any]:
        """Return the values of the parameters of :attr:`entry` by their names there: what :meth:`named` takes."""
        entry = self.entry
        return {} if entry is None else {each.name: getattr(self, each.name) for each in entry.own}

    def portable(self) -> dict[str, Any]:
        """Return the kernel in the vocabulary of portable proofs, which ``proofcheck`` computes in exact arithmetic.

        Raises
        ------
        NoProofError
            If that vocabulary has no words for it.
        """
        raise NoProofError(
            f"a portable proof has no words for the kernel {type(self).__name__}: it knows linear, polynomial, RBF, "
            "Laplacian, Matern (nu of 1/2, 3/2, 5/2 and infinity), matching and spectrum kernels, matrices, and sums, "
            "products, multiples and powers of these. model.enclose(answer) proves an interval here."
        )

    @abstractmethod
    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        """Return the matrix k(x_i, z_j), dense, of m and n samples that :meth:`samples` returned; shape (m, n)."""

    @abstractmethod
    def diagonal(self, X: Samples) -> Vector:
        """Return k(x_i, x_i), shape (m,), of m samples that :meth:`samples` returned."""

    def formula(self, x: str = "x", z: str = "z") -> str:
        """Return k(x, z) with its parameters, in the notation of :mod:`qpkernels.display.maths`.

        The default is the name of the class.
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

        The default is False: nothing is known, and a :class:`~qpkernels.gram.Gram` checks the whole matrix. A kernel
        for which there is a proof returns True and is only checked on a few samples.
        """
        return False

    @property
    def takes_sparse(self) -> bool:
        """Whether :meth:`matrix` also takes sparse samples (SciPy's csr_array), alone or mixed with dense ones.

        :mod:`qpkernels.kernels.products` provides inner products and distances for both.
        """
        return False

    @property
    def names(self) -> frozenset[str] | None:
        """The columns of a table that the kernel looks up by name, if it takes nothing else; by default None."""
        return None

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where k(x, x) = 0 in exact arithmetic, shape (m,); a computed 0 is not an underflow there.

        The default is wherever the computed value is 0.
        """
        return np.equal(self.diagonal(X), 0.0)

    def features(self, X: Samples) -> Matrix | None:
        """Return dense features Phi, shape (m, d), with k(x, z) = phi(x)'phi(z), or None if there are too many."""
        del X
        return None

    def sparse_features(self, X: Samples) -> Any:
        """Return any number of features Phi as a csr_array of shape (m, d), or None if they are not sparse."""
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
        product, D^left f(x) = <f, D^(left, ()) k(x, .)>. The default is the smallest value among the kernels that this
        one is made of, infinite if there are none, and 0 if the class does not state :meth:`derivative`.
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
            If the kernel does not state this derivative, or if an axis is not the number of a feature.
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
        """Return how k is computed from inner products, centred on the samples ``X``, or None if it has no such form.

        Compiled code computes and sums the rows of a kernel that has such a form.
        """
        del X
        return None

    def computed(self, by: Arithmetic[Value]) -> Value:
        """Return k(x, z), computed with the operations of an arithmetic that may enclose values or write a program.

        Parameters
        ----------
        by
            The arithmetic to compute with.

        Raises
        ------
        ParameterError
            If the kernel does not state such a formula.
        """
        del by
        raise ParameterError(
            f"{self!r} states no formula that another program could compute; take Linear, Polynomial, RBF, Laplacian, "
            "Sigmoid, Matern with nu = 1/2, 3/2, 5/2 or inf, or what these combine to, or give its class the method "
            "computed(by), which states k in the operations of qpkernels.kernels.arithmetic.Arithmetic."
        )

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the maker of rows of k(x_i, z_j) with proved bounds of their rounding errors.

        The default takes them from :meth:`computed`.

        The bounds refer to the exact kernel of the samples and parameters as stored in float64. Values that a user's
        function returns (in :class:`~qpkernels.kernels.Composed` and :class:`~qpkernels.kernels.RankOne`) count as
        data. Bounds may be infinite.

        Raises
        ------
        NoEnclosureError
            If the kernel does not state such bounds.
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

        Such an R proves that samples are linearly dependent in the space of the kernel. By default, R is k where no
        value was rounded, and otherwise 1 for equal samples and 0 for others, so that no other dependence is seen.
        Kernels that are positive semidefinite, and rational functions of the samples, return k, up to positive factors
        of its terms.
        """
        try:
            exact = self.enclosed(X, Z)(slice(None))
        except NoEnclosureError:
            return are_equal(X, Z)
        return are_equal(X, Z) if exact.reach.any() else as_rational(exact.values)

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X``, checked and in the container that this kernel works on; by default a finite float64 matrix.

        Parameters
        ----------
        X
            Samples as users pass them: an array, a table or a sparse matrix.

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` is not such a matrix, or if it is sparse and the kernel does not take sparse samples.
        """
        if is_sparse(X) and not self.takes_sparse:
            raise ShapeError(
                f"{self!r} takes dense samples only, but a sparse matrix came; pass X.toarray(), or choose a kernel "
                "that takes it, such as Linear or RBF, and what these combine to."
            )
        return finite_samples(X, "X")

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> Matrix:
        """Return the matrix k(x_i, z_j), or the matrix of ``X`` with itself when ``Z`` is left out.

        Parameters
        ----------
        X, Z
            Samples, one per row, with the same number of features. Either may be sparse if the kernel allows it.

        Raises
        ------
        ShapeError, NonFiniteError
            If these are not samples of the kernel, if their features differ, or if the kernel overflows on them.
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
        """Return kernel values after checking that they are finite.

        Parameters
        ----------
        K
            Values of this kernel.

        Raises
        ------
        NonFiniteError
            If a value is not finite.
        """
        if not np.isfinite(K).all():
            raise NonFiniteError(self.overflow)
        return K

    @property
    def overflow(self) -> str:
        """The message for samples on which the kernel is not finite."""
        return f"{self!r} is not finite on these samples; scale the features, or choose other parameters."

    @property
    def underflow(self) -> str:
        """The message for samples on which the kernel is not 0 but too small for float64."""
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
            The numbers c_0, c_1, ..., each at least 0 and at least one above 0.
        """
        return self.algebra.polynomial(self, coefficients)

    def compose(self, phi: Callable[[Samples], ArrayLike]) -> Kernel:
        """Return the kernel k(phi(x), phi(z)); see :class:`~qpkernels.kernels.Composed` for what phi may be.

        Parameters
        ----------
        phi
            A function that returns one row for each sample.
        """
        return self.algebra.composed(self, phi)


def parameters_of(kernel: Kernel) -> dict[str, Any]:
    """Return the parameters of a kernel; those of inner kernels are prefixed by the inner name and two underscores.

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
        If the kernel has no such parameter or does not take the value.
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
