# SPDX-License-Identifier: Apache-2.0
"""neuron_system.py - the system profile of the Neuron runtime (ntrace.pb, trace_info.pb,
cpu_util.pb, host_mem.pb) and metaneff: a reader of their bytes that shares nothing with nprof, and
a maker that draws them from a seed."""

import os
import random
import struct


# -- Reading
# ----------------------------------------------------------------------------------------------------------


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            value, at = struct.unpack_from('<f' if wire == 5 else '<Q', data, at)[0], at + (
                4 if wire == 5 else 8
            )
        found.append((number, value))
    return found


def records(path):
    with open(path, 'rb') as file:
        data = file.read()
    at = 0
    while at < len(data):
        size = struct.unpack_from('<I', data, at)[0]
        yield fields(data[at + 4 : at + 4 + size])
        at += 4 + size


def entry(data):
    found = dict(fields(data))
    return found.get(1, 0), found.get(2, b'').decode()


def dictionaries(path):
    """{name: {number: text}} of a trace_info.pb."""
    with open(path, 'rb') as file:
        found = [value for number, value in fields(file.read()) if number == 10]
    return {
        dict(fields(d))[1].decode(): dict(entry(v) for n, v in fields(d) if n == 2) for d in found
    }


def events(path):
    """Starts with the stop of the same id, instants alone: (type, thread, start, end, id, {key:
    text}, {key: text of the stop})."""
    started, stopped, result = [], {}, []
    for record in records(path):
        one = dict((n, v) for n, v in record if n != 12)
        keys = {key.decode(): text for key, text in (entry(v) for n, v in record if n == 12)}
        row = [one.get(7, 0), one[9], one[2], None, one[15], keys, {}]
        if one[14] == 2:
            stopped[one[15]] = row
        else:
            started.append((one[14], row))
    for phase, row in started:
        if phase == 3:
            row[3] = row[2]
        elif row[4] in stopped:
            row[3], row[6] = stopped[row[4]][2], stopped[row[4]][5]
        result.append(row)
    return result


# -- Making
# -----------------------------------------------------------------------------------------------------------


def put_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def put(number, value):
    if isinstance(value, float):
        return put_varint(number << 3 | 5) + struct.pack('<f', value)
    if isinstance(value, int):
        return put_varint(number << 3) + put_varint(value)
    value = value.encode() if isinstance(value, str) else value
    return put_varint(number << 3 | 2) + put_varint(len(value)) + value


def framed(message):
    return struct.pack('<I', len(message)) + message


def pair(number, key, text):
    return put(number, put(1, key) + put(2, text))


TYPES = {
    0: 'generic',
    3: 'nrt_execute',
    7: 'nc_exec_running',
    17: 'kbl_exec_pre',
    25: 'timestamp_sync_point',
    30: 'dmem_buf_copyin',
    34: 'nrt_dma_mem_alloc',
    35: 'nrt_dma_mem_dealloc',
}
START = 1_800_000_000_123_456_789
DEVICE = 4_000_000_000_000  # ns of the device's clock at START
PERSONAL = ('i-0feedfacecafe', 'ip-10-1-2-3', '10.1.2.3')


class Maker:
    def __init__(self, seed, cores=2, moved=True):
        self.random, self.records, self.id, self.sequence = random.Random(seed), [], 0, 0
        self.now, self.cores, self.moved = START + 10**6, cores, moved
        # the sync point of each physical core lies some us off the others
        self.sync = {core: (START + 777, DEVICE + 500 + 311 * core) for core in range(cores)}

    def later(self):
        self.now += self.random.randrange(1, 5000)
        return self.now

    def record(self, kind, phase, time, thread, number, keys):
        self.sequence += 1
        message = (
            put(2, time) + (put(7, kind) if kind else b'') + put(9, thread) + put(10, self.sequence)
        )
        for key in self.random.sample(sorted(keys), len(keys)):
            message += pair(12, key, str(keys[key]))
        self.records.append(framed(message + put(14, phase) + put(15, number)))

    def span(self, kind, thread, keys, stop_keys, ends=True):
        self.id += 1
        number = self.id
        self.record(kind, 1, self.later(), thread, number, keys)
        if ends:
            self.record(kind, 2, self.later(), thread, number, stop_keys)

    def instant(self, kind, thread, keys):
        self.id += 1
        self.record(kind, 3, self.later(), thread, self.id, keys)

    def execution(self, number):
        thread, ends = 4000, []
        self.span(17, 4001, {'nc_idx': 0, 'exec_id': number, 'model_id': 987654321}, {'nc_idx': 0})
        for core in range(self.cores):
            self.id += 1
            device = DEVICE + (self.later() - START)
            host = self.sync[core][0] + device - self.sync[core][1]
            self.record(
                7,
                1,
                host if self.moved else self.now,
                thread,
                self.id,
                {
                    'nc_idx': 0,
                    'exec_id': number,
                    'device_core_idx': core + 4,
                    'nc_timestamp_ns': device,
                },
            )
            ends.append((core, self.id, device + self.random.randrange(1, 9000)))
        for core, number, device in reversed(ends):
            host = self.sync[core][0] + device - self.sync[core][1]
            self.record(
                7,
                2,
                host if self.moved else self.later(),
                thread,
                number,
                {'nc_idx': 0, 'nc_timestamp_ns': device},
            )

    def memory(self):
        bytes_ = self.random.randrange(1, 1 << 20)
        where = {
            'hbm_idx': self.random.randrange(2),
            'mla_idx': 0,
            'is_nc_hbm': 1,
            'nc_idx': 0,
            'usage_type': self.random.choice(['tensor', 'dma rings io']),
        }
        failed = self.random.random() < 0.1
        if self.random.random() < 0.6:
            self.span(
                34,
                4002,
                where,
                {'allocated_bytes': bytes_, 'return_code': 12 if failed else 0, 'nc_idx': 0},
            )
        else:
            self.span(35, 4002, where, {'freed_bytes': bytes_, 'nc_idx': 0})

    def trace(self, n):
        for core in range(self.cores):
            host, device = self.sync[core]
            self.instant(
                25,
                4000,
                {'nc_idx': 0, 'exec_id': 1, 'cpu_timestamp_ns': host, 'nc_timestamp_ns': device},
            )
        for i in range(n):
            what = self.random.randrange(4)
            if what == 0:
                self.execution(i + 1)
            elif what == 1:
                self.memory()
            else:
                self.span(
                    self.random.choice([0, 3, 30]),
                    4000 + self.random.randrange(3),
                    {'size': self.random.randrange(1 << 30), 'name': 'a "b"\n'},
                    {'nc_idx': 1},
                    self.random.random() < 0.95,
                )
        return b''.join(self.records)

    def info(self):
        rows = b''.join(
            put(2, (put(1, number) if number else b'') + put(2, name))
            for number, name in TYPES.items()
        )
        models = put(2, put(1, 987654321) + put(2, '/work/model.neff'))
        return (
            put(1, 2)
            + put(2, 4000)
            + put(4, PERSONAL[0])
            + put(6, put(1, './ntrace.pb') + put(2, 1) + put(3, len(self.records)))
            + put(7, put(1, 2) + put(2, 'Some CPU') + put(3, 1 << 34))
            + put(10, put(1, 'ntrace_inspect_type') + rows)
            + put(10, put(1, 'system_trace') + models)
            + put(11, START)
            + put(12, START + 10**9)
            + put(13, PERSONAL[2])
            + put(15, 'trn2.3xlarge')
            + put(17, PERSONAL[1])
        )

    def processors(self, n):
        out = b''
        for i in range(n):
            for cpu in range(2):
                used = self.random.choice([0.0, self.random.randrange(800) / 8])
                out += framed(
                    (put(1, used) if used else b'')
                    + put(2, START + i * 10**9)
                    + (put(3, cpu) if cpu else b'')
                )
        return out

    def memories(self, n):
        return b''.join(
            framed(put(1, self.random.randrange(1, 1 << 36)) + put(2, START + i * 10**9))
            for i in range(n)
        )


def metaneff_of(tensors):
    """tensors: (1 for an input or 2 for an output, name, shape, parameter or None)."""
    return b''.join(
        put(
            usage,
            put(1, name)
            + put(2, b''.join(map(put_varint, shape)))
            + put(3, 14)
            + (put(6, parameter) + put(7, 3) if parameter else b''),
        )
        for usage, name, shape, parameter in tensors
    )


def metaneff(n):
    shapes = [(128 * i + 1, 7)[: i % 3] for i in range(n)]
    return metaneff_of(
        tensor
        for i, shape in enumerate(shapes)
        for tensor in (
            (1, f'input{i}', shape, f'layers.{i}.weight'),
            (2, f'output{i}', shape, None),
        )
    )


def make(folder, seed, n=40, **how):
    """Writes a profile into the folder; returns its maker."""
    os.makedirs(folder, exist_ok=True)
    maker = Maker(seed, **how)
    parts = {
        'ntrace.pb': maker.trace(n),
        'trace_info.pb': maker.info(),
        'cpu_util.pb': maker.processors(5),
        'host_mem.pb': maker.memories(5),
    }
    for name, data in parts.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(data)
    return maker
