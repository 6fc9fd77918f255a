-- SPDX-License-Identifier: Apache-2.0
-- screen_note: what else must be said of the verdict
-- line: 6 without_idle note
-- of: verdict
-- needs: verdict (input device place code sentence)
-- say: {because}
select input, device, code, sentence as because
from verdict
where (place = 1 or (place is null and not exists (select 1 from verdict where place = 1)))
  and sentence is not null and code <> 'undetermined.device_not_labelled'
order by place is null, rowid
limit 1
