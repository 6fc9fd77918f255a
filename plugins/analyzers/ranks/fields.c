/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - what a row says of a collective: its group, its number therein, and what all its ranks
 * must say alike. */
#include "profile/collective-keys.h"
#include "ranks.h"

#include <string.h>

enum { STATED, COMMUNICATOR, GROUP, LABEL, MEMBERS, SIZE, SEQUENCE, IN, OUT, DTYPE, RUN };

const char *const rk_keys[] = { NPROF_KEY_COLLECTIVE,
                                COLLECTIVE_KEY_COMMUNICATOR,
                                COLLECTIVE_KEY_GROUP,
                                COLLECTIVE_KEY_GROUP_LABEL,
                                COLLECTIVE_KEY_GROUP_RANKS,
                                COLLECTIVE_KEY_GROUP_SIZE,
                                COLLECTIVE_KEY_SEQUENCE,
                                COLLECTIVE_KEY_ELEMENTS_IN,
                                COLLECTIVE_KEY_ELEMENTS_OUT,
                                COLLECTIVE_KEY_DTYPE,
                                NPROF_KEY_RUN_ID,
                                NULL };

static gint64
number_of (const Ranks *r, guint key)
{
  int64_t n;
  return r->pick.field[key].type && nprof_reader_int (&r->pick, key, &n) && n >= 0 ? n : -1;
}

/* Each rank may have its own share of the elements. source: ProcessGroupNCCL.cpp, names of its
 * calls */
static bool
may_vary (AnKindOf kind, const char *stated)
{
  size_t n = strlen (stated);
  if (n && (stated[n - 1] == 'v' || strstr (stated, "allv")))
    return true;
  return kind != AN_KIND_ALLREDUCE && kind != AN_KIND_ALLGATHER && kind != AN_KIND_REDUCESCATTER
         && kind != AN_KIND_ALLTOALL && kind != AN_KIND_BARRIER && kind != AN_KIND_COLLECTIVE;
}

static bool
is_p2p (AnKindOf kind)
{
  return kind == AN_KIND_SEND || kind == AN_KIND_RECV || kind == AN_KIND_SENDRECV;
}

/* Both ends of a send are one call. */
static void
put_signature (Ranks *r, const struct nprof_batch *batch, uint32_t i, nprof_str stated, Seen *seen)
{
  const char *text = nprof_text (r->host, stated);
  AnKindOf kind = an_kind_of (text, nprof_text (r->host, batch->name[i]));
  if (seen->exchanges && !stated && is_p2p (kind)) {
    stated = nprof_intern (r->host, "all_to_all");
    kind = AN_KIND_ALLTOALL;
  }
  bool varies = may_vary (kind, text);
  gint64 in = varies ? -1 : number_of (r, IN), out = varies ? -1 : number_of (r, OUT);
  seen->p2p = is_p2p (kind);
  if (seen->p2p) {
    stated = nprof_intern (r->host, "sendrecv");
    kind = AN_KIND_SENDRECV;
  }
  seen->signature[S_NAME] = stated ? stated : batch->name[i];
  seen->signature[S_KIND] = kind | (varies ? VARIES : 0);
  seen->signature[S_DTYPE] = nprof_reader_str (&r->pick, DTYPE);
  set_key_number (seen->signature, S_IN_LOW, in);
  set_key_number (seen->signature, S_OUT_LOW, out);
}

void
rk_fields (Ranks *r, const struct nprof_batch *batch, uint32_t i, Seen *seen)
{
  nprof_reader_row (&r->pick, batch, i);
  gint64 size = number_of (r, SIZE);
  const guint32 group[G_WORDS]
      = { nprof_reader_str (&r->pick, COMMUNICATOR), nprof_reader_str (&r->pick, GROUP),
          nprof_reader_str (&r->pick, LABEL), nprof_reader_str (&r->pick, MEMBERS),
          (guint32) CLAMP (size, 0, G_MAXINT32) };
  seen->bare = !group[G_COMMUNICATOR] && !group[G_NAME] && !group[G_MEMBERS];
  static const guint32 nobody[G_WORDS];
  seen->group = an_key_table_get (&r->job.group_keys, seen->bare ? nobody : group);
  seen->sequence = seen->bare ? -1 : number_of (r, SEQUENCE);
  put_signature (r, batch, i, nprof_reader_str (&r->pick, STATED), seen);
}

gint64
rk_run (Ranks *r, const struct nprof_batch *batch, uint32_t i)
{
  nprof_reader_row (&r->pick, batch, i);
  return number_of (r, RUN);
}
