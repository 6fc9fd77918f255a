-- SPDX-License-Identifier: Apache-2.0
-- screen_no_mfu: why it is unknown how much of its peak the device reaches, where no recording would tell
-- line: 40 mfu MFU
-- of: verdict
-- needs: verdict (input device place)
-- needs: abilities (question able code record missed)
-- needs: devices? (input device hfu)
-- word: why no_formula: no formula for the flops of these operators
-- word: why no_shapes: no shapes of matrix products, convolutions, attention in the file
-- word: why no_launches: no launches in the file, so that work has no operator whose flops are known
-- say: unknown: {code:why}
select v.input, v.device, a.code
from verdict v, abilities a
where v.place = 1 and a.question = 'mfu' and a.able <> 'yes' and a.missed and a.code is not null and a.record is null
  and not exists (select 1 from devices d where d.hfu is not null)
