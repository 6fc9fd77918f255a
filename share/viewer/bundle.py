#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bundle.py - the page in files whose names are known before they are made.

usage: bundle.py FOLDER ESBUILD [WORD...] ENTRY...

esbuild puts what several entries share into pieces that are named by hashes. Each entry has all that
the one before it has, so each but the last brings one piece: first.js, second.js."""
import json
import os
import subprocess
import sys
import tempfile

PIECES = ('first.js', 'second.js')


def pieces_of(outputs):
    """The name of each piece, by the name that esbuild gave it."""
    entries = [one for one in outputs.values() if one.get('entryPoint')]
    loads = sorted(
        (
            {os.path.basename(i['path']) for i in one['imports'] if i['kind'] == 'import-statement'}
            for one in entries
        ),
        key=len,
    )
    names, known = {}, set()
    for name, loaded in zip(PIECES, loads):
        new = loaded & set(outputs) - known
        if len(new) != 1:
            sys.exit(f'{name} would be {len(new)} files: an entry lacks what one before it has')
        names[new.pop()] = name
        known |= loaded
    return names


def main(folder, *command):
    with tempfile.TemporaryDirectory() as work:
        meta = os.path.join(work, 'meta.json')
        subprocess.run(
            [
                *command,
                '--splitting',
                '--entry-names=[name]',
                f'--outdir={work}',
                f'--metafile={meta}',
            ],
            check=True,
        )
        with open(meta, encoding='utf-8') as file:
            outputs = {os.path.basename(p): one for p, one in json.load(file)['outputs'].items()}
        names = pieces_of(outputs)
        for made in outputs:
            with open(os.path.join(work, made), encoding='utf-8') as file:
                text = file.read()
            for before, name in names.items():
                text = text.replace(before, name)
            with open(os.path.join(folder, names.get(made, made)), 'w', encoding='utf-8') as file:
                file.write(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
