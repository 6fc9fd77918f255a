-- SPDX-License-Identifier: Apache-2.0
-- recorder: which program made the recording, so that others name its options
-- ability: 1 recorder made by
-- of: inputs
-- needs: inputs (decoder)
-- needs: tracks (kind label process thread)
-- needs: facts? (source)
-- needs: latency? (category)
-- word: who torch: PyTorch
-- word: who xla: XLA
-- word: who tensorflow: TensorFlow
-- word: who rocprof: ROCm
-- word: who unitrace: Intel unitrace
-- word: who onnx: ONNX Runtime
-- word: who nsys: Nsight Systems
-- word: who neuron: Neuron
-- word: who snapshot: PyTorch memory snapshot
-- word: who ascend: Ascend
-- word: who furiosa: Furiosa
-- word: who otlp: OpenTelemetry
-- word: who pprof: pprof
-- word: who memory-timeline: PyTorch memory timeline
-- word: who trtexec: TensorRT trtexec
-- word: who openvino: OpenVINO
-- word: who proton: Triton Proton
-- word: who chakra: Chakra
-- word: who flight-recorder: Flight Recorder
-- word: who nccl-inspector: NCCL Inspector
-- word: who *: another program
-- note: Trace JSON is PyTorch's where its head or its calls say so, or where devices have names
-- note: that nobody else writes. Line subject of the summary has these words, too.
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
    when decoder in ('ascend', 'ascend-json') then 'ascend'
    when decoder in ('furiosa', 'otlp', 'pprof', 'memory-timeline', 'trtexec', 'openvino', 'proton', 'chakra', 'flight-recorder', 'nccl-inspector') then decoder
    else 'other' end as code
from file
order by 1
