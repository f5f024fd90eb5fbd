# SPDX-License-Identifier: BSD-3-Clause
"""Every exception of the project.

Each message says what was expected, what came, and what to do. Each type also inherits the built-in exception a
caller would have caught without knowing this library (``ValueError`` for bad data, and so on).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

__all__ = [
    "DataFormatError",
    "FeatureNamesError",
    "FileFormatError",
    "ForeignResultsError",
    "GramTooLargeError",
    "IndefiniteKernelError",
    "InfeasibleError",
    "InseparableError",
    "LabelError",
    "LeftBehindError",
    "MissingPackageError",
    "NoEnclosureError",
    "NoProofError",
    "NonFiniteError",
    "NonconvexError",
    "NotSquareError",
    "NotSymmetricError",
    "OneClassError",
    "ParameterError",
    "PartialFunctionError",
    "QPKernelsError",
    "SeparableScoresError",
    "ShapeError",
    "SolverFailedError",
    "SolverNotInstalledError",
    "UnboundedError",
    "UnknownDatasetError",
    "UnknownSolverError",
    "UnsupportedOptionError",
    "UnsupportedProgramError",
    "WorkersLostError",
]


class QPKernelsError(Exception):
    """Base of every exception raised on purpose by this project.

    Parameters
    ----------
    message
        What was expected, what came, and what to do.

    Attributes
    ----------
    others
        The answers of the other machines, if several machines were solved together and this one has no answer.
    """

    others: Mapping[Any, Any] = MappingProxyType({})


class NonFiniteError(QPKernelsError, ValueError):
    """Data hold NaN or infinity where finite numbers are needed."""


class ShapeError(QPKernelsError, ValueError):
    """An array has the wrong number of dimensions, or two arrays disagree in length."""


class FeatureNamesError(QPKernelsError, ValueError):
    """Samples come in a table whose columns differ from those of the fit or are in another order."""


class ParameterError(QPKernelsError, ValueError):
    """A hyper-parameter (C, gamma, degree, tolerance ...) is outside its range."""


class LabelError(QPKernelsError, ValueError):
    """Labels are of a type that cannot be a label, or the number of classes is not the required one."""


class OneClassError(LabelError):
    """The labels of a two-class model are all equal."""


class LeftBehindError(QPKernelsError, AttributeError):
    """An estimator from a pickle is asked for a part that the pickle left behind because it holds the data."""


class PartialFunctionError(QPKernelsError, AttributeError):
    """The answer of an extended form is asked for its function, but more than the model's own f + b decides."""


class NotSquareError(ShapeError):
    """A kernel matrix is not square."""


class NotSymmetricError(QPKernelsError, ValueError):
    """A kernel matrix is not symmetric."""


class IndefiniteKernelError(QPKernelsError, ValueError):
    """A kernel matrix has a negative eigenvalue, so the problem stated with it is not convex.

    Attributes
    ----------
    smallest_eigenvalue
        The eigenvalue that proves it.
    """

    def __init__(self, message: str, smallest_eigenvalue: float) -> None:
        super().__init__(message)
        self.smallest_eigenvalue = smallest_eigenvalue


class NonconvexError(QPKernelsError, ValueError):
    """The quadratic part of an objective has a negative eigenvalue, so no certificate of the program exists.

    Attributes
    ----------
    smallest_eigenvalue
        The eigenvalue that proves it.
    """

    def __init__(self, message: str, smallest_eigenvalue: float) -> None:
        super().__init__(message)
        self.smallest_eigenvalue = smallest_eigenvalue


class GramTooLargeError(QPKernelsError, MemoryError):
    """The dense kernel matrix would exceed the memory limit of its :class:`~qpkernels.gram.Gram`."""


class UnknownSolverError(QPKernelsError, LookupError):
    """No solver of that name is registered."""


class SolverNotInstalledError(QPKernelsError, ImportError):
    """The solver is known, but its package is not installed."""


class MissingPackageError(QPKernelsError, ImportError):
    """A package that the request needs is not installed."""


class UnsupportedProgramError(QPKernelsError, TypeError):
    """The solver or the file format does not take this kind of program or machine."""


class UnsupportedOptionError(QPKernelsError, TypeError):
    """A solver has no such option, or a class no such parameter; it is refused rather than ignored."""


class NoEnclosureError(QPKernelsError, TypeError):
    """The rounding errors of this problem or kernel are not known, so no interval can be proved."""


class NoProofError(QPKernelsError, TypeError):
    """The vocabulary of portable proofs has no words for this problem or kernel, or the answer proves nothing."""


class SolverFailedError(QPKernelsError, RuntimeError):
    """The back-end raised, or returned no point that could be examined."""


class WorkersLostError(QPKernelsError, RuntimeError):
    """The Dask workers or their scheduler are gone, and with them the data that they held."""


class InfeasibleError(QPKernelsError, ValueError):
    """No point satisfies the constraints of the model.

    For a model of this library the proof holds in exact arithmetic, for the exact kernel of the samples as stored in
    float64. If constraints of the user take part in it, the certificate says how far the proof goes.

    Attributes
    ----------
    certificate
        The certificate of the proof (:class:`~qpkernels.problems.Certificate`).
    multipliers
        The proof: Farkas multipliers of the constraints, one per row.
    conflict
        The smallest set of samples that contradict each other (:class:`~formulations.TubeConflict`), if the model finds
        one; ``form.conflict()`` finds the constraints of a form.
    """

    def __init__(self, message: str, certificate: object, multipliers: object, conflict: object = None) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.multipliers = multipliers
        self.conflict = conflict


class UnboundedError(QPKernelsError, ValueError):
    """The objective of the model is unbounded below.

    Attributes
    ----------
    certificate
        The certificate of the proof (:class:`~qpkernels.problems.Certificate`).
    ray
        The direction along which the objective falls, and a feasible point (:class:`~qpkernels.diagnosis.Ray`); None if
        the model explains the failure in other terms.
    """

    def __init__(self, message: str, certificate: object, ray: object = None) -> None:
        super().__init__(message)
        self.certificate = certificate
        self.ray = ray


class InseparableError(InfeasibleError):
    """No hyperplane separates the two classes, so the hard margin does not exist.

    Attributes
    ----------
    proof
        The common point of the two convex hulls (:class:`~formulations.HullIntersection`).
    """

    def __init__(self, message: str, certificate: object, multipliers: object, proof: object) -> None:
        super().__init__(message, certificate, multipliers)
        self.proof = proof


class SeparableScoresError(QPKernelsError, ValueError):
    """A threshold on the scores separates the classes, so a sigmoid with plain targets has no optimum.

    Attributes
    ----------
    threshold
        A score between those of the two classes.
    """

    def __init__(self, message: str, threshold: float) -> None:
        super().__init__(message)
        self.threshold = threshold


class UnknownDatasetError(QPKernelsError, LookupError):
    """The name is neither a bundled data set nor an existing file."""


class FileFormatError(QPKernelsError, ValueError):
    """A file is damaged or has another format than the one it was read in."""


class ForeignResultsError(QPKernelsError, ValueError):
    """A file of earlier results belongs to other data.

    Attributes
    ----------
    expected, found
        The fingerprints of the given data and of the data in the file.
    """

    def __init__(self, message: str, expected: str, found: str) -> None:
        super().__init__(message)
        self.expected = expected
        self.found = found


class DataFormatError(FileFormatError):
    """A text file is malformed.

    Attributes
    ----------
    line, column
        The place in the file, both counted from 1.
    line, column
        The place in the file, both counted from 1.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column
