# SPDX-License-Identifier: BSD-3-Clause
"""The table of an audit: in terminals, in notebooks, as data."""

from __future__ import annotations

import json

import pytest
from rich.console import Console
from sklearn.svm import SVC, SVR, NuSVC

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes
from formulations import Audit, audit
from formulations.auditing import AuditRow
from showing import check_bundle


def found(tol: float = 0.5) -> Audit:
    X, y = three_classes()
    return audit(SVC(gamma=GAMMA, tol=tol).fit(X, y), X, y)


def test_it_is_a_sequence_of_machines() -> None:
    audited = found()
    assert len(audited) == 3
    assert audited[1].machine.name == "'c' against 'a'"
    assert [each.machine.name for each in audited[:2]] == ["'b' against 'a'", "'c' against 'a'"]
    assert audited.status == "uncertified"
    assert found(1e-9).status == "optimal"


def test_the_table_says_all() -> None:
    text = str(found())
    assert "SVC: optimal = proved to a relative gap and residuals of 0.001" in text
    assert "0 of 3 machines are proved" in text
    assert "'c' against 'a': not proved to 0.001: up to " in text
    assert "samples add more than their share to the gap:" in text
    assert "where it should be 1; adds " in text
    for heading in ("primal value", "dual res.", "‖f − f*‖ ≤", "certain", "wrong"):
        assert heading in text
    assert "3 of 3 machines are proved" in str(found(1e-9))


def test_a_single_machine_has_its_verdict() -> None:
    X, y = targets()
    text = str(audit(SVR(**SHARP).fit(X, y), X, y))
    assert "SVR: proved optimal to 0.001: at most " in text
    assert "machines are proved" not in text


def test_a_narrow_terminal_shows_what_matters() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(found())
    assert "primal value" not in capture.get()
    assert "rel. gap" in capture.get()


def test_json() -> None:
    rows = json.loads(found().to_json())
    assert [row["machine"] for row in rows] == ["'b' against 'a'", "'c' against 'a'", "'c' against 'b'"]
    assert set(rows[0]) == set(AuditRow.__dataclass_fields__)
    assert rows[0]["status"] == "uncertified"
    assert 0 < rows[0]["relative_gap"] < 1
    assert 1 <= len(rows[0]["worst"]) <= 5
    worst = rows[0]["worst"][0]
    _, y = three_classes()
    assert worst["label"] == y[worst["sample"]]
    assert worst["measure"] == "margin"
    assert worst["violation"] == max(each["violation"] for each in rows[0]["worst"])


def test_what_is_not_known_is_null() -> None:
    X, y = two_classes()
    (row,) = json.loads(audit(NuSVC(nu=0.3, **SHARP).fit(X, y), X, y).to_json(indent=None))
    assert row["certain"] is None
    assert row["distance"] >= 0


def test_it_is_one_line_where_it_is_not_printed() -> None:
    assert repr(found()) == "<Audit of SVC: 0 of 3 machines proved to 0.001>"
    X, y = two_classes()
    alone = audit(SVC(gamma=GAMMA, tol=1e-9).fit(X, y), X, y)
    assert repr(alone).startswith("<Audit of SVC: proved optimal to 0.001: at most ")
    assert check_bundle(alone, maths=False)
    assert alone._repr_mimebundle_()["text/plain"] == str(alone)


def test_html() -> None:
    html = found()._repr_html_()
    assert html.startswith("<table><caption>SVC: optimal = proved")
    assert html.count("<tr>") == 4
    assert "&#x27;b&#x27; against &#x27;a&#x27;" in html


@pytest.mark.parametrize("tol", [1e-1, 1e-6])
def test_the_tolerance_decides(tol: float) -> None:
    X, y = two_classes()
    machine = SVC(gamma=GAMMA, tol=1e-3).fit(X, y)
    audited = audit(machine, X, y, tol=tol)
    assert audited.status == ("optimal" if tol > 1e-2 else "uncertified")
    assert f"{tol:g}" in str(audited)
