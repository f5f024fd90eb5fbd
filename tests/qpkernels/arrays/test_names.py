# SPDX-License-Identifier: BSD-3-Clause
"""Names of columns: compared as often as there are columns, and not as there are pairs of them."""

from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import pytest

from formulations.commands.samples import check_unique_names
from qpkernels.arrays import check_feature_names
from qpkernels.arrays.names import first_twice
from qpkernels.arrays.structured import as_table
from qpkernels.errors import FeatureNamesError

_COLUMNS = 2000


class Counted(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Counted.times += 1
        return str(self) == str(other)

    __hash__ = str.__hash__


def _names(begin: int = 0) -> tuple[str, ...]:
    """Return names, of which each is an object of its own: equal ones are no longer the same."""
    return tuple(Counted(f"c{k}") for k in range(begin, begin + _COLUMNS))


class _Table(SimpleNamespace):
    """A table of which only the names of its columns are asked for."""

    def __getitem__(self, name: str) -> list[float]:
        return [0.0]


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_unique_names("set", _names()),
        lambda: check_unique_names("set", (*_names(), "c5")),
        lambda: check_feature_names(SimpleNamespace(columns=_names()), _names(1)),
        lambda: check_feature_names(SimpleNamespace(columns=_names()), _names(1), frozenset(_names(1))),
        lambda: as_table(_Table(columns=(*_names(), Counted("c5")))),
    ],
)
def test_names_are_compared_as_often_as_there_are_columns(check: Callable[[], object]) -> None:
    Counted.times = 0
    with suppress(ValueError):
        check()
    assert Counted.times < 10 * _COLUMNS


def test_the_first_name_that_comes_twice() -> None:
    assert first_twice(["a", "b", "c", "b", "a"]) == "b"
    assert first_twice(["a", "b"]) is None
    with pytest.raises(FeatureNamesError, match="the column 'b' of set occurs twice"):
        check_unique_names("set", ("a", "b", "b"))
