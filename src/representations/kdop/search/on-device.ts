/**
 * Prepares k-DOP trees of up to 16 bits for a device that checks many pairs of poses.
 *
 * With this, a pose costs one core 0.10 us; wide OBB trees need 6.3 us to answer it (bunny and blob
 * near contact). Preparing the axes here too would take 1.5 us.
 *
 * Trees of more bits stay on the processor. Their bounds are compared in doubles, and their
 * products in integers exceed the 32 bits of a device.
 */

import { OptionError } from '../../../base/errors.ts';
import { requireMesh } from '../../../containers/mesh-sections.ts';
import type { AssetsOnDevice, KdopOnGpu, OnDevice, PosedPairs } from '../../../engine/pose-device.ts';
import { PREPARED, STACK } from '../../../kernels/layout.as.ts';
import {
  adoptPlacement,
  allocateFor,
  type KernelMemory,
  type Kernels,
  kernelMemory,
  kernels,
  placementOf,
} from '../../../kernels/memory.ts';
import { identity } from '../../../math/pose.ts';
import { type DopSize, dopDirections } from '../tree/dop-directions.ts';
import { type KdopTree, LARGEST_COORDINATE, requireKdopTree } from '../tree/kdop-tree.ts';
import { facetTable } from './facets.ts';
import { KERNEL, type KernelName } from './for-device.generated.ts';
import { groupBytesOf, groupsOf, NARROW, radiusOf } from './groups.ts';
import {
  ASKED_BYTES,
  DIRECTIONS_OF,
  FACET_BYTES,
  FACETS,
  GROUP_COEFFICIENTS,
  GROUP_WIDTH,
  NORMAL,
  ORIGIN,
  PLACES,
  QUANTUM_EXPONENT,
  QUERY_BYTES,
  RADIUS,
  REACH,
  RECORD_BYTES,
  VECTORS,
  WEIGHTS,
} from './layout.as.ts';
import { reachOfKdopTree } from './projection.ts';

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
    const own = kernels(KERNEL);
    if (!own) return null;
    const records = Uint32Array.from(trees, (tree) => placeRecord(tree, own));
    if (records.includes(0)) return null;
    const placed = trees.map(treeOf);
    const { most, answer, close } = device.kdopTrees(placed);
    const relate = relater(own, records);
    // Keeps the trees alive: their records are released with them.
    const kept = [...trees];
    return {
      most,
      async answer(pairs) {
        if (kernelMemory() === null) throw busy();
        return answer(relate(pairs));
      },
      close() {
        kept.length = 0;
        close();
      },
    } satisfies AssetsOnDevice;
  },
};

const busy = (): OptionError => new OptionError('device: used within onContact; use it after check has returned');

function relater({ memory, functions, workspace }: Kernels<KernelName>, records: Uint32Array) {
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

/** Places what `kdopRelate` reads, once in a tree's lifetime. 0 if there is no room. */
function placeRecord(tree: KdopTree, { memory }: KernelMemory): number {
  const known = placementOf(tree);
  if (known !== undefined) return known;
  // The device trusts its input, so check it again: a caller may have changed the tree.
  requireKdopTree(tree);
  requireMesh(tree, LARGEST_COORDINATE);
  const record = allocateFor(tree, RECORD_BYTES);
  adoptPlacement(tree, record);
  if (record === 0) return 0;
  const into = new DataView(memory.buffer, record, RECORD_BYTES);
  into.setInt32(QUANTUM_EXPONENT, tree.exponent - tree.bits + 1, true);
  for (let k = 0; k < 3; k++) into.setFloat64(ORIGIN + 8 * k, tree.origin[k], true);
  into.setFloat64(REACH, reachOfKdopTree(tree), true);
  into.setFloat64(RADIUS, radiusOf(tree), true);
  return record;
}

const tablesOfDirections = new Map<DopSize, Uint8Array>();

/** Returns the tables of dop-directions.ts and facets.ts, as layout.as.ts has them. */
function tableOfDirections(k: DopSize): Uint8Array {
  let table = tablesOfDirections.get(k);
  if (table) return table;
  const { vectors, facets, normals, weights } = dopDirections(k);
  const count = facets.length / 3;
  table = new Uint8Array(FACETS + FACET_BYTES * count);
  const { buffer } = table;
  const writeDoubles = (at: number, numbers: ArrayLike<number>): void =>
    new Float64Array(buffer, at, numbers.length).set(numbers);
  table.set(facetTable(k));
  writeDoubles(VECTORS, vectors);
  for (let f = 0; f < count; f++) {
    const facet = FACETS + FACET_BYTES * f;
    const faces = Array.from(facets.subarray(3 * f, 3 * f + 3));
    const directions = faces.flatMap((face) => Array.from(vectors.subarray(3 * face, 3 * face + 3)));
    const places = [...faces.map((face) => (face + k / 2) % k), ...faces];
    const scaled = weights.subarray(9 * f, 9 * f + 9).map((weight) => weight * 2 ** 15);
    writeDoubles(facet + NORMAL, normals.subarray(3 * f, 3 * f + 3));
    writeDoubles(facet + WEIGHTS, scaled);
    writeDoubles(
      facet + DIRECTIONS_OF,
      directions.map((x) => x / 2 ** 15),
    );
    new Uint16Array(buffer, facet + PLACES, 6).set(places.map((face) => GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * face));
  }
  tablesOfDirections.set(k, table);
  return table;
}

function treeOf(tree: KdopTree): KdopOnGpu {
  const { groups, leaves, positions, origin, quantumExponent, radius } = groupsOf(tree);
  const corners = new Float32Array((9 * leaves.length) / 4);
  const perUnit = 2 ** -(quantumExponent + UNIT_BITS);
  if (radius * perUnit <= FARTHEST) {
    for (let n = 0; n < corners.length; n++) {
      const leaf = 4 * Math.floor(n / 9) + (Math.floor(n / 3) % 3);
      corners[n] = (positions[3 * leaves[leaf] + (n % 3)] - origin[n % 3]) * perUnit;
    }
  }
  return {
    groups,
    groupBytes: groupBytesOf(tree.k),
    leaves: corners,
    k: tree.k,
    directions: tableOfDirections(tree.k),
    quantumExponent,
    radius,
  };
}
