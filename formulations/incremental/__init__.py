# SPDX-License-Identifier: BSD-3-Clause
"""Models whose samples come, go and change, each time with the certified new answer."""

from formulations.incremental.machine import Incremental

__all__ = ["Incremental"]
