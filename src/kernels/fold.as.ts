// Folds a chunk of a message into the lanes behind it: containers/crc32.ts has the method and the
// numbers. The last 300 folded lanes are before the chunk, from address 0.
import { CHUNK } from './reading.as';

const LANE: usize = 16;

/** Lane i of the chunk ^= lanes i - 145, i - 183, i - 211 and i - 300, which are folded already. */
export function fold(bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += LANE) {
    const far = v128.xor(v128.load(at), v128.load(at, 89 * LANE));
    const near = v128.xor(v128.load(at, 117 * LANE), v128.load(at, 155 * LANE));
    v128.store(at, v128.xor(v128.load(at, CHUNK), v128.xor(far, near)), CHUNK);
  }
  memory.copy(0, bytes, CHUNK);
}
