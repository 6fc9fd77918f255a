-- SPDX-License-Identifier: Apache-2.0
-- screen_hfu: how much of its peak the device reaches where the model's part of its flops is unknown
-- line: 40 mfu HFU
-- of: devices
-- whole: span
-- needs: devices (input device span_ps mfu hfu)
-- needs: verdict? (input device place)
-- needs: logical_cores? (input device)
-- say: {ratio:share} of peak, transposes counted; MFU unknown: which flops are transposes is not in the file
with subject as (
  select v.input, v.device, l.device || '/' as cores
  from verdict v left join logical_cores l on l.input is v.input and l.device is v.device
  where v.place = 1)
select d.input, d.device, d.hfu as ratio
from devices d left join subject s
  on s.input is d.input and (s.device is d.device or substr(d.device, 1, length(s.cores)) = s.cores)
where d.hfu is not null and d.mfu is null
order by s.device is null, case when s.device is not null then d.span_ps end desc, d.hfu desc, d.rowid
limit 1
