/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.c - finds kernels that need few flops for a byte and follow each other on a stream,
 * three or more, with nothing in between and no random numbers: one kernel could do what they
 * do, without writing and reading what lies between them. */
#include "chances.h"

#include "devicekit/bytes.h"

#define LEAST 3u

enum { CHAINS_NOT = 1, CHAINS };

void
pattern_free (gpointer pattern)
{
  Pattern *p = pattern;
  g_free (p->kernels);
  g_free (p->operators);
  g_free (p->families);
  g_free (p);
}

static Chain *
chain_of (Device *d, nprof_track stream)
{
  for (guint i = 0; i < d->chains->len; i++)
    if (g_array_index (d->chains, Chain, i).stream == stream)
      return &g_array_index (d->chains, Chain, i);
  const Chain chain = { stream, g_array_new (FALSE, FALSE, sizeof (Row)) };
  g_array_append_val (d->chains, chain);
  return &g_array_index (d->chains, Chain, d->chains->len - 1);
}

static const Row *
row_at (const GArray *rows, guint i)
{
  return &g_array_index (rows, Row, i);
}

/* Returns "cast, elementwise x 2, reduction"; transfer full. */
static char *
families_of (Chances *c, const GArray *rows)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0, n; i < rows->len; i += n) {
    const char *family = chances_family (c, row_at (rows, i)->kernel);
    for (n = 1; i + n < rows->len && chances_family (c, row_at (rows, i + n)->kernel) == family;)
      n++;
    g_string_append_printf (text, "%s%s", text->len ? ", " : "", family);
    if (n > 1)
      g_string_append_printf (text, " x %u", n);
  }
  return g_string_free (text, FALSE);
}

/* Returns the next number of patterns of the device that have these families. */
static guint
number_of (Chances *c, const Device *d, const char *families)
{
  g_autofree char *key = g_strdup_printf ("%u %s", d->number, families);
  const guint number = GPOINTER_TO_UINT (g_hash_table_lookup (c->alike, key));
  g_hash_table_replace (c->alike, g_steal_pointer (&key), GUINT_TO_POINTER (number + 1));
  return number;
}

static Pattern *
pattern_new (Chances *c, const Device *d, const GArray *rows)
{
  Pattern *p = g_new0 (Pattern, 1);
  p->device = d->number;
  p->n = rows->len;
  p->kernels = g_new (nprof_str, p->n);
  p->operators = g_new0 (nprof_str, p->n);
  for (guint i = 0; i < p->n; i++)
    p->kernels[i] = row_at (rows, i)->kernel;
  p->families = families_of (c, rows);
  p->number = number_of (c, d, p->families);
  return p;
}

static Pattern *
pattern_of (Chances *c, const Device *d, const GArray *rows)
{
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val (words, d->number);
  for (guint i = 0; i < rows->len; i++)
    g_array_append_val (words, row_at (rows, i)->kernel);
  GBytes *key = g_bytes_new (words->data, words->len * sizeof (guint32));
  Pattern *p = g_hash_table_lookup (c->patterns, key);
  if (p) {
    g_bytes_unref (key);
    return p;
  }
  p = pattern_new (c, d, rows);
  g_hash_table_insert (c->patterns, key, p);
  return p;
}

static void
keep_longest (Pattern *p, gint64 start, gint64 end)
{
  const gint64 longer = end - start - p->longest;
  if (p->times > 1 && (longer < 0 || (longer == 0 && start >= p->start)))
    return;
  p->start = start;
  p->longest = end - start;
}

/* Ends the chain; what its last kernel writes is no longer between two. */
static void
close_chain (Chances *c, const Device *d, GArray *rows)
{
  if (rows->len >= LEAST) {
    Pattern *p = pattern_of (c, d, rows);
    p->times++;
    keep_longest (p, row_at (rows, 0)->start, row_at (rows, rows->len - 1)->end);
    for (guint i = 0; i < rows->len; i++) {
      const Row *row = row_at (rows, i);
      const bool last = i + 1 == rows->len;
      p->total += row->end - row->start;
      p->operators[i] = p->operators[i] ? p->operators[i] : row->operator;
      p->passed += last || row->written < 0 ? 0 : row->written;
      p->unknown += !last && row->written < 0;
    }
  }
  g_array_set_size (rows, 0);
}

static bool
can_chain (Chances *c, nprof_str kernel)
{
  guint8 *known = an_byte_of (c->chains, kernel);
  if (!*known)
    *known = an_family_is_of_memory (chances_family (c, kernel))
                     && !an_has_mark (c->families, AN_RANDOM, nprof_text (c->host, kernel))
                 ? CHAINS
                 : CHAINS_NOT;
  return *known == CHAINS;
}

void
patterns_row (Chances *c, Device *d, const Row *row)
{
  GArray *rows = chain_of (d, row->stream)->rows;
  if (!row->hidden && row->class == AN_COMPUTE && can_chain (c, row->kernel))
    g_array_append_val (rows, *row);
  else
    close_chain (c, d, rows);
}

void
patterns_end (Chances *c, Device *d)
{
  for (guint i = 0; i < d->chains->len; i++)
    close_chain (c, d, g_array_index (d->chains, Chain, i).rows);
}
