// SPDX-License-Identifier: Apache-2.0
// What the page uses of Lumino: the dock of widgets. Its modules are named one by one, for of the package in one piece, with
// menus, grids and palettes, esbuild would leave nothing out.
export { DockPanel } from '@lumino/widgets/src/dockpanel'
export { Widget } from '@lumino/widgets/src/widget'
export { MessageLoop } from '@lumino/messaging'
