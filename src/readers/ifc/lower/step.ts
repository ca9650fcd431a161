/** Reads records of a STEP file by their attributes: references, points, directions, placements. */
import { isRef, type RecordOf, type StepValue, stepArguments } from '../step-records.ts';
import type { StepFile } from '../step-scanner.ts';
import type { Fineness } from './arcs.ts';
import type { Draft } from './draft.ts';

/** Why records are not rewritten although web-ifc may be coarser than the tolerance. */
export const BY_WEB_IFC = 'its curves are made by web-ifc, possibly outside the chord tolerance';

export interface Lowering extends Fineness {
  step: Step;
  draft: Draft;
  /** Records that are not read, and why. Elements that use one are left out and reported. */
  unread: Map<number, string>;
  /** Records that web-ifc may get wrong, with the reason, which is reported. */
  doubtful: Map<number, string>;
}

/** A frame: its origin and its axes, which are of length 1 and right-angled. */
export interface Frame {
  origin: readonly number[];
  x: readonly number[];
  y: readonly number[];
  z: readonly number[];
}

/** Corners on all curves of a file, and those of one outline, face or solid. */
const MOST_CORNERS = 1 << 22;
const MOST_OF_ONE = 1 << 20;

class TooMany extends Error {}

/** The corners that the file may still use. */
class Budget {
  private left = MOST_CORNERS;

  /** Counts corners, before they are made if possible; `within` ends if there are too many. */
  spend(corners: number): void {
    const isOne = !(corners <= MOST_OF_ONE);
    if (!isOne) this.left -= corners;
    if (!isOne && this.left >= 0) return;
    const [what, most] = isOne ? ['it has', MOST_OF_ONE] : ["the file's curves have", MOST_CORNERS];
    throw new TooMany(`${what} more than ${most} corners; a larger --chord-tolerance makes fewer`);
  }

  /** Returns why it has too many corners, or null. */
  within(make: () => void): string | null {
    try {
      make();
      return null;
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      return error.message;
    }
  }
}

export class Step {
  readonly budget = new Budget();

  constructor(
    readonly file: StepFile,
    readonly recordOf: RecordOf,
    /** Radians in the file's unit of plane angles. */
    readonly radians: number,
  ) {}

  /** In capitals; an empty name if there is no record. */
  type(record: number): string {
    return record < 0 ? '' : this.file.typeNames[this.file.types[record]];
  }

  /** All arguments of a record; empty if there is no record. */
  args(record: number, most = Infinity): StepValue[] {
    return record < 0 ? [] : stepArguments(this.file.bytes, this.file.starts[record], most);
  }

  /** The record that a value refers to, or -1. */
  follow(value: StepValue | undefined): number {
    return isRef(value) ? this.recordOf(value.ref) : -1;
  }

  /** The records that a list refers to. */
  followAll(value: StepValue | undefined): number[] {
    return Array.isArray(value) ? value.map((one) => this.follow(one)) : [];
  }

  /** The frame of an IfcAxis2Placement2D or 3D; if there is none, the frame of the file. */
  frame(value: StepValue | undefined): Frame {
    const record = this.follow(value);
    const [location, first, second] = this.args(record);
    const isFlat = this.type(record) === 'IFCAXIS2PLACEMENT2D';
    const given = (v?: StepValue): number[] | null => (this.follow(v) < 0 ? null : threeOf(this.numbers(v)));
    return frameOf(threeOf(this.numbers(location)), isFlat ? null : given(first), given(isFlat ? first : second));
  }

  /** Coordinates of an IfcCartesianPoint, or ratios of an IfcDirection, unchanged. */
  numbers(value: StepValue | undefined): number[] {
    const [list] = this.args(this.follow(value), 1);
    return Array.isArray(list) ? list.filter((x) => typeof x === 'number') : [];
  }
}

/** A number, or the one in a measure: `IFCPARAMETERVALUE(0.5)`. */
export const numberIn = (value: StepValue | undefined): number | null => {
  if (typeof value !== 'object' || value === null || !('type' in value))
    return typeof value === 'number' ? value : null;
  return typeof value.values[0] === 'number' ? value.values[0] : null;
};

export const threeOf = (list: readonly number[]): number[] => [list[0] ?? 0, list[1] ?? 0, list[2] ?? 0];

/** IfcBuildAxes: z as given, x at right angles to it; defaults if one is missing or zero. */
export function frameOf(
  origin: readonly number[],
  axis: readonly number[] | null,
  ref: readonly number[] | null,
): Frame {
  const z = unit(axis ?? [0, 0, 1]) ?? [0, 0, 1];
  const along = [ref ?? [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const rest = (v: readonly number[]): number[] => v.map((c, k) => c - dot(v, z) * z[k]);
  const x = along.map((v) => unit(v)).map((v) => v && dot(v, z) ** 2 < 1 - 1e-12 && unit(rest(v)));
  const first = x.find((v) => v) as number[];
  return { origin, x: first, y: cross(z, first), z };
}

export const dot = (a: readonly number[], b: readonly number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const cross = (a: readonly number[], b: readonly number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const minus = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => x - b[k]);
export const scaled = (a: readonly number[], s: number): number[] => a.map((x) => x * s);

/** a + s b */
export const along = (a: readonly number[], s: number, b: readonly number[]): number[] => a.map((x, k) => x + s * b[k]);

export function distance(a: readonly number[], b: readonly number[]): number {
  const d = minus(a, b);
  return Math.sqrt(dot(d, d));
}

/** The vector at length 1, in 3D; null if its length is 0. One along an axis stays exact. */
export function unit([a = 0, b = 0, c = 0]: readonly number[]): number[] | null {
  const most = Math.max(Math.abs(a), Math.abs(b), Math.abs(c));
  if (!(most > 0 && most < Infinity)) return null;
  const [x, y, z] = [a / most, b / most, c / most];
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}
