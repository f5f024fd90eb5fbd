# SPDX-License-Identifier: BSD-3-Clause
"""Answers from outside, read in the terms of the models that they answer."""

__all__: list[str] = []
