/* SPDX-License-Identifier: Apache-2.0 */
/* align.c - brings an NTFF whose ticks are the device's own clock onto the host's clock, by the
 * sync points of a system profile in its folder. format: more-neuron.md, "System profile" */
#include "file.h"

#include "../common/beside.h"
#include "../common/sync.h"

#include <string.h>

#define MOST_BYTES (UINT64_C (1) << 30) /* of an ntrace.pb */
#define SECOND_NS 1e9

enum { INSTANCE_OF_NTFF = 17, INSTANCE_OF_INFO = 4 };

static int
collect (void *user, const char *name)
{
  g_autofree char *base = g_path_get_basename (name);
  if (g_str_has_suffix (base, ".pb")
      && (g_str_has_prefix (base, "ntrace") || g_str_has_prefix (base, "trace_info")))
    g_ptr_array_add (user, g_strdup (name));
  return 0;
}

/* Returns the text of that field in the message from..to; NULL: it has none. */
static char *
text_of (const uint8_t *data, uint64_t from, uint64_t to, uint32_t number)
{
  NeuronWire w;
  while (neuron_wire_next (data, &from, to, &w))
    if (w.number == number && w.wire == 2)
      return g_strndup ((const char *) data + w.from, w.to - w.from);
  return NULL;
}

/* Returns whether a trace_info.pb is of another machine, whose clock says nothing of this one. */
static bool
other_machine (const Ntff *n, const NtffFile *f, const GByteArray *info)
{
  g_autofree char *own = text_of (n->data, NTFF_HEADER, f->base, INSTANCE_OF_NTFF);
  g_autofree char *its = text_of (info->data, 0, info->len, INSTANCE_OF_INFO);
  return own && its && strcmp (own, its) != 0;
}

/* Collects the sync points of the folder; false: they are of another machine, named by *why. */
static bool
read_folder (const Ntff *n, const NtffFile *f, const GPtrArray *names, GArray *syncs,
             const char **why)
{
  for (guint i = 0; i < names->len; i++) {
    const char *name = g_ptr_array_index (names, i);
    g_autofree char *base = g_path_get_basename (name);
    GByteArray *bytes = neuron_read_beside (n->host, name, MOST_BYTES);
    if (!bytes)
      continue;
    bool other = g_str_has_prefix (base, "trace_info") && other_machine (n, f, bytes);
    if (g_str_has_prefix (base, "ntrace"))
      neuron_syncs_read (syncs, bytes->data, bytes->len);
    g_byte_array_unref (bytes);
    if (other) {
      *why = name;
      return false;
    }
  }
  return true;
}

/* Returns how far the sync points disagree about a moment, in ns. */
static uint64_t
spread (const GArray *syncs, int64_t device)
{
  int64_t least = INT64_MAX, most = INT64_MIN;
  for (guint i = 0; i < syncs->len; i++) {
    int64_t host = neuron_sync_host (&g_array_index (syncs, NeuronSync, i), device);
    least = MIN (least, host);
    most = MAX (most, host);
  }
  return (uint64_t) most - (uint64_t) least;
}

static nprof_status
set_origin (const Ntff *n, const GArray *syncs, int64_t device)
{
  const NeuronSync *sync = neuron_sync_near (syncs, device);
  int64_t host = neuron_sync_host (sync, device);
  if (host <= 0 || host == INT64_MAX)
    return NPROF_OK;
  nprof_log (n->host, NPROF_INFO,
             "brought onto the host's clock by the sync point nearest to it, %.3f s away; %u sync "
             "points differ "
             "by %" G_GUINT64_FORMAT " ns, and how the clocks drift apart meanwhile is not known",
             (double) (device - sync->device) / SECOND_NS, syncs->len, spread (syncs, device));
  return n->host->origin (n->host, host);
}

nprof_status
ntff_align (const Ntff *n, const NtffFile *f)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) syncs = g_array_new (FALSE, FALSE, sizeof (NeuronSync));
  const char *other = NULL;
  if (!f->has_window || !f->one_clock || n->data[0] < 6)
    return NPROF_OK;
  nprof_status status = n->host->siblings (n->host, collect, names);
  if (status)
    return status;
  if (!read_folder (n, f, names, syncs, &other)) {
    nprof_log (n->host, NPROF_WARNING,
               "%s is of another instance: times stay on the clock of the device", other);
    return NPROF_OK;
  }
  return syncs->len ? set_origin (n, syncs, (int64_t) (f->from / 1000)) : NPROF_OK;
}
