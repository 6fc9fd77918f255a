-- SPDX-License-Identifier: Apache-2.0
-- gap: the longest gap of devices of which none idles for much of its windows or span
-- when: the longest, and 1 % of the window or more
-- stake: duration_ns of table gaps, of its parts of all causes
-- of: gaps
-- shown: gaps
-- about: idle
-- needs: verdict? (input device base window_ps)
-- needs: gaps (input device start_ps duration_ps cause ended_by)
-- needs: devices? (input device span_ps idle_ps)
-- needs: logical_cores? (input device span_ps idle_ps)
-- needs: verdict_parts? (input device part duration_ps)
-- needs: verdict_windows? (input device start_ps duration_ps)
-- note: A gap that finding idle takes for a wait for work that was not recorded is none, and of one that reaches over the
-- note: ends of the windows that count what lies within, as there.
-- word: why host: which was not launched yet
-- word: why launch: which was launched, and had not begun
-- word: why wait: which waited for other work
-- word: why dma: which waited for a transfer
-- word: why collective: which waited for a collective
-- word: why unlinked: whose launch the file does not have
-- word: why several: for several causes
-- word: why *: for a cause that is not known
-- word: nameless work: work
-- word: do host: launch ahead of the device, in fewer and longer calls
-- word: do launch: fewer launches, of longer work
-- word: do wait: fewer dependencies between its queues
-- word: do dma: start transfers ahead (prefetch)
-- word: do collective: find the rank that comes last
-- word: do *: record the calls that launch its work
-- advice: {do:do}
-- say: {device:device} idles for {stake:time} before [{name}][{other_work:nameless}], {cause:why}
with whole as (
  select rowid as at, input, device, span_ps, idle_ps from logical_cores
  union all
  select d.rowid, d.input, d.device, d.span_ps, d.idle_ps from devices d
  where not exists (
    select 1 from logical_cores l
    where l.input is d.input and substr(d.device, 1, length(l.device) + 1) = l.device || '/')),
unrecorded as (
  select g.rowid as gap, g.input, g.device, g.duration_ps
  from gaps g join (select distinct input, device from gaps where cause = 'launch') l on l.input is g.input and l.device is g.device
  where g.cause in ('launch', 'wait') and g.start_ps is not null and g.duration_ps > 1000000000
    and not exists (select 1 from devices d where d.input is g.input and d.device is not g.device)
    and (exists (
      select 1 from verdict_parts p
      where p.input is g.input and p.device is g.device and p.part = 'unrecorded' and 10 * p.duration_ps >= 9 * g.duration_ps)
    or g.start_ps + g.duration_ps <= (
      select min(w.start_ps) from verdict_windows w where w.input is g.input and w.device is g.device) + 1000000000)),
lost as (
  select input, device, sum(duration_ps) as lost_ps from unrecorded group by input, device),
judged as (
  select v.input, v.device, v.base, v.window_ps,
    (select sum(p.duration_ps) from verdict_parts p where p.input is v.input and p.device is v.device
      and p.part not in ('compute', 'comm', 'copy', 'control', 'lost', 'opaque', 'unrecorded')) as idle_ps,
    (select sum(p.duration_ps) from verdict_parts p where p.input is v.input and p.device is v.device
      and p.part = 'unrecorded') as lost_ps
  from verdict v
  where v.base <> 'span' and v.window_ps > 0
    and exists (select 1 from verdict_windows w where w.input is v.input and w.device is v.device)),
counted as (
  select w.at, w.input, w.device, coalesce(j.base, 'span') as base, coalesce(j.window_ps, w.span_ps) as span_ps,
    case when j.base is not null then coalesce(j.idle_ps, 0) else w.idle_ps - coalesce(l.lost_ps, 0) end as idle_ps,
    case when j.base is not null then j.lost_ps else l.lost_ps end as lost_ps
  from whole w left join judged j on j.input is w.input and j.device is w.device
    left join lost l on l.input is w.input and l.device is w.device),
-- Windows without a break between them are one run; without windows all is.
runs as (
  select input, device, min(start_ps) as start_ps, max(end_ps) as end_ps
  from (
    select *, sum(begins) over (partition by input, device order by start_ps) as run
    from (
      select w.input, w.device, w.start_ps, w.start_ps + w.duration_ps as end_ps,
        lag(w.start_ps + w.duration_ps) over (partition by w.input, w.device order by w.start_ps) is not w.start_ps as begins
      from verdict_windows w join counted c on c.input is w.input and c.device is w.device and c.base <> 'span'))
  group by input, device, run
  union all
  select input, device, -9000000000000000000, 9000000000000000000 from counted where base = 'span'),
within as (
  select at, input, device, max(start_ps, run_start) as start_ps, min(end_ps, run_end) - max(start_ps, run_start) as duration_ps,
    cause, ended_by
  from (
    select *, max(case when at is null then start_ps end) over before as run_start,
      max(case when at is null then end_ps end) over before as run_end
    from (
      select rowid as at, input, device, start_ps, start_ps + duration_ps as end_ps, cause, ended_by, start_ps + duration_ps as placed_ps
      from gaps where start_ps is not null and rowid not in (select gap from unrecorded)
      union all
      select null, input, device, start_ps, end_ps, null, null, start_ps from runs)
    window before as (partition by input, device order by placed_ps, at is null rows unbounded preceding))
  where at is not null and min(end_ps, run_end) > max(start_ps, run_start)),
longest as (
  select g.*
  from (
    select 1
    where not exists (select 1 from counted where span_ps > 0 and idle_ps * 100.0 > span_ps * 5.0)) as none
  join within g
  order by g.duration_ps desc, g.at
  limit 1),
-- A gap is in as many rows as it has causes, one behind the other with one end: that with the longest row is told.
near as (
  select l.at, l.start_ps as from_ps, g.start_ps, g.duration_ps,
    lag(g.start_ps + g.duration_ps) over (partition by l.at order by g.start_ps, g.at) is not g.start_ps as begins
  from longest l join within g on g.device is l.device and g.input is l.input and g.ended_by is l.ended_by
    and g.start_ps between l.start_ps - 2 * l.duration_ps and l.start_ps + 2 * l.duration_ps),
numbered as (
  select *, sum(begins) over (partition by at order by start_ps) as number from near),
whole_gaps as (
  select at, min(start_ps) as start_ps, sum(duration_ps) as duration_ps
  from numbered group by at, number having sum(start_ps = from_ps) > 0)
select g.input, g.device, w.duration_ps as stake, case when 2 * g.duration_ps >= w.duration_ps then g.cause else 'several' end as cause,
  g.cause as "do", g.ended_by as name, case when g.ended_by is null then 'work' end as other_work,
  w.start_ps, w.start_ps + w.duration_ps as end_ps
from longest g join whole_gaps w on w.at = g.at
where not exists (
  select 1 from verdict v where v.input is g.input and v.device is g.device and w.duration_ps * 100.0 < v.window_ps)
order by stake desc, g.at
