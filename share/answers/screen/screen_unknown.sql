-- SPDX-License-Identifier: Apache-2.0
-- screen_unknown: what is unknown of this file, and what to record so that it is known
-- line: 50 unknown
-- needs: inputs (input decoder properties)
-- needs: verdict? (place code)
-- needs: devices? (input)
-- needs: mfu? (operator step mfu flops peak_flops)
-- needs: memory? (peak_bytes)
-- needs: operators? (level)
-- needs: facts? (source)
-- needs: latency? (category)
-- needs: operator_flops? (flops)
-- word: what mfu: MFU
-- word: what memory: memory
-- word: what verdict: what the device waits for
-- word: what device: what a device did
-- word: record record_shapes: record with record_shapes=True
-- word: record profile_memory: record with profile_memory=True
-- word: record activity_cuda: record with ProfilerActivity.CUDA
-- word: record activity_cpu: record with ProfilerActivity.CPU
-- word: record sys_trace: record with rocprofv3 --sys-trace
-- word: record host: record the CPU as well
-- word: record peak: state the peak: -a device:peak_flops=N -a mfu:peak_flops=N
-- word: record two_steps: record two steps more from an idle device
-- word: record node: record with --cuda-graph-trace=node
-- say: {what:what}: {record:record}
with file as (
  select input, decoder,
    decoder = 'chrome' and (exists (select 1 from facts where source = 'deviceProperties')
      or exists (select 1 from latency where category in ('cpu_op', 'cuda_runtime', 'cuda_driver'))) as torch,
    coalesce(properties, '') as properties
  from inputs order by rowid limit 1),
led as (select code from verdict order by place is null, place limit 1),
things as (
  select 1 as nth, 'device' as what, 'cpu_only' as code, 'activity_cuda' as record
  from file where torch and exists (select 1 from led where code = 'undetermined.cpu_only')
  union all select 2, 'verdict', 'no_launches',
    case when torch then 'activity_cpu' when decoder like 'roc%' then 'sys_trace' else 'host' end
  from file where exists (select 1 from led where code = 'undetermined.no_launches')
  union all select 3, 'verdict', 'unrecorded_wait', 'two_steps'
  from file where exists (select 1 from led where code in ('undetermined.unrecorded_wait', 'undetermined.few_rows', 'first_use'))
  union all select 4, 'verdict', 'graphs_opaque', 'node'
  from file where decoder = 'nsys' and exists (select 1 from led where code = 'undetermined.graphs_opaque')
  union all select 5, 'mfu', 'no_shapes', 'record_shapes'
  from file where torch and exists (select 1 from devices) and not exists (select 1 from mfu where flops is not null)
    and properties not glob '*"record_shapes":"[1t]*' and not exists (select 1 from operator_flops where flops is not null)
  union all select 6, 'mfu', 'no_peak', 'peak'
  from file where exists (select 1 from mfu where operator = '(total)' and flops is not null)
    and not exists (select 1 from mfu where peak_flops is not null)
  union all select 7, 'memory', 'no_memory_events', 'profile_memory'
  from file where torch and exists (select 1 from devices) and not exists (select 1 from memory)
    and properties not glob '*"profile_memory":"[1t]*')
select f.input, t.what, t.code, t.record
from things t join file f
order by t.nth
limit 3
