/* SPDX-License-Identifier: Apache-2.0 */
/* dots.c - a whole decoder.  The format: "DOTS", then a byte a span, its duration in ns. */
#include <nprof/sdk.h>

struct dots {
  const struct nprof_host *host;
};

static int
dots_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len >= 4 && memcmp (head, "DOTS", 4) == 0 ? 90 : 0;
}

static nprof_status
dots_open (void *self, const struct nprof_host *host)
{
  ((struct dots *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
dots_decode (void *self, const void *data, uint64_t len)
{
  const struct nprof_host *h = ((struct dots *) self)->host;
  const unsigned char *byte = data;
  struct nprof_writer *w = h->writer (h);
  nprof_track track = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "dots"), 0, 0);
  nprof_str name = nprof_intern (h, "dot");
  int64_t at = 0; /* ps */
  if (!w || !track)
    return nprof_fail (h, NPROF_E_NOMEM, "no memory for the columns");
  for (uint64_t i = 4; i < len; i++) {
    nprof_status status = NPROF_OK;
    if (!byte[i]) { /* with --keep-going it is counted, and the run goes on */
      status = nprof_damage (h, i, "a dot of 0 ns, expected are 1 to 255");
      status = status ? status : nprof_row (w, NPROF_GAP, track, 0, at, 0);
    } else {
      status = nprof_span (w, track, name, at, byte[i] * INT64_C (1000));
    }
    at += byte[i] * INT64_C (1000);
    if (!status && i % 65536 == 0)
      status = h->progress (h, i - 65536, i);
    if (status)
      return status;
  }
  return NPROF_OK;
}

static const struct nprof_component dots = {
  .size = sizeof dots,
  .kind = NPROF_DECODER,
  .name = "dots",
  .summary = "a byte a span, for people who write their first decoder",
  .formats = "DOTS",
  .instance_size = sizeof (struct dots),
  .probe = dots_probe,
  .open = dots_open,
  .decode = dots_decode,
};

NPROF_PLUGIN ("dots", "1.0", "Apache-2.0", &dots)
