/** Prepares assets for the common engine: partly unfolded trees, and hulls in a pose. */

import { OptionError } from '../base/errors.ts';
import type { Pose } from '../math/pose.ts';
import type { PlacedPrimitive } from '../readers/mesh-file.ts';
import { representationOf } from '../representations/kinds.ts';
import { derived } from './asset-cache.ts';
import { BoundTree, type NodeWriter } from './bound-tree.ts';
import { otherLeaves, type Solid } from './leaves.ts';
import { HULL_NUMBERS, hullLoader } from './narrow-phase.ts';
import type { Asset, SolidMembers } from './representation.ts';
import type { Operand } from './traverse.ts';

const trees = /* @__PURE__ */ derived<Asset, BoundTree>();

export function treeOf(
  known: WeakMap<Asset, BoundTree>,
  asset: Asset,
  unfold: (node: number, into: NodeWriter) => void,
): BoundTree {
  let tree = known.get(asset);
  if (!tree) {
    tree = new BoundTree(unfold);
    known.set(asset, tree);
  }
  return tree;
}

export function sideOf(asset: Asset): Pick<Operand, 'tree' | 'reach'> {
  const representation = representationOf(asset);
  const tree = trees.get(asset) ?? treeOf(trees, asset, (node, into) => representation.unfold(asset, node, into));
  return { tree, reach: representation.reach(asset) };
}

export function operandOf(asset: Asset, pose: Pose): Operand {
  const representation = representationOf(asset);
  const { tree, reach } = sideOf(asset);
  const load = hullLoader((id, out) => representation.hull(asset, id, out), pose);
  return { tree, reach, load, solid: representation.solid && solidIn(pose, asset, representation.solid) };
}

/** A solid that a function defines, in a pose. */
export function solidIn(pose: Pose, asset: Asset, { refine, core }: SolidMembers<Asset>): Solid {
  return otherLeaves().solidOf(
    (points, count, slack, effort) => refine(asset, points, count, slack, effort),
    (id, out) => core(asset, id, out),
    pose,
    representationOf(asset).reach(asset),
  );
}

/** The primitive that an asset is (a box, a cylinder, a capsule or a ball), or null. */
export const primitiveOf = (asset: Asset): PlacedPrimitive | null =>
  representationOf(asset).solid?.primitive(asset) ?? null;

/** True if an asset's primitives are its surface's triangles, with the same numbers. */
export function isOfTriangles(asset: Asset): boolean {
  const { solid, hull } = representationOf(asset);
  // A solid in which nothing is found has no hull 0.
  return solid === undefined && hull(asset, 0, new Float64Array(HULL_NUMBERS)) === 3;
}

/** Refuses other assets up front: contact points and patches need triangles. */
export function requireTriangles(option: 'contactPoints' | 'patches', ...assets: Asset[]): void {
  const other = assets.find((asset) => !isOfTriangles(asset));
  if (other) throw new OptionError(`${option}: expected triangles, found ${other.representation}`);
}
