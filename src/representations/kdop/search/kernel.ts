/** Checks two k-DOP trees with the kernel. */

import { requireMesh } from '../../../containers/mesh-sections.ts';
import { adoptPlacement, allocate, allocateFor, kernels, place, placementOf } from '../../../kernels/memory.ts';
import { derived } from '../../../query/derived.ts';
import {
  askKernel,
  firstContact,
  LEAST_CAPACITY,
  verdictIn,
  workspaceOf,
  writePoses,
} from '../../../query/pair-kernel.ts';
import type { PairKernel } from '../../../query/representation.ts';
import { dopDirections } from '../tree/dop-directions.ts';
import { type KdopTree, LARGEST_COORDINATE, requireKdopTree } from '../tree/kdop-tree.ts';
import { checkKdopTrees } from './descent.ts';
import { facetTable } from './facets.ts';
import { groupBytesOf, groupsOf, NARROW } from './groups.ts';
import {
  DIRECTIONS,
  DIRECTIONS_OF,
  FACET_BYTES,
  FACETS,
  GROUP_BYTES,
  GROUP_COEFFICIENTS,
  GROUP_WIDTH,
  GROUPS,
  HALF_K,
  IS_FLOAT,
  IS_WIDE,
  LEAVES,
  NORMAL,
  ORIGIN,
  PLACES,
  POSITIONS,
  QUANTUM_EXPONENT,
  RADIUS,
  REACH,
  RECORD_BYTES,
  VECTORS,
  WEIGHTS,
} from './layout.as.ts';
import { axesFor, FARTHEST_SCALES, reachOfKdopTree } from './projection.ts';

const directionRecords = new Map<number, number>();

const roundUp = (bytes: number): number => Math.ceil(bytes / 64) * 64;

/** Owners of narrow trees placed as doubles, beside a wider tree. Threads place their own. */
const widened = /* @__PURE__ */ derived<KdopTree, object>();

function ownerOf(tree: KdopTree, isWide: boolean): object {
  if (tree.bits > NARROW === isWide) return tree;
  let owner = widened.get(tree);
  if (!owner) widened.set(tree, (owner = {}));
  return owner;
}

/**
 * Copies a tree into the kernels' memory once, for as long as the tree lives. Returns the address
 * of its record for the export `kdopQuery`; 0 if there is no room or there are no kernels.
 *
 * @param isWide true to store coefficients as doubles
 */
export function placeKdopTree(tree: KdopTree, isWide: boolean): number {
  const owner = ownerOf(tree, isWide);
  const known = placementOf(owner);
  if (known !== undefined) return known;
  if (!kernels()) return 0;
  const record = placed(tree, isWide, owner);
  adoptPlacement(owner, record);
  return record;
}

function placed(tree: KdopTree, isWide: boolean, owner: object): number {
  const own = kernels();
  // The kernel trusts its input, so check it again: a caller may have changed the tree.
  requireKdopTree(tree);
  requireMesh(tree, LARGEST_COORDINATE);
  const directions = placeDirections(tree);
  if (!own || directions === 0) return 0;
  const { groups, leaves, positions, quantumExponent, radius } = groupsOf(tree, isWide);
  const sections = [groups, leaves, positions];
  const bytes = sections.reduce((sum, { byteLength }) => sum + roundUp(byteLength), RECORD_BYTES);
  const record = allocateFor(owner, bytes);
  if (record === 0) return 0;
  let end = record + RECORD_BYTES;
  const [atGroups, atLeaves, atPositions] = sections.map((section) => {
    const at = end;
    place(at, section);
    end += roundUp(section.byteLength);
    return at;
  });
  const into = new DataView(own.memory.buffer, record, RECORD_BYTES);
  into.setUint32(GROUPS, atGroups, true);
  into.setUint32(GROUP_BYTES, groupBytesOf(tree.k, isWide), true);
  into.setUint32(IS_WIDE, Number(isWide), true);
  into.setUint32(LEAVES, atLeaves, true);
  into.setUint32(POSITIONS, atPositions, true);
  into.setUint32(IS_FLOAT, Number(positions instanceof Float32Array), true);
  into.setUint32(HALF_K, tree.k / 2, true);
  into.setUint32(DIRECTIONS, directions, true);
  into.setInt32(QUANTUM_EXPONENT, quantumExponent, true);
  for (let k = 0; k < 3; k++) into.setFloat64(ORIGIN + 8 * k, tree.origin[k], true);
  into.setFloat64(REACH, reachOfKdopTree(tree), true);
  into.setFloat64(RADIUS, radius, true);
  return record;
}

/** Places the tables of dop-directions.ts and facets.ts once per k: at most 10 KB, for good. */
function placeDirections({ k }: KdopTree): number {
  const known = directionRecords.get(k);
  if (known !== undefined) return known;
  const own = kernels();
  const { vectors, facets, normals, weights } = dopDirections(k);
  const count = facets.length / 3;
  const record = allocate(FACETS + FACET_BYTES * count);
  if (!own || record === 0) return 0;
  place(record, facetTable(k));
  place(record + VECTORS, vectors);
  for (let f = 0; f < count; f++) {
    const facet = record + FACETS + FACET_BYTES * f;
    const faces = Array.from(facets.subarray(3 * f, 3 * f + 3));
    const directions = faces.flatMap((face) => Array.from(vectors.subarray(3 * face, 3 * face + 3)));
    const places = [...faces.map((face) => (face + k / 2) % k), ...faces];
    place(facet + NORMAL, normals.subarray(3 * f, 3 * f + 3));
    place(
      facet + WEIGHTS,
      weights.subarray(9 * f, 9 * f + 9).map((weight) => weight * 2 ** 15),
    );
    place(
      facet + DIRECTIONS_OF,
      Float64Array.from(directions, (x) => x / 2 ** 15),
    );
    place(
      facet + PLACES,
      Uint16Array.from(places, (face) => GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * face),
    );
  }
  directionRecords.set(k, record);
  return record;
}

/**
 * Places two trees. Returns undefined if scales are too far apart, or without kernels or memory.
 *
 * @example kernelOfKdopTrees(a, b)?.verdict(identity(), poseB) // 'contact' or 'clear'
 */
export function kernelOfKdopTrees(a: KdopTree, b: KdopTree): PairKernel | undefined {
  if (Math.abs(a.exponent - b.exponent) > FARTHEST_SCALES) return undefined;
  const isWide = a.bits > NARROW || b.bits > NARROW;
  const recordA = placeKdopTree(a, isWide);
  const recordB = placeKdopTree(b, isWide);
  const own = kernels();
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const workspace = workspaceOf(own);
  const { kdopQuery, kdopResume } = own.functions;
  const most = axesFor(a, b, undefined);
  return {
    // These functions keep the trees, which must outlive their records.
    verdict(poseA, poseB) {
      if (!writePoses(workspace, poseA, poseB)) return checkKdopTrees(a, b, firstContact(poseA, poseB))!.verdict;
      kdopQuery(recordA, recordB, workspace.address, 0, LEAST_CAPACITY, most);
      return verdictIn(workspace);
    },
    search: (query) =>
      askKernel(
        workspace,
        query,
        (isAll, capacity) =>
          kdopQuery(recordA, recordB, workspace.address, isAll, capacity, axesFor(a, b, query.own?.axes)),
        kdopResume,
      ),
  };
}
