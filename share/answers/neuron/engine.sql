-- SPDX-License-Identifier: Apache-2.0
-- engine: the engine of a NeuronCore that works longest
-- when: it bounds the execution
-- stake: its active time of table neuron_summary, at most what computes alone
-- of: neuron_summary
-- shown: summary
-- each: input device
-- needs: verdict (input device code share engine window_ps)
-- needs: bound? (input process code)
-- needs: devices? (input device mfu compute_ps overlap_ps)
-- needs: logical_cores? (input device compute_ps overlap_ps)
-- needs: neuron_summary (input device metric value tensors)
-- needs: tensors? (input usage dtype)
-- words: engine dma
-- word: do tensor: moving tiles of 512 columns, weights that stay stationary, fp8
-- word: do fp32: bf16 operands for fp32, which pass four times; moving tiles of 512 columns
-- word: do scalar: fewer and longer ACTIVATE (scale and bias within), work for the vector engine
-- word: do vector: bf16 tiles, fused instructions, work for the scalar and GPSIMD engines
-- word: do gpsimd: DMA descriptors by hardware (hwdge) or in rings, work for the vector engine
-- note: How much faster it could be the file does not say; beside the use of the tensor engine stands what of its
-- note: peak that is.
-- say: The {engine:engine} of {device:device} works longest, {share:share} of the execution
-- detail: {mfu:share} of the peak of the tensor engine
-- advice: {kind:do}
with alone as (
  select input, device, compute_ps - overlap_ps as alone_ps from logical_cores
  union all select d.input, d.device, d.compute_ps - d.overlap_ps from devices d
  where not exists (select 1 from logical_cores l where l.input is d.input and l.device is d.device))
select v.input, v.device, v.engine, v.share,
  case when v.engine = 'tensor' and exists (select 1 from tensors t where t.input = s.tensors and t.usage = 'input' and t.dtype in ('float32', 'fp32')) then 'fp32' else v.engine end as kind,
  min(a.alone_ps, cast(round(1e12 * s.value) as integer)) as stake,
  case when v.engine = 'tensor' then (select max(mfu) from devices d where d.compute_ps > 0 and d.input is v.input and (d.device is v.device or substr(d.device, 1, length(v.device) + 1) = v.device || '/')) end as mfu
from verdict v
join alone a on a.input is v.input and a.device is v.device
join neuron_summary s on s.input is v.input and s.device is v.device and s.metric = v.engine || '_engine_active_time'
where v.code = 'compute.' || v.engine and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded')
order by stake desc, v.rowid
