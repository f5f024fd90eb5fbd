# SPDX-License-Identifier: BSD-3-Clause
"""The kernel matrix of a batch: the order of its samples, its tiles, its rows, and its product with all betas."""

__all__: list[str] = []
