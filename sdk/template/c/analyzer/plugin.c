/* plugin.c - the analyzer `@NAME@`: how many spans of each name an input has, and how long they
 * are together, in the table `@TABLE@`.  Put your question in its place. */

#include <nprof/sdk.h>

#include <stdlib.h>

/* This is known of one name in one input. */
typedef struct {
  nprof_str name;
  int64_t spans;
  int64_t unclosed; /* without an end in the file: in no sum */
  int64_t total;    /* ps */
  bool overflow;    /* total does not fit */
} Total;

/* The totals of one input: in order of first appearance, which is that of the rows; handles of
 * strings have no order. */
typedef struct {
  Total *totals;
  uint32_t n_totals, max_totals;
  uint32_t *by_name; /* 1 + index in totals, by handle; 0: none */
  uint32_t n_names;
} Input;

/* One for the run; nprof clears it and stores the options in it. */
typedef struct {
  const struct nprof_host *host;
  int64_t least; /* spans that a name must have to get a row */

  Input *inputs;
  uint32_t n_inputs;
} Analyzer;

static const struct nprof_table table = {
  .size = sizeof table,
  .name = "@TABLE@",
  .title = "Spans by name",
  .note = "Spans that the file does not end are counted, and in no sum.",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "name", "", "name of the spans"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "spans", "", "how many"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "unclosed", "", "how many of them have no end"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "total_ns", "ps", "their durations together")),
};

/* -- Gathering ------------------------------------------------------------- */

/* Makes room for element `need` of an array of n elements; what is new is cleared. */
static bool
make_room (void *array, uint32_t *n, uint32_t need, size_t size)
{
  uint32_t more = *n ? *n : 16;
  while (more <= need)
    more = more > UINT32_MAX / 2 ? UINT32_MAX : more * 2;
  if (need < *n)
    return true;
  char *grown = realloc (*(void **) array, more * size);
  if (!grown)
    return false;
  memset (grown + *n * size, 0, (more - *n) * size);
  *(void **) array = grown;
  *n = more;
  return true;
}

/* Returns NULL when out of memory. */
static Total *
find_total (Analyzer *a, uint32_t number, nprof_str name)
{
  if (!make_room (&a->inputs, &a->n_inputs, number, sizeof *a->inputs))
    return NULL;
  Input *input = &a->inputs[number];
  if (!make_room (&input->by_name, &input->n_names, name, sizeof *input->by_name))
    return NULL;
  if (input->by_name[name] == 0) {
    if (!make_room (&input->totals, &input->max_totals, input->n_totals, sizeof *input->totals))
      return NULL;
    input->totals[input->n_totals].name = name;
    input->by_name[name] = ++input->n_totals;
  }
  return &input->totals[input->by_name[name] - 1];
}

static void
add_span (Total *total, int64_t duration)
{
  total->spans++;
  if (duration < 0)
    total->unclosed++;
  else if (__builtin_add_overflow (total->total, duration, &total->total))
    total->overflow = true;
}

/* -- What nprof calls ------------------------------------------------------ */

static nprof_status
open_analyzer (void *self, const struct nprof_host *host)
{
  Analyzer *a = self;
  a->host = host;
  return host->table (host, &table); /* it exists, even when no row comes */
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  Analyzer *a = self;
  for (uint32_t i = 0; i < batch->n_rows; i++) {
    if (batch->kind[i] != NPROF_SPAN)
      continue;
    Total *total = find_total (a, batch->input, batch->name[i]);
    if (!total)
      return nprof_fail (a->host, NPROF_E_NOMEM, "no memory for the names of the spans");
    add_span (total, batch->duration[i]);
  }
  return NPROF_OK;
}

/* An unknown total is a null cell, never 0. */
static struct nprof_cell
total_cell (const Total *total)
{
  if (total->overflow || total->unclosed == total->spans)
    return nprof_cell_null ();
  return nprof_cell_int (total->total);
}

static nprof_status
add_row (const Analyzer *a, uint32_t number, const Total *total)
{
  const struct nprof_cell cells[] = {
    nprof_cell_str (a->host->input (a->host, number)->label),
    nprof_cell_str (total->name),
    nprof_cell_int (total->spans),
    nprof_cell_int (total->unclosed),
    total_cell (total),
  };
  return a->host->row (a->host, &table, cells);
}

static nprof_status
finish (void *self)
{
  Analyzer *a = self;
  nprof_status status = NPROF_OK;
  for (uint32_t number = 0; number < a->n_inputs; number++) {
    const Input *input = &a->inputs[number];
    for (uint32_t i = 0; !status && i < input->n_totals; i++)
      if (input->totals[i].spans >= a->least)
        status = add_row (a, number, &input->totals[i]);
  }
  return status;
}

static void
close_analyzer (void *self)
{
  Analyzer *a = self;
  for (uint32_t number = 0; number < a->n_inputs; number++) {
    free (a->inputs[number].totals);
    free (a->inputs[number].by_name);
  }
  free (a->inputs);
}

/* -- What it declares ------------------------------------------------------ */

static const struct nprof_component analyzer = {
  .size = sizeof analyzer,
  .kind = NPROF_ANALYZER,
  .name = "@NAME@",
  .summary = "how many spans of each name there are, and how long they are together",
  .options = NPROF_OPTIONS (NPROF_INT_OPTION (Analyzer, least, "least", "1", "1..1000000000",
                                              "spans that a name must have to get a row")),
  .tables = (const struct nprof_table *const[]){ &table, NULL },
  .order = NPROF_ORDER_INPUT,
  .flags = NPROF_ANALYZER_NO_ROWS, /* leave it out where the analyzer writes rows */
  .instance_size = sizeof (Analyzer),
  .open = open_analyzer,
  .consume = consume,
  .finish = finish,
  .close = close_analyzer,
};

NPROF_PLUGIN ("@NAME@", PLUGIN_VERSION, "unknown", &analyzer)
