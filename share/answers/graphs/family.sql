-- SPDX-License-Identifier: Apache-2.0
-- family: one family of kernels takes much of the work that graphs replay
-- when: > 25 % of the work of the device
-- stake: busy_ns of table graph_families
-- of: graph_families
-- shown: summary
-- each: input device name
-- needs: graph_families? (input device family place busy_ps share)
-- note: Families are told by the names of kernels alone, so also where no recording of the capture is there.
-- say: {name} takes {share:share} of the work of {device:device}, in replays of graphs ({stake:time})
select input, device, family as name, busy_ps as stake, share
from graph_families
where place = 'graph' and share > 0.25
order by stake desc, rowid
