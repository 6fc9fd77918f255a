# SPDX-License-Identifier: Apache-2.0
"""paths.py - the critical path of NeuronCores beside one found by brute force, from the bytes of
NTFF and from the vendor's JSON, and that of cores of TPU from the bytes of XSpaces: real files
(NPROF_NTFF_REAL, NPROF_TEST_DATA), and made ones."""

import glob
import json
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'cli'))
# pylint: disable=wrong-import-position
from harness import Skip, add_test, check, check_same, main, run, write

import ntff
import transfers
import waits
import xplane
import xspace
from wire import fields

REAL = os.environ.get('NPROF_NTFF_REAL', '')
EACH = (
    1 if os.environ.get('NPROF_TEST_ALL') == '1' else 16
)  # of the real files, which are many and alike
LARGE = 600000  # bytes; brute force needs seconds for more
FACTS = ('start_ps', 'duration_ps', 'class', 'name', 'track')


def tables(path):
    result = run(
        'run',
        '-q',
        '-a',
        'steps',
        '-a',
        'critical',
        '-s',
        'text:format=json,top=0,tables=critical_path?+what_if?+critical',
        '-o',
        '-',
        path,
    ).expect(0)
    return {
        table['name']: [dict(zip(table['columns'], row)) for row in table['rows']]
        for table in json.loads(result.out)['tables']
    }


def named(word):
    """Of opcodes that have no published name the oracle knows none."""
    return (
        ntff.GUESSED
        if str(word).endswith(ntff.GUESSED) or str(word).startswith('opcode ')
        else word
    )


def check_path(what, found, path, length):
    expected = [(first, end - first, *rest) for first, end, *rest in path]
    got = [tuple(named(row[fact]) for fact in FACTS) for row in found]
    for n, (one, other) in enumerate(zip(expected, got)):
        check_same(other, one, f'{what}: segment {n}')
    check_same(len(got), len(expected), f'{what}: segments')
    check_same(sum(part[1] for part in got), length, f'{what}: sum')


def check_core(found, core):
    mine = [
        row
        for row in found['critical_path']
        if row['process'].endswith(f'/NeuronCore {core.number}')
    ]
    check_path(f'core {core.number}', mine, waits.path(core), core.length)


def check_gains(found):
    for row in found['what_if']:
        check(0 <= row['gain_ps'] <= row['critical_ps'] <= row['total_ps'], row)


def check_file(path):
    if path.endswith('.json'):
        with open(path, encoding='utf-8') as file:
            cores = waits.of_json(json.load(file, parse_float=str))
    else:
        cores = waits.of_ntff(path)
    found = tables(path)
    for core in cores:
        if core.instructions:
            check_core(found, core)
    check_gains(found)


def is_profile(path):
    """And not too large."""
    if os.path.getsize(path) >= LARGE * (3 if path.endswith('.json') else 1):
        return False
    if path.endswith('.ntff'):
        return True
    with open(path, encoding='utf-8') as file:
        return '"semaphore_update"' in file.read()


def real_files():
    for ending in ('ntff', 'json'):
        every = sorted(
            glob.glob(os.path.join(glob.escape(REAL), '**', '*.' + ending), recursive=True)
        )
        yield from list(filter(is_profile, every))[::EACH]


# -- TPU
# ------------------------------------------------------------------------------------------------------------


def planes_of(path):
    """Rows of cores of TPU, by the name of the plane and that of the line."""
    with open(path, 'rb') as file:
        data = file.read()
    planes = {}
    for number, span in fields(data):
        plane = xplane.Plane(data, span) if number == 1 else None
        if not plane or not plane.name.startswith('/device:TPU:'):
            continue
        rows = planes.setdefault(plane.name, {})
        for line in plane.lines:
            name, found = xplane.line_rows(data, line, plane, sum(map(len, rows.values())))
            rows.setdefault(name, []).extend(found)
    return planes


def check_tpu(path):
    """Returns how many paths there were."""
    found, planes = tables(path), planes_of(path)
    walked = [row for row in found['critical'] if row['process'] in planes]
    for step in walked:
        first = step['start_ps']
        core = transfers.Core(planes[step['process']], first, first + step['duration_ps'])
        mine = [
            row
            for row in found['critical_path']
            if (row['process'], row['step']) == (step['process'], step['step'])
        ]
        check_path(
            f"{step['process']} {step['step']}", mine, transfers.path(core), step['duration_ps']
        )
    check_gains(found)
    return len(walked)


def real_tpu(path):
    def body(_folder):
        if not check_tpu(path):
            raise Skip('no core of TPU')

    return body


def tpu_files():
    for folder in (os.environ.get('NPROF_SAMPLES', ''), os.environ.get('NPROF_TEST_DATA', '')):
        every = (
            glob.glob(os.path.join(glob.escape(folder), '**', '*tpu*.xplane.pb'), recursive=True)
            if folder
            else []
        )
        yield from sorted(every)


class MadeCore:
    """Programs of operators, some within loops, of which some start transfers and others end them:
    at once, after they are over, or waiting; what ends one names it in its text, by its own name,
    or not at all."""

    def __init__(self, seed):
        self.random, self.now = random.Random(seed), 10.0
        self.plane, self.open, self.count = xspace.Plane(2, '/device:TPU:0'), [], 0
        self.rows = self.random.random() < 0.7  # the file has rows of transfers

    def operator(self, name, length, category='loop fusion', text=None):
        self.plane.add('XLA Ops', name, self.now, length, category, text)
        self.now += length + self.random.choice((0, 0, 0.001, 0.3))

    def start(self):
        kind = self.random.choice(('copy', 'all-gather', 'slice'))
        self.count += 1
        name = f'{kind}-start.{self.count}'
        self.open.append((name, self.now))
        self.operator(
            name,
            self.random.choice((0, 0.002, 0.05)),
            f'{kind}-start',
            f'%{name} = f32[2] {kind}-start(%p)',
        )

    def done(self):
        start, began = self.open.pop(self.random.randrange(len(self.open)))
        name, text = (
            start.replace('-start', '-done'),
            f'%x = f32[2] fusion(f32[2] %{start}, %q), calls=%c-start',
        )
        first, length = self.now, self.random.choice((0, 0.004, 0.1, 0.101, 2.5, 40))
        told = self.random.random()
        if told < 0.3:
            text = None  # its own name tells
        elif told < 0.4:
            text = '%x = f32[2] fusion(%get-tuple-element.1)'  # unknown
        self.operator(name, length, name.split('.', maxsplit=1)[0], text)
        over = max(self.random.choice((first + length, first + length / 2, first - 0.001)), began)
        if self.rows and self.random.random() < 0.8:
            self.plane.add(
                'Async XLA Ops',
                start,
                began,
                over - began,
                text=f'%{start} = f32[2] {start.split(".")[0]}(%p)',
            )

    def step(self):
        draw = self.random.random()
        if draw < 0.25:
            self.start()
        elif draw < 0.5 and self.open:
            self.done()
        elif draw < 0.6:
            first = self.now
            for i in range(3):
                self.operator(f'body.{i}', self.random.randint(1, 90) / 10)
            self.plane.add('XLA Ops', 'while.1', first, self.now - first, 'while')
        else:
            self.operator(
                f'fusion.{self.random.randint(1, 9)}', self.random.choice((0, 0.7, 3, 25))
            )

    def data(self):
        for _ in range(4):
            first, self.open = self.now, []
            self.now += self.random.choice((0, 0.005, 4))
            for _ in range(30):
                self.step()
            if self.random.random() < 0.5:
                self.operator('last.1', 0.5)
            self.plane.add(
                'XLA Modules',
                'jit_f(1)',
                first,
                self.now - first + self.random.choice((-20, 0, 0.01)),
            )
            self.now += self.random.choice((0.02, 30))
        return self.plane.data()


def made_tpu(seed):
    def body(folder):
        path = os.path.join(folder, 'made.xplane.pb')
        write(path, MadeCore(seed).data())
        check(check_tpu(path), 'no step was walked')

    return body


# -- Made profiles
# --------------------------------------------------------------------------------------------------

ENGINES = ('Tensor', 'Scalar', 'GpSimd', 'Vector', 'Sync')


class Maker:
    """Engines that raise semaphores of their own and wait for those of others, and transfers that
    raise one each; the records of updates lie beside the ends of instructions, and some are
    lost."""

    def __init__(self, seed, lost):
        self.random, self.lost = random.Random(seed), lost
        self.free, self.counts = dict.fromkeys(ENGINES, 100), dict.fromkeys(ENGINES, 0)
        self.raised = {}  # (semaphore, value) -> when
        self.rows, self.updates = [], []

    def row(self, engine, opcode, first, duration, operands):
        self.rows.append(
            {
                'timestamp': first,
                'duration': duration,
                'subgroup': engine,
                'opcode': opcode,
                'operands': operands,
                'pc': len(self.rows),
                'evt_wait_time': 0,
            }
        )
        self.free[engine] = first + duration

    def update(self, at, semaphore, value):
        self.raised[semaphore, value] = at
        if self.random.random() >= self.lost:
            self.updates.append({'timestamp': at, 'id': str(semaphore), 'value': value})

    def wait(self, engine):
        """(operand, when it holds) of something raised already; nothing to wait for now and
        then."""
        known = [key for key in self.raised if key[0] != ENGINES.index(engine) + 4]
        if not known or self.random.random() < 0.3:
            return '', 0
        semaphore, value = self.random.choice(known[-6:])
        return f'S[{semaphore}] (name)>={value} ', self.raised[semaphore, value]

    def instruction(self):
        engine = self.random.choice(ENGINES)
        operand, ready = self.wait(engine)
        gap, length = self.random.randint(1, 60), self.random.randint(0, 900)
        first = max(self.free[engine], ready) + gap
        if self.random.random() < 0.25:  # a row that waits by itself
            first = self.free[engine] + gap
            self.row(
                engine, 'EVENT_SEMAPHORE', first, max(ready - first, 0) + gap, operand + 'setter=0'
            )
        elif self.random.random() < 0.2:
            semaphore, until = 40 + len(self.rows), first + length + self.random.randint(0, 3000)
            self.row(
                engine,
                'DMA_DIRECT2D',
                first,
                length,
                f'{operand} semaphore={semaphore} sem_increment=1',
            )
            self.update(until, semaphore, 1)
        else:
            self.counts[engine] += 1
            number = ENGINES.index(engine) + 4
            self.row(
                engine,
                'ACTIVATE',
                first,
                length,
                f'{operand}S[{number}] ({engine})++@complete src=fp32@0x4[1,1]',
            )
            self.update(first + length + self.random.randint(-45, 35), number, self.counts[engine])

    def profile(self, rows):
        for _ in range(rows):
            self.instruction()
        length = max(row['timestamp'] + row['duration'] for row in self.rows)
        return {
            'instruction': self.rows,
            'semaphore_update': self.updates,
            'dma': [],
            'model_info': [{'sg_name': 'sg00', 'nd_idx': 0, 'nc_idx': 0}],
            'metadata': [{'first_hw_timestamp': 0, 'last_hw_timestamp': length, 'ntff_version': 6}],
            'summary': [{'total_time': length / 1e9, 'nd_idx': 0, 'nc_idx': 0}],
        }


def made(seed, lost):
    def body(folder):
        path = os.path.join(folder, 'made.json')
        write(path, json.dumps(Maker(seed, lost).profile(40 + 20 * seed)))
        check_file(path)

    return body


def collect():
    for seed in range(12):
        add_test(f'made {seed}', made(seed, 0.02 * (seed % 3)))
    for seed in range(24):
        add_test(f'made TPU {seed}', made_tpu(seed))
    for path in tpu_files():
        add_test(os.path.basename(path), real_tpu(path))
    if not REAL:
        add_test('real-files', no_files)
        return
    for path in real_files():
        add_test(os.path.relpath(path, REAL), lambda _folder, path=path: check_file(path))


def no_files(_folder):
    raise Skip('NPROF_NTFF_REAL names no folder')


if __name__ == '__main__':
    collect()
    main()
