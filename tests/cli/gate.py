# SPDX-License-Identifier: Apache-2.0
"""gate.py - limits for CI: what is met, what is not, and above all what cannot be decided."""

import csv
import os
import re
import xml.etree.ElementTree as xml

from harness import SAMPLES, check, check_same, main, read, run, test, write

HEAD = '#nprof-lines\n'
PLUGINS = {'NPROF_PLUGIN_PATH': os.environ['NPROF_TEST_PLUGINS']}
TPU = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')


def gate(*arguments, env=None):
    return run('gate', *arguments, env={**PLUGINS, **(env or {})})


def lines(name, *rows):
    return write(name, HEAD + ''.join(row + '\n' for row in rows))


@test
def met_and_not(_folder):
    gate(TPU, 'inputs.rows == 242').expect(0, out=['met *inputs.rows == 242  is 242 (synthetic_tpu.xplane.pb)', '1 met, 0 not met, 0 undecided'])
    gate(TPU, 'inputs.rows < 242', 'inputs.rows >= 242').expect(
        6, out=['NOT MET *inputs.rows < 242  is 242 (*', '1 met, 1 not met, 0 undecided'])


@test
def every_match_must_hold(_folder):
    gate(TPU, "tracks.rows['label=XLA*'] > 0").expect(0, out='4 met, 0 not met*')
    gate(TPU, "tracks.rows['label=XLA*'] > 8").expect(6, out='2 met, 2 not met*')
    gate(TPU, "tracks.rows['label=XLA*','kind=engine'] > 8").expect(0, out='2 met, 0 not met*')


@test
def times_are_in_the_units_given(_folder):
    path = lines('a', 'span t one 0 1500000')  # 1.5 us
    for limit, status in (('1500', 0), ('1500ns', 0), ('1.5us', 0), ('0.0015ms', 0), ('1499.999ns', 6),
                          ('1500000ps', 0), ('1499999ps', 6)):
        gate(path, f'inputs.end_ns <= {limit}').expect(status)
    gate(path, 'inputs.end_ns > 2us').expect(6, out='NOT MET *is 1.5us (a)')
    gate(path, 'inputs.bytes > 40%').expect(1, err='*column bytes is no ratio*')
    gate(path, 'inputs.bytes > 1ms').expect(1, err='*column bytes has another unit*')
    gate(path, 'inputs.end_ns > 1MB').expect(1, err='*column end_ns is a time: write 2ms*')
    gate(path, 'inputs.decoder > 1').expect(1, err='*column decoder holds no numbers*')


@test
def shares_of_the_time_that_a_device_has(_folder):
    path = lines('a', 'span t one 0 1500000')
    gate(TPU, 'busy > 0', 'busy <= 100%', 'idle >= 0').expect(0, out='* met, 0 not met, 0 undecided')
    gate(TPU, 'busy > 1').expect(6, out='NOT MET *busy > 1 *')
    gate(TPU, 'busy > 3ms').expect(1, err='*column busy_ns gives a ratio here: write 40% or 0.4*')
    gate(path, 'busy > 0').expect(6, out='UNDECIDED *')


@test
def summaries_have_names(_folder):
    """step, exposed and overlap are what the tables say."""
    run('run', '-a', 'device', '-a', 'steps', '-s', 'csv', '-o', 'out/', TPU).expect(0)
    values = {'exposed': [], 'overlap': [], 'step': []}
    for device in csv.DictReader(read('out/devices.csv').decode().splitlines()):
        exposed, overlap, span = (float(device[f'{k}_ns']) for k in ('exposed', 'overlap', 'span'))
        values['exposed'].append(exposed / span)
        values['overlap'] += [overlap / (exposed + overlap)] if exposed + overlap else []
    steps = [r for r in csv.DictReader(read('out/step_breakdown.csv').decode().splitlines())
             if r['step'] and r['cut'] in ('0', 'false')]
    for device in {r['device'] for r in steps}:
        own = [float(r['window_ns']) for r in steps if r['device'] == device]
        values['step'].append(sum(own) / len(own))
    check(values['step'] and max(values['exposed']) > 0, f'the sample shows nothing: {values}')
    for name, found in values.items():
        unit = 'ns' if name == 'step' else ''
        if found:
            low, high = min(found) * .999, max(found) * 1.001 + 1e-9
            gate(TPU, f'{name} >= {low}{unit}', f'{name} <= {high}{unit}').expect(0)
            gate(TPU, f'{name} > {high}{unit}').expect(6, out='NOT MET *')
    gate(TPU, 'step < 1us').expect(6, out='NOT MET *, mean of * step*')
    gate(TPU, 'step < 5').expect(1, err='*is a time: write 2ms*')
    gate(TPU, "p99('*') < 5").expect(1, err='*is a time: write 2ms*')
    gate(TPU, 'step > 0', 'devices.busy_ns > 5').expect(0)
    gate(lines('a', 'span t one 0 1500000'), 'step > 0').expect(6, out='UNDECIDED *')


@test
def many_that_are_met_are_counted(_folder):
    path = lines('a', *(f'span t{i} one 0 {10 + (i == 7)}' for i in range(30)))
    lots = gate(path, "max('*') <= 10ps").expect(6).out.splitlines()
    check_same((len(lots), lots[-1]), (2, '29 met, 1 not met, 0 undecided'), 'lines')
    check_same(len(gate('--format', 'markdown', path, "max('*') <= 10ps").expect(6).out.splitlines()), 3, 'rows')
    check_same(len(xml.fromstring(gate('--format', 'junit', path, "max('*') <= 10ps").expect(6).out)), 30, 'cases')


@test
def numbers_have_four_digits_or_what_the_verdict_needs(_folder):
    value = gate(TPU, 'busy > 200%').expect(6).out.splitlines()[1].split()[5]
    check(value.endswith('%') and len(re.sub(r'\D', '', value)) <= 4, value)


@test
def rows_of_one_demand_are_a_table(_folder):
    path = lines('a', 'span t one 0 7', 'span u one 0 12345')
    out = gate(path, "max('*') <= 10ps", 'inputs.rows == 2').expect(6).out
    check_same(out.splitlines(), ["           demand              value  of",
                                  "met        max('*') <= 10ps      7ps  t, track 2, one",
                                  "NOT MET    max('*') <= 10ps  12345ps  u, track 3, one",
                                  "met        inputs.rows == 2  is 2 (a)",
                                  "2 met, 1 not met, 0 undecided"], 'the table')


@test
def a_track_is_its_process_or_its_thread(_folder):
    whole = "count('*', track='%s') > 0"
    gate(TPU, whole % '/device:TPU:0*').expect(0, out='* met, 0 not met, 0 undecided')
    gate(TPU, whole % 'XLA Ops').expect(0, out='* met, 0 not met, 0 undecided')
    gate(TPU, whole % 'nowhere').expect(6, out='UNDECIDED *nothing in table latency matches')
    gate(TPU, "latency.calls['nothing=1'] > 0").expect(1, err='*table latency has no column "nothing"*')
    gate(TPU, "latency.calls['calls=12345678'] > 0").expect(6, out='UNDECIDED *nothing in table latency matches')


@test
def numbers_are_neither_rounded_nor_a_little_beside(_folder):
    path = write('x.json', '{"n_%s": {"total_time": 0.1806, "mfu_estimated_percent": 0.4, "hfu_estimated_percent": '
                           '0.29}}' % ('0' * 40))
    value = "neuron_metrics.value['metric=%s']"
    for name, limit in (('total_time', '0.1806'), ('mfu*', '0.4'), ('hfu*', '0.29')):
        for op, status in (('==', 0), ('<=', 0), ('>=', 0), ('<', 6), ('>', 6), ('!=', 6)):
            gate(path, f'{value % name} {op} {limit}').expect(status, out=f'* is {limit} *')
    long = lines('a', 'span t one 0 123456789012123457')
    for limit, status in (('123456789012123.457', 0), ('123456.789012123457s', 0), ('123456789012123.456', 6)):
        gate(long, f'inputs.end_ns <= {limit}').expect(status)
    gate(long, 'inputs.end_ns == 123456789012123.457').expect(0, out='*is 123456789012123.457ns (a)')
    days = lines('b', 'span t one 0 8000000000000000001')
    gate(days, 'inputs.end_ns < 1ps').expect(6, out='*is 8000000000000000001ps (b)')
    gate(long, 'inputs.end_ns < 1ps').expect(6, out='*is 123456789012123457ps (a)')


@test
def what_is_not_known_is_undecided(_folder):
    path = lines('a', 'span t one 0 10')
    gate(path, "inputs.rows['input=other'] > 0").expect(6, out='UNDECIDED *nothing in table inputs matches')
    gate(path, 'nowhere.rows > 0').expect(6, out='UNDECIDED *this run has no table nowhere: there are inputs, *tracks, *operators*')
    gate(path, 'operatorz.total_ns > 0').expect(6, out='*no table operatorz (did you mean operators?): there are *')
    gate(path, "tracks.parent['kind=input'] >= 0").expect(6, out='UNDECIDED *the value is unknown')
    gate(path, 'inputs.rowz > 0').expect(1, err='*no column "rowz": it has input, decoder,*')


@test
def what_is_true_or_false_is_matched_as_outputs_write_it(_folder):
    for cut in ('0', 'false'):
        gate(TPU, f"steps.duration_ns['cut={cut}'] < 1s").expect(0, out='met *')
    gate(TPU, "steps.duration_ns['cut=1'] < 1s").expect(6, out='UNDECIDED *nothing in table steps matches')


@test
def missing_events_decide_nothing(_folder):
    path = lines('a', 'span t one 0 10', 'gap t 20 5')
    gate(path, 'inputs.rows > 0').expect(6, out='UNDECIDED *events are missing (1 gap)')
    gate('--to', '15ps', path, 'inputs.rows > 0').expect(0)
    damaged = lines('b', 'span t one 0 10', 'bad', 'span t two 20 10')
    gate(damaged, 'inputs.rows > 0').expect(2, out='')
    gate('--keep-going', damaged, 'inputs.rows > 0').expect(6, out='UNDECIDED *some records could not be read')


@test
def wrong_use(_folder):
    gate(TPU).expect(1, err='*expected an INPUT and at least one demand*')
    gate(TPU, 'p9(') .expect(1, err='*"p9(": at character 4: expected one of calls, count*')
    gate('--format', 'html', TPU, 'inputs.rows > 0').expect(1, err='*expected text, markdown, junit or json*')
    gate('no-such-file', 'inputs.rows > 0').expect(2, out='')


@test
def junit_is_xml_that_names_each_row(_folder):
    path = lines('a', 'span a<&b one 0 10', 'span c\x01d two 0 10')
    result = gate('--format', 'junit', '-o', 'gate.xml', path, "tracks.rows['kind=thread'] < 1", 'inputs.rows > 0')
    result.expect(6, out='')
    suite = xml.fromstring(read('gate.xml'))
    check_same((suite.get('tests'), suite.get('failures')), ('3', '2'), 'counts')
    check_same([len(case) for case in suite], [1, 1, 0], 'failures of the cases')
    check('NOT' not in suite[2].get('name') and suite[0][0].get('type') == 'not met', 'cases')


@test
def markdown_is_a_table(_folder):
    out = gate('--format', 'markdown', TPU, 'inputs.rows > 0').expect(0).out
    check_same([line.count('|') for line in out.splitlines()], [5, 5, 5], 'bars')


if __name__ == '__main__':
    main()
