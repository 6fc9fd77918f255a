/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - keeps the texts of rows: categories, and the keys of attributes with whether anybody
 * wants them. */
#include "ntff.h"

#include "profile/semaphore-keys.h"

static const char *const keys[NTFF_KEYS] = {
  [NTFF_KEY_PC] = "pc",
  [NTFF_KEY_HINT] = "hint",
  [NTFF_KEY_WAIT] = "event_wait_cycles",
  [NTFF_KEY_CRC_IN] = "crc_in",
  [NTFF_KEY_CRC_OUT] = "crc_out",
  [NTFF_KEY_MODE] = "update_mode",
  [NTFF_KEY_BYTES] = NPROF_KEY_BYTES,
  [NTFF_KEY_QUEUE] = NPROF_KEY_QUEUE,
  [NTFF_KEY_CRC] = "crc",
  [NTFF_KEY_FLOPS] = NPROF_KEY_FLOPS,
  [NTFF_KEY_TRANSPOSE] = "flops_transpose",
  [NTFF_KEY_QUEUE_TYPE] = "queue_type",
  [NTFF_KEY_QUEUE_USE] = "queue_use",
  [NTFF_KEY_LIMIT_K] = "limit_k",
  [NTFF_KEY_LIMIT_N] = "limit_n",
  [NTFF_KEY_LIMIT_TYPE] = "limit_type",
  [NTFF_KEY_LEFT_OUT] = "left_out",
  [NTFF_KEY_WAITS] = SEMAPHORE_KEY_WAITS,
  [NTFF_KEY_SIGNALS] = SEMAPHORE_KEY_SIGNALS,
  [NTFF_KEY_DMA_SIGNALS] = SEMAPHORE_KEY_DMA,
};

void
ntff_rows_begin (Ntff *n)
{
  const struct nprof_host *h = n->host;
  for (int i = 0; i < NTFF_KEYS; i++) {
    n->key[i] = nprof_intern (h, keys[i]);
    n->want[i] = h->wanted (h, keys[i]);
  }
  n->key_phase = nprof_intern (h, NPROF_KEY_FLOW_PHASE);
  n->phase_begin = nprof_intern (h, "begin");
  n->phase_end = nprof_intern (h, "end");
  n->category_instruction = nprof_intern (h, "instruction");
  n->category_semaphore = nprof_intern (h, "semaphore");
  n->category_event = nprof_intern (h, "event");
  n->category_dma = nprof_intern (h, "dma");
  n->category_throttle = nprof_intern (h, "throttle");
  n->category_execution = nprof_intern (h, "execution");
  n->category_wait = nprof_intern (h, "semaphore wait");
  n->category_unknown = nprof_intern (h, "unknown instruction");
  n->category_setup = nprof_intern (h, "runtime setup");
}

nprof_status
ntff_attr (Ntff *n, int key, uint64_t value)
{
  if (!n->want[key])
    return NPROF_OK;
  if (key == NTFF_KEY_LEFT_OUT) {
    nprof_value v = { .u = value };
    return nprof_attr (n->w, n->key[key], NPROF_BOOL, v);
  }
  return nprof_attr_int (n->w, n->key[key], (int64_t) value);
}
