/** Unpacks LZMA (raw, version 1, lc 4, lp 0, pb 0), which scripts/pack-text.mjs writes. */

const LITERAL_BITS = 4;
/** Positions of the probabilities: 12 states have each of the first six. */
const [IS_MATCH, IS_REP, IS_REP_0, IS_REP_1, IS_REP_2, IS_LONG] = [0, 12, 24, 36, 48, 60];
const [SLOTS, SPECIAL, ALIGN, LENGTH, REP_LENGTH, LITERALS] = [72, 328, 456, 472, 746, 1020];
const ALL = LITERALS + (0x300 << LITERAL_BITS);

/** Reads the output of `Words` in pack-text.mjs, in the same order. */
function createReader(packed: Uint8Array) {
  const odds = new Uint16Array(ALL).fill(1024);
  let next = 5;
  let range = 0xffffffff;
  let code = ((packed[1] << 24) | (packed[2] << 16) | (packed[3] << 8) | packed[4]) >>> 0;

  const settle = (): void => {
    if (range >= 0x1000000) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | packed[next++]) >>> 0;
  };
  const bit = (at: number): number => {
    const bound = (range >>> 11) * odds[at];
    const isOne = code >= bound;
    if (isOne) {
      range -= bound;
      code -= bound;
      odds[at] -= odds[at] >> 5;
    } else {
      range = bound;
      odds[at] += (2048 - odds[at]) >> 5;
    }
    settle();
    return isOne ? 1 : 0;
  };
  const tree = (base: number, bits: number): number => {
    let node = 1;
    for (let k = 0; k < bits; k++) node = 2 * node + bit(base + node);
    return node - (1 << bits);
  };
  const reverse = (base: number, bits: number): number => {
    let value = 0;
    for (let node = 1, k = 0; k < bits; k++) {
      const one = bit(base + node);
      node = 2 * node + one;
      value |= one << k;
    }
    return value;
  };
  const lengthAt = (base: number): number =>
    2 + (bit(base) === 0 ? tree(base + 2, 3) : bit(base + 1) === 0 ? 8 + tree(base + 10, 3) : 16 + tree(base + 18, 8));
  const distanceOf = (length: number): number => {
    const slot = tree(SLOTS + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const high = (2 | (slot & 1)) << bits;
    if (slot < 14) return high + reverse(SPECIAL + high - slot, bits);
    let middle = 0;
    for (let k = 4; k < bits; k++) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      settle();
      middle = 2 * middle + one;
    }
    return high + 16 * middle + reverse(ALIGN, 4);
  };
  return { bit, lengthAt, distanceOf };
}

/** @param count bytes to unpack */
export function unpack(packed: Uint8Array, count: number): Uint8Array {
  const out = new Uint8Array(count);
  const { bit, lengthAt, distanceOf } = createReader(packed);
  /** The last four distances, less 1. */
  let lasts = [0, 0, 0, 0];
  let state = 0;
  for (let at = 0; at < count; ) {
    if (bit(IS_MATCH + state) === 0) {
      const base = LITERALS + 0x300 * ((out[at - 1] ?? 0) >> (8 - LITERAL_BITS));
      let node = 1;
      for (let other = state < 7 ? 0 : 0x100 | out[at - lasts[0] - 1], k = 7; node < 0x100; k--) {
        const expected = (other >> k) & 1;
        const found = bit(base + (other ? 0x100 * (1 + expected) : 0) + node);
        if (found !== expected) other = 0;
        node = 2 * node + found;
      }
      out[at++] = node;
      state -= state < 4 ? state : state < 10 ? 3 : 6;
      continue;
    }
    const isEarly = state < 7;
    let length = 1;
    if (bit(IS_REP + state) === 0) {
      length = lengthAt(LENGTH);
      lasts = [distanceOf(length), ...lasts.slice(0, 3)];
      state = isEarly ? 7 : 10;
    } else {
      const k = bit(IS_REP_0 + state) === 0 ? 0 : bit(IS_REP_1 + state) === 0 ? 1 : 2 + bit(IS_REP_2 + state);
      const isShort = k === 0 && bit(IS_LONG + state) === 0;
      lasts.unshift(...lasts.splice(k, 1));
      if (!isShort) length = lengthAt(REP_LENGTH);
      state = isEarly ? (isShort ? 9 : 8) : 11;
    }
    for (; length > 0; length--, at++) out[at] = out[at - lasts[0] - 1];
  }
  return out;
}
