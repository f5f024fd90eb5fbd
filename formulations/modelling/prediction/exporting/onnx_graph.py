# SPDX-License-Identifier: BSD-3-Clause
"""Machines as ONNX graphs in float32, of operators of the standard alone: no SVMClassifier, nor one of a vendor."""

from __future__ import annotations

from math import isqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from formulations.modelling.prediction.exporting.machine_format import MachineFormat
from formulations.modelling.prediction.exporting.rounding import SINGLE, Floats
from formulations.modelling.prediction.exporting.table import MachineTable, Term
from formulations.modelling.prediction.rules import Ballot, Largest, Ruled, Thresholds
from qpkernels.arrays import Matrix
from qpkernels.errors import ParameterError
from qpkernels.kernels.arithmetic import Arithmetic, Metric, Weights

__all__ = ["Onnx"]

_OPSET, _IR = 17, 8
"""Versions of the operators and of the format, of 2022: old enough for every runtime in use."""


class Onnx(MachineFormat):
    """ONNX, of samples X of shape (n, features): decision_values, and of classes label and probabilities."""

    suffix: ClassVar[str] = ".onnx"
    floats: ClassVar[Floats] = SINGLE

    @staticmethod
    def depth(centers: int) -> int:
        """Return twice the root: sums are those of blocks, and then of their sums."""
        block = _block(centers)
        return block + -(-centers // block)

    def written(self, table: MachineTable, name: str, title: str) -> bytes:
        """Return the graph."""
        try:
            from onnx import TensorProto, checker, helper
        except ImportError:
            raise ParameterError(
                "ONNX needs its package; pip install 'qpkernels[onnx]', or choose .c or .json."
            ) from None
        graph = _Graph()
        values = graph.decision(table)
        outputs = [("decision_values", TensorProto.FLOAT, [None, table.intercepts.size])]
        graph.named("Identity", "decision_values", values)
        if table.rule is not None:
            labels = _plain(table.rule.classes)
            number = table.rule.stated(_RuleNodes(graph, values))
            graph.named("Gather", "label", graph.kept(labels), number, axis=0)
            outputs.append(("label", helper.np_dtype_to_tensor_dtype(labels.dtype), [None]))
            if table.sigmoids is not None:
                graph.named("Identity", "probabilities", graph.probabilities(table, values))
                outputs.append(("probabilities", TensorProto.FLOAT, [None, table.rule.classes.size]))
        made = helper.make_graph(
            graph.nodes,
            name,
            [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, table.features])],
            [helper.make_tensor_value_info(*each) for each in outputs],
            graph.constants,
        )
        model = helper.make_model(
            made, producer_name="qpkernels", opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR
        )
        model.doc_string = title
        checker.check_model(model, full_check=True)
        written: bytes = model.SerializeToString()
        return written


def _plain(classes: NDArray[Any]) -> NDArray[Any]:
    """Return labels in a type that a graph has: text, truth, whole numbers or numbers."""
    if classes.dtype.kind == "U":
        return np.array(classes.tolist(), dtype=object)
    return classes.astype({"b": np.bool_, "f": np.float64}.get(classes.dtype.kind, np.int64))


def _block(centers: int) -> int:
    return max(1, isqrt(max(centers - 1, 0)) + 1)


class _Graph:
    """The nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def named(self, operator: str, name: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return its output."""
        from onnx import helper

        self.nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a node without a name of its own."""
        return self.named(operator, f"n{len(self.nodes)}", *inputs, **attributes)

    def constant(self, values: Any) -> str:
        """Add an array, or a number, in float32."""
        return self.kept(np.asarray(values, dtype=np.float32))

    def whole(self, *values: int) -> str:
        """Add a list of whole numbers."""
        return self.kept(np.array(values, dtype=np.int64))

    def kept(self, array: NDArray[Any]) -> str:
        """Add an array as it is."""
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array.copy(order="C"), name))
        return name

    def decision(self, table: MachineTable) -> str:
        """Return the decision values, shape (n, functions)."""
        x = "X"
        if not np.array_equal(table.columns, np.arange(table.features)):
            x = self("Gather", x, self.whole(*table.columns.tolist()), axis=1)
        for step in table.steps:
            x = self("Sub", x, self.constant(step.shift))
            x = self("Mul", x, self.constant(step.factor))
            x = self("Add", x, self.constant(step.offset))
        terms = [self.term(term, x) for term in table.terms if len(term.centers)]
        if not terms:
            # Constant functions, of as many samples as there are.
            nothing = np.zeros((table.columns.size, table.intercepts.size))
            terms = [self("MatMul", x, self.constant(nothing))]
        total = terms[0]
        for each in terms[1:]:
            total = self("Add", total, each)
        return self("Add", total, self.constant(table.intercepts))

    def term(self, term: Term, x: str) -> str:
        """Return the sums over the centers, by blocks: what a sum of n numbers may lose grows with n."""
        (n, m), block = term.coefficients.shape, _block(len(term.centers))
        blocks = -(-n // block)
        centers, coefficients = np.zeros((blocks * block, term.centers.shape[1])), np.zeros((blocks * block, m))
        centers[:n], coefficients[:n] = term.centers, term.coefficients
        k = _KernelNodes(self, x, centers).of(term.kernel)
        parts = self("Transpose", self("Reshape", k, self.whole(0, blocks, block)), perm=[1, 0, 2])
        sums = self("MatMul", parts, self.constant(coefficients.reshape(blocks, block, m)))
        return self("ReduceSum", sums, self.whole(0), keepdims=0)

    def probabilities(self, table: MachineTable, values: str) -> str:
        """Return the probabilities of the classes, shape (n, classes)."""
        assert table.sigmoids is not None
        assert table.rule is not None
        t = self("Add", self("Mul", values, self.constant(table.sigmoids.A)), self.constant(table.sigmoids.B))
        one = self.constant(1.0)
        second = self("Div", one, self("Add", one, self("Exp", self("Neg", t))))
        if len(table.pairs) == 1:
            return self("Concat", self("Sub", one, second), second, axis=1)
        if all(j < 0 for j, _ in table.pairs):
            return self("Div", second, self("ReduceSum", second, self.whole(1), keepdims=1))
        return self._coupled(second, table.pairs, table.rule.classes.size)

    def _coupled(self, second: str, pairs: tuple[tuple[int, int], ...], K: int) -> str:
        """Return the p with (Q + 1 1') p = const and sum p = 1, by elimination: the matrix is positive definite."""
        m, one = len(pairs), self.constant(1.0)
        second = self("Clip", second, self.constant(1e-7), self.constant(1.0 - 1e-7))
        # r[i, j]: each pair goes to its two places in a matrix.
        later, earlier = np.zeros((m, K * K)), np.zeros((m, K * K))
        for number, (j, k) in enumerate(pairs):
            later[number, k * K + j] = earlier[number, j * K + k] = 1.0
        r = self(
            "Add",
            self("MatMul", second, self.constant(later)),
            self("MatMul", self("Sub", one, second), self.constant(earlier)),
        )
        r = self("Reshape", r, self.whole(0, K, K))
        turned = self("Transpose", r, perm=[0, 2, 1])
        squares = self("ReduceSum", self("Mul", turned, turned), self.whole(2), keepdims=1)
        system = self("Sub", self.constant(np.ones((K, K))), self("Mul", r, turned))
        system = self("Add", system, self("Mul", self.constant(np.eye(K)), squares))
        system = self("Concat", system, self("Add", self("Mul", squares, self.constant(0.0)), one), axis=2)
        for k in range(K):
            first, last = self.whole(k), self.whole(k + 1)
            row, column = (self("Slice", system, first, last, self.whole(axis)) for axis in (1, 2))
            row = self("Div", row, self("Slice", row, first, last, self.whole(2)))
            others = np.ones((K, 1))
            others[k] = 0.0
            # Row k becomes itself by its pivot, and its multiples are taken off the others.
            system = self(
                "Add",
                self("Mul", self.constant(others), self("Sub", system, self("Mul", column, row))),
                self("Mul", self.constant(1.0 - others), row),
            )
        shares = self("Slice", system, self.whole(K), self.whole(K + 1), self.whole(2))
        shares = self("Relu", self("Squeeze", shares, self.whole(2)))
        return self("Div", shares, self("ReduceSum", shares, self.whole(1), keepdims=1))


class _KernelNodes(Arithmetic[str]):
    """The matrix of kernel values of samples with centers."""

    def __init__(self, graph: _Graph, x: str, centers: Matrix) -> None:
        self._graph, self._x, self._centers = graph, x, centers

    def _differences(self) -> str:
        beside = self._graph("Unsqueeze", self._x, self._graph.whole(1))
        return self._graph("Sub", beside, self._graph.constant(self._centers))

    def _summed(self, parts: str) -> str:
        return self._graph("ReduceSum", parts, self._graph.whole(2), keepdims=0)

    def inner_products(self) -> str:
        return self._graph("MatMul", self._x, self._graph.constant(self._centers.T))

    def negative_squares(self, weights: Weights) -> str:
        difference = self._differences()
        squares = self._graph("Mul", difference, difference)
        if isinstance(weights, tuple):
            return self._graph(
                "Neg", self._summed(self._graph("Mul", squares, self._graph.constant(np.array(weights))))
            )
        return self._graph("Mul", self._summed(squares), self._graph.constant(-weights))

    def distances(self, metric: Metric) -> str:
        difference = self._differences()
        if metric == "cityblock":
            return self._summed(self._graph("Abs", difference))
        return self._graph("Sqrt", self._summed(self._graph("Mul", difference, difference)))

    def affine(self, value: str, factor: float, constant: float) -> str:
        product = value if factor == 1.0 else self._graph("Mul", value, self._graph.constant(factor))
        return product if constant == 0.0 else self._graph("Add", product, self._graph.constant(constant))

    def plus(self, left: str, right: str) -> str:
        return self._graph("Add", left, right)

    def times(self, left: str, right: str) -> str:
        return self._graph("Mul", left, right)

    def power(self, value: str, exponent: int) -> str:
        made = value
        for _ in range(exponent - 1):
            made = self._graph("Mul", made, value)
        return made

    def exp(self, value: str) -> str:
        return self._graph("Exp", value)

    def tanh(self, value: str) -> str:
        one, two = self._graph.constant(1.0), self._graph.constant(2.0)
        doubled = self._graph("Exp", self._graph("Mul", value, two))
        return self._graph("Sub", one, self._graph("Div", two, self._graph("Add", doubled, one)))


class _RuleNodes(Ruled[str]):
    """The numbers of the classes, shape (n,)."""

    def __init__(self, graph: _Graph, values: str) -> None:
        self._graph, self._values = graph, values

    def _above(self, bounds: Any) -> str:
        """Return 1 where values are above bounds, and 0 elsewhere."""
        above = self._graph("Greater", self._values, self._graph.constant(bounds))
        return self._graph("Cast", above, to=1)

    def of_thresholds(self, rule: Thresholds) -> str:
        counts = self._graph("ReduceSum", self._above(rule.thresholds), self._graph.whole(1), keepdims=0)
        return self._graph("Cast", counts, to=7)

    def of_largest(self, rule: Largest) -> str:
        del rule
        return self._graph("ArgMax", self._values, axis=1, keepdims=0)

    def of_ballot(self, rule: Ballot) -> str:
        graph, m, K = self._graph, len(rule.pairs), rule.classes.size
        positive, negative = np.zeros((m, K)), np.zeros((m, K))
        for number, (j, k) in enumerate(rule.pairs):
            negative[number, j] = positive[number, k] = 1.0
        above = self._above(0.0)
        votes = graph(
            "Add",
            graph("MatMul", above, graph.constant(positive)),
            graph("MatMul", graph("Sub", graph.constant(1.0), above), graph.constant(negative)),
        )
        if not rule.ties_to_first:
            favour = graph("MatMul", self._values, graph.constant(positive - negative))
            three, one = graph.constant(3.0), graph.constant(1.0)
            squeezed = graph("Div", favour, graph("Mul", three, graph("Add", graph("Abs", favour), one)))
            votes = graph("Add", votes, squeezed)
        return graph("ArgMax", votes, axis=1, keepdims=0)
