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
  transpose(object.matrixWorld.elements, pose);
  requirePose(pose, nameOf(object));
  return pose;
}

/** Stands for the instance of an object that has none. */
export const WHOLE = -1;

/** Writes three's elements row by row. Unrolled like `isTransposed`: every frame needs both. */
export function transpose(elements: readonly number[], out: Pose): void {
  out[0] = elements[0];
  out[1] = elements[4];
  out[2] = elements[8];
  out[3] = elements[12];
  out[4] = elements[1];
  out[5] = elements[5];
  out[6] = elements[9];
  out[7] = elements[13];
  out[8] = elements[2];
  out[9] = elements[6];
  out[10] = elements[10];
  out[11] = elements[14];
  out[12] = elements[3];
  out[13] = elements[7];
  out[14] = elements[11];
  out[15] = elements[15];
}

export const isTransposed = (elements: readonly number[], rows: Pose): boolean =>
  rows[3] === elements[12] &&
  rows[7] === elements[13] &&
  rows[11] === elements[14] &&
  rows[15] === elements[15] &&
  rows[0] === elements[0] &&
  rows[1] === elements[4] &&
  rows[2] === elements[8] &&
  rows[4] === elements[1] &&
  rows[5] === elements[5] &&
  rows[6] === elements[9] &&
  rows[8] === elements[2] &&
  rows[9] === elements[6] &&
  rows[10] === elements[10] &&
  rows[12] === elements[3] &&
  rows[13] === elements[7] &&
  rows[14] === elements[11];

/** The matrix of an object or an instance, column by column; read it before the next call. */
export function elementsOf(object: Object3D, instance: number): readonly number[] {
  if (instance === WHOLE) return object.matrixWorld.elements;
  (object as InstancedMesh).getMatrixAt(instance, ofInstance);
  return ofInstance.premultiply(object.matrixWorld).elements;
}

const ofInstance = /* @__PURE__ */ new Matrix4();

export function nameOf(object: Object3D): string {
  return object.name === '' ? `${object.type} ${object.id}` : printable(object.name);
}

export const ofObject = (object: Object3D, what: string): OptionError => new OptionError(`${nameOf(object)}: ${what}`);
