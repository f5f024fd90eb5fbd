# SPDX-License-Identifier: BSD-3-Clause
"""Times of many machines at once: python -m benchmarks.batch --data FOLDER."""
