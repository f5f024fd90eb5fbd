# SPDX-License-Identifier: BSD-3-Clause
"""The table of conventions of the site: every line holds, where the library is installed by fitting it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import formulations
from conventions import CHECKS

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

from extensions.conventions import TABLE, Convention


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.check)
def test_our_answer_in_their_terms_is_theirs(line: Convention) -> None:
    CHECKS[line.check]()


def test_every_line_has_a_check_of_its_own_and_every_check_a_line() -> None:
    assert sorted(line.check for line in TABLE) == sorted(CHECKS)


def test_every_line_is_about_a_model_and_none_of_its_cells_is_empty() -> None:
    for line in TABLE:
        assert isinstance(getattr(formulations, line.model), type)
        assert all((line.elsewhere, line.problem, line.translation))
