/** What answers about OBB trees, updates them, and builds trees for kernels while it is asked. */
import type { Asked } from '../../engine/representation.ts';
import { boxOf } from '../../mesh/extent.ts';
import { askedObb } from './asked.ts';
import { buildQueryTree } from './make/index.ts';
import type { ObbTree } from './tree/obb-tree.ts';
import { updateObbTree } from './update/index.ts';

export const movedObb: Asked<ObbTree> = {
  ...askedObb,
  update: updateObbTree,
  own: {
    over: (surface, options) => buildQueryTree({ ...surface, groups: [] }, options),
    box: ({ positions, triangles }) => boxOf(positions, triangles),
    primitives: ({ triangles }) => triangles.length / 3,
  },
};
