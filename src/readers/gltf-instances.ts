/** EXT_mesh_gpu_instancing: turns a node's list of places into nodes. */
import { FormatError } from '../base/errors.ts';
import { at } from '../base/json-messages.ts';
import { compose, type Pose } from '../math/pose.ts';
import { type Accessor, accessorOf, POSITION_TYPES, type Views } from './gltf-accessors.ts';
import type { Decoded } from './gltf-decode.ts';
import { childOf, type Part, referenceOf, refuse } from './gltf-json.ts';
import { decodedNumber } from './gltf-mesh.ts';
import { LARGEST, placed, requireSmall, type TreeNode } from './gltf-nodes.ts';

export interface Instances {
  path: Part['path'];
  count: number;
  translation: Accessor | null;
  rotation: Accessor | null;
  scale: Accessor | null;
}

export function planInstances(views: Views, tree: readonly TreeNode[]): Map<TreeNode, Instances> {
  const plans = new Map<TreeNode, Instances>();
  for (const node of tree) {
    const attributes = node.instancing && node.mesh !== null ? childOf(node.instancing, 'attributes') : null;
    const plan = attributes && instancesOf(views, attributes);
    if (plan) plans.set(node, plan);
  }
  return plans;
}

/** Null without places: then all instances coincide, and one shows them all. */
function instancesOf(views: Views, attributes: Part): Instances | null {
  const [translation, rotation, scale] = (['TRANSLATION', 'ROTATION', 'SCALE'] as const).map((key) => {
    const n = referenceOf(views.root, attributes, key, 'accessors');
    return n === null ? null : accessorOf(views, n, key === 'ROTATION' ? 'VEC4' : 'VEC3', POSITION_TYPES);
  });
  const given = [translation, rotation, scale].filter((accessor) => accessor !== null);
  if (given.length === 0) return null;
  const { count } = given[0];
  for (const other of given)
    if (other.count !== count) refuse(`${count} elements, as of others`, other.path, other.count);
  return { path: attributes.path, count, translation, rotation, scale };
}

export const instanceAccessors = (plans: Iterable<Instances>): Accessor[] =>
  [...plans].flatMap(({ translation, rotation, scale }) => [translation, rotation, scale]).filter((a) => a !== null);

/** From the instances' frames to the node's. Throws FormatError if coordinates could overflow. */
export function instanceMatrices(instances: Instances, { index, world }: TreeNode, { accessors }: Decoded): Pose[] {
  const parts = [instances.translation, instances.rotation, instances.scale].map((accessor) => {
    if (!accessor) return () => null;
    const numbers = accessors.get(accessor)!;
    const components = numbers.length / accessor.count;
    return (n: number): number[] =>
      Array.from({ length: components }, (_, k) => {
        const x = decodedNumber(numbers[n * components + k], accessor.divisor);
        if (Math.abs(x) <= LARGEST) return x;
        throw new FormatError(null, `numbers of size at most ${LARGEST}${at(accessor.path)}, element ${n}`, `${x}`);
      });
  });
  return Array.from({ length: instances.count }, (_, n) => {
    const [translation, rotation, scale] = parts.map((part) => part(n));
    const matrix = placed(translation, rotation, scale, [...instances.path, 'ROTATION', n]);
    requireSmall(compose(world, matrix), index);
    return matrix;
  });
}
