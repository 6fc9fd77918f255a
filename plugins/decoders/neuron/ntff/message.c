/* SPDX-License-Identifier: Apache-2.0 */
/* message.c - reads the protobuf message of an NTFF without its schema: where it ends, and all its
 * fields.  What a `bytes` field holds is told by trying; other files find out what fields mean. */
#include "ntff.h"

#define DEEPEST 24u
#define MOST_FIELDS 500000u /* 30 MB of memory */
#define LONGEST_TEXT 4096u

typedef struct {
  uint32_t number, wire;
  uint64_t value, from, to;
} Wire;

/* -- The wire format ---------------------------------------------------------------------- */

static bool
varint (const uint8_t *data, uint64_t *at, uint64_t end, uint64_t *value)
{
  uint64_t v = 0, p = *at;
  for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
    uint8_t byte = data[p++];
    if (shift < 64)
      v |= (uint64_t) (byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      *at = p;
      *value = v;
      return true;
    }
  }
  return false;
}

/* Reads the field at *at, which moves behind it.  Bytes may go on up to `whole`, beyond `end`. */
static bool
glance_field (const uint8_t *data, uint64_t *at, uint64_t end, uint64_t whole, Wire *w)
{
  uint64_t tag, p = *at;
  if (!varint (data, &p, end, &tag) || tag >> 3 == 0 || tag >> 3 >= 1u << 29)
    return false;
  w->number = (uint32_t) (tag >> 3);
  w->wire = tag & 7;
  w->value = 0;
  if (w->wire == 0 || w->wire == 2) {
    if (!varint (data, &p, end, &w->value))
      return false;
  } else if (w->wire != 1 && w->wire != 5) {
    return false;
  }
  uint64_t size = w->wire == 2 ? w->value : w->wire == 1 ? 8 : w->wire == 5 ? 4 : 0;
  if (size > (w->wire == 2 ? whole : end) - p)
    return false;
  w->from = p;
  w->to = *at = p + size;
  for (unsigned k = 0; w->wire & 1 && k < size; k++)
    w->value |= (uint64_t) data[p + k] << 8 * k;
  return true;
}

static bool
next_field (const uint8_t *data, uint64_t *at, uint64_t end, Wire *w)
{
  return glance_field (data, at, end, end, w);
}

/* -- Where the message ends ------------------------------------------------------------------ */

static int
by_value (gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
  return x < y ? -1 : x > y;
}

/* Collects all 4- and 8-byte integers of the header, sorted. */
static guint
header_integers (const uint8_t *data, uint64_t *values)
{
  guint n = 0;
  for (guint at = 0; at + 4 <= NTFF_HEADER; at++) {
    uint32_t four;
    uint64_t eight;
    memcpy (&four, data + at, 4);
    values[n++] = GUINT32_FROM_LE (four);
    if (at + 8 > NTFF_HEADER)
      continue;
    memcpy (&eight, data + at, 8);
    values[n++] = GUINT64_FROM_LE (eight);
  }
  qsort (values, n, sizeof *values, by_value);
  return n;
}

/* Finds the end: the largest integer of the header at which a field ends; else where the wire
 * format breaks. */
static void
find_end (NtffMessage *m)
{
  uint64_t values[2 * NTFF_HEADER], at = NTFF_HEADER, best = 0;
  guint n = header_integers (m->data, values), k = 0;
  Wire w;
  while (next_field (m->data, &at, m->len, &w)) {
    while (k < n && values[k] < at - NTFF_HEADER)
      k++;
    if (k < n && values[k] == at - NTFF_HEADER && values[k] >= 16)
      best = values[k];
  }
  m->by_header = best != 0;
  m->end = best ? NTFF_HEADER + best : at;
}

static bool
is_version (const uint8_t *data, const Wire *w, uint64_t len)
{
  return w->wire == 2 && (w->number == 8 || w->number == 11 || w->number == 12) && w->to <= len
         && w->to - w->from >= 3 && g_ascii_isdigit (data[w->from])
         && memchr (data + w->from, '.', w->to - w->from);
}

/* Looks at the first fields; the last may go on beyond what there is to see. */
void
ntff_message_glance (NtffGlance *g, const uint8_t *data, uint64_t len, uint64_t size)
{
  uint64_t values[2 * NTFF_HEADER], at = NTFF_HEADER, whole = size ? size : UINT64_MAX;
  guint n = header_integers (data, values);
  Wire w;
  memset (g, 0, sizeof *g);
  while (at < len && glance_field (data, &at, len, whole, &w)) {
    uint64_t end = at - NTFF_HEADER;
    g->n++;
    g->version |= is_version (data, &w, len);
    g->by_header |= end >= 16 && bsearch (&end, values, n, sizeof *values, by_value);
  }
}

/* -- Its fields -------------------------------------------------------------------------------- */

static bool
is_text (const uint8_t *p, uint64_t len)
{
  if (len == 0 || len >= LONGEST_TEXT || !g_utf8_validate ((const char *) p, (gssize) len, NULL))
    return false;
  for (const char *c = (const char *) p, *end = c + len; c < end; c = g_utf8_next_char (c))
    if (*c != '\t' && *c != '\n' && !g_unichar_isprint (g_utf8_get_char (c)))
      return false;
  return true;
}

static uint64_t
deeper (uint64_t path, uint32_t number)
{
  uint64_t h = (path ^ number) * UINT64_C (0x9e3779b97f4a7c15);
  return h ^ h >> 29;
}

static void
append (NtffMessage *m, uint32_t owner, const NtffField *field)
{
  uint32_t number = m->fields->len;
  NtffNode *node = ntff_node (m, owner);
  g_array_append_val (m->fields, *field);
  if (node->first == NTFF_NONE)
    node->first = number;
  else
    ntff_field (m, node->last)->next = number;
  node->last = number;
}

static uint32_t read_node (NtffMessage *m, uint64_t from, uint64_t to, uint32_t parent,
                           uint32_t number, unsigned depth);

static void
keep_field (NtffMessage *m, uint32_t owner, const Wire *w, unsigned depth)
{
  NtffField field = { .number = w->number,
                      .next = NTFF_NONE,
                      .owner = owner,
                      .child = NTFF_NONE,
                      .kind = NTFF_INT,
                      .value = w->value,
                      .from = w->from,
                      .to = w->to };
  if (w->wire == 2) {
    field.kind = NTFF_BYTES;
    if (is_text (m->data + w->from, w->to - w->from))
      field.kind = NTFF_TEXT;
    else if (w->to > w->from && depth < DEEPEST)
      field.child = read_node (m, w->from, w->to, owner, w->number, depth + 1);
    if (field.child != NTFF_NONE)
      field.kind = NTFF_MESSAGE;
  }
  append (m, owner, &field);
}

/* Reads the message in from..to; NTFF_NONE, and nothing kept, when it is none. */
static uint32_t
read_node (NtffMessage *m, uint64_t from, uint64_t to, uint32_t parent, uint32_t number,
           unsigned depth)
{
  guint n_nodes = m->nodes->len, n_fields = m->fields->len;
  NtffNode node
      = { .number = number,
          .parent = parent,
          .first = NTFF_NONE,
          .last = NTFF_NONE,
          .path = deeper (parent == NTFF_NONE ? 0 : ntff_node (m, parent)->path, number) };
  g_array_append_val (m->nodes, node);
  Wire w;
  while (from < to && m->fields->len < MOST_FIELDS && next_field (m->data, &from, to, &w))
    keep_field (m, n_nodes, &w, depth);
  if (from == to)
    return n_nodes;
  if (m->fields->len >= MOST_FIELDS)
    m->cut = true;
  if (parent == NTFF_NONE)
    return n_nodes;
  g_array_set_size (m->nodes, n_nodes);
  g_array_set_size (m->fields, n_fields);
  return NTFF_NONE;
}

/* Recognises subgraph_info: a name, and messages 4, 6 or 7. format: ntff.md */
static bool
is_subgraph (const NtffMessage *m, uint32_t node)
{
  bool name = false, parts = false;
  for (uint32_t i = ntff_node (m, node)->first; i != NTFF_NONE; i = ntff_field (m, i)->next) {
    const NtffField *f = ntff_field (m, i);
    name |= f->number == 1 && f->kind == NTFF_TEXT;
    parts |= (f->number == 4 || f->number == 6 || f->number == 7) && f->kind == NTFF_MESSAGE;
    if ((f->number == 2 || f->number == 3) && f->kind != NTFF_INT)
      return false;
  }
  return name && parts;
}

void
ntff_message_read (NtffMessage *m, const uint8_t *data, uint64_t len)
{
  m->data = data;
  m->len = len;
  m->nodes = g_array_new (FALSE, FALSE, sizeof (NtffNode));
  m->fields = g_array_new (FALSE, FALSE, sizeof (NtffField));
  find_end (m);
  read_node (m, NTFF_HEADER, m->end, NTFF_NONE, 0, 0);
  for (guint i = 0; i < m->nodes->len; i++)
    ntff_node (m, i)->subgraph = is_subgraph (m, i);
}

void
ntff_message_clear (NtffMessage *m)
{
  g_clear_pointer (&m->nodes, g_array_unref);
  g_clear_pointer (&m->fields, g_array_unref);
}

/* -- Looking ----------------------------------------------------------------------------------- */

const NtffField *
ntff_find (const NtffMessage *m, uint32_t node, uint32_t number)
{
  const NtffField *found = NULL;
  for (uint32_t i = ntff_node (m, node)->first; i != NTFF_NONE; i = ntff_field (m, i)->next)
    if (ntff_field (m, i)->number == number)
      found = ntff_field (m, i);
  return found;
}

bool
ntff_find_int (const NtffMessage *m, uint32_t node, uint32_t number, uint64_t *value)
{
  const NtffField *field = ntff_find (m, node, number);
  if (!field || field->kind != NTFF_INT)
    return false;
  *value = field->value;
  return true;
}

uint32_t
ntff_subgraph (const NtffMessage *m, uint32_t node)
{
  while (node != NTFF_NONE && !ntff_node (m, node)->subgraph)
    node = ntff_node (m, node)->parent;
  return node;
}
