-- SPDX-License-Identifier: Apache-2.0
-- fusion: kernels in a row that could be one
-- when: > 5 % of the work of the device, 3 times or more, 1 % of its window or more (10 % where it idles)
-- stake: total_ns of table fusion_patterns
-- of: fusion_patterns
-- shown: operators
-- about: work/fuse
-- each: input device
-- needs: fusion_patterns (input device pattern kernels times total_ps start_ps longest_ps share passed_bytes operators)
-- needs: kernels? (input device family total_ps)
-- needs: operators? (input device operator)
-- needs: verdict? (input device place worth_ps)
-- needs: abilities? (input question code)
-- note: The device that the verdict of the first screen is of comes first.
-- note: It lies where the longest of them does.
-- note: Of kernels of a graph whose operators are unknown none is named.
-- note: torch.compile is advised where it has made none of them: it has where one is of family fused, such kernels
-- note: have a tenth of the time of the device's, or a region of it launches work there. XLA has compiled all: one
-- note: jit makes one kernel only of those that are of several. Kernels of these families need few flops for a byte, so what one of them writes for the next is most of their time.
-- word: do torch: torch.compile, or one kernel for them (Triton)
-- word: do neuron: one kernel for them (NKI)
-- word: do compiled: one kernel for them (Triton)
-- word: do xla: one kernel for them (Pallas), or one jit around them where they are of several
-- word: do *: one kernel for them
-- advice: {do:do}
-- say: {kernels:count} kernels in a row ({name}) take {share:share} of the work of {device:device}, {times:count} times[, with {passed_bytes:bytes} or more between them][: {other}]
with who as (
  select i.input, case when p.code = 'neuron' then p.code else r.code end as code
  from (select distinct input from fusion_patterns) i
    join abilities r on r.question = 'recorder' left join abilities p on p.question = 'platform' and p.input is i.input),
compiled as (
  select input, device from kernels group by input, device
  having 10 * sum(case when family = 'fused' then total_ps end) >= sum(total_ps)
  union
  select input, device from operators
  where operator glob 'Torch-Compiled Region*' or operator in ('CompiledFunction', 'CompiledFunctionBackward'))
select f.input, f.device, f.kernels, f.pattern as name, f.times, f.total_ps as stake, f.share,
  nullif(f.passed_bytes, 0) as passed_bytes, case when f.operators not like '(graph replay %' then f.operators end as other,
  case when w.code = 'torch' and (f.pattern like '%fused%' or exists (
    select 1 from compiled c where c.input is f.input and c.device is f.device)) then 'compiled' else w.code end as "do",
  f.start_ps, f.start_ps + f.longest_ps as end_ps
from fusion_patterns f left join who w on w.input is f.input
where f.share > 0.05 and f.times >= 3 and not exists (
  select 1 from verdict v where v.input is f.input and v.device is f.device and f.total_ps < v.worth_ps)
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is f.device and v.input is f.input), f.total_ps desc, f.rowid
