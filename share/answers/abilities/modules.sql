-- SPDX-License-Identifier: Apache-2.0
-- modules: which modules of the model take the time
-- ability: 140 modules time by module
-- of: modules module_classes
-- needs: abilities (question code)
-- needs: inputs (properties)
-- needs: modules? (module)
-- word: why no_modules: no nn.Module spans in the file
-- word: why no_paths: no path of a framework in the file names a layer
-- word: how torch: record with with_stack=True
-- word: how xla: jax.named_scope would write it
-- word: how tensorflow: tf.name_scope would write it
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from modules) as some,
    exists (select 1 from inputs where properties glob '*"with_stack":"[1t]*') as asked,
    (select code from abilities where question = 'recorder') as who)
select case when some then 'yes' else 'no' end as able, case when not some then 'not_recorded' end as code,
  case when not some then case who when 'torch' then 'no_modules' else 'no_paths' end end as reason,
  case when not some and not asked then who end as how,
  case when not some then 'modules module_classes memory_modules' end as empty
from told
order by 1
