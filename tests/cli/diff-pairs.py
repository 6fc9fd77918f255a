# SPDX-License-Identifier: Apache-2.0
"""diff-pairs.py - real traces with a change that a generator made and that is therefore known,
beside what others computed of them; and every real trace against itself. Generator and goldens lie
beside NPROF_TEST_DATA. All pairs only with NPROF_TEST_ALL=1: the generator needs a minute for
them."""

import glob
import json
import os
import subprocess
import sys

from harness import Skip, add_test, check, check_same, main, read, run, write

DATA = os.environ.get('NPROF_TEST_DATA', '')
TOOL = os.path.join(DATA, '..', 'tools', 'make_diff_pairs.py')
GOLDEN = os.path.join(DATA, '..', 'golden', 'answers')
SOME = ('host_bert', 'slow2x_qwen', 'rename_qwen', 'comm_nccl')
WITHOUT_WORK = ('catapult_instant_events.json', 'catapult_nestable_async.json')
PARTS = ('compute_ps', 'exposed_communication_ps', 'exposed_copy_ps')


def close(found, expected, what):
    check(abs(found - expected) <= 1.5, f'{what}: expected {expected} ps, found {found}')


def check_sum(found, expected, what):
    """A sum of both sides, its change and its verdict; None: there is none."""
    check_same(found is None, expected is None, what)
    if expected is None:
        return
    close(found['base_ps'], expected['base_ps'], what)
    close(found['new_ps'], expected['new_ps'], what)
    check((found['delta'] is None) == (expected['delta'] is None), what)
    check(
        expected['delta'] is None or abs(found['delta'] - expected['delta']) < 1e-9,
        (what, found, expected),
    )
    check_same(found['verdict'], expected['verdict'], f'{what}: {found}')


def check_parts(device, expected):
    """The parts of a step, and that their changes add up to the step's."""
    parts = dict(device['parts'])
    for name in PARTS:
        for side in (0, 1):
            close(parts[name][side], expected[name][side], name)
    for side in (0, 1):
        close(
            sum(both[side] for name, both in parts.items() if name.startswith('idle')),
            expected['idle_ps'][side],
            'idle',
        )
    change = device['step']['new_ps'] - device['step']['base_ps']
    check(abs(sum(new - base for base, new in parts.values()) - change) < 10, (parts, change))


def check_kernels(device, expected):
    kernels = {kernel['name']: kernel for kernel in device['kernels']}
    for name, change in expected['changed'].items():
        if name not in kernels:
            continue  # less than its share: judged with the rest
        told = (
            device['communication']['verdict']
            if kernels[name]['class'] == 'communication'
            else None
        )
        check(change['verdict'] in (kernels[name]['verdict'], told), (change, kernels[name]))
        if 'base_ps' in change:
            check_same(
                (kernels[name]['calls'], kernels[name]['why']),
                (change['calls'], change['why']),
                name,
            )
    for name, kernel in kernels.items():
        if name not in expected['changed']:
            check(kernel['verdict'] in ('same', 'inconclusive'), f'untouched: {kernel}')
    renamed = [expected['renamed']] if expected['renamed'] else []
    check_same(device['renamed'], renamed, 'renamed')


def without_step(expected):
    """What is expected where a side has one step: the goldens assume a noise of it, by an older
    rule, and now nothing is told of a step that differs."""
    sums = [expected['gpu_work'], expected['classes'].get('communication'), expected['rest']]
    told = [one['verdict'] for one in (*sums, *expected['changed'].values()) if one]
    step = expected['step'] | {'verdict': 'inconclusive'}
    if expected['step']['verdict'] == 'same' and expected['step']['delta'] == 0:
        step = expected['step']
    return expected | {'step': step, 'exit': 6 if 'slower' in told else 0}


def compare(name, line, expected):
    write('spec.tsv', line + '\n')
    subprocess.run(
        [sys.executable, TOOL, 'spec.tsv', os.path.join(DATA, 'json'), 'pairs'],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    truth = json.loads(read('pairs/truth.json'))[name]
    result = run(
        'diff',
        '--format',
        'json',
        '--fail-over',
        '5%',
        'pairs/' + truth['base'],
        'pairs/' + truth['new'],
    )
    device = json.loads(result.out)['devices'][0]
    if device['base']['steps'] == device['new']['steps'] == 1:
        expected = without_step(expected)
    result.expect(expected['exit'])
    check_sum(device['step'], expected['step'], 'step')
    check_sum(device['work'], expected['gpu_work'], 'all work')
    check_sum(
        device.get('communication'), expected['classes'].get('communication'), 'communication'
    )
    check_sum(device.get('rest'), expected['rest'], 'the rest')
    check_parts(device, expected['parts_ps'])
    check_kernels(device, expected)


def itself(path):
    result = run('diff', '--strict', '--fail-over', '0', path, path)
    if result.status == 2:
        run('info', path).expect(2)  # nobody can read it
    else:  # nothing is compared of instants and asynchronous spans alone
        result.expect(6 if os.path.basename(path) in WITHOUT_WORK else 0)


def collect():
    lines = read(os.path.join(GOLDEN, 'pairs.tsv')).decode().splitlines()
    golden = read(os.path.join(GOLDEN, 'pairs_expected.json')).decode()
    expected = json.loads(golden.replace('"not told"', '"inconclusive"'))  # what it was called
    every = os.environ.get('NPROF_TEST_ALL') == '1'
    for line in lines:
        name = line.split('\t')[0]
        if name in expected and (every or name in SOME):
            add_test(
                name, lambda _folder, name=name, line=line: compare(name, line, expected[name])
            )


def skip(_folder):
    raise Skip('NPROF_TEST_DATA names no folder with traces, goldens and the generator of pairs')


if __name__ == '__main__':
    if DATA and os.path.exists(TOOL) and os.path.isdir(GOLDEN):
        collect()
    else:
        add_test('real-traces', skip)
    for each in sorted(glob.glob(os.path.join(DATA, '*', '*')) if DATA else []):
        if each.endswith(('.json', '.gz', '.pb')):
            add_test('itself ' + os.path.basename(each), lambda _folder, path=each: itself(path))
    main()
