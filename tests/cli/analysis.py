# SPDX-License-Identifier: Apache-2.0
"""analysis.py - the analyzers device and mfu on public traces, against what other tools found in
them (the folder golden beside the data), with any number of threads and rows a batch."""

import csv
import glob
import io
import json
import os

from harness import Skip, add_test, check, check_same, main, run

DATA = os.environ.get('NPROF_TEST_DATA', '')
GOLDEN = os.path.join(DATA, '..', 'golden')


def need(path):
    if not DATA or not os.path.exists(path):
        raise Skip('NPROF_TEST_DATA names no folder that has it')
    return path


def table(analyzer, name, path):
    result = run('run', '-a', analyzer, '-s', f'csv:table={name}', '-o', '-', path)
    result.expect(0)
    return list(csv.DictReader(io.StringIO(result.out)))


def ps(text):
    whole, _, rest = text.partition('.')
    return int(whole) * 1000 + int((rest + '000')[:3])


def test_duty(_folder):
    """xprof's duty cycle of each TPU, to the picosecond."""
    data = need(os.path.join(DATA, 'xplane', 'tpu_v6e_inference.xplane.pb'))
    with open(need(os.path.join(GOLDEN, 'xplane_reference', 'tpu_v6e_inference.json')), encoding='utf-8') as file:
        cores = json.load(file)['cores']
    rows = {r['device']: r for r in table('device', 'devices', data)}
    check_same(sorted(rows), sorted(cores), 'devices')
    for name, core in cores.items():
        check_same(ps(rows[name]['busy_ns']), core['duty_busy_ps'], f'busy of {name}')
        check_same(ps(rows[name]['span_ns']), core['duty_total_ps'], f'span of {name}')


def golden_times(path):
    """{gpu: {type: ns}}, rounded: the tool computes in doubles."""
    times = {}
    with open(need(path), encoding='utf-8') as file:
        for row in csv.DictReader(file):
            gpu = times.setdefault(row.get('gpu_pid'), {})
            gpu[row['type']] = round(float(row['time ms']) * 1e6)
    return times


def check_times(row, golden, tolerance):
    for column, kind in (('span_ns', 'total_time'), ('busy_ns', 'busy_time'), ('idle_ns', 'idle_time'),
                         ('compute_ns', 'computation_time')):
        check(abs(float(row[column]) - golden[kind]) <= tolerance, f'{column} {row[column]}, {kind} {golden[kind]}')


def test_gpu(_folder):
    data = need(os.path.join(DATA, 'xplane', 'gpu_mi300_conv_minimal_legacy.xplane.pb'))
    golden = golden_times(os.path.join(GOLDEN, 'tracelens_jax_conv_minimal', 'gpu_timeline.csv'))
    rows = {r['device']: r for r in table('device', 'devices', data)}
    for pid, device in (('8', '/device:GPU:7'), ('1', '/device:GPU:0')):
        check_times(rows[device], golden[pid], 0)
    check_same(round(float(rows['/device:GPU:0']['memory_ns'])), golden['1']['exposed_memcpy_time'], 'memcpy')


def test_kineto(_folder):
    """Linked work alone where the tool counts that alone; 60 ns are its own rounding."""
    found = sorted(glob.glob(os.path.join(DATA, 'json', 'tracelens_tests_traces_*.json.gz')))
    check(found or not DATA, 'the traces are not there')
    for data in found or [need('')]:
        name = os.path.basename(data).replace('tracelens_tests_traces_', '').replace('.json.gz', '')
        golden = golden_times(os.path.join(GOLDEN, 'tracelens', f'{name}_perf_report_csvs_gpu_timeline.csv'))[None]
        linked, all_work = table('device', 'linked', data), table('device', 'devices', data)
        check_same(len(all_work), 1, 'devices')
        check_times((linked or all_work)[0], golden, 60)
        memory = float(linked[0]['exposed_memory_ns'] if linked else all_work[0]['memory_ns'])
        check(abs(memory - golden['exposed_memcpy_time']) <= 60, f'{name}: exposed memory {memory}')


def test_no_more_than_all(_folder):
    """Utilisation of a real device is no more than 1.  Starts of asynchronous copies take 2 ns and move
    megabytes: what they used cannot be told."""
    data = need(os.path.join(DATA, 'xplane', 'tpu_v6e_inference.xplane.pb'))
    rows = table('mfu', 'mfu', data)
    for row in rows:
        for key in ('mfu', 'hfu', 'mbu'):
            check(not row[key] or 0 <= float(row[key]) <= 1, f'{key} of {row["operator"]}: {row[key]}')
    starts = [row for row in rows if row['operator'].startswith('copy-start')]
    check(starts and all(row['bytes'] and not row['mbu'] for row in starts), f'copy-start: {starts[:1]}')


def test_same(_folder):
    """Batches of one row and several threads change nothing."""
    for name in ('xplane/tpu_v6e_inference.xplane.pb', 'json/hta_nccl_parser_config_nccl_data.json.gz'):
        data = need(os.path.join(DATA, name))
        outs = []
        for jobs, rows in (('1', '4096'), ('3', '7')):
            result = run('run', '-j', jobs, '-a', 'device', '-a', 'mfu', '-s', 'text:format=json', '-o', '-', data,
                         env={'NPROF_BATCH_ROWS': rows})
            result.expect(0)
            outs.append(result.out)
        check_same(outs[0], outs[1], name)


add_test('duty', test_duty)
add_test('gpu', test_gpu)
add_test('kineto', test_kineto)
add_test('no-more-than-all', test_no_more_than_all)
add_test('same', test_same)
main()
