# SPDX-License-Identifier: BSD-3-Clause
"""Constructors name the class that was called, and the keyword that may have been meant."""

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection._search import BaseSearchCV

import formulations.estimators as estimators
from builders import KERNEL_EXAMPLES
from formulations import (
    BatchPerceptron,
    Incremental,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    PlattCalibration,
    RelevanceRegression,
    SoftMargin,
    SoftTube,
)
from formulations.losses import Pinball
from model_data import MODEL_CASES, Case
from qpkernels import RBF, Gram, Polynomial
from qpkernels.arrays import ChecksKeywords
from qpkernels.errors import UnsupportedOptionError
from together import together

X = np.random.default_rng(3).normal(size=(8, 2))
y = np.where(np.arange(8) % 2, 1, -1)
t = X[:, 0]

Entry = Callable[..., Any]

MISSPELT: dict[str, tuple[Entry, dict[str, Any], str]] = {
    "case": (SoftMargin, {"c": 1.0}, "SoftMargin has no parameter 'c'; did you mean C?"),
    "kernel": (SoftMargin, {"kernal": RBF(1.0)}, "SoftMargin has no parameter 'kernal'; did you mean kernel?"),
    "epsilon": (SoftTube, {"eps": 0.1}, "SoftTube has no parameter 'eps'; did you mean epsilon?"),
    "of its kernel": (SoftMargin, {"gamma": 1}, r"'gamma'; did you mean kernel=RBF\(gamma=0.1\)\?"),
    "of its kernel, misspelt": (SoftTube, {"gama": 1}, r"'gama'; did you mean kernel=RBF\(gamma=0.1\)\?"),
    "of the estimators": (SoftMargin, {"class_weight": {1: 2.0}}, r"did you mean C=C \* weights, an array with a cost"),
    "nothing alike": (SoftMargin, {"zzz": 1}, "no parameter 'zzz'; it has X, y, kernel, C, fit_intercept"),
    "several classes": (OneVersusRest, {"c": 1.0}, "SoftMargin has no parameter 'c'; did you mean C?"),
    "the machine": (OneVersusOne, {"machin": SoftMargin}, "did you mean machine?"),
    "relevance": (
        RelevanceRegression,
        {"nois": 1.0},
        "RelevanceRegression has no .*did you mean noise",
    ),
    "a perceptron": (BatchPerceptron, {"treshold": 1.0}, "BatchPerceptron has no .*did you mean threshold?"),
    "another perceptron": (Perceptron, {"kernl": None}, "Perceptron has no .*did you mean kernel?"),
}


@together("case", MISSPELT)
def test_misspelt_keywords_are_named_with_the_nearest(case: str) -> None:
    entry, keywords, words = MISSPELT[case]
    target = t if entry in (SoftTube, RelevanceRegression) else np.arange(8) % 3 if "class" in case else y
    with pytest.raises(UnsupportedOptionError, match=words) as caught:
        entry(X, target, **keywords)
    assert caught.value.__cause__ is None


@together("case", MODEL_CASES)
def test_every_model_names_itself(case: Case) -> None:
    with pytest.raises(UnsupportedOptionError, match=f"^{case.model.__name__} has no parameter 'nonsense'; it has X, "):
        case.model(X, y, nonsense=1)
    with pytest.raises(TypeError, match=rf"^{case.model.__name__}: missing a required argument: 'X'; by position it "):
        case.model()
    with pytest.raises(TypeError, match=rf"^{case.model.__name__}: too many positional arguments"):
        case.model(X, y, *range(9))


@together("kind", KERNEL_EXAMPLES)
def test_every_kernel_names_itself(kind: type) -> None:
    with pytest.raises(UnsupportedOptionError, match=f"^{kind.__name__} has no parameter 'nonsense'; it has "):
        kind(nonsense=1)


@together("name", estimators.__all__)
def test_every_estimator_names_itself(name: str) -> None:
    kind = getattr(estimators, name)
    if not isinstance(kind, ChecksKeywords):
        # Searches are scikit-learn's.
        assert not hasattr(kind, "fit") or issubclass(kind, BaseSearchCV)
        return
    with pytest.raises(UnsupportedOptionError, match=f"^{name} has no parameter 'stric'; did you mean strict"):
        kind(stric=True)


def test_others() -> None:
    for entry, words in (
        (lambda: RBF(sigma=1.0), "RBF has no parameter 'sigma'; did you mean RBF.from_sigma"),
        (lambda: Polynomial(deg=3), "did you mean degree"),
        (lambda: Pinball(tua=0.5), "Pinball has no parameter 'tua'; did you mean tau"),
        (lambda: Gram(RBF(1.0), X, memory=3), "Gram has no parameter 'memory'; did you mean memory_limit"),
        (lambda: PlattCalibration(t, y, target="platt"), "did you mean targets"),
        (lambda: Incremental(SoftMargin(X, y), tool=1e-6), "Incremental has no parameter 'tool'; did you mean tol"),
    ):
        with pytest.raises(UnsupportedOptionError, match=words):
            entry()  # type: ignore[no-untyped-call]


def test_errors_from_inside_a_constructor_are_left_as_they_are() -> None:
    class Own(metaclass=ChecksKeywords):
        """Raises a TypeError of its own."""

        def __init__(self, value: Any, **rest: Any) -> None:
            self.value, self.rest = value + 1, rest

    with pytest.raises(TypeError, match="can only concatenate str"):
        Own("x")
    assert Own(1, anything=2).value == 2


def test_signatures_are_those_of_the_constructors() -> None:
    assert list(inspect.signature(SoftMargin).parameters) == ["X", "y", "kernel", "C", "fit_intercept"]
    assert list(inspect.signature(RBF).parameters) == ["gamma"]
    assert pickle.loads(pickle.dumps(RBF(2.0))) == RBF(2.0)
    assert clone(estimators.SVC(C=3.0)).C == 3.0
