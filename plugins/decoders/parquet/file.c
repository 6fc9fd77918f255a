/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - writes tables about the file itself: columns, row groups, metadata; all its pages are
 * checked. */
#include "parquet.h"

#include "parquet/pages.h"

#include <nprof/sdk.h>

NPROF_TABLE (parquet_columns, "Columns", "", PARQUET_COLUMNS)

NPROF_TABLE (parquet_groups, "Row groups", "", PARQUET_GROUPS)

NPROF_TABLE (parquet_metadata, "Key-value metadata", "", PARQUET_METADATA)

/* Adds numbers, which are anything in a damaged footer: a sum beyond 64 bits stays at the end. */
static void
add (gint64 *sum, gint64 n)
{
  if (__builtin_add_overflow (*sum, n, sum))
    *sum = n < 0 ? G_MININT64 : G_MAXINT64;
}

static nprof_status
put_groups (Parquet *p, const PqFooter *footer)
{
  nprof_status status = p->host->table (p->host, &parquet_groups_table);
  for (guint g = 0; g < footer->groups->len && !status; g++) {
    gint64 bytes = 0, uncompressed = 0;
    for (guint k = 0; k < footer->leaves->len; k++) {
      add (&bytes, pq_chunk (footer, g, k)->bytes);
      add (&uncompressed, pq_chunk (footer, g, k)->uncompressed);
    }
    const struct parquet_groups_row row = {
      .group = nprof_some_int (g),
      .rows = nprof_some_int (((PqGroup *) footer->groups->pdata[g])->n_rows),
      .bytes = nprof_some_int (bytes),
      .uncompressed = nprof_some_int (uncompressed),
    };
    status = p->host->row (p->host, &parquet_groups_table,
                           parquet_groups_cells (nprof_cell_own_input (p->host), &row).cells);
  }
  return status;
}

static char *
encodings_text (guint64 bits)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (int k = 0; k < 64; k++)
    if (bits >> k & 1)
      g_string_append_printf (text, "%s%s", text->len ? " " : "",
                              pq_encoding_name (k) ? pq_encoding_name (k) : "unknown");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Sums a column over all row groups. */
static PqChunk
sum_of (const PqFooter *footer, guint leaf)
{
  PqChunk sum = { .codec = -1 };
  for (guint g = 0; g < footer->groups->len; g++) {
    const PqChunk *c = pq_chunk (footer, g, leaf);
    sum.codec = g ? sum.codec : c->codec;
    add (&sum.n_values, c->n_values);
    add (&sum.bytes, c->bytes);
    add (&sum.uncompressed, c->uncompressed);
    sum.encodings |= c->encodings;
    if (c->nulls < 0)
      sum.nulls = -1;
    else if (sum.nulls >= 0)
      add (&sum.nulls, c->nulls);
  }
  return sum;
}

static nprof_status
put_columns (Parquet *p, const PqFooter *footer, const PqPages *pages)
{
  nprof_status status = p->host->table (p->host, &parquet_columns_table);
  for (guint k = 0; k < footer->leaves->len && !status; k++) {
    const PqLeaf *leaf = &g_array_index (footer->leaves, PqLeaf, k);
    PqChunk sum = sum_of (footer, k);
    g_autofree char *encodings = encodings_text (sum.encodings);
    const char *logical = pq_logical_name (leaf->logical);
    g_autofree char *type
        = g_strconcat (pq_type_name (leaf->type), *logical ? " " : "", logical, NULL);
    const struct parquet_columns_row row = {
      .column = nprof_some_text (leaf->path),
      .type = nprof_some_text (type),
      .encodings = nprof_some_text (encodings),
      .codec = nprof_some_text (footer->groups->len ? pq_codec_name (sum.codec) : NULL),
      .values = nprof_some_int (sum.n_values),
      .nulls = nprof_int_if (sum.nulls >= 0, sum.nulls),
      .bytes = nprof_some_int (sum.bytes),
      .uncompressed = nprof_some_int (sum.uncompressed),
      .pages = nprof_some_int ((gint64) pages[k].pages),
      .crcs = nprof_some_int ((gint64) pages[k].with_crc),
    };
    status = p->host->row (p->host, &parquet_columns_table,
                           parquet_columns_cells (nprof_cell_own_input (p->host), &row).cells);
  }
  return status;
}

static nprof_status
put_metadata (Parquet *p, const PqFooter *footer)
{
  nprof_status status = p->host->table (p->host, &parquet_metadata_table);
  for (guint k = 0; k < footer->pairs->len && !status; k++) {
    const PqPair *pair = &g_array_index (footer->pairs, PqPair, k);
    const struct parquet_metadata_row row = {
      .key = nprof_some_text (pair->key),
      .value = nprof_some_text (pair->value),
    };
    status = p->host->row (p->host, &parquet_metadata_table,
                           parquet_metadata_cells (nprof_cell_own_input (p->host), &row).cells);
  }
  return status;
}

/* -- Checking -------------------------------------------------------------- */

static nprof_status
check_chunk (Parquet *p, const guint8 *data, guint64 end, const PqFooter *footer, guint group,
             guint leaf, PqPages *pages)
{
  g_autofree char *why = NULL;
  guint64 at = 0;
  const PqChunk *chunk = pq_chunk (footer, group, leaf);
  if (!pq_pages_check (data, end, &g_array_index (footer->leaves, PqLeaf, leaf), chunk,
                       pages + leaf, &at, &why)) {
    nprof_status status
        = nprof_damage (p->host, at, "column %s, row group %u: %s",
                        g_array_index (footer->leaves, PqLeaf, leaf).path, group, why);
    if (status)
      return status;
  }
  guint64 begin = (guint64) MAX (chunk->data_at, 0);
  return begin <= end && chunk->bytes > 0 && (guint64) chunk->bytes <= end - begin
             ? p->host->progress (p->host, begin, begin + (guint64) chunk->bytes)
             : NPROF_OK;
}

/* Checks CRCs: a writer that gives any gives one to each page. */
static nprof_status
check_crcs (Parquet *p, const PqFooter *footer, const PqPages *pages)
{
  guint64 n = 0, with_crc = 0, bare = 0;
  for (guint k = 0; k < footer->leaves->len; k++) {
    n += pages[k].pages;
    with_crc += pages[k].with_crc;
    bare = bare ? bare : pages[k].bare;
  }
  if (bare && with_crc)
    return nprof_damage (p->host, bare,
                         "a page has no CRC, but others have one: its header was changed; write "
                         "the file again");
  if (bare)
    nprof_log (p->host, NPROF_WARNING,
               "none of %" G_GUINT64_FORMAT
               " pages has a CRC: whether their bytes are right was not checked",
               n);
  return NPROF_OK;
}

static nprof_status
check_all (Parquet *p, const guint8 *data, guint64 end, const PqFooter *footer, PqPages *pages)
{
  gint64 rows = 0;
  for (guint g = 0; g < footer->groups->len; g++) {
    add (&rows, ((PqGroup *) footer->groups->pdata[g])->n_rows);
    for (guint k = 0; k < footer->leaves->len; k++) {
      nprof_status status = check_chunk (p, data, end, footer, g, k, pages);
      if (status)
        return status;
    }
  }
  nprof_status status = check_crcs (p, footer, pages);
  if (status)
    return status;
  return rows == footer->n_rows ? NPROF_OK
                                : nprof_damage (p->host, end,
                                                "the row groups have %" G_GINT64_FORMAT
                                                " rows, but the footer at byte %" G_GUINT64_FORMAT
                                                " says %" G_GINT64_FORMAT,
                                                rows, end, footer->n_rows);
}

nprof_status
file_tables (Parquet *p, const Source *s)
{
  const PqFooter *footer = s->footer;
  g_autofree PqPages *pages = g_new0 (PqPages, footer->leaves->len + 1);
  nprof_status status = check_all (p, s->data, s->end, footer, pages);
  if (!status)
    status = put_columns (p, footer, pages);
  if (!status)
    status = put_groups (p, footer);
  return status ? status : put_metadata (p, footer);
}
