/* SPDX-License-Identifier: Apache-2.0 */
/* peers.c - judges connections when they are accepted, and ends those that take too long to ask. */

#include "peers.h"
#include "base/wait.h"
#include "admit.h"
#include "socket-user.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_OWN 64        /* of the user who started the server, and of root */
#define MAX_OTHERS 192    /* of all others                                   */
#define MAX_OF_ADDRESS 64 /* of others, from one address                     */
#define MAX_REFUSED 384   /* of others, to be told that they are too many    */
#define HEAD_US 10000000  /* for a whole head                                */
#define LOOK_US 1000000   /* how often it looks for those that take longer   */

struct NpPeers {
  gboolean any_user, ending, told;
  NpLog *log;
  GThread *thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  GHashTable *open;      /* NpPeer -> itself                      */
  guint own, others;     /* how many of those that are not closed */
  GHashTable *addresses; /* of others -> how many                 */
};

/* -- Heads that take too long -------------------------------------------------------- */

static void
close_slow (NpPeers *peers)
{
  GHashTableIter iter;
  gpointer peer;
  gint64 now = g_get_monotonic_time ();
  g_hash_table_iter_init (&iter, peers->open);
  while (g_hash_table_iter_next (&iter, &peer, NULL)) {
    NpPeer *p = peer;
    if (p->since && now - p->since > HEAD_US)
      shutdown (p->fd, SHUT_RDWR);
  }
}

static gpointer
watch (gpointer data)
{
  NpPeers *peers = data;
  pthread_mutex_lock (&peers->lock);
  while (!peers->ending) {
    if (!g_hash_table_size (peers->open)) {
      pthread_cond_wait (&peers->changed, &peers->lock);
    } else {
      np_cond_wait_until (&peers->changed, &peers->lock, g_get_monotonic_time () + LOOK_US);
      close_slow (peers);
    }
  }
  pthread_mutex_unlock (&peers->lock);
  return NULL;
}

/* -- Life -------------------------------------------------------------------------------- */

NpPeers *
np_peers_new (gboolean any_user, NpLog *log)
{
  NpPeers *peers = g_new0 (NpPeers, 1);
  peers->any_user = any_user;
  peers->log = log;
  peers->open = g_hash_table_new (NULL, NULL);
  peers->addresses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  pthread_mutex_init (&peers->lock, NULL);
  np_cond_init (&peers->changed);
  peers->thread = g_thread_new ("peers", watch, peers);
  return peers;
}

void
np_peers_free (NpPeers *peers)
{
  pthread_mutex_lock (&peers->lock);
  peers->ending = TRUE;
  pthread_cond_signal (&peers->changed);
  pthread_mutex_unlock (&peers->lock);
  g_thread_join (peers->thread);
  g_hash_table_unref (peers->open);
  g_hash_table_unref (peers->addresses);
  pthread_cond_destroy (&peers->changed);
  pthread_mutex_destroy (&peers->lock);
  g_free (peers);
}

/* -- Connections ----------------------------------------------------------------------------- */

static void
name_address (const struct sockaddr *end, char text[INET6_ADDRSTRLEN])
{
  if (end->sa_family == AF_INET6)
    inet_ntop (AF_INET6, &((const struct sockaddr_in6 *) end)->sin6_addr, text, INET6_ADDRSTRLEN);
  else
    inet_ntop (AF_INET, &((const struct sockaddr_in *) end)->sin_addr, text, INET6_ADDRSTRLEN);
}

/* An owner who comes by another user, as through sudo or ssh, sees why nothing answers. */
static void
tell_once (NpPeers *peers)
{
  pthread_mutex_lock (&peers->lock);
  gboolean told = peers->told;
  peers->told = TRUE;
  pthread_mutex_unlock (&peers->lock);
  if (!told)
    np_log (peers->log, NPROF_WARNING,
            "connections of other users of this machine are closed: --any-user serves them");
}

/* Finds out whose the other end is.  One that has gone already is nobody's. */
static void
judge (NpPeers *peers, NpPeer *p)
{
  struct sockaddr_storage ends[2] = { 0 };
  socklen_t lens[2] = { sizeof ends[0], sizeof ends[1] };
  struct sockaddr *other = (struct sockaddr *) &ends[0], *own = (struct sockaddr *) &ends[1];
  p->closed = getpeername (p->fd, other, &lens[0]) || getsockname (p->fd, own, &lens[1]);
  if (p->closed)
    return;
  name_address (other, p->address);
  p->loopback = np_is_loopback (other);
  uid_t user = 0;
  gboolean known = p->loopback && np_socket_user (other, own, &user);
  p->own = known && (user == 0 || user == getuid ());
  p->closed = p->loopback && !p->own && !peers->any_user;
  if (p->closed && known)
    tell_once (peers);
}

/* Changes how many others there are of its address; returns it. */
static guint
count_address (NpPeers *peers, const NpPeer *p, int change)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (peers->addresses, p->address)) + (guint) change;
  if (n)
    g_hash_table_insert (peers->addresses, g_strdup (p->address), GUINT_TO_POINTER (n));
  else
    g_hash_table_remove (peers->addresses, p->address);
  return n;
}

/* Gives it a place, where one is left. */
static void
place (NpPeers *peers, NpPeer *p)
{
  if (p->own) {
    p->too_many = ++peers->own > MAX_OWN;
    return;
  }
  p->closed = peers->others >= MAX_OTHERS + MAX_REFUSED;
  if (p->closed)
    return;
  guint of_address = count_address (peers, p, 1);
  p->too_many = ++peers->others > MAX_OTHERS || of_address > MAX_OF_ADDRESS;
}

NpPeer *
np_peer_new (NpPeers *peers, int fd)
{
  NpPeer *p = g_new0 (NpPeer, 1);
  *p = (NpPeer){ .fd = fd, .since = g_get_monotonic_time () };
  judge (peers, p);
  pthread_mutex_lock (&peers->lock);
  if (!p->closed)
    place (peers, p);
  g_hash_table_add (peers->open, p);
  pthread_cond_signal (&peers->changed);
  pthread_mutex_unlock (&peers->lock);
  if (p->closed)
    shutdown (fd, SHUT_RDWR);
  return p;
}

void
np_peer_free (NpPeers *peers, NpPeer *p)
{
  pthread_mutex_lock (&peers->lock);
  g_hash_table_remove (peers->open, p);
  if (p->own) {
    peers->own--;
  } else if (!p->closed) {
    peers->others--;
    count_address (peers, p, -1);
  }
  pthread_mutex_unlock (&peers->lock);
  g_free (p);
}

void
np_peer_note (NpPeers *peers, NpPeer *p, gboolean asks)
{
  pthread_mutex_lock (&peers->lock);
  p->since = asks ? 0 : g_get_monotonic_time ();
  pthread_mutex_unlock (&peers->lock);
}
