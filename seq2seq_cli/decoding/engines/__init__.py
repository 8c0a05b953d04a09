"""The engines that compute a model's steps for the search: torch on any device, and ONNX Runtime on a CPU."""
