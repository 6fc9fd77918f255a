/* SPDX-License-Identifier: Apache-2.0 */
/* short-names.c - cuts C++ names at their brackets into four forms each, Tensile's behind their
 * tile, and takes the shortest that no other name shares. */

#include "system/short-names.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096 /* bytes: brackets are followed inwards one by one */
#define LARGEST 64e6 /* bytes that demangling may take */
#define LETTERS 60   /* of a name in a sentence: two of them fit into a line */

/* Without template arguments but functors; with them, each without its namespaces; with all but the
 * return type and parameters; as it came. */
enum { FORM_SHORT, FORM_ARGUMENTS, FORM_TEMPLATE, FORM_FULL, N_FORMS };

typedef char *(*Demangle) (const char *, char *, size_t *, int *);

typedef struct {
  char *forms[N_FORMS];
} Forms;

struct Names {
  gboolean sought;    /* the runtime of C++ was looked for */
  void *runtime;      /* NULL: it is not there */
  Demangle demangle;  /* NULL: names stay mangled */
  GHashTable *all;    /* name -> Forms                              */
  GHashTable *owners; /* a form -> the name that has it, "": several */
};

static void
forms_free (gpointer data)
{
  Forms *forms = data;
  for (guint i = 0; i < N_FORMS; i++)
    g_free (forms->forms[i]);
  g_free (forms);
}

Names *
names_new (void)
{
  Names *names = g_new0 (Names, 1);
  names->all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, forms_free);
  names->owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return names;
}

void
names_free (Names *names)
{
  g_hash_table_unref (names->all);
  g_hash_table_unref (names->owners);
  if (names->runtime)
    dlclose (names->runtime);
  g_free (names);
}

/* Returns whether a name may grow large: each back reference (S_, S0_, T_, ...) may repeat what
 * stands before it: the runtime would write 142 MB for 230 bytes, and knows no limit.  No text
 * grows by more than the e-th root of e for each of them. */
static gboolean
may_grow_large (const char *name)
{
  double most = (double) strlen (name);
  for (const char *c = name; *c; c++)
    if (*c == 'S' || *c == 'T') {
      const char *end = c + 1 + strspn (c + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
      if (*end == '_')
        most *= 1.4447;
    }
  return most > LARGEST;
}

/* Opens the runtime at the first mangled name: loading it takes 2 million instructions, and most
 * profiles have none. */
static Demangle
demangler (Names *names)
{
  if (names->sought)
    return names->demangle;
  names->sought = TRUE;
  names->runtime = dlopen ("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
  if (names->runtime)
    *(void **) &names->demangle = dlsym (names->runtime, "__cxa_demangle");
  return names->demangle;
}

/* Returns the demangled name, transfer full. */
static char *
demangled (Names *names, const char *name)
{
  int status = -1;
  gboolean mangled = g_str_has_prefix (name, "_Z") && !may_grow_large (name);
  Demangle demangle = mangled ? demangler (names) : NULL;
  char *text = demangle ? demangle (name, NULL, NULL, &status) : NULL;
  char *copy = g_strdup (text && status == 0 ? text : name);
  free (text); /* malloc's */
  return copy;
}

/* What < and > are while they are no brackets, and a blank while it separates no types. */
enum { LESS = 1, MORE = 2, BLANK = 3 };

static gboolean
ends_with (const char *text, const char *end, const char *word)
{
  const gsize n = strlen (word);
  return (gsize) (end - text) >= n && !memcmp (end - n, word, n);
}

/* Returns whether what ends here is the keyword, not a name such as my_operator. */
static gboolean
ends_with_operator (const char *text, const char *end, const char *keyword)
{
  const char *start = end - strlen (keyword);
  return ends_with (text, end, keyword)
         && (start == text || !(g_ascii_isalnum (start[-1]) || start[-1] == '_'));
}

/* Hides what an operator is called by, which begins here, as in operator<< and operator bool.
 * Returns its end. */
static char *
hide_operator (char *c)
{
  static const char *const called[]
      = { "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">" }; /* longer first */
  if (*c == ' ')
    *c++ = BLANK;
  for (guint i = 0; i < G_N_ELEMENTS (called); i++)
    if (g_str_has_prefix (c, called[i])) {
      for (const char *end = c + strlen (called[i]); c < end; c++)
        *c = *c == '<' ? LESS : *c == '>' ? MORE : *c;
      break;
    }
  if (*c == ' ' && c[1] == '<') /* operator< <int> */
    *c++ = BLANK;
  return c;
}

/* Replaces each < and > that compares, shifts or points, as in enable_if<((8)>(0)), void>: no <
 * opens behind a ) but that of operator(), and a > is no bracket within ( ). */
static void
hide_operators (char *text)
{
  g_autoptr (GString) open = g_string_new (NULL);
  for (char *c = text; *c; c++) {
    if (ends_with_operator (text, c, "operator") && *(c = hide_operator (c)) == '\0')
      return;
    const char inner = open->len ? open->str[open->len - 1] : '\0';
    if (*c == '<' && c > text && c[-1] == ')' && !ends_with_operator (text, c, "operator()"))
      *c = LESS;
    else if (*c == '>' && (inner == '(' || (c > text && c[-1] == '-')))
      *c = MORE;
    else if (strchr ("(<{[", *c))
      g_string_append_c (open, *c);
    else if (strchr (")>}]", *c) && open->len)
      g_string_truncate (open, open->len - 1);
  }
}

static void
show_operators (char *text)
{
  for (char *c = text; *c; c++)
    *c = *c == LESS ? '<' : *c == MORE ? '>' : *c == BLANK ? ' ' : *c;
}

/* Finds where the bracket that ends at `end` begins; NULL: nowhere. */
static const char *
open_of (const char *text, const char *end)
{
  int depth = 0;
  for (const char *c = end; c >= text; c--) {
    depth += strchr (")>}]", *c) != NULL;
    depth -= strchr ("(<{[", *c) != NULL;
    if (depth == 0)
      return c;
  }
  return NULL;
}

/* Returns what is behind the last of `mark` that stands in no bracket; text: there is none. */
static const char *
behind (const char *text, const char *mark)
{
  const char *found = text;
  int depth = 0;
  for (const char *c = text; *c; c++) {
    depth += strchr ("(<{[", *c) != NULL;
    depth -= strchr (")>}]", *c) != NULL;
    if (depth == 0 && g_str_has_prefix (c, mark))
      found = c + strlen (mark);
  }
  return found;
}

/* Returns the name without parameters and return type; NULL: it is no function with parameters.
 * Transfer full. */
static char *
without_parameters (const char *name)
{
  g_autofree char *text = g_strdup (name);
  char *clone = strstr (text, " [clone ");
  if (clone)
    *clone = '\0';
  if (g_str_has_suffix (text, " const"))
    text[strlen (text) - strlen (" const")] = '\0';
  gsize len = strlen (text);
  const char *open = len > 1 && text[len - 1] == ')' ? open_of (text, text + len - 1) : NULL;
  if (!open || open == text || open[-1] == ' ' || open[-1] == ':')
    return NULL;
  g_autofree char *head = g_strndup (text, (gsize) (open - text));
  return g_strdup (behind (head, " "));
}

static gboolean
is_functor (const char *argument)
{
  return strstr (argument, "unctor") || strstr (argument, "lambda") || strstr (argument, "Op")
         || strstr (argument, "launch_");
}

/* Returns whether a template of that name says nothing but that it starts its argument on a device.
 * source: CUTLASS, Composable Kernel */
static gboolean
is_wrapper (const char *head)
{
  static const char *const wrappers[] = { "device_kernel", "Kernel", "Kernel2", "kentry" };
  for (guint i = 0; i < G_N_ELEMENTS (wrappers); i++)
    if (g_str_equal (head, wrappers[i]))
      return TRUE;
  return FALSE;
}

static char *shorten (const char *name, gboolean all);

/* A number is none; what has no name of its own lies in (anonymous namespace) or <unnamed>. */
static gboolean
is_type (const char *argument)
{
  return g_ascii_isalpha (*argument) || *argument == '_' || *argument == '<'
         || g_str_has_prefix (argument, "(anonymous");
}

/* Returns the first type behind a number, as the kernel of kentry<gfx9_t, 1, Kernel>; where
 * there is none, the first of all. NULL: all are numbers. Transfer full. */
static char *
started_by (const char *arguments)
{
  g_autofree char *first = NULL;
  gboolean number = FALSE;
  int depth = 0;
  const char *start = arguments;
  for (const char *c = arguments;; c++) {
    depth += *c && strchr ("(<{[", *c) != NULL;
    depth -= *c && strchr (")>}]", *c) != NULL;
    if (*c && !(*c == ',' && depth == 0))
      continue;
    g_autofree char *one = g_strstrip (g_strndup (start, (gsize) (c - start)));
    if (is_type (one) && number)
      return g_steal_pointer (&one);
    if (!first && is_type (one))
      first = g_steal_pointer (&one);
    else
      number |= one && *one && !is_type (one);
    if (!*c)
      return g_steal_pointer (&first);
    start = c + 1;
  }
}

/* Returns the kernel that a wrapper starts, "space::name", in the last of its namespaces, since
 * many are called GemmKernel; what is compiled for some devices alone,
 * enable_sm90_or_later<Kernel>, is that kernel. NULL: there is none. Transfer full. */
static char *
wrapped (const char *arguments)
{
  g_autofree char *one = started_by (arguments);
  if (!one)
    return NULL;
  const char *last = behind (one, "::"), *open = strchr (last, '<');
  if (g_str_has_prefix (last, "enable_") && open && g_str_has_suffix (last, ">")) {
    g_autofree char *inside = g_strndup (open + 1, strlen (open) - 2);
    char *kernel = wrapped (inside);
    if (kernel)
      return kernel;
  }
  g_autofree char *brief = shorten (one, FALSE);
  g_autofree char *around = g_strndup (one, last > one ? (gsize) (last - one) - 2 : 0);
  const char *space = behind (around, "::");
  const gboolean named = g_ascii_isalpha (*space) || *space == '_';
  return named ? g_strconcat (space, "::", brief, NULL) : g_steal_pointer (&brief);
}

/* Keeps the template arguments that say what is done, or all, "a, b"; transfer full. */
static char *
kept_of (const char *arguments, gboolean all)
{
  GString *out = g_string_new (NULL);
  int depth = 0;
  const char *start = arguments;
  for (const char *c = arguments;; c++) {
    depth += *c && strchr ("(<{[", *c) != NULL;
    depth -= *c && strchr (")>}]", *c) != NULL;
    if (*c && !(*c == ',' && depth == 0))
      continue;
    g_autofree char *one = g_strstrip (g_strndup (start, (gsize) (c - start)));
    if (all || is_functor (one)) {
      g_autofree char *brief = shorten (one, all);
      g_string_append_printf (out, "%s%s", out->len ? ", " : "", brief);
    }
    if (!*c)
      return g_string_free (out, FALSE);
    start = c + 1;
  }
}

/* Returns the function in which a lambda stands, without parameters; NULL: it stands in none.
 * Transfer full. */
static char *
function_around (const char *name)
{
  int depth = 0;
  const char *start = name;
  for (const char *c = name; *c; c++) {
    depth += strchr ("(<{[", *c) != NULL;
    depth -= strchr (")>}]", *c) != NULL;
    if (depth || !g_str_has_prefix (c, "::"))
      continue;
    g_autofree char *part = g_strndup (start, (gsize) (c - start));
    g_autofree char *function = *part == '{' || *part == '[' ? NULL : without_parameters (part);
    if (function && !g_str_has_prefix (function, "operator"))
      return g_steal_pointer (&function);
    start = c + 2;
  }
  return NULL;
}

/* Returns the name without namespaces, with all template arguments or with functors alone: a lambda
 * is that of a function, whose functors say what it does. Transfer full. */
static char *
shorten (const char *name, gboolean all)
{
  g_autofree char *last = g_strdup (behind (name, "::"));
  const gboolean is_lambda = g_str_has_prefix (last + 1, "lambda") && strchr ("{['", *last);
  g_autofree char *function = is_lambda ? function_around (name) : NULL;
  if (function) {
    g_autofree char *called = shorten (function, all);
    const gboolean says = !all && g_str_has_suffix (called, ">");
    return says ? g_steal_pointer (&called) : g_strconcat (called, "::", last, NULL);
  }
  gsize len = strlen (last);
  const char *open = len > 1 && last[len - 1] == '>' ? open_of (last, last + len - 1) : NULL;
  if (!open || open == last)
    return g_steal_pointer (&last);
  const gboolean blank = open[-1] == BLANK;
  g_autofree char *head = g_strndup (last, (gsize) (open - last - blank));
  g_autofree char *inside = g_strndup (open + 1, (gsize) (last + len - 2 - open));
  g_autofree char *kernel = !all && is_wrapper (head) ? wrapped (inside) : NULL;
  g_autofree char *kept = kernel ? g_steal_pointer (&kernel) : kept_of (inside, all);
  return *kept ? g_strdup_printf ("%s<%s>", head, kept) : g_steal_pointer (&head);
}

/* Returns how much of a name by Tensile, as hipBLASLt's, says what is computed: all up to the
 * tile of a workgroup and the instruction, MT64x32x256_MI16x16x1, behind which 200 to 500
 * letters say how. 0: it is none. */
static gsize
length_of_tensile (const char *name)
{
  const char *start = g_str_has_prefix (name, "Custom_") ? name + strlen ("Custom_") : name;
  const char *end = g_str_has_prefix (start, "Cij") ? strstr (start, "_MT") : NULL;
  if (!end || !g_ascii_isdigit (end[3]))
    return 0;
  end += 3 + strspn (end + 3, "0123456789x");
  if (g_str_has_prefix (end, "_MI") && g_ascii_isdigit (end[3]))
    end += 3 + strspn (end + 3, "0123456789x");
  return *end == '_' ? (gsize) (end - name) : 0;
}

/* Returns the forms of a name; one that is no C++ function and not by Tensile, or too long, has one
 * form. */
static Forms *
forms_of (Names *names, const char *name)
{
  Forms *forms = g_new0 (Forms, 1);
  g_autofree char *plain = demangled (names, name);
  g_autofree char *bare = g_strdup (plain);
  hide_operators (bare);
  char *templated = strlen (plain) <= LONGEST ? without_parameters (bare) : NULL;
  forms->forms[FORM_TEMPLATE] = templated ? templated : g_strdup (plain);
  const gsize tensile = templated ? 0 : length_of_tensile (plain);
  forms->forms[FORM_SHORT] = templated ? shorten (templated, FALSE)
                             : tensile ? g_strndup (plain, tensile)
                                       : g_strdup (plain);
  forms->forms[FORM_ARGUMENTS] = templated ? shorten (templated, TRUE) : g_strdup (plain);
  forms->forms[FORM_FULL] = g_strdup (name);
  for (guint i = 0; i < FORM_FULL; i++)
    show_operators (forms->forms[i]);
  return forms;
}

gboolean
names_may_shorten (const char *name)
{
  return g_str_has_prefix (name, "_Z") || g_str_has_suffix (name, ")")
         || g_str_has_suffix (name, ") const") || strstr (name, " [clone ")
         || length_of_tensile (name);
}

void
names_add (Names *names, const char *name)
{
  if (g_hash_table_contains (names->all, name))
    return;
  Forms *forms = forms_of (names, name);
  g_hash_table_insert (names->all, g_strdup (name), forms);
  for (guint i = 0; i < N_FORMS; i++) {
    const char *owner = g_hash_table_lookup (names->owners, forms->forms[i]);
    if (!owner || strcmp (owner, name) != 0)
      g_hash_table_replace (names->owners, g_strdup (forms->forms[i]),
                            g_strdup (owner ? "" : name));
  }
}

const char *
names_short (Names *names, const char *name)
{
  const Forms *forms = g_hash_table_lookup (names->all, name);
  for (guint i = 0; forms && i < FORM_FULL; i++)
    if (*forms->forms[i]
        && g_strcmp0 (g_hash_table_lookup (names->owners, forms->forms[i]), name) == 0)
      return forms->forms[i];
  return forms ? forms->forms[FORM_FULL] : name;
}

char *
names_cut (const char *text)
{
  const glong n = g_utf8_validate (text, -1, NULL) ? g_utf8_strlen (text, -1) : 0;
  if (n <= LETTERS)
    return g_strdup (text);
  const glong tail = (LETTERS - 1) / 3; /* names of one family often differ in their last letters */
  g_autofree char *head = g_utf8_substring (text, 0, LETTERS - 1 - tail);
  g_autofree char *end = g_utf8_substring (text, n - tail, n);
  return g_strconcat (head, "\u2026", end, NULL);
}

/* Calls fn with each text between two ", and with each around them. */
static void
each_quoted (const char *text, void (*fn) (gpointer user, const char *part, gboolean quoted),
             gpointer user)
{
  g_auto (GStrv) parts = g_strsplit (text, "\"", -1);
  const guint n = g_strv_length (parts);
  for (guint i = 0; i < n; i++)
    fn (user, parts[i], i % 2 == 1 && i + 1 < n);
}

static void
add_quoted (gpointer names, const char *part, gboolean quoted)
{
  if (quoted)
    names_add (names, part);
}

void
names_add_quoted (Names *names, const char *text)
{
  each_quoted (text, add_quoted, names);
}

typedef struct {
  Names *names;
  GString *out;
  gboolean cut;
} Quoting;

static void
put_quoted (gpointer user, const char *part, gboolean quoted)
{
  const Quoting *q = user;
  g_autofree char *cut = quoted && q->cut ? names_cut (names_short (q->names, part)) : NULL;
  if (quoted)
    g_string_append_printf (q->out, "\"%s\"", cut ? cut : names_short (q->names, part));
  else
    g_string_append (q->out, part);
}

char *
names_short_quoted (Names *names, const char *text, gboolean cut)
{
  Quoting q = { names, g_string_new (NULL), cut };
  each_quoted (text, put_quoted, &q);
  return g_string_free (q.out, FALSE);
}
