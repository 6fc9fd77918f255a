-- SPDX-License-Identifier: Apache-2.0
-- unnamed: kernels of graphs whose operators are unknown
-- when: > 5 % of the work of the device
-- stake: busy_ns of table graphs, without what is named
-- of: graphs
-- shown: summary
-- each: input device
-- needs: graphs (input device busy_ps share named)
-- note: A recording of the capture, or of a run without graphs, names them: --eager FILE.
-- advice: record the capture, or a run without graphs, and open both: --eager FILE
-- say: Kernels of graphs without operators take {share:share} of the work of {device:device} ({stake:time})
select input, device, cast(round(sum(busy_ps * (1.0 - named))) as integer) as stake,
  sum(share * (1.0 - named)) as share
from graphs
where named is not null
group by input, device
having sum(share * (1.0 - named)) > 0.05
order by stake desc, min(rowid)
