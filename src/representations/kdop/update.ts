/**
 * Updates a k-DOP tree for vertices that have moved. The hierarchy stays. Coefficients are those of
 * a new build of that hierarchy, on the grid of the new extent.
 */

import { requirePositions } from '../../base/require.ts';
import { ownPositions, requireMesh } from '../../containers/mesh-sections.ts';
import { updatedHeader } from '../../query/asset-header.ts';
import { coefficientsOf, quantise } from './build.ts';
import { dopDirections } from './tree/dop-directions.ts';
import { type KdopTree, LARGEST_COORDINATE, requireKdopTree } from './tree/kdop-tree.ts';

/**
 * Implements Representation.update. Takes all vertices of the tree's mesh, in its order.
 *
 * @throws MeshError for coordinates beyond 1e100; OptionError for a different number of vertices
 */
export function updateKdopTree(tree: KdopTree, positions: Float64Array | Float32Array): KdopTree {
  requirePositions(positions, tree.positions.length, LARGEST_COORDINATE);
  // Coefficients follow the links, so check them again: a caller may have changed the tree.
  requireKdopTree(tree);
  requireMesh(tree, LARGEST_COORDINATE);
  const { k, bits, links, triangles } = tree;
  const doubles = new Float64Array(positions);
  const { origin, exponent, heights } = quantise({ positions: doubles, triangles }, dopDirections(k).vectors, bits);
  return {
    ...tree,
    positions: ownPositions(positions),
    coefficients: coefficientsOf(links, triangles, heights, k, bits),
    origin,
    exponent,
    header: updatedHeader(tree.header, ['k', 'bits']),
  };
}
