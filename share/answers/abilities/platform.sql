-- SPDX-License-Identifier: Apache-2.0
-- platform: what the devices are, so that advice has the words of those who work with them
-- ability: 2 platform runs on
-- of: devices
-- needs: inputs (input decoder properties)
-- needs: tracks (kind label process thread)
-- needs: devices? (device)
-- needs: facts? (key value)
-- needs: latency? (name)
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
-- note: Of several inputs it is one word for all, that of the first maker found.
-- say: {code:who}
with file as (select decoder, properties from inputs order by rowid limit 1),
named as (
  select label as name from tracks where kind = 'device'
  union all select device from devices
  union all select value from facts where key = 'device_type'),
judged as (
  select case
    when f.decoder in ('ntff', 'neff', 'neuron-system') then 'neuron'
    when f.decoder like 'ascend%' then 'npu'
    when f.decoder like 'roc%' then 'hip'
    when f.decoder = 'nsys' then 'cuda'
    when exists (select 1 from named where name like '%neuron%' or name glob 'trn[0-9]*' or name glob 'inf[0-9]*') then 'neuron'
    when exists (select 1 from named where name like '%TPU%') then 'tpu'
    when exists (select 1 from named where name like '%Ascend%') then 'npu'
    when exists (select 1 from named where name like '%Intel%' or name glob 'XPU*') then 'intel'
    when exists (select 1 from named where name like 'AMD%' or name like 'gfx%' or name like '%Radeon%' or name like '%Instinct%')
      or f.properties like '%"hip\_%' escape '\'
      or exists (select 1 from tracks where thread glob 'Hip *')
      or exists (select 1 from latency where name glob 'hip[A-Z]*') then 'hip'
    when exists (select 1 from named where name like '%GPU%' or name like '%NVIDIA%' or name like '%Tesla%')
      or exists (select 1 from latency where name glob 'cuda[A-Z]*') then 'cuda'
    else 'other' end as code
  from file f)
select 'yes' as able, code
from judged join file
where exists (select 1 from devices)
order by 1
