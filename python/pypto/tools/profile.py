# Part of PyPTO, under the Apache License v2.0. See LICENSE for details.
"""`python -m pypto.tools.profile RUN.json [-o PAGE.html | TRACE.json]`: shows what
`pypto-run --profile RUN.json` wrote."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys


def main(arguments: list[str] | None = None) -> int:
    from ..runtime.profile import Profile

    parser = argparse.ArgumentParser(
        prog="python -m pypto.tools.profile",
        description="Shows the profile that 'pypto-run --profile FILE.json' wrote.",
    )
    parser.add_argument("run", help="the file that pypto-run wrote")
    parser.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        help="a page (.html) or a Chrome trace (.json); left out: a summary is printed",
    )
    given = parser.parse_args(arguments)
    if given.output and pathlib.Path(given.output).suffix not in (".html", ".json"):
        parser.error(f"-o takes a file that ends in .html or .json, found '{given.output}'")
    try:
        text = pathlib.Path(given.run).read_text(encoding="utf-8")
        profile = Profile.from_json(text, pathlib.Path(given.run).stem)
    except (OSError, UnicodeDecodeError) as error:
        return _fail(f"{given.run}: {error}")
    except (json.JSONDecodeError, KeyError, TypeError, ValueError, IndexError):
        return _fail(f"{given.run} is not what 'pypto-run --profile' writes")
    try:
        _show(profile, given.output)
    except BrokenPipeError:
        # Whoever read the summary, as `head` does, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _fail(f"{given.output}: {error.strerror}")
    return 0


def _show(profile, output: str | None) -> None:
    if output is None:
        print(profile, flush=True)
    elif output.endswith(".html"):
        profile.to_html(output)
    else:
        profile.to_chrome_trace(output)


def _fail(message: str) -> int:
    print(f"python -m pypto.tools.profile: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
