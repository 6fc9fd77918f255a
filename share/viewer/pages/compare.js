// SPDX-License-Identifier: Apache-2.0
// The page of compared profiles.
import { missingPage } from './missing.js'

/** @returns {(app: HTMLElement) => void} */
export const comparePage = () => missingPage('Comparing profiles', 'nprof diff A B prints it. Profiles: ')
