/**
 * gicollide/solid: classes of solids, for the option `solid` of the subpaths of one kind, which
 * don't include this code. `check` of gicollide has it already.
 */
import type { SolidClassifier } from '../engine/options.ts';
import { register } from '../representations/kinds.ts';
import { obb } from '../representations/obb/index.ts';
import { classOf } from '../solid/class-of.ts';

export type { Depth, SolidMode } from '../engine/options.ts';
export type { Bracket, SolidClass, Solids } from '../engine/records.ts';
export type { SolidClassifier };

/**
 * Pass it to `check` of a subpath with `solid`.
 *
 * @example import { build, check } from 'gicollide/obb';
 *          import { solids } from 'gicollide/solid';
 *          const mesh = {
 *            positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
 *            triangles: Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3),
 *            groups: [],
 *          };
 *          const tree = build(mesh);
 *          check(tree, tree, { solid: 'auto', solids }).class // 'same'
 */
export const solids: SolidClassifier = {
  classOf(a, b, query, asked, answers) {
    // The faces of cubes become an OBB tree.
    register(obb);
    return classOf(a, b, query, asked, answers);
  },
};
