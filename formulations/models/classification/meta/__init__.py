# SPDX-License-Identifier: BSD-3-Clause
"""Models made of models of two classes: several classes, and probabilities."""

__all__: list[str] = []
