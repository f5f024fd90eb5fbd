# SPDX-License-Identifier: BSD-3-Clause
"""Kernels and the samples that functions are sums over, as the arrays of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import FeatureNames, Samples, is_sparse
from qpkernels.arrays.archives import check_compressed
from qpkernels.errors import FileFormatError
from qpkernels.kernels.base import Kernel
from qpkernels.kernels.base.spec import kernel_from_spec, kernel_to_spec

__all__ = ["Centers"]

_SPARSE_PARTS = ("data", "indices", "indptr", "shape")
"""What a file holds of sparse centers, under names that begin with centers_."""


@dataclass(frozen=True, eq=False)
class Centers:
    """The samples that functions are sums over, with their kernel, in a file without pickle.

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
        """Refuse a file that has not all of them, and those named ``others``.

        Raises
        ------
        FileFormatError
            With the arrays that it holds.
        """
        sparse = {f"centers_{part}" for part in _SPARSE_PARTS} <= set(arrays)
        if not ({"kernel", *others} <= set(arrays) and (sparse or "centers" in arrays)):
            raise FileFormatError(f"{path} must be {what}, but it holds {', '.join(arrays)}; save it again.")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> Centers:
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
