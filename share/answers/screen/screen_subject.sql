-- SPDX-License-Identifier: Apache-2.0
-- screen_subject: what was profiled: by what, which devices, how many steps
-- line: 1 subject Summary
-- needs: inputs (input decoder properties)
-- needs: verdict? (input device place base windows left_out lag_ps median_ps)
-- needs: verdict_windows? (input device duration_ps)
-- needs: facts? (input track key value source)
-- needs: abilities (question code why)
-- needs: tracks (input track kind label)
-- needs: devices? (input device)
-- needs: logical_cores? (cores)
-- needs: step_breakdown? (input device step cut)
-- needs: ranks? (rank file)
-- needs: job? (missing)
-- needs: phases? (steps)
-- word: maker chrome: trace events
-- word: maker perfetto: Perfetto
-- word: maker parquet: Parquet
-- word: maker store: a stored profile
-- word: maker foreign: a profile
-- word: steps one: 1 step
-- word: steps none: no steps in the file
-- word: pace step: slowest rank
-- word: pace span: busiest rank
-- word: pace alone: rank
-- word: slow step: slowest
-- word: slow span: busiest
-- note: Who recorded it is said by ability recorder alone; of other programs the format is named.
-- note: A period repeats where it does so three times or more, and none takes more than twice their median;
-- note: else how many there are is said, and how long.
-- say: [{why:ours}][{maker:maker}][ of {name}][, {job:count} of {least:count} or more ranks][, job of {all:count} ranks][, missing ranks: {because}][, {n:count}x {other}][, {device}][, {slow:slow} of {devices:count}][, {pace:pace} {nth:count}][ of {world:count}][ of {than:count} or more][, {steps:count} steps][, {few:steps}][ and {cut:count} cut][, a period of {period_ps:time} repeats {times:count} times][, {periods:count} periods, {least_ps:time} to {most_ps:time}][, one period of {alone_ps:time}]
with subject as (
  select input, device, base, windows, median_ps,
    case when base = 'phase' then windows + left_out + (lag_ps is not null) end as phases
  from verdict where place = 1),
paced as (
  select s.input, s.device, s.windows as n, s.median_ps, min(w.duration_ps) as least_ps, max(w.duration_ps) as most_ps,
    s.windows >= 3 and coalesce(max(w.duration_ps) <= 2 * s.median_ps, 1) as even
  from subject s left join verdict_windows w on w.input is s.input and w.device is s.device
  where s.base = 'period'),
labelled as (
  select input, track, label from tracks where kind = 'device'),
typed as (
  select f.input, l.label as device, f.value, f.track
  from facts f left join labelled l on l.input is f.input and l.track = f.track
  where f.key = 'device_type'),
named as (
  select coalesce(
    (select value from typed t, subject s where t.input is s.input and t.device is s.device limit 1),
    (select value from typed t, subject s where t.input is s.input limit 1),
    (select value from typed where not exists (select 1 from subject) limit 1)) as value),
stepped as (
  select count(case when coalesce(b.cut, 0) = 0 then 1 end) as whole, count(case when b.cut then 1 end) as cut
  from step_breakdown b join subject s on s.input is b.input and s.device is b.device
  where b.step is not null),
stated as (
  select rowid as at, input, decoder,
    case when instr(properties, '"rank":"') then cast(substr(properties, instr(properties, '"rank":"') + 8) as integer) end as own,
    case when instr(properties, '"world_size":"') then cast(substr(properties, instr(properties, '"world_size":"') + 14) as integer) end as world
  from inputs),
first as (select * from stated order by at limit 1),
-- Of one rank of a job a device is one, however many recordings it has; a job of one rank is any run.
counted as (
  select count(*) - (select cast(total(cores - 1) as integer) from logical_cores) as n
  from (
    select distinct d.device, coalesce(case when coalesce(i.world, 2) > 1 then i.own end, d.input) from devices d left join stated i on i.input is d.input)),
linked as (
  select max(cast(substr(properties, instr(properties, '"world_least":"') + 15) as integer)) as least
  from inputs where instr(properties, '"world_least":"') and not exists (
    select 1 from inputs where instr(properties, '"world_size":"')))
select s.input, s.device, n.value as other,
  case when instr(i.decoder, '.') then i.decoder end as name,
  case when w.code <> 'other' then w.why end as why,
  case when w.code = 'other' then case when instr(i.decoder, '.') then 'foreign' else i.decoder end end as maker,
  case when n.value is not null then max(c.n, 1) end as n,
  case when c.n > 1 and j.n < 2 and s.input is not null then case s.base when 'span' then 'span' else 'step' end end as slow,
  case when c.n > 1 and j.n < 2 then c.n end as devices,
  case when coalesce(r.rank, i.own) is null then null when r.rank is null or j.n < 2 then 'alone'
    when s.base = 'span' then 'span' else 'step' end as pace,
  coalesce(r.rank, i.own) as nth, case when r.rank is null or j.n < 2 then i.world end as world,
  case when j.n < 2 and l.least > 1 and coalesce(r.rank, i.own) is not null then l.least end as than,
  case when j.n > 1 and l.least > j.n then j.n end as job, case when l.least > j.n then l.least end as least,
  case when j.n > 1 and coalesce(l.least, 0) <= j.n then j.n end as "all",
  case when j.n > 1 then (select missing from job where missing not in ('', 'none') limit 1) end as because,
  case when t.whole > 1 then t.whole when t.whole = 0 then s.phases end as steps, case when t.whole > 0 and t.cut > 0 then t.cut end as cut,
  case when t.whole = 1 or s.base = 'phase1' then 'one' when t.whole = 0 and s.base = 'span' and not exists (select 1 from phases where steps > 0) then 'none' end as few,
  case when t.whole = 0 and p.even then p.median_ps end as period_ps,
  case when t.whole = 0 and p.even then p.n end as times,
  case when t.whole = 0 and not p.even and p.n > 1 then p.n end as periods, p.least_ps, p.most_ps,
  case when t.whole = 0 and p.n = 1 then p.median_ps end as alone_ps,
  coalesce(nullif(t.whole, 0), s.phases, s.windows) as count
from first i join (select count(distinct rank) as n from ranks) j join linked l
join (select max(code) as code, max(why) as why from abilities where question = 'recorder') w
join named n join stepped t join counted c
left join subject s on 1
left join paced p on p.n > 0
left join ranks r on r.file is s.input
order by s.input limit 1
