# SPDX-License-Identifier: BSD-3-Clause
"""The function that a kernel machine finds, several such functions over the same samples, and their files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import block_diag, csr_array, vstack

from qpkernels.arrays import (
    FeatureNames,
    Matrix,
    Samples,
    Vector,
    check_feature_names,
    check_finite,
    finite_vector,
    frozen,
    is_sparse,
    read_array,
    real_number,
    row_blocks,
)
from qpkernels.arrays.containers import by_blocks, is_dask
from qpkernels.arrays.files import check_compressed, load_arrays, npz_path, parsing, replacing, sized
from qpkernels.arrays.threads import blas_threads_worth
from qpkernels.display import count
from qpkernels.errors import FileFormatError, ParameterError, ShapeError
from qpkernels.gram.features import weights_of
from qpkernels.gram.panels.products import EXPONENT_ERROR
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.kernels.approximations import Nystroem
from qpkernels.kernels.kernel import Kernel
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.products import ProductForm
from qpkernels.kernels.spec import kernel_from_spec, kernel_to_spec

__all__ = [
    "Expansion",
    "Expansions",
    "StoredCenters",
    "check_width",
]

_WHAT = "a function written by Expansion.save"

_SPARSE_PARTS = ("data", "indices", "indptr", "shape")
"""The arrays that a file holds for sparse centers, under names that begin with centers_."""


@dataclass(frozen=True, eq=False)
class Expansion:
    r"""f(x) + b with :math:`f(x) = \sum_j \beta_j k(x_j, x)`.

    Parameters
    ----------
    kernel
        k.
    centers
        The samples x_j, dense or sparse; the samples that the function is called with may be either.
    coefficients
        beta_j, shape (number of centers,).
    intercept
        b.
    classes
        The pair (label of negative values, label of positive values) of a classifier, or None.
    feature_names
        The columns of the data frame that the centers come from. A data frame that the function is called with must
        have the same columns, or those that the kernel takes by name. None if the columns have no names.

    Examples
    --------
    >>> from qpkernels import RBF, Expansion
    >>> f = Expansion(RBF(gamma=0.5), [[0.0], [1.0]], [1.0, -1.0], intercept=0.5)
    >>> print(f([[0.0], [0.5], [1.0]]).round(3), f"{f.squared_norm:.3f}")
    [0.893 0.5   0.107] 0.787
    """

    kernel: Kernel
    centers: Samples = field(repr=False)
    coefficients: Vector = field(repr=False)
    intercept: float = 0.0
    classes: NDArray[Any] | None = None
    feature_names: FeatureNames = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise ParameterError(f"an Expansion takes a Kernel first, but {type(self.kernel).__name__} came first.")
        centers = self.kernel.samples(self.centers)
        object.__setattr__(self, "centers", frozen(centers))
        coefficients = finite_vector(self.coefficients, "coefficients", centers.shape[0])
        object.__setattr__(self, "coefficients", frozen(coefficients))
        object.__setattr__(self, "intercept", real_number(self.intercept, "intercept"))
        if self.classes is not None:
            classes = read_array(self.classes, "classes")
            # Objects would need pickle in a file; labels of text arrive as such from tables.
            plain = np.array(classes.tolist()) if classes.dtype == object else classes
            if plain.dtype == object or plain.shape != (2,):
                raise ShapeError(f"classes must be two labels, numbers or text, but {classes.tolist()} came.")
            object.__setattr__(self, "classes", plain)

    @classmethod
    def over(
        cls,
        kernel: Kernel,
        centers: Samples,
        coefficients: Vector,
        intercept: float,
        classes: NDArray[Any] | None,
        feature_names: FeatureNames,
    ) -> Expansion:
        """Return the function without checking or copying its parts, which must be sound and not used elsewhere.

        Parameters
        ----------
        kernel, centers, coefficients, intercept, classes, feature_names
            As in :class:`Expansion`.
        """
        function = cls.__new__(cls)
        # A frozen dataclass sets nothing, but its dictionary takes it.
        vars(function).update(
            kernel=kernel,
            centers=frozen(centers),
            coefficients=frozen(coefficients),
            intercept=intercept,
            classes=classes,
            feature_names=feature_names,
        )
        return function

    def __getstate__(self) -> dict[str, Any]:
        """Return the content of a pickle: only the fields, from which the rest is computed again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __call__(self, X: ArrayLike) -> Vector:
        """Return the decision values f(x_i) + b, shape (number of samples,); memory stays bounded.

        For a Dask array the result is a Dask array, and each block is computed where it is stored.

        Parameters
        ----------
        X
            Samples in a form that the kernel takes; for most kernels a matrix with one sample per row.

        Raises
        ------
        ShapeError, FeatureNamesError
            If the features of ``X`` differ from those of the centers.
        """
        if is_dask(X):
            return by_blocks(self, X, None, np.float64)
        check_feature_names(X, self.feature_names, self.kernel.names)
        samples = self.kernel.samples(X)
        check_width(samples, self.centers)
        return self.at_samples(samples)

    def at_samples(self, samples: Samples) -> Vector:
        """Return the decision values of samples that the kernel has already prepared.

        Parameters
        ----------
        samples
            The samples as ``kernel.samples`` returns them, in the form of the centers.
        """
        weights = self._weights
        features = None if weights is None else _features(self.kernel, samples)
        if weights is not None and features is not None:
            return np.asarray(features @ weights + self.intercept)
        values = np.full(samples.shape[0], self.intercept)
        add_kernel_sums(self.kernel, self.centers, self.coefficients, samples, values, self._between)
        return values

    @cached_property
    def _between(self) -> _ValuesAt:
        return _ValuesAt(self.kernel, self.centers)

    def in_features(self) -> Vector:
        """Return the w of f(x) = <w, phi(x)> in the features of the kernel, which must have some."""
        assert self._weights is not None
        return self._weights

    @cached_property
    def _weights(self) -> Vector | None:
        """The w of f(x) = <w, phi(x)> in the features of the kernel, or None if it has none.

        Kernel sums over samples far from the origin and close to each other lose the digits in which these differ.
        """
        features = _features(self.kernel, self.centers)
        if features is None or is_sparse(features):
            return None if features is None else np.asarray(self.coefficients @ features)
        return weights_of(features, self.coefficients, features.mean(axis=0))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return class labels (the positive one where f(x) + b > 0), or the values if there are no classes.

        Parameters
        ----------
        X
            As in :meth:`__call__`.
        """
        if is_dask(X) and self.classes is not None:
            return by_blocks(self.predict, X, None, self.classes.dtype)
        values = self(X)
        return values if self.classes is None else self.classes[(values > 0).astype(np.intp)]

    @property
    def weights(self) -> Vector:
        """The weights w = sum_j beta_j x_j of the linear function <w, x> + b, shape (d,); only for Linear."""
        if not isinstance(self.kernel, Linear):
            raise AttributeError(
                f"a function in the space of {self.kernel!r} has no weights; only one of Linear() has."
            )
        assert self._weights is not None
        return self._weights.copy()

    def with_exact_kernel(self) -> Expansion:
        """Return the same function, found in the space of :class:`~qpkernels.Nystroem`, in that of the exact kernel.

        It is a function over the landmarks and has the same norm.

        Raises
        ------
        ParameterError
            If the kernel is not Nystroem, since the space of another does not lie within that of the exact kernel.
        """
        if not isinstance(self.kernel, Nystroem):
            raise ParameterError(
                f"only a function in the space of a Nystroem is one in that of the exact kernel, but this is in that "
                f"of {self.kernel!r}."
            )
        landmarks, coefficients = self.kernel.condensed(self.in_features())
        return replace(self, kernel=self.kernel.base, centers=landmarks, coefficients=coefficients)

    @property
    def squared_norm(self) -> float:
        """||f||^2 = beta'K beta in the space of the kernel, without b."""
        if self._weights is not None:
            return float(self._weights @ self._weights)
        values = np.zeros(self.coefficients.size)
        add_kernel_sums(self.kernel, self.centers, self.coefficients, self.centers, values)
        return float(self.coefficients @ values)

    def save(self, path: str | Path) -> Path:
        """Write the function to a .npz file, every number exact and without pickle; return the path with its suffix.

        Parameters
        ----------
        path
            The file to write; ``.npz`` is added if it is missing, and an existing file is replaced.
        """
        target = npz_path(path)
        contents = StoredCenters(self.kernel, self.centers, self.feature_names).to_arrays()
        if self.classes is not None:
            contents["classes"] = self.classes
        with replacing(target) as file:
            np.savez_compressed(file, coefficients=self.coefficients, intercept=np.array(self.intercept), **contents)
        return target

    @classmethod
    def load(cls, path: str | Path) -> Expansion:
        """Read a function that :meth:`save` wrote. Nothing in the file is executed.

        Parameters
        ----------
        path
            The file, with its suffix ``.npz``.

        Raises
        ------
        FileFormatError
            If the file is damaged, is of another kind, or holds a kernel of a class that is not imported.
        """
        arrays = load_arrays(path, _WHAT)
        StoredCenters.check_arrays(arrays, path, _WHAT, "coefficients", "intercept")
        with parsing(path, _WHAT):
            known = StoredCenters.from_arrays(arrays)
            return cls(
                kernel=known.kernel,
                centers=known.samples,
                coefficients=arrays["coefficients"],
                intercept=check_finite(sized(arrays["intercept"], "the intercept").item(), "the intercept"),
                classes=arrays.get("classes"),
                feature_names=known.feature_names,
            )


def check_width(samples: Samples, centers: Samples) -> None:
    """Refuse samples whose features differ from those of the centers of a function.

    Raises
    ------
    ShapeError
        If they do; the message states both numbers.
    """
    if samples.shape[1:] != centers.shape[1:]:
        known, came = (
            count(each.shape[1], "feature") if len(each.shape) == 2 else f"the shape {each.shape[1:]}"
            for each in (centers, samples)
        )
        raise ShapeError(f"the function was fitted to samples with {known}, but those of X have {came}.")


def _features(kernel: Kernel, X: Samples) -> Samples | None:
    """Return explicit features, dense where they are few, or sparse; None: the kernel has none."""
    features = kernel.features(X)
    return kernel.sparse_features(X) if features is None else features


_CLOSE = 0.1 * EXPONENT_ERROR
"""Largest error of an exponent in values that are summed with any coefficients, and may cancel."""


class _ValuesAt:
    """The kernel values of new samples with some centers; the part that needs the centers alone is computed once."""

    def __init__(self, kernel: Kernel, centers: Samples) -> None:
        self._kernel, self._centers = kernel, centers

    @cached_property
    def _known(self) -> tuple[ProductForm, tuple[Samples, Vector]] | None:
        """The form of the kernel, with what it makes of the centers; None: it has none that is as exact."""
        form = self._kernel.product_form(self._centers)
        exact = form is not None and form.error(self._centers) <= _CLOSE
        return (form, form.features(self._centers)) if form is not None and exact else None

    def __call__(self, X: Samples) -> Matrix:
        """Return the values, shape (number of samples, number of centers)."""
        with np.errstate(over="ignore", invalid="ignore"), blas_threads_worth(float(X.size) * self._centers.shape[0]):
            if self._known is None or is_sparse(X) != is_sparse(self._centers):
                return self._kernel.matrix(X, self._centers)
            form, features = self._known
            if form.error(X) > _CLOSE:
                return self._kernel.matrix(X, self._centers)
            return form.values(form.features(X), features)


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""f_k(x) + b_k with :math:`f_k(x) = \sum_j \beta_{jk} k(x_j, x)`, for several k.

    A kernel value is computed once, however many functions use it.

    Attributes
    ----------
    kernel
        k.
    centers
        The samples x_j in a form that the kernel takes; an empty array of such samples if all functions are constant.
    coefficients
        beta, shape (number of centers, number of functions); sparse if few functions use a center.
    intercepts
        b, shape (number of functions,).
    feature_names
        The columns of the data frame that the centers come from, or None.
    """

    kernel: Kernel
    centers: Samples = field(repr=False)
    coefficients: Matrix | csr_array = field(repr=False)
    intercepts: Vector
    feature_names: FeatureNames = None

    @classmethod
    def of(cls, functions: Sequence[Expansion]) -> Expansions:
        """Return functions in the space of one kernel; they need not share their centers."""
        first = functions[0]
        intercepts = np.array([each.intercept for each in functions])
        if len(functions) == 1:
            centers: Any = first.centers
            coefficients: Any = first.coefficients[:, None]
        else:
            parts = [each.centers for each in functions]
            centers = csr_array(vstack(parts)) if is_sparse(first.centers) else np.concatenate(parts)
            coefficients = csr_array(block_diag([each.coefficients[:, None] for each in functions]))
        return cls(first.kernel, centers, coefficients, intercepts, first.feature_names)

    def __getstate__(self) -> dict[str, Any]:
        """Return the content of a pickle: only the fields, from which the rest is computed again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the values, shape (number of samples, number of functions); memory stays bounded.

        Raises
        ------
        ShapeError, FeatureNamesError
            If the features of ``X`` differ from those of the centers.
        """
        check_feature_names(X, self.feature_names, self.kernel.names)
        samples = self.kernel.samples(X)
        check_width(samples, self.centers)
        if not self.centers.shape[0]:
            return np.tile(self.intercepts, (samples.shape[0], 1))
        if self.intercepts.size == 1:
            return self._only.at_samples(samples)[:, None]
        values = np.empty((samples.shape[0], self.intercepts.size))
        weights = self._weights
        for rows in row_blocks(samples.shape[0], (self.centers if weights is None else weights).shape[0]):
            if weights is None:
                known = self.kernel.check_values(self._between(samples[rows]))
                with blas_threads_worth(float(known.size) * self.intercepts.size):
                    values[rows] = (self._by_function @ known.T).T
            else:
                values[rows] = np.asarray(self.kernel.features(samples[rows])) @ weights
        return np.asarray(values + self.intercepts)

    @property
    def sample_shape(self) -> tuple[int, ...]:
        """The shape of one sample."""
        return tuple(self.centers.shape[1:])

    @property
    def takes_sparse(self) -> bool:
        """Whether the kernel takes sparse samples."""
        return self.kernel.takes_sparse

    @cached_property
    def _between(self) -> _ValuesAt:
        return _ValuesAt(self.kernel, self.centers)

    @cached_property
    def _by_function(self) -> Matrix | csr_array:
        """The coefficients of each function, one a row."""
        turned = self.coefficients.T
        return csr_array(turned) if is_sparse(turned) else np.ascontiguousarray(turned)

    @cached_property
    def _only(self) -> Expansion:
        """The function, where there is one."""
        return self[0]

    @cached_property
    def _weights(self) -> Matrix | None:
        """The weights of the functions in the features of the kernel, one a column, or None if it has none."""
        if not self.centers.shape[0] or self.kernel.features(self.centers[:1]) is None:
            return None
        return np.column_stack([self[number].in_features() for number in range(self.intercepts.size)])

    @property
    def weights(self) -> Matrix:
        """The weights of the linear functions <w_k, x> + b_k, shape (number of functions, d); only for Linear.

        A Nystroem approximation of it has such functions too.
        """
        if not self.centers.shape[0]:
            return np.zeros((self.intercepts.size, self.centers.shape[1]))
        each = [self[number] for number in range(self.intercepts.size)]
        return np.array([(f.with_exact_kernel() if isinstance(f.kernel, Nystroem) else f).weights for f in each])

    def condensed(self) -> Expansions:
        """Return the same functions over fewer points, where the kernel has such points."""
        few = None if self._weights is None else self.kernel.condensed(self._weights)
        return self if few is None else replace(self, centers=few[0], coefficients=few[1])

    def __getitem__(self, number: int) -> Expansion:
        """Return a function by itself, over the centers that it has a coefficient for."""
        column = self.coefficients[:, [number]]
        own = np.asarray(column.todense() if isinstance(column, csr_array) else column).ravel()
        used = np.flatnonzero(own)
        used = used if used.size else np.arange(1)
        b = float(self.intercepts[number])
        return Expansion.over(self.kernel, self.centers[used], own[used], b, None, self.feature_names)


@dataclass(frozen=True, eq=False)
class StoredCenters:
    """The samples over which functions are sums, with their kernel, in a file without pickle.

    Attributes
    ----------
    kernel
        k.
    samples
        The x_j, dense or sparse.
    feature_names
        The names of their columns, or None.
    """

    kernel: Kernel
    samples: Samples
    feature_names: FeatureNames

    def to_arrays(self) -> dict[str, Any]:
        """Return the arrays by their names in the file."""
        own: list[NDArray[Any]] = []
        contents: dict[str, Any] = {"kernel": np.array(json.dumps(kernel_to_spec(self.kernel, own)))}
        contents |= {f"array_{k}": array for k, array in enumerate(own)}
        if is_sparse(self.samples):
            contents |= {f"centers_{part}": np.asarray(getattr(self.samples, part)) for part in _SPARSE_PARTS}
        else:
            contents["centers"] = self.samples
        if self.feature_names is not None:
            contents["feature_names"] = np.array(self.feature_names)
        return contents

    @staticmethod
    def check_arrays(arrays: Mapping[str, Any], path: str | Path, what: str, *others: str) -> None:
        """Refuse a file that lacks one of these arrays or one of those named ``others``.

        Raises
        ------
        FileFormatError
            If one is missing; the message lists the arrays that the file holds.
        """
        sparse = {f"centers_{part}" for part in _SPARSE_PARTS} <= set(arrays)
        if not ({"kernel", *others} <= set(arrays) and (sparse or "centers" in arrays)):
            raise FileFormatError(f"{path} must be {what}, but it holds {', '.join(arrays)}; save it again.")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> StoredCenters:
        """Return what :meth:`to_arrays` wrote, executing nothing."""
        own = [arrays[f"array_{k}"] for k in range(sum(name.startswith("array_") for name in arrays))]
        kernel = kernel_from_spec(json.loads(str(arrays["kernel"])), own)
        names = tuple(arrays["feature_names"].tolist()) if "feature_names" in arrays else None
        return cls(kernel, arrays["centers"] if "centers" in arrays else _sparse(arrays), names)


def _sparse(arrays: Mapping[str, Any]) -> Samples:
    data, indices, indptr, shape = (arrays[f"centers_{part}"] for part in _SPARSE_PARTS)
    rows, columns = (int(size) for size in shape)
    check_compressed(indptr, indices, data, (rows, columns))
    return csr_array((data, indices, indptr), shape=(rows, columns))
