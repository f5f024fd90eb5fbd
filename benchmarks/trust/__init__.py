# SPDX-License-Identifier: BSD-3-Clause
"""Solvers before a judge: what they claim of published problems, beside what is proved: ``python -m benchmarks.trust``.

The problems: maros_meszaros. One trial, in processes of their own: trial. What is kept, as JSON: records. What is read:
page and picture.
"""
