/** A picture of a finding: its two objects where they meet, seen through each other. */
import type { Pose } from '../../math/pose.ts';
import { movePoint } from '../../math/pose.ts';
import { type Body, frame, type Paint, render, type Vector, type View } from '../../mesh/shade.ts';
import type { ReportFinding } from '../../report/model.ts';
import { representationOf } from '../../representations/kinds.ts';
import type { SceneObject } from '../../scene/report.ts';
import { Canvas } from '../picture-canvas.ts';
import { toPng } from '../png-file.ts';

/** Side of the picture, pixels. */
const PIXELS = 512;
/** From the front, from the right and above; z is up. */
const TOWARD: Vector = [0.6, 0.55, 1];
const FIRST: Paint = [58, 122, 196];
const SECOND: Paint = [224, 148, 52];
const MARK: Paint = [204, 32, 48];
/** How much of the second object hides the first. */
const OPACITY = 0.6;
/** What is shown round the place, in sizes of what the boxes of the two have in common. */
const SURROUNDINGS = 4;
/** Radius of the mark, pixels. */
const MARK_PIXELS = 6;

/** A picture of a finding as PNG; null where sharp, which writes it, is missing. */
export async function pictureOf(
  { box, point }: Pick<ReportFinding, 'box' | 'point'>,
  a: SceneObject,
  b: SceneObject,
): Promise<Uint8Array | null> {
  const bodies = [bodyOf(a, FIRST), bodyOf(b, SECOND)];
  const view = viewOf(bodies, box, point);
  const canvas = new Canvas(PIXELS, PIXELS);
  canvas.cover(render([bodies[0]], view), PIXELS, 0, 0);
  canvas.cover(render([bodies[1]], view), PIXELS, 0, 0, OPACITY);
  if (point) coverWithMark(canvas, view, point);
  return toPng(canvas).catch(() => null);
}

/** The renderer's y is up, the scene's z. */
const upright = ([x, y, z]: readonly number[] | Float64Array): [number, number, number] => [x, z, -y];

function bodyOf({ asset, pose }: SceneObject, paint: Paint): Body {
  const { positions, triangles } = representationOf(asset).surface(asset);
  const moved = new Float64Array(positions.length);
  const place: Pose | undefined = pose;
  for (let v = 0; v < moved.length; v += 3) {
    if (place) movePoint(place, positions[v], positions[v + 1], positions[v + 2], moved, v);
    else for (let k = 0; k < 3; k++) moved[v + k] = positions[v + k];
    const [x, y, z] = upright(moved.subarray(v, v + 3));
    moved[v] = x;
    moved[v + 1] = y;
    moved[v + 2] = z;
  }
  return { surface: { positions: moved, triangles }, normals: null, paint };
}

/** Draws the mark in a window of its own, which is drawn in no time. */
function coverWithMark(canvas: Canvas, view: View, point: readonly number[]): void {
  const at = upright(point);
  const place = [view.right, view.up].map((axis, k) => view.scale * (along(axis, at) - view.middle[k]));
  // Whole pixels from the middle, so that the window's pixels are the picture's.
  const [x, y] = place.map((offset) => Math.round(offset));
  const side = 4 * MARK_PIXELS;
  const [left, top] = [PIXELS / 2 + x - side / 2, PIXELS / 2 - y - side / 2];
  if (Math.min(left, top) < 0 || Math.max(left, top) > PIXELS - side) return;
  const middle = [view.middle[0] + x / view.scale, view.middle[1] + y / view.scale] as const;
  const ball = Float64Array.of(...at, MARK_PIXELS / view.scale);
  const window = render([{ balls: ball, paint: () => MARK }], { ...view, middle, pixels: side });
  canvas.cover(window, side, left, top);
}

const along = (axis: Vector, point: Vector): number => axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2];

/** Both objects; or the place where they meet, where that is small. */
function viewOf(bodies: readonly Body[], box: ReportFinding['box'], point: ReportFinding['point']): View {
  const whole = frame(bodies, TOWARD, PIXELS);
  if (!box) return whole;
  const middle = upright(point ?? box.low.map((low, k) => (low + box.high[k]) / 2));
  const size = Math.max(...box.low.map((low, k) => box.high[k] - low));
  const near = PIXELS / (SURROUNDINGS * size);
  if (!(near > whole.scale) || near === Number.POSITIVE_INFINITY) return whole;
  return { ...whole, scale: near, middle: [along(whole.right, middle), along(whole.up, middle)] };
}
