# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix of low rank, K~ = Z Z', in place of one that does not fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import (
    FeatureNames,
    Indices,
    Matrix,
    Samples,
    Vector,
    check_choice,
    check_count,
    check_nonnegative,
    check_tolerance,
    frozen,
)
from qpkernels.arrays.checks import finite_rows
from qpkernels.arrays.containers import is_dask
from qpkernels.display import count
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, MissingPackageError, ParameterError
from qpkernels.gram.definiteness import Formed
from qpkernels.gram.features import Features, pivoted_cholesky
from qpkernels.gram.gram import Gram
from qpkernels.gram.low_rank.pivots import partial_cholesky
from qpkernels.gram.low_rank.sources import ArraySource, BlockSource, StreamSource
from qpkernels.kernels.approximations import Nystroem, RandomFourier
from qpkernels.kernels.kernel import Kernel

__all__ = [
    "Approximation",
    "LowRank",
]


_METHODS = ("random", "greedy", "fourier")


class LowRank(Gram):
    r"""K~ = Z Z' of rank r, with Z of shape (m, r), in place of the kernel matrix K of m samples.

    It is the kernel matrix of another kernel, k~, and models take it as any other: ``SoftMargin(LowRank(...), y)``.
    Certificates are about k~. With landmarks, which all methods but "fourier" choose among the samples, k~ is
    Nystroem's approximation: functions in its space are functions in that of k, with the same norm, so that the primal
    value of an answer is the same with the exact kernel, and K - K~ is positive semidefinite.

    Parameters
    ----------
    kernel
        k; positive semidefinite.
    X
        The samples, as ``kernel`` takes them: an array, also one that is mapped from a file, a sparse matrix, a data
        frame; a function without arguments that returns the samples in blocks, in the same order at each call, of
        which only Z is kept; or an array of Dask with blocks of samples, which its workers keep, as they do Z.
    rank
        r, at most m. Fewer columns are made where the residual K - K~ vanishes before, up to rounding.
    trace_error
        Above 0 and below 1: fewer columns are made where the trace of the residual is at most this share of that of K.
        One of the two must be given; without ``rank`` there are as many columns as ``memory_limit`` allows.
    method
        "random": pivots of a Cholesky decomposition drawn with probabilities proportional to the diagonal of the
        residual, which is as good as the best approximation of somewhat smaller rank. "greedy": the largest entry of
        that diagonal, which takes outliers first. "fourier": random Fourier features of a shift-invariant kernel.
    landmarks
        The samples whose functions span the space, in place of a method; those that add nothing are left out.
    seed
        Of the random choices; equal seeds give equal matrices.
    memory_limit
        Largest size in bytes of Z, of Dask of each block of it, and of a matrix m x m where one is asked for.

    Raises
    ------
    ParameterError
        If neither a rank, an error nor landmarks are given, the rank exceeds the number of samples, or an iterator
        came, which can be visited only once.
    GramTooLargeError
        If Z exceeds ``memory_limit``.
    IndefiniteKernelError
        If the kernel proves not to be positive semidefinite.
    ShapeError
        If a stream of blocks changes between visits, or one of Dask has not the samples that its array says.
    WorkersLostError
        If no Dask worker is left, or if they die of a block. Factors that single workers lose are computed again.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels import RBF, LowRank
    >>> X = np.sqrt(np.arange(20.0))[:, None]
    >>> gram = LowRank(RBF(gamma=0.5), X, rank=8, seed=0)
    >>> solution = SoftMargin(gram, np.sign(X[:, 0] - 2.5), C=1.0).solve(tol=1e-6)
    >>> print(gram.features.shape, gram.trace_error < 1e-3, solution.status, f"{solution.objective:.3f}")
    (20, 8) True optimal 4.994
    """

    def __init__(
        self,
        kernel: Kernel,
        X: ArrayLike | Callable[[], Iterable[Any]],
        rank: int | None = None,
        *,
        trace_error: float | None = None,
        method: Literal["random", "greedy", "fourier"] = "random",
        landmarks: ArrayLike | None = None,
        seed: int = 0,
        memory_limit: float = 4 * 2**30,
    ) -> None:
        if not isinstance(kernel, Kernel):
            raise ParameterError(
                f"a LowRank takes a Kernel first, then samples, but {type(kernel).__name__} came first."
            )
        check_choice(method, "method", _METHODS)
        memory_limit = check_nonnegative(memory_limit, "memory_limit")
        self.base, self.source = kernel, _source(kernel, X)
        request = _Request(rank, trace_error, method, landmarks, seed, memory_limit)
        made = _make(kernel, self.source, request)
        self._begin(made.kernel, memory_limit, "refuse")
        self._by_construction, self._settled = True, 0.0
        self._factor = made.factor
        self.feature_names: FeatureNames = self.source.feature_names
        self.residual, self.pivots = frozen(made.residual), made.pivots

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"LowRank({self.base!r}, {len(self)} samples, rank={self.rank})"

    @property
    def extent(self) -> str:
        """In words how many samples there are, and the rank."""
        return f"{count(len(self), 'sample')}, rank {self.rank}"

    @cached_property
    def X(self) -> Samples:
        """The samples, read-only.

        Raises
        ------
        ParameterError
            If they came as a stream, or are Dask's: then they are not kept here.
        """
        if not isinstance(self.source, ArraySource):
            raise ParameterError(
                "the samples came as a stream, or in blocks of Dask, of which the factor alone is kept; for what needs "
                "the samples, pass them as an array, which may be mapped from a file: "
                "numpy.load(path, mmap_mode='r')."
            )
        return frozen(self.source.samples)

    @property
    def rank(self) -> int:
        """Number of columns of Z, r."""
        return self.explicit.shape[1]

    @property
    def trace_error(self) -> float:
        """The trace of the residual K - K~, as a share of that of K; nan for random Fourier features."""
        if isinstance(self.kernel, RandomFourier):
            return float("nan")
        left, kept = float(self.residual.sum()), float(self.diagonal.sum())
        return left / (left + kept) if left else 0.0

    @cached_property
    def exact(self) -> Gram:
        """The matrix K of the exact kernel, of which nothing is computed before it is asked for."""
        return Gram(self.base, self.X, self.memory_limit)

    @property
    def explicit(self) -> Features:
        """Z, and sums over its rows."""
        return self._factor

    @property
    def factored(self) -> Features:
        """The same."""
        return self._factor

    @property
    def sparse_features(self) -> None:
        """None: the factor is dense."""
        return None

    @cached_property
    def kernel_diagonal(self) -> Vector:
        """The m values k~(x_i, x_i)."""
        return frozen(self.explicit.squared_lengths())

    def coefficients(self, coordinates: Vector | Matrix) -> Vector | Matrix:
        """Return a beta with Z'beta = ``coordinates``: at the pivots, where there are such.

        Parameters
        ----------
        coordinates
            Shape (rank,), or (rank, n) for n functions.
        """
        if self.pivots is None or not isinstance(self.kernel, Nystroem):
            return super().coefficients(coordinates)
        coordinates = finite_rows(coordinates, "coordinates", self.rank)
        beta = np.zeros((len(self), *coordinates.shape[1:]))
        beta[self.pivots] = self.kernel.coefficients(coordinates)
        return beta

    def _form(self) -> Formed:
        if self._formed is None:
            size = 8 * len(self) ** 2
            if size > self.memory_limit:
                raise GramTooLargeError(
                    f"the matrix Z Z' of {len(self)} samples takes {size / 2**30:.1f} GiB, above the limit of "
                    f"{self.memory_limit / 2**30:.1f} GiB; the caller does not work on the factor Z."
                )
            Z = self.explicit.matrix
            self._formed = Formed(frozen(Z @ Z.T))
        return self._formed

    def _indefiniteness(self) -> float:
        return 0.0


@dataclass(frozen=True, eq=False)
class Approximation:
    """K~, of low rank, beside K, the matrix of the exact kernel of the same samples, which is never stored.

    Attributes
    ----------
    whole
        The matrix of all samples.
    rows
        The numbers of those that this is about; None: all.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF, LowRank
    >>> from qpkernels.gram import Approximation
    >>> gram = LowRank(RBF(1.0), np.linspace(0, 1, 20)[:, None], rank=3)
    >>> print(gram.rank, Approximation.of(gram).is_projection)
    3 True
    """

    whole: LowRank
    rows: Indices | None = None

    @classmethod
    def of(cls, gram: Gram) -> Approximation | None:
        """Return what ``gram`` approximates, which may be a part of a LowRank; None: nothing.

        Parameters
        ----------
        gram
            Any kernel matrix.
        """
        rows = None
        while not isinstance(gram, LowRank):
            selected = gram.selection
            if selected is None:
                return None
            gram, rows = selected.whole, selected.rows if rows is None else selected.rows[rows]
        return cls(gram, rows)

    @property
    def kernel(self) -> Kernel:
        """The exact kernel k."""
        return self.whole.base

    @property
    def is_projection(self) -> bool:
        """Whether functions in the space of k~ are functions in that of k, with their norm: so it is with landmarks."""
        return isinstance(self.whole.kernel, Nystroem)

    @property
    def exact(self) -> Gram:
        """K, of which nothing is computed before it is asked for.

        Raises
        ------
        ParameterError
            If the samples came as a stream.
        """
        return self.whole.exact if self.rows is None else self.whole.exact.part(self.rows)

    def exact_part(self, numbers: Indices) -> Gram:
        """Return the part of K of these samples, a stream being visited once for them.

        Parameters
        ----------
        numbers
            Numbers of samples.
        """
        chosen = numbers if self.rows is None else self.rows[numbers]
        return Gram(self.kernel, self.whole.source.take(chosen), self.whole.memory_limit)

    @property
    def exact_lengths(self) -> Vector:
        """The m values sqrt(K_ii), of a projection."""
        return self._of_rows(np.sqrt(self.whole.residual + self.whole.diagonal))

    @property
    def distances(self) -> Vector:
        """Bounds of the m distances sqrt(K_ii - K~_ii) of k(x_i, .) from the span of the landmarks, of a projection.

        They hold to first order in the rounding errors of Z = K_{:S} L^{-T}, which divides by the diagonal of L.
        """
        kernel = self.whole.kernel
        assert isinstance(kernel, Nystroem)
        pivots = kernel.triangle.diagonal()
        rounding = np.sqrt(kernel.rank) * _EPS * float(pivots.max() / pivots.min())
        return np.asarray(np.sqrt(self._of_rows(self.whole.residual) + rounding * self.exact_lengths**2))

    def _of_rows(self, values: Vector) -> Vector:
        return values if self.rows is None else values[self.rows]


class _Request(NamedTuple):
    """The parameters of a LowRank."""

    rank: int | None
    trace_error: float | None
    method: str
    landmarks: Any
    seed: int
    memory_limit: float


class _LowRankFactors(NamedTuple):
    """The kernel, Z, the diagonal of the residual, and the numbers of the pivots where these are samples."""

    kernel: Kernel
    factor: Features
    residual: Vector
    pivots: Indices | None


def _make(kernel: Kernel, source: BlockSource, request: _Request) -> _LowRankFactors:
    if request.landmarks is not None:
        if request.rank is not None or request.trace_error is not None or request.method != "random":
            raise ParameterError("landmarks say what is spanned: leave out rank, trace_error and method beside them.")
        return _from_features(_spanned(kernel, request.landmarks), kernel, source, request.memory_limit)
    rank = _rank(source, request)
    if request.method == "fourier":
        if request.rank is None or request.trace_error is not None:
            raise ParameterError("random Fourier features are made by rank: give it, and leave trace_error out.")
        width = int(source.take(np.zeros(1, dtype=np.intp)).shape[1])
        sampled = RandomFourier.sampled(kernel, width, rank, request.seed)
        return _from_features(sampled, kernel, source, request.memory_limit)
    generator = (
        np.random.default_rng(check_count(request.seed, "seed", least=0)) if request.method == "random" else None
    )
    error = 0.0 if request.trace_error is None else check_tolerance(request.trace_error, "trace_error")
    made = partial_cholesky(kernel, source, rank, error, generator)
    return _LowRankFactors(Nystroem(kernel, made.landmarks), made.factor, made.residual, made.pivots)


def _rank(source: BlockSource, request: _Request) -> int:
    m, rows = len(source), source.largest_block or len(source)
    most = int(min(m, request.memory_limit // (8 * rows)))
    if request.rank is None:
        if request.trace_error is None:
            raise ParameterError("a LowRank needs a rank, or a trace_error, or landmarks; give rank=300, say.")
        rank = most
    else:
        rank = check_count(request.rank, "rank")
    if rank > m:
        raise ParameterError(f"rank must be at most the number of samples, {m}, but {rank} came.")
    if rank > most or not rank:
        raise _too_large(rows, max(rank, 1), request.memory_limit)
    return rank


def _too_large(m: int, rank: int, memory_limit: float) -> GramTooLargeError:
    return GramTooLargeError(
        f"the factor of {m} samples and rank {rank} takes {8 * m * rank / 2**30:.2f} GiB, above the limit of "
        f"{memory_limit / 2**30:.2f} GiB; take a smaller rank, or a larger memory_limit."
    )


def _spanned(kernel: Kernel, landmarks: Any) -> Nystroem:
    """Return Nystroem's approximation by those of the landmarks that add to the span."""
    samples = kernel.samples(landmarks)
    K = kernel(samples)
    smallest = float(np.linalg.eigvalsh(K).min())
    if smallest < -1e-8 * float(np.abs(K.diagonal()).max()):
        raise IndefiniteKernelError(
            f"{kernel!r} has no factor of low rank: the matrix of the landmarks has the eigenvalue {smallest:.6g}, so "
            "it is not positive semidefinite; take another kernel.",
            smallest,
        )
    return Nystroem(kernel, samples[pivoted_cholesky(K, K.diagonal()).pivots])


@dataclass(frozen=True, eq=False)
class _FeatureColumns:
    """All columns of explicit features, and the diagonal of what they leave."""

    approximation: Nystroem | RandomFourier
    kernel: Kernel

    def __call__(self, samples: Samples, before: Matrix) -> tuple[Matrix, Vector]:
        """Return the features of a block of samples, and what they leave of the diagonal."""
        del before
        features = self.approximation.features(samples)
        return features, np.maximum(self.kernel.diagonal(samples) - np.einsum("ij,ij->i", features, features), 0.0)


def _from_features(
    approximation: Nystroem | RandomFourier, kernel: Kernel, source: BlockSource, memory_limit: float
) -> _LowRankFactors:
    """Return the matrix of a kernel with explicit features, made block by block."""
    rank, rows = approximation.rank, source.largest_block or len(source)
    if 8 * rows * rank > memory_limit:
        raise _too_large(rows, rank, memory_limit)
    factor = source.factor(rank)
    residual = factor.extend(_FeatureColumns(approximation, kernel), rank)
    return _LowRankFactors(approximation, factor.finished(), residual, None)


_EPS = float(np.finfo(float).eps)


def _source(kernel: Kernel, X: Any) -> BlockSource:
    """Return the source that stands for what a user passes: samples, or a function that returns blocks of them.

    Samples of Dask stay with its workers.

    Raises
    ------
    ParameterError
        If an iterator came: it cannot begin anew.
    MissingPackageError
        If an array of Dask came, but its workers are not installed.
    """
    if isinstance(X, BlockSource):
        return X
    if is_dask(X):
        try:
            from qpkernels.gram.low_rank.workers import DaskSource
        except ImportError as error:
            raise MissingPackageError(
                f"samples of Dask need dask[distributed], which is not all there ({error}); run: "
                'pip install "dask[distributed]"'
            ) from error
        return DaskSource(kernel, X)
    if callable(X):
        return StreamSource(kernel, X)
    if isinstance(X, Iterator):
        raise ParameterError(
            f"samples are visited more than once, but {type(X).__name__} can be only once; pass a function that "
            "returns it anew: lambda: ..."
        )
    return ArraySource(kernel, X)
