-- SPDX-License-Identifier: Apache-2.0
-- idle: a device does nothing for much of its span
-- when: > 5 % of the span
-- stake: idle_ns of table devices, or logical_cores
-- of: devices
-- shown: gaps
-- each: input device
-- needs: devices (input device span_ps idle_ps)
-- needs: logical_cores? (input device span_ps idle_ps)
-- needs: gaps? (input device start_ps duration_ps cause ended_by)
-- needs: verdict? (input device engine)
-- word: do neuron: start transfers ahead (prefetch), more work a launch
-- word: why host: which was launched late
-- word: why launch: which was launched, and had not begun
-- word: why wait: which waited for other work
-- word: why dma: which waited for a transfer
-- word: why collective: which waited for a collective
-- word: why unlinked: whose launch the file does not have
-- word: why *: for a cause that is not known
-- advice: {do:do}
-- say: {device:device} idles {share:share} of its span ({stake:time})[, the longest for {gap_ps:time} before {name}, {cause:why}][, the longest for {nameless_ps:time} before work, {cause:why}]
with whole as (
  select rowid as at, input, device, span_ps, idle_ps from logical_cores
  union all
  select d.rowid, d.input, d.device, d.span_ps, d.idle_ps from devices d
  where not exists (
    select 1 from logical_cores l
    where l.input is d.input and substr(d.device, 1, length(l.device) + 1) = l.device || '/')),
idle as (
  select at, input, device, span_ps, idle_ps
  from whole
  where span_ps > 0 and idle_ps * 100.0 > span_ps * 5.0),
placed as (
  select i.*, (
    select g.rowid
    from gaps g
    where g.start_ps is not null and g.device is i.device and g.input is i.input
    order by g.duration_ps desc, g.rowid
    limit 1) as longest
  from idle i)
select p.input, p.device, p.idle_ps as stake, p.idle_ps * 1.0 / p.span_ps as share,
  g.duration_ps as gap_ps, g.cause, g.ended_by as name,
  case when g.ended_by is null then g.duration_ps end as nameless_ps,
  case when exists (select 1 from verdict v where v.input is p.input and v.device is p.device and v.engine is not null)
    then 'neuron' end as "do",
  g.start_ps, g.start_ps + g.duration_ps as end_ps
from placed p
left join gaps g on g.rowid = p.longest
order by stake desc, p.at
