# SPDX-License-Identifier: BSD-3-Clause
"""Times against other solvers, each answer judged by its own certificate: ``python -m benchmarks --data folder``."""
