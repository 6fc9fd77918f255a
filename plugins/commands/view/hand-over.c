/* SPDX-License-Identifier: Apache-2.0 */
/* hand-over.c - asks the server that has the port: a server of the same store shows a new
 * profile without being told. */

#include "hand-over.h"

#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Returns a connected socket, or -1: nobody listens. */
static int
connect_to (const char *address, guint port)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL;
  const struct timeval patience = { .tv_sec = 2 };
  g_autofree char *text = g_strdup_printf ("%u", port);
  gboolean any = !strcmp (address, "0.0.0.0") || !strcmp (address, "::");
  int fd = -1;
  if (getaddrinfo (any ? "localhost" : address, text, &hints, &list))
    return -1;
  for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
    fd = socket (a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
      continue;
    setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect (fd, a->ai_addr, a->ai_addrlen)) {
      close (fd);
      fd = -1;
    }
  }
  freeaddrinfo (list);
  return fd;
}

/* Returns the answer, of which the first bytes are enough; transfer full. */
static char *
ask (int fd)
{
  static const char question[]
      = "GET /api/v1/server HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  GString *stored = g_string_new (NULL);
  char piece[4096];
  ssize_t n = write (fd, question, sizeof question - 1) == (ssize_t) sizeof question - 1 ? 1 : 0;
  while (n > 0 && stored->len < 65536)
    if ((n = read (fd, piece, sizeof piece)) > 0)
      g_string_append_len (stored, piece, n);
  return g_string_free (stored, FALSE);
}

gboolean
np_view_serves (const char *address, guint port, const char *store)
{
  g_autofree char *path = g_build_filename (store, "store-id", NULL), *id = NULL;
  if (!port || !g_file_get_contents (path, &id, NULL, NULL) || strlen (id) < 32)
    return FALSE;
  int fd = connect_to (address, port);
  if (fd < 0)
    return FALSE;
  g_autofree char *stored = ask (fd);
  g_autofree char *mark = g_strdup_printf ("\"store_id\":\"%.32s\"", id);
  close (fd);
  return strstr (stored, mark) != NULL;
}
