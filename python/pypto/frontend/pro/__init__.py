# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The front end of `pypto_pro.language`: from source to the buffer form of the IR.

A kernel is read once as AIC and once as AIV. What Python names hold is known
while it is read: tiles, groups of tiles, views of arrays and structs are objects
of `values`; only scalars are values of the program, and only they are carried by
loops and branches. What changes in an object (which slot a group is at, how much
of a tile is valid, the fields of a struct) is a scalar too, a `Cell`.

`operations/` makes the operations of the language: functions `(fb, call) -> value`
that `calls` finds by name, where `fb` is a `builder.ProBuilder` and `call` a
`calls.Call`.
"""
