/* SPDX-License-Identifier: Apache-2.0 */
/* attrs.c - gives a row the members of a record as attributes: well-known ones under the keys of
 * keys.h or their own names, all others as one attribute `args`, byte by byte as in the file. */
#include "profile/collective-keys.h"
#include "profile/semaphore-keys.h"
#include "tools.h"

#include <nprof/format.h>

enum { INT, TEXT, DURATION, DURATION_NS, BOOL };

static const struct {
  uint8_t id, type;
  const char *key;
} attrs[] = {
  { NT_K_OPCODE, TEXT, NPROF_KEY_OPCODE },
  { NT_K_LAYER, TEXT, NPROF_KEY_LAYER },
  { NT_K_PC, INT, "pc" },
  { NT_K_CRC_IN, INT, "crc_in" },
  { NT_K_CRC_OUT, INT, "crc_out" },
  { NT_K_CRC, INT, "crc" },
  { NT_K_EVT_WAIT, DURATION, "event_wait" },
  { NT_K_EVT_WAIT_NS, DURATION_NS, "event_wait" },
  { NT_K_RAW_FLOPS, INT, NPROF_KEY_FLOPS },
  { NT_K_FLOPS, INT, NPROF_KEY_FLOPS },
  { NT_K_ADJUSTED_FLOPS, INT, "adjusted_flops" },
  { NT_K_FLOPS_TRANSPOSE, INT, "flops_transpose" },
  { NT_K_ADJUSTED_TRANSPOSE, INT, "adjusted_flops_transpose" },
  { NT_K_HBM_READ, INT, "hbm_read_bytes" },
  { NT_K_HBM_WRITE, INT, "hbm_write_bytes" },
  { NT_K_SBUF_READ, INT, "sbuf_read_bytes" },
  { NT_K_SBUF_WRITE, INT, "sbuf_write_bytes" },
  { NT_K_PSUM_READ, INT, "psum_read_bytes" },
  { NT_K_PSUM_WRITE, INT, "psum_write_bytes" },
  { NT_K_PSUM_SBUF, INT, "psum_read_sbuf_write_bytes" },
  { NT_K_SPILL_SAVE, INT, "spill_save_bytes" },
  { NT_K_SPILL_RELOAD, INT, "spill_reload_bytes" },
  { NT_K_INPUT_QUEUE, INT, "input_queue_bytes" },
  { NT_K_OUTPUT_QUEUE, INT, "output_queue_bytes" },
  { NT_K_WEIGHT_QUEUE, INT, "weight_queue_bytes" },
  { NT_K_INSTRUCTION_TYPE, TEXT, "tensor_instruction_type" },
  { NT_K_TRANSFER_SIZE, INT, NPROF_KEY_BYTES },
  { NT_K_TRANSFER_BYTES, INT, NPROF_KEY_BYTES },
  { NT_K_SIZE, INT, NPROF_KEY_BYTES },
  { NT_K_INPUT_SIZE, INT, COLLECTIVE_KEY_INPUT_SIZE },
  { NT_K_OUTPUT_SIZE, INT, COLLECTIVE_KEY_OUTPUT_SIZE },
  { NT_K_REPLICA_GROUP, TEXT, COLLECTIVE_KEY_GROUP_RANKS },
  { NT_K_NUM_ELEMENTS, INT, COLLECTIVE_KEY_ELEMENTS_IN },
  { NT_K_QUEUE_TYPE, TEXT, "queue_type" },
  { NT_K_VARIABLE, TEXT, NPROF_KEY_TENSOR },
  { NT_K_TENSOR_NAME, TEXT, NPROF_KEY_TENSOR },
  { NT_K_UPDATE_MODE, INT, "update_mode" },
  { NT_K_DOUBLE, BOOL, "double_update" },
  { NT_K_TENSOR_TYPE, TEXT, "tensor_instruction_type" },
  { NT_K_HAM_K, INT, "limit_k" },
  { NT_K_HAM_N, INT, "limit_n" },
};

void
nt_attrs_begin (Nt *t)
{
  const struct nprof_host *h = t->host;
  for (gsize i = 0; i < G_N_ELEMENTS (attrs); i++) {
    t->attr[attrs[i].id] = nprof_intern (h, attrs[i].key);
    t->want[attrs[i].id] = h->wanted (h, attrs[i].key);
  }
  t->attr[NT_K_HLO_NAME] = nprof_intern (h, NPROF_KEY_HLO_OP);
  t->attr[NT_K_NKI_SOURCE] = nprof_intern (h, NPROF_KEY_SOURCE);
  t->key_engine = nprof_intern (h, NPROF_KEY_ENGINE);
  t->key_args = nprof_intern (h, "args");
  t->want[NT_K_HLO_NAME] = h->wanted (h, NPROF_KEY_HLO_OP) || h->wanted (h, NPROF_KEY_HLO_TEXT);
  t->want_source = h->wanted (h, NPROF_KEY_SOURCE) || h->wanted (h, NPROF_KEY_SOURCE_STACK);
  t->want_engine = h->wanted (h, NPROF_KEY_ENGINE);
  t->want_queue = h->wanted (h, NPROF_KEY_QUEUE);
  t->key_flops = nprof_intern (h, NPROF_KEY_FLOPS);
  t->key_transpose = nprof_intern (h, "flops_transpose");
  t->want_flops = h->wanted (h, NPROF_KEY_FLOPS);
  t->want_transpose = h->wanted (h, "flops_transpose");
  t->want_waits = h->wanted (h, SEMAPHORE_KEY_WAITS) || h->wanted (h, SEMAPHORE_KEY_SIGNALS)
                  || h->wanted (h, SEMAPHORE_KEY_DMA);
  t->want_args = nprof_wanted_of (h, "args", NPROF_SPAN);
}

/* -- Single attributes --------------------------------------------------------------------- */

/* Puts a value; *fits says that it has the expected type. */
static nprof_status
put_value (Nt *t, uint8_t type, nprof_str key, const TeValue *v, bool *fits)
{
  int64_t i;
  NtTime ps;
  nprof_value flag = { .u = 0 };
  *fits = true;
  switch (type) {
  case INT:
    if (nt_int (v, &i))
      return nprof_attr_int (t->w, key, i);
    break;
  case DURATION:
  case DURATION_NS:
    if (nt_time (v, type == DURATION ? t->per : 1000, &ps) && ps == (int64_t) ps)
      return nprof_attr_int (t->w, key, (int64_t) ps);
    break;
  case BOOL:
    if (v->kind == TE_WORD && (v->p[0] == 't' || v->p[0] == 'f')) {
      flag.u = v->p[0] == 't';
      return nprof_attr (t->w, key, NPROF_BOOL, flag);
    }
    break;
  default:
    if (v->kind == TE_TEXT)
      return nprof_attr_str (t->w, key, nt_text (t, v));
  }
  *fits = false;
  return NPROF_OK;
}

nprof_status
nt_attr_text (Nt *t, const char *key, const TeValue *v)
{
  return v->kind == TE_TEXT ? nprof_attr_str (t->w, nt_literal (t, key), nt_text (t, v)) : NPROF_OK;
}

/* -- HLO and source ---------------------------------------------------------------------------- */

/* Reads "%add.1 = add(%dot, ...)", the whole instruction, or "dot.1", its name alone. */
static nprof_status
hlo (Nt *t, NtRecord *r)
{
  const TeValue *v = t->want[NT_K_HLO_NAME] ? nt_see (r, NT_K_HLO_NAME) : NULL;
  if (!v || v->kind != TE_TEXT || !v->len)
    return NPROF_OK;
  nt_use (r, NT_K_HLO_NAME);
  const char *is = memmem (v->p, v->len, " = ", 3);
  TeValue name = *v;
  if (is)
    name.len = (size_t) (is - v->p);
  if (is && name.len && *name.p == '%') {
    name.p++;
    name.len--;
  }
  nprof_status status = nprof_attr_str (t->w, t->attr[NT_K_HLO_NAME], nt_text (t, &name));
  return status || !is ? status : nt_attr_text (t, NPROF_KEY_HLO_TEXT, v);
}

/* Returns a text of a record that is not empty; NULL: it has none. */
static const TeValue *
text_of (NtRecord *r, uint8_t id)
{
  const TeValue *v = nt_see (r, id);
  if (!v || v->kind != TE_TEXT || !v->len)
    return NULL;
  nt_use (r, id);
  return v;
}

/* Puts the line of the kernel where it is known, else that of the application, which the compiler's
 * debug info names; of both a stack, the kernel's first. */
static nprof_status
source (Nt *t, NtRecord *r)
{
  if (!t->want_source)
    return NPROF_OK;
  const TeValue *kernel = text_of (r, NT_K_NKI_SOURCE), *app = text_of (r, NT_K_BIR_SOURCE);
  const TeValue *own = kernel ? kernel : app;
  nprof_status status
      = own ? nprof_attr_str (t->w, t->attr[NT_K_NKI_SOURCE], nt_text (t, own)) : NPROF_OK;
  if (status || !kernel || !app)
    return status;
  const char *lines[] = { nprof_text (t->host, nt_text (t, kernel)),
                          nprof_text (t->host, nt_text (t, app)) };
  g_autofree char *stack = g_strdup_printf ("%s\n%s", lines[0], lines[1]);
  return nprof_attr_str (t->w, nprof_intern (t->host, NPROF_KEY_SOURCE_STACK),
                         nprof_intern (t->host, stack));
}

/* -- All of them ------------------------------------------------------------------------------- */

void
nt_put_member (Nt *t, const NtMember *m)
{
  nprof_put_char (&t->buf, t->buf.len ? ',' : '{');
  nprof_put (&t->buf, m->from, (size_t) (m->to - m->from));
}

nprof_status
nt_put_members (Nt *t, nprof_str key)
{
  if (!t->buf.len)
    return NPROF_OK;
  nprof_put_char (&t->buf, '}');
  if (t->buf.failed || t->buf.len > UINT32_MAX)
    return NPROF_E_NOMEM;
  return nprof_attr_bytes (t->w, key, NPROF_JSON, t->buf.data, (uint32_t) t->buf.len);
}

nprof_status
nt_args (Nt *t, const NtRecord *r)
{
  if (!t->want_args)
    return NPROF_OK;
  t->buf.len = 0;
  for (guint i = 0; i < r->members->len; i++) {
    const NtMember *m = &g_array_index (r->members, NtMember, i);
    if (!m->used)
      nt_put_member (t, m);
  }
  return nt_put_members (t, t->key_args);
}

nprof_status
nt_attrs (Nt *t, NtRecord *r)
{
  nprof_status status = NPROF_OK;
  nprof_str given[G_N_ELEMENTS (attrs)];
  for (gsize i = 0, n = 0; i < G_N_ELEMENTS (attrs) && !status; i++) {
    const TeValue *v = r->place[attrs[i].id] ? nt_see (r, attrs[i].id) : NULL;
    nprof_str key = t->attr[attrs[i].id];
    bool twice = false, fits;
    for (gsize k = 0; v && k < n; k++)
      twice |= given[k] == key; /* transfer_size and size: the first, the other is in args */
    if (!v || twice)
      continue;
    if (!t->want[attrs[i].id]) {
      nt_use (r, attrs[i].id);
      continue;
    }
    status = put_value (t, attrs[i].type, key, v, &fits);
    if (fits) {
      nt_use (r, attrs[i].id);
      given[n++] = key;
    }
  }
  status = status ? status : hlo (t, r);
  status = status ? status : source (t, r);
  return status ? status : nt_args (t, r);
}
