-- SPDX-License-Identifier: Apache-2.0
-- clock: a file has cycles of a device, and not how long one takes
-- when: known
-- stake: what is not known has no time
-- of: cycles
-- each: input device
-- needs: cycles (input device)
-- advice: state it: option clock= of the decoder
-- say: The file states cycles of {device:device} and not how long one takes
select input, device
from cycles
group by input, device
order by min(rowid)
