/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder ascend-json: trace_view.json of torch_npu, and what msprof writes.  The entry,
 * the declarations, the life of an instance, and launches that only arrows tell of. */
#include "layers.h"

#include "producers/say-meaning.h"
#include "profile/collective-keys.h"
#include "trace-event/plan.h"

#include <nprof/draft/declare.h>

/* -- Life -------------------------------------------------------------------------------------- */

/* Returns the set of attributes that says what a row means; 0: nobody asks, or no memory. */
static nprof_set
work_set (const struct nprof_host *host, const char *word)
{
  const nprof_str key = nprof_intern (host, NPROF_KEY_WORK);
  const uint8_t type = NPROF_STRING;
  nprof_value value = { 0 };
  value.s = nprof_intern (host, word);
  return host->wanted (host, NPROF_KEY_WORK)
             ? host->attrs (host, &(struct nprof_attrs){ sizeof (struct nprof_attrs), 1, &key,
                                                         &type, &value, NULL })
             : 0;
}

static nprof_status
aj_open (void *self, const struct nprof_host *host)
{
  AscendJson *a = self;
  ch_open (&a->chrome, host, te_scanner ());
  a->links = np_large_array_new (sizeof (AjLink));
  a->planes = g_hash_table_new_full (aj_spot_hash, aj_spot_equal, g_free, NULL);
  ids_init (&a->calls, sizeof (AjCall));
  a->hosts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  a->steps = g_array_new (FALSE, FALSE, sizeof (StepTime));
  a->launches = g_array_new (FALSE, FALSE, sizeof (AjLaunch));
  ascend_steps_init (&a->split);
  a->overlap = nprof_intern (host, "overlap");
  a->category_launch = nprof_intern (host, "launch");
  bool all = (a->step_work = work_set (host, "step"));
  for (guint i = 0; i < N_CLASSES; i++) {
    a->category[i] = nprof_intern (host, ascend_classes[i][0]);
    all &= (a->work[i] = work_set (host, ascend_classes[i][1])) != 0;
  }
  if (host->wanted (host, NPROF_KEY_WORK) && !all)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for attributes");
  return meaning_say (host);
}

static void
aj_close (void *self)
{
  AscendJson *a = self;
  g_clear_pointer (&a->kernels, g_hash_table_unref);
  ascend_steps_clear (&a->split);
  g_clear_pointer (&a->launches, g_array_unref);
  g_clear_pointer (&a->steps, g_array_unref);
  g_clear_pointer (&a->hosts, g_hash_table_unref);
  ids_clear (&a->calls);
  g_clear_pointer (&a->planes, g_hash_table_unref);
  g_clear_pointer (&a->links, np_large_array_free);
  ch_close (&a->chrome);
}

/* -- Decoding ---------------------------------------------------------------------------------- */

/* Where the run wrote both forms its database is read, which says more. */
static nprof_status
aj_declare (void *self, const void *data, uint64_t len, struct nprof_declaration *out)
{
  const AscendJson *a = self;
  (void) data, (void) len;
  out->is_part = aj_has_database (a->chrome.host) || aj_is_in_msprof (a->chrome.host);
  return NPROF_OK;
}

static nprof_status
aj_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  AscendJson *a = self;
  ch_begin (&a->chrome, data, len);
  nprof_status status = aj_rank_find (a); /* a property comes before the facts of the plan */
  if (!status)
    status = ch_plan (&a->chrome);
  if (!status)
    status = ch_plan_rows (&a->chrome);
  aj_learn_devices (a);
  if (!status)
    status = aj_links_find (a);
  if (!status)
    status = aj_folder_read (a);
  *n_parts = status ? 0 : a->chrome.parts->len - 1;
  return status;
}

static nprof_status
aj_decode_part (void *self, uint32_t number, void *state, const struct nprof_host *host)
{
  AjPart *part = state;
  part->launches = g_array_new (FALSE, FALSE, sizeof (AjLaunch));
  nprof_status status = ch_part_init (&part->chrome, self, host, host->worker);
  return status ? status : ch_part_decode (&part->chrome, number);
}

static int
by_correlation (gconstpointer a, gconstpointer b)
{
  const AjLaunch *x = a, *y = b;
  if (x->correlation != y->correlation)
    return x->correlation < y->correlation ? -1 : 1;
  return (x->at.start > y->at.start) - (x->at.start < y->at.start);
}

/* Writes a row without length where each arrow of a launch begins whose call is not in the file. */
static nprof_status
write_launches (AscendJson *a)
{
  const struct nprof_host *host = a->chrome.host;
  struct nprof_writer *w = a->launches->len ? host->writer (host) : NULL;
  nprof_status status = NPROF_OK;
  int64_t last = ASCEND_NONE;
  g_array_sort (a->launches, by_correlation);
  for (guint i = 0; i < a->launches->len && !status; i++) {
    const AjLaunch *launch = &g_array_index (a->launches, AjLaunch, i);
    if (launch->correlation == last)
      continue;
    last = launch->correlation;
    const nprof_track on = aj_thread (&a->chrome, host, (ChId){ launch->at.pid, CH_NUMBER },
                                      (ChId){ launch->at.tid, CH_NUMBER });
    if (!w || !on)
      return NPROF_E_NOMEM;
    status = nprof_row (w, NPROF_SPAN, on, a->category_launch, launch->at.start, 0);
    if (status)
      break;
    nprof_set_category (w, a->category_launch);
    if (a->want[KEY_CORRELATION])
      status = nprof_attr_uint (w, a->key[KEY_CORRELATION], (uint64_t) last);
  }
  return status;
}

static nprof_status
aj_join (void *self, uint32_t number, void *state, int failed)
{
  AscendJson *a = self;
  AjPart *part = state;
  const bool is_last = number + 2 >= a->chrome.parts->len;
  nprof_status status = NPROF_OK;
  if (!failed) {
    status = ch_take_part (&a->chrome, &part->chrome, is_last);
    g_array_append_vals (a->launches, part->launches->data, part->launches->len);
  }
  g_clear_pointer (&part->launches, g_array_unref);
  if (part->chrome.c) {
    ch_take_controls (&a->chrome, &part->chrome.controls);
    ch_part_clear (&part->chrome);
  }
  if (failed || status || !is_last)
    return status;
  ch_say_controls (&a->chrome);
  status = write_launches (a);
  if (!status)
    status = aj_chip_write (a);
  if (!status)
    status = aj_memory_write (a);
  if (!status)
    status = ascend_steps_write (a->chrome.host, &a->split);
  return status ? status : ch_pairs (&a->chrome);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "ascend-json",
  .summary = "JSON of Ascend's profilers: torch_npu, MindSpore, msprof",
  .formats = "trace_view.json of torch_npu; msprof, hccl and task_time JSON of CANN",
  .options = NPROF_OPTIONS (NPROF_SIZE_OPTION (AscendJson, chrome.part_bytes, "part", "2M", "1..1G",
                                               "bytes of events that a thread decodes in one go")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute, ASCEND_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP, "",
                       "group of ranks of a collective: the last digits of its hash"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_SEQUENCE, "",
                       "which of the group's collectives"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_DTYPE, "", "type of the elements"),
      COLLECTIVE_ELEMENT_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", "of a device"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_CORE_COUNT, "", "cube cores of a device"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CLOCK_RATE, "Hz", "the highest of these cores"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin, step or end of an arrow"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "", "args as the file has them"),
      NPROF_ATTRIBUTE (NPROF_JSON, NPROF_KEY_VALUE, "",
                       "a counter's value that is no exact double")),
  .flags = NPROF_DECODER_FOLDER,
  .tables = (const struct nprof_table *const[]){ &ascend_steps_table, NULL },
  .instance_size = sizeof (AscendJson),
  .part_size = sizeof (AjPart),
  .probe = aj_probe,
  .open = aj_open,
  .declare = aj_declare,
  .plan = aj_plan,
  .decode_part = aj_decode_part,
  .join = aj_join,
  .close = aj_close,
  .worker_size = sizeof (ChWorker),
  .worker_close = ch_worker_close,
};

NPROF_PLUGIN ("ascend-json", NPROF_VERSION, "Apache-2.0", &decoder)
