# SPDX-License-Identifier: Apache-2.0
"""selection.py - rows that --step, --track, --where and --or select, against all rows as the csv
sink writes them."""

import json
import random

from harness import check, check_same, main, rows_of, run, test, write
from randomtrace import events_of, ps

LAYERS = {
    'Net[net]/Linear[fc1]/aten__mm': 'Net[net]/Linear[fc1]',
    'Net[net]/Linear[fc2]/aten__mm': 'Net[net]/Linear[fc2]',
    'jit(f)/dot_general': '',
}
QUESTIONS = 40


def trace(seed):
    """Random rows, of which some state a step, a layer, or an operator of the framework."""
    r = random.Random(seed)
    events = list(events_of(r))
    for event in events:
        if event['ph'] in 'XBi':
            event['args'] = {
                **({'step': r.randrange(6)} if r.random() < 0.6 else {}),
                **({'tf_op': r.choice(list(LAYERS))} if r.random() < 0.6 else {}),
                **({'layer': r.choice(('a', 'b'))} if r.random() < 0.2 else {}),
            }
    write(f's{seed}.json', json.dumps({'traceEvents': events}))
    return f's{seed}.json'


def rows(path, *options):
    """None where none is selected, which is status 1."""
    said = run('run', '-q', '-s', 'csv:table=events', '-o', '-', path, *options)
    if said.status == 1:
        said.expect(1, out='', err='*no row is selected*')
        return []
    return rows_of(said.expect(0).out)


def identity(row):
    return tuple(
        (k, row.get(k) or '')
        for k in (
            'process',
            'thread',
            'kind',
            'name',
            'category',
            'start_ns',
            'duration_ns',
            'id',
            'value',
            'step',
            'layer',
            'framework_op',
        )
    )


def layer_of(row):
    return row.get('layer') or LAYERS.get(row.get('framework_op') or '', '')


def condition(r, all_rows):
    """(options, whether a row fits)"""
    one = r.choice(all_rows)
    return r.choice(
        [
            lambda: (
                ['--where', f'category={one["category"]}'],
                lambda x: x['category'] == one['category'],
            ),
            lambda: (['--where', f'layer={layer_of(one)}'], lambda x: layer_of(x) == layer_of(one)),
            lambda: (
                ['--where', f'step={one.get("step") or ""}'],
                lambda x: (x.get('step') or '') == (one.get('step') or ''),
            ),
            lambda: (
                ['--where', f'thread={one["thread"]}'],
                lambda x: x['thread'] == one['thread'],
            ),
            lambda: (['--name', one['name'][:5]], lambda x: one['name'][:5] in x['name']),
            lambda: (['--step', '2..4'], lambda x: x.get('step') in ('2', '3', '4')),
        ]
    )()


def fits_of(alternatives):
    return lambda row: row['kind'] in ('fact', 'gap') or any(
        all(fits(row) for _, fits in one) for one in alternatives
    )


@test
def any_alternative_is_enough(_):
    for seed in range(300, 304):
        r, path = random.Random(seed), trace(seed)
        every = rows(path)
        for _ in range(QUESTIONS):
            alternatives = [
                [condition(r, every) for _ in range(r.randrange(1, 3))]
                for _ in range(r.randrange(1, 4))
            ]
            if any(sum('--step' in options for options, _ in one) > 1 for one in alternatives):
                continue
            options = [
                word
                for i, one in enumerate(alternatives)
                for word in (['--or'] if i else []) + [w for options, _ in one for w in options]
            ]
            fits = fits_of(
                [
                    [c for c in one if '--name' not in c[0]] + [([], any_name(one))]
                    for one in alternatives
                ]
            )
            expected = [identity(row) for row in every if fits(row)]
            found = [identity(row) for row in rows(path, *options)]
            check(
                found == expected,
                f'{" ".join(options)}: {len(found)} rows, expected {len(expected)}',
            )


def any_name(one):
    """Several names of one alternative: any of them fits."""
    names = [fits for options, fits in one if '--name' in options]
    return lambda row: not names or any(fits(row) for fits in names)


@test
def times_are_of_all_alternatives(_):
    path = trace(310)
    whole = rows(path)
    spans = [row for row in whole if row['kind'] == 'span' and row['duration_ns']]
    middle = sorted(ps(row['start_ns']) for row in spans)[len(spans) // 2]
    found = rows(
        path,
        '--where',
        'category=work',
        '--from',
        f'{middle}ps',
        '--or',
        '--where',
        'category=wait',
    )
    check(
        found
        and all(
            row['kind'] != 'span'
            or not row['duration_ns']
            or ps(row['start_ns']) + ps(row['duration_ns']) >= middle
            for row in found
        ),
        'rows before the window',
    )
    check(
        {row['category'] for row in found if row['kind'] == 'span'} == {'work', 'wait'},
        'both alternatives',
    )


@test
def steps_are_counted_in_each(_):
    path = trace(311)
    last = max(int(row['step']) for row in rows(path) if row.get('step'))
    found = rows(path, '--step', '2nd', '--or', '--step', 'last')
    check_same(
        {row['step'] for row in found if row['kind'] not in ('fact', 'gap')},
        {'1', str(last)},
        'steps',
    )
    run('run', '-s', 'csv', '-o', '-', path, '--step', '1', '--or', '--step', '77').expect(
        1, err='*--step: none is selected*'
    )


@test
def an_alternative_without_a_condition_is_a_mistake(_):
    path = trace(312)
    for options in (
        ['--or'],
        ['--where', 'category=work', '--or'],
        ['--or', '--name', 'a'],
        ['--name', 'a', '--or', '--or', '--name', 'b'],
    ):
        run('run', '-s', 'csv', '-o', '-', path, *options).expect(
            1, err='*--or stands between conditions*'
        )
    run('run', '-s', 'csv', '-o', '-', path, '--name', 'a', '--or', '--where', 'nothing').expect(
        1, err='*--where nothing*'
    )


@test
def runs_of_other_alternatives_are_other_runs(_):
    """What a run wrote into a folder stays when another asks for other rows."""
    path = trace(313)
    run(
        'run',
        '-q',
        '-s',
        'csv',
        '-o',
        'both',
        path,
        '--where',
        'category=work',
        '--or',
        '--where',
        'category=wait',
    ).expect(0)
    run(
        'run',
        '-q',
        '-s',
        'csv',
        '-o',
        'both',
        path,
        '--where',
        'category=work',
        '--where',
        'category=wait',
    ).expect(1)


@test
def a_part_of_a_file_that_was_cut_off(_):
    """Rows of any time may be missing, also of one before the last that is there."""
    events = [
        {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10 * i, 'dur': 5, 'name': f'n{i}'} for i in range(99)
    ]
    whole = json.dumps({'traceEvents': events})
    for name, text, said in (('whole', whole, False), ('cut', whole[: len(whole) // 2], True)):
        path = write(f'{name}.json', text)
        for window in ((), ('--to', '100us'), ('--from', '50us', '--to', '100us', '--clip')):
            told = run('report', '-q', '--keep-going', *window, path).expect(3 if said else 0).out
            check_same('UNDETERMINED: rows may be missing' in told, said, (name, window, told))


if __name__ == '__main__':
    main()
