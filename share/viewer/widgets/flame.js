// SPDX-License-Identifier: Apache-2.0
// Flame graph by names, layers or source: left-heavy or in the order of time; a click makes a frame the
// root, and its rows the hits of the search. From there a button leads to who called this name, above it, and what it called,
// below it. What ran on queues of a device, as kernels on streams of a GPU, stands
// below the calls that launched it, since such rows do not nest.
import { computed, effect, html, nothing, signal, svg } from '../lib/lit.js'
import { durationText } from '../base/time.js'
import { counted, exactPercent, numberText } from '../base/values.js'
import { CSS, INK } from '../timeline/colours.js'
import { LABEL_FONT, fit } from '../timeline/fit.js'
import { setting } from '../base/session.js'
import { launchedCommand, quoted, spansInSql, sqlCommand } from '../base/sqlcommand.js'
import { asked, bar, live, saveCsv, scopeParams, unknown, waiting } from './frame.js'
import { follow } from './operator-rows.js'
import { choice, frameColours, hasClock } from './operators.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/answers.d.ts').Frame & {isClass?: boolean}} Frame */
/** A frame with its place: x and width are shares of the width; level is its distance from the first one, where that is not its depth. @typedef {Frame & {x: number, width: number, depth: number, level?: number}} Placed */
/** An answer about a name. @typedef {import('../base/answers.d.ts').FlameAbout} Around */

const ROW = 19,
  BELOW = 14,
  NARROW = 24,
  MIN = 0.0008,
  WORK = new Set(['engine', 'queue', 'async'])

const BYS = ['name', 'layer', 'source'],
  LAUNCH = 'launch'

/** Why there may be no frame. @type {Record<string, string>} */
const NEEDS = {
  launch: 'needs work of devices: no row of this range is any',
  name: 'needs spans that last: no row of this range does',
  layer: 'needs layers: no row of this range names one',
  source: 'needs lines of code: no row of this range names one',
}

/** @type {import('./dock.js').Mount} */
export const flame = (element, page) => {
  const { session } = page
  const kinds = kindsOf(session),
    of = setting(session, 'flame.rows', kinds[0]),
    by = setting(session, 'flame.by', isLaunched(session) ? LAUNCH : BYS[0]),
    order = setting(session, 'flame.order', 'weight'),
    kept = setting(session, 'flame.root', ''),
    about = setting(session, 'flame.about', ''),
    wrappers = setting(session, 'flame.wrappers', 'folded'),
    width = signal(1200)
  const watch = new ResizeObserver(() => {
    width.value = element.clientWidth || width.value
  })
  watch.observe(element)
  const bys = () => (of.value === kinds[0] && isLaunched(session) ? [LAUNCH, ...BYS] : BYS),
    byNow = () => (bys().includes(by.value) ? by.value : BYS[0])
  const { answer, dispose } = asked(session, () => ({
    route: 'flame',
    params: {
      ...(byNow() === LAUNCH
        ? { by: LAUNCH, ...scopeParams(session), tracks: null }
        : { by: byNow(), order: order.value, ...scoped(session, of.value) }),
      about: about.value || null,
    },
  }))
  // Numbers of frames hold for one graph only.
  const graphOf = () =>
    [of.value, byNow(), order.value, wrappers.value, answer.value.data?.total].join(' ') + ' '
  const root = computed(() =>
    kept.value.startsWith(graphOf())
      ? kept.value.slice(graphOf().length).split(',').map(Number)
      : [],
  )
  const setRoot = (/** @type {number[]} */ ids) => {
    kept.value = ids.length ? graphOf() + ids : ''
  }
  const stop = live(element, () => {
    const { data } = answer.value,
      nodes = /** @type {Frame[]} */ (data?.nodes ?? []),
      around = data?.callees?.nodes.length ? data : null
    const nests = nodes.some(node => node.parent),
      own = withoutWrappers(withClasses(nodes, byNow() === LAUNCH || order.value === 'weight')),
      // A frame that was chosen stays, also where it is folded.
      folds = own.length < nodes.length && root.value.every(id => own.some(one => one.id === id)),
      shown = folds && wrappers.value === 'folded' ? own : nodes,
      chosen = root.value.length === 1 && shown.find(node => node.id === root.value[0])
    const drawn = (/** @type {number[]} */ ids) => sliversTogether(place(shown, ids), width.value),
      whole = drawn([]),
      frames = root.value.length ? drawn(root.value) : whole,
      placed = around ? placeAround(around) : [...whole, ...frames]
    element.dataset.most = placed.length ? String(highOf(placed)) : ''
    const ways = about.value
      ? html`<button class="quiet" title="Back to the flame graph" @click=${() => {
          about.value = ''
        }}>Flame graph</button>`
      : html`${root.value.length ? html`<button class="quiet" @click=${() => setRoot([])}>Whole</button>` : nothing}${
          chosen && nests && !chosen.isClass
            ? html`<button class="quiet" title=${'Who called ' + chosen.name + ', and what it called, wherever it stands'} @click=${() => {
                about.value = chosen.name
              }}>Callers and callees</button>`
            : nothing
        }`
    return html`${bar({
      left: html`${kinds.length > 1 ? choice('Rows', kinds, of) : nothing}${choice('By', bys(), by, '', undefined, byNow())}${byNow() === LAUNCH ? nothing : choice('Order', ['weight', 'time'], order)}${ways}`,
      command: commandOf(session, of.value, byNow(), order.value, about.value),
      csv: around
        ? () => saveAround(around)
        : nodes.length
          ? () =>
              saveCsv(
                'flame',
                ['id', 'parent', 'name', 'self_ps', 'total_ps', 'count'],
                nodes.map(cellsOf),
              )
          : null,
    })}
        ${waiting(answer.value)}${
          around
            ? aroundOf(
                page,
                around,
                name => {
                  about.value = name
                },
                byNow(),
                width.value,
              )
            : nodes.length
              ? html`<div class="scrolled">${graph(page, frames, Number(data?.total) || 1, root.value, setRoot, byNow(), width.value)}${folds ? foldedNote(nodes.length - own.length, wrappers) : nothing}${data?.left_out ? html`<p class="note">${leftOut(data.left_out, 'stack')}.</p>` : nothing}${hasClock(session) ? html`<p class="note">Times of the timeline, of all rows of devices; those of Operators are by the clock of the device, of its work alone.</p>` : nothing}${nests ? nothing : flat(kinds, of)}</div>`
              : answer.value.state === 'done' && !data?.unknown
                ? unknown(NEEDS[byNow()])
                : nothing
        }`
  })
  const look = effect(() => {
    if (answer.value.data?.about) requestAnimationFrame(() => lookAtName(element))
  })
  return () => {
    stop()
    look()
    dispose()
    watch.disconnect()
  }
}

/** What modules of PyTorch of one class have before their number. */
const MODULE = /^(nn\.Module: .+)_\d+$/

/** Frames in which the modules of one class that one frame calls are one, with what they call. @param {Frame[]} nodes callers before what they call @param {boolean} byWeight the longest first; else each stays where the first of it is */
export function withClasses(nodes, byWeight) {
  /** @type {Map<string, {node: Frame, kind: string, names: Set<string>}>} */
  const classes = new Map(),
    /** Of each frame the one that is shown for it. @type {Map<number, number>} */
    shown = new Map()
  for (const node of nodes) {
    const parent = node.parent ? (shown.get(node.parent) ?? node.parent) : node.parent,
      kind = MODULE.exec(node.name)?.[1] ?? node.name,
      key = parent + ' ' + kind,
      one = classes.get(key) ?? { node: { ...node, parent }, kind, names: new Set() }
    one.names.add(node.name)
    shown.set(node.id, one.node.id)
    if (one.node.id !== node.id) one.node = sumOf(one.node, node)
    classes.set(key, one)
  }
  const all = [...classes.values()].map(({ node, kind, names }) =>
    names.size > 1 ? { ...node, name: kind + ' × ' + names.size, isClass: true } : node,
  )
  return byWeight ? all.sort((a, b) => Number(b.total) - Number(a.total)) : all
}

/** @param {Frame} a @param {Frame} b @returns {Frame} */
const sumOf = (a, b) => ({
  ...a,
  self: String(BigInt(a.self) + BigInt(b.self)),
  total: String(BigInt(a.total) + BigInt(b.total)),
  count: a.count + b.count,
})

/** A frame with frames below it that takes so much of its caller only calls on. */
const WRAPPER = 0.9

/** Frames without those that only call on, as lanes have them: what is below these stands below their caller. @param {Frame[]} nodes callers before what they call */
export function withoutWrappers(nodes) {
  const byId = new Map(nodes.map(node => [node.id, node])),
    calls = new Set(nodes.map(node => node.parent)),
    /** Of each frame the one that is shown for it. @type {Map<number, number>} */
    shown = new Map()
  return nodes.flatMap(node => {
    const caller = node.parent ? byId.get(node.parent) : undefined,
      parent = caller ? (shown.get(caller.id) ?? caller.id) : node.parent
    const folds =
      caller && calls.has(node.id) && Number(node.total) >= WRAPPER * Number(caller.total)
    shown.set(node.id, folds && parent ? parent : node.id)
    return folds ? [] : [parent === node.parent ? node : { ...node, parent }]
  })
}

/** Nothing is folded in silence. @param {number} count @param {import('../base/session.js').Setting} wrappers */
const foldedNote = (count, wrappers) => {
  const isFolded = wrappers.value === 'folded'
  return html`<p class="note">${counted(count, 'frame')} that ${count === 1 ? 'takes' : 'take'} 90 % of ${count === 1 ? 'its' : 'their'} caller, or ${count === 1 ? 'is' : 'are'} of one class with another, ${isFolded ? 'folded' : 'shown'} <button class="quiet" @click=${() => {
    wrappers.value = isFolded ? 'all' : 'folded'
  }}>${isFolded ? 'Show' : 'Fold'}</button></p>`
}

/** Pixels of the rows that are drawn. @param {Placed[]} frames */
const highOf = frames => (Math.max(...frames.map(one => one.depth)) + 1) * ROW + BELOW

/** @param {Frame} node */
const cellsOf = node => [node.id, node.parent, node.name, node.self, node.total, node.count]

/** @param {Around} around */
const saveAround = ({ callers, callees }) =>
  saveCsv(
    'callers-callees',
    ['part', 'id', 'parent', 'name', 'self_ps', 'total_ps', 'count'],
    [
      ...callers.nodes.map(node => ['callers', ...cellsOf(node)]),
      ...callees.nodes.map(node => ['callees', ...cellsOf(node)]),
    ],
  )

/** Nothing is left out in silence. @param {number} count @param {string} what */
const leftOut = (count, what) => (count ? counted(count, 'small ' + what) + ' left out' : '')

/** Whether rows of queues name their launch, and threads that may have launched them are there. @param {import('../base/session.js').Session} session */
export const isLaunched = session =>
  session.profile.attributes.some(one => one.key === 'correlation_id') &&
  tracksOf(session, 'host').length > 0 &&
  [...session.model.tracks.values()].some(
    track => track.kind === 'queue' && session.model.deviceOf(track.track) !== null,
  )

/** Of which rows stacks may be. @param {import('../base/session.js').Session} session */
export const kindsOf = session => [
  ...(tracksOf(session, 'devices').length ? ['devices'] : []),
  ...(tracksOf(session, 'host').length ? ['host'] : []),
  'all',
]

/** What engines and queues of devices did, else their cores; steps and programs over it are the same time once more. Hosts: their threads. @param {import('../base/session.js').Session} session @param {string} kind devices or host */
export function tracksOf({ model }, kind) {
  const all = [...model.tracks.values()],
    ofDevices = all.filter(track => model.deviceOf(track.track) !== null)
  const engines = ofDevices.filter(track => WORK.has(track.kind)),
    above = new Set(
      engines.flatMap(track => model.pathOf(track.track)).filter(track => !WORK.has(track.kind)),
    )
  const cores = ofDevices.filter(track => track.kind === 'core' && !above.has(track))
  const found =
    kind === 'host'
      ? all.filter(track => track.kind === 'thread' && model.deviceOf(track.track) === null)
      : [...engines, ...cores]
  return found.map(track => track.track).sort((a, b) => a - b)
}

/** The scope's range, and its tracks, else those of a kind. @param {import('../base/session.js').Session} session @param {string} kind */
function scoped(session, kind) {
  const params = scopeParams(session)
  return params.tracks || params.parts || kind === 'all'
    ? params
    : { ...params, tracks: rangesText(tracksOf(session, kind)) }
}

/** The tracks and groups of the same. @param {import('../base/session.js').Session} session @param {string} kind @returns {import('../base/session.js').Chosen} */
function chosenOf(session, kind) {
  const chosen = session.chosenOf(session.scope.value)
  return chosen.tracks.length || chosen.parts || kind === 'all'
    ? chosen
    : { tracks: tracksOf(session, kind) }
}

/** The command that prints the frames: each stack with its own time, as folded stacks are; about a name, each that has it, cut there. @param {import('../base/session.js').Session} session @param {string} kind @param {string} by @param {string} order @param {string} about */
function commandOf(session, kind, by, order, about) {
  const range = session.rangeOf(session.scope.value),
    query = (/** @type {string} */ stacks, /** @type {string} */ sorted) =>
      about ? aroundQuery(stacks, about, by) : stacks + ' order by ' + sorted
  if (by === LAUNCH) return launchedCommand(session, stacks => query(stacks, 'self_ps desc'), range)
  const chosen = chosenOf(session, kind),
    spans = spansInSql(session, range, chosen),
    frame = by === 'name' ? 'row_stack(rowid)' : `row_around(rowid, '${by}')`
  return spans
    ? sqlCommand(
        session,
        query(
          `select ${frame} as stack, sum(${spans.self}) as self_ps, count(*) as count from events where ${spans.where} and duration_ps is not null group by stack having stack is not null`,
          order === 'time' ? 'min(start_ps)' : 'self_ps desc',
        ),
        chosen.tracks.length > 0,
      )
    : ''
}

/** Of stacks those that have a name: who called it, and what it called. Layers and lines are no stacks, but a frame each. @param {string} stacks @param {string} about @param {string} by */
function aroundQuery(stacks, about, by) {
  if (by === 'layer' || by === 'source')
    return `select stack as callers, stack as callees, self_ps, count from (${stacks}) where stack = ${quoted(about)}`
  const name = quoted(about.replaceAll(';', ':').replaceAll(/[\n\r]/g, ' ') || '(no name)')
  return `select stack_callers(stack, ${name}) as callers, stack_callees(stack, ${name}) as callees, sum(self_ps) as self_ps, sum(count) as count from (${stacks}) group by callers, callees having callers is not null order by self_ps desc`
}

/** Such as 3-17,20. @param {number[]} numbers rising */
export function rangesText(numbers) {
  /** @type {[number, number][]} */
  const ranges = []
  for (const one of numbers) {
    const last = ranges.at(-1)
    if (last && one === last[1] + 1) last[1] = one
    else ranges.push([one, one])
  }
  return ranges.map(([a, b]) => (a === b ? String(a) : a + '-' + b)).join(',')
}

/** What to do where no frame is within another: threads of hosts mostly nest. @param {string[]} kinds @param {import('../base/session.js').Setting} of */
const flat = (kinds, of) =>
  html`<p class="pad muted">These rows do not nest. ${
    kinds.includes('host') && of.value !== 'host'
      ? html`<button @click=${() => {
          of.value = 'host'
        }}>Rows of the host</button>`
      : nothing
  }</p>`

/** Frames with their place. @template {Frame} T @param {T[]} nodes @param {(number | null)[]} roots the first row; where none is there, what has no caller @returns {(T & Placed)[]} */
export function place(nodes, roots) {
  /** @type {Map<number | null, T[]>} */
  const below = new Map()
  for (const node of nodes) {
    const parent = node.parent || null,
      siblings = below.get(parent)
    if (siblings) siblings.push(node)
    else below.set(parent, [node])
  }
  const chosen = nodes.filter(node => roots.includes(node.id)),
    top = chosen.length ? chosen : (below.get(null) ?? [])
  const total = top.reduce((sum, node) => sum + Number(node.total), 0) || 1
  /** @type {(T & Placed)[]} */
  const placed = []
  let row = top.map(node => ({ node, x: 0 })),
    x = 0
  for (const one of row) {
    one.x = x
    x += Number(one.node.total) / total
  }
  for (let depth = 0; row.length; depth++) {
    /** @type {typeof row} */
    const next = []
    for (const { node, x: left } of row) {
      const width = Number(node.total) / total
      if (width < MIN) continue
      placed.push({ ...node, x: left, width, depth })
      let at = left
      for (const child of below.get(node.id) ?? []) {
        next.push({ node: child, x: at })
        at += Number(child.total) / total
      }
    }
    row = next
  }
  return placed
}

/** Of the width what neighbours together take at most, so that they get room where they are the root. */
const TOGETHER = 1 / 8

/** Neighbours below one caller that have no room for a name as one frame, without what they call. @param {Placed[]} placed by level @param {number} width in pixels @returns {(Placed & {more?: Placed[]})[]} */
export function sliversTogether(placed, width) {
  const gone = new Set(),
    /** @type {(Placed & {more?: Placed[]})[]} */
    all = []
  for (const one of placed) {
    const last = all.at(-1)
    if (gone.has(one.parent)) gone.add(one.id)
    else if (one.width * width >= NARROW) all.push(one)
    else if (
      last?.more &&
      last.width < TOGETHER &&
      last.parent === one.parent &&
      last.depth === one.depth
    ) {
      for (const { id } of [last, one]) gone.add(id)
      last.more.push(one)
      Object.assign(last, sumOf(last, one), { width: last.width + one.width })
    } else all.push({ ...one, more: [one] })
  }
  return all
}

/** Callers above the name, the outermost on top, and callees below it. @param {Around} around @returns {Placed[]} */
function placeAround({ callers, callees }) {
  const above = place(callers.nodes, []).filter(one => one.depth),
    high = above.reduce((most, one) => Math.max(most, one.depth), 0)
  const below = place(callees.nodes, []).map(one => ({
    ...one,
    depth: high + one.depth,
    level: one.depth,
  }))
  return [
    ...above.map(one => ({ ...one, depth: high - one.depth, level: one.depth })).reverse(),
    ...below,
  ]
}

/** Brings the frame of the name to the middle: its callers may be more than there is room for. @param {HTMLElement} element */
function lookAtName(element) {
  const scrolled = element.querySelector('.scrolled'),
    own = scrolled?.querySelector('.frame[aria-selected="true"]')
  if (scrolled && own)
    scrolled.scrollTop +=
      own.getBoundingClientRect().top -
      scrolled.getBoundingClientRect().top -
      scrolled.clientHeight / 2
}

/** What a frame says: as a caller of a name that of the name below it. What launched work has no rows of that work itself. @param {Frame} one @param {number} total */
const figures = (one, total) =>
  durationText(BigInt(one.total)) +
  ', ' +
  exactPercent(Number(one.total) / total) +
  ' of these rows, self ' +
  durationText(BigInt(one.self)) +
  (one.count ? ', ' + numberText(one.count) + (one.count === 1 ? ' time' : ' times') : '')

/** @param {Page} page @param {Around} around @param {(name: string) => void} go to those of another name @param {string} by @param {number} width in pixels */
function aroundOf(page, around, go, by, width) {
  const { callers, callees } = around,
    level = by === 'layer' ? 'layer' : 'hlo',
    colourOf = frameColours(page.session),
    called = page.session.names.called.value,
    total = Number(around.total) || 1,
    [own] = callees.nodes,
    placed = placeAround(around),
    focus = placed.findIndex(one => one.level === 0)
  const said = [
    figures(own, total),
    callers.nodes.length === 1 ? 'nothing is around it' : '',
    callees.nodes.length === 1 ? 'nothing is within it' : '',
    leftOut(callers.left_out, 'caller'),
    leftOut(callees.left_out, 'callee'),
  ]
    .filter(Boolean)
    .join('; ')
  const frames = placed.map((one, i) => ({ ...one, above: i < focus }))
  return html`<p class="note around-note">Callers above, callees below: <b title=${own.name}>${called(own.name)}</b> ${said}.</p>
    <div class="scrolled">${drawFrames(frames, width, one => ({
      text: called(one.name),
      colour: colourOf(one.name),
      current: one.level === 0,
      label: one.above
        ? 'From ' + one.name + ': ' + own.name + ' ' + figures(one, total)
        : one.name + ': ' + figures(one, total),
      act: () => {
        go(one.name)
        follow(page, one.name, level)
      },
    }))}</div>`
}

/** How many names a frame of several says. */
const NAMES = 5

/** @param {Page} page @param {(Placed & {more?: Placed[]})[]} frames @param {number} total @param {number[]} root @param {(ids: number[]) => void} setRoot @param {string} by @param {number} width in pixels, so that no text is stretched */
function graph(page, frames, total, root, setRoot, by, width) {
  const level = by === 'layer' ? 'layer' : 'hlo',
    colourOf = frameColours(page.session),
    called = page.session.names.called.value
  return drawFrames(frames, width, one => {
    const { more = [one] } = one,
      names = more.map(({ name }) => name),
      left = names.length - NAMES
    return {
      text: more.length > 1 ? numberText(more.length) + ' more' : called(one.name),
      colour: colourOf(one.name),
      label:
        names.slice(0, NAMES).join(', ') +
        (left > 0 ? ' and ' + numberText(left) + ' more' : '') +
        ': ' +
        figures(one, total),
      act: () => {
        const ids = more.map(({ id }) => id)
        setRoot(String(ids) === String(root) ? [] : ids)
        if (more.length === 1 && !one.isClass) follow(page, one.name, level)
      },
    }
  })
}

/** How a frame looks, and what it does; current: all others are around it. @typedef {{text: string, label: string, colour: number, current?: boolean, act: () => void}} Look */

/** The picture of a flame graph. @template {Placed} T @param {T[]} frames @param {number} width in pixels @param {(one: T) => Look} lookOf */
export function drawFrames(frames, width, lookOf) {
  const depth = frames.reduce((most, one) => Math.max(most, one.depth), 0) + 1
  return html`<svg class="flame" viewBox=${`0 0 ${width} ${depth * ROW}`} height=${depth * ROW} preserveAspectRatio="none" role="tree" aria-label="Flame graph">
    ${frames.map(one => frame(one, width, lookOf(one)))}</svg>`
}

/** @type {CanvasRenderingContext2D | null} */
let context = null

/** What tells how wide a text of a frame is. */
function measure() {
  context ??= /** @type {CanvasRenderingContext2D} */ (
    document.createElement('canvas').getContext('2d')
  )
  context.font = LABEL_FONT
  return context
}

/** @param {Placed} one @param {number} width @param {Look} look */
function frame(one, width, { text: whole, label, colour, current, act }) {
  const w = one.width * width,
    text = w < NARROW ? '' : fit(measure(), whole, w - 6)
  return svg`<g class="frame" role="treeitem" tabindex="0" aria-level=${(one.level ?? one.depth) + 1} aria-selected=${current ? 'true' : 'false'} @click=${act} @keydown=${(
    /** @type {KeyboardEvent} */ event,
  ) => {
    if (event.key === 'Enter') act()
  }}>
    <title>${label}</title><rect x=${one.x * width} y=${one.depth * ROW} width=${Math.max(0.5, w - 0.6)} height=${ROW - 1} fill=${CSS[colour]}></rect>
    ${text ? svg`<text x=${one.x * width + 3} y=${one.depth * ROW + 13} fill=${INK[colour]}>${text}</text>` : nothing}</g>`
}
