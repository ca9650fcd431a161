// Checks chunks of coefficients of 16 bits and of links, as format.ts and kdop-tree.ts do. False
// means not proved; then those files decide.
import { follow } from '../../../kernels/links.as';
import { CHUNK } from '../../../kernels/reading.as';

const DEEPEST: u32 = 128;

/**
 * True if coefficients are from -most, and no sum of opposite ones is negative.
 *
 * @param count of coefficients, k a node; 16 bytes more can be read
 */
export function kdopCoefficients(count: u32, k: u32, most: i32): bool {
  const half = k / 2;
  const size = i16x8.splat(<i16>most);
  // Lanes of the one vector of few pairs; of more, the last vector begins earlier.
  const lanes = i16x8.lt_u(i16x8(0, 1, 2, 3, 4, 5, 6, 7), i16x8.splat(<i16>min(half, 8)));
  const second: usize = 2 * (max(half, 8) - 8);
  let signs = i16x8.splat(0);
  const end: usize = CHUNK + 2 * count;
  for (let at: usize = CHUNK; at < end; at += 2 * k) {
    signs = v128.or(signs, v128.and(lanes, signsOf(at, half, size)));
    signs = v128.or(signs, v128.and(lanes, signsOf(at + second, half, size)));
  }
  return i16x8.bitmask(signs) == 0;
}

@inline
function signsOf(at: usize, half: usize, size: v128): v128 {
  const a = v128.load(at);
  const b = v128.load(at + 2 * half);
  return v128.or(i16x8.add_sat_s(a, b), v128.or(i16x8.add_sat_s(a, size), i16x8.add_sat_s(b, size)));
}

export function kdopLinks(first: u32, end: u32, nodes: u32, total: u32, levels: usize, seen: usize): bool {
  let at: usize = CHUNK;
  for (let node = first; node < end; node++, at += 4) {
    const level: u32 = load<u16>(levels + ((<usize>node) << 1));
    if (level == 0 || !follow(load<u32>(at), node, level, DEEPEST, nodes, total, levels, seen)) return false;
  }
  return true;
}
