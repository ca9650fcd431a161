/**
 * gicollide/contacts: finds where surfaces touch, for the options `contactPoints` and `patches` of
 * the subpaths of one kind, which don't include this code. `check` of gicollide has it already.
 */

import { contacts as finder } from '../contacts/patches.ts';
import type { ContactFinder } from '../engine/options.ts';

export type { ContactPatch, ContactPoint } from '../engine/records.ts';
export type { ContactFinder };

/**
 * Pass it to `check` of a subpath with `contactPoints` or `patches`.
 *
 * @example import { build, check } from 'gicollide/obb';
 *          import { contacts } from 'gicollide/contacts';
 *          const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
 *          const tree = build({ positions, triangles: Uint32Array.of(0, 1, 2), groups: [] });
 *          const report = check(tree, tree, { all: true, patches: true, contacts });
 *          report.contacts.patches[0].kind // 'area'
 */
export const contacts: ContactFinder = finder;
