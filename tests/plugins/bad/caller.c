/* SPDX-License-Identifier: Apache-2.0 */
/* caller.c - a sink that keeps every rule, and sends the names of rows to a server on this
 * machine: what nprof check can try of it depends on whether that is there. */

#include <nprof/sdk.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
  const struct nprof_host *host;
  int64_t port;
  int fd;
} Caller;

static nprof_status
caller_open (void *self, const struct nprof_host *host)
{
  Caller *c = self;
  struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons ((uint16_t) c->port) };
  to.sin_addr.s_addr = htonl (INADDR_LOOPBACK);
  c->host = host;
  c->fd = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (c->fd < 0 || connect (c->fd, (struct sockaddr *) &to, sizeof to))
    return nprof_fail (host, NPROF_E_IO, "nobody listens on port %lld", (long long) c->port);
  return NPROF_OK;
}

static nprof_status
caller_consume (void *self, const struct nprof_batch *batch)
{
  Caller *c = self;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    size_t len;
    const char *name = c->host->string (c->host, batch->name[i], &len);
    if (len && send (c->fd, name, len, MSG_NOSIGNAL) != (ssize_t) len)
      return nprof_fail (c->host, NPROF_E_IO, "the server has gone");
  }
  return NPROF_OK;
}

static void
caller_close (void *self)
{
  Caller *c = self;
  if (c->fd >= 0)
    close (c->fd);
}

static const struct nprof_component caller = {
  .size = sizeof caller,
  .kind = NPROF_SINK,
  .name = "vendor.caller",
  .summary = "sends names to a server",
  .options = NPROF_OPTIONS (
      NPROF_INT_OPTION (Caller, port, "port", "1", "1..65535", "of the server")),
  .instance_size = sizeof (Caller),
  .open = caller_open,
  .consume = caller_consume,
  .close = caller_close,
};

NPROF_PLUGIN ("caller", "1", "Apache-2.0", &caller)
