/**
 * Converts places and matrices of the common frame to three's objects in the drawn frame, and keeps
 * the objects' poses with their bounding spheres there.
 */
import { Box3, type Matrix4, Vector3 } from 'three';
import type { Box } from '../../camera.ts';
import type { Loaded } from '../parts.ts';
import { around, type Space, writeMatrix } from './space.ts';

export function toDrawn({ origin, scale }: Space, place: ArrayLike<number>, out = new Vector3()): Vector3 {
  return out.set(scale * (place[0] - origin[0]), scale * (place[1] - origin[1]), scale * (place[2] - origin[2]));
}

export function toCommon({ origin, scale }: Space, { x, y, z }: Vector3): [number, number, number] {
  return [origin[0] + x / scale, origin[1] + y / scale, origin[2] + z / scale];
}

export const drawnBox = (space: Space, { low, high }: Box): Box3 => new Box3(toDrawn(space, low), toDrawn(space, high));

export function placeAt(matrix: Matrix4, space: Space, pose: ArrayLike<number>, about: ArrayLike<number>): void {
  writeMatrix(space, pose, about, matrix.elements);
}

export interface Places {
  /** x, y, z and radius of each object, in the drawn frame. */
  readonly spheres: Float64Array;
  poseOf(object: number): ArrayLike<number>;
  setPose(object: number, pose: ArrayLike<number>): void;
  /** In the common frame. */
  boxOf(object: number): Box;
}

export function createPlaces({ document: { objects }, facts }: Loaded, space: Space): Places {
  const poses: ArrayLike<number>[] = objects.map(({ pose }) => pose);
  const spheres = new Float64Array(4 * objects.length);
  const boxOf = (object: number): Box => around([[facts[objects[object].asset], poses[object]]]);
  const measure = (object: number): void => {
    const { low, high } = boxOf(object);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const half = space.scale * (high[k] / 2 - low[k] / 2);
      square += half * half;
      spheres[4 * object + k] = space.scale * (low[k] - space.origin[k]) + half;
    }
    spheres[4 * object + 3] = Math.sqrt(square);
  };
  for (let object = 0; object < objects.length; object++) measure(object);
  return {
    ...{ spheres, boxOf },
    poseOf: (object) => poses[object],
    setPose(object, pose) {
      poses[object] = Float64Array.from(pose);
      measure(object);
    },
  };
}
