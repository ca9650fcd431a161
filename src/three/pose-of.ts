/** Converts the transform of a three.js object to a pose. */
import { type InstancedMesh, Matrix4, type Object3D } from 'three';
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { type Pose, requirePose } from '../math/pose.ts';

/**
 * Returns the pose of an object, from its `matrixWorld`, which must be up to date.
 *
 * @throws OptionError for an object that is scaled, mirrored or sheared
 * @example import { build, check } from 'gicollide';
 *          import { fromBufferGeometry, poseOf } from 'gicollide/three';
 *          import { BoxGeometry, Mesh } from 'three';
 *          const box = new Mesh(new BoxGeometry());
 *          box.position.x = 0.5;
 *          box.updateMatrixWorld();
 *          const asset = build(fromBufferGeometry(box.geometry), { format: 'obb' });
 *          check(asset, asset, { poseB: poseOf(box) }).verdict // 'contact'
 */
export function poseOf(object: Object3D): Pose {
  const pose = new Float64Array(16);
  writeMatrix(object, WHOLE, pose);
  requirePose(pose, nameOf(object));
  return pose;
}

/** Stands for the instance of an object that has none. */
export const WHOLE = -1;

/** Writes the matrix of an object, or of one of its instances, row by row. */
export function writeMatrix(object: Object3D, instance: number, out: Pose): void {
  let matrix = object.matrixWorld;
  if (instance !== WHOLE) {
    (object as InstancedMesh).getMatrixAt(instance, ofInstance);
    matrix = ofInstance.premultiply(object.matrixWorld);
  }
  const { elements } = matrix;
  for (let row = 0; row < 4; row++) for (let k = 0; k < 4; k++) out[4 * row + k] = elements[4 * k + row];
}

const ofInstance = /* @__PURE__ */ new Matrix4();

export function nameOf(object: Object3D): string {
  return object.name === '' ? `${object.type} ${object.id}` : printable(object.name);
}

export const ofObject = (object: Object3D, what: string): OptionError => new OptionError(`${nameOf(object)}: ${what}`);
