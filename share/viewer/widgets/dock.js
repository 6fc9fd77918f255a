// SPDX-License-Identifier: Apache-2.0
// The workspace: widgets in a dock of Lumino, and layouts as plain data {main} that name widgets.
import { DockPanel, MessageLoop, Widget } from '../lib/lumino.js'
import { make } from '../base/element.js'
import { SPACING, isBare } from './layouts.js'
import { Room } from './room.js'

/**
 * What a widget gets. @typedef {object} Page
 * @property {import('../base/session.js').Session} session
 * @property {import('../lib/lit.js').Signal<import('./advice.js').Later | null>} [later]   figures that come behind the lanes
 * @property {(id: string) => unknown} open   shows a widget, adding it where it is not there
 * @property {() => import('../timeline/timeline.js').Timeline | null} timeline
 * @property {import('../timeline/timeline.js').Timeline | null} [first]   that of the first look, until a widget has it
 */
/** Shows a widget; what it returns ends it. @typedef {(element: HTMLElement, page: Page, argument: string) => () => void} Mount */
/**
 * @typedef {object} Definition
 * @property {string} id
 * @property {string} title
 * @property {string} help       one sentence, for the list of widgets
 * @property {Mount} mount
 * @property {boolean} [isLater]   it is mounted when rest.js has come
 * @property {(argument: string, page: Page) => string} [titleOf]
 */
/** @typedef {{type: 'tab-area', widgets: string[], currentIndex: number} | {type: 'split-area', orientation: 'horizontal' | 'vertical', children: Area[], sizes: number[]}} Area */

/** A part of the dock as Lumino holds it. @typedef {import('./room.js').Node} Held */
/** An area as Lumino saves it. @typedef {import('@lumino/widgets').DockLayout.AreaConfig} Saved */

/** A place of the dock; its widget is made when it is first seen. */
class Place extends Widget {
  /** @param {string} id @param {Definition} definition @param {Page} page */
  constructor(id, definition, page) {
    super({ node: make('div', 'widget widget-' + definition.id) })
    this.id = 'widget-' + id.replace(/[^\w-]/g, '_')
    this.name = id
    this.definition = definition
    this.page = page
    /** @type {(() => void) | null} */
    this.stop = null
    const argument = id.split(':').slice(1).join(':')
    this.title.label = definition.titleOf?.(argument, page) ?? definition.title
    this.title.caption = definition.help
    this.title.closable = true
    this.argument = argument
  }

  /** @param {import('@lumino/messaging').Message} message */
  onAfterShow(message) {
    super.onAfterShow(message)
    this.begin()
  }

  /** @param {import('@lumino/messaging').Message} message */
  onAfterAttach(message) {
    super.onAfterAttach(message)
    if (this.isVisible) this.begin()
  }

  begin() {
    this.stop ??= this.definition.mount(this.node, this.page, this.argument)
  }

  /** @param {import('@lumino/messaging').Message} message */
  onCloseRequest(message) {
    super.onCloseRequest(message)
    this.dispose()
  }

  dispose() {
    this.stop?.()
    this.stop = null
    super.dispose()
  }
}

export class Dock {
  /** @param {HTMLElement} host @param {Page} page @param {Map<string, Definition>} definitions @param {{changed: () => void, add: () => void}} told */
  constructor(host, page, definitions, told) {
    this.page = page
    this.definitions = definitions
    this.panel = new DockPanel({ addButtonEnabled: true, spacing: SPACING })
    this.panel.id = 'dock'
    Widget.attach(this.panel, host)
    this.panel.layoutModified.connect(() => {
      this.hideBare()
      this.nameButtons()
      this.showFront()
      this.fitLater()
      told.changed()
    })
    this.panel.addRequested.connect((_panel, bar) => {
      this.beside = bar.currentTitle?.owner ?? null
      told.add()
    })
    /** @type {Widget | null} */
    this.beside = null
    /** The widget that had the focus last. */
    this.front = ''
    host.addEventListener('focusin', event => {
      const place = this.places().find(one => one.node.contains(/** @type {Node} */ (event.target)))
      if (place) this.front = place.name
    })
    showCrosses(host)
    this.room = new Room()
    this.fitting = 0
    const watch = new ResizeObserver(() => {
      keepShares(this.root)
      this.panel.update()
      this.fitLater()
    })
    watch.observe(host)
    new MutationObserver(() => this.fitLater()).observe(host, { childList: true, subtree: true })
  }

  /** The parts as Lumino holds them. */
  get root() {
    return /** @type {{_root: Held | null}} */ (/** @type {unknown} */ (this.panel.layout))._root
  }

  /** Widgets that have nothing to show leave their room to others: when the page has been drawn. */
  fitLater() {
    this.fitting ||= requestAnimationFrame(() => {
      this.fitting = 0
      if (
        this.room.fit(this.root, {
          width: this.panel.node.clientWidth,
          height: this.panel.node.clientHeight,
        })
      )
        this.panel.update()
    })
  }

  /** What belongs to the frame has no tab while it stands alone. */
  hideBare() {
    for (const bar of this.panel.tabBars())
      bar.setHidden(isBare(bar.titles.map(title => /** @type {Place} */ (title.owner).name)))
    this.panel.fit()
  }

  /** Lumino leaves the buttons of its tab bars without a name. */
  nameButtons() {
    for (const button of this.panel.node.querySelectorAll('.lm-TabBar-addButton'))
      button.setAttribute('aria-label', 'Add a widget')
  }

  /** Scrolls the tab in front into sight, where a bar has more tabs than room: when Lumino has drawn them. The page stays where it is, which scrollIntoView would scroll too. */
  showFront() {
    requestAnimationFrame(() => {
      for (const tab of this.panel.node.querySelectorAll('.lm-TabBar-tab.lm-mod-current')) {
        const bar = /** @type {HTMLElement} */ (tab.parentElement),
          room = bar.getBoundingClientRect(),
          at = tab.getBoundingClientRect()
        bar.scrollLeft += Math.min(at.left - room.left, Math.max(at.right - room.right, 0))
      }
    })
  }

  /** @returns {Place[]} */
  places() {
    return /** @type {Place[]} */ ([...this.panel.widgets()])
  }

  /** @param {string} id */
  place(id) {
    const definition = this.definitions.get(id.split(':')[0])
    return definition ? new Place(id, definition, this.page) : null
  }

  /** Shows a widget; a new one comes beside the last asked for, else at the bottom, not over Details where it has a choice. @param {string} id */
  open(id) {
    const there = this.places().find(place => place.name === id)
    if (there) return this.panel.activateWidget(there)
    const place = this.place(id)
    if (!place) return
    const others = this.places().filter(one => one.name !== 'timeline' && one.name !== 'details'),
      panel = this.besideDetails()
    const bottom =
      this.beside && this.places().includes(/** @type {Place} */ (this.beside))
        ? this.beside
        : (others.filter(one => !panel.has(one)).pop() ?? others.pop())
    this.panel.addWidget(
      place,
      bottom ? { mode: 'tab-after', ref: bottom } : { mode: 'split-bottom' },
    )
    this.beside = null
    this.panel.activateWidget(place)
  }

  /** The widgets that share their tabs with Details. @returns {Set<unknown>} */
  besideDetails() {
    const bar = [...this.panel.tabBars()].find(one =>
      one.titles.some(title => /** @type {Place} */ (title.owner).name === 'details'),
    )
    return new Set(bar?.titles.map(title => title.owner))
  }

  /** @param {string} id */
  close(id) {
    this.places()
      .find(place => place.name === id)
      ?.close()
  }

  /** Moves a widget to a side, as a drag does. @param {string} id @param {'split-left' | 'split-right' | 'split-top' | 'split-bottom'} mode */
  move(id, mode) {
    const place = this.places().find(one => one.name === id)
    if (place) this.panel.addWidget(place, { mode })
  }

  /** Gives a widget more room beside its neighbours, or less. @param {string} id @param {number} factor @param {'horizontal' | 'vertical'} way */
  resize(id, factor, way) {
    const area = this.save()
    if (area && resized(area, id, factor, way)) this.restore(area)
  }

  /** @returns {Area | null} */
  save() {
    const { main } = this.panel.saveLayout()
    return main ? saved(main, this.root ?? undefined, this.room) : null
  }

  /** @param {Area} area */
  restore(area) {
    const kept = new Map(this.places().map(place => [place.name, place]))
    const main = this.restored(area, kept)
    this.panel.restoreLayout({ main })
    for (const place of kept.values()) place.dispose()
    MessageLoop.flush()
    this.hideBare()
    this.nameButtons()
  }

  /** @param {Area} area @param {Map<string, Place>} kept @returns {Saved | null} */
  restored(area, kept) {
    if (area.type === 'split-area') {
      const children = area.children
        .map(child => this.restored(child, kept))
        .filter(one => one !== null)
      return children.length ? { ...area, children } : null
    }
    const widgets = area.widgets
      .map(id => {
        const place = kept.get(id) ?? this.place(id)
        kept.delete(id)
        return place
      })
      .filter(place => place !== null)
    return widgets.length
      ? { type: 'tab-area', widgets, currentIndex: Math.min(area.currentIndex, widgets.length - 1) }
      : null
  }
}

/**
 * Gives a tab its cross when the pointer comes to it and it is in front, not when it comes to the
 * front below the pointer: the second of two clicks, however late, never closes what the first has
 * shown. @param {HTMLElement} host
 */
function showCrosses(host) {
  /** @type {HTMLElement | null} The tab that the pointer is on. */
  let at = null
  /** @param {HTMLElement | null} tab @param {boolean} shows */
  const come = (tab, shows) => {
    if (tab === at) return
    at?.removeAttribute('data-cross')
    at = tab
    if (shows && at?.matches('.lm-mod-current')) at.dataset.cross = ''
  }
  /** A tab that slid below a mouse is not one that it came to. @param {PointerEvent} event */
  const follow = event =>
    come(
      /** @type {Element} */ (event.target).closest('.lm-TabBar-tab'),
      event.type === 'pointermove' || event.pointerType !== 'mouse',
    )
  host.addEventListener('pointermove', follow, true)
  host.addEventListener('pointerdown', follow, true)
  host.addEventListener('pointerleave', () => come(null, false))
}

/**
 * Has each part keep its share of a dock that becomes larger or smaller: of itself Lumino takes as many pixels from each, so that a small one
 * vanishes. @param {Held | null} node of its layout
 */
function keepShares(node) {
  node?.normalizeSizes?.()
  node?.children?.forEach(keepShares)
}

/** @param {Area} area @param {string} id @returns {boolean} */
const holds = (area, id) =>
  area.type === 'tab-area'
    ? area.widgets.includes(id)
    : area.children.some(child => holds(child, id))

/** Changes the size of a widget in the innermost split of one way that it is a part of. @param {Area} area @param {string} id @param {number} factor @param {'horizontal' | 'vertical'} way @returns {boolean} whether there is one */
function resized(area, id, factor, way) {
  if (area.type === 'tab-area') return false
  const at = area.children.findIndex(child => holds(child, id))
  if (at < 0 || resized(area.children[at], id, factor, way)) return at >= 0
  if (area.orientation !== way) return false
  area.sizes[at] *= factor
  return true
}

/**
 * @param {Saved} area as Lumino saves it @param {Held | undefined} node the same as it stands
 * @param {Room} room @returns {Area}
 */
function saved(area, node, room) {
  if (area.type === 'tab-area')
    return {
      type: 'tab-area',
      widgets: area.widgets.map(widget => /** @type {Place} */ (widget).name),
      currentIndex: area.currentIndex,
    }
  return {
    type: 'split-area',
    orientation: area.orientation,
    children: area.children.map((child, i) => saved(child, node?.children?.[i], room)),
    sizes: (room.ownOf(node) ?? area.sizes).map(size => Math.round(size * 1000) / 1000),
  }
}
