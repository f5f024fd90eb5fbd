# SPDX-License-Identifier: BSD-3-Clause
"""The page of `qpkernels lab` in a real browser: how soon a point that is dragged has its proved picture."""
