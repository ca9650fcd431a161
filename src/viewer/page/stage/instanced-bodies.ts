/**
 * Draws many objects at once: those of one asset, some in full, some in few triangles, and the
 * boxes of all objects.
 */
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedMesh,
  Mesh,
  type ShaderMaterial,
} from 'three';
import type { Box } from '../../camera.ts';
import type { Paint } from '../../palette.ts';
import type { Shape } from '../../protocol.ts';
import { coarsened, FEW_TRIANGLES } from './coarse.ts';
import { moved, movedBack, type Space } from './space.ts';

export function geometryOf({ positions, triangles, normals }: Shape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  if (normals) geometry.setAttribute('normal', new BufferAttribute(normals, 3));
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

/*
 * The boxes of all objects as one mesh, for small objects and heavy scenes. Five thousand take one
 * draw, without instances, which software renderers draw one by one.
 */

/** The low and high face across each axis, two triangles each; bit k of a corner: high on k. */
const FACES = [
  [0, 4, 6, 0, 6, 2],
  [1, 3, 7, 1, 7, 5],
  [0, 1, 5, 0, 5, 4],
  [2, 6, 7, 2, 7, 3],
  [0, 2, 3, 0, 3, 1],
  [4, 5, 7, 4, 7, 6],
];

export const BOX_TRIANGLES = 6;

/** @param material from now on it has a color for each vertex */
export function createThrong(count: number, space: Space, material: ShaderMaterial) {
  const places = new BufferAttribute(new Float32Array(24 * count), 3).setUsage(DynamicDrawUsage);
  const colours = new BufferAttribute(new Float32Array(24 * count), 3).setUsage(DynamicDrawUsage);
  const index = new BufferAttribute(new Uint32Array(36 * count), 1).setUsage(DynamicDrawUsage);
  material.vertexColors = true;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', places).setAttribute('color', colours).setIndex(index);
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.visible = false;
  const boxes: Box[] = [];
  const poses: ArrayLike<number>[] = [];
  let used = 0;

  const append = (object: number, eye: readonly number[] | null): void => {
    const { low, high } = boxes[object];
    for (let face = 0; face < 6; face++) {
      const k = face >> 1;
      const isSeen = !eye || (face & 1 ? eye[k] > high[k] : eye[k] < low[k]);
      if (isSeen) for (const corner of FACES[face]) index.array[used++] = 8 * object + corner;
    }
  };

  return {
    mesh,
    /** The object has moved. @param box in the frame that its pose moves */
    place(object: number, box: Box, pose: ArrayLike<number>): void {
      const { low, high } = box;
      boxes[object] = box;
      poses[object] = pose;
      for (let corner = 0; corner < 8; corner++) {
        const place = moved(
          pose,
          [0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k] : low[k])),
        );
        const drawn = place.map((x, k) => space.scale * (x - space.origin[k]));
        places.array.set(drawn, 24 * object + 3 * corner);
      }
      places.needsUpdate = true;
    },
    paint(object: number, paint: Paint): void {
      for (let corner = 0; corner < 8; corner++) colours.array.set(paint, 24 * object + 3 * corner);
      colours.needsUpdate = true;
    },
    /**
     * Draws only these objects.
     *
     * @param eye in the common frame; faces that it does not see are left out; null: no face is
     */
    show(objects: readonly number[], eye: readonly number[] | null): void {
      mesh.visible = objects.length > 0;
      if (objects.length === 0) return;
      used = 0;
      for (const object of objects) append(object, eye && movedBack(poses[object], eye));
      index.clearUpdateRanges();
      index.addUpdateRange(0, used);
      index.needsUpdate = true;
      geometry.setDrawRange(0, used);
    },
    dispose() {
      geometry.dispose();
      material.dispose();
    },
  };
}
