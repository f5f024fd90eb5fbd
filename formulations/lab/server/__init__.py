# SPDX-License-Identifier: BSD-3-Clause
"""The page over HTTP and its messages over a WebSocket, on this computer alone."""

__all__: list[str] = []
