# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of kernels."""

import pytest


@pytest.fixture(params=[0.0, 1.1], ids=["blocks made dense", "sparse products"])
def either_product(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Force one of the two ways to multiply, whatever the share of stored entries."""
    monkeypatch.setattr("qpkernels.kernels.products._SPARSE", request.param)
