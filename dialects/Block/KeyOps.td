//===- KeyOps.td - Tiling keys -----------------------------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_KEY_OPS_TD
#define PTO_KEY_OPS_TD

include "Block/BlockBase.td"

def BlockTilingKeyOp : Pto_BlockOp<"tiling_key", [Symbol]> {
  let summary = "the schema of a tiling key";
  let description = [{
    The fields in their order; the first has the lowest bits of the packed key.

    ```mlir
    pto.block.tiling_key @AttentionKey [#pto.key_field<"HasAtten", bits = 1, values = [0, 1]>,
                                        #pto.key_field<"BlockM", bits = 8, values = [64, 128]>]
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ArrayAttr:$fields);
  let assemblyFormat = "$sym_name $fields attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The field of this name, and how many bits lie below it; nothing if there is none.
    ::std::optional<::std::pair<::mlir::pto::KeyFieldAttr, int64_t>> findField(::llvm::StringRef name);
  }];
}

def BlockReadKeyOp : Pto_BlockOp<"read_key", [Pure]> {
  let summary = "a field of the tiling key";
  let description = [{
    The value (not the index) of `field` in the key that the kernel is compiled for.
    `pto-specialize-tiling-key` makes it a constant.

    ```mlir
    %a = pto.block.read_key @AttentionKey, "HasAtten"
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$schema, StrAttr:$field);
  let results = (outs Index:$result);
  let assemblyFormat = "$schema `,` $field attr-dict";
}

#endif // PTO_KEY_OPS_TD
