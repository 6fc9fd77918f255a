-- SPDX-License-Identifier: Apache-2.0
-- packets: small packets take much of the time of DMA
-- when: < 2 KiB for > 25 % of the time of packets, and > 5 % of the execution
-- stake: small_dma_active_time of table neuron_summary, at most part copy of table verdict_parts
-- of: neuron_summary
-- shown: transfers
-- each: input device
-- needs: verdict (input device window_ps engine)
-- needs: bound? (input process code)
-- needs: verdict_parts (input device part duration_ps)
-- needs: moved (input device kind calls duration_ps bytes)
-- needs: neuron_summary (input device metric value)
-- note: A DMA engine needs 2 KiB and more in a row for most of its rate. If these packets cost nothing an execution
-- note: ends no sooner than the time in which any of them moves earlier, nor than that of DMA alone.
-- say: {small:count} of {calls:count} DMA packets of {device:device} are below 2 KiB: {taken:share} of the time of packets for {part:share} of the bytes
-- condition: if they took no time
-- advice: 2 KiB or more a descriptor: longer contiguous rows, one transfer for several tiles
with core as (
  select v.rowid as at, v.input, v.device, v.window_ps, p.duration_ps as copy_ps,
    (select sum(calls) from moved m where m.input is v.input and m.device is v.device and m.kind = 'copy') as calls,
    (select sum(bytes) from moved m where m.input is v.input and m.device is v.device and m.kind = 'copy') as bytes,
    (select sum(duration_ps) from moved m where m.input is v.input and m.device is v.device and m.kind = 'copy') as time_ps
  from verdict v join verdict_parts p on p.input is v.input and p.device is v.device and p.part = 'copy'
  where v.engine is not null and v.window_ps > 0 and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded')),
small as (
  select input, device, max(case when metric = 'small_dma_packet_count' then value end) as small,
    max(case when metric = 'small_dma_packet_size' then value end) as bytes,
    cast(round(1e12 * max(case when metric = 'small_dma_packet_time' then value end)) as integer) as time_ps,
    cast(round(1e12 * max(case when metric = 'small_dma_active_time' then value end)) as integer) as active_ps
  from neuron_summary group by input, device),
judged as (
  select c.*, s.small, s.bytes as small_bytes, s.time_ps as small_time, min(c.copy_ps, s.active_ps) as stake
  from core c join small s on s.input is c.input and s.device is c.device)
select input, device, stake, stake * 1.0 / window_ps as share, window_ps * 1.0 / (window_ps - stake) as gain,
  'upper_bound' as certainty, cast(small as integer) as small, calls, small_time * 1.0 / time_ps as taken,
  small_bytes * 1.0 / bytes as part
from judged
where small_time * 4.0 > time_ps and stake * 100.0 > window_ps * 5.0 and stake < window_ps and bytes > 0
order by stake desc, at
