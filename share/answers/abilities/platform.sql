-- SPDX-License-Identifier: Apache-2.0
-- platform: what the devices are, so that advice has the words of those who work with them
-- ability: 2 platform runs on
-- of: devices
-- needs: inputs (input decoder properties)
-- needs: tracks (input kind label thread)
-- needs: devices? (input device)
-- needs: facts? (input key value)
-- needs: latency? (input name)
-- word: who cuda: CUDA
-- word: who hip: ROCm
-- word: who tpu: TPU
-- word: who neuron: AWS Neuron
-- word: who npu: Ascend
-- word: who intel: Intel XPU
-- word: who xla: XLA
-- word: who *: other devices
-- note: Makers that have a format of their own first, then what a device is called or stated to be, then the calls
-- note: that launch: hip... and cuda.... Neither who recorded it nor a name of a category says it: PyTorch calls HIP
-- note: cuda_runtime, and a merged file has what one of its parts states no more. All other GPUs are CUDA's.
-- note: Each input with devices has its own.
-- say: {code:who}
with named as (
  select input, label as name from tracks where kind = 'device'
  union all select input, device from devices
  union all select input, value from facts where key = 'device_type'),
called as (
  select input, max(name like '%neuron%' or name glob 'trn[0-9]*' or name glob 'inf[0-9]*') as neuron,
    max(name like '%TPU%') as tpu, max(name like '%Ascend%') as npu, max(name like '%Intel%' or name glob 'XPU*') as intel,
    max(name like 'AMD%' or name like 'gfx%' or name like '%Radeon%' or name like '%Instinct%') as amd,
    max(name like '%GPU%' or name like '%NVIDIA%' or name like '%Tesla%') as gpu
  from named group by input),
launched as (
  select input, max(name glob 'hip[A-Z]*') as hip, max(name glob 'cuda[A-Z]*') as cuda from latency group by input)
select i.input, 'yes' as able,
  case
    when i.decoder in ('ntff', 'neff', 'neuron-system') then 'neuron' when i.decoder like 'ascend%' then 'npu'
    when i.decoder like 'roc%' then 'hip' when i.decoder = 'nsys' then 'cuda' when c.neuron then 'neuron'
    when c.tpu then 'tpu' when c.npu then 'npu' when c.intel then 'intel'
    when c.amd or i.properties like '%"hip\_%' escape '\' or l.hip
      or exists (select 1 from tracks t where t.thread glob 'Hip *' and t.input is i.input) then 'hip'
    when c.gpu or l.cuda then 'cuda' else 'other' end as code
from inputs i join (select distinct input from devices) d on d.input is i.input
  left join called c on c.input is i.input left join launched l on l.input is i.input
order by i.rowid
