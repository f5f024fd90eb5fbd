# SPDX-License-Identifier: BSD-3-Clause
"""The server of the lab in a process of its own, and a folder as a web site on this computer."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

__all__ = ["Server", "running", "serving"]

_SERVE = """
from formulations.lab.app import serve
serve(browser=False, say=lambda line: print(line, flush=True))
"""


@dataclass(frozen=True)
class Server:
    """A server that listens.

    Attributes
    ----------
    address
        Of the page, with its token.
    process
        Its number.
    """

    address: str
    process: int

    @property
    def socket(self) -> str:
        """The address of the WebSocket."""
        page, token = self.address.replace("http:", "ws:").split("/?", maxsplit=1)
        return f"{page}/socket?{token}"

    @property
    def origin(self) -> str:
        """Where its pages come from."""
        return self.address.split("/?")[0]

    def memory(self) -> float:
        """Return the memory that it holds, in MiB."""
        for line in Path(f"/proc/{self.process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise OSError(f"/proc says nothing of the memory of the process {self.process}.")


@contextmanager
def running() -> Iterator[Server]:
    """Start a server, and end it."""
    with subprocess.Popen([sys.executable, "-c", _SERVE], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = next(word for word in process.stdout.readline().split() if word.startswith("http"))
        try:
            yield Server(address, process.pid)
        finally:
            process.terminate()


class _Quiet(SimpleHTTPRequestHandler):
    """Serves files without a word."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder, and yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
