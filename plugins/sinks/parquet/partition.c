/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c - decides which file a row of the events goes to. */
#include "partition.h"

/* Hive writes this for a row without the key. */
#define NO_VALUE "__HIVE_DEFAULT_PARTITION__"

static void
free_part (gpointer data)
{
  struct part *part = data;
  table_file_clear (&part->table_file);
  g_clear_pointer (&part->inputs, g_array_unref);
  g_free (part->value);
  g_free (part);
}

void
partition_init (struct partition *p)
{
  p->open = g_ptr_array_new_with_free_func (free_part);
  p->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
partition_clear (struct partition *p)
{
  g_clear_pointer (&p->open, g_ptr_array_unref);
  g_clear_pointer (&p->counts, g_hash_table_unref);
}

static const char *
property (const struct partition *p, guint32 number)
{
  const struct nprof_input_info *input = p->host->input (p->host, number);
  if (input && NPROF_KNOWS (input, properties))
    for (const char *const *pair = input->properties; pair[0]; pair += 2)
      if (strcmp (pair[0], p->key) == 0)
        return pair[1];
  return NO_VALUE;
}

/* Returns the folder's name: Hive escapes in the manner of URLs; a leading dot or an empty value
 * would be no folder. */
static char *
folder_name (const char *key, const char *value)
{
  g_autofree char *k = g_uri_escape_string (key, " ", TRUE);
  g_autofree char *v = g_uri_escape_string (*value ? value : NO_VALUE, " ", TRUE);
  return g_strdup_printf ("%s=%.150s", k, v);
}

static nprof_status
close_part (struct partition *p, struct part *part)
{
  const GArray *inputs = part->inputs && part->inputs->len ? part->inputs : NULL;
  const struct table_file_about about = { "events", NULL, NULL };
  nprof_status status = table_file_end (&part->table_file, &about, p->columns, inputs);
  g_ptr_array_remove (p->open, part);
  return status;
}

/* Makes room: only so many are open; the one that was used longest ago goes on in another file
 * later. */
static nprof_status
make_room (struct partition *p)
{
  struct part *oldest = NULL;
  if (p->open->len < PARTITIONS_OPEN)
    return NPROF_OK;
  for (guint k = 0; k < p->open->len; k++) {
    struct part *part = g_ptr_array_index (p->open, k);
    if (!oldest || part->used < oldest->used)
      oldest = part;
  }
  return close_part (p, oldest);
}

static char *
path_of (struct partition *p, struct part *part)
{
  if (!part->value)
    return g_strdup ("events.parquet");
  g_autofree char *folder = folder_name (p->key, part->value);
  part->number = GPOINTER_TO_UINT (g_hash_table_lookup (p->counts, folder));
  g_hash_table_insert (p->counts, g_strdup (folder), GUINT_TO_POINTER (part->number + 1));
  return g_strdup_printf ("events/%s/part-%u.parquet", folder, part->number);
}

static nprof_status
open_part (struct partition *p, const char *value, struct part **found)
{
  nprof_status status = make_room (p);
  struct part *part = g_new0 (struct part, 1);
  part->value = g_strdup (value);
  part->inputs = value ? g_array_new (FALSE, FALSE, sizeof (guint32)) : NULL;
  part->start = part->duration = G_MININT64;
  part->table_file.host = p->host;
  part->table_file.writer.lean = value != NULL;
  part->table_file.writer.n_sorting = G_MAXUINT32;
  g_ptr_array_add (p->open, part);
  *found = part;
  g_autofree char *path = path_of (p, part);
  return status ? status
                : table_file_open (&part->table_file, p->works, path, p->columns, p->codec,
                                   p->limit, p->sorting);
}

/* Keeps the inputs of a part sorted, each once: rows that are sorted come from many inputs by
 * turns. */
static void
note_input (struct part *part, guint32 input)
{
  GArray *inputs = part->inputs;
  guint from = 0, to = inputs ? inputs->len : 0;
  while (from < to) {
    guint middle = from + (to - from) / 2;
    if (g_array_index (inputs, guint32, middle) < input)
      from = middle + 1;
    else
      to = middle;
  }
  if (inputs && (from == inputs->len || g_array_index (inputs, guint32, from) != input))
    g_array_insert_val (inputs, from, input);
}

/* Finds the part; without partition= there is one file, and all inputs are its own, those without
 * rows too. */
static nprof_status
find_part (struct partition *p, guint32 input, struct part **part)
{
  const char *value = p->key ? property (p, input) : NULL;
  for (guint k = 0; k < p->open->len; k++) {
    *part = g_ptr_array_index (p->open, k);
    if (g_strcmp0 ((*part)->value, value) == 0)
      return NPROF_OK;
  }
  return open_part (p, value, part);
}

nprof_status
partition_of (struct partition *p, guint32 input, struct part **part)
{
  nprof_status status = find_part (p, input, part);
  (*part)->used = ++p->clock;
  note_input (*part, input);
  return status;
}

static struct part *
largest (struct partition *p, gsize *total)
{
  struct part *found = NULL;
  gsize most = 0;
  *total = 0;
  for (guint k = 0; k < p->open->len; k++) {
    struct part *part = g_ptr_array_index (p->open, k);
    gsize bytes = pq_writer_bytes (&part->table_file.writer);
    *total += bytes;
    if (!found || bytes > most) {
      found = part;
      most = bytes;
    }
  }
  return found;
}

static nprof_status
end_group (struct part *part)
{
  nprof_status status = table_file_flush (&part->table_file);
  part->table_file.writer.n_sorting = G_MAXUINT32;
  return status;
}

nprof_status
partition_look (struct partition *p, struct part *part)
{
  gsize total = 0;
  if (pq_writer_bytes (&part->table_file.writer) >= part->table_file.limit)
    return end_group (part);
  if (p->open->len == 1)
    return NPROF_OK;
  struct part *most = largest (p, &total);
  return total > COLLECTED_BYTES ? end_group (most) : NPROF_OK;
}

nprof_status
partition_end (struct partition *p)
{
  nprof_status status = NPROF_OK;
  struct part *part;
  if (!p->open->len && !g_hash_table_size (p->counts))
    status = open_part (p, p->key ? NO_VALUE : NULL, &part);
  while (p->open->len && status == NPROF_OK)
    status = close_part (p, g_ptr_array_index (p->open, 0));
  return status;
}
