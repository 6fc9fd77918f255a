/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - turns each kind of record into rows, and keeps the names and attributes that rows share.
 * Records come here in order of time. */
#include "ntff.h"

#include "../common/names.h"
#include "profile/semaphore-keys.h"

#define PCS (1u << 20)
#define OP_EVENT_WAIT 0x61 /* of older devices */
#define OP_EVENT_SEMAPHORE 0xa0

static const char *const keys[NTFF_KEYS] = {
  [NTFF_KEY_PC] = "pc",
  [NTFF_KEY_HINT] = "hint",
  [NTFF_KEY_WAIT] = "event_wait_cycles",
  [NTFF_KEY_SOFT_RESET] = "soft_reset",
  [NTFF_KEY_CRC_IN] = "crc_in",
  [NTFF_KEY_CRC_OUT] = "crc_out",
  [NTFF_KEY_MODE] = "update_mode",
  [NTFF_KEY_DOUBLE] = "double_update",
  [NTFF_KEY_META] = "metadata",
  [NTFF_KEY_META2] = "metadata2",
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

/* Returns the row's time; it cannot overflow, because the times of all rows lie within the
 * session. */
int64_t
ntff_when (const Ntff *n, uint64_t time)
{
  return (int64_t) (time - n->origin);
}

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
  n->category_unaligned = nprof_intern (h, "unaligned instruction");
  n->category_collective = nprof_intern (h, "collective");
  n->category_semaphore = nprof_intern (h, "semaphore");
  n->category_event = nprof_intern (h, "event");
  n->category_dma = nprof_intern (h, "dma");
  n->category_throttle = nprof_intern (h, "throttle");
  n->category_error = nprof_intern (h, "error");
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
  if (key == NTFF_KEY_DOUBLE || key == NTFF_KEY_LEFT_OUT) {
    nprof_value v = { .u = value };
    return nprof_attr (n->w, n->key[key], NPROF_BOOL, v);
  }
  return nprof_attr_int (n->w, n->key[key], (int64_t) value);
}

/* -- Instructions ------------------------------------------------------------------------------ */

typedef struct {
  nprof_str name;
  nprof_set shared;
} Named;

/* Returns the stream that holds the slot of pc; NULL: none does. */
static const NtffStream *
stream_of (const Ntff *n, const NtffLane *lane, uint32_t pc)
{
  for (guint i = 0; lane->cc_core < 0 && i < n->streams->len; i++) {
    const NtffStream *s = &g_array_index (n->streams, NtffStream, i);
    if (s->core == lane->core && s->engine == lane->engine && pc >= s->slot && pc - s->slot < s->n)
      return s;
  }
  return NULL;
}

static nprof_set
shared_set (Ntff *n, const NtffLane *lane, const char *opcode, bool likely)
{
  const struct nprof_host *h = n->host;
  nprof_str key[2] = { nprof_intern (h, NPROF_KEY_ENGINE) };
  uint8_t type[2] = { NPROF_STRING, NPROF_STRING };
  nprof_value value[2] = { { 0 } };
  value[0].s = nprof_intern (h, lane->cc_core >= 0 ? "cc-core" : ntff_engine_name[lane->engine]);
  struct nprof_attrs attrs
      = { .size = sizeof attrs, .n = 1, .key = key, .type = type, .value = value };
  if (opcode) {
    attrs.n = 2;
    key[1] = nprof_intern (h, likely ? "likely_opcode" : NPROF_KEY_OPCODE);
    value[1].s = nprof_intern (h, opcode);
  }
  return h->attrs (h, &attrs);
}

/* Returns the name, cached by engine and opcode; opcode -1: none. */
static const Named *
named (Ntff *n, const NtffLane *lane, int opcode, bool likely)
{
  uint32_t engine = lane->cc_core >= 0 ? NTFF_ENGINES : lane->engine;
  gpointer key = GUINT_TO_POINTER (1 + (((guint) (opcode + 1) * 8 + engine) * 2 + likely));
  if (!n->names)
    n->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Named *found = g_hash_table_lookup (n->names, key);
  if (found)
    return found;
  char text[8], name[24];
  g_snprintf (text, sizeof text, "0x%02x", (unsigned) (opcode & 0xff));
  g_snprintf (name, sizeof name, "opcode %s", text);
  const char *mnemonic = opcode < 0 ? NULL : neff_opcode ((uint8_t) opcode);
  found = g_new0 (Named, 1);
  found->name = opcode < 0 ? 0 : nprof_intern (n->host, mnemonic ? mnemonic : name);
  found->shared = shared_set (n, lane, opcode < 0 ? NULL : text, likely);
  g_hash_table_insert (n->names, key, found);
  return found;
}

static nprof_str
pc_name (Ntff *n, uint32_t pc)
{
  if (!n->pcs)
    n->pcs = g_new0 (nprof_str, PCS);
  if (!n->pcs[pc]) {
    char text[24];
    g_snprintf (text, sizeof text, "pc 0x%x", pc);
    n->pcs[pc] = nprof_intern (n->host, text);
  }
  return n->pcs[pc];
}

/* Finds the instruction.  Clocks of engines are taken for one here, so it is not known what ran
 * beside it. */
nprof_status
ntff_instruction (Ntff *n, const NtffLane *lane, uint32_t pc, nprof_str *name, nprof_str *category,
                  nprof_set *shared)
{
  const NtffStream *s = stream_of (n, lane, pc);
  int opcode = s ? n->message.data[s->at + (uint64_t) (pc - s->slot) * NTFF_SLOT] : -1;
  const Named *found = named (n, lane, opcode, s && s->likely);
  *name = opcode < 0 ? pc_name (n, pc) : found->name;
  *shared = found->shared;
  *category = lane->cc_core >= 0                                        ? n->category_collective
              : opcode < 0                                              ? n->category_unknown
              : opcode == OP_EVENT_SEMAPHORE || opcode == OP_EVENT_WAIT ? n->category_wait
                                                                        : n->category_unaligned;
  return found->shared ? NPROF_OK : NPROF_E_NOMEM;
}

/* -- Records ----------------------------------------------------------------------------------- */

static nprof_status
instant (Ntff *n, nprof_track track, const char *name, nprof_str category, const NtffRecord *r)
{
  nprof_status status
      = nprof_instant (n->w, track, nprof_intern (n->host, name), ntff_when (n, r->time));
  if (status)
    return status;
  n->rows++;
  nprof_set_category (n->w, category);
  return NPROF_OK;
}

static nprof_status
raw (Ntff *n, uint32_t core, const char *name, nprof_str category, const NtffRecord *r)
{
  nprof_status status = instant (n, ntff_core (n->cores, core)->track, name, category, r);
  status = status ? status : ntff_attr (n, NTFF_KEY_META, r->meta & 0xffffff);
  return status ? status : ntff_attr (n, NTFF_KEY_META2, r->meta2);
}

static nprof_status explicit(Ntff *n, NtffCore *core, nprof_track track, const NtffRecord *r)
{
  core->first_explicit = MIN (core->first_explicit, r->time);
  core->last_explicit = MAX (core->last_explicit, r->time);
  core->explicits++;
  nprof_status status = instant (n, track, "explicit", n->category_execution, r);
  status = status ? status : ntff_attr (n, NTFF_KEY_PC, r->meta & 0xfffff);
  if (!status && r->meta >> 20 & 15)
    status = ntff_attr (n, NTFF_KEY_HINT, r->meta >> 20 & 15);
  if (!status && r->meta2)
    status = ntff_attr (n, NTFF_KEY_META2, r->meta2);
  return status;
}

static nprof_status
of_engine (Ntff *n, NtffLane *lane, unsigned type, const NtffRecord *r, uint64_t at)
{
  switch ((type - NTFF_INST) & 3) {
  case NTFF_START:
    return ntff_lane_start (n, lane, r, at);
  case NTFF_END:
    return ntff_lane_end (n, lane, r, at);
  case NTFF_EXPLICIT:
    return explicit(n, ntff_core (n->cores, lane->core), lane->track, r);
  default:
    return ntff_semaphore (n, lane->core, lane->track, r, at);
  }
}

/* Writes that the producer says that records before this one are lost. */
static nprof_status
overflow (Ntff *n, nprof_track track, const NtffRecord *r)
{
  static const char *const names[]
      = { "", "software overflow", "hardware overflow", "software and hardware overflow" };
  const char *name = names[r->meta >> 29 & 3];
  if (!*name)
    return NPROF_OK;
  n->overflows++;
  n->rows++;
  return nprof_row (n->w, NPROF_GAP, track, nprof_intern (n->host, name), ntff_when (n, r->time),
                    0);
}

nprof_status
ntff_row (Ntff *n, uint32_t number, const NtffRecord *r, uint64_t at)
{
  NtffArray *array = &g_array_index (n->found.arrays, NtffArray, number);
  unsigned type = ntff_type (r);
  NtffLane *lane = NULL;
  nprof_track track = ntff_core (n->cores, array->core)->track;
  if (type >= NTFF_INST && type <= NTFF_INST_LAST) {
    lane = ntff_lane (n, array, (type - NTFF_INST) >> 2);
    track = lane ? lane->track : 0;
  } else if (type == NTFF_AXI_EVT_SEM) {
    track = ntff_axi_track (n, array->core);
  }
  if (!track)
    return NPROF_E_NOMEM;
  nprof_status status = overflow (n, track, r);
  if (status)
    return status;
  if (lane)
    return of_engine (n, lane, type, r, at);
  if (type == NTFF_DMA)
    return ntff_dma (n, number, r, at);
  if (type == NTFF_AXI_EVT_SEM)
    return ntff_semaphore (n, array->core, track, r, at);
  if (type == NTFF_THROTTLE)
    return raw (n, array->core, "throttle", n->category_throttle, r);
  n->errors++;
  return raw (n, array->core, type == NTFF_ERROR ? "error" : "TPB error", n->category_error, r);
}

/* Writes executions from the first to the last EXPLICIT of each core, which is the vendor's total
 * time. */
nprof_status
ntff_executions (Ntff *n)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < n->cores->len && !status; i++) {
    const NtffCore *core = ntff_core (n->cores, i);
    if (core->explicits < 2)
      continue;
    status
        = nprof_span (n->w, core->track, n->category_execution, ntff_when (n, core->first_explicit),
                      (int64_t) (core->last_explicit - core->first_explicit));
    if (!status)
      nprof_set_category (n->w, n->category_execution);
  }
  return status;
}
