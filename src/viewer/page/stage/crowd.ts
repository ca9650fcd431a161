/**
 * The objects that share an asset, drawn at once: in full those that are large on the screen, in
 * few triangles the small ones where the scene is heavy, and none that are out of view.
 */
import { BufferAttribute, BufferGeometry, InstancedBufferAttribute, InstancedMesh, type ShaderMaterial } from 'three';
import type { Shape } from '../../protocol.ts';
import { coarsened } from './coarse.ts';
import type { Paint } from './palette.ts';

export function geometryOf({ positions, triangles }: Shape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  return geometry;
}

/** How an object is drawn in this frame. */
export const OUT = 0;
export const COARSE = 1;
export const FULL = 2;
export type Detail = typeof OUT | typeof COARSE | typeof FULL;

export interface Crowd {
  readonly meshes: readonly InstancedMesh[];
  readonly geometry: BufferGeometry;
  /** Triangles of each member in full. */
  readonly triangles: number;
  /** Something of its members changed: all are written anew. */
  soil(): void;
  arrange(detailOf: (object: number) => Detail): void;
  dispose(): void;
}

/** Where members stand and how they look. */
export interface Members {
  /** Objects. */
  numbers: readonly number[];
  writeMatrix(object: number, out: Float32Array, offset: number): void;
  paintOf(object: number): Paint;
}

export function createCrowd(shape: Shape, members: Members, material: ShaderMaterial): Crowd {
  const geometry = geometryOf(shape);
  const few = coarsened(shape);
  const coarse = few === shape ? geometry : geometryOf(few);
  const rows = [rowOf(coarse, members, material), rowOf(geometry, members, material)];
  return {
    meshes: rows.map(({ mesh }) => mesh),
    geometry,
    triangles: shape.triangles.length / 3,
    soil() {
      for (const row of rows) row.written = null;
    },
    arrange(detailOf) {
      const details = members.numbers.map(detailOf);
      rows.forEach((row, k) => {
        const wanted = members.numbers.filter((_, i) => details[i] === (k === 0 ? COARSE : FULL));
        write(row, wanted, members);
      });
    },
    dispose() {
      for (const { mesh } of rows) mesh.dispose();
      geometry.dispose();
      coarse.dispose();
    },
  };
}

interface Row {
  mesh: InstancedMesh;
  /** The objects whose matrices are there; null: they must be written. */
  written: number[] | null;
}

function rowOf(geometry: BufferGeometry, { numbers }: Members, material: ShaderMaterial): Row {
  const mesh = new InstancedMesh(geometry, material, numbers.length);
  mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * numbers.length), 3);
  mesh.frustumCulled = false;
  mesh.matrixAutoUpdate = false;
  mesh.visible = false;
  return { mesh, written: null };
}

function write(row: Row, wanted: number[], members: Members): void {
  row.mesh.visible = wanted.length > 0;
  if (wanted.length === 0) return;
  row.mesh.count = wanted.length;
  if (row.written?.length === wanted.length && row.written.every((object, i) => object === wanted[i])) return;
  const { instanceMatrix, instanceColor } = row.mesh;
  wanted.forEach((object, i) => {
    members.writeMatrix(object, instanceMatrix.array as Float32Array, 16 * i);
    instanceColor!.array.set(members.paintOf(object), 3 * i);
  });
  for (const attribute of [instanceMatrix, instanceColor!] as InstancedBufferAttribute[]) {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, wanted.length * attribute.itemSize);
    attribute.needsUpdate = true;
  }
  row.written = wanted;
}
