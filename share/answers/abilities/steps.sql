-- SPDX-License-Identifier: Apache-2.0
-- steps: how long steps take, and how they differ
-- ability: 50 steps how long steps take
-- of: steps step_times step_breakdown
-- needs: abilities (question code)
-- needs: inputs (decoder)
-- needs: steps? (cut)
-- needs: step_times? (steps)
-- needs: phases? (phase)
-- needs: verdict? (base)
-- word: why no_steps: no steps in the file
-- word: why cut: no step is whole
-- word: why one_step: one step: how steps differ is unknown
-- word: how torch: schedule of torch.profiler and prof.step ()
-- word: how xla: jax.profiler.StepTraceAnnotation around each step
-- word: how nsys: a range of NVTX around each step
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from step_times) as timed, exists (select 1 from steps) as some,
    exists (select 1 from phases) as phased,
    exists (select 1 from verdict where base glob 'step*' or base glob 'phase*') as based,
    coalesce((select max(steps) from step_times), 0) = 1 as one,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when not (timed or based or phased) then case when some then 'cut' else 'no_steps' end
    when timed and one then 'one_step' end as reason
  from told)
select case when reason is null then 'yes' when reason = 'no_steps' then 'no' else 'partly' end as able,
  case reason when 'cut' then 'no_steps' else reason end as code, reason,
  not (timed or based or phased) and who <> 'snapshot' as missed,
  case when reason in ('no_steps', 'cut') then who end as how,
  case when some then 'steps' when timed then 'step_times' when phased then 'phases' else 'verdict' end as of_table,
  case when reason = 'no_steps' then 'steps step_times' end as empty
from why
order by 1
