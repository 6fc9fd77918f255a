-- SPDX-License-Identifier: Apache-2.0
-- screen_phases: phases of inference, and the time of a token
-- line: 25 phases
-- of: phases
-- needs: phases (input device phase steps requests tokens_per_s tpot_ps p50_ps reason)
-- word: phase prefill: prefill
-- word: phase decode: decode
-- word: phase mixed: mixed
-- word: phase verify: verify
-- word: one one: 1 step
-- say: {phase:phase}: [{steps:count} steps][{few:one}][, TPOT {time_ps:time}][, TPOT inconclusive: {because}]
select input, device, phase, case when steps > 1 then steps end as steps,
  case when steps = 1 then 'one' end as few, steps as count, tpot_ps as time_ps,
  case when tpot_ps is null and phase = 'decode' then reason end as because
from phases
where phase in ('prefill', 'decode', 'mixed', 'verify')
order by rowid
limit 3
