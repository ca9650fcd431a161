/**
 * Answers pairs of a scene in this thread, and estimates their cost in advance; see answer-pairs.ts
 * for several threads.
 *
 * A pair of objects is one number, i * objects + j for i < j.
 */
import type { Asset } from '../engine/representation.ts';
import { representationOf } from '../representations/kinds.ts';

export interface Answered<Finding> {
  findings: Finding[];
  asked: number;
}

const PAIRS_A_TURN = 256;
/** Milliseconds for which this thread may be busy: a turn takes one or more. */
const BUSY_MS = 10;

export async function* answerHere<Finding>(
  pairs: Float64Array,
  answer: (pairs: Float64Array) => Promise<Finding[]>,
): AsyncGenerator<Answered<Finding>, void, undefined> {
  let began = performance.now();
  for (let first = 0; first < pairs.length; first += PAIRS_A_TURN) {
    if (performance.now() - began > BUSY_MS) {
      await new Promise((turn) => setTimeout(turn, 0));
      began = performance.now();
    }
    const some = pairs.subarray(first, first + PAIRS_A_TURN);
    yield { findings: await answer(some), asked: some.length };
  }
}

/** Sorts by the middles' distance over the boxes' sizes, the largest overlap first. Stable. */
export function nearestFirst(pairs: Float64Array, boxes: Float64Array): Uint32Array {
  const objects = boxes.length / 6;
  const distances = Float64Array.from(pairs, (key) => {
    const [i, j] = [6 * Math.floor(key / objects), 6 * (key % objects)];
    let apart = 0;
    let sizes = 0;
    for (let k = 0; k < 3; k++) {
      const middles = boxes[i + k] + boxes[i + k + 3] - boxes[j + k] - boxes[j + k + 3];
      const size = boxes[i + k + 3] - boxes[i + k] + boxes[j + k + 3] - boxes[j + k];
      apart += middles * middles;
      sizes += size * size;
    }
    // Two points at one place.
    return sizes === 0 ? 0 : apart / sizes;
  });
  return Uint32Array.from(pairs, (_, n) => n).sort((p, q) => distances[p] - distances[q] || p - q);
}

/*
 * Estimates the cost of a scene's pairs in advance, to cut the work into shares (base/shares.ts).
 *
 * A search enters the parts of both objects that the other's box holds. So a pair costs its
 * triangles where the boxes meet: all of them, times the common box's surface over the object's.
 * Overlaps can't be distinguished from touches in advance, although their thickness takes 2 ms each
 * and a touch 0.08 ms.
 *
 * Tried: milliseconds of each pair of a building (3,106 pairs, 314 ms) and of turned props (516
 * pairs, 1,015 ms), warm, with classes of solids. The figures are the most expensive of five shares
 * divided by the mean; 1 is best. Every pair alike: 1.39 and 1.37. All triangles of both: 1.64 and
 * 1.37. Triangles by the part of the box's volume: 1.35 and 1.36. By the part of its surface, as
 * here: 1.11 and 1.17.
 *
 * Only + - x / are used, so shares are the same on every machine.
 */

const LEAST = 100;
/** The triangles assumed for a solid of functions. */
const UNKNOWN = 1024;

/** Approximate number of primitives at which a search of an asset ends. */
const primitivesOf = (asset: Asset): number => representationOf(asset).own?.primitives?.(asset) ?? UNKNOWN;

/**
 * In triangles. Pairs are i * objects + j for i < j; boxes have six numbers, lowest corner first.
 */
export function costsOf(pairs: Float64Array, assets: readonly Asset[], boxes: Float64Array): Float64Array {
  const objects = assets.length;
  const sizes = Float64Array.from(assets, primitivesOf);
  return Float64Array.from(pairs, (key) => {
    const [i, j] = [Math.floor(key / objects), key % objects];
    return LEAST + sizes[i] * commonPart(boxes, i, j) + sizes[j] * commonPart(boxes, j, i);
  });
}

/** The surface of the common box, as a part of the first one's. */
function commonPart(boxes: Float64Array, i: number, j: number): number {
  const own = surfaceOf((k) => boxes[6 * i + 3 + k] - boxes[6 * i + k]);
  const common = surfaceOf((k) => {
    const high = Math.min(boxes[6 * i + 3 + k], boxes[6 * j + 3 + k]);
    return Math.max(0, high - Math.max(boxes[6 * i + k], boxes[6 * j + k]));
  });
  return own > 0 && own < Number.POSITIVE_INFINITY ? common / own : 1;
}

function surfaceOf(edge: (axis: number) => number): number {
  const [x, y, z] = [edge(0), edge(1), edge(2)];
  return x * y + y * z + z * x;
}
