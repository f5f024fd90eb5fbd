# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the models with real targets."""

from extensions.conventions.convention import Convention

__all__ = ["REGRESSION"]

REGRESSION: tuple[Convention, ...] = ()
