# SPDX-License-Identifier: BSD-3-Clause
"""The samples that a batch needs, in an order in which each machine finds its own next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from qpkernels.arrays import Indices
from qpkernels.batch.machine import Machine

__all__ = ["Layout", "runs_of"]

_CHUNK = 1024
"""Most samples of a chunk: kernel values between two chunks are made at once."""

_SMALL = 128
"""Samples below which those of other machines may share a chunk."""


@dataclass(frozen=True, eq=False)
class Layout:
    """An order of samples: those that the same machines use follow each other, as classes and folds do.

    Attributes
    ----------
    order
        The numbers of the samples in the shared matrix.
    trained
        How many of them machines are trained on; they come first.
    chunks
        Edges of parts of them that are used by the same machines, as far as that leaves parts of a fair size.
    columns
        For each machine, where its samples are in this order, ascending.
    inside
        For each machine, which of its samples that is: its arrays are taken in this order.
    held_out
        For each machine, where the samples held out are, in the machine's order.
    """

    order: Indices
    trained: int
    chunks: Indices
    columns: tuple[Indices, ...]
    inside: tuple[Indices, ...]
    held_out: tuple[Indices, ...]

    @classmethod
    def of(cls, machines: Sequence[Machine], size: int) -> Layout:
        """Return the layout of ``machines`` on some of ``size`` samples."""
        signatures, held = np.zeros(size, np.uint64), [_held_out(machine) for machine in machines]
        marks = np.random.default_rng(0).integers(1, 2**63, (2, len(machines)), dtype=np.uint64)
        for machine, out, (own, other) in zip(machines, held, marks.T, strict=True):
            signatures[machine.samples] += own
            signatures[out] += other
        used = np.flatnonzero(signatures)
        trained = np.zeros(size, bool)
        for machine in machines:
            trained[machine.samples] = True
        order = used[np.lexsort((signatures[used], ~trained[used]))]
        place = np.full(size, -1, np.intp)
        place[order] = np.arange(order.size)
        inside = tuple(np.argsort(place[machine.samples]) for machine in machines)
        return cls(
            order=order,
            trained=int(trained.sum()),
            chunks=_chunks(np.flatnonzero(np.diff(signatures[order])) + 1, order.size),
            columns=tuple(place[machine.samples][at] for machine, at in zip(machines, inside, strict=True)),
            inside=inside,
            held_out=tuple(place[out] for out in held),
        )


def _held_out(machine: Machine) -> Indices:
    return np.empty(0, np.intp) if machine.held_out is None else machine.held_out


def _chunks(changes: Indices, size: int) -> Indices:
    """Return edges of chunks that end where the machines change, unless the chunk would be small."""
    edges = [0]
    for change in [*changes.tolist(), size]:
        if change - edges[-1] >= _SMALL or change == size:
            parts = -(-(change - edges[-1]) // _CHUNK)
            edges += [edges[-1] + (change - edges[-1]) * k // parts for k in range(1, parts + 1)]
    return np.unique(edges).astype(np.intp)


def runs_of(columns: Indices) -> Indices:
    """Return for each run of columns that follow each other its first column, first position and end; shape (r, 3)."""
    edges = [0, *(np.flatnonzero(np.diff(columns) != 1) + 1).tolist(), columns.size]
    return np.array([(columns[start], start, stop) for start, stop in pairwise(edges)], np.intp)
