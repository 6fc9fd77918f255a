-- SPDX-License-Identifier: Apache-2.0
-- screen_sampled: what a profile of sampled stacks holds, which has no timeline
-- line: 34 sampled
-- of: sample_places
-- needs: sample_types (input type unit samples total largest largest_value)
-- say: {count:count} stacks, without a timeline; most {other}: {name}
select input, samples as count, coalesce(type, 'of it') as other, coalesce(largest, 'nothing') as name
from sample_types
order by rowid desc
limit 1
