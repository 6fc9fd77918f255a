/* SPDX-License-Identifier: Apache-2.0 */
/* launched.c - finds launches and the modules around them, of launched.h: a span lies in another of
 * its thread when it neither begins before nor ends after it; of equal spans the first in the file
 * is the outer one. */

#include "launched.h"

#include <nprof/keys.h>
#include <producers/pytorch.h>
#include <string.h>
#include <system/launch-list.h>

/* Launches lie in memory, 24 bytes each. */
#define MOST_SITES 20000000
/* So many modules may hold each other, more than Python's limit of frames lets them; what lies
 * deeper belongs to the last. */
#define MOST_DEPTH 256
#define MOST_OPEN 1024 /* modules of a thread at one time */

/* A call of a module, or one that may launch work, of one thread. */
typedef struct {
  gint64 start, end;
  guint64 ordinal, correlation; /* the latter 0: it is a module */
  guint32 label, input;
} Span;

typedef struct {
  guint32 outer, name; /* the latter a string of the store */
} Key;

typedef struct {
  Key key;
  char *path;
  guint depth; /* of it and those around it */
} Module;

typedef struct {
  gint64 end;
  guint32 name, module;
} Open;

struct NpLaunched {
  NpAsk *ask; /* while they are found */
  GArray *modules;
  GHashTable *by_key;  /* Key -> 1 + index of modules */
  AnLaunchList *sites; /* with the module of each; sorted when all are known */
  guint n_sites;
  GByteArray *is_module; /* by label */
  GArray *spans, *open;  /* of a thread */
  gboolean full;
};

/* -- Modules --------------------------------------------------------------------------------- */

static guint
key_hash (gconstpointer key)
{
  const Key *k = key;
  return k->outer * 0x9e3779b1u ^ k->name;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return !memcmp (a, b, sizeof (Key));
}

static void
module_clear (gpointer data)
{
  g_free (((Module *) data)->path);
}

static const Module *
module_at (const NpLaunched *l, guint32 module)
{
  return &g_array_index (l->modules, Module, module);
}

/* Finds or adds the module of that name within another; at MOST_DEPTH the other itself. */
static guint32
intern_module (NpLaunched *l, guint32 outer, guint32 name)
{
  const Key wanted = { outer, name };
  if (outer != NP_NO_MODULE && module_at (l, outer)->depth == MOST_DEPTH)
    return outer;
  gpointer known = g_hash_table_lookup (l->by_key, &wanted);
  if (known)
    return GPOINTER_TO_UINT (known) - 1;
  const char *own = np_ask_string (l->ask, name) + strlen (PYTORCH_MODULE_NAME);
  const Module *around = outer == NP_NO_MODULE ? NULL : module_at (l, outer);
  Module module = { wanted, around ? g_strconcat (around->path, "/", own, NULL) : g_strdup (own),
                    around ? around->depth + 1 : 1 };
  g_array_append_val (l->modules, module);
  g_hash_table_insert (l->by_key, g_memdup2 (&wanted, sizeof wanted),
                       GUINT_TO_POINTER (l->modules->len));
  return l->modules->len - 1;
}

/* -- One thread ------------------------------------------------------------------------------- */

static int
by_start (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->end != y->end)
    return x->end > y->end ? -1 : 1; /* the outer one first */
  return (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

/* Forgets the modules that ended before. */
static void
close_modules (NpLaunched *l, gint64 start)
{
  guint kept = 0;
  for (guint i = 0; i < l->open->len; i++) {
    const Open *open = &g_array_index (l->open, Open, i);
    if (open->end >= start)
      g_array_index (l->open, Open, kept++) = *open;
  }
  g_array_set_size (l->open, kept);
}

/* Returns the innermost module around a span. Those that hold it are mostly those that hold the
 * last of them. */
static guint32
module_around (NpLaunched *l, const Span *span)
{
  guint32 module = NP_NO_MODULE;
  guint n = 0;
  for (guint i = 0; i < l->open->len; i++)
    if (g_array_index (l->open, Open, i).end >= span->end) {
      module = g_array_index (l->open, Open, i).module;
      n++;
    }
  if (!n || module_at (l, module)->depth == n)
    return module;
  module = NP_NO_MODULE;
  for (guint i = 0; i < l->open->len; i++)
    if (g_array_index (l->open, Open, i).end >= span->end)
      module = intern_module (l, module, g_array_index (l->open, Open, i).name);
  return module;
}

static void
add_span (NpLaunched *l, const Span *span)
{
  close_modules (l, span->start);
  guint32 module = module_around (l, span);
  if (span->correlation) {
    const AnListedLaunch site = { span->correlation, span->start, span->input, module };
    an_launch_list_add (l->sites, &site);
    l->n_sites++;
    return;
  }
  const struct nprof_store_label *label = nprof_store_label_at (l->ask->store, span->label);
  const Open open = { span->end, label->name, intern_module (l, module, label->name) };
  if (l->open->len < MOST_OPEN)
    g_array_append_val (l->open, open);
}

static void
add_thread (NpLaunched *l)
{
  g_array_sort (l->spans, by_start);
  g_array_set_size (l->open, 0);
  for (guint i = 0; i < l->spans->len; i++)
    add_span (l, &g_array_index (l->spans, Span, i));
  g_array_set_size (l->spans, 0);
}

/* -- Rows of hosts ----------------------------------------------------------------------------- */

/* Returns the correlation id of a row; 0: it has none. */
static guint64
correlation_of (NpAsk *ask, const struct nprof_event *e)
{
  const struct nprof_store_field *fields;
  uint32_t n;
  if (!nprof_store_fields (ask->query, e, false, &fields, &n))
    return 0;
  for (guint32 i = 0; i < n; i++)
    if (fields[i].type == NPROF_UINT64
        && !strcmp (np_ask_string (ask, fields[i].key), NPROF_KEY_CORRELATION_ID))
      return fields[i].v.u;
  return 0;
}

static gboolean
is_module (const NpLaunched *l, guint32 label)
{
  return label < l->is_module->len && l->is_module->data[label];
}

static void
take_row (gpointer user, const struct nprof_event *e)
{
  NpLaunched *l = user;
  if (e->duration < 0)
    return;
  Span span = { .start = e->start,
                .end = e->start + e->duration,
                .ordinal = e->ordinal,
                .label = e->label,
                .input = e->input };
  if (!is_module (l, e->label) && !(span.correlation = correlation_of (l->ask, e)))
    return;
  l->full |= l->spans->len + l->n_sites >= MOST_SITES;
  if (!l->full)
    g_array_append_val (l->spans, span);
}

static gboolean
take_hosts (NpLaunched *l)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (l->ask->store, i)); i++) {
    if (np_track_within (l->ask, t, NPROF_TRACK_DEVICE, NPROF_TRACK_CORE))
      continue;
    for (guint32 k = 0; k < t->n_lanes; k++)
      if (!np_ask_each_span (l->ask, t->lane + k, take_row, l))
        return FALSE;
    add_thread (l);
  }
  return TRUE;
}

/* -- All --------------------------------------------------------------------------------------- */

/* Finds the labels that calls of modules have.  FALSE: there is none. */
static gboolean
find_labels (NpLaunched *l)
{
  guint64 n = nprof_store_n (l->ask->store, NPROF_STORE_S_LABELS);
  gboolean any = FALSE;
  for (guint64 i = 0; i < n; i++) {
    guint8 is = g_str_has_prefix (np_label_name (l->ask, (guint32) i), PYTORCH_MODULE_NAME)
                && !strcmp (np_label_category (l->ask, (guint32) i), PYTORCH_FRAME);
    g_byte_array_append (l->is_module, &is, 1);
    any |= is;
  }
  return any;
}

NpLaunched *
np_launched_new (NpAsk *ask)
{
  NpLaunched *l = g_new0 (NpLaunched, 1);
  l->ask = ask;
  l->modules = g_array_new (FALSE, FALSE, sizeof (Module));
  g_array_set_clear_func (l->modules, module_clear);
  l->by_key = g_hash_table_new_full (key_hash, key_equal, g_free, NULL);
  l->sites = g_new0 (AnLaunchList, 1);
  l->is_module = g_byte_array_new ();
  l->spans = g_array_new (FALSE, FALSE, sizeof (Span));
  l->open = g_array_new (FALSE, FALSE, sizeof (Open));
  gboolean good = !find_labels (l) || take_hosts (l);
  an_launch_list_sort (l->sites);
  g_byte_array_unref (l->is_module);
  g_array_unref (l->spans);
  g_array_unref (l->open);
  g_hash_table_unref (l->by_key);
  l->ask = NULL;
  if (!good)
    np_launched_free (l);
  return good ? l : NULL;
}

void
np_launched_free (NpLaunched *l)
{
  if (!l)
    return;
  g_array_unref (l->modules);
  an_launch_list_clear (l->sites);
  g_free (l->sites);
  g_free (l);
}

gboolean
np_has_modules (const NpLaunched *l)
{
  return l->modules->len > 0;
}

gboolean
np_launched_is_full (const NpLaunched *l)
{
  return l->full;
}

gboolean
np_is_pytorch (NpAsk *ask)
{
  static const char *const operators[] = { "cpu_op", "Operator" }; /* the latter of 2021 */
  guint64 n = nprof_store_n (ask->store, NPROF_STORE_S_LABELS);
  for (guint64 i = 0; i < n; i++)
    for (guint k = 0; k < G_N_ELEMENTS (operators); k++)
      if (!strcmp (np_label_category (ask, (guint32) i), operators[k]))
        return TRUE;
  return FALSE;
}

/* -- Asking ------------------------------------------------------------------------------------ */

static gboolean
is_work (NpAsk *ask, const struct nprof_event *e)
{
  static const char *const no_work[] = { PYTORCH_NO_WORK }, *const waits[] = { PYTORCH_MTIA_WAITS };
  const char *category = np_label_category (ask, e->label);
  for (guint i = 0; i < G_N_ELEMENTS (no_work); i++)
    if (!strcmp (category, no_work[i]))
      return FALSE;
  for (guint i = 0; !strcmp (category, PYTORCH_MTIA_WORK) && i < G_N_ELEMENTS (waits); i++)
    if (!strcmp (np_label_name (ask, e->label), waits[i]))
      return FALSE;
  return TRUE;
}

guint32
np_launched_module (const NpLaunched *l, NpAsk *ask, const struct nprof_event *e)
{
  if (!l->n_sites || !is_work (ask, e))
    return NP_NO_MODULE;
  const AnListedLaunch *site
      = an_launch_list_find (l->sites, e->input, correlation_of (ask, e), e->start);
  return site ? site->value : NP_NO_MODULE;
}

const char *
np_module_path (const NpLaunched *l, guint32 module, guint32 *outer)
{
  *outer = module_at (l, module)->key.outer;
  return module_at (l, module)->path;
}
