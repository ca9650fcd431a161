/**
 * Writes cones, cylinders and spheres with corners on their axes and within the chord tolerance.
 *
 * web-ifc gives cones and spheres 33 corners, and only one of them is on an axis.
 */
import { cornersOf, turnIn } from './arcs.ts';
import { faceSet } from './draft.ts';
import { type Lowering, numberIn } from './step.ts';

type Point = [x: number, y: number, z: number];

/** IfcRightCircularCone: Position, Height, BottomRadius. The position is the middle of the base. */
export function lowerCone(lowering: Lowering, record: number): void {
  const [, height, radius] = numbersOf(lowering, record);
  if (!(height > 0 && radius > 0)) return;
  const n = cornersOf(lowering, radius);
  lowering.step.budget.spend(n);
  const rim = turnIn(n).map(([x, y]): Point => [radius * x, radius * y, 0]);
  const next = (k: number): number => (k + 1) % n;
  const sides = rim.map((_, k) => [k, next(k), n]);
  const base = rim.map((_, k) => [next(k), k, n + 1]);
  write(lowering, record, [...rim, [0, 0, height], [0, 0, 0]], [...sides, ...base]);
}

/** IfcRightCircularCylinder: Position, Height, Radius. The position is the middle of the base. */
export function lowerCylinder(lowering: Lowering, record: number): void {
  const [, height, radius] = numbersOf(lowering, record);
  const n = cornersOf(lowering, radius);
  // web-ifc makes this one right.
  if (!(height > 0 && radius > 0) || n === 32) return;
  lowering.step.budget.spend(2 * n);
  const turn = turnIn(n);
  const rims = [0, height].flatMap((z) => turn.map(([x, y]): Point => [radius * x, radius * y, z]));
  const next = (k: number): number => (k + 1) % n;
  const triangles = turn.flatMap((_, k) => [
    [k, next(k), n + next(k)],
    [k, n + next(k), n + k],
    [next(k), k, 2 * n],
    [n + k, n + next(k), 2 * n + 1],
  ]);
  write(lowering, record, [...rims, [0, 0, 0], [0, 0, height]], triangles);
}

/** IfcSphere: Position, Radius. */
export function lowerSphere(lowering: Lowering, record: number): void {
  const [, radius] = numbersOf(lowering, record);
  if (!(radius > 0)) return;
  // A facet deviates from the sphere along both of its sides.
  const n = cornersOf({ ...lowering, chord: lowering.chord / 2 }, radius);
  const rings = n / 2 - 1;
  lowering.step.budget.spend(rings * n);
  const turn = turnIn(n);
  const points = Array.from({ length: rings }, (_, r) => turn[r + 1]).flatMap(([up, out]) =>
    turn.map(([x, y]): Point => [radius * out * x, radius * out * y, -radius * up]),
  );
  const [south, north] = [points.length, points.length + 1];
  const at = (ring: number, k: number): number => ring * n + (k % n);
  const triangles = turn.flatMap((_, k) => [
    [at(0, k + 1), at(0, k), south],
    [at(rings - 1, k), at(rings - 1, k + 1), north],
    ...Array.from({ length: rings - 1 }, (_, r) => [
      [at(r, k), at(r, k + 1), at(r + 1, k + 1)],
      [at(r, k), at(r + 1, k + 1), at(r + 1, k)],
    ]).flat(),
  ]);
  write(lowering, record, [...points, [0, 0, -radius], [0, 0, radius]], triangles);
}

const numbersOf = ({ step }: Lowering, record: number): number[] =>
  step.args(record).map((value) => numberIn(value) ?? NaN);

function write({ step, draft }: Lowering, record: number, points: Point[], triangles: number[][]): void {
  const { origin, x, y, z } = step.frame(step.args(record, 1)[0]);
  const placed = points.map(([a, b, c]) => [0, 1, 2].map((k) => origin[k] + a * x[k] + b * y[k] + c * z[k]));
  draft.replace(record, faceSet(draft, placed, triangles));
}
