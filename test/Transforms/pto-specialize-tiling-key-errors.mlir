// RUN: pypto-opt %s --pto-specialize-tiling-key="keys=HasAtten=2,BlokM=128;HasAtten=1;HasAtten=0,BlockM=64,BlockM=64,7" --verify-diagnostics --split-input-file

// expected-error @+6 {{tilingkey 'HasAtten=2,BlokM=128': field 'HasAtten' value 2 is not a candidate; allowed: [0, 1]}}
// expected-error @+5 {{tilingkey 'HasAtten=2,BlokM=128': 'BlokM' is no field of 'Key'; did you mean 'BlockM'?}}
// expected-error @+4 {{tilingkey 'HasAtten=2,BlokM=128': the field 'BlockM' is missing; its candidates are [64, 128]}}
// expected-error @+3 {{tilingkey 'HasAtten=1': the field 'BlockM' is missing; its candidates are [64, 128]}}
// expected-error @+2 {{tilingkey 'HasAtten=0,BlockM=64,BlockM=64,7': names the field 'BlockM' twice}}
// expected-error @+1 {{tilingkey 'HasAtten=0,BlockM=64,BlockM=64,7': '7' is no <field>=<value>}}
pto.block.tiling_key @Key [#pto.key_field<"HasAtten", bits = 1, values = [0, 1]>,
                           #pto.key_field<"BlockM", bits = 8, values = [64, 128]>]
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.sync = #pto.sync<manual>, pto.schema = @Key} {
  return
}

// -----

// expected-error @+1 {{names a tiling key, and the module has none}}
module {
}

// -----

// expected-note @+1 {{the other is here}}
pto.block.tiling_key @One [#pto.key_field<"A", bits = 1, values = [0, 1]>]
// expected-error @+1 {{the module has more than one tiling key, 'One' and 'Two'}}
pto.block.tiling_key @Two [#pto.key_field<"A", bits = 1, values = [0, 1]>]
