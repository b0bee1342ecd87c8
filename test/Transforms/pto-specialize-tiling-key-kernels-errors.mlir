// RUN: pypto-opt %s --pto-specialize-tiling-key="keys=A=1,B=2" --verify-diagnostics --split-input-file

// expected-error @+1 {{no kernel of the module reads the tiling key 'Key'}}
pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]

// -----

// expected-error @+1 {{tilingkey 'A=1, B=2': no template of 'k' is for it}}
pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
// expected-note @+1 {{'k__A_0' is for A = 0}}
func.func @k__A_0() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key, pto.template_of = "k", pto.fixed = {A = 0 : i64}} {
  return
}
// expected-note @+1 {{'k__A_1_B_4' is for A = 1, B = 4}}
func.func @k__A_1_B_4() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key, pto.template_of = "k", pto.fixed = {A = 1 : i64, B = 4 : i64}} {
  return
}

// -----

// expected-error @+1 {{tilingkey 'A=1, B=2': more than one template of 'k' is for it}}
pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
// expected-note @+1 {{'k' is for every key}}
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key} {
  return
}
// expected-note @+1 {{'k__A_1' is for A = 1}}
func.func @k__A_1() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key, pto.template_of = "k", pto.fixed = {A = 1 : i64}} {
  return
}

// -----

pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key} {
  // expected-error @+1 {{'AA' is no field of 'Key'; did you mean 'A'?}}
  %a = pto.block.read_key @Key, "AA"
  // expected-error @+1 {{reads the tiling key 'Other' in a kernel of 'Key'}}
  %b = pto.block.read_key @Other, "B"
  return
}

// -----

pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
// expected-error @+1 {{'k' is made for a value of 'C', which is no field of 'Key'}}
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key, pto.template_of = "k", pto.fixed = {C = 0 : i64}} {
  return
}

// -----

pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
// expected-error @+1 {{the clone of 'k' for the tilingkey 'A=1, B=2' would be 'k_0x1', a name that is taken}}
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key} {
  return
}
// expected-note @+1 {{it is taken here; rename this function}}
func.func @k_0x1() attributes {pto.kind = #pto.kind<aiv>} {
  return
}

// -----

pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
// expected-error @+1 {{'k' reads the tiling key @Other; the module has @Key}}
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Other} {
  return
}

// -----

pto.block.tiling_key @Key [#pto.key_field<"A", bits = 1, values = [0, 1]>, #pto.key_field<"B", bits = 2, values = [2, 4]>]
func.func @k() attributes {pto.kind = #pto.kind<aiv>, pto.schema = @Key} {
  return
}
func.func @k_entry() attributes {pto.kind = #pto.kind<orchestration>, pto.deps = #pto.deps<explicit>} {
  // expected-error @+1 {{'Bee' is no field of 'Key'}}
  %a = pto.block.read_key @Key, "Bee"
  pto.block.dispatch @k() blocks(%a) : () -> ()
  return
}
