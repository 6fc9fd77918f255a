#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the headers that most files include once for each set of flags of a build folder.

Usage: precompile.py FOLDER, which meson runs when it has configured with -Dprecompiled=true.
All files include FOLDER/prefix.h first.  clang takes a compiled form of it from the folder
prefix.h.gch in place of the text, if all flags are the same, and stops where none fits.  So each
set of flags that compile_commands.json has gets one.  ccache keeps nothing that was compiled so:
where it is used, the text stays.
"""
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys

# What says which file is compiled, and where what is written goes.
WITH_VALUE = ("-include", "-o", "-MQ", "-MF", "-x")
ALONE = ("-c", "-MD", "-Winvalid-pch")


def kept(command):
    """The compiler and its flags, without files; a value that stands apart stays with its flag."""
    flags, words = [], iter(command)
    for word in words:
        if word in WITH_VALUE:
            next(words)
        elif word not in ALONE and not word.endswith(".c"):
            flags.append(word)
    return flags


def main(folder):
    os.chdir(folder)
    with open("compile_commands.json", encoding="utf-8") as f:
        units = [
            shlex.split(unit["command"]) for unit in json.load(f) if unit["file"].endswith(".c")
        ]
    units = [kept(unit) for unit in units if "prefix.h" in unit]
    if any(os.path.basename(unit[0]) == "ccache" for unit in units):
        return
    # Folders of headers and names of single files do not matter to what is compiled here.
    everywhere = set.intersection(*(set(unit) for unit in units)) if units else set()
    sets = {}
    for unit in units:
        flags = [word for word in unit if word in everywhere or not word.startswith(("-I", "-D"))]
        sets.setdefault(tuple(flags), unit)
    shutil.rmtree("prefix.h.gch", ignore_errors=True)
    os.mkdir("prefix.h.gch")
    for flags, unit in sets.items():
        name = hashlib.sha256("\0".join(flags).encode()).hexdigest()[:16]
        place = os.path.join("prefix.h.gch", name)
        headers = [word for word in unit if word.startswith("-I")]
        subprocess.run([*flags, *headers, "-x", "c-header", "prefix.h", "-o", place], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
