/* SPDX-License-Identifier: Apache-2.0 */
/* socket-user.c - asks the kernel for the user of a socket: by sock_diag(7), which finds it at once
 * however many there are, or by its lists in /proc where the kernel has no such answer. */

#include "socket-user.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef enum { FOUND, ABSENT, NO_ANSWER } Answer;

/* -- sock_diag ---------------------------------------------------------------------------- */

static void
put_end (const struct sockaddr *address, __be16 *port, __be32 words[4])
{
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *) address;
    *port = in->sin_port;
    words[0] = in->sin_addr.s_addr;
  } else {
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *) address;
    *port = in->sin6_port;
    memcpy (words, &in->sin6_addr, sizeof in->sin6_addr);
  }
}

/* A socket that nobody holds any more has inode 0. */
static Answer
read_answer (const void *data, gssize len, uid_t *user)
{
  const struct nlmsghdr *head = data;
  if (len >= (gssize) NLMSG_LENGTH (sizeof (struct nlmsgerr)) && head->nlmsg_type == NLMSG_ERROR)
    return ((const struct nlmsgerr *) NLMSG_DATA (head))->error == -ENOENT ? ABSENT : NO_ANSWER;
  if (len < (gssize) NLMSG_LENGTH (sizeof (struct inet_diag_msg))
      || head->nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return NO_ANSWER;
  const struct inet_diag_msg *socket = NLMSG_DATA (head);
  *user = socket->idiag_uid;
  return socket->idiag_inode ? FOUND : ABSENT;
}

static Answer
ask_kernel (const struct sockaddr *peer, const struct sockaddr *own, uid_t *user)
{
  struct {
    struct nlmsghdr head;
    struct inet_diag_req_v2 socket;
  } request = { .head = { .nlmsg_len = sizeof request,
                          .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                          .nlmsg_flags = NLM_F_REQUEST },
                .socket = { .sdiag_family = (guint8) peer->sa_family,
                            .sdiag_protocol = IPPROTO_TCP,
                            .idiag_states = ~0u,
                            .id.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } };
  struct inet_diag_sockid *id = &request.socket.id;
  alignas (struct nlmsghdr) char answer[4096];
  int fd = socket (AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0)
    return NO_ANSWER;
  put_end (peer, &id->idiag_sport, id->idiag_src);
  put_end (own, &id->idiag_dport, id->idiag_dst);
  gssize len
      = send (fd, &request, sizeof request, 0) < 0 ? -1 : recv (fd, answer, sizeof answer, 0);
  close (fd);
  return read_answer (answer, len, user);
}

/* -- /proc ---------------------------------------------------------------------------------- */

/* Prints an address as the kernel's list writes it: words of memory in hex, a colon, the port. */
static void
print_end (const struct sockaddr *address, char text[64])
{
  guint32 word[4];
  if (address->sa_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *) address;
    g_snprintf (text, 64, "%08X:%04X", in->sin_addr.s_addr, ntohs (in->sin_port));
    return;
  }
  const struct sockaddr_in6 *in = (const struct sockaddr_in6 *) address;
  memcpy (word, &in->sin6_addr, sizeof word);
  g_snprintf (text, 64, "%08X%08X%08X%08X:%04X", word[0], word[1], word[2], word[3],
              ntohs (in->sin6_port));
}

/* Converts an address of IPv6 that stands for one of IPv4: the list has either, by how the program
 * made its socket. */
static gboolean
as_v4 (const struct sockaddr *address, struct sockaddr_in *v4)
{
  const struct sockaddr_in6 *in = (const struct sockaddr_in6 *) address;
  if (address->sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED (&in->sin6_addr))
    return FALSE;
  *v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = in->sin6_port };
  memcpy (&v4->sin_addr, in->sin6_addr.s6_addr + 12, 4);
  return TRUE;
}

static void
as_v6 (const struct sockaddr *address, struct sockaddr_in6 *v6)
{
  const struct sockaddr_in *in = (const struct sockaddr_in *) address;
  *v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = in->sin_port };
  v6->sin6_addr.s6_addr[10] = v6->sin6_addr.s6_addr[11] = 0xff;
  memcpy (v6->sin6_addr.s6_addr + 12, &in->sin_addr, 4);
}

/* Finds the user of the socket from `peer` to `own`.  A socket that nobody holds any more is listed
 * with user 0 and inode 0: it counts as unknown. */
static gboolean
find_user (const char *list, const struct sockaddr *peer, const struct sockaddr *own, uid_t *user)
{
  char line[512], local[64], remote[64], from[64], to[64];
  FILE *file = fopen (list, "re");
  gboolean found = FALSE;
  print_end (peer, from);
  print_end (own, to);
  while (file && !found && fgets (line, sizeof line, file)) {
    unsigned uid = 0, state = 0;
    unsigned long inode = 0;
    found = sscanf (line, " %*u: %63s %63s %x %*s %*s %*s %u %*u %lu", local, remote, &state, &uid,
                    &inode)
                == 5
            && inode && !strcmp (local, from) && !strcmp (remote, to);
    *user = uid;
  }
  if (file)
    fclose (file);
  return found;
}

static gboolean
look_up (const struct sockaddr *peer, const struct sockaddr *own, uid_t *user)
{
  struct sockaddr_in peer4, own4;
  struct sockaddr_in6 peer6, own6;
  gboolean mapped = as_v4 (peer, &peer4) && as_v4 (own, &own4);
  if (peer->sa_family != AF_INET && !mapped)
    return find_user ("/proc/net/tcp6", peer, own, user);
  const struct sockaddr *p = mapped ? (struct sockaddr *) &peer4 : peer,
                        *o = mapped ? (struct sockaddr *) &own4 : own;
  as_v6 (p, &peer6);
  as_v6 (o, &own6);
  return find_user ("/proc/net/tcp", p, o, user)
         || find_user ("/proc/net/tcp6", (struct sockaddr *) &peer6, (struct sockaddr *) &own6,
                       user);
}

gboolean
np_socket_user (const struct sockaddr *peer, const struct sockaddr *own, uid_t *user)
{
  Answer answer = ask_kernel (peer, own, user);
  return answer == FOUND || (answer == NO_ANSWER && look_up (peer, own, user));
}
