/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - writes processes and threads of the trace: one process for each process or device, one
 * thread for each track, and one more for each lane that overlapping spans need. */
#include "chrome.h"

static struct chrome_track *
track_at (struct chrome_sink *self, nprof_track handle)
{
  if (handle >= self->tracks->len)
    g_array_set_size (self->tracks, MAX (handle + 1, 2 * self->tracks->len));
  return &g_array_index (self->tracks, struct chrome_track, handle);
}

static guint32
new_number (struct chrome_sink *self, guint32 pid)
{
  guint32 number = ++self->last_number; /* from 1: viewers take tid 0 for the process */
  if (number >= self->pids->len)
    g_array_set_size (self->pids, MAX (number + 1, 2 * self->pids->len));
  g_array_index (self->pids, guint32, number) = pid;
  return number;
}

/* Decoder chrome needs these to make the same track again. */
typedef struct {
  const char *suffix; /* behind the label                                        */
  guint32 kind;       /* NPROF_TRACK_..., INPUT: not said                        */
  guint32 parent;     /* number of the track above, if that is not what is usual */
  guint32 lane_of;    /* number of the first lane; 0: it is the first            */
  nprof_str key;      /* by which the track is known in its process; 0: not said */
} Naming;

static void
put_naming (struct chrome_sink *self, const Naming *naming)
{
  struct nprof_buf *to = &self->out.buf;
  static const char *const kinds[] = { NULL,     "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  const struct {
    const char *key;
    guint32 number;
  } numbers[] = { { ",\"parent\":", naming->parent }, { ",\"lane_of\":", naming->lane_of } };
  if (naming->kind < G_N_ELEMENTS (kinds) && kinds[naming->kind]) {
    nprof_put_text (to, ",\"kind\":\"");
    nprof_put_text (to, kinds[naming->kind]);
    nprof_put_char (to, '"');
  }
  if (naming->key) {
    struct nprof_cached_string key = nprof_string_cache_get (&self->inside, naming->key);
    nprof_put_text (to, ",\"key\":\"");
    nprof_put (to, key.text, key.len);
    nprof_put_char (to, '"');
  }
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].number) {
      nprof_put_text (to, numbers[i].key);
      nprof_put_u64 (to, numbers[i].number);
    }
}

/* Puts one M event; the caller has no other begun. */
static void
put_name (struct chrome_sink *self, const char *what, guint32 pid, guint32 tid, nprof_str label,
          const Naming *naming)
{
  struct nprof_buf *to = &self->out.buf;
  struct nprof_cached_string made = nprof_string_cache_get (&self->inside, label);
  chrome_begin (self, 'M', pid, tid, SPLIT_EVERYWHERE);
  nprof_put_text (to, ",\"name\":\"");
  nprof_put_text (to, what);
  nprof_put_text (to, "_name\",\"args\":{\"name\":\"");
  if (made.len)
    nprof_put (to, made.text, made.len);
  else
    nprof_put_text (to, "(no name)"); /* Perfetto counts an empty one as an error */
  nprof_put_json_inside (to, naming->suffix, strlen (naming->suffix), NPROF_JSON_VIEWER);
  nprof_put_char (to, '"');
  put_naming (self, naming);
  nprof_put_text (to, "}}");
}

static void
put_sort_index (struct chrome_sink *self, const char *what, guint32 pid, guint32 tid, gint64 sort)
{
  struct nprof_buf *to = &self->out.buf;
  chrome_begin (self, 'M', pid, tid, SPLIT_EVERYWHERE);
  nprof_put_text (to, ",\"name\":\"");
  nprof_put_text (to, what);
  nprof_put_text (to, "_sort_index\",\"args\":{\"sort_index\":");
  nprof_put_i64 (to, CLAMP (sort, G_MININT32, G_MAXINT32)); /* Perfetto takes no more */
  nprof_put_text (to, "}}");
}

/* Returns the process of a track, named when it is new. */
static guint32
find_process (struct chrome_sink *self, const struct nprof_track_info *info)
{
  const struct nprof_host *host = self->host;
  const struct nprof_input_info *input = host->input (host, info->input);
  nprof_track owner = info->process ? info->process : input->root;
  struct chrome_track *process = track_at (self, owner);
  if (process->pid)
    return process->pid;
  const struct nprof_track_info *of = host->track_info (host, owner);
  g_autofree char *suffix = NULL;
  if (host->run (host)->n_inputs > 1 && owner != input->root)
    suffix = g_strdup_printf (" (%s)", nprof_text (host, input->label));
  const struct nprof_track_info *above = of->parent ? host->track_info (host, of->parent) : NULL;
  guint32 parent = above && above->process ? find_process (self, above) : 0;
  guint32 pid = new_number (self, 0);
  track_at (self, owner)->pid = pid;
  put_name (self, "process", pid, 0, nprof_track_label (of),
            &(Naming){ .suffix = suffix ? suffix : "", .kind = of->kind, .parent = parent });
  put_sort_index (self, "process", pid, 0, of->sort);
  return pid;
}

void
chrome_enter_track (struct chrome_sink *self, nprof_track track, gint64 start)
{
  /* Rows that an analyzer adds to a track come as a second pass from its beginning. */
  if (track == self->track && start >= self->last_start) {
    self->last_start = start;
    return;
  }
  lanes_close_all (&self->lanes);
  g_array_set_size (self->threads, 0);
  const struct nprof_track_info *info = self->host->track_info (self->host, track);
  self->track = track;
  self->track_kind = info->kind;
  self->last_start = start;
  self->pid = find_process (self, info);
}

/* Returns the thread of a track's first lane, named when it is new. */
static guint32
find_thread (struct chrome_sink *self, nprof_track handle)
{
  if (track_at (self, handle)->tid)
    return track_at (self, handle)->tid;
  const struct nprof_track_info *info = self->host->track_info (self->host, handle);
  guint32 pid = find_process (self, info);
  bool below
      = info->parent && info->process && info->process != handle && info->parent != info->process;
  guint32 parent = below ? find_thread (self, info->parent) : 0, tid = new_number (self, pid);
  track_at (self, handle)->tid = tid;
  put_name (self, "thread", pid, tid, nprof_track_label (info),
            &(Naming){ .suffix = "", .kind = info->kind, .parent = parent, .key = info->key });
  put_sort_index (self, "thread", pid, tid, info->sort);
  return tid;
}

guint32
chrome_first_thread (struct chrome_sink *self)
{
  return find_thread (self, self->track);
}

static guint32
next_thread (struct chrome_sink *self)
{
  guint32 first = chrome_first_thread (self);
  struct chrome_track *track = track_at (self, self->track);
  if (track->lanes++ == 0)
    return first;
  guint32 number = new_number (self, self->pid);
  if (self->track_kind == NPROF_TRACK_ASYNC)
    return number; /* lanes of these are ids, not threads */
  const struct nprof_track_info *info = self->host->track_info (self->host, self->track);
  g_autofree char *suffix = g_strdup_printf (" (%u)", track->lanes);
  put_name (self, "thread", self->pid, number, nprof_track_label (info),
            &(Naming){ .suffix = suffix, .kind = info->kind, .lane_of = first });
  put_sort_index (self, "thread", self->pid, number, info->sort);
  return number;
}

guint32
chrome_lane_thread (struct chrome_sink *self, guint lane)
{
  while (self->threads->len <= lane) {
    guint32 thread = next_thread (self);
    g_array_append_val (self->threads, thread);
  }
  return g_array_index (self->threads, guint32, lane);
}
