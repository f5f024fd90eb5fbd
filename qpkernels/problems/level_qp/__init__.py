# SPDX-License-Identifier: BSD-3-Clause
"""A KernelQP whose level is unknown, as in nu-machines: program, bounds and enclosure."""

__all__: list[str] = []
