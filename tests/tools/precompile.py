#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the headers that most files include once for each set of flags of a build folder.

Usage: precompile.py FOLDER, which meson runs when it has configured with -Dprecompiled=true.
All files include FOLDER/prefix.h first.  The compiler takes a compiled form of it from the folder
prefix.h.gch in place of the text, if the flags are the same: clang wants all of them and stops
where none fits, gcc those that change what headers mean.  So each set of flags that
compile_commands.json has gets one, and what none fits is an error here.  ccache keeps nothing that
was compiled so: where it is used, the text stays.
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


def meant(flags):
    """Those that change what a header means to gcc: neither warnings nor how much is optimized, if
    at all, which the last one says."""
    level = [word for word in flags if word.startswith("-O")][-1:]
    return [
        word for word in flags if not word.startswith(("-W", "-O", "-fvisibility", "-fdiagnostics"))
    ] + ["-O0" if level in ([], ["-O0"]) else "-O"]


def stamps(unit):
    """Sizes and times of the compiler and of the headers."""
    told = subprocess.run(
        [*unit, "-M", "prefix.h"], check=True, capture_output=True, text=True
    ).stdout
    files = [shutil.which(unit[0]), *filter(os.path.isfile, told.split())]
    return str([(os.stat(file).st_size, os.stat(file).st_mtime_ns) for file in files])


def is_taken(unit):
    """gcc says `!` of a compiled header that it takes, and `x` of one that it does not."""
    check = ["-include", "prefix.h", "-fsyntax-only", "-H", "-x", "c", os.devnull]
    told = subprocess.run([*unit, *check], check=True, capture_output=True, text=True).stderr
    return "\n! ./prefix.h.gch/" in "\n" + told


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
    gcc = "-Wno-invalid-pch" in everywhere
    sets = {}
    for unit in units:
        flags = [word for word in unit if word in everywhere or not word.startswith(("-I", "-D"))]
        sets.setdefault(tuple(meant(flags) if gcc else flags), []).append((flags, unit))
    os.makedirs("prefix.h.gch", exist_ok=True)
    places = set()
    for flags, unit in (same[0] for same in sets.values()):
        headers = [word for word in unit if word.startswith("-I")]
        text = "\0".join(flags) + stamps([*flags, *headers])
        place = os.path.join("prefix.h.gch", hashlib.sha256(text.encode()).hexdigest()[:16])
        if not os.path.exists(place):  # what was compiled with it depends on it
            subprocess.run(
                [*flags, *headers, "-x", "c-header", "prefix.h", "-o", place], check=True
            )
        places.add(place)
    for name in os.listdir("prefix.h.gch"):
        if os.path.join("prefix.h.gch", name) not in places:
            os.remove(os.path.join("prefix.h.gch", name))
    for unit in (same[-1][1] for same in sets.values()) if gcc else ():
        if not is_taken(unit):
            sys.exit(
                f"precompile.py: no compiled prefix.h is as this is compiled: {shlex.join(unit)}"
            )


if __name__ == "__main__":
    main(sys.argv[1])
