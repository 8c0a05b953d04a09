"""The output layer in integers: the largest product of a decoder step, at a third of its time.

y = W h + b, with W rounded to 8 bits and a scale per word, h to 7 bits and a scale per row: the proposals for a row do
not depend on the other rows. With 8 bits for both, processors without integer dot products would overflow.
"""

import numpy as np
import onnx
from onnx.helper import make_node, make_opsetid
from onnx.numpy_helper import from_array

BIAS = "output.bias"
"""The bias of the output layer: its name identifies the product."""

_WEIGHT_BITS, _FEATURE_BITS = 8, 7
_CONSTANTS = {
    "words_axis": np.array([0]),
    "rows_axis": np.array([1]),
    "tiny": np.float32(np.finfo(np.float32).tiny),  # instead of a scale of 0
    "largest_weight": np.float32(2 ** (_WEIGHT_BITS - 1) - 1),
    "largest_feature": np.float32(2 ** (_FEATURE_BITS - 1) - 1),
    "feature_scale": np.float32(1 / (2 ** (_FEATURE_BITS - 1) - 1)),
    "feature_shift": np.float32(2 ** (_FEATURE_BITS - 1)),
    "feature_zero": np.uint8(2 ** (_FEATURE_BITS - 1)),
}


def quantise_output(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of the graph of a decoder step, with the product of the output layer in integers.

    The weights are rounded when a session opens the graph: there are no others to store.
    """
    quantised = onnx.ModelProto()
    quantised.CopyFrom(model)
    quantised.opset_import.append(make_opsetid("com.microsoft", 1))
    graph = quantised.graph
    graph.initializer.extend(from_array(np.asarray(value), name) for name, value in _CONSTANTS.items())
    position, gemm = next((i, node) for i, node in enumerate(graph.node) if BIAS in node.input)
    features, weight, bias = gemm.input
    nodes = [*graph.node]
    nodes[position : position + 1] = [
        *_rounded_weights(weight),
        *_rounded_features(features),
        make_node(
            "MatMulIntegerToFloat",
            ["features_uint8", "weights_int8", "feature_scale", "word_scales", "feature_zero"],
            ["product"],
            domain="com.microsoft",
        ),
        make_node("Mul", ["product", "row_scales"], ["scaled_product"]),
        make_node("Add", ["scaled_product", bias], [*gemm.output]),
    ]
    del graph.node[:]
    graph.node.extend(nodes)
    return quantised


def _rounded_weights(weight: str) -> list[onnx.NodeProto]:
    """From W to ``weights_int8``, a column per word, and ``word_scales``."""
    return [
        make_node("Transpose", [weight], ["columns"], perm=[1, 0]),
        make_node("Abs", ["columns"], ["absolute_weights"]),
        make_node("ReduceMax", ["absolute_weights", "words_axis"], ["largest_weights"], keepdims=0),
        make_node("Max", ["largest_weights", "tiny"], ["positive_weights"]),
        make_node("Div", ["positive_weights", "largest_weight"], ["word_scales"]),
        make_node("Div", ["columns", "word_scales"], ["scaled_weights"]),
        make_node("Round", ["scaled_weights"], ["rounded_weights"]),
        make_node("Cast", ["rounded_weights"], ["weights_int8"], to=onnx.TensorProto.INT8),
    ]


def _rounded_features(features: str) -> list[onnx.NodeProto]:
    """From h to ``features_uint8``, in which ``feature_zero`` stands for 0, and ``row_scales``."""
    return [
        make_node("Abs", [features], ["absolute_features"]),
        make_node("ReduceMax", ["absolute_features", "rows_axis"], ["largest_features"], keepdims=1),
        make_node("Max", ["largest_features", "tiny"], ["row_scales"]),
        make_node("Div", [features, "row_scales"], ["scaled_features"]),
        make_node("Mul", ["scaled_features", "largest_feature"], ["spread_features"]),
        make_node("Round", ["spread_features"], ["rounded_features"]),
        make_node("Add", ["rounded_features", "feature_shift"], ["shifted_features"]),
        make_node("Cast", ["shifted_features"], ["features_uint8"], to=onnx.TensorProto.UINT8),
    ]
