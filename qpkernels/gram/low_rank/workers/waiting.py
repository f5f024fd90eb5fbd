# SPDX-License-Identifier: BSD-3-Clause
"""Waiting for the workers of Dask, some of which may die meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as NotYet
from time import perf_counter
from typing import Any

from distributed import Client, Future, get_client
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from qpkernels.errors import ParameterError, WorkersLostError

__all__ = ["current_client", "gathered"]

_PATIENCE, _POLL = 60.0, 1.0
"""Seconds without a worker after which none is expected any more, and between two looks."""


def current_client() -> Client:
    """Return the client that is there, or say how to start one."""
    try:
        return get_client()
    except ValueError:
        raise ParameterError(
            "samples of Dask are visited by its workers, but there is no client; start one first: "
            "from dask.distributed import Client; client = Client()."
        ) from None


def gathered(futures: Sequence[Future]) -> list[Any]:
    """Wait for the results, whatever happens to workers meanwhile.

    Raises
    ------
    WorkersLostError
        If a task was lost with several workers in turn, no worker is left, or the client or its scheduler is gone.
    """
    client = futures[0].client

    async def collect() -> Any:
        return await client.gather(list(futures), asynchronous=True)

    waiting = asyncio.run_coroutine_threadsafe(collect(), client.loop.asyncio_loop)
    alive = perf_counter()
    try:
        while True:
            try:
                results: list[Any] = waiting.result(_POLL)
            except NotYet:
                alive = perf_counter() if client.nthreads() else alive
                if perf_counter() - alive > _PATIENCE:
                    raise WorkersLostError(
                        f"no worker of Dask was left for {_PATIENCE:g} seconds, and what they held is lost; start "
                        "workers anew, and then ask anew."
                    ) from None
            else:
                return results
    except KilledWorker as error:
        raise WorkersLostError(
            "workers of Dask died again and again at the same block, most likely for want of memory; rechunk X to "
            f"smaller blocks, choose a smaller rank, or give workers more memory ({error})."
        ) from error
    except (CancelledError, asyncio.CancelledError, CommClosedError) as error:
        raise WorkersLostError(
            f"the scheduler of Dask does not know what was asked of it any more ({error}); it, or the client, was "
            "closed or started anew: make the LowRank anew."
        ) from error
    finally:
        waiting.cancel()
