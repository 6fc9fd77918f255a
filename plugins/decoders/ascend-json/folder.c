/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c - finds what the folder of a run says that its trace does not: the rank and how many
 * there are, in profiler_info_RANK.json and profiler_metadata.json above; in files beside it the units and shapes of kernels, how much
 * memory components hold, and the vendor's split of steps. layout: ascend.md 1 */
#include "layers.h"

#include "csv/csv.h"
#include "producers/ascend-world.h"

#include <nprof/decimal.h>
#include <nprof/draft/sibling-head.h>
#include <string.h>

/* -- The rank ---------------------------------------------------------------------------------- */

/* Takes "../profiler_info_12.json". */
static int
take_rank (void *user, const char *name)
{
  static const char before[] = "../profiler_info_";
  char **rank = user;
  if (!g_str_has_prefix (name, before))
    return 0;
  const char *number = name + strlen (before);
  const size_t digits = strspn (number, "0123456789");
  if (!digits || strcmp (number + digits, ".json") != 0)
    return 0;
  *rank = *rank ? g_strdup ("") : g_strndup (number, digits);
  return !**rank; /* of several ranks it is of none */
}

/* Says how many ranks the job has, which the first MiB of ../profiler_metadata.json tells. */
static nprof_status
find_world (const struct nprof_host *host, const struct nprof_sibling_head *beside)
{
  enum { MOST = 1 << 20 };
  g_autofree char *text = g_malloc (MOST);
  const size_t len = beside->read (host, "../profiler_metadata.json", text, MOST);
  return ascend_world_say (host, text, len);
}

/* Returns what stands behind a member of that name, a whole number; ASCEND_NONE: there is none. */
static int64_t
member_of (const char *text, const char *member)
{
  const char *at = strstr (text, member);
  if (!at)
    return ASCEND_NONE;
  at += strlen (member);
  at += strspn (at, "\": ");
  return g_ascii_isdigit (*at) ? g_ascii_strtoll (at, NULL, 10) : ASCEND_NONE;
}

/* Takes "../info.json.1", of which msprof writes one a device. */
static int
take_info (void *user, const char *name)
{
  char **info = user;
  if (!g_str_has_prefix (name, "../info.json."))
    return 0;
  const bool several = *info != NULL;
  g_free (*info);
  *info = g_strdup (several ? "" : name);
  return several;
}

/* Returns the rank that msprof says of its only device, transfer full; NULL: it says none. */
static char *
rank_of_info (const struct nprof_host *host, const struct nprof_sibling_head *beside)
{
  g_autofree char *info = NULL;
  char text[8192];
  if (beside->within (host, "..", take_info, &info) || !info || !*info)
    return NULL;
  text[beside->read (host, info, text, sizeof text - 1)] = 0;
  const int64_t rank = member_of (text, "\"rank_id\"");
  return rank >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, rank) : NULL;
}

/* Says how many ranks there are at least, by the links between them that the vendor's tool found in
 * the first MiB of communication_matrix.json: "0-7". */
static nprof_status
find_links (const struct nprof_host *host, const struct nprof_sibling_head *beside)
{
  enum { MOST = 1 << 20 };
  g_autofree char *text = g_malloc (MOST);
  const size_t len = beside->read (host, "communication_matrix.json", text, MOST - 1);
  int64_t most = -1;
  text[len] = 0;
  for (const char *at = text; (at = strchr (at, '"')); at++) {
    char *dash, *end;
    const guint64 from = g_ascii_strtoull (at + 1, &dash, 10);
    if (!g_ascii_isdigit (at[1]) || *dash != '-' || !g_ascii_isdigit (dash[1]))
      continue;
    const guint64 to = g_ascii_strtoull (dash + 1, &end, 10);
    if (*end == '"' && MAX (from, to) < G_MAXUINT32)
      most = MAX (most, (int64_t) MAX (from, to));
  }
  return most < 0 ? NPROF_OK : ascend_world_least (host, most + 1);
}

nprof_status
aj_rank_find (AscendJson *a)
{
  const struct nprof_host *host = a->chrome.host;
  const struct nprof_sibling_head *beside = host->extension (host, NPROF_SIBLING_HEAD);
  g_autofree char *rank = NULL;
  nprof_status status = beside ? beside->within (host, "..", take_rank, &rank) : NPROF_OK;
  if (!status && beside && !rank)
    rank = rank_of_info (host, beside);
  if (!status && rank && *rank)
    status = host->property (host, "rank", rank);
  if (!status && beside)
    status = find_world (host, beside);
  return !status && beside ? find_links (host, beside) : status;
}

/* -- Files beside the trace -------------------------------------------------------------------- */

/* Which columns of a CSV file are read, by their heads; it needs the first two. */
typedef struct {
  const char *file, *const *names;
  int place[12];        /* -1: it has none of that name */
  guint heads;          /* how many the file has */
  guint line, warnings; /* of the record, and so far */
} Columns;

/* Warns of what is wrong with the line; a file with many of them has the first few named. */
static void G_GNUC_PRINTF (3, 4)
    warn (const struct nprof_host *host, Columns *columns, const char *format, ...)
{
  enum { MOST_WARNINGS = 5 };
  if (columns->warnings++ >= MOST_WARNINGS)
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *why = g_strdup_vprintf (format, args);
  va_end (args);
  nprof_log (host, NPROF_WARNING, "%s: line %u%s%s", columns->file, columns->line, why,
             columns->warnings == MOST_WARNINGS ? "; more of this file are not named" : "");
}

static void
find_columns (Columns *columns, const CsvRecord *head)
{
  columns->heads = head->n;
  for (guint i = 0; columns->names[i]; i++) {
    columns->place[i] = -1;
    for (unsigned k = 0; k < head->n && k < CSV_MOST_FIELDS; k++)
      if (csv_is (&head->field[k], columns->names[i]))
        columns->place[i] = (int) k;
  }
}

/* Returns a field without blanks around it, which these files have; NULL: it is not there. */
static const CsvField *
field_of (const CsvRecord *record, const Columns *columns, guint column, CsvField *field)
{
  const int place = columns->place[column];
  if (place < 0 || (unsigned) place >= record->n || place >= CSV_MOST_FIELDS)
    return NULL;
  *field = record->field[place];
  while (field->len && g_ascii_isspace (field->p[field->len - 1]))
    field->len--;
  return field->len ? field : NULL;
}

static nprof_str
text_of (const struct nprof_host *host, const CsvRecord *record, const Columns *columns,
         guint column)
{
  CsvField field;
  if (!field_of (record, columns, column, &field))
    return 0;
  g_autofree char *plain = g_malloc (field.len);
  size_t len = csv_plain (&field, plain);
  const char *p = plain;
  if (len >= 2 && p[0] == '"' && p[len - 1] == '"') { /* quoted once more */
    p++;
    len -= 2;
  }
  return host->intern (host, p, len);
}

/* Reads a time of Unix in us as rows of the trace have it, ps; false: there is none. */
static bool
time_of (const AscendJson *a, const CsvRecord *record, const Columns *columns, guint column,
         int64_t *ps)
{
  CsvField field;
  if (!field_of (record, columns, column, &field))
    return false;
  const TeTime time = te_time (field.p, field.p + field.len);
  return time.state <= TE_ROUNDED && te_time_ps (&time, a->chrome.zero, ps);
}

typedef void Take (AscendJson *a, const CsvRecord *record, Columns *columns, gpointer user);

/* Finds the columns by the first line; false: the file cannot be used. */
static bool
read_head (const struct nprof_host *host, Columns *columns, const CsvRecord *head)
{
  find_columns (columns, head);
  if (head->why)
    host->skip (host, columns->file, 0, head->why);
  if (!head->why && columns->place[0] >= 0 && columns->place[1] >= 0)
    return true;
  warn (host, columns, ": expected the heads %s and %s; the file is not used", columns->names[0],
        columns->names[1]);
  return false;
}

/* Records that cannot be read are skipped, and counted by the name of their file. */
static void
each_record (AscendJson *a, const char *file, const char *p, uint64_t len, const char *const *names,
             Take *take, gpointer user)
{
  const struct nprof_host *host = a->chrome.host;
  const char *const begin = p, *const end = p + len;
  Columns columns = { .file = file, .names = names, .line = 1 };
  CsvRecord record = { 0 };
  if (p < end)
    p = csv_record (&record, p, end);
  if (!read_head (host, &columns, &record))
    return;
  for (columns.line += record.lines; p < end; columns.line += record.lines) {
    p = csv_record (&record, p, end);
    if (record.why) {
      host->skip (host, file, (uint64_t) (record.at - begin), record.why);
      warn (host, &columns, ": %s; it is not used", record.why);
    } else if (!csv_is_blank (&record)) {
      take (a, &record, &columns, user);
    }
  }
}

/* -- What they say ----------------------------------------------------------------------------- */

static guint
kernel_hash (gconstpointer kernel)
{
  const AjKernel *k = kernel;
  const AjSpot spot = { k->name, 0, k->start };
  return aj_spot_hash (&spot);
}

static gboolean
kernel_equal (gconstpointer a, gconstpointer b)
{
  const AjKernel *x = a, *y = b;
  return x->name == y->name && x->start == y->start;
}

/* Of two rows that begin at once the first is kept. */
static void
take_kernel (AscendJson *a, const CsvRecord *record, Columns *columns, gpointer user)
{
  (void) user;
  const struct nprof_host *host = a->chrome.host;
  AjKernel k = { .name = text_of (host, record, columns, 0) };
  if (!time_of (a, record, columns, 1, &k.start) || g_hash_table_contains (a->kernels, &k))
    return;
  k.unit = text_of (host, record, columns, 2);
  k.operation = text_of (host, record, columns, 3);
  k.shapes = text_of (host, record, columns, 4);
  k.results = text_of (host, record, columns, 5);
  CsvField field;
  int64_t blocks;
  for (guint i = 6; i < 8; i++)
    if (field_of (record, columns, i, &field) && csv_int (&field, &blocks))
      ascend_chip_blocks (&a->chip, nprof_text (host, k.unit), blocks);
  g_hash_table_add (a->kernels, g_memdup2 (&k, sizeof k));
}

const AjKernel *
aj_kernel (const AscendJson *a, nprof_str name, int64_t start)
{
  const AjKernel key = { .name = name, .start = start };
  return a->kernels ? g_hash_table_lookup (a->kernels, &key) : NULL;
}

/* Warns of a cell that is not what its column has. */
static void
warn_cell (const AscendJson *a, Columns *columns, guint column, const CsvField *cell,
           const char *why)
{
  warn (a->chrome.host, columns, ", column %s: '%.*s' is %s", columns->names[column],
        (int) MIN (cell->len, 40), cell->p, why);
}

/* An empty cell says nothing, but for the step. */
static void
take_split (AscendJson *a, const CsvRecord *record, Columns *columns, gpointer user)
{
  enum { STEP, FIGURES, DEVICE = FIGURES + ASCEND_FIGURES };
  (void) user;
  CsvField field = { .p = "" };
  int64_t number, device;
  nprof_str label = 0;
  if (!field_of (record, columns, STEP, &field) || !csv_int (&field, &number)) {
    warn_cell (a, columns, STEP, &field, "no number of a step; the line is not used");
    return;
  }
  if (field_of (record, columns, DEVICE, &field)) {
    if (csv_int (&field, &device))
      label = aj_device_label (a->chrome.host, device);
    else
      warn_cell (a, columns, DEVICE, &field, "no number of a device");
  }
  if (record->n < columns->heads)
    warn (a->chrome.host, columns, ": it has %u cells, expected %u", record->n, columns->heads);
  AscendStep *step = ascend_step_of (&a->split, number, label);
  for (guint i = 0; i < ASCEND_FIGURES; i++)
    if (field_of (record, columns, FIGURES + i, &field)
        && !ascend_step_vendor (step, (AscendFigure) i, columns->file, field.p, field.len))
      warn_cell (a, columns, FIGURES + i, &field, "no number of us, or too large");
}

/* -- The chip ---------------------------------------------------------------------------------- */

/* Files of 2023 have what the device is in ../info.json.DEVICE. */
static const char *
read_info (AscendJson *a)
{
  const struct nprof_host *host = a->chrome.host;
  const struct nprof_sibling_head *beside = host->extension (host, NPROF_SIBLING_HEAD);
  g_autofree char *name = g_strdup_printf ("../info.json.%" G_GINT64_FORMAT, a->named_device);
  char text[8192];
  const size_t len = beside && a->named_device != ASCEND_NONE
                         ? beside->read (host, name, text, sizeof text - 1)
                         : 0;
  text[len] = 0;
  const int64_t cores = member_of (text, "\"ai_core_num\""),
                mhz = member_of (text, "\"aic_frequency\"");
  if (cores < 1 || cores > 1024 || mhz < 1)
    return "AI Core Freq";
  a->chip.cores = cores;
  ascend_chip_clock (&a->chip, mhz);
  return "info.json";
}

/* Names the chip by its vendor alone, where the file itself does not name it. */
static nprof_status
say_type (const AscendJson *a, nprof_track device, const char *from)
{
  const struct nprof_host *host = a->chrome.host;
  const nprof_str key = nprof_intern (host, NPROF_KEY_DEVICE_TYPE);
  struct nprof_writer *w = host->writer (host);
  if (a->chrome.device_list.p)
    return NPROF_OK;
  nprof_status status = w ? nprof_row (w, NPROF_FACT, device, key, 0, 0) : NPROF_E_NOMEM;
  if (status)
    return status;
  nprof_set_category (w, nprof_intern (host, from));
  return nprof_attr_str (w, key, nprof_intern (host, "Ascend NPU"));
}

nprof_status
aj_chip_write (AscendJson *a)
{
  const struct nprof_host *host = a->chrome.host;
  const char *from = read_info (a);
  g_autoptr (GHashTable) devices = aj_devices (a);
  g_autoptr (GList) numbers = g_hash_table_get_keys (devices);
  nprof_status status = NPROF_OK;
  if (!ascend_chip_cores (&a->chip) || !a->chip.mhz)
    return NPROF_OK;
  for (const GList *at = numbers; at && !status; at = at->next) {
    const nprof_track device = ch_device (&a->chrome, host, *(const int64_t *) at->data);
    status = device ? say_type (a, device, from) : NPROF_E_NOMEM;
    if (!status)
      status = ascend_chip_facts (&a->chip, host, device, from);
  }
  return status;
}

/* -- Memory ------------------------------------------------------------------------------------ */

/* Reads MiB with digits behind the point as bytes; those behind the twelfth are no byte. */
static bool
bytes_of (const CsvField *field, double *bytes)
{
  int64_t parts;
  const char *point = memchr (field->p, '.', field->len);
  const size_t len = point ? MIN (field->len, (size_t) (point - field->p) + 13) : field->len;
  if (!nprof_read_decimal (field->p, len, INT64_C (1000000000000), &parts) || parts < 0)
    return false;
  *bytes = (double) (int64_t) (((__int128) parts * (1 << 20) + INT64_C (500000000000))
                               / INT64_C (1000000000000));
  return true;
}

typedef struct {
  struct nprof_writer *w;
  nprof_set unit;
  nprof_status status;
} Memory;

/* Returns the device of "NPU:1". */
static int64_t
device_in (const CsvRecord *record, const Columns *columns, guint column)
{
  CsvField field;
  int64_t number;
  if (!field_of (record, columns, column, &field) || field.len <= 4
      || memcmp (field.p, "NPU:", 4) != 0)
    return ASCEND_NONE;
  field.p += 4;
  field.len -= 4;
  return csv_int (&field, &number) && number >= 0 ? number : ASCEND_NONE;
}

/* Each row tells what a component holds, of one or of both kinds. */
static void
write_memory (AscendJson *a, const CsvRecord *record, Columns *columns, gpointer user)
{
  static const char *const kinds[] = { "allocated", "reserved" };
  const struct nprof_host *host = a->chrome.host;
  Memory *m = user;
  const nprof_str component = text_of (host, record, columns, 0);
  int64_t at;
  if (m->status || !component || !time_of (a, record, columns, 1, &at))
    return;
  const nprof_track on = ch_device (&a->chrome, host, device_in (record, columns, 2));
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && !m->status; i++) {
    CsvField field;
    double bytes;
    if (!field_of (record, columns, 3 + i, &field) || !bytes_of (&field, &bytes))
      continue;
    g_autofree char *both = g_strdup_printf ("%s %s", nprof_text (host, component), kinds[i]);
    const nprof_str name = nprof_intern (host, both);
    const nprof_track track
        = on && name ? host->track (host, on, NPROF_TRACK_COUNTER, name, 0, 0) : 0;
    m->status = track ? nprof_counter_in (m->w, track, name, m->unit, at, bytes) : NPROF_E_NOMEM;
  }
}

nprof_status
aj_memory_write (AscendJson *a)
{
  static const char *const names[] = { "Component",           "Timestamp(us)",      "Device Type",
                                       "Total Allocated(MB)", "Total Reserved(MB)", NULL };
  const struct nprof_host *host = a->chrome.host;
  if (!a->memory)
    return NPROF_OK;
  Memory m = { host->writer (host), nprof_unit (host, "byte"), NPROF_OK };
  if (!m.w || !m.unit)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for counters");
  each_record (a, "memory_record.csv", a->memory, a->memory_len, names, write_memory, &m);
  return m.status;
}

/* -- All of it --------------------------------------------------------------------------------- */

typedef struct {
  bool kernels, memory, split;
} Beside;

static int
note_file (void *user, const char *name)
{
  Beside *beside = user;
  beside->kernels |= strcmp (name, "kernel_details.csv") == 0;
  beside->memory |= strcmp (name, "memory_record.csv") == 0;
  beside->split |= strcmp (name, "step_trace_time.csv") == 0;
  return 0;
}

nprof_status
aj_folder_read (AscendJson *a)
{
  static const char *const of_kernels[]
      = { "Name",          "Start Time(us)", "Accelerator Core", "Type", "Input Shapes",
          "Output Shapes", "Block Dim",      "Block Num",        NULL };
  static const char *const of_steps[] = { "Step",
                                          "Computing",
                                          "Communication(Not Overlapped)",
                                          "Overlapped",
                                          "Communication",
                                          "Free",
                                          "Stage",
                                          "Bubble",
                                          "Preparing",
                                          "Device_id",
                                          NULL };
  const struct nprof_host *host = a->chrome.host;
  Beside beside = { 0 };
  const char *bytes;
  uint64_t len;
  nprof_status status = host->siblings (host, note_file, &beside);
  if (!status && beside.kernels) {
    if (!(bytes = host->sibling (host, "kernel_details.csv", &len)))
      return NPROF_E_IO;
    a->kernels = g_hash_table_new_full (kernel_hash, kernel_equal, g_free, NULL);
    each_record (a, "kernel_details.csv", bytes, len, of_kernels, take_kernel, NULL);
  }
  if (!status && beside.split) {
    if (!(bytes = host->sibling (host, "step_trace_time.csv", &len)))
      return NPROF_E_IO;
    each_record (a, "step_trace_time.csv", bytes, len, of_steps, take_split, NULL);
  }
  if (!status && beside.memory
      && !(a->memory = host->sibling (host, "memory_record.csv", &a->memory_len)))
    return NPROF_E_IO;
  return status;
}

static int
is_database (void *user, const char *name)
{
  bool *found = user;
  *found = g_str_has_prefix (name, "ascend_") && g_str_has_suffix (name, ".db");
  return *found;
}

bool
aj_has_database (const struct nprof_host *host)
{
  bool found = false;
  return host->siblings (host, is_database, &found) == NPROF_OK && found;
}

typedef struct {
  const char *name;
  bool found;
} Wanted;

static int
is_wanted (void *user, const char *name)
{
  Wanted *wanted = user;
  wanted->found = strcmp (name, wanted->name) == 0;
  return wanted->found;
}

bool
aj_is_in_msprof (const struct nprof_host *host)
{
  static const char *const parts[] = { "hccl_", "task_time_" };
  const char *own = host->input (host, host->own_input)->file;
  for (guint i = 0; own && i < G_N_ELEMENTS (parts); i++)
    if (g_str_has_prefix (own, parts[i])) {
      g_autofree char *whole = g_strconcat ("msprof_", own + strlen (parts[i]), NULL);
      Wanted wanted = { whole, false };
      return host->siblings (host, is_wanted, &wanted) == NPROF_OK && wanted.found;
    }
  return false;
}
