-- SPDX-License-Identifier: Apache-2.0
-- screen_phases: phases of inference, and the time of a token
-- line: 25 phases
-- of: phases
-- needs: phases (input device phase steps context_tokens generation_tokens context_keys generation_keys tpot_ps period_p50_ps itl_p99_ps reason)
-- word: phase prefill: prefill
-- word: phase decode: decode
-- word: phase mixed: mixed
-- word: phase verify: verify
-- word: phase draft: draft
-- word: phase diffusion: diffusion
-- word: one one: 1 step
-- note: TPOT is of decode alone; with prefills in between tokens come further apart.
-- say: {phase:phase}: [{steps:count} steps][{few:one}][, {tokens:count} tokens][ of {keys:count} in context][, period {period_ps:time}][, TPOT {time_ps:time}][ (p99 between tokens {apart_ps:time})][, TPOT inconclusive: {because}]
select input, device, phase, case when steps > 1 then steps end as steps,
  case when steps = 1 then 'one' end as few, steps as count, tpot_ps as time_ps,
  case when phase <> 'verify' and phase <> 'draft' then nullif(context_tokens + generation_tokens, 0) end as tokens,
  case when phase <> 'mixed' then coalesce(nullif(context_keys, 0), nullif(generation_keys, 0)) end as keys,
  case when tpot_ps is null then period_p50_ps end as period_ps,
  case when tpot_ps is not null and itl_p99_ps > 2 * tpot_ps then itl_p99_ps end as apart_ps,
  case when tpot_ps is null and phase = 'decode' then reason end as because
from phases
where phase <> 'none'
order by rowid
limit 4
