/* SPDX-License-Identifier: Apache-2.0 */
/* samples-readers.c - JSON, a message, records and a number, for replay.c. */
#include "replay.h"

const char replay_likely[] = "\0\1\2\3{}[]:,\"\\u0123456789.eE+-\n\r tfnul\x08\x12\x80\xff";

static const struct {
  const char *bytes;
  guint len;
} samples[] = {
#define SAMPLE(text) { text, sizeof (text) - 1 }
  SAMPLE ("{\"traceEvents\":[{\"ts\":1.5,\"name\":\"a\\u00e9\\n\"},[],null,{\"args\":{\"k\":[true]}"
          "}]}"),
  SAMPLE ("\x08\x96\x01\x12\x04\x0a\x02hi\x19\0\0\0\0\0\0\xf8\x3f\x25\1\0\0\0"),
  SAMPLE ("start,\"the \"\"name\"\"\"\r\n1,\"a\nb\"\n\n2,c"),
  SAMPLE ("-9223372036854.775807"),
  SAMPLE ("+1.25e-3"),
};

GByteArray *
replay_sample (guint number)
{
  if (number >= G_N_ELEMENTS (samples))
    return NULL;
  return g_byte_array_append (g_byte_array_new (), (const guint8 *) samples[number].bytes,
                              samples[number].len);
}
