"""The graphs of an exported model as plain data, which `pages/translator/graph.js` runs."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx.numpy_helper import to_array

from seq2seq_cli.errors import ExportError
from seq2seq_cli.pages.page import read_file

_INFINITE = {np.inf: "Infinity", -np.inf: "-Infinity"}
"""JSON has no such numbers; JavaScript reads them from text."""


def graph_data(path: Path) -> dict[str, Any]:
    """The data of a graph without its weights: operations, among them constants, and the names of the outputs.

    The operations are in an order in which they can be computed; an input that one lacks has an empty name.
    Raises ExportError for an operation that the page does not know.
    """
    graph = onnx.shape_inference.infer_shapes(onnx.load(path, load_external_data=False)).graph
    kinds = {each.name: each.type.tensor_type.elem_type for each in graph.value_info}
    integers = {name for name, kind in kinds.items() if kind in (onnx.TensorProto.INT32, onnx.TensorProto.INT64)}
    return {
        "nodes": [
            {
                "operator": _operator(node, is_integer=node.output[0] in integers),
                "inputs": list(node.input),
                "outputs": list(node.output),
                "attributes": {each.name: _attribute(each) for each in node.attribute},
            }
            for node in graph.node
        ],
        "outputs": [output.name for output in graph.output],
    }


def _operator(node: onnx.NodeProto, *, is_integer: bool) -> str:
    """The page's name of the operator; `is_integer` says it of the output."""
    operator = "IntegerDiv" if node.op_type == "Div" and is_integer else node.op_type
    if operator not in _known_operators():
        problem = f"the model has the operation {operator}, which the page cannot compute"
        raise ExportError(f"{problem}: export the run to a folder instead")
    return operator


@cache
def _known_operators() -> frozenset[str]:
    """The operators of ONNX that the page can compute."""
    table = read_file("translator/operators.js").partition("const OPERATORS = {")[2]
    return frozenset(re.findall(r"^  (\w+)[:(]", table, flags=re.MULTILINE))


def _attribute(attribute: onnx.AttributeProto) -> Any:
    """The value of an attribute as plain data; of a tensor, the values in the order of the last axis first."""
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        array: np.ndarray = to_array(value)
        values = [number if np.isfinite(number) else _INFINITE[number] for number in array.ravel().tolist()]
        return {"shape": list(array.shape), "values": values}
    if isinstance(value, bytes):
        return value.decode("ascii")
    return [each.decode("ascii") for each in value] if attribute.strings else value
