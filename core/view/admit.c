/* SPDX-License-Identifier: Apache-2.0 */
/* admit.c - decides who is served.  Loopback is not private: any user of this machine, and any page
 * that a browser shows, can reach it. */

#include "view/admit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* -- Users ------------------------------------------------------------------- */

gboolean
np_is_loopback (const struct sockaddr *address)
{
  if (address->sa_family == AF_INET)
    return ntohl (((const struct sockaddr_in *) address)->sin_addr.s_addr) >> 24 == 127;
  if (address->sa_family != AF_INET6)
    return FALSE;
  const struct in6_addr *a = &((const struct sockaddr_in6 *) address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK (a) || (IN6_IS_ADDR_V4MAPPED (a) && a->s6_addr[12] == 127);
}

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

gboolean
np_admit_user (const struct sockaddr *peer, const struct sockaddr *own)
{
  struct sockaddr_in peer4, own4;
  struct sockaddr_in6 peer6, own6;
  gboolean mapped = as_v4 (peer, &peer4) && as_v4 (own, &own4);
  uid_t user = 0;
  if (peer->sa_family == AF_INET || mapped) {
    const struct sockaddr *p = mapped ? (struct sockaddr *) &peer4 : peer,
                          *o = mapped ? (struct sockaddr *) &own4 : own;
    as_v6 (p, &peer6);
    as_v6 (o, &own6);
    if (!find_user ("/proc/net/tcp", p, o, &user)
        && !find_user ("/proc/net/tcp6", (struct sockaddr *) &peer6, (struct sockaddr *) &own6,
                       &user))
      return FALSE;
  } else if (!find_user ("/proc/net/tcp6", peer, own, &user)) {
    return FALSE;
  }
  return user == 0 || user == getuid ();
}

/* -- Hosts ------------------------------------------------------------------- */

/* Returns the host of HOST[:PORT], without brackets; transfer full, NULL: there is none. */
static char *
host_of (const char *text)
{
  const char *end = *text == '[' ? strchr (text, ']') : NULL;
  if (*text == '[')
    return end && (!end[1] || end[1] == ':') ? g_strndup (text + 1, (gsize) (end - text) - 1)
                                             : NULL;
  return g_ascii_strdown (text, (gssize) strcspn (text, ":"));
}

static gboolean
is_address (const char *host)
{
  struct in6_addr any;
  return inet_pton (AF_INET, host, &any) == 1 || inet_pton (AF_INET6, host, &any) == 1;
}

/* Tells whether it is this machine's short name, or the name with its domain. */
static gboolean
is_this_machine (const char *host)
{
  char name[256] = "";
  gethostname (name, sizeof name - 1);
  gsize len = strcspn (name, ".");
  return len
         && (!g_ascii_strcasecmp (host, name)
             || (strlen (host) == len && !g_ascii_strncasecmp (host, name, len)));
}

gboolean
np_admit_host (const NpViewConfig *config, const char *text)
{
  g_autofree char *host = text ? host_of (text) : NULL;
  if (!host || !*host)
    return FALSE;
  if (!strcmp (host, "localhost") || is_address (host))
    return TRUE;
  for (guint i = 0; config->hosts && config->hosts[i]; i++)
    if (!g_ascii_strcasecmp (config->hosts[i], host))
      return TRUE;
  gboolean private = !strcmp (config->address, "localhost")
                     || g_str_has_prefix (config->address, "127.")
                     || !strcmp (config->address, "::1");
  return !private && is_this_machine (host);
}

/* -- Writing ----------------------------------------------------------------- */

/* Compares in a time that does not tell where they differ. */
static gboolean
same_secret (const char *a, const char *b)
{
  gsize len = strlen (b);
  guint differ = 0;
  if (strlen (a) != len)
    return FALSE;
  for (gsize i = 0; i < len; i++)
    differ |= (guint) (a[i] ^ b[i]);
  return !differ;
}

const char *
np_admit_write (const char *token, const char *own_token, const char *origin, const char *host,
                const char *fetch_site)
{
  const char *from = origin ? strstr (origin, "://") : NULL;
  if (fetch_site && !strcmp (fetch_site, "cross-site"))
    return "it comes from a page of another site";
  if (!from || !host || g_ascii_strcasecmp (from + 3, host))
    return "its header Origin is not this server";
  if (!token || !same_secret (token, own_token))
    return "its header X-Nprof-Token is not the token of this server's page";
  return NULL;
}
