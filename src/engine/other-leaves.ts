/** Answers about leaves other than triangles, and about sources; see leaves.ts and ladder.ts. */
import { hullDistance, hullsOverlap } from '../geometry/gjk.ts';
import { registerSearchOfSolids } from './closest.ts';
import { SearchOfSolids } from './closest-solids.ts';
import { registerSources } from './ladder.ts';
import { type OtherLeaves, registerLeaves } from './leaves.ts';
import { cellGap, SolidPairs, solidOf, witnessInSolid } from './solid-pairs.ts';
import { answerOfSources } from './sources.ts';

const OTHER_LEAVES: OtherLeaves = {
  hullsMeet: (a, b) => hullsOverlap(a.points, a.count, b.points, b.count) === 'overlap',
  hullDistance: (a, b, out) => hullDistance(a.points, a.count, b.points, b.count, out),
  witnessInSolid,
  cellGap,
  solidPairs: (a, b, clearance, patience) => new SolidPairs(a, b, clearance, patience),
  solidOf,
};

/** For kinds that have such leaves. */
export function registerOtherLeaves(): void {
  registerLeaves(OTHER_LEAVES);
  registerSearchOfSolids(SearchOfSolids);
  registerSources(answerOfSources);
}
