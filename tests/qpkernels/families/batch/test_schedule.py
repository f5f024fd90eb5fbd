# SPDX-License-Identifier: BSD-3-Clause
"""Threads take up each machine once, after the one that it starts from; an error ends all of them."""

from threading import Lock

import pytest

from qpkernels.families.batch.schedule import Team

BEFORE = [None, 0, 0, None, 3, 4, 1, None]


@pytest.mark.parametrize("size", [1, 3])
def test_each_comes_once_and_after_the_one_before(size: int) -> None:
    seen, lock = list[int](), Lock()

    def work(number: int, worker: int) -> None:
        assert 0 <= worker < size
        with lock:
            seen.append(number)

    with Team(size) as team:
        team.in_order(work, BEFORE, [1.0] * len(BEFORE))
    assert sorted(seen) == list(range(len(BEFORE)))
    for number, before in enumerate(BEFORE):
        assert before is None or seen.index(before) < seen.index(number)


def test_the_longest_chain_comes_first() -> None:
    seen = list[int]()
    with Team(1) as team:
        team.in_order(lambda number, _: seen.append(number), [None, None, 1, None], [2.0, 1.0, 4.0, 3.0])
    assert seen == [1, 2, 3, 0]


@pytest.mark.parametrize("size", [1, 3])
def test_an_error_ends_all(size: int) -> None:
    def work(number: int, worker: int) -> None:
        del worker
        if number == 4:
            raise RuntimeError("machine 4")

    with Team(size) as team, pytest.raises(RuntimeError, match="machine 4"):
        team.in_order(work, BEFORE, [1.0] * len(BEFORE))


def test_an_interruption_ends_what_is_not_begun() -> None:
    seen = list[int]()

    def work(number: int, worker: int) -> None:
        del worker
        seen.append(number)
        raise KeyboardInterrupt

    with Team(1) as team, pytest.raises(KeyboardInterrupt):
        team.in_order(work, BEFORE, [1.0] * len(BEFORE))
    assert len(seen) == 1
