"""plugin.py - the analyzer `@NAME@`: how many spans of each name an input has, and how long
they are together, in the table `@TABLE@`.  Put your question in its place."""

import nprof_plugin as nprof

nprof.plugin('@NAME@', '0.1.0', 'unknown')

TABLE = nprof.Table(
    '@TABLE@',
    'Spans by name',
    'Spans that the file does not end are counted, and in no sum.',
    [
        nprof.key(nprof.STRING, 'name', '', 'name of the spans'),
        nprof.value(nprof.INT64, 'spans', '', 'how many'),
        nprof.value(nprof.INT64, 'unclosed', '', 'how many of them have no end'),
        nprof.value(nprof.INT64, 'total_ns', 'ps', 'their durations together'),
    ],
)


@nprof.analyzer(
    '@NAME@',
    'how many spans of each name there are, and how long they are together',
    tables=[TABLE],
    options=[
        nprof.Option(
            nprof.OPT_INT, 'least', '1', '1..1000000000', 'spans that a name must have to get a row'
        )
    ],
)
class Totals:
    def __init__(self, host, options):
        self.host, self.least = host, options.least
        self.durations = (
            {}
        )  # by input and name, in order of first appearance; handles have no order

    def consume(self, rows):
        for row in rows:
            if row.kind == nprof.SPAN:
                self.add(self.durations.setdefault((rows.input, row.name), [0, 0, 0]), row.duration)

    @staticmethod
    def add(total, duration):
        total[0] += 1
        if duration is None:
            total[1] += 1
        else:
            total[2] += duration

    def finish(self):
        for (number, name), (spans, unclosed, ps) in self.durations.items():
            if spans >= self.least:
                known = unclosed < spans and ps < 1 << 63  # an unknown total is None, never 0
                label = self.host.input_label(number)
                self.host.row(TABLE, label, name, spans, unclosed, ps if known else None)
