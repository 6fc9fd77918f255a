# SPDX-License-Identifier: Apache-2.0
"""xla-steps.py - steps that a host annotates by numbers, in an XSpace and in the JSON that xprof
writes, which no other event names: each row has the step that a plain search finds, --step takes
those, and what a selected step says of itself does not depend on the selection."""

import json
import random

import xspace
from harness import add_test, check, check_same, main, rows_of, run, test, write


class XSpaceFile:
    name = 'annotated.xplane.pb'

    def __init__(self):
        self.planes = {}

    def add(self, process, line, name, start, duration, **args):
        number = 2 + len(self.planes)
        self.planes.setdefault(process, xspace.Plane(number, process)).add(
            line, name, start, duration, **args
        )

    def text(self):
        return b''.join(plane.data() for plane in self.planes.values())


class JsonFile:
    """As xprof writes it: no categories, args in quotes."""

    name = 'annotated.trace.json'

    def __init__(self):
        self.ids, self.metadata, self.events = {}, [], []

    def number(self, kind, name, **of):
        key = (kind, name, *of.values())
        if key not in self.ids:
            self.ids[key] = len(self.ids) + 1
            self.metadata.append(
                {'ph': 'M', 'name': kind, 'pid': self.ids[key], **of, 'args': {'name': name}}
            )
            if of:
                self.metadata[-1].update(of, tid=self.ids[key])
        return self.ids[key]

    def add(self, process, line, name, start, duration, **args):
        pid = self.number('process_name', process)
        tid = self.number('thread_name', line, pid=pid)
        event = {'ph': 'X', 'pid': pid, 'tid': tid, 'ts': start, 'dur': duration, 'name': name}
        self.events.append(
            event | ({'args': {key: str(value) for key, value in args.items()}} if args else {})
        )

    def text(self):
        return json.dumps(
            {'displayTimeUnit': 'ns', 'traceEvents': self.metadata + self.events}
        ).encode()


GPU, HOST = '/device:GPU:0', '/host:CPU'


def annotated(seed, File=XSpaceFile):
    """Rows of the host go by their start, work of a GPU by the start of its call, whatever the
    time."""
    rng = random.Random(seed)
    file = File()
    steps, wanted, at = [], {}, 5
    for number in rng.sample(range(100), 6):
        start, end = at, at + rng.randrange(5, 40)
        steps.append((start, end, number))
        file.add(HOST, 'python', 'train', start, end - start, step_num=number)
        at = end + rng.randrange(8)

    def step_at(moment):
        return next((str(number) for start, end, number in steps if start <= moment < end), '')

    for i in range(1, 61):
        start = rng.randrange(at + 10)
        launches = rng.random() < 0.5
        file.add(
            HOST,
            rng.choice(('python', 'worker')),
            f'call{i}',
            start,
            1,
            **({'correlation_id': i} if launches else {}),
        )
        wanted[f'call{i}'] = step_at(start)
        if launches:
            file.add(
                GPU, 'Stream #7(Compute)', f'k{i}', start + rng.randrange(50), 1, correlation_id=i
            )
            wanted[f'k{i}'] = step_at(start)
    file.add(GPU, 'Stream #7(Compute)', 'lost', steps[0][0], 1, correlation_id=999)
    wanted['lost'] = ''
    return write(file.name, file.text()), steps, wanted


def events(path, *options):
    return rows_of(run('run', *options, '-s', 'csv:table=events', '-o', '-', path).expect(0).out)


def breakdown(path, *options):
    return rows_of(
        run('run', *options, '-a', 'steps', '-s', 'csv:table=step_breakdown', '-o', '-', path)
        .expect(0)
        .out
    )


def is_step(row):
    return row['name'].startswith('ProfilerStep#')


def add_random(seed, File):
    def body(_folder):
        path, steps, wanted = annotated(seed, File)
        rows = events(path)
        if File is XSpaceFile:
            check_same(rows, events(path, '-d', 'xplane:scan=plain'), 'ways to read events')
        check_same({row['name']: row['step'] for row in rows if not is_step(row)}, wanted, 'steps')
        check_same(
            sorted(row['step'] for row in rows if is_step(row)),
            sorted(str(n) for *_, n in steps),
            'of the annotations',
        )
        whole = {row['step']: row for row in breakdown(path)}
        for *_, number in steps[2:4]:
            chosen = [row for row in events(path, '--step', str(number))]
            check_same(
                sorted(row['name'] for row in chosen if not is_step(row)),
                sorted(name for name, step in wanted.items() if step == str(number)),
                f'--step {number}',
            )
            one = breakdown(path, '--step', str(number))
            check(f'ProfilerStep#{number}' in {row['step'] for row in one} or not one, one)
            check_same(one, [whole[row['step']] for row in one], 'rows of a selected step')
        called = {
            row['text'] if 'text' in row else json.loads(row['attributes'])['text']
            for row in rows
            if is_step(row)
        }
        check_same(called, {'train'}, 'what the file calls them')

    add_test(f'random annotations {seed}, {File.name}', body)


@test
def one_step_of_a_device_is_what_is_judged(_folder):
    """It computes for 6 of the 10 ms of its step, behind rows of 90 ms before it: not where these
    take more time, however few they are, nor is a step that is not all selected."""
    for before, each, options, found in (
        (1, 1000, (), ('step1', 10, 6)),
        (40, 100, (), ('step1', 10, 6)),
        (6, 1000, (), ('span', 106, 12)),
        (1, 7000, (), ('span', 106, 13)),
        (1, 1000, ('--from', '100ms'), ('step1', 10, 6)),
        (1, 7000, ('--from', '100ms'), ('step1', 10, 6)),
        (1, 1000, ('--from', '104500us'), ('span', 2, 2)),
    ):
        core = xspace.Plane(1, '/device:TPU:0')
        core.add('Steps', '7', 100_000, 10_000)
        for n in range(before):
            core.add('XLA Ops', f'before.{n}', 2000 * n, each, 'loop fusion')
            core.add('XLA Ops', f'within.{n}', 2000 * n, each // 2, 'loop fusion')
        for n in range(3):
            core.add('XLA Ops', f'fusion.{n}', 100_000 + 2000 * n, 2000, 'loop fusion')
        path = write(f'one{before}-{each}.xplane.pb', core.data())
        args = ('-a', 'steps', '-o', '-', *options, path)
        (verdict,) = rows_of(run('run', '-s', 'csv:table=verdict', *args).expect(0).out)
        parts = rows_of(run('run', '-s', 'csv:table=verdict_parts', *args).expect(0).out)
        computes = sum(float(p['duration_ns']) for p in parts if p['part'] == 'compute')
        said = verdict['base'], float(verdict['window_ns']) / 1e6, computes / 1e6
        check_same(said, found, (before, options, verdict))


@test
def a_step_that_is_not_there(_folder):
    path, steps, _ = annotated(99)
    said = run('report', '--step', '777', path).expect(1).err
    check(
        'steps in this file: ' + ', '.join(str(n) for n in sorted(n for *_, n in steps)) in said,
        said,
    )


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


@test
def both_formats_say_the_same(_folder):
    """The walk, the idle time and the steps of one program do not depend on the file that it
    left."""
    tables = [
        rows_of(
            run(
                'run',
                '-a',
                'steps',
                '-s',
                'csv:table=step_breakdown',
                '-o',
                '-',
                annotated(3, File)[0],
            )
            .expect(0)
            .out
        )
        for File in (XSpaceFile, JsonFile)
    ]
    for rows in tables:
        check(any(row['step'] for row in rows), rows)
        for row in rows:
            del row['input'], row['device']
    check_same(tables[1], tables[0], 'step_breakdown')


@test
def two_hosts_number_their_own(_folder):
    """Work of a device is of the step of its launch, and of none where no launch is in the file."""
    file = JsonFile()
    for host, number, start in (('/host:a', 4, 10), ('/host:b', 8, 15)):
        file.add(host, 'python', 'train', start, 20, step_num=number)
        file.add(host, 'python', f'call{number}', start + 12, 1, correlation_id=number)
        file.add(GPU, 'Stream #7(Compute)', f'k{number}', start + 30, 1, correlation_id=number)
        file.add(host, 'python', f'own{number}', 20, 1)
    file.add(GPU, 'Stream #7(Compute)', 'lost', 20, 1)
    found = {
        row['name']: row['step']
        for row in events(write(file.name, file.text()))
        if not is_step(row)
    }
    check_same(
        found,
        {'call4': '4', 'k4': '4', 'own4': '4', 'call8': '8', 'k8': '8', 'own8': '8', 'lost': ''},
        'steps',
    )


@test
def numbers_that_are_no_steps(_folder):
    """Those below 0, those that are none, those of a device, those in other args; a number in a
    step begins one."""
    file = JsonFile()
    file.add(HOST, 'python', 'outer', 0, 100, step_num=5)
    file.add(HOST, 'python', 'inner', 20, 10, step_num=6)
    file.add(HOST, 'python', 'again', 200, 10, step_num=5)
    for at, number in enumerate(('-1', 'x', '', '1.5', 10**18)):
        file.add(HOST, 'python', f'no{at}', 110 + at, 1, step_num=number)
    file.add(HOST, 'python', 'quoted', 120, 1, text='"step_num"', step='77')
    file.add(GPU, 'Steps', 'on the device', 10, 5, step_num=9)
    for name, at in (
        ('first', 10),
        ('nested', 25),
        ('behind', 40),
        ('between', 150),
        ('second', 205),
    ):
        file.add(HOST, 'worker', name, at, 1)
    rows = events(write(file.name, file.text()))
    found = {row['name']: row['step'] for row in rows}
    check_same(
        sorted(row['text'] for row in rows if is_step(row)), ['again', 'inner', 'outer'], 'steps'
    )
    check_same(
        {
            name: found[name]
            for name in ('first', 'nested', 'behind', 'between', 'second', 'quoted')
        },
        {'first': '5', 'nested': '6', 'behind': '5', 'between': '', 'second': '5', 'quoted': '77'},
        'rows of steps',
    )


@test
def groups_are_above_numbers(_folder):
    """As in XSpaces: --step takes what the profiler grouped, the row is called by the number."""
    file = JsonFile()
    file.add(HOST, 'python', 'train', 0, 100, group_id=2, step_num=5)
    file.add(HOST, 'python', 'train', 100, 100, step_num=6, group_id=3)
    found = {row['name']: row['step'] for row in events(write(file.name, file.text()))}
    check_same(found, {'ProfilerStep#5': '2', 'ProfilerStep#6': '3'}, 'steps')


@test
def numbers_where_pieces_of_a_file_meet(_folder):
    for shift in range(0, 60, 7):
        file = JsonFile()
        file.add(HOST, 'python', 'first' + ' ' * shift, 0, 1)
        for number in range(3000):
            file.add(HOST, 'python', 'train', 10 * number + 5, 9, step_num=number)
        names = [row['name'] for row in events(write(file.name, file.text())) if is_step(row)]
        check_same(len(set(names)), 3000, f'steps, shifted by {shift}')


for each in range(5):
    for Each in (XSpaceFile, JsonFile):
        add_random(each, Each)
main()
