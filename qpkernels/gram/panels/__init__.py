# SPDX-License-Identifier: BSD-3-Clause
"""Rows of kernel matrices at the speed of the machine: made and summed a panel at a time, on all processors.

The work on a panel while it is in a processor's cache (loops), the samples that it is made of (products, and compiled:
samples), and the sums that every answer consists of (sums).
"""

__all__: list[str] = []
