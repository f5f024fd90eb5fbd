# SPDX-License-Identifier: BSD-3-Clause
"""Array types, the checks that every entry point shares, and, loaded apart, the compiler of loops over arrays."""

from qpkernels.arrays.checks import (
    Floats,
    Indices,
    Matrix,
    Samples,
    Vector,
    check_count,
    check_positive,
    finite_matrix,
    finite_samples,
    finite_vector,
    frozen,
    is_integer,
    is_sparse,
    npz_path,
    row_blocks,
)

__all__ = [
    "Floats",
    "Indices",
    "Matrix",
    "Samples",
    "Vector",
    "check_count",
    "check_positive",
    "finite_matrix",
    "finite_samples",
    "finite_vector",
    "frozen",
    "is_integer",
    "is_sparse",
    "npz_path",
    "row_blocks",
]
