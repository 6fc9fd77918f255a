/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - gives rows their class and the attributes that their layer has.  It takes the place of
 * the args.c of the decoder chrome. */
#include "layers.h"

#include "producers/ascend-flops.h"
#include "json/text.h"

#include "profile/collective-keys.h"

static const char *const keys[N_KEYS] = {
  [KEY_CORRELATION] = NPROF_KEY_CORRELATION_ID,
  [KEY_STREAM] = NPROF_KEY_STREAM,
  [KEY_STEP] = NPROF_KEY_STEP,
  [KEY_ENGINE] = NPROF_KEY_ENGINE,
  [KEY_OPCODE] = NPROF_KEY_OPCODE,
  [KEY_SHAPE] = NPROF_KEY_SHAPE,
  [KEY_FLOPS] = NPROF_KEY_FLOPS,
  [KEY_OPERATOR] = NPROF_KEY_OPERATOR,
  [KEY_COLLECTIVE] = NPROF_KEY_COLLECTIVE,
  [KEY_GROUP] = COLLECTIVE_KEY_GROUP,
  [KEY_SEQUENCE] = COLLECTIVE_KEY_SEQUENCE,
  [KEY_ELEMENTS_IN] = COLLECTIVE_KEY_ELEMENTS_IN,
  [KEY_ELEMENTS_OUT] = COLLECTIVE_KEY_ELEMENTS_OUT,
  [KEY_DTYPE] = COLLECTIVE_KEY_DTYPE,
};

void
ch_wants (Chrome *c)
{
  AscendJson *a = (AscendJson *) c;
  const struct nprof_host *host = c->host;
  for (guint i = 0; i < N_KEYS; i++) {
    a->key[i] = nprof_intern (host, keys[i]);
    a->want[i] = host->wanted (host, keys[i]) || host->row_want (host, keys[i], 0);
  }
  c->key_args = nprof_intern (host, "args");
  c->want_args = host->wanted (host, "args") || host->row_want (host, "args", 0);
  c->key_flow_phase = nprof_intern (host, NPROF_KEY_FLOW_PHASE);
  c->key_value = nprof_intern (host, NPROF_KEY_VALUE);
  c->want_any = true; /* rows are of their class whatever is read */
}

int64_t
aj_number (const Chrome *c, const TeEvent *event, const char *member)
{
  TeValue value;
  int64_t number;
  if (!ch_member_of_args (c->scanner, event, member, &value))
    return ASCEND_NONE;
  return te_whole (&value, &number) && number >= 0 && number != UINT32_MAX ? number : ASCEND_NONE;
}

/* Returns a text of args; 0: there is none. */
static nprof_str
text_of (ChPart *part, const TeEvent *event, const char *member)
{
  TeValue value;
  return ch_member_of_args (part->c->scanner, event, member, &value) && value.kind == TE_TEXT
             ? ch_name (part->names, &value)
             : 0;
}

/* -- Attributes -------------------------------------------------------------------------------- */

static nprof_status
add_string (ChPart *part, int key, nprof_str value)
{
  const AscendJson *a = aj_of (part);
  return a->want[key] && value ? nprof_attr_str (part->w, a->key[key], value) : NPROF_OK;
}

static nprof_status
add_int (ChPart *part, int key, int64_t value)
{
  const AscendJson *a = aj_of (part);
  return a->want[key] && value != ASCEND_NONE ? nprof_attr_int (part->w, a->key[key], value)
                                              : NPROF_OK;
}

static nprof_status
add_correlation (ChPart *part, int64_t connection)
{
  const AscendJson *a = aj_of (part);
  return a->want[KEY_CORRELATION] && connection > 0
             ? nprof_attr_uint (part->w, a->key[KEY_CORRELATION], (uint64_t) connection)
             : NPROF_OK;
}

static nprof_status
add_step (ChPart *part, int64_t at)
{
  const StepTime *step = step_time_at (aj_of (part)->steps, at);
  return step ? add_int (part, KEY_STEP, step->number) : NPROF_OK;
}

static void
say (ChPart *part, AscendClass is)
{
  const AscendJson *a = aj_of (part);
  nprof_set_category (part->w, a->category[is]);
  if (a->work[is])
    nprof_set_shared (part->w, a->work[is]);
}

/* Adds the launch of work: the call of its connection, else where the arrow to it begins, of which
 * a row is made later. */
static nprof_status
add_launch (ChPart *part, const ChThread *thread, const TeEvent *event)
{
  AscendJson *a = aj_of (part);
  const AjSpot here = { thread->pid, thread->tid, part->w->start[part->w->n_rows - 1] };
  const AjLink *link = aj_link (a, &here);
  const int64_t connection = aj_number (part->c, event, "connection_id");
  const AjCall *call = ids_look_up (&a->calls, connection);
  const bool arrow = link && link->launch.start != INT64_MIN;
  nprof_status status = add_correlation (part, connection);
  if (!status && link)
    status = add_string (part, KEY_OPERATOR, link->operation);
  if (status || (!call && !arrow))
    return status;
  if (!call && connection > 0) {
    const AjLaunch launch = { connection, link->launch };
    g_array_append_val (((AjPart *) part)->launches, launch);
  }
  return add_step (part, call ? call->start : link->launch.start);
}

/* -- Layers ------------------------------------------------------------------------------------ */

/* Where the type of a task tells nothing, which of some chips none does, one with a name of its own
 * computes. */
static AscendClass
class_of (const char *type, const char *name)
{
  const AscendClass by_type = ascend_class_of (type), by_name = ascend_class_of (name);
  if (by_type == CLASS_PART || by_type == CLASS_COPY || by_name == CLASS_COPY)
    return by_type == CLASS_PART ? CLASS_PART : CLASS_COPY;
  if (by_type == CLASS_WAIT)
    return CLASS_WAIT;
  if (by_type == CLASS_CONTROL || by_name == CLASS_CONTROL)
    return CLASS_CONTROL;
  const bool untold = strcmp (type, "Other") == 0 || strcmp (type, "N/A") == 0 || !*type;
  if (by_type == CLASS_COMPUTE || (untold && *name && strcmp (name, type) != 0))
    return CLASS_COMPUTE;
  return CLASS_CONTROL;
}

/* The file calls vector kernels AI_CORE as well: kernel_details.csv knows, and has their shapes. */
static nprof_status
kernel (ChPart *part, const ChThread *thread, nprof_str name, const char *type)
{
  const AscendJson *a = aj_of (part);
  const struct nprof_host *host = part->host;
  const int64_t start = part->w->start[part->w->n_rows - 1];
  const AjKernel *k = aj_kernel (a, name, start);
  const char *unit = k && k->unit ? nprof_text (host, k->unit) : type;
  const char *engine = ascend_engine_of (strcmp (unit, "N/A") == 0 ? type : unit);
  nprof_status status
      = engine ? add_string (part, KEY_ENGINE, nprof_intern (host, engine)) : NPROF_OK;
  if (status || !k)
    return status;
  const AjSpot here = { thread->pid, thread->tid, start };
  const AjLink *link = aj_link (a, &here);
  const int64_t flops
      = a->want[KEY_FLOPS]
            ? ascend_flops (nprof_text (host, k->operation), nprof_text (host, k->shapes),
                            nprof_text (host, k->results),
                            nprof_text (host, link ? link->shapes : 0))
            : ASCEND_NO_FLOPS;
  status = add_string (part, KEY_OPCODE, k->operation);
  if (!status)
    status = add_string (part, KEY_SHAPE, k->shapes);
  return status ? status : add_int (part, KEY_FLOPS, flops);
}

static nprof_status
task (ChPart *part, const ChThread *thread, const TeEvent *event)
{
  AscendJson *a = aj_of (part);
  const nprof_str type = text_of (part, event, "Task Type");
  const char *text = type ? nprof_text (part->host, type) : "";
  const nprof_str name = ch_text (part, event, TE_NAME);
  if (!type) { /* steps of graphs, around the work */
    const bool step
        = te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], "Iteration Time");
    if (a->step_work)
      nprof_set_shared (part->w, step ? a->step_work : a->work[CLASS_AROUND]);
    return step ? add_int (part, KEY_STEP, aj_number (part->c, event, "Iteration ID")) : NPROF_OK;
  }
  int64_t stream = aj_number (part->c, event, "Physic Stream Id");
  if (stream == ASCEND_NONE)
    stream = aj_number (part->c, event, "Stream Id");
  const AjSpot part_key
      = { stream, aj_number (part->c, event, "Task Id"), aj_number (part->c, event, "Subtask Id") };
  const AscendClass is = g_hash_table_contains (a->planes, &part_key)
                             ? CLASS_PART
                             : class_of (text, nprof_text (part->host, name));
  say (part, is);
  nprof_status status = add_int (part, KEY_STREAM, stream);
  if (!status && is == CLASS_COMPUTE)
    status = kernel (part, thread, name, text);
  return status || is > CLASS_COPY ? status : add_launch (part, thread, event);
}

static nprof_status
whole (ChPart *part, const ChThread *thread, const TeEvent *event)
{
  int64_t sequence;
  const struct nprof_host *host = part->host;
  const char *name = nprof_text (host, ch_text (part, event, TE_NAME));
  const char *kind = ascend_collective_of (name, &sequence), *group = strstr (name, "__");
  const int64_t count = aj_number (part->c, event, "count");
  const nprof_str type = text_of (part, event, "data_type");
  say (part, CLASS_COMMUNICATION);
  nprof_status status = add_string (part, KEY_COLLECTIVE, nprof_intern (host, kind));
  if (!status && group && sequence != ASCEND_NONE) { /* the last digits of the group's hash */
    g_autofree char *text = g_strdup_printf ("..%.*s", (int) strcspn (group + 2, "_"), group + 2);
    status = add_string (part, KEY_GROUP, nprof_intern (host, text));
  }
  if (!status)
    status = add_int (part, KEY_SEQUENCE, sequence);
  if (!status)
    status = add_int (part, KEY_ELEMENTS_IN, count);
  if (!status)
    status = add_int (part, KEY_ELEMENTS_OUT, count);
  if (!status && type)
    status = add_string (part, KEY_DTYPE,
                         nprof_intern (host, ascend_type_of (nprof_text (host, type))));
  return status ? status : add_launch (part, thread, event);
}

/* Parts of collectives have a type.  Where no thread is of whole ones these lie on planes, by their
 * names. */
static bool
is_whole (ChPart *part, const ChThread *thread, const TeEvent *event)
{
  TeValue type;
  const int wholes = aj_holds_wholes (part->c, ch_pid_of (thread), ch_tid_of (thread));
  if (wholes > 0 || ch_member_of_args (part->c->scanner, event, "task type", &type))
    return wholes > 0;
  const char *name = nprof_text (part->host, ch_text (part, event, TE_NAME));
  return wholes || (!aj_of (part)->has_wholes && g_str_has_prefix (name, "hcom_"));
}

static nprof_status
collective (ChPart *part, const ChThread *thread, const TeEvent *event)
{
  if (is_whole (part, thread, event))
    return whole (part, thread, event);
  say (part, CLASS_PART);
  return NPROF_OK;
}

/* Calls of CANN have a level in place of a category. */
static nprof_status
host_row (ChPart *part, const TeEvent *event)
{
  const AscendJson *a = aj_of (part);
  const int64_t start = part->w->start[part->w->n_rows - 1];
  const nprof_str level = te_has (event, TE_CAT) ? 0 : text_of (part, event, "level");
  nprof_status status = NPROF_OK;
  if (level) {
    g_autofree char *category = g_strdup_printf ("%s_api", nprof_text (part->host, level));
    nprof_set_category (part->w, nprof_intern (part->host, category));
    const int64_t connection = aj_number (part->c, event, "connection_id");
    const AjCall *call = ids_look_up (&a->calls, connection);
    const bool launch = call && call->start == start
                        && call->acl == (strcmp (nprof_text (part->host, level), "acl") == 0);
    status = launch ? add_correlation (part, connection) : NPROF_OK;
  }
  return status ? status : add_step (part, start);
}

nprof_status
ch_attrs (ChPart *part, const TeEvent *event, const TeEvent *end)
{
  const ChThread *thread = part->threads->last;
  nprof_status status = NPROF_OK;
  (void) end;
  if (event->ph == 'X')
    switch (aj_layer (part->c, ch_pid_of (thread))) {
    case LAYER_HARDWARE:
      status = task (part, thread, event);
      break;
    case LAYER_COLLECTIVES:
      status = collective (part, thread, event);
      break;
    case LAYER_HOST:
      status = host_row (part, event);
      break;
    default: /* derived: no work, since the rows that it was made of are there */
      nprof_set_category (part->w, aj_of (part)->overlap);
      if (aj_of (part)->work[CLASS_CONTROL])
        nprof_set_shared (part->w, aj_of (part)->work[CLASS_CONTROL]);
    }
  return status || !part->c->want_args ? status : ch_attr_args (part, part->c->key_args, event);
}
