/** Converts places and matrices of the common frame to three's objects in the drawn frame. */
import { Box3, type Matrix4, Vector3 } from 'three';
import type { Box } from '../../camera.ts';
import { type Space, writeMatrix } from './space.ts';

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
