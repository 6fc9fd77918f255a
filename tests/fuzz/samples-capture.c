/* SPDX-License-Identifier: Apache-2.0 */
/* samples-capture.c - answers of a profiler and datagrams of libkineto, for replay.c. */
#include "replay.h"

const char replay_likely[] = "\x42\x32\x38\x0a\x12\x22xplane.pb\x01\x7f\xff\x80req\0ctxt";

#define SAMPLE(text)                                                                               \
  {                                                                                                \
    text, sizeof text - 1                                                                          \
  }

static const struct {
  const char *bytes;
  gsize len;
} samples[] = {
  SAMPLE ("\0\0\0\0\0\7\x42\3\x22\1h\x38\1"), /* an XSpace with a host name, and empty_trace */
  SAMPLE ("\0\0\0\0\0\x17\x32\x15\x0a\x0ehost.xplane.pb\x12\3\x22\1h"), /* the file of a tool */
  SAMPLE ("\0\0\0\0\0\x12\x32\x10\x0a\x0ehost.xplane.pb"),              /* one without a byte */
  SAMPLE ("\0\0\0\0\0\0"),
  SAMPLE ("\1\x10\0\0\0\0\0\0\0ctxt\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\1\2\0\0\0\0\0\0\0\0\0\0"),
  SAMPLE ("\1\x14\0\0\0\0\0\0\0req\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0"
          "\0\1\0\0\0\0\0\0\0\0\0\0\0\1\2\0\0"),
};

GByteArray *
replay_sample (guint number)
{
  return number < G_N_ELEMENTS (samples)
             ? g_byte_array_append (g_byte_array_new (), (const guint8 *) samples[number].bytes,
                                    (guint) samples[number].len)
             : NULL;
}
