/**
 * In which order pairs of a scene are asked, and by whom: by this thread here, by several in
 * threads/answer-pairs.ts.
 *
 * A pair of objects is one number, i * objects + j for i < j.
 */

/** Findings of some pairs, and how many pairs these were. */
export interface Answered<Finding> {
  findings: Finding[];
  asked: number;
}

/** Pairs that are asked between two looks at the signal, and turns for others. */
const PAIRS_A_TURN = 256;

/** Answers pairs, some at a time, in their order, in this thread, with turns for others. */
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

/**
 * The numbers of pairs by how far the middles of their boxes are apart, measured by the boxes'
 * sizes: those that overlap most come first. Pairs at one distance stay in their order.
 *
 * @param boxes six numbers an object: the lowest corner, then the highest
 */
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
    // Two points at one place are as near as can be.
    return sizes === 0 ? 0 : apart / sizes;
  });
  return Uint32Array.from(pairs, (_, n) => n).sort((p, q) => distances[p] - distances[q] || p - q);
}
