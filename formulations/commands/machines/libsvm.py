# SPDX-License-Identifier: BSD-3-Clause
"""Machines that were trained, written as model files of LIBSVM: which there are, and with which classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from formulations.commands.machines.training import Trained
from formulations.commands.output import hint
from formulations.commands.stating.samples import Training
from formulations.commands.stating.statements import Asked, describe
from formulations.inputs.estimators import scale_of_one_class
from formulations.prediction import Decision, Labels, Votes
from qpkernels.datasets import Scaling
from qpkernels.errors import UnsupportedProgramError
from qpkernels.files import LibsvmSigmoids, SvmType, write_libsvm_machines, write_libsvm_model, write_libsvm_range
from qpkernels.files.libsvm.model import describe_kernel, integer_label
from qpkernels.kernels import Kernel, Linear

__all__ = ["check_for_libsvm", "write_for_libsvm"]

_SVM_TYPES = {
    "nu-margin": SvmType.NU_SVC,
    "one-class": SvmType.ONE_CLASS,
    "nu-tube": SvmType.NU_SVR,
}
"""What LIBSVM calls models; others of classes are c_svc to it, and others of values epsilon_svr."""


def check_for_libsvm(asked: Asked, training: Training, kernel: Kernel | None, *, against_rest: bool) -> None:
    """Refuse what LIBSVM has no model for, before anything is trained.

    Raises
    ------
    UnsupportedProgramError
        If it has no such kernel, no such labels, or no machines of one class against the rest.
    """
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


def write_for_libsvm(trained: Trained, asked: Asked, samples: int, path: Path) -> list[Path]:
    """Write the machine of so many samples as svm-train does, and the range of its features where they were scaled.

    LIBSVM's machine of one class has nu m times the coefficients of the model.

    Raises
    ------
    UnsupportedProgramError
        If LIBSVM has no such machine.
    """
    svm_type, decision = _SVM_TYPES.get(asked.name), trained.predictor.decision
    if isinstance(decision, Votes):
        functions, kind = trained.predictor.functions, svm_type or SvmType.C_SVC
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
