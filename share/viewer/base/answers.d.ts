// SPDX-License-Identifier: Apache-2.0
// The answers of the server, as docs/formats/view-api.md has them, for tsc alone.
// tests/view/types.py holds the recorded answers of tests/view/answers to them: each member that an
// answer has is here, and each that is here and not optional is in it.

/** int64 or uint64 in digits: they do not fit a double. Times are ps. */
export type Digits = string

/** LANE.ROW */
export type RowId = string

/** `reason`: why a value is unknown. */
export interface Metric<Value = number | string> {
  value: Value | null
  unit: string
  reason: string
  source: string
}

/** What an answer says where the store does not hold what it needs. */
export interface Lacking {
  unknown?: string
}

/** The window that an answer is of, where it was asked for one. */
interface OfWindow {
  t0?: Digits
  t1?: Digits
}

/* -- Tables ------------------------------------------------------------------------ */

/** null is unknown. */
export type Cell = string | number | boolean | null
export type Row = Cell[]

export interface Column {
  name: string
  type: string
  unit: string
  role: string
  help: string
}

export interface Sheet {
  columns: Column[]
  rows: Row[]
}

export interface Table extends Sheet, Lacking, OfWindow {
  name: string
  title: string
  note: string
  total: number
  offset: number
  /** Those of the question, where it chose rows. */
  tracks?: string
  parts?: string
}

export interface Gaps extends Table {
  rows_more: { before: RowId | null; after: RowId | null; during: RowId[] }[]
}

/** What a step of a device consists of; `parts` in ps. */
export interface StepParts {
  input: string
  step: string
  device: string
  parts: Record<string, Digits>
}

export interface Skew {
  input: string | null
  step: string
  last: string | null
  begin: Metric
  end: Metric
}

export interface Steps extends Table {
  parts: StepParts[]
  skews: Skew[]
}

export interface Operators extends Table {
  devices: string[]
  pies: { by_device: [string, number][]; by_operator: [string, number][] }
}

/* -- The server and the list ------------------------------------------------------- */

export interface Server {
  version: string
  api: number
  store_id: string
  store: string
  free_bytes: number
  used_bytes: number
  store_max: number
  formats: { name: string; summary: string; formats: string }[]
  plugins: { kind: string; name: string; version: string }[]
  limits: { upload_bytes: number; connections: number; tile_rects: number }
  sql: boolean
  open_path: boolean
  sources: boolean
  profiles: number
}

/** How far a reading is. */
export interface Progress {
  stage: 'reading' | 'analyzing' | 'finishing'
  done_bytes: number | null
  total_bytes: number | null
  bytes_per_s: number | null
  left_s: number | null
  rows: number
  start: Digits
  end: Digits
  figures: ({ table: string } & Record<string, string | number | null>)[]
  /** Of `p/ID` alone. */
  tracks?: {
    track: number
    label: string
    kind: string
    rows: number
    busy: number[]
    count: number[]
  }[]
}

/** A profile as the list has it. */
export interface Brief {
  bucket: string
  gen: string | null
  name: string
  tags: string[]
  star: boolean
  format: string
  decoders: string[]
  certainty: 'checked' | 'structure'
  origin_unix_ns: Digits | null
  added: number
  opened: number
  start: Digits
  end: Digits
  length: Digits
  rows: number
  devices: { type: string; count: number }[]
  busy: Metric
  mfu: Metric
  exposed: Metric
  step_median: Metric
  size: number
  inputs: { label: string; path: string; bytes: number; present: boolean }[]
  source_present: boolean
  status: 'ready' | 'reading' | 'failed' | 'old' | 'damaged' | 'database'
  progress: Progress | null
  error: { text: string; input: string; byte: Digits | null; mend: string } | null
}

/** Answer of p/ID. */
export interface Head {
  profile: Brief
  gen: string | null
}

export interface Profiles {
  seq: number
  total: number
  profiles: Brief[]
}

export interface Change {
  profile: string
  what: 'added' | 'changed' | 'removed' | 'progress' | 'annotations'
  progress?: Progress
}

/** `all`: what was asked for is too old, and everything may have changed. */
export type Changes =
  | { seq: number; events: Change[]; all?: undefined }
  | { seq: number; all: true; events?: undefined }

/** What is read, or is here already. */
export interface Opened {
  profile: string
  here: boolean
  progress: Progress | null
}

/** A part of an upload, or with the last one what became of it. */
export type Uploaded =
  | { upload: string; bytes: number; profile?: undefined }
  | { profile: string; progress: Progress | null; upload?: undefined }

export interface Deleted {
  deleted: string[]
  bytes: number
  kept: { profile: string; text: string }[]
}

/* -- What a profile is ------------------------------------------------------------- */

export interface Finding {
  answer: string
  rule: string
  threshold: string
  text: string
  detail: string
  at_stake: Metric<Digits>
  each: { time: Digits; of: Digits; base: string } | null
  gain: string | null
  advice: string | null
  evidence: {
    t0: Digits
    t1: Digits
    exact: boolean
    about: string | null
    table: string
    device: string | null
    track: string | null
    place: string | null
  }
  widget: string
  more: number
  devices: number | null
  devices_reason: string
}

export interface LeftOut {
  rule: string
  count: number
  table: string
  widget: string
}

export interface Findings extends Lacking {
  t0: Digits
  t1: Digits
  findings: Finding[]
  findings_left_out: LeftOut[]
}

/** A line of the first screen of `nprof report`. */
export interface ScreenLine {
  label: string
  head: string | null
  text: string
  time: Digits | null
  code: string | null
  name: string | null
  record: string | null
  table: string | null
}

/** One mean window of the verdict; `median` where there are several. */
export interface Judged {
  input: string
  device: string
  base: string
  windows: number
  mean: Digits
  median: Digits | null
  parts: { part: string; time: Digits; place: string | null }[]
}

export interface Attribute {
  key: string
  name: string
  type: string
  unit: string
  help: string
}

export interface TableInfo {
  name: string
  title: string
  note: string
  rows: number
  origin: string
  columns: Column[]
}

export interface Skipped {
  what: string
  count: number
  first_byte: Digits | null
  reason: string
}

export interface Profile {
  bucket: string
  gen: string
  inputs: {
    number: number
    label: string
    decoder: string
    version: string
    bytes: number
    rows: number
    origin_unix_ns: Digits | null
    properties: Record<string, string>
  }[]
  facts: { track: number; key: string; value: string; unit: string | null; source: string | null }[]
  start: Digits
  end: Digits
  origin_unix_ns: Digits | null
  zeros: { key: 'start' | 'origin' | 'utc' | 'step'; text: string; t: Digits }[]
  attributes: Attribute[]
  tables: TableInfo[]
  widgets: Record<string, { tables: string[]; beside: string[] }>
  warnings: string[]
  skipped: Skipped[]
  /** By the question of `nprof doctor`: what to record so that it has an answer. */
  record: Record<string, string>
  findings: Finding[]
  findings_left_out: LeftOut[]
  screen: { lines: ScreenLine[]; window: Judged | null }
  rows: number
  unclosed: number
  lost: number
}

export interface Track {
  track: number
  hash: string
  parent: number
  kind: string
  key: string
  label: string
  sort: Digits
  input: number
  origin: string
  rows: number
  lanes: string
  start: Digits | null
  end: Digits | null
  busy: Digits | null
  work?: { busy: Digits; span: Digits; share: number } | null
  works?: boolean
  counter: { min: number; max: number; flat: number; bins: 'mean' | 'max' | null } | null
  lost: Digits
}

export interface Lane {
  lane: number
  track: number
  type: string
  depth: number
  label: number | null
  rows: number
  start: Digits
  end: Digits
}

/** Value i of each is of lane i. */
export interface Lanes {
  track: number[]
  type: string[]
  depth: number[]
  label: (number | null)[]
  rows: number[]
}

/** The page asks for lanes in columns. */
export interface Meta<L = Lanes> {
  start: Digits
  end: Digits
  rows: number
  n_lanes: number
  n_labels: number
  tracks: Track[]
  lanes: L
}

/**
 * Layer, operator, source and the unit of a counter are what all rows of the label state; null:
 * they state none, or differ. `work` is what they are where they are work of a device; null: they
 * are none. A likely name was guessed by the decoder.
 */
export type Label = [
  name: string,
  category: string,
  short: string,
  layer: string | null,
  operator: string | null,
  source: string | null,
  unit: string | null,
  work: string | null,
  likely: boolean,
]

export interface Names {
  from: number
  total: number
  names: Label[]
}

/** Those of the first picture. `colours`: values that are not in the colour of their hash. */
export interface FirstNames {
  total: number
  mixed: string[]
  colours: Record<string, Record<string, number>>
  labels: number[]
  names: Label[]
}

/** Of lanes, each with how many of its rows. */
export interface Group {
  group: number
  name: string | null
  lanes: [number, number][]
  rows: number
}

export interface Groups extends Lacking {
  by: string
  groups: Group[]
}

/** By track shares of pixels in 255ths. */
export type Busy = Record<string, number[]>

export interface Strip {
  t0: Digits
  p: Digits
  busy: Busy
  communication: Busy
  copies: Busy
  control: Busy
  unsure: number[]
  steps: [t0: Digits, t1: Digits, step: string, track: number | null][]
  gaps: [t0: Digits, t1: Digits, cause: string, track: number | null][]
  short_gaps: [ps: Digits, cause: string, track: number | null][]
  hits: number[]
}

/* -- Rows -------------------------------------------------------------------------- */

/** `index`: of the file among the sources of the profile; null: it is none. */
export interface Place {
  index: number | null
  file: string
  line: number | null
}

export interface Link {
  row: RowId
  track: number
  name: string
  start: Digits
  duration: Digits | null
  wait: Digits
  family: string
  category: string
}

export interface Rank {
  below: number
  count: number
  percentile: number
}

export interface Overlaps {
  total: number
  sum: Digits
  rows: { row: RowId; name: string; track: number; overlap: Digits }[]
}

export interface Member {
  name: string
  opcode: string | null
  framework_op: string | null
  seen: boolean
}

export interface EventDetails {
  row: RowId
  lane: number
  track: number
  depth: number
  type: string
  kind: string
  name: string
  category: string
  start: Digits
  end: Digits | null
  duration: Digits | null
  self: Digits | null
  /** What JSON has no number for is a text. */
  value: number | 'NaN' | 'Infinity' | '-Infinity' | null
  id: Digits | null
  parent: Digits | null
  flow: Digits | null
  crosses: null
  input: number
  ordinal: number
  origin: string
  attributes: (Attribute & { value: string | number | boolean; from: 'row' | 'shared' })[]
  path: { row: RowId; name: string }[]
  rank: Rank | null
  /** Why it is left out: route rank tells it. */
  rank_unknown?: string
  step: string | null
  layer: string | null
  members: Member[]
  how: string | null
  depends: Link[]
  needed: Link[]
  depends_total: number
  needed_total: number
  overlaps: Overlaps | null
  /** The same of route overlaps. */
  overlaps_unknown?: string
  children: { count: number; rows: RowId[] }
  source: (Place & { stack: ({ text: string } & Place)[] }) | null
  next: RowId | null
  previous: RowId | null
}

export interface Hit {
  row: RowId
  track: number
  label: number
  name: string
  start: Digits
  duration: Digits | null
}

/** Hits of the search of the page, or why there are none. */
export type Found =
  | (Hits & { q: string; error?: undefined })
  | {
      q: string
      error: import('./api.js').ApiError
      total: 0
      hits: null
      fields: []
      histogram?: undefined
    }

/** `known`: some row has the field. */
export interface Field {
  field: string
  op: string
  value: string
  known: boolean
}

export interface Hits {
  total: number
  exact: boolean
  hits: Hit[]
  histogram?: number[]
  fields: Field[]
  names: number
  where: string | null
}

/* -- Sums -------------------------------------------------------------------------- */

type Duration =
  'busy' | 'idle' | 'compute' | 'communication' | 'memory' | 'exposed' | 'overlap' | 'lost'
type Rate = 'flops' | 'bytes' | 'mfu' | 'hfu' | 'mbu'
export type Figure = Duration | Rate

/** `together`: whose times are summed. */
export type DeviceTotals = {
  together: { count: number; what: 'device' | 'track' }
} & Record<Duration, Metric<Digits>> &
  Record<Rate, Metric>

export type Totals = { events: number; unclosed: number } & DeviceTotals

/** `name` null: of no operator, or of no place. */
export interface Sum {
  key: number
  name: string | null
  count: number
  unclosed: number
  whole: Digits
  inside: Digits
  self_inside: Digits
  mean: Digits | null
  median: Digits | null
  p90: Digits | null
  p99: Digits | null
  min: Digits | null
  max: Digits | null
  share: number | null
  share_of: string | null
  share_self: Digits | null
  share_reason: string | null
  flops: number | null
  bytes: number | null
  mfu: number | null
}

export interface CounterSum {
  track: number
  label: number
  name: string
  unit: string | null
  count: number
  known: Digits
  min: number | null
  mean: number | null
  max: number | null
  reason: string | null
}

export interface Stats {
  t0: Digits
  t1: Digits
  totals: Totals
  by: string
  total: number
  shared: {
    of: string
    self_inside: Digits
    what: string
    kinds?: { compute: Digits; communication: Digits; copies: Digits; control: Digits }
  }[]
  rows: Sum[]
  counters?: CounterSum[]
  counters_total?: number
  /** By the member of rows: why it is null. */
  reasons: Record<string, string>
}

/** Of a first. */
export interface TwoStats {
  a: { totals: Totals }
  b: { totals: Totals }
  delta: { start: Digits; totals: { length: Digits; inside: Digits; events: Digits } }
  total: number
  rows: {
    key: number
    name: string
    count: [Digits, Digits]
    inside: [Digits, Digits]
    self_inside: [Digits, Digits]
    self_change: Digits
  }[]
}

type Span = { row: RowId; start: Digits; duration: Digits }

export interface Latency {
  count: number
  unclosed: number
  percentiles: Record<'p50' | 'p90' | 'p95' | 'p99' | 'p99.9', Digits | null>
  min: Digits | null
  max: Digits | null
  mean: Digits | null
  bins: { from: Digits; to: Digits; count: number }[]
  scatter: Span[]
  outliers: Span[]
}

export interface Roof {
  name: string
  flops: Metric
  bandwidth: Metric
}

/** `reason`: why its place is unknown. */
export interface Point {
  name: string
  device: string
  intensity: number | null
  flops: number | null
  reason: string | null
  time: Digits
  rows: number
  label: number | null
}

/** `picture`: SVG, whose dots have the row of their point; absent where no point has a place. */
export interface Roofline extends Lacking, OfWindow {
  roofs: Roof[]
  points: Point[]
  picture?: string
}

export interface Frame {
  id: number
  parent: number | null
  name: string
  self: Digits
  total: Digits
  count: number
}

interface Tree {
  nodes: Frame[]
  left_out: number
}

export interface Flame extends Tree, Lacking {
  total: Digits
  about?: undefined
  callers?: undefined
  callees?: undefined
}

/** Of route flame with `about`. */
export interface FlameAbout extends Lacking {
  total: Digits
  about: string
  nodes?: undefined
  left_out?: undefined
  callers: Tree
  callees: Tree
}

export interface Layers extends Lacking {
  start: Digits
  end: Digits
  rows: number
  n_labels: number
  tracks: Track[]
  lanes: Lanes
  names: Label[]
}

export interface LayersRun {
  row: RowId
  device: number
  level: number
  kind: 'layer' | 'module' | 'operator'
  name: string
  path: string
  start: Digits
  end: Digits
  duration: Digits
  busy: Digits
  rows: number
  mfu: Metric
  total: number
  hits: Omit<Hit, 'label'>[]
}

export interface Critical extends Lacking {
  segments: { row: RowId | null; start: Digits; end: Digits; kind: string }[]
  totals: Record<string, Digits>
  length: Digits
}

/** `t` null: what is alive is that of the peak. */
export interface Memory extends Lacking {
  series: [t: Digits, bytes: Digits][]
  unknown_series: string
  peak: { t: Digits; bytes: Digits } | null
  t: Digits | null
  alive: {
    row: RowId | null
    name: string | null
    bytes: Digits
    category: string | null
    allocator: string | null
  }[]
}

/** Of each rank one value. */
export interface Ranks extends Lacking, OfWindow {
  ranks: string[]
  devices: (string | null)[]
  files: (string | null)[]
  states: string[]
  representatives: (string | null)[]
  steps: string[]
  cells: Metric[][]
  parts: { part: 'compute' | 'comm' | 'copy' | 'idle'; time: Digits }[][]
  waited: Metric[]
  gains: Metric[]
  stragglers: { rank: string; text: string }[]
}

export interface Sql extends Lacking {
  columns: { name: string; type: string }[]
  rows: Row[]
  elapsed_ms: number
  more: boolean
  notices: string[]
}

export interface Demand {
  demand: string
  state: 'met' | 'not met' | 'undecided'
  value: Metric
  key: string
  reason: string
  table: string | null
  /** By column: the row of the table that decides. */
  keys: Record<string, string | null>
}

export interface SourceFile {
  index: number
  path: string
  present: boolean
  reason: string | null
  lines: number
  events: number
  self: Digits
}

export interface SourceLine {
  line: number
  events: number
  self: Digits
  share: number | null
}

export interface Source {
  /** The window that was asked about. */
  t0?: Digits
  t1?: Digits
  index: number
  path: string
  text: string
  lines: SourceLine[]
}

/* -- Two profiles ------------------------------------------------------------------ */

export interface Compared {
  per: 'step' | 'recording'
  rows: Table
  totals: (Metric<number> & {
    part: string
    device: string
    profile: string
    verdict: string | null
    a_ps: number | null
    b_ps: number | null
    interval: number | null
  })[]
  steps: {
    profile: string
    steps: { step: string; start: Digits; duration: Digits }[]
    unknown?: string
  }[]
  medians?: {
    device: string
    profile: string
    a_ps: number | null
    b_ps: number | null
    change: number | null
  }[]
  unmatched: { profile: string; track: string }[]
  verdicts: Verdict[]
  verdict: string
}

/** `judged` where something was compared, of mean and parts the base first. */
export interface Verdict {
  profile: string
  text: string
  sentence: string | null
  judged?: {
    device_a: string
    device_b: string
    of: 'step' | 'period' | 'recording' | 'work'
    verdict: string
    a_ps: number | null
    b_ps: number | null
    change: number | null
    interval: number | null
    mean?: [Digits, Digits]
    parts?: { part: string; time: [Digits, Digits] }[]
  }
  fail_over: string
  met: boolean
  unjudged: string | null
  over: number
}

/** Of each list the base first; null: that profile does not have the stack. */
export interface Stack {
  id: number
  parent: number | null
  name: string
  renamed: string | null
  self: [Digits | null, Digits | null]
  total: [Digits | null, Digits | null]
  count: [number, number]
  each_ps: [number | null, number | null]
  change: number | null
  mark: 'slower' | 'faster' | 'same' | 'added' | 'removed'
}

export interface ComparedFlame extends Lacking {
  per: 'step' | 'recording'
  steps: [number, number] | [null, null]
  total: [Digits, Digits]
  nodes: Stack[]
  left_out: number
}

/* -- What people keep -------------------------------------------------------------- */

export interface Kept {
  name: string
  rev: number
  updated: number
  by: string
}

/** `range`: until when; `versus`: the marker that it is compared with. */
export interface Annotations {
  markers: {
    id: string
    t: Digits
    name: string
    color: number
    range: Digits | null
    versus?: string
  }[]
}

/* -- Which route has which --------------------------------------------------------- */

/** Below p/ID/GEN/. */
export interface Below {
  profile: Profile
  meta: Meta
  names: Names
  groups: Groups
  group: { groups: (number | null)[] }
  strip: Strip
  e: EventDetails
  rank: { rank: Rank | null }
  overlaps: { overlaps: Overlaps }
  at: { row: RowId | null; start: Digits | null; duration: Digits | null }
  near: {
    row: RowId | null
    lane: number | null
    start: Digits | null
    duration: Digits | null
    label: number | null
  }
  edges: { edges: { t: Digits; row: RowId; what: 'start' | 'end' }[] }
  links: { arrows: { from: RowId; to: RowId; family: string; name: string }[]; left_out: number }
  chain: {
    nodes: {
      row: RowId
      track: number
      name: string
      start: Digits
      duration: Digits | null
    }[]
    arrows: { from: RowId; to: RowId; family: string }[]
    left_out: number
  }
  q: Hits
  line: Hits
  suggest: { suggestions: { text: string; what: string; count: number }[] }
  s: Stats
  s2: TwoStats
  [table: `table/${string}`]: Table
  places: { places: (string | null)[] }
  operators: Operators
  window: { t0: Digits; t1: Digits; totals: DeviceTotals }
  latency: Latency
  gaps: Gaps
  steps: Steps
  roofline: Roofline
  flame: Flame | FlameAbout
  layers: Layers
  'layers/run': LayersRun
  critical: Critical
  memory: Memory
  findings: Findings
  ranks: Ranks
  sql: Sql
  gate: Demand[]
  sources: { files: SourceFile[] } & Lacking
  source: Source
}

/** Answer of a route below a profile, or above all. */
export type To<Route extends string> = Route extends keyof Below ? Below[Route] : Answer<Route>

/** Routes whose answer is a table. */
export type TableRoute = `table/${string}` | 'gaps' | 'operators' | 'steps'

/** Below p/ID/. */
interface OfProfile {
  annotations: { items: Kept[] }
  views: { items: Kept[] }
  gates_saved: { items: Kept[] }
  texts: { items: Kept[] }
  [name: `annotations/${string}`]: Kept & { data: Annotations }
  [name: `gates_saved/${string}`]: Kept & { data: { demands: string[] } }
  [name: `texts/${string}`]: Kept & { data: { path: string; text: string } }
}

interface Above {
  server: Server
  profiles: Profiles
  'profiles/delete': Deleted
  changes: Changes
  upload: Uploaded
  open: { profiles: Opened[] }
  [id: `profiles/${string}/again`]: Opened
  [id: `profiles/${string}/${'rename' | 'tags'}`]: Brief
  compare: Compared
  'compare/flame': ComparedFlame
  links: { id: string }
  [id: `links/${string}`]: { bucket: string; state: string }
  layouts: { items: Kept[] }
  [name: `layouts/${string}`]: Kept & { data: unknown }
  [id: `p/${string}`]: Head
}

/** Answer of any route. */
export type Answer<Path> = Path extends `p/${string}/${infer Rest}`
  ? Rest extends keyof OfProfile
    ? OfProfile[Rest]
    : Rest extends `${string}/${infer Route extends keyof Below}`
      ? Below[Route]
      : never
  : Path extends keyof Above
    ? Above[Path]
    : never

/** What is answered to what is written: items that people keep are put. */
export type Written<Method, Path> = Method extends 'PUT'
  ? Kept
  : Method extends 'DELETE'
    ? { name: string }
    : Answer<Path>
