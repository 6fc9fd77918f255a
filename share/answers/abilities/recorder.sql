-- SPDX-License-Identifier: Apache-2.0
-- recorder: which program made the recording, so that others name its options
-- ability: 1 recorder made by
-- of: inputs
-- needs: inputs (decoder)
-- needs: tracks (kind label process thread)
-- needs: facts? (source)
-- needs: latency? (category)
-- word: who torch: torch.profiler
-- word: who xla: the profiler of XLA
-- word: who tensorflow: the profiler of TensorFlow
-- word: who rocprof: a profiler of ROCm
-- word: who unitrace: Intel's unitrace
-- word: who onnx: ONNX Runtime
-- word: who nsys: Nsight Systems
-- word: who neuron: the tools of Neuron
-- word: who snapshot: a memory snapshot of PyTorch
-- word: who *: another program
-- note: Trace JSON is PyTorch's where its head or its calls say so, or where devices have names
-- note: that nobody else writes.
-- say: {code:who}
with file as (select decoder from inputs order by rowid limit 1)
select 'yes' as able,
  case when decoder in ('rocpd', 'rocprofv3', 'rocprofv3-csv') then 'rocprof'
    when exists (select 1 from tracks where thread glob 'tf_GPU_Event_Manager*') then 'tensorflow'
    when decoder = 'xplane' then 'xla'
    when decoder = 'chrome' and exists (select 1 from tracks where process glob '/device:*') then 'xla'
    when decoder = 'chrome' and exists (select 1 from tracks where process glob '*HOST<*>') then 'unitrace'
    when decoder = 'chrome' and exists (select 1 from latency where category glob '*ExecutionProvider') then 'onnx'
    when decoder = 'chrome' and not exists (select 1 from tracks where thread glob 'Hip *')
      and not exists (select 1 from tracks where kind = 'device' and (instr(label, 'Neuron') or label like 'npu%'))
      and (exists (select 1 from tracks where kind = 'device') or exists (select 1 from facts where source = 'deviceProperties')
        or exists (select 1 from latency where category in ('cpu_op', 'cuda_runtime', 'cuda_driver'))) then 'torch'
    when decoder = 'nsys' then 'nsys'
    when decoder in ('ntff', 'neff', 'neuron-system') then 'neuron'
    when decoder = 'torch-memory' then 'snapshot'
    else 'other' end as code
from file
order by 1
