/** Computes the camera of a BCF viewpoint, in meters. */
import { OptionError } from '../base/errors.ts';
import { converterOf } from '../query/units.ts';
import type { ReportFinding } from './model.ts';

/** The field of view, in degrees: BCF 2.1 allows 45 to 60, and the sine of half of 60 is exact. */
export const FIELD_OF_VIEW = 60;
const SINE_OF_HALF = 0.5;
/** Factor on the radius of the framed ball, so that some surroundings are visible. */
const MARGIN = 1.5;
/** Meters shown around a single point. */
const LEAST_RADIUS = 0.25;

/** From the front right, from above; z is up, as in IFC. */
const BACK = scaled([1, -1, 1], 1 / Math.sqrt(3));
/** Perpendicular to the direction, in its plane with z. */
const UP = scaled([-1, 1, 2], 1 / Math.sqrt(6));

export interface Camera {
  from: readonly number[];
  direction: readonly number[];
  up: readonly number[];
}

/**
 * @param toMetres converts a length of the report
 * @returns null if no finding has a place
 */
export function cameraFor(findings: readonly ReportFinding[], toMetres: (length: number) => number): Camera | null {
  const corners = findings.flatMap(({ box, point }) => (box ? [box.low, box.high] : point ? [point] : []));
  if (corners.length === 0) return null;
  const low = [0, 1, 2].map((axis) => toMetres(least(corners, axis, 1)));
  const high = [0, 1, 2].map((axis) => toMetres(-least(corners, axis, -1)));
  const half = low.map((x, axis) => (high[axis] - x) / 2);
  const radius = Math.max(LEAST_RADIUS, MARGIN * Math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]));
  const from = BACK.map((x, axis) => low[axis] + half[axis] + (x * radius) / SINE_OF_HALF);
  return from.every(Number.isFinite) ? { from, direction: scaled(BACK, -1), up: UP } : null;
}

/** Returns the least coordinate; with sign -1 the least of the negated ones. */
const least = (points: readonly (readonly number[])[], axis: number, sign: number): number =>
  points.reduce((lowest, point) => Math.min(lowest, sign * point[axis]), Number.POSITIVE_INFINITY);

function scaled(vector: readonly number[], factor: number): number[] {
  return vector.map((x) => x * factor);
}

/** Null for an unknown unit: then lengths count as meters. */
export function metresOf(units: string | null): ((length: number) => number) | null {
  if (units === null) return null;
  try {
    return converterOf(units, 'm');
  } catch (error) {
    if (error instanceof OptionError) return null;
    throw error;
  }
}
