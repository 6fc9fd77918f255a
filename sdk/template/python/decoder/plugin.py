"""plugin.py - the decoder `@NAME@`.  Its format is a line of text for each span, below a first line
that says what it is; put yours in its place:

    #@NAME@
    START DURATION LANE NAME     times in ns with up to 3 decimals; DURATION - is not known"""

import re

import nprof_plugin as nprof

nprof.plugin('@NAME@', '0.1.0', 'unknown')

MAGIC = b'#@NAME@\n'  # in hex also in @NAME@.plugin: other files do not open this plugin
PROGRESS_BYTES = 1 << 20  # nprof wants to hear of us at least every 8 MB
TIME = re.compile(rb'(-?)([0-9]+)(?:\.([0-9]*))?')


def read_time(text, digits):
    """A decimal number as units of 10^-digits, exactly: times never pass through a float."""
    found = TIME.fullmatch(text)
    if not found:
        raise ValueError
    sign, whole, rest = found.group(1), found.group(2), found.group(3) or b''
    if rest[digits:].strip(b'0'):
        raise ValueError  # finer than a picosecond
    ps = int(whole + rest[:digits].ljust(digits, b'0'))
    if ps >= 1 << 63:
        raise ValueError
    return -ps if sign else ps


@nprof.decoder(
    '@NAME@',
    'spans written down as lines of text',
    formats='text that begins with #@NAME@',
    options=[nprof.Option(nprof.OPT_CHOICE, 'unit', 'ns', 'ns|us|ms', 'what times are counted in')],
    attributes=[nprof.Attribute(nprof.INT64, 'line', '', 'number of its line, from 1')],
)
class Lines:
    """One for each input."""

    def __init__(self, host, options):
        self.host = host
        self.digits = {'ns': 3, 'us': 6, 'ms': 9}[options.unit]
        self.line_key, self.wants_line = host.intern('line'), host.wanted('line')
        self.last = 0  # ps: where the last span began

    @staticmethod
    def probe(head, _path):
        return 90 if head.startswith(MAGIC) else 0

    def decode(self, data):
        if not self.probe(bytes(data[: len(MAGIC)]), ''):
            self.host.fail(nprof.E_FORMAT, 'byte 0: expected the line #@NAME@')
        writer = self.host.writer()
        at, told = len(MAGIC), 0
        for number, line in enumerate(bytes(data[at:]).split(b'\n'), 2):
            if line:
                self.add_line(writer, line, number, at)
            at = min(at + len(line) + 1, len(data))
            if at - told >= PROGRESS_BYTES:
                self.host.progress(told, at)
                told = at
        self.host.progress(told, len(data))

    def add_line(self, writer, line, number, at):
        try:
            start, duration, lane, name = line.split(b' ', 3)
            start = read_time(start, self.digits)
            duration = None if duration == b'-' else read_time(duration, self.digits)
            if not lane or not name or (duration or 0) < 0:
                raise ValueError
        except ValueError:
            self.add_damage(writer, at)
            return
        track = self.host.track(nprof.TRACK_THREAD, lane)
        self.last = start
        writer.span(track, self.host.intern(name), start, duration)
        if self.wants_line:
            writer.attr(self.line_key, number)

    def add_damage(self, writer, at):
        """nprof stops here, or goes on (--keep-going): then a gap shows where it was."""
        self.host.damage(at, 'expected START DURATION LANE NAME')
        name = self.host.intern('damaged line')
        writer.row(nprof.GAP, self.host.root(), name, self.last, 0)
