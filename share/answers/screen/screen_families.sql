-- SPDX-License-Identifier: Apache-2.0
-- screen_families: what kinds of kernels take the time of the device
-- line: 30 category time by kind
-- of: kernels
-- whole: device_time
-- needs: verdict (input device place)
-- needs: kernels (input device family total_ps)
-- needs: copies? (input device total_ps)
-- needs: operators? (input device level operator category self_ps)
-- note: Collectives of Ascend are no kernels, and count with their time.
-- note: A replay that is recorded as one row has no kernels: it is the family graph.
-- say: {family_1:ours} {ratio:share}[ | {family_2:ours} {share_2:share}][ | {family_3:ours} {share_3:share}][ | {family_4:ours} {share_4:share}][ | {family_5:ours} {share_5:share}] of device time
with subject as (select input, device from verdict where place = 1),
launched as (
  select input, device, family, total_ps from kernels where family is not null
  union all select input, device, 'copy', total_ps from copies
  union all
  select input, device, 'graph', self_ps from operators where level = 'category' and operator = 'cuda_graph'
  union all
  select input, device, 'communication', self_ps from operators where level = 'name' and category = 'hccl'),
summed as (
  select k.input, k.device, k.family, sum(k.total_ps) as sum_ps
  from launched k join subject s on s.device is k.device and s.input is k.input
  group by k.family),
ordered as (
  select *, row_number() over (order by sum_ps desc, family) as nth, sum_ps * 1.0 / total(sum_ps) over () as share
  from summed)
select input, device, max(case when nth = 1 then sum_ps end) as time_ps,
  max(case when nth = 1 then family end) as family_1, max(case when nth = 1 then share end) as ratio,
  max(case when nth = 2 and share >= 0.01 then family end) as family_2, max(case when nth = 2 then share end) as share_2,
  max(case when nth = 3 and share >= 0.01 then family end) as family_3, max(case when nth = 3 then share end) as share_3,
  max(case when nth = 4 and share >= 0.01 then family end) as family_4, max(case when nth = 4 then share end) as share_4,
  max(case when nth = 5 and share >= 0.01 then family end) as family_5, max(case when nth = 5 then share end) as share_5
from ordered
where share > 0
group by input, device
order by input, device
