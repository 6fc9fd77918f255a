/* SPDX-License-Identifier: Apache-2.0 */
/* agree.h - whether kernels can be those of given operators, by the families of their names: a
 * coarser reading than that of the tables, for captures that name no kernels. */
#pragma once

#include <glib.h>

typedef struct _GraphFamilies GraphFamilies;

GraphFamilies *graph_families_new (void);
void graph_families_free (GraphFamilies *families);

/* Return the family, static; NULL: it is none of those that are sure. */
const char *graph_family_of_kernel (const GraphFamilies *families, const char *kernel);
const char *graph_family_of_operator (const GraphFamilies *families, const char *name,
                                      const char *kernel);
