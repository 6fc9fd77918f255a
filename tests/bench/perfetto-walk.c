/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto-walk.c - the floor of reading a Perfetto trace: it reads each field of each packet, of
 * each event and of each annotation, on one thread, and keeps nothing of them but sums.
 * usage: perfetto-walk FILE */
#include <fcntl.h>
#include <glib.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Messages that are looked into, and the field of each that leads to the next; an annotation has
 * members and elements within it. */
enum { TRACE, PACKET, EVENT, ARG };
static const guint inner[] = { 1, 11, 4 };
enum { ARG_MEMBER = 11, ARG_ELEMENT = 12 };

static guint64 n_events, n_args, sum;

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

static gboolean
is_inner (guint depth, guint64 field)
{
  return depth < ARG ? field == inner[depth] : field == ARG_MEMBER || field == ARG_ELEMENT;
}

static void
walk (const guint8 *p, const guint8 *end, guint depth)
{
  n_events += depth == EVENT;
  n_args += depth == ARG;
  while (p < end) {
    guint64 tag, value;
    p = read_varint (p, end, &tag);
    guint type = tag & 7;
    if (type == 1 || type == 5) {
      p += type == 1 ? 8 : 4;
      continue;
    }
    p = read_varint (p, end, &value);
    if (type != 2) {
      sum += value;
      continue;
    }
    if (value > (guint64) (end - p))
      g_error ("a message is cut");
    if (is_inner (depth, tag >> 3))
      walk (p, p + value, MIN (depth + 1, ARG));
    p += value;
  }
}

int
main (int argc, char **argv)
{
  struct stat st;
  int fd = argc == 2 ? open (argv[1], O_RDONLY) : -1;
  if (fd < 0 || fstat (fd, &st) != 0)
    g_error ("usage: perfetto-walk FILE");
  const guint8 *data = mmap (NULL, (gsize) st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    g_error ("%s: it cannot be read", argv[1]);
  walk (data, data + st.st_size, TRACE);
  g_print ("%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " args, sum %" G_GUINT64_FORMAT "\n",
           n_events, n_args, sum);
}
