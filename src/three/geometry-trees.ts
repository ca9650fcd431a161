/**
 * Caches the trees of geometries. A tree is built on first use, refitted after vertices have moved,
 * and rebuilt after triangles have changed. Objects that share a geometry share its tree.
 */
import type { BufferGeometry } from 'three';
import { OptionError } from '../base/errors.ts';
import { derived } from '../engine/asset-cache.ts';
import { isOfTriangles } from '../engine/operand.ts';
import { requireUnasked } from '../engine/reentrancy-guard.ts';
import type { Asset } from '../engine/representation.ts';
import { updateInPlace } from '../engine/update.ts';
import { transformMesh } from '../mesh/mesh.ts';
import { representationOf } from '../representations/kinds.ts';
import { buildQueryTree } from '../representations/obb/make/index.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { WIDE_BYTES } from '../representations/obb/tree/wide-node.ts';
import { coordinatesOf, positionOf, unweldedOf } from './from-geometry.ts';
import { hasSameTriangles, isCurrent, type Seen, seenOf } from './geometry-versions.ts';

/** A tree, and the state of its geometry for which it is right. */
export interface GeometryTree {
  readonly tree: ObbTree;
  readonly seen: Seen;
}

export class GeometryTrees {
  private readonly known = new WeakMap<BufferGeometry, GeometryTree>();

  /** Returns the same tree while triangles stay the same. @throws MeshError if there is none */
  of(geometry: BufferGeometry, options: { atRest: boolean }): GeometryTree {
    const known = this.known.get(geometry);
    if (known && isCurrent(known.seen, geometry)) return known;
    const seen = seenOf(geometry);
    // Vertices keep their numbers, so that a tree can be updated; without WebAssembly it is built
    // anew.
    const moves = known && known.tree.nodeBytes === WIDE_BYTES && hasSameTriangles(known.seen, geometry);
    const made = { tree: moves ? follow(known.tree, geometry) : builtOf(geometry, options), seen };
    this.known.set(geometry, made);
    return made;
  }
}

const builtOf = (geometry: BufferGeometry, { atRest }: { atRest: boolean }): ObbTree =>
  buildQueryTree(unweldedOf(geometry, { atRest }), { take: true });

function follow(tree: ObbTree, geometry: BufferGeometry): ObbTree {
  requireUnasked(tree);
  return updateInPlace(tree, coordinatesOf(positionOf(geometry)));
}

/** Trees of other sizes by their scales; discarded when the asset's geometry changes. */
const sizes = /* @__PURE__ */ derived<Asset, Map<string, ObbTree>>();

/**
 * Returns the asset with its coordinates multiplied along the axes; a negative scale mirrors it.
 * Equal scales give the same asset.
 *
 * @throws OptionError for an asset without triangles; MeshError for coordinates out of range
 */
export function sizedOf(asset: Asset, [x, y, z]: readonly number[]): Asset {
  if (x === 1 && y === 1 && z === 1) return asset;
  const own = sizes.get(asset) ?? new Map<string, ObbTree>();
  sizes.set(asset, own);
  const key = `${x} ${y} ${z}`;
  const known = own.get(key);
  if (known) return known;
  const { name, surface, units } = representationOf(asset);
  if (!isOfTriangles(asset)) throw new OptionError(`${name} cannot be scaled here`);
  const mesh = { ...surface(asset), groups: [] };
  const scales = Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1);
  const unit = units(asset);
  const options = { take: true, ...(unit !== null && { units: unit }) };
  const made = buildQueryTree(transformMesh(mesh, scales), options);
  own.set(key, made);
  return made;
}
