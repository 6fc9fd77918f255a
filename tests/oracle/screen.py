# SPDX-License-Identifier: Apache-2.0
"""screen.py - figures on the first screen of nprof report, each beside what an independent reader finds: the
step and its parts, what would be gained, where devices idle, the operator and the kernel that take most, the critical
path and its verdict, MFU, MBU and roofline, how much communication is hidden and how fast it is, memory and who holds
it, phases of inference and the time to the first token, and causes that it says not to have found.  A figure that is
rounded must be the exact one, rounded.  What is not found again is printed at the end."""

import json
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
sys.path += [os.path.join(TOOLS, '..', 'cli'), TOOLS]
# pylint: disable=wrong-import-position
from harness import Skip, add_test, check, main, rows_of, run

import bound
import compare
import documents
import holders
import kineto
import made
import modules
import ntff_fields_make
import operators
import oracle
import phases
import places
import served
import steps
import use
from exact import measure, scaled
from shown import UNITS, equal
from model import Unknown
from use import split

CAUSES = {'launch': 'after the launch', 'wait': 'wait for other work', 'unlinked': 'launch not in the file',
          'dma': None, 'collective': None}
LINE = re.compile(r'  (?:([a-zA-Z][a-zA-Z ,]*?) +| +)((?:more than |<)?[\d.,]+ (?:[a-zA-Z%]+))  (.*)$')


def first_screen(path):
    """{question: (answer, what follows)} in order, and the headline; lines without a question are of the one before."""
    out = run('report', '-q', '--color=never', path).expect(0).out
    lines = re.search(r'^Summary of.*?(?=\n\n)', out, re.MULTILINE | re.DOTALL).group().splitlines()
    found, last = {}, None
    for line in lines[2:]:
        match = LINE.match(line)
        if match is None:
            continue
        question, answer, rest = match.groups()
        last = question or last
        found.setdefault(last, (answer, rest))
    more = next((line.strip() for line in lines if re.match(r' +[\d.,]+ \S+ to [\d.,]+ \S+, \d+ steps$', line)), None)
    words = {word: line[17:] for word in ('no finding', "can't tell", 'communication', 'phases', 'TTFT')
             for line in lines if line.startswith('  ' + word)}
    return lines[1], found, more, words


class Means:
    """The device whose mean window is longest: means of its steps that the profile did not cut."""

    def __init__(self, label, rows):
        self.label, self.rows = label, rows
        self.whole = [row for row in rows if not row[1]['cut']] or rows
        self.named, self.blind = bool(rows[0][0]), False  # blind: what seems idle may not be

    def mean(self, part):
        return sum(row[part] for _, row, _, _ in self.whole) / len(self.whole)

    def places(self):
        """Shares of all idle time, by where the host was or by cause; largest first."""
        sums = Counter()
        for _, _, causes, names in self.whole:
            sums.update({('host', name): time for name, time in names.items()})
            sums.update({(cause, None): time for cause, time in causes.items() if cause != 'host'})
        idle = sum(row['idle_ps'] for _, row, _, _ in self.whole)
        return sorted(((time / idle, *where) for where, time in sums.items() if time), key=lambda s: -s[0])


def in_order(label):
    """GPU 2 is before GPU 10."""
    return [int(part) if part.isdigit() else part for part in re.split(r'(\d+)', label)]


def slowest(profile):
    """Of devices that tie, the first by its label."""
    devices = {}
    for device, step, row, causes, names in steps.steps(profile):
        devices.setdefault(device, []).append((step, row, causes, names))
    means = [Means(label, devices[label]) for label in sorted(devices, key=in_order)]
    told = {device.label: device.told for device in profile.devices.values()}
    for one in means:
        one.blind = profile.neuron and len(told[one.label]) < 2
    return max(means, key=lambda m: (m.named, m.mean('window_ps'), -m.mean('idle_ps')), default=None)


class Differences(list):
    """checked: the questions whose figures were found again."""

    def __init__(self):
        super().__init__()
        self.checked = set()

    def expect(self, what, shown, unit, exact):
        self.checked.add(what)
        if not equal(shown, unit, exact):
            self.append(('screen', (what,), 'value', exact / UNITS[unit], f'{shown} {unit}'))


def check_step(differ, found, means, more):
    question = 'step' if means.named else 'span'
    shown, unit = split(found[question][0])
    differ.expect(question, shown, unit, means.mean('window_ps'))
    names = {'unknown' if means.blind else 'idle': 'idle_ps', 'compute': 'compute_ps', 'comm': 'exposed_communication_ps', 'copies': 'exposed_copy_ps'}
    said = dict(part.split(' ', 1) for part in found[question][1].split(', '))
    for name, part in names.items():
        if name in said:
            differ.expect(name, *split(said[name]), means.mean(part))
        elif means.mean(part):
            differ.append(('screen', (name,), 'value', means.mean(part), 'not said'))
    lengths = [row['window_ps'] for _, row, _, _ in means.whole]
    if more:
        least, most, n = re.fullmatch(r'(.*) to (.*), (\d+) steps', more).groups()
        differ.expect('least', *split(least), min(lengths))
        differ.expect('most', *split(most), max(lengths))
        if int(n) != len(lengths):
            differ.append(('screen', ('steps',), 'n', len(lengths), n))


def check_between(differ, found, means):
    """What is in no step, from the begin of the first to the end of the last."""
    windows = [(row['start_ps'], row['start_ps'] + row['window_ps']) for _, row, _, _ in means.rows]
    all_time = max(end for _, end in windows) - min(start for start, _ in windows)
    between = all_time - measure(windows)
    said = 'between steps' in found
    if said != (means.named and between >= 0.01 * all_time > 0):
        differ.append(('screen', ('between steps',), 'said', between, said))
    if said:
        share, whole = re.match(r'(\S+ %) of (\S+ \S+), first step to last, is in none', found['between steps'][1]).groups()
        differ.expect('between steps', *split(found['between steps'][0]), between)
        differ.expect('between steps, share', *split(share), between / all_time)
        differ.expect('between steps, of', *split(whole), all_time)


def check_headline(differ, text, means):
    """Returns what of a step is idle, and what of that lies on which side of the launch."""
    window, idle = means.mean('window_ps'), means.mean('idle_ps')
    for pattern, value in (
            (r'idles (<?[\d.]+) % of', idle / window),
            (r'(<?[\d.]+) % of (?:a step|the span) computes', means.mean('compute_ps') / window),
            (r'(<?[\d.]+) % of (?:a step|the span) copies', means.mean('exposed_copy_ps') / window),
            (r'the NeuronCore waits (<?[\d.]+) % of', means.mean('idle_wait_ps') / window),
            (r'(<?[\d.]+) % of that (?:is before the launch|between programs)', means.mean('idle_host_ps') / (idle or 1)),
            (r'(<?[\d.]+) % of that is after the launch', means.mean('idle_launch_ps') / (idle or 1))):
        match = re.search(pattern, text)
        if match:
            differ.expect(pattern, match.group(1), '%', value)


def check_gains(differ, found, means):
    window = means.mean('window_ps')
    for question, part in (('if no idle', 'idle_ps'), ('if comm hidden', 'exposed_communication_ps'),
                           ('if copies hid', 'exposed_copy_ps')):
        said = question in found
        left = window - means.mean(part)
        if said != (means.mean(part) >= 0.01 * window and left > 0 and not means.blind):
            differ.append(('screen', (question,), 'said', not said, said))
        if not said:
            continue
        differ.expect(question, *split(found[question][0]), left)
        times = re.match(r'((?:more than )?[\d.]+) x', found[question][1])
        if times:
            differ.expect(question + ', times', times.group(1), 'x', window / left)


def named(shown, name):
    """A name that was cut has ... in it; short names leave out what stands in brackets, and that a module is one."""
    if re.search(r'[<(\[{]|::|_Z', name):
        return True
    pattern = '.*'.join(map(re.escape, shown.split('…')))
    return any(re.fullmatch(pattern, one) for one in (name, name.removeprefix('nn.Module: ')))


def check_shares(differ, question, found, shares):
    """shares: (share, name), the largest first; equal shares may come in any order.  None: any name."""
    answer, text = found[question]
    differ.expect(question, *split(answer), shares[0][0])
    text = re.sub(r'^[^,]{1,16}: (?=\S)', '', text.split('  --only')[0])
    for place, part in enumerate(re.split(r', (?=[^,]* <?[\d.]+ %)', text)):
        match = re.fullmatch(r'(.*) (<?[\d.]+) %', part) if place else None
        name = match.group(1) if match else part
        if match:
            differ.expect(f'{question} {place}', match.group(2), '%', shares[place][0])
        near = [n for share, n in shares if abs(share - shares[place][0]) < 1e-9]
        if not any(n is None or named(name, n) for n in near):
            differ.append(('screen', (question, place), 'name', near[:3], name))


def check_idle(differ, found, means):
    if 'idle in' in found:
        shares = [(share, (name or None) if cause == 'host' else CAUSES[cause]) for share, cause, name in means.places()]
        check_shares(differ, 'idle in', found, shares)


def own_times(device):
    """Without the rows within: by the instruction of XLA that a row states, else by the framework's path, else by name."""
    sums, by_hlo = Counter(), any(row.args.get('hlo_name') for row in device.work)
    by_path = '/device:GPU' in device.label and not any(row.args.get('hlo_op') for row in device.work) and any(map(modules.path_of, device.work))
    for rows in operators.tracks_of(device.work):
        spans = [operators.device_clock(row) for row in rows]
        for row, own in zip(rows, operators.own_times(rows, spans)):
            if device.told and by_hlo:
                sums[row.args.get('hlo_name') or ''] += own
            elif row.args.get('hlo_op') and device.around == []:
                sums[f"{row.args['hlo_op']} (program {row.args.get('program_id')})"] += own
            elif by_path:
                sums[modules.path_of(row).removesuffix(':')] += own
            else:
                sums[row.name] += own
    return sums


def check_top(differ, found, profile, means):
    """Compares, of the device that the screen is of, the time by the operator of the framework that launched it, where there are launches of
    operators, else by name; and by kernel."""
    device = next((d for d in profile.devices.values() if means and d.label == means.label and d.work), None)
    if not device:
        device = max(profile.devices.values(), key=lambda d: measure([row.interval for row in d.work]))
    around, by_operator, kernels = places.operators(profile), Counter(), Counter()
    for row in device.work:
        by_operator[around.get(row.launch.index, '') if row.launch else ''] += row.duration
        kernels[row.name] += row.duration
    if device.around or not any(row.category in kineto.WORK - {'mtia_ccp_events'} for row in device.work):
        by_operator = own_times(device)
    for question, sums in (('top operator', by_operator), ('top kernel', kernels)):
        whole = sum(sums.values())
        shares = sorted(((time / whole, name) for name, time in sums.items() if name and time), key=lambda s: -s[0])
        if question in found and shares:
            check_shares(differ, question, found, shares)


def check_memory(differ, found, profile, data, means, words):
    """The most that an allocator says to have given away, and who held it."""
    allocator = holders.largest(profile, data)
    if ('memory' in found) != bool(allocator and allocator.peak):
        differ.append(('screen', ('memory',), 'said', allocator and allocator.peak, 'memory' in found))
    if 'memory' not in found or not allocator:
        return
    differ.expect('memory', *split(found['memory'][0]), allocator.peak)
    said = re.match(r'at most of (\S+ \S+);', found['memory'][1])
    if bool(said) != bool(allocator.capacity):
        differ.append(('screen', ('memory', 'of'), 'said', allocator.capacity, bool(said)))
    if said and allocator.capacity:
        differ.expect('memory, of', *split(said.group(1)), allocator.capacity)
    shares = allocator.holders()
    text = found['memory'][1].partition('; ')[2].split('  --only')[0]
    for place, (name, percent) in enumerate(re.findall(r'(.*?) (<?[\d.]+) %(?:, |$)', text)):
        differ.expect(f'memory {place}', percent, '%', shares[place][0])
        alike = [who for share, who in shares if share == shares[place][0]]
        if not any(named(name, who) for who in alike):
            differ.append(('screen', ('memory', place), 'name', alike, name))
    none = 'memory' in words.get('no finding', '').split(', ')
    if none != bool(allocator.capacity and not holders.is_finding(allocator, len(means.whole))):
        differ.append(('screen', ('no finding',), 'memory', not none, none))


def check_held(differ, found, path):
    """Of a profile of Neuron: what table neuron_memory says of the core that holds most; cli-neuron holds the table
    against files of which it is known."""
    out = run('run', '-q', '-s', 'csv:table=neuron_memory', '-o', '-', path).expect(0).out
    cores = {}
    for row in rows_of(out):
        cores.setdefault(row['device'], []).append((int(row['bytes']), row['use']))
    if ('memory' in found) != bool(cores):
        differ.append(('screen', ('memory',), 'said', cores, 'memory' in found))
    if 'memory' not in found or not cores:
        return
    most = max(cores.values(), key=lambda rows: sum(size for size, _ in rows))
    whole = sum(size for size, _ in most)
    differ.expect('memory', *split(found['memory'][0]), whole)
    shares = sorted(size / (whole or 1) for size, _ in most)[::-1]
    for place, percent in enumerate(re.findall(r' (<?[\d.]+) %(?:, |  )', found['memory'][1])):
        differ.expect(f'memory {place}', percent, '%', shares[place])


def quantile(values, share):
    """Linear between the two nearest."""
    at = (len(values) - 1) * share
    low, high = sorted(values)[math.floor(at)], sorted(values)[math.ceil(at)]
    return low + (high - low) * (at - math.floor(at))


def check_inferences(differ, found, profile):
    if ('inference' in found) != bool(profile.inferences):
        differ.append(('screen', ('inference',), 'said', len(profile.inferences), 'inference' in found))
    elif profile.inferences:
        differ.expect('inference', *split(found['inference'][0]), quantile(profile.inferences, 0.5))
        p99, n = re.fullmatch(r'median; p99 (\S+ \S+); (\d+) inferences?', found['inference'][1]).groups()
        differ.expect('inference, p99', *split(p99), quantile(profile.inferences, 0.99))
        differ.expect('inference, n', n, 'ps', len(profile.inferences))


def check_modules(differ, path, profile):
    """What the first screen names: --only modules."""
    out = run('run', '-q', '-a', 'modules', '-s', 'csv:table=module_classes', '-o', '-', path).expect(0).out
    found = {(row['device'], row['class']): scaled(row['device_ns'], 3) for row in rows_of(out)}
    expected = {place: time for place, time in modules.classes(profile).items() if time}
    differ.checked.add('modules')
    if {place: time for place, time in found.items() if time} != expected:
        differ.append(('module_classes', (), 'device_ns', expected, found))


def tables_of_phases(path):
    """What the first screen names: --only phases."""
    out = run('report', '-q', '--only', 'phases', '--top', '0', '--format', 'json', path).expect(0).out
    return compare.tables_of(json.loads(out))


def differences(path):
    profile = oracle.read_trace(path)
    if profile is None or not any(device.work for device in profile.devices.values()):
        raise Skip('no work of a device')
    headline, found, more, words = first_screen(path)
    data = documents.load(path) if profile.framework else {}
    data = data if isinstance(data, dict) else {'traceEvents': data}
    means, differ = slowest(profile), Differences()
    check_inferences(differ, found, profile)
    check_step(differ, found, means, more)
    check_between(differ, found, means)
    check_headline(differ, headline, means)
    check_gains(differ, found, means)
    check_idle(differ, found, means)
    check_top(differ, found, profile, means)
    if profile.neuron:
        check_held(differ, found, path)
    else:
        check_memory(differ, found, profile, data, means, words)
    check_modules(differ, path, profile)
    if data.get('traceEvents'):
        phases.check_phases(differ, found, words, tables_of_phases(path), profile, data)
    uses = use.Uses(profile, data)
    bound.check_bound(differ, headline, found, words, profile, means, uses)
    use.check_use(differ, found, profile, means, uses)
    use.check_collectives(differ, found, words, profile)
    use.check_words(differ, words, profile)
    for question in set(found) - differ.checked - {None}:
        LEFT.setdefault(question, []).append(os.path.basename(path))
    return differ


LEFT = {}  # questions whose figures were not found again, with the traces


def what_is_left(_folder):
    """The last test says which figures rest on other tests."""
    for question, traces in sorted(LEFT.items()):
        print(f'# not found again: {question} of {len(traces)} traces, as {traces[0]}')


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


# -- Made profiles: of Neuron and Furiosa, of which the samples have none, and of PyTorch at random -----------------


def made_ntff(folder, seed, version, executions):
    uuid = random.Random(seed).randbytes(16)
    path = os.path.join(folder, 'made.ntff')
    with open(path, 'wb') as file:
        file.write(ntff_fields_make.make(seed, version, uuid, executions))
    return path


def made_furiosa(folder, seed, name):
    subprocess.run([sys.executable, '-B', os.path.join(TOOLS, 'furiosa-make.py'), 'make', folder, str(seed), '5'], check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(folder, name)


def add_made():
    for seed in made.SEEDS:
        name = f'made/kineto, seed {seed}'
        add_test(name, lambda folder, seed=seed, name=name: check_screen(made.kineto(os.path.join(folder, 'made.json'), seed), name))
    for seed in served.SEEDS:
        name = f'made/served, seed {seed}'
        add_test(name, lambda folder, seed=seed, name=name: check_screen(served.served(os.path.join(folder, 'served.json'), seed), name))
    for seed in (1, 2, 3):
        for version, executions in ((4, 1), (5, 1), (5, 3), (6, 1)):
            name = f'made/ntff {version}, executions {executions}, seed {seed}'
            add_test(name, lambda folder, own=(seed, version, executions), name=name: check_screen(made_ntff(folder, *own), name))
        for file in ('synthetic_spans.csv', 'synthetic_export.json'):
            name = f'made/furiosa {file}, seed {seed}'
            add_test(name, lambda folder, own=(seed, file), name=name: check_screen(made_furiosa(folder, *own), name))


def collect():
    add_made()
    for name, path in oracle.traces():
        if not os.path.basename(path).startswith(oracle.REFUSED) and not name.startswith('defects/'):
            add_test(name, lambda _folder, path=path, name=name: check_screen(path, name))
    add_test('made/served has all phases', served_has_all)
    add_test('what-is-left', what_is_left)


if __name__ == '__main__':
    collect()
    main()
