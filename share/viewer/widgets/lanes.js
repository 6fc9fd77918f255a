// SPDX-License-Identifier: Apache-2.0
// The model's tree over time: lanes of each level of the paths that rows state, and of the operators of the framework.
// The timeline draws them, from pictures of routes layers/v and layers/over as from those of rows; here is what a click
// on them means.
import { computed, effect, html, render, signal } from '../lib/lit.js'
import { say } from '../base/element.js'
import { durationText } from '../base/time.js'
import { counted, metricText } from '../base/values.js'
import { Colours } from '../timeline/colours.js'
import { Model, treeOf } from '../timeline/model.js'
import { Names } from '../timeline/names.js'
import { Rows, freshTree } from '../timeline/rows.js'
import { Tiles } from '../timeline/tiles.js'
import { Timeline } from '../timeline/timeline.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/answers.d.ts').LayersRun} Run */
/** What a click and a right click on a run do. @typedef {{onRun: (run: Run) => void, onContext: (row: string) => void}} Acts */

/** Pixels of the ruler above the levels, with its line. */
const RULER = 28

/** What the card beside the pointer says of a run, as of an event. @param {Run} run */
function eventOf(run) {
  const mfu = run.mfu.value === null ? '' : ', MFU of all its runs ' + metricText(run.mfu)
  return {
    ...run,
    attributes: [],
    layer: run.path,
    category: counted(run.rows, 'row') + ', self time ' + durationText(BigInt(run.busy)) + mfu,
  }
}

/** @typedef {import('../base/answers.d.ts').Below} Below */
/** @typedef {import('../base/api.js').Params} Params */

/**
 * A session whose tracks are levels of the tree: it has the window, the selection and the markers
 * of
 * the page.
 * @param {Session} session @param {Below['layers']} answer @param {Acts} acts @returns {Session}
 */
function sessionOf(session, answer, acts) {
  const own = Object.create(session)
  const names = new Names(
    () => Promise.reject(new Error('all names are here')),
    answer.names.length,
  )
  names.labels = answer.names
  names.first = false
  return Object.assign(own, {
    model: new Model(answer),
    names,
    tiles: new Tiles(session.base + '/layers'),
    tree: signal(freshTree()),
    details: signal(null),
    hits: signal(null),
    outlined: signal([]),
    critical: signal([]),
    criticalOfRun: signal([]),
    outliers: signal([]),
    gaps: signal([]),
    hovered: signal(-1),
    litLabels: signal(null),
    ask: async (/** @type {keyof Below} */ route, /** @type {Params} */ params) =>
      route === 'e' ? eventOf(await session.ask('layers/run', params)) : session.ask(route, params),
    select: async (/** @type {import('../base/session.js').Selection | null} */ selection) => {
      if (selection?.kind === 'event')
        acts.onRun(await session.ask('layers/run', { row: selection.row }))
      else
        session.select(
          selection?.kind === 'area' ? { ...selection, tracks: [], parts: undefined } : selection,
        )
    },
    colours: computed(
      () =>
        new Colours(names, 'operator', {
          start: session.model.start,
          medians: new Map(),
          verdicts: null,
          steps: () => [],
        }),
    ),
    roots: computed(() => treeOf(own.model, 'device')),
    rows: computed(() => new Rows(own.roots.value, own.tree.value)),
  })
}

/** The timeline of such a session, without what is of the profile as a whole. */
class Lanes extends Timeline {
  /** @param {Session} session @param {Acts} acts */
  constructor(session, acts) {
    super(session)
    this.acts = acts
    this.element.className = 'lanes'
    this.element.setAttribute('aria-label', 'Layers over time')
    this.tree.className = 'lane-tree'
    this.tree.setAttribute('aria-label', 'Levels')
  }

  bar() {
    return html`<span class="muted">Levels of the model</span>`
  }

  zero() {
    return html``
  }

  /** Lanes that are scrolled to are those of the profile. */
  scrollTo() {}

  placing() {
    return { begin() {}, moved() {}, dispose() {} }
  }

  check() {}

  /** A right click outlines what ran of the layer. @param {MouseEvent} event */
  onContext(event) {
    const hit = this.hit(event.offsetX, event.offsetY)
    if (hit) this.acts.onContext(hit.row)
    else super.onContext(event)
  }
}

/** Mounts the lanes where there are some; their height fits the levels, up to a share of the widget. @param {HTMLElement} element @param {Page} page @param {Acts} acts @returns {() => void} */
export function mountLanes(element, { session }, acts) {
  /** @type {Lanes | null} */
  let lanes = null
  let gone = false,
    stop = () => {}
  element.setAttribute('aria-busy', 'true')
  session
    .ask('layers')
    .then(
      async answer => {
        if (gone) return
        if (answer.unknown)
          return render(
            html`<p class="note">Lanes over time: <b>unknown:</b> ${answer.unknown}.</p>`,
            element,
          )
        const own = sessionOf(session, answer, acts)
        own.tiles.loadFirst(session.askBytes('layers/over', {}))
        lanes = new Lanes(own, acts)
        element.append(lanes.element)
        element.classList.add('has-lanes')
        stop = effect(() => {
          element.style.height = own.rows.value.height + RULER + 'px'
        })
      },
      error => say(error.message),
    )
    .finally(() => element.removeAttribute('aria-busy'))
  return () => {
    gone = true
    stop()
    lanes?.dispose()
  }
}
