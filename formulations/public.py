# SPDX-License-Identifier: BSD-3-Clause
"""All that the package offers under its own name."""

from formulations.judging.audit import Audit, audit
from formulations.judging.compare import compare, cross_examine
from formulations.judging.comparison import Comparison
from formulations.judging.examination import CrossExamination
from formulations.modelling.form import Form
from formulations.modelling.incremental import Incremental
from formulations.modelling.model import Model
from formulations.modelling.prediction import Predictor, load
from formulations.modelling.prediction.exporting import ExportedMachine, export
from formulations.modelling.primal import PrimalFunction
from formulations.modelling.solution import Scale, Solution
from formulations.modelling.tasks import Classification, Novelty, Regression
from formulations.models.classification.least_squares import LeastSquaresClassifier
from formulations.models.classification.logistic import Logistic, PenalisedLogistic
from formulations.models.classification.lp import LinearProgramMachine
from formulations.models.classification.margin_loss import MarginLossClassifier
from formulations.models.classification.margins.hard_margin import HardMargin
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.margins.soft_margin import SoftMargin
from formulations.models.classification.margins.squared_hinge import SquaredHinge
from formulations.models.classification.meta.calibration import Calibration, PlattCalibration
from formulations.models.classification.meta.multiclass import MulticlassSolution, OneVersusOne, OneVersusRest
from formulations.models.classification.meta.two_level import TwoLevelMachine, calibrate, cross_validated_scores
from formulations.models.classification.norm_constrained import NormConstrainedClassifier
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.separation.perceptron import BatchPerceptron, Perceptron, mistake_bound
from formulations.models.classification.separation.separability import HullIntersection, Separability
from formulations.models.regression.huber import Huber
from formulations.models.regression.linear_fits import ChebyshevFit, LaplaceFit, LeastAbsoluteFit, LeastSquaresFit
from formulations.models.regression.norm_constrained import NormConstrainedRegression
from formulations.models.regression.quantile import Quantile
from formulations.models.regression.residual_loss import ResidualLossRegression
from formulations.models.regression.ridge.interpolation import Interpolation
from formulations.models.regression.ridge.kernel_ridge import KernelRidge
from formulations.models.regression.ridge.least_squares import LeastSquares
from formulations.models.regression.tubes.conflict import TubeConflict
from formulations.models.regression.tubes.hard import HardTube
from formulations.models.regression.tubes.nu import NuTube
from formulations.models.regression.tubes.penalised import PenalisedTube
from formulations.models.regression.tubes.soft import SoftTube
from formulations.models.regression.tubes.sparse_approximation import SparseApproximation
from formulations.models.relevance.classification import RelevanceClassification
from formulations.models.relevance.machine import RelevanceSolution
from formulations.models.relevance.regression import RelevanceRegression
from formulations.models.relevance.reweighted import ReweightedRelevance
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
    "ExportedMachine",
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
    "export",
    "grid",
    "leave_one_out",
    "load",
    "mistake_bound",
    "path",
]
