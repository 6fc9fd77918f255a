/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - which args become attributes of their own, and which say where an event ran; by the
 * names that producers give them.  format: perfetto.md 7 */
#include "perfetto.h"

#include "profile/collective-keys.h"

enum { ALWAYS, COLLECTIVE_ONLY };

/* producers: PyTorch, rocprofv3, rocprofiler-systems, xprof */
static const PfRule rules[] = {
  { "correlation", NPROF_KEY_CORRELATION_ID, NPROF_UINT64, RULE_CORRELATION, ALWAYS },
  { "corr_id", NPROF_KEY_CORRELATION_ID, NPROF_UINT64, RULE_CORRELATION, ALWAYS },
  { "correlation_id", NPROF_KEY_CORRELATION_ID, NPROF_UINT64, RULE_CORRELATION, ALWAYS },
  { "stream", NPROF_KEY_STREAM, NPROF_INT64, RULE_STREAM, ALWAYS },
  { "stream id", NPROF_KEY_STREAM, NPROF_INT64, RULE_STREAM, ALWAYS },
  { "stream_id", NPROF_KEY_STREAM, NPROF_INT64, RULE_NONE, ALWAYS },
  { "stream_ID", NPROF_KEY_STREAM, NPROF_INT64, RULE_NONE, ALWAYS },
  { "device", "device", NPROF_INT64, RULE_DEVICE, ALWAYS },
  { "device id", "device", NPROF_INT64, RULE_DEVICE, ALWAYS },
  { "bytes", NPROF_KEY_BYTES, NPROF_INT64, RULE_NONE, ALWAYS },
  { "copy_bytes", NPROF_KEY_BYTES, NPROF_INT64, RULE_NONE, ALWAYS },
  { "External id", "external_id", NPROF_UINT64, RULE_NONE, ALWAYS },
  { "step", NPROF_KEY_STEP, NPROF_INT64, RULE_NONE, ALWAYS },
  { "flops", NPROF_KEY_FLOPS, NPROF_INT64, RULE_NONE, ALWAYS },
  { "model_flops", NPROF_KEY_MODEL_FLOPS, NPROF_INT64, RULE_NONE, ALWAYS },
  { "bytes_accessed", NPROF_KEY_BYTES_ACCESSED, NPROF_INT64, RULE_NONE, ALWAYS },
  { "run_id", NPROF_KEY_RUN_ID, NPROF_UINT64, RULE_NONE, ALWAYS },
  { "program_id", NPROF_KEY_PROGRAM_ID, NPROF_UINT64, RULE_NONE, ALWAYS },
  { "hlo_op", NPROF_KEY_HLO_OP, NPROF_STRING, RULE_NONE, ALWAYS },
  { "hlo_module", NPROF_KEY_HLO_MODULE, NPROF_STRING, RULE_NONE, ALWAYS },
  { "hlo_category", NPROF_KEY_HLO_CATEGORY, NPROF_STRING, RULE_NONE, ALWAYS },
  { "tf_op", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, RULE_NONE, ALWAYS },
  { "framework_op", NPROF_KEY_FRAMEWORK_OP, NPROF_STRING, RULE_NONE, ALWAYS },
  { "kernel_details", NPROF_KEY_KERNEL, NPROF_STRING, RULE_NONE, ALWAYS },
  { "Collective name", NPROF_KEY_COLLECTIVE, NPROF_STRING, RULE_COLLECTIVE, ALWAYS },
  { "Process Group Name", COLLECTIVE_KEY_GROUP, NPROF_STRING, RULE_NONE, COLLECTIVE_ONLY },
  { "Process Group Description", COLLECTIVE_KEY_GROUP_LABEL, NPROF_STRING, RULE_NONE,
    COLLECTIVE_ONLY },
  { "Process Group Ranks", COLLECTIVE_KEY_GROUP_RANKS, NPROF_STRING, RULE_NONE, COLLECTIVE_ONLY },
  { "Group size", COLLECTIVE_KEY_GROUP_SIZE, NPROF_INT64, RULE_NONE, COLLECTIVE_ONLY },
  { "Comms Id", COLLECTIVE_KEY_COMMUNICATOR, NPROF_STRING, RULE_NONE, COLLECTIVE_ONLY },
  { "Seq", COLLECTIVE_KEY_SEQUENCE, NPROF_INT64, RULE_NONE, COLLECTIVE_ONLY },
  { "In msg nelems", COLLECTIVE_KEY_ELEMENTS_IN, NPROF_INT64, RULE_NONE, COLLECTIVE_ONLY },
  { "Out msg nelems", COLLECTIVE_KEY_ELEMENTS_OUT, NPROF_INT64, RULE_NONE, COLLECTIVE_ONLY },
  { "dtype", COLLECTIVE_KEY_DTYPE, NPROF_STRING, RULE_NONE, COLLECTIVE_ONLY },
  { "Dst Rank", COLLECTIVE_KEY_PEER, NPROF_INT64, RULE_NONE, COLLECTIVE_ONLY },
  { "Src Rank", COLLECTIVE_KEY_PEER, NPROF_INT64, RULE_NONE, COLLECTIVE_ONLY },
  { "agent", NULL, NPROF_STRING, RULE_AGENT, ALWAYS },
  { "dst_agent", NULL, NPROF_STRING, RULE_TO, ALWAYS },
  { "src_agent", NULL, NPROF_STRING, RULE_FROM, ALWAYS },
  { "begin_ns", NULL, NPROF_INT64, RULE_BEGIN_NS, ALWAYS },
  { "end_ns", NULL, NPROF_INT64, RULE_END_NS, ALWAYS },
  { "cbid", NULL, NPROF_INT64, RULE_CALL_ID, ALWAYS },
  { "copy kind", NULL, NPROF_STRING, RULE_COPY_KIND, ALWAYS },
  { "memory kind", NULL, NPROF_STRING, RULE_MEMORY_KIND, ALWAYS },
  { "grid", NULL, NPROF_JSON, RULE_GRID, ALWAYS },
  { "kernel_id", NULL, NPROF_INT64, RULE_KERNEL, ALWAYS },
};

/* Rules are found by the bytes of a name, since writers that intern nothing repeat it in each
 * event. */
static guint
hash (const char *text, gsize len)
{
  return len ? (guint) (len * 131 + (guint8) text[0] * 31u + (guint8) text[len / 2] * 7u
                        + (guint8) text[len - 1])
             : 0;
}

const PfRule *
pf_rule (const Perfetto *pf, const char *text, gsize len)
{
  for (guint at = hash (text, len);; at++) {
    const PfRule *rule = pf->rules[at % G_N_ELEMENTS (pf->rules)];
    if (!rule || (strlen (rule->arg) == len && memcmp (rule->arg, text, len) == 0))
      return rule;
  }
}

static void
learn_rule (Perfetto *pf, const PfRule *from)
{
  const struct nprof_host *host = pf->host;
  PfRule *rule = g_memdup2 (from, sizeof *from);
  const bool wanted
      = rule->attribute
        && (host->wanted (host, rule->attribute) || host->row_want (host, rule->attribute, 0));
  rule->key = wanted ? nprof_intern (host, rule->attribute) : 0;
  pf->want_rules |= wanted;
  guint at = hash (rule->arg, strlen (rule->arg));
  while (pf->rules[at % G_N_ELEMENTS (pf->rules)])
    at++;
  pf->rules[at % G_N_ELEMENTS (pf->rules)] = rule;
}

static nprof_set
say (const struct nprof_host *host, const char *work)
{
  const nprof_str key = nprof_intern (host, NPROF_KEY_WORK);
  const uint8_t type = NPROF_STRING;
  nprof_value value = { 0 };
  value.s = nprof_intern (host, work);
  return host->attrs (host, &(struct nprof_attrs){ sizeof (struct nprof_attrs), 1, &key, &type,
                                                   &value, NULL });
}

nprof_status
pf_rules_init (Perfetto *pf)
{
  static const char *const works[] = { "compute", "communication", "copy" };
  const struct nprof_host *host = pf->host;
  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    learn_rule (pf, &rules[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (works) && host->wanted (host, NPROF_KEY_WORK); i++)
    if (!(pf->works[i] = say (host, works[i])))
      return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  return NPROF_OK;
}

void
pf_rules_clear (Perfetto *pf)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pf->rules); i++)
    g_free ((gpointer) pf->rules[i]);
}
