# SPDX-License-Identifier: Apache-2.0
"""baseline.py - profiles with names that others are held against: one a name and machine, kept by
the store until the name goes."""

import json
import os
import re
import shutil
import statistics

from gputrace import Trace
from harness import SAMPLES, check, check_same, main, run, test, write

TPU = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')
CALLS = [('gemm', 'aten::mm', 40), ('relu', 'aten::relu', 12)]


def gpu(name, device, factor=1, seed=1):
    """Steps of one GPU of that kind (None: not stated)."""
    made = Trace([(k, o, t * factor) for k, o, t in CALLS], seed=seed)
    kind = {'deviceProperties': [{'id': 0, 'name': device}]} if device else {}
    return write(name, json.dumps({**kind, 'traceEvents': made.events}))


def save(*words, status=0, **expected):
    return run('baseline', 'save', '-q', *words).expect(status, **expected)


def listed():
    """(name, machine) of the list."""
    lines = run('baseline').expect(0).out.splitlines()
    return [(line[:24].strip(), line[38:62].strip()) for line in lines[1:]]


def base_of(*words, status=0, err=''):
    """The devices of the base that a comparison took."""
    found = run('diff', '-q', '--format', 'json', *words).expect(status, err=err).out
    return json.loads(found)


@test
def a_name_has_one_profile_for_each_machine(_folder):
    run('baseline').expect(0, out='there is no baseline*')
    a100, v100 = gpu('a.json', 'NVIDIA A100'), gpu('v.json', 'Tesla V100', 3)
    save('main', a100, out='baseline main of 1x NVIDIA A100: n_*')
    save('main', v100, out='baseline main of 1x Tesla V100: n_*')
    save('main', TPU, out='baseline main of 2x TPU v5 Lite: n_*')
    check_same(
        listed(),
        [
            ('main', '1x NVIDIA A100'),
            ('main', '2x TPU v5 Lite'),
            ('main', '1x Tesla V100'),
        ],
        'list',
    )
    # The same work, three times as long on the V100: which base it was shows in the change.
    for new, factor in (
        (gpu('n.json', 'NVIDIA A100', 3, 2), 3),
        (gpu('m.json', 'Tesla V100', 3, 2), 1),
    ):
        found = base_of('baseline:main', new)
        delta = found['devices'][0]['work']['delta']
        check(abs(delta - (factor - 1)) < 0.05, f'{new}: {delta}')
        check_same((found['base'], found['not_the_same']), (['baseline:main'], []), new)
    run('diff', 'baseline:main', gpu('h.json', 'NVIDIA H100')).expect(
        2,
        err='*baseline main is of 1x NVIDIA A100; 2x TPU v5 Lite; 1x Tesla V100, and this *H100:*',
    )
    run('diff', '--other-machine', 'baseline:main', 'h.json').expect(2)
    # Which of three an unknown machine is, is not known.
    run('diff', 'baseline:main', gpu('u.json', None)).expect(
        2, err='*of 1x unknown devices: save one*'
    )


@test
def what_is_not_stated_is_no_other_machine(_folder):
    known, unknown = gpu('a.json', 'NVIDIA A100'), gpu('u.json', None, 2)
    save('main', known)
    check(base_of('baseline:main', unknown)['devices'][0]['work']['delta'] > 0.9, 'the only one')
    save('main', unknown, out='baseline main of 1x unknown devices: *')
    new = gpu('v.json', 'Tesla V100', 2, 3)
    delta = base_of('baseline:main', new)['devices'][0]['work']['delta']
    check(abs(delta) < 0.05, f'of the base that states no machine: {delta}')
    save('other', '--replace', known)
    run('diff', 'baseline:other', new).expect(2, err='*baseline other is of 1x NVIDIA A100*--other-machine*')
    check_same(
        base_of('--other-machine', 'baseline:other', new)['not_the_same'][0]['base'],
        'NVIDIA A100',
        'asked for',
    )


@test
def names_that_are_taken(_folder):
    first, second = gpu('a.json', 'NVIDIA A100'), gpu('b.json', 'NVIDIA A100', 2)
    save('main', first)
    save('main', first)  # its own
    save(
        'main', second, status=1, err='*baseline main of 1x NVIDIA A100 is n_* already: --replace*'
    )
    check_same(len(listed()), 1, 'the refused one has no name')
    save('next', first, status=1, err='*is baseline main already: --replace calls it next instead*')
    save('--replace', 'main', second)
    check(base_of('baseline:main', first)['devices'][0]['work']['delta'] < -0.4, 'the second one')
    save('next', first)
    check_same([name for name, _ in listed()], ['main', 'next'], 'list')


@test
def wrong_names(_folder):
    path = gpu('a.json', 'NVIDIA A100')
    run('diff', 'baseline:main', path).expect(2, err='*no baseline is called main; there is none*')
    save('main@llama-7b', path)
    save('feature/x', '--replace', path)
    check_same([name for name, _ in listed()], ['feature/x'], 'a profile is one at most')
    run('diff', 'baseline:featur/x', path).expect(2, err='*did you mean feature/x?*')
    run('diff', 'baseline:zzz', path).expect(2, err='*no baseline is called zzz; there are: featu*')
    for name in ('', 'a b', '.a', 'x' * 101, 'a\x1b', 'a:b'):
        save(name, path, status=1, err='*')
    for words, err in (
        (('sav', 'x'), '*did you mean save?*'),
        (('ls',), '*did you mean list?*'),
        (('list', 'extra'), '*error: extra is too much: expected list alone*'),
        (('save',), '*error: save: NAME is missing: expected save NAME FILE...*'),
        (('save', 'main'), '*error: save: FILE is missing: expected save NAME FILE...*'),
        (('rm',), '*error: rm: NAME is missing: expected rm NAME [[]PROFILE]*'),
        (('rm', 'a', 'b', 'c'), '*error: c is too much: expected rm NAME [[]PROFILE]*'),
        (('rm', 'featur/x'), '*did you mean feature/x?*'),
        (('rm', 'feature/x', 'n_0'), '*no baseline is called feature/x and is profile n_0*'),
    ):
        run('baseline', *words).expect(1, out='', err=err)
    save('main', 'nothing.json', status=2, err='*nothing.json: cannot be read*')


@test
def a_baseline_is_the_base_of_diff_alone(_folder):
    path = gpu('a.json', 'NVIDIA A100')
    save('main', path)
    says = '*baseline:main: * is the BASE of nprof diff *; gate takes --baseline NAME; *'
    for words in (
        ('diff', path, 'baseline:main'),
        ('diff', path, '--against', 'baseline:main'),
        ('report', 'baseline:main'),
    ):
        run(*words).expect(2, out='', err=says)
    # Too few digits of a stored profile are said where any input is.
    for words in (('baseline', 'save', 'x', 'n_2577'), ('report', 'n_2577')):
        run(*words).expect(2, out='', err='*n_2577: *expected n_ and 6 to 40 hex digits: *')
    run('report', 'n_2577.json').expect(2, err='*check the name*')
    run('baseline', 'save', 'x', path, env={'XDG_DATA_HOME': '/dev/null/x'}).expect(
        4, err='*/dev/null/x/nprof/profiles: *: set XDG_DATA_HOME, or --store of nprof view, *'
    )
    run('view', '--store', '/dev/null/x').expect(4, err='*set XDG_DATA_HOME, or --store, to a folder*')


@test
def a_file_of_that_name_is_the_file(_folder):
    shutil.copy(gpu('a.json', 'NVIDIA A100'), 'baseline:main')
    check_same(base_of('baseline:main', 'a.json')['devices'][0]['work']['delta'], 0, 'the file')


@test
def the_store_keeps_it(_folder):
    path, other = gpu('a.json', 'NVIDIA A100'), gpu('b.json', 'NVIDIA A100', 2)
    save('main', path)
    run('view', '-q', '--ingest-only', '--store-max', '1K', other).expect(4, err='*store is full*')
    check_same(len(listed()), 1, 'no room is made of it')
    run('baseline', 'rm', 'main').expect(0, out='n_* is baseline main no more, and stays stored')
    run('baseline').expect(0, out='there is no baseline*')
    run('diff', 'baseline:main', path).expect(2)
    run('view', '-q', '--ingest-only', '--store-max', '1K', other).expect(0)
    check('a.json' not in run('profiles').expect(0).out, 'room is made of it now')


@test
def of_a_stored_profile_and_of_several_runs(_folder):
    paths = [gpu(f'{i}.json', 'NVIDIA A100', 1 + i // 2, i) for i in range(4)]
    run('run', '-q', '-s', 'store', paths[0]).expect(0)
    stored = run('profiles').expect(0).out.splitlines()[1].split()[0]
    save('main', stored)
    found = base_of('baseline:main', paths[1], '--against', *paths[2:])
    check_same(found['base'], ['baseline:main', '1.json'], 'the base')
    run('baseline').expect(0, out='main * NVIDIA A100 *')  # without analyzers: how many, is unknown
    check(found['devices'][0]['work']['delta'] > 0.9, found['devices'][0]['work'])


def median_period(path):
    """From end to end of the last kernels of steps, in ps, without the first step."""
    with open(path, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    ends = [
        round((e['ts'] + e['dur']) * 1e6)
        for e in events
        if e.get('cat') == 'kernel' and e['name'] == CALLS[-1][0]
    ]
    return statistics.median([b - a for a, b in zip(sorted(ends), sorted(ends)[1:])])


def gate(*words, status=0, **expected):
    return run('gate', '-q', '--baseline', 'main', *words).expect(status, **expected)


@test
def limits_are_values_of_the_baseline(_folder):
    """Times are what the traces were made with: 40 and 12 us a step, and 1.5 times as much."""
    save('main', gpu('a.json', 'NVIDIA A100'))
    same, slow = gpu('b.json', 'NVIDIA A100', seed=2), gpu('c.json', 'NVIDIA A100', 1.5)
    for path, demand, status in (
        (same, "kernels['gemm'].mean <= baseline + 10%", 0),
        (same, "kernels['gemm'].mean >= baseline - 10%", 0),
        (slow, "kernels['gemm'].mean <= baseline + 45%", 6),
        (slow, "kernels['gemm'].mean <= baseline + 55 %", 1),
        (slow, "kernels['gemm'].mean <= baseline+55%", 0),
        (slow, "kernels['gemm'].mean >= baseline + 45%", 0),
        (slow, "kernels['*'].calls == baseline", 0),
        ('a.json', 'step <= baseline', 0),
        ('a.json', 'step < baseline', 6),
        ('a.json', 'busy >= baseline', 0),
        ('a.json', 'devices.busy <= baseline', 0),
        (slow, 'step <= baseline', 6),
        (slow, 'any(kernels.mean_ns) < baseline', 6),
    ):
        gate(path, demand, status=status)
    line = gate(slow, "kernels['gemm'].mean <= baseline + 45%", status=6).out.splitlines()[0]
    value, base = (
        float(part.split('us')[0]) for part in line.split(' is ')[1].split(', baseline ')
    )
    check(58 < value < 62 and 38.5 < base < 41.5, line)
    # The same value: the same digits; four of them, though the verdict is not met.
    equal = gate('a.json', 'step < baseline', status=6).out
    shown = re.search(r' is ([\d.]+us), baseline ([\d.]+us) ', equal)
    check_same(shown and shown[1], shown and shown[2], equal)
    check(shown and len(shown[1]) <= len('1234.us'), equal)
    # All digits in JSON: of each in ps, as table verdict has them.
    one = json.loads(gate(slow, 'step <= baseline', '--format', 'json', status=6).out)[0]
    for key, path in (('value', slow), ('baseline', 'a.json')):
        ps = median_period(path)
        check_same((one[key]['value'], one[key]['unit']), (ps / 1e6, 'us'), key)
    other = write('g.json', read_with_names('a.json', {'relu': 'gelu'}))
    one = json.loads(
        gate(other, '--format', 'json', "kernels['gelu'].mean <= baseline", status=6).out
    )[0]
    check_same(
        (one['baseline']['value'], one['baseline']['reason']),
        (None, 'the baseline has no such row'),
        'unknown',
    )


@test
def a_baseline_of_one_step_is_no_limit(_folder):
    """It takes at most its window: how long its period is, it does not know."""
    kind = {'deviceProperties': [{'id': 0, 'name': 'NVIDIA A100'}]}
    one = json.dumps({**kind, 'traceEvents': Trace(CALLS, steps=1).events})
    save('main', write('one.json', one))
    slow = gpu('slow.json', 'NVIDIA A100', 1.2)
    gate(slow, 'step <= baseline + 90%', status=6, out='UNDECIDED*one step alone has no period*')


@test
def the_baseline_is_read_as_what_it_is(_folder):
    """The decoder that is named is that of the new file."""
    save('main', gpu('a.json', 'NVIDIA A100'))
    same = gpu('b.json', 'NVIDIA A100', seed=2)
    gate('-d', 'chrome', same, "kernels['gemm'].mean <= baseline + 10%")
    check_same(base_of('-d', 'chrome', 'baseline:main', same)['base'], ['baseline:main'], 'diff')


@test
def what_the_baseline_does_not_know_is_undecided(_folder):
    save('main', gpu('a.json', 'NVIDIA A100'))
    other = write('b.json', read_with_names('a.json', {'relu': 'gelu'}))
    gate(other, "kernels['gelu'].mean <= baseline", status=6, out='UNDECIDED*no such row')
    gate(other, '--undecided', 'ok', "kernels['gelu'].mean <= baseline")
    gate(other, 'mfu <= baseline', status=6, out='UNDECIDED*')
    gate(gpu('v.json', 'Tesla V100'), 'step < baseline', status=2, err='*of 1x NVIDIA A100, and*')
    gate(other, 'step < 1s', status=1, err='*no demand is held against it*')
    run('gate', other, 'step < baseline').expect(1, err='*which baseline is not said*')
    gate(other, 'step < baseline - 150%', status=1, err='*expected a share below 100 %*')
    for wrong in ('baseline + 5', 'baseline * 2', 'baseline + ', 'baseline - 100%', 'baselin'):
        gate(other, f'step < {wrong}', status=1, err='*at character*expected*')


def read_with_names(path, names):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for old, new in names.items():
        text = text.replace(old, new)
    return text


if __name__ == '__main__':
    main()
