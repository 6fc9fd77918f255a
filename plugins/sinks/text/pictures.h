/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.h - pictures of a page for a browser, as SVG within it. */
#pragma once

#include "reasons.h"
#include "wanted-tables.h"

typedef struct Pictures Pictures;

/* `only` is what the page is asked for; NULL: the whole page. */
Pictures *pictures_new (const struct nprof_host *host, const WantedTables *only);
void pictures_free (Pictures *pictures);
/* Keeps what pictures are drawn of.  NPROF_E_NOMEM. */
nprof_status pictures_add (Pictures *pictures, const struct nprof_table *decl,
                           const struct nprof_cell *cells, guint n_rows);
/* Draws those that the page is asked for; what is unknown is a line that says why. */
void pictures_put (GString *out, const Pictures *pictures, const Reasons *reasons);
/* Says by which option there would be a flame graph, where there is none. */
void pictures_put_hint (GString *out, const Pictures *pictures);
