"""The graphs of an exported model as plain data, which `pages/translator/graph.js` runs."""

from collections.abc import Container
from typing import Any, TypedDict

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


class TensorData(TypedDict):
    """A tensor."""

    kind: str
    shape: list[int]
    values: list[float | str]
    """In the order of the last axis first; infinite ones as text."""


class NodeData(TypedDict):
    """An operation; an input that it lacks has an empty name."""

    operator: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]


class GraphData(TypedDict):
    """A graph, its nodes in the order in which they can be computed."""

    nodes: list[NodeData]
    constants: dict[str, TensorData]
    outputs: list[str]


def graph_data(graph: onnx.GraphProto, operators: Container[str]) -> GraphData:
    """The data of a graph without its weights; raises ExportError for a node that is none of these operators."""
    constants = {node.output[0]: _tensor(node.attribute[0].t) for node in graph.node if node.op_type == "Constant"}
    nodes = [_node(node, operators) for node in graph.node if node.op_type != "Constant"]
    return {"nodes": nodes, "constants": constants, "outputs": [output.name for output in graph.output]}


def _node(node: onnx.NodeProto, operators: Container[str]) -> NodeData:
    if node.op_type not in operators:
        raise ExportError(f"the model has the operation {node.op_type}, {_NOT_COMPUTED}")
    return {
        "operator": node.op_type,
        "inputs": list(node.input),
        "outputs": list(node.output),
        "attributes": {attribute.name: _attribute(node, attribute, operators) for attribute in node.attribute},
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


def _tensor(tensor: onnx.TensorProto) -> TensorData:
    array: np.ndarray = to_array(tensor)
    values = [value if np.isfinite(value) else _INFINITE[value] for value in array.ravel().tolist()]
    return {"kind": _kind(tensor.data_type), "shape": list(array.shape), "values": values}


def _kind(data_type: int) -> str:
    if data_type not in _KINDS:
        name = onnx.TensorProto.DataType.Name(data_type)
        raise ExportError(f"the model has numbers of the type {name}, {_NOT_COMPUTED}")
    return _KINDS[data_type]
