/** The same surface in other triangles: exactly, where coordinates are small whole numbers. */
import type { Random } from '../../src/math/numbers.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';

type Point = readonly number[];

const between = (weights: readonly number[], points: readonly Point[]): Point =>
  [0, 1, 2].map((k) => points.reduce((sum, p, n) => sum + weights[n] * p[k], 0));

/**
 * Splits triangles at random points of edges and insides, `steps` times; then mixes them, and gives
 * each corner a vertex of its own, or not. All triangles at an edge are split with it.
 */
export function retessellated(mesh: Mesh, random: Random, steps: number): Mesh {
  const point = (v: number): Point => [...mesh.positions.subarray(3 * v, 3 * v + 3)];
  let triangles: Point[][] = [];
  for (let c = 0; c < mesh.triangles.length; c += 3) triangles.push([...mesh.triangles.subarray(c, c + 3)].map(point));
  for (let step = 0; step < steps; step++) {
    const corners = triangles[random.integer() % triangles.length];
    const isInside = random.integer() % 3 === 0;
    const middle = isInside ? between([0.5, 0.25, 0.25], corners) : between([0.25, 0.75], [corners[0], corners[1]]);
    // What has more digits would be rounded in the end.
    if (middle.some((x) => !Number.isInteger(x * 2 ** 20))) continue;
    if (isInside) {
      const parts = [0, 1, 2].map((k) => [corners[k], corners[(k + 1) % 3], middle]);
      triangles = [...triangles.filter((t) => t !== corners), ...parts];
      continue;
    }
    const [p, q] = corners;
    triangles = triangles.flatMap((t) => splitAt(t, p, q, middle));
  }
  const isSoup = random.integer() % 2 === 0;
  return meshOf(mixed(triangles, random), isSoup);
}

const isSame = (p: Point, q: Point): boolean => p.every((x, k) => x === q[k]);

/** A triangle with an edge in either direction, as two; another as it is. */
function splitAt(triangle: Point[], p: Point, q: Point, middle: Point): Point[][] {
  for (let k = 0; k < 3; k++) {
    const [a, b, c] = [0, 1, 2].map((n) => triangle[(k + n) % 3]);
    if ((isSame(a, p) && isSame(b, q)) || (isSame(a, q) && isSame(b, p)))
      return [
        [a, middle, c],
        [middle, b, c],
      ];
  }
  return [triangle];
}

/** In another order, each begun at another corner. */
function mixed(triangles: Point[][], random: Random): Point[][] {
  const order = triangles.map((triangle) => ({ triangle, key: random.unit(), first: random.integer() % 3 }));
  order.sort((a, b) => a.key - b.key);
  return order.map(({ triangle, first }) => [0, 1, 2].map((k) => triangle[(first + k) % 3]));
}

function meshOf(triangles: Point[][], isSoup: boolean): Mesh {
  const numbers = new Map<string, number>();
  const positions: number[] = [];
  const corners = triangles.flat().map((point) => {
    const known = isSoup ? undefined : numbers.get(String(point));
    if (known !== undefined) return known;
    numbers.set(String(point), positions.length / 3);
    return positions.push(...point) / 3 - 1;
  });
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(corners), groups: [] };
}

/** Each triangle turned over. */
export function turnedOver({ positions, triangles }: Mesh): Mesh {
  return { positions, triangles: triangles.map((_, c) => triangles[c - (c % 3) + [0, 2, 1][c % 3]]), groups: [] };
}
