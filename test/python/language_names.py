# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The public names of both faces, as programs expect them; in language_signatures.txt also the
parameters of the operations, in order."""

from __future__ import annotations

from pathlib import Path

EXPORTS = """
jit JITFunction function inline program InlineFunction parse loads parser parse_program
loads_program
Tensor Tile Scalar Array Tuple Out InOut IntLike DynVar dynamic RUNTIME Ptr PtrType MemRef
MemRefType TensorView TileView TaskId PrefetchAsyncContext AsyncEvent AsyncSession
FunctionType ForKind AtomicType Level Role SplitMode Mem MemorySpace PipeType TensorLayout
TileLayout PadValue CompactMode ScopeMode ND DN NZ MX_A_ZZ MX_B_NN
FP4 FP8E4M3FN FP8E5M2 FP8E8M0 FP16 FP32 BF16 HF4 HF8 INT4 INT8 INT16 INT32 INT64 UINT4 UINT8
UINT16 UINT32 UINT64 BOOL INDEX TASK_ID
range parallel unroll pipeline while_ cond yield_ const static_print static_assert func_attr
at cluster spmd split_aiv optimizations split cross_core_slot adir scope manual_scope submit
spmd_submit no_dep dump_tag create_tensor prefetch
jit.incore jit.inline jit.opaque jit.host jit.extern
""".split()

# Namespaces of the operators: U is `pl`, T `pl.tensor`, t `pl.tile`.
_OPERATORS = """
U: create_tensor create_tile arange load store move rem relu lrelu prelu sel sels max min
U: matmul_bias gather scatter dim expand_clone
T: create ci arange random create_l1 view dim gather scatter paged_gather expand_clone
t: create ci arange tri random load store move extract transpose_view adds subs muls divs rem rems
t: maximums minimums addc subc addsc subsc relu lrelu prelu sel sels cmps matmul_bias
t: batch_matmul batch_matmul_acc gemv gemv_acc gemv_bias matmul_mx matmul_mx_acc matmul_mx_bias
t: gather gather_mask gather_compare gatherb mgather mscatter scatter scatter_mask
t: fillpad_inplace
UTt: full assemble concat slice read write reshape transpose reinterpret_view set_validshape
UTt: fillpad fillpad_expand
UTt: add sub mul div fmod maximum minimum part_add part_mul part_max part_min neg abs exp log sqrt
UTt: rsqrt recip sin cos cast cmp and_ or_ xor shl shr ands ors xors shls shrs not_
UTt: row_max row_sum row_min row_prod row_argmax row_argmin col_sum col_max col_min col_prod
UTt: col_argmax col_argmin row_expand row_expand_add row_expand_sub row_expand_mul row_expand_div
UTt: row_expand_max row_expand_min row_expand_expdif col_expand col_expand_add col_expand_sub
UTt: col_expand_mul col_expand_div col_expand_max col_expand_min col_expand_expdif expands
UTt: matmul matmul_acc scatter_update sort32 mrgsort gather_row get_block_idx get_subblock_idx
UTt: get_block_num
"""
_NAMESPACE = {"U": "", "T": "tensor", "t": "tile"}

SYSTEM = """
syncall sync_set sync_wait set_ffts sync_src sync_dst bar_v bar_m bar_all fence cacheinvalid
available_cluster_count available_aiv_count task_invalid task_dummy
""".split()

PRO = """
function inline program vector_function Tensor Tile Ptr Scalar DYNAMIC STATIC simt mutex Vf
pipeline TileType make_tile make_tile_group make_tensor make_ptr addptr struct struct_array
make_tuple jit constexpr get_spr const
DT_BOOL DT_INT4 DT_INT8 DT_INT16 DT_INT32 DT_INT64 DT_UINT4 DT_UINT8 DT_UINT16 DT_UINT32
DT_UINT64 DT_FP4 DT_FP4E2M1 DT_FP4E1M2 DT_FP8E4M3FN DT_FP8E5M2 DT_FP8E8M0 DT_FP16 DT_BF16
DT_FP32 DT_HF4 DT_HF8
MemorySpace PipeType TensorLayout TilePad FillPadMode RoundMode QuantMode AtomicType ReluPreMode
AccPhase STPhase AccToVecMode CrossCoreSyncMode SyncCoreType SyncAllMode CacheLine DcciDst
FunctionType MaskPattern MergeMode ReduceMode CompareMode DuplicatePos CastLayout VFRoundMode
SaturateMode BinType HistType SqueezeMode PackPart MaskWidth IndexOrder DataCopyMode LoadDist
StoreDist MemBarMode
load load_tile store store_tile move insert ssbuf_store ssbuf_load set_validshape set_stride
add sub mul div and_ xor shl shr maximum minimum neg abs relu exp log sqrt rsqrt recip expands
cast add_relu_cast sub_relu_cast mul_cast add_relu sub_relu addc mul_add_dst fused_mul_add
fused_mul_add_relu axpy partadd partmax partmin partmul eq ne lt le gt ge select sum argmax argmin
expand_max expand_min expand_mul expand_sub expand_div fillpad transpose gather gatherb gathermask
scatter sort32 mrgsort mrgsort2 histogram fill_index quant dequant getval setval set_mask_count
set_mask_norm set_vec_mask reset_mask
row_max row_sum row_prod row_min row_expand row_expand_add row_expand_sub row_expand_mul
row_expand_div row_expand_max row_expand_min col_max col_sum col_min col_prod col_expand adds subs
muls divs ors or_ not_ rem rems subc addsc gemv gemv_acc gemv_bias reshape ub_copy full sel sels
cmp cmps move_fp store_fp
matmul matmul_acc matmul_mx matmul_mx_acc system.set_mm_layout_transform
section_cube section_vector system.sync_src system.sync_dst system.bar_m system.bar_mte1
system.bar_mte2 system.bar_mte3 system.bar_fix system.bar_all system.set_cross_core
system.wait_cross_core system.sync_all system.dcci system.mutex_lock system.mutex_unlock
get_block_idx get_block_num get_subblock_idx get_subblock_num
printf dump_data pto_assert trap range min max
""".split()


def operators() -> set[tuple[str, str]]:
    """(namespace, name) of each operator."""
    found = set()
    for line in _OPERATORS.strip().splitlines():
        where, words = line.split(":")
        found |= {(_NAMESPACE[letter], name) for letter in where for name in words.split()}
    found |= {("system", name) for name in SYSTEM}
    return found | {("array", "create")}


def signatures() -> list[tuple[str, str, list[str]]]:
    """(namespace, name, parameters) of each operation."""
    found = []
    text = Path(__file__).with_name("language_signatures.txt").read_text()
    for line in text.splitlines():
        path, parameters = line.rstrip(")").split("(")
        _, *namespace, name = path.split(".")
        found.append((".".join(namespace), name, [p for p in parameters.split(", ") if p]))
    return found
