// SPDX-License-Identifier: Apache-2.0
// What the page uses of Lumino: the dock of widgets.
export { DockPanel, Widget, DockLayout } from '@lumino/widgets'
export { MessageLoop } from '@lumino/messaging'
