-- SPDX-License-Identifier: Apache-2.0
-- operator: one operator takes much of the work of a device
-- when: > 25 % of the self time
-- stake: self_ns of table operators
-- of: operators
-- shown: operators
-- each: name
-- needs: operators (input device level operator self_ps share host_self_ps)
-- note: An operator of a device is its instruction, or its kernel where it does not tell that: kernels
-- note: of many instructions have one name. Rows of a device stand by self time, the most first: the
-- note: first one of level hlo has no name where more work is of no instruction than of any. A path of
-- note: the framework and a layer hold the same work once more, and operators of a host wait for devices.
-- say: {name} takes {share:share} of the self time of {device:device} ({stake:time})
with placed as (
  select input, device, operator,
    row_number() over (partition by input, device order by self_ps desc, rowid) as place
  from operators
  where level = 'hlo' and host_self_ps is null)
select o.input, o.device, o.operator as name, o.self_ps as stake, o.share
from operators o
left join placed f on f.place = 1 and f.device is o.device and f.input is o.input
where o.host_self_ps is null and o.share > 0.25 and o.operator is not null and o.self_ps is not null
  and o.level = case when f.operator is null then 'name' else 'hlo' end
order by stake desc, o.rowid
