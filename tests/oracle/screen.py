# SPDX-License-Identifier: Apache-2.0
"""screen.py - figures of the first screen of nprof report, table summary, each beside what an
independent reader finds in the file: the step and its parts, idle time, the operator and the kernel
that take most, MFU, HFU and MBU, how much communication is hidden and how fast it is, memory and
who holds it, phases of inference and the time to the first token. A typed figure must be the exact
one; one that stands in a sentence alone must be the exact one, rounded."""

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
sys.path += [os.path.join(TOOLS, '..', 'cli'), TOOLS]
# pylint: disable=wrong-import-position
from harness import Skip, add_test, check, main, run

import compare
import devices
import documents
import holders
import kineto
import made
import ntff_make
import operators
import oracle
import periods
import phases
import places
import served
import steps
import use
import whole
from model import Unknown
from shown import UNITS, equal

WORDS = {
    'compute': 'compute',
    'comm': 'communication',
    'copy': 'copies',
    'control': 'control',
    'idle': 'idle',
}
TABLES = 'summary,phases,requests'


def tables_of(path):
    out = (
        run('report', '-q', '--only', TABLES, '--top', '0', '--format', 'json', path)
        .expect(0, err=None)
        .out
    )
    return compare.tables_of(json.loads(out))


def lines_of(tables):
    """{label: [row]} of the first screen."""
    lines = {}
    for row in tables['summary'].rows:
        lines.setdefault(row['label'], []).append(row)
    return lines


class Differences(list):
    """checked: labels of lines whose figures were found again."""

    def __init__(self):
        super().__init__()
        self.checked = Counter()

    def same(self, label, what, expected, found):
        self.checked[label] += 1
        if expected != found:
            self.append(('summary', (label,), what, expected, found))

    def near(self, label, what, expected, found):
        """A ratio: what a double can hold."""
        self.checked[label] += 1
        if found is None or abs(found - expected) > 1e-9 * max(1, abs(expected)):
            self.append(('summary', (label,), what, expected, found))

    def rounded(self, label, what, exact, found):
        """A mean or a median, in whole ps."""
        self.same(
            label, what, round(exact) if found is None or abs(found - exact) > 0.5 else found, found
        )

    def shown(self, label, what, exact, text):
        """text: number and unit, rounded."""
        self.checked[label] += 1
        number, unit = text.rsplit(' ', 1)
        if not equal(number, unit, exact):
            self.append(('summary', (label,), what, exact / UNITS[unit], text))

    def said(self, label, expected, lines):
        """Returns the row where the line is there, and should be."""
        if bool(expected) != (label in lines):
            self.append(('summary', (label,), 'said', expected, lines.get(label)))
        return lines[label][0] if expected and label in lines else None


# -- The step
# ---------------------------------------------------------------------------------------------------------


def check_step(differ, lines, best):
    row = differ.said('step', True, lines)
    if row is None:
        return
    differ.same('step', 'device', best.device.label, row['device'])
    differ.same('step', 'whole', best.base, row['whole'])
    differ.same('step', 'count', len(best.windows), row['count'])
    differ.same('step', 'time', best.median, row['time_ps'])
    whole, sums = re.match(r'.*?([\d.]+ [mun]?p?s) = (.*?)(?:;|, first|$)', row['text']).groups()
    differ.shown('step', 'mean', best.mean('all'), whole)
    # Of what engines of a NeuronCore do side by side, DMA says what it does alone.
    said = dict(part.split(' ', 1) for part in sums.replace('DMA alone', 'copies').split(' + '))
    for part, word in WORDS.items():
        if word in said:
            differ.shown('step', word, best.mean(part), said[word])
        elif best.mean(part) >= 0.5:
            differ.append(('summary', ('step',), word, best.mean(part), 'not said'))
    for pattern, exact in (
        (r'; median ([\d.]+ \S+) of', best.median if len(best.windows) > 1 else None),
        (r', first ([\d.]+ \S+)$', best.lag),
    ):
        text = re.search(pattern, row['text'])
        if (text is None) != (exact is None):
            differ.append(('summary', ('step',), pattern, exact, row['text']))
        elif text:
            differ.shown('step', pattern, exact, text.group(1))


def check_subject(differ, lines, profile, best):
    """Which device it is, and how many steps it has that the profile did not cut, and that it
    cut."""
    row = lines['subject'][0]
    cuts = [
        of['cut']
        for device, name, of, _, _ in steps.steps(profile)
        if device == best.device.label and name
    ]
    cut = sum(cuts)
    of_server = len(best.windows) + best.left_out + (best.lag is not None)
    of_server = {'phase': of_server, 'phase1': 1}.get(best.base, 0)
    served_steps = of_server if len(cuts) == cut else 0
    whole, said = len(cuts) - cut or served_steps, re.search(
        r'(?:^|, )(\d+) steps?(?: and (\d+) cut)?', row['text']
    )
    differ.same('subject', 'device', best.device.label, row['device'])
    differ.same(
        'subject',
        'steps',
        (whole, cut if whole else 0),
        tuple(int(n or 0) for n in said.groups()) if said else (0, 0),
    )
    differ.same('subject', 'count', whole or len(best.windows), row['count'])


def check_idle(differ, lines, best):
    row = differ.said('idle', best.idle * 100 >= best.all, lines)
    if row is None:
        return
    differ.near('idle', 'ratio', best.idle / best.all, row['ratio'])
    differ.rounded('idle', 'time', best.mean('idle'), row['time_ps'])


def check_verdict(differ, lines, best):
    """Where the device is busy with one thing: how much of a window that is. Parts of idle time
    rest on cli-conclusions."""
    row = lines['verdict'][0]
    lead = (row['code'] or '').partition('.')[0]
    if lead in ('compute', 'comm', 'copy', 'control'):
        differ.near('verdict', 'ratio', getattr(best, lead) / best.all, row['ratio'])
        differ.rounded('verdict', 'time', best.mean(lead), row['time_ps'])


def check_fix(differ, lines, best, neuron):
    """What would be gained if copies, or communication, ran beside compute, which takes time
    itself. DMA of a NeuronCore can only run beside computing that has none beside it."""
    for row in lines.get('fix', ()):
        if row['code'] in ('comm', 'copy'):
            part = getattr(best, row['code'])
            if row['code'] == 'comm':
                part = min(part, best.compute)
            elif neuron:
                told = devices.summary(best.device)
                part = min(part, told['compute_ps'] - told['overlap_ps'])
            differ.near('fix', 'ratio', best.all / (best.all - part), row['ratio'])


# -- What takes most
# --------------------------------------------------------------------------------------------------


def check_top(differ, label, row, sums, whole=None):
    """sums: time by name, of a whole, else of all of them.  Equal shares may come in any order."""
    whole = whole or sum(sums.values())
    shares = sorted(
        ((time / whole, name) for name, time in sums.items() if name), key=lambda s: -s[0]
    )
    differ.near(label, 'ratio', shares[0][0], row['ratio'])
    differ.same(label, 'time', sums[shares[0][1]], row['time_ps'])
    text = re.search(r'\{other\} (<?[\d.]+ %)', row['text'])
    for place, name in enumerate([row['name'], row['other']] if text else [row['name']]):
        if name is None or abs(sums[name] / whole - shares[place][0]) > 1e-9:
            differ.append(('summary', (label, place), 'name', shares[place], name))
    if text:
        differ.shown(label, 'second', shares[1][0], text.group(1))


def own_times(work, name_of):
    sums = Counter()
    for rows in operators.tracks_of(work):
        spans = [operators.device_clock(row) for row in rows]
        for row, own in zip(rows, operators.own_times(rows, spans)):
            sums[name_of(row)] += own
    return sums


def instruction(row):
    """nprof calls instructions of Neuron that it does not know by their opcode."""
    return row.name.replace('(likely) ', 'opcode ')


def path_of(row):
    """The framework's path that the row states: of a kernel of XLA the prefix of its program and
    the rest, beside which tf_op is a scope of XLA itself; of TensorFlow before 2.4 level 0."""
    args = row.args
    said = [args[key] for key in ('prefix', 'name') if args.get('hlo_op') and args.get(key)]
    other = next((args[key] for key in ('tf_op', 'level 0', 'framework_op') if args.get(key)), '')
    return ('/'.join(said) or ('' if other in ('XlaModule:', 'Thunk:') else other)).removesuffix(
        ':'
    )


def by_operator(profile, device):
    around = places.operators(profile)
    sums = Counter()
    for row in device.work:
        sums[around.get(row.launch.index, '') if row.launch else ''] += row.duration
    return sums


def check_tops(differ, lines, profile, best):
    """Of the device that the screen is of: kernels by their names, where a call launches them;
    operators of the framework that launched them, else instructions of XLA, without those
    within."""
    device, top = best.device, lines.get('top_kernel')
    if top:
        work = sum(row.duration for row in device.work)
        check_top(differ, 'top_kernel', top[0], by_kernel(device), work)
    top = lines.get('top_operator')
    if not top:
        return
    sums = by_operator(profile, device) if profile.framework and not device.around else Counter()
    if 2 * sum(time for name, time in sums.items() if name) >= sum(sums.values()) > 0:
        check_top(differ, 'top_operator', top[0], sums)
        return
    sums = own_times(device.work, path_of)
    if 2 * sum(time for name, time in sums.items() if name) >= sum(sums.values()):
        check_top(differ, 'top_operator', top[0], sums)
    elif not any(row.launch for row in device.work):
        work = [row for row in device.work if row.category != 'dma']  # a queue is no operator
        check_top(differ, 'top_operator', top[0], own_times(work, instruction))


def by_kernel(device):
    """Copies and fills are no kernels, whatever their names."""
    sums = Counter()
    for row in device.work:
        if not kineto.is_memory_operation(row):
            sums[row.name] += row.duration
    return sums


# -- Memory
# -----------------------------------------------------------------------------------------------------------


def check_memory(differ, lines, profile, data):
    """The most that an allocator says to have given away, and who held it."""
    allocator = holders.largest(profile, data)
    row = differ.said('memory', allocator and allocator.peak, lines)
    if row is None:
        return
    differ.same('memory', 'bytes', allocator.peak, row['bytes'])
    size = re.match(r'peak \S+ \S+ of (\S+ \S+?)[,;]', row['text'] + ',')
    if bool(size) != bool(allocator.capacity):
        differ.append(('summary', ('memory',), 'of', allocator.capacity, row['text']))
    elif size:
        differ.shown('memory', 'of', allocator.capacity, size.group(1))
    shares = allocator.holders()
    for place, column in enumerate(('name', 'other')):
        text = re.search(r'\{%s\} (<?[\d.]+ %%)' % column, row['text'])
        if text is None:
            if len(shares) > place and shares[place][0] > 0.005:
                differ.append(('summary', ('memory',), column, shares[place], row['text']))
            continue
        differ.shown('memory', column, shares[place][0], text.group(1))
        alike = [who for share, who in shares if share == shares[place][0]]
        if row[column] not in alike:
            differ.append(('summary', ('memory',), column, alike, row[column]))


# -- Each profile
# -----------------------------------------------------------------------------------------------------


def differences(path):
    profile = oracle.read_trace(path)
    if profile is None or not any(device.work for device in profile.devices.values()):
        raise Skip('no work of a device')
    tables = tables_of(path)
    lines = lines_of(tables)
    data = documents.load(path) if profile.framework else {}
    cores, profile = profile, whole.of(profile)
    data = data if isinstance(data, dict) else {'traceEvents': data}
    annotated = phases.annotated(profile, data) if data.get('traceEvents') else ({}, {})
    best, differ = periods.judged(profile, annotated)[0], Differences()
    check_subject(differ, lines, profile, best)
    check_step(differ, lines, best)
    check_idle(differ, lines, best)
    check_verdict(differ, lines, best)
    check_fix(differ, lines, best, profile.neuron)
    check_tops(differ, lines, profile, best)
    if not profile.neuron:
        check_memory(differ, lines, profile, data)
    if data.get('traceEvents'):
        phases.check_phases(differ, lines, tables, profile, data)
    use.check_use(differ, lines, cores, data, whole.core_of(best, cores))
    use.check_collectives(differ, lines, profile, best)
    for label in set(lines) - set(differ.checked):
        LEFT.setdefault(label, []).append(os.path.basename(path))
    FOUND.update(differ.checked.keys())
    return differ


LEFT, FOUND = (
    {},
    Counter(),
)  # labels whose figures were not found again, with the traces; and of how many they were


# Lines of which another figure is due, of how many traces, and why.
def what_is_left(_folder):
    """The last test says what was found again, and which lines rest on other tests."""
    for label, n in sorted(FOUND.items()):
        print(f'# found again: {label} of {n} traces')
    for label, traces in sorted(LEFT.items()):
        print(f'# not found again: {label} of {len(traces)} traces, as {traces[0]}')


def served_has_all(folder):
    """No phase is looked for in vain in the made profiles."""
    seen, times = set(), []
    for seed in served.SEEDS:
        path = served.served(os.path.join(folder, 'served.json'), seed)
        data = documents.load(path)
        seen.update(phase for _, phase in phases.phases(oracle.read_trace(path), data))
        times += phases.times_to_first_token(data)[1]
    check(seen == {*phases.PHASES, 'none'} and times, f'{seen}, {len(times)} first tokens')


def check_screen(path, name):
    try:
        oracle.judge(name, differences(path))
    except Unknown as reason:
        raise Skip(str(reason)) from None


# -- Made profiles: of Neuron and Furiosa, of which the samples have none, and of PyTorch at random
# -----------------


def made_ntff(folder, seed, version, executions):
    uuid = random.Random(seed).randbytes(16)
    path = os.path.join(folder, 'made.ntff')
    with open(path, 'wb') as file:
        file.write(ntff_make.make(seed, version, uuid, executions))
    return path


def made_furiosa(folder, seed, name):
    subprocess.run(
        [
            sys.executable,
            '-B',
            os.path.join(TOOLS, 'furiosa-make.py'),
            'make',
            folder,
            str(seed),
            '5',
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return os.path.join(folder, name)


def add_made():
    for seed in made.SEEDS:
        name = f'made/kineto, seed {seed}'
        add_test(
            name,
            lambda folder, seed=seed, name=name: check_screen(
                made.kineto(os.path.join(folder, 'made.json'), seed), name
            ),
        )
    for seed in served.SEEDS:
        name = f'made/served, seed {seed}'
        add_test(
            name,
            lambda folder, seed=seed, name=name: check_screen(
                served.served(os.path.join(folder, 'served.json'), seed), name
            ),
        )
    for seed in (1, 2, 3):
        for version, executions in ((4, 1), (5, 1), (5, 3), (6, 1)):
            name = f'made/ntff {version}, executions {executions}, seed {seed}'
            add_test(
                name,
                lambda folder, own=(seed, version, executions), name=name: check_screen(
                    made_ntff(folder, *own), name
                ),
            )
        for file in ('synthetic_spans.csv', 'synthetic_export.json'):
            name = f'made/furiosa {file}, seed {seed}'
            add_test(
                name,
                lambda folder, own=(seed, file), name=name: check_screen(
                    made_furiosa(folder, *own), name
                ),
            )


def collect():
    add_made()
    for name, path in oracle.traces():
        if not os.path.basename(path).startswith(oracle.REFUSED) and not name.startswith(
            'defects/'
        ):
            add_test(name, lambda _folder, path=path, name=name: check_screen(path, name))
    add_test('made/served has all phases', served_has_all)
    add_test('what-is-left', what_is_left)


if __name__ == '__main__':
    collect()
    main()
