/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - tables of names.  Engines are documented by the vendor; some mnemonics
 * of opcodes and most names of feature bits were read off by third parties alone, so they are
 * marked as likely. */
#include "names.h"

#include <glib.h>
#include <string.h>

const char *
neff_engine (const char *word, unsigned long len)
{
  static const char *const engines[][2] = {
    { "pe", "tensor" },   { "act", "scalar" }, { "activation", "scalar" },
    { "pool", "gpsimd" }, { "dve", "vector" }, { "sp", "sync" },
  };
  while (len && g_ascii_isdigit (word[len - 1])) /* pe0, pe1: one a core */
    len--;
  for (gsize i = 0; i < G_N_ELEMENTS (engines); i++)
    if (strlen (engines[i][0]) == len && g_ascii_strncasecmp (word, engines[i][0], len) == 0)
      return engines[i][1];
  return NULL;
}

/* Names without a mark are what the vendor's tools print for the same instruction of real profiles
 * of Inferentia2 and Trainium2. */
const char *
neff_opcode (uint8_t opcode)
{
  static const char *const names[256] = {
    [0x01] = "LDWEIGHTS",
    [0x02] = "MATMUL",
    [0x21] = "ACTIVATE",
    [0x22] = "ACTIVATE_QUANTIZE (likely)",
    [0x23] = "ACT_TABLE_LOAD",
    [0x41] = "TENSOR_TENSOR_ARITH (likely)",
    [0x42] = "TENSOR_REDUCE",
    [0x43] = "TENSOR_SCALAR",
    [0x45] = "POOL (likely)",
    [0x46] = "COPY",
    [0x47] = "CAST",
    [0x48] = "RECIPROCAL",
    [0x49] = "MEMSET (likely)",
    [0x4d] = "RNG (likely)",
    [0x61] = "EVENT_WAIT (likely)",
    [0x62] = "EVENT_SET (likely)",
    [0x68] = "NOP (likely)",
    [0x69] = "WRITE (likely)",
    [0x6a] = "NOTIFY (likely)",
    [0x7b] = "DEQUANT (likely)",
    [0x7c] = "CROSS_LANE_REDUCE (likely)",
    [0x7d] = "CROSS_LANE_REDUCE (likely)",
    [0x7e] = "IOTA (likely)",
    [0xa0] = "EVENT_SEMAPHORE",
    [0xa2] = "DRAIN",
    [0xa4] = "NOP",
    [0xa5] = "WRITE",
    [0xa6] = "NOTIFY",
    [0xa9] = "COMPARE_BRANCH",
    [0xaa] = "TENSOR_LOAD",
    [0xab] = "TENSOR_STORE",
    [0xb0] = "EVENT_SEMAPHORE_RANGE_CLEAR",
    [0xb1] = "SET_ORDERING_MODE",
    [0xb8] = "DMA_DIRECT2D",
    [0xc1] = "PSEUDO_DMA_TRIGGER (likely)",
    [0xc4] = "PSEUDO_DMA_MEMCPY (likely)",
    [0xf0] = "EXTENDED_INST (likely)",
  };
  return names[opcode];
}

/* The three without a mark stand in the vendor's documentation of neuron-packager. */
static const char *
feature (guint bit)
{
  static const char *const names[64] = {
    [0] = "bin-weights (likely)",
    [1] = "collectives-offset (likely)",
    [2] = "custom-ops (likely)",
    [3] = "coalesced-cc",
    [4] = "queue-set-instances",
    [5] = "on-chip-functions",
    [6] = "dynamic_pwp (likely)",
    [7] = "indirect_memcpy_32b_sem_wait (likely)",
    [8] = "indirect_memcpy_bound_check (likely)",
    [9] = "DMA_desc_higher_dim (likely)",
    [10] = "vnc (likely)",
    [11] = "DVE perf mode (likely)",
    [12] = "DGE (likely)",
    [13] = "POOL_RSQRT (likely)",
    [14] = "remote_sem (likely)",
    [15] = "DGE_cast (likely)",
    [16] = "vector_DGE (likely)",
    [17] = "embedding_stride32 (likely)",
    [20] = "SQI_no_rearm (likely)",
    [21] = "hardware_DGE (likely)",
    [22] = "partial_sb2sb_ccop (likely)",
    [24] = "arch>39 (likely)",
    [25] = "large_tensor_support (likely)",
  };
  return names[bit];
}

char *
neff_features (uint64_t bits)
{
  GString *text = g_string_new (NULL);
  for (guint bit = 0; bit < 64; bit++) {
    if (!(bits >> bit & 1))
      continue;
    const char *name = feature (bit);
    g_string_append (text, text->len ? ", " : "");
    if (name)
      g_string_append (text, name);
    else
      g_string_append_printf (text, "0x%" G_GINT64_MODIFIER "x", G_GUINT64_CONSTANT (1) << bit);
  }
  return g_string_free (text, FALSE);
}
