// SPDX-License-Identifier: Apache-2.0
// The flame graph of two profiles at once: as wide as a stack is in one of them, in the colour of what became of it,
// with a sign for those who do not see colours. All figures are those of route compare/flame.
import { html, nothing } from '../lib/lit.js'
import { css } from '../base/element.js'
import { durationText } from '../base/time.js'
import { counted, exactChange, numberText } from '../base/values.js'
import { CSS } from '../timeline/colours.js'
import { saveCsv, unknown, waiting } from '../widgets/frame.js'
import { drawFrames, isLaunched, kindsOf, place, rangesText, tracksOf } from '../widgets/flame.js'
import { pick } from './compare-parts.js'

/** @typedef {import('./compare.js').ComparePage} ComparePage */
/** @typedef {import('../base/answers.d.ts').Stack} Stack */
/** What became of a stack. @typedef {Stack['mark']} Mark */
/** @typedef {import('../base/answers.d.ts').ComparedFlame} Both */

const LAUNCH = 'launch',
  BYS = ['name', 'layer', 'source'],
  SIDES = ['base', 'new']
const GREY = 7,
  SHADES = 8

/** Places in the palette, as the bars of the timelines have them. @type {Record<Mark, number>} */
const COLOURS = { slower: 5, faster: 2, same: GREY, added: 0, removed: 3 }
/** @type {Record<Mark, string>} */
const SIGNS = { slower: '▲ ', faster: '▽ ', same: '', added: '+ ', removed: '− ' }
/** From these changes on a colour is the plain one, and a dark one. */
const PLAIN = 0.1,
  DARK = 0.3

/** Of which rows both profiles have some. @param {ComparePage} page */
function kinds({ sessions }) {
  const all = sessions.map(kindsOf)
  return all[0].filter(kind => all.every(list => list.includes(kind)))
}

/** What frames may be: rows of queues of both profiles stand below what launched them. @param {ComparePage} page */
const bysOf = page =>
  (page.flame.rows.value || kinds(page)[0]) === 'devices' &&
  [page.sessions[0], page.chosen].every(isLaunched)
    ? [LAUNCH, ...BYS]
    : BYS

/** What frames are. @param {ComparePage} page */
const byOf = page => {
  const bys = bysOf(page)
  return bys.includes(page.flame.by.value) ? page.flame.by.value : bys[0]
}

/** What the page asks for it. @param {ComparePage} page */
export function flameQuestion(page) {
  const {
      sessions: [base],
      flame,
    } = page,
    other = page.chosen,
    kind = flame.rows.value || kinds(page)[0]
  const rows = (/** @type {import('../base/session.js').Session} */ session) =>
    kind === 'all' ? null : rangesText(tracksOf(session, kind))
  return {
    route: /** @type {const} */ ('compare/flame'),
    params: {
      a: base.id,
      b: other.id,
      by: byOf(page),
      ...(byOf(page) === LAUNCH ? {} : { a_tracks: rows(base), b_tracks: rows(other) }),
    },
  }
}

/** A colour is the stronger, the more has changed. @param {Stack} one */
function colourOf({ mark, change }) {
  const size = Math.abs(change ?? 1)
  return (
    COLOURS[mark] +
    (mark === 'same'
      ? SHADES
      : change === null
        ? 0
        : size >= DARK
          ? 2 * SHADES
          : size >= PLAIN
            ? 0
            : SHADES)
  )
}

/** @param {number | null} ps */
const timeText = ps => (ps === null ? 'not there' : durationText(BigInt(Math.round(ps))))

/** A renamed kernel has both names, as in what nprof diff prints. @param {Stack} one */
const nameOf = ({ name, renamed }) => (renamed === null ? name : name + ' → ' + renamed)

/** @param {Both} both @param {Stack} one @param {string | undefined} verdict of nprof diff of all that has the name */
function labelOf({ per }, one, verdict) {
  const {
    each_ps: [base, next],
    count: [before, after],
    change,
    mark,
  } = one
  return (
    nameOf(one) +
    ': ' +
    timeText(base) +
    ' → ' +
    timeText(next) +
    ' a ' +
    per +
    (change === null ? ', ' + mark : ', ' + exactChange(change)) +
    ', ' +
    numberText(before) +
    ' → ' +
    numberText(after) +
    ' times' +
    (verdict ? '; nprof diff of all of this name: ' + verdict : '')
  )
}

/** @param {ComparePage} page */
export function flameTab(page) {
  const { answer } = page.flame.asked,
    both = answer.value.data,
    names = kinds(page)
  return html`<div class="bar">${page.tabs()}${names.length > 1 ? pick('Rows', names, page.flame.rows, names[0]) : nothing}${pick('By', bysOf(page), page.flame.by, bysOf(page)[0])}${pick('Width', SIDES, page.flame.width)}
      ${
        page.flame.root.value === null
          ? nothing
          : html`<button class="quiet" @click=${() => {
              page.flame.root.value = null
            }}>Whole</button>`
      }<span class="gap"></span>${both?.nodes.length ? page.tools(() => save(both), page.commandOf('flame')) : nothing}</div>
    ${waiting(answer.value)}${both?.nodes.length ? graph(page, both) : answer.value.state === 'done' && !both?.unknown ? unknown('needs spans that last: neither profile has one among these rows') : nothing}`
}

/** @param {Both} both */
const save = ({ nodes }) =>
  saveCsv(
    'compare-flame',
    [
      'id',
      'parent',
      'name',
      'renamed',
      'self_a_ps',
      'self_b_ps',
      'total_a_ps',
      'total_b_ps',
      'count_a',
      'count_b',
      'each_a_ps',
      'each_b_ps',
      'change',
      'mark',
    ],
    nodes.map(one => [
      one.id,
      one.parent,
      one.name,
      one.renamed,
      ...one.self,
      ...one.total,
      ...one.count,
      ...one.each_ps,
      one.change,
      one.mark,
    ]),
  )

/** @param {ComparePage} page @param {Both} both */
function graph(page, both) {
  const { flame } = page,
    side = SIDES.indexOf(flame.width.value),
    root = flame.root.value
  // As wide as it is in one of them: what that one does not have has no width.
  const there = both.nodes
    .filter(one => one.each_ps[side] !== null)
    .map(one => ({
      ...one,
      total: String(one.each_ps[side]),
      self: '0',
      count: one.count[side],
      of: one,
    }))
  const frames = place(there, [root]),
    hidden = both.nodes.filter(one => one.each_ps[side] === null).length
  return html`<div class="scrolled"><p class="note legend-line">${legend(both)} <span>${perText(both)}${hidden ? '; ' + counted(hidden, 'stack') + ' of ' + SIDES[1 - side] + ' alone: choose its width' : ''}${both.left_out ? '; ' + counted(both.left_out, 'small stack') + ' left out' : ''}.</span></p>
    ${drawFrames(frames, page.width.value, one => ({
      text: SIGNS[one.of.mark] + nameOf(one.of),
      colour: colourOf(one.of),
      label: labelOf(
        both,
        one.of,
        [LAUNCH, 'name'].includes(byOf(page)) ? page.verdictOf(one.name) : undefined,
      ),
      act: () => {
        flame.root.value = root === one.id ? null : one.id
      },
    }))}</div>`
}

/** @param {Both} both */
const perText = ({ per, steps }) =>
  per === 'step'
    ? 'times are of a step, of ' +
      steps.map(count => numberText(count ?? 0)).join(' and ') +
      ' whole ones'
    : 'times are of the whole recordings, as not both have steps'

/** What the signs and colours mean. @param {Both} both */
function legend({ nodes }) {
  const marks = /** @type {Mark[]} */ (Object.keys(COLOURS)).filter(mark =>
    nodes.some(one => one.mark === mark),
  )
  return marks.map(
    mark =>
      html`<span class="key"><span class="swatch" ${css({ background: CSS[mark === 'same' ? GREY + SHADES : COLOURS[mark]] })}></span>${SIGNS[mark]}${mark === 'same' ? 'within 2 %' : mark}</span>`,
  )
}
