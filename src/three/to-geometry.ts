/** Converts a mesh, or the stored surface of an asset, to a BufferGeometry of three. */
import { BufferAttribute, BufferGeometry } from 'three';
import { requireMeshShape, requireOptionTypes } from '../base/require.ts';
import type { Asset } from '../engine/representation.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { representationOf } from '../representations/kinds.ts';

export interface ToGeometryOptions {
  /**
   * Add a group, with its own material, for each name of the mesh's groups of this kind, in order
   * of first appearance.
   */
  groups?: 'object' | 'group';
}

/**
 * Returns an indexed geometry to draw: the same triangles in the same order, with coordinates in
 * single precision. It has no normals; `computeVertexNormals` adds them.
 *
 * @param source a mesh; or an asset, whose stored surface is drawn
 * @throws MeshError if the source is neither a mesh nor an asset
 * @example import { build, readObj } from 'gicollide';
 *          import { toBufferGeometry } from 'gicollide/three';
 *          import { readFile } from 'node:fs/promises';
 *          const mesh = readObj(await readFile('assets/bunny.obj'));
 *          toBufferGeometry(mesh).index.count === mesh.triangles.length // true
 *          const cubes = build(mesh, { format: 'voxel', precision: 0.05 });
 *          const drawn = toBufferGeometry(cubes);
 *          drawn.computeVertexNormals();
 */
export function toBufferGeometry(source: Mesh | Asset, options: ToGeometryOptions = {}): BufferGeometry {
  requireOptionTypes(options, { groups: 'string' });
  const mesh: Pick<Mesh, 'positions' | 'triangles'> & Partial<Mesh> =
    source && 'representation' in source ? representationOf(source).surface(source) : source;
  requireMeshShape(mesh);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(mesh.positions), 3));
  const numbers = mesh.positions.length / 3 <= 2 ** 16 ? Uint16Array : Uint32Array;
  geometry.setIndex(new BufferAttribute(numbers.from(mesh.triangles), 1));
  if (options.groups) addGroups(geometry, mesh.groups ?? [], options.groups);
  return geometry;
}

function addGroups(geometry: BufferGeometry, groups: Mesh['groups'], wanted: string): void {
  const materials = new Map<string, number>();
  for (const { kind, name, first, count } of groups) {
    if (kind !== wanted) continue;
    const material = materials.get(name) ?? materials.size;
    materials.set(name, material);
    geometry.addGroup(3 * first, 3 * count, material);
  }
}
