# SPDX-License-Identifier: BSD-3-Clause
"""Checks of parameters that several kernels share."""

from typing import Any

import numpy as np

from qpkernels.errors import ParameterError

__all__ = ["check_finite", "check_flag"]


def check_finite(value: Any, name: str) -> float:
    """Return ``value`` as a float if it is a finite number.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if not isinstance(value, int | float | np.integer | np.floating) or not np.isfinite(value):
        raise ParameterError(f"{name} must be a finite number, but {value!r} came.")
    return float(value)


def check_flag(value: Any, name: str) -> bool:
    """Return ``value`` as a bool if it is one.

    Raises
    ------
    ParameterError
        Otherwise.
    """
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, but {value!r} came.")
    return bool(value)
