/* SPDX-License-Identifier: Apache-2.0 */
/* work.c - picks the numbers of a row of work. */
#include "work.h"

#include <nprof/keys.h>

static const char *const keys[] = { AN_WORK_KEYS, NULL };

enum {
  FLOPS,
  MODEL,
  ACCESSED,
  READ,
  WRITTEN,
  CATEGORY,
  DEVICE_TIME,
  BYTES,
  CORRELATION,
  STEP,
  LAYER,
  FRAMEWORK_OP,
  HARDWARE,
  TRANSPOSE
};

nprof_status
an_work_init (AnWork *w, const struct nprof_host *host)
{
  w->custom_call = nprof_intern (host, "custom-call");
  return nprof_pick_init (&w->pick, host, keys);
}

void
an_work_clear (AnWork *w)
{
  nprof_pick_clear (&w->pick);
}

/* A count; a negative one says nothing. */
static bool
amount (const AnWork *w, uint32_t key, int64_t *value)
{
  return w->pick.field[key].type && nprof_pick_int (&w->pick, key, value) && *value >= 0;
}

/* model_flops falls back to all flops, as xprof does (xplane.md 2.4), less the transposes that
 * Neuron's compiler puts in (neuron-outputs.md 3.5). */
static void
take_flops (const AnWork *w, AnItem *item)
{
  int64_t transposed = 0;
  bool known = amount (w, HARDWARE, &item->flops) || amount (w, FLOPS, &item->flops);
  item->known |= known ? AN_KNOWS_FLOPS : 0;
  if (amount (w, MODEL, &item->model_flops)) {
    item->known |= AN_KNOWS_MODEL;
  } else if (known) {
    amount (w, TRANSPOSE, &transposed);
    item->model_flops = MAX (0, item->flops - transposed);
    item->known |= AN_KNOWS_MODEL;
  }
}

/* Those of the main memory where the file tells them apart, else those of any memory. */
static void
take_bytes (const AnWork *w, AnItem *item)
{
  int64_t read = 0, written = 0;
  bool reads = amount (w, READ, &read), writes = amount (w, WRITTEN, &written);
  bool known = (reads || writes) && !__builtin_add_overflow (read, written, &item->bytes);
  if (known || amount (w, ACCESSED, &item->bytes))
    item->known |= AN_KNOWS_BYTES;
}

void
an_work_row (AnWork *w, const struct nprof_batch *batch, uint32_t i, AnItem *item)
{
  nprof_pick_row (&w->pick, batch, i);
  take_flops (w, item);
  take_bytes (w, item);
  if (amount (w, DEVICE_TIME, &item->device_duration))
    item->known |= AN_KNOWS_DEVICE_TIME;
  item->custom
      = w->pick.field[CATEGORY].type && nprof_pick_str (&w->pick, CATEGORY) == w->custom_call;
}

bool
an_work_transfer (const AnWork *w, int64_t *bytes)
{
  return amount (w, BYTES, bytes);
}

bool
an_work_correlation (const AnWork *w, uint64_t *id)
{
  return w->pick.field[CORRELATION].type && nprof_pick_uint (&w->pick, CORRELATION, id);
}

bool
an_work_step (const AnWork *w, int64_t *step)
{
  return w->pick.field[STEP].type && nprof_pick_int (&w->pick, STEP, step);
}

nprof_str
an_work_layer (const AnWork *w)
{
  return nprof_pick_str (&w->pick, LAYER);
}

nprof_str
an_work_framework_op (const AnWork *w)
{
  return nprof_pick_str (&w->pick, FRAMEWORK_OP);
}
