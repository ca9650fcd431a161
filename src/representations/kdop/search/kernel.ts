/** Two k-DOP trees of 16 bits or fewer against each other: by the kernel. */

import { requireMesh } from '../../../containers/mesh-sections.ts';
import { adoptPlacement, allocate, allocateFor, kernels, place, placementOf } from '../../../kernels/memory.ts';
import { pairKernel } from '../../../query/pair-kernel.ts';
import type { PairKernel } from '../../../query/representation.ts';
import { dopDirections } from '../tree/dop-directions.ts';
import { type KdopTree, LARGEST_COORDINATE, requireKdopTree } from '../tree/kdop-tree.ts';
import { checkKdopTrees } from './descent.ts';
import { facetTable } from './facets.ts';
import { GROUP_COEFFICIENTS, GROUP_WIDTH, groupBytesOf, groupsOf, NARROW } from './groups.ts';
import { axesFor, FARTHEST_SCALES, reachOfKdopTree } from './projection.ts';

/** Bytes of a tree's record and of directions': see kernel.as.ts. */
const RECORD_BYTES = 128;
const DIRECTION_VECTORS = 128;
const DIRECTION_FACETS = 768;
const FACET_BYTES = 192;

/** Addresses of the directions' records, by k. */
const directionRecords = new Map<number, number>();

const roundUp = (bytes: number): number => Math.ceil(bytes / 64) * 64;

/**
 * Copies a tree of 16 bits or fewer into the kernels' memory, once, for as long as it lives: the
 * address of its record, for the export `kdopQuery`; 0 where there is no room or there are no
 * kernels.
 */
function placeKdopTree(tree: KdopTree): number {
  const known = placementOf(tree);
  if (known !== undefined) return known;
  if (!kernels()) return 0;
  const record = placed(tree);
  adoptPlacement(tree, record);
  return record;
}

function placed(tree: KdopTree): number {
  const own = kernels();
  // The kernel follows what it is given: it must be what was read or built, whatever somebody has
  // done to it since.
  requireKdopTree(tree);
  requireMesh(tree, LARGEST_COORDINATE);
  const directions = placeDirections(tree);
  if (!own || directions === 0) return 0;
  const { groups, leaves, positions, quantumExponent, radius } = groupsOf(tree);
  const sections = [groups, leaves, positions];
  const bytes = sections.reduce((sum, { byteLength }) => sum + roundUp(byteLength), RECORD_BYTES);
  const record = allocateFor(tree, bytes);
  if (record === 0) return 0;
  let end = record + RECORD_BYTES;
  const [atGroups, atLeaves, atPositions] = sections.map((section) => {
    const at = end;
    place(at, section);
    end += roundUp(section.byteLength);
    return at;
  });
  const isFloat = Number(positions instanceof Float32Array);
  const words = new Int32Array(own.memory.buffer, record, 8);
  words.set([atGroups, groupBytesOf(tree.k), atLeaves, atPositions, isFloat, tree.k / 2, directions, quantumExponent]);
  const numbers = new Float64Array(own.memory.buffer, record + 32, 5);
  numbers.set([...tree.origin, reachOfKdopTree(tree), radius]);
  return record;
}

/**
 * The tables of dop-directions.ts and facets.ts as the kernel reads them, once for each k and for
 * good: 10 KB at most.
 */
function placeDirections({ k }: KdopTree): number {
  const known = directionRecords.get(k);
  if (known !== undefined) return known;
  const own = kernels();
  const { vectors, facets, normals, weights } = dopDirections(k);
  const count = facets.length / 3;
  const record = allocate(DIRECTION_FACETS + FACET_BYTES * count);
  if (!own || record === 0) return 0;
  place(record, facetTable(k));
  place(record + DIRECTION_VECTORS, vectors);
  for (let f = 0; f < count; f++) {
    const numbers = new Float64Array(21);
    const places = new Uint16Array(6);
    numbers.set(normals.subarray(3 * f, 3 * f + 3));
    for (let m = 0; m < 3; m++) {
      const face = facets[3 * f + m];
      for (let i = 0; i < 3; i++) {
        numbers[3 + 3 * m + i] = weights[9 * f + 3 * m + i] * 2 ** 15;
        numbers[12 + 3 * m + i] = vectors[3 * face + i] / 2 ** 15;
      }
      places[m] = GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * ((face + k / 2) % k);
      places[3 + m] = GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * face;
    }
    const facet = record + DIRECTION_FACETS + FACET_BYTES * f;
    place(facet, numbers);
    place(facet + numbers.byteLength, places);
  }
  directionRecords.set(k, record);
  return record;
}

/**
 * Two trees of 16 bits or fewer, placed; undefined for more bits, scales too far apart, no kernels
 * or no memory.
 *
 * @example kernelOfKdopTrees(a, b)?.verdict(identity(), poseB) // 'contact' or 'clear'
 */
export function kernelOfKdopTrees(a: KdopTree, b: KdopTree): PairKernel | undefined {
  const isNarrow = a.bits <= NARROW && b.bits <= NARROW;
  if (!isNarrow || Math.abs(a.exponent - b.exponent) > FARTHEST_SCALES) return undefined;
  const recordA = placeKdopTree(a);
  const recordB = placeKdopTree(b);
  const own = kernels();
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const { workspace } = own;
  const { kdopQuery, kdopResume } = own.functions;
  return pairKernel(own, {
    start: (_, __, isAll, capacity, options) =>
      kdopQuery(recordA, recordB, workspace, isAll, capacity, axesFor(a, b, options?.axes)),
    resume: kdopResume,
    search: (query) => checkKdopTrees(a, b, query),
  });
}
