-- SPDX-License-Identifier: Apache-2.0
-- closed_gaps: the recorder closed short gaps between work of a device
-- when: 2 of 3 gaps below 10 us, of 20 or more, are exactly 1 ns
-- stake: none: how long the device idled there is in no row
-- of: closed_gaps
-- shown: summary
-- each: input device
-- needs: closed_gaps (input device gaps closed)
-- note: No device starts work that exactly: ROCm's recorder moves a start or an end. Beside a trace whose gaps are open, times of short kernels compare two definitions.
-- advice: nothing: compare it with recordings of the same recorder alone
-- say: {closed:count} of {gaps:count} gaps of {device:device} below 10 us are 1 ns: its busy time and those of its short kernels are upper bounds
select input, device, closed, gaps, null as stake
from closed_gaps
order by closed desc, rowid
