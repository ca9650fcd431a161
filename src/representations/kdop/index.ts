/**
 * k-DOP trees in fixed point: the mesh's triangles, bounded by polytopes of k directions with
 * integer coefficients of a few bits. This file joins the kind's functions, and updates a tree for
 * moved vertices.
 */

import { FormatError, OptionError } from '../../base/errors.ts';
import { requirePositions } from '../../base/require.ts';
import { contentHash } from '../../containers/blob.ts';
import { ownPositions, requireMesh } from '../../containers/mesh-sections.ts';
import { registerSources } from '../../engine/ladder.ts';
import type { Tolerance } from '../../engine/records.ts';
import type { Representation } from '../../engine/representation.ts';
import { beyondSource, isUpdated, updatedHeader } from '../../engine/representation.ts';
import { answerOfSources } from '../../engine/sources.ts';
import { boxOf } from '../../mesh/extent.ts';
import { fitKdops } from './kernel.ts';
import { onDevice, search } from './search/index.ts';
import { reachOfKdopTree } from './search/projection.ts';
import { DOP_SIZES, dopDirections } from './tree/dop-directions.ts';
import {
  depthOfKdopTree,
  dopMesh,
  dopsOf,
  type KdopTree,
  LARGEST_COORDINATE,
  quantumOf,
  requireKdopTree,
} from './tree/kdop-tree.ts';
import { hullOfKdopTree, unfoldKdopTree } from './tree/unfold.ts';
import { verifyKdopTree } from './tree/verify.ts';

export const kdop: Representation<KdopTree> = {
  name: 'kdop',
  engines: () => registerSources(answerOfSources),
  update: updateKdopTree,
  tolerance,
  units: ({ header }) => header.units,
  describe,
  verify: verifyKdopTree,
  surface: ({ positions, triangles }) => ({ positions: Float64Array.from(positions), triangles: triangles.slice() }),
  depth: depthOfKdopTree,
  boundsOfLevel: dopMesh,
  unfold: unfoldKdopTree,
  hull: hullOfKdopTree,
  reach: reachOfKdopTree,
  search,
  kernel: { onDevice },
  own: {
    options: { axes: { value: requireAxes } },
    box: ({ positions, triangles }) => boxOf(positions, triangles),
    primitives: ({ triangles }) => triangles.length / 3,
    volumes: dopsOf,
    layout,
  },
};

function requireAxes(axes: unknown, a: KdopTree, b: KdopTree): number {
  const most = (a.k + b.k) / 2;
  if (typeof axes !== 'number' || !Number.isInteger(axes) || axes < 1 || axes > most) {
    throw new OptionError(`axes ${axes}: expected a whole number from 1 to ${most}`);
  }
  return axes;
}

function layout() {
  const rows = DOP_SIZES.map((k) => {
    const { facets, leastDot, rMax } = dopDirections(k);
    return { k, facets: facets.length / 3, leastProduct: leastDot, rMax };
  });
  return { directions: rows };
}

function tolerance({ header }: KdopTree): Tolerance {
  return isUpdated(header) ? null : beyondSource({ missing: 0, excess: 0 }, header);
}

async function describe(tree: KdopTree, bytes: Uint8Array | null) {
  const triangles = tree.triangles.length / 3;
  const { k, bits, exponent, links } = tree;
  const { tool, source, units, options } = tree.header;
  const packed = Math.ceil((k * links.length * bits) / 8);
  return {
    representation: 'kdop',
    triangles,
    vertices: tree.positions.length / 3,
    coordinates: tree.positions instanceof Float32Array ? 'float32' : 'float64',
    k,
    bits,
    nodes: links.length,
    levels: depthOfKdopTree(tree) + 1,
    origin: Array.from(tree.origin),
    scale: 2 ** exponent,
    quantum: quantumOf(tree),
    rMax: dopDirections(k).rMax,
    tolerance: tolerance(tree),
    bytes: {
      positions: tree.positions.byteLength,
      triangles: tree.triangles.byteLength,
      coefficients: packed,
      links: links.byteLength,
    },
    treeBytesPerTriangle: (packed + links.byteLength) / triangles,
    fileBytes: bytes?.length ?? null,
    bytesPerTriangle: bytes ? bytes.length / triangles : null,
    contentHash: bytes && (await contentHash(bytes)),
    source,
    units,
    options,
    tool,
  };
}

/**
 * Updates a k-DOP tree for vertices that have moved: implements Representation.update. The
 * hierarchy stays. Coefficients are those of a new build of that hierarchy, on the grid of the new
 * extent. Takes all vertices of the tree's mesh, in its order.
 *
 * @throws MeshError for coordinates beyond 1e100; OptionError for a different number of vertices,
 *   and without WebAssembly
 */
export function updateKdopTree(tree: KdopTree, positions: Float64Array | Float32Array): KdopTree {
  requirePositions(positions, tree.positions.length, LARGEST_COORDINATE);
  const { k, bits, links, triangles } = tree;
  const fitted = fitKdops({ positions, triangles }, links, { k, bits });
  if (!fitted) {
    // A caller may have changed the tree: these functions report what is wrong with it.
    requireKdopTree(tree);
    requireMesh(tree, LARGEST_COORDINATE);
    throw new FormatError(null, `${(2 * triangles.length) / 3 - 1} nodes`, `${links.length}`);
  }
  return {
    ...tree,
    positions: ownPositions(positions),
    ...fitted,
    header: updatedHeader(tree.header, ['k', 'bits']),
  };
}
