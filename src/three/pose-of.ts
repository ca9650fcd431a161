/** Where an object of three's stands, as the library has poses. */
import { type InstancedMesh, Matrix4, type Object3D } from 'three';
import { OptionError } from '../math/errors.ts';
import { type Pose, requirePose } from '../math/pose.ts';
import { printable } from '../math/printable.ts';

/**
 * The pose of an object, from its `matrixWorld`, which is to be up to date.
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

/** The instance of what has none. */
export const WHOLE = -1;

/** Writes the matrix of an object, or of an instance of it, row by row. */
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

/** What messages call an object. */
export function nameOf(object: Object3D): string {
  return object.name === '' ? `${object.type} ${object.id}` : printable(object.name);
}

/** An error of an object's geometry or matrix, with the object's name in front. */
export const ofObject = (object: Object3D, what: string): OptionError => new OptionError(`${nameOf(object)}: ${what}`);
