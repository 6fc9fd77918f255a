// SPDX-License-Identifier: Apache-2.0
// Problems: what was skipped, lost, guessed or not known.
import { html, nothing } from '../lib/lit.js'
import { stepMedian } from '../base/steps.js'
import { numberText } from '../base/values.js'
import { sqlCommand } from '../base/sqlcommand.js'
import { bar, live } from './frame.js'
import { gridTemplate } from './grid.js'

/** The lists below with all digits, which `nprof info` scales; spans without an end. */
const KEPT =
  "select what, count, first_byte, reason from skipped; select t.process, t.thread, f.key, f.value, f.unit, f.source from facts f join tracks t on t.track = f.track and t.input = f.input; select count(*) as unclosed from events where kind = 'span' and duration_ps is null"

/** @type {import('./dock.js').Mount} */
export const problems = (element, page) => {
  const { session } = page,
    { profile, head } = session
  /** @type {[string, import('../base/values.js').Metric | undefined][]} */
  const unknowns = [
    ['busy', head.busy],
    ['MFU', head.mfu],
    ['exposed', head.exposed],
    ['step median', stepMedian(session)],
  ]
  const unknown = unknowns.flatMap(([name, metric]) =>
    metric?.value === null ? [{ name, reason: metric.reason }] : [],
  )
  return live(
    element,
    () => html`${bar({ scoped: 'whole: a problem of reading has no time', command: [session.commandFor('info'), sqlCommand(session, KEPT)].join('\n') })}<div class="scrolled">
      <h2>How sure</h2><p class="pad">${{ checked: 'Read by what is known of the format; what is read is checked.', structure: 'This format is not published: decoded by its structure, opcodes and some names are likely, not certain.' }[/** @type {string} */ (head.certainty)] ?? head.certainty}
        ${profile.unclosed ? html`<br>Spans without an end in the file: ${numberText(profile.unclosed)}; drawn faded, in no sum.` : nothing}${Number(profile.lost) ? html`<br>Rows may be missing at ${numberText(profile.lost)} ${Number(profile.lost) === 1 ? 'place' : 'places'}.` : nothing}</p>
      ${unknown.length ? html`<h2>Not known</h2><ul class="findings">${unknown.map(({ name, reason }) => html`<li>${name}: ${reason}</li>`)}</ul>` : nothing}
      ${profile.warnings.length ? html`<h2>Warnings of the reading</h2><ul class="findings">${profile.warnings.map(text => html`<li>${text}</li>`)}</ul>` : nothing}
      <h2>Skipped</h2>${
        profile.skipped.length
          ? gridTemplate({
              label: 'Skipped',
              columns: [
                { name: 'what', type: 'string', unit: '' },
                { name: 'count', type: 'int64', unit: '' },
                { name: 'first byte', type: 'int64', unit: '' },
                { name: 'reason', type: 'string', unit: '' },
              ],
              rows: profile.skipped.map(one => [
                one.what,
                String(one.count),
                one.first_byte,
                one.reason,
              ]),
              total: profile.skipped.length,
              offset: 0,
              sort: '',
            })
          : html`<p class="pad muted">Nothing: each record of the file became rows.</p>`
      }
      <h2>Facts of the file</h2>${gridTemplate({ label: 'Facts', columns: ['track', 'key', 'value', 'unit', 'source'].map(name => ({ name, type: 'string', unit: '' })), rows: profile.facts.map(one => [session.model.nameOf(one.track), one.key, one.value, one.unit, one.source]), total: profile.facts.length, offset: 0, sort: '' })}
    </div>`,
  )
}
