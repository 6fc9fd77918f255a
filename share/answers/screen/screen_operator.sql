-- SPDX-License-Identifier: Apache-2.0
-- screen_operator: the operators with most of the device's own time
-- line: 31 top_operator
-- of: operators
-- whole: device_time
-- needs: verdict (input device place)
-- needs: operators (input device level operator self_ps share host_self_ps)
-- needs: logical_cores? (input device)
-- needs: kernels? (input)
-- needs: copies? (input)
-- note: Where operators are but kernels, the line of kernels says it.
-- say: {name} {ratio:share}[, {other} {next:share}] of device time
with subject as (select input, device from verdict where place = 1),
cores as (
  select o.rowid as at, o.input, l.device, o.device as core, o.level, o.operator, o.self_ps, o.share
  from operators o join logical_cores l
    on l.input is o.input and substr(o.device, 1, length(l.device) + 1) = l.device || '/'
  where o.host_self_ps is null),
held as (
  select input, device, sum(all_ps) as all_ps
  from (select input, device, max(self_ps * 1.0 / share) as all_ps from cores where share > 0 group by input, device, core)
  group by input, device),
whole as (
  select o.rowid as at, o.input, o.device, o.level, o.operator, o.self_ps, o.share
  from operators o
  where o.host_self_ps is null and o.rowid not in (select at from cores)
  union all
  select min(c.at), c.input, c.device, c.level, c.operator, sum(c.self_ps), sum(c.self_ps) * 1.0 / h.all_ps
  from cores c join held h on h.input is c.input and h.device is c.device
  group by c.input, c.device, c.level, c.operator),
mine as (
  select o.*
  from whole o join subject s on s.device is o.device and s.input is o.input
  where o.self_ps > 0 and o.share > 0),
level as (
  select case
    when (select sum(share) from mine where level = 'framework' and substr(operator, 1, 1) <> '(') >= 0.5 then 'framework'
    when (select operator from mine where level = 'hlo' order by self_ps desc, at limit 1) is not null then 'hlo'
    when not exists (select 1 from kernels union all select 1 from copies) then 'name' end as name),
ordered as (
  select m.*, row_number() over (order by m.share desc, m.at) as nth
  from mine m join level l on l.name = m.level
  where m.operator is not null and substr(m.operator, 1, 1) <> '(' and m.operator <> '-')
select a.input, a.device, a.operator as name, a.share as ratio, a.self_ps as time_ps,
  b.operator as other, b.share as next
from ordered a left join ordered b on b.nth = 2 and b.share >= 0.01
where a.nth = 1
order by a.at
