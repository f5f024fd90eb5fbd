# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the models with real targets."""

from conventions.regression import losses, squares, tubes

__all__ = ["losses", "squares", "tubes"]
