# SPDX-License-Identifier: BSD-3-Clause
"""A KernelQP whose level is an unknown, as that of nu-machines: program, bounds and enclosure."""

__all__: list[str] = []
