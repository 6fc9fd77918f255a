-- SPDX-License-Identifier: Apache-2.0
-- screen_idle: what the device waits for while it idles, the largest causes first
-- line: 21 idle
-- of: idle_causes
-- needs: verdict (input device place base windows window_ps)
-- needs: bound? (input process code)
-- needs: verdict_parts (input device part gaps duration_ps place place_time_ps)
-- note: In brackets, where more than half of the cause is.
-- word: cause bubble: waiting for its neighbours in the pipeline
-- word: cause opaque: inside graphs recorded as one
-- words: cause parts
-- word: whole step: a mean step
-- word: whole step1: the step
-- word: whole phase: a mean step
-- word: whole phase1: the step
-- word: whole period: a mean period
-- word: whole span: the span
-- say: {ratio:share} of {base:whole}: {one:cause} {one_ps:time}[ ({name})][, {two:cause} {two_ps:time}][ ({other})][, {three:cause} {three_ps:time}]
with hidden as (
  select 1 from bound b join verdict v on v.place = 1 and v.device is b.process and v.input is b.input
  where b.code = 'undetermined.not_recorded'),
subject as (select input, device, base, window_ps, windows as n from verdict
  where place = 1 and window_ps > 0 and not exists (select 1 from hidden)),
parts as (
  select p.part, sum(p.duration_ps) as sum_ps
  from verdict_parts p join subject s on s.device is p.device and s.input is p.input
  where p.part not in ('compute', 'comm', 'copy', 'control', 'lost')
  group by p.part),
places as (
  select p.part, p.place
  from verdict_parts p join subject s on s.device is p.device and s.input is p.input
    join parts a on a.part = p.part
  where p.place is not null
  group by p.part, p.place having 2 * sum(p.place_time_ps) > max(a.sum_ps)),
ordered as (
  select a.*, row_number() over (order by a.sum_ps desc, a.part) as nth, case when a.part <> 'wait' then p.place end as named
  from parts a left join places p on p.part = a.part where a.sum_ps > 0)
select s.input, s.device, s.base, s.base as whole,
  sum(o.sum_ps) * 1.0 / s.window_ps as ratio, cast(round(sum(o.sum_ps) * 1.0 / s.n) as integer) as time_ps,
  max(case when o.nth = 1 then o.part end) as one,
  max(case when o.nth = 1 then cast(round(o.sum_ps * 1.0 / s.n) as integer) end) as one_ps,
  max(case when o.nth = 1 then o.named end) as name,
  max(case when o.nth = 2 then o.part end) as two,
  max(case when o.nth = 2 then cast(round(o.sum_ps * 1.0 / s.n) as integer) end) as two_ps,
  max(case when o.nth = 2 then o.named end) as other,
  max(case when o.nth = 3 then o.part end) as three,
  max(case when o.nth = 3 then cast(round(o.sum_ps * 1.0 / s.n) as integer) end) as three_ps
from subject s join ordered o
group by s.input, s.device
having sum(o.sum_ps) * 100 >= s.window_ps
order by s.input, s.device
