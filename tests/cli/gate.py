# SPDX-License-Identifier: Apache-2.0
"""gate.py - limits for CI: what is met, what is not, and above all what cannot be decided."""

import csv
import json
import os
import re
import xml.etree.ElementTree as xml
from collections import Counter

from harness import SAMPLES, check, check_same, main, read, run, test, write

HEAD = '#nprof-lines\n'
PLUGINS = {'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']}
TPU = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')


def gate(*arguments, env=None):
    return run('gate', *arguments, env={**PLUGINS, **(env or {})})


def csv_of(*arguments):
    return list(csv.DictReader(run('run', '-o', '-', *arguments).expect(0).out.splitlines()))


def lines(name, *rows):
    return write(name, HEAD + ''.join(row + '\n' for row in rows))


@test
def met_and_not(_folder):
    gate(TPU, 'inputs.rows == 242').expect(
        0,
        out=[
            'met *inputs.rows == 242  is 242 (synthetic_tpu.xplane.pb)',
            '1 met, 0 not met, 0 undecided',
        ],
    )
    gate(TPU, 'inputs.rows < 242', 'inputs.rows >= 242').expect(
        6, out=['NOT MET *inputs.rows < 242  is 242 (*', '1 met, 1 not met, 0 undecided']
    )


@test
def every_match_must_hold(_folder):
    gate(TPU, "tracks.rows['label=XLA*'] > 0").expect(
        0, out='1 met, 0 not met, 0 undecided (rows: 4 met, 0 not met, 0 undecided)'
    )
    gate(TPU, "tracks.rows['label=XLA*'] > 8").expect(
        6, out='0 met, 1 not met, 0 undecided (rows: 2 met, 2 not met, 0 undecided)'
    )
    gate(TPU, "tracks.rows['label=XLA*','kind=engine'] > 8").expect(
        0, out='1 met, 0 not met, 0 undecided (rows: 2 met*'
    )


@test
def rows_that_meet_a_condition(_folder):
    path = lines('a', *(f'span t n{i % 3} {1000000 * i} {100000 * (i + 1)}' for i in range(6)))
    # n0 of 100 and 400 ns, n1 of 200 and 500, n2 of 300 and 600
    for condition, names in (
        ('total > 600 ns', ('n1', 'n2')),
        ('total_ns > 600 ns and not name = n2', ('n1',)),
        ('name ~ /n[01]/', ('n0', 'n1')),
        ('name = n0|n2 and calls >= 2', ('n0', 'n2')),
        ('(max = 400ns or max = 600ns) and calls = 2', ('n0', 'n2')),
    ):
        answer = gate(path, f'latency.calls[{condition}] == 2', '--format', 'json').expect(0)
        found = sorted(r['keys']['name'] for r in json.loads(answer.out))
        check_same(found, list(names), condition)
    gate(path, 'latency.calls[name = n7] == 2').expect(6, out='*nothing in table latency matches*')
    for condition, wrong in (
        ('nix = 5', 'at character 1 of ?nix = 5?: expected a column of the table'),
        ('total > 5', 'at character 9 of ?total > 5?: expected a time with its unit'),
        ('name > 5', 'at character 8 of ?name > 5?: expected =, != or ~'),
        ('name', 'expected'),
    ):
        gate(path, f'latency.calls[{condition}] == 2').expect(1, err=f'*{wrong}*')
    gate(path, 'latency.calls[name = n1 == 2').expect(1, err='*expected `]`*')


@test
def one_row_or_all_of_them(_folder):
    path = lines('a', *(f'span t n{i} {1000000 * i} {100000 * (i + 1)}' for i in range(3)))
    for demand, status, rows in (
        ('latency.total_ns > 200ns', 6, 3),
        ('all(latency.total_ns) > 200ns', 6, 3),
        ('any(latency.total_ns) > 200ns', 0, 1),
        ('any( latency.total_ns[name != n2] ) >= 100ns', 0, 2),
        ('any(latency.total_ns) > 300ns', 6, 3),
        ("any(total('n*')) == 200ns", 0, 1),
    ):
        answer = gate(path, demand, '--format', 'json').expect(status)
        check_same(len(json.loads(answer.out)), rows, demand)
    # A short name as well.
    kernels = [
        span('k', 'kernel', 0, 10 * (1 + 8 * gpu), 7, gpu, device=gpu, stream=7) for gpu in (0, 1)
    ] + [span('k', 'kernel', 90, 10, 7, gpu, device=gpu, stream=7) for gpu in (0, 1)]
    two = write('two.json', json.dumps({'traceEvents': kernels}))
    for demand, status in (('devices.busy > 50%', 6), ('any(devices.busy) > 50%', 0)):
        gate(two, demand).expect(status)
    gate(path, 'any(latency.mfu) > 1').expect(1, err='*no column "mfu"*')
    gate(path, 'any(latency.total_ns > 1ns').expect(1, err='*expected `)`*')
    # Unknown may be above the limit.
    gate(TPU, 'any(operators.mfu) > 100%').expect(6, out='UNDECIDED*')


@test
def times_are_in_the_units_given(_folder):
    path = lines('a', 'span t one 0 1500000')  # 1.5 us
    for limit, status in (
        ('1500', 0),
        ('1500ns', 0),
        ('1.5us', 0),
        ('0.0015ms', 0),
        ('1499.999ns', 6),
        ('1500000ps', 0),
        ('1499999ps', 6),
    ):
        gate(path, f'inputs.end_ns <= {limit}').expect(status)
    gate(path, 'inputs.end_ns > 2us').expect(6, out='NOT MET *is 1.5us (a)')
    gate(path, 'inputs.end_ns < 0').expect(6, out='NOT MET *is 1500ns (a)')  # a bare 0 is in ns too
    gate(path, 'inputs.bytes > 40%').expect(1, err='*column bytes is no ratio*')
    gate(path, 'inputs.bytes > 1ms').expect(1, err='*column bytes is in bytes*')
    gate(path, 'inputs.end_ns > 1MB').expect(1, err='*column end_ns is a time: write 2ms*')
    gate(path, 'inputs.decoder > 1').expect(1, err='*column decoder holds no numbers*')


@test
def large_values_are_no_powers_of_ten(_folder):
    gate(TPU, 'step < 0').expect(6, out='NOT MET *  6222055.307ns  *')
    gate(TPU, 'step > 0ps').expect(0, out='* 6222055307ps *')


@test
def shares_of_the_time_that_a_device_has(_folder):
    path = lines('a', 'span t one 0 1500000')
    gate(TPU, 'busy > 0', 'busy <= 100%', 'idle >= 0').expect(
        0, out='3 met, 0 not met, 0 undecided (rows: * met, 0 not met, 0 undecided)'
    )
    gate(TPU, 'busy > 1').expect(6, out='NOT MET *busy > 1 *')
    for demand, limit in (
        ('busy > {}', '45'),
        ('idle < {}', '10'),
        ('mfu > {}', '45'),
        ('overlap < {}', '1.5'),
        ('devices.mbu < {}', '5'),
        ("ops['fusion*'].share < {}", '30'),
        ("share('*') < {}", '2'),
    ):
        gate(TPU, demand.format(limit)).expect(
            1,
            out='',
            err=f'*the limit is {limit}, but the value is a share, *: write {limit}% or *',
        )
    gate(TPU, 'mfu < 150%', 'idle < 10%', 'busy >= -1', 'inputs.bytes < 5e12').expect(0)
    gate(TPU, 'busy > 3ms').expect(1, err='*but the value is a ratio: write 40% or 0.4*')
    gate(path, 'busy > 0').expect(6, out='UNDECIDED *')


@test
def summaries_have_names(_folder):
    """Values with a name are what the tables say."""
    run('run', '-a', 'device', '-a', 'steps', '-s', 'csv', '-o', 'out/', TPU).expect(0)
    values = {'exposed': [], 'overlap': [], 'step': [], 'idle': [], 'busy': [], 'idle.wait': []}
    for device in csv.DictReader(read('out/devices.csv').decode().splitlines()):
        exposed, overlap = (float(device[f'{k}_ns']) for k in ('exposed', 'overlap'))
        values['overlap'] += [overlap / (exposed + overlap)] if exposed + overlap else []
    periods = list(csv.DictReader(read('out/verdict.csv').decode().splitlines()))
    values['step'] = [float(r['median_ns']) for r in periods]
    values['step.mean'] = [float(r['window_ns']) / int(r['windows']) for r in periods]
    steps = [
        r
        for r in csv.DictReader(read('out/step_breakdown.csv').decode().splitlines())
        if r['step'] and r['cut'] in ('0', 'false')
    ]
    for device in {r['device'] for r in steps}:

        def total(*columns, of=device):
            return sum(float(r[f'{c}_ns']) for r in steps if r['device'] == of for c in columns)

        values['exposed'].append(total('exposed_communication', 'exposed_copy') / total('window'))
        values['idle'].append(total('idle') / total('window'))
        values['busy'].append(1 - values['idle'][-1])
        values['idle.wait'].append(total('idle_wait') / total('window'))
    check(values['step'] and max(values['exposed']) > 0, f'the sample shows nothing: {values}')
    for name, found in values.items():
        unit = 'ns' if 'step' in name else ''
        if found:
            low, high = min(found) * 0.999, max(found) * 1.001 + 1e-9
            high = high if 'step' in name else min(high, 1)  # a bare share above 1 is wrong use
            gate(TPU, f'{name} >= {low}{unit}', f'{name} <= {high}{unit}').expect(0)
            gate(TPU, f'{name} > {high}{unit}').expect(6, out='NOT MET *')
    gate(TPU, 'step < 1us').expect(6, out='NOT MET *, median of 3 periods*')
    for demand in ('step < 5', "p99('*') < 5"):
        gate(TPU, demand).expect(
            1,
            out='',
            err=f'*"{demand}": the limit is 5 without a unit, but column * is a time: write 5ms, or 5 and *',
        )
    gate(TPU, 'step < 5MB').expect(
        1, err='*the limit is "MB", but column median_ns is a time: write 2ms*'
    )
    gate(TPU, 'step > 0', 'devices.busy_ns > 5').expect(0)
    gate(lines('a', 'span t one 0 1500000'), 'step > 0').expect(6, out='UNDECIDED *')


def product(m, device='NVIDIA A100-SXM4-80GB', shapes=True, steps=True):
    """Two steps of 1 ms, each of which multiplies m x 4096 by 4096 x 4096 for 980 us."""
    events, args = (
        [],
        {'Input Dims': [[m, 4096], [4096, 4096]], 'Input type': ['c10::BFloat16'] * 2}
        if shapes
        else {},
    )
    for n in range(2):
        at = 1000 * n
        for name, cat, start, length, pid, tid, own in (
            ('ProfilerStep#%d' % n, 'user_annotation', 0, 1000, 100, 1, {}),
            ('aten::mm', 'cpu_op', 5, 8, 100, 1, args),
            ('cudaLaunchKernel', 'cuda_runtime', 10, 2, 100, 1, {'correlation': n + 1}),
            ('cudaDeviceSynchronize', 'cuda_runtime', 14, 983, 100, 1, {}),
            ('gemm', 'kernel', 15, 980, 0, 7, {'device': 0, 'stream': 7, 'correlation': n + 1}),
        ):
            if steps or cat != 'user_annotation':
                events.append(
                    {
                        'ph': 'X',
                        'name': name,
                        'cat': cat,
                        'ts': at + start,
                        'dur': length,
                        'pid': pid,
                        'tid': tid,
                        'args': own,
                    }
                )
    return write(
        'product.json',
        json.dumps({'deviceProperties': [{'id': 0, 'name': device}], 'traceEvents': events}),
    )


@test
def mfu_is_that_of_the_first_screen(_folder):
    """By shapes over the windows of steps, else over the span; unknown with what is missing."""
    for steps, time in ((True, 2e-3), (False, 1.98e-3)):
        mfu = 100 * 2 * 2 * 4096**3 / time / 312e12
        for name in ('mfu', 'hfu'):
            gate(product(4096, steps=steps), f'{name} > {mfu - .1:.2f}%').expect(0)
            gate(product(4096, steps=steps), f'{name} > {mfu + .1:.2f}%').expect(6, out='NOT MET *')
    gate(product(4096, shapes=False), 'mfu > 1%').expect(
        6, out='UNDECIDED *: no flops in the file: *record_shapes=True*'
    )
    gate(product(4096, device='Some GPU'), 'mfu > 1%').expect(
        6, out='UNDECIDED *: no peak rate *-a mfu:peak_flops=N*'
    )
    gate(product(4096, device='Some GPU'), '-a', 'mfu:peak_flops=1e15', 'mfu > 1%').expect(0)
    gate(product(4096), 'mbu > 1%').expect(
        6, out='UNDECIDED *: the bytes that work moves are not in the file*'
    )
    gate(lines('a', 'span t one 0 7'), 'mfu > 1%').expect(
        6, out='UNDECIDED *no work of a device that takes time*'
    )


@test
def the_verdict_is_that_of_the_first_screen(_folder):
    """The family of most kernels tells the kind of computing."""
    gate(
        product(4096), 'bound == compute', 'bound == compute.gemm', 'bound != memory-bandwidth'
    ).expect(0)


@test
def many_that_are_met_are_counted(_folder):
    path = lines('a', *(f'span t{i} one 0 {10 + (i == 7)}' for i in range(30)))
    lots = gate(path, "max('*') <= 10ps").expect(6).out.splitlines()
    check_same(
        (len(lots), lots[-1]),
        (2, '0 met, 1 not met, 0 undecided (rows: 29 met, 1 not met, 0 undecided)'),
        'lines',
    )
    check_same(
        len(gate('--format', 'markdown', path, "max('*') <= 10ps").expect(6).out.splitlines()),
        3,
        'rows',
    )
    check_same(
        len(xml.fromstring(gate('--format', 'junit', path, "max('*') <= 10ps").expect(6).out)),
        30,
        'cases',
    )


@test
def numbers_have_four_digits_or_what_the_verdict_needs(_folder):
    value = gate(TPU, 'busy > 200%').expect(6).out.splitlines()[1].split()[5]
    check(value.endswith('%') and len(re.sub(r'\D', '', value)) <= 4, value)


@test
def rows_of_one_demand_are_a_table(_folder):
    path = lines('a', 'span t one 0 7', 'span u one 0 12345')
    out = gate(path, "max('*') <= 10ps", 'inputs.rows == 2').expect(6).out
    check_same(
        out.splitlines(),
        [
            "           demand              value  of",
            "met        max('*') <= 10ps      7ps  t, track 2, one",
            "NOT MET    max('*') <= 10ps  12345ps  u, track 3, one",
            "met        inputs.rows == 2  is 2 (a)",
            "1 met, 1 not met, 0 undecided (rows: 2 met, 1 not met, 0 undecided)",
        ],
        'the table',
    )


@test
def a_track_is_its_process_or_its_thread(_folder):
    whole = "count('*', track='%s') > 0"
    gate(TPU, whole % '/device:TPU:0*').expect(
        0, out='1 met, 0 not met, 0 undecided (rows: * met, 0 not met, 0 undecided)'
    )
    gate(TPU, whole % 'XLA Ops').expect(
        0, out='1 met, 0 not met, 0 undecided (rows: * met, 0 not met, 0 undecided)'
    )
    gate(TPU, whole % 'nowhere').expect(6, out='UNDECIDED *nothing in table latency matches')
    gate(TPU, "latency.calls['nothing=1'] > 0").expect(
        1, err='*table latency has no column "nothing"*'
    )
    gate(TPU, "latency.calls['calls=12345678'] > 0").expect(
        6, out='UNDECIDED *nothing in table latency matches'
    )


@test
def numbers_are_neither_rounded_nor_a_little_beside(_folder):
    path = write(
        'x.json',
        '{"n_%s": {"total_time": 0.1806, "mfu_estimated_percent": 0.4, "hfu_estimated_percent": '
        '0.29}}' % ('0' * 40),
    )
    value = "neuron_metrics.value['metric=%s']"
    for name, limit in (('total_time', '0.1806'), ('mfu*', '0.4'), ('hfu*', '0.29')):
        for op, status in (('==', 0), ('<=', 0), ('>=', 0), ('<', 6), ('>', 6), ('!=', 6)):
            gate(path, f'{value % name} {op} {limit}').expect(status, out=f'* is {limit} *')
    long = lines('a', 'span t one 0 123456789012123457')
    for limit, status in (
        ('123456789012123.457', 0),
        ('123456.789012123457s', 0),
        ('123456789012123.456', 6),
    ):
        gate(long, f'inputs.end_ns <= {limit}').expect(status)
    gate(long, 'inputs.end_ns == 123456789012123.457').expect(
        0, out='*is 123456789012123.457ns (a)'
    )
    days = lines('b', 'span t one 0 8000000000000000001')
    gate(days, 'inputs.end_ns < 1ps').expect(6, out='*is 8000000000000000001ps (b)')
    gate(long, 'inputs.end_ns < 1ps').expect(6, out='*is 123456789012123457ps (a)')


@test
def a_table_that_nobody_makes_is_wrong_use(_folder):
    """A misspelt demand must not pass for one that is undecided."""
    path = lines('a', 'span t one 0 10')
    for how in ('fail', 'ok'):
        gate(path, '--undecided', how, 'nowhere.rows > 0').expect(
            1, out='', err='*table nowhere: no component makes such a table; *'
        )
        gate(path, '--undecided', how, 'operatorz.total_ns > 0').expect(
            1, out='', err='*"operatorz.total_ns > 0": table operatorz: *did you mean operators?*'
        )


@test
def what_is_not_known_is_undecided(_folder):
    path = lines('a', 'span t one 0 10')
    gate(path, "inputs.rows['input=other'] > 0").expect(
        6, out='UNDECIDED *nothing in table inputs matches'
    )
    gate(path, 'tensors.bytes > 0').expect(
        6, out='UNDECIDED *this run has no table tensors: there are inputs, *tracks, *operators*'
    )
    gate(path, "tracks.parent['kind=input'] >= 0").expect(6, out='UNDECIDED *the value is unknown')
    gate(path, 'inputs.rowz > 0').expect(
        1, err='*no column "rowz": did you mean rows? it has input, decoder,*'
    )


@test
def what_is_true_or_false_is_matched_as_outputs_write_it(_folder):
    for cut in ('0', 'false'):
        gate(TPU, f"steps.duration_ns['cut={cut}'] < 1s").expect(0, out='met *')
    gate(TPU, "steps.duration_ns['cut=1'] < 1s").expect(
        6, out='UNDECIDED *nothing in table steps matches'
    )


@test
def missing_events_decide_nothing(_folder):
    path = lines('a', 'span t one 0 10', 'gap t 20 5')
    gate(path, 'inputs.rows > 0').expect(6, out='UNDECIDED *events are missing (1 gap)')
    gate('--to', '15ps', path, 'inputs.rows > 0').expect(0)
    damaged = lines('b', 'span t one 0 10', 'bad', 'span t two 20 10')
    gate(damaged, 'inputs.rows > 0').expect(2, out='')
    gate('--keep-going', damaged, 'inputs.rows > 0').expect(
        6, out='UNDECIDED *some records could not be read'
    )


@test
def wrong_use(_folder):
    gate(TPU).expect(1, err='*expected an INPUT and at least one demand*')
    gate(TPU, 'p9(').expect(1, err='*"p9(": at character 4: expected one of calls, count*')
    gate('--format', 'html', TPU, 'inputs.rows > 0').expect(
        1, err='*expected text, markdown, junit or json*'
    )
    gate('no-such-file', 'inputs.rows > 0').expect(2, out='')


@test
def the_ending_of_a_name_says_the_format(_folder):
    for name, format in (
        ('a.xml', 'junit'),
        ('a.json', 'json'),
        ('a.md', 'markdown'),
        ('a.txt', 'text'),
    ):
        out = gate('--format', format, TPU, 'inputs.rows > 0').expect(0).out
        gate('-o', name, TPU, 'inputs.rows > 0').expect(0, out='', err='')
        check_same(read(name).decode(), out, name)
    gate('-o', 'a.csv', TPU, 'inputs.rows > 0').expect(
        1, out='', err='*-o a.csv: no .csv is written here: let the name end in *'
    )


@test
def junit_is_xml_that_names_each_row(_folder):
    path = lines('a', 'span a<&b one 0 10', 'span c\x01d two 0 10')
    result = gate(
        '--format',
        'junit',
        '-o',
        'gate.xml',
        path,
        "tracks.rows['kind=thread'] < 1",
        'inputs.rows > 0',
    )
    result.expect(6, out='')
    suite = xml.fromstring(read('gate.xml'))
    check_same((suite.get('tests'), suite.get('failures')), ('3', '2'), 'counts')
    check_same([len(case) for case in suite], [1, 1, 0], 'failures of the cases')
    check('NOT' not in suite[2].get('name') and suite[0][0].get('type') == 'not met', 'cases')


@test
def markdown_is_a_table(_folder):
    out = gate('--format', 'markdown', TPU, 'inputs.rows > 0').expect(0).out
    check_same([line.count('|') for line in out.splitlines()], [5, 5, 5], 'bars')


def span(name, cat, start, dur, tid=1, pid=100, **args):
    return {
        'ph': 'X',
        'name': name,
        'cat': cat,
        'ts': start,
        'dur': dur,
        'pid': pid,
        'tid': tid,
        'args': args,
    }


def steps(name, lengths, launches=True, annotated=True):
    """Steps of these lengths, in us; a kernel fills the second half of each and 2 us of the
    next."""
    events, at = [], 0
    for n, length in enumerate(lengths):
        half = length // 2
        if annotated:
            events.append(span(f'ProfilerStep#{n}', 'user_annotation', at, length))
        events.append(span('aten::mm', 'cpu_op', at + half - 6, 5))
        if launches:
            events.append(
                span('cudaLaunchKernel', 'cuda_runtime', at + half - 4, 2, correlation=n + 1)
            )
        events.append(
            span('gemm', 'kernel', at + half, half + 2, 7, 0, device=0, stream=7, correlation=n + 1)
        )
        at += length
    return write(name, json.dumps({'traceEvents': events}))


@test
def values_of_the_first_screen(_folder):
    path = steps(
        'a', [100, 100, 100]
    )  # windows 0..102, 102..202, 202..302: of each 50 or 48 us are idle
    gate(
        path,
        'step == 100us',
        'step.mean == 100us',
        'busy > 51%',
        'busy < 52%',
        'idle > 48%',
        'exposed <= 0',
    ).expect(0)
    gate(path, 'step < 100us').expect(
        6, out='NOT MET *step < 100us  is 100us (GPU 0, median of 2 steps)'
    )
    uneven = steps(
        'b', [100, 100, 100, 100, 200]
    )  # the work of a step begins at its half: periods of 100, 100, 100 and 250 or so
    gate(uneven, 'step == 100us', 'step.mean > 120us').expect(
        0, out='met *step == 100us *median of 4 steps)'
    )
    gate(
        path, 'idle.host < 46%', 'idle.launch < 4%', 'idle.wait <= 0', 'idle.unlinked <= 0'
    ).expect(0)
    gate(path, 'idle.host < 40%').expect(6, out='NOT MET *idle.host < 40%*mean of 3 steps)')
    gate(path, 'p50(step) == 100us', 'max(step) == 100us').expect(0)
    gate(
        path,
        'compute > 49%',
        'exposed.communication <= 0',
        'exposed.copy <= 0',
        'devices.busy > 61%',
        'devices.idle < 39%',
        "devices.busy['device=GPU*'] < 62%",
    ).expect(0)
    gate(path, 'hidden > 1%').expect(6, out='UNDECIDED *: none: no collective ran on a device')
    gate(path, 'exposed.gpu < 1').expect(1, err='*expected communication or copy*')
    gate(path, 'devices.busy_ns > 3us').expect(0)
    gate(path, 'idle.gpu < 1').expect(1, err='*expected host, launch, unlinked or wait*')


@test
def what_changes_would_leave_and_what_lies_between_steps(_folder):
    """A step takes 100 us: 20 compute, 50 copy, 20 communicate, 10 are idle; 900 lie behind it."""
    events = []
    for n in range(3):
        events.append(span(f'ProfilerStep#{n}', 'user_annotation', 1000 * n, 100))
        for k, (name, cat, start, length) in enumerate(
            (
                ('gemm', 'kernel', 5, 20),
                ('Memcpy HtoD', 'gpu_memcpy', 25, 50),
                ('ncclDevKernel_AllReduce_Sum_f32_RING_LL', 'kernel', 75, 20),
            )
        ):
            events += [
                span(
                    'cudaLaunchKernel', 'cuda_runtime', 1000 * n + k, 1, correlation=3 * n + k + 1
                ),
                span(
                    name,
                    cat,
                    1000 * n + start,
                    length,
                    7,
                    0,
                    device=0,
                    stream=7,
                    correlation=3 * n + k + 1,
                ),
            ]
    path = write('parts.json', json.dumps({'traceEvents': events}))
    gate(
        path, 'step.no_idle == 90us', 'step.comm_hidden == 80us', 'step.copies_hid == 50us'
    ).expect(0)
    gate(path, 'step.no_idle < 90us').expect(6, out='NOT MET *')
    gate(path, 'between.time == 1800us', 'between > 85.7%', 'between < 85.8%').expect(
        0, out='met *GPU 0, first step to last*'
    )
    gate(path, 'between < 1ms').expect(1)
    gate(path, 'step.idle < 1ms').expect(
        1, err='*expected comm_hidden, copies_hid, mean or no_idle*'
    )
    gate(path, 'between.share < 1').expect(1, err='*expected time*')


@test
def nothing_is_left_of_steps_that_are_nothing_else(_folder):
    """Nothing could hide copies that are all there is; and without steps nothing lies between
    them."""
    path = write(
        'copies.json',
        json.dumps(
            {'traceEvents': [span('Memcpy HtoD', 'gpu_memcpy', 0, 50, 7, 0, device=0, stream=7)]}
        ),
    )
    gate(path, 'step.copies_hid < 1ms').expect(
        6, out='UNDECIDED *nothing else in a step that could hide it*'
    )
    gate(path, 'step.no_idle == 50us').expect(0, out='met *no steps: its span)')
    gate(path, 'between < 1%').expect(
        6, out='UNDECIDED *: no steps in the file; schedule of torch.profiler*'
    )


@test
def steps_that_were_cut_do_not_count(_folder):
    gate(steps('a', [10, 100, 100, 100]), 'busy > 40%').expect(0, out='met *mean of 3 steps*')
    gate(steps('b', [100]), 'busy > 40%').expect(0, out='met *mean of 1 step)')


@test
def one_step_alone_has_no_period(_folder):
    """It takes at most its window, of 102 us: what that decides is decided."""
    path = steps('a', [100])
    for demand in ('step < 103us', 'step <= 102us'):
        gate(path, demand).expect(0, out='met *median of 1 step)')
    gate(path, 'step > 102us').expect(6, out='NOT MET *')
    for demand in ('step < 102us', 'step > 90us', 'step == 102us', 'step != 102us'):
        gate(path, demand).expect(
            6, out='UNDECIDED *one step alone has no period, and takes at most that*'
        )


@test
def idle_time_of_no_known_cause_is_undecided(_folder):
    path = steps('a', [100, 100, 100], launches=False)  # 48 % of a step are idle, why is unknown
    for demand in 'idle.host < 10%', 'idle.launch > 10%', 'idle.wait == 0':
        gate(path, demand).expect(
            6,
            out='UNDECIDED *is idle before work whose launch is not in the file*record with ProfilerActivity.CPU',
        )
    gate(path, 'idle.host < 60%', 'idle.unlinked > 40%', 'idle > 40%').expect(0)
    gate(path, 'idle.wait > 60%').expect(6, out='NOT MET *')


@test
def without_steps_the_span_counts(_folder):
    path = steps('a', [100, 100], annotated=False)
    gate(path, 'busy > 60%').expect(0, out='met *no steps: its span*')
    for demand in 'step < 1s', 'p99(step) < 1s':
        gate(path, demand).expect(
            6, out='UNDECIDED *: no steps in the file; schedule of torch.profiler and prof.step ()'
        )
    gate(lines('b', 'span t one 0 1500000'), 'step < 1s').expect(
        6, out='UNDECIDED *: no row says that it ran on a device'
    )


@test
def a_verdict_is_a_word(_folder):
    path = steps('a', [100, 100, 100])
    gate(path, 'bound != input', 'bound == mixed').expect(0, out='2 met, 0 not met, 0 undecided')
    for word in 'host', 'launch', 'queue', 'communication', 'memory-bandwidth':
        gate(path, f'bound == {word}').expect(6, out='NOT MET *mixed*GPU 0*')
    said = json.loads(gate('--format', 'json', path, 'bound != input').expect(0).out)
    check_same(
        {(one['value']['value'], one['value']['unit'], one['value']['reason']) for one in said},
        {('mixed', '', '')},
        'JSON',
    )
    gate(path, 'bound > host').expect(1, err='*expected == or != before a word*')
    gate(path, 'bound == slow').expect(1, err='*expected compute, comm, bubble*')
    blind = steps('b', [100, 100], launches=False)
    gate(blind, 'bound != input').expect(6, out='UNDECIDED *launches are not in the file*')
    said = json.loads(gate('--format', 'json', blind, 'bound != input').expect(6).out)[0]['value']
    check(said['value'] is None and 'launches are not in the file' in said['reason'], said)
    gate('--undecided', 'ok', blind, 'bound != input').expect(
        0, out='0 met, 0 not met, 1 undecided'
    )
    gate('--undecided', 'ok', path, 'bound == host').expect(6)
    gate('--undecided', 'maybe', path, 'bound == host').expect(
        1, err='*--undecided maybe: expected ok or fail*'
    )


@test
def a_verdict_names_its_row(_folder):
    """JSON has the table that decides and the key columns of the row; they lead to that row alone,
    with the value."""
    for demand, table, column in (
        ('mfu > 45%', 'mfu', 'mfu'),
        ("ops['fusion.15'].calls > 1", 'operators', 'calls'),
        ("gaps.duration_ns < 1ns", 'gaps', 'duration_ns'),
    ):
        rows = csv_of(
            '-a',
            {'mfu': 'mfu', 'operators': 'operators', 'gaps': 'device'}[table],
            '-s',
            f'csv:table={table}',
            TPU,
        )
        said = json.loads(run('gate', '--format', 'json', TPU, demand).out)
        check(said, demand)
        for one in said:
            check_same(one['table'], table, demand)
            found = [
                row
                for row in rows
                if all(
                    row[key] == (text or '')
                    for key, text in one['keys'].items()
                    if not key.endswith('_ns')
                )
            ]
            check(len(found) == 1 or table == 'gaps', f'{demand}: {one} is of {found}')
            check(
                any(
                    abs(
                        float(row[column]) * (100 if one['value']['unit'] == '%' else 1)
                        - one['value']['value']
                    )
                    <= 0.005 * one['value']['value']
                    for row in found
                ),
                f'{one} {found}',
            )
    # A median is of all periods of a device.
    said = json.loads(run('gate', '--format', 'json', TPU, 'step < 1ms').out)
    check_same(
        [(one['table'], sorted(one['keys'])) for one in said],
        [('verdict', ['device', 'input'])] * 2,
        'medians',
    )
    check_same(
        [one['keys']['device'] for one in said], ['/device:TPU:0', '/device:TPU:1'], 'devices'
    )
    said = json.loads(run('gate', '--format', 'json', TPU, "p50('nobody') < 1s").out)
    check_same([(one['table'], one['keys']) for one in said], [(None, {})], 'of no row')


@test
def rows_of_devices_by_name(_folder):
    path = steps('a', [100, 100])
    gate(path, "kernels['gemm'].share == 100%", "kernels['gemm'].total == 104us").expect(0)
    gate(path, "ops['aten::mm'].share > 99%").expect(
        0, out='met *GPU 0*'
    )  # none of the host's own rows
    gate(path, "ops['aten::none'].share > 99%").expect(
        6, out='UNDECIDED *nothing in table operators matches*'
    )
    gate(path, "ops['a']share > 99%").expect(1, err='*expected `.` and a column of ops*')


@test
def rows_of_any_table_by_name(_folder):
    """The key is the first one of the table behind input and device."""
    path = steps('a', [100, 100])
    table = csv_of('-a', 'device', '-s', 'csv:table=categories', path)
    names = sorted(row['category'] for row in table)
    said = json.loads(gate('--format', 'json', path, "categories['*'].busy >= 0ns").expect(0).out)
    check_same(sorted(row['keys']['category'] for row in said), names, 'rows judged')
    one = json.loads(
        gate('--format', 'json', path, f"categories['{names[0]}'].busy >= 0ns").expect(0).out
    )
    check_same([row['keys']['category'] for row in one], names[:1], 'the row that is named')
    gate(path, "devices['a'].busy > 1ms").expect(
        1, err="*table devices has a row a device, and none that 'a' could mean*"
    )
    gate(path, "layres['a'].busy > 1ms").expect(
        1, err='*makes such a table: did you mean layers[?]*'
    )
    columns = 'calls, total_ns, share, share_so_far, mean_ns, min_ns, max_ns, operators, shapes'
    for demand in 'kernels<1s', 'any(kernels) < 1s', 'kernels':
        gate(path, demand).expect(
            1, err=f"*expected kernels[[]'GLOB'].total_ns, or another of its numbers: {columns} *"
        )
    gate(path, 'ops < 30%').expect(1, err="*expected ops[[]'GLOB'].total_ns,*")
    gate(path, 'layers < 2ms').expect(1, err="*expected layers[[]'GLOB'].busy_ns,*")
    gate(path, 'devices < 30%').expect(1, err='*expected devices.span_ns,*')
    gate(path, 'kernls < 30%').expect(1, err="*expected STAT('GLOB'), TABLE.COLUMN*")


@test
def operators_are_those_that_a_report_lists(_folder):
    """The same time is in table operators once a level: a demand is of the level that the report
    shows."""
    levels = Counter(
        row['level'] for row in csv_of('-a', 'operators', '-s', 'csv:table=operators', TPU)
    )
    check(levels['hlo'] and levels['opcode'] and levels['framework'], levels)
    for path, level in ((TPU, 'hlo'), (steps('a', [100, 100]), 'framework')):
        table = csv_of('-a', 'operators', '-s', 'csv:table=operators', path)
        devices = {row['device'] for row in csv_of('-a', 'device', '-s', 'csv:table=devices', path)}
        wanted = sorted(
            row['operator'] for row in table if row['level'] == level and row['device'] in devices
        )
        said = json.loads(gate('--format', 'json', path, "ops['*'].calls >= 0").expect(0).out)
        check_same(len(said), len(wanted), f'{path}: rows judged')
        for row in said:
            check(f', {level}, ' in row['key'], row)
    gate(TPU, "operators.share['level=opcode','operator=fusion*'] < 30%").expect(
        6, out='NOT MET *opcode*'
    )


def allocation(ts, kind, size, total):
    args = {
        'Bytes': size,
        'Addr': ts,
        'Device Type': kind,
        'Device Id': 0 if kind else -1,
        'Total Allocated': total,
        'Total Reserved': total,
        'Ev Idx': ts,
    }
    return {
        'ph': 'i',
        'name': '[memory]',
        'cat': 'cpu_instant_event',
        's': 't',
        'ts': ts,
        'pid': 100,
        'tid': 1,
        'args': args,
    }


@test
def memory_is_that_of_devices(_folder):
    """The largest peak of a device's allocator; what a host holds does not count."""
    trace = json.loads(read(steps('a', [100, 100])))
    trace['traceEvents'] += [
        allocation(1, 0, 5 << 30, 5 << 30),
        allocation(2, 1, 1 << 30, 1 << 30),
        allocation(3, 1, 1 << 29, 3 << 29),
    ]
    path = write('memory.json', json.dumps(trace))
    gate(path, 'memory <= 1536MiB', 'memory > 1.6GB').expect(0, out='2 met, 0 not met, 0 undecided')
    gate(path, 'memory < 1.5GB').expect(6, out='NOT MET *CUDA 0*')
    gate(path, 'memory < 5').expect(6)
    gate(path, 'memory < 5ms').expect(1, err='*is in bytes: write 5GB*')
    gate('a', 'memory < 5GB').expect(6, out='UNDECIDED *profile_memory=True*')


@test
def rows_of_modules_by_name(_folder):
    trace = json.loads(read(steps('a', [100, 100])))
    for at in (0, 100):
        trace['traceEvents'] += [
            span('nn.Module: Net_0', 'python_function', at + 40, 12),
            span('nn.Module: MLP_0', 'python_function', at + 41, 10),
        ]
    path = write('modules.json', json.dumps(trace))
    gate(
        path,
        "modules['Net_0/MLP_0'].share == 100%",
        "modules['*MLP*'].device_ns == 104us",
        "modules['Net_0'].self <= 0",
        "modules['*MLP*'].device == 104us",
    ).expect(0, out='4 met, 0 not met, 0 undecided')
    gate(path, "modules['Net_0/MLP_0'].share < 50%").expect(6, out='NOT MET *GPU 0, Net_0/MLP_0*')
    gate('a', "modules['*MLP*'].share < 50%").expect(6, out='UNDECIDED *with_stack=True*')


@test
def rows_of_collectives_by_kind(_folder):
    """4 MB over 4 ranks in 100 us: 60 GB/s on the bus."""
    stated = {
        'Collective name': 'allreduce',
        'In msg nelems': 10**6,
        'Out msg nelems': 10**6,
        'dtype': 'Float',
        'Group size': 4,
    }
    trace = json.loads(read(steps('a', [200, 200])))
    trace['traceEvents'].append(
        span('ncclDevKernel_AllReduce', 'kernel', 0, 100, 20, 0, device=0, stream=20, **stated)
    )
    path = write('collectives.json', json.dumps(trace))
    gate(
        path,
        "collectives['allreduce'].busbw_p50 > 59e9",
        "collectives['allreduce'].busbw_p50 < 61e9",
        "collectives['all*'].exposed == 100us",
    ).expect(0, out='3 met, 0 not met, 0 undecided')
    gate(path, "collectives['allreduce'].busbw_p50 > 100e9").expect(6, out='NOT MET *allreduce*')
    gate('a', "collectives['allreduce'].calls > 0").expect(
        6, out='UNDECIDED *nothing in table collectives matches*'
    )


if __name__ == '__main__':
    main()
