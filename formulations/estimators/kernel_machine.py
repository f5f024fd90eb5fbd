# SPDX-License-Identifier: BSD-3-Clause
"""Base classes of estimators: fits with certificates, and the parameters and samples of those with a kernel."""

from __future__ import annotations

import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, csr_matrix, issparse, sparray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from formulations.estimators.parameters import Functions, Indefinite, KernelLike, Space, Sums, space_of
from formulations.modelling.batch import Trained, train_one
from formulations.modelling.inputs.samples import BoundSamples
from formulations.modelling.prediction import Predictor
from qpkernels.arrays import (
    ChecksKeywords,
    Indices,
    Matrix,
    Vector,
    check_count,
    check_feature_names,
    check_finite,
    check_flag,
    check_positive,
    is_integer,
    is_sparse,
    shown,
)
from qpkernels.arrays.checks import refuse_columns
from qpkernels.errors import LeftBehindError, ParameterError, SolverFailedError
from qpkernels.gram.functions import Expansions
from qpkernels.kernels import Kernel, Linear
from qpkernels.kernels.kernel import parameters_of, with_parameters
from qpkernels.problems import Certificate, Status
from qpkernels.solvers import SolverLike, find_solver
from qpkernels.solvers.smo import CACHE_SIZE, SMO

if TYPE_CHECKING:
    from qpkernels.files.proofs import Bundle, Proof

__all__ = [
    "KernelEstimator",
    "MachineEstimator",
    "ProvedEstimator",
    "Share",
    "Training",
    "UncertifiedWarning",
    "as_sparse_as",
    "is_plain_data",
    "leaving",
]


_ENTRY = re.compile(r"^(\w+(?:, \w+)*)\n((?:[ ]{4}.*\n|\n)+)", re.MULTILINE)
_TITLE = re.compile(r"^Parameters\n-{3,}\n", re.MULTILINE)


def _entries(doc: str) -> list[tuple[str, str]]:
    """Return the names, and the whole text, of each entry of the Parameters of a docstring."""
    _, *found = _TITLE.split(f"{cleandoc(doc)}\n")
    listed = re.split(r"(?m)^\w[\w ]*\n-{3,}$", found[0])[0] if found else ""
    return [(names, f"{names}\n{text.rstrip()}\n") for names, text in _ENTRY.findall(listed)]


_UNSEEN = ("_answer", "_functions", "_n_support", "_pairs", "_predictors", "_scales", "_stream")
"""The attributes that a fit leaves and whose names do not end with an underscore."""


def _forget(estimator: Any) -> None:
    """Take away all that a fit left."""
    left = [name for name in vars(estimator) if (name[-1] == "_" and name[0] != "_") or name in _UNSEEN]
    for name in left:
        del vars(estimator)[name]


def _anew(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``fit`` that leaves nothing of one before, and nothing at all where it fails."""

    @wraps(fit)
    def fitted(self: Any, *data: Any, **settings: Any) -> Any:
        _forget(self)
        try:
            return fit(self, *data, **settings)
        except BaseException:
            _forget(self)
            raise

    return fitted


class LeavesDataBehind(BaseEstimator):
    """An estimator whose pickles hold only the training samples that predictions need, and no kernel matrix.

    Model and answer know all samples, their targets and their kernel values, which a pickle should neither reveal nor
    store. Copies within the process (copy, deepcopy) have everything.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Let the docstring list the parameters of the bases as well, which are described where they are declared."""
        super().__init_subclass__(**options)
        own = cleandoc(cls.__doc__ or "")
        said = {name for names, _ in _entries(own) for name in names.split(", ")}
        inherited = [each for base in cls.__bases__ for each in _entries(base.__doc__ or "")]
        lacking = "".join(text for names, text in inherited if said.isdisjoint(names.split(", ")))
        head, *sections = re.split(r"(?m)^(?=\w[\w ]*\n-{3,}$)", own)
        if lacking and not any(map(_TITLE.match, sections)):
            head, sections = f"{head.rstrip()}\n\n", ["Parameters\n----------\n", *sections]
        listed = [f"{each.rstrip()}\n{lacking}\n" if _TITLE.match(each) else each for each in sections]
        cls.__doc__ = "".join([head, *listed]).rstrip() + "\n"
        if "fit" in vars(cls):
            cls.fit = _anew(cls.fit)

    _left_behind: ClassVar[tuple[str, ...]] = ("model_", "solution_")
    """Attributes of a fit that no pickle has."""

    _proof: ClassVar[str]
    """The attributes that a fit sets last."""

    _saved_by: ClassVar[str] = "solution_"
    """The attribute that writes what predicts to a file."""

    @property
    def predictor(self) -> Predictor:
        """The machine without its training samples: what is saved, and exported."""
        found: Predictor = getattr(self, self._saved_by).predictor
        return found

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is an answer, also of an estimator out of a pickle."""
        return self._proof in vars(self)

    def _require_fit(self) -> None:
        """Refuse to go on without an answer; scikit-learn's check makes the tags first, whatever it finds."""
        if self._proof not in vars(self):
            check_is_fitted(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in self._left_behind}

    def __copy__(self) -> Self:
        """Return an estimator with the same attributes."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return an estimator with copies of all attributes."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(deepcopy(self.__dict__, memo))
        return made

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            """Say why there is no such attribute: Python asks here where there is none, or a property has said so."""
            own = type(self)
            if name in (*own._left_behind, own._proof):
                check_is_fitted(self)
                raise LeftBehindError(
                    f"this {own.__name__} came out of a pickle, which holds what predicts, but no {name}: the training "
                    f"samples, or numbers of each of them, would be in it. Fit it again, or keep the answer from the "
                    f"estimator that was fitted: pickle.dumps(estimator.solution_) has all of it, and "
                    f"estimator.{own._saved_by}.save(path) writes what predicts.",
                    name=name,
                    obj=self,
                )
            return super().__getattribute__(name)


def weakest(answers: Sequence[Any]) -> Certificate:
    """Return the certificate with the largest relative gap."""
    proofs: list[Certificate] = [each.certificate for each in answers]
    return max(proofs, key=lambda proof: proof.relative_gap)


class UncertifiedWarning(ConvergenceWarning):
    """An answer is not proved to the requested tolerance."""


@dataclass(kw_only=True, eq=False, repr=False)
class ProvedEstimator(LeavesDataBehind, metaclass=ChecksKeywords):
    """An estimator whose answer has a certificate.

    Parameters
    ----------
    tol
        The relative duality gap, and residuals, to which the answer is proved.
    solver
        Name of a registered solver, or a Solver object; None: one after the other until the answer is proved.
    time_limit
        Limit in seconds; None for no limit.
    strict
        Whether to raise SolverFailedError where an answer is not proved, in place of an UncertifiedWarning.
    verbose
        Whether the solver reports its progress, in lines of the logger ``qpkernels``, printed where no handler takes
        them.
    """

    tol: float = 1e-3
    solver: SolverLike | None = None
    time_limit: float | None = None
    strict: bool = False
    verbose: bool | int = False

    if TYPE_CHECKING:
        # What a fit leaves behind, beside attributes of the subclass.
        certificate_: Certificate = field(init=False)
        _answer: Trained[Any] = field(init=False)

    _left_behind: ClassVar[tuple[str, ...]] = (*LeavesDataBehind._left_behind, "_answer", "_stream")
    _proof: ClassVar[str] = "certificate_"

    @cached_property
    def solution_(self) -> Any:
        """The answer."""
        if "_answer" not in vars(self):
            raise AttributeError("solution_")
        return self._answer.solution

    def prove(
        self, path: str | Path | None = None, *, digits: int = 9, points: ArrayLike | None = None
    ) -> Proof | Bundle:
        """Return a proof of the optimum that a stranger can check, of several machines or targets a bundle.

        Parameters
        ----------
        path, digits, points
            As :meth:`formulations.Solution.prove` takes them.

        Raises
        ------
        NoProofError
            If the vocabulary of proofs has no words for the kernel or the loss.
        """
        from formulations.modelling.proving import ProofRequest, bundled  # it takes longer to import than a small fit

        if not isinstance(self.solution_, list):
            proof: Proof | Bundle = self.solution_.prove(path, digits=digits, points=points)
            return proof
        asked = ProofRequest.of(path, digits, points)
        each = (answer.prove(digits=digits, points=points) for answer in self.solution_)
        return bundled(((f"target {k}", proof) for k, proof in enumerate(each)), asked.path)

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the functions, and prove how good they are.

        Parameters
        ----------
        X
            Samples, shape (m, features); with kernel="precomputed" their kernel values, shape (m, m).
        y
            Labels, or targets, shape (m,); with several targets, shape (m, targets). It is not used for one class.
        sample_weight
            At least 0: how often each sample counts. A sample of weight 0 is absent.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError, LabelError, OneClassError
            If the data or parameters are not of this kind.
        IndefiniteKernelError
            If the kernel matrix has a negative eigenvalue, and indefinite="refuse".
        SolverFailedError
            If there is no answer, or with strict=True no proved answer.
        """

    def _request(self) -> dict[str, Any]:
        """Return what a solver is asked for."""
        check_flag(self.strict, "strict")
        return {"solver": self.solver, "tol": self.tol, "time_limit": self.time_limit}

    def _judge(self, status: Status, certificate: Certificate, message: str, callers: int = 1) -> None:
        """Keep what is proved, of several machines the weakest proof; warn of an answer without one, or refuse it.

        ``callers`` of this are not the user's, whose line the warning is of.
        """
        self.certificate_ = certificate
        self.fit_status_ = int(status is not Status.OPTIMAL)
        if status is Status.OPTIMAL:
            return
        # The gap that a solver says is that of its certificate, or nobody's.
        said = "; ".join(part for part in message.split("; ") if not part.startswith("relative gap"))
        proof = f"{said}. {self.certificate_.explain()}" if said else self.certificate_.explain()
        words = f"the answer is {status}, not proved to tol={self.tol:g}: {proof}"
        if self.strict:
            raise SolverFailedError(f"{words} Pass strict=False to keep it, with a warning.")
        warnings.warn(words, UncertifiedWarning, stacklevel=3 + callers)


@dataclass(kw_only=True, eq=False, repr=False)
class KernelEstimator(LeavesDataBehind, metaclass=ChecksKeywords):
    """An estimator whose functions are sums of kernel values.

    Parameters
    ----------
    kernel
        "linear", "poly", "rbf", "sigmoid", "precomputed" (X is then the matrix of kernel values), a Kernel object, or a
        function of two lists of samples that returns their matrix. Parameters of an object can be searched over:
        ``kernel__gamma``.
    gamma, degree, coef0
        Parameters of the named kernels: exp(-gamma ||x - z||^2), (gamma x'z + coef0)^degree, tanh(gamma x'z + coef0).
        gamma is a number above 0, "scale" for 1 / (features * variance of X), each sample counted by its weight, or
        "auto" for 1 / features.

    Notes
    -----
    Argument of the methods that predict:

    X
        Samples, shape (n, features); with kernel="precomputed" their kernel values with the samples of the fit, shape
        (n, m).
    """

    kernel: KernelLike = "rbf"
    degree: int = 3
    gamma: float | str | None = "scale"
    coef0: float = 0.0

    if TYPE_CHECKING:
        n_features_in_: int = field(init=False)

    def __sklearn_tags__(self) -> Any:
        """Return the tags: sparse samples are taken, and a matrix of kernel values is cut along both axes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    # Parameters -----------------------------------------------------------------------------------------------

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        # scikit-learn inspects the constructor for every clone of a search anew.
        found: list[str] = super()._get_param_names()
        return found

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep
            Whether to return the parameters of a Kernel object, as kernel__NAME, as well.
        """
        own: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.kernel, Kernel):
            own |= {f"kernel__{name}": value for name, value in parameters_of(self.kernel).items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; kernel__NAME replaces the kernel by one with another value of NAME.

        Parameters
        ----------
        **params
            New values by the names of the constructor's parameters, and kernel__NAME if the kernel is an object.
        """
        nested = {name: params.pop(name) for name in list(params) if name.startswith("kernel__")}
        super().set_params(**params)
        changes = {name.removeprefix("kernel__"): value for name, value in nested.items()}
        if changes:
            if not isinstance(self.kernel, Kernel):
                raise ParameterError(
                    f"kernel__{next(iter(changes))} is a parameter of a Kernel object, but kernel is {self.kernel!r}; "
                    "the named kernels have gamma, degree and coef0."
                )
            self.kernel = with_parameters(self.kernel, changes)
        return self

    def _samples(self, X: Any, y: Any = "no_validation", *, reset: bool, **settings: Any) -> Any:
        """Return samples as the kernel takes them, their names and number of features being those of the fit.

        With a y, which a function or an object may take along with samples of any kind, return both. ``settings`` are
        those of scikit-learn's check.
        """
        if isinstance(self.kernel, str):
            if self.kernel != "precomputed" and is_plain_data(
                X, y, None if reset else getattr(self, "n_features_in_", 0)
            ):
                if reset:
                    self.n_features_in_ = X.shape[1]
                if not hasattr(self, "feature_names_in_"):
                    return X if isinstance(y, str) else (X, y)
            refuse_columns(X, "X")
            if self.kernel == "precomputed" and issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported; pass the matrix as an array.")
            sparse = False if self.kernel == "precomputed" else "csr"
            return validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", accept_sparse=sparse, **settings)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if isinstance(self.kernel, Kernel):
            # Sequences and series have no features, and the length of one says nothing of another.
            if not isinstance(X, list | tuple | np.ndarray) or self.kernel.samples(X).ndim > 1:
                if reset or self.kernel.names is None or not hasattr(self, "feature_names_in_"):
                    validate_data(self, X, reset=reset, skip_check_array=True)
                else:
                    check_feature_names(X, tuple(self.feature_names_in_), self.kernel.names)
            X = self.kernel.samples(X)
        return X if isinstance(y, str) else (X, y)


def is_plain_data(X: Any, y: Any, features: int | None) -> bool:
    """Return whether X are samples, and y numbers, that scikit-learn's check would return as they are.

    ``features`` is the number that X must have; None: any. A sum is finite only where all its terms are; where it is
    not, that check tells why.
    """
    dense = type(X) is np.ndarray
    return (
        (dense or type(X) in (csr_array, csr_matrix))
        and X.dtype == np.float64
        and X.ndim == 2
        and (X.flags.c_contiguous if dense else X.indices.dtype == np.int32)
        and 0 not in X.shape
        and features in (None, X.shape[1])
        and (isinstance(y, str) or _is_plain_column(y, X.shape[0]))
        and _has_finite_sum(X if dense else X.data)
    )


def _is_plain_column(y: Any, samples: int) -> bool:
    if type(y) is not np.ndarray or y.shape != (samples,):
        return False
    return y.dtype.kind in "iu" or (y.dtype == np.float64 and _has_finite_sum(y))


def _has_finite_sum(X: NDArray[np.float64]) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


@dataclass(frozen=True, eq=False)
class Training:
    """The samples of a fit.

    Attributes
    ----------
    space
        All given samples, in the space of the kernel.
    data
        The samples with a weight above 0, bound to the kernel.
    rows
        The numbers of these among all samples.
    weights
        Their weights.
    X
        All given samples.
    codes
        The numbers of their classes, if there are classes.
    """

    space: Space
    data: BoundSamples
    rows: Indices
    weights: Vector
    X: Any
    codes: Indices | None = None


Share: TypeAlias = Callable[[Space], Space]
"""The space of the samples of a fit -> the same as a part of a larger one, whose kernel values others use, too."""


@dataclass(kw_only=True, eq=False, repr=False)
class MachineEstimator(KernelEstimator, ProvedEstimator):
    """An estimator whose functions are sums of kernel values with the samples.

    Every subclass has the parameters below, and its own. As fields of a dataclass they are arguments of its
    constructor.

    Parameters
    ----------
    max_iter
        Limit of the solver's iterations; -1 for no limit.
    cache_size, shrinking
        Options of smo: MiB for rows of the kernel matrix (200 in scikit-learn), and whether samples that are not likely
        to change are left out until the end.
    indefinite
        How to treat a kernel matrix with a negative eigenvalue: "refuse", "clip" or "shift" it; see Gram. With
        "clip" the function that predicts has coefficients of all samples, those of ``solution_.function``, and
        dual_coef_ are the multipliers.
    rank
        None: the kernel matrix is exact. Otherwise it is replaced by one of this rank, by randomly pivoted Cholesky,
        for samples whose own does not fit; answers are proved optimal for this matrix. See :class:`~qpkernels.LowRank`.
    """

    cache_size: float = CACHE_SIZE
    shrinking: bool = True
    max_iter: int = -1
    indefinite: Indefinite = "refuse"
    rank: int | None = None

    if TYPE_CHECKING:
        # What a fit leaves behind, beside attributes of the subclass.
        model_: Any = field(init=False)
        support_: Indices = field(init=False)
        support_vectors_: Any = field(init=False)
        dual_coef_: Any = field(init=False)
        intercept_: Vector = field(init=False)
        n_iter_: Any = field(init=False)
        shape_fit_: tuple[int, ...] = field(init=False)
        n_features_in_: int = field(init=False)
        # Those that are proved, without intercepts, and what makes them those of the attributes.
        _functions: Functions = field(init=False)
        _scales: Vector = field(init=False)

    # Fitting --------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the functions, and prove how good they are."""
        limits = self._limits()
        training = self._state(X, y, sample_weight)
        self._finish(training, self._answers(limits))
        return self

    @abstractmethod
    def _state(self, X: Any, y: Any, sample_weight: ArrayLike | None, share: Share | None = None) -> Training:
        """State the model, ``model_``, on the samples of a fit; ``share`` may put its space into a larger one."""

    def _answers(self, limits: Mapping[str, Any]) -> Sequence[Trained[Any]]:
        """Solve the model, and return the answers of its machines."""
        return [train_one(self.model_, verbose=bool(self.verbose), **limits)]

    @abstractmethod
    def _finish(self, training: Training, answers: Sequence[Trained[Any]]) -> None:
        """Read off the attributes that a fit leaves, and judge the answers of the machines."""

    def _machine_values(self, values: Matrix, answers: Callable[[], Sequence[Trained[Any]]]) -> Matrix:
        """Return the values of the functions, given those of the answers, one machine a column."""
        del answers
        return values

    def _train_on(self, X: Any, weights: Vector, costs: Vector | None = None, share: Share | None = None) -> Training:
        """Return the samples that count: ``weights`` say how often, ``costs``, if others, what their losses cost."""
        costs = weights if costs is None else costs
        space = space_of(
            self.kernel, X, weights, gamma=self.gamma, degree=self.degree, coef0=self.coef0, rank=self.rank
        )
        if share is not None:
            space = share(space)
        rows = np.flatnonzero(costs)
        everyone = rows.size == costs.size
        gram = space.gram(None if everyone else rows, self.indefinite)
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (costs.size,)
        return Training(space, BoundSamples(gram, explicit=False), rows, costs[rows], X)

    def _limits(self) -> dict[str, Any]:
        """Return what a solver is asked for."""
        if not is_integer(self.max_iter) or not (self.max_iter == -1 or self.max_iter >= 1):
            raise ParameterError(
                f"max_iter must be an integer of at least 1, or -1 for no limit, but {shown(self.max_iter)} came."
            )
        # Of a kernel that does not have them, too.
        check_count(self.degree, "degree", least=0)
        check_finite(self.coef0, "coef0")
        of_smo: dict[str, Any] = {}
        if self.solver is None or isinstance(find_solver(self.solver), SMO):
            of_smo["cache_size"] = check_positive(self.cache_size, "cache_size")
            if not check_flag(self.shrinking, "shrinking"):
                of_smo["shrinking"] = False
        return {**self._request(), **of_smo, "max_iter": None if self.max_iter == -1 else self.max_iter}

    @property
    def _message(self) -> str:
        """The solver's message about an answer that is not proved."""
        return "" if self._answer.status is Status.OPTIMAL else self.solution_.message

    def _keep_function(self, training: Training, answer: Trained[Any], scale: float) -> None:
        """Read off the attributes of a single function, which is so many times that of the answer."""
        self._answer = answer
        beta = scale * answer.beta
        used = np.flatnonzero(beta)
        self.support_ = training.rows[used].astype(np.int32)
        self.support_vectors_ = self._rows_of(training.X, self.support_)
        self.dual_coef_ = as_sparse_as(training.X, beta[None, used])
        self.intercept_ = np.array([scale * answer.intercept])
        self.n_iter_ = max(1, answer.iterations or 1)
        # Those of the function that is proved are others where the matrix was clipped, or weights were found.
        self._scales, own = np.array([scale]), answer.coefficients
        if own is None:
            self._functions = training.space.others([answer.solution.function])
        else:
            used = np.flatnonzero(own)
            self._functions = training.space.functions(training.rows[used], own[used, None])

    def _rows_of(self, X: Any, rows: Indices) -> Any:
        """Return the samples of these numbers; none of a matrix of kernel values, or of what has no features."""
        by_values = not isinstance(self.kernel, Kernel) and (callable(self.kernel) or self.kernel == "precomputed")
        return np.empty((0, 0)) if by_values else X[rows]

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: of the samples the support vectors."""
        return leaving(super().__getstate__(), "support_vectors_")

    # Answers --------------------------------------------------------------------------------------------------

    def _values(self, X: Any) -> Matrix:
        """Return the values of all functions at new samples."""
        self._require_fit()
        X = self._samples(X, reset=False)
        # Multiplied are the values: rounded one by one, coefficients would not balance each other any more.
        return self._functions(X) * self._scales + self.intercept_

    @property
    def coef_(self) -> Any:
        """Weights of the features, one function a row, shape (functions, features); only with the linear kernel.

        They are sparse if the samples are, and read-only.
        """
        if not (self.kernel == "linear" or isinstance(self.kernel, Linear)):
            raise AttributeError("coef_ is only available when using a linear kernel")
        check_is_fitted(self)
        assert isinstance(self._functions, Expansions)
        weights: Any = as_sparse_as(self.support_vectors_, self._scales[:, None] * self._functions.weights)
        (weights.data if is_sparse(weights) else weights).flags.writeable = False
        return weights

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors, of each class where there are classes."""
        if not hasattr(self, "support_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so that it has no support vectors")
        return self._counts()

    def _counts(self) -> NDArray[np.int32]:
        return np.array([self.support_.size], dtype=np.int32)


def leaving(state: dict[str, Any], name: str) -> dict[str, Any]:
    """Return what a pickle holds: functions with no sample that has no coefficient, and none twice.

    ``name`` is that of the attribute with the samples that have one, which may be the centers of the functions.
    """
    functions, samples = state.get("_functions"), state.get(name)
    if isinstance(functions, Sums):
        state["_functions"] = functions.alone()
    elif isinstance(functions, Expansions) and isinstance(functions.centers, np.ndarray):
        centers = functions.centers
        if isinstance(samples, np.ndarray) and samples.dtype == centers.dtype and np.array_equal(samples, centers):
            state["_functions"] = replace(functions, centers=samples)
    return state


def as_sparse_as(X: Any, coefficients: Matrix) -> Any:
    """Return coefficients as LIBSVM's wrapper has them: sparse where the samples are, and of their kind."""
    if not issparse(X):
        return coefficients
    return (csr_array if isinstance(X, sparray) else csr_matrix)(coefficients)
