/**
 * Finds charts that leave a part of the source far away, which a sum of squared distances hides.
 *
 * A spike between two samples, or a limb squeezed into a few quads, has almost no area in its
 * square. So vertices of the source are measured, each against the quad around its place and the
 * quads next to that. This is an estimate: corners of charts and splits of quads are not rounded.
 */
import { triangleDistanceSquared } from '../../../../mesh/triangle-tree.ts';
import { sizeOf } from '../../tree/grid.ts';
import type { SampledChart } from './sampled-chart.ts';

/** Quads on each side of a vertex's own. */
const AROUND = 2;
const corners = new Float64Array(9);

/** Greatest distance of the source's vertices from a chart in a square that is not folded. */
export function farthestVertex({ source, positions: p, exponent }: SampledChart): number {
  const quads = 1 << exponent;
  const down = 3 * sizeOf(exponent);
  const { positions, triangles, corners: places } = source;
  const isSeen = new Uint8Array(positions.length / 3);
  let farthest = 0;
  for (let h = 0; h < triangles.length; h++) {
    const v = triangles[h];
    if (isSeen[v] === 1) continue;
    isSeen[v] = 1;
    const column = Math.min(quads - 1, Math.max(0, Math.floor(((places[2 * h] + 1) / 2) * quads)));
    const row = Math.min(quads - 1, Math.max(0, Math.floor(((places[2 * h + 1] + 1) / 2) * quads)));
    const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
    let near = distanceToQuad(p, row * down + 3 * column, down, x, y, z);
    if (!(near > farthest)) continue;
    const [last, right] = [Math.min(quads - 1, row + AROUND), Math.min(quads - 1, column + AROUND)];
    for (let i = Math.max(0, row - AROUND); i <= last; i++) {
      for (let j = Math.max(0, column - AROUND); j <= right && near > farthest; j++) {
        near = Math.min(near, distanceToQuad(p, i * down + 3 * j, down, x, y, z));
      }
    }
    farthest = Math.max(farthest, near);
  }
  return Math.sqrt(farthest);
}

/** Squared distance of a point from the two triangles of the quad whose first sample is at `a`. */
function distanceToQuad(p: Float64Array, a: number, down: number, x: number, y: number, z: number): number {
  const [b, c, d] = [a + 3, a + down, a + down + 3];
  const isDown = squared(p, a, d) <= squared(p, b, c);
  setCorners(p, a, isDown ? d : b, c);
  const one = triangleDistanceSquared(corners, 0, x, y, z);
  setCorners(p, isDown ? a : b, isDown ? b : d, isDown ? d : c);
  return Math.min(one, triangleDistanceSquared(corners, 0, x, y, z));
}

function setCorners(p: Float64Array, a: number, b: number, c: number): void {
  for (let k = 0; k < 3; k++) {
    corners[k] = p[a + k];
    corners[3 + k] = p[b + k];
    corners[6 + k] = p[c + k];
  }
}

function squared(p: Float64Array, a: number, b: number): number {
  const [x, y, z] = [p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]];
  return x * x + y * y + z * z;
}
