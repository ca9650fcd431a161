/** The objects' poses, and their bounding spheres in the drawn frame. */
import type { Box } from '../../camera.ts';
import type { Loaded } from '../parts.ts';
import { around, type Space } from './space.ts';

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
