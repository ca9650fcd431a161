/**
 * Random solids whose faces meet in every way, and an oracle for how two of them lie.
 *
 * A cell of the integer grid falls into six tetrahedra, one for each order of its coordinates (H. W.
 * Kuhn, "Some combinatorial lemmas in topology", 1960). A solid is any set of these; its surface is
 * the triangles that one of its tetrahedra has and its neighbour has not. Moved by quarter turns and
 * whole steps, all of them are unions of the 48 chambers into which the planes x = y, x = 1 - y, x =
 * 1/2 and their like cut a cell. So a point of each chamber tells everything, without any geometry.
 */

import type { Random } from '../../src/math/numbers.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';

export const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** A set of tetrahedra: 6 * (x + n (y + n z)) + the number of the order, for cells from 0 to n - 1. */
export interface KuhnSolid {
  n: number;
  tetrahedra: Set<number>;
}

/** A solid of n^3 cells, each tetrahedron there with a chance, or whole cells. */
export function randomSolid(random: Random, n: number, chance: number, areCells: boolean): KuhnSolid {
  const tetrahedra = new Set<number>();
  for (let cell = 0; cell < n * n * n; cell++) {
    const whole = random.unit() < chance;
    for (let order = 0; order < 6; order++)
      if (areCells ? whole : random.unit() < chance) tetrahedra.add(6 * cell + order);
  }
  return { n, tetrahedra };
}

/** Whether a point that is on no plane of the grid's is in the solid. */
export function holds({ n, tetrahedra }: KuhnSolid, point: readonly number[]): boolean {
  const cell = point.map(Math.floor);
  if (cell.some((c) => c < 0 || c >= n)) return false;
  const part = point.map((x, k) => x - cell[k]);
  const order = ORDERS.findIndex(([i, j, k]) => part[i] > part[j] && part[j] > part[k]);
  return tetrahedra.has(6 * (cell[0] + n * (cell[1] + n * cell[2])) + order);
}

/** The surface: every triangle turns counter-clockwise seen from outside. */
export function surfaceOf({ n, tetrahedra }: KuhnSolid): Mesh {
  const faces = new Map<string, number[][]>();
  for (const tetrahedron of tetrahedra) {
    const cell = Math.floor(tetrahedron / 6);
    const corner = [cell % n, Math.floor(cell / n) % n, Math.floor(cell / (n * n))];
    const corners = [corner];
    for (const axis of ORDERS[tetrahedron % 6]) {
      const next = [...corners[corners.length - 1]];
      next[axis]++;
      corners.push(next);
    }
    for (let left = 0; left < 4; left++) {
      const face = corners.filter((_, k) => k !== left);
      const key = [...face].map(String).sort().join(' ');
      if (faces.has(key)) faces.delete(key);
      else faces.set(key, isOutward(face, corners[left]) ? face : [face[0], face[2], face[1]]);
    }
  }
  const positions: number[] = [];
  const triangles: number[] = [];
  const numbers = new Map<string, number>();
  for (const face of faces.values()) {
    for (const point of face) {
      const known = numbers.get(String(point));
      if (known === undefined) {
        numbers.set(String(point), numbers.size);
        positions.push(...point);
      }
      triangles.push(known ?? numbers.size - 1);
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) } as Mesh;
}

function isOutward([p, q, r]: number[][], inner: number[]): boolean {
  const [a, b, c] = [q, r, inner].map((x) => x.map((value, k) => value - p[k]));
  const volume =
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  return volume < 0;
}

/** A point in each of a cell's 48 chambers. */
export const CHAMBERS: number[][] = ORDERS.flatMap((order) =>
  Array.from({ length: 8 }, (_, signs) => {
    const point = [0, 0, 0];
    order.forEach((axis, k) => {
      point[axis] = 0.5 + ((signs >> k) & 1 ? 1 : -1) * [0.07, 0.19, 0.31][k];
    });
    return point;
  }),
);

/** A rotation that maps the grid to itself, and a whole step: coordinate k is sign[k] x[axis[k]] + step[k]. */
export interface GridPose {
  axis: number[];
  sign: number[];
  step: number[];
}

export function randomGridPose(random: Random, most: number): GridPose {
  const axis = ORDERS[random.integer() % 6];
  const odd = [1, 2, 5].includes(ORDERS.indexOf(axis));
  const sign = [random.integer() % 2 ? 1 : -1, random.integer() % 2 ? 1 : -1];
  sign.push(sign[0] * sign[1] * (odd ? -1 : 1));
  const step = [0, 1, 2].map(() => (random.integer() % (2 * most + 1)) - most);
  return { axis, sign, step };
}

export const poseOf = ({ axis, sign, step }: GridPose): Float64Array => {
  const pose = new Float64Array(16);
  pose[15] = 1;
  for (let k = 0; k < 3; k++) {
    pose[4 * k + axis[k]] = sign[k];
    pose[4 * k + 3] = step[k];
  }
  return pose;
};

/** Where a point of the common frame is in the moved solid's own. */
export function movedBack({ axis, sign, step }: GridPose, point: readonly number[]): number[] {
  const own = [0, 0, 0];
  for (let k = 0; k < 3; k++) own[axis[k]] = sign[k] * (point[k] - step[k]);
  return own;
}

/** How a solid, and another one moved, lie to each other where their surfaces touch or not. */
export function lieOf(a: KuhnSolid, b: KuhnSolid, pose: GridPose, doTouch: boolean): string {
  let [both, onlyA, onlyB] = [false, false, false];
  const low = pose.step.map((step, k) => Math.min(0, step - (pose.sign[k] < 0 ? b.n : 0)));
  const high = pose.step.map((step, k) => Math.max(a.n, step + (pose.sign[k] < 0 ? 0 : b.n)));
  for (let x = low[0]; x < high[0]; x++)
    for (let y = low[1]; y < high[1]; y++)
      for (let z = low[2]; z < high[2]; z++)
        for (const part of CHAMBERS) {
          const point = [x + part[0], y + part[1], z + part[2]];
          const inA = holds(a, point);
          const inB = holds(b, movedBack(pose, point));
          if (inA && inB) both = true;
          else if (inA) onlyA = true;
          else if (inB) onlyB = true;
        }
  if (!both) return doTouch ? 'touch' : 'clear';
  if (onlyA && onlyB) return 'overlap';
  return onlyA ? 'inside b' : onlyB ? 'inside a' : 'same';
}
