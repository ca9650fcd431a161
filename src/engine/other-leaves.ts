/** What answers about leaves other than triangles; see leaves.ts. */
import { hullDistance, hullsOverlap } from '../geometry/gjk.ts';
import type { OtherLeaves } from './leaves.ts';
import { SolidPairs, solidOf } from './solid-pairs.ts';

export const OTHER_LEAVES: OtherLeaves = {
  hullsMeet: (a, b) => hullsOverlap(a.points, a.count, b.points, b.count) === 'overlap',
  hullDistance: (a, b, out) => hullDistance(a.points, a.count, b.points, b.count, out),
  solidPairs: (a, b, clearance, patience) => new SolidPairs(a, b, clearance, patience),
  solidOf,
};
