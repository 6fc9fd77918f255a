# SPDX-License-Identifier: Apache-2.0
"""xla-steps.py - steps that a host annotates in an XSpace, which no other event names: each row has the step that a
plain search finds, --step takes those, and what a selected step says of itself does not depend on the selection."""

import random

import xspace
from harness import add_test, check, check_same, main, rows_of, run, test, write


def annotated(seed):
    """Rows of the host go by their start, work of a GPU by the start of its call, whatever the time."""
    rng = random.Random(seed)
    gpu, host = xspace.Plane(2, '/device:GPU:0'), xspace.Plane(3, '/host:CPU')
    steps, wanted, at = [], {}, 5
    for number in rng.sample(range(100), 6):
        start, end = at, at + rng.randrange(5, 40)
        steps.append((start, end, number))
        host.add('python', 'train', start, end - start, step_num=number)
        at = end + rng.randrange(8)

    def step_at(moment):
        return next((str(number) for start, end, number in steps if start <= moment < end), '')
    for i in range(1, 61):
        start = rng.randrange(at + 10)
        launches = rng.random() < .5
        host.add(rng.choice(('python', 'worker')), f'call{i}', start, 1, **({'correlation_id': i} if launches else {}))
        wanted[f'call{i}'] = step_at(start)
        if launches:
            gpu.add('Stream #7(Compute)', f'k{i}', start + rng.randrange(50), 1, correlation_id=i)
            wanted[f'k{i}'] = step_at(start)
    gpu.add('Stream #7(Compute)', 'lost', steps[0][0], 1, correlation_id=999)
    wanted['lost'] = ''
    return write('annotated.xplane.pb', gpu.data() + host.data()), steps, wanted


def events(path, *options):
    return rows_of(run('run', *options, '-s', 'csv:table=events', '-o', '-', path).expect(0).out)


def breakdown(path, *options):
    return rows_of(run('run', *options, '-a', 'steps', '-s', 'csv:table=step_breakdown', '-o', '-', path).expect(0).out)


def is_step(row):
    return row['name'].startswith('ProfilerStep#')


def add_random(seed):
    def body(_folder):
        path, steps, wanted = annotated(seed)
        rows = events(path)
        check_same(rows, events(path, '-d', 'xplane:scan=plain'), 'ways to read events')
        check_same({row['name']: row['step'] for row in rows if not is_step(row)}, wanted, 'steps')
        check_same(sorted(row['step'] for row in rows if is_step(row)), sorted(str(n) for *_, n in steps), 'of the annotations')
        whole = {row['step']: row for row in breakdown(path)}
        for *_, number in steps[2:4]:
            chosen = [row for row in events(path, '--step', str(number))]
            check_same(sorted(row['name'] for row in chosen if not is_step(row)),
                       sorted(name for name, step in wanted.items() if step == str(number)), f'--step {number}')
            one = breakdown(path, '--step', str(number))
            check(f'ProfilerStep#{number}' in {row['step'] for row in one} or not one, one)
            check_same(one, [whole[row['step']] for row in one], 'rows of a selected step')
    add_test(f'random annotations {seed}', body)


@test
def a_step_that_is_not_there(_folder):
    path, steps, _ = annotated(99)
    said = run('report', '--step', '777', path).expect(1).err
    check('steps in this file: ' + ', '.join(str(n) for n in sorted(n for *_, n in steps)) in said, said)


@test
def last_and_second(_folder):
    path, steps, _ = annotated(7)
    numbers = sorted(n for *_, n in steps)
    for word, number in (('last', numbers[-1]), ('2nd', numbers[1])):
        found = {row['step'] for row in events(path, '--step', word)}
        check_same(found, {str(number)}, word)


@test
def steps_that_rows_state_stay(_folder):
    """TensorFlow's own numbers (group_id) are not those of the annotation around."""
    host = xspace.Plane(3, '/host:CPU')
    host.add('python', 'train', 0, 100, step_num=5)
    host.add('python', 'own', 10, 5, group_id=2)
    host.add('python', 'other', 20, 5)
    found = {row['name']: row['step'] for row in events(write('own.xplane.pb', host.data()))}
    check_same(found, {'ProfilerStep#5': '5', 'own': '2', 'other': '5'}, 'steps')


for each in range(5):
    add_random(each)
main()
