// SPDX-License-Identifier: Apache-2.0
// What Lumino itself uses of its package coreutils: of the package in one piece esbuild would leave
// nothing out.
export { MimeData } from 'coreutils/src/mime'
export { PromiseDelegate } from 'coreutils/src/promise'
