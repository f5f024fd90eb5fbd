# SPDX-License-Identifier: BSD-3-Clause
"""Linear machines at the scale of LIBLINEAR, beside it: ``python -m benchmarks.linear --data FOLDER``."""
