# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels``: what it does, and what its options mean."""

__all__: list[str] = []
