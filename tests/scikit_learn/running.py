# SPDX-License-Identifier: BSD-3-Clause
"""The tests of the installed scikit-learn, run on our estimators in place of its own."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

import formulations.estimators as ours

__all__ = ["MODULES", "Outcomes", "run"]

REPLACED = {
    "sklearn.svm": ("SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"),
    "sklearn.kernel_ridge": ("KernelRidge",),
}
"""Classes that stand for those of the same name, by the module that tests import them from."""

MODULES = ("sklearn.svm.tests.test_svm", "sklearn.tests.test_kernel_ridge")
"""Test modules that scikit-learn's wheel has."""


@dataclass(eq=False)
class Outcomes:
    """What became of each test, by its name with parameters: None if it passed, else the last line of its error.

    It is a plugin of pytest.
    """

    errors: dict[str, str | None] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of a test; a failure before or after it counts."""
        name = report.nodeid.rpartition("::")[2]
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            self.errors[name] = str(crash.message if crash else report.longrepr)
        elif report.when == "call" and not report.skipped:
            self.errors.setdefault(name, None)


@contextmanager
def replaced() -> Iterator[None]:
    """Put our classes in the place of scikit-learn's, for whoever imports them meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for module, names in REPLACED.items():
            for name in names:
                patch.setattr(importlib.import_module(module), name, getattr(ours, name))
        yield


def run(*arguments: str) -> Outcomes:
    """Run the tests, each with scikit-learn's usual seed; ``arguments`` are further ones of pytest."""
    outcomes = Outcomes()
    with replaced():
        pytest.main(["-q", "-p", "no:cacheprovider", "-c", "/dev/null", *arguments, "--pyargs", *MODULES], [outcomes])
    return outcomes
