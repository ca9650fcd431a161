/**
 * Twins: triangles of two surfaces with the same three corners, as in the faces of parts that were
 * cut apart, and in copies.
 *
 * A triangle and its twin are one sheet. If no other triangle of either surface cuts two adjacent
 * sheets, nor lies along their common edge, the cells on both sides of one continue beside the
 * other. So one triangle of a connected set gives the labels of all. A triangle and its twin touch
 * the same triangles, so contacts with the other surface are complete.
 */
import type { Touch } from './border.ts';

export interface TwinSide {
  touched: ReadonlyMap<number, readonly number[]>;
  touchOf(triangle: number): Touch;
  corners(triangle: number, out: Float64Array, at: number): void;
}

export interface TwinPatches {
  starts: number[];
  ofA: Set<number>;
  ofB: Set<number>;
}

export function twinPatches(a: TwinSide, b: TwinSide): TwinPatches {
  const twinOf = twinsOf(a, b);
  const starts: number[] = [];
  const seen = new Set<number>();
  for (const start of twinOf.keys()) {
    if (seen.has(start)) continue;
    seen.add(start);
    starts.push(start);
    const queue = [start];
    for (let triangle = queue.pop(); triangle !== undefined; triangle = queue.pop()) {
      for (let side = 0; side < 3; side++) {
        const neighbour = beside(a, b, twinOf, triangle, side);
        if (neighbour === undefined || seen.has(neighbour)) continue;
        seen.add(neighbour);
        queue.push(neighbour);
      }
    }
  }
  return { starts, ofA: seen, ofB: new Set([...twinOf.values()].map(({ id }) => id)) };
}

/** The other triangle of a sheet, and the number there of each corner. */
interface Twin {
  id: number;
  corners: readonly number[];
}

const own = new Float64Array(9);
const others = new Float64Array(9);

function twinsOf(a: TwinSide, b: TwinSide): Map<number, Twin> {
  const twins = new Map<number, Twin>();
  for (const [triangle, touched] of a.touched) {
    a.corners(triangle, own, 0);
    for (const id of touched) {
      b.corners(id, others, 0);
      const corners = matched();
      if (!corners) continue;
      if (a.touchOf(triangle).cutters.length === 0 && b.touchOf(id).cutters.length === 0)
        twins.set(triangle, { id, corners });
      break;
    }
  }
  return twins;
}

function matched(): number[] | undefined {
  const corners: number[] = [];
  for (let p = 0; p < 9; p += 3) {
    let q = 0;
    while (q < 9 && (own[p] !== others[q] || own[p + 1] !== others[q + 1] || own[p + 2] !== others[q + 2])) q += 3;
    if (q === 9 || corners.includes(q / 3)) return undefined;
    corners.push(q / 3);
  }
  return corners;
}

function beside(
  a: TwinSide,
  b: TwinSide,
  twinOf: ReadonlyMap<number, Twin>,
  triangle: number,
  side: number,
): number | undefined {
  const [ofA, ofB] = alongSheet(a, b, triangle, twinOf.get(triangle)!, side);
  if (ofA.length !== 2 || ofB.length !== 2) return undefined;
  const neighbour = ofA[0] === triangle ? ofA[1] : ofA[0];
  const twin = twinOf.get(neighbour);
  if (!twin || !ofB.includes(twin.id)) return undefined;
  // A triangle that continues one's plane lies only along the other's side.
  for (let k = 0; k < 3; k++) {
    const [back, backOfB] = alongSheet(a, b, neighbour, twin, k);
    if (back.includes(triangle) && back.length + backOfB.length === 4) return neighbour;
  }
  return undefined;
}

/** The triangles of both surfaces along a side of a sheet, itself included. */
function alongSheet(a: TwinSide, b: TwinSide, triangle: number, { id, corners }: Twin, side: number): number[][] {
  const [from, to] = [corners[side], corners[(side + 1) % 3]];
  return [alongSide(b, id, (from + 1) % 3 === to ? from : to), alongSide(a, triangle, side)];
}

/** Triangles of the other surface whose border covers part of a side. */
function alongSide(side: TwinSide, triangle: number, k: number): number[] {
  const { along } = side.touchOf(triangle);
  return side.touched.get(triangle)!.filter((_, n) => (along[n] >> k) & 1);
}
