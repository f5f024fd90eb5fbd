# SPDX-License-Identifier: BSD-3-Clause
"""Which machines of a batch share a matrix that fits in memory, and which are left to the solver of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from qpkernels.arrays import Indices
from qpkernels.batch.machine import Machine
from qpkernels.errors import QPKernelsError
from qpkernels.gram import Gram
from qpkernels.solvers.smo.blocks import is_hard

__all__ = ["Group", "grouped"]

_SMALLEST, _LARGEST = 1e-30, 1e30
"""Kernel values between which float32 has all its digits."""


@dataclass(frozen=True, eq=False)
class Group:
    """Machines with their numbers in the batch; ``after`` counts within the group."""

    numbers: tuple[int, ...]
    machines: tuple[Machine, ...]


def grouped(gram: Gram, machines: Sequence[Machine], memory: int) -> tuple[list[Group], list[int]]:
    """Return groups whose matrix takes up to ``memory`` bytes in float32, and the numbers of the other machines."""
    _settle(gram, machines)
    fitting: list[int] = []
    alone: list[int] = []
    for number, machine in enumerate(machines):
        (fitting if _is_shared(gram, machine) else alone).append(number)
    parts: list[tuple[Indices, list[int]]] = []
    for chain in _chains(machines, fitting):
        samples = np.unique(np.concatenate([_samples(machines[number]) for number in chain]))
        if 4 * samples.size**2 > memory:
            alone += chain
            continue
        union = np.union1d(parts[-1][0], samples) if parts else samples
        if parts and 4 * union.size**2 <= memory:
            parts[-1] = union, parts[-1][1] + chain
        else:
            parts.append((samples, list(chain)))
    return [_group(machines, sorted(numbers)) for _, numbers in parts], alone


def _settle(gram: Gram, machines: Sequence[Machine]) -> None:
    """Settle whether K is positive semidefinite for all machines at once, where that takes less than one by one."""
    each = sum(float(len(program)) ** 3 for program in {id(m.program.gram): m.program for m in machines}.values())
    if gram.kernel.positive_semidefinite or float(len(gram)) ** 3 <= each:
        try:
            gram.require_psd()
        except QPKernelsError:
            # A part of it may be; each machine that is none says so.
            return


def _is_shared(gram: Gram, machine: Machine) -> bool:
    """Return whether the matrix of the machine is that of the batch, and float32 holds it."""
    try:
        machine.program.gram.require_psd()
        corrected = gram.correction is not None and machine.program.gram is not gram
        diagonal = machine.program.gram.diagonal
    except QPKernelsError:
        return False
    return not corrected and not is_hard(machine.program) and _SMALLEST <= diagonal.max() <= _LARGEST


def _chains(machines: Sequence[Machine], numbers: Sequence[int]) -> list[list[int]]:
    """Return the machines that start from each other, as far as they are among ``numbers``."""
    chain_of: dict[int, list[int]] = {}
    for number in numbers:
        after = machines[number].after
        chain = [] if after is None else chain_of.get(after, [])
        chain.append(number)
        chain_of[number] = chain
    return list({id(chain): chain for chain in chain_of.values()}.values())


def _samples(machine: Machine) -> Indices:
    return machine.samples if machine.held_out is None else np.concatenate([machine.samples, machine.held_out])


def _group(machines: Sequence[Machine], numbers: list[int]) -> Group:
    place = {number: k for k, number in enumerate(numbers)}
    before = [machines[number].after for number in numbers]
    local = (None if after is None else place.get(after) for after in before)
    return Group(tuple(numbers), tuple(replace(machines[n], after=k) for n, k in zip(numbers, local, strict=True)))
