/** Places of a disk's rim around the square, for tests that embed it. */
import { MeshError } from '../../src/base/errors.ts';
import { arcLength, coarsenDisk, estimateDisk } from '../../src/representations/gi/make/parameterize/coarse-disk.ts';
import type { Disk } from '../../src/representations/gi/make/parameterize/disk-mesh.ts';

const ROTATIONS = 8;
/** A vertex at most this share of its rim edges away from a corner of the square is put there. */
const NEAR_CORNER = 0.25;

/**
 * The place round the square of each of the rim's vertices, for `embedDisk`: by arc length, corners
 * on vertices where some are near, the rotation the best of ROTATIONS.
 *
 * @throws MeshError where the mesh is no disk or none of the rotations embeds
 */
export function placeBoundary(disk: Disk): Float64Array {
  const coarse = coarsenDisk(disk);
  const along = arcLength(disk);
  let best: Float64Array | null = null;
  let least = Number.POSITIVE_INFINITY;
  let failure: unknown;
  for (let k = 0; k < ROTATIONS; k++) {
    const perimeter = toCorners(along.map((s) => (s + k / ROTATIONS) % 4));
    try {
      const { stretch } = estimateDisk(coarse, perimeter);
      if (best && !(stretch < least)) continue;
      best = perimeter;
      least = stretch;
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      failure = error;
    }
  }
  if (!best) throw failure;
  return best;
}

/** Moves the vertices that are near to a corner onto it; each stays clear of its neighbours. */
function toCorners(perimeter: Float64Array): Float64Array {
  const count = perimeter.length;
  const gap = (i: number) => (perimeter[i + 1 < count ? i + 1 : 0] - perimeter[i] + 4) % 4;
  return perimeter.map((p, i) => {
    const near = NEAR_CORNER * Math.min(gap(i), gap(i > 0 ? i - 1 : count - 1));
    return Math.abs(p - Math.round(p)) <= near ? Math.round(p) % 4 : p;
  });
}
