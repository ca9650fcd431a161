/**
 * Finds the nodes of two hierarchies that a query visits, level by level, as in the figures of B.
 * Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG 2005,
 * Figures 2 and 7.
 */

import { BoundTree } from '../engine/bound-tree.ts';
import { HULL_NUMBERS } from '../engine/narrow-phase.ts';
import { check } from '../engine/prepared.ts';
import type { Visit } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import type { Surface } from '../mesh/topology.ts';
import { representationOf } from '../representations/kinds.ts';
import type { PairQuestion, Visits } from './protocol.ts';
import { roundShapeOf, shapeOf } from './protocol.ts';
import type { VisitedLevel } from './view-state.ts';

const MOST_DRAWN = 10_000;

/**
 * Returns the tests of a query for the first contact, as `check` with `onVisit` reports them.
 *
 * @param level draws the pairs whose deeper node is on this level. `front`: the nodes of each
 *   hierarchy at which the search stopped; they are finer where the two are near. For two geometry
 *   images, that search uses only spheres, as in the figures
 * @throws OptionError for an invalid pose
 */
export function visitsOf(
  a: Asset,
  b: Asset,
  poses: Pick<PairQuestion, 'poseA' | 'poseB'>,
  level: VisitedLevel,
): Visits {
  const levels: number[] = [];
  const [nodesA, nodesB] = [new Set<number>(), new Set<number>()];
  const [hullsA, hullsB] = [new Set<number>(), new Set<number>()];
  const onVisit = (visit: Visit): void => {
    if (visit.kind === 'hulls') {
      hullsA.add(visit.a);
      hullsB.add(visit.b);
      return;
    }
    const deeper = Math.max(visit.levelA, visit.levelB);
    while (levels.length <= deeper) levels.push(0);
    levels[deeper]++;
    if (level !== 'front' && deeper !== level) return;
    nodesA.add(visit.a);
    nodesB.add(visit.b);
  };
  const bounds = level === 'front' && [a, b].every(hasSpheres) ? 'spheres' : undefined;
  const { tests } = check(a, b, { poseA: poses.poseA, poseB: poses.poseB, onVisit, ...(bounds && { bounds }) });
  const [drawnA, drawnB] = level === 'front' ? [frontOf(a, nodesA), frontOf(b, nodesB)] : [nodesA, nodesB];
  return {
    tests,
    levels,
    a: roundShapeOf(volumesOf(a, drawnA, bounds)),
    b: roundShapeOf(volumesOf(b, drawnB, bounds)),
    trianglesA: shapeOf(hullsOf(a, hullsA)),
    trianglesB: shapeOf(hullsOf(b, hullsB)),
    isCut: [drawnA, drawnB, hullsA, hullsB].some(({ size }) => size > MOST_DRAWN),
  };
}

/** Visited nodes with no visited child. */
function frontOf(asset: Asset, visited: ReadonlySet<number>): Set<number> {
  const tree = new BoundTree((node, into) => representationOf(asset).unfold(asset, node, into));
  const front = new Set<number>();
  const stack = [0];
  while (stack.length > 0) {
    const i = stack.pop()!;
    const before = stack.length;
    if (!tree.isLeaf(i)) {
      const first = tree.firstChild(i);
      for (let k = first + tree.count[i] - 1; k >= first; k--) if (visited.has(tree.own[k])) stack.push(k);
    }
    if (stack.length === before && visited.has(tree.own[i])) front.add(tree.own[i]);
  }
  return front;
}

const drawn = (numbers: ReadonlySet<number>): number[] => Array.from(numbers).slice(0, MOST_DRAWN);

const hasSpheres = (asset: Asset): boolean => representationOf(asset).own?.options?.bounds !== undefined;

function volumesOf(asset: Asset, nodes: ReadonlySet<number>, bounds?: 'spheres'): Surface {
  const { own } = representationOf(asset);
  return (
    own?.volumes?.(asset, drawn(nodes), bounds) ?? { positions: new Float64Array(0), triangles: new Uint32Array(0) }
  );
}

/** Corner i of a box is high along axis k if bit k of i is set. Triangles face outward. */
const BOX = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];
const corners = new Float64Array(HULL_NUMBERS);

function hullsOf(asset: Asset, ids: ReadonlySet<number>): Surface {
  const { hull, solid } = representationOf(asset);
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const id of drawn(ids)) {
    // A solid that is asked as a whole counts as node 0, the number of its domain.
    if (solid && id === 0) continue;
    const first = positions.length / 3;
    const count = hull(asset, id, corners);
    for (let i = 0; i < 3 * count; i++) positions.push(corners[i]);
    for (const corner of count === 8 ? BOX : [0, 1, 2]) triangles.push(first + corner);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}
