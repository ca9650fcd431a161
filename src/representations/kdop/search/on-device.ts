/**
 * Prepares k-DOP trees of up to 16 bits for a device that checks many pairs of poses.
 *
 * With this, a pose takes one core 0.10 us; the kernel needs 6.4 us to answer it (bunny and blob
 * near contact, k = 24). Preparing the axes here too takes 1.5 us. The device makes them with the
 * same bits, so its counts of node pairs equal the kernel's.
 *
 * Trees of more bits stay on the processor. Their bounds are compared in doubles, and their
 * products in integers exceed the 32 bits of a device.
 */

import { PREPARED, STACK } from '../../../kernels/layout.as.ts';
import { type Kernels, kernels } from '../../../kernels/memory.ts';
import { OptionError } from '../../../math/errors.ts';
import { identity } from '../../../math/pose.ts';
import type { AssetsOnDevice, KdopOnGpu, OnDevice, PosedPairs } from '../../../query/pose-device.ts';
import { dopDirections } from '../tree/dop-directions.ts';
import type { KdopTree } from '../tree/kdop-tree.ts';
import { groupBytesOf, groupsOf, NARROW } from './groups.ts';
import { placeKdopTree } from './kernel.ts';
import { ASKED_BYTES, DIRECTIONS, FACET_BYTES, FACETS, QUERY_BYTES } from './layout.as.ts';

/** Scales that the device's doubles are proved for, as exponents: from 5e-73 to 2e72. */
const FARTHEST_EXPONENT = 240;
const UNIT_BITS = 15;
/** Largest reach in that unit. For larger trees, for-device.as.ts leaves triangles undecided. */
const FARTHEST = 1024;

const POSE_BYTES = 128;
const POSE_NUMBERS = 16;
/** Pairs prepared at once; they use the memory of the searches' stack. */
const CHUNK = 1024;
const POSES_B = STACK + POSE_BYTES * CHUNK;
const ASKED = POSES_B + POSE_BYTES * CHUNK;
const QUERIES = ASKED + ASKED_BYTES * CHUNK;

export const onDevice: OnDevice<KdopTree> = {
  whyNot({ bits, exponent }) {
    if (bits > NARROW) return `trees of ${bits} bits: with more than 16, sums do not fit into a GPU's 32`;
    if (Math.abs(exponent) > FARTHEST_EXPONENT)
      return `a tree of the scale 2^${exponent}: beyond what it is proved for`;
    return null;
  },
  place(trees, device) {
    const own = kernels();
    const records = Uint32Array.from(trees, (tree) => placeKdopTree(tree, false));
    if (!own || records.includes(0)) return null;
    const placed = trees.map((tree, n) => treeOf(tree, own.memory.buffer, records[n]));
    const { most, answer, close } = device.kdopTrees(placed);
    const relate = relater(own, records);
    // Keeps the trees alive: their records go when they go.
    const kept = [...trees];
    return {
      most,
      async answer(pairs) {
        if (kernels() === null) throw busy();
        return answer(relate(pairs));
      },
      close() {
        kept.length = 0;
        close();
      },
    } satisfies AssetsOnDevice;
  },
};

const busy = (): OptionError => new OptionError('device: asked within onContact; ask when it has returned');

function relater({ memory, functions, workspace }: Kernels, records: Uint32Array) {
  const still = workspace + PREPARED;
  const posesA = new Float64Array(memory.buffer, workspace + STACK, POSE_NUMBERS * CHUNK);
  const posesB = new Float64Array(memory.buffer, workspace + POSES_B, POSE_NUMBERS * CHUNK);
  const asked = new Uint32Array(memory.buffer, workspace + ASKED, (ASKED_BYTES / 4) * CHUNK);
  const written = new Uint8Array(memory.buffer, workspace + QUERIES, QUERY_BYTES * CHUNK);
  let room = new Uint8Array();
  return (pairs: PosedPairs): Uint8Array => {
    const count = pairs.posesB.length / POSE_NUMBERS;
    if (room.length < QUERY_BYTES * count) room = new Uint8Array(QUERY_BYTES * count);
    const queries = room.subarray(0, QUERY_BYTES * count);
    new Float64Array(memory.buffer, still, POSE_NUMBERS).set(identity());
    for (let first = 0; first < count; first += CHUNK) {
      const end = Math.min(count, first + CHUNK);
      if (pairs.posesA) posesA.set(pairs.posesA.subarray(POSE_NUMBERS * first, POSE_NUMBERS * end));
      posesB.set(pairs.posesB.subarray(POSE_NUMBERS * first, POSE_NUMBERS * end));
      for (let n = first, at = 0; n < end; n++) {
        const [a, b] = [pairs.assets[2 * n], pairs.assets[2 * n + 1]];
        asked[at++] = records[a];
        asked[at++] = records[b];
        asked[at++] = pairs.posesA ? posesA.byteOffset + POSE_BYTES * (n - first) : still;
        asked[at++] = posesB.byteOffset + POSE_BYTES * (n - first);
        asked[at++] = a;
        asked[at++] = b;
      }
      functions.kdopRelate(asked.byteOffset, end - first, written.byteOffset);
      queries.set(written.subarray(0, QUERY_BYTES * (end - first)), QUERY_BYTES * first);
    }
    return queries;
  };
}

function treeOf(tree: KdopTree, memory: ArrayBufferLike, record: number): KdopOnGpu {
  const { groups, leaves, positions, origin, quantumExponent, radius } = groupsOf(tree, false);
  const corners = new Float32Array((9 * leaves.length) / 4);
  const perUnit = 2 ** -(quantumExponent + UNIT_BITS);
  if (radius * perUnit <= FARTHEST) {
    for (let n = 0; n < corners.length; n++) {
      const leaf = 4 * Math.floor(n / 9) + (Math.floor(n / 3) % 3);
      corners[n] = (positions[3 * leaves[leaf] + (n % 3)] - origin[n % 3]) * perUnit;
    }
  }
  const directions = new DataView(memory, record).getUint32(DIRECTIONS, true);
  const bytes = FACETS + (FACET_BYTES * dopDirections(tree.k).facets.length) / 3;
  return {
    groups,
    groupBytes: groupBytesOf(tree.k),
    leaves: corners,
    k: tree.k,
    directions: new Uint8Array(memory, directions, bytes).slice(),
    quantumExponent,
    radius,
  };
}
