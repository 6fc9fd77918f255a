/* SPDX-License-Identifier: Apache-2.0 */
/* xplane-walk.c - the floor of reading an XSpace: it hops from event to event by their lengths, on
 * one thread, and reads nothing of them. usage: xplane-walk FILE */
#include <fcntl.h>
#include <glib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Fields of xplane.proto: which lead to the lines, and the events of one. */
static const guint inner[] = { 1, 3 };
enum { LINE = G_N_ELEMENTS (inner), LINE_EVENT = 4 };

static guint64 n_events, n_bytes;

static const guint8 *
read_varint (const guint8 *p, const guint8 *end, guint64 *value)
{
  guint64 v = 0;
  for (guint shift = 0; p < end && shift < 64; shift += 7) {
    v |= (guint64) (*p & 0x7f) << shift;
    if (!(*p++ & 0x80)) {
      *value = v;
      return p;
    }
  }
  g_error ("a number is damaged");
}

/* Reads a message of that depth: 0 is the whole file. */
static void
walk (const guint8 *p, const guint8 *end, guint depth)
{
  while (p < end) {
    guint64 tag, value;
    p = read_varint (p, end, &tag);
    guint type = tag & 7;
    if (type == 1 || type == 5) {
      p += type == 1 ? 8 : 4;
      continue;
    }
    p = read_varint (p, end, &value);
    if (type != 2)
      continue;
    if (value > (guint64) (end - p))
      g_error ("a message is cut");
    if (depth < LINE && tag >> 3 == inner[depth]) {
      walk (p, p + value, depth + 1);
    } else if (depth == LINE && tag >> 3 == LINE_EVENT) {
      n_events++;
      n_bytes += value;
    }
    p += value;
  }
}

int
main (int argc, char **argv)
{
  struct stat st;
  int fd = argc == 2 ? open (argv[1], O_RDONLY) : -1;
  if (fd < 0 || fstat (fd, &st))
    g_error ("usage: xplane-walk FILE");
  const guint8 *data = mmap (NULL, (gsize) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    g_error ("%s cannot be mapped", argv[1]);
  walk (data, data + st.st_size, 0);
  g_print ("%" G_GUINT64_FORMAT " events of %" G_GUINT64_FORMAT " bytes\n", n_events, n_bytes);
  return 0;
}
