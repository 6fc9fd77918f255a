-- SPDX-License-Identifier: Apache-2.0
-- outside: what runs outside of graphs on a device that replays them for most of its work
-- when: > 5 % of the work of the device, where graphs take more than half of it
-- stake: busy_ns of table graph_outside
-- of: graph_outside
-- shown: summary
-- each: input device
-- needs: graph_outside (input device kernel kernels busy_ps share)
-- note: It is launched kernel by kernel. Prefill often is, by intent.
-- advice: capture them too, where their shapes stay the same
-- say: {count:count} kernels outside of graphs take {share:share} of the work of {device:device} ({stake:time}), most of it {name}
select input, device, sum(busy_ps) as stake, sum(share) as share, sum(kernels) as count,
  (select m.kernel from graph_outside m where m.input is o.input and m.device is o.device
   order by m.busy_ps desc, m.rowid limit 1) as name
from graph_outside o
group by input, device
having sum(share) > 0.05 and sum(share) < 0.5
order by stake desc, min(rowid)
