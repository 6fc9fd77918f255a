-- SPDX-License-Identifier: Apache-2.0
-- idle_causes: why devices were idle
-- ability: 30 idle_causes why it is idle
-- of: idle_causes
-- needs: abilities (question able code)
-- needs: gaps? (cause)
-- needs: idle_causes? (cause)
-- needs: launches? (launches)
-- needs: verdict? (code)
-- word: why none: none: no device was idle
-- word: why no_launches: no launches in the file
-- word: why some_launches: of some work no launch is in the file
-- word: why not_recorded: no work of devices in the file
-- word: how torch.no_launches: record with ProfilerActivity.CPU
-- word: how rocprof.no_launches: record with rocprofv3 --sys-trace
-- word: how xla.no_launches: record the host as well
-- word: how tensorflow.no_launches: record the host as well
-- word: how other.no_launches: record the host as well
-- note: Of work without launches, as XLA's, programs say whether the device waits or the host does.
-- say: [{reason:why}]
-- record: {how:how}
with all_causes as (select cause from gaps union all select cause from idle_causes),
told as (
  select (select substr(code, 14) from verdict where code glob 'undetermined.*' order by rowid limit 1) is 'no_launches' as unlinked,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices,
    exists (select 1 from launches where launches > 0) as launched,
    exists (select 1 from idle_causes) as steps, exists (select 1 from all_causes where cause <> 'unlinked') as known,
    exists (select 1 from all_causes where cause = 'unlinked') as lost,
    (select code from abilities where question = 'recorder') as who),
why as (
  select *, case when not devices then 'not_recorded' when (unlinked or lost) and launched then 'some_launches'
    when unlinked or lost then 'no_launches' when not known then 'none' end as reason
  from told)
select case when reason is null or reason = 'none' then 'yes' when known then 'partly' else 'no' end as able,
  case reason when 'some_launches' then 'no_launches' when 'none' then null else reason end as code, reason, unlinked as missed, who || '.' || reason as how,
  case when reason = 'none' then '' when not steps then 'gaps' end as of_table,
  case when reason = 'none' then 'gaps idle_causes queue_idle' end as empty
from why
order by 1
