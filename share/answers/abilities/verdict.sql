-- SPDX-License-Identifier: Apache-2.0
-- verdict: what limits the device
-- ability: 10 verdict what limits it
-- of: verdict
-- needs: abilities (question code)
-- needs: inputs (decoder)
-- needs: verdict? (device place code input)
-- needs: bound? (input process code)
-- needs: tracks? (kind rows)
-- needs: latency? (name)
-- word: why lost_rows: rows of the device may be missing
-- word: why few_rows: too few rows of the device to judge what it waits for
-- word: why no_launches: the launches are not in the file
-- word: why unrecorded_wait: the device waits for work that was not recorded
-- word: why clocks: the clocks of host and device differ
-- word: why graphs_opaque: graphs are recorded as one
-- word: why profiler: the profiler itself takes a third of the time or more
-- word: why not_recorded: rows of its engines or of its DMA are not in the file
-- word: why latency: no engine works a third of the execution
-- word: why empty: no time of the device is in the file
-- word: why cpu_only: no device activity recorded
-- word: why no_kernels: kernels were launched, and their records are missing
-- word: why device_not_labelled: no row says that it ran on a device
-- word: why first_use: code is loaded or compiled meanwhile, which later steps need not
-- word: why capture: graphs are captured meanwhile, which later steps replay
-- word: why captures: the file records captures of graphs, whose kernels run in replays
-- word: why none: no device was judged
-- word: how torch.no_launches: record with ProfilerActivity.CPU
-- word: how rocprof.no_launches: record with rocprofv3 --sys-trace
-- word: how host: record the CPU as well
-- word: how two_steps: record two steps more from an idle device
-- word: how captures: a recording of the replays, whose kernels this file names: --eager
-- word: how warm_up: run some steps before the recording begins
-- word: how node: record with --cuda-graph-trace=node
-- word: how torch.cpu_only: record with ProfilerActivity.CUDA
-- note: The CPU is to be recorded only where no thread has a row: a file with both links no launch to
-- note: its work.
-- say: [{reason:why}]
-- record: {how:how}
with hidden as (
  select 1
  from bound b join verdict v on v.place = 1 and v.device is b.process and v.input is b.input
  where b.code = 'undetermined.not_recorded'),
led as (
  select case when exists (select 1 from hidden) then 'undetermined.not_recorded' else code end as code
  from verdict order by place is null, place, rowid limit 1),
captured as (
  select 1 where exists (select 1 from latency where name glob '*StreamBeginCapture*')
    and not exists (select 1 from latency where name glob '*GraphLaunch*')),
told as (
  select coalesce((select case when code glob 'undetermined.*' then substr(code, 14)
      when code in ('capture', 'first_use') then code end from led),
    case when not exists (select 1 from led) then 'none' end) as reason,
    (select code from abilities where question = 'recorder') as who),
why as (
  select reason as code, who, case when reason in ('capture', 'first_use', 'few_rows') and exists (select 1 from captured) then 'captures'
    else reason end as reason
  from told)
select case when code in ('capture', 'first_use') then 'partly' else case when reason is null then 'yes' else 'no' end end as able,
  case code when 'none' then 'not_recorded' else code end as code, reason,
  case when reason in ('unrecorded_wait', 'few_rows') then 'two_steps'
    when reason in ('capture', 'first_use') then 'warm_up'
    when reason = 'captures' then reason
    when reason = 'graphs_opaque' and who = 'nsys' then 'node'
    when reason = 'no_launches' then case when who in ('torch', 'rocprof') then who || '.no_launches'
      when not exists (select 1 from tracks where kind = 'thread' and rows > 0) then 'host' end
    when reason = 'cpu_only' then who || '.cpu_only' end as how,
  case when reason = 'none' then 'verdict verdict_parts' end as empty
from why
order by 1
