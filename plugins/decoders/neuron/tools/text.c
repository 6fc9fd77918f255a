/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - reads summaries as text: lines of a name and a value, under the names of groups in newer
 * versions. format: neuron-outputs.md 3.4 */
#include "tools.h"

typedef struct {
  Nt *t;
  NtMetrics m;
  GHashTable *seen; /* metrics of this worker: one that comes again begins the next */
  guint worker;
  char *bucket, *group;
} Text;

static bool
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || c == '/';
}

/* Returns whether it is a word and nothing else but decoration: "overall_stats", "== n_1234 ==". */
static bool
is_heading (const char *behind, const char *end)
{
  for (; behind < end; behind++)
    if (g_ascii_isalnum (*behind))
      return false;
  return true;
}

static bool
is_bucket (const char *name, size_t len)
{
  return len == 42 && (name[0] == 'n' || name[0] == 'p') && name[1] == '_';
}

static void
heading (Text *x, const char *name, size_t len)
{
  bool bucket = is_bucket (name, len);
  char **place = bucket ? &x->bucket : &x->group;
  g_free (*place);
  *place = g_strndup (name, len);
  if (bucket)
    g_hash_table_remove_all (x->seen);
  x->m.group = x->group;
  x->m.bucket = x->bucket;
}

/* Begins the next worker when a metric is there already. */
static void
begin_worker (Text *x, const char *name)
{
  g_autofree char *key = g_strconcat (x->group ? x->group : "", "/", name, NULL);
  if (g_hash_table_add (x->seen, g_steal_pointer (&key)))
    return;
  g_hash_table_remove_all (x->seen);
  g_hash_table_add (x->seen, g_strconcat (x->group ? x->group : "", "/", name, NULL));
  g_free (x->bucket);
  x->bucket = g_strdup_printf ("%u", ++x->worker + 1);
  x->m.bucket = x->bucket;
}

static nprof_status
line (Text *x, const char *p, const char *end)
{
  const char *from = p;
  while (p < end && !is_name (*p))
    p++;
  size_t len = 0;
  while (p + len < end && is_name (p[len]))
    len++;
  if (len == 0)
    return NPROF_OK; /* empty, or a rule */
  const char *value = p + len;
  if (is_heading (value, end) && !nt_is_metric (p, len)) {
    heading (x, p, len);
    return NPROF_OK;
  }
  while (value < end
         && (g_ascii_isspace (*value) || *value == ':' || *value == '=' || *value == '|'))
    value++;
  while (end > value && (g_ascii_isspace (end[-1]) || end[-1] == '|'))
    end--;
  if (value == end || value == p + len || !(g_ascii_isalpha (*p) || *p == '_')) {
    nt_skip_record (x->t, from, "line of a summary", "it is no name and value");
    return NPROF_OK;
  }
  g_autofree char *name = g_strndup (p, len);
  TeValue v = { .p = value, .len = (size_t) (end - value), .kind = TE_WORD };
  begin_worker (x, name);
  return nt_metric (x->t, &x->m, name, &v);
}

/* Returns where the summary begins: a terminal that was captured has the command before it, broken
 * into lines, and warnings. The first bucket ends that; without one all is the summary. */
static const char *
beginning (const Nt *t)
{
  for (const char *p = t->data, *end; p < t->end; p = end + (end < t->end)) {
    end = memchr (p, '\n', (size_t) (t->end - p));
    end = end ? end : t->end;
    const char *name = p;
    size_t len = 0;
    while (name < end && !is_name (*name))
      name++;
    while (name + len < end && is_name (name[len]))
      len++;
    if (is_bucket (name, len) && is_heading (name + len, end))
      return p;
  }
  return t->data;
}

static nprof_status
lines (Text *x)
{
  Nt *t = x->t;
  nprof_status status = NPROF_OK;
  const char *first = beginning (t);
  if (first > t->data)
    nt_skip_record (t, t->data, "lines before a summary", "a terminal wrote them");
  for (const char *p = first; p < t->end && !status;) {
    const char *end = memchr (p, '\n', (size_t) (t->end - p));
    end = end ? end : t->end;
    status = line (x, p, end);
    p = end + (end < t->end);
  }
  /* The text says too little to part the facts of several workers. */
  return status || x->worker ? status : nt_metrics_facts (x->t, &x->m, "summary");
}

nprof_status
nt_summary_text (Nt *t)
{
  Text x = { .t = t, .seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  t->w = t->host->writer (t->host);
  nprof_status status = t->w ? t->host->table (t->host, &neuron_metrics_table) : NPROF_E_NOMEM;
  if (!status)
    status = lines (&x);
  g_hash_table_unref (x.seen);
  g_free (x.bucket);
  g_free (x.group);
  return status ? status : t->host->progress (t->host, 0, nt_byte (t, t->end));
}
