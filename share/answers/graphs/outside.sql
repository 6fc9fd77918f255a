-- SPDX-License-Identifier: Apache-2.0
-- outside: what runs outside of graphs on a device that replays them for most of its work
-- when: > 5 % of the work of the device, where graphs take more than half of it
-- stake: busy_ns of table graph_outside
-- of: graph_outside
-- shown: summary
-- each: input device
-- needs: graph_outside (input device kernel kernels busy_ps share)
-- word: most most: most of it
-- note: It is launched kernel by kernel. Prefill often is, by intent.
-- advice: capture them too, where their shapes stay the same
-- say: {count:count} kernels outside of graphs take {share:share} of the work of {device:device} ({stake:time})[, {most:most} {name}][, the largest: {name}, {part:share} of it]
with most as (
  select input, device, kernel, busy_ps, row_number() over (partition by input, device order by busy_ps desc, rowid) as nth
  from graph_outside),
summed as (
  select input, device, sum(busy_ps) as stake, sum(share) as share, sum(kernels) as count, min(rowid) as at
  from graph_outside
  group by input, device)
select s.input, s.device, s.stake, s.share, s.count, m.kernel as name,
  case when 2 * m.busy_ps > s.stake then 'most' end as most,
  case when 2 * m.busy_ps <= s.stake then m.busy_ps * 1.0 / s.stake end as part
from summed s join most m on m.input is s.input and m.device is s.device and m.nth = 1
where s.share > 0.05 and s.share < 0.5
order by s.stake desc, s.at
