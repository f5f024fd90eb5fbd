# SPDX-License-Identifier: BSD-3-Clause
"""Machines in files that fit or svm-train wrote, and the samples that they are asked about.

Samples get the columns of the machine and as many features, and targets if there are any to compare with. As with
svm-predict, features that LIBSVM text leaves out are 0, in samples and in the machine. Columns of a table are found by
their names, as is that of the targets. Files other than LIBSVM text may lack the targets, which prediction does not
need.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from formulations.commands.options import MACHINE, NewOptions
from formulations.commands.output import hint
from formulations.commands.samples import TrainingSamples, padded, ranged, read_set, scaled
from formulations.commands.statements import Asked, describe
from formulations.commands.training import TrainedMachine
from formulations.modelling.inputs.estimators import scale_of_one_class
from formulations.modelling.prediction import Decision, Labels, Predictor, load
from formulations.modelling.prediction.decisions import Votes
from formulations.modelling.prediction.files import BEGIN
from qpkernels.arrays import Samples, finite_samples, is_sparse
from qpkernels.arrays.files import COMPRESSIONS, check_regular, load_arrays, npz_path
from qpkernels.errors import FeatureNamesError, FileFormatError, ParameterError, ShapeError, UnsupportedProgramError
from qpkernels.files import (
    BUNDLED_NAMES,
    Dataset,
    LibsvmSigmoids,
    Scaling,
    SvmType,
    write_libsvm_machines,
    write_libsvm_model,
    write_libsvm_range,
)
from qpkernels.files.delimited import first_fields
from qpkernels.files.libsvm_machines import describe_kernel, integer_label
from qpkernels.kernels import Kernel, Linear

__all__ = ["check_for_libsvm", "read_machine", "read_new", "write_for_libsvm"]


def read_machine(path: Path, *, scaled: bool, probability: bool = False) -> Predictor:
    """Read a machine from an archive that fit wrote, or from a model file of LIBSVM.

    Unless samples come ``scaled`` by a range file, a hint says that one lies beside a model. With ``probability`` the
    probabilities of a model of LIBSVM decide, as in svm-predict -b 1; those of our machines always do.
    """
    if not path.exists() and npz_path(path).exists():
        # fit writes a suffix where none is stated.
        path = npz_path(path)
    if not path.exists():
        which = "fit writes it" if path == MACHINE else "check the name"
        raise FileFormatError(f"there is no machine {path}; {which}, and --model FILE names another.")
    with check_regular(path).open("rb") as file:
        begin = file.read(8)
    if begin == BEGIN:
        ranges = Path(f"{path}.range")
        if ranges.exists() and not scaled:
            # As with svm-predict: who scales does so first, and twice would be wrong without a word.
            hint(f"{path} is a machine of samples that were scaled; --range {ranges} scales these as well.")
        return load(path) if probability else _without_sigmoids(load(path))
    if not begin.startswith(b"PK"):
        raise FileFormatError(f"{path} must be a machine that fit wrote, or a model of LIBSVM, but it is neither.")
    return load(path)


def _without_sigmoids(predictor: Predictor) -> Predictor:
    decision = predictor.decision
    return (
        replace(predictor, decision=replace(decision, sigmoids=None))
        if isinstance(decision, Labels | Votes)
        else predictor
    )


_SVM_TYPES = {"nu-margin": SvmType.NU_SVC, "one-class": SvmType.ONE_CLASS, "nu-tube": SvmType.NU_SVR}
"""LIBSVM's names of models; others of classes are written as c_svc, and others of values as epsilon_svr."""


def check_for_libsvm(asked: Asked, training: TrainingSamples, kernel: Kernel | None, *, against_rest: bool) -> None:
    """Refuse machines that LIBSVM has no model for, before anything is trained."""
    if against_rest:
        raise UnsupportedProgramError(
            "LIBSVM has machines and probabilities of pairs of classes; leave out --one-versus-rest or --libsvm-model."
        )
    try:
        describe_kernel(Linear() if kernel is None else kernel)
    except UnsupportedProgramError:
        raise UnsupportedProgramError(
            f"LIBSVM has the kernels linear, polynomial, rbf with one gamma, and sigmoid, but not {describe(kernel)}; "
            "leave --libsvm-model out, or take another kernel."
        ) from None
    for label in np.unique(training.y).tolist() if asked.separates else ():
        try:
            integer_label(label)
        except UnsupportedProgramError:
            raise UnsupportedProgramError(
                f"labels in a model of LIBSVM are integers, but {label!r} came; leave --libsvm-model out, or number "
                "the classes."
            ) from None


def write_for_libsvm(trained: TrainedMachine, asked: Asked, samples: int, path: Path) -> list[Path]:
    """Write the machine as svm-train does, and the ranges of its features where they were scaled.

    LIBSVM's machine of one class has nu m times the coefficients of the model.
    """
    svm_type, decision = _SVM_TYPES.get(asked.name), trained.predictor.decision
    if isinstance(decision, Votes):
        functions, kind = trained.predictor.expansions, svm_type or SvmType.C_SVC
        written = [write_libsvm_machines(functions, decision.classes, decision.pairs, path, kind, _sigmoids(decision))]
    else:
        assert trained.function is not None
        function = trained.function
        if svm_type is SvmType.ONE_CLASS:
            scale = scale_of_one_class(float(asked.values.get("nu", 0.5)), samples)
            function = replace(
                function, coefficients=scale * function.coefficients, intercept=scale * function.intercept
            )
        if isinstance(decision, Labels) and decision.classes.dtype.kind != "U":
            function = replace(function, classes=decision.classes)
        elif isinstance(decision, Labels):
            hint(f"in {path}, 1 is {decision.classes[1]}, and -1 is {decision.classes[0]}: LIBSVM has integers.")
        written = [write_libsvm_model(function, path, svm_type, _sigmoids(decision))]
    if isinstance(scaling := trained.predictor.preprocessing, Scaling):
        written.append(write_libsvm_range(scaling, Path(f"{path}.range")))
    return written


def _sigmoids(decision: Decision) -> LibsvmSigmoids | None:
    sigmoids = decision.sigmoids if isinstance(decision, Labels | Votes) else None
    return None if sigmoids is None else LibsvmSigmoids(-sigmoids.A, -sigmoids.B)


def read_new(options: NewOptions, predictor: Predictor) -> tuple[Predictor, Samples, Dataset | None]:
    """Return samples for a machine, their set if they have targets, and the machine with as many features."""
    if options.ranges is not None and predictor.preprocessing is not None:
        raise ParameterError("the machine keeps how its samples were scaled, and does it itself; leave --range out.")
    features = predictor.features
    if (unlabelled := _archive_without_targets(options.data)) is not None:
        _check_width(options.data, unlabelled, features)
        return predictor, _ranged(unlabelled, options.ranges, widen=False), None
    target = _known_target(options, predictor)
    dataset = read_set(options, target)
    X, with_targets = dataset.X, True
    if _kind(options.data) == "libsvm":
        X = _ranged(X, options.ranges, widen=True)
        if X.shape[1] > features:
            predictor, X = _widened(predictor, X)
        if X.shape[1] < features:
            hint(f"{_features(X.shape[1] + 1, features)} 0 in all samples of {options.data}.")
        X = padded(X, predictor.features)
    else:
        X, with_targets = _columns(options.data, dataset, predictor, stated=(options.target or target) is not None)
        _check_width(options.data, X, features)
        X = _ranged(X, options.ranges, widen=False)
    scaling = predictor.preprocessing
    if is_sparse(X) and not (predictor.functions.takes_sparse and (scaling is None or scaling.keeps_zeros)):
        X = X.toarray()
    return predictor, X, dataset if with_targets else None


def _ranged(X: Samples, ranges: Path | None, *, widen: bool) -> Samples:
    """Return samples scaled by a range file; ``widen`` takes features that they leave out for 0."""
    if ranges is None:
        return X
    scaling = ranged(ranges, X)
    if scaling.low.size > X.shape[1] and not widen:
        raise ShapeError(
            f"{ranges} has the ranges of {scaling.low.size} features, but the samples have {X.shape[1]}; take the file "
            "that belongs to them."
        )
    return scaled(scaling, X)


def _features(first: int, last: int) -> str:
    return f"feature {first} is" if first == last else f"features from {first} to {last} are"


def _kind(source: str) -> str:
    """Return what a source is: "bundled", "csv", "npz", or else "libsvm"."""
    if source in BUNDLED_NAMES:
        return "bundled"
    path = Path(source)
    suffix = Path(path.stem).suffix if path.suffix.lower() in COMPRESSIONS else path.suffix
    return suffix.lower().removeprefix(".") if suffix.lower() in (".csv", ".npz") else "libsvm"


def _archive_without_targets(source: str) -> Samples | None:
    """Return the samples of a .npz file without y, or None for any other file."""
    if not source.lower().endswith(".npz") or not Path(source).is_file():
        return None
    arrays = load_arrays(source, "an archive of samples X")
    return finite_samples(arrays["X"], "X") if "X" in arrays and "y" not in arrays else None


def _known_target(options: NewOptions, predictor: Predictor) -> str | int | None:
    """Return the column of targets that the machine knows of, if a table has it; None: the options name one."""
    known = predictor.target
    if known is None or options.target is not None or _kind(options.data) != "csv" or not Path(options.data).is_file():
        return None
    fields = first_fields(Path(options.data))
    there = known in fields if isinstance(known, str) else len(fields) == predictor.features + 1
    return known if there else None


def _columns(source: str, dataset: Dataset, predictor: Predictor, *, stated: bool) -> tuple[Samples, bool]:
    """Return the columns that the machine knows, by their names where it has some, and whether there are targets.

    If the options do not name the column of the targets, the last one was taken.
    """
    X, known, names = dataset.X, predictor.feature_names, dataset.feature_names
    is_number = dataset.y.dtype.kind in "fiu"
    if known is None or names is None:
        # The last column is a feature where the others are one too few.
        if not stated and is_number and X.shape[1] == predictor.features - 1:
            return np.column_stack([X, dataset.y]), False
        return X, True
    with_targets = stated or (predictor.target is None and dataset.target_name not in known)
    if not with_targets and is_number:
        X, names = np.column_stack([X, dataset.y]), (*names, str(dataset.target_name))
    # Of two columns of one name, the first.
    place = {name: number for number, name in reversed(list(enumerate(names)))}
    missing = [name for name in known if name not in place]
    if missing:
        raise FeatureNamesError(
            f"{source} must have the columns that the machine was fitted to, but it has no {', '.join(missing)}; "
            "add them."
        )
    return X[:, [place[name] for name in known]], with_targets


def _check_width(source: str, X: Samples, features: int) -> None:
    if X.shape[1] != features:
        raise ShapeError(
            f"the machine was fitted to samples with {features} features, but those of {source} have {X.shape[1]}; "
            "take the same columns."
        )


def _widened(predictor: Predictor, X: Samples) -> tuple[Predictor, Samples]:
    """Return machine and samples with as many features; those that a scaling does not know are left out."""
    features = predictor.features
    if predictor.preprocessing is not None:
        hint(f"features above {features} are left out, as by svm-scale: the training file does not have them.")
        return predictor, X[:, :features]
    hint(f"the samples have {X.shape[1]} features, and the machine was trained on {features}: the others were 0 there.")
    functions = predictor.expansions
    centers = padded(functions.centers, X.shape[1])
    return replace(predictor, functions=replace(functions, centers=centers)), X
