/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-requests.c - what a client of nprof view sends, as any text: the target of a request with
 * its parameters, lists of lanes and tracks, rows, numbers, and the header Host. What was taken
 * must hold what its type promises. Built with libFuzzer, or with replay.c. */
#include "view/admit.h"
#include "view/request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
demand (gboolean holds)
{
  if (!holds)
    abort ();
}

static void
try_request (const char *text)
{
  const char *why = NULL;
  g_autoptr (NpRequest) r = np_request_parse (text, &why);
  demand (r || why);
  for (guint i = 0; r && i < r->path->len; i++) {
    const char *segment = np_request_segment (r, i);
    demand (*segment && g_utf8_validate (segment, -1, NULL));
  }
  for (guint i = 0; r && i < r->params->len; i++) {
    const NpParam *p = &g_array_index (r->params, NpParam, i);
    demand (p->name && g_utf8_validate (p->value, -1, NULL) && np_request_param (r, p->name));
  }
  demand (!r || !*np_request_segment (r, r->path->len));
}

static void
try_values (const char *text)
{
  guint32 lane, row;
  gint64 number;
  g_autoptr (GArray) list = np_parse_list (text, 64);
  demand (!list || (list->len > 0 && list->len <= 64));
  np_parse_row (text, &lane, &row);
  if (np_parse_i64 (text, &number)) {
    g_autofree char *again = g_strdup_printf ("%" G_GINT64_FORMAT, number);
    gint64 same;
    demand (np_parse_i64 (again, &same) && same == number);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const NpViewConfig config = { .address = (char *) "localhost" };
  g_autofree char *text
      = g_strndup ((const char *) data, size); /* ends at a NUL, as a request does */
  try_request (text);
  try_values (text);
  np_admit_host (&config, text);
  demand (np_admit_write (NULL, "secret", text, text, NULL) != NULL);
  return 0;
}
