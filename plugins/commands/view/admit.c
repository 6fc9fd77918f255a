/* SPDX-License-Identifier: Apache-2.0 */
/* admit.c - decides who is served. Loopback is not private: any page that a browser shows can reach
 * it. */

#include "admit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

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

gboolean
np_admit_is_private (const char *address)
{
  return !strcmp (address, "localhost") || g_str_has_prefix (address, "127.")
         || !strcmp (address, "::1");
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

/* Returns whether it is this machine's short name, or the name with its domain. */
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
  return !np_admit_is_private (config->address) && is_this_machine (host);
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
