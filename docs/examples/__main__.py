# SPDX-License-Identifier: BSD-3-Clause
"""All examples one after another: python docs/examples [folder for the pictures]."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parent

for example in [FOLDER / "front_page.py", *sorted(FOLDER.glob("w*.py"))]:
    print(f"\n== {example.name}")
    runpy.run_path(str(example), run_name="__main__")
