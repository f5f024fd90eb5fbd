# SPDX-License-Identifier: BSD-3-Clause
"""What to write for speed, and what not: docs/performance/tips.md, and the code of docs/use/performance.md."""
