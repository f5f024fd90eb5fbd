# SPDX-License-Identifier: BSD-3-Clause
"""Everyday sizes: which sets and settings are measured, and that the page is that of the record."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

from benchmarks import everyday
from benchmarks.everyday import FILE, MACHINES, cases, load, main, page, sampled, save

DOCS = Path(__file__).parent.parent / "docs" / "performance"


def test_the_page_is_that_of_the_record() -> None:
    assert (DOCS / "everyday.md").read_text(encoding="utf-8") == page(load(DOCS / FILE))


def test_sets_have_every_kind_of_targets_and_settings_that_both_take() -> None:
    every = sampled(None)
    assert {0, 2, 3, 5, 6, 7, 10, 20, 50} <= {some.classes for some in every}
    assert len({some.name for some in every}) == len(every)
    for some in every:
        assert {machine for machine, _ in cases(some)} == set(MACHINES) - (
            {"SVR"} if some.classes else {"SVC", "NuSVC", "LinearSVC"}
        )
        assert abs(some.X).max() == pytest.approx(1.0)
        assert len(list(cases(some, whole=True))) == (17 if some.classes else 10)
        assert (len(list(cases(some))) < 10) == (some.X.shape[0] > everyday.LARGE)


def test_labels_of_a_file_are_classes_or_real_targets_by_its_name(tmp_path: Path) -> None:
    for name in ("heart_scale", "housing_scale"):
        with lzma.open(tmp_path / f"{name}.xz", "wt") as file:
            file.writelines(f"{label} 1:{value} 2:1\n" for label, value in ((3, 0.5), (5, 1), (5, -1), (3, 2)))
    (tmp_path / "other.tar.xz").write_bytes(b"")
    found = {some.name: some for some in sampled(tmp_path)}
    assert found["heart_scale"].y.tolist() == [0, 1, 1, 0]
    assert found["housing_scale"].y.tolist() == [-1.0, 1.0, 1.0, -1.0]
    assert np.ptp(found["heart_scale"].X[:, 0]) == 2.0
    assert "other.tar" not in found


def test_a_run_goes_on_and_replaces_what_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {some.name: some for some in sampled(None)}
    monkeypatch.setattr(everyday, "sampled", lambda _: [known["iris"], known["linnerud, weight"]])
    monkeypatch.setattr(everyday, "COSTS", (1.0,))
    monkeypatch.setattr(everyday, "_TURNS", 1)
    main(["--only", "iris", "--out", str(tmp_path)])
    (first,) = load(tmp_path / FILE)
    assert {case.machine for case in first.cases} == {"SVC", "NuSVC", "LinearSVC", "OneClassSVM"}
    assert all(case.proved for case in first.cases)
    assert min(case.agree for case in first.cases) > 0.9
    with (tmp_path / FILE).open("a", encoding="utf-8") as file:
        file.write('{"name": "cut off')
    main(["--go-on", "--out", str(tmp_path)])
    smallest, second = load(tmp_path / FILE)
    assert second == first
    assert {case.machine for case in smallest.cases} == {"SVR", "OneClassSVM"}
    main(["--only", "iris", "--out", str(tmp_path)])
    assert load(tmp_path / FILE)[0] == smallest
    assert (tmp_path / "everyday.md").read_text(encoding="utf-8") == page(load(tmp_path / FILE))
    assert (tmp_path / "everyday.png").stat().st_size > 10_000


def test_a_set_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "irises", "--out", str(tmp_path)])
    assert "there is no set irises; choose from " in capsys.readouterr().err


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    save(tmp_path / FILE, load(DOCS / FILE))
    assert (tmp_path / FILE).read_bytes() == (DOCS / FILE).read_bytes()
