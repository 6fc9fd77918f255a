/* SPDX-License-Identifier: Apache-2.0 */
/* rpd.c - reads a database of rocmProfileData: calls of HIP, operations of GPUs, which call
 * launched which, and what was sampled. source: rocmProfileData, schema 2 */
#include "rpd.h"

#include <string.h>

typedef struct {
  const struct nprof_host *host;
  Rocm *rocm;
  Db *db;
  struct nprof_writer *w;
  GHashTable *strings;  /* gint64 -> nprof_str            */
  GHashTable *launches; /* operation -> call, gint64 each */
  GHashTable *copies;   /* call -> bytes                  */
  nprof_str key_device, key_text;
  bool want_device, want_text;
} Rpd;

/* It walks the rows of a table; columns that nobody asks for are attributes under their names. */
typedef struct {
  Rpd *self;
  DbRest all;
} Rows;

/* -- Rows -------------------------------------------------------------------------------------- */

static nprof_status
begin_rows (Rpd *self, const char *table, Rows *rows)
{
  const Rocm *r = self->rocm;
  const nprof_str declared[]
      = { r->key_correlation, r->key_stream, r->key_bytes,     r->key_kernel,
          r->key_step,        r->key_args,   r->key_dispatch,  r->key_scratch,
          r->key_graph,       r->key_node,   self->key_device, self->key_text };
  rows->self = self;
  nprof_status status
      = db_rest_begin (self->db, table, declared, G_N_ELEMENTS (declared), &rows->all);
  if (!status)
    rows->all.in.id = db_column (&rows->all.in, "id");
  return status;
}

/* -- Texts ------------------------------------------------------------------------------------- */

static nprof_status
load_strings (Rpd *self)
{
  DbRows rows;
  gint64 number;
  if (!db_has (self->db, "rocpd_string"))
    return NPROF_OK;
  nprof_status status = db_rows_begin (self->db, "rocpd_string", &rows);
  const int id = status ? -1 : db_column (&rows, "id");
  const int text = status ? -1 : db_column (&rows, "string");
  while (!status && db_rows_next (&rows, &status)) {
    const char *value = db_text (&rows, text);
    if (db_int (&rows, id, &number) && value)
      g_hash_table_replace (self->strings, g_memdup2 (&number, sizeof number),
                            GUINT_TO_POINTER (nprof_intern (self->host, value)));
  }
  db_rows_end (&rows);
  return status;
}

static nprof_str
numbered (const Rpd *self, const char *what, gint64 number)
{
  char text[64];
  int n = g_snprintf (text, sizeof text, "%s%" G_GINT64_FORMAT, what, number);
  return self->host->intern (self->host, text, (size_t) n);
}

/* Returns "name 17" where the file has no such text. */
static nprof_str
string_of (const Rpd *self, gint64 id)
{
  gpointer found;
  if (g_hash_table_lookup_extended (self->strings, &id, NULL, &found))
    return GPOINTER_TO_UINT (found);
  return numbered (self, "name ", id);
}

/* -- Tracks ------------------------------------------------------------------------------------ */

static nprof_track
gpu_track (const Rpd *self, gint64 gpu)
{
  return rocm_track (self->rocm, 0, NPROF_TRACK_DEVICE, numbered (self, "", gpu),
                     numbered (self, "GPU ", gpu), gpu);
}

static nprof_track
queue_track (const Rpd *self, gint64 gpu, gint64 queue)
{
  return rocm_track (self->rocm, gpu_track (self, gpu), NPROF_TRACK_QUEUE,
                     numbered (self, "", queue), numbered (self, "stream ", queue), queue);
}

/* Thread 0 is the process itself. */
static nprof_track
thread_track (const Rpd *self, gint64 pid, gint64 tid)
{
  const nprof_track process
      = rocm_track (self->rocm, 0, NPROF_TRACK_PROCESS, numbered (self, "", pid & 0xffffff), 0, 0);
  return tid & 0xffffff ? rocm_track (self->rocm, process, NPROF_TRACK_THREAD,
                                      numbered (self, "", tid & 0xffffff), 0, 0)
                        : process;
}

/* -- Which call launched which ----------------------------------------------------------------- */

static nprof_status
load_pairs (Rpd *self, const char *table, const char *from, const char *to, GHashTable *pairs)
{
  DbRows rows;
  gint64 a, b;
  if (!db_has (self->db, table))
    return NPROF_OK;
  nprof_status status = db_rows_begin (self->db, table, &rows);
  const int key = status ? -1 : db_column (&rows, from);
  const int value = status ? -1 : db_column (&rows, to);
  while (!status && db_rows_next (&rows, &status))
    if (db_int (&rows, key, &a) && db_int (&rows, value, &b))
      g_hash_table_replace (pairs, g_memdup2 (&a, sizeof a), g_memdup2 (&b, sizeof b));
  db_rows_end (&rows);
  return status;
}

/* -- Operations -------------------------------------------------------------------------------- */

/* Returns the category of Kineto for what the type says; others keep their own name. */
static nprof_str
category_of (const Rpd *self, nprof_str type)
{
  const char *text = nprof_text (self->host, type);
  if (strcmp (text, "KernelExecution") == 0)
    return nprof_intern (self->host, "kernel");
  if (g_str_has_prefix (text, "Copy"))
    return nprof_intern (self->host, "gpu_memcpy");
  if (strcmp (text, "FillBuffer") == 0)
    return nprof_intern (self->host, "gpu_memset");
  return type;
}

static nprof_status
link_to_call (const Rpd *self, gint64 operation)
{
  const gint64 *call = g_hash_table_lookup (self->launches, &operation);
  const gint64 *bytes = call ? g_hash_table_lookup (self->copies, call) : NULL;
  nprof_status status = NPROF_OK;
  if (call && *call > 0 && self->rocm->want_correlation)
    status = nprof_attr_uint (self->w, self->rocm->key_correlation, (guint64) *call);
  if (!status && bytes && *bytes > 0 && self->rocm->want_bytes)
    status = nprof_attr_int (self->w, self->rocm->key_bytes, *bytes);
  return status;
}

typedef struct {
  int id, gpu, queue, start, end, name, type;
} Operation;

static nprof_status
take_operation (Rows *rows, const Operation *at)
{
  Rpd *self = rows->self;
  gint64 id = 0, gpu, queue, start, end, name = 0, type = 0, from, to;
  if (!db_int (&rows->all.in, at->gpu, &gpu) || !db_int (&rows->all.in, at->queue, &queue)
      || !db_int (&rows->all.in, at->start, &start) || !db_int (&rows->all.in, at->end, &end))
    return db_damaged (&rows->all.in, "gpuId, queueId, start or end is no number");
  if (end < start || !rocm_time (self->rocm, start, &from) || !rocm_time (self->rocm, end, &to))
    return db_damaged (&rows->all.in, "it ends before it starts, or its times are out of range");
  db_int (&rows->all.in, at->id, &id);
  db_int (&rows->all.in, at->name, &name);
  db_int (&rows->all.in, at->type, &type);
  nprof_str text = string_of (self, name), kind = string_of (self, type);
  nprof_status status = rocm_row (self->rocm, NPROF_SPAN, queue_track (self, gpu, queue),
                                  text ? text : kind, from, to - from);
  if (status)
    return status;
  nprof_set_category (self->w, category_of (self, kind));
  status = link_to_call (self, id);
  if (!status && self->want_device)
    status = nprof_attr_int (self->w, self->key_device, gpu);
  return status ? status : db_rest_add (&rows->all, self->w);
}

static nprof_status
decode_operations (Rpd *self)
{
  Rows rows;
  Operation at;
  nprof_status status = begin_rows (self, "rocpd_op", &rows);
  if (!status)
    at = (Operation){ .id = db_rest_column (&rows.all, "id"),
                      .gpu = db_rest_column (&rows.all, "gpuId"),
                      .queue = db_rest_column (&rows.all, "queueId"),
                      .start = db_rest_column (&rows.all, "start"),
                      .end = db_rest_column (&rows.all, "end"),
                      .name = db_rest_column (&rows.all, "description_id"),
                      .type = db_rest_column (&rows.all, "opType_id") };
  while (!status && db_rows_next (&rows.all.in, &status))
    status = take_operation (&rows, &at);
  db_rest_end (&rows.all);
  return status;
}

/* -- Calls ------------------------------------------------------------------------------------- */

typedef struct {
  int id, pid, tid, start, end, name, args;
  nprof_str hip, marker;
} Call;

/* Returns the name of a call; a range of roctx is a call named UserMarker whose arguments are its
 * text. */
static nprof_str
name_of_call (Rpd *self, const Call *at, gint64 name, gint64 args, nprof_str *category)
{
  nprof_str text = string_of (self, name);
  *category = at->hip;
  if (strcmp (nprof_text (self->host, text), "UserMarker") != 0)
    return text;
  *category = at->marker;
  nprof_str marker = string_of (self, args);
  return marker ? marker : text;
}

static nprof_status
add_arguments (Rpd *self, gint64 args)
{
  size_t len = 0;
  const char *text = args && self->want_text
                         ? self->host->string (self->host, string_of (self, args), &len)
                         : NULL;
  return len ? nprof_attr_bytes (self->w, self->key_text, NPROF_TEXT, text, (uint32_t) len)
             : NPROF_OK;
}

static nprof_status
take_call (Rows *rows, const Call *at)
{
  Rpd *self = rows->self;
  gint64 id = 0, pid, tid, start, end, name = 0, args = 0, from, to;
  if (!db_int (&rows->all.in, at->pid, &pid) || !db_int (&rows->all.in, at->tid, &tid)
      || !db_int (&rows->all.in, at->start, &start) || !db_int (&rows->all.in, at->end, &end))
    return db_damaged (&rows->all.in, "pid, tid, start or end is no number");
  if (end < start || !rocm_time (self->rocm, start, &from) || !rocm_time (self->rocm, end, &to))
    return db_damaged (&rows->all.in, "it ends before it starts, or its times are out of range");
  db_int (&rows->all.in, at->id, &id);
  db_int (&rows->all.in, at->name, &name);
  db_int (&rows->all.in, at->args, &args);
  nprof_str category, text = name_of_call (self, at, name, args, &category);
  nprof_status status
      = rocm_row (self->rocm, NPROF_SPAN, thread_track (self, pid, tid), text, from, to - from);
  if (status)
    return status;
  nprof_set_category (self->w, category);
  if (category == at->hip && id > 0 && self->rocm->want_correlation)
    status = nprof_attr_uint (self->w, self->rocm->key_correlation, (guint64) id);
  if (!status && category == at->hip)
    status = add_arguments (self, args);
  return status ? status : db_rest_add (&rows->all, self->w);
}

static nprof_status
decode_calls (Rpd *self)
{
  Rows rows;
  Call at;
  nprof_status status = begin_rows (self, "rocpd_api", &rows);
  if (!status)
    at = (Call){ .id = db_rest_column (&rows.all, "id"),
                 .pid = db_rest_column (&rows.all, "pid"),
                 .tid = db_rest_column (&rows.all, "tid"),
                 .start = db_rest_column (&rows.all, "start"),
                 .end = db_rest_column (&rows.all, "end"),
                 .name = db_rest_column (&rows.all, "apiName_id"),
                 .args = db_rest_column (&rows.all, "args_id"),
                 .hip = nprof_intern (self->host, "hip_runtime"),
                 .marker = nprof_intern (self->host, "roctx") };
  while (!status && db_rows_next (&rows.all.in, &status))
    status = take_call (&rows, &at);
  db_rest_end (&rows.all);
  return status;
}

/* -- Samples ----------------------------------------------------------------------------------- */

static nprof_status
take_sample (Rows *rows, const int *at)
{
  Rpd *self = rows->self;
  gint64 device, start, ps;
  const char *type = db_text (&rows->all.in, at[1]), *value = db_text (&rows->all.in, at[2]);
  if (!db_int (&rows->all.in, at[0], &device) || !db_int (&rows->all.in, at[3], &start) || !type
      || !value || !rocm_time (self->rocm, start, &ps))
    return db_damaged (&rows->all.in, "deviceId, monitorType, start or value is missing");
  char *end;
  double number = g_ascii_strtod (value, &end);
  if (end == value || *end) {
    self->host->skip (self->host, "row of rocpd_monitor", 0, "its value is no number");
    return NPROF_OK;
  }
  nprof_status status = rocm_row (self->rocm, NPROF_COUNTER, gpu_track (self, device),
                                  nprof_intern (self->host, type), ps, 0);
  if (status)
    return status;
  nprof_set_value (self->w, number);
  return db_rest_add (&rows->all, self->w);
}

static nprof_status
decode_samples (Rpd *self)
{
  Rows rows;
  if (!db_has (self->db, "rocpd_monitor"))
    return NPROF_OK;
  nprof_status status = begin_rows (self, "rocpd_monitor", &rows);
  if (status) {
    db_rest_end (&rows.all);
    return status;
  }
  const int at[]
      = { db_rest_column (&rows.all, "deviceId"), db_rest_column (&rows.all, "monitorType"),
          db_rest_column (&rows.all, "value"), db_rest_column (&rows.all, "start") };
  while (!status && db_rows_next (&rows.all.in, &status))
    status = take_sample (&rows, at);
  db_rest_end (&rows.all);
  return status;
}

/* -- All of it --------------------------------------------------------------------------------- */

static nprof_status
least_of (Rpd *self, const char *table, gint64 *least)
{
  DbRows rows;
  gint64 start;
  if (!db_has (self->db, table))
    return NPROF_OK;
  nprof_status status = db_rows_begin (self->db, table, &rows);
  const int column = status ? -1 : db_column (&rows, "start");
  while (!status && column >= 0 && db_rows_next (&rows, &status))
    if (db_int (&rows, column, &start))
      *least = MIN (*least, start);
  db_rows_end_again (&rows);
  return status;
}

static nprof_status
describe (Rpd *self)
{
  DbRows rows;
  if (!db_has (self->db, "rocpd_metadata"))
    return NPROF_OK;
  nprof_status status = db_rows_begin (self->db, "rocpd_metadata", &rows);
  const int tag = status ? -1 : db_column (&rows, "tag");
  const int value = status ? -1 : db_column (&rows, "value");
  while (!status && db_rows_next (&rows, &status)) {
    const char *name = db_text (&rows, tag), *text = db_text (&rows, value);
    if (name && text && *text && strcmp (name, "schema_version") == 0)
      status = self->host->property (self->host, "version", text);
  }
  db_rows_end (&rows);
  return status;
}

static nprof_status
decode (Rpd *self, Rocm *rocm)
{
  gint64 least = G_MAXINT64;
  nprof_status status = describe (self);
  if (!status)
    status = least_of (self, "rocpd_op", &least);
  if (!status)
    status = least_of (self, "rocpd_api", &least);
  if (!status)
    status = rocm_begin (rocm, least);
  if (!status)
    status = load_strings (self);
  if (!status)
    status = load_pairs (self, "rocpd_api_ops", "op_id", "api_id", self->launches);
  if (!status)
    status = load_pairs (self, "rocpd_copyapi", "api_ptr_id", "size", self->copies);
  if (!status && db_has (self->db, "rocpd_api"))
    status = decode_calls (self);
  if (!status && db_has (self->db, "rocpd_op"))
    status = decode_operations (self);
  return status ? status : decode_samples (self);
}

bool
rpd_is (const Db *db)
{
  return db_has (db, "rocpd_op") || db_has (db, "rocpd_api");
}

nprof_status
rpd_decode (Rocpd *rocpd)
{
  const struct nprof_host *host = rocpd->rocm.host;
  g_autoptr (GHashTable) strings
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GHashTable) launches
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GHashTable) copies
      = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  Rpd self = { .host = host,
               .rocm = &rocpd->rocm,
               .db = &rocpd->db,
               .w = rocpd->rocm.w,
               .strings = strings,
               .launches = launches,
               .copies = copies,
               .key_device = nprof_intern (host, "device"),
               .key_text = nprof_intern (host, "text"),
               .want_device = host->wanted (host, "device"),
               .want_text = host->wanted (host, "text") };
  return decode (&self, &rocpd->rocm);
}
