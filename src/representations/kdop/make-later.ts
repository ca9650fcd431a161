/**
 * A k-DOP tree whose nodes are made when they are first read. Most elements of a scene are asked
 * about so seldom that building their tree is not worth the time.
 */
import { ownMesh, type StoredMesh } from '../../containers/mesh-sections.ts';
import { assetHeader } from '../../engine/representation.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { buildKdopTree, type KdopBuildOptions } from './make.ts';
import type { DopSize } from './tree/dop-directions.ts';
import { type KdopTree, LARGEST_COORDINATE } from './tree/kdop-tree.ts';

type Made = Pick<KdopTree, 'coefficients' | 'links' | 'origin' | 'exponent'>;

/** The parts of a tree that are read only in questions, or when it is written. */
const LATER: readonly (keyof Made)[] = ['coefficients', 'links', 'origin', 'exponent'];

interface LaterOptions extends KdopBuildOptions {
  k: DopSize;
  bits: number;
}

/** Options of trees that are not made yet. */
const pending = new WeakMap<object, LaterOptions>();

const getterOf = (name: keyof Made) => ({
  get(this: KdopTree) {
    return make(this)[name];
  },
  enumerable: true,
  configurable: true,
});

let getters: PropertyDescriptorMap | undefined;

/** Makes the nodes, and replaces the getters by them. */
function make(tree: KdopTree): Made {
  const { positions, triangles } = tree;
  const mesh: Mesh = { positions: Float64Array.from(positions), triangles, groups: [] };
  const { coefficients, links, origin, exponent } = buildKdopTree(mesh, { ...pending.get(tree), take: true });
  const made: Made = { coefficients, links, origin, exponent };
  for (const name of LATER)
    Object.defineProperty(tree, name, { value: made[name], enumerable: true, writable: true, configurable: true });
  pending.delete(tree);
  return made;
}

/**
 * Returns the tree that `buildKdopTree` returns.
 *
 * @throws MeshError and OptionError as `buildKdopTree` does, now and not later
 * @example const tree = kdopTreeLater(mesh, { k: 14 });
 *          tree.links // is made here
 */
export function kdopTreeLater(mesh: Mesh, options: LaterOptions): KdopTree {
  const isPlain = mesh.triangles.length > 0 && mesh.positions.every((x) => Math.abs(x) <= LARGEST_COORDINATE);
  // The builder's own messages for everything that it refuses.
  if (!isPlain) return buildKdopTree(mesh, options);
  return later(ownMesh(mesh, options), options);
}

function later(mesh: StoredMesh, options: LaterOptions): KdopTree {
  const { k, bits } = options;
  const known = { representation: 'kdop', ...mesh, k, bits, header: assetHeader(options, { k, bits }) };
  getters ??= Object.fromEntries(LATER.map((name) => [name, getterOf(name)]));
  const tree = Object.defineProperties(known, getters) as unknown as KdopTree;
  pending.set(tree, options);
  return tree;
}

/** A tree that can be posted: its nodes are made where it arrives, if they are not made yet. */
export type PostedTree = Pick<KdopTree, 'positions' | 'triangles'> & { options: LaterOptions };

/** Null for a tree that has nodes, and for other assets. */
export function postedTree(asset: object): PostedTree | null {
  const options = pending.get(asset);
  if (!options) return null;
  const { positions, triangles } = asset as KdopTree;
  return { positions, triangles, options };
}

/** Adopts, in a thread, the result of `postedTree`. */
export const treeOfPosted = ({ positions, triangles, options }: PostedTree): KdopTree =>
  later({ positions, triangles }, options);
