# SPDX-License-Identifier: BSD-3-Clause
"""Which machines of a batch share a matrix that fits in memory, and which are left to the solver of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import is_sparse
from qpkernels.errors import QPKernelsError
from qpkernels.families.batch.arrays import takes
from qpkernels.families.batch.machine import Machine
from qpkernels.gram import Gram
from qpkernels.solvers.smo.rows import ONE_BLOCK

__all__ = ["MachineGroup", "Reading", "grouped"]

_SMALLEST, _LARGEST = 1e-30, 1e30
"""Kernel values between which float32 has all its digits."""

_NARROW = 64
"""Features up to which to make a row takes about as long as to read it from a large matrix."""

_SMALL = 500
"""Samples up to which a machine is as fast in float64, with its matrix, as in float32."""

_SHARED = 4.0
"""How often an entry of a matrix in float32 is used, on an average, from which on to keep it."""

_OFTEN = 3.0
"""How often machines of several blocks must use an entry on average, since alone they make about a third of theirs."""


class Reading(Enum):
    """Where the machines of a group have rows of the kernel matrix from."""

    SHARED = "one matrix"
    ARRAYS = "each machine makes those that it needs in float64, or all have them from a matrix of few samples"
    KEPT = "one after the other, all on the same samples, as many rows kept as fit in memory"


@dataclass(frozen=True, eq=False)
class MachineGroup:
    """Machines with their numbers in the batch; ``after`` counts within the group.

    Attributes
    ----------
    reading
        Where they have their rows from.
    """

    numbers: tuple[int, ...]
    machines: tuple[Machine, ...]
    reading: Reading


def grouped(gram: Gram, machines: Sequence[Machine], memory: int) -> tuple[list[MachineGroup], list[int]]:
    """Return groups whose matrix takes up to ``memory`` bytes in float32, and the numbers of the other machines."""
    _settle(gram, machines)
    fitting: list[int] = []
    alone: list[int] = []
    for number, machine in enumerate(machines):
        (fitting if _is_shared(gram, machine) else alone).append(number)
    if (reading := _reading(gram, [machines[number] for number in fitting])) is not Reading.SHARED:
        return [_group(machines, fitting, reading)], alone
    groups: list[tuple[list[int], NDArray[np.bool_]]] = []
    too_large: list[int] = []
    for chain in _chains(machines, fitting):
        samples = np.zeros(len(gram), bool)
        for number in chain:
            samples[machines[number].samples] = True
        sizes = [int((union | samples).sum()) for _, union in groups]
        if 4 * int(samples.sum()) ** 2 > memory:
            too_large += chain
        elif sizes and 4 * min(sizes) ** 2 <= memory:
            numbers, union = groups[int(np.argmin(sizes))]
            numbers += chain
            union |= samples
        else:
            groups.append((list(chain), samples))
    shared: list[MachineGroup] = []
    for numbers, union in groups:
        if _pays(machines, numbers, union):
            shared.append(_group(machines, sorted(numbers), Reading.SHARED))
        else:
            alone += numbers
    kept, others = _on_the_same_samples(gram, machines, sorted(too_large))
    return [*shared, *(_group(machines, numbers, Reading.KEPT) for numbers in kept)], [*alone, *others]


def _pays(machines: Sequence[Machine], numbers: Sequence[int], samples: NDArray[np.bool_]) -> bool:
    """Return whether the machines use a matrix often enough to make all of it: alone, each makes a part of its own."""
    sizes = [len(machines[number].program) for number in numbers]
    return max(sizes) <= ONE_BLOCK or sum(float(size) ** 2 for size in sizes) >= _OFTEN * float(samples.sum()) ** 2


def _on_the_same_samples(
    gram: Gram, machines: Sequence[Machine], numbers: Sequence[int]
) -> tuple[list[list[int]], list[int]]:
    """Return those that may share kept rows, as they have all samples in common, and the others."""
    if gram.is_formed or gram.features is not None or gram.product_form is None:
        return [], list(numbers)
    several: dict[bytes, list[int]] = {}
    for number in numbers:
        several.setdefault(machines[number].samples.tobytes(), []).append(number)
    kept = [each for each in several.values() if len(each) > 1 and len(machines[each[0]].program) > ONE_BLOCK]
    return kept, sorted(set(numbers).difference(*kept))


def _reading(gram: Gram, machines: Sequence[Machine]) -> Reading:
    """Return where small machines have their rows from.

    One against one makes its own: most entries between two classes are for one machine, and most of them for none.
    """
    largest, (size, uses) = max((len(machine.program) for machine in machines), default=0), _extent(gram, machines)
    if not machines or largest > ONE_BLOCK or not takes(gram):
        return Reading.SHARED
    if largest <= _SMALL and size <= 2 * _SMALL:
        return Reading.ARRAYS
    if uses >= _SHARED * size**2 or gram.is_formed:
        return Reading.SHARED
    form, X = gram.panels(compressed=False)
    narrow = form is not None and form.scale.size <= _NARROW and not is_sparse(X)
    return Reading.ARRAYS if narrow else Reading.SHARED


def _extent(gram: Gram, machines: Sequence[Machine]) -> tuple[int, float]:
    """Return how many samples the machines have together, and how many entries each one uses, added up."""
    union = np.zeros(len(gram), bool)
    for machine in machines:
        union[machine.samples] = True
    return int(union.sum()), sum(float(len(machine.program)) ** 2 for machine in machines)


def _settle(gram: Gram, machines: Sequence[Machine]) -> None:
    """Settle whether K is positive semidefinite for all machines at once, where that takes less than one by one."""
    each = sum(float(program.size) ** 3 for program in {id(m.program.gram): m.program for m in machines}.values())
    if gram.by_construction or float(len(gram)) ** 3 <= each:
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
    return not corrected and not machine.program.is_hard and _SMALLEST <= diagonal.max() <= _LARGEST


def _chains(machines: Sequence[Machine], numbers: Sequence[int]) -> list[list[int]]:
    """Return the machines that start from each other, as far as they are among ``numbers``."""
    chain_of: dict[int, list[int]] = {}
    for number in numbers:
        after = machines[number].after
        chain = [] if after is None else chain_of.get(after, [])
        chain.append(number)
        chain_of[number] = chain
    return list({id(chain): chain for chain in chain_of.values()}.values())


def _group(machines: Sequence[Machine], numbers: list[int], reading: Reading) -> MachineGroup:
    place = {number: k for k, number in enumerate(numbers)}
    before = [machines[number].after for number in numbers]
    local = (None if after is None else place.get(after) for after in before)
    own = tuple(
        machine if machine.after == after else replace(machine, after=after)
        for machine, after in zip((machines[number] for number in numbers), local, strict=True)
    )
    return MachineGroup(tuple(numbers), own, reading)
