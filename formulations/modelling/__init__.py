# SPDX-License-Identifier: BSD-3-Clause
"""How a model is stated, solved and read: a Model is one question, and its Forms state it in CVXPY."""

from formulations.modelling.candidate import Candidate
from formulations.modelling.declaring import Stated, absence, intercept, labelled, per_sample, scalar
from formulations.modelling.form import Form
from formulations.modelling.kernel_machine import Conditions
from formulations.modelling.lowering import ConeAnswer
from formulations.modelling.model import Model
from formulations.modelling.primal import PrimalFunction
from formulations.modelling.sides import Dual, Primal
from formulations.modelling.solution import Solution
from formulations.modelling.statement import Multipliers
from formulations.modelling.tasks import Classification, Novelty, Regression

__all__ = [
    "Candidate",
    "Classification",
    "Conditions",
    "ConeAnswer",
    "Dual",
    "Form",
    "Model",
    "Multipliers",
    "Novelty",
    "Primal",
    "PrimalFunction",
    "Regression",
    "Solution",
    "Stated",
    "absence",
    "intercept",
    "labelled",
    "per_sample",
    "scalar",
]
