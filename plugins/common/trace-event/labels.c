/* SPDX-License-Identifier: Apache-2.0 */
/* labels.c - reads what events of metadata (ph M) say of processes and threads.  They are read in
 * plan, so that labels are final before the first row; the last one of a kind counts. */
#include "trace-event/trace-event.h"

guint
ch_label_hash (gconstpointer p)
{
  const ChLabel *l = p;
  uint64_t h = (uint64_t) l->pid.v * UINT64_C (0x9e3779b97f4a7c15);
  h = (h ^ (uint64_t) l->tid.v ^ (uint64_t) l->pid.kind << 8 ^ l->tid.kind)
      * UINT64_C (0xa0761d6478bd642f);
  return (guint) (h >> 32);
}

gboolean
ch_label_equal (gconstpointer pa, gconstpointer pb)
{
  const ChLabel *a = pa, *b = pb;
  return ch_same_id (a->pid, b->pid) && ch_same_id (a->tid, b->tid);
}

void
ch_labels_init (Chrome *c)
{
  c->labels = g_hash_table_new_full (ch_label_hash, ch_label_equal, g_free, NULL);
}

const ChLabel *
ch_label_of (const Chrome *c, ChId pid, ChId tid)
{
  ChLabel wanted = { .pid = pid, .tid = tid };
  return g_hash_table_lookup (c->labels, &wanted);
}

const ChLabel *
ch_process_label (ChPart *part, ChId pid)
{
  ChProcess *last = &part->processes[(uint64_t) pid.v % G_N_ELEMENTS (part->processes)];
  if (!last->used || !ch_same_id (last->pid, pid))
    *last = (ChProcess){ pid, ch_label_of (part->c, pid, (ChId){ 0 }), true };
  return last->label;
}

static guint
same_words_hash (gconstpointer p)
{
  const ChLabel *l = p;
  return l->name * 31U + l->labels;
}

static gboolean
same_words (gconstpointer pa, gconstpointer pb)
{
  const ChLabel *a = pa, *b = pb;
  return a->name == b->name && a->labels == b->labels;
}

/* Returns whether a process goes by this label: by that of its pid or, where several ranks have the
 * pid, by those of the ranks. */
static bool
is_used (const ChLabel *label)
{
  return label->whole ? label->whole->several : !label->several;
}

void
ch_labels_compare (Chrome *c)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (same_words_hash, same_words);
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, c->labels);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    ChLabel *label = key, *other = g_hash_table_lookup (seen, label);
    if (label->tid.kind != CH_NO_ID || !label->name || !label->labels || !is_used (label))
      continue;
    if (!other)
      g_hash_table_add (seen, label);
    else
      label->shared = other->shared = true;
  }
}

static ChLabel *
label_to_fill (Chrome *c, ChId pid, ChId tid)
{
  ChLabel wanted = { .pid = pid, .tid = tid };
  ChLabel *label = g_hash_table_lookup (c->labels, &wanted);
  if (!label) {
    label = g_memdup2 (&wanted, sizeof wanted);
    g_hash_table_add (c->labels, label);
  }
  return label;
}

bool
ch_member (const TeScanner *scanner, const TeValue *object, const char *key, TeValue *value)
{
  if (object->kind != TE_OBJECT)
    return false;
  TeScan s = { .controls = &(TeControls){ 0 }, .with = scanner, .end = object->p + object->len };
  TeValue name;
  for (const char *p = object->p + 1; (p = te_member (&s, p, &name, value));)
    if (te_text_is (&name, key))
      return true;
  return false;
}

bool
ch_member_of_args (const TeScanner *scanner, const TeEvent *event, const char *key, TeValue *value)
{
  return te_has (event, TE_ARGS) && ch_member (scanner, &event->value[TE_ARGS], key, value);
}

static void
set_text (Chrome *c, const TeEvent *event, const char *key, nprof_str *text)
{
  TeValue value;
  if (ch_member_of_args (c->scanner, event, key, &value) && value.kind == TE_TEXT)
    *text = ch_name (&c->names, &value);
}

/* Sets a label of a process.  The pid of a process in a container may be the number of a device:
 * then one pid is labelled as both, and neither label may replace the other. */
static void
set_process (Chrome *c, const TeEvent *event, const char *key, ChLabel *label)
{
  nprof_str text = 0;
  set_text (c, event, key, &text);
  if (!text)
    return;
  bool device = ch_names_device (nprof_text (c->host, text)), name = *key == 'n';
  if (device)
    label->device = text;
  if (name)
    label->name = text;
  else if (!device)
    label->labels = text;
}

static void
set_sort (Chrome *c, const TeEvent *event, int64_t *sort)
{
  TeValue value;
  if (!ch_member_of_args (c->scanner, event, "sort_index", &value))
    return;
  if (value.kind == TE_INT)
    *sort = value.i;
  else if (value.kind == TE_TEXT)
    te_int (value.p, value.p + value.len, sort);
}

static void
other_metadata (Chrome *c, const TeEvent *event)
{
  const TeValue *name = &event->value[TE_NAME];
  g_autofree char *what
      = te_has (event, TE_NAME) && name->kind == TE_TEXT
            ? g_strdup_printf ("metadata %.*s", (int) MIN (name->len, 64), name->p)
            : g_strdup ("metadata without name");
  if (te_has (event, TE_NAME) && te_text_is (name, "trace_buffer_overflowed"))
    nprof_log (c->host, NPROF_WARNING,
               "byte %" G_GUINT64_FORMAT
               ": the producer's trace buffer overflowed: events are missing",
               ch_at (c, event->at));
  c->host->skip (c->host, what, ch_at (c, event->at), "metadata that names no process or thread");
}

bool
ch_is_label (const TeEvent *event)
{
  static const char *const names[] = { "process_name", "process_labels", "process_sort_index",
                                       "thread_name", "thread_sort_index" };
  for (gsize i = 0; i < G_N_ELEMENTS (names) && te_has (event, TE_NAME); i++)
    if (te_text_is (&event->value[TE_NAME], names[i]))
      return true;
  return false;
}

static void
take_label (Chrome *c, const TeEvent *event, ChId pid)
{
  const TeValue *name = &event->value[TE_NAME];
  const ChId none = { 0 };
  if (te_text_is (name, "process_name")) {
    set_process (c, event, "name", label_to_fill (c, pid, none));
    ch_own_naming (c, event, label_to_fill (c, pid, none));
  } else if (te_text_is (name, "process_labels"))
    set_process (c, event, "labels", label_to_fill (c, pid, none));
  else if (te_text_is (name, "process_sort_index"))
    set_sort (c, event, &label_to_fill (c, pid, none)->sort);
  else if (te_text_is (name, "thread_name")) {
    ChLabel *label = label_to_fill (c, pid, ch_id (&c->names, event, TE_TID));
    set_text (c, event, "name", &label->name);
    ch_own_naming (c, event, label);
  } else
    set_sort (c, event, &label_to_fill (c, pid, ch_id (&c->names, event, TE_TID))->sort);
}

/* Takes what is said of a process for its rank as well: whether several ranks have this pid is
 * known at the end of all metadata. */
void
ch_label (Chrome *c, const TeEvent *event)
{
  if (!ch_is_label (event)) {
    other_metadata (c, event);
    return;
  }
  int64_t rank;
  const ChId pid = ch_id (&c->names, event, TE_PID);
  take_label (c, event, pid);
  if (pid.kind != CH_NUMBER || !ch_rank_of (c->scanner, event, &rank))
    return;
  ChLabel *process = label_to_fill (c, pid, (ChId){ 0 });
  process->several |= process->ranked && process->rank != rank;
  c->by_rank |= process->several;
  process->ranked = true;
  process->rank = rank;
  const ChId ranked = ch_ranked_id (&c->names, pid, rank);
  take_label (c, event, ranked);
  ChLabel *own = label_to_fill (c, ranked, (ChId){ 0 });
  own->rank = rank;
  own->whole = process;
}
