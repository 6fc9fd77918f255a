-- SPDX-License-Identifier: Apache-2.0
-- screen_operator: the operators with most of the device's own time
-- line: 31 top_operator
-- of: operators
-- whole: device_time
-- needs: verdict (input device place)
-- needs: operators (input device level operator category self_ps share host_self_ps)
-- needs: kernels? (input)
-- needs: copies? (input)
-- note: Where operators are but kernels, the line of kernels says it. A queue of DMA is no operator: a NeuronCore's
-- note: shares are of the time of its instructions.
-- word: of instructions: instruction time
-- word: of device: device time
-- say: {name} {ratio:share}[, {other} {next:share}] of {of:of}
with subject as (select input, device from verdict where place = 1),
mine as (
  select o.rowid as at, o.input, o.device, o.level, o.operator, o.self_ps,
    o.share / sum(case when o.category is not 'dma' then o.share end) over (partition by o.level) as part,
    o.share, o.category is 'dma' as moves, max(o.category is 'dma') over (partition by o.level) as core
  from operators o join subject s on s.device is o.device and s.input is o.input
  where o.host_self_ps is null and o.self_ps > 0 and o.share > 0),
level as (
  select case
    when (select sum(share) from mine where level = 'framework' and substr(operator, 1, 1) <> '(') >= 0.5 then 'framework'
    when (select operator from mine where level = 'hlo' order by self_ps desc, at limit 1) is not null then 'hlo'
    when not exists (select 1 from kernels union all select 1 from copies) then 'name' end as name),
ordered as (
  select m.at, m.input, m.device, m.operator, m.self_ps, m.core, case when m.core then m.part else m.share end as share,
    row_number() over (order by m.share desc, m.at) as nth
  from mine m join level l on l.name = m.level
  where not m.moves and m.operator is not null and substr(m.operator, 1, 1) <> '(' and m.operator <> '-')
select a.input, a.device, a.operator as name, a.share as ratio, a.self_ps as time_ps, case when a.core then 'instructions' else 'device' end as "of",
  b.operator as other, b.share as next
from ordered a left join ordered b on b.nth = 2 and b.share >= 0.01
where a.nth = 1
order by a.at
