// SPDX-License-Identifier: Apache-2.0
// What a row of operators leads to: its events in the timeline, and the rows below it.
import { quoted, say } from '../base/element.js'
import { columnAt } from '../base/values.js'
import { ranges } from '../timeline/tiles.js'
import { CORES, MEMBERS, ROWS, keyOf, withCores } from './operators.js'
import { statesLayers } from './outlined.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('./operators.js').Node} Node */
/** @typedef {import('./frame.js').Answer<import('../base/answers.d.ts').Operators>} Answer */
/** @typedef {import('../base/answers.d.ts').Row} Row */
/** @typedef {import('../base/answers.d.ts').Sheet} Sheet */
/** @typedef {import('../base/answers.d.ts').Sum} Sum */

/** What chooses the rows of an operator, beside its tracks; null: this scope cannot part its rows by layers of paths. @param {Page} page @param {Node} node @param {import('../base/api.js').Params} part of the run @returns {Promise<import('../base/api.js').Params | null>} */
async function choiceOf(page, node, part) {
  const { session } = page,
    tracks = part.tracks || part.parts ? part.tracks : tracksOf(page, node.device)
  const within = [...node.within, { level: node.level, name: node.name }],
    isStated = statesLayers(session)
  const where = within
    .filter(one => one.level !== 'layer' || isStated)
    .map(one => keyOf(one.level) + '=' + quoted(one.name))
    .join(' ')
  const layer = within.find(one => one.level === 'layer')
  if (!layer || isStated) return { ...part, where, tracks }
  if (part.parts) return null
  const { groups } = await session.ask('groups', { by: 'layer' }),
    group = groups.find(one => one.name === layer.name)
  return group
    ? {
        ...part,
        where: where || null,
        tracks: null,
        parts: 'layer:' + group.group + (tracks ? '@' + tracks : ''),
      }
    : null
}

/**
 * Table operators at a level with cores, of the same part of the run and the same device as an
 * answer.
 * @param {Page} page @param {Pick<Answer, 'of'>} answer @param {Node} node @param {string} level
 */
async function tableAt(page, answer, node, level) {
  const { session } = page,
    said = session.profile.tables.some(one => one.name === CORES && one.rows)
  const [table, cores] = await Promise.all([
    session.ask('operators', {
      ...answer.of?.params,
      level,
      device: node.device || null,
      n: MEMBERS,
    }),
    said
      ? session.ask(`table/${CORES}`, { where: 'level = ' + level, n: MEMBERS })
      : Promise.resolve(null),
  ])
  return withCores(table, cores)
}

/** Levels that name what a row of a search is, by how the search sums up. @type {Record<string, string[]>} */
const NAMED = { operator: ['framework'], name: ['hlo', 'name'] }

/** Instructions of Neuron that wait are of a layer, but no operators. */
const NO_WAIT = 'category!=' + quoted('semaphore wait')

/**
 * What is below an operator: framework operators of a layer where the file names them, else work by
 * its names.
 * @param {Page} page @param {Answer} answer @param {Node} node
 * @param {import('../base/api.js').Params} part @returns {Promise<Node[] | null>}
 */
export async function rowsBelow(page, answer, node, part) {
  if (node.calls === null) return node.nodes?.length ? [] : null
  const { session } = page,
    choice = await choiceOf(page, node, part)
  if (!choice) {
    say('Rows of an area of groups tell no operators of ' + node.name + ': choose a range, or all.')
    return null
  }
  const sums = async (/** @type {string} */ by, where = choice.where) =>
    (await session.ask('s', { ...choice, where, by, n: ROWS, percentiles: 1 })).rows
  let by = node.level === 'layer' ? 'operator' : 'name',
    rows = await sums(by)
  if (by === 'operator' && rows.every(one => one.name === null)) rows = await sums((by = 'name'))
  const isAll = () =>
    node.level !== 'layer' || rows.reduce((sum, one) => sum + one.count, 0) === node.calls
  if (!isAll()) rows = await sums(by, [choice.where, NO_WAIT].filter(Boolean).join(' '))
  if (!isAll()) {
    say('The file does not say which operators are in ' + node.name + '.')
    return null
  }
  const tables = await Promise.all(NAMED[by].map(level => tableAt(page, answer, node, level)))
  return rows.map(one => nodeBelow(node, one, by, answer.data?.columns ?? [], tables))
}

/**
 * A row of a search as a row below an operator. Columns that the search does not have are those of
 * the operator itself, where all its calls are in here.
 * @param {Node} node @param {Sum} sum @param {string} by
 * @param {Sheet['columns']} columns that it gets @param {Sheet[]} tables @returns {Node}
 */
function nodeBelow(node, sum, by, columns, tables) {
  const cell = (/** @type {Sheet} */ table, /** @type {Row} */ row, /** @type {string} */ name) =>
    row[columnAt(table.columns, name)] ?? null
  const found = tables.flatMap(table =>
    table.rows
      .filter(
        row =>
          cell(table, row, 'operator') === sum.name &&
          Number(cell(table, row, 'calls')) === sum.count &&
          (!node.device || cell(table, row, 'device') === node.device),
      )
      .map(row => ({ table, row })),
  )[0]
  const [share, self] = ['share', 'self_ns'].map(name => Number(node.row[columnAt(columns, name)])),
    part = share && self ? share / self : null
  const row = columns.map(({ name }) =>
    found ? cell(found.table, found.row, name) : childCell(sum, name, node.device || null, part),
  )
  return {
    name: sum.name ?? '',
    device: node.device,
    calls: sum.count,
    path: [...node.path, node.name],
    within: [...node.within, { level: node.level, name: node.name }],
    level: by === 'operator' ? 'framework' : 'name',
    row,
    leaf: by === 'name' || sum.name === null,
  }
}

/** Whether a track is of a device, as tables name that. @param {import('../timeline/model.js').Model} model @param {number} track @param {string} device */
const isOf = (model, track, device) =>
  model.pathOf(track).some(one => one.label === device) ||
  model.nameOf(track).replaceAll(' › ', '/').startsWith(device)

/** Tracks of a device on which operators run; all where it is no track. @param {Page} page @param {string} device */
function tracksOf(page, device) {
  const { model } = page.session
  const own = [...model.tracks.values()].filter(track => isOf(model, track.track, device))
  const work = own.filter(track => track.kind === 'engine' || track.kind === 'queue'),
    chosen = work.length ? work : own
  return chosen.length ? ranges(chosen.map(track => track.track)) : null
}

/** The search for an operator. Kernels of XLA have names of their own and state that of HLO beside it; operators of one name are told apart by their program. @param {import('../base/session.js').Session} session @param {string} name @param {string} level */
async function searchOf(session, name, level) {
  if (level === 'layer' && !statesLayers(session))
    return 'framework_op~' + quoted('*' + name + '/*')
  if (keyOf(level) !== 'name') return keyOf(level) + '=' + quoted(name)
  const [, hlo, program] = /^(.*) \(program (\d+)\)$/.exec(name) ?? ['', name, ''],
    rest = quoted(hlo) + (program && ' program_id=' + program)
  const { total } = await session.ask('q', { q: 'name=' + rest, n: 1 })
  return (total ? 'name=' : 'hlo_op=') + rest
}

/** Selects what an operator is in the timeline, on its device where that is known; null: the file names none. @param {Page} page @param {string | null} name @param {string} level @param {string} [device] */
export async function follow(page, name, level, device = '') {
  if (name === null)
    return say('The file does not say of which operator this work is: nothing to select.')
  page.session.query.value = await searchOf(page.session, name, level)
  const { model } = page.session,
    tracks = device ? [...model.tracks.keys()].filter(track => isOf(model, track, device)) : []
  document.dispatchEvent(
    new CustomEvent('nprof-hit', { detail: tracks.length ? { by: 1, tracks } : 1 }),
  )
}

/**
 * What a name below an operator has in a column of operators.
 * @param {Sum} child @param {string} column @param {string | null} device
 * @param {number | null} part the share of 1 ps of self time
 */
function childCell(child, column, device, part) {
  const share = part === null ? null : Number(child.self_inside) * part
  /** @type {Record<string, string | number | null>} */
  const cells = {
    operator: child.name,
    calls: child.count,
    occurrences: child.count,
    total_ns: child.inside,
    self_ns: child.self_inside,
    mean_ns: child.mean,
    share,
    flops: child.flops,
    bytes: child.bytes,
    mfu: child.mfu,
    device,
  }
  const value = cells[column] ?? null
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : value
}
