// plugin.cpp - the analyzer `@NAME@`: how many spans of each name an input has, and how long they
// are together, in the table `@TABLE@`.  Put your question in its place.

#include <nprof/plugin.hpp>

#include <unordered_map>
#include <vector>

namespace {

constexpr nprof_table_column columns_of_table[] = {
  nprof::input_column,
  nprof::column (NPROF_STRING, "name", "", "name of the spans", NPROF_ROLE_KEY),
  nprof::column (NPROF_INT64, "spans", "", "how many"),
  nprof::column (NPROF_INT64, "unclosed", "", "how many of them have no end"),
  nprof::column (NPROF_INT64, "total_ns", "ps", "their durations together"),
};
constexpr const nprof_table_column *columns[] = {
  &columns_of_table[0], &columns_of_table[1], &columns_of_table[2],
  &columns_of_table[3], &columns_of_table[4], nullptr,
};
constexpr nprof_table table = { sizeof table, 0, "@TABLE@", "Spans by name",
                                "Spans that the file does not end are counted, and in no sum.", columns };
constexpr const nprof_table *tables[] = { &table, nullptr };

class Analyzer {
public:
  struct Options {
    int64_t least; // spans that a name must have to get a row
  };

  Analyzer (nprof::Host host, const Options &options) : host_ (host), least_ (options.least)
  {
    host_.table (table); // it exists, even when no row comes
  }

  void consume (const nprof::Rows &rows)
  {
    for (const nprof::Row row : rows)
      if (row.kind == NPROF_SPAN)
        add (find (rows.batch.input, row.name), row.duration);
  }

  void finish () const
  {
    for (const Total &total : totals_)
      if (total.spans >= least_)
        host_.row (table, { nprof_cell_str (host_.input_label (total.input)), nprof_cell_str (total.name),
                            nprof_cell_int (total.spans), nprof_cell_int (total.unclosed), sum_of (total) });
  }

private:
  // This is known of one name in one input.
  struct Total {
    uint32_t input;
    nprof_str name;
    int64_t spans = 0, unclosed = 0; // unclosed: without an end in the file, in no sum
    int64_t sum = 0;                 // ps
    bool overflow = false;           // the sum does not fit
  };

  Total &find (uint32_t input, nprof_str name)
  {
    const auto [found, is_new] = places_.try_emplace (uint64_t (input) << 32 | name, totals_.size ());
    if (is_new)
      totals_.push_back ({ input, name });
    return totals_[found->second];
  }

  static void add (Total &total, std::optional<int64_t> duration)
  {
    total.spans++;
    if (!duration)
      total.unclosed++;
    else if (__builtin_add_overflow (total.sum, *duration, &total.sum))
      total.overflow = true;
  }

  // An unknown total is a null cell, never 0.
  static nprof_cell sum_of (const Total &total)
  {
    return total.overflow || total.unclosed == total.spans ? nprof_cell_null () : nprof_cell_int (total.sum);
  }

  nprof::Host host_;
  int64_t least_;
  // In order of first appearance, which is that of the rows; handles of strings have no order.
  std::vector<Total> totals_;
  std::unordered_map<uint64_t, size_t> places_; // in totals_, by input and name
};

// -- What it declares ------------------------------------------------------

const nprof_option least = nprof::option<Analyzer> (NPROF_OPT_INT, offsetof (Analyzer::Options, least), "least", "1",
                                                    "1..1000000000", "spans that a name must have to get a row");
const nprof_option *const options[] = { &least, nullptr };

nprof_component
declare ()
{
  nprof_component c = nprof::analyzer<Analyzer> (
      "@NAME@", "how many spans of each name there are, and how long they are together", tables);
  c.options = options;
  return c;
}

const nprof_component analyzer = declare ();

} // namespace

NPROF_PLUGIN ("@NAME@", PLUGIN_VERSION, "unknown", &analyzer)
