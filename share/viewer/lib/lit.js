// SPDX-License-Identifier: Apache-2.0
// What the page uses of lit-html and of @preact/signals-core; esbuild puts both into this file.
export { html, svg, render, nothing, noChange } from 'lit-html'
export { guard } from 'lit-html/directives/guard.js'
export { repeat } from 'lit-html/directives/repeat.js'
export { directive, Directive, PartType } from 'lit-html/directive.js'
export { Signal, signal, computed, effect, batch, untracked } from '@preact/signals-core'
