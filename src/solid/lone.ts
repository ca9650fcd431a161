/** One triangle or convex hull as an operand. */

import { BoundTree } from '../engine/bound-tree.ts';
import type { Operand } from '../engine/traverse.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';

/**
 * A triangle (or, without area, a segment or a point), or the hull of up to 8 points, which it
 * keeps.
 */
export function lone(corners: Float64Array, count = 3): Operand {
  const hull = { points: corners, count };
  let reach = 0;
  const tree = new BoundTree((_, into) => {
    const at = into.leaf(0, 1);
    const { bounds } = into;
    bounds.fill(0, at, at + BOX_NUMBERS);
    for (let k = 0; k < 3; k++) {
      let low = corners[k];
      let high = low;
      for (let i = 1; i < count; i++) {
        low = Math.min(low, corners[3 * i + k]);
        high = Math.max(high, corners[3 * i + k]);
      }
      const centre = low / 2 + high / 2;
      bounds[at + k] = centre;
      bounds[at + 4 + 5 * k] = 1;
      bounds[at + 7 + 4 * k] = Math.max(centre - low, high - centre) * (1 + 2 ** -50);
      reach = Math.max(reach, Math.abs(low), Math.abs(high));
    }
  });
  return { tree, reach: 4 * reach, load: () => hull };
}
