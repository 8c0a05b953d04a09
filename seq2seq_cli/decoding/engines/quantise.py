"""The output layer in integers: the largest product of a decoder step, at a quarter of its time.

y = W h + b, with W rounded to 7 bits and a scale per word, h to 8 bits and a scale per row: the proposals for a row do
not depend on the other rows. With 8 bits for both, processors without integer dot products would overflow.

The rounded logits y' choose the best tokens of a row. Their logits, and those of the tokens asked for, are computed
again in fp32, and correct the normaliser: Z = Z' + sum_i (exp(y_i) - exp(y'_i)) over the best.
"""

import onnx

BIAS = "output.bias"
"""The bias of the output layer: its name identifies the product."""

_EXACT = 8
"""The number of best tokens of a row that are computed in fp32. It cannot follow k, which depends on other rows."""

_SCALES_OF_ROWS = """
    absolute_features = Abs (h)
    largest_features = ReduceMax <keepdims = 1> (absolute_features, one)
    row_scales = Max (largest_features, tiny)
    scaled_features = Div (h, row_scales)
"""
_SCALED_PRODUCT = """
    product = com.microsoft.MatMulIntegerToFloat
        (features_uint8, weights_int8, feature_scale, word_scales, feature_zero)
    scaled_product = Mul (product, row_scales)
    logits = Add (scaled_product, b)
"""
# A tanh fits the scale 1, which saves two operations on all logits: 7 % of the time of a beam search.
_NO_SCALES = """
    scaled_features = Identity (h)
"""
_PRODUCT = """
    logits = com.microsoft.MatMulIntegerToFloat
        (features_uint8, weights_int8, feature_scale, word_scales, feature_zero, , b)
"""


def _layer(scales: str, product: str) -> onnx.GraphProto:
    """The layer, from its features to candidates: at least `number`, the best first, without order among the exact.

    The weights are rounded when a session opens the graph: there are no others to store. The smallest number stands in
    the place of a scale of 0. Softmax takes less time than LogSoftmax, and its largest probability is never 0. Tokens
    after the exact ones are never more probable than these.
    """
    return onnx.parser.parse_graph(f"""
output_layer (float[R, H] h, float[V, H] W, float[V] b, int64[1] number, int64[R, A] asked)
    => (float[R, C] log_probabilities, int64[R, C] candidates, float[R, A] asked_log_probabilities) {{
    zero = Constant <value_ints = [0]> ()
    one = Constant <value_ints = [1]> ()
    two = Constant <value_ints = [2]> ()
    most_exact = Constant <value_ints = [{_EXACT}]> ()
    end = Constant <value_ints = [{2**31 - 1}]> ()
    unit = Constant <value_float = 1.0> ()
    tiny = Constant <value_float = 1.1754944e-38> ()

    words = Shape (b)
    exact = Min (most_exact, words)
    steps = Constant <value_float = 63.0> ()
    highest = ReduceMax <keepdims = 0> (W, one)
    lowest = ReduceMin <keepdims = 0> (W, one)
    negated = Neg (lowest)
    largest_weights = Max (highest, negated, tiny)
    word_scales = Div (largest_weights, steps)
    word_zeros = ConstantOfShape <value = int8[1] {{0}}> (words)
    rounded_weights = QuantizeLinear <axis = 0> (W, word_scales, word_zeros)
    weights_int8 = Transpose <perm = [1, 0]> (rounded_weights)

    feature_scale = Constant <value_float = {1 / 127:.9f}> ()
    feature_zero = Constant <value = uint8 {{128}}> ()
    {scales}
    features_uint8 = QuantizeLinear (scaled_features, feature_scale, feature_zero)
    {product}
    wanted = Max (number, exact)
    most = Min (wanted, words)
    candidate_logits, candidates = TopK <axis = 1> (logits, most)
    best = Slice (candidates, zero, exact, one)
    others = Slice (candidate_logits, exact, end, one)

    exact_tokens = Concat <axis = 1> (best, asked)
    token_weights = Gather (W, exact_tokens)
    feature_columns = Unsqueeze (h, two)
    token_columns = MatMul (token_weights, feature_columns)
    token_products = Squeeze (token_columns, two)
    token_biases = Gather (b, exact_tokens)
    exact_logits = Add (token_products, token_biases)
    best_logits = Slice (exact_logits, zero, exact, one)
    asked_logits = Slice (exact_logits, exact, end, one)

    probabilities = Softmax <axis = 1> (logits)
    best_probabilities = GatherElements <axis = 1> (probabilities, best)
    first_probability = Slice (best_probabilities, zero, one, one)
    first_log_probability = Log (first_probability)
    first_logit = Slice (candidate_logits, zero, one, one)
    rounded_normaliser = Sub (first_logit, first_log_probability)
    log_ratios = Sub (best_logits, rounded_normaliser)
    ratios = Exp (log_ratios)
    differences = Sub (ratios, best_probabilities)
    difference = ReduceSum (differences, one)
    correction = Add (difference, unit)
    log_correction = Log (correction)
    normaliser = Add (rounded_normaliser, log_correction)

    least = ReduceMin (best_logits, one)
    bounded = Min (others, least)
    all_logits = Concat <axis = 1> (best_logits, bounded)
    log_probabilities = Sub (all_logits, normaliser)
    asked_log_probabilities = Sub (asked_logits, normaliser)
}}
""")


def quantise_output(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy of the graph of a decoder step, with the output layer in integers."""
    quantised = onnx.ModelProto()
    quantised.CopyFrom(model)
    quantised.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    nodes = [*quantised.graph.node]
    gemm = next(node for node in nodes if BIAS in node.input)
    softmax = next(node for node in nodes if gemm.output[0] in node.input)
    best, asked = (node for node in nodes if softmax.output[0] in node.input)  # in the order of `propose`
    is_tanh = any(node.op_type == "Tanh" and gemm.input[0] in node.output for node in nodes)
    layer = _layer(_NO_SCALES, _PRODUCT) if is_tanh else _layer(_SCALES_OF_ROWS, _SCALED_PRODUCT)
    inner = [value.name for value in (*layer.input, *layer.output)]
    outer = [*gemm.input, best.input[1], asked.input[1], *best.output, *asked.output]
    names = dict(zip(inner, outer, strict=True))
    for node in layer.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    position = nodes.index(best)
    nodes[position : position + 1] = layer.node
    del quantised.graph.node[:]
    quantised.graph.node.extend(node for node in nodes if node not in (gemm, softmax, asked))
    return quantised
