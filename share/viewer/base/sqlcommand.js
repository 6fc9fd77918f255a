// SPDX-License-Identifier: Apache-2.0
// What a widget shows of rows, as a query of nprof sql that prints the same rows and numbers: of the run, a part of it, tracks, and
// rows of groups on tracks. Sums are cut at the edges of the part, as the page cuts them.
import { readParts } from './parts.js'
import { shellText } from './session.js'

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./session.js').Chosen} Chosen */
/** @typedef {import('./session.js').Window} Window */

/** @param {string} text */
export const quoted = text => "'" + text.replaceAll("'", "''") + "'"

/** A word of a shell: in " " where that needs no other sign, for queries are full of '. @param {string} text */
const shellQuery = text => (/[`"$\\!]/.test(text) ? shellText(text) : '"' + text + '"')

/** Rows of a group; null: of what states none. @type {Record<string, (name: string | null) => string>} */
const OF_GROUP = {
  category: name => "coalesce(category, '') = " + quoted(name ?? ''),
  layer: name => 'row_layer(rowid) is ' + (name === null ? 'null' : quoted(name)),
  step: name => 'step is ' + (name ?? 'null'),
}

/** Rows that an area's parts are; null: the groups are not known yet. @param {Session} session @param {Chosen} chosen */
function ofParts(session, chosen) {
  const answer = session.groupsOf(chosen),
    parts = readParts(chosen.parts ?? '')
  if (!answer || !parts) return null
  // Where no row states one there is no such column, and all rows are of the one group.
  const stated = answer.groups.some(group => group.name !== null)
  const of = (/** @type {number} */ number) =>
    stated ? OF_GROUP[answer.by](answer.groups[number]?.name ?? null) : 'true'
  return (
    '(' +
    parts.sets
      .map(
        ({ groups, tracks }) =>
          '(' + groups.map(of).join(' or ') + ') and track in (' + tracks.join(', ') + ')',
      )
      .join(' or ') +
    ')'
  )
}

/** Condition of chosen tracks and groups, empty for all rows; null: the groups are not known yet. @param {Session} session @param {Chosen} chosen */
const rowsOf = (session, chosen) =>
  chosen.parts
    ? ofParts(session, chosen)
    : chosen.tracks.length
      ? 'track in (' + chosen.tracks.join(', ') + ')'
      : ''

/**
 * Columns and conditions of the spans of a range (null: the whole run) and of chosen tracks and groups; null: the groups are not known
 * yet. @param {Session} session @param {Window | null} range @param {Chosen} chosen
 */
export function spansInSql(session, range, chosen) {
  const rows = rowsOf(session, chosen)
  if (rows === null) return null
  const within = range
    ? [`start_ps <= ${range.t1}`, `(duration_ps is null or start_ps + duration_ps >= ${range.t0})`]
    : []
  return {
    inside: range ? `row_inside(rowid, ${range.t0}, ${range.t1})` : 'duration_ps',
    self: range ? `row_self(rowid, ${range.t0}, ${range.t1})` : 'row_self_ps',
    where: ["kind = 'span'", ...within, rows].filter(Boolean).join(' and '),
  }
}

/**
 * The query of the counters of a range (null: the whole run), of chosen tracks and groups: a value holds until the counter's next one, also from
 * before the range; empty: the groups are not known yet. @param {Session} session @param {Window | null} range @param {Chosen} chosen
 */
export function countersQuery(session, range, chosen) {
  const rows = rowsOf(session, chosen),
    { t0, t1 } = range ?? { t0: session.model.start, t1: session.model.end }
  if (rows === null) return ''
  return (
    `select name, process, thread, track, max(unit) as unit, sum(starts) as count, min(value) as min, weighted_avg(value, held_ps) as mean, max(value) as max, sum(iif(value is null, 0, held_ps)) as known_ps from ` +
    `(select *, iif((starts or held_ps > 0) and abs(number) < 9e999, number, null) as value from (select row_lane, name, process, thread, track, extract_arg(rowid, 'unit') as unit, value as number, start_ps between ${t0} and ${t1} as starts, row_inside(rowid, ${t0}, ${t1}) as held_ps ` +
    `from events where ${["kind = 'counter'", rows].filter(Boolean).join(' and ')})) group by row_lane order by row_lane`
  )
}

/**
 * The query of the lines of a file in a range (null: the whole run), of chosen tracks and groups: spans count for the line that they or the innermost
 * around them state, instants for their own, both for those of their stack; empty: the groups are not known yet. @param {Session} session @param {Window | null} range @param {Chosen} chosen @param {string} path
 */
export function linesQuery(session, range, chosen, path) {
  const spans = spansInSql(session, range, chosen),
    rows = rowsOf(session, chosen),
    start = [...path].length + 2
  if (!spans || rows === null) return ''
  const instants = [
    "kind = 'instant'",
    range ? `start_ps between ${range.t0} and ${range.t1}` : '',
    rows,
  ]
    .filter(Boolean)
    .join(' and ')
  const named = session.profile.attributes.some(one => one.key === 'source_stack'),
    frames =
      `union all select place, 0 from (select distinct row, source, ${quoted(path + ':')} || cast(substr(frame.value, ${start}) as integer) as place from ` +
      `(select rowid as row, source, extract_arg(rowid, 'source_stack') as stack from events where ${spans.where} and duration_ps is not null or ${instants}), ` +
      `json_each('[' || replace(json_quote(replace(stack, char(10), char(1))), '\\u0001', '","') || ']') as frame ` +
      `where substr(frame.value, 1, ${start - 1}) = ${quoted(path + ':')} and cast(substr(frame.value, ${start}) as integer) > 0) where place is not source`
  return (
    `select cast(substr(place, ${start}) as integer) as line, count(*) as events, sum(self) as self_ps, cast(sum(self) as real) / nullif(sum(sum(self)) over (), 0) as share from ` +
    `(select row_around(rowid, 'source') as place, ${spans.self} as self from events where ${spans.where} and duration_ps is not null union all select source, 0 from events where ${instants} ${named ? frames : ''}) ` +
    `where substr(place || ':', 1, ${start - 1}) = ${quoted(path + ':')} group by line order by line`
  )
}

/** The command line of a query. Rows that analyzers made are asked for where tracks are chosen: else those of the file count alone. @param {Session} session @param {string} query @param {boolean} [made] */
export const sqlCommand = (session, query, made = false) =>
  session.commandFor(
    [
      'sql',
      ...(made ? session.rowAnalyzers.map(one => '-a ' + shellText(one)) : []),
      '-e ' + shellQuery(query),
    ].join(' '),
  )

const TIMES = ['busy', 'idle', 'compute', 'communication', 'copy', 'exposed'],
  SHARES = ['mfu', 'hfu', 'mbu'],
  WORK = ['flops', 'bytes']

/** The command line that prints what devices did in a range, all of them together, and how many spans it has: a time is known when it is of each device, shares are weighted. @param {Session} session @param {Window | null} range */
export function devicesCommand(session, range) {
  const origins = session.profile.tables.map(one => one.origin)
  const analyzers = ['device', 'mfu'].map(
    name =>
      '-a ' +
      shellText(
        origins.find((/** @type {string} */ origin) => origin.startsWith(name + ':')) ?? name,
      ),
  )
  const some = session.profile.tables.some(one => one.name === 'logical_cores' && one.rows)
  const times = TIMES.map(one => one + '_ps').join(', '),
    whole = some
      ? `(select ${times} from logical_cores union all select ${times} from devices d where not exists (select 1 from logical_cores l where l.input is d.input and substr(d.device, 1, length(l.device) + 1) = l.device || '/'))`
      : 'devices'
  const columns = [
    ...TIMES.map(one => `iif(count(${one}_ps) = count(*), sum(${one}_ps), null) as ${one}_ps`),
    ...SHARES.map(
      one =>
        `(select sum(${one} * span_ps) / sum(span_ps) filter (where ${one} is not null) from devices) as ${one}`,
    ),
    ...WORK.map(
      one => `(select sum(${one}) from mfu where operator = '(total)' and step is null) as ${one}`,
    ),
    "(select count(*) from events where kind = 'span') as events",
  ]
  return session.commandBetween(
    ['sql', ...analyzers, '-e ' + shellQuery(`select ${columns.join(', ')} from ${whole}`)].join(
      ' ',
    ),
    range,
  )
}

/**
 * The command line of a query of the work of devices below what launched it, in a range; of several inputs each stands above its own.
 * @param {Session} session @param {(stacks: string) => string} queryOf makes it of a query of stacks @param {Window | null} range
 */
export function launchedCommand(session, queryOf, range) {
  const input =
    session.head.inputs.length > 1
      ? "iif((select count(distinct input) from stacks) > 1, input || ';', '') || stack as "
      : ''
  return session.commandBetween(
    'sql -a flame:weight=device,steps=one -e ' +
      shellQuery(queryOf(`select ${input}stack, weight as self_ps, count from stacks`)),
    range,
  )
}
