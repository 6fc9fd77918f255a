/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - opens the sockets of a server. */

#include "listen.h"
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

/* Returns -1 with errno. */
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

/* Returns whether the address does not exist here: a machine without IPv6 has no ::1. */
static gboolean
is_absent (int cause)
{
  return cause == EADDRNOTAVAIL || cause == EAFNOSUPPORT;
}

static void
close_all (GArray *sockets)
{
  for (guint i = 0; i < sockets->len; i++)
    close (g_array_index (sockets, int, i));
  g_array_set_size (sockets, 0);
}

/* Returns FALSE with errno when one is taken. */
static gboolean
listen_list (const struct addrinfo *list, guint *port, GArray *sockets)
{
  for (const struct addrinfo *a = list; a; a = a->ai_next) {
    int fd = listen_at (a, *port);
    if (fd < 0 && is_absent (errno))
      continue;
    if (fd < 0)
      return FALSE;
    g_array_append_val (sockets, fd);
    *port = port_of (fd);
  }
  return TRUE;
}

/* Listens on the addresses of both lists: localhost means both addresses of this machine alone,
 * whatever /etc/hosts says. */
static gboolean
listen_all (struct addrinfo *const lists[2], guint *port, GArray *sockets)
{
  gboolean good = listen_list (lists[0], port, sockets) && listen_list (lists[1], port, sockets);
  int cause = good ? EADDRNOTAVAIL : errno;
  if (!good)
    close_all (sockets);
  errno = cause;
  return sockets->len > 0;
}

/* Returns NULL with an error. */
static struct addrinfo *
look_up (const char *address, GError **error)
{
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *list = NULL;
  int wrong = getaddrinfo (address, "1", &hints, &list);
  if (!wrong)
    return list;
  np_error_set (error, NP_EXIT_USAGE,
                "--address %s: %s: expected an address or a name of this machine", address,
                gai_strerror (wrong));
  return NULL;
}

gboolean
np_listen (const char *address, guint *port, GArray *sockets, GError **error)
{
  gboolean own = !strcmp (address, "localhost"), listens = FALSE;
  struct addrinfo *const lists[2]
      = { look_up (own ? "127.0.0.1" : address, error), own ? look_up ("::1", NULL) : NULL };
  guint wanted = *port, tries = wanted ? 1 : 16; /* a free one may be taken on the other address */
  if (!lists[0])
    return FALSE;
  for (; tries && !listens; tries--) {
    *port = wanted;
    listens = listen_all (lists, port, sockets);
  }
  int cause = errno;
  for (guint i = 0; i < 2; i++)
    if (lists[i])
      freeaddrinfo (lists[i]);
  if (!listens && cause == EADDRINUSE)
    np_error_set (error, NP_EXIT_USAGE,
                  "--port %u: another program has this port: stop it, or give another number",
                  wanted);
  else if (!listens)
    np_error_set (error, NP_EXIT_USAGE, "--address %s --port %u: %s", address, wanted,
                  g_strerror (cause));
  return listens;
}
