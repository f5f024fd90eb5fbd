# SPDX-License-Identifier: BSD-3-Clause
"""``python -m tests.proofs``: see :mod:`proofs.app`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from proofs.app import main

if __name__ == "__main__":
    sys.exit(main())
