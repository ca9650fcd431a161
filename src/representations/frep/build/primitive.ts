/**
 * The model of a primitive of a mesh file: exact, since an F-rep has boxes, cylinders and spheres.
 */
import { FormatError } from '../../../math/errors.ts';
import type { Primitive } from '../../../readers/mesh-file.ts';
import type { FrepModel, Shape } from './model.ts';

/**
 * A model of the primitive, scaled along the axes, then shifted.
 *
 * @throws FormatError for a size that is not above 0
 * @example modelOfPrimitive({ shape: 'sphere', radius: 2 }).object // { sphere: { radius: 2 } }
 */
export function modelOfPrimitive(
  primitive: Primitive,
  scale: readonly number[] | null = null,
  translate: readonly number[] | null = null,
): FrepModel {
  return {
    object: {
      ...shapeOf(primitive),
      ...(scale && { scale: [...scale] }),
      ...(translate?.some((x) => x !== 0) && { translate: [...translate] }),
    },
  };
}

function shapeOf(primitive: Primitive): Shape {
  switch (primitive.shape) {
    case 'box':
      return { box: { size: primitive.size.map((x) => above0(x, 'size')) } };
    case 'cylinder':
      return { cylinder: { radius: above0(primitive.radius, 'radius'), height: above0(primitive.length, 'length') } };
    default:
      return { sphere: { radius: above0(primitive.radius, 'radius') } };
  }
}

function above0(x: number, what: string): number {
  if (!(x > 0 && x < Number.POSITIVE_INFINITY)) throw new FormatError(null, `a ${what} above 0`, String(x));
  return x;
}
