# SPDX-License-Identifier: Apache-2.0
"""late-libraries.py - fails where the package does not recommend a library that sources open when
it is needed, or recommends one that none of them opens: late-libraries.py SOURCE."""

import glob
import os
import re
import sys

# The package of Debian for each name that is opened; None: it is needed anyway, or no package of
# Debian has it.
PACKAGES = {
    'libarchive.so.13': 'libarchive13',
    'libcurl.so.4': None,
    'libmicrohttpd.so.12': None,
    'libsqlite3.so.0': None,
    'libstdc++.so.6': 'libstdc++6',
    'libzstd.so.1': 'libzstd1',
    'libgcc_s.so.1': None,
    'libnrt.so.1': None,
    'libjson-glib-1.0.so.0': None,
}
NAME = re.compile(r'"(lib[\w+.-]+\.so\.\d+)"')


def opened(source):
    for folder in ('core', 'plugins'):
        for path in glob.glob(os.path.join(source, folder, '**', '*.[ch]'), recursive=True):
            with open(path, encoding='utf-8') as file:
                yield from NAME.findall(file.read())


def main():
    names = set(opened(sys.argv[1]))
    with open(os.path.join(sys.argv[1], 'packaging', 'nprof.control'), encoding='utf-8') as file:
        recommended = set(re.search(r'^Recommends: (.*)$', file.read(), re.M).group(1).split(', '))
    wrong = [
        f'{n}: which package of Debian has it?  Say it in this file'
        for n in sorted(names - set(PACKAGES))
    ]
    wrong += [f'{n}: no source opens it any more' for n in sorted(set(PACKAGES) - names)]
    wanted = {PACKAGES[n] for n in names if PACKAGES.get(n)}
    wrong += [
        f'packaging/nprof.control: Recommends lacks {p}' for p in sorted(wanted - recommended)
    ]
    wrong += [
        f'packaging/nprof.control: Recommends {p}, which nothing opens'
        for p in sorted(recommended - wanted)
    ]
    print(
        '\n'.join(wrong)
        or f'{len(names)} libraries are opened late, {len(recommended)} packages recommended'
    )
    sys.exit(bool(wrong))


main()
