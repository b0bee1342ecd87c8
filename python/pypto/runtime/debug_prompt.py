# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""The debugger in a terminal."""

from __future__ import annotations

import cmd

import numpy as np

from ..diagnostics.errors import RunError
from .debugger import Debugger

_LETTERS = {
    "s": "step", "n": "next", "c": "continue", "b": "break", "w": "where",
    "p": "print", "v": "variables", "q": "quit",
}  # fmt: skip


class _Prompt(cmd.Cmd):
    """Commands, by their first letters."""

    prompt = "(pypto) "

    def __init__(self, debugger: Debugger, **streams):
        super().__init__(**streams)
        self._debugger = debugger
        self.use_rawinput = not streams

    def _say(self, *words) -> None:
        print(*words, file=self.stdout)

    def onecmd(self, line: str) -> bool | None:
        word, _, rest = line.strip().partition(" ")
        try:
            return super().onecmd(f"{_LETTERS.get(word, word)} {rest}".strip())
        except RunError as error:
            self._say(str(error).lstrip())
            return self._debugger.ended
        except (IndexError, KeyError, TypeError, ValueError) as error:
            self._say(error.args[0] if error.args else error)
        return None

    def emptyline(self) -> bool:
        return False

    def default(self, line: str) -> None:
        if line == "EOF":
            return self.do_quit("")
        name = line.partition("[")[0].split()[0]
        if name in self._debugger.names():
            return self.do_print(line)
        self._say(f"there is no command '{name}'; help tells them")

    def _show(self, where) -> bool:
        if where is None:
            self._say("the run has ended")
            return True
        self._say(where)
        return False

    def do_step(self, _) -> bool:
        """s, step: to the next line, also of what this one starts"""
        return self._show(self._debugger.step())

    def do_next(self, _) -> bool:
        """n, next: to the next line of this function"""
        return self._show(self._debugger.next_line())

    def do_continue(self, _) -> bool:
        """c, continue: to the next breakpoint, or to the end"""
        return self._show(self._debugger.continue_())

    def do_where(self, _) -> None:
        """w, where: the line that runs next, and who called"""
        self._say(self._debugger.where())

    def do_variables(self, _) -> None:
        """v, variables: what is bound here"""
        for name in self._debugger.names():
            found = self._debugger.read(name)
            if found.is_array:
                space = f" in {found.space}" if found.space else ""
                self._say(f"{name}: {list(found.value.shape)} {found.dtype}{space}")
            else:
                self._say(f"{name} = {found.value}")

    def do_print(self, rest: str) -> None:
        """p, print NAME or NAME[index]: what a variable holds, or some elements of it"""
        name, bracket, index = rest.strip().partition("[")
        if not name:
            raise ValueError("print takes the name of a variable")
        value = self._debugger[name.strip()]
        if bracket:
            value = value[_index(index.rstrip().removesuffix("]"))]
        with np.printoptions(threshold=64, edgeitems=3, linewidth=110):
            self._say(value)

    def do_break(self, rest: str) -> None:
        """b, break LINE, FILE:LINE, or nothing: sets a breakpoint, or lists them;
        break LINE block N: in one block"""
        line, _, block = rest.partition(" block ")
        line = line.strip()
        if line:
            where = int(line) if line.isdigit() else line
            chosen = int(block) if block.strip() else None
            self._say(self._debugger.break_at(where, block=chosen))
        else:
            for point in self._debugger.breakpoints:
                self._say(point)

    def do_clear(self, rest: str) -> None:
        """clear N: removes breakpoint N"""
        self._debugger.clear(int(rest))

    def do_quit(self, _) -> bool:
        """q, quit: ends the run; the arrays stay as they were"""
        self._debugger.quit()
        return True


def _index(text: str) -> tuple:
    """Numbers and slices, as between brackets."""
    found = []
    for part in text.split(","):
        ends = [int(end) if end.strip() else None for end in part.split(":")]
        found.append(ends[0] if len(ends) == 1 else slice(*ends))
    return tuple(found)


def interact(debugger: Debugger, **streams) -> None:
    """Reads commands until the run has ended. `streams`: stdin and stdout, if they are not
    the process's."""
    prompt = _Prompt(debugger, **streams)
    if not debugger.ended:
        prompt._say(debugger.where())
    while not debugger.ended:
        try:
            prompt.cmdloop()
            return
        except KeyboardInterrupt:  # of a line that was begun
            prompt._say()
