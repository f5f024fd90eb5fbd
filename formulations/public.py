# SPDX-License-Identifier: BSD-3-Clause
"""All that the package offers under its own name."""

from formulations.auditing.auditing import audit
from formulations.auditing.report import Audit
from formulations.classification.least_squares import (
    LeastSquaresClassifier,
    LeastSquaresClassifierConstrained,
    LeastSquaresClassifierDual,
    LeastSquaresClassifierPrimal,
)
from formulations.classification.logistic import (
    Logistic,
    LogisticDual,
    LogisticPenalised,
    LogisticPrimal,
    PenalisedLogistic,
)
from formulations.classification.lp import LinearProgramDual, LinearProgramMachine, LinearProgramPrimal
from formulations.classification.margin_loss import (
    MarginLossClassifier,
    MarginLossDual,
    MarginLossPrimal,
    losses_of_margins,
)
from formulations.classification.margins.hard_margin import (
    HardMargin,
    HardMarginDual,
    HardMarginGeometric,
    HardMarginPrimal,
)
from formulations.classification.margins.nu_margin import NuMargin, NuMarginDual, NuMarginPrimal
from formulations.classification.margins.soft_margin import (
    SoftMargin,
    SoftMarginDual,
    SoftMarginHinge,
    SoftMarginPrimal,
)
from formulations.classification.margins.squared_hinge import SquaredHinge, SquaredHingeDual, SquaredHingePrimal
from formulations.classification.meta.calibration import Calibration, PlattCalibration
from formulations.classification.meta.multiclass import OneVersusOne, OneVersusRest
from formulations.classification.meta.multiclass_solution import MulticlassSolution
from formulations.classification.meta.two_level import TwoLevelMachine, calibrate, cross_validated_scores
from formulations.classification.norm_constrained import (
    NormConstrainedClassifier,
    NormConstrainedClassifierDual,
    NormConstrainedClassifierPrimal,
)
from formulations.classification.one_class import OneClass, OneClassDual, OneClassPrimal
from formulations.classification.separation.hulls import HullIntersection
from formulations.classification.separation.perceptron import BatchPerceptron, Perceptron, mistake_bound
from formulations.classification.separation.separability import Separability, SeparabilityPrimal
from formulations.comparison.compare import compare
from formulations.comparison.cross_examine import cross_examine
from formulations.comparison.examination import CrossExamination
from formulations.comparison.table import Comparison
from formulations.incremental.machine import Incremental
from formulations.modelling.forms.form import Form
from formulations.modelling.model import Model
from formulations.modelling.primal import PrimalFunction
from formulations.modelling.solution import Classification, Novelty, Regression, Scale, Solution
from formulations.prediction import Predictor, load
from formulations.regression.fits.chebyshev import ChebyshevFit, ChebyshevFitDual, ChebyshevFitPrimal
from formulations.regression.fits.least_absolute import (
    LaplaceFit,
    LaplaceFitDual,
    LaplaceFitPrimal,
    LeastAbsoluteFit,
    LeastAbsoluteFitDual,
    LeastAbsoluteFitPrimal,
)
from formulations.regression.fits.least_squares import LeastSquaresFit, LeastSquaresFitDual, LeastSquaresFitPrimal
from formulations.regression.huber import Huber, HuberDual, HuberPrimal
from formulations.regression.norm_constrained import (
    NormConstrainedDual,
    NormConstrainedPrimal,
    NormConstrainedRegression,
)
from formulations.regression.quantile import Quantile, QuantileDual, QuantilePrimal
from formulations.regression.residual_loss import ResidualLossDual, ResidualLossPrimal, ResidualLossRegression
from formulations.regression.ridge.interpolation import Interpolation, InterpolationDual, InterpolationPrimal
from formulations.regression.ridge.kernel_ridge import KernelRidge, KernelRidgeDual, KernelRidgePrimal
from formulations.regression.ridge.least_squares import (
    LeastSquares,
    LeastSquaresCentred,
    LeastSquaresConstrained,
    LeastSquaresDual,
    LeastSquaresPrimal,
    LeastSquaresSystem,
)
from formulations.regression.tubes.conflict import TubeConflict
from formulations.regression.tubes.hard import HardTube, HardTubeDual, HardTubePrimal
from formulations.regression.tubes.nu import NuTube, NuTubeDual, NuTubePrimal
from formulations.regression.tubes.penalised import PenalisedTube, PenalisedTubeLoss
from formulations.regression.tubes.soft import SoftTube, SoftTubeDual, SoftTubeLoss, SoftTubePrimal
from formulations.regression.tubes.sparse_approximation import (
    SparseApproximation,
    SparseApproximationL1,
    SparseApproximationSplit,
)
from formulations.relevance.classification import RelevanceClassification
from formulations.relevance.regression import RelevanceRegression
from formulations.relevance.reweighted import ReweightedRelevance
from formulations.relevance.solution import RelevanceSolution
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
    "ChebyshevFitDual",
    "ChebyshevFitPrimal",
    "Classification",
    "Comparison",
    "CrossExamination",
    "CrossValidation",
    "ExactPath",
    "Form",
    "GridSearch",
    "HardMargin",
    "HardMarginDual",
    "HardMarginGeometric",
    "HardMarginPrimal",
    "HardTube",
    "HardTubeDual",
    "HardTubePrimal",
    "Huber",
    "HuberDual",
    "HuberPrimal",
    "HullIntersection",
    "Incremental",
    "Interpolation",
    "InterpolationDual",
    "InterpolationPrimal",
    "KernelRidge",
    "KernelRidgeDual",
    "KernelRidgePrimal",
    "LaplaceFit",
    "LaplaceFitDual",
    "LaplaceFitPrimal",
    "LeastAbsoluteFit",
    "LeastAbsoluteFitDual",
    "LeastAbsoluteFitPrimal",
    "LeastSquares",
    "LeastSquaresCentred",
    "LeastSquaresClassifier",
    "LeastSquaresClassifierConstrained",
    "LeastSquaresClassifierDual",
    "LeastSquaresClassifierPrimal",
    "LeastSquaresConstrained",
    "LeastSquaresDual",
    "LeastSquaresFit",
    "LeastSquaresFitDual",
    "LeastSquaresFitPrimal",
    "LeastSquaresPrimal",
    "LeastSquaresSystem",
    "LeaveOneOut",
    "LinearProgramDual",
    "LinearProgramMachine",
    "LinearProgramPrimal",
    "Logistic",
    "LogisticDual",
    "LogisticPenalised",
    "LogisticPrimal",
    "MarginLossClassifier",
    "MarginLossDual",
    "MarginLossPrimal",
    "Model",
    "MulticlassSolution",
    "NormConstrainedClassifier",
    "NormConstrainedClassifierDual",
    "NormConstrainedClassifierPrimal",
    "NormConstrainedDual",
    "NormConstrainedPrimal",
    "NormConstrainedRegression",
    "Novelty",
    "NuMargin",
    "NuMarginDual",
    "NuMarginPrimal",
    "NuTube",
    "NuTubeDual",
    "NuTubePrimal",
    "OneClass",
    "OneClassDual",
    "OneClassPrimal",
    "OneVersusOne",
    "OneVersusRest",
    "PenalisedLogistic",
    "PenalisedTube",
    "PenalisedTubeLoss",
    "Perceptron",
    "PlattCalibration",
    "Predictor",
    "PrimalFunction",
    "Quantile",
    "QuantileDual",
    "QuantilePrimal",
    "Regression",
    "RelevanceClassification",
    "RelevanceRegression",
    "RelevanceSolution",
    "ResidualLossDual",
    "ResidualLossPrimal",
    "ResidualLossRegression",
    "ReweightedRelevance",
    "Scale",
    "Separability",
    "SeparabilityPrimal",
    "SoftMargin",
    "SoftMarginDual",
    "SoftMarginHinge",
    "SoftMarginPrimal",
    "SoftTube",
    "SoftTubeDual",
    "SoftTubeLoss",
    "SoftTubePrimal",
    "Solution",
    "SolutionPath",
    "SparseApproximation",
    "SparseApproximationL1",
    "SparseApproximationSplit",
    "SquaredHinge",
    "SquaredHingeDual",
    "SquaredHingePrimal",
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
