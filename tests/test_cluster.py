# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark beside workers of Dask: both ways run, and give one answer."""

import json
from pathlib import Path

from benchmarks.scale import cluster


def test_both_ways_give_one_answer(tmp_path: Path) -> None:
    arguments = [
        "--samples",
        "2500",
        "--block",
        "1000",
        "--rank",
        "8",
        "--memory",
        "1GiB",
        "--workers",
        "1",
        "--out",
        str(tmp_path),
    ]
    cluster.main(arguments)
    (record,) = json.loads((tmp_path / cluster.FILE).read_text())
    assert record["serial"]["status"] == record["workers"]["status"] == "optimal"
    assert max(record["primal_difference"], record["dual_difference"]) < 1e-9
    assert record["decision_difference"] < 1e-6
    assert not record["workers"]["killed"]
