-- SPDX-License-Identifier: Apache-2.0
-- idle: a device does nothing for much of its span
-- when: > 5 % of the span
-- stake: idle_ns of table devices
-- of: devices
-- shown: gaps
-- each: input device
-- needs: devices (input device span_ps idle_ps)
-- needs: gaps? (input device start_ps duration_ps cause ended_by)
-- word: why host: which was launched late
-- word: why launch: which was launched, and had not begun
-- word: why wait: which waited for other work
-- word: why dma: which waited for a transfer
-- word: why collective: which waited for a collective
-- word: why unlinked: whose launch the file does not have
-- word: why *: for a cause that is not known
-- say: {device:device} idles {share:share} of its span ({stake:time})[, the longest for {gap_ps:time} before {name}, {cause:why}][, the longest for {nameless_ps:time} before work, {cause:why}]
with placed as (
  select input, device, start_ps, duration_ps, cause, ended_by,
    row_number() over (partition by input, device order by duration_ps desc, rowid) as place
  from gaps
  where start_ps is not null and duration_ps is not null)
select d.input, d.device, d.idle_ps as stake, d.idle_ps * 1.0 / d.span_ps as share,
  g.duration_ps as gap_ps, g.cause, g.ended_by as name,
  case when g.ended_by is null then g.duration_ps end as nameless_ps,
  g.start_ps, g.start_ps + g.duration_ps as end_ps
from devices d
left join placed g on g.place = 1 and g.device is d.device and g.input is d.input
where d.span_ps > 0 and d.idle_ps * 100.0 > d.span_ps * 5.0
order by stake desc, d.rowid
