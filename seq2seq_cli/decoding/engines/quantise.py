"""The output layer in integers: the largest product of a decoder step, at a third of its time.

y = W h + b, with W rounded to 8 bits and a scale per word, h to 7 bits and a scale per row: the proposals for a row do
not depend on the other rows. With 8 bits for both, processors without integer dot products would overflow.
"""

import onnx

BIAS = "output.bias"
"""The bias of the output layer: its name identifies the product."""

# The weights are rounded when a session opens the graph: there are no others to store. The smallest number stands in
# the place of a scale of 0.
_LAYER = """
output_layer (float[R, H] h, float[V, H] W, float[V] b) => (float[R, V] y) {
    tiny = Constant <value_float = 1.1754944e-38> ()
    largest_weight = Constant <value_float = 127.0> ()
    words_axis = Constant <value_ints = [0]> ()
    columns = Transpose <perm = [1, 0]> (W)
    absolute_weights = Abs (columns)
    largest_weights = ReduceMax <keepdims = 0> (absolute_weights, words_axis)
    positive_weights = Max (largest_weights, tiny)
    word_scales = Div (positive_weights, largest_weight)
    scaled_weights = Div (columns, word_scales)
    rounded_weights = Round (scaled_weights)
    weights_int8 = Cast <to = 3> (rounded_weights)

    largest_feature = Constant <value_float = 63.0> ()
    feature_scale = Constant <value_float = 0.015873017> ()
    feature_shift = Constant <value_float = 64.0> ()
    feature_zero = Cast <to = 2> (feature_shift)
    rows_axis = Constant <value_ints = [1]> ()
    absolute_features = Abs (h)
    largest_features = ReduceMax <keepdims = 1> (absolute_features, rows_axis)
    row_scales = Max (largest_features, tiny)
    scaled_features = Div (h, row_scales)
    spread_features = Mul (scaled_features, largest_feature)
    rounded_features = Round (spread_features)
    shifted_features = Add (rounded_features, feature_shift)
    features_uint8 = Cast <to = 2> (shifted_features)

    product = com.microsoft.MatMulIntegerToFloat
        (features_uint8, weights_int8, feature_scale, word_scales, feature_zero)
    scaled_product = Mul (product, row_scales)
    y = Add (scaled_product, b)
}
"""


def quantise_output(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of the graph of a decoder step, with the product of the output layer in integers."""
    quantised = onnx.ModelProto()
    quantised.CopyFrom(model)
    quantised.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    nodes = [*quantised.graph.node]
    position, gemm = next((i, node) for i, node in enumerate(nodes) if BIAS in node.input)
    layer = onnx.parser.parse_graph(_LAYER).node
    names = dict(zip(("h", "W", "b", "y"), [*gemm.input, *gemm.output], strict=True))
    for node in layer:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    nodes[position : position + 1] = layer
    del quantised.graph.node[:]
    quantised.graph.node.extend(nodes)
    return quantised
