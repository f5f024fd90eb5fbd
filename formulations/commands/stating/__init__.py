# SPDX-License-Identifier: BSD-3-Clause
"""What options state: samples, kernels and models."""

__all__: list[str] = []
