/** How much does a solid hold? */
import { OptionError } from '../math/errors.ts';
import { shellVolumes } from '../mesh/shells.ts';
import { derived } from '../query/derived.ts';
import type { Bracket } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { isOfTriangles } from '../representations/operand.ts';
import { cubesOf, type VoxelSet } from '../representations/voxel/tree/voxel-set.ts';
import { requireInMemory } from './door.ts';
import { bodyOf, openEdgeOf } from './solid.ts';

export interface Volume extends Bracket {
  /** Whether the surface is inside out: the signed volume is less than 0, for sure. */
  inverted: boolean;
}

const volumes = /* @__PURE__ */ derived<Asset, Volume>();

/**
 * The volume of an asset, in cubed units of its own: from `lower` to `upper`, in exact arithmetic.
 *
 * Of triangles it is the size of the signed volume (Gauss): of a surface that is inside out the same
 * as of one that is not, with `inverted`. Each part counts as often as the surface winds about it,
 * so that shells that overlap count twice in common, and cavities not at all. Of cubes it is that of
 * the cubes, filled or not. A pose moves rigidly, so none is asked for.
 *
 * @throws OptionError for triangles that bound no solid, with an edge at which they do not, and for
 *   F-reps, of whose function no volume is known
 * @example const { lower, upper } = volumeOf(build(readObj(await readFile('assets/box.obj')), { format: 'obb' }));
 *          upper - lower < 1e-9 * upper // true
 */
export function volumeOf(asset: Asset): Volume {
  requireInMemory(asset);
  let volume = volumes.get(asset);
  if (!volume) {
    volume = isOfTriangles(asset) ? ofTriangles(asset) : ofCubes(asset);
    volumes.set(asset, volume);
  }
  return { ...volume };
}

/** Rounding of a sum of two, and of a product. */
const DOWN = 1 - 2 ** -50;
const UP = 1 + 2 ** -50;

function ofTriangles(asset: Asset): Volume {
  const body = bodyOf(asset);
  const reason = openEdgeOf(body);
  if (reason) throw new OptionError(`volumeOf: the asset ${reason}`);
  const { volumes, errors } = shellVolumes(body.surface, body.shells);
  let volume = 0;
  let error = 0;
  let sizes = 0;
  for (let shell = 0; shell < volumes.length; shell++) {
    volume += volumes[shell];
    error += errors[shell];
    sizes += Math.abs(volumes[shell]);
  }
  // Two sums of as many numbers as there are shells, each rounded.
  const spare = (error + sizes * volumes.length * 2 ** -52) * (1 + volumes.length * 2 ** -52) * UP;
  const size = Math.abs(volume);
  if (!(size + spare < Number.POSITIVE_INFINITY)) return { lower: 0, upper: Number.POSITIVE_INFINITY, inverted: false };
  return { lower: Math.max(0, (size - spare) * DOWN), upper: (size + spare) * UP, inverted: volume < -spare };
}

function ofCubes(asset: Asset): Volume {
  if (asset.representation !== 'voxel')
    throw new OptionError(`volumeOf: of triangles and cubes, found ${asset.representation}`);
  const set = asset as VoxelSet;
  const volume = cubesOf(set) * set.precision * set.precision * set.precision;
  // What a product may have lost to underflow.
  const lost = Number.MIN_VALUE;
  const lower = Math.min(Number.MAX_VALUE, Math.max(0, volume * DOWN - lost));
  return { lower, upper: volume * UP + lost, inverted: false };
}
