/** Answers about OBB trees, their updates, and trees built for kernels during questions. */
import type { Asked } from '../../engine/representation.ts';
import { boxOf } from '../../mesh/extent.ts';
import { askedObb } from './asked.ts';
import { buildQueryTree } from './make/index.ts';
import type { ObbTree } from './tree/obb-tree.ts';
import { updateObbTree, updateWideTree } from './update/index.ts';

/** For pages that build: a tree for kernels replaces one of 20 or 40 bytes a node. */
export const builtObb: Pick<Asked<ObbTree>, 'name' | 'own'> = {
  name: 'obb',
  own: { over: (surface, options) => buildQueryTree({ ...surface, groups: [] }, options) },
};

/** For pages that build query trees and move their vertices: wide trees. */
export const liveObb: Asked<ObbTree> = {
  ...askedObb,
  update: updateWideTree,
  own: {
    ...builtObb.own,
    box: ({ positions, triangles }) => boxOf(positions, triangles),
    primitives: ({ triangles }) => triangles.length / 3,
  },
};

export const movedObb: Asked<ObbTree> = { ...liveObb, update: updateObbTree };
