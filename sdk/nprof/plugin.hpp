// SPDX-License-Identifier: Apache-2.0
// nprof/plugin.hpp - the contract in C++17, header-only, over nprof/plugin.h and sdk.h: a component is a class that is
// made by open and deleted by close; what it throws becomes a status, so no exception leaves it.  Options are the members of a
// plain struct Options of the class, which its constructor is given then as well; parts and merging are members of
// struct nprof_component, which the functions below return: set what they leave.
//
//   struct Names {
//     nprof::Output out;
//     explicit Names (nprof::Host host) : out (host.output ()) {}
//     void consume (const nprof::Rows &rows)
//     {
//       for (const nprof::Row row : rows)
//         if (row.kind == NPROF_SPAN)
//           out.write (std::string (rows.host.string (row.name)) + "\n");
//     }
//     void finish () {}
//   };
//   static const nprof_component names = nprof::sink<Names> ("acme.names", "names, a line each", "names.txt");
//   NPROF_PLUGIN ("names", "1.0", "MIT", &names)
//
// Threads, owners and lives are those of plugin.h: what the core lends is valid until the call returns; texts and
// tracks as long as the run.
#ifndef NPROF_PLUGIN_HPP
#define NPROF_PLUGIN_HPP

#include <nprof/sdk.h>

#include <cstddef>
#include <exception>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nprof {

// A failure on its way out; the host has been told why.
struct Failed {
  nprof_status status;
};

inline void
check (nprof_status status)
{
  if (status != NPROF_OK)
    throw Failed{ status };
}

// A file or stdout; it appears when the run has succeeded.
class Output {
public:
  explicit Output (nprof_output *output) : output_ (output) {}
  void write (std::string_view text) { check (output_->write (output_, text.data (), text.size ())); }

private:
  nprof_output *output_;
};

// Writes rows; an attribute belongs to the row that was begun last.
class Writer {
public:
  explicit Writer (nprof_writer *writer) : writer_ (writer) {}
  // A row of that kind; times in ps; no duration: the file has no end for it.
  void row (uint8_t kind, nprof_track track, nprof_str name, int64_t start, std::optional<int64_t> duration)
  {
    check (nprof_row (writer_, kind, track, name, start, duration.value_or (-1)));
  }
  void span (nprof_track track, nprof_str name, int64_t start, std::optional<int64_t> duration)
  {
    row (NPROF_SPAN, track, name, start, duration);
  }
  void attr (nprof_str key, int64_t value) { check (nprof_attr_int (writer_, key, value)); }
  void attr (nprof_str key, uint64_t value) { check (nprof_attr_uint (writer_, key, value)); }
  void attr (nprof_str key, double value) { check (nprof_attr_double (writer_, key, value)); }
  void attr_str (nprof_str key, nprof_str value) { check (nprof_attr_str (writer_, key, value)); }
  void attr_bool (nprof_str key, bool value)
  {
    check (nprof_attr (writer_, key, NPROF_BOOL, { value }));
  }
  void attr (nprof_str key, nprof_str value) = delete; // attr_str of a string, else a uint64_t
  void attr (nprof_str key, bool value) = delete;      // attr_bool
  nprof_writer *raw () const { return writer_; }

private:
  nprof_writer *writer_;
};

// What a component may call; `raw ()` is the whole of it.
class Host {
public:
  explicit Host (const nprof_host *host) : host_ (host) {}
  const nprof_host *raw () const { return host_; }

  // Says why, and ends the call.
  [[noreturn]] void fail (nprof_status status, const std::string &why) const
  {
    throw Failed{ host_->fail (host_, status, why.c_str ()) };
  }
  void log (int level, const std::string &text) const { host_->log (host_, level, text.c_str ()); }
  // Decoders: a record cannot be read; where this returns, the run keeps going: write a row of kind gap.
  void damage (uint64_t at, const std::string &what) const { check (host_->damage (host_, at, what.c_str ())); }
  void progress (uint64_t from, uint64_t to) const { check (host_->progress (host_, from, to)); }
  bool cancelled () const { return host_->cancelled (host_) != 0; }

  nprof_str intern (std::string_view text) const { return host_->intern (host_, text.data (), text.size ()); }
  std::string_view string (nprof_str str) const
  {
    size_t len;
    const char *text = host_->string (host_, str, &len);
    return { text, len };
  }

  nprof_track track (nprof_track parent, uint32_t kind, std::string_view key, int64_t sort = 0) const
  {
    const nprof_track made = host_->track (host_, parent, kind, intern (key), 0, sort);
    if (!made)
      fail (NPROF_E_NOMEM, "no memory for a track");
    return made;
  }
  nprof_str track_label (nprof_track track) const { return nprof_track_label (host_->track_info (host_, track)); }
  nprof_track root () const { return host_->input (host_, host_->own_input)->root; } // decoders: of the input itself
  bool wanted (const char *key) const { return host_->wanted (host_, key) != 0; }
  nprof_str input_label (uint32_t number) const { return host_->input (host_, number)->label; }

  Writer writer () const
  {
    nprof_writer *writer = host_->writer (host_);
    if (!writer)
      fail (NPROF_E_NOMEM, "no memory for rows");
    return Writer (writer);
  }
  // Sinks: the one file; the host has said why there is none.
  Output output () const
  {
    nprof_output *output = host_->output (host_, nullptr);
    if (!output)
      throw Failed{ NPROF_E_IO };
    return Output (output);
  }

  // Analyzers: announces a table, and adds a row, whose first cell is the label of the input, or, where a track is given,
  // a row of the input of that track, whose label comes by itself.
  void table (const nprof_table &table) const { check (host_->table (host_, &table)); }
  void row (const nprof_table &table, nprof_track track, std::initializer_list<nprof_cell> cells) const
  {
    std::vector<nprof_cell> all{ nprof_cell_str (input_label (host_->track_info (host_, track)->input)) };
    all.insert (all.end (), cells);
    add (table, all.data (), all.size ());
  }
  void row (const nprof_table &table, std::initializer_list<nprof_cell> cells) const
  {
    add (table, cells.begin (), cells.size ());
  }

private:
  void add (const nprof_table &table, const nprof_cell *cells, size_t n) const
  {
    if (n != nprof_count_columns (&table))
      fail (NPROF_E_CONTRACT, std::string (table.name) + ": a row has another number of cells than the table columns");
    check (host_->row (host_, &table, cells));
  }

  const nprof_host *host_;
};

// A row as it is read; no duration: the file has no end for it.
struct Row {
  uint8_t kind;
  nprof_track track;
  nprof_str name, category;
  int64_t start;
  std::optional<int64_t> duration;
};

// The rows of a batch; `batch` has the rest of their columns.
struct Rows {
  Host host;
  const nprof_batch &batch;

  struct Iterator {
    const nprof_batch *batch;
    uint32_t i;
    Row operator* () const
    {
      const int64_t duration = batch->duration[i];
      return { batch->kind[i],     batch->track[i], batch->name[i],
               batch->category[i], batch->start[i], duration < 0 ? std::nullopt : std::optional<int64_t> (duration) };
    }
    Iterator &operator++ ()
    {
      i++;
      return *this;
    }
    bool operator!= (const Iterator &other) const { return i != other.i; }
  };
  Iterator begin () const { return { &batch, 0 }; }
  Iterator end () const { return { &batch, batch.n_rows }; }
};

namespace detail {

struct NoOptions {};

template <class T, class = void> struct OptionsOf {
  using type = NoOptions;
};
template <class T> struct OptionsOf<T, std::void_t<typename T::Options>> {
  using type = typename T::Options;
};

// Memory of the core's, cleared, where it stores the options; the component lies behind a pointer.
template <class T> struct Instance {
  T *component;
  const nprof_host *host;
  typename OptionsOf<T>::type options;
};

template <class Call>
nprof_status
guard (const nprof_host *host, Call call)
{
  try {
    call ();
    return NPROF_OK;
  } catch (const Failed &failed) {
    return failed.status;
  } catch (const std::bad_alloc &) {
    return host->fail (host, NPROF_E_NOMEM, "no memory");
  } catch (const std::exception &e) {
    return host->fail (host, NPROF_E_UNSUPPORTED, e.what ());
  } catch (...) {
    return host->fail (host, NPROF_E_UNSUPPORTED, "something was thrown that is no std::exception");
  }
}

template <class T, class Call>
nprof_status
with (void *self, Call call)
{
  auto *instance = static_cast<Instance<T> *> (self);
  return guard (instance->host, [&] { call (*instance->component, Host (instance->host)); });
}

template <class T>
nprof_status
open (void *self, const nprof_host *host)
{
  auto *instance = static_cast<Instance<T> *> (self);
  instance->host = host;
  return guard (host, [&] {
    if constexpr (std::is_same_v<typename OptionsOf<T>::type, NoOptions>)
      instance->component = new T (Host (host));
    else
      instance->component = new T (Host (host), instance->options);
  });
}

template <class T>
void
close (void *self)
{
  delete static_cast<Instance<T> *> (self)->component;
}

template <class T>
nprof_component
component (uint32_t kind, const char *name, const char *summary)
{
  nprof_component c{};
  c.size = sizeof c;
  c.kind = kind;
  c.name = name;
  c.summary = summary;
  c.instance_size = sizeof (Instance<T>);
  c.open = open<T>;
  c.close = close<T>;
  return c;
}

template <class T>
nprof_component
reader (uint32_t kind, const char *name, const char *summary)
{
  nprof_component c = component<T> (kind, name, summary);
  c.consume = [] (void *self, const nprof_batch *batch) {
    return with<T> (self, [&] (T &t, Host host) { t.consume (Rows{ host, *batch }); });
  };
  c.finish = [] (void *self) { return with<T> (self, [] (T &t, Host) { t.finish (); }); };
  return c;
}

} // namespace detail

// T (Host), consume (const Rows &), finish ().
template <class T>
nprof_component
sink (const char *name, const char *summary, const char *file)
{
  nprof_component c = detail::reader<T> (NPROF_SINK, name, summary);
  c.flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT;
  c.default_name = file;
  return c;
}

// The same; `tables` ends in nullptr; the constructor announces them by host.table.
template <class T>
nprof_component
analyzer (const char *name, const char *summary, const nprof_table *const *tables, uint32_t order = NPROF_ORDER_INPUT)
{
  nprof_component c = detail::reader<T> (NPROF_ANALYZER, name, summary);
  c.tables = tables;
  c.order = order;
  c.flags = NPROF_ANALYZER_NO_ROWS;
  return c;
}

// T (Host), static int probe (std::string_view head), decode (std::string_view data).
template <class T>
nprof_component
decoder (const char *name, const char *summary, const char *formats)
{
  nprof_component c = detail::component<T> (NPROF_DECODER, name, summary);
  c.formats = formats;
  c.probe = [] (const void *head, size_t len, uint64_t, const char *) {
    return T::probe (std::string_view (static_cast<const char *> (head), len));
  };
  c.decode = [] (void *self, const void *data, uint64_t len) {
    return detail::with<T> (self, [&] (T &t, Host) { t.decode ({ static_cast<const char *> (data), static_cast<size_t> (len) }); });
  };
  return c;
}

// An option that is member `at` of T::Options:
//   nprof::option<Mine> (NPROF_OPT_INT, offsetof (Mine::Options, least), "least", "1", "1..1000", "the least that counts")
template <class T>
nprof_option
option (uint32_t type, size_t at, const char *name, const char *preset, const char *range, const char *help)
{
  return { sizeof (nprof_option), type, name, help, preset, range,
           static_cast<uint32_t> (offsetof (detail::Instance<T>, options) + at), 0 };
}

// What a decoder or analyzer emits: nprof::attribute (NPROF_INT64, "line", "", "number of its line").
constexpr nprof_attribute
attribute (uint32_t type, const char *key, const char *unit, const char *help)
{
  return { sizeof (nprof_attribute), type, key, unit, help };
}

// A column of a table: nprof::column (NPROF_INT64, "gap_ns", "ps", "how long").
constexpr nprof_table_column
column (uint32_t type, const char *name, const char *unit, const char *help, uint32_t role = NPROF_ROLE_VALUE)
{
  return { sizeof (nprof_table_column), type, name, unit, help, role, 0 };
}

inline constexpr nprof_table_column input_column
    = column (NPROF_STRING, "input", "", "label of the input", NPROF_ROLE_KEY);

// A table, declared at the scope of a file; its first column, the label of the input, comes by itself:
//   constexpr nprof::Table table ("acme.gaps", "Gaps", "A note.", { nprof::column (...), nprof::column (...) });
template <size_t N> class Table {
public:
  constexpr Table (const char *name, const char *title, const char *note, const nprof_table_column (&columns)[N])
      : table_{ sizeof (nprof_table), 0, name, title, note, pointers_ }
  {
    pointers_[0] = &input_column;
    for (size_t i = 0; i < N; i++) {
      columns_[i] = columns[i];
      pointers_[i + 1] = &columns_[i];
    }
    list_[0] = &table_;
  }
  Table (const Table &) = delete;
  constexpr operator const nprof_table & () const { return table_; }
  constexpr const nprof_table *const *list () const { return list_; }

private:
  nprof_table_column columns_[N]{};
  const nprof_table_column *pointers_[N + 2]{};
  nprof_table table_;
  const nprof_table *list_[2]{};
};

// The same as above with one table; `options` ends in nullptr.
template <class T, size_t N>
nprof_component
analyzer (const char *name, const char *summary, const Table<N> &table, uint32_t order = NPROF_ORDER_INPUT,
          const nprof_option *const *options = nullptr)
{
  nprof_component c = analyzer<T> (name, summary, table.list (), order);
  c.options = options;
  return c;
}

// A number, or null where it is unknown.
inline nprof_cell
cell (std::optional<int64_t> value)
{
  return value ? nprof_cell_int (*value) : nprof_cell_null ();
}

} // namespace nprof

#endif
