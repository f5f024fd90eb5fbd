# SPDX-License-Identifier: BSD-3-Clause
"""A first use of the installed packages: fit, prove, judge, state, save and load.

It runs with an isolated Python (-I) in a folder outside the repository.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn import svm
from sklearn.datasets import make_moons

import formulations
import qpkernels
from formulations import SoftMargin, audit, load
from formulations.estimators import SVC
from qpkernels import RBF

for package in (formulations, qpkernels):
    assert Path(sys.prefix) in Path(package.__file__ or "").parents, package.__file__

X, y = make_moons(120, noise=0.2, random_state=0)
classifier = SVC(C=1.0, gamma=1.0, tol=1e-6).fit(X, y)
assert classifier.certificate_.holds(1e-6), classifier.certificate_

model = SoftMargin(X, y, RBF(gamma=1.0), C=1.0)
solution = model.dual.solve("clarabel", tol=1e-6)
assert solution.certificate.holds(1e-6), solution.certificate
assert np.isclose(solution.certificate.primal_value, classifier.certificate_.primal_value, rtol=2e-6)
judged = audit(svm.SVC(C=1.0, gamma=1.0).fit(X, y), X, y)
assert judged.machines[0].certificate.relative_gap < 1e-2, judged

solution.prove("machine.proof", digits=6)
solution.save("machine.npz")
assert np.array_equal(load("machine.npz").predict(X), solution.predict(X))
