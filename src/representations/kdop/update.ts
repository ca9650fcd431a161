/**
 * A k-DOP tree about vertices that have moved: the tree stays, and all coefficients are those that a
 * build would give it, on the grid that the new extent asks for.
 */
import { ownPositions, requireMesh } from '../../containers/mesh-sections.ts';
import { requirePositions } from '../../math/require.ts';
import { updatedHeader } from '../../query/asset-header.ts';
import { coefficientsOf, quantise } from './build.ts';
import { dopDirections } from './tree/dop-directions.ts';
import { type KdopTree, LARGEST_COORDINATE, requireKdopTree } from './tree/kdop-tree.ts';

/**
 * See Representation.update. Vertices are those of the mesh that the tree was built of, all of them
 * and in its order.
 *
 * @throws MeshError for coordinates beyond 1e100; OptionError for another number of them
 */
export function updateKdopTree(tree: KdopTree, positions: Float64Array | Float32Array): KdopTree {
  requirePositions(positions, tree.positions.length, LARGEST_COORDINATE);
  // Coefficients follow the links: they must be what was read or built, whatever somebody has done
  // to them since.
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
