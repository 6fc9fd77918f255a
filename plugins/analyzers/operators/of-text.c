/* SPDX-License-Identifier: Apache-2.0 */
/* of-text.c - remembers what follows from a text alone, such as the layer of a framework's path:
 * each device has operators of the same texts.  As many are remembered as there are places, so that
 * a file of millions of texts takes no more memory. */
#include "operators.h"

#define PLACES 4096

struct OfText {
  char *(*find) (const char *text);
  struct {
    nprof_str text, found; /* text 0: none */
  } at[PLACES];
};

OfText *
of_text_new (char *(*find) (const char *text))
{
  OfText *o = g_new0 (OfText, 1);
  o->find = find;
  return o;
}

nprof_str
of_text (const Operators *self, OfText *o, nprof_str text)
{
  const guint place = text % PLACES;
  if (o->at[place].text == text)
    return o->at[place].found;
  g_autofree char *found = o->find (nprof_text (self->host, text));
  o->at[place].text = text;
  return o->at[place].found = found ? nprof_intern (self->host, found) : 0;
}
