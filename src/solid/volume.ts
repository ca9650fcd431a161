/** The volume of a solid. */
import { OptionError } from '../base/errors.ts';
import { derived } from '../engine/asset-cache.ts';
import { isOfTriangles } from '../engine/operand.ts';
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { shellVolumes } from '../mesh/shells.ts';
import { cubesOf, type VoxelSet } from '../representations/voxel/tree/cube-set.ts';
import { requireInMemory } from './door.ts';
import { bodyOf, openEdgeOf } from './solid.ts';

export interface Volume extends Bracket {
  /** True if the surface is surely inside out: the signed volume is negative. */
  inverted: boolean;
}

const volumes = /* @__PURE__ */ derived<Asset, Volume>();

/**
 * Returns the volume of an asset, in its own cubed units: exact arithmetic gives a bracket from
 * `lower` to `upper`. Poses do not change it.
 *
 * For triangles it is the absolute signed volume (Gauss); `inverted` tells if the surface is inside
 * out. Each part counts as often as the surface winds about it: overlaps of shells count twice,
 * cavities not at all. For cubes it is that of the cubes, filled or not.
 *
 * @throws OptionError for triangles that bound no solid, with an edge that shows it, and for
 *   F-reps, for whose functions no volume is known
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
  // Two sums over the shells, each rounded.
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
  // Possible loss of a product to underflow.
  const lost = Number.MIN_VALUE;
  const lower = Math.min(Number.MAX_VALUE, Math.max(0, volume * DOWN - lost));
  return { lower, upper: volume * UP + lost, inverted: false };
}
