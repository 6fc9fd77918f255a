# SPDX-License-Identifier: Apache-2.0
"""neff-make.py - writes SYNTHETIC NEFF files for the tests of the decoder neff, good ones and
damaged ones.  They follow the vendor's documentation of the container; no compiler wrote them.

    neff-make.py FOLDER          one synthetic_NAME.neff for each sample
    neff-make.py --list          the names
"""

import gzip
import hashlib
import io
import json
import os
import struct
import sys
import tarfile

SLOT = 64
MACS = 1160
TRAFFIC = 2328


# -- The container -----------------------------------------------------------------


def header(
    payload,
    pkg=2,
    major=2,
    minor=0,
    data_size=None,
    digest=None,
    features=0x40038,
    name=b'synthetic',
    lnc=0,
    header_size=1024,
):
    if digest is None:
        digest = (
            hashlib.md5(payload).digest() + b'0' * 16
            if pkg == 2
            else hashlib.sha256(payload).digest()
        )
    fixed = struct.pack(
        '<5Q', pkg, header_size, len(payload) if data_size is None else data_size, major, minor
    )
    fixed += struct.pack('<128sI32s16s256s', b'1.2.3+synthetic', 2, digest, bytes(range(16)), name)
    fixed += struct.pack('<I64sQI', 1, b'\1\1', features, lnc)
    return fixed.ljust(1024, b'\0')


def info(name, size, kind=tarfile.REGTYPE, link=''):
    entry = tarfile.TarInfo(name)
    entry.size, entry.type, entry.linkname = size, kind, link
    return entry


def tar_of(members, form=tarfile.GNU_FORMAT):
    """members: (name, bytes) or a TarInfo without content."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=form) as tar:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                tar.addfile(member)
            else:
                tar.addfile(info(member[0], len(member[1])), io.BytesIO(member[1]))
    return out.getvalue()


def packed(tar):
    return gzip.compress(tar, mtime=0)


def neff(members, gz=True, form=tarfile.GNU_FORMAT, **fields):
    payload = tar_of(members, form)
    payload = packed(payload) if gz else payload
    return header(payload, **fields) + payload


def text(value):
    return json.dumps(value).encode()


# -- A model -------------------------------------------------------------------------


def graph():
    return {
        'nodes': [
            {'op': 'null', 'name': 'x', 'inputs': []},
            {'op': 'null', 'name': 'w', 'inputs': []},
            {
                'op': 'tvm_op',
                'name': 'core',
                'inputs': [[0, 0, 0], [1, 0, 0]],
                'output_names': ['y', 'z'],
                'attrs': {'func_name': '__kelf', 'kelf': 'kelf-0.json', 'num_outputs': '2'},
            },
        ],
        'arg_nodes': [0, 1],
        'heads': [[2, 0, 0], [2, 1, 0]],
        'node_row_ptr': [0, 1, 2, 4],
        'attrs': {
            'shape': ['list_shape', [[2, 2], [2, 290], [2, 290], []]],
            'dltype': ['list_str', ['float16', 'float16', 'float16', 'int32']],
        },
    }


def descriptor(source, to, sizes, **more):
    return {
        'from': source,
        'to': to,
        'from_off': 0,
        'to_off': 0,
        'to_steps': [1] * len(sizes),
        'to_sizes': sizes,
        'from_sizes': sizes,
        **more,
    }


def definition():
    return {
        'name': 'sg00',
        'pe': 'pe.json',
        'act': 'act.json',
        'sp': 'sp.json',
        'dma_queue': {
            'qIn': {'type': 'in', 'num_queues': 1, 'owner': 'pe'},
            'qData': {'type': 'data', 'queue_instances': ['qData_0', 'qData_1']},
            'qDyn': {'type': 'dynamic'},
            'qIdle': {'type': 'out'},
        },
        'var': {
            'x': {'type': 'input', 'var_id': 0, 'size': 8},
            'w': {'type': 'input', 'var_id': 1, 'size': 1160},
            'y': {'type': 'output', 'var_id': 2, 'size': 1160},
            'sb': {'type': 'state-buffer', 'var_id': 3, 'size': 4096},
            'p': {'type': 'pointer', 'var_id': 4},
        },
    }


def slots(*opcodes):
    return b''.join(bytes([opcode, 0x10]).ljust(SLOT, b'\0') for opcode in opcodes)


def members(**replaced):
    """A whole model; a keyword replaces or (None) leaves out the member of that key."""
    parts = {
        'neff': ('neff.json', text(graph())),
        'kelf': (
            'kelf-0.json',
            text({'graphs': [{'definition': 'sg00/def.json', 'name': 'sg00'}], 'version': '0.5'}),
        ),
        'info': ('info.json', text({'tool_version': '9.8.7-synthetic'})),
        'stats': (
            'hlo_stats.json',
            text(
                {
                    'ArithmeticIntensity': 2 * MACS / TRAFFIC,
                    'HloMacCount': MACS,
                    'Traffic': TRAFFIC,
                    'HloInputCount': -1,
                }
            ),
        ),
        'def': ('sg00/def.json', text(definition())),
        'pe': (
            'sg00/pe.json',
            text(
                {
                    'instr': 'pe.bin',
                    'dma': [
                        {
                            'id': 1,
                            'queue': 'qIn',
                            'desc': [
                                descriptor('x', 'sb', [4, 2]),
                                descriptor('w', 'sb', [580, 2]),
                            ],
                        },
                        {
                            'id': 2,
                            'queue': 'qData',
                            'instance_name': 'qData_1',
                            'desc': descriptor('sb', 'y', [1160]),
                        },
                        {
                            'id': 3,
                            'instance_name': 'undeclared',
                            'desc': [
                                {
                                    'op': 'add',
                                    'to': 'sb',
                                    'to_sizes': [16],
                                    'from_arr': [{'from': 'x'}, {'from': 'w'}],
                                }
                            ],
                        },
                    ],
                }
            ),
        ),
        'act': ('sg00/act.json', text({'instr': 'act.bin', 'dma': []})),
        'sp': ('sg00/sp.json', text({'instr': 'sp.bin', 'dma': []})),
        'pe_bin': ('sg00/pe.bin', slots(*[0x01, 0x02, 0x02, 0x02, 0xEE])),
        'act_bin': ('sg00/act.bin', slots(*[0x21] * 3)),
        'sp_bin': ('sg00/sp.bin', bytes(range(64))),
        'weights': ('sg00/weights.bin', bytes(1000)),
    }
    for key, value in replaced.items():
        if value is None or isinstance(value, tuple):
            parts[key] = value
        else:
            parts[key] = (parts[key][0], value)
    return [part for part in parts.values() if part]


# -- Debug info ------------------------------------------------------------------------


def varint(number):
    out = b''
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def instruction(number, name, parents=(), kind=1):
    return field(
        3,
        field(1, number)
        + field(2, name)
        + field(3, b''.join(map(varint, parents)))
        + field(6, kind),
    )


def debug_members():
    asm = field(2, b'debug_info_backend.pe.dbg') + field(4, 1)
    asm += (
        instruction(70000, b'I-1', [5, 6])
        + instruction(1, b'I-2', [6], 2)
        + instruction(2, b'I-3', [99], 3)
    )
    backend = (
        field(2, b'debug_info_hlo.dbg')
        + instruction(6, b'B-6', [11])
        + instruction(5, b'B-5', [10])
    )
    hlo = (
        field(2, b'debug_info_pttf.dbg')
        + instruction(10, b'dot.1', [20])
        + instruction(11, b'add.2', [20, 21])
    )
    pttf = instruction(20, b'model/layer_0/dense') + instruction(21, b'model/layer_1/bias')
    return [
        ('debug_info_sg00/debug_info_asm.pe.dbg', asm),
        ('debug_info_sg00/debug_info_backend.pe.dbg', backend),
        ('debug_info_sg00/debug_info_hlo.dbg', hlo),
        ('debug_info_sg00/debug_info_pttf.dbg', pttf),
        ('debug_info_sg00/debug_info_penguin.dbg', b'\xff' * 40),
    ]


# -- Samples ---------------------------------------------------------------------------


def two_subgraphs():
    kelf = text(
        {
            'graphs': [
                {'definition': './sg00/def.json'},
                {'definition': 'sg01/def.json'},
                {'definition': '../../etc/passwd'},
            ]
        }
    )
    second = definition()
    second['var']['y']['size'] = 1162
    return members(kelf=kelf) + [
        ('sg01/def.json', text(second)),
        ('sg01/pe.json', text({'instr': 'pe.bin', 'dma': []})),
        ('sg01/pe.bin', slots(0x02)),
        ('sg01/act.json', text({'instr': 'act.bin', 'dma': []})),
        ('sg01/act.bin', b''),
    ]


def unknown_sizes():
    bad = [
        descriptor('x', 'sb', [4, 2]),
        {'from': 'x', 'to': 'sb'},
        descriptor('x', 'sb', [2**40, 2**40]),
    ]
    return members(pe=text({'instr': 'pe.bin', 'dma': [{'queue': 'qIn', 'desc': bad}]}))


def bad_names():
    """As a tar may hold them; the good members must still be read."""
    evil = text({'tool_version': 'evil'})
    return [
        ('../info.json', evil),
        ('sg00/../../info.json', evil),
        ('/info.json', evil),
        ('..', evil),
        info('link.json', 0, tarfile.SYMTYPE, '/etc/passwd'),
        info('sg00', 0, tarfile.DIRTYPE),
    ] + members()


def edited(data, at, replacement):
    return data[:at] + replacement + data[at + len(replacement) :]


def edited_tar(member, junk):
    """A plain tar with junk over the header of a member."""
    data = neff(members(), gz=False)
    return edited(data, data.rindex(member), junk)


SAMPLES = {
    # good
    'pkg2_gz': lambda: neff(members()),
    'pkg1_tar': lambda: neff(members(), gz=False, pkg=1),
    'pax_dotslash': lambda: neff(
        [('./' + n, d) for n, d in members()], form=tarfile.PAX_FORMAT, pkg=1
    ),
    'pax_utf8': lambda: neff(
        members(
            pe_bin=('sg00/p\u00e9.bin', slots(0x02)), pe=text({'instr': 'p\u00e9.bin', 'dma': []})
        ),
        form=tarfile.PAX_FORMAT,
    ),
    'long_name': lambda: neff(
        members(
            pe_bin=('sg00/' + 'n' * 200 + '.bin', slots(0x02)),
            pe=text({'instr': 'n' * 200 + '.bin', 'dma': []}),
        )
    ),
    'debug': lambda: neff(members() + debug_members()),
    'subgraphs': lambda: neff(two_subgraphs()),
    'kelp': lambda: neff(members(neff=('kelp.json', text(graph())), kelf=None)),
    'no_stats': lambda: neff(members(stats=None, info=None)),
    'minus_stats': lambda: neff(
        members(stats=text({'HloMacCount': -1, 'Traffic': 1e300, 'ArithmeticIntensity': -1}))
    ),
    'huge_macs': lambda: neff(
        members(stats=b'{"HloMacCount": 99999999999999999999, "Traffic": 9223372036854775808}')
    ),
    'old_macs': lambda: neff(members(stats=text({'mac_count': 7}))),
    'unknown_sizes': lambda: neff(unknown_sizes()),
    'no_engine_json': lambda: neff(members(pe=None)),
    'no_dma_queue': lambda: neff(
        members(pe=text({'instr': 'pe.bin', 'dma': [{'id': 1, 'desc': []}]}))
    ),
    'large_json': lambda: neff(members(pe=text({'pad': 'x' * 5000, 'instr': 'pe.bin', 'dma': []}))),
    'odd_stream': lambda: neff(members(pe_bin=slots(1, 2)[:-1])),
    'other_stream': lambda: neff(members(pe_bin=slots(1) + bytes(64))),
    'long_stream': lambda: neff(members(pe_bin=slots(1, 2) * 2000)),
    'twice': lambda: neff([('info.json', text({'tool_version': 'first'}))] + members()),
    'trailing': lambda: neff(members()) + b'more',
    'empty_tar': lambda: neff([]),
    'major3': lambda: neff(members(), major=3),
    # doubtful or damaged
    'major17': lambda: neff(members(), major=17),
    'pkg3': lambda: neff(members(), pkg=3),
    'bad_hash': lambda: neff(members(info=text({'tool_version': '2.16.345.0'})), digest=b'\7' * 32),
    'header_size': lambda: neff(members(), header_size=512),
    'beyond': lambda: neff(members(), data_size=10**15),
    'not_packed': lambda: header(b'x' * 600) + b'x' * 600,
    'no_payload': lambda: header(b''),
    'bad_names': lambda: neff(bad_names()),
    'bad_names_tar': lambda: neff(bad_names(), gz=False),
    'bad_json': lambda: neff(members(**{'def': b'{"var": {\n "x": {"size": nope}}}'})),
    'bad_json_tar': lambda: neff(members(**{'def': b'{"var": {"x": }}'}), gz=False),
    'cut_json': lambda: neff(members(pe=b'{"instr": "pe.bin", "dma": [')),
    'cut_string': lambda: neff(members(stats=b'{"HloMac')),
    'empty_json': lambda: neff(members(neff=b'')),
    'array_json': lambda: neff(members(neff=b'[1, 2]')),
    'nul_json': lambda: neff(members(info=b'{"tool_version": "1"}\0{')),
    'latin_json': lambda: neff(members(info=b'{"tool_version": "\xe9"}')),
    'deep_json': lambda: neff(members(neff=b'[' * 300000)),
    'odd_types': lambda: neff(
        members(
            neff=text(
                {
                    'nodes': 3,
                    'arg_nodes': ['a', -1, 9e99, None],
                    'heads': [[], 1, [2]],
                    'attrs': {'shape': [1, 2]},
                }
            ),
            **{
                'def': text(
                    {'pe': ['pe.json'], 'act': 7, 'sp': 'sp.bin', 'var': [1], 'dma_queue': {'q': 4}}
                )
            },
        )
    ),
    'gzip_garbage': lambda: (lambda p: header(p) + p)(b'\x1f\x8b' + b'\x55' * 500),
    'gzip_cut': lambda: (lambda p: header(p) + p)(packed(tar_of(members()))[:600]),
    'tar_cut': lambda: (lambda p: header(p) + p)(tar_of(members())[:2600]),
    'tar_junk': lambda: edited_tar(b'sg00/def.json', b'\xff' * 300),
    'bomb': lambda: neff([('weights.npy', bytes(120 << 20))] + members()),
    'bomb_json': lambda: neff(members() + [('sg00/a.json', b' ' * (120 << 20))]),
}


def main():
    if sys.argv[1:] == ['--list']:
        print('\n'.join(SAMPLES))
        return
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, make in SAMPLES.items():
        with open(os.path.join(folder, f'synthetic_{name}.neff'), 'wb') as file:
            file.write(make())


if __name__ == '__main__':
    main()
