/** The direction in which two bodies are pushed apart that touch in one point. */

import { cross } from '../math/linear.ts';
import { normalise } from './contact-lines.ts';
import type { ContactPair } from './report.ts';
import type { Operand } from './traverse.ts';

/** Normals that differ by less are one. */
const SAME = 1e-6;

class Corner {
  private readonly sum = [0, 0, 0];
  private readonly distinct: number[][] = [];

  add(normals: Float64Array, at: number, weight: number): void {
    const normal = [normals[at], normals[at + 1], normals[at + 2]];
    if (normal.every((x) => x === 0)) return;
    for (let k = 0; k < 3; k++) this.sum[k] += weight * normal[k];
    const isKnown = this.distinct.some((other) => other.every((x, k) => Math.abs(x - normal[k]) <= SAME));
    if (!isKnown && this.distinct.length < 3) this.distinct.push(normal);
  }

  /** 1 for a face, 2 for an edge, 3 for a corner; 0 without area. */
  get faces(): number {
    return this.distinct.length;
  }

  mean(): number[] {
    const mean = [...this.sum];
    normalise(mean, 0);
    return mean;
  }

  edge(): number[] {
    return cross(this.distinct[0], this.distinct[1]);
  }
}

/**
 * Returns the normal that contact-patches.ts describes; not of length 1 if two directions are
 * weighed. `own` are the pairs that touch at `place`: all triangles of a with all of b.
 */
export function pointNormal(
  a: Operand,
  b: Operand,
  { pairs, own, normals }: { pairs: readonly ContactPair[]; own: Int32Array; normals: Float64Array },
  place: readonly number[],
  tolerance: number,
): number[] {
  const [ofA, ofB] = [new Corner(), new Corner()];
  for (const i of own) {
    const [p, q] = pairs[i];
    const weight = angleAt(a.load(p).points, place, tolerance) * angleAt(b.load(q).points, place, tolerance);
    ofA.add(normals, 6 * i, weight);
    ofB.add(normals, 6 * i + 3, weight);
  }
  if (ofB.faces === 1 && ofA.faces !== 1) return ofB.mean();
  if (ofA.faces === 1 && ofB.faces !== 1) return ofA.mean().map((x) => -x);
  const [meanA, meanB] = [ofA.mean(), ofB.mean()];
  const apart = meanB.map((x, k) => x - meanA[k]);
  if (ofA.faces === 2 && ofB.faces === 2) {
    const across = cross(ofA.edge(), ofB.edge());
    const along = across[0] * apart[0] + across[1] * apart[1] + across[2] * apart[2];
    if (Math.abs(along) > SAME) return across.map((x) => (along > 0 ? x : -x));
  }
  return apart.some((x) => Math.abs(x) > SAME) ? apart : meanB;
}

/** The angle of a triangle's corner at a point; half a turn if it has none there. */
function angleAt(corners: Float64Array, place: readonly number[], tolerance: number): number {
  for (let k = 0; k < 9; k += 3) {
    if (place.some((x, axis) => Math.abs(corners[k + axis] - x) > tolerance)) continue;
    const to = (l: number): number[] => {
      const way = place.map((_, axis) => corners[l + axis] - corners[k + axis]);
      const largest = Math.max(...way.map(Math.abs));
      return largest > 0 ? way.map((x) => x / largest) : way;
    };
    const [u, v] = [to((k + 3) % 9), to((k + 6) % 9)];
    const w = cross(u, v);
    return Math.atan2(Math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  }
  return Math.PI;
}
