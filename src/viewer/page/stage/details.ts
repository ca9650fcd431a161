/** Chooses the objects' detail in a heavy scene, by screen size and triangle budget. */
import { Frustum, Matrix4, type PerspectiveCamera, Sphere } from 'three';
import { BOX, COARSE, type Detail, FULL, OUT } from './crowd.ts';

const FEW_FROM = 2;
const FULL_FROM = 12;
const COARSER = 1.5;
const TRIES = 16;

interface Choice {
  camera: PerspectiveCamera;
  height: number;
  most: number;
  /** x, y, z and radius of each object, in the drawn frame. */
  spheres: Float64Array;
  costOf(object: number): readonly number[];
  details: Uint8Array;
  order: number[];
}

export function chooseDetails(choice: Choice): void {
  const { most, costOf, details } = choice;
  const { sizes, far } = sizesOf(choice);
  choice.order.sort((one, other) => far[one] - far[other]);
  let factor = 1;
  for (let tries = 0; tries < TRIES; tries++, factor *= COARSER) {
    let sum = 0;
    for (let object = 0; object < sizes.length; object++) {
      details[object] = detailOf(sizes[object] / factor);
      sum += costOf(object)[details[object]];
    }
    if (sum <= most) return;
  }
}

const detailOf = (pixels: number): Detail =>
  pixels < 0 ? OUT : pixels < FEW_FROM ? BOX : pixels < FULL_FROM ? COARSE : FULL;

/** Returns each object's distance in drawn lengths, and diameter in pixels; -1 if not seen. */
function sizesOf({ camera, height, spheres }: Choice): { sizes: Float64Array; far: Float64Array } {
  const frustum = new Frustum();
  const sphere = new Sphere();
  frustum.setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
  // Pixels of unit length at unit distance.
  const pixels = 0.5 * height * camera.projectionMatrix.elements[5];
  const sizes = new Float64Array(spheres.length / 4);
  const far = new Float64Array(sizes.length);
  for (let object = 0; object < sizes.length; object++) {
    sphere.center.fromArray(spheres, 4 * object);
    sphere.radius = spheres[4 * object + 3];
    far[object] = sphere.center.distanceTo(camera.position);
    sizes[object] = frustum.intersectsSphere(sphere) ? (2 * sphere.radius * pixels) / far[object] : -1;
  }
  return { sizes, far };
}
