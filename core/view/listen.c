/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - opens the sockets of a server. */

#include "view/listen.h"
#include "base/error.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static guint
port_of (int fd)
{
  struct sockaddr_storage own;
  socklen_t len = sizeof own;
  if (getsockname (fd, (struct sockaddr *) &own, &len))
    return 0;
  return ntohs (own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *) &own)->sin6_port
                                          : ((struct sockaddr_in *) &own)->sin_port);
}

/* -1 with errno. */
static int
listen_at (const struct addrinfo *a, guint port)
{
  int one = 1;
  struct sockaddr_storage own = { 0 };
  memcpy (&own, a->ai_addr, a->ai_addrlen);
  if (a->ai_family == AF_INET6)
    ((struct sockaddr_in6 *) &own)->sin6_port = htons ((guint16) port);
  else
    ((struct sockaddr_in *) &own)->sin_port = htons ((guint16) port);
  int fd = socket (a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return -1;
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (a->ai_family == AF_INET6)
    setsockopt (fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
  if (!bind (fd, (struct sockaddr *) &own, a->ai_addrlen) && !listen (fd, 128))
    return fd;
  int cause = errno;
  close (fd);
  errno = cause;
  return -1;
}

/* A machine without IPv6 has no ::1. */
static gboolean
is_absent (int cause)
{
  return cause == EADDRNOTAVAIL || cause == EAFNOSUPPORT;
}

static gboolean
listen_all (const struct addrinfo *list, guint *port, GArray *sockets)
{
  int cause = EADDRNOTAVAIL;
  for (const struct addrinfo *a = list; a; a = a->ai_next) {
    int fd = listen_at (a, *port);
    if (fd < 0 && is_absent (errno))
      continue;
    if (fd < 0) {
      cause = errno;
      while (sockets->len) {
        close (g_array_index (sockets, int, sockets->len - 1));
        g_array_set_size (sockets, sockets->len - 1);
      }
      break;
    }
    g_array_append_val (sockets, fd);
    *port = port_of (fd);
  }
  errno = cause;
  return sockets->len > 0;
}

gboolean
np_listen (const char *address, guint *port, GArray *sockets, GError **error)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *list = NULL;
  g_autofree char *text = g_strdup_printf ("%u", *port);
  int wrong = getaddrinfo (address, text, &hints, &list);
  if (wrong) {
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "--address %s: %s: expected an address or a name of this machine", address,
                 gai_strerror (wrong));
    return FALSE;
  }
  gboolean any = *port == 0, listens = FALSE;
  guint wanted = *port;
  for (guint tries = 0; !listens && tries < (any ? 16u : 1u); tries++) {
    *port = wanted;
    listens = listen_all (list, port, sockets);
  }
  int cause = errno;
  freeaddrinfo (list);
  if (!listens && cause == EADDRINUSE)
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE,
                 "--port %u: another program has this port: stop it, or give another number",
                 wanted);
  else if (!listens)
    g_set_error (error, NP_ERROR, NP_EXIT_USAGE, "--address %s --port %u: %s", address, wanted,
                 g_strerror (cause));
  return listens;
}
