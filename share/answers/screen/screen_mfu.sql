-- SPDX-License-Identifier: Apache-2.0
-- screen_mfu: how much of its peak the device reaches, idle time included, and while it is busy
-- line: 40 mfu MFU
-- of: mfu
-- needs: verdict (input device place base window_ps)
-- needs: mfu (input device step layer operator mfu flops flops_source time_ps)
-- needs: kernels? (input device family total_ps)
-- needs: devices? (input device span_ps mfu hfu mbu)
-- needs: logical_cores? (input device)
-- needs: verdict_parts? (input device part duration_ps)
-- note: Table devices has the use of a logical core of Neuron on the row of each of its cores. Table mfu has the windows of a verdict where they are steps. In the steps of a server and in
-- note: periods at most the flops of the whole recording are computed, which is said where nine tenths of
-- note: the device's work lie in them.
-- note: It is of the steps that count where they are known, else of the span. Where the device is busy for less than
-- note: nine tenths of that, what it reaches while busy stands behind it, where that reads as another figure. It is a lower bound, which is said, where
-- note: operators whose flops are known take less than half of the time of products, convolutions and attention, as
-- note: where graphs replay kernels whose operators are unknown.
-- word: least least: at least
-- word: of steps: in the steps that count
-- word: of span: over the span
-- word: in phase: in a mean step
-- word: in phase1: in the step
-- word: in period: in a mean period
-- say: [{least:least} ]{ratio:share} of peak[ {of:of}][, {busy:share} of peak while busy][, at most {most:share} of peak {base:in}][; HFU {hardware:share} of peak][; MBU {bytes_used:share} of peak bandwidth]
with subject as (
  select v.input, v.device, v.base, v.window_ps, l.device || '/' as cores
  from verdict v left join logical_cores l on l.input is v.input and l.device is v.device
  where v.place = 1),
rows_of as (
  select m.operator, m.mfu, m.flops_source, m.time_ps from mfu m join subject s on s.input is m.input and s.device is m.device
  where m.step is null and m.operator in ('(steps)', '(busy)', '(total)')),
products as (
  select sum(k.total_ps) as product_ps, (
    select total(m.time_ps) from mfu m join subject s on s.input is m.input and s.device is m.device
    where m.step is null and coalesce(m.layer, '') = '' and m.flops > 0 and substr(m.operator, 1, 1) <> '(') as known_ps
  from kernels k join subject s on s.input is k.input and s.device is k.device
  where k.family in ('gemm', 'moe gemm', 'attention', 'convolution')),
leasts as (
  select 1 from rows_of where flops_source like '%at least%'
  union select 1 from products
  where known_ps * 2 < product_ps and exists (select 1 from rows_of where flops_source = 'shapes')),
held as (
  select sum(p.duration_ps) as held_ps from verdict_parts p join subject s on s.device is p.device and s.input is p.input
  where p.part in ('compute', 'comm', 'bubble', 'copy', 'control')),
bounds as (
  select s.base, r.mfu * r.time_ps / s.window_ps as most from subject s, rows_of r, rows_of b, held h
  where s.base in ('phase', 'phase1', 'period') and r.operator = '(total)' and r.flops_source = 'shapes'
    and b.operator = '(busy)' and h.held_ps * 10 >= b.time_ps * 9 and r.time_ps > s.window_ps
    and not exists (select 1 from rows_of where operator = '(steps)') and not exists (select 1 from leasts)),
-- Of steps the parts of the verdict in which it works, else what table mfu has.
busies as (
  select case when r.operator = '(steps)' then h.held_ps * 1.0 / s.window_ps else b.time_ps * 1.0 / r.time_ps end as part, r.operator
  from subject s join held h join rows_of r on r.operator in ('(steps)', '(total)')
  left join rows_of b on b.operator = '(busy)'),
stated as (
  select d.mfu, d.hfu, d.mbu from devices d join subject s
    on s.input is d.input and (s.device is d.device or substr(d.device, 1, length(s.cores)) = s.cores)
  order by d.span_ps desc, d.rowid limit 1)
select s.input, s.device,
  coalesce(
    (select mfu from rows_of where operator = '(steps)'),
    (select mfu from stated), (select mfu from rows_of where operator = '(total)')) as ratio,
  case when (select mfu from rows_of where operator = '(steps)') is not null then 'steps' else 'span' end as "of",
  case when (select mfu from rows_of where operator = '(steps)') is not null then 'steps' else 'span' end as whole,
  case when exists (select 1 from leasts) then 'least' end as least,
  (select r.mfu / b.part from busies b join rows_of r on r.operator = b.operator where b.part between 0.001 and 0.9 and r.mfu / b.part >= 0.001
      and round(r.mfu / b.part, 3) > round(r.mfu, 3)
    order by b.operator limit 1) as busy,
  (select most from bounds where most <= 1) as most,
  (select base from bounds where most <= 1) as base,
  nullif((select hfu from stated), (select mfu from stated)) as hardware,
  (select mbu from stated) as bytes_used
from subject s
where coalesce(
    (select mfu from rows_of where operator = '(steps)'),
    (select mfu from stated), (select mfu from rows_of where operator = '(total)')) is not null
order by s.input
