-- SPDX-License-Identifier: Apache-2.0
-- screen_hfu: how much of its peak the device reaches where the model's part of its flops is unknown
-- line: 40 mfu HFU
-- of: devices
-- whole: span
-- needs: devices (input device mfu hfu)
-- say: {ratio:share} of peak, transposes counted; MFU unknown: which flops are transposes is not in the file
select input, device, hfu as ratio
from devices
where hfu is not null and mfu is null
order by hfu desc, rowid
limit 1
