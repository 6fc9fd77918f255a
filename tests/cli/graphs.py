# SPDX-License-Identifier: Apache-2.0
"""graphs.py - kernels of graph replays get the operators of their captures: beside tables that were made from the raw
bytes by another program (the folder golden beside the data), and on small traces that are made here."""

import collections
import csv
import gzip
import io
import json
import os
import re
from decimal import Decimal

from harness import Skip, add_test, check, check_same, main, run, test, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden', 'graphs')
FILES = os.path.join(DATA, '..', 'files', 'graphs')

REAL = {'vllm_decode_full': ('graph_execution.json.gz', 'graph_capture_rank_0.1773709742341309550.pt.trace.json.gz'),
        'sglang_decode': ('sglang_Qwen3-8B_decode.json.gz', 'bs_32_rank0.json.gz')}
MADE = {'exact': ('run.json', 'capture.json'), 'position': ('run.json', 'capture_noname.json'),
        'short': ('run.json', 'capture_short.json'), 'other_batch': ('run.json', 'capture_other_batch.json'),
        'two_captures': ('run.json', 'capture_other_batch.json', 'capture.json'),
        'lost': ('run_lost.json', 'capture.json'), 'streams': ('run_streams.json', 'capture.json'),
        'self': ('run_self.json',), 'pieces': ('run_pieces.json', 'capture_pieces.json'), 'none': ('run.json',)}


def events(path, *options):
    result = run('run', '-q', '-s', 'csv:table=events', '-o', '-', *options, path)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def table(path, name, *options):
    result = run('run', '-q', '-a', 'operators', '-s', f'csv:table={name}', '-o', '-', *options, path)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def eager(*paths):
    return ['-d', 'chrome:companions=no' + (',eager=' + '+'.join(paths) if paths else '')]


def golden(folder, name):
    with open(os.path.join(GOLDEN, folder, name + '.tsv'), encoding='utf-8') as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def ps(text):
    return int(Decimal(text) * 1000)


def dims(text):
    """The shapes of tensors among arguments: "bf16[8,512] - [1]" has [[8, 512]]."""
    return [[int(n) for n in found.split(',')] for found in re.findall(r'(?<![^ ])\w+\??\[([0-9,]+)\]', text)]


def wanted_dims(text):
    return [entry for entry in json.loads(text) if entry and all(isinstance(n, int) for n in entry)] if text else []


def kernels_of(path, *options):
    """Rows of work as golden tables list them."""
    out = []
    for row in events(path, *options):
        if row['category'] in ('kernel', 'gpu_memcpy', 'gpu_memset'):
            said = json.loads(row['attributes'] or '{}')
            out.append((ps(row['start_ns']), ps(row['duration_ns']), row['name'], said.get('graph_match'), said.get('graph_operator'),
                        said.get('layer', ''), row['source'], dims(row['arguments']), said.get('graph_replay')))
    return sorted(out, key=lambda row: row[:3])


def check_kernels(path, folder, *options):
    found, wanted = kernels_of(path, *options), golden(folder, 'graph_kernels')
    wanted.sort(key=lambda row: (int(row['start_ps']), int(row['duration_ps']), row['kernel']))
    check_same(len(found), len(wanted), f'{folder}: rows of work')
    first = int(wanted[0]['start_ps']) - found[0][0]
    for row, want in zip(found, wanted):
        check_same(row[:3], (int(want['start_ps']) - first, int(want['duration_ps']), want['kernel']), folder)
        if want['replay'] == '':
            check_same(row[3], None, f'{folder}: outside of graphs')
            continue
        check_same((row[3], str(row[8])), (want['match'], want['replay']), f'{folder}: {want["kernel"]}')
        named = want['operator'] or None
        check_same(None if row[4].startswith('(graph replay ') else row[4], named, f'{folder}: operator of {want["kernel"]}')
        check_same((row[5], row[6]), (want['module'], want['source']), f'{folder}: place of {want["kernel"]}')
        check_same([d for d in row[7] if d], wanted_dims(want['input_dims']), f'{folder}: shapes of {want["kernel"]}')


def real(folder):
    run_, capture = REAL[folder]
    path = os.path.join(FILES, folder, run_)
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder beside which the pairs lie')
    return path, os.path.join(FILES, folder, 'capture_traces', capture)


def each_real(folder):
    def point(_folder):
        path, capture = real(folder)
        check_kernels(path, folder, *eager(capture))
        check_kernels(path, folder)  # found by execution_details.json beside it
    return point


def each_made(folder):
    def point(_folder):
        if not DATA or not os.path.exists(os.path.join(GOLDEN, 'made', folder)):
            raise Skip('NPROF_TEST_DATA names no folder beside which the tables lie')
        run_, *captures = (os.path.join(GOLDEN, 'made', name) for name in MADE[folder])
        check_kernels(run_, os.path.join('made', folder), *eager(*captures))
    return point


for name_ in REAL:
    add_test('real-' + name_, each_real(name_))
for name_ in MADE:
    add_test('made-' + name_, each_made(name_))

if __name__ == '__main__':
    main()
