"""A pretended GPU: its tensors say that they lie on ``pretend:0``, and compute on the CPU.

As on a GPU, an operation that mixes its tensors with those of the CPU raises, and a tensor must be copied to the CPU to
be read. Operations for which the CPU would have to wait for a GPU are counted.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._mode_utils import no_dispatch
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from seq2seq_cli.compute import device as chosen_device

_setup_privateuseone_for_python_backend("pretend")
PRETEND, CPU = torch.device("pretend", 0), torch.device("cpu")

_COPIES = {"_to_copy", "copy_"}
_INDEXING = {"index", "index_put", "index_put_", "_index_put_impl_"}
_PACKING = {"_pack_padded_sequence", "_pad_packed_sequence"}
_MIXED = {*_COPIES, *_INDEXING, *_PACKING, "_pack_padded_sequence_backward"}
"""Operations whose source, lengths or indices may lie on the CPU."""
_WAITS = {"_local_scalar_dense", "nonzero", "masked_select", "equal"}
"""Operations whose result, or its shape, the CPU must know. So are copies to the CPU, and indexing by a mask."""

WAITS: Counter[str] = Counter()
"""How often the CPU would have waited for the GPU, by operation."""


class Memory:
    """The memory of the GPU."""

    largest = math.inf
    """Bytes of the largest tensor that it has room for."""


class PretendedTensor(Tensor):
    """A tensor that says that it lies on the device; `host` has its numbers."""

    host: Tensor
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @staticmethod
    def __new__(cls, host: Tensor) -> "PretendedTensor":
        if host.nbytes > Memory.largest:
            raise torch.OutOfMemoryError("pretend: out of memory")
        tensor: PretendedTensor = torch.Tensor._make_wrapper_subclass(
            cls,
            host.size(),
            strides=host.stride(),
            storage_offset=host.storage_offset(),
            dtype=host.dtype,
            layout=host.layout,
            device=PRETEND,
        )
        tensor.host = host
        return tensor

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
        return compute(func, *args, **kwargs or {})

    def tolist(self) -> Any:
        WAITS["tolist"] += 1
        return self.host.tolist()

    def numpy(self, *_: Any, **__: Any) -> Any:
        raise TypeError("a tensor of a GPU has no array: copy it to the CPU first")

    __array__ = numpy

    def __reduce_ex__(self, protocol: Any) -> Any:
        """As a file has it: the numbers alone."""
        return self.host.__reduce_ex__(protocol)  # type: ignore[no-untyped-call]

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"PretendedTensor({self.host!r})"


def compute(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of an operation of torch, on the device where a GPU would have it.

    Raises RuntimeError where devices mix.
    """
    name = func.overloadpacket.__name__
    tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, Tensor)]
    there = [each for each in tensors if isinstance(each, PretendedTensor)]
    here = [each for each in tensors if not isinstance(each, PretendedTensor) and each.dim() > 0]
    if there and here and name not in _MIXED:
        raise RuntimeError(f"Expected all tensors to be on the same device, but found pretend:0 and cpu! ({name})")
    wanted = args[0].device if name == "copy_" else kwargs.get("device")
    is_there = torch.device(wanted).type == PRETEND.type if wanted is not None else bool(there)
    is_masked = name in _INDEXING and any(each is not None and each.dtype == torch.bool for each in args[1])
    if there and (name in _WAITS or is_masked or (name in _COPIES and not is_there)):
        WAITS[name] += 1
    if "pin_memory" in kwargs:
        kwargs["pin_memory"] = None
    result = _CELLS.get(name, func)(*tree_map(_real, args), **tree_map(_real, kwargs))
    if torch.Tag.inplace_view in func.tags:
        _change_form(func, args, kwargs)
    same = {id(_real(each)): each for each in tensors}
    if name in _PACKING:
        return _placed(result[0], is_there, same), result[1]  # the lengths stay on the CPU
    return tree_map(lambda each: _placed(each, is_there, same), result)


def _real(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == PRETEND.type:
        return CPU
    return value.host if isinstance(value, PretendedTensor) else value


def _placed(value: Any, is_there: bool, same: dict[int, Tensor]) -> Any:
    if not isinstance(value, Tensor):
        return value
    if id(value) in same:
        return same[id(value)]  # the operation worked in place
    return PretendedTensor(value) if is_there else value


def _change_form(func: Any, args: Any, kwargs: Any) -> None:
    """Give the tensor the sizes and strides that an operation in place has given to its numbers."""
    with no_dispatch():
        before = torch._C._meta_in_tls_dispatch_include()
        torch._C._set_meta_in_tls_dispatch_include(True)
        try:
            func(*args, **kwargs)
        finally:
            torch._C._set_meta_in_tls_dispatch_include(before)


def _lstm(ig: Tensor, hg: Tensor, cx: Tensor, ib: Tensor | None = None, hb: Tensor | None = None) -> Any:
    gates = ig + hg + (0 if ib is None else ib) + (0 if hb is None else hb)
    i, f, c, o = gates.chunk(4, 1)
    i, f, c, o = i.sigmoid(), f.sigmoid(), c.tanh(), o.sigmoid()
    cy = f * cx + i * c
    return o * cy.tanh(), cy, torch.cat((i, f, c, o), 1)


def _lstm_backward(gh: Tensor | None, gc: Tensor | None, cx: Tensor, cy: Tensor, gates: Tensor, has_bias: bool) -> Any:
    i, f, c, o = gates.chunk(4, 1)
    tanh = cy.tanh()
    gh = torch.zeros_like(cy) if gh is None else gh
    d = gh * o * (1 - tanh * tanh) + (0 if gc is None else gc)
    of_gates = (d * c * i * (1 - i), d * cx * f * (1 - f), d * i * (1 - c * c), gh * tanh * o * (1 - o))
    gradient = torch.cat(of_gates, 1)
    return gradient, d * f, gradient.sum(0) if has_bias else None


def _gru(ig: Tensor, hg: Tensor, hx: Tensor, ib: Tensor | None = None, hb: Tensor | None = None) -> Any:
    ir, iz, i_n = (ig + (0 if ib is None else ib)).chunk(3, 1)
    hr, hz, hn = (hg + (0 if hb is None else hb)).chunk(3, 1)
    r, z = (ir + hr).sigmoid(), (iz + hz).sigmoid()
    n = (i_n + r * hn).tanh()
    return n + z * (hx - n), torch.cat((r, z, n, hx, hn), 1)


def _gru_backward(gh: Tensor, kept: Tensor, has_bias: bool) -> Any:
    r, z, n, hx, hn = kept.chunk(5, 1)
    dn, dz = gh * (1 - z) * (1 - n * n), gh * (hx - n) * z * (1 - z)
    dr = dn * hn * r * (1 - r)
    inputs, hidden = torch.cat((dr, dz, dn), 1), torch.cat((dr, dz, dn * r), 1)
    return inputs, hidden, gh * z, inputs.sum(0) if has_bias else None, hidden.sum(0) if has_bias else None


_CELLS: dict[str, Callable[..., Any]] = {
    "_thnn_fused_lstm_cell": _lstm,
    "_thnn_fused_lstm_cell_backward_impl": _lstm_backward,
    "_thnn_fused_gru_cell": _gru,
    "_thnn_fused_gru_cell_backward": _gru_backward,
}
"""The cells of a GPU, which torch cannot compute on a CPU."""


def _autocast(func: Any, dtype: torch.dtype, *args: Any, **kwargs: Any) -> Any:
    """The operation with its tensors in a dtype, as autocast has it on a GPU."""
    key: Any = torch._C._parse_dispatch_key("AutocastPrivateUse1")
    with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(key)):
        return func(*tree_map(lambda each: _cast(each, dtype), args), **kwargs)


def _cast(value: Any, dtype: torch.dtype) -> Any:
    is_cast = isinstance(value, PretendedTensor | nn.Parameter) and value.dtype in (torch.float32, torch.bfloat16)
    return value.to(dtype) if is_cast else value


_to = nn.Module.to


def _moved(module: nn.Module, *args: Any, **kwargs: Any) -> nn.Module:
    """The module with the same parameters on another device, as for a GPU, so that tied ones stay tied."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.__future__, "get_swap_module_params_on_conversion", lambda: True)
        return _to(module, *args, **kwargs)


_KERNELS = torch.library.Library("_", "IMPL")  # type: ignore[no-untyped-call]
_KERNELS.fallback(compute, "PrivateUse1")  # type: ignore[no-untyped-call]
_KERNELS.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")  # type: ignore[no-untyped-call]
_AUTOCAST = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
for _dtype, _names in {
    torch.bfloat16: ("mm", "bmm", "matmul", "linear", "addmm", "baddbmm", "lstm_cell", "gru_cell", "rnn_tanh_cell"),
    torch.float32: ("softmax.int", "log_softmax.int", "sum", "sum.dim_IntList", "exp", "log"),
}.items():
    for _name in _names:
        _func = getattr(torch.ops.aten, _name.split(".")[0])
        _AUTOCAST.impl(_name, partial(_autocast, _func, _dtype), "AutocastPrivateUse1")  # type: ignore[no-untyped-call]


@contextmanager
def pretended_gpu(*, largest: float = math.inf) -> Iterator[Counter[str]]:
    """A machine with one GPU, which is the pretended device, with room for tensors of so many bytes each.

    Yields the counts of waits. What is replaced is torch's: its answers about GPUs, and its random numbers of a GPU,
    which are the CPU's here.
    """
    module = torch.get_device_module(PRETEND)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chosen_device, "GPU", PRETEND.type)
        patch.setattr(torch.cuda, "is_available", lambda: True)
        patch.setattr(torch.cuda, "device_count", lambda: 1)
        patch.setattr(torch.cuda, "set_device", lambda _: None)
        patch.setattr(torch.cuda, "get_device_name", lambda _: "pretended")
        patch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)
        patch.setattr(module, "get_amp_supported_dtype", lambda: [torch.bfloat16], raising=False)
        patch.setattr(module, "get_rng_state", torch.get_rng_state, raising=False)
        patch.setattr(module, "set_rng_state", torch.set_rng_state, raising=False)
        patch.setattr(Tensor, "pin_memory", lambda tensor: tensor)
        patch.setattr(nn.Module, "to", _moved)
        # Tensors that wrap others cannot be made in inference mode, which is no_grad but faster.
        patch.setattr(torch._C, "_InferenceMode", lambda _: torch.no_grad())
        patch.setattr(Memory, "largest", largest)
        torch._C._set_only_lift_cpu_tensors(True)  # torch.tensor copies its numbers from a tensor of the CPU
        WAITS.clear()
        try:
            yield WAITS
        finally:
            torch._C._set_only_lift_cpu_tensors(False)
