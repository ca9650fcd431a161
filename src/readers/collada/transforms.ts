/** The matrix of a COLLADA node: the product of its transformations, in the order of the file. */
import { FormatError } from '../../base/errors.ts';
import type { XmlElement } from '../../base/xml.ts';
import { compose, identity, type Pose } from '../../math/pose.ts';
import { cosineSineOfDegrees } from '../../math/sine.ts';
import { type ColladaDocument, someNumbers } from './document.ts';

type Vector = readonly number[];

const MAKERS: Readonly<Record<string, { count: number; make(numbers: Vector, element: XmlElement): Pose }>> = {
  matrix: { count: 16, make: matrixOf },
  translate: { count: 3, make: ([x, y, z]) => Float64Array.of(1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1) },
  scale: { count: 3, make: ([x, y, z]) => Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1) },
  rotate: { count: 4, make: rotationOf },
  lookat: { count: 9, make: lookAt },
  skew: { count: 7, make: skewOf },
};

/**
 * @param meter multiplies the translation
 * @throws FormatError for numbers that give no matrix
 */
export function transformOf(document: ColladaDocument, node: XmlElement, meter: number): Pose {
  let matrix = identity();
  for (const element of node.children) {
    if (!Object.hasOwn(MAKERS, element.name)) continue;
    const { count, make } = MAKERS[element.name];
    matrix = compose(matrix, make(Array.from(someNumbers(document, element, count)), element));
  }
  for (const k of [3, 7, 11]) matrix[k] *= meter;
  return matrix;
}

/** Allowed error of a matrix's last row, after products in float32. */
const LAST_ROW_WITHIN = 1e-5;

export function matrixOf(numbers: Vector, { line, name }: XmlElement): Pose {
  const matrix = Float64Array.from(numbers);
  const last = numbers.slice(12);
  if (!last.every((x, k) => Math.abs(x - (k === 3 ? 1 : 0)) <= LAST_ROW_WITHIN))
    throw new FormatError({ line }, `0 0 0 1 as the last row of <${name}>`, last.join(' '));
  matrix.set([0, 0, 0, 1], 12);
  return matrix;
}

/** Rotates by an angle in degrees about an axis of any length (O. Rodrigues). */
function rotationOf(numbers: Vector, element: XmlElement): Pose {
  const degrees = numbers[3];
  if (degrees === 0) return identity();
  const [x, y, z] = unit(numbers.slice(0, 3), element);
  const [c, s] = cosineSineOfDegrees(degrees);
  const d = 1 - c;
  return Float64Array.of(
    ...[c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0],
    ...[d * y * x + s * z, c + d * y * y, d * y * z - s * x, 0],
    ...[d * z * x - s * y, d * z * y + s * x, c + d * z * z, 0],
    ...[0, 0, 0, 1],
  );
}

/** Seen from the eye, the node's z axis points away from the point of interest. */
function lookAt(numbers: Vector, element: XmlElement): Pose {
  const [eye, interest, up] = [numbers.slice(0, 3), numbers.slice(3, 6), numbers.slice(6)];
  const back = unit(
    eye.map((x, k) => x - interest[k]),
    element,
  );
  const right = unit(cross(unit(up, element), back), element);
  const over = cross(back, right);
  return Float64Array.from([0, 1, 2].flatMap((k) => [right[k], over[k], back[k], eye[k]]).concat([0, 0, 0, 1]));
}

/**
 * Shears along the second axis, like RiSkew of RenderMan. The part of the first axis at right
 * angles to the second turns toward the second until the first has turned by the angle.
 */
function skewOf(numbers: Vector, element: XmlElement): Pose {
  const turned = unit(numbers.slice(1, 4), element);
  const along = unit(numbers.slice(4), element);
  const beside = dot(turned, along);
  const upright = unit(
    turned.map((x, k) => x - beside * along[k]),
    element,
  );
  const [c, s] = cosineSineOfDegrees(numbers[0]);
  const height = dot(turned, upright);
  const across = height * c - beside * s;
  if (!(across > 0)) throw new FormatError({ line: element.line }, 'a smaller angle of <skew>', `${numbers[0]}`);
  const slope = (height * s + beside * c) / across - beside / height;
  const matrix = identity();
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 3; column++) matrix[4 * row + column] += slope * along[row] * upright[column];
  return matrix;
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const cross = ([a, b, c]: Vector, [x, y, z]: Vector): number[] => [b * z - c * y, c * x - a * z, a * y - b * x];

function unit(vector: Vector, { line, name }: XmlElement): number[] {
  // Divided by the largest first, so that squares stay in range and a coordinate axis is exact.
  const largest = Math.max(...vector.map(Math.abs));
  const scaled = vector.map((x) => x / largest);
  const length = Math.sqrt(dot(scaled, scaled));
  if (!(length > 0)) throw new FormatError({ line }, `two directions in <${name}>`, 'zero or parallel vectors');
  return scaled.map((x) => x / length);
}
