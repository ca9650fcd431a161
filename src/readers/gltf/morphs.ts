/**
 * Reads glTF's morph targets as frames of positions, one for each time with animated weights.
 *
 * A point of a frame is its position plus the weighted sum of the targets' offsets, in doubles (the
 * specification's section 3.7.2.2), then transformed by its node's matrix. Between a node's keys
 * section 3.11 gives the weights: linear or step. Animated nodes and joints stay at rest, as for
 * the mesh; joints move points after the targets.
 *
 * Vertices are those of a mesh read from the file before, with coincident points merged by the
 * corners of triangles. Targets that separate such points would tear the surface, and are refused.
 */
import { FormatError } from '../../base/errors.ts';
import { turnedRound } from '../../mesh/mesh.ts';
import type { Surface } from '../../mesh/topology.ts';
import { type Surroundings, wholeMesh } from '../mesh-file.ts';
import {
  type Accessor,
  accessorOf,
  childOf,
  itemOf,
  listOf,
  numbersOf,
  type Part,
  POSITION_TYPES,
  partOf,
  referenceOf,
  refuse,
  textOf,
  type Views,
} from './accessors.ts';
import { type Decoded, decode, type Numbers } from './decode.ts';
import { nodesOf, outlineAccessors, outlineOf } from './gltf.ts';
import { decodedNumber, pointsAtCorners } from './mesh.ts';
import type { TreeNode } from './nodes.ts';
import { type MeshPlan, surfacesOf } from './primitives.ts';
import { type Placement, placeSkins } from './skins.ts';

interface MorphFrames {
  times: readonly number[];
  /** For a mesh by `wholeMesh` of the same file. Throws FormatError if the frame tears it. */
  positions(frame: number, mesh: Pick<Surface, 'positions' | 'triangles'>): Float64Array;
}

interface Channel {
  node: number;
  input: Accessor;
  output: Accessor;
  isStep: boolean;
}

const WEIGHT_TYPES: readonly number[] = [5126, 5120, 5121, 5122, 5123];
const LARGEST_WEIGHT = 1e30;

/** Reads the first animation with weights. Throws FormatError without one, and as readGltf. */
export async function readMorphs(bytes: Uint8Array, around: Surroundings): Promise<MorphFrames> {
  const outline = outlineOf(bytes, around);
  const { root, views, tree, plans, instances } = outline;
  if (instances.size > 0) throw new FormatError(null, 'no EXT_mesh_gpu_instancing with morph targets', 'both');
  const channels = channelsOf(root, views);
  const targets = new Map([...plans.meshes].map(([n, plan]) => [n, targetsOf(root, views, n, plan)]));
  const accessors = new Set([
    ...outlineAccessors(outline),
    ...channels.flatMap(({ input, output }) => [input, output]),
    ...[...targets.values()].flat(2).filter((target) => target !== null),
  ]);
  const decoded = await decode(views, [...accessors], [...plans.dracos.values()]);
  const numbersIn = (accessor: Accessor): Numbers => decoded.accessors.get(accessor)!;
  const times = [...new Set(channels.flatMap(({ input }) => Array.from(numbersIn(input), Number)))].sort(
    (a, b) => a - b,
  );
  if (!times.every(Number.isFinite)) throw new FormatError(null, 'finite times of keys', 'an infinite one or NaN');
  const { placements } = placeSkins(outline.skins, outline.places, plans, decoded);
  const shapes = tree.map((node) => {
    if (node.mesh === null || plans.meshes.get(node.mesh)!.primitives.length === 0) return null;
    const weightsAt = weightsOf(root, node, targets.get(node.mesh)!, channels, decoded);
    return shapeOf(plans.meshes.get(node.mesh)!, targets.get(node.mesh)!, weightsAt, placements.get(node), decoded);
  });
  return {
    times,
    positions(frame, mesh) {
      const meshes = shapes.flatMap((shape) => (shape ? [{ name: '', mesh: shape(times[frame]) }] : []));
      let [shown, k] = [0, 0];
      const nodes = nodesOf(
        tree,
        () => (shapes[k++] ? shown++ : null),
        placements,
        () => null,
      );
      const { positions, triangles } = wholeMesh({ meshes, nodes, units: 'm', notes: [] });
      return gathered(positions, triangles, mesh);
    },
  };
}

function gathered(
  corners: Float64Array,
  places: Uint32Array,
  { positions, triangles }: Pick<Surface, 'positions' | 'triangles'>,
): Float64Array {
  if (triangles.length !== places.length)
    throw new FormatError(null, `the ${triangles.length / 3} triangles of the mesh`, `${places.length / 3}`);
  const moved = positions.slice();
  const isMoved = new Uint8Array(positions.length / 3);
  for (let c = 0; c < triangles.length; c++) {
    const vertex = triangles[c];
    for (let k = 0; k < 3; k++) {
      const x = corners[3 * places[c] + k];
      // 0 and -0 are one place.
      if (isMoved[vertex] && moved[3 * vertex + k] !== x)
        throw new FormatError(
          null,
          'targets that keep coincident points together',
          `vertex ${vertex} apart from others`,
        );
      moved[3 * vertex + k] = x;
    }
    isMoved[vertex] = 1;
  }
  return moved;
}

function channelsOf(root: Part, views: Views): Channel[] {
  for (const [n, value] of listOf(root, 'animations').entries()) {
    const animation = partOf(value, ['animations', n]);
    const samplers = listOf(animation, 'samplers');
    const channels: Channel[] = [];
    for (const [k, entry] of listOf(animation, 'channels').entries()) {
      const channel = partOf(entry, [...animation.path, 'channels', k]);
      const target = childOf(channel, 'target');
      if (!target || textOf(target, 'path') !== 'weights') continue;
      const node = referenceOf(root, target, 'node', 'nodes');
      const number = channel.value.sampler;
      if (node === null || typeof number !== 'number' || samplers[number] === undefined)
        refuse('a node and a sampler', channel.path, channel.value);
      const sampler = partOf(samplers[number], [...animation.path, 'samplers', number]);
      channels.push(channelOf(root, views, sampler, node));
    }
    if (channels.length > 0) return channels;
  }
  throw new FormatError(null, 'an animation of morph targets', 'none');
}

function channelOf(root: Part, views: Views, sampler: Part, node: number): Channel {
  const interpolation = textOf(sampler, 'interpolation') || 'LINEAR';
  if (interpolation !== 'LINEAR' && interpolation !== 'STEP')
    refuse('LINEAR or STEP', [...sampler.path, 'interpolation'], interpolation);
  const [input, output] = ['input', 'output'].map((key) => referenceOf(root, sampler, key, 'accessors'));
  if (input === null || output === null) refuse('an input and an output', sampler.path, sampler.value);
  return {
    node,
    isStep: interpolation === 'STEP',
    input: accessorOf(views, input, 'SCALAR', [5126]),
    output: accessorOf(views, output, 'SCALAR', WEIGHT_TYPES),
  };
}

/** The accessors of each primitive's targets; null for one that moves no point. */
function targetsOf(root: Part, views: Views, mesh: number, { primitives }: MeshPlan): (Accessor | null)[][] {
  return primitives.map(({ path, positions, draco }) => {
    const primitive = partOf(listOf(itemOf(root, 'meshes', mesh), 'primitives')[path.at(-1) as number], path);
    return listOf(primitive, 'targets').map((value, k) => {
      const target = partOf(value, [...path, 'targets', k]);
      if (draco) refuse('no morph targets of primitives compressed with Draco', target.path, target.value);
      const n = referenceOf(root, target, 'POSITION', 'accessors');
      if (n === null) return null;
      const accessor = accessorOf(views, n, 'VEC3', POSITION_TYPES);
      if (accessor.count !== positions.count) refuse(`${positions.count} elements`, accessor.path, accessor.count);
      return accessor;
    });
  });
}

function shapeOf(
  plan: MeshPlan,
  targets: readonly (readonly (Accessor | null)[])[],
  weightsAt: (time: number) => number[],
  placement: Placement | undefined,
  decoded: Decoded,
) {
  const surfaces = surfacesOf(plan.name, plan.primitives, decoded, new Map());
  const corners = surfaces.map(pointsAtCorners);
  const count = corners.reduce((sum, { length }) => sum + length, 0);
  const isMoved = placement !== undefined && placement.matrix === null;
  const xyz = new Float64Array(3);
  return (time: number) => {
    const weights = weightsAt(time);
    const positions = new Float64Array(3 * count);
    let at = 0;
    for (const [s, { points }] of surfaces.entries()) {
      const moves = targets[s].map((target) => target && decoded.accessors.get(target)!);
      for (const point of corners[s]) {
        for (let k = 0; k < 3; k++) {
          let x = decodedNumber(points.numbers[3 * point + k], points.divisor);
          for (const [i, move] of moves.entries())
            if (move) x += weights[i] * decodedNumber(move[3 * point + k], targets[s][i]!.divisor);
          xyz[k] = x;
        }
        if (isMoved) placement.move(s, point, xyz);
        positions.set(xyz, at);
        at += 3;
      }
    }
    const triangles = Uint32Array.from({ length: count }, (_, c) => c);
    return { positions, triangles: isMoved && placement.isTurned ? turnedRound(triangles) : triangles, groups: [] };
  };
}

function weightsOf(
  root: Part,
  { index, mesh }: TreeNode,
  targets: readonly { length: number }[],
  channels: readonly Channel[],
  decoded: Decoded,
): (time: number) => number[] {
  const count = Math.max(0, ...targets.map(({ length }) => length));
  const own = numbersOf(itemOf(root, 'nodes', index), 'weights', count, LARGEST_WEIGHT);
  const still = own ?? numbersOf(itemOf(root, 'meshes', mesh!), 'weights', count, LARGEST_WEIGHT);
  const channel = channels.find(({ node }) => node === index);
  if (!channel) return () => still ?? Array.from({ length: count }, () => 0);
  const keys = decoded.accessors.get(channel.input)!;
  const values = decoded.accessors.get(channel.output)!;
  const { divisor, path } = channel.output;
  if (values.length !== keys.length * count) refuse(`${keys.length * count} weights`, path, values.length);
  const weightsOfKey = (key: number): number[] =>
    Array.from({ length: count }, (_, i) => decodedNumber(values[key * count + i], divisor));
  return (time) => {
    let key = 0;
    while (key + 1 < keys.length && keys[key + 1] <= time) key++;
    const before = weightsOfKey(key);
    if (channel.isStep || key + 1 === keys.length || time <= keys[key]) return before;
    const part = (time - keys[key]) / (keys[key + 1] - keys[key]);
    return weightsOfKey(key + 1).map((weight, i) => before[i] + part * (weight - before[i]));
  };
}
