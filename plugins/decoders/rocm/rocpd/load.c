/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - reads what rows refer to by number: machines, processes, threads, agents, texts,
 * categories, events, tracks, moments, kernels. */
#include "rocpd.h"
#include "json/scan.h"

#include <string.h>

/* -- Columns ----------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 8 };

/* These are the places of the columns that somebody reads, in the order in which he names them. */
typedef struct {
  const char *const *names; /* ends in NULL */
  int column[MOST_COLUMNS];
  Ids *into;
} Columns;

static void
lay_out_columns (RpGuid *g, DbRows *rows, gpointer data)
{
  Columns *at = data;
  (void) g;
  for (gsize i = 0; at->names[i]; i++)
    at->column[i] = db_column (rows, at->names[i]);
}

#define COLUMNS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static nprof_status
load (RpGuid *g, const char *table, const char *const *names, RpTake *take, Ids *into)
{
  Columns at = { .names = names, .into = into };
  nprof_status status = rp_each (g, table, false, lay_out_columns, take, &at);
  if (!status && into)
    ids_settle (into);
  return status;
}

gint64
rp_number (const DbRows *rows, int column)
{
  gint64 number;
  return db_int (rows, column, &number) ? number : ROCM_UNKNOWN;
}

/* Returns 0 where the row has no text. */
static nprof_str
intern (const RpGuid *g, const DbRows *rows, int column)
{
  const char *text = db_text (rows, column);
  return text ? nprof_intern (g->self->rocm.host, text) : 0;
}

/* Reads a number of an object of JSON: {"cu_count": 304}.  Returns 0 where there is none. */
static gint64
member_number (const char *json, const char *key)
{
  const char *at = json ? strstr (json, key) : NULL;
  if (!at)
    return 0;
  at += strlen (key);
  at += strspn (at, " \t\r\n:");
  return g_ascii_isdigit (*at) ? g_ascii_strtoll (at, NULL, 10) : 0;
}

/* -- Texts ------------------------------------------------------------------------------------- */

static nprof_status
take_text (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  const nprof_str text = intern (g, rows, at->column[1]);
  gint64 id;
  if (text && db_int (rows, at->column[0], &id))
    ((RocmText *) ids_add (at->into, id))->text = text;
  return NPROF_OK;
}

nprof_str
rp_text (Ids *texts, gint64 id)
{
  const RocmText *text = id == ROCM_UNKNOWN ? NULL : ids_find (texts, id);
  return text ? text->text : 0;
}

/* -- Processes --------------------------------------------------------------------------------- */

static void
know_process (RpGuid *g, gint64 id, RocmProcess *p)
{
  if (!g_hash_table_contains (g->processes, &id))
    g_hash_table_insert (g->processes, g_memdup2 (&id, sizeof id), p);
}

static nprof_status
take_process (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  const struct nprof_host *host = g->self->rocm.host;
  gint64 id, pid;
  if (!db_int (rows, at->column[0], &id))
    return NPROF_OK;
  if (!db_int (rows, at->column[1], &pid))
    pid = id;
  const nprof_str machine = rp_text (&g->nodes, rp_number (rows, at->column[2]));
  RocmProcess *p = rocm_process (&g->self->rocm, machine ? nprof_text (host, machine) : NULL, pid,
                                 db_text (rows, at->column[3]));
  know_process (g, id, p);
  know_process (g, pid, p);
  return NPROF_OK;
}

/* Returns any process of the GUID; NULL: none is described. */
static RocmProcess *
first_process (const RpGuid *g)
{
  GHashTableIter iter;
  gpointer p;
  g_hash_table_iter_init (&iter, g->processes);
  return g_hash_table_iter_next (&iter, NULL, &p) ? p : NULL;
}

static RocmProcess *
find_process (RpGuid *g, gint64 pid)
{
  RocmProcess *p
      = pid == ROCM_UNKNOWN ? first_process (g) : g_hash_table_lookup (g->processes, &pid);
  if (p)
    return p;
  const struct nprof_host *host = g->self->rocm.host;
  p = rocm_process (&g->self->rocm, g->machine ? nprof_text (host, g->machine) : NULL, MAX (pid, 0),
                    NULL);
  know_process (g, pid, p);
  return p;
}

RocmProcess *
rp_process_of (RpGuid *g, gint64 pid)
{
  if (!g->process || pid != g->pid)
    g->process = find_process (g, pid);
  g->pid = pid;
  return g->process;
}

static nprof_status
take_thread (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  gint64 tid;
  const nprof_str name = intern (g, rows, at->column[2]);
  if (name && db_int (rows, at->column[0], &tid))
    g_hash_table_replace (rp_process_of (g, rp_number (rows, at->column[1]))->names,
                          g_memdup2 (&tid, sizeof tid), GUINT_TO_POINTER (name));
  return NPROF_OK;
}

static nprof_status
take_agent (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  gint64 id, index;
  const char *type = db_text (rows, at->column[2]), *json = db_text (rows, at->column[6]);
  if (!db_int (rows, at->column[0], &id))
    return NPROF_OK;
  RocmAgent *agent = rocm_agent (rp_process_of (g, rp_number (rows, at->column[1])), (guint64) id);
  agent->gpu = type && strcmp (type, "GPU") == 0;
  agent->index = db_int (rows, at->column[3], &index) ? index : id;
  agent->product = intern (g, rows, at->column[4]);
  if (!agent->product)
    agent->product = intern (g, rows, at->column[5]);
  agent->cores = member_number (json, "\"cu_count\"");
  agent->mhz = member_number (json, "\"max_engine_clk_fcompute\"");
  return NPROF_OK;
}

/* -- Events, tracks, moments, kernels ---------------------------------------------------------- */

/* Returns the text of a marker, {"message": "step 1"}, without the escapes of JSON; 0: none. */
static nprof_str
message_of (const RpGuid *g, const char *json)
{
  static const char key[] = "\"message\"";
  const char *at = json ? strstr (json, key) : NULL;
  if (!at)
    return 0;
  at += sizeof key - 1;
  at += strspn (at, " \t\r\n:");
  if (*at++ != '"')
    return 0;
  const char *end = at;
  while (*end && *end != '"')
    end += end[0] == '\\' && end[1] ? 2 : 1;
  g_autofree char *plain = g_malloc ((gsize) (end - at) + 1);
  const size_t len = te_unescape (plain, at, (size_t) (end - at));
  return g->self->rocm.host->intern (g->self->rocm.host, plain, len);
}

static nprof_status
take_event (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  Ids *categories = ids_len (&g->categories) ? &g->categories : &g->strings;
  RpEvent event = { 0 };
  if (!db_int (rows, at->column[0], &event.id))
    return NPROF_OK;
  db_int (rows, at->column[1], &event.stack);
  event.category = rp_text (categories, rp_number (rows, at->column[2]));
  event.message = message_of (g, db_text (rows, at->column[3]));
  *(RpEvent *) ids_add (at->into, event.id) = event;
  return NPROF_OK;
}

nprof_str
rp_category (RpGuid *g, nprof_str kind)
{
  const Rocm *rocm = &g->self->rocm;
  if (!g->category || kind != g->kind)
    g->category = rocm_category (rocm, kind ? nprof_text (rocm->host, kind) : "");
  g->kind = kind;
  return g->category;
}

static nprof_status
take_track (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  (void) g;
  RpTrack track = { .pid = rp_number (rows, at->column[1]),
                    .tid = rp_number (rows, at->column[2]),
                    .agent = rp_number (rows, at->column[3]),
                    .queue = rp_number (rows, at->column[4]),
                    .stream = rp_number (rows, at->column[5]),
                    .name = rp_number (rows, at->column[6]) };
  if (db_int (rows, at->column[0], &track.id))
    *(RpTrack *) ids_add (at->into, track.id) = track;
  return NPROF_OK;
}

static nprof_status
take_stamp (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  RpStamp stamp;
  (void) g;
  if (db_int (rows, at->column[0], &stamp.id) && db_int (rows, at->column[1], &stamp.value))
    *(RpStamp *) ids_add (at->into, stamp.id) = stamp;
  return NPROF_OK;
}

static nprof_status
take_symbol (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  RocmSymbol symbol = { .registers = rp_number (rows, at->column[3]) };
  const char *name = db_text (rows, at->column[1]);
  if (!name || !*name)
    name = db_text (rows, at->column[2]);
  if (!name || !*name || !db_int (rows, at->column[0], &symbol.id))
    return NPROF_OK;
  symbol.name = rocm_kernel_name (&g->self->rocm, name);
  *(RocmSymbol *) ids_add (at->into, symbol.id) = symbol;
  return NPROF_OK;
}

static nprof_status
take_pmc (RpGuid *g, DbRows *rows, gpointer data)
{
  const Columns *at = data;
  RpPmc pmc = { .agent = rp_number (rows, at->column[1]), .name = intern (g, rows, at->column[2]) };
  const char *unit = db_text (rows, at->column[4]);
  if (!pmc.name)
    pmc.name = intern (g, rows, at->column[3]);
  if (!pmc.name || !db_int (rows, at->column[0], &pmc.id))
    return NPROF_OK;
  pmc.wanted
      = g->self->rocm.host->wanted (g->self->rocm.host, nprof_text (g->self->rocm.host, pmc.name));
  if (unit && *unit && !(pmc.unit = nprof_unit (g->self->rocm.host, unit)))
    return NPROF_E_NOMEM;
  *(RpPmc *) ids_add (at->into, pmc.id) = pmc;
  return NPROF_OK;
}

/* -- All of a GUID ----------------------------------------------------------------------------- */

static nprof_status
take_metadata (RpGuid *g, DbRows *rows, gpointer data)
{
  static const struct {
    const char *tag, *property;
  } told[]
      = { { "schema_version", "version" }, { "guid", "guid" }, { "compression", "compression" } };
  const Columns *at = data;
  const struct nprof_host *host = g->self->rocm.host;
  const char *tag = db_text (rows, at->column[0]), *value = db_text (rows, at->column[1]);
  for (gsize i = 0; tag && value && *value && i < G_N_ELEMENTS (told); i++)
    if (strcmp (tag, told[i].tag) == 0)
      return host->property (host, told[i].property, value);
  return NPROF_OK;
}

nprof_status
rp_load (RpGuid *g)
{
  const struct {
    const char *table;
    const char *const *columns;
    RpTake *take;
    Ids *into;
  } parts[] = {
    { "metadata", COLUMNS ("tag", "value"), take_metadata, NULL },
    { "string", COLUMNS ("id", "string"), take_text, &g->strings },
    { "info_category", COLUMNS ("id", "name"), take_text, &g->categories },
    { "info_node", COLUMNS ("id", "hostname"), take_text, &g->nodes },
    { "info_process", COLUMNS ("id", "pid", "nid", "command"), take_process, NULL },
    { "info_thread", COLUMNS ("tid", "pid", "name"), take_thread, NULL },
    { "info_agent", COLUMNS ("id", "pid", "type", "type_index", "product_name", "name", "extdata"),
      take_agent, NULL },
    { "info_kernel_symbol", COLUMNS ("id", "display_name", "kernel_name", "arch_vgpr_count"),
      take_symbol, &g->symbols },
    { "info_pmc", COLUMNS ("id", "agent_id", "name", "symbol", "units"), take_pmc, &g->pmcs },
    { "event", COLUMNS ("id", "stack_id", "category_id", "extdata"), take_event, &g->events },
    { "track", COLUMNS ("id", "pid", "tid", "agent_id", "queue_id", "stream_id", "name_id"),
      take_track, &g->tracks },
    { "timestamp", COLUMNS ("id", "value"), take_stamp, &g->stamps },
  };
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (parts) && !status; i++) {
    status = load (g, parts[i].table, parts[i].columns, parts[i].take, parts[i].into);
    if (!status && parts[i].into == &g->nodes && ids_len (&g->nodes))
      g->machine = ((RocmText *) ids_at (&g->nodes, 0))->text;
  }
  return status;
}
