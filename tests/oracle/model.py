# SPDX-License-Identifier: Apache-2.0
"""model.py - what the oracle knows of a profile, whatever its format."""

import re

# Names of kernels that move data between devices.  A kernel that states a collective needs none.
COMMUNICATION = re.compile(
    r'nccl|rccl|msccl|nvshmem|hccl|oneccl|cross_device_reduce|deep_?ep'
    r'|(internode|intranode|internode_ll)::(dispatch|combine|notify|cached_notify)'
    r'|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all',
    re.IGNORECASE,
)
HLO_COMMUNICATION = re.compile(
    r'(all-reduce|all-gather|reduce-scatter|all-to-all|ragged-all-to-all|collective-permute'
    r'|collective-broadcast|send|recv)(-start|-done)?$'
)
HLO_COPY = re.compile(
    r'(copy|copy-start|copy-done|infeed|outfeed|host send|host recv|host send-done|host recv-done)$'
)
STEP = re.compile(r'ProfilerStep#?\s*(\d+)$')
# Instructions of Neuron that the vendor's total_exec_time leaves out.
NEURON_CONTROL = re.compile(
    'NOP|SET_ORDERING_MODE|EVENT_SEMAPHORE|NOTIFY|COMPARE_BRANCH|DRAIN|WRITE|TENSOR_LOAD|'
    'MODIFY_POOL'
)
HLO_CONTROL = re.compile(r'(while|conditional|call)$')


class Row:
    """One span.  track: what it lies on; kind: compute, communication, copy or control; launch: the
    host's call that it came from, or None; index: its place in the file; beside: what it overlaps
    with on its track is under way together with it, as on a stream of a GPU, and never a part of
    it."""

    __slots__ = (
        'name',
        'category',
        'first',
        'end',
        'track',
        'index',
        'args',
        'kind',
        'launch',
        'process',
        'label',
        'of_xla_host',
        'beside',
    )

    def __init__(self, name, category, first, end, track, index, args=None):
        self.name, self.category, self.first, self.end = name, category, first, end
        self.track, self.index, self.args = track, index, args or {}
        self.kind = self.launch = self.process = self.label = None
        self.of_xla_host = self.beside = False

    @property
    def interval(self):
        return self.first, self.end

    @property
    def duration(self):
        return self.end - self.first


class Device:
    """work: rows that keep it busy. beside: asynchronous transfers, which do not. around: programs,
    which widen its span. steps: those that its own line of steps shows. facts: what its plane of an
    XSpace states, or a profile of Neuron. told: of a core of Neuron, which kinds of rows were
    recorded, 'instruction' and 'dma'.
    """

    def __init__(self, label):
        self.label = label
        self.work, self.beside, self.around, self.steps = [], [], [], []
        self.facts, self.told = {}, set()


class Step:
    """One step of the program on the host."""

    def __init__(self, name, first, end, process=None, thread=None, label=None):
        self.name, self.first, self.end = name, first, end
        self.process, self.thread, self.label = process, thread, label


class Profile:
    """devices: by key. threads: the host's spans by thread. framework, wall: categories of the
    host's operators, and of all that a thread can be in (None: everything). syncs: Kineto's rows of
    calls that wait. spans: every span with an end, as (first, end, name); only_spans: the file has
    no others. origin: what is to be added to get the time since 1970. neuron: its devices are cores
    of Neuron. logical: these are one logical core. inferences: lengths of those of Furiosa's
    host."""

    def __init__(self):
        self.devices, self.threads, self.steps, self.spans, self.syncs = {}, {}, [], [], []
        self.framework, self.wall = (), None
        self.origin = 0
        self.only_spans, self.neuron, self.logical = True, False, False
        self.inferences = []

    @staticmethod
    def is_step(name):
        return bool(STEP.match(name))

    def device(self, key, label):
        return self.devices.setdefault(key, Device(label))


def hlo_kind(category, name):
    """The class of an instruction of XLA, by its category or by its own name without its number."""
    for text in (category or '', re.sub(r'[.\d]*$', '', name or '')):
        if HLO_COMMUNICATION.match(text):
            return 'communication'
        if HLO_COPY.match(text):
            return 'copy'
        if HLO_CONTROL.match(text):
            return 'control'
    return 'compute'


def neuron_kind(opcode, dma):
    return 'copy' if dma else 'control' if NEURON_CONTROL.match(opcode) else 'compute'


class Unknown(Exception):
    """The oracle does not know what is right for this file."""
