-- SPDX-License-Identifier: Apache-2.0
-- screen_mfu: how much of its peak the device reaches, idle time included
-- line: 40 mfu MFU
-- of: mfu
-- needs: verdict (input device place)
-- needs: mfu (input device step operator mfu flops_source)
-- needs: devices? (input device mfu hfu mbu)
-- word: least least: at least
-- word: of steps: in the steps that count
-- word: of span: over the span
-- say: [{least:least} ]{ratio:share} of peak[ {of:of}][; HFU {hardware:share} of peak][; MBU {bytes_used:share} of peak bandwidth]
with subject as (select input, device from verdict where place = 1),
rows_of as (
  select m.operator, m.mfu, m.flops_source from mfu m join subject s on s.device is m.device and s.input is m.input
  where m.step is null and m.operator in ('(steps)', '(total)')),
stated as (
  select d.mfu, d.hfu, d.mbu from devices d join subject s on s.device is d.device and s.input is d.input)
select s.input, s.device,
  coalesce(
    (select mfu from rows_of where operator = '(steps)'),
    (select mfu from stated), (select mfu from rows_of where operator = '(total)')) as ratio,
  case when (select mfu from rows_of where operator = '(steps)') is not null then 'steps' else 'span' end as "of",
  case when (select mfu from rows_of where operator = '(steps)') is not null then 'steps' else 'span' end as whole,
  case when exists (select 1 from rows_of where flops_source like '%at least%') then 'least' end as least,
  nullif((select hfu from stated), (select mfu from stated)) as hardware,
  (select mbu from stated) as bytes_used
from subject s
where coalesce(
    (select mfu from rows_of where operator = '(steps)'),
    (select mfu from stated), (select mfu from rows_of where operator = '(total)')) is not null
order by s.input
