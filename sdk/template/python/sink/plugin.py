"""plugin.py - the sink `@NAME@`: a line of text for each span, "START DURATION LANE NAME" with
tabs between them, times in ns.  Put what you write in its place."""

import nprof_plugin as nprof

nprof.plugin('@NAME@', '0.1.0', 'unknown')


def nanoseconds(ps):
    """Exactly, without zeros at the end; -: the file has no end for it."""
    if ps is None:
        return '-'
    text = f'{abs(ps) // 1000}.{abs(ps) % 1000:03}'.rstrip('0').rstrip('.')
    return f'-{text}' if ps < 0 else text


@nprof.sink(
    '@NAME@',
    'spans as lines of text with tabs',
    file='@NAME@.txt',
    options=[
        nprof.Option(nprof.OPT_BOOL, 'title', 'yes', None, 'a first line that names the columns')
    ],
)
class Lines:
    def __init__(self, host, options):
        self.host, self.output = host, host.output()
        self.left_out = 0  # rows that are no spans
        if options.title:
            self.output.write('start_ns\tduration_ns\tlane\tname\n')

    def field(self, handle):
        """Text may hold any character: those that would end a field or a line become spaces."""
        return self.host.string(handle).translate({ord(c): ' ' for c in '\t\n\r'})

    def consume(self, rows):
        lines = []
        for row in rows:
            if row.kind != nprof.SPAN:
                self.left_out += 1
                continue
            lane = self.field(self.host.track_label(row.track))
            times = f'{nanoseconds(row.start)}\t{nanoseconds(row.duration)}'
            lines.append(f'{times}\t{lane}\t{self.field(row.name)}\n')
        self.output.write(''.join(lines))

    def finish(self):
        if self.left_out:
            text = f'{self.left_out} rows that are no spans were not written'
            self.host.log(nprof.WARNING, text)
