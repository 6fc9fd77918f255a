#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report-files.py - styles and report.js as texts of C, for html.c.

usage: report-files.py THEME CSS CSS JS HEADER

Before the style stand the colours that it uses, as the page of nprof view has them in THEME: where
that looks for a choice of the reader, here the system has chosen."""
import re
import sys


def read(path):
    """The text without comments and without what its lines begin with."""
    with open(path, encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/|^\s*//[^\n]*', '', file.read(), flags=re.S | re.M)
    return re.sub(r'^\s+', '', text, flags=re.M)


def tokens(theme, style):
    used = set(re.findall(r'var\((--\w+)\)', style))
    text = re.sub(r",\s*:root\[data-theme='dark'\]", '', theme)
    text = re.sub(
        r":root\[data-theme='dark'\] (\{[^}]*\})",
        r'@media (prefers-color-scheme: dark) {\n:root \1\n}',
        text,
    )
    text = re.sub(r'(--[\w-]+): [^;]*;\n', lambda one: one[0] if one[1] in used else '', text)
    text = re.sub(r'@media \(prefers-reduced-motion[^{}]*\{(?:[^{}]*\{[^{}]*\})*\s*\}\n', '', text)
    return re.sub(r'@media [^{}]*\{\s*:root \{\s*\}\s*\}\n', '', text)


def main(theme, picture, css, js, header):
    style = read(picture) + read(css)
    texts = {'style': tokens(read(theme), style) + style, 'script': read(js)}
    with open(header, 'w', encoding='utf-8') as out:
        for name, text in texts.items():
            lines = text.replace('\\', '\\\\').replace('"', '\\"').splitlines()
            print(
                f'static const char {name}[] =',
                *(f'"{line}\\n"' for line in lines),
                sep='\n',
                end=';\n',
                file=out,
            )


main(*sys.argv[1:])
