/** One triangle as an operand. */
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { BoundTree } from '../query/bound-tree.ts';
import type { Operand } from '../query/traverse.ts';

/**
 * A triangle that no asset has; without area, a segment or a point.
 *
 * @param corners nine coordinates, in the common frame; kept
 */
export function lone(corners: Float64Array): Operand {
  const hull = { points: corners, count: 3 };
  let reach = 0;
  const tree = new BoundTree((_, into) => {
    const at = into.leaf(0, 1);
    const { bounds } = into;
    bounds.fill(0, at, at + BOX_NUMBERS);
    for (let k = 0; k < 3; k++) {
      const [p, q, r] = [corners[k], corners[3 + k], corners[6 + k]];
      const low = Math.min(p, q, r);
      const high = Math.max(p, q, r);
      const centre = low / 2 + high / 2;
      bounds[at + k] = centre;
      bounds[at + 4 + 5 * k] = 1;
      bounds[at + 7 + 4 * k] = Math.max(centre - low, high - centre) * (1 + 2 ** -50);
      reach = Math.max(reach, Math.abs(low), Math.abs(high));
    }
  });
  return { tree, reach: 4 * reach, load: () => hull };
}
