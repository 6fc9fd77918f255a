-- SPDX-License-Identifier: Apache-2.0
-- traffic: DMA moves the bytes of a kernel more than once
-- when: 2 x the bytes of inputs, outputs and weights or more, and > 5 % of the execution
-- stake: part copy of table verdict_parts, at most the time of DMA for bytes beyond these
-- of: dma
-- shown: transfers
-- each: input device
-- needs: verdict (input device base windows left_out window_ps engine)
-- needs: bound? (input process code)
-- needs: verdict_parts (input device part duration_ps)
-- needs: moved (input device kind bytes)
-- needs: devices? (input device copy_ps)
-- needs: logical_cores? (input device copy_ps)
-- needs: neuron_summary (input device metric value tensors)
-- needs: tensors? (input usage bytes name)
-- note: Each execution moves them; periods are one fewer than executions.
-- note: Of DMA that moves every byte once at the same rate the rest of its time could go: at most that of DMA alone. Tensors that a NEFF calls virtual are what lies in HBM in between.
-- say: DMA of {device:device} moves {times:factor} the bytes of inputs, outputs and weights: {all_bytes:bytes} for {size_bytes:bytes}
-- condition: if each byte moved once
-- detail: {name} ({tensor_bytes:bytes}) lies in HBM between
-- advice: keep what is between in SBUF, fuse what writes and reads it, load each tile once
with active as (
  select input, device, copy_ps as active_ps from logical_cores
  union all select d.input, d.device, d.copy_ps from devices d
  where not exists (select 1 from logical_cores l where l.input is d.input and l.device is d.device)),
core as (
  select v.rowid as at, v.input, v.device, v.window_ps, p.duration_ps as copy_ps, a.active_ps, s.tensors,
    (v.windows + coalesce(v.left_out, 0) + (v.base = 'period')) * s.value as sizes,
    (select sum(bytes) from moved m where m.input is v.input and m.device is v.device and m.kind = 'copy') as bytes
  from verdict v
  join verdict_parts p on p.input is v.input and p.device is v.device and p.part = 'copy'
  join active a on a.input is v.input and a.device is v.device
  join neuron_summary s on s.input is v.input and s.device is v.device and s.metric = 'inputs_outputs_weights_size_bytes'
  where v.engine is not null and v.window_ps > 0 and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded')),
judged as (
  select *, min(copy_ps, cast(round(active_ps * (1 - sizes * 1.0 / bytes)) as integer)) as stake
  from core where sizes > 0 and bytes >= 2 * sizes)
select j.input, j.device, j.stake, j.stake * 1.0 / j.window_ps as share,
  j.window_ps * 1.0 / (j.window_ps - j.stake) as gain, 'upper_bound' as certainty, j.bytes * 1.0 / j.sizes as times,
  j.bytes as all_bytes, cast(j.sizes as integer) as size_bytes, t.name, t.bytes as tensor_bytes
from judged j
left join tensors t on t.rowid = (select rowid from tensors v where v.input = j.tensors and v.usage = 'virtual' order by v.bytes desc, v.rowid limit 1)
where j.stake * 100.0 > j.window_ps * 5.0 and j.stake < j.window_ps
order by j.stake desc, j.at
