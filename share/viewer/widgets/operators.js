// SPDX-License-Identifier: Apache-2.0
// Operators at one level, with two pies: by device, and the operators of one device. A row with rows below it
// unfolds; the question mark lists what a fused operator is made of.
import { computed, effect, html, nothing, signal } from '../lib/lit.js'
import { pie } from '../charts/pie.js'
import { howFused } from '../base/fusions.js'
import { endsOf, shortNames } from '../base/ends.js'
import { rest, withRest } from '../base/rest.js'
import { cellText, columnAt, counted, deviceText, numberText } from '../base/values.js'
import { setting } from '../base/session.js'
import { keeperOf, strangerNote } from './filter.js'
import { asked, bar, live, scopeOf, unknown } from './frame.js'
import { compare, gridTemplate, namesOf } from './grid.js'
import {
  ROWS as OF_ROWS,
  askedOfScope,
  missing,
  runButton,
  saveOfScope,
  scopeNote,
  tablesCommand,
} from './scoped.js'
import { flat, nested } from './layers.js'
import { unfolded } from './unfolded.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */
/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Setting} Setting */
/** @typedef {import('../base/answers.d.ts').Operators} Operators */
/** @typedef {import('../base/answers.d.ts').Sheet} Sheet */
/** @typedef {import('../base/answers.d.ts').Row} Row */
/**
 * A row of the table: its cells, the level that names it, and the operators that it is within.
 * @typedef {{name: string, device: string, calls: number | null, path: string[], level: string,
 *   row: Row, within: {level: string, name: string}[], leaf: boolean, nodes?: Node[], opens?:
 *   boolean}} Node
 */

/** Rows and columns that are shown until people ask for the whole table, and fusions of them with a question mark. */
const FIRST = 10,
  COLUMNS = 6,
  HELPED = 2

const LEVELS = ['hlo', 'name', 'framework', 'opcode', 'layer', 'category']
export const ROWS = 500,
  MEMBERS = 10000
/** Letters of a choice that a narrow list has room for. */
const LETTERS = 20

/** Column, and how it is called here. @type {Record<string, string>} */
const TITLES = { share: 'Time %', calls: 'occurrences', neuron_device: 'Neuron device' }

/**
 * Whether operators have times by the clock of their device: rows of TPUs state them.
 * @param {import('../base/session.js').Session} session
 */
export const hasClock = ({ head }) => head.devices.some(({ type }) => type.startsWith('TPU'))

/**
 * What a column is called: where operators have a clock of their own, all else has the timeline's.
 * @param {import('../base/session.js').Session} session @param {string} name
 */
const titleOf = (session, name) =>
  TITLES[name] ??
  (hasClock(session) && /^(self|total|mean)_ns$/.test(name)
    ? name.slice(0, -3) + ', device clock'
    : undefined)
const ORDER = [
  /^operator$/,
  /^(calls|occurrences)$/,
  /^total/,
  /^self/,
  /^share$/,
  /^device$/,
  /^neuron_device$/,
  /^core$/,
  /^mean/,
  /^mfu$/,
  /^flops$/,
  /^bytes$/,
  /^on_chip_bytes$/,
  /^category$/,
]

/** Work of which the file names no operator, as pies call it. */
const UNKNOWN = 'unknown'

/** The table in which a profile of Neuron says on which device and core each operator ran. */
export const CORES = 'neuron_ops'

/** @type {import('./dock.js').Definition} */
export const operators = {
  id: 'operators',
  title: 'Operators',
  help: 'What took the time: framework operators, HLO or kernels, opcodes, layers',
  titleOf: level => (level ? 'Operators: ' + level : 'Operators'),
  mount: (element, page, argument) =>
    mountOperators(element, page, LEVELS.includes(argument) ? argument : ''),
}

/** @param {HTMLElement} element @param {Page} page @param {string} fixed */
function mountOperators(element, page, fixed) {
  const { session } = page
  const id = fixed ? 'operators:' + fixed : 'operators'
  const chosen = setting(session, id + '.level', ''),
    found = signal(fixed || LEVELS[0]),
    level = computed(() => (LEVELS.includes(chosen.value) ? chosen.value : found.value))
  const drawn = setting(session, id + '.pies', ''),
    device = setting(session, id + '.device', ''),
    sort = setting(session, id + '.sort', '-self_ns'),
    filter = setting(session, id + '.filter', '')
  const most = signal(ROWS)
  const ask = (/** @type {string | null} */ of) => ({
    route: /** @type {const} */ ('operators'),
    params: { level: level.value, device: of, n: most.value },
  })
  const { answer, dispose } = askedOfScope(session, () => ask(null), OF_ROWS)
  // A row over all devices needs those of each.
  const more = effect(() => {
    const { data } = answer.value
    if (data && data.devices.length > 1 && data.rows.length < data.total) most.value = MEMBERS
  })
  // The second pie is of one device: the chosen one, else the busiest.
  const shownDevice = () => device.value || (answer.value.data?.pies.by_device[0]?.[0] ?? '')
  const one = askedOfScope(session, () => (shownDevice() ? ask(shownDevice()) : null), OF_ROWS)
  const cores = asked(session, () =>
    session.profile.tables.some(table => table.name === CORES && table.rows)
      ? {
          route: /** @type {const} */ (`table/${CORES}`),
          params: { where: 'level = ' + level.value, n: 10000 },
        }
      : null,
  )
  const ofFusions = (/** @type {string} */ name) =>
    asked(session, () =>
      session.profile.tables.some(table => table.name === name && table.rows)
        ? { route: /** @type {const} */ (`table/${name}`), params: { n: MEMBERS } }
        : null,
    )
  const [fusions, fused] = ['fusion_members', 'fusions'].map(ofFusions),
    explained = signal('')
  // Until one is chosen the widget shows its own level, else the first that the file has rows of; `left` is the answer
  // of a level that was passed by, until that of the next comes.
  const order = fixed ? [fixed, ...LEVELS.filter(one => one !== fixed)] : LEVELS
  const left = signal(/** @type {Operators | null} */ (null))
  const first = effect(() => {
    const { data, state } = answer.value,
      next = order[order.indexOf(found.peek()) + 1]
    if (
      !chosen.peek() &&
      state === 'done' &&
      data &&
      !data.unknown &&
      hasNone(data) &&
      next &&
      session.scope.peek() === 'whole' &&
      !device.peek()
    ) {
      left.value = data
      found.value = next
    }
  })
  // Of which level the file has operators does not depend on the scope; what is below a row does.
  if (session.scope.peek() !== 'whole')
    firstLevel(session, order).then(
      level => {
        found.value = level
      },
      () => {},
    )
  const shown = () => (device.value ? one.answer.value : answer.value)
  const unfold = unfolded(
    session,
    id,
    shown,
    () => rootsOf(withCores(shown().data, cores.answer.value.data), level.value, filter.value),
    async (row, part) => (await rest()).rowsBelow(page, shown(), row, part),
  )
  const whole = wholeTables()
  const stop = live(element, () => {
    const without = missing(session, answer.value),
      all = without === nothing ? answer.value.data : null,
      data = all && withCores(shown().data, cores.answer.value.data)
    return html`${
      !whole.value
        ? nothing
        : bar({
            left: html`<button class="quiet" title="The first rows, and what tells them apart" @click=${() => {
              whole.value = false
            }}>Brief</button>${choice('Level', LEVELS, chosen, '', undefined, level.value)}${choice('Device', ['', ...(all?.devices ?? [])], device, 'all', deviceText)}
        <input type="search" placeholder="filter, or column > value" aria-label="Filter operators" .value=${filter.value} @input=${(
          /** @type {FieldEvent} */ event,
        ) => {
          filter.value = event.target.value
        }}>${all?.pies.by_device.length ? piesButton(drawn) : nothing}`,
            note: [
              data?.rows ? rowsText(data, filter.value) : '',
              scopeNote(session, session.chosenOf(session.scope.value)),
            ]
              .filter(Boolean)
              .join(' · '),
            command: tablesCommand(session, ['operators'], OF_ROWS),
            filtered: true,
            csv: data?.rows.length
              ? () =>
                  saveOfScope(
                    session,
                    'operators',
                    data,
                    ask(device.value || null),
                    whole => withCores(whole, cores.answer.value.data),
                    OF_ROWS,
                  )
              : null,
          })
    }${without}${data?.rows.length && session.strip.value?.unsure.length ? html`<p class="note">Rows that may be work or not are left out${session.head.busy?.reason ? ': ' + session.head.busy.reason : ''}</p>` : nothing}${all && all === left.value ? html`<p class="muted" aria-busy="true">asking…</p>` : answer.value.state === 'done' && all && !all.unknown && (hasNone(all) || (tookNone(all) && session.rangeOf(session.scope.value))) ? nothingAt(session, all, chosen, level.value) : data?.columns.length ? html`<div class="scrolled">${fixed && level.value !== fixed && !chosen.value ? instead(fixed, level.value) : nothing}${pies(page, all, one.answer.value, shownDevice(), { device, drawn }, level.value)}${rows(page, { data, sort, filter, unfold, level, past: scopeOf(session, answer.value) === 'past', members: membersOf(fusions.answer.value.data, fused.answer.value.data), explained, whole })}</div>` : nothing}`
  })
  return () => {
    stop()
    first()
    more()
    unfold.dispose()
    dispose()
    one.dispose()
    cores.dispose()
    fusions.dispose()
    fused.dispose()
  }
}

/** The first level that the whole run has operators of. @param {import('../base/session.js').Session} session @param {string[]} order */
async function firstLevel(session, order) {
  for (const level of order)
    if (!hasNone(await session.ask('operators', { level, n: ROWS }))) return level
  return order[order.length - 1]
}

/**
 * Columns with what they are called here, by which a filter names them, too.
 * @param {import('./grid.js').Column[]} columns
 */
const titled = columns => columns.map(column => ({ ...column, title: TITLES[column.name] }))

/**
 * How many rows there are, and how many of them the filter keeps.
 * @param {Sheet & {total: number}} data @param {string} filter
 */
function rowsText({ columns, rows, total }, filter) {
  const own = titled(columns),
    kept = filter ? rows.filter(keeperOf(filter, own, UNKNOWN)).length : null,
    stranger = kept === 0 ? strangerNote(filter, own) : ''
  return (
    (kept === null ? '' : numberText(kept) + ' of ') +
    counted(total, 'row') +
    (stranger && ' · ' + stranger)
  )
}

/** Why a level may have no rows. @type {Record<string, string>} */
const NEEDS = {
  hlo: 'needs HLO operators: no row of the file names one',
  framework: 'needs framework operators: the file links no work to one',
  opcode: 'needs opcodes: no row of the file has one',
  layer: 'needs layers: no row of the file names one',
  category: 'needs rows with a category',
  name: 'needs work of a device: the file has none, or none in this range',
}

/**
 * Whether no row has a name at this level, such as "(no operator)" in all of them.
 * @param {Sheet & {total: number}} data
 */
const hasNone = data =>
  data.total === data.rows.length &&
  data.rows.every(row => row[columnAt(data.columns, 'operator')] === '(no operator)')

/**
 * Whether no operator took any time, as in an idle gap, which the work before it touches.
 * @param {Sheet & {total: number}} data
 */
const tookNone = ({ columns, rows, total }) => {
  const time = columnAt(columns, 'total_ns')
  return total === rows.length && rows.every(row => row[time] !== null && Number(row[time]) === 0)
}

/** Says why the operators below are of another level than the widget's own. @param {string} own @param {string} level */
const instead = (own, level) =>
  html`<p class="unknown instead"><b>unknown:</b> ${NEEDS[own]}. Operators by ${level} stand here instead.</p>`

/**
 * Why there are no operators: none ran in this part of the run, or the file names none at this
 * level.
 * @param {import('../base/session.js').Session} session @param {Operators} data
 * @param {Setting} chosen @param {string} level
 */
function nothingAt(session, data, chosen, level) {
  const whole = runButton(session)
  if (tookNone(data) && whole !== nothing)
    return html`<p class="unknown">No work of a device lies in this part of the run.</p>${whole}`
  return html`${unknown(NEEDS[level])}${
    level === 'name'
      ? nothing
      : html`<p class="pad"><button @click=${() => {
          chosen.value = 'name'
        }}>Operators by name</button></p>`
  }`
}

/** @param {string} label @param {string[]} choices @param {Setting} chosen @param {string} [empty] @param {(one: string) => string} [textOf] @param {string} [now] what is shown, where that is not what was chosen */
export function choice(
  label,
  choices,
  chosen,
  empty = '',
  textOf = one => one,
  now = chosen.value,
) {
  const texts = choices.map(one => (one ? textOf(one) : empty)),
    short = shortNames(texts, LETTERS),
    whole = texts[choices.indexOf(now)] ?? ''
  return html`<label class="chip" title=${label + (whole.length > LETTERS ? ': ' + whole : '')}>${label} <select aria-label=${label} @change=${(
    /** @type {ChoiceEvent} */ event,
  ) => {
    chosen.value = event.target.value
  }}>${choices.map((one, i) => html`<option value=${one} .selected=${now === one} title=${short.get(texts[i]) === texts[i] ? nothing : texts[i]}>${short.get(texts[i])}</option>`)}</select></label>`
}

/** Where there is little room pies are drawn when they are asked for. @param {Setting} drawn */
const piesButton = drawn =>
  html`<button class="pies-button" aria-pressed=${Boolean(drawn.value)} title="Time by device and by operator as pies; they are hidden here because there is little room" @click=${() => {
    drawn.value = drawn.value ? '' : 'yes'
  }}>Pies</button>`

/**
 * @param {Page} page @param {Operators | null} all
 * @param {import('./frame.js').Answer<Operators>} answer of the device
 * @param {string} name of the device @param {{device: Setting, drawn: Setting}} settings
 * @param {string} level
 */
function pies(page, all, { data: one, state }, name, { device, drawn }, level) {
  if (!all?.pies.by_device.length) return nothing
  return html`<div class=${drawn.value ? 'pies asked' : 'pies'}>${pie(
    'Time by device',
    all.pies.by_device,
    chosen => {
      device.value = device.value === chosen ? '' : chosen
    },
    deviceText,
  )}
    ${one?.pies ? pie('Operators of ' + deviceText(name), one.pies.by_operator, operator => followed(page, operator === UNKNOWN ? null : operator, level, name), undefined, barColours(page.session)) : html`<figure class="pie" aria-busy=${state === 'asking' ? 'true' : nothing}></figure>`}</div>`
}

/** Colours as the bars of the timeline have them; who asks is drawn again when they change. @param {import('../base/session.js').Session} session */
export function barColours(session) {
  session.names.version.value
  const colours = session.colours.value
  return (/** @type {string} */ name) => colours.ofName(name)
}

/** The same of frames. @param {import('../base/session.js').Session} session */
export function frameColours(session) {
  session.names.version.value
  const colours = session.colours.value
  return (/** @type {string} */ name) => colours.ofFrame(name)
}

/** Selects what an operator is in the timeline. @param {Parameters<import('../base/rest.js').Rest['follow']>} what */
const followed = (...what) => withRest(({ follow }) => follow(...what))

/** Attributes that say what is one operator at a level; elsewhere it is the name. @type {Record<string, string>} */
const KEYS = {
  framework: 'framework_op',
  layer: 'layer',
  opcode: 'hlo_category',
  category: 'category',
}
/** @param {string} level */
export const keyOf = level => KEYS[level] ?? 'name'

/** What the profile's own table says of a name, and its column here. */
const STATED = [
  {
    of: 'device',
    name: 'neuron_device',
    help: 'number of the Neuron device, as the profile says it',
  },
  { of: 'core', name: 'core', help: 'NeuronCore, as the profile says it of this name' },
]

/**
 * Operators with the devices and cores that ran them, as the profile's own table says by their
 * names.
 * @template {Sheet | null} Data @param {Data} data @param {Sheet | null} said that table
 * @returns {Data}
 */
export function withCores(data, said) {
  if (!data?.columns.length || !said?.rows.length) return data
  const at = (/** @type {Sheet} */ table, /** @type {string} */ name) =>
    columnAt(table.columns, name)
  const operator = at(data, 'operator'),
    name = at(said, 'name')
  const columns = STATED.map(({ of, name: as, help }) => {
    /** @type {Map<unknown, Set<string>>} */
    const numbers = new Map()
    for (const row of said.rows)
      numbers.set(row[name], (numbers.get(row[name]) ?? new Set()).add(String(row[at(said, of)])))
    const textOf = (/** @type {Row} */ row) =>
      [...(numbers.get(row[operator]) ?? [])].sort().join(', ') || null
    return { column: { name: as, type: 'string', unit: '', help }, textOf }
  })
  return {
    ...data,
    columns: [...data.columns, ...columns.map(one => one.column)],
    rows: data.rows.map(row => [...row, ...columns.map(one => one.textOf(row))]),
  }
}

/**
 * Operators as rows that may unfold; layers lie below each other, but what a filter finds stands
 * alone.
 * @param {Sheet | null} data @param {string} level @param {string} filter @returns {Node[]}
 */
function rootsOf(data, level, filter) {
  if (!data?.columns.length) return []
  const keeps = keeperOf(filter, titled(data.columns), UNKNOWN),
    rows = data.rows.filter(keeps)
  /** @param {import('./layers.js').Layer} one @returns {Node} */
  const asNode = one => ({
    ...one,
    level,
    within: [],
    leaf: one.leaf || (keyOf(level) === 'name' && !one.nodes.length),
    nodes: one.nodes.map(asNode),
  })
  return (level === 'layer' && !filter ? nested : flat)(data.columns, rows).map(asNode)
}

/**
 * @param {Page} page
 * @param {{data: Operators, sort: Setting, filter: Setting, unfold: ReturnType<typeof
 *   unfolded<Node>>, level: {value: string}, past: boolean, members: Members, explained:
 *   import('../lib/lit.js').Signal<string>, whole: import('../lib/lit.js').Signal<boolean>}} state
 */
function rows(page, { data: own, sort, filter, unfold, level, past, members, explained, whole }) {
  const data = whole.value ? own : overDevices(own)
  const at = (/** @type {string} */ name) => columnAt(data.columns, name)
  const operator = at('operator'),
    deviceAt = at('device'),
    key = sort.value.replace('-', ''),
    sign = sort.value[0] === '-' ? -1 : 1
  const there = ORDER.map(name => data.columns.findIndex(column => name.test(column.name))).filter(
    i => i >= 0 && !(data.columns[i].name === ON_CHIP && isEmpty(data, i)),
  )
  const by = Math.max(0, at(key)),
    sorted = (/** @type {Node[]} */ nodes) =>
      [...nodes].sort((a, b) => compare(data.columns[by], a.row[by], b.row[by], sign))
  /** @param {Node[]} nodes @param {number} [depth] @returns {Line[]} */
  const withBelow = (nodes, depth = 0) =>
    sorted(nodes).flatMap(node => [
      { ...node, node, depth },
      ...withBelow(unfold.below(node), depth + 1),
    ])
  const all = whole.value
    ? withBelow(rootsOf(data, level.value, filter.value))
    : sorted(rootsOf(data, '', filter.value))
        .slice(0, FIRST)
        .map(node => ({ ...node, node, depth: 0 }))
  const shown = whole.value
    ? there
    : there
        .filter(i =>
          isBrief(
            data.columns[i],
            all.map(one => one.row[i]),
          ),
        )
        .slice(0, COLUMNS)
  const nameAt = (/** @type {number} */ i) => cellText(all[i].row[operator]),
    texts = namesOf(
      all.map(one => String(one.row[operator] ?? '')),
      page.session.names.called.value,
    )
  const helped = new Set(
    all.flatMap((_one, i) => (members?.of.has(nameAt(i) ?? '') ? [i] : [])).slice(0, HELPED),
  )
  return html`${gridTemplate({
    label: 'Operators',
    past,
    columns: shown.map(i => ({
      ...data.columns[i],
      title: titleOf(page.session, data.columns[i].name),
    })),
    total: data.total,
    offset: 0,
    sort: sort.value,
    share: 'share',
    reasons: {
      mfu: page.session.head.mfu.reason,
      flops: 'the file states no flops of this operator',
      bytes: 'the file states no bytes of this operator',
      on_chip_bytes: 'the file states no bytes of SBUF and PSUM of this operator',
    },
    rows: all.map(one => shown.map(i => one.row[i])),
    onSort: next => {
      sort.value = next
    },
    rowClass: (_row, i) => (all[i].depth ? 'child' : ''),
    onRow: (_row, i) =>
      followed(
        page,
        nameAt(i),
        all[i].level || level.value,
        deviceAt < 0 || (!whole.value && data !== own) ? '' : String(all[i].row[deviceAt]),
      ),
    cell: (_row, c, i) =>
      shown[c] !== operator
        ? null
        : whole.value
          ? nameCell(all[i], operator, unfold, texts, members, explained)
          : html`${briefName(nameAt(i), texts)}${helped.has(i) ? fused(nameAt(i) ?? '', members, explained) : nothing}`,
  })}${whole.value ? nothing : wholeButton(filter.value ? own.rows.filter(keeperOf(filter.value, titled(own.columns), UNKNOWN)).length : own.total, there.length - shown.length, whole)}`
}

/**
 * One row an operator: calls and times of all devices, its share of the time of all of them, and on
 * how many it ran; rows as they are where some have not come.
 * @param {Operators} data @returns {Operators}
 */
function overDevices(data) {
  const [operator, device, self, share, calls, mean, mfu] = [
    'operator',
    'device',
    'self_ns',
    'share',
    'calls',
    'mean_ns',
    'mfu',
  ].map(name => columnAt(data.columns, name))
  const count = new Set(data.rows.map(row => row[device])).size
  if (device < 0 || count < 2 || data.rows.length < data.total) return data
  /** @type {Map<unknown, Row[]>} */
  const of = new Map(),
    /** How long each device worked. @type {Map<unknown, number>} */
    worked = new Map()
  for (const row of data.rows) {
    of.set(row[operator], [...(of.get(row[operator]) ?? []), row])
    if (row[share]) worked.set(row[device], Number(row[self]) / Number(row[share]))
  }
  const all = [...worked.values()].reduce((sum, one) => sum + one, 0)
  const merged = (/** @type {Row[]} */ rows) => {
    const sum = (/** @type {number} */ c) =>
        String(rows.reduce((total, row) => total + BigInt(row[c] ?? 0), 0n)),
      weighted = (/** @type {number} */ c, /** @type {number} */ by) =>
        rows.some(row => row[c] === null)
          ? null
          : rows.reduce((total, row) => total + Number(row[c]) * Number(row[by]), 0) /
            Number(sum(by))
    const row = [...rows[0]]
    row[self] = sum(self)
    row[share] = Number(row[self]) / all
    if (calls >= 0) row[calls] = sum(calls)
    const usual = mean < 0 ? null : weighted(mean, calls)
    if (mean >= 0) row[mean] = usual === null ? null : String(Math.round(usual))
    if (mfu >= 0) row[mfu] = weighted(mfu, self)
    if (rows.length > 1)
      row[device] = rows.length === count ? 'all ' + count : rows.length + ' of ' + count
    return row
  }
  const rows = [...of.values()].map(merged)
  return { ...data, rows, total: rows.length }
}

/** Columns as a table is first opened; the last ones only where they tell rows apart. */
const BRIEF = /^(operator|calls|occurrences|self_ns|share|neuron_device|core|mean_ns)$/,
  TELLING = /^(device|mfu)$/

/** A column that none but Neuron's tools fill. */
const ON_CHIP = 'on_chip_bytes'

/** @param {Sheet} data @param {number} i */
const isEmpty = (data, i) => data.rows.every(row => row[i] === null)

/** Whether a column tells rows apart, of most of which it is known. @param {{name: string}} column @param {unknown[]} values of the rows that are shown */
const isBrief = ({ name }, values) =>
  BRIEF.test(name) ||
  (TELLING.test(name) &&
    new Set(values).size > 1 &&
    2 * values.filter(one => one !== null).length > values.length)

/** Leads from the first rows to the whole table, with its filter, levels and commands. @param {number} rows @param {number} columns that are left out @param {import('../lib/lit.js').Signal<boolean>} whole */
const wholeButton = (rows, columns, whole) =>
  html`<p class="whole"><button class="as-link" @click=${() => {
    whole.value = true
  }}>All ${counted(rows, 'row')}${columns ? ', ' + counted(columns, 'column') + ' more' : ''}, filter and levels</button></p>`

/** Whether people want whole tables; the browser keeps it. @returns {import('../lib/lit.js').Signal<boolean>} */
function wholeTables() {
  const whole = signal(localStorage.getItem(WHOLE) === 'yes')
  effect(() => localStorage.setItem(WHOLE, whole.value ? 'yes' : ''))
  return whole
}

const WHOLE = 'nprof-whole'

/** A row that is shown, and how deep it lies. @typedef {Node & {node: Node, depth: number}} Line */

/**
 * @param {Line} one @param {number} operator @param {ReturnType<typeof unfolded<Node>>} unfold
 * @param {import('./grid.js').Texts} texts @param {Members} members
 * @param {import('../lib/lit.js').Signal<string>} explained
 */
function nameCell(one, operator, unfold, texts, members, explained) {
  const name = String(one.row[operator] ?? ''),
    text = texts.called.get(name) ?? name,
    open = unfold.isOpen(one.node)
  return html`${Array.from({ length: one.depth }, () => html`<span class="indent"></span>`)}${!one.leaf ? html`<button class="fold quiet" aria-expanded=${open} aria-label=${(open ? 'Fold ' : 'Unfold ') + name} @click=${() => unfold.toggle(one.node)}>${open ? '▾' : '▸'}</button>` : html`<span class="no-fold"></span>`}${name ? html`<span class="ends" title=${name}>${endsOf(text, texts.differ.get(text))}</span>` : html`<span class="unknown" title="the file does not say of which operator this work is">${UNKNOWN}</span>`}${fused(name, members, explained)}`
}

/** Letters of a name as a table is first opened: pixels of the window a letter, the fewest letters,
 * and how many of them are its first. */
const PIXELS = 20,
  LEAST = 44,
  FRONT = 18

/** A name whose middle is left out where it is long: what is kept of it tells it apart, and the title has all. @param {string | null} name @param {import('./grid.js').Texts} texts */
function briefName(name, texts) {
  if (!name)
    return html`<span class="unknown" title="the file does not say of which operator this work is">${UNKNOWN}</span>`
  const text = texts.called.get(name) ?? name,
    longest = Math.max(LEAST, Math.floor(innerWidth / PIXELS))
  if (text.length <= longest) return html`<span title=${name}>${text}</span>`
  const rest = longest - FRONT,
    from = Math.min(Math.max(FRONT, (texts.differ.get(text) ?? FRONT) - 4), text.length - rest)
  return html`<span title=${name}>${text.slice(0, FRONT)}${from > FRONT ? '…' : ''}${text.slice(from, from + rest)}${from + rest < text.length ? '…' : ''}</span>`
}

/** The members of fusions by their names, of the table fusion_members, and how each came about, of fusions; null: the profile has none. @typedef {{of: Map<string, string[]>, how: Map<string, unknown>, isWhole: boolean} | null} Members */

/** @typedef {import('../base/answers.d.ts').Table} Table */

/**
 * @param {Table | null} data table fusion_members @param {Table | null} fusions @returns {Members}
 */
function membersOf(data, fusions) {
  if (!data?.columns.length) return null
  const [fusion, member, seen] = ['fusion', 'member', 'seen'].map(name =>
    columnAt(data.columns, name),
  )
  /** @type {Map<string, string[]>} */
  const of = new Map()
  for (const row of data.rows) {
    const name = String(row[fusion]),
      own = of.get(name) ?? [],
      text = row[member] + (row[seen] === 'no' ? ' (hidden: no event of its own)' : '')
    of.set(name, own.includes(text) ? own : [...own, text])
  }
  const [name, way] = ['fusion', 'how'].map(name => columnAt(fusions?.columns ?? [], name))
  const how = new Map((fusions?.rows ?? []).map(row => [String(row[name]), row[way]]))
  return { of, how, isWhole: data.total === data.rows.length }
}

/** The question mark of a fusion says what it is made of, and how it came about: to the pointer, and below the name when it is pressed. @param {string} name @param {Members} members @param {import('../lib/lit.js').Signal<string>} explained the name that was asked for */
function fused(name, members, explained) {
  if (!members || !/fus/i.test(name)) return nothing
  const own = members.of.get(name),
    isOpen = explained.value === name
  const text = own
    ? howFused(members.how.get(name)).text + ': ' + own.join(', ')
    : members.isWhole
      ? 'The file does not say what is fused in it'
      : 'It is not among the first ' + numberText(MEMBERS) + ' rows of table fusion_members'
  return html` <button class="quiet" aria-label=${'What is fused in ' + name} aria-expanded=${isOpen} title=${text} @click=${(
    /** @type {Event} */ event,
  ) => {
    event.stopPropagation()
    explained.value = isOpen ? '' : name
  }}>?</button>${isOpen ? html`<span class="made-of">${text}</span>` : nothing}`
}
