/** A picture of a finding: its two objects where they meet, one seen through the other. */

import type { Asset } from '../engine/representation.ts';
import { identity, type Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { Canvas } from './canvas.ts';
import { drawLayers, type Layer } from './draw.ts';
import type { Vector, View } from './perspective.ts';
import { type Body, frame, type Paint } from './shade.ts';

/** Side of the picture, pixels. */
const PIXELS = 512;
/** From the front, from the right and above; z is up. */
const TOWARD: Vector = [0.6, 0.55, 1];
const FIRST: Paint = [58, 122, 196];
const SECOND: Paint = [224, 148, 52];
const MARK: Paint = [204, 32, 48];
/** Opacity of the second object over the first. */
const OPACITY = 0.6;
/** Extent around the place, as a multiple of the common part of both boxes. */
const SURROUNDINGS = 4;
/** Radius of the mark. */
const MARK_PIXELS = 6;

/** The data of a finding for its picture. */
export interface Place {
  /** The common part of both objects' boxes. */
  box: { low: readonly number[]; high: readonly number[] } | null;
  point: readonly number[] | null;
}

/** An object of a scene, at its asset's own coordinates unless it has a pose. */
export interface Placed {
  asset: Asset;
  pose?: Pose;
}

export function drawFinding({ box, point }: Place, a: Placed, b: Placed): Canvas {
  const [first, second] = [bodyOf(a, FIRST), bodyOf(b, SECOND)];
  const layers: Layer[] = [{ bodies: [first] }, { bodies: [second], opacity: OPACITY }];
  if (point) layers.push({ bodies: [{ dots: upright(point), radius: MARK_PIXELS, paint: MARK }] });
  const canvas = new Canvas(PIXELS, PIXELS);
  drawLayers(canvas, layers, viewOf([first, second], { box, point }));
  return canvas;
}

/** The renderer's y is up, the scene's z. */
const upright = ([x, y, z]: readonly number[]): Vector => [x, z, -y];

function bodyOf({ asset, pose = identity() }: Placed, paint: Paint): Body {
  const [x, y, z] = [0, 4, 8].map((row) => pose.subarray(row, row + 4));
  const turned = Float64Array.of(...x, ...z, ...y.map((number) => -number), 0, 0, 0, 1);
  return { surface: representationOf(asset).surface(asset), paint, pose: turned };
}

/** Shows both objects; or the place where they meet, if that is small. */
function viewOf(bodies: readonly Body[], { box, point }: Place): View {
  const whole = frame(bodies, TOWARD, PIXELS);
  if (!box) return whole;
  const middle = upright(point ?? box.low.map((low, k) => (low + box.high[k]) / 2));
  const size = Math.max(...box.low.map((low, k) => box.high[k] - low));
  const near = PIXELS / (SURROUNDINGS * size);
  if (!(near > whole.scale) || near === Number.POSITIVE_INFINITY) return whole;
  const along = (axis: Vector): number => axis[0] * middle[0] + axis[1] * middle[1] + axis[2] * middle[2];
  return { ...whole, scale: near, middle: [along(whole.right), along(whole.up)] };
}
