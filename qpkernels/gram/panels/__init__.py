# SPDX-License-Identifier: BSD-3-Clause
"""Rows of kernel matrices at the speed of the machine: made and summed a panel at a time, on all processors.

What is done with a panel while it is in a processor's cache (loops), which samples it is made of (products, and
compiled: samples), and from these the sums that every answer consists of (sums).
"""

__all__: list[str] = []
