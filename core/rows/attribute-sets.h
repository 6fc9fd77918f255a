/* SPDX-License-Identifier: Apache-2.0 */
/* attribute-sets.h - sets of attributes that many rows share.  Each call makes a new set:
 * decoders call once per distinct metadata record.  [any-thread] but for new and free. */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

typedef struct NpAttrSets NpAttrSets;

NpAttrSets *np_attrsets_new (void);
void np_attrsets_free (NpAttrSets *sets);
nprof_set np_attrsets_add (NpAttrSets *sets, const struct nprof_attrs *attrs); /* copied */
guint np_attrsets_count (const NpAttrSets *sets); /* handles are 1 .. count */
/* Returns a set that is valid for the run; the empty set for 0 and unknown handles. */
const struct nprof_attrs *np_attrsets_get (NpAttrSets *sets, nprof_set set);
