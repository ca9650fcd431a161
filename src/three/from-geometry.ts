/** Converts a BufferGeometry of three to a mesh. */
import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute } from 'three';
import { MeshError } from '../base/errors.ts';
import { requireMeshArrays, requireOptionTypes } from '../base/require.ts';
import type { Corners } from '../gltf-extension/stored-tree.ts';
import type { Mesh, MeshGroup } from '../mesh/mesh.ts';
import { joinCorners } from '../mesh/weld.ts';

export interface FromGeometryOptions {
  /**
   * Merge all corners at one position into one vertex, and drop unused vertices: `true` unless
   * given. This closes a surface whose normals have sharp edges. Without it, the mesh has all
   * vertices of the geometry in its order, as `updateGeometry` needs them later.
   */
  weld?: boolean;
  /** Make a group of triangles of each group of the geometry: `material 0` for material 0. */
  groups?: boolean;
  /** Use the rest shape of a geometry that morph targets, bones or instances change. */
  atRest?: boolean;
}

type Attribute = BufferAttribute | InterleavedBufferAttribute;

/** The range of corners that are drawn; `count` is a multiple of three. */
interface Drawn {
  from: number;
  count: number;
}

/**
 * Returns the triangles that a geometry draws, in its order: those of its `drawRange`, indexed or
 * not. Interleaved or quantized attributes are decoded like three's `getX`. Materials and groups
 * leave out no triangles.
 *
 * @throws MeshError for a geometry without positions, with a coordinate that is not finite, or with
 *   a corner that is no vertex. Also for one that can change its shape, unless `atRest`
 * @example import { build, check, translation } from 'gicollide';
 *          import { fromBufferGeometry } from 'gicollide/three';
 *          import { SphereGeometry } from 'three';
 *          const ball = build(fromBufferGeometry(new SphereGeometry(1)), { format: 'obb' });
 *          check(ball, ball, { poseB: translation(2.5, 0, 0) }).verdict // 'clear'
 */
export function fromBufferGeometry(geometry: BufferGeometry, options: FromGeometryOptions = {}): Mesh {
  requireOptionTypes(options, { weld: 'boolean', groups: 'boolean', atRest: 'boolean' });
  const { weld = true, groups = false, atRest = false } = options;
  const mesh = weld ? weldedOf(drawnCorners(geometry, atRest)) : unweldedOf(geometry, { atRest });
  if (groups) mesh.groups = groupsOf(geometry, drawnOf(geometry, positionOf(geometry)));
  return mesh;
}

/**
 * Like fromBufferGeometry without `weld`. A page that needs no more loads no code that merges
 * vertices.
 *
 * @throws MeshError like fromBufferGeometry
 */
export function unweldedOf(geometry: BufferGeometry, { atRest }: { atRest: boolean }): Mesh {
  const { position, vertices } = drawnCorners(geometry, atRest);
  return meshOf({ positions: coordinatesOf(position), triangles: vertices });
}

function meshOf(arrays: Pick<Mesh, 'positions' | 'triangles'>): Mesh {
  const mesh = { ...arrays, groups: [] };
  requireMeshArrays(mesh, 'geometry');
  return mesh;
}

interface DrawnCorners {
  position: Attribute;
  /** The number of the vertex at each drawn corner. */
  vertices: Uint32Array;
}

function drawnCorners(geometry: BufferGeometry, atRest: boolean): DrawnCorners {
  if (!geometry?.isBufferGeometry) throw new MeshError('geometry: expected a BufferGeometry of three');
  if (!atRest) requireStiff(geometry);
  const position = positionOf(geometry);
  return { position, vertices: verticesOf(geometry, position, drawnOf(geometry, position)) };
}

/**
 * The triangles that a geometry draws: views of its arrays if these are plain numbers, otherwise
 * those of `fromBufferGeometry` at rest.
 */
export function cornersOf(geometry: BufferGeometry): Corners {
  const { index, drawRange, attributes } = geometry;
  const position = attributes.position as Attribute | undefined;
  const isPlain =
    position !== undefined &&
    !('data' in position) &&
    position.array instanceof Float32Array &&
    position.array.length === 3 * position.count &&
    drawRange.start === 0 &&
    drawRange.count === Number.POSITIVE_INFINITY;
  if (!isPlain || index === null || index.count % 3 !== 0 || index.array.length !== index.count)
    return unweldedOf(geometry, { atRest: true });
  return { positions: position.array, triangles: index.array };
}

export function coordinatesOf(position: Attribute): Float64Array {
  const positions = new Float64Array(3 * position.count);
  for (let v = 0; v < position.count; v++) load(position, v, positions, 3 * v);
  return positions;
}

/** @throws MeshError without readable positions */
export function positionOf(geometry: BufferGeometry): Attribute {
  const position = geometry.attributes?.position as Attribute | undefined;
  if (!position) throw new MeshError('geometry: expected the attribute position, found none');
  if (position.itemSize !== 3)
    throw new MeshError(`geometry.position: expected 3 numbers a vertex, found ${position.itemSize}`);
  if (typeof position.getX !== 'function' || !position.array)
    throw new MeshError('geometry.position: expected numbers in memory, found a buffer of the GPU');
  return position;
}

/** @throws MeshError for a geometry whose vertices move before it is drawn */
function requireStiff(geometry: BufferGeometry): void {
  const { morphAttributes, attributes } = geometry;
  const isInstanced = 'isInstancedBufferGeometry' in geometry;
  const way = morphAttributes?.position?.length
    ? 'morph targets'
    : attributes.skinIndex
      ? 'the weights of bones'
      : isInstanced && 'instances';
  if (way) throw new MeshError(`geometry: expected one shape, found ${way}; set atRest to use the rest pose`);
}

function drawnOf({ index, drawRange }: BufferGeometry, position: Attribute): Drawn {
  const total = index ? index.count : position.count;
  const from = Math.min(Math.max(0, drawRange.start), total);
  const rest = Math.max(0, Math.min(total - from, drawRange.count));
  return { from, count: rest - (rest % 3) };
}

function verticesOf({ index }: BufferGeometry, position: Attribute, { from, count }: Drawn): Uint32Array {
  const vertices = new Uint32Array(count);
  for (let c = 0; c < count; c++) {
    const vertex = index ? index.getX(from + c) : from + c;
    if (!(vertex >= 0 && vertex < position.count)) {
      throw new MeshError(
        `geometry.index: expected numbers of vertices below ${position.count}, found ${vertex} at corner ${from + c}`,
      );
    }
    vertices[c] = vertex;
  }
  return vertices;
}

const weldedOf = ({ position, vertices }: DrawnCorners): Mesh =>
  meshOf(
    joinCorners(vertices.length, (first, count, out) => {
      for (let c = 0; c < count; c++) load(position, vertices[first + c], out, 3 * c);
    }),
  );

function load(position: Attribute, vertex: number, out: Float64Array, at: number): void {
  out[at] = position.getX(vertex);
  out[at + 1] = position.getY(vertex);
  out[at + 2] = position.getZ(vertex);
}

function groupsOf({ groups }: BufferGeometry, { from, count }: Drawn): MeshGroup[] {
  const found: MeshGroup[] = [];
  for (const { start, count: corners, materialIndex = 0 } of groups) {
    const first = Math.max(0, Math.ceil((start - from) / 3));
    const end = Math.min(count / 3, Math.floor((start + corners - from) / 3));
    if (end > first) found.push({ kind: 'group', name: `material ${materialIndex}`, first, count: end - first });
  }
  return found;
}
