/** Draws the objects of one asset at once: some in full, some in few triangles. */
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  type ShaderMaterial,
} from 'three';
import type { Paint } from '../../palette.ts';
import type { Shape } from '../../protocol.ts';
import { coarsened, FEW_TRIANGLES } from './coarse.ts';
import { BOX_TRIANGLES } from './throng.ts';

export function geometryOf({ positions, triangles }: Shape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  return geometry;
}

/** Detail of an object: not drawn, a box, few triangles, in full. */
export type Detail = 0 | 1 | 2 | 3;
export const OUT: Detail = 0;
export const BOX: Detail = 1;
export const COARSE: Detail = 2;
export const FULL: Detail = 3;

export interface Crowd {
  readonly group: Group;
  readonly geometry: BufferGeometry;
  readonly triangles: readonly number[];
  soil(): void;
  arrange(detailOf: (object: number) => Detail): void;
  dispose(): void;
}

export interface Members {
  numbers: readonly number[];
  writeMatrix(object: number, out: Float32Array, offset: number): void;
  paintOf(object: number): Paint;
}

export function createCrowd(shape: Shape, members: Members, material: ShaderMaterial): Crowd {
  const group = new Group();
  const full = rowOf(geometryOf(shape), members, material);
  group.add(full.mesh);
  /** Created on demand, since few scenes are so heavy. */
  let few: Row | null = null;
  const fewRow = (): Row => {
    if (!few) {
      few = rowOf(geometryOf(coarsened(shape)), members, material);
      group.add(few.mesh);
    }
    return few;
  };
  const triangles = shape.triangles.length / 3;
  return {
    group,
    geometry: full.mesh.geometry,
    triangles: [0, BOX_TRIANGLES, Math.min(triangles, FEW_TRIANGLES), triangles],
    soil() {
      full.written = null;
      if (few) few.written = null;
    },
    arrange(detailOf) {
      const wanted: number[][] = [[], [], [], []];
      for (const object of members.numbers) wanted[detailOf(object)].push(object);
      write(full, wanted[FULL], members);
      if (few || wanted[COARSE].length > 0) write(fewRow(), wanted[COARSE], members);
    },
    dispose() {
      for (const row of [full, few]) {
        row?.mesh.geometry.dispose();
        row?.mesh.dispose();
      }
    },
  };
}

interface Row {
  mesh: InstancedMesh;
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
