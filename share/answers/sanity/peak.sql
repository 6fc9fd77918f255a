-- SPDX-License-Identifier: Apache-2.0
-- peak: the peak of a device is unknown, and so is its MFU
-- when: known
-- stake: what is not known has no time
-- of: mfu
-- shown: problems
-- each: input device
-- needs: mfu (input device step operator flops peak_flops)
-- advice: state it: -a mfu:peak_flops=N
-- say: The peak of {device:device} is not known, and so its MFU is not
select input, device
from mfu
where operator = '(total)' and step is null and flops is not null and peak_flops is null
order by rowid
