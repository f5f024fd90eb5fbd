# SPDX-License-Identifier: BSD-3-Clause
"""All that the package offers under its own name."""

from formulations.classification.least_squares import LeastSquaresClassifier
from formulations.classification.logistic import Logistic, PenalisedLogistic
from formulations.classification.lp import LinearProgramMachine
from formulations.classification.margin_loss import MarginLossClassifier, losses_of_margins
from formulations.classification.margins.hard_margin import HardMargin
from formulations.classification.margins.nu_margin import NuMargin
from formulations.classification.margins.soft_margin import SoftMargin
from formulations.classification.margins.squared_hinge import SquaredHinge
from formulations.classification.meta.calibration import Calibration, PlattCalibration
from formulations.classification.meta.multiclass import MulticlassSolution, OneVersusOne, OneVersusRest
from formulations.classification.meta.two_level import TwoLevelMachine, calibrate, cross_validated_scores
from formulations.classification.norm_constrained import NormConstrainedClassifier
from formulations.classification.one_class import OneClass
from formulations.classification.separation.perceptron import BatchPerceptron, Perceptron, mistake_bound
from formulations.classification.separation.separability import HullIntersection, Separability
from formulations.incremental import Incremental
from formulations.judging.audit import Audit, audit
from formulations.judging.compare import compare, cross_examine
from formulations.judging.comparison import Comparison
from formulations.judging.examination import CrossExamination
from formulations.modelling.form import Form
from formulations.modelling.model import Model
from formulations.modelling.primal import PrimalFunction
from formulations.modelling.solution import Scale, Solution
from formulations.modelling.tasks import Classification, Novelty, Regression
from formulations.prediction import Predictor, load
from formulations.regression.huber import Huber
from formulations.regression.linear_fits import ChebyshevFit, LaplaceFit, LeastAbsoluteFit, LeastSquaresFit
from formulations.regression.norm_constrained import NormConstrainedRegression
from formulations.regression.quantile import Quantile
from formulations.regression.residual_loss import ResidualLossRegression
from formulations.regression.ridge.interpolation import Interpolation
from formulations.regression.ridge.kernel_ridge import KernelRidge
from formulations.regression.ridge.least_squares import LeastSquares
from formulations.regression.tubes.conflict import TubeConflict
from formulations.regression.tubes.hard import HardTube
from formulations.regression.tubes.nu import NuTube
from formulations.regression.tubes.penalised import PenalisedTube
from formulations.regression.tubes.soft import SoftTube
from formulations.regression.tubes.sparse_approximation import SparseApproximation
from formulations.relevance.classification import RelevanceClassification
from formulations.relevance.machine import RelevanceSolution
from formulations.relevance.regression import RelevanceRegression
from formulations.relevance.reweighted import ReweightedRelevance
from formulations.selection import (
    CrossValidation,
    ExactPath,
    GridSearch,
    LeaveOneOut,
    SolutionPath,
    cross_validate,
    exact_path,
    grid,
    leave_one_out,
    path,
)

__all__ = [
    "Audit",
    "BatchPerceptron",
    "Calibration",
    "ChebyshevFit",
    "Classification",
    "Comparison",
    "CrossExamination",
    "CrossValidation",
    "ExactPath",
    "Form",
    "GridSearch",
    "HardMargin",
    "HardTube",
    "Huber",
    "HullIntersection",
    "Incremental",
    "Interpolation",
    "KernelRidge",
    "LaplaceFit",
    "LeastAbsoluteFit",
    "LeastSquares",
    "LeastSquaresClassifier",
    "LeastSquaresFit",
    "LeaveOneOut",
    "LinearProgramMachine",
    "Logistic",
    "MarginLossClassifier",
    "Model",
    "MulticlassSolution",
    "NormConstrainedClassifier",
    "NormConstrainedRegression",
    "Novelty",
    "NuMargin",
    "NuTube",
    "OneClass",
    "OneVersusOne",
    "OneVersusRest",
    "PenalisedLogistic",
    "PenalisedTube",
    "Perceptron",
    "PlattCalibration",
    "Predictor",
    "PrimalFunction",
    "Quantile",
    "Regression",
    "RelevanceClassification",
    "RelevanceRegression",
    "RelevanceSolution",
    "ResidualLossRegression",
    "ReweightedRelevance",
    "Scale",
    "Separability",
    "SoftMargin",
    "SoftTube",
    "Solution",
    "SolutionPath",
    "SparseApproximation",
    "SquaredHinge",
    "TubeConflict",
    "TwoLevelMachine",
    "audit",
    "calibrate",
    "compare",
    "cross_examine",
    "cross_validate",
    "cross_validated_scores",
    "exact_path",
    "grid",
    "leave_one_out",
    "load",
    "losses_of_margins",
    "mistake_bound",
    "path",
]
