# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels``: its commands by task, exit statuses, and what users of LIBSVM call them.

The modules that a command works with are imported when it runs, so that help is shown at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from formulations.commands.compare import audit_command, compare_command, cross_examine_command
from formulations.commands.files import (
    export_command,
    kernels_command,
    models_command,
    scale_command,
    solvers_command,
    write_testset,
)
from formulations.commands.lab import lab_command
from formulations.commands.output import show_logged
from formulations.commands.plot import plot_command
from formulations.commands.predict import evaluate_command, export_machine_command, predict_command
from formulations.commands.prove import prove_command, verify_command
from formulations.commands.search import grid_command, path_command
from formulations.commands.solve import fit_command, solve_command

__all__ = ["app"]

_EPILOG = """
**Exit status.** 0: done, and every answer is proved. 2: bad input. 3: there is an answer, and it is not proved.
4: there is none, as the model is infeasible or no solver found one. 1: a fault of the program.

**For users of LIBSVM.**

* svm-train -s 0 -t 2 -c 10 -g 0.1 train: qpkernels fit train --C 10 --kernel 'rbf(gamma=0.1)'; without -g: --gamma auto

* -s 1 -n 0.3: --model nu-margin --set nu=0.3; -s 2: --model one-class; -s 4: --model nu-tube; -s 3 -p 0.1:
  --model soft-tube --set epsilon=0.1

* -t 0: --kernel linear; -t 1 -d 2 -g 1 -r 1: --kernel 'polynomial(2, gamma=1, coef0=1)'; -t 3:
  --kernel sigmoid --indefinite clip

* -e 0.001: --tol 1e-3; -b 1: --probability; -w1 5: --weight 1=5; -v 5: qpkernels grid train --try C=1

* svm-predict -b 1 test train.model out: qpkernels predict test --model train.model --probability -o out, and evaluate
  for the accuracy

* svm-scale -s range train: qpkernels scale train train.scale -s range, or fit --scale; -r range: -r range

* grid.py -log2c -5,15,2 -log2g 3,-15,-2 train: qpkernels grid train --try C=log2:-5,15,2 --try gamma=log2:3,-15,-2
"""

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
    help="Kernel machines as convex optimisation problems: solved by any solver, and proved optimal.",
    epilog=_EPILOG,
)

_PANELS = {
    "Train and use machines": {
        "fit": fit_command,
        "predict": predict_command,
        "evaluate": evaluate_command,
        "plot": plot_command,
    },
    "Choose hyper-parameters": {"grid": grid_command, "path": path_command},
    "Solve and prove": {
        "solve": solve_command,
        "prove": prove_command,
        "verify": verify_command,
        "compare": compare_command,
        "cross-examine": cross_examine_command,
        "audit": audit_command,
    },
    "See and try": {"lab": lab_command},
    "Look up": {"models": models_command, "kernels": kernels_command, "solvers": solvers_command},
    "Write files for others": {
        "export-machine": export_machine_command,
        "export": export_command,
        "scale": scale_command,
        "testset": write_testset,
    },
}

for _panel, _commands in _PANELS.items():
    for _name, _command in _commands.items():
        app.command(name=_name, rich_help_panel=_panel)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        import qpkernels

        print(f"qpkernels {qpkernels.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """State kernel machines as convex problems, solve them by any solver, and prove the answers."""
    del version
    show_logged()


if __name__ == "__main__":
    app()
