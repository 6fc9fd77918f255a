/* SPDX-License-Identifier: Apache-2.0 */
/* csv-log.c - example of a decoder: a log in CSV (RFC 4180), such as services and schedulers write.
 * The first line names the columns.  Four of them are start, duration, lane and name of a span, as
 * the options say; all others become attributes.
 *
 *   start,duration,lane,name,batch
 *   12.5,3.25,worker 1,"load, then run",32
 *
 * It shows: options, exact times, attributes, damage that is named by its byte, progress. */

#include <nprof/csv.h>
#include <nprof/decimal.h>
#include <nprof/sdk.h>

#include <stdlib.h>

#define PROGRESS_BYTES (1u << 20)

enum { START, DURATION, LANE, NAME, N_ROLES };

typedef struct {
  const struct nprof_host *host;
  int32_t unit; /* index of "ns|us|ms|s" */
  const char *role_name[N_ROLES];

  struct nprof_writer *writer;
  const char *data, *end;
  uint32_t n_columns;
  uint32_t role[N_ROLES]; /* which column it is */
  nprof_str key[NPROF_CSV_FIELDS]; /* of the attribute; 0: it is no one's */
  struct nprof_csv line;
  char *unquoted; /* room for the longest field */
  size_t max_unquoted;
  int64_t last; /* ps: where the last span began */
} CsvLog;

/* -- Lines ----------------------------------------------------------------- */

/* The text of a field, with "" as ": valid until the next call.  NULL: out of memory. */
static const char *
text_of (CsvLog *log, const struct nprof_csv_field *field, size_t *len)
{
  *len = field->len;
  if (!field->doubled)
    return field->p;
  if (field->len > log->max_unquoted) {
    char *grown = realloc (log->unquoted, field->len);
    if (!grown)
      return NULL;
    log->unquoted = grown;
    log->max_unquoted = field->len;
  }
  *len = nprof_csv_plain (field, log->unquoted);
  return log->unquoted;
}

/* Times never pass through a double. */
static bool
read_time (const struct nprof_csv_field *field, int64_t scale, int64_t *ps)
{
  return nprof_read_decimal (field->p, field->len, scale, ps);
}

/* -- Rows ------------------------------------------------------------------ */

static nprof_str
intern_field (CsvLog *log, const struct nprof_csv_field *field)
{
  size_t len;
  const char *text = text_of (log, field, &len);
  return text ? log->host->intern (log->host, text, len) : 0;
}

static nprof_status
add_attributes (CsvLog *log)
{
  nprof_status status = NPROF_OK;
  for (uint32_t c = 0; !status && c < log->n_columns; c++) {
    if (!log->key[c] || log->line.field[c].len == 0) /* empty: not known */
      continue;
    size_t len;
    const char *text = text_of (log, &log->line.field[c], &len);
    status = !text || len > UINT32_MAX
                 ? nprof_fail (log->host, NPROF_E_NOMEM, "no memory for a field")
                 : nprof_attr_bytes (log->writer, log->key[c], NPROF_TEXT, text, (uint32_t) len);
  }
  return status;
}

static nprof_status
add_span (CsvLog *log, int64_t start, int64_t duration)
{
  const struct nprof_host *host = log->host;
  nprof_str lane = intern_field (log, &log->line.field[log->role[LANE]]);
  nprof_track track = host->track (host, 0, NPROF_TRACK_THREAD, lane, 0, 0);
  if (!track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
  log->last = start;
  nprof_str name = intern_field (log, &log->line.field[log->role[NAME]]);
  nprof_status status = nprof_span (log->writer, track, name, start, duration);
  return status ? status : add_attributes (log);
}

/* Returns what is wrong with the line that was read, or NULL. */
static const char *
read_times (const CsvLog *log, int64_t *start, int64_t *duration)
{
  static const int64_t scales[] = { 1000, 1000000, 1000000000, 1000000000000 };
  const struct nprof_csv_field *length = &log->line.field[log->role[DURATION]];
  if (log->line.n != log->n_columns)
    return "another number of fields than the first line has";
  if (!read_time (&log->line.field[log->role[START]], scales[log->unit], start))
    return "the start is no number of whole picoseconds";
  *duration = -1; /* an empty field: the log does not know the end */
  if (length->len && (!read_time (length, scales[log->unit], duration) || *duration < 0))
    return "the duration is no number of whole picoseconds, 0 or more";
  return NULL;
}

static nprof_status
add_line (CsvLog *log)
{
  int64_t start, duration;
  if (nprof_csv_is_blank (&log->line))
    return NPROF_OK;
  const char *problem = log->line.why ? log->line.why : read_times (log, &start, &duration);
  if (!problem)
    return add_span (log, start, duration);
  nprof_status status
      = nprof_damage (log->host, (uint64_t) (log->line.at - log->data), "%s", problem);
  if (status)
    return status;
  nprof_track root = log->host->input (log->host, log->host->own_input)->root;
  return nprof_row (log->writer, NPROF_GAP, root, nprof_intern (log->host, "damaged line"),
                    log->last, 0);
}

static nprof_status
add_lines (CsvLog *log, const char *at)
{
  const char *told = log->data;
  nprof_status status = NPROF_OK;
  while (!status && at < log->end) {
    at = nprof_csv_record (&log->line, at, log->end);
    status = add_line (log);
    if (!status && at - told >= PROGRESS_BYTES) {
      status = log->host->progress (log->host, (uint64_t) (told - log->data),
                                    (uint64_t) (at - log->data));
      told = at;
    }
  }
  return status ? status
                : log->host->progress (log->host, (uint64_t) (told - log->data),
                                       (uint64_t) (log->end - log->data));
}

/* -- The first line -------------------------------------------------------- */

static nprof_status
find_role (CsvLog *log, uint32_t role)
{
  const int c = nprof_csv_find (&log->line, log->role_name[role]);
  if (c >= 0) {
    log->role[role] = (uint32_t) c;
    log->key[c] = 0;
    return NPROF_OK;
  }
  return nprof_fail (log->host, NPROF_E_FORMAT, "byte 0: the first line has no column \"%s\"",
                     log->role_name[role]);
}

static nprof_status
read_head (CsvLog *log, const char **at)
{
  *at = nprof_csv_record (&log->line, *at, log->end);
  log->n_columns = log->line.n;
  if (log->line.why)
    return nprof_fail (log->host, NPROF_E_FORMAT, "byte %llu: %s",
                       (unsigned long long) (log->line.bad - log->data), log->line.why);
  if (log->n_columns > NPROF_CSV_FIELDS)
    return nprof_fail (log->host, NPROF_E_UNSUPPORTED, "byte 0: more than %d columns",
                       NPROF_CSV_FIELDS);
  for (uint32_t c = 0; c < log->n_columns; c++)
    log->key[c] = intern_field (log, &log->line.field[c]);
  nprof_status status = NPROF_OK;
  for (uint32_t role = 0; !status && role < N_ROLES; role++)
    status = find_role (log, role);
  return status;
}

/* -- What nprof calls ------------------------------------------------------ */

/* Any text file could be CSV, so only one with the usual names is known by its content. */
static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  static const char usual[] = "start,duration,lane,name";
  return len >= sizeof usual - 1 && memcmp (head, usual, sizeof usual - 1) == 0 ? 60 : 0;
}

static nprof_status
open_log (void *self, const struct nprof_host *host)
{
  ((CsvLog *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  CsvLog *log = self;
  log->data = data;
  log->end = log->data + len;
  log->writer = log->host->writer (log->host);
  if (!log->writer)
    return nprof_fail (log->host, NPROF_E_NOMEM, "no memory for rows");
  const char *at = log->data;
  if (!len)
    return nprof_fail (log->host, NPROF_E_FORMAT, "byte 0: expected a line that names the columns");
  nprof_status status = read_head (log, &at);
  return status ? status : add_lines (log, at);
}

static void
close_log (void *self)
{
  free (((CsvLog *) self)->unquoted);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "csv-log",
  .summary = "logs in CSV whose first line names the columns",
  .formats = "CSV (RFC 4180) with columns for start, duration, lane and name",
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (CsvLog, unit, "unit", "us", "ns|us|ms|s", "what times are counted in"),
      NPROF_STRING_OPTION (CsvLog, role_name[START], "start", "start", "column of the start"),
      NPROF_STRING_OPTION (CsvLog, role_name[DURATION], "duration", "duration",
                           "column of the duration; empty: not known"),
      NPROF_STRING_OPTION (CsvLog, role_name[LANE], "lane", "lane", "column of the track"),
      NPROF_STRING_OPTION (CsvLog, role_name[NAME], "name", "name", "column of the name")),
  .instance_size = sizeof (CsvLog),
  .probe = probe,
  .open = open_log,
  .decode = decode,
  .close = close_log,
};

NPROF_PLUGIN ("csv-log", "1.0", "Apache-2.0", &decoder)
