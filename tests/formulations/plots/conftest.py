# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of tests are drawn into memory, and none stays open."""

from collections.abc import Iterator

import matplotlib
import pytest
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _in_memory() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    pyplot.close("all")
