/* SPDX-License-Identifier: Apache-2.0 */
/* metaneff.c - reads one tensor of a metaneff. */
#include "metaneff.h"

void
neuron_parameter_clear (NeuronParameter *p)
{
  g_free (p->name);
  g_free (p->parameter);
  g_free (p->shape);
}

static void
take_text (const uint8_t *data, const NeuronWire *w, char **text)
{
  g_autofree char *own = g_strndup ((const char *) data + w->from, w->to - w->from);
  g_free (*text);
  *text = g_utf8_make_valid (own, -1);
}

#define LONGEST_DIMENSION 9 /* bytes: a tenth is of negative numbers, and of what is no dimension */

/* Reads varints up to the end; a shape that is none stays unknown. */
static void
take_shape (const uint8_t *data, uint64_t at, uint64_t to, NeuronParameter *p)
{
  g_autoptr (GString) text = g_string_new (NULL);
  uint64_t elements = 1;
  bool too_many = false;
  while (at < to) {
    uint64_t from = at, value;
    if (!neuron_wire_varint (data, &at, to, &value) || at - from > LONGEST_DIMENSION)
      return;
    too_many |= __builtin_mul_overflow (elements, value, &elements);
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, text->len ? "," : "", value);
  }
  g_free (p->shape);
  p->shape = g_string_free (g_steal_pointer (&text), FALSE);
  p->elements = too_many ? 0 : elements;
}

bool
neuron_parameter_read (const uint8_t *data, const NeuronWire *field, NeuronParameter *p)
{
  uint64_t at = field->from;
  NeuronWire w;
  *p = (NeuronParameter){ .elements = 1 };
  while (neuron_wire_next (data, &at, field->to, &w)) {
    if (w.number == 1 && w.wire == 2) {
      take_text (data, &w, &p->name);
    } else if (w.number == 2 && w.wire == 2) {
      take_shape (data, w.from, w.to, p);
    } else if (w.number == 3 && w.wire == 0) {
      p->type = w.value;
      p->has_type = true;
    } else if (w.number == 6 && w.wire == 2) {
      take_text (data, &w, &p->parameter);
    } else if (w.number == 7 && w.wire == 0) {
      p->kind = w.value;
      p->has_kind = true;
    }
  }
  return at == field->to && p->name;
}
