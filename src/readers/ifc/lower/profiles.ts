/** Writes parametric profiles as closed polylines (ISO 16739-1, IfcProfileResource). */
import { reals } from './draft.ts';
import type { Lowering } from './lower.ts';
import { numberIn } from './step.ts';

/** IfcZShapeProfileDef: Depth, FlangeWidth, WebThickness, FlangeThickness. */
export function lowerZ(lowering: Lowering, record: number): void {
  const values = lowering.step.args(record);
  const [depth, width, web, flange] = values.slice(3, 7).map((value) => numberIn(value) ?? NaN);
  const [x, y, w] = [width - web / 2, depth / 2, web / 2];
  // The flange at the bottom points to the right, the one at the top to the left.
  const half = [
    [-w, -y],
    [x, -y],
    [x, flange - y],
    [w, flange - y],
  ];
  writeOutline(lowering, record, [...half, ...half.map(([a, b]) => [-a, -b])]);
}

/** Replaces a profile by its outline, from the frame of its third attribute to the profile's own. */
function writeOutline({ step, draft }: Lowering, record: number, outline: readonly number[][]): void {
  const { origin, x, y } = step.frame(step.args(record, 3)[2]);
  const points = outline.map(([a, b]) =>
    draft.add(`IFCCARTESIANPOINT(${reals([0, 1].map((k) => origin[k] + a * x[k] + b * y[k]))})`),
  );
  const curve = draft.add(`IFCPOLYLINE((${[...points, points[0]].join()}))`);
  draft.replace(record, `IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${curve})`);
}
