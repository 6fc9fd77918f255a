-- SPDX-License-Identifier: Apache-2.0
-- exposed: communication and copies that nothing hides
-- when: > 5 % of the span, of a device that computes
-- stake: exposed_ns of table devices, or logical_cores
-- of: devices
-- shown: summary
-- about: exposed
-- each: input device
-- needs: devices (input device span_ps exposed_ps compute_ps)
-- needs: logical_cores? (input device span_ps exposed_ps compute_ps)
-- needs: verdict? (input device place engine)
-- needs: findings? (answer input device)
-- note: A file that has nothing that computes, as a log of collectives, does not say what could
-- note: hide them.
-- note: Of a NeuronCore that is judged by its engines finding dma says it.
-- note: The device that the verdict of the first screen is of comes first.
-- note: Where the communication waits for other ranks (answer waits) it would wait beside compute as well.
-- word: do ranks: find the rank that comes last, as finding waits says
-- word: do *: run them beside compute: overlap collectives, prefetch copies
-- advice: {do:do}
-- say: Exposed transfers take {share:share} of the span of {device:device} ({stake:time})
with whole as (
  select rowid as at, input, device, span_ps, exposed_ps, compute_ps from logical_cores
  union all
  select d.rowid, d.input, d.device, d.span_ps, d.exposed_ps, d.compute_ps from devices d
  where not exists (
    select 1 from logical_cores l
    where l.input is d.input and substr(d.device, 1, length(l.device) + 1) = l.device || '/'))
select input, device, exposed_ps as stake, exposed_ps * 1.0 / span_ps as share, case when exists (
  select 1 from findings f where f.answer = 'waits' and f.input is w.input and f.device is w.device) then 'ranks' end as "do"
from whole w
where span_ps > 0 and exposed_ps * 100.0 > span_ps * 5.0 and compute_ps is not 0 and not exists (
  select 1 from verdict v where v.input is w.input and v.device is w.device and v.engine is not null)
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is w.device and v.input is w.input), stake desc, at
