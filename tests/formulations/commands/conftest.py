# SPDX-License-Identifier: BSD-3-Clause
"""Files that several commands are given."""

from pathlib import Path

import pytest

from command_line import samples, write_libsvm


@pytest.fixture
def libsvm(tmp_path: Path) -> Path:
    return write_libsvm(tmp_path / "samples", *samples())


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    X, y = samples()
    lines = ["width,kind,height,depth"]
    lines += [
        f"{row[0]!r},{'ill' if sign > 0 else 'healthy'},{row[1]!r},{row[2]!r}"
        for sign, row in zip(y.tolist(), X.tolist(), strict=True)
    ]
    path = tmp_path / "samples.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
