/** The table of what builds assets of meshes: as code.ts for kinds, a name for each that meshes can become. */
import type { Builder } from '../query/representation.ts';
import { giBuilder } from './gi/build/index.ts';
import { kdopBuilder } from './kdop/build.ts';
import { obbBuilder } from './obb/build/index.ts';
import { voxelBuilder } from './voxel/build/index.ts';

/** The builder of each kind by the kind's name: at once, or a promise of it. */
export const BUILDERS: Record<string, () => Builder | Promise<Builder> | undefined> = {
  gi: () => giBuilder,
  kdop: () => kdopBuilder,
  obb: () => obbBuilder,
  voxel: () => voxelBuilder,
};
