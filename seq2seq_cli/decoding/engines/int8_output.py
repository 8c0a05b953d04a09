"""The output layer of a decoder step in int8, which takes most of the time of a search, for ONNX Runtime.

The logits z = W f + b of all units are computed with W rounded to 7 bits, with a scale per unit, and f to 8 bits, with
a scale per row, so that no row depends on others; with 8 bits for both, processors without integer dot products would
overflow. The rounded logits z' choose the `EXACT` best units of a row, whose logits are computed again in fp32, as are
those of the tokens asked for. Of the softmax, only the sum over the other units is as they are rounded:

    log Z = log Z' + log(sum_best exp(z - log Z') + 1 - sum_best p')

R rows, V units, at least `LEAST_UNITS`, F features, A tokens asked for, U different ones of all rows, C candidates:
`number`, but at least `EXACT`.
"""

import onnx

from seq2seq_cli.decoding.engines.onnx_engine import ASKED, EXACT

LEAST_UNITS = 2000
"""With fewer units, the product is so small that other operators take what int8 saves. Measured."""

_BIAS = "model.output.bias"
"""The bias of the output layer in a traced step: its name identifies the product."""
_FORM = ["Gemm", "LogSoftmax", "TopK", "GatherElements"]
"""The operators of an output layer and of `propose` that are replaced."""

# ONNX Runtime computes what depends on W and b alone once, when it opens the graph. The smallest number stands in the
# place of a scale of 0. A weight that is not finite makes the scale of its unit NaN, as rounding would hide it. Softmax
# takes less time than LogSoftmax, and its largest probability is never 0. Candidates after the exact ones keep their
# rounded logits, but none is above the exact ones.
_LAYER = f"""
output_layer (float[R, F] f, float[V, F] W, float[V] b, int64[1] number, int64[U] {ASKED[0]}, int64[R, A] {ASKED[1]})
    => (float[R, C] log_probabilities, int64[R, C] candidates, float[R, A] asked_log_probabilities) {{
    zero = Constant <value_ints = [0]> ()
    one = Constant <value_ints = [1]> ()
    two = Constant <value_ints = [2]> ()
    end = Constant <value_ints = [{2**31 - 1}]> ()
    exact = Constant <value_ints = [{EXACT}]> ()
    none = Constant <value_float = 0.0> ()
    unity = Constant <value_float = 1.0> ()
    tiny = Constant <value_float = 1.1754944e-38> ()
    weight_steps = Constant <value_float = 63.0> ()
    feature_scale = Constant <value_float = {1 / 127:.9f}> ()
    feature_zero = Constant <value = uint8 {{128}}> ()

    units = Shape (b)
    highest = ReduceMax <keepdims = 0> (W, one)
    lowest = ReduceMin <keepdims = 0> (W, one)
    negated = Neg (lowest)
    largest = Max (highest, negated, tiny)
    finite_scales = Div (largest, weight_steps)
    sums = ReduceSum <keepdims = 0> (W, one)
    nothing = Mul (sums, none)
    unit_scales = Add (finite_scales, nothing)
    unit_zeros = ConstantOfShape <value = int8[1] {{0}}> (units)
    rounded = QuantizeLinear <axis = 0> (W, unit_scales, unit_zeros)
    W_int8 = Transpose <perm = [1, 0]> (rounded)

    absolute = Abs (f)
    largest_features = ReduceMax <keepdims = 1> (absolute, one)
    row_scales = Max (largest_features, tiny)
    scaled = Div (f, row_scales)
    f_uint8 = QuantizeLinear (scaled, feature_scale, feature_zero)
    product = com.microsoft.MatMulIntegerToFloat (f_uint8, W_int8, feature_scale, unit_scales, feature_zero)
    scaled_product = Mul (product, row_scales)
    logits = Add (scaled_product, b)
    probabilities = Softmax <axis = 1> (logits)

    wanted = Max (number, exact)
    candidate_logits, candidates = TopK <axis = 1> (logits, wanted)
    best = Slice (candidates, zero, exact, one)
    other_logits = Slice (candidate_logits, exact, end, one)
    best_weights = Gather (W, best)
    f_columns = Unsqueeze (f, two)
    best_columns = MatMul (best_weights, f_columns)
    best_products = Squeeze (best_columns, two)
    best_biases = Gather (b, best)
    best_logits = Add (best_products, best_biases)
    asked_weights = Gather (W, {ASKED[0]})
    asked_biases = Gather (b, {ASKED[0]})
    all_asked_logits = Gemm <transB = 1> (f, asked_weights, asked_biases)
    asked_logits = GatherElements <axis = 1> (all_asked_logits, {ASKED[1]})

    best_probabilities = GatherElements <axis = 1> (probabilities, best)
    first_probability = Slice (best_probabilities, zero, one, one)
    first_log_probability = Log (first_probability)
    first_logit = Slice (candidate_logits, zero, one, one)
    rounded_normaliser = Sub (first_logit, first_log_probability)
    log_ratios = Sub (best_logits, rounded_normaliser)
    ratios = Exp (log_ratios)
    of_best = ReduceSum (ratios, one)
    rounded_of_best = ReduceSum (best_probabilities, one)
    rounded_of_others = Sub (unity, rounded_of_best)
    ratio = Add (of_best, rounded_of_others)
    log_ratio = Log (ratio)
    normaliser = Add (rounded_normaliser, log_ratio)

    least = ReduceMin (best_logits, one)
    bounded = Min (other_logits, least)
    all_logits = Concat <axis = 1> (best_logits, bounded)
    log_probabilities = Sub (all_logits, normaliser)
    asked_log_probabilities = Sub (asked_logits, normaliser)
}}
"""


def in_int8(step: onnx.ModelProto) -> onnx.ModelProto:
    """A decoder step whose proposals come from `propose`, with its output layer in int8.

    The step is changed; one with an output layer of another form, as students write one, stays as it is.
    """
    graph = step.graph
    products = _users(graph, _BIAS)
    softmaxes = [user for product in products for user in _users(graph, product.output[0])]
    readers = [user for softmax in softmaxes for user in _users(graph, softmax.output[0])]
    if [node.op_type for node in (*products, *softmaxes, *readers)] != _FORM:
        return step
    [product], [softmax], [best, asked] = products, softmaxes, readers
    layer = onnx.parser.parse_graph(_LAYER)
    inner = [value.name for value in (*layer.input, *layer.output)]
    outer = [*product.input, best.input[1], *ASKED, *best.output, *asked.output]
    names = dict(zip(inner, outer, strict=True))
    for node in layer.node:
        node.input[:] = [names.get(name, f"/int8/{name}") for name in node.input]
        node.output[:] = [names.get(name, f"/int8/{name}") for name in node.output]
    place = [*graph.node].index(best)
    nodes = [*graph.node[:place], *layer.node, *graph.node[place + 1 :]]
    kept = [node for node in nodes if node not in (product, softmax, asked)]
    inputs = [value for value in graph.input if value.name != asked.input[1]]
    for name, shape in zip(ASKED, (["U"], ["R", "A"]), strict=True):
        inputs.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, shape))
    del graph.node[:], graph.input[:]
    graph.node.extend(kept)
    graph.input.extend(inputs)
    step.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    return step


def _users(graph: onnx.GraphProto, name: str) -> list[onnx.NodeProto]:
    return [node for node in graph.node if name in node.input]
