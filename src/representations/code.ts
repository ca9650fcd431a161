/**
 * The code of each kind. In the package's bundles (scripts/bundle-tables.mjs) who looks a kind up
 * finds none here: it is registered by what brings all kinds (everything.ts), by what loads one when
 * it is needed (loading.ts), since all of them take longer to parse than Node to start, or by a
 * subpath of one kind.
 */
import type { Representation } from '../query/representation.ts';
import { frep } from './frep/index.ts';
import { gi } from './gi/index.ts';
import { kdop } from './kdop/index.ts';
import { obb } from './obb/index.ts';
import { voxel } from './voxel/index.ts';

/** The code of whatever kind: whoever calls it hands it assets that bear its name. */
// biome-ignore lint/suspicious/noExplicitAny: functions of one kind's assets are no functions of all
export type AnyRepresentation = Representation<any>;

/** The code of each by its name: at once, or a promise of it. */
export const CODE: Record<string, () => AnyRepresentation | Promise<AnyRepresentation> | undefined> = {
  gi: () => gi,
  kdop: () => kdop,
  obb: () => obb,
  voxel: () => voxel,
  frep: () => frep,
};
