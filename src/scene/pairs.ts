/**
 * Answers pairs of a scene in this thread; see threads/answer-pairs.ts for several.
 *
 * A pair of objects is one number, i * objects + j for i < j.
 */

export interface Answered<Finding> {
  findings: Finding[];
  asked: number;
}

const PAIRS_A_TURN = 256;

export async function* answerHere<Finding>(
  pairs: Float64Array,
  answer: (pairs: Float64Array) => Promise<Finding[]>,
): AsyncGenerator<Answered<Finding>, void, undefined> {
  for (let first = 0; first < pairs.length; first += PAIRS_A_TURN) {
    if (first > 0) await new Promise((turn) => setTimeout(turn, 0));
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
