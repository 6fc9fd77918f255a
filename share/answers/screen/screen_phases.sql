-- SPDX-License-Identifier: Apache-2.0
-- screen_phases: phases of inference, and the time of a token; of several devices that of the verdict
-- line: 25 phases
-- of: phases
-- needs: phases (input device phase steps context_tokens generation_tokens context_keys generation_keys tpot_ps period_p50_ps itl_p99_ps reason)
-- needs: verdict? (input device place)
-- word: phase prefill: prefill
-- word: phase decode: decode
-- word: phase mixed: mixed
-- word: phase verify: verify
-- word: phase draft: draft
-- word: phase diffusion: diffusion
-- word: one one: 1 step
-- note: TPOT is of decode alone; with prefills in between tokens come further apart.
-- say: {phase:phase}: [{steps:count} steps][{few:one}][, {tokens:count} tokens][ of {keys:count} in context][, period {period_ps:time}][, TPOT {time_ps:time}][ (p99 between tokens {apart_ps:time})][, TPOT inconclusive: {because}][; of {other}][, one of {several:count}]
with placed as (
  select p.*, p.rowid as at,
    row_number() over (partition by p.phase order by v.place is null, p.rowid) as nth,
    count(*) over (partition by p.phase) as several
  from phases p
  left join verdict v on v.place = 1 and v.device is p.device and v.input is p.input
  where p.phase <> 'none')
select input, device, phase, case when steps > 1 then steps end as steps,
  case when steps = 1 then 'one' end as few, steps as count, tpot_ps as time_ps,
  case when phase <> 'verify' and phase <> 'draft' then nullif(context_tokens + generation_tokens, 0) end as tokens,
  case when phase <> 'mixed' then coalesce(nullif(context_keys, 0), nullif(generation_keys, 0)) end as keys,
  case when tpot_ps is null then period_p50_ps end as period_ps,
  case when tpot_ps is not null and itl_p99_ps > 2 * tpot_ps then itl_p99_ps end as apart_ps,
  case when tpot_ps is null and phase in ('decode', 'verify') then reason end as because,
  case when (select count(distinct input) from placed) > 1 then input
    when (select count(distinct device) from placed) > 1 then device end as other,
  nullif(several, 1) as several
from placed
where nth = 1
order by at
limit 4
