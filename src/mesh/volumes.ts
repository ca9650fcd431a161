/** Signed volumes of shells, with a bound of the rounding. */
import { TINY } from '../geometry/orient.ts';

export interface ShellList {
  /** Three vertices per triangle. */
  corners: Uint32Array;
  /** Per triangle its shell. */
  shellOf: ArrayLike<number>;
  count: number;
}

interface ShellVolumes {
  volumes: Float64Array;
  /** A volume is off by less than this. */
  errors: Float64Array;
}

/**
 * Computes the signed volume of each shell (Gauss, about a corner of its own), in cubed model
 * units, and a bound of its rounding. If `errors` is not less than the volume's size, the sign is
 * unknown. Meaningful for shells that bound solids, see `shellBounds`. Negative: inside out.
 *
 * The bound. Let e = 2^-53. A determinant of differences is a sum of six products of three
 * differences, each through at most 8 roundings (orient.ts). So it is off by less than 9 e P, P the
 * sum of the products' sizes. Adding n of them one after the other is off by at most n e times the
 * sum of the terms, and dividing by 6 by e times the quotient. So it is all off, with S the sum of
 * the P, by less than:
 *   (n + 11) e S.
 * The computed S is at least (1 - (n + 9) e) S, and (n + 16) e times that is more, up to 2^40
 * triangles. An underflowing product loses at most 2^-1075 and is multiplied by a difference once
 * at most: `TINY`, added to each product's size, outweighs that. Overflow makes the bound infinite
 * or NaN, and nothing is less than that.
 */
export function shellVolumes(
  { positions }: { positions: Float64Array },
  { corners, shellOf, count }: ShellList,
): ShellVolumes {
  const volumes = new Float64Array(count);
  const errors = new Float64Array(count);
  const sizes = new Uint32Array(count);
  const origin = new Int32Array(count).fill(-1);
  for (let t = 0; t < shellOf.length; t++) {
    const shell = shellOf[t];
    if (origin[shell] < 0) origin[shell] = 3 * corners[3 * t];
    readDeterminant(positions, origin[shell], 3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]);
    volumes[shell] += determinant[0];
    errors[shell] += determinant[1];
    sizes[shell]++;
  }
  for (let shell = 0; shell < count; shell++) {
    volumes[shell] /= 6;
    errors[shell] *= ((sizes[shell] + 16) * 2 ** -53) / 6;
  }
  return { volumes, errors };
}

const determinant = new Float64Array(2);

function readDeterminant(p: Float64Array, o: number, i: number, j: number, k: number): void {
  const ax = p[i] - p[o];
  const ay = p[i + 1] - p[o + 1];
  const az = p[i + 2] - p[o + 2];
  const bx = p[j] - p[o];
  const by = p[j + 1] - p[o + 1];
  const bz = p[j + 2] - p[o + 2];
  const cx = p[k] - p[o];
  const cy = p[k + 1] - p[o + 1];
  const cz = p[k + 2] - p[o + 2];
  const yz = by * cz;
  const zy = bz * cy;
  const zx = bz * cx;
  const xz = bx * cz;
  const xy = bx * cy;
  const yx = by * cx;
  determinant[0] = (yz - zy) * ax + (zx - xz) * ay + (xy - yx) * az;
  determinant[1] =
    (Math.abs(yz) + Math.abs(zy) + TINY) * Math.abs(ax) +
    (Math.abs(zx) + Math.abs(xz) + TINY) * Math.abs(ay) +
    (Math.abs(xy) + Math.abs(yx) + TINY) * Math.abs(az) +
    TINY;
}
