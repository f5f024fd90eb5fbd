# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tests.attack``: see :mod:`attack.app`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from attack.app import main

if __name__ == "__main__":
    sys.exit(main())
