# SPDX-License-Identifier: BSD-3-Clause
"""Statements of models in CVXPY: a Form, its two sides, and the way to matrices and back."""

from formulations.modelling.forms.form import Form
from formulations.modelling.forms.lowering import ConeAnswer, Lowered, lower
from formulations.modelling.forms.sides import Dual, Primal

__all__ = ["ConeAnswer", "Dual", "Form", "Lowered", "Primal", "lower"]
