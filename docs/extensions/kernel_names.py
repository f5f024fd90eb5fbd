# SPDX-License-Identifier: BSD-3-Clause
"""The names of kernels and of their parameters, as their classes state them."""

from qpkernels.kernels.catalogue import KERNELS

__all__ = ["kernel_names"]


def kernel_names() -> str:
    """Return the table of all names in Markdown."""
    rows = ["| name | other names | parameters, in order |", "|---|---|---|"]
    for name, kind in sorted(KERNELS.items()):
        entry = kind.entry
        if not entry.takes:
            listed = [" or ".join(f"`{each}`" for each in (one.name, *one.others)) for one in entry.parameters]
            others = ", ".join(f"`{each}`" for each in entry.names[1:])
            rows.append(f"| `{name}` | {others} | {', '.join(listed)} |")
    return "\n".join(rows)
