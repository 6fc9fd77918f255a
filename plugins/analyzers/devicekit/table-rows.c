/* SPDX-License-Identifier: Apache-2.0 */
/* table-rows.c - writes rows of tables as bytes, and reads them with every length checked.
 *
 * A state is "nprof NAME 1\n", the number of parts, and each part with its length before it, in the
 * order of their labels. A part is one input: its label, the origin of its times, its texts, and of
 * each table the number of its rows and their cells. Integers have seven bits a byte, the lowest
 * first; a cell is 0 where it is null, else one more than its value: of a text its place among the
 * texts, of a double its bits. */
#include "table-rows.h"

#include "devicekit/packed-numbers.h"
#include "devicekit/saved-state.h"

#include <string.h>

static nprof_str
get_text (AnPacked *in, const struct nprof_host *host)
{
  guint64 len;
  const guint8 *text = an_unpack_bytes (in, &len);
  return in->damaged ? 0 : host->intern (host, (const char *) text, len);
}

/* -- Parts ------------------------------------------------------------------------------------- */

/* This is one input of a state. */
typedef struct {
  GBytes *bytes;
  nprof_str input;
  gint64 origin;     /* Unix ns, or NPROF_NO_EPOCH        */
  GArray *texts;     /* of nprof_str; NULL, as the rest: it is only saved */
  const guint8 **at; /* of each table: where its rows lie */
  guint64 *rows;     /* of each table: how many there are */
} Part;

static void
part_free (gpointer data)
{
  Part *part = data;
  g_bytes_unref (part->bytes);
  g_clear_pointer (&part->texts, g_array_unref);
  g_free (part->at);
  g_free (part->rows);
  g_free (part);
}

static bool
is_time (const struct nprof_table_column *column)
{
  return !strcmp (column->name, "start_ns") || !strcmp (column->name, "end_ns");
}

static struct nprof_cell
text_cell (const AnRows *rows, const Part *part, uint32_t type, guint64 place)
{
  nprof_str str = g_array_index (part->texts, nprof_str, place);
  size_t len;
  if (type == NPROF_STRING)
    return nprof_cell_str (str);
  const char *text = rows->host->string (rows->host, str, &len);
  return (struct nprof_cell){ .type = type, .len = (uint32_t) len, .v.text = text };
}

static struct nprof_cell
get_cell (const AnRows *rows, const Part *part, uint32_t type, AnPacked *in)
{
  AnPackedWide coded = an_unpack (in);
  struct nprof_cell cell = { .type = coded ? type : NPROF_NULL };
  guint64 value = (guint64) (coded - 1);
  if (!coded)
    return cell;
  in->damaged |= (coded - 1) >> 64 != 0;
  switch (type) {
  case NPROF_INT64:
    cell.v.i = an_unfold (value);
    return cell;
  case NPROF_BOOL:
    in->damaged |= value > 1;
    cell.v.u = value;
    return cell;
  case NPROF_UINT64:
  case NPROF_DOUBLE:
    memcpy (&cell.v, &value, sizeof value);
    return cell;
  default:
    in->damaged |= value >= part->texts->len;
    return in->damaged ? nprof_cell_null () : text_cell (rows, part, type, value);
  }
}

static void
get_row (const AnRows *rows, const Part *part, const struct nprof_table *table, AnPacked *in,
         struct nprof_cell *cells)
{
  cells[0] = nprof_cell_str (part->input);
  for (guint i = 1; table->columns[i] && !in->damaged; i++)
    cells[i] = get_cell (rows, part, table->columns[i]->type, in);
}

static guint
count_columns (const struct nprof_table *table)
{
  guint n = 0;
  while (table->columns[n])
    n++;
  return n;
}

/* Skips the rows of a table, each of which is checked. */
static void
get_table (const AnRows *rows, Part *part, guint number, AnPacked *in)
{
  const struct nprof_table *table = rows->tables[number];
  g_autofree struct nprof_cell *cells = g_new (struct nprof_cell, count_columns (table));
  part->rows[number] = an_unpack_count (in);
  part->at[number] = in->at;
  for (guint64 i = 0; i < part->rows[number] && !in->damaged; i++)
    get_row (rows, part, table, in, cells);
}

static guint
count_tables (const AnRows *rows)
{
  guint n = 0;
  while (rows->tables[n])
    n++;
  return n;
}

/* Takes the bytes.  NULL: they are damaged. */
static Part *
part_new (const AnRows *rows, GBytes *bytes)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (bytes, &len);
  AnPacked in = { data, data + len, false };
  Part *part = g_new0 (Part, 1);
  part->bytes = bytes;
  part->texts = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  part->at = g_new0 (const guint8 *, count_tables (rows));
  part->rows = g_new0 (guint64, count_tables (rows));
  part->input = get_text (&in, rows->host);
  part->origin = an_unpack_signed (&in);
  guint64 n = an_unpack_count (&in);
  for (guint64 i = 0; i < n && !in.damaged; i++) {
    nprof_str text = get_text (&in, rows->host);
    g_array_append_val (part->texts, text);
  }
  for (guint i = 0; rows->tables[i] && !in.damaged; i++)
    get_table (rows, part, i, &in);
  if (!in.damaged && in.at == in.end)
    return part;
  part_free (part);
  return NULL;
}

static int
compare_parts (gconstpointer pa, gconstpointer pb, gpointer user)
{
  const AnRows *rows = user;
  const Part *a = *(Part *const *) pa, *b = *(Part *const *) pb;
  int order = a->input == b->input
                  ? 0
                  : strcmp (nprof_text (rows->host, a->input), nprof_text (rows->host, b->input));
  return order ? order : g_bytes_compare (a->bytes, b->bytes);
}

static void
sort_parts (AnRows *rows)
{
  g_ptr_array_sort_with_data (rows->parts, compare_parts, rows);
}

/* -- Keeping rows ------------------------------------------------------------------------------ */

/* This is one input while its rows are written. */
typedef struct {
  nprof_str input;
  AnRows *rows;
  GHashTable *places; /* nprof_str to 1 + its place among the texts */
  GByteArray *texts;
  GPtrArray *cells; /* of GByteArray, by table */
  guint64 *n_rows;  /* by table */
} Kept;

static void
kept_free (gpointer data)
{
  Kept *kept = data;
  g_hash_table_unref (kept->places);
  g_byte_array_unref (kept->texts);
  g_ptr_array_unref (kept->cells);
  g_free (kept->n_rows);
  g_free (kept);
}

static Kept *
kept_of (AnRows *rows, nprof_str input)
{
  for (guint i = 0; i < rows->kept->len; i++)
    if (((Kept *) g_ptr_array_index (rows->kept, i))->input == input)
      return g_ptr_array_index (rows->kept, i);
  Kept *kept = g_new0 (Kept, 1);
  kept->input = input;
  kept->rows = rows;
  kept->places = g_hash_table_new (NULL, NULL);
  kept->texts = g_byte_array_new ();
  kept->cells = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  kept->n_rows = g_new0 (guint64, count_tables (rows));
  for (guint i = 0; rows->tables[i]; i++)
    g_ptr_array_add (kept->cells, g_byte_array_new ());
  g_ptr_array_add (rows->kept, kept);
  return kept;
}

static guint64
place_of (Kept *kept, nprof_str text)
{
  const struct nprof_host *host = kept->rows->host;
  gpointer place = g_hash_table_lookup (kept->places, GUINT_TO_POINTER (text));
  size_t len;
  if (place)
    return GPOINTER_TO_UINT (place) - 1;
  const char *bytes = host->string (host, text, &len);
  an_pack_bytes (kept->texts, bytes, len);
  guint n = g_hash_table_size (kept->places);
  g_hash_table_insert (kept->places, GUINT_TO_POINTER (text), GUINT_TO_POINTER (n + 1));
  return n;
}

static guint64
value_of (Kept *kept, const struct nprof_cell *cell)
{
  const struct nprof_host *host = kept->rows->host;
  guint64 value;
  switch (cell->type) {
  case NPROF_INT64:
    return an_fold (cell->v.i);
  case NPROF_STRING:
    return place_of (kept, cell->v.s);
  case NPROF_TEXT:
    return place_of (kept, host->intern (host, cell->v.text, cell->len));
  default:
    memcpy (&value, &cell->v, sizeof value);
    return value;
  }
}

static void
keep_row (AnRows *rows, const struct nprof_table *table, const struct nprof_cell *cells)
{
  guint number = 0;
  while (rows->tables[number] != table)
    number++;
  Kept *kept = kept_of (rows, cells[0].v.s);
  GByteArray *to = g_ptr_array_index (kept->cells, number);
  kept->n_rows[number]++;
  for (guint i = 1; table->columns[i]; i++)
    an_pack (to, cells[i].type == NPROF_NULL ? 0 : (AnPackedWide) value_of (kept, &cells[i]) + 1);
}

static GBytes *
kept_bytes (const Kept *kept)
{
  const struct nprof_host *host = kept->rows->host;
  GByteArray *to = g_byte_array_new ();
  size_t len;
  const char *label = host->string (host, kept->input, &len);
  an_pack_bytes (to, label, len);
  an_pack_signed (to, host->run (host)->origin_unix_ns);
  an_pack (to, g_hash_table_size (kept->places));
  if (kept->texts->len)
    g_byte_array_append (to, kept->texts->data, kept->texts->len);
  for (guint i = 0; i < kept->cells->len; i++) {
    const GByteArray *cells = g_ptr_array_index (kept->cells, i);
    an_pack (to, kept->n_rows[i]);
    if (cells->len)
      g_byte_array_append (to, cells->data, cells->len);
  }
  return g_byte_array_free_to_bytes (to);
}

/* Returns what was kept as a part to be saved: its rows are not looked for. */
static Part *
kept_part (const Kept *kept)
{
  Part *part = g_new0 (Part, 1);
  part->bytes = kept_bytes (kept);
  part->input = kept->input;
  return part;
}

/* -- Rows -------------------------------------------------------------------------------------- */

void
an_rows_init (AnRows *rows, const struct nprof_host *host, const char *name,
              const struct nprof_table *const *tables, const struct nprof_table *by_start,
              nprof_status (*write) (void *self))
{
  *rows = (AnRows){
    .host = host, .name = name, .tables = tables, .by_start = by_start, .write = write
  };
  rows->parts = g_ptr_array_new_with_free_func (part_free);
}

void
an_rows_clear (AnRows *rows)
{
  g_clear_pointer (&rows->parts, g_ptr_array_unref);
  g_clear_pointer (&rows->kept, g_ptr_array_unref);
}

nprof_status
an_rows_add (AnRows *rows, const struct nprof_table *table, const struct nprof_cell *cells)
{
  if (rows->kept)
    keep_row (rows, table, cells);
  return rows->host->row (rows->host, table, cells);
}

/* -- The rows of merged states ----------------------------------------------------------------- */

/* This is a row of a part, which begins there. */
typedef struct {
  const Part *part;
  const guint8 *at;
  gint64 start; /* ps of the run; G_MAXINT64: none */
} Found;

/* Returns the origin of the run: that of the first input that has one, as in a run over all
 * inputs. */
static gint64
common_origin (const AnRows *rows)
{
  for (guint i = 0; i < rows->parts->len; i++) {
    const Part *part = g_ptr_array_index (rows->parts, i);
    if (part->origin != NPROF_NO_EPOCH)
      return part->origin;
  }
  return NPROF_NO_EPOCH;
}

/* A time beyond all that can be told is unknown. */
static void
shift_times (const struct nprof_table *table, const Part *part, gint64 origin,
             struct nprof_cell *cells)
{
  gint64 apart;
  if (part->origin == NPROF_NO_EPOCH || part->origin == origin)
    return;
  for (guint i = 1; table->columns[i]; i++)
    if (is_time (table->columns[i]) && cells[i].type == NPROF_INT64
        && (__builtin_sub_overflow (part->origin, origin, &apart)
            || __builtin_mul_overflow (apart, 1000, &apart)
            || __builtin_add_overflow (cells[i].v.i, apart, &cells[i].v.i)))
      cells[i] = nprof_cell_null ();
}

static const guint8 *
read_row (const AnRows *rows, const struct nprof_table *table, const Part *part, const guint8 *at,
          gint64 origin, struct nprof_cell *cells)
{
  gsize len;
  const guint8 *data = g_bytes_get_data (part->bytes, &len);
  AnPacked in = { at, data + len, false };
  get_row (rows, part, table, &in, cells);
  shift_times (table, part, origin, cells);
  return in.at;
}

static gint64
start_of (const struct nprof_table *table, const struct nprof_cell *cells)
{
  for (guint i = 1; table->columns[i]; i++)
    if (!strcmp (table->columns[i]->name, "start_ns") && cells[i].type == NPROF_INT64)
      return cells[i].v.i;
  return G_MAXINT64;
}

static int
by_start (gconstpointer pa, gconstpointer pb)
{
  const Found *a = pa, *b = pb;
  return a->start < b->start ? -1 : a->start > b->start;
}

/* Returns the rows of a table in the order of the inputs. */
static GArray *
find_rows (const AnRows *rows, guint number, gint64 origin, struct nprof_cell *cells)
{
  const struct nprof_table *table = rows->tables[number];
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Found));
  for (guint i = 0; i < rows->parts->len; i++) {
    const Part *part = g_ptr_array_index (rows->parts, i);
    const guint8 *at = part->at[number];
    for (guint64 k = 0; k < part->rows[number]; k++) {
      Found row = { part, at, 0 };
      at = read_row (rows, table, part, at, origin, cells);
      row.start = start_of (table, cells);
      g_array_append_val (found, row);
    }
  }
  return found;
}

static nprof_status
write_by_start (const AnRows *rows, guint number, gint64 origin, struct nprof_cell *cells)
{
  const struct nprof_table *table = rows->tables[number];
  g_autoptr (GArray) found = find_rows (rows, number, origin, cells);
  nprof_status status = NPROF_OK;
  g_array_sort (found, by_start); /* of equal ones the first stays the first */
  for (guint i = 0; i < found->len && status == NPROF_OK; i++) {
    const Found *row = &g_array_index (found, Found, i);
    read_row (rows, table, row->part, row->at, origin, cells);
    status = rows->host->row (rows->host, table, cells);
  }
  return status;
}

static nprof_status
write_part (const AnRows *rows, guint number, const Part *part, gint64 origin,
            struct nprof_cell *cells)
{
  const struct nprof_table *table = rows->tables[number];
  const guint8 *at = part->at[number];
  nprof_status status = NPROF_OK;
  for (guint64 i = 0; i < part->rows[number] && status == NPROF_OK; i++) {
    at = read_row (rows, table, part, at, origin, cells);
    status = rows->host->row (rows->host, table, cells);
  }
  return status;
}

static nprof_status
write_table (const AnRows *rows, guint number, gint64 origin)
{
  const struct nprof_table *table = rows->tables[number];
  g_autofree struct nprof_cell *cells = g_new (struct nprof_cell, count_columns (table));
  nprof_status status = NPROF_OK;
  if (table == rows->by_start)
    return write_by_start (rows, number, origin, cells);
  for (guint i = 0; i < rows->parts->len && status == NPROF_OK; i++)
    status = write_part (rows, number, g_ptr_array_index (rows->parts, i), origin, cells);
  return status;
}

nprof_status
an_rows_finish (void *self)
{
  AnRows *rows = self;
  nprof_status status = rows->write (self);
  sort_parts (rows);
  gint64 origin = common_origin (rows);
  for (guint i = 0; rows->tables[i] && rows->parts->len && status == NPROF_OK; i++)
    status = write_table (rows, i, origin);
  return status;
}

/* -- States ------------------------------------------------------------------------------------ */

static char *
magic_of (const AnRows *rows)
{
  return g_strdup_printf ("nprof %s 1\n", rows->name);
}

static nprof_status
write_parts (AnRows *rows, struct nprof_output *out)
{
  g_autofree char *magic = magic_of (rows);
  g_autoptr (GByteArray) head = g_byte_array_new ();
  an_pack (head, rows->parts->len);
  nprof_status status = out->write (out, magic, strlen (magic));
  if (status == NPROF_OK)
    status = out->write (out, head->data, head->len);
  for (guint i = 0; i < rows->parts->len && status == NPROF_OK; i++) {
    gsize len;
    const void *data
        = g_bytes_get_data (((Part *) g_ptr_array_index (rows->parts, i))->bytes, &len);
    g_byte_array_set_size (head, 0);
    an_pack (head, len);
    status = out->write (out, head->data, head->len);
    if (status == NPROF_OK)
      status = out->write (out, data, len);
  }
  return status;
}

nprof_status
an_rows_save (void *self, struct nprof_output *out)
{
  AnRows *rows = self;
  rows->kept = g_ptr_array_new_with_free_func (kept_free);
  nprof_status status = rows->write (self);
  for (guint i = 0; i < rows->kept->len; i++)
    g_ptr_array_add (rows->parts, kept_part (g_ptr_array_index (rows->kept, i)));
  g_clear_pointer (&rows->kept, g_ptr_array_unref);
  sort_parts (rows);
  return status == NPROF_OK ? write_parts (rows, out) : status;
}

/* Takes the parts of a state; FALSE: it is damaged. */
static bool
get_parts (const AnRows *rows, AnPacked *in, GPtrArray *parts)
{
  guint64 n = an_unpack_count (in);
  for (guint64 i = 0; i < n && !in->damaged; i++) {
    guint64 len;
    const guint8 *data = an_unpack_bytes (in, &len);
    in->damaged |= len == 0; /* a part has its label, if nothing else */
    Part *part = in->damaged ? NULL : part_new (rows, g_bytes_new (data, len));
    if (part)
      g_ptr_array_add (parts, part);
    in->damaged |= !part;
  }
  return !in->damaged && in->at == in->end;
}

nprof_status
an_rows_merge (void *self, const void *data, size_t len)
{
  AnRows *rows = self;
  g_autofree char *magic = magic_of (rows);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  if (len < strlen (magic) || memcmp (data, magic, strlen (magic)) != 0)
    return an_fail_foreign (rows->host, rows->name, magic);
  AnPacked in = { (const guint8 *) data + strlen (magic), (const guint8 *) data + len, false };
  if (!get_parts (rows, &in, parts))
    return an_fail_damaged (rows->host, rows->name, (gsize) (in.at - (const guint8 *) data));
  g_ptr_array_extend_and_steal (rows->parts, g_steal_pointer (&parts));
  return NPROF_OK;
}
