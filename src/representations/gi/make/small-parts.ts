/** Finds components that an image's grid is too coarse for: the whole file has one step. */
import type { Surface } from '../../../mesh/topology.ts';
import { boundsOf } from './quantise.ts';

export interface SmallParts {
  /** Components whose largest extent is under 50 steps. */
  count: number;
  /** The least of their largest extents, in steps and in model units. */
  steps: number;
  extent: number;
}

const FEWEST_STEPS = 50;

/** Finds small components in linear time; components are joined by common vertices. */
export function findSmallParts({ positions, triangles }: Surface): SmallParts {
  const step = boundsOf(positions).extent / 65535;
  const above = Int32Array.from({ length: positions.length / 3 }, (_, v) => v);
  const rootOf = (v: number): number => {
    let root = v;
    while (above[root] !== root) {
      above[root] = above[above[root]];
      root = above[root];
    }
    return root;
  };
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 1; k < 3; k++) {
      const [a, b] = [rootOf(triangles[t]), rootOf(triangles[t + k])];
      if (a < b) above[b] = a;
      else above[a] = b;
    }
  }
  // Boxes by root, which is a component's lowest vertex.
  const low = positions.slice();
  const high = positions.slice();
  for (let v = 0; v < above.length; v++) {
    const root = rootOf(v);
    for (let k = 0; k < 3; k++) {
      low[3 * root + k] = Math.min(low[3 * root + k], positions[3 * v + k]);
      high[3 * root + k] = Math.max(high[3 * root + k], positions[3 * v + k]);
    }
  }
  const small: SmallParts = { count: 0, steps: Number.POSITIVE_INFINITY, extent: 0 };
  for (let v = 0; v < above.length; v++) {
    if (above[v] !== v) continue;
    const [x, y, z] = [0, 1, 2].map((k) => high[3 * v + k] - low[3 * v + k]);
    const extent = Math.max(x, y, z);
    const steps = extent / step;
    if (!(steps < FEWEST_STEPS)) continue;
    small.count++;
    if (steps < small.steps) [small.steps, small.extent] = [steps, extent];
  }
  return small;
}

/** Says in words what to do about small components; null if there are none. */
export function describeSmallParts({ count, steps, extent }: SmallParts): string | null {
  if (count === 0) return null;
  const [are, them] = count === 1 ? ['component is', 'it'] : ['components are', 'them'];
  const across = Number(steps.toPrecision(2));
  const size = `${across} ${across === 1 ? 'step' : 'steps'}, ${Number(extent.toPrecision(3))} across`;
  const which = count === 1 ? size : `the smallest is ${size}`;
  return `${count} ${are} under ${FEWEST_STEPS} steps of the image's grid (${which}): build ${them} separately, or with -f obb`;
}
