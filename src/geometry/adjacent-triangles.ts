/**
 * Decides exactly which points two triangles have in common besides the vertices that they share:
 * none (APART), points of their rims (TOUCH) or points within both (CROSS).
 *
 * A shared vertex v, triangles (v, a, b) and (v, c, d) with area. Each is cut from a cone at v, the
 * first with a' = a - v and b' = b - v from
 *   {v + s a' + t b'; s, t >= 0}
 * Near v triangle and cone are the same, and a cone that holds a point holds the ray from v through
 * it. So the triangles share more than v, or points within both, exactly where the cones do. Let
 * the normals be:
 *   n = a' x b', m = c' x d'.
 * The sides of c and d in the first plane are the signs of n.c' and n.d'. The sides of a and b in
 * the second plane are the signs of m.a' and m.b'.
 * - c and d strictly on one side: all of the second cone but v is there, so APART. The same for a
 *   and b.
 * - c and d both in the first plane: that is the second plane too, since c' x d' is not 0. See
 *   below.
 * - Otherwise the planes meet in a line through v along D = n x m, and each cone meets it in one
 *   ray.
 *
 * The first cone's ray is along r, turned over if a is on the lower side. If m.a' >= 0 >= m.b', r
 * is a sum of a' and b' with coefficients >= 0, and it lies in the second plane. By x x (y x z) = y
 * (x.z) - z (x.y):
 *   r = (m.a') b' - (m.b') a' = m x (b' x a') = n x m = D
 * So the first ray is along D if m.a' >= 0 >= m.b', and along -D if m.a' <= 0 <= m.b'; they are not
 * both 0. Exchanging n and m reverses D: the second ray is along -D if n.c' >= 0 >= n.d', and along
 * D otherwise. The cones share more than v exactly where the rays are one. That ray lies within a
 * cone exactly where the two signs are strict.
 *
 * One plane, seen along an axis that keeps areas, both triangles turned counter-clockwise. The
 * angle from c to d is less than half a turn. So a generator x of one cone lies in the other cone
 * (c, d) if (c, x) and (x, d) do not turn right. Cones that share more than v share a cone whose
 * two generators are generators of theirs. So one of the four lies in the other cone. They share
 * points within both unless a line through v has them on its two closed sides. Then their Minkowski
 * difference is an open cone without v. Turn the line until it meets one of the generators a', b',
 * -c', -d'.
 *
 * A shared edge pq, third corners a and b. In two planes the triangles share only points of the
 * planes' common line, that of the edge: the edge alone. In one plane with a and b on two sides of
 * the edge's line: the same. On one side they share points near the edge, within both.
 */
import { orient2d, orient3d, TINY } from './orient.ts';

export const APART = 0;
const TOUCH = 1;
export const CROSS = 2;

/** Returns a coordinate that can be dropped while the triangle keeps an area; -1 if it has none. */
export function planarAxis(p: Float64Array, i: number, j: number, k: number): number {
  for (let axis = 2; axis >= 0; axis--) if (orient2d(p, i, p, j, p, k, axis) !== 0) return axis;
  return -1;
}

/**
 * @param p coordinates; the others are offsets of points in it. Both triangles (v, a, b) and (v, c,
 *   d) have area, and a, b are at other points than c, d
 */
export function fanContact(p: Float64Array, v: number, a: number, b: number, c: number, d: number): number {
  const sideC = orient3d(p, c, p, a, p, b, p, v);
  const sideD = orient3d(p, d, p, a, p, b, p, v);
  if (sideC * sideD > 0) return APART;
  if (sideC === 0 && sideD === 0) return coplanarFanContact(p, v, a, b, c, d);
  const sideA = orient3d(p, a, p, c, p, d, p, v);
  const sideB = orient3d(p, b, p, c, p, d, p, v);
  if (sideA * sideB > 0) return APART;
  const alongD = sideA > 0 || sideB < 0;
  const otherAlongD = sideC < 0 || sideD > 0;
  if (alongD !== otherAlongD) return APART;
  return sideA * sideB < 0 && sideC * sideD < 0 ? CROSS : TOUCH;
}

function coplanarFanContact(p: Float64Array, v: number, a: number, b: number, c: number, d: number): number {
  const axis = planarAxis(p, v, a, b);
  if (orient2d(p, v, p, a, p, b, axis) < 0) [a, b] = [b, a];
  if (orient2d(p, v, p, c, p, d, axis) < 0) [c, d] = [d, c];
  const ac = orient2d(p, v, p, a, p, c, axis);
  const ad = orient2d(p, v, p, a, p, d, axis);
  const bc = orient2d(p, v, p, b, p, c, axis);
  const bd = orient2d(p, v, p, b, p, d, axis);
  const meet = (ac >= 0 && bc <= 0) || (ad >= 0 && bd <= 0) || (ac <= 0 && ad >= 0) || (bc <= 0 && bd >= 0);
  if (!meet) return APART;
  const parted = (ac <= 0 && ad <= 0) || (bc >= 0 && bd >= 0) || (ac >= 0 && bc >= 0) || (ad <= 0 && bd <= 0);
  return parted ? TOUCH : CROSS;
}

/** Covers the 26 roundings e of the filter in `isFolded`. */
const ERROR_FOLD = 32 * 2 ** -53;

/**
 * True if (p, q, a) and (p, q, b) lie in one plane on one side of pq.
 *
 * The filter: then (a-p) x (q-p) and (b-p) x (q-p) are parallel and point the same way, so their
 * scalar product is above 0. Each of its terms is a product of two differences of two products.
 * That makes 3 roundings each, one more for the product, 2 for the sums, and 2 for each of two
 * differences of coordinates in both. These are fewer than 16 each way, and 32 e times the sum of
 * the products' sizes is more than all of them lose. TINY outweighs underflow; overflow fails the
 * comparison.
 *
 * @param x coordinates; the others are offsets of points in it. Both triangles have area
 */
export function isFolded(x: Float64Array, p: number, q: number, a: number, b: number): boolean {
  const ux = x[q] - x[p];
  const uy = x[q + 1] - x[p + 1];
  const uz = x[q + 2] - x[p + 2];
  const ax = x[a] - x[p];
  const ay = x[a + 1] - x[p + 1];
  const az = x[a + 2] - x[p + 2];
  const bx = x[b] - x[p];
  const by = x[b + 1] - x[p + 1];
  const bz = x[b + 2] - x[p + 2];
  const dot =
    (ay * uz - az * uy) * (by * uz - bz * uy) +
    (az * ux - ax * uz) * (bz * ux - bx * uz) +
    (ax * uy - ay * ux) * (bx * uy - by * ux);
  const size =
    (Math.abs(ay * uz) + Math.abs(az * uy) + TINY) * (Math.abs(by * uz) + Math.abs(bz * uy) + TINY) +
    (Math.abs(az * ux) + Math.abs(ax * uz) + TINY) * (Math.abs(bz * ux) + Math.abs(bx * uz) + TINY) +
    (Math.abs(ax * uy) + Math.abs(ay * ux) + TINY) * (Math.abs(bx * uy) + Math.abs(by * ux) + TINY);
  if (dot < -(ERROR_FOLD * size + TINY)) return false;
  if (orient3d(x, b, x, q, x, a, x, p) !== 0) return false;
  const axis = planarAxis(x, p, q, a);
  return orient2d(x, p, x, q, x, a, axis) === orient2d(x, p, x, q, x, b, axis);
}
