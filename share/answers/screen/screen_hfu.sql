-- SPDX-License-Identifier: Apache-2.0
-- screen_hfu: how much of its peak the device reaches where the model's part of its flops is unknown
-- line: 40 mfu HFU
-- of: devices
-- whole: span
-- needs: devices (input device mfu hfu)
-- needs: verdict? (input device place)
-- say: {ratio:share} of peak, transposes counted; MFU unknown: which flops are transposes is not in the file
select d.input, d.device, d.hfu as ratio
from devices d left join verdict v on v.place = 1 and v.device is d.device and v.input is d.input
where d.hfu is not null and d.mfu is null
order by v.place is null, d.hfu desc, d.rowid
limit 1
