#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""outputs.py OLD NEW FOLDER... - runs commands that people use with two builds of nprof over each
file of these folders, and names each difference: in the exit status, in what is printed and in each
file that is written, byte for byte. Ends with 1 where something differs.

Both builds run in the same folder, one after the other, with an empty home. Where they differ the
old one runs again: what it does not write twice alike is named as unsteady and is no difference.
A run that does not end within half an hour is one, in whichever build.
-j N: runs at once."""

import argparse
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

SAMPLE = os.path.abspath(__file__ + '/../../../share/samples/synthetic_tpu.xplane.pb')
COMMANDS = {
    'csv': 'run -s csv -o out/ FILE',
    'tables': 'run -a latency -a modules -a steps -a device -a sanity -s csv -o out/ FILE',
    'chrome': 'run -s chrome -o out/trace.json FILE',
    'perfetto': 'run -s perfetto -o out/trace.pftrace FILE',
    'parquet': 'run -s parquet -o out/ FILE',
    'sqlite': 'run -s sqlite -o out/profile.sqlite FILE',
    'report': 'report FILE',
    'report-full': 'report --full --format markdown FILE',
    'report-json': 'report --format json FILE',
    'report-html': 'report -o out/page.html FILE',
    'report-only': 'report --only ops,idle,steps,collectives,memory,kernels FILE',
    'report-what-if': 'report --only critical_path,what_if FILE',
    'report-list': 'report --tables FILE',
    'info': 'info FILE',
    'info-count': 'info --count FILE',
    'doctor': 'doctor FILE',
    'flame': 'flame FILE',
    'diff': 'diff SAMPLE FILE',
    'sql': "sql FILE 'select name, count(*), sum(dur) from slice group by 1 order by 2 desc, 1'",
    'gate': "gate --undecided ok FILE \"p99('*') <= 2ms\" 'mfu >= 40%' 'idle < 10%' "
    "\"ops['*'].share < 30%\" 'step < 230ms' 'bound != input'",
}
LONGEST = 1800  # seconds of one run


def files_below(folder):
    for path, folders, names in os.walk(folder, followlinks=True):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(path, name)


def run(program, words, folder):
    """What a run leaves: {part: bytes}; None: it did not end in time."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + '/out')
    kept = {k: v for k, v in os.environ.items() if not k.startswith(('NPROF_', 'XDG_'))}
    try:
        result = subprocess.run(
            [program, *words],
            capture_output=True,
            env=kept | {'HOME': folder, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '80', 'TZ': 'UTC'},
            cwd=folder,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        return None
    parts = {
        'status': str(result.returncode).encode(),
        'stdout': result.stdout,
        'stderr': result.stderr,
    }
    for path in files_below(folder + '/out'):
        with open(path, 'rb') as written:
            parts[os.path.relpath(path, folder)] = written.read()
    return parts


def place(a, b):
    """Where two texts part: the line, or the byte of what is no text, with what stands there."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    line = a.count(b'\n', 0, at) + 1
    of = [text[text.rfind(b'\n', 0, at) + 1 :].split(b'\n')[0] for text in (a, b)]
    shown = [repr(text[max(0, at - 60) : at + 60])[1:] for text in (a, b)]
    if all(len(text) < 200 for text in of):
        shown = [repr(text)[1:] for text in of]
    return f'byte {at}, line {line}: {shown[0]} -> {shown[1]}'


def differences(old, new):
    for part in sorted(old.keys() | new.keys()):
        if part not in new or part not in old:
            yield part, 'only the ' + ('old' if part in old else 'new') + ' build writes it'
        elif old[part] != new[part]:
            yield part, place(old[part], new[part])


def compare(old, new, name, file):
    """The lines that say how the two builds differ, and how many of them count."""
    words = [{'FILE': file, 'SAMPLE': SAMPLE}.get(w, w) for w in shlex.split(COMMANDS[name])]
    with tempfile.TemporaryDirectory() as top:
        folder = top + '/run'
        before, after = run(old, words, folder), run(new, words, folder)
        late = [build for build, parts in (('old', before), ('new', after)) if parts is None]
        if late:
            which = ' and the '.join(late)
            return [f'differs: {name} {file}: no end within {LONGEST} s of the {which} build'], 1
        found = dict(differences(before, after))
        again = run(old, words, folder) if found else None
        unsteady = dict(differences(before, again)) if again else {}
    said = [
        f'{"unsteady" if part in unsteady else "differs"}: {name} {file}: {part}: {what}'
        for part, what in found.items()
    ]
    return said, len(found.keys() - unsteady.keys())


def main():
    args = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    args.add_argument('-j', type=int, default=os.cpu_count())
    args.add_argument('old')
    args.add_argument('new')
    args.add_argument('folder', nargs='+')
    asked = args.parse_args()
    old, new = os.path.abspath(asked.old), os.path.abspath(asked.new)
    files = [os.path.abspath(f) for folder in asked.folder for f in files_below(folder)]
    if not files:
        sys.exit(f'outputs.py: {" ".join(asked.folder)}: no files there: name folders of profiles')
    with concurrent.futures.ThreadPoolExecutor(asked.j) as pool:
        runs = [pool.submit(compare, old, new, name, file) for file in files for name in COMMANDS]
        results = []
        for one in runs:
            results.append(one.result())
            for line in results[-1][0]:
                print(line, flush=True)
    differ = sum(n > 0 for _, n in results)
    unsteady = sum(bool(said) and not n for said, n in results)
    print(
        f'{len(runs)} runs, {len(COMMANDS)} commands over {len(files)} files: '
        f'{len(runs) - differ - unsteady} the same, {differ} differ, {unsteady} unsteady'
    )
    sys.exit(differ > 0)


if __name__ == '__main__':
    main()
