-- SPDX-License-Identifier: Apache-2.0
-- screen_try: what to try of a kernel of Neuron where no bound of a gain is known
-- line: 23 try
-- of: neuron_summary
-- needs: verdict (input device place engine)
-- needs: findings? (answer input device certainty advice)
-- word: of engine: the engine that works longest
-- word: of one_core: cores that compute nothing
-- word: of idle: time in which nothing works
-- say: {advice:ours} ({answer:of})
select f.input, f.device, f.answer, f.advice
from findings f join verdict v on v.place = 1 and v.device is f.device and v.input is f.input
where v.engine is not null and f.answer in ('engine', 'one_core', 'idle') and f.advice is not null and not exists (
  select 1 from findings b where b.certainty = 'upper_bound' and b.device is f.device and b.input is f.input)
order by f.answer, f.rowid
limit 2
