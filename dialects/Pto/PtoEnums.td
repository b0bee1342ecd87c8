//===- PtoEnums.td - Enumerations of the pto dialect -------------*- tablegen -*-===//
//
// Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_ENUMS_TD
#define PTO_ENUMS_TD

include "mlir/IR/EnumAttr.td"
include "Pto/PtoDialect.td"

class Pto_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::pto";
  let genSpecializedAttr = 0;
}

class Pto_EnumAttr<I32EnumAttr info, string mnemonic>
    : EnumAttr<Pto_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

// The numbers are those of the language's `pl.MemorySpace`.
def Pto_MemorySpace : Pto_Enum<"MemorySpace", "where data lives", [
  I32EnumAttrCase<"DDR", 0, "ddr">,     // off-chip global memory
  I32EnumAttrCase<"Vec", 1, "vec">,     // unified buffer
  I32EnumAttrCase<"Mat", 2, "mat">,     // L1
  I32EnumAttrCase<"Left", 3, "left">,   // L0A
  I32EnumAttrCase<"Right", 4, "right">, // L0B
  I32EnumAttrCase<"Acc", 5, "acc">,     // L0C
  I32EnumAttrCase<"Bias", 6, "bias">,   // bias table
]>;
def Pto_MemorySpaceAttr : Pto_EnumAttr<Pto_MemorySpace, "space">;

// How a tile's elements lie in its buffer. nd: row by row. dn: column by
// column (a [M, 1] vector is M contiguous elements). The fractal layouts name
// the order between fractals, then inside one; z is row by row, n column by
// column.
def Pto_TileLayout : Pto_Enum<"TileLayout", "order of a tile's elements", [
  I32EnumAttrCase<"ND", 0, "nd">,
  I32EnumAttrCase<"DN", 1, "dn">,
  I32EnumAttrCase<"NZ", 2, "nz">,
  I32EnumAttrCase<"ZN", 3, "zn">,
  I32EnumAttrCase<"ZZ", 4, "zz">,
]>;
def Pto_TileLayoutAttr : Pto_EnumAttr<Pto_TileLayout, "layout">;

def Pto_Pipe : Pto_Enum<"Pipe", "an instruction queue of a core", [
  I32EnumAttrCase<"S", 0, "s">,       // scalar unit
  I32EnumAttrCase<"V", 1, "v">,       // vector unit
  I32EnumAttrCase<"M", 2, "m">,       // cube unit
  I32EnumAttrCase<"MTE1", 3, "mte1">, // L1 -> L0A, L0B, bias table
  I32EnumAttrCase<"MTE2", 4, "mte2">, // DDR -> L1, UB
  I32EnumAttrCase<"MTE3", 5, "mte3">, // UB -> DDR
  I32EnumAttrCase<"FIX", 6, "fix">,   // L0C -> DDR, L1
  I32EnumAttrCase<"ALL", 7, "all">,   // every pipe; barriers only
]>;
def Pto_PipeAttr : Pto_EnumAttr<Pto_Pipe, "pipe">;

def Pto_Direction : Pto_Enum<"Direction", "what a function does with an array", [
  I32EnumAttrCase<"In", 0, "in">,
  I32EnumAttrCase<"Out", 1, "out">,
  I32EnumAttrCase<"InOut", 2, "inout">,
]>;
def Pto_DirectionAttr : Pto_EnumAttr<Pto_Direction, "dir">;

// The numbers up to Inline are those of the language's `pl.FunctionType`.
def Pto_FunctionKind : Pto_Enum<"FunctionKind", "the plane and core of a function", [
  I32EnumAttrCase<"Opaque", 0, "opaque">,
  I32EnumAttrCase<"Orchestration", 1, "orchestration">,
  I32EnumAttrCase<"InCore", 2, "in_core">,
  I32EnumAttrCase<"AIC", 3, "aic">,
  I32EnumAttrCase<"AIV", 4, "aiv">,
  I32EnumAttrCase<"Group", 5, "group">,   // one AIC and its AIVs: a mixed kernel
  I32EnumAttrCase<"Spmd", 6, "spmd">,
  I32EnumAttrCase<"Inline", 7, "inline">,
]>;
def Pto_FunctionKindAttr : Pto_EnumAttr<Pto_FunctionKind, "kind">;

def Pto_CoreKind : Pto_Enum<"CoreKind", "a core of a cluster", [
  I32EnumAttrCase<"AIC", 0, "aic">,
  I32EnumAttrCase<"AIV", 1, "aiv">,
]>;
def Pto_CoreKindAttr : Pto_EnumAttr<Pto_CoreKind, "core">;

// The numbers are those of the language's `pl.Level`.
def Pto_Level : Pto_Enum<"Level", "a level of the machine", [
  I32EnumAttrCase<"AIV", 0, "aiv">,
  I32EnumAttrCase<"AIC", 1, "aic">,
  I32EnumAttrCase<"CoreGroup", 2, "core_group">,
  I32EnumAttrCase<"ChipDie", 3, "chip_die">,
  I32EnumAttrCase<"Chip", 4, "chip">,
  I32EnumAttrCase<"Host", 5, "host">,
  I32EnumAttrCase<"Cluster0", 6, "cluster_0">, // of hosts, not of cores
  I32EnumAttrCase<"Cluster1", 7, "cluster_1">,
  I32EnumAttrCase<"Cluster2", 8, "cluster_2">,
  I32EnumAttrCase<"Global", 9, "global">,
]>;
def Pto_LevelAttr : Pto_EnumAttr<Pto_Level, "level">;

// The numbers are those of the language's `pl.Role`.
def Pto_Role : Pto_Enum<"Role", "what a function does on its level", [
  I32EnumAttrCase<"Orchestrator", 0, "orchestrator">,
  I32EnumAttrCase<"SubWorker", 1, "sub_worker">,
]>;
def Pto_RoleAttr : Pto_EnumAttr<Pto_Role, "role">;

// The numbers are those of the language's comparisons.
def Pto_Compare : Pto_Enum<"Compare", "a comparison", [
  I32EnumAttrCase<"EQ", 0, "eq">,
  I32EnumAttrCase<"NE", 1, "ne">,
  I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"LE", 3, "le">,
  I32EnumAttrCase<"GT", 4, "gt">,
  I32EnumAttrCase<"GE", 5, "ge">,
]>;
def Pto_CompareAttr : Pto_EnumAttr<Pto_Compare, "compare">;

// Who orders the pipes of a function: nobody yet (the model runs a core in
// program order and says that races were not checked), the compiler, or the
// author. `author`: the author says it with flags and mutex ids, and
// `pto-insert-sync` has still to write the locks, and the barriers of V and M,
// which the language leaves to the compiler.
def Pto_SyncMode : Pto_Enum<"SyncMode", "who orders the pipes", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Auto", 1, "auto">,
  I32EnumAttrCase<"Manual", 2, "manual">,
  I32EnumAttrCase<"Author", 3, "author">,
]>;
def Pto_SyncModeAttr : Pto_EnumAttr<Pto_SyncMode, "sync">;

def Pto_DepsMode : Pto_Enum<"DepsMode", "what orders the tasks of an entry", [
  I32EnumAttrCase<"ProgramOrder", 0, "program_order">,
  I32EnumAttrCase<"Explicit", 1, "explicit">, // tokens, and nothing else
  I32EnumAttrCase<"RunTime", 2, "run_time">,  // tokens, and the regions that tasks are given
]>;
def Pto_DepsModeAttr : Pto_EnumAttr<Pto_DepsMode, "deps">;

// Rounding of a conversion; the numbers are those of the language's cast
// modes. `none` demands a conversion that loses nothing.
def Pto_RoundMode : Pto_Enum<"RoundMode", "rounding of a conversion", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Rint", 1, "rint">,   // to nearest, ties to even
  I32EnumAttrCase<"Round", 2, "round">, // to nearest, ties away from zero
  I32EnumAttrCase<"Floor", 3, "floor">,
  I32EnumAttrCase<"Ceil", 4, "ceil">,
  I32EnumAttrCase<"Trunc", 5, "trunc">,
  I32EnumAttrCase<"Odd", 6, "odd">,
]>;
def Pto_RoundModeAttr : Pto_EnumAttr<Pto_RoundMode, "round">;

// Which AIV of the cluster gets an accumulator that leaves Acc for Vec. The names
// are those of the language's `pl.AccToVecMode`.
def Pto_AccToVec : Pto_Enum<"AccToVec", "where an accumulator goes", [
  I32EnumAttrCase<"Vec0", 0, "vec0">,      // all of it to AIV 0
  I32EnumAttrCase<"Vec1", 1, "vec1">,      // all of it to AIV 1
  I32EnumAttrCase<"SplitM", 2, "split_m">, // the upper rows to AIV 0, the lower ones to AIV 1
  I32EnumAttrCase<"SplitN", 3, "split_n">, // the left columns to AIV 0, the right ones to AIV 1
]>;
def Pto_AccToVecAttr : Pto_EnumAttr<Pto_AccToVec, "acc_to_vec">;

// The unit flag of an accumulator: what product and read-out wait for and leave.
def Pto_Phase : Pto_Enum<"Phase", "a step of an accumulator under its unit flag", [
  I32EnumAttrCase<"Partial", 0, "partial">,
  I32EnumAttrCase<"Final", 1, "final">,
]>;
def Pto_PhaseAttr : Pto_EnumAttr<Pto_Phase, "phase">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Pto_PitchAttr : AttrDef<Pto_Dialect, "Pitch"> {
  let mnemonic = "pitch";
  let summary = "the distance between the rows of an array";
  let description = [{
    As the encoding of a builtin tensor on the control plane: a window of a wider
    array, whose rows begin `elements` elements apart.

    ```mlir
    tensor<64x64xf32, #pto.pitch<128>>
    ```
  }];
  let parameters = (ins "int64_t":$elements);
  let assemblyFormat = "`<` $elements `>`";
  let genVerifyDecl = 1;
}

def Pto_KeyFieldAttr : AttrDef<Pto_Dialect, "KeyField"> {
  let mnemonic = "key_field";
  let summary = "one field of a tiling key";
  let description = [{
    `bits` hold the index of the field's value in `values`.

    ```mlir
    #pto.key_field<"BlockM", bits = 8, values = [64, 128]>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$bits,
    ArrayRefParameter<"int64_t">:$values);
  let assemblyFormat = "`<` $name `,` `bits` `=` $bits `,` `values` `=` `[` $values `]` `>`";
  let genVerifyDecl = 1;
}

#endif // PTO_ENUMS_TD
