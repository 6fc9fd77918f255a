# SPDX-License-Identifier: Apache-2.0
"""capture.py - nprof capture through libnrt: the calls in their order, what is checked before them,
and what is said and left behind when one fails, hangs or dies. The library is
tests/tools/nrt-stub.c."""

import functools
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile

from harness import check, check_same, files_below, finish, main, read, run, start, test, write

STUB = os.environ['NPROF_NRT_STUB']
NO_VERSION = os.environ['NPROF_NRT_STUB_NO_VERSION']
MAKE = os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools', 'neff-make.py')
MODEL = 'IN1:in:F32:2x3;IN2:in:I32:4;OUT:out:BF16:4'

# These functions libnrt must have, in the order of first use.
CALLS = [
    'nrt_init',
    'nrt_load',
    'nrt_get_model_tensor_info',
    'nrt_free_model_tensor_info',
    'nrt_tensor_allocate',
    'nrt_tensor_write',
    'nrt_allocate_tensor_set',
    'nrt_add_tensor_to_tensor_set',
    'nrt_profile_start',
    'nrt_execute',
    'nrt_profile_stop',
    'nrt_destroy_tensor_set',
    'nrt_tensor_free',
    'nrt_unload',
    'nrt_close',
]
RETURN_NOTHING = {'nrt_destroy_tensor_set', 'nrt_tensor_free', 'nrt_close'}
CHANGE_NOTHING = {'nrt_free_model_tensor_info', 'nrt_unload'}  # that fail

# After the public header, both of its versions.
STATUSES = {
    1: 'failure',
    2: 'invalid',
    3: 'invalid handle',
    4: 'no resource',
    5: 'timed out',
    6: 'hardware error',
    7: 'queue full',
    9: 'not enough NeuronCores',
    10: 'unsupported NEFF version',
    11: 'no host memory',
    13: 'runtime not initialised',
    14: 'runtime closed',
    15: 'queue empty',
    101: 'execution unit unrecoverable',
    1002: 'bad input',
    1003: 'completed with numerical errors',
    1004: 'completed with errors',
    1005: 'NeuronCore busy',
    1006: 'access out of bounds',
    1100: 'collective pending',
    1200: 'stuck in a collective',
    1201: 'HBM uncorrectable error',
    1202: 'core memory uncorrectable error',
    1203: 'DMA aborted',
    1204: 'notification queue overflow',
    1205: 'HBM repairable uncorrectable error',
}
LOST = {101, 1200, 1201, 1202, 1203}

BEGIN = '''nrt_get_version(224) = 0
nrt_init(1, "", "") = 0
nrt_load({size} bytes, 0, -1) = 0
nrt_get_model_tensor_info(model) = 0
nrt_free_model_tensor_info() = 0
'''
TENSORS = '''nrt_tensor_allocate(0, 0, 24, "IN1") = 0
nrt_tensor_write("IN1", 0, 24, sum {first}) = 0
nrt_tensor_allocate(0, 0, 16, "IN2") = 0
nrt_tensor_write("IN2", 0, 16, sum 0) = 0
nrt_tensor_allocate(0, 0, 8, "OUT") = 0
nrt_allocate_tensor_set() = 0
nrt_allocate_tensor_set() = 0
nrt_add_tensor_to_tensor_set(set1, "IN1", "IN1") = 0
nrt_add_tensor_to_tensor_set(set1, "IN2", "IN2") = 0
nrt_add_tensor_to_tensor_set(set2, "OUT", "OUT") = 0
'''
PROFILED = '''nrt_profile_start(model, "{file}") = 0
nrt_execute(model, set1, set2) = {status}
nrt_profile_stop("{file}") = 0
'''
UNDO = '''nrt_destroy_tensor_set(set2) = 0
nrt_destroy_tensor_set(set1) = 0
nrt_tensor_free("OUT") = 0
nrt_tensor_free("IN2") = 0
nrt_tensor_free("IN1") = 0
nrt_unload(model) = 0
nrt_close() = 0
'''
CLOSE = 'nrt_unload(model) = 0\nnrt_close() = 0\n'


@functools.cache
def neff_bytes():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, '-B', MAKE, folder], check=True, capture_output=True)
        return read(os.path.join(folder, 'synthetic_pkg2_gz.neff'))


def neff(path='m.neff'):
    write(path, neff_bytes())
    return len(neff_bytes())


def npy(path, data, shape, descr='<f4', order=False, version=1, header=None):
    """As numpy.save writes it."""
    text = header or repr({'descr': descr, 'fortran_order': order, 'shape': shape})
    width = '<H' if version == 1 else '<I'
    fixed = 8 + struct.calcsize(width)
    text += ' ' * (-(fixed + len(text) + 1) % 64) + '\n'
    write(
        path,
        b'\x93NUMPY' + bytes([version, 0]) + struct.pack(width, len(text)) + text.encode() + data,
    )
    return path


def stubbed(stub=STUB, **extra):
    env = {'NRT_LOG': 'log', 'NRT_TENSORS': MODEL, 'NRT_VERSION': '2.31.5.0'}
    env.update({f'NRT_{k.upper()}': v for k, v in extra.items()})
    return env, stub


def capture(*arguments, stub=STUB, **extra):
    """nprof capture of m.neff into p.ntff with the stub."""
    if os.path.exists('log'):
        os.remove('log')
    env, stub = stubbed(stub, **extra)
    return run('capture', '-n', 'm.neff', '-s', 'p.ntff', '--libnrt', stub, *arguments, env=env)


def log():
    return read('log').decode() if os.path.exists('log') else ''


def called():
    return re.findall(r'^(\w+)\(', log(), flags=re.M)


def check_nothing_left():
    left = [p for p in files_below('.') if 'ntff' in p or 'nprof' in p or p.endswith('.bin')]
    check_same(left, [], 'what a failure left behind')


# -- The calls ----------------------------------------------------------------------


@test
def inputs_are_zeros_unless_given(_folder):
    size = neff()
    result = capture().expect(
        0,
        out=['libnrt 2.31.5.0', 'saved p.ntff', 'To look at it: nprof view -n m.neff -s p.ntff'],
        err='*no file was given for IN1, IN2*zero*inf or NaN*--ignore-exec-errors*',
    )
    check_same(result.err.count('zero'), 1, 'times that zeros are spoken of')
    check_same(
        log(),
        (BEGIN + TENSORS + PROFILED + UNDO).format(size=size, first=0, file='p.ntff', status=0),
        'calls',
    )
    check_same(read('p.ntff'), b'NTFF of the stub\n', 'profile')


@test
def a_given_input_is_written_byte_by_byte(_folder):
    size = neff()
    data = struct.pack('<6f', *range(1, 7))
    expected = 0
    for byte in data:
        expected = (expected * 31 + byte) % 2**64
    result = capture('IN1', npy('x.npy', data, (2, 3))).expect(0, err='*for IN2: it is zero*')
    check('IN1' not in result.err, result.err)
    check_same(
        log(),
        (BEGIN + TENSORS + PROFILED + UNDO).format(
            size=size, first=expected, file='p.ntff', status=0
        ),
        'calls',
    )


@test
def names_are_the_vendors_defaults(_folder):
    neff('file.neff')
    env, stub = stubbed()
    run('capture', '--libnrt', stub, env=env).expect(0, out='saved profile.ntff')
    check(os.path.exists('profile.ntff'), 'profile.ntff')


@test
def every_nth_execution_is_profiled(_folder):
    size = neff()
    capture('--profile-nth-exec=2').expect(0, out='saved p_exec_2.ntff')
    alone = 'nrt_execute(model, set1, set2) = 0\n'
    check_same(
        log(),
        (BEGIN + TENSORS + alone + PROFILED + UNDO).format(
            size=size, first=0, file='p_exec_2.ntff', status=0
        ),
        'calls',
    )
    capture('--num-exec', '5', '--profile-nth-exec', '2').expect(
        0, out=['saved p_exec_2.ntff', 'saved p_exec_4.ntff']
    )
    check_same(called().count('nrt_execute'), 5, 'executions')
    capture('--num-exec', '2').expect(0, out=['saved p_exec_1.ntff', 'saved p_exec_2.ntff'])


@test
def the_core_and_notifications_are_passed_on(_folder):
    neff()
    capture('--vnc', '3', '--enable-dge-notifs').expect(0)
    check('bytes, 3, -1)' in log() and 'nrt_tensor_allocate(0, 3, 24' in log(), log())
    check('set2, dge)' in log(), log())


@test
def nothing_that_is_read_is_replaced(_folder):
    neff()
    before = read('m.neff')
    os.link('m.neff', 'hard.ntff')
    for session in ('m.neff', 'hard.ntff'):
        capture('-s', session).expect(
            1, err='*this is the input m.neff, which the output would replace*'
        )
        check_same((read('m.neff'), log()), (before, ''), 'the model, and calls of libnrt')
    os.remove('hard.ntff')
    before = read(npy('a_b.npy', bytes(24), (2, 3)))
    capture('--save-output-npy', 'I', 'a_b.npy', tensors='I:in:F32:2x3;a/b:out:F32:2x3').expect(
        1, err='*a_b.npy: this is the input a_b.npy, which the output would replace*'
    )
    check_same(read('a_b.npy'), before, 'the array')
    check_nothing_left()


@test
def outputs_are_saved(_folder):
    neff()
    capture('--save-output').expect(0, out=['saved p.ntff', 'saved OUT.bin'])
    check_same(read('OUT.bin'), b'\xa5' * 8, 'bytes of the output')
    env = {'tensors': 'a/b:out:F32:2x3'}
    capture('--save-output-npy', **env).expect(0, out='saved a_b.npy')
    saved = read('a_b.npy')
    check_same(len(saved) % 64, 24, 'a header of whole 64 bytes')
    check(
        b"'descr': '<f4'" in saved
        and b"'shape': (2, 3,)" in saved
        and saved.endswith(b'\xa5' * 24),
        saved,
    )


@test
def thousands_of_tensors(_folder):
    neff()
    model = ';'.join(f'T{i}:{"in" if i % 2 else "out"}:U8:1' for i in range(4096))
    capture(tensors=model).expect(0, err='*T1, T3, T5, T7 and 2044 more*')
    check_same(called().count('nrt_tensor_free'), 4096, 'tensors that are freed')


@test
def what_libnrt_prints_goes_to_stderr(_folder):
    neff()
    result = capture(print='hello from libnrt').expect(0, err='hello from libnrt')
    check('hello' not in result.out, result.out)


@test
def a_profile_can_be_viewed_at_once(_folder):
    """nprof view says that its port is taken, so it was asked."""
    neff()
    with socket.socket() as taken:
        try:
            taken.bind(('127.0.0.1', 3001))
            taken.listen()
        except OSError:
            pass  # by somebody else
        result = capture('--view')
    check(result.status != 0 and '3001' in result.err, result.describe())
    check(os.path.exists('p.ntff'), 'the profile stays')


@test
def names_are_quoted_for_a_shell(_folder):
    neff('a b.neff')
    env, stub = stubbed()
    run('capture', '-n', 'a b.neff', '-s', "it's.ntff", '--libnrt', stub, env=env).expect(
        0, out="To look at it: nprof view -n 'a b.neff' -s 'it'\\''s.ntff'"
    )


# -- Wrong use ------------------------------------------------------------------------


@test
def names_and_files_come_in_pairs(_folder):
    neff()
    capture('IN1').expect(1, err='*pairs*IN1 has no file*')
    capture('IN1', 'x.npy', 'IN2').expect(1, err='*pairs*IN2*')
    capture('IN1', npy('x.npy', bytes(24), (2, 3)), 'IN1', 'x.npy').expect(
        1, err='*IN1 is given twice*'
    )
    check_same(log(), '', 'calls')
    check_nothing_left()


@test
def an_unknown_input_names_those_of_the_model(_folder):
    size = neff()
    capture('NOPE', npy('x.npy', bytes(24), (2, 3))).expect(
        1, err='*no input NOPE; it has IN1, IN2*'
    )
    check_same(log(), (BEGIN + CLOSE).format(size=size), 'calls')
    capture('OUT', 'x.npy').expect(1, err='*no input OUT*')
    check_nothing_left()


@test
def a_size_that_does_not_fit_names_both(_folder):
    size = neff()
    capture('IN1', npy('short.npy', bytes(16), (2, 2))).expect(
        1, err='*IN1: short.npy has 16 bytes f4?2, 2?, the model wants 24 bytes F32?2, 3?*'
    )
    check_same(log(), (BEGIN + CLOSE).format(size=size), 'calls')


@test
def another_shape_or_type_of_the_same_size_is_given(_folder):
    neff()
    for shape, descr in (((6,), '<f4'), ((3, 2), '<f4'), ((2, 3), '<i4'), ((24,), '|u1')):
        capture('IN1', npy('x.npy', bytes(24), shape, descr)).expect(
            0, err='*IN1: x.npy is *the model wants F32?2, 3?*'
        )
    for descr, said in (('<u2', False), ('|V2', False), ('<f2', True)):  # numpy has no bfloat16
        result = capture('B', npy('x.npy', bytes(8), (4,), descr), tensors='B:in:BF16:4').expect(0)
        check(('as it is' in result.err) == said, result.err)
    result = capture('S', npy('x.npy', bytes(4), (), '<i4'), tensors='S:in:I32:').expect(0, err='')
    check_same(result.err, '', 'a scalar fits')


@test
def numbers_have_limits(_folder):
    neff()
    for option in (
        '--num-exec=0',
        '--profile-nth-exec=0',
        '--vnc=-1',
        '--timeout=0',
        '--num-exec=x',
        '--bogus',
    ):
        capture(option).expect(1, err=f'*{option.split("=")[0]}*')
    check_same(log(), '', 'calls')


@test
def what_is_not_done_is_refused_by_name(_folder):
    neff()
    for option in (
        '-r',
        '-i',
        '--collectives-worker-count=4',
        '--collectives-profile-id',
        '--single-io',
        '--multi-input',
        '--io-from=neff',
    ):
        capture(option, '4').expect(1, err=f'*{option}*one worker*neuron-profile*')
    capture('--capture-systrace').expect(1, err='*--capture-systrace*')


@test
def a_session_that_cannot_be_written(_folder):
    neff()
    os.mkdir('folder')
    env, stub = stubbed()
    run('capture', '-n', 'm.neff', '-s', 'folder', '--libnrt', stub, env=env).expect(
        1, err='*folder*'
    )
    run('capture', '-n', 'm.neff', '-s', 'none/p.ntff', '--libnrt', stub, env=env).expect(
        4, err='*none*No such file*'
    )
    run('capture', '-n', 'm.neff', '-s', '/proc/p.ntff', '--libnrt', stub, env=env).expect(
        4, err='*/proc*'
    )
    check_same(log(), '', 'calls')
    run('capture', '-n', 'm.neff', '-s', 'folder/a', '--libnrt', stub, env=env).expect(
        0, out='saved folder/a'
    )
    run(
        'capture', '-n', 'm.neff', '-s', 'folder/a', '--num-exec=2', '--libnrt', stub, env=env
    ).expect(0, out='saved folder/a_exec_2')
    check_same(sorted(files_below('folder')), ['a', 'a_exec_1', 'a_exec_2'], 'files')


# -- .npy -------------------------------------------------------------------------------


@test
def forms_of_npy_that_fit(_folder):
    neff()
    data = bytes(range(24))
    good = [
        npy('v2', data, (2, 3), version=2),
        npy('v3', data, (2, 3), version=3),
        npy('equal', data, (2, 3), '=f4'),
        npy(
            'long',
            data,
            None,
            header="{'shape': (2L, 3L), 'fortran_order': False, \"descr\": '<f4', }",
        ),
        npy('flat', data, None, header="{'descr':'<f4','fortran_order':True,'shape':(1,6,),}"),
        npy('void', data, (2, 3), '|V4'),
        npy('bool', data, (24,), '|b1'),
    ]
    for path in good:
        capture('IN1', path).expect(0)


@test
def npy_files_that_are_wrong(_folder):
    neff()
    data = bytes(24)
    text = repr({'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)})
    cases = {
        'no.npy': ('hello, world', '*byte 0: this is no .npy file*'),
        'empty.npy': ('', '*byte 0: this is no .npy file*'),
        'begin.npy': (b'\x93NUMPY\1', '*ends within its header*'),
        'length.npy': (b'\x93NUMPY\2\0\1\0', '*ends within its header*'),
        'version.npy': (b'\x93NUMPY\4\0\1\0\1\0', '*byte 6: this version*'),
        'cut-header.npy': (b'\x93NUMPY\1\0\x80\0' + text.encode(), '*ends within its header*'),
        'huge-header.npy': (
            b'\x93NUMPY\2\0' + struct.pack('<I', 1 << 30) + text.encode(),
            '*byte 8*64 KiB*',
        ),
    }
    for name, (content, said) in cases.items():
        write(name, content)
        capture('IN1', name).expect(1, err=f'*{name}: {said}')
    wrong = [
        ((data, (2, 3), '>f4'), '*big-endian*'),
        ((data, (2, 3), '<f4', True), '*fortran_order*ascontiguousarray*'),
        ((data, (2, 3), '<c8'), '*type cannot be given*'),
        ((data, (2, 3), '|O'), '*type*'),
        ((data, (2, 3), '<U6'), '*type cannot be given*'),
        ((data, (2, 3), '<f'), '*type of a number*'),
        ((data, (2, 3), '<f99999'), '*type of a number*'),
        ((data, (2, 3), ''), '*type of a number*'),
        ((data[:20], (2, 3)), '*20 bytes of data follow, but f4?2, 3? takes 24*cut*'),
        ((data + b'x', (2, 3)), '*25 bytes of data follow*'),
        ((data, (1 << 40, 1 << 40)), '*larger than any file*'),
        ((data, (1 << 70,)), '*too large*'),
    ]
    for arguments, said in wrong:
        capture('IN1', npy('x.npy', *arguments)).expect(1, err=said)
    headers = [
        ("{'descr': '<f4', 'shape': (2, 3)}", '*is missing*'),
        ('[]', '*expected {*'),
        ('{', '*in quotes*'),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}", '*alone*'),
        ("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", '*twice*'),
        ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}", '*record*'),
        ("{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}", '*True or False*'),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (6)}", '*comma*'),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", '*, or )*'),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3]}", '*expected a shape*'),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}", '*a length*'),
        ("{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}", '*, or }*'),
        ("{'descr' '<f4', 'fortran_order': False, 'shape': (2, 3)}", '*expected :*'),
        ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} + 1", '*expected the end*'),
        ("{'descr': '\\x3cf4', 'fortran_order': False, 'shape': (2, 3)}", '*short text*'),
        ("{'descr': __import__('os'), 'fortran_order': False, 'shape': (2, 3)}", '*in quotes*'),
        (
            "{'descr': '<f4', 'fortran_order': False, 'shape': (" + '1, ' * 33 + ')}',
            '*32 dimensions*',
        ),
    ]
    for header, said in headers:
        capture('IN1', npy('x.npy', data, None, header=header)).expect(
            1, err=f'*x.npy: byte {said}'
        )
    capture('IN1', 'none.npy').expect(1, err='*none.npy*No such file*')
    check_same(log(), '', 'calls')
    check_nothing_left()


# -- The NEFF ---------------------------------------------------------------------------


@test
def a_neff_that_cannot_be_read_goes_to_no_device(_folder):
    neff()
    whole = read('m.neff')
    for name, content in (
        ('cut', whole[:1500]),
        ('text', b'this is no NEFF at all'),
        ('empty', b''),
    ):
        write(name, content)
        env, stub = stubbed()
        run('capture', '-n', name, '--libnrt', stub, env=env).expect(2, err=f'*{name}*')
    run('capture', '-n', 'none.neff', '--libnrt', stub, env=env).expect(
        2, err='*none.neff*No such file*-n FILE.neff*'
    )
    check_same(log(), '', 'calls')
    check_nothing_left()


@test
def a_neff_of_a_version_to_come_is_left_to_libnrt(_folder):
    neff()
    write('new.neff', b'\7' + bytes(99))
    env, stub = stubbed()
    run('capture', '-n', 'new.neff', '-s', 'p.ntff', '--libnrt', stub, env=env).expect(
        0, out='saved p.ntff', err='*new.neff*version 7*libnrt decides*'
    )


# -- libnrt that is not there, or another one -----------------------------------------------


@test
def without_libnrt(_folder):
    neff()
    capture(stub='./none.so').expect(5, err='*none.so*aws-neuronx-runtime-lib*')
    write('libnrt.so.1', read(STUB))  # in the current folder, which is no place to find it
    write('text.so', 'no library')
    capture(stub='text.so').expect(5, err='*text.so*')
    run('capture', '-n', 'm.neff', env={'NRT_LOG': 'log'}).expect(
        5, err='*libnrt.so.1*aws-neuronx-runtime-lib*'
    )
    check_same(log(), '', 'calls')
    check_nothing_left()


@test
def a_missing_function_is_named_before_any_call(_folder):
    neff()
    stub = read(STUB)
    for call in CALLS:
        write(
            'less.so',
            stub.replace(b'\0' + call.encode() + b'\0', b'\0X' + call.encode()[1:] + b'\0'),
        )
        result = capture(stub='./less.so').expect(5, err=f'*less.so has no {call}:*')
        check_same(log(), '', f'calls without {call}')
        check(result.err.count('nrt_') == 1, result.err)
    write('less.so', stub.replace(b'\0nrt_tensor_read\0', b'\0Xrt_tensor_read\0'))
    capture(stub='./less.so').expect(0)
    capture('--save-output', stub='./less.so').expect(5, err='*nrt_tensor_read*')


@test
def versions(_folder):
    neff()
    result = capture(stub=NO_VERSION).expect(0)
    check('libnrt 2' not in result.out, result.out)
    capture(version='3.0.1.0').expect(0, out='libnrt 3.0.1.0', err='*3.0.1.0*version 2*goes on*')
    check(
        'libnrt' not in capture(fail='nrt_get_version=1').expect(0).out,
        'a version that could not be had',
    )


# -- Calls that fail, hang, and end the process ------------------------------------------------


@test
def every_call_can_fail(_folder):
    neff()
    for call in CALLS:
        if call in RETURN_NOTHING:
            continue
        result = capture(fail=f'{call}=13')
        if call in CHANGE_NOTHING:
            result.expect(
                0, out='saved p.ntff', err=f'*warning*{call}: runtime not initialised (13)*'
            )
            os.remove('p.ntff')
            continue
        result.expect(4, err=f'*error: {call}: runtime not initialised (13)*')
        check_nothing_left()
        done = called()
        for one, other in (
            ('nrt_init', 'nrt_close'),
            ('nrt_load', 'nrt_unload'),
            ('nrt_tensor_allocate', 'nrt_tensor_free'),
            ('nrt_allocate_tensor_set', 'nrt_destroy_tensor_set'),
        ):
            failed = 1 if one == call else 0
            check_same(done.count(other), done.count(one) - failed, f'{other} after {call} failed')
    capture(fail='nrt_tensor_allocate@2=4').expect(4, err='*nrt_tensor_allocate: no resource (4)*')
    check_same(called()[-3:], ['nrt_tensor_free', 'nrt_unload', 'nrt_close'], 'the last calls')


@test
def a_failed_execution_ends_it_or_is_ignored(_folder):
    size = neff()
    capture(fail='nrt_execute=1004').expect(4, err='*nrt_execute: completed with errors (1004)*')
    expected = (BEGIN + TENSORS + PROFILED + UNDO).format(
        size=size, first=0, file='p.ntff', status=1004
    )
    check_same(log(), expected, 'calls')
    check_nothing_left()
    capture('--ignore-exec-errors', fail='nrt_execute=1004').expect(
        3, out='saved p.ntff', err='*warning*1004*'
    )
    check_same(log(), expected, 'calls')
    capture(
        '--ignore-exec-errors', '--num-exec=3', '--profile-nth-exec=3', fail='nrt_execute@2=1003'
    ).expect(
        3,
        out='saved p_exec_3.ntff',
        err='*nrt_execute (2 of 3): completed with numerical errors (NaN) (1003)*',
    )


@test
def every_status_has_its_words(_folder):
    neff()
    check_same(len(STATUSES), 26, 'statuses that are known, beside success')
    for status, words in STATUSES.items():
        result = capture('--ignore-exec-errors', fail=f'nrt_execute={status}')
        code, kind = (4, 'error') if status in LOST else (3, 'warning')
        result.expect(code, err=f'*{kind}: nrt_execute: {words}*({status})*')
        check(os.path.exists('p.ntff') == (code == 3), f'p.ntff after {status}')
        if code == 3:
            os.remove('p.ntff')
        check_nothing_left()
    capture(fail='nrt_load=4711').expect(4, err='*nrt_load: unknown status (4711)*')
    capture(fail='nrt_load=10').expect(4, err='*made for another runtime*')
    for status in (9, 1005):
        capture(fail=f'nrt_init={status}').expect(4, err='*NEURON_RT_VISIBLE_CORES*')
    capture(fail='nrt_profile_start=4').expect(4, err='*2.4 to 5 GB*')
    check('GB' not in capture(fail='nrt_load=4').expect(4).err, 'only profiling takes that memory')


@test
def a_profile_that_was_not_written(_folder):
    neff()
    capture(no_file='1').expect(4, err='*p.ntff: libnrt reported success but wrote nothing*')
    check_same(called()[-1], 'nrt_close', 'the last call')
    check_nothing_left()


@test
def every_call_can_hang(_folder):
    """All at once, each in a folder of its own, for each takes its second."""
    neff()
    runs = []
    for call in CALLS:
        env, stub = stubbed(log=f'log-{call}', hang=call)
        os.mkdir(call)
        runs.append(
            (
                call,
                start(
                    'capture',
                    '-n',
                    'm.neff',
                    '-s',
                    f'{call}/p.ntff',
                    '--libnrt',
                    stub,
                    '--timeout',
                    '1',
                    env=env,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                ),
            )
        )
    for call, process in runs:
        finish(process).expect(
            4, err=f'*error: {call} has not returned: ended after 1 s (--timeout)'
        )
    check_nothing_left()


@test
def a_call_that_ignores_the_end_is_killed(_folder):
    neff()
    capture('--timeout', '1', hang='nrt_execute', stubborn='1').expect(
        4, err='*nrt_execute has not returned*'
    )
    check_nothing_left()


@test
def a_process_that_dies_is_named_with_its_call(_folder):
    neff()
    for number, words in (
        (signal.SIGSEGV, 'Segmentation fault'),
        (signal.SIGABRT, 'Aborted'),
        (signal.SIGKILL, 'Killed'),
    ):
        capture(die=f'nrt_execute={int(number)}').expect(
            4, err=f'*libnrt died in nrt_execute: {words} (signal {int(number)})'
        )
        check_nothing_left()
    for status in (0, 7):
        capture(die=f'nrt_load={1000 + status}').expect(
            4, err=f'*libnrt ended the process in nrt_load, with status {status}'
        )
    capture(die='nrt_close=11').expect(4, err='*died in nrt_close*')
    check_nothing_left()


@test
def ctrl_c_ends_it_with_130(_folder):
    neff()
    for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        os.mkfifo('log')
        pipe = os.open('log', os.O_RDWR)  # hears when the execution has begun
        env, stub = stubbed(hang='nrt_execute')
        process = start(
            'capture',
            '-n',
            'm.neff',
            '-s',
            'p.ntff',
            '--libnrt',
            stub,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        heard = b''
        while b'nrt_execute' not in heard:
            check(select.select([pipe], [], [], 60)[0], 'no execution has begun')
            heard += os.read(pipe, 4096)
        process.send_signal(number)
        finish(process).expect(status)
        os.close(pipe)
        os.remove('log')
        check_nothing_left()


# -- Tensors that cannot be ------------------------------------------------------------------


@test
def tensors_that_cannot_be_are_those_of_the_neff(_folder):
    neff()
    said = {
        'count': '1152921504606846976 tensors',
        'name': 'a name that no text is',
        'control': 'a name that no text is',
        'usage': 'a usage',
        'type': 'an unknown type',
        'dims': 'more than 32 dimensions',
        'shape': 'a shape that lies nowhere',
        'size': 'a size that is not',
    }
    for what, words in said.items():
        capture(insane=what).expect(
            0, out='saved p.ntff', err=f'*{words}*: the tensors are those of the NEFF*'
        )
        for name, size in (('x', 8), ('w', 1160), ('y', 1160)):
            check(f'nrt_tensor_allocate(0, 0, {size}, "{name}")' in log(), log())
    capture(tensors='').expect(0, err='*0 tensors*those of the NEFF*')
    capture(insane='more').expect(0, err='*those of the NEFF*')  # what follows the last one is none
    os.remove('p.ntff')
    write('m.neff', b'\7' + bytes(99))  # says no tensors
    capture(insane='count').expect(4, err='*the NEFF says no tensors*')
    check_nothing_left()


if __name__ == '__main__':
    main()
