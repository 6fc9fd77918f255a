// SPDX-License-Identifier: Apache-2.0
// The states of a profile's page, each with what leads to it from the page as opened: shots.mjs takes their pictures,
// sizes.mjs looks at them at every size.
import { ask, drag, drawn, openTab } from './harness.mjs'

/** Sizes of pictures in CSS pixels: of screens, of half a screen, and of one that is shown at 200 %. */
export const SIZES = [
  [1440, 900],
  [1920, 1080],
  [1024, 700],
  [600, 800],
  [720, 450],
]

export const TABS = [
  'Steps',
  'Flame',
  'Memory',
  'Roofline',
  'Communication',
  'Source',
  'Gaps',
  'Latency',
  'SQL',
]
const find = text => async page => {
  await page.getByLabel('Search the whole profile').click()
  await page.getByLabel('Search the whole profile').fill(text)
}
const dialog = key => async page => {
  await page.keyboard.press(key)
  await page.getByRole('dialog').first().waitFor()
}
/** What the panel of what is selected says then. */
const details = (page, text) => page.locator('.widget-details', { hasText: text }).waitFor()
const opens = name => async page => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('menu').filter({ visible: true }).waitFor()
}

/** What leads to each; the profile is a trace of torch.mjs. Tabs stay once they are opened, so they
 * come last, those with the most elements at the end: the page has 700 before and 6,000 then. */
export const STATES = [
  ['opened', async () => {}],
  [
    'event',
    async page => {
      await page.keyboard.press('x')
      await page.locator('.widget-details .event-name').waitFor()
    },
  ],
  [
    'area',
    async page => {
      await page.locator('.timeline .ruler-row').evaluate(one => one.scrollIntoView())
      const box = await page.locator('.timeline .over').boundingBox(),
        at = part => ({ x: box.x + box.width * part, y: box.y + 60 })
      await drag(page, at(0.35), at(0.55), { keys: ['Shift'] })
      await details(page, 'Area')
    },
  ],
  [
    'gap',
    async page => {
      await page.locator('.figure-list button').first().click()
      await details(page, 'Idle')
    },
  ],
  [
    'zoomed',
    async page => {
      await ask(page, '@260ms 270ms')
      await page.locator('.scope-chip', { hasText: 'Window' }).waitFor()
    },
  ],
  ['find', find('')],
  ['found', find('gemm_')],
  ['settings', opens(/^View settings/)],
  ['scope', opens(/^(Whole run|Window|Selection)/)],
  ['more', opens(/^More/)],
  ['keys', dialog('?')],
  ['add', dialog('+')],
  ['layouts', dialog('l')],
  ...TABS.map(name => [name, page => openTab(page, name)]),
]

/** Waits until what is in sight has its answers, those of the scope of now, and is drawn. */
export async function settle(page) {
  await page.waitForFunction(
    () =>
      !document.querySelector(
        '.widget:not(.lm-mod-hidden) :is([aria-busy], .past), :is(.search-box, .timeline)[aria-busy], .verdict [aria-busy]',
      ),
  )
  await drawn(page)
}

/** Leads from any of them to another. */
export async function come(page, act) {
  for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
  await page.keyboard.press('0')
  await openTab(page, 'Operators')
  await act(page)
  await page.mouse.move(0, 0)
  await settle(page)
}
