/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c - arrows between events.  Hosts name a context by type and id: producer (_pt, _p)
 * and consumer (_ct, _c).  Stat `flow` packs direction, id and type into 64 bits.
 * Sources: openxla/xla xplane_schema.h (XFlow), context_types.h, context_types.cc. */
#include "xplane.h"

enum { PHASE_BEGIN, PHASE_STEP, PHASE_END };
enum { FLOW_FAMILIES = 64 }; /* a type has 6 bits in `flow` */

static const char *const contexts[] = {
  "generic",          "legacy",        "tf_exec",           "tfrt_exec",
  "batch_sched",      "PjRt",          "as_batch_sched",    "tfrt_rt",
  "tpu_embed",        "gpu_launch",    "batcher",           "tpu_stream",
  "tpu_launch",       "pathways_exec", "pjrt_library_call", "threadpool_event",
  "jax_serving_exec", "sc_offload",
};

/* Returns the family of a context's type; those of `flow` have ids of their own, so another
 * family. */
static __attribute__ ((noinline)) nprof_str
make_family (const struct nprof_host *host, int64_t type, bool packed)
{
  char name[64];
  const char *prefix = packed ? "flow " : "";
  if (packed && type == 0)
    return nprof_intern (host, "flow");
  if (type >= 0 && type < (int64_t) G_N_ELEMENTS (contexts))
    g_snprintf (name, sizeof name, "%s%s", prefix, contexts[type]);
  else
    g_snprintf (name, sizeof name, "%scontext %" G_GINT64_FORMAT, prefix, type);
  return nprof_intern (host, name);
}

XP_INLINE nprof_str
family (Xplane *x, const struct nprof_host *host, int64_t type, bool packed)
{
  if (type < 0 || type >= FLOW_FAMILIES)
    return make_family (host, type, packed);
  _Atomic nprof_str *cached = &x->families[type + (packed ? FLOW_FAMILIES : 0)];
  nprof_str name = atomic_load_explicit (cached, memory_order_relaxed);
  if (!name) {
    name = make_family (host, type, packed);
    atomic_store_explicit (cached, name, memory_order_relaxed);
  }
  return name;
}

/* Hashes both by splitmix64; never returns 0. */
XP_INLINE uint64_t
hash (int64_t type, bool packed, uint64_t id)
{
  uint64_t h = id + UINT64_C (0x9e3779b97f4a7c15) * (2 * (uint64_t) type + packed + 1);
  h = (h ^ h >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
  h = (h ^ h >> 27) * UINT64_C (0x94d049bb133111eb);
  h ^= h >> 31;
  return h ? h : 1;
}

XP_INLINE XpFlowEnd
make_end (Xplane *x, const struct nprof_host *host, int64_t type, uint64_t id, bool packed,
          int phase)
{
  return (XpFlowEnd){ family (x, host, type, packed), x->phase[phase], hash (type, packed, id) };
}

XP_INLINE bool
has (const XpFlows *flows, uint8_t a, uint8_t b)
{
  uint8_t both = (uint8_t) (1u << a | 1u << b);
  return (flows->seen & both) == both;
}

unsigned
xp_flow_ends (Xplane *x, const struct nprof_host *host, const XpFlows *flows,
              XpFlowEnd ends[XP_FLOW_ENDS])
{
  static const int phases[] = { 0, PHASE_END, PHASE_BEGIN, PHASE_STEP }; /* in, out, both */
  const uint64_t *bits = flows->bits;
  unsigned n = 0;
  if (has (flows, XP_ROLE_CONSUMER_TYPE, XP_ROLE_CONSUMER))
    ends[n++] = make_end (x, host, (int64_t) bits[XP_ROLE_CONSUMER_TYPE], bits[XP_ROLE_CONSUMER],
                          false, PHASE_END);
  if (has (flows, XP_ROLE_PRODUCER_TYPE, XP_ROLE_PRODUCER))
    ends[n++] = make_end (x, host, (int64_t) bits[XP_ROLE_PRODUCER_TYPE], bits[XP_ROLE_PRODUCER],
                          false, PHASE_BEGIN);
  if (has (flows, XP_ROLE_FLOW, XP_ROLE_FLOW) && bits[XP_ROLE_FLOW] & 3) {
    uint64_t packed = bits[XP_ROLE_FLOW];
    ends[n++] = make_end (x, host, (int64_t) (packed >> 58), packed >> 2 & (UINT64_MAX >> 8), true,
                          phases[packed & 3]);
  }
  return n;
}

nprof_status
xp_flow_rows (Xplane *x, struct nprof_writer *w, const XpFlowEnd *ends, unsigned n,
              nprof_track track, nprof_str name, int64_t start, uint64_t id)
{
  nprof_status status = NPROF_OK;
  for (unsigned i = 0; i < n && status == NPROF_OK; i++) {
    status = nprof_row (w, NPROF_FLOW, track, name, start, 0);
    if (status)
      return status;
    nprof_set_category (w, ends[i].family);
    nprof_set_flow (w, ends[i].flow);
    nprof_set_parent (w, id);
    status = nprof_attr_str (w, x->key_phase, ends[i].phase);
  }
  return status;
}
