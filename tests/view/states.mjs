// SPDX-License-Identifier: Apache-2.0
// The states of a profile's page, each with what leads to it from the page as opened: shots.mjs takes their pictures,
// sizes.mjs looks at them at every size.
import { ask, drag, drawn, openTab, rest } from './harness.mjs'

/** Sizes of pictures in CSS pixels: of screens, of half a screen, and of one that is shown at 200 %. */
export const SIZES = [
  [1440, 900],
  [1920, 1080],
  [1024, 700],
  [600, 800],
  [720, 450],
]

const TABS = [
  'Steps',
  'Flame',
  'Memory',
  'Roofline',
  'Communication',
  'Gaps',
  'Latency',
  'Source',
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
const opens = name => async page => {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('menu').filter({ visible: true }).waitFor()
}

/** What leads to each; the profile is a trace of torch.mjs. */
export const STATES = [
  ['opened', async () => {}],
  ['event', page => page.keyboard.press('x')],
  [
    'area',
    async page => {
      const box = await page.locator('.timeline .over').boundingBox(),
        at = part => ({ x: box.x + box.width * part, y: box.y + 60 })
      await drag(page, at(0.35), at(0.55), { keys: ['Shift'] })
    },
  ],
  ['gap', page => page.locator('.figure-list button').first().click()],
  ['zoomed', page => ask(page, '@260ms 270ms')],
  ...TABS.map(name => [name, page => openTab(page, name)]),
  ['find', find('')],
  ['found', find('gemm_')],
  ['settings', opens(/^View settings/)],
  ['scope', opens(/^(Whole run|Window|Selection)/)],
  ['more', opens(/^More/)],
  ['keys', dialog('?')],
  ['add', dialog('+')],
  ['layouts', dialog('l')],
]

/** Leads from any of them to another. */
export async function come(page, act) {
  for (let i = 0; i < 3; i++) await page.keyboard.press('Escape')
  await page.keyboard.press('0')
  await openTab(page, 'Operators')
  await act(page)
  await page.mouse.move(0, 0)
  await rest(page)
  await drawn(page)
}
