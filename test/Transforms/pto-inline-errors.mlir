// RUN: pypto-opt %s --pto-inline --verify-diagnostics --split-input-file

func.func private @a(%x: index) -> index attributes {pto.kind = #pto.kind<inline>} {
  %r = func.call @b(%x) : (index) -> index
  return %r : index
}
// expected-note @+1 {{the function is here; turn the recursion into a loop}}
func.func private @b(%x: index) -> index attributes {pto.kind = #pto.kind<inline>} {
  // expected-error @+1 {{inline function 'b' calls itself, so it cannot be spliced into its callers}}
  %r = func.call @b(%x) : (index) -> index
  return %r : index
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @a(%x: index) -> index attributes {pto.kind = #pto.kind<inline>} {
  %r = func.call @b(%x) : (index) -> index
  return %r : index
}
func.func private @b(%x: index) -> index attributes {pto.kind = #pto.kind<inline>} {
  // expected-error @+1 {{inline function 'a' calls itself}}
  %r = func.call @a(%x) : (index) -> index
  return %r : index
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @blocks(%c: i1) -> index attributes {pto.kind = #pto.kind<inline>} {
  %a = arith.constant 0 : index
  return %a : index
^next:
  return %a : index
}
func.func @caller(%c: i1, %n: index) attributes {pto.kind = #pto.kind<in_core>} {
  scf.if %c {
    // expected-error @+1 {{inline function 'blocks' has branches between blocks and cannot be spliced in here; use for and if}}
    %r = func.call @blocks(%c) : (i1) -> index
  }
  return
}

// -----

// expected-note @+1 {{the function is here}}
func.func private @nobody() attributes {pto.kind = #pto.kind<inline>}
func.func @caller() attributes {pto.kind = #pto.kind<in_core>} {
  // expected-error @+1 {{inline function 'nobody' has no body to splice in here}}
  func.call @nobody() : () -> ()
  return
}
