-- SPDX-License-Identifier: Apache-2.0
-- hung: a collective of the job does not end
-- when: any that is started and not completed
-- stake: waited_ns of table hang
-- of: hang
-- shown: problems
-- needs: hang (input cause group sequence collective source waited_ps reason)
-- advice: the logs and stacks of the ranks that table hang names
-- say: HUNG: {name} does not end: {because}[; it is in {other}]
select input, collective || ' ' || sequence || ' of ' || "group" as name, reason as because,
  source as other, waited_ps as stake
from hang
where collective is not null
order by stake desc, rowid
