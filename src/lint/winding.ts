/**
 * How often triangles that close wind round a point, exactly: crossings of a ray from it along x,
 * counted by the side from which it meets them.
 *
 * Nothing lies in the ray's way by accident: the point is taken to be moved by (d^3, d, d^2) for a
 * d smaller than all that matters (H. Edelsbrunner, E. Muecke, "Simulation of Simplicity", ACM
 * Trans. Graphics 9(1), 1990). A sign that is 0 is that of the first power of d that has a factor
 * which is not: by d the point moves along y, then by d^2 along z, then by d^3 along x. So the
 * point is on no triangle, and the ray through no edge. Where the point is on one of the triangles
 * this decides for one side, the same for all.
 *
 * Seen along x, the triangle (a, b, c) holds the point where it is on one side of ab, bc and ca;
 * that side is the sign of the normal's x. The ray leaves along +x through what faces that way: it
 * counts 1 then, -1 otherwise; and meets the plane where the point's height over it has the other
 * sign.
 *
 * Every triangle is looked at: enough for a point a shell. Who asks for many points wants a tree.
 */
import { orient2d, orient3d } from '../geometry/orient.ts';

/**
 * @param p coordinates of all points
 * @param point an offset in it
 * @param corners three vertex numbers for each triangle at `triangles`; these must be a cycle
 * @example windingNumber(positions, 0, corners, Uint32Array.of(0, 1, 2, 3)) // 0 or 1, of a tetrahedron
 */
export function windingNumber(p: Float64Array, point: number, corners: Uint32Array, triangles: Uint32Array): number {
  let winding = 0;
  for (const t of triangles) {
    const a = 3 * corners[3 * t];
    const b = 3 * corners[3 * t + 1];
    const c = 3 * corners[3 * t + 2];
    if (isBeside(p, point, a, b, c)) continue;
    const side = sideOf(p, a, b, point);
    if (side === 0 || side !== sideOf(p, b, c, point) || side !== sideOf(p, c, a, point)) continue;
    if (heightOf(p, point, a, b, c, side) === -side) winding += side;
  }
  return winding;
}

/** Whether the box of a triangle is off the ray. */
function isBeside(p: Float64Array, point: number, a: number, b: number, c: number): boolean {
  const y = p[point + 1];
  const z = p[point + 2];
  if (p[a + 1] < y && p[b + 1] < y && p[c + 1] < y) return true;
  if (p[a + 1] > y && p[b + 1] > y && p[c + 1] > y) return true;
  if (p[a + 2] < z && p[b + 2] < z && p[c + 2] < z) return true;
  if (p[a + 2] > z && p[b + 2] > z && p[c + 2] > z) return true;
  return p[a] < p[point] && p[b] < p[point] && p[c] < p[point];
}

/**
 * On which side of the line from u to w the moved point is, seen along x; 0 where that is no line.
 */
function sideOf(p: Float64Array, u: number, w: number, point: number): number {
  const side = orient2d(p, u, p, w, p, point, 0);
  return side !== 0 ? side : Math.sign(p[u + 2] - p[w + 2]) || Math.sign(p[w + 1] - p[u + 1]);
}

/** On which side of a plane the moved point is; `facing`: the sign of the normal's x. */
function heightOf(p: Float64Array, point: number, a: number, b: number, c: number, facing: number): number {
  return (
    orient3d(p, point, p, b, p, c, p, a) || orient2d(p, a, p, b, p, c, 1) || orient2d(p, a, p, b, p, c, 2) || facing
  );
}
