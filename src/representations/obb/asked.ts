/**
 * Answers about OBB trees, for pages that only ask. It builds nothing. Elsewhere, kernels answer
 * about trees of 20 and 40 bytes a node by a tree of 64; here these trees have only their own
 * search.
 */
import type { Tolerance } from '../../engine/records.ts';
import { type Asked, beyondSource, isUpdated } from '../../engine/representation.ts';
import { kernel, place, search } from './search/index.ts';
import type { ObbTree } from './tree/obb-tree.ts';
import { hullOfObbTree, reachOfObbTree, unfoldObbTree } from './tree/unfold.ts';

export const askedObb: Asked<ObbTree> = {
  name: 'obb',
  tolerance,
  units: ({ header }) => header.units,
  surface: ({ positions, triangles }) => ({ positions: Float64Array.from(positions), triangles: triangles.slice() }),
  unfold: unfoldObbTree,
  hull: hullOfObbTree,
  reach: reachOfObbTree,
  search,
  kernel: { pair: kernel, place },
};

function tolerance({ header }: ObbTree): Tolerance {
  return isUpdated(header) ? null : beyondSource({ missing: 0, excess: 0 }, header);
}
