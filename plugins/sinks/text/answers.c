/* SPDX-License-Identifier: Apache-2.0 */
/* answers.c - gathers what the summary needs from rows of tables as they come; memory does not grow with the
 * number of steps, of which answers-steps.c keeps sums. */

#include "answers-leading.h"
#include "answers-steps.h"
#include "pairs.h"
#include "producers/inference.h"
#include "producers/recorders.h"

#include <math.h>
#include <nprof/sdk.h>
#include <nprof/units.h>
#include <string.h>

/* -- Other tables ------------------------------------------------------------------------------------------------ */

static void
take_collective (Answers *a, const Reader *r)
{
  const Collective c = { .kind = word (r, "kind"),
                         .dtype = word (r, "dtype"),
                         .bytes = number (r, "bytes"),
                         .ranks = number (r, "ranks"),
                         .total = MAX (number (r, "total_ns"), 0),
                         .overlap = MAX (number (r, "overlap_ns"), 0),
                         .exposed = number (r, "exposed_ns"),
                         .busbw = ratio (r, "busbw_p50") };
  g_array_append_val (a->collectives, c);
}

static gboolean
is_of_host (const Answers *a, nprof_str allocator)
{
  return allocator && g_str_has_prefix (nprof_text (a->host, allocator), "CPU");
}

static void
take_memory (Answers *a, const Reader *r)
{
  gint64 peak = number (r, "peak_bytes");
  const MemoryOf memory = { word (r, "input"), word (r, "allocator") };
  gboolean of_host = is_of_host (a, memory.name), had_host = is_of_host (a, a->memory.name);
  if (peak < 0 || (a->memory.name && of_host > had_host)
      || (of_host == had_host && peak <= a->memory_peak))
    return;
  a->memory = memory;
  a->memory_peak = peak;
  a->memory_capacity = number (r, "capacity_bytes");
  a->memory_leaked = number (r, "leaked_bytes");
}

/* Transfer full. */
static char *
holder_name (const Reader *r)
{
  static const char *const columns[] = { "operator", "source", "module", "region" };
  char *name = NULL;
  for (gsize i = 0; !name && i < G_N_ELEMENTS (columns); i++)
    name = text (r, columns[i]);
  return name ? name : g_strdup ("(no operator)");
}

static void
holder_clear (gpointer holder)
{
  g_free (((Holder *) holder)->name);
}

static void
take_holder (Answers *a, const Reader *r)
{
  const Holder row = { { word (r, "input"), word (r, "allocator") },
                       holder_name (r),
                       MAX (number (r, "bytes"), 0) };
  for (guint i = 0; i < a->holders->len; i++) {
    Holder *h = &g_array_index (a->holders, Holder, i);
    if (is_memory_of (h->of, row.of) && strcmp (h->name, row.name) == 0) {
      h->bytes += row.bytes;
      g_free (row.name);
      return;
    }
  }
  g_array_append_val (a->holders, row);
}

/* The row is of a core, which stands in the place of an allocator. */
static void
take_held (Answers *a, const Reader *r)
{
  g_autofree char *core = text (r, "device"), *use = text (r, "use");
  const Holder h = { .of = { word (r, "input"), nprof_intern (a->host, core ? core : "") },
                     .name = g_strdup (use ? use : "(no use)"),
                     .bytes = MAX (number (r, "bytes"), 0) };
  g_array_append_val (a->held, h);
}

static void
take_launches (Answers *a, const Reader *r)
{
  a->launches += MAX (number (r, "launches"), 0);
}

/* -- Utilisation -------------------------------------------------------------------------------------------------- */

static Roofline *
roofline_of (Answers *a, const Reader *r)
{
  const Roofline none = { .input = word (r, "input"), .device = word (r, "device") };
  const Roofline *found = answers_roofline (a, none.input, none.device);
  if (found)
    return (Roofline *) found;
  g_array_append_val (a->rooflines, none);
  return &g_array_index (a->rooflines, Roofline, a->rooflines->len - 1);
}

/* The table knows no rate of transfers that run beside others: their time is no work of the
 * device. */
static void
take_mfu (Answers *a, const Reader *r)
{
  nprof_str operator= word (r, "operator");
  if (!operator|| word (r, "layer") || number (r, "step") >= 0)
    return;
  const char *name = nprof_text (a->host, operator);
  double time = (double) MAX (number (r, "time_ns"), 0), mfu = ratio (r, "mfu");
  Roofline *line = roofline_of (a, r);
  if (strcmp (name, "(busy)") == 0)
    line->busy = time;
  if (*name == '(' || (isnan (mfu) && isnan (ratio (r, "mbu"))))
    return;
  const char *bound = nprof_text (a->host, word (r, "bound"));
  line->compute += strcmp (bound, "compute") == 0 ? time : 0;
  line->memory += strcmp (bound, "memory") == 0 ? time : 0;
  line->link += strcmp (bound, "link") == 0 ? time : 0;
  line->with_flops += mfu > 0 ? time : 0;
  line->at_peak += mfu > 0 ? mfu * time : 0;
}

const Roofline *
answers_roofline (const Answers *a, nprof_str input, nprof_str device)
{
  for (guint i = 0; i < a->rooflines->len; i++) {
    const Roofline *line = &g_array_index (a->rooflines, Roofline, i);
    if (line->input == input && line->device == device)
      return line;
  }
  return NULL;
}

/* -- Modules, hosts, the file ------------------------------------------------------------------------------------- */

static void
share_clear (gpointer share)
{
  g_free (((Share *) share)->name);
}

static void
take_class (Answers *a, const Reader *r)
{
  const Share row = { text (r, "class"), (double) MAX (number (r, "device_ns"), 0) };
  for (guint i = 0; row.name && i < a->classes->len; i++) {
    Share *s = &g_array_index (a->classes, Share, i);
    if (strcmp (s->name, row.name) == 0) {
      s->value += row.value;
      g_free (row.name);
      return;
    }
  }
  if (row.name)
    g_array_append_val (a->classes, row);
}

static gboolean
blocks (const char *name)
{
  static const char *const words[]
      = { "ynchronize", "wait", "Wait", "sleep", "Sleep", "lock", "join", "recv", "poll", "read" };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (name, words[i]))
      return TRUE;
  return FALSE;
}

static void
add_time (GHashTable *times, const char *name, double time)
{
  double *sum = g_hash_table_lookup (times, name);
  if (!sum)
    g_hash_table_insert (times, g_strdup (name), sum = g_new0 (double, 1));
  *sum += time;
}

static void
look_for_inference (Answers *a, const char *name)
{
  Phase phase = inference_said (name).phase;
  a->phases |= phase == PHASE_NONE ? 0 : 1u << phase;
}

/* Steps are called by their numbers: each is another name, and as long as all that it holds. */
static gboolean
is_step (const char *name)
{
  return g_str_has_prefix (name, "ProfilerStep#");
}

static void
look_for_torch (Answers *a, const Reader *r)
{
  static const char *const categories[]
      = { "cpu_op", "Operator", "cuda_runtime", "cuda_driver", "Runtime" };
  g_autofree char *category = text (r, "category");
  for (gsize i = 0; category && i < G_N_ELEMENTS (categories); i++)
    a->torch |= strcmp (category, categories[i]) == 0;
}

/* Times are only of profiles of hosts alone; table devices comes before. */
static void
take_latency (Answers *a, const Reader *r)
{
  g_autofree char *name = text (r, "name");
  double total = (double) MAX (number (r, "total_ns"), 0);
  if (name)
    look_for_inference (a, name);
  if (!name || answers_have (a, "devices"))
    return;
  look_for_torch (a, r);
  if (is_step (name))
    return;
  if (blocks (name))
    add_time (a->blocking, name, total);
  add_time (a->threads, name, total);
}

static void
take_straggler (Answers *a, const Reader *r)
{
  double share = ratio (r, "share");
  if (isnan (share) || (a->straggler.who && share <= a->straggler.share))
    return;
  g_free (a->job);
  g_free (a->straggler.who);
  g_free (a->straggler.cause);
  a->straggler = (Straggler){ text (r, "who"), text (r, "cause"), share };
}

static void
take_sanity (Answers *a, const Reader *r)
{
  g_autofree char *rule = text (r, "rule");
  a->no_kernels |= g_strcmp0 (rule, "no_kernels") == 0;
  g_ptr_array_add (a->doubts, text (r, "sentence"));
}

static void
take_step_times (Answers *a, const Reader *r)
{
  const HostSteps row
      = { number (r, "steps"), number (r, "mean_ns"), number (r, "min_ns"), number (r, "max_ns") };
  if (row.n > 0 && row.mean > a->host_steps.mean)
    a->host_steps = row;
}

static void
rank_clear (gpointer rank)
{
  g_free (((InputRank *) rank)->rank);
  g_free (((InputRank *) rank)->world);
}

/* An option that was on in one input of several is not advised: which of them lacks it is not told here. */
static void
take_property (Answers *a, const char *key, const char *value)
{
  a->hip = a->hip || g_str_has_prefix (key, "hip_");
  if (strcmp (value, "1") == 0 || strcmp (value, "true") == 0)
    g_hash_table_add (a->options, g_strdup (key));
}

static void
take_input (Answers *a, const Reader *r)
{
  static const char *const keys[] = { "rank", "world_size" };
  InputRank rank = { .input = word (r, "input") };
  char **to[] = { &rank.rank, &rank.world };
  g_autofree char *json = text (r, "properties");
  g_autoptr (GPtrArray) pairs = json ? pairs_read (json, strlen (json)) : NULL;
  g_free (a->decoder);
  a->decoder = text (r, "decoder");
  for (guint k = 0; pairs && k + 1 < pairs->len; k += 2) {
    take_property (a, pairs->pdata[k], pairs->pdata[k + 1]);
    for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
      if (strcmp (pairs->pdata[k], keys[i]) == 0 && !*to[i])
        *to[i] = g_strdup (pairs->pdata[k + 1]);
  }
  g_array_append_val (a->ranks, rank);
}

const InputRank *
answers_rank (const Answers *a, nprof_str input)
{
  for (guint i = 0; i < a->ranks->len; i++) {
    const InputRank *rank = &g_array_index (a->ranks, InputRank, i);
    if (rank->input == input && rank->rank)
      return rank;
  }
  return NULL;
}

static void
take_fact (Answers *a, const Reader *r)
{
  g_autofree char *key = text (r, "key");
  const TrackIs type = { word (r, "input"), number (r, "track"), NULL };
  if (g_strcmp0 (key, "device_type") != 0)
    return;
  g_array_append_val (a->types, type);
  g_array_index (a->types, TrackIs, a->types->len - 1).is = text (r, "value");
}

static void
track_is_clear (gpointer is)
{
  g_free (((TrackIs *) is)->is);
}

static GArray *
tracks_new (void)
{
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (TrackIs));
  g_array_set_clear_func (tracks, track_is_clear);
  return tracks;
}

/* Tells whether the track is the device. */
static gboolean
is_track_of (const Answers *a, const TrackIs *type, const DeviceSteps *d)
{
  for (guint i = 0; i < a->labels->len; i++) {
    const TrackIs *t = &g_array_index (a->labels, TrackIs, i);
    if (t->track == type->track && t->input == type->input)
      return g_strcmp0 (t->is, nprof_text (a->host, d->device)) == 0;
  }
  return FALSE;
}

const char *
answers_device_type (const Answers *a)
{
  const DeviceSteps *d = answers_worst (a);
  const TrackIs *best = NULL;
  for (guint i = 0, most = 0; i < a->types->len; i++) {
    const TrackIs *type = &g_array_index (a->types, TrackIs, i);
    guint fits = !d || type->input != d->input ? 1 : is_track_of (a, type, d) ? 3 : 2;
    best = fits > most ? type : best;
    most = MAX (most, fits);
  }
  return best ? best->is : NULL;
}

static void
take_track (Answers *a, const Reader *r)
{
  const char *thread = nprof_text (a->host, word (r, "thread"));
  a->rpd = a->rpd || recorder_is_rpd (thread);
  a->tensorflow = a->tensorflow || recorder_is_tensorflow (thread);
  a->xla = a->xla || recorder_is_xla (nprof_text (a->host, word (r, "process")));
  g_autofree char *kind = text (r, "kind");
  const TrackIs label = { word (r, "input"), number (r, "track"), text (r, "label") };
  if (g_strcmp0 (kind, "device") == 0)
    g_array_append_val (a->labels, label);
  else
    g_free (label.is);
}

/* Of several inputs the one counts whose requests wait longest. */
static void
take_requests (Answers *a, const Reader *r)
{
  const Waits waits = { word (r, "input"), number (r, "requests"), number (r, "first_tokens"),
                        number (r, "ttft_p50_ns"), number (r, "ttft_p99_ns"),
                        number (r, "queue_p50_ns"), number (r, "tpot_p50_ns"),
                        ratio (r, "tokens_per_s"), word (r, "server") != 0 };
  a->n_waiting++;
  if (!a->requests.n || waits.p50 > a->requests.p50)
    a->requests = waits;
}

/* Graphs of a device come busiest first; those of the first device count. */
static void
take_graph (Answers *a, const Reader *r)
{
  GraphWork *g = &a->graphs;
  if (g->n && g->device != word (r, "device"))
    return;
  if (!g->n++) {
    g->device = word (r, "device");
    g->match = word (r, "match");
    g->kernels = number (r, "kernels");
  }
  const double busy = (double) number (r, "busy_ns");
  g->replays += number (r, "replays");
  g->share += ratio (r, "share");
  g->busy += busy;
  g->named += busy * ratio (r, "named");
}

/* Says what hung, why, and who waits since when. */
static void
take_hang (Answers *a, const Reader *r)
{
  g_autofree char *collective = text (r, "collective"), *group = text (r, "group"),
                  *reason = text (r, "reason"), *source = text (r, "source"),
                  *waiting = text (r, "waiting");
  const gint64 timeout = number (r, "timeout");
  GString *said = g_string_new (NULL);
  if (!collective)
    g_string_append_printf (said, "%s: %s",
                            g_str_equal (nprof_text (a->host, word (r, "cause")), "none")
                                ? "nothing hung"
                                : "what hung is not known",
                            reason);
  else
    g_string_append_printf (said, "HUNG: %s %" G_GINT64_FORMAT " of %s: %s", collective,
                            number (r, "sequence"), group, reason);
  if (source)
    g_string_append_printf (said, "; it is in %s", source);
  if (waiting)
    g_string_append_printf (said, "; waiting: %s", waiting);
  if (timeout >= 0)
    g_string_append_printf (said, " (timeout %" G_GINT64_FORMAT " s)", timeout / 1000);
  g_free (a->job);
  a->job = g_string_free (said, FALSE);
}

/* The first row is the rank for which others waited longest. */
static void
take_late (Answers *a, const Reader *r)
{
  const gint64 caused = number (r, "caused_ns"), rank = number (r, "rank");
  g_autofree char *host = text (r, "host"), *reason = text (r, "reason");
  if (a->job)
    return;
  if (reason || caused <= 0) {
    a->job = g_strconcat (reason ? "who was late is not known: " : "nobody was late", reason, NULL);
    return;
  }
  a->job = g_strdup_printf ("LATE: rank %" G_GINT64_FORMAT " (%s, pid %" G_GINT64_FORMAT
                            ") came last to %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                            " collectives; the others waited %s for it, summed over them",
                            rank, host ? host : "unknown host", number (r, "pid"),
                            number (r, "last"), number (r, "collectives"),
                            nprof_time ((double) caused).text);
}

static const struct {
  const char *table;
  void (*take) (Answers *a, const Reader *r);
} takers[] = {
  { "step_breakdown", answers_take_breakdown },
  { "idle_causes", answers_take_cause },
  { "bound", answers_take_bound },
  { "critical", answers_take_walked },
  { "collectives", take_collective },
  { "memory", take_memory },
  { "memory_holders", take_holder },
  { "neuron_memory", take_held },
  { "launches", take_launches },
  { "mfu", take_mfu },
  { "operators", answers_take_operator },
  { "kernels", answers_take_kernel },
  { "module_classes", take_class },
  { "requests", take_requests },
  { "graphs", take_graph },
  { "hang", take_hang },
  { "late_ranks", take_late },
  { "step_times", take_step_times },
  { "sanity", take_sanity },
  { "stragglers", take_straggler },
  { "latency", take_latency },
  { "inputs", take_input },
  { "facts", take_fact },
  { "tracks", take_track },
};

gboolean
answers_have (const Answers *a, const char *table)
{
  return g_ptr_array_find_with_equal_func (a->tables, table, g_str_equal, NULL);
}

gboolean
answers_announced (const Answers *a, const char *table)
{
  return g_ptr_array_find_with_equal_func (a->announced, table, g_str_equal, NULL);
}

void
answers_add (Answers *a, const struct nprof_table *table, const struct nprof_cell *cells,
             guint n_rows)
{
  const guint n = nprof_count_columns (table);
  guint i = 0;
  if (!answers_announced (a, table->name))
    g_ptr_array_add (a->announced, g_strdup (table->name));
  if (n_rows && !answers_have (a, table->name))
    g_ptr_array_add (a->tables, g_strdup (table->name));
  while (i < G_N_ELEMENTS (takers) && strcmp (takers[i].table, table->name))
    i++;
  for (guint row = 0; i < G_N_ELEMENTS (takers) && row < n_rows; row++) {
    const Reader r = { a, table, cells + (gsize) row * n };
    takers[i].take (a, &r);
  }
}

/* -- Life ----------------------------------------------------------------------------------------------------------- */

GArray *
answers_shares_new (void)
{
  GArray *shares = g_array_new (FALSE, FALSE, sizeof (Share));
  g_array_set_clear_func (shares, share_clear);
  return shares;
}

Answers *
answers_new (const struct nprof_host *host)
{
  Answers *a = g_new0 (Answers, 1);
  a->host = host;
  a->devices = g_ptr_array_new_with_free_func (answers_device_free);
  a->verdicts = g_array_new (FALSE, FALSE, sizeof (Verdict));
  g_array_set_clear_func (a->verdicts, answers_verdict_clear);
  a->walked = g_array_new (FALSE, FALSE, sizeof (Walked));
  a->labels = tracks_new ();
  a->types = tracks_new ();
  a->collectives = g_array_new (FALSE, FALSE, sizeof (Collective));
  a->ranks = g_array_new (FALSE, FALSE, sizeof (InputRank));
  g_array_set_clear_func (a->ranks, rank_clear);
  a->doubts = g_ptr_array_new_with_free_func (g_free);
  a->rooflines = g_array_new (FALSE, FALSE, sizeof (Roofline));
  a->holders = g_array_new (FALSE, FALSE, sizeof (Holder));
  g_array_set_clear_func (a->holders, holder_clear);
  a->held = g_array_new (FALSE, FALSE, sizeof (Holder));
  g_array_set_clear_func (a->held, holder_clear);
  a->operators = answers_leading_new ();
  a->kernels = answers_leading_new ();
  a->classes = answers_shares_new ();
  a->threads = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  a->blocking = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  a->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  a->memory_peak = a->memory_capacity = a->memory_leaked = -1;
  a->tables = g_ptr_array_new_with_free_func (g_free);
  a->announced = g_ptr_array_new_with_free_func (g_free);
  return a;
}

void
answers_free (Answers *a)
{
  if (!a)
    return;
  g_ptr_array_unref (a->devices);
  g_array_unref (a->verdicts);
  g_array_unref (a->walked);
  g_array_unref (a->collectives);
  g_free (a->straggler.who);
  g_free (a->straggler.cause);
  g_ptr_array_unref (a->doubts);
  g_array_unref (a->rooflines);
  g_array_unref (a->holders);
  g_array_unref (a->held);
  g_array_unref (a->operators);
  g_array_unref (a->kernels);
  g_array_unref (a->classes);
  g_hash_table_unref (a->threads);
  g_hash_table_unref (a->blocking);
  g_hash_table_unref (a->options);
  g_ptr_array_unref (a->tables);
  g_ptr_array_unref (a->announced);
  g_array_unref (a->ranks);
  g_array_unref (a->labels);
  g_array_unref (a->types);
  g_free (a->decoder);
  g_free (a);
}
