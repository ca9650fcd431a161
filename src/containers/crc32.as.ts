// Folds a chunk of a message into the lanes behind it: crc32.ts has the method and the numbers.
// The memory is this module's own: the last 300 folded lanes from address 0, and then the chunk.

const LANE: usize = 16;
const DEGREE: usize = 300;
const PAST: usize = DEGREE * LANE;

/** Lane i of the chunk ^= lanes i - 145, i - 183, i - 211 and i - 300, which are folded already. */
export function fold(bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += LANE) {
    const far = v128.xor(v128.load(at), v128.load(at, 89 * LANE));
    const near = v128.xor(v128.load(at, 117 * LANE), v128.load(at, 155 * LANE));
    v128.store(at, v128.xor(v128.load(at, PAST), v128.xor(far, near)), PAST);
  }
  memory.copy(0, bytes, PAST);
}
