-- SPDX-License-Identifier: Apache-2.0
-- wait: requests wait for their first token in the queue
-- when: queue > half of the median time to the first token
-- stake: queue_p50_ns of table requests
-- of: requests
-- shown: summary
-- code: requests.queue
-- each: input
-- needs: requests (input requests ttft_p50_ps queue_p50_ps)
-- needs: devices? (input device span_ps busy_ps)
-- word: why busy: they wait for a place in the batch
-- word: why idle: the scheduler does not keep up with an idle device
-- word: why *: the file does not say why
-- word: do busy: more replicas, a larger max_num_seqs
-- word: do idle: look at what the scheduler does between two steps
-- word: do *: record the devices, and what the scheduler does
-- note: Of several devices the busiest counts.
-- advice: {do:do}
-- say: Requests wait: {stake:time} of {ttft_ps:time} to the first token are queue[; GPU busy {share:share}]; {cause:why}
with busiest as (
  select max(busy_ps * 1.0 / span_ps) as share
  from devices
  where span_ps > 0 and busy_ps is not null)
select r.input, r.queue_p50_ps as stake, r.ttft_p50_ps as ttft_ps, b.share,
  case when b.share >= 0.9 then 'busy' when b.share < 0.7 then 'idle' end as cause,
  case when b.share >= 0.9 then 'busy' when b.share < 0.7 then 'idle' end as "do"
from requests r, busiest b
where r.queue_p50_ps > 0.5 * r.ttft_p50_ps
order by stake desc, r.rowid
