-- SPDX-License-Identifier: Apache-2.0
-- operator: one operator takes much of the work of a device
-- when: > 25 % of the self time, 1 % of its window or more (10 % where it idles)
-- stake: self_ns of table operators, at most what its kind of work takes alone
-- of: operators
-- shown: operators
-- each: name
-- needs: operators (input device level operator category self_ps share host_self_ps)
-- needs: devices? (input device busy_ps compute_ps exposed_ps overlap_ps)
-- needs: logical_cores? (input device busy_ps compute_ps exposed_ps overlap_ps)
-- needs: kernels? (input device kernel family marks)
-- needs: copies? (input device copy)
-- needs: verdict? (input device place worth_ps)
-- needs: abilities? (input question code)
-- needs: findings? (answer input device)
-- word: do gemm: a smaller type, larger and aligned dimensions (batch, padding)
-- word: do gemm_small: larger and aligned dimensions (batch, padding)
-- word: do gemm_unaligned: dimensions padded to a multiple of 8 (of 16 bytes)
-- word: do gemm_small_unaligned: dimensions padded to a multiple of 16 bytes
-- word: do convolution: a smaller type, the layout that the library prefers (channels_last)
-- word: do convolution_small: the layout that the library prefers (channels_last)
-- word: do attention: a fused attention kernel, a smaller type
-- word: do attention_fused: a smaller type
-- word: do attention_small: a fused attention kernel
-- word: do copy: keep the data on the device, fewer and larger copies
-- word: do communication: overlap with compute, fewer and larger collectives
-- word: do ranks: find the rank that comes last, as finding waits says
-- word: do optimizer: a fused optimizer
-- word: do graph: record the kernels of graphs: nsys profile --cuda-graph-trace=node
-- word: do fuse: fusion with what runs before and behind
-- word: do cuda: Nsight Compute, for what bounds it
-- word: do hip: rocprof-compute, for what bounds it
-- word: do npu: msprof op, for what bounds it
-- word: do tpu: a larger batch, or a kernel of its own (Pallas)
-- word: do neuron: a larger batch, or a kernel of its own (NKI)
-- word: do *: the profiler of its maker, for what bounds it
-- note: An operator of a device is its instruction, or its kernel where it does not tell that: kernels
-- note: of many instructions have one name. Rows of a device stand by self time, the most first: the
-- note: first one of level hlo has no name where more work is of no instruction than of any. A path of
-- note: the framework and a layer hold the same work once more, and operators of a host wait for devices.
-- note: Calls on several queues are added up, and what runs beside other work hides: a device gains no more than
-- note: the time in which nothing but communication and copies runs, or of any other operator nothing but computing;
-- note: of one of which it is unknown which of both it is, the longer.
-- note: What a name tells of the kernel (column marks of table kernels) is not advised again: no fused kernel for
-- note: flash attention, no smaller type for fp8. A queue of DMA is no operator. The device that the verdict of the first screen is of comes first.
-- advice: {do:do}
-- say: {name} takes {share:share} of the self time of {device:device} ({self:time}[; it gains {most:time} at most])
with placed as (
  select input, device, operator,
    row_number() over (partition by input, device order by self_ps desc, rowid) as place
  from operators
  where level = 'hlo' and host_self_ps is null),
whole as (
  select input, device, busy_ps, compute_ps, exposed_ps, overlap_ps from logical_cores
  union all
  select d.input, d.device, d.busy_ps, d.compute_ps, d.exposed_ps, d.overlap_ps from devices d
  where not exists (
    select 1 from logical_cores l
    where l.input is d.input and substr(d.device, 1, length(l.device) + 1) = l.device || '/')),
-- Which kernels communicate; of other operators a category may say it. A kernel that copies or fills may count as either.
moves as (
  select input, device, kernel, max(case when family is not 'copy' then family = 'communication' end) as moves
  from kernels where family is not null group by input, device, kernel),
-- What kind of work it is: by its kernel, else by the category of XLA.
kinds as (
  select o.rowid as at, case when o.category = 'cuda_graph' then 'graph' when k.family not in ('other', 'fused') then k.family
    when c.copy is not null or o.category like 'copy%' or o.category in ('data transfer', 'memcpy')
      or o.operator glob 'Memcpy*' or o.operator glob 'Copy*To*' then 'copy'
    when m.moves or o.category = 'hccl' or o.category like 'all-%' or o.category like 'reduce-scatter%'
      or o.category like 'collective-%' then 'communication'
    when o.category like 'convolution%' then 'gemm' else k.family end as kind,
    coalesce('_' || k.marks, '') as marks,
    (select p.code from abilities p where p.question = 'platform' and p.input is o.input) as platform
  from operators o
  left join (select input, device, kernel, max(family) as family, max(marks) as marks from kernels group by input, device, kernel) k
    on k.input is o.input and k.device is o.device and k.kernel = o.operator
  left join (select distinct input, device, copy from copies) c on c.input is o.input and c.device is o.device and c.copy = o.operator
  left join moves m on m.input is o.input and m.device is o.device and m.kernel = o.operator),
alone as (
  select o.rowid as at, case when m.moves or o.category in ('hccl', 'data transfer', 'memcpy') then w.exposed_ps
    else max(w.compute_ps - w.overlap_ps, coalesce(w.busy_ps - w.exposed_ps - w.overlap_ps, 0),
      case when m.moves is null and o.category is not 'instruction' then w.exposed_ps else 0 end) end as most
  from operators o
  join whole w on w.input is o.input and w.device is o.device
  left join moves m on m.input is o.input and m.device is o.device and m.kernel = o.operator)
select o.input, o.device, o.operator as name, min(o.self_ps, coalesce(a.most, o.self_ps)) as stake,
  o.self_ps as self, case when a.most < o.self_ps then a.most end as most, o.share,
  case when d.kind = 'communication' then 'exposed/comm' when d.kind = 'copy' then 'exposed/copy'
    else 'work/' || coalesce(d.kind || '/', '') || o.operator end as about,
  case when d.kind in ('gemm', 'moe gemm') then 'gemm' || d.marks
    when d.kind = 'communication' and exists (
      select 1 from findings f where f.answer = 'waits' and f.input is o.input and f.device is o.device) then 'ranks'
    when d.kind = 'attention' and d.marks = '_fused_small' then d.platform
    when d.kind in ('convolution', 'attention') then d.kind || d.marks
    when d.kind in ('copy', 'communication', 'optimizer', 'graph') then d.kind
    when d.kind in ('norm', 'elementwise', 'reduction', 'cast', 'activation', 'rope', 'softmax', 'embedding', 'quantize', 'layout')
    then 'fuse' else d.platform end as "do"
from operators o
left join placed f on f.place = 1 and f.device is o.device and f.input is o.input
left join alone a on a.at = o.rowid
left join kinds d on d.at = o.rowid
where o.category is not 'dma' and o.host_self_ps is null and o.share > 0.25
  and o.operator is not null and o.self_ps is not null and not exists (
    select 1 from verdict v where v.input is o.input and v.device is o.device and o.self_ps < v.worth_ps)
  and o.level = case when f.operator is null then 'name' else 'hlo' end
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is o.device and v.input is o.input), stake desc, o.rowid
