# SPDX-License-Identifier: BSD-3-Clause
"""Machines, folds and grids with the workers of Dask: by joblib, whose back-end that is."""

from collections.abc import Iterator

import numpy as np
import pytest
from distributed import Client, LocalCluster, get_task_stream
from joblib import parallel_config
from sklearn.model_selection import GridSearchCV

from formulations import SoftMargin, cross_validate
from formulations.estimators import SVC
from qpkernels import RBF

_RNG = np.random.default_rng(0)
X = _RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + 0.3 * _RNG.normal(size=120) > 0, 1, -1)


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_folds_are_solved_by_workers(client: Client) -> None:
    model = SoftMargin(X, Y, RBF(0.3), C=1.0)
    with parallel_config(backend="dask"), get_task_stream(client) as stream:
        by_workers = cross_validate(model, solver="interior-point", n_jobs=2)
    assert sum("in_its_thread" in task["key"] for task in stream.data) == 5
    np.testing.assert_array_equal(by_workers.scores, cross_validate(model, solver="interior-point", n_jobs=1).scores)


def test_a_search_of_scikit_learn_is(client: Client) -> None:
    search = GridSearchCV(SVC(), {"C": [0.1, 10.0]}, cv=2, n_jobs=2)
    with parallel_config(backend="dask"), get_task_stream(client) as stream:
        by_workers = search.fit(X, Y).cv_results_["mean_test_score"]
    assert stream.data
    np.testing.assert_array_equal(by_workers, search.set_params(n_jobs=1).fit(X, Y).cv_results_["mean_test_score"])
