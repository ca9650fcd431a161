/** Poses in files: a shift, a turn and a scale, or a matrix in place of these. */
import * as z from 'zod/mini';
import { FormatError } from '../base/errors.ts';
import type { Path } from '../base/json-messages.ts';
import { schemaNotes } from '../base/schema-notes.ts';
import {
  compose,
  isRigid,
  POSE_COUNTS,
  type Pose,
  poseOfNumbers,
  rotation,
  rotationOfQuaternion,
  translation,
} from '../math/pose.ts';

/** Larger coordinates could overflow. */
export const LARGEST_NUMBER = 1e150;

export const number = z.number().check(z.gte(-LARGEST_NUMBER), z.lte(LARGEST_NUMBER));
export const vector = z.array(number).check(z.length(3));
export const direction = vector.check(
  z.refine<number[]>((v) => v.some((x) => x !== 0), { error: 'a direction other than 0, 0, 0' }),
);

const isUnit = (quaternion: readonly number[]): boolean =>
  Math.abs(quaternion.reduce((sum, x) => sum + x * x, 0) - 1) <= 1e-3;

export const PLACEMENT = {
  translate: z.optional(vector).register(schemaNotes, { description: 'After rotation and scale' }),
  rotate: z.optional(z.strictObject({ axis: direction, degrees: number })),
  quaternion: z
    .optional(
      z.array(number).check(
        z.length(4),
        z.refine<number[]>((q) => isUnit(q), { error: 'a quaternion of length 1' }),
      ),
    )
    .register(schemaNotes, { description: '[x, y, z, w], as glTF has it' }),
  matrix: z
    .optional(
      z.array(number).check(
        z.refine<number[]>((m) => POSE_COUNTS.includes(m.length), { error: 'a list of 16, 12 or 7' }),
        z.refine<number[]>((m) => m.length !== 7 || isUnit(m.slice(3)), {
          error: 'x, y, z and a quaternion of length 1',
        }),
      ),
    )
    .register(schemaNotes, {
      description: 'In place of all others: row-major 4x4; 12 without the last row; or [x, y, z, qx, qy, qz, qw]',
      anyOf: POSE_COUNTS.map((count) => ({ minItems: count, maxItems: count })),
    }),
};

export const ROTATE_KEYS: readonly string[] = ['axis', 'degrees'];

/** Names that three.js, glTF and others have for these keys. */
export const PLACEMENT_SYNONYMS: Readonly<Record<string, string>> = {
  ...{ position: 'translate', translation: 'translate', location: 'translate', offset: 'translate' },
  ...{ rotation: 'rotate', transform: 'matrix', pose: 'matrix' },
};

/** @param path of a value of another type */
export const formOfPlacement = (path: Path): string | undefined =>
  path.at(-1) === 'rotate' ? 'an object such as { "axis": [0, 0, 1], "degrees": 90 }' : undefined;

export interface PlacementModel {
  translate?: number[] | undefined;
  rotate?: { axis: number[]; degrees: number } | undefined;
  quaternion?: number[] | undefined;
  matrix?: number[] | undefined;
  /** Along the axes of the asset; only for a scene's instances. */
  scale?: number | number[] | undefined;
}

export function requireOneWay(placement: PlacementModel, place: string): void {
  const { matrix, rotate, quaternion } = placement;
  if (!matrix && !quaternion) return;
  const others = (['translate', 'rotate', 'quaternion', 'scale'] as const).filter(
    (key) => placement[key] !== undefined,
  );
  if (matrix && others.length > 0)
    throw new FormatError(null, `a matrix without other keys at ${place}`, `${others[0]}, too`);
  if (rotate && quaternion) throw new FormatError(null, `rotate or quaternion at ${place}`, 'both');
  if (matrix?.length === 16 && (matrix[12] !== 0 || matrix[13] !== 0 || matrix[14] !== 0 || matrix[15] !== 1))
    throw new FormatError(null, `0, 0, 0, 1 as the last row at ${place}.matrix`, matrix.slice(12).join(', '));
}

interface Placement {
  pose: Pose;
  /** A row-major 4x4 without a shift, applied to the coordinates first; null for none. */
  linear: Pose | null;
}

/**
 * A scale or a mirror is applied to the coordinates; of a matrix that is not rigid, all but the
 * shift.
 *
 * @example placementOf({ scale: 2 }).linear // [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]
 */
export function placementOf(model: PlacementModel): Placement {
  const { translate = [0, 0, 0], rotate, quaternion, scale, matrix } = model;
  if (matrix) {
    const pose = poseOfNumbers(matrix)!;
    if (isRigid(pose)) return { pose, linear: null };
    return {
      pose: translation(pose[3], pose[7], pose[11]),
      linear: pose.map((x, i) => (i % 4 === 3 && i < 12 ? 0 : x)),
    };
  }
  const turn = rotate
    ? rotation(...(rotate.axis as [number, number, number]), rotate.degrees)
    : quaternion && rotationOfQuaternion(quaternion);
  const moved = translation(...(translate as [number, number, number]));
  const [x, y, z] = typeof scale === 'number' ? [scale, scale, scale] : (scale ?? [1, 1, 1]);
  return {
    pose: turn ? compose(moved, turn) : moved,
    linear: x === 1 && y === 1 && z === 1 ? null : Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1),
  };
}
