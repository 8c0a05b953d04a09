"""The graphs of an exported model as plain data, which `pages/translator/graph.js` runs."""

from collections.abc import Container
from typing import Any

import numpy as np
import onnx
from onnx.numpy_helper import to_array

from seq2seq_cli.errors import ExportError

_KINDS: dict[int, str] = {
    onnx.TensorProto.FLOAT: "float",
    onnx.TensorProto.INT32: "integer",
    onnx.TensorProto.INT64: "integer",
    onnx.TensorProto.BOOL: "boolean",
}
"""The kind of numbers that the page computes with, by ONNX's type."""
_INFINITE = {np.inf: "Infinity", -np.inf: "-Infinity"}
"""JSON has no such numbers; JavaScript reads them from text."""
_NOT_COMPUTED = "which the page cannot compute: export the run to a folder instead"


def graph_data(graph: onnx.GraphProto, operators: Container[str]) -> dict[str, Any]:
    """The data of a graph without its weights: operations, constants by name, and the names of the outputs.

    The operations are in an order in which they can be computed; an input that one lacks has an empty name.
    Raises ExportError for a node that is none of these operators.
    """
    nodes = [node for node in graph.node if node.op_type != "Constant"]
    constants = [node for node in graph.node if node.op_type == "Constant"]
    for node in nodes:
        if node.op_type not in operators:
            raise ExportError(f"the model has the operation {node.op_type}, {_NOT_COMPUTED}")
    return {
        "nodes": [
            {
                "operator": node.op_type,
                "inputs": list(node.input),
                "outputs": list(node.output),
                "attributes": {each.name: _attribute(node, each, operators) for each in node.attribute},
            }
            for node in nodes
        ],
        "constants": {node.output[0]: _tensor(node.attribute[0].t) for node in constants},
        "outputs": [output.name for output in graph.output],
    }


def _attribute(node: onnx.NodeProto, attribute: onnx.AttributeProto, operators: Container[str]) -> Any:
    """The value of an attribute as plain data."""
    value = onnx.helper.get_attribute_value(attribute)
    if node.op_type == "Cast":
        return _kind(value)
    if isinstance(value, onnx.GraphProto):
        return graph_data(value, operators)
    if isinstance(value, onnx.TensorProto):
        return _tensor(value)
    if isinstance(value, bytes):
        return value.decode("ascii")
    return [each.decode("ascii") for each in value] if attribute.strings else value


def _tensor(tensor: onnx.TensorProto) -> dict[str, Any]:
    """A tensor, its values in the order of the last axis first; infinite ones as text."""
    array: np.ndarray = to_array(tensor)
    values = [value if np.isfinite(value) else _INFINITE[value] for value in array.ravel().tolist()]
    return {"kind": _kind(tensor.data_type), "shape": list(array.shape), "values": values}


def _kind(data_type: int) -> str:
    if data_type not in _KINDS:
        name = onnx.TensorProto.DataType.Name(data_type)
        raise ExportError(f"the model has numbers of the type {name}, {_NOT_COMPUTED}")
    return _KINDS[data_type]
