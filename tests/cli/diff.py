# SPDX-License-Identifier: Apache-2.0
"""diff.py - two profiles, operator by operator: what changed, what did not, and what nobody can
tell.  The plugin tests/plugins/lines.c reads the profiles."""

import json
import os
import random
import stat

from harness import SAMPLES, check, check_same, finish, main, run, start, test, write

HEAD = '#nprof-lines\n'
PLUGINS = {'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']}
TPU = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')


def diff(*arguments, env=None):
    return run('diff', *arguments, env={**PLUGINS, **(env or {})})


def profile(name, **durations):
    """One track; each operator's spans lie one behind the other."""
    rows, at = [], 0
    for operator, values in durations.items():
        for value in values:
            rows.append(f'span t {operator} {at} {value}')
            at += value + 10
    return write(name, HEAD + ''.join(row + '\n' for row in rows))


def around(middle, number=40, seed=1):
    pick = random.Random(seed)
    return [middle + pick.randrange(-middle // 100, middle // 100 + 1) for _ in range(number)]


def verdicts(*arguments):
    result = diff('--format', 'json', '--top', '0', *arguments)
    check(result.status in (0, 6), result.describe())
    found = json.loads(result.out)
    return {o['operator']: o['verdict'] for o in found['operators']}, found, result.status


@test
def equal_profiles_do_not_differ(_folder):
    diff('--fail-over', '0', TPU, TPU).expect(0, out=['jit(train_step)/layers/while *', '0 slower, 0 faster, 9 same*'])


@test
def slower_and_faster(_folder):
    base = profile('a', slow=around(1000), fast=around(1000), same=around(1000))
    new = profile('b', slow=around(1100, seed=2), fast=around(900, seed=2), same=around(1000, seed=2))
    found, all_, _ = verdicts(base, new)
    check_same(found, {'slow': 'slower', 'fast': 'faster', 'same': 'same'}, 'verdicts')
    slow = next(o for o in all_['operators'] if o['operator'] == 'slow')
    check(0.09 < slow['change'] < 0.11 and slow['p'] < 1e-6, slow)
    for limit, status in (('5%', 6), ('0.05', 6), ('20%', 0)):
        diff('--fail-over', limit, base, new).expect(status)
    diff(base, new).expect(0)


@test
def below_two_percent_and_three_mads_is_noise(_folder):
    a, b = around(100000), [v + 1500 for v in around(100000)]
    check_same(verdicts(profile('a', x=a), profile('b', x=b))[0], {'x': 'same'}, '1.5 %')
    wide, shifted = list(range(1000, 3000, 20)), list(range(1800, 3800, 20))
    found, all_, _ = verdicts(profile('a', x=wide), profile('b', x=shifted))
    check_same((found, all_['operators'][0]['p'] < 0.01), ({'x': 'same'}, True), 'within 3 MADs')


@test
def what_nobody_can_tell_fails_a_limit(_folder):
    few, many = profile('a', x=[10] * 4), profile('b', x=[10] * 9)
    check_same(verdicts(few, many)[0], {'x': 'inconclusive'}, 'four durations')
    diff('--fail-over', '5%', few, many).expect(6, out='*1 operator slower than that, or not to be told')
    other = profile('c', y=[10] * 9)
    found, all_, _ = verdicts(many, other)
    check_same(found, {'x': 'removed', 'y': 'added'}, 'one side only')
    check_same([(o['base'] is None, o['new'] is None) for o in all_['operators']],
               [(False, True), (True, False)], 'sides')
    diff('--fail-over', '5%', many, other).expect(6)
    empty = write('d', HEAD)
    diff('--fail-over', '5%', empty, empty).expect(6)


@test
def losses_fail_a_limit(_folder):
    whole = write('a', HEAD + ''.join(f'span t x {20 * i} 10\n' for i in range(9)))
    lossy = write('b', HEAD + ''.join(f'span t x {20 * i} 10\n' for i in range(9)) + 'gap t 500 9\n')
    damaged = write('c', HEAD + ''.join(f'span t x {20 * i} 10\n' for i in range(9)) + 'bad\n')
    diff('--fail-over', '5%', whole, whole).expect(0)
    diff('--fail-over', '5%', whole, lossy).expect(6, out='Events are missing: 1 gaps*')
    diff('--fail-over', '5%', whole, damaged).expect(2)
    diff('-k', '--fail-over', '5%', whole, damaged).expect(6)
    diff('-k', whole, damaged).expect(3)


@test
def numbers_behind_names_do_not_count(_folder):
    base = profile('a', **{'fusion.1': [10] * 9, 'add_12': [5] * 9, '42': [1] * 9})
    new = profile('b', **{'fusion.77': [10] * 9, 'add': [5] * 9, '42': [1] * 9})
    check_same(verdicts(base, new)[0], {'fusion': 'same', 'add': 'same', '42': 'same'}, 'stems')


@test
def many_durations_are_thinned_evenly(_folder):
    rising = [100 + i for i in range(10000)]
    _, all_, _ = verdicts(profile('a', x=rising), profile('b', x=rising))
    side = all_['operators'][0]['base']
    check_same((side['count'], side['self_ps']), (10000, sum(rising)), 'all are counted')
    check(2048 <= side['samples'] <= 4096 and abs(side['median_ps'] - 5100) < 10, side)


@test
def children_are_not_summed_with_parents(_folder):
    rows = ''.join(f'span t outer {100 * i} 90\nspan t inner {100 * i + 10} 50\n' for i in range(6))
    path = write('a', HEAD + rows)
    _, all_, _ = verdicts(path, path)
    check_same({o['operator']: o['base']['self_ps'] for o in all_['operators']},
               {'outer': 6 * 40, 'inner': 6 * 50}, 'self time')
    check_same(all_['base_self_ps'], 6 * 90, 'sum')


@test
def batches_and_threads_change_nothing(_folder):
    one = diff('--format', 'json', TPU, TPU).expect(0).out
    for env, jobs in (({'NPROF_BATCH_ROWS': '1'}, '1'), ({'NPROF_BATCH_ROWS': '7'}, '4')):
        check_same(diff('-j', jobs, '--format', 'json', TPU, TPU, env=env).out, one, 'output')


@test
def json_says_what_it_leaves_out(_folder):
    base = profile('a', **{f'o{k}_': [10] for k in range(25)})
    with open(base, 'a', encoding='utf-8') as file:
        file.write('span t open 9000 -1\ngap t 9001 0\n')
    found = json.loads(diff('--format', 'json', '--fail-over', '5%', base, base).expect(6).out)
    check_same((len(found['operators']), found['left_out'], found['inconclusive'], found['failed']),
               (20, 5, 25, 25), 'operators')
    check_same((found['without_end'], found['gaps'], found['fail_over']), (2, 2, 0.05), 'losses')


@test
def names_are_no_markup_in_markdown(_folder):
    names = {'a\\|b': '| a\\\\\\|b |', '<b>&amp;': '| &lt;b>&amp;amp; |', '*x*`y`[z]': '| \\*x\\*\\`y\\`\\[z\\] |'}
    path = profile('a', **{name: [10] for name in names})
    out = diff('--format', 'markdown', path, path).expect(0).out
    for cell in names.values():
        check(cell in out, f'no {cell} in\n{out}')


@test
def wrong_use(_folder):
    diff(TPU).expect(1, err='*expected two inputs, BASE and NEW; there is 1*')
    diff('--fail-over', 'x', TPU, TPU).expect(1, err='*--fail-over x: expected a share*')
    diff('--fail-over', '-1', TPU, TPU).expect(1)
    diff('--format', 'xml', TPU, TPU).expect(1, err='*expected plain, markdown or json*')
    diff(TPU, 'no-such-file').expect(2, out='')
    diff('--top', '-5', TPU, TPU).expect(1, err='*--top -5: expected 0 (all) or more*')


@test
def output_goes_where_that_of_any_sink_goes(_folder):
    out = diff(TPU, TPU).expect(0).out
    os.mkdir('folder')
    write('old', 'old')
    os.symlink('old', 'link')
    diff('-o', 'folder', TPU, TPU).expect(0, out='', err='')
    diff('-o', 'link', TPU, TPU).expect(0, out='', err='')
    for path in ('folder/diff.txt', 'old'):
        with open(path, encoding='utf-8') as file:
            check_same(file.read(), out, path)
    check(os.path.islink('link'), 'the link was replaced')


@test
def a_pipe_is_written_in_place(_folder):
    os.mkfifo('pipe')
    process = start('gate', '-o', 'pipe', TPU, 'inputs.rows > 0')
    with open('pipe', encoding='utf-8') as pipe:
        check('1 met' in pipe.read(), 'what came through the pipe')
    finish(process).expect(0)
    check(stat.S_ISFIFO(os.stat('pipe').st_mode), 'the pipe was replaced')


if __name__ == '__main__':
    main()
