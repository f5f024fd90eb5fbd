# SPDX-License-Identifier: BSD-3-Clause
"""Run scikit-learn's tests on our estimators, and write what became of them: python -m tests.scikit_learn [FILE].

It fails where a test does without a reason, and where a reason is left over.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import sklearn

sys.path.insert(0, str(Path(__file__).parents[1]))

from scikit_learn.page import write
from scikit_learn.running import run

PAGE = Path("docs/estimators/scikit-learn.md")


def main(arguments: Sequence[str]) -> int:
    """Return 0 if all tests pass or have a reason, and all reasons are needed."""
    outcomes = run("--tb=short")
    page = write(outcomes, sklearn.__version__)
    path = Path(arguments[0]) if arguments else PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page.text)
    for line in page.complaints:
        print(line, file=sys.stderr)
    print(f"{page.summary} Written to {path}.")
    return int(bool(page.complaints))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
