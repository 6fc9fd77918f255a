-- SPDX-License-Identifier: Apache-2.0
-- screen_check: what cannot be true in the file, before anything is concluded from it
-- line: 2 check
-- of: sanity
-- needs: sanity (input rule rows sentence)
-- say: {because}
select input, rule as code, rows as count, sentence as because
from sanity
order by rowid
limit 4
