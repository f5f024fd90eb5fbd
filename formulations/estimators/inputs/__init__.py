# SPDX-License-Identifier: BSD-3-Clause
"""What the parameters of estimators mean: kernels, losses, weights of samples and classes."""

__all__: list[str] = []
