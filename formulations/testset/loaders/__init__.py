# SPDX-License-Identifier: BSD-3-Clause
"""Scripts that are written beside the problems, for the benchmarks that read them; they import nothing from here."""
