-- SPDX-License-Identifier: Apache-2.0
-- memory: what holds memory, and when
-- ability: 80 memory memory
-- of: memory memory_holders
-- needs: abilities (question code)
-- needs: inputs (decoder properties)
-- needs: memory? (allocator)
-- needs: memory_timeline? (rows)
-- needs: neuron_memory? (use)
-- needs: sample_types? (unit)
-- word: why no_memory_events: no allocations in the file
-- word: why no_times: the file says what is held, not when; table neuron_memory; when SBUF and PSUM were used the JSON of neuron-profile says
-- word: why on_chip: when SBUF and PSUM were used, counters of the timeline say; of HBM what is held, not when, table neuron_memory
-- word: why on_chip_alone: when SBUF and PSUM were used, counters of the timeline say; of HBM the file says nothing
-- word: why no_sizes: the file does not say what is held of the device's memory; NTFF of versions 4 to 6 and the JSON of neuron-profile may
-- word: why sampled: sampled stacks say who took it, not when; table sample_places
-- word: how torch: record with profile_memory=True
-- word: how rocprof: record with rocprofv3 --sys-trace
-- word: how xla: record with host_tracer_level=2
-- word: how tensorflow: record with host_tracer_level=2
-- word: how neuron: the system profile of the Neuron runtime, NEURON_RT_INSPECT_SYSTEM_PROFILE=1
-- word: how nsys: record with --cuda-memory-usage=true
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from memory) as timed, exists (select 1 from memory_timeline) as summed,
    exists (select 1 from sample_types where unit = 'bytes') as sampled, exists (select 1 from neuron_memory) as held,
    exists (select 1 from inputs where decoder = 'ntff') as ntff,
    exists (select 1 from inputs where properties glob '*"profile_memory":"[1t]*') as asked,
    exists (select 1 from inputs where properties glob '*"on_chip_memory":*') as on_chip,
    (select code from abilities where question = 'recorder') as who)
select case when timed or summed then 'yes' when held or sampled or on_chip then 'partly' else 'no' end as able,
  case when not (timed or summed) then 'no_memory_events' end as code,
  case when timed or summed then null when held and on_chip then 'on_chip' when on_chip then 'on_chip_alone'
    when held then 'no_times' when sampled then 'sampled'
    when ntff then 'no_sizes' else 'no_memory_events' end as reason,
  not (timed or summed) as missed, case when not (timed or summed or asked) then who end as how,
  case when timed then null when summed then 'memory_timeline' when held then 'neuron_memory' when sampled then 'sample_places' end as of_table,
  case when not (timed or summed) then 'memory memory_holders memory_modules' || case when ntff and not held then ' neuron_memory' else '' end end as empty
from told
order by 1
