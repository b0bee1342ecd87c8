# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The key classes of the source page."""

from pypto_pro.runtime.tilingkey import TilingKeyField


class AttentionKey:
    HasAtten = TilingKeyField(bits=1, values=[0, 1])
    BlockM = TilingKeyField(bits=8, values=[64, 128])

    def is_valid(self, key):
        has_atten, block_m = key
        return has_atten == 0 or block_m == 128


class MaskKey:
    NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])


class ThreeKey:
    """The fields that were checked against the real encoder."""

    NeedAttnMask = TilingKeyField(bits=1, values=[1, 0])
    BlockM = TilingKeyField(bits=8, values=[64, 128])
    Mode = TilingKeyField(bits=4, values=[0, 1, 2, 3, 4, 9])


_D = [0, 16, 32, 48, 64, 80, 96, 128, 160, 192, 256, 768]
# Name, bits, candidates and the value that the page fixes.
FA_FIELDS = [
    ("KernelTypeKey", 2, [0, 1], 0),
    ("ImplMode", 2, [0, 1, 2], 0),
    ("Layout", 4, [0, 1, 2, 3, 4], 1),
    ("S1TemplateType", 10, [0, 16, 64, 128, 256], 128),
    ("S2TemplateType", 10, [0, 16, 32, 64, 128, 256, 512], 128),
    ("DTemplateType", 12, _D, 128),
    ("DvTemplateType", 12, _D, 128),
    ("PseMode", 4, [0, 1, 2, 3, 4, 9], 9),
    ("HasAtten", 1, [0, 1], None),
    ("HasDrop", 1, [0, 1], 0),
    ("HasRope", 1, [0, 1], 0),
    ("OutDtype", 2, [0, 1, 2], 0),
    ("Regbase", 1, [0, 1], 1),
    ("OptionalDn", 1, [0, 1], 0),
]
FA_FIXED = tuple(fixed for *_, fixed in FA_FIELDS)
FA_KEYS = [tuple(h if f is None else f for f in FA_FIXED) for h in (0, 1)]
FA_CODES = [0x2050070070100310, 0x2150070070100310]


def fa_class(is_valid):
    fields = {name: TilingKeyField(bits=bits, values=v) for name, bits, v, _ in FA_FIELDS}
    return type("FaTilingKey", (), {**fields, "is_valid": is_valid})


# `is_valid` in the five idioms in which such functions are written.

_SET = set(FA_KEYS)
_ALLOWED = [(0, 1) if fixed is None else (fixed,) for fixed in FA_FIXED]
_TABLES = [
    {value: value in allowed for value in values}
    for (_, _, values, _), allowed in zip(FA_FIELDS, _ALLOWED, strict=True)
]


def by_unpacking(self, key):
    kernel, impl, layout, s1, s2, d, dv, pse, atten, drop, rope, out, regbase, dn = key
    return (
        kernel == 0
        and impl == 0
        and layout == 1
        and s1 == 128
        and s2 == 128
        and d == 128
        and dv == 128
        and pse == 9
        and atten in (0, 1)
        and drop == 0
        and rope == 0
        and out == 0
        and regbase == 1
        and dn == 0
    )


def by_equality(self, key):
    return key[:8] == (0, 0, 1, 128, 128, 128, 128, 9) and key[9:] == (0, 0, 0, 1, 0)


def by_set(self, key):
    return key in _SET


def by_table(self, key):
    for table, value in zip(_TABLES, key, strict=True):
        if not table[value]:
            return False
    return True


def by_zip(self, key):
    return all(value in allowed for value, allowed in zip(key, _ALLOWED, strict=True))


IDIOMS = [by_unpacking, by_equality, by_set, by_table, by_zip]
