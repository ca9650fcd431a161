/**
 * Cuts a region with holes into triangles. Holes are joined to the outline by bridges, from the one
 * farthest right on (D. Eberly, "Triangulation by Ear Clipping", 1998); polygon.ts cuts the rest.
 */
import { orient2d } from '../../../geometry/orient.ts';
import { triangulatePolygon } from '../../polygon.ts';

/**
 * Corner numbers of triangles, counter-clockwise, three each. All corners are used, and all sides
 * of the loops once. Null for a hole that is not within the outline.
 *
 * @param loops the outline counter-clockwise, then holes clockwise; corners are numbered through
 */
export function cutRegion(loops: readonly (readonly (readonly number[])[])[]): Uint32Array | null {
  const points = Float64Array.from(loops.flat(2));
  let first = loops[0].length;
  let ring = Array.from({ length: first }, (_, k) => k);
  const holes = loops.slice(1).map((loop) => {
    const hole = Array.from(loop, (_, k) => first + k);
    first += loop.length;
    const right = hole.reduce((best, v, k) => (points[2 * v] > points[2 * hole[best]] ? k : best), 0);
    return [...hole.slice(right), ...hole.slice(0, right)];
  });
  holes.sort((a, b) => points[2 * b[0]] - points[2 * a[0]] || a[0] - b[0]);
  for (let k = 0; k < holes.length; k++) {
    const at = bridge(points, ring, holes.slice(k));
    if (at < 0) return null;
    ring = [...ring.slice(0, at + 1), ...holes[k], holes[k][0], ...ring.slice(at)];
  }
  const flat = Float64Array.from({ length: (points.length / 2) * 3 }, (_, k) =>
    k % 3 === 2 ? 0 : points[2 * Math.floor(k / 3) + (k % 3)],
  );
  const out = new Uint32Array(3 * (ring.length - 2));
  triangulatePolygon(flat, Uint32Array.from(ring), 0, ring.length, out, 0);
  return out;
}

/** The nearest corner of the ring that the first hole's first corner sees, or -1. */
function bridge(points: Float64Array, ring: readonly number[], holes: readonly (readonly number[])[]): number {
  const from = holes[0][0];
  const side = (a: number, b: number, c: number): number => orient2d(points, 2 * a, points, 2 * b, points, 2 * c, 2);
  const square = (v: number): number =>
    (points[2 * v] - points[2 * from]) ** 2 + (points[2 * v + 1] - points[2 * from + 1]) ** 2;
  const sides = [ring, ...holes].flatMap((loop) => loop.map((v, k) => [v, loop[(k + 1) % loop.length]] as const));
  const isWithin = (at: number): boolean => {
    const [before, v, after] = [ring[(at + ring.length - 1) % ring.length], ring[at], ring[(at + 1) % ring.length]];
    if (side(before, v, after) >= 0) return side(v, from, before) > 0 && side(from, v, after) > 0;
    return !(side(v, from, after) >= 0 && side(from, v, before) >= 0);
  };
  const isSeen = (v: number): boolean =>
    sides.every(([a, b]) => {
      if (a === v || b === v || a === from || b === from) return true;
      return side(a, b, from) * side(a, b, v) > 0 || side(from, v, a) * side(from, v, b) > 0;
    });
  const order = [...ring.keys()].sort((a, b) => square(ring[a]) - square(ring[b]) || a - b);
  return order.find((at) => isWithin(at) && isSeen(ring[at])) ?? -1;
}
