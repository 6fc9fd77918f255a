/* SPDX-License-Identifier: Apache-2.0 */
/* kineto-fabric.c - datagrams of the fabric: u64 size, char type[32], and that many bytes. */

#include "kineto-fabric.h"
#include "base/error.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "dynolog"
#define HEAD 40
#define LARGEST 65536

/* An abstract name without a folder: a byte 0 before it, and one behind, which counts. */
static gboolean
set_address (const char *folder, struct sockaddr_un *address, socklen_t *len)
{
  memset (address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  g_autofree char *path = folder ? g_build_filename (folder, NAME, NULL) : NULL;
  const char *name = path ? path : NAME;
  gsize at = path ? 0 : 1, n = strlen (name);
  if (at + n + 1 > sizeof address->sun_path)
    return FALSE;
  memcpy (address->sun_path + at, name, n);
  *len = (socklen_t) (G_STRUCT_OFFSET (struct sockaddr_un, sun_path) + at + n + 1);
  return TRUE;
}

/* A socket file that nobody listens to any more may be taken over. */
static gboolean
is_left_behind (const struct sockaddr_un *address, socklen_t len)
{
  int fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean refused
      = fd >= 0 && connect (fd, (const struct sockaddr *) address, len) && errno == ECONNREFUSED;
  if (fd >= 0)
    close (fd);
  return refused;
}

static gboolean
try_bind (int fd, const struct sockaddr_un *address, socklen_t len, const char *folder)
{
  if (!bind (fd, (const struct sockaddr *) address, len))
    return TRUE;
  if (!folder || errno != EADDRINUSE)
    return FALSE;
  if (!is_left_behind (address, len)) {
    errno = EADDRINUSE;
    return FALSE;
  }
  unlink (address->sun_path);
  return !bind (fd, (const struct sockaddr *) address, len);
}

static int
fail (GError **error, int err)
{
  if (err == EADDRINUSE)
    np_error_set (error, NP_EXIT_SINK, "%s",
                  "--kineto: another daemon has the socket " NAME
                  ": ask it (dyno gputrace), or stop it");
  else
    np_error_errno (error, NP_EXIT_SINK, "--kineto: the socket " NAME, err);
  return -1;
}

int
np_fabric_open (const char *folder, char **path, GError **error)
{
  struct sockaddr_un address;
  socklen_t len;
  *path = NULL;
  if (!set_address (folder, &address, &len))
    return fail (error, ENAMETOOLONG);
  int fd = socket (AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return fail (error, errno);
  if (!try_bind (fd, &address, len, folder)) {
    int err = errno;
    close (fd);
    return fail (error, err);
  }
  *path = folder ? g_strdup (address.sun_path) : NULL;
  if (*path)
    chmod (*path, 0666); /* the process may be another user's */
  return fd;
}

void
np_fabric_close (int fd, char *path)
{
  close (fd);
  if (path)
    unlink (path);
  g_free (path);
}

static NpFabricKind
kind_of (const guint8 *type)
{
  return !memcmp (type, "ctxt", 5)  ? NP_FABRIC_CONTEXT
         : !memcmp (type, "req", 4) ? NP_FABRIC_REQUEST
                                    : NP_FABRIC_OTHER;
}

gboolean
np_fabric_parse (const guint8 *data, gsize len, NpFabricMessage *m)
{
  guint64 size;
  gint32 n;
  if (len < HEAD)
    return FALSE;
  memcpy (&size, data, sizeof size);
  m->kind = kind_of (data + 8);
  m->n_pids = 0;
  if (size != len - HEAD || m->kind == NP_FABRIC_OTHER)
    return FALSE;
  if (size < 16)
    return FALSE;
  if (m->kind == NP_FABRIC_CONTEXT) { /* i32 GPU, i32 pid, i64 job */
    memcpy (m->pids, data + HEAD + 4, 4);
    m->n_pids = 1;
    return TRUE;
  }
  /* i32 type, i32 n, i64 job, i32 pids[n] */
  memcpy (&m->type, data + HEAD, 4);
  memcpy (&n, data + HEAD + 4, 4);
  if (n < 1 || (guint64) n > (size - 16) / 4)
    return FALSE;
  m->n_pids = MIN ((guint) n, NP_FABRIC_PIDS);
  memcpy (m->pids, data + HEAD + 16, m->n_pids * 4);
  return TRUE;
}

gboolean
np_fabric_take (int fd, NpFabricMessage *m)
{
  guint8 data[LARGEST];
  for (;;) {
    m->sender_len = sizeof m->sender;
    ssize_t n = recvfrom (fd, data, sizeof data, 0, (struct sockaddr *) &m->sender, &m->sender_len);
    if (n < 0)
      return FALSE;
    if (np_fabric_parse (data, (gsize) n, m))
      return TRUE;
  }
}

void
np_fabric_answer (int fd, const NpFabricMessage *to, const void *data, gsize len)
{
  guint8 head[HEAD] = { 0 };
  guint64 size = len;
  memcpy (head, &size, sizeof size);
  strcpy ((char *) head + 8, to->kind == NP_FABRIC_CONTEXT ? "ctxt" : "req");
  struct iovec parts[] = { { head, HEAD }, { (void *) data, len } };
  struct msghdr message = { .msg_name = (void *) &to->sender,
                            .msg_namelen = to->sender_len,
                            .msg_iov = parts,
                            .msg_iovlen = len ? 2 : 1 };
  (void) sendmsg (fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}
