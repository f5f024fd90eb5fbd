# SPDX-License-Identifier: BSD-3-Clause
"""Files."""

from typing import Any

__all__ = ["read_file"]


def read_file(*a: Any) -> Any: ...
