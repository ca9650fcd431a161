/**
 * Converts a k-DOP tree of up to 16 bits to the layout of a device: nodes in groups of up to four,
 * side by side. One load reads the same coefficient of four nodes.
 *
 * A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
 * using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006.
 *
 * A group starts as the two children of a node. The widest member is opened until the group has
 * four or all are leaves. A group has 3.1 nodes on average. For k = 24 that is 124 bytes per
 * triangle.
 *
 * Not worth the code: groups chosen by the sum of their widths to some power (I. Wald and others,
 * 2008; powers 0 to 3). They have up to 3.6 nodes and 97 bytes, but take the same time within 5%.
 *
 * Little-endian. Group 0 stands for the root; a group comes after its parent.
 *    byte  0  u32 x 4  links: of a leaf, twice its place in `leaves`, and 1; of another node, twice
 *                      the number of the group below it
 *         16  f32 x 4  widths: the widest slab of each, quanta, nearly
 *         32  u32      how many nodes there are, 1 to 4
 *         36  u32      the deepest level of the binary tree that one of them is on
 *         48  i16 x 4  for each of the k directions: the coefficients of the four nodes
 * A group is padded to a multiple of 64 bytes. Missing nodes are 0.
 */
import type { DopSize } from '../tree/dop-directions.ts';
import { GROUP_COEFFICIENTS, GROUP_COUNT, GROUP_LEVEL, GROUP_WIDTH, GROUP_WIDTHS } from './layout.as.ts';

/** The most bits of a coefficient, which takes two bytes. */
export const NARROW = 16;

export const groupBytesOf = (k: number): number => Math.ceil((GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * k) / 64) * 64;

interface BinaryKdopTree {
  k: DopSize;
  bits: number;
  exponent: number;
  origin: Float64Array;
  coefficients: ArrayLike<number>;
  links: Uint32Array;
  positions: Float32Array | Float64Array;
  triangles: Uint32Array;
}

export interface KdopGroups {
  k: DopSize;
  groups: Uint8Array;
  /** Four words per leaf: the three vertices of its triangle, and the triangle's number. */
  leaves: Uint32Array;
  positions: Float32Array | Float64Array;
  origin: Float64Array;
  quantumExponent: number;
  /** Bound of the points' distance from the origin. */
  radius: number;
}

/**
 * Puts the nodes of a tree in groups.
 *
 * @example const { groups } = groupsOf(buildKdopTree(mesh, { k: 18, bits: 12 }));
 *          groups.length / groupBytesOf(18) // how many groups
 */
export function groupsOf(tree: BinaryKdopTree): KdopGroups {
  const { k, coefficients, links, triangles, positions, origin } = tree;
  const widths = widthsOf(tree);
  const bytes = groupBytesOf(k);
  const leafCount = triangles.length / 3;
  let words = new Int32Array((Math.ceil(leafCount / 2) * bytes) / 4);
  let numbers = new Int16Array(words.buffer);
  let floats = new Float32Array(words.buffer);
  const leaves = new Uint32Array(4 * leafCount);
  const members = new Int32Array(GROUP_WIDTH);
  const levels = new Int32Array(GROUP_WIDTH);
  // Per entry: the group to fill, the node it stands for, that node's level.
  const pending = [0, 0, 0];
  let groups = 1;
  let placed = 0;
  while (pending.length > 0) {
    const level = pending.pop() as number;
    const root = pending.pop() as number;
    const group = pending.pop() as number;
    if (group * bytes >= words.byteLength) {
      const longer = new Int32Array(2 * words.length);
      longer.set(words);
      words = longer;
      numbers = new Int16Array(words.buffer);
      floats = new Float32Array(words.buffer);
    }
    members[0] = root;
    levels[0] = level;
    const count = openWidest(links, widths, members, levels);
    const word = (group * bytes) / 4;
    const first = (group * bytes + GROUP_COEFFICIENTS) / 2;
    let deepest = 0;
    for (let i = 0; i < count; i++) {
      const node = members[i];
      deepest = Math.max(deepest, levels[i]);
      floats[word + GROUP_WIDTHS / 4 + i] = widths[node];
      for (let j = 0; j < k; j++) numbers[first + GROUP_WIDTH * j + i] = coefficients[k * node + j];
      if ((links[node] & 1) === 1) {
        const triangle = links[node] >>> 1;
        for (let corner = 0; corner < 3; corner++) leaves[4 * placed + corner] = triangles[3 * triangle + corner];
        leaves[4 * placed + 3] = triangle;
        words[word + i] = 2 * placed++ + 1;
      } else {
        words[word + i] = 2 * groups;
        pending.push(groups++, node, levels[i]);
      }
    }
    words[word + GROUP_COUNT / 4] = count;
    words[word + GROUP_LEVEL / 4] = deepest;
  }
  return {
    k,
    groups: new Uint8Array(words.buffer, 0, groups * bytes),
    leaves,
    positions,
    origin,
    quantumExponent: tree.exponent - tree.bits + 1,
    radius: radiusOf(tree),
  };
}

function widthsOf({ k, coefficients, links }: BinaryKdopTree): Float32Array {
  const half = k / 2;
  const widths = new Float32Array(links.length);
  for (let node = 0; node < links.length; node++) {
    let most = 0;
    for (let i = k * node; i < k * node + half; i++) {
      const width = coefficients[i] + coefficients[i + half];
      if (width > most) most = width;
    }
    widths[node] = most;
  }
  return widths;
}

/** Opens the first member, then the widest, up to four. Returns the number of members. */
function openWidest(links: Uint32Array, widths: Float32Array, members: Int32Array, levels: Int32Array): number {
  let count = 1;
  while (count < GROUP_WIDTH) {
    let widest = -1;
    for (let i = 0; i < count; i++) {
      if ((links[members[i]] & 1) === 1) continue;
      if (widest < 0 || widths[members[i]] > widths[members[widest]]) widest = i;
    }
    if (widest < 0) break;
    const child = links[members[widest]] >>> 1;
    levels[count] = ++levels[widest];
    members[widest] = child;
    members[count++] = child + 1;
  }
  return count;
}

/** In units of the scale, at most sqrt 3; 2^-500 is added since tiny squares may underflow. */
export function radiusOf({ positions, triangles, origin, exponent }: BinaryKdopTree): number {
  const perScale = 2 ** -exponent;
  let most = 0;
  for (let c = 0; c < triangles.length; c++) {
    const v = 3 * triangles[c];
    const x = (positions[v] - origin[0]) * perScale;
    const y = (positions[v + 1] - origin[1]) * perScale;
    const z = (positions[v + 2] - origin[2]) * perScale;
    most = Math.max(most, x * x + y * y + z * z);
  }
  return (Math.sqrt(most) + 2 ** -500) * (1 + 2 ** -40) * 2 ** exponent;
}
