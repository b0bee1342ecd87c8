# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""Memory maps: who holds which bytes when, in a terminal and as a page."""

import html.parser
import pathlib

import numpy as np
import pypto
import pypto.language as pl
import pytest
from pypto.ir.memory import MemoryMap
from pypto.ir.program import Program
from pypto.tools import memory_map as tool

X = pl.Tensor[[64, 64], pl.FP32]
# One store after another: `early` is dead when `late` is made.
LOOPED = """\
import pypto.language as pl
X = pl.Tensor[[64, 64], pl.FP32]

@pl.jit
def looped(x: X, out: pl.Out[X]):
    with pl.at(level=pl.Level.CORE_GROUP):
        kept = pl.load(x, [0, 0], [16, 64])
        for row in pl.range(0, 64, 16):
            early = pl.load(x, [row, 0], [16, 64])
            late = pl.sub(kept, early)
            pl.store(pl.row_expand_sub(late, pl.row_max(late)), [row, 0], out)
    return out
"""
FLASH = pathlib.Path(__file__).parents[1] / "Final" / "flash_attention.mlir"


def arrays():
    return [np.zeros((64, 64), np.float32) for _ in range(2)]


@pytest.fixture
def looped(load):
    return load(LOOPED).looped


def test_who_holds_what_when(looped):
    memory = looped.compile(*arrays()).memory_map()
    (kernel,) = memory.kernels
    (space,) = kernel.spaces
    by_name = {a.name: a for a in space.allocations}
    kept, early = by_name["kept"], by_name["early"]
    assert (kept.line, early.line, kernel.line) == (7, 9, 6)
    assert pathlib.Path(kept.file).name.startswith("kernel_")
    assert kept.bytes == early.bytes == 4096 and kept.type == "[16, 64] FP32 nd"
    # What a loop reads that is made in front of it lives through all of the loop.
    (loop,) = kernel.loops
    assert (loop.name, loop.line, loop.last) == ("row", 8, len(kernel.instructions) - 1)
    assert kept.stretches[-1][1] == loop.last and kept.stretches[0][0] == 0
    assert early.stretches[-1][1] < loop.last
    assert [i.word for i in kernel.instructions][:3] == ["pl.load", "pl.load", "pl.sub"]
    # No two that live at once share a byte, but where one becomes the other.
    for column in range(len(kernel.instructions)):
        live = [a for a in space.allocations if a.lives_at(column)]
        ends = [a for a in live if all(last > column for _, last in a.stretches)]
        for one in ends:
            for other in ends:
                assert one is other or one.end <= other.begin or other.end <= one.begin
    assert space.capacity == 184 * 1024
    assert space.most_live <= space.peak == memory.peak(kernel.name, pl.Mem.Vec)


def test_the_picture(looped):
    compiled = looped.compile(*arrays())
    text = str(compiled.memory_map())
    assert text == str(compiled.memory)
    lines = text.splitlines()
    assert lines[0].endswith(":6)") and "looped" in lines[0]
    space = next(line for line in lines if "Vec: " in line)
    assert "of 184 KiB used (" in space and "at one time" in space
    rows = {line.split()[3]: line for line in lines if line.startswith("    0x")}
    assert "4 KiB  kept" in rows["kept"] and ":7 " in rows["kept"] and "FP32 nd" in rows["kept"]
    assert rows["kept"].partition("|")[2].rpartition("|")[0].strip("#") == ""
    early = rows["early"].partition("|")[2].rpartition("|")[0]
    assert early.startswith(" ") and early.strip(" ").strip("#") == "" and early.endswith(" ")
    ruler = next(line for line in lines if "for row (line 8)" in line)
    # The loop begins below the second instruction and ends with the last.
    begin = rows["early"].index("|") + 1 + len(early) // len(text_columns(compiled))
    assert ruler.index("[") == begin and ruler.index("]") == rows["early"].rindex("|") - 1


def text_columns(compiled):
    return compiled.memory_map().kernels[0].instructions


class _Page(html.parser.HTMLParser):
    """What is open, what refers to elsewhere, and the words."""

    VOID = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.links, self.words, self.boxes = [], [], [], 0

    def handle_startendtag(self, tag, attrs):
        self.boxes += tag == "rect"

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def check_page(path, names):
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    assert not page.open and not page.links and page.boxes >= len(names)
    for name in names:
        assert any(name in word for word in page.words), name
    return page


def test_the_page(looped, tmp_path):
    compiled = looped.compile(*arrays())
    compiled.memory_map(tmp_path / "map.html")
    names = [a.name for a in compiled.memory]
    page = check_page(tmp_path / "map.html", [*names, "for row, line 8", "early = pl.load(x"])
    assert any("184 KiB used" in word for word in page.words)


def test_text_is_escaped(load, tmp_path):
    module = """
    module attributes {pto.target = "910B"} {
    func.func @k(%x: !pto.gm<8x8xf32>) attributes {pto.kind = #pto.kind<aiv>} {
      %t = pto.tile.alloc {addrs = array<i64: 0>} : !pto.buf<8x8xf32, vec, nd> loc("<b>&")
      pto.tile.load ins(%x[0, 0] : !pto.gm<8x8xf32>) outs(%t : !pto.buf<8x8xf32, vec, nd>)
      return
    } }"""
    MemoryMap.of(Program.parse(module)).save(tmp_path / "map.html")
    check_page(tmp_path / "map.html", ["<b>&"])


def test_several_slots(tmp_path):
    module = """
    module attributes {pto.target = "910B"} {
    func.func @k(%x: !pto.gm<8x8xf32>) attributes {pto.kind = #pto.kind<aiv>} {
      %c = arith.constant 1 : index
      %t = pto.tile.alloc {addrs = array<i64: 0, 512>} : !pto.buf<8x8xf32, vec, nd, slots<2>>
      %s = pto.tile.slot %t[%c] : !pto.buf<8x8xf32, vec, nd, slots<2>>
      pto.tile.load ins(%x[0, 0] : !pto.gm<8x8xf32>) outs(%s : !pto.buf<8x8xf32, vec, nd>)
      return
    } }"""
    (tmp_path / "m.mlir").write_text(module)
    memory = MemoryMap.of(Program.read(tmp_path / "m.mlir"))
    assert [(a.name, a.begin, a.end) for a in memory] == [("t[0]", 0, 256), ("t[1]", 512, 768)]
    (space,) = memory.kernels[0].spaces
    assert (space.peak, space.most_live) == (768, 512)
    assert "256 B lost between allocations" in str(space)


# The command.


def test_a_kernel_written_by_hand_has_its_names(capsys):
    assert tool.main([str(FLASH)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("flash_attention (flash_attention.mlir:24)")
    for space in ("Vec", "Mat", "Left", "Right", "Acc"):
        assert f"  {space}: " in text
    assert "0x006000..0x007000      4 KiB  oh" in text and "for j (line 122)" in text


def test_the_dumps_of_a_program(looped, capsys, tmp_path):
    dumps = looped.compile(*arrays(), dump_passes=True).output_dir / "passes_dump"
    texts = []
    every = sorted(dumps.iterdir())
    planned = next(n for n, file in enumerate(every) if "plan-memory" in file.name)
    for dump in every[planned:]:
        assert tool.main([str(dump)]) == 0
        rows = [line for line in capsys.readouterr().out.splitlines() if " 0x" in line]
        texts.append([row.partition("|")[0] for row in rows])
    assert len(texts) >= 3 and len(set(map(str, texts))) == 1 and len(texts[0]) > 3
    assert tool.main([str(dump), "-o", str(tmp_path / "map.html")]) == 0
    check_page(tmp_path / "map.html", ["kept", "early"])
    for early in (
        dumps / "02_after_pto-inline.mlir",
        dumps / "13_after_pto-expand-instructions.mlir",
    ):
        assert tool.main([str(early)]) == 1
        assert "behind pto-plan-memory" in capsys.readouterr().err
    assert tool.main([str(dump), "--function", "other"]) == 1
    assert "has no kernel 'other'" in capsys.readouterr().err


def test_wrong_files(tmp_path, capsys):
    assert tool.main([str(tmp_path / "none.mlir")]) == 1
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "bad.mlir").write_text("module {")
    assert tool.main([str(tmp_path / "bad.mlir")]) == 1
    error = capsys.readouterr().err
    assert "bad.mlir:1:" in error and "Traceback" not in error
    (tmp_path / "chip.mlir").write_text('module attributes {pto.target = "none"} {}')
    assert tool.main([str(tmp_path / "chip.mlir")]) == 1
    assert "910B" in capsys.readouterr().err


# What does not fit.


def test_an_overflow_shows_who_holds_what(load):
    module = load(
        LOOPED.replace("[64, 64]", "[256, 96]")
        .replace("[16, 64]", "[256, 96]")
        .replace("0, 64, 16", "0, 256, 256")
    )
    arrays = [np.zeros((256, 96), np.float32) for _ in range(2)]
    with pytest.raises(pypto.CompileError) as caught:
        module.looped(*arrays)
    text = str(caught.value)
    assert "does not fit: Vec holds 184 KiB, and " in text and "are needed at once" in text
    head = text.splitlines().index(next(line for line in text.splitlines() if "in all:" in line))
    rows = text.splitlines()[head + 1 :]
    rows = rows[: next(n for n, row in enumerate(rows) if "note:" in row)]
    assert all(row.lstrip().startswith("#") for row in rows) and len(rows) >= 3
    assert [row.endswith("<- does not fit") for row in rows].count(True) == 1
    assert any("96 KiB    'late', [256, 96] FP32" in row and ".py:10" in row for row in rows)
