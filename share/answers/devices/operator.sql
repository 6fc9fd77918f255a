-- SPDX-License-Identifier: Apache-2.0
-- operator: one operator takes much of the work of a device
-- when: > 25 % of the self time
-- stake: self_ns of table operators
-- of: operators
-- shown: operators
-- each: name
-- needs: operators (input device level operator self_ps share host_self_ps)
-- needs: logical_cores? (input device)
-- note: Cores of Neuron that are one logical core are one device. An operator of a device is its instruction, or its kernel where it does not tell that: kernels
-- note: of many instructions have one name. Rows of a device stand by self time, the most first: the
-- note: first one of level hlo has no name where more work is of no instruction than of any. A path of
-- note: the framework and a layer hold the same work once more, and operators of a host wait for devices.
-- say: {name} takes {share:share} of the self time of {device:device} ({stake:time})
with cores as (
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
placed as (
  select input, device, operator,
    row_number() over (partition by input, device order by self_ps desc, at) as place
  from whole
  where level = 'hlo')
select o.input, o.device, o.operator as name, o.self_ps as stake, o.share
from whole o
left join placed f on f.place = 1 and f.device is o.device and f.input is o.input
where o.share > 0.25 and o.operator is not null and o.self_ps is not null
  and o.level = case when f.operator is null then 'name' else 'hlo' end
order by stake desc, o.at
