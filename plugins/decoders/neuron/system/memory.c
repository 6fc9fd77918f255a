/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - counts memory of the device: what was allocated less what was freed since the trace
 * began, by memory and use. The totals that the file states are of several books, which it does not
 * tell apart. */
#include "profile/memory-names.h"
#include "system.h"

typedef struct {
  nprof_track track;
  nprof_str name;
  int64_t value;
} Counter;

typedef struct {
  int64_t time, change;
  uint64_t sequence;
  guint counter;
} Step;

void
system_memory_open (System *s)
{
  s->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  s->counters = g_array_new (FALSE, FALSE, sizeof (Counter));
  s->counter_of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

void
system_memory_close (System *s)
{
  g_clear_pointer (&s->steps, g_array_unref);
  g_clear_pointer (&s->counters, g_array_unref);
  g_clear_pointer (&s->counter_of, g_hash_table_unref);
}

/* -- Which counter ----------------------------------------------------------------------------- */

static nprof_track
memory_track (System *s, int64_t device, int64_t memory, bool of_host)
{
  const struct nprof_host *h = s->host;
  g_autofree char *key
      = of_host ? g_strdup ("host memory")
                : g_strdup_printf ("hbm %" G_GINT64_FORMAT ".%" G_GINT64_FORMAT, device, memory);
  g_autofree char *label
      = of_host ? g_strdup ("host memory of the runtime")
                : g_strdup_printf ("HBM %" G_GINT64_FORMAT " of device %" G_GINT64_FORMAT, memory,
                                   device);
  nprof_track parent = of_host ? system_machine (s) : system_device (s);
  return parent ? h->track (h, parent, NPROF_TRACK_COUNTER, nprof_intern (h, key),
                            nprof_intern (h, label), CLAMP (memory, 0, INT32_MAX))
                : 0;
}

/* Returns NPROF_E_NOMEM without a track. */
static nprof_status
counter_of (System *s, const GArray *pairs, const NeuronPair *usage, guint *number)
{
  int64_t device = 0, memory = 0, of_device = 1;
  system_see_number (pairs, "mla_idx", false, &device);
  system_see_number (pairs, "hbm_idx", false, &memory);
  system_see_number (pairs, "is_nc_hbm", false, &of_device);
  g_autofree char *use
      = usage ? g_strndup (usage->value, usage->value_len) : g_strdup ("unknown use");
  g_autofree char *valid = g_utf8_make_valid (use, -1);
  g_autofree char *key = g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %d %s", device,
                                          memory, of_device != 0, valid);
  gpointer known;
  if (g_hash_table_lookup_extended (s->counter_of, key, NULL, &known)) {
    *number = GPOINTER_TO_UINT (known);
    return NPROF_OK;
  }
  g_autofree char *name = g_strconcat (MEMORY_USE, valid, NULL);
  Counter c = { memory_track (s, device, memory, of_device == 0), nprof_intern (s->host, name), 0 };
  if (!c.track)
    return NPROF_E_NOMEM;
  *number = s->counters->len;
  g_array_append_val (s->counters, c);
  g_hash_table_insert (s->counter_of, g_steal_pointer (&key), GUINT_TO_POINTER (*number));
  return NPROF_OK;
}

/* -- Steps ------------------------------------------------------------------------------------- */

nprof_status
system_memory_step (System *s, const SystemRecord *stop, GArray *pairs)
{
  Step step = { .time = stop->time, .sequence = stop->sequence };
  int64_t freed, failed = 0;
  system_see_number (pairs, "return_code", true, &failed);
  bool is_free = system_see_number (pairs, "freed_bytes", true, &freed);
  if (!is_free && !system_see_number (pairs, "allocated_bytes", true, &step.change))
    return NPROF_OK;
  if (failed)
    return NPROF_OK; /* nothing was given */
  if (is_free)
    step.change = -freed;
  nprof_status status = counter_of (s, pairs, system_text (pairs, "usage_type"), &step.counter);
  if (!status)
    g_array_append_val (s->steps, step);
  return status;
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Step *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

nprof_status
system_memory_rows (System *s)
{
  nprof_status status = NPROF_OK;
  nprof_set bytes = nprof_unit (s->host, "byte");
  if (!bytes)
    return NPROF_E_NOMEM;
  if (s->steps->len)
    g_array_sort (s->steps, by_time);
  for (guint i = 0; i < s->steps->len && !status; i++) {
    const Step *step = &g_array_index (s->steps, Step, i);
    Counter *c = &g_array_index (s->counters, Counter, step->counter);
    int64_t at;
    if (__builtin_add_overflow (c->value, step->change, &c->value)
        || !system_ps (s, step->time, &at))
      s->host->skip (s->host, "memory step", 0, "its time or size is out of range");
    else
      status = nprof_counter_in (s->w, c->track, c->name, bytes, at, (double) c->value);
  }
  return status;
}
