# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Every name of the language that is no part of a sentence about types: what is here and in no
registry is not supported yet, and a program that uses it gets an error with its name."""

from __future__ import annotations

from . import registry_tasks

NAMES: dict[str, frozenset[str]] = {
    "": frozenset(
        """InlineFunction parse loads parser parse_program loads_program Tuple IntLike
        Ptr PtrType MemRef MemRefType TensorView TileView
        PrefetchAsyncContext AsyncEvent AsyncSession unroll pipeline while_ cond yield_
        func_attr split_aiv optimizations split cross_core_slot adir dump_tag prefetch
        create_tile arange ci tri random create_l1 extract assemble concat write reshape
        transpose reinterpret_view fillpad fillpad_inplace fillpad_expand expand_clone rem
        rems fmod fmods maximums minimums adds subs muls divs part_add part_mul part_max
        part_min addc subc addsc subsc log recip sin cos lrelu prelu cmp cmps sel sels and_
        ands or_ ors xor xors not_ shl shls shr shrs row_min row_prod row_argmax row_argmin
        col_sum col_max col_min col_prod col_argmax col_argmin row_expand row_expand_add
        row_expand_max row_expand_min row_expand_expdif col_expand col_expand_add
        col_expand_sub col_expand_mul col_expand_div col_expand_max col_expand_min
        col_expand_expdif expands matmul_bias batch_matmul batch_matmul_acc gemv gemv_acc
        gemv_bias matmul_mx matmul_mx_acc matmul_mx_bias gather gather_mask gather_compare
        gatherb mgather mscatter scatter scatter_mask scatter_update sort32 mrgsort
        gather_row paged_gather aiv_shard aic_gather tpush_to_aiv tpush_to_aic tpop_from_aic
        tpop_from_aiv tfree_to_aic tfree_to_aiv aic_initialize_pipe aiv_initialize_pipe
        reserve_buffer import_peer_buffer AUTO no_dep_args view""".split()
    ),
    "tensor": frozenset(
        """dump_tag write fillpad fillpad_expand set_validshape ci arange random part_add
        part_mul part_max part_min fmod fmods cmp cmps and_ ands or_ ors xor xors not_ shl
        shls shr shrs row_min row_prod col_sum col_max col_min col_prod row_argmax
        row_argmin col_argmax col_argmin row_expand row_expand_add row_expand_max
        row_expand_min row_expand_expdif col_expand col_expand_mul col_expand_sub
        col_expand_div col_expand_add col_expand_max col_expand_min col_expand_expdif
        expands expand_clone log sin cos recip assemble concat reshape reinterpret_view
        transpose view scatter_update sort32 mrgsort gather paged_gather create_l1
        gather_row scatter alloc""".split()
    ),
    "tile": frozenset(
        """alloc create read write assemble gather_row extract scatter_update concat
        aiv_shard aic_gather ci arange tri random fillpad fillpad_inplace fillpad_expand sin
        cos recip log batch_matmul batch_matmul_acc matmul_bias matmul_mx matmul_mx_acc
        matmul_mx_bias gemv gemv_acc gemv_bias row_min row_prod col_sum col_max col_min
        col_prod row_argmax row_argmin col_argmax col_argmin row_expand row_expand_add
        row_expand_max row_expand_min row_expand_expdif col_expand col_expand_mul
        col_expand_div col_expand_sub col_expand_add col_expand_max col_expand_min
        col_expand_expdif expands cmp cmps slice reshape reinterpret_view transpose
        transpose_view rem rems part_add part_mul part_max part_min fmod fmods and_ ands or_
        ors xor xors shl shls shr shrs maximums minimums prelu not_ addc subc addsc subsc
        lrelu sel sels sort32 gather gatherb gather_mask gather_compare scatter scatter_mask
        mscatter mgather mrgsort MaskPattern""".split()
    ),
    **{level: frozenset(names.split()) for level, names in registry_tasks.NAMES.items()},
}
