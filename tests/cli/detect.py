# SPDX-License-Identifier: Apache-2.0
"""detect.py - content detection picks the right decoder for every kind of file that there is,
gzipped or not, with a name that says nothing; and with --decoder the outputs are the same. Real
traces are taken where NPROF_TEST_DATA names them (real.py decodes those in full)."""

import gzip
import os
import subprocess
import sys

from harness import Skip, add_test, check, check_same, files_below, main, read, rows_of, run, sample

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
LARGE = 300_000  # bytes
DATA = os.environ.get('NPROF_TEST_DATA', '')


def generate(program, *arguments):
    os.makedirs('made', exist_ok=True)
    subprocess.run(
        [sys.executable, '-B', os.path.join(TOOLS, program), *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def below(folder, *endings):
    return [
        os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(endings)
    ]


def tools():
    generate('neuron-tools-make.py', 'made', '--instructions', '20')
    return below('made', '.json', '.txt')


def ntff():
    generate('ntff_make.py', 'made', '--count', '3')
    return below('made', '.ntff')


def neff():
    """The good ones; how damaged ones fail, test-neff-files.c tests."""
    generate('neff-make.py', 'made')
    return below(
        'made', 'pkg1_tar.neff', 'pkg2_gz.neff', 'pax_dotslash.neff', 'debug.neff', 'subgraphs.neff'
    )


def furiosa():
    generate('furiosa-make.py', 'make', 'made')
    return below('made', '.csv', '.json')


def xplane():
    return [sample()]


def chrome():
    return [sample('node-workload.trace.json')]


def shared(folder, *endings):
    def find():
        path = os.path.join(DATA, folder)
        if not DATA or not os.path.isdir(path):
            raise Skip('NPROF_TEST_DATA names no folder with real traces')
        return [
            p
            for p in below(path, *endings)
            if not os.path.basename(p).startswith(('bad_', 'not_a_trace'))
        ]

    return find


KINDS = {
    'neuron-tools': ('ntff', tools),
    'ntff': ('ntff', ntff),
    'neff': ('neff', neff),
    'furiosa': ('furiosa', furiosa),
    'xplane': ('xplane', xplane),
    'chrome': ('chrome', chrome),
    'data-json': ('chrome', shared('json', '.json', '.json.gz')),
    'data-xplane': ('xplane', shared('xplane', '.xplane.pb')),
    'golden-furiosa': ('furiosa', shared('../golden/furiosa', '.csv', '.json')),
    'shared-neff': ('neff', shared('../tools', '.neff')),
}


def shared_table(_folder):
    """A device profile and its NEFF: one table of tensors, with the rows of both."""
    profile = next(path for path in tools() if path.endswith('device.json'))
    model = neff()[0]
    run('run', '-s', 'csv', '-o', 'out/', profile, model).expect(0, out='')
    inputs = {row['input'] for row in rows_of(read('out/tensors.csv'))}
    check_same(
        inputs, {os.path.basename(profile), os.path.basename(model)}, 'inputs of table tensors'
    )


def decode(path, decoder, large):
    chosen = ['--decoder', decoder] if decoder else []
    if large:  # real.py compares all that these give
        result = run('run', *chosen, '-s', 'csv:table=inputs', '-o', '-', path).expect(0)
        return {'inputs.csv': result.out.encode()}
    run('run', *chosen, '-s', 'csv', '-o', 'out/', path).expect(0, out='')
    found = files_below('out')
    for name in found:
        os.remove(os.path.join('out', name))
    found.pop('manifest.json', None)
    return found


def check_one(path, decoder):
    """A name without an ending, plain and gzipped: the decoder is found, and the outputs are those
    of
    --decoder."""
    data = read(path)
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    for name, content in (('plain', data), ('packed', gzip.compress(data, 1, mtime=0))):
        with open(name, 'wb') as file:
            file.write(content)
        large = len(data) > LARGE
        found, told = decode(name, None, large), decode(name, decoder, large)
        base = os.path.basename(path)
        check_same(
            rows_of(found['inputs.csv'])[0]['decoder'], decoder, f'decoder of {base}, {name}'
        )
        check(found == told, f'{base}, {name}: with and without --decoder the outputs differ')


def add(kind, decoder, find):
    def test_kind(_folder):
        paths = find()
        check(paths, 'nothing was made')
        for path in paths:
            check_one(path, decoder)

    add_test(kind, test_kind)


if __name__ == '__main__':
    for of, (which, how) in KINDS.items():
        add(of, which, how)
    add_test('shared-table', shared_table)
    main()
