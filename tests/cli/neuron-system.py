# SPDX-License-Identifier: Apache-2.0
"""neuron-system.py - system profiles of the Neuron runtime in their own files: drawn ones, and real
ones in the folder that NPROF_NTFF_REAL names, held against an independent reader
(tests/tools/neuron_system.py)."""

import collections
import csv
import glob
import importlib
import io
import json
import os
import re
import shutil
import struct
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))

import neuron_system as made  # noqa: E402
import ntff_make  # noqa: E402
from harness import Skip, check, check_same, main, read, run, test, write  # noqa: E402

REAL = os.environ.get('NPROF_NTFF_REAL', '')
SECOND = 10**9
neff_make = importlib.import_module('neff-make')
DEVICE_KEYS = ('device_core_idx', 'nc_timestamp_ns')


def table(name):
    return list(csv.DictReader(io.StringIO(read(f'out/{name}.csv').decode())))


def decode(*paths, how=(), status=0, err=None):
    shutil.rmtree('out', ignore_errors=True)
    return run('run', *how, '-s', 'csv', '-o', 'out/', *paths).expect(
        status, **({'err': err} if err else {})
    )


def ns(text):
    return int(Fraction(text))


def aligned(events):
    """Rows of the device on the host's clock, by the sync point of the logical core whose offset is
    nearest."""
    syncs = [
        (row[5]['nc_idx'], int(row[5]['cpu_timestamp_ns']), int(row[5]['nc_timestamp_ns']))
        for row in events
        if 'cpu_timestamp_ns' in row[5]
    ]
    for kind, thread, start, end, number, keys, stop in events:
        if all(key in keys for key in DEVICE_KEYS):
            device = int(keys['nc_timestamp_ns'])
            own = [
                (abs(host - at - (start - device)), host - at)
                for core, host, at in syncs
                if core == keys['nc_idx']
            ]
            if own:
                ahead = min(own, key=lambda pair: pair[0])[1]
                start = device + ahead
                end = None if end is None else int(stop['nc_timestamp_ns']) + ahead
        yield kind, thread, start, end, number, keys, stop


def expected_rows(folder):
    names = made.dictionaries(f'{folder}/trace_info.pb')['ntrace_inspect_type']
    rows = collections.Counter()
    for kind, thread, start, end, number, keys, _stop in aligned(
        made.events(f'{folder}/ntrace.pb')
    ):
        where = (
            f'NeuronCore {keys["device_core_idx"]}'
            if all(key in keys for key in DEVICE_KEYS)
            else f'thread {thread}'
        )
        rows[where, names[kind], start, None if end is None else end - start, number] += 1
    return rows


def found_rows(label, origin):
    """By where, name, start and duration in ns, and id."""
    rows = collections.Counter()
    for row in table('events'):
        if row['input'] == label and row['kind'] in ('span', 'instant'):
            rows[
                row['thread'],
                row['name'],
                ns(row['start_ns']) + origin,
                ns(row['duration_ns']) if row['duration_ns'] else None,
                int(row['id']),
            ] += 1
    return rows


def expected_samples(folder):
    rows = collections.Counter()
    for record in made.records(f'{folder}/cpu_util.pb'):
        one = dict(record)
        rows[f'cpu_util/{one.get(3, 0)}', one[2], one.get(1, 0.0)] += 1
    for record in made.records(f'{folder}/host_mem.pb'):
        one = dict(record)
        rows['mem_usage/used_bytes', one[2], float(one[1])] += 1
    return rows


def expected_memory(folder):
    """What the last value of each counter must be."""
    total = collections.Counter()
    for _kind, _thread, _start, _end, _number, keys, stop in made.events(f'{folder}/ntrace.pb'):
        if int(stop.get('return_code', 0)):
            continue
        change = int(stop.get('allocated_bytes', 0)) - int(stop.get('freed_bytes', 0))
        if 'allocated_bytes' in stop or 'freed_bytes' in stop:
            where = (
                f'HBM {keys["hbm_idx"]} of device {keys["mla_idx"]}'
                if keys['is_nc_hbm'] == '1'
                else 'host memory of the runtime'
            )
            total[where, keys['usage_type']] += change
    return total


def check_profile(folder, label='ntrace.pb'):
    origin = {row['input']: row['origin_unix_ns'] for row in table('inputs')}[label]
    origin = int(origin)
    check_same(found_rows(label, origin), expected_rows(folder), 'spans and instants')
    samples, memory = collections.Counter(), {}
    for row in table('events'):
        if row['input'] != label or row['kind'] != 'counter':
            continue
        name, series = row['name'].split('/', 1)
        check_same(row['unit'], '%' if name == 'cpu_util' else 'byte', row['name'])
        if name == 'allocated_since_start':
            memory[row['thread'], series] = float(row['value'])
        else:
            samples[row['name'], ns(row['start_ns']) + origin, float(row['value'])] += 1
    check_same(samples, expected_samples(folder), 'samples of CPU and memory')
    check_same(memory, dict(expected_memory(folder)), 'memory of the device at the end')
    names = made.dictionaries(f'{folder}/trace_info.pb')
    told = {
        (row['section'], int(row['field'])): row['text']
        for row in table('neuron_details')
        if row['input'] == label
    }
    check_same(
        told,
        {(name, number): text for name, rows in names.items() for number, text in rows.items()},
        'dictionaries',
    )


def expected_peaks(folder):
    """Where -> (the first of the highest sums of all uses, what each use holds then)."""
    ends = sorted(
        (end, number, keys, stop)
        for _kind, _thread, _start, end, number, keys, stop in made.events(f'{folder}/ntrace.pb')
        if end is not None and not int(stop.get('return_code', 0))
    )
    held, best = collections.defaultdict(collections.Counter), {}
    for _end, _number, keys, stop in ends:
        if 'allocated_bytes' not in stop and 'freed_bytes' not in stop:
            continue
        where = (
            f'HBM {keys["hbm_idx"]} of device {keys["mla_idx"]}'
            if keys['is_nc_hbm'] == '1'
            else 'host memory of the runtime'
        )
        held[where][keys['usage_type']] += int(stop.get('allocated_bytes', 0)) - int(
            stop.get('freed_bytes', 0)
        )
        if where not in best or sum(held[where].values()) > best[where][0]:
            best[where] = sum(held[where].values()), dict(held[where])
    return best


def check_peaks(folder):
    decode(folder, how=('-a', 'memory'))
    holders = collections.defaultdict(dict)
    for row in table('memory_holders'):
        holders[row['allocator']][row['region']] = int(row['bytes'])
        check_same((row['count'], row['age_ns']), ('', ''), 'not in the file')
    rows = table('memory')
    check(
        all(row['reason'] and not row['peak_bytes'] for row in rows),
        'what was in use before is not in the file',
    )
    found = {row['allocator']: (int(row['rise_bytes']), holders[row['allocator']]) for row in rows}
    check_same(
        found,
        {where: (max(rise, 0), uses) for where, (rise, uses) in expected_peaks(folder).items()},
        'peaks',
    )


@test
def memories_have_a_peak_and_its_holders(_folder):
    for seed in range(4):
        shutil.rmtree('made', ignore_errors=True)
        made.make('made', seed, 60)
        check_peaks('made')
    page = run('report', '--only', 'memory', 'made').expect(0).out
    check('HBM' in page and 'rise' in page, page)


@test
def memory_beside_an_ntff(_folder):
    """A system profile has no peak, so the first screen tells what its NTFF says is held."""

    def change(core):
        core.memory = [(2**33, b'profiler buffers')]

    made.make('made', 1, 60)
    write('made/profile.ntff', ntff_make.make(3, 6, bytes(range(1, 17)), change=change))
    out = run('report', 'made').expect(0).out
    check(re.search(r'^  memory +held 8\.00 GiB; Profiler Buffers 100.0 % of it$', out, re.M), out)


@test
def drawn_profiles(_folder):
    for seed in range(6):
        shutil.rmtree('made', ignore_errors=True)
        made.make('made', seed, 60, cores=1 + seed % 3, moved=seed % 2 == 0)
        decode('made', err=None)
        check_same(
            [row['input'] for row in table('inputs')], ['ntrace.pb'], 'a folder is one profile'
        )
        check_profile('made')
        flows = collections.Counter(
            (row['name'], row['flow_phase']) for row in table('events') if row['kind'] == 'flow'
        )
        cores = sum(
            row['name'] == 'nc_exec_running' and row['kind'] == 'span' for row in table('events')
        )
        check_same(flows['kbl_exec_pre', 'end'], cores, 'arrows to executions of the device')


@test
def attributes(_folder):
    made.make('made', 1, 80)
    decode('made')
    rows = table('events')
    execution = next(row for row in rows if row['name'] == 'kbl_exec_pre' and row['kind'] == 'span')
    check_same(
        (execution['neff'], execution['category']),
        ('/work/model.neff', 'runtime'),
        'names from the dictionary',
    )
    copy = next(row for row in rows if row['name'] == 'dmem_buf_copyin' and row['duration_ns'])
    check_same(json.loads(copy['args']), {'name': 'a "b"\n', 'nc_idx': 1}, 'all else')
    check(int(copy['bytes']) < 1 << 30, 'bytes')
    device = next(row for row in rows if row['name'] == 'nc_exec_running')
    check_same(device['category'], 'execution', 'rows of the device')
    check('stop_nc_timestamp_ns' in json.loads(device['args']), 'what start and stop say otherwise')


@test
def executions_are_no_work(_folder):
    """What engines did is in the NTFF: the execution of a model is a step, as there."""
    made.make('made', 1, 80)
    decode('made', how=('-a', 'steps', '-a', 'operators', '-a', 'device'))
    runs = [row for row in table('events') if row['name'] == 'nc_exec_running']
    steps = sum(int(row['steps']) for row in table('step_times'))
    check(
        len(runs) // 2 < steps <= len(runs),
        f'{steps} steps of {len(runs)} executions, of which some overlap',
    )
    check(
        not any(row['operator'] == 'nc_exec_running' for row in table('operators')), 'no operator'
    )


@test
def personal_data_has_to_be_asked_for(_folder):
    made.make('made', 2)
    decode('made')
    said = b''.join(read(path) for path in glob.glob('out/*.csv')).decode()
    check(not any(word in said for word in made.PERSONAL), 'who it was is not printed')
    decode('made', how=('-d', 'neuron-system:private=yes'))
    properties = json.loads(table('inputs')[0]['properties'])
    check_same(
        [properties[key] for key in ('instance_id', 'host_name', 'address', 'process_id')],
        [*made.PERSONAL, '4000'],
        'asked for',
    )


@test
def files_alone_and_all_named(_folder):
    made.make('made', 3)
    decode('made/cpu_util.pb', 'made/host_mem.pb', 'made/ntrace.pb', 'made/trace_info.pb')
    rows = collections.Counter(row['input'] for row in table('events'))
    check_same(rows['cpu_util.pb'], 10, 'samples once')
    check_same(rows['host_mem.pb'], 5, 'samples once')
    check(rows['trace_info.pb'] == 0 and rows['ntrace.pb'] > 50, 'events once')
    os.mkdir('alone')
    for name, what in (
        ('cpu_util', 'cpu_util/0'),
        ('host_mem', 'mem_usage/used_bytes'),
        ('ntrace', 'type 30'),
    ):
        shutil.copy(f'made/{name}.pb', f'alone/{name}.pb')
        decode('alone', err='*named by their numbers*' if name == 'ntrace' else None)
        check(any(row['name'] == what for row in table('events')), f'{name}.pb alone')
        os.remove(f'alone/{name}.pb')
    shutil.copy('made/trace_info.pb', 'alone/')
    decode('alone')
    check(table('neuron_details'), 'trace_info.pb alone')


@test
def same_from_other_names(_folder):
    """Content decides, not the name: an ntrace.pb may be called otherwise when it is named."""
    made.make('made', 4)
    shutil.copy('made/ntrace.pb', 'some.pb')
    decode('some.pb', err='*named by their numbers*')
    check(len(table('events')) > 50, 'rows')


@test
def damaged_files(_folder):
    made.make('made', 5)
    whole = read('made/ntrace.pb')
    for cut in (len(whole) // 3, len(whole) - 1):
        write('made/ntrace.pb', whole[:cut])
        decode('made', status=2, err='*ntrace.pb: byte * goes beyond the end*')
    write('made/ntrace.pb', whole[: len(whole) // 2])
    decode(
        'made', how=('-k',), status=3, err='*states * records, and * were read: the rest is lost*'
    )
    check(any(row['kind'] == 'gap' for row in table('events')), 'a gap')
    # a record whose bytes are no message; the others around it stay
    first = struct.unpack_from('<I', whole)[0]
    write('made/ntrace.pb', whole[:4] + b'\xff' * first + whole[4 + first :])
    decode('made', status=2, err=f'*ntrace.pb: byte 4: the record of {first} bytes is no message*')
    write('made/cpu_util.pb', read('made/cpu_util.pb')[:-2])
    decode(
        'made',
        how=('-k',),
        status=3,
        err=['*the record of * bytes is no message*', '*of cpu_util.pb beside it: *'],
    )
    # the origin comes before the row that says where names end
    made.make('made', 5)
    info = b''.join(
        made.put(number, value)
        for number, value in made.fields(read('made/trace_info.pb'))
        if number != 11
    )
    write('made/trace_info.pb', info)  # it says no time
    decode('made')
    origin = table('inputs')[0]['origin_unix_ns']
    write('made/trace_info.pb', info[:-3])
    decode(
        'made',
        how=('-k',),
        status=3,
        err='*of trace_info.pb beside it: this is no field of a message*',
    )
    check_same(table('inputs')[0]['origin_unix_ns'], origin, 'origin')


@test
def no_file_of_a_profile(_folder):
    write('some.pb', b'\xff' * 400)
    decode(
        'some.pb',
        how=('-d', 'neuron-system'),
        status=2,
        err='*byte 0: this is no file of a system profile*',
    )


@test
def other_instance_stays_on_its_clock(_folder):
    """An NTFF 6 of the folder lies on the host's clock by the sync point nearest to it; of another
    machine it does not."""
    maker = made.make('made', 6)
    ntff, window = ntff_on_device('made/profile.ntff', made.PERSONAL[0])
    decode('made', err=None)
    origins = {row['input']: row['origin_unix_ns'] for row in table('inputs')}
    near = min(maker.sync.values(), key=lambda sync: abs(sync[1] - window))
    check_same(
        int(origins['profile.ntff']), near[0] + window - near[1], 'its begin in time of the host'
    )
    write(
        'made/profile.ntff',
        ntff.replace(made.PERSONAL[0].encode(), b'i-0otherinstance'[: len(made.PERSONAL[0])]),
    )
    decode('made', err='*trace_info.pb is of another instance*')
    check_same(
        {row['input']: row['origin_unix_ns'] for row in table('inputs')}['profile.ntff'],
        '',
        'no absolute time',
    )


def ntff_on_device(path, instance):
    """A made NTFF of version 6 with that instance id; its bytes, and when it begins in ns of the
    device."""
    data = bytes(ntff_make.make(1, 6, bytes(range(1, 17))))
    size = struct.unpack_from('<Q', data, 1)[0]
    message = data[128 : 128 + size]
    kept = b''.join(
        made.put(number, value) for number, value in made.fields(message) if number != 17
    )
    message, rest = kept + made.put(17, instance), data[128 + size :]
    data = data[:1] + struct.pack('<Q', len(message)) + data[9:128] + message + rest
    write(path, data)
    return data, dict(made.fields(dict(made.fields(message))[15]))[2] // 1000


@test
def parameters_of_a_model(_folder):
    os.mkdir('model')
    write('model/metaneff', made.metaneff(5))
    decode('model')
    rows = table('neuron_parameters')
    check_same(
        [
            (row['name'], row['usage'], row['parameter'], row['shape'], row['type'], row['kind'])
            for row in rows[:4]
        ],
        [
            ('input0', 'input', 'layers.0.weight', '', '14', '3'),
            ('output0', 'output', '', '', '14', ''),
            ('input1', 'input', 'layers.1.weight', '129', '14', '3'),
            ('output1', 'output', '', '129', '14', ''),
        ],
        'tensors',
    )
    check_same(len(rows), 10, 'all of them')


def model(name='model/model.neff'):
    """A NEFF with inputs x [2,2] and w [2,290], and outputs y [2,290] and z, a scalar."""
    write(name, neff_make.neff(neff_make.members()))
    return name


def parameters(path):
    shutil.rmtree('out', ignore_errors=True)
    done = run('run', '-s', 'csv', '-o', 'out/', path).expect(0)
    return {(row['usage'], row['name']): row['parameter'] for row in table('tensors')}, done.err


@test
def names_of_the_framework(_folder):
    """The NEFF's tensors have the names of a metaneff beside it, if it is of this model."""
    tensors = [
        (1, 'x', (2, 2), 'ids'),
        (1, 'w', (580,), 'layers.0.weight'),
        (2, 'y', (2, 290), 'logits'),
        (2, 'z', (), None),
    ]
    os.mkdir('model')
    path = model()
    check(set(parameters(path)[0].values()) == {''}, 'nothing beside it')
    for name in ('metaneff', 'metaneff.pb'):
        write(f'model/{name}', made.metaneff_of(tensors))
        found, said = parameters(path)
        check_same(
            {key: text for key, text in found.items() if text},
            {('input', 'x'): 'ids', ('input', 'w'): 'layers.0.weight', ('output', 'y'): 'logits'},
            name,
        )
        check('metaneff' not in said, said)
        os.remove(f'model/{name}')
    whole = made.metaneff_of(tensors)
    others = {
        'no input of the name and size of "w"': made.metaneff_of([(1, 'w', (581,), 'a')]),
        'no output of the name and size of "x"': made.metaneff_of(
            [tensors[0], (2, 'x', (2, 2), 'a')]
        ),
        'no input of the name and size of "v"': made.metaneff_of([*tensors, (1, 'v', (2,), 'a')]),
        'no field at byte': whole[:-1],
        'no tensor at byte 2': made.put(1, made.put(3, 1)),
    }
    for why, data in others.items():
        write('model/metaneff', data)
        found, said = parameters(path)
        check(
            set(found.values()) == {''}
            and f'metaneff beside it is not used, for it is damaged or of another model: ' in said
            and why in said,
            f'{why}: {said}',
        )


@test
def real_profiles(_folder):
    if not REAL:
        raise Skip('NPROF_NTFF_REAL names no folder')
    paths = sorted(glob.glob(os.path.join(glob.escape(REAL), '**', 'ntrace.pb'), recursive=True))
    if not paths:
        raise Skip('no ntrace.pb in NPROF_NTFF_REAL')
    for path in paths:
        folder = os.path.dirname(path)
        decode(folder)
        check_profile(folder)
        check_peaks(folder)
        print(f'# {folder}: {sum(expected_rows(folder).values())} rows agree')


@test
def real_metaneff(_folder):
    if not REAL:
        raise Skip('NPROF_NTFF_REAL names no folder')
    for path in sorted(
        glob.glob(os.path.join(glob.escape(REAL), '**', 'metaneff'), recursive=True)
    ):
        decode(path)
        with open(path, 'rb') as file:
            tensors = [dict(made.fields(value)) for _number, value in made.fields(file.read())]
        check_same(
            [(row['name'], row['parameter']) for row in table('neuron_parameters')],
            [(t[1].decode(), t[6].decode()) for t in tensors],
            path,
        )


main()
