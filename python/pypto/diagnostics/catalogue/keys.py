# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""PTO-52xx: tiling keys of PyPTO Pro."""

from .entry import Entry, mlir, pro_text

KEY = """
from pypto_pro.runtime.tilingkey import TilingKeyField

class Key:
    Fast = TilingKeyField(bits=1, values=[0, 1])
    Rows = TilingKeyField(bits=2, values=[16, 32])

@pl.jit(tiling_key=Key)
def kernel(x: pl.Ptr[pl.DT_FP32]):
    {body}
"""


def keyed(body: str, more: str = ""):
    return pro_text(KEY.format(body=body) + more)


def schema(fields: str):
    return pro_text(
        f"""\
from pypto_pro.runtime.tilingkey import TilingKeyField

class Key:
    {fields}

@pl.jit(tiling_key=Key)
def kernel(x: pl.Ptr[pl.DT_FP32]):
    pass
"""
    )


ENTRIES = [
    Entry(
        5201,
        "A field of a tiling key",
        (
            "must have bits > 0",
            "must have a non-empty 'values'",
            "exceeding the … representable",
            "values must be unique",
            "values is a list of ints",
            "a field of a tiling key has a name",
            "candidates, exceeding",
        ),
        "A field has a number of bits and different values, no more than the bits can count.",
        "Correct the field.",
        schema("Fast = TilingKeyField(bits=1, values=[0, 1, 2])"),
    ),
    Entry(
        5202,
        "A tiling key's class",
        (
            "bits, exceeding the",
            "tiling_key must be a class",
            "has no TilingKeyField members",
            "has a non-callable 'is_valid'",
            "is_valid is …",
            "has no valid tilingkey combination",
            "inherits TilingKeyField",
            "is inherited from class",
            "the field is declared here",
            "valid keys or more",
            "are not decided within the limit",
            "^and this field",
            "has no plain instance for is_valid",
            "has no fields",
            "has two fields '",
            "holds #pto.key_field",
        ),
        "The class of a key has fields, 64 bits at most together, and a method `is_valid` at most.",
        "Correct the class.",
        schema("pass"),
    ),
    Entry(
        5203,
        "A field is bound or shadowed",
        (
            "is a field of the tiling key",
            "conflict with kernel param",
            "conflict with module-level",
            "conflict with tiling_key fields",
        ),
        "A field's name is the same value everywhere in a kernel.",
        "Rename the variable or the field.",
        keyed("Fast = 1", '\nkernel.as_mlir(key={"Fast": 0, "Rows": 16})\n'),
    ),
    Entry(
        5204,
        "A key that a launch gives",
        (
            "tilingkey must be specified as a dict",
            "tilingkey keys … do not match",
            "is not a candidate",
            "did not pass",
            "tilingkey '",
            "has no tiling key",
            "= is given, and '…' has no",
        ),
        "The key of a launch is a dict with a candidate for each field, which `is_valid` takes.",
        "Give each field one of its values.",
        keyed("pass", '\nkernel.as_mlir(key={"Fast": 0, "Rows": 17})\n'),
    ),
    Entry(
        5205,
        "A packed key",
        ("a packed tilingkey is an int", "packed tilingkey"),
        "The number is no key of this class.",
        "Pack it with the class's own function.",
        keyed("pass", "\nkernel.decode(1 << 40)\n"),
    ),
    Entry(
        5206,
        "A name that has a value for some keys only",
        ("has no value here for a tilingkey with",),
        "The name is bound under a condition on the key, and read under another.",
        "Bind it for the other keys too.",
        keyed(
            'if Fast == 1:\n        n = 1\n    pl.printf("%d", n)',
            '\nkernel.as_mlir(key={"Fast": 0, "Rows": 16})\n',
        ),
    ),
    Entry(
        5207,
        "A tiling key in a module",
        (
            "reads the tiling key",
            "is no field of",
            "is a dictionary of numbers",
            "is made for",
            "no kernel of the module reads",
            "no template of",
            "the clone of '",
            "keys=…",
            "the module has more than one tiling key",
            "the tiling key '",
            "this kernel is for no key yet",
        ),
        "The module's kernels, keys and templates do not fit together.",
        "Ask for a key of the schema: `--pto-pipeline='keys=Fast=1,Rows=16'`.",
        mlir(
            """
            module attributes {pto.target = "950"} {
              func.func @k() attributes {pto.kind = #pto.kind<aiv>} {
                return
              }
            }
            """,
            "pto-specialize-tiling-key{keys=Fast=1}",
        ),
    ),
]
