/** The eye's sight against the pinhole: where points fall, what hides what, and what is cut off. */
import { describe, expect, test } from 'vitest';
import { translation } from '../../src/math/pose.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { eyeView, type HalfSpace, rowsOf, Sight, type Vector, type View } from '../../src/picture/perspective.ts';
import { type Body, type Paint, render } from '../../src/picture/shade.ts';
import { axesOf } from '../../src/viewer/camera.ts';
import { seeded } from '../support/random.ts';
import { box, icosphere } from '../support/shapes.ts';

const WIDTH = 160;
const HEIGHT = 100;
const TANGENT = Math.SQRT2 - 1;
const RED: Paint = [255, 0, 0];
const BLUE: Paint = [0, 0, 255];

function viewOf(eye: Vector, target: Vector): View {
  const toward: Vector = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]];
  return eyeView(axesOf(toward), target, Math.hypot(...toward), TANGENT, { width: WIDTH, height: HEIGHT });
}

/** Looks along y, from the front. */
const front = viewOf([0, -10, 0], [0, 0, 0]);

/** A rectangle that faces the eye of `front`. */
function screen(y: number, left: number, right: number, low: number, high: number): Surface {
  const positions = Float64Array.of(left, y, low, right, y, low, right, y, high, left, y, high);
  return { positions, triangles: Uint32Array.of(0, 1, 2, 0, 2, 3) };
}

const pictureOf = (bodies: Body[], view = front): Uint8Array => render(bodies, view);
/** Where a point is in the bent scene; null behind the eye. */
function bentPoint(view: View, point: Vector): Float64Array | null {
  const sight = new Sight(view);
  const place = sight.turn(point, 3);
  if (!sight.isBefore(place, 0)) return null;
  sight.bend(place, 3);
  return place;
}
const coveredArea = (rgba: Uint8Array): number => rgba.reduce((sum, a, i) => sum + (i % 4 === 3 ? a / 255 : 0), 0);
const pixel = (rgba: Uint8Array, column: number, row: number): number[] =>
  Array.from(rgba.subarray(4 * (row * WIDTH + column), 4 * (row * WIDTH + column) + 4));
const isRed = ([r, , b, a]: number[]): boolean => a === 255 && r > 2 * b;
const isBlue = ([r, , b, a]: number[]): boolean => a === 255 && b > 2 * r;

describe('where things fall', () => {
  test('a point is where a pinhole has it, seed 7', () => {
    const random = seeded(7);
    for (let n = 0; n < 200; n++) {
      const eye = [0, 1, 2].map(() => random.between(-50, 50)) as [number, number, number];
      const view = viewOf(eye, [1e6 * (n % 2), 0, 3]);
      const { right, up, toward, scale } = view;
      const { target, distance } = view.eye!;
      const place = target.map((x) => x + random.between(-5, 5)) as [number, number, number];
      const dot = (axis: Vector) => axis.reduce((sum, x, k) => sum + x * (place[k]! - target[k]!), 0);
      const depth = distance - dot(toward);
      const at = bentPoint(view, place);
      if (depth < 1e-3 * distance) continue;
      // Half of the picture's height is the tangent at distance 1.
      expect((at![0]! * scale) / (HEIGHT / 2)).toBeCloseTo(dot(right) / depth / TANGENT, 6);
      expect((at![1]! * scale) / (HEIGHT / 2)).toBeCloseTo(dot(up) / depth / TANGENT, 6);
    }
    expect(bentPoint(front, [0, -11, 0])).toBeNull();
  });

  test('what is twice as far is half as wide, and at the target a unit has its pixels', () => {
    const { scale } = front;
    expect(scale).toBeCloseTo(HEIGHT / 2 / TANGENT / 10, 9);
    const area = (y: number) => coveredArea(pictureOf([{ surface: screen(y, -1, 1, -1, 1), paint: RED }]));
    expect(area(0) / (4 * scale * scale)).toBeCloseTo(1, 1);
    expect(area(10) / (scale * scale)).toBeCloseTo(1, 1);
    expect(area(-5) / (16 * scale * scale)).toBeCloseTo(1, 1);
  });

  test('z is up, x to the right, from the front; from straight above y is up', () => {
    const signs = (view: View, place: Vector) =>
      [...bentPoint(view, place)!].map((x) => Math.sign(Math.round(1e6 * x)));
    expect(signs(front, [1, 0, 1]).slice(0, 2)).toEqual([1, 1]);
    expect(signs(viewOf([0, 0, 10], [0, 0, 0]), [1, 1, 0]).slice(0, 2)).toEqual([1, 1]);
  });

  test('a pose moves a surface, and coordinates may be large', () => {
    const near = pictureOf([{ surface: icosphere(2), paint: RED }]);
    const far = viewOf([2 ** 20, -10, 0], [2 ** 20, 0, 0]);
    const moved = pictureOf([{ surface: icosphere(2), paint: RED, pose: translation(2 ** 20, 0, 0) }], far);
    expect(Buffer.compare(moved, near)).toBe(0);
  });
});

describe('what hides what', () => {
  test('of two screens that cross, each hides the other where it is nearer', () => {
    // Both lean: they cross in the plane x = 0, far from parallel to the picture.
    const lean = (slope: number): Surface => ({
      positions: Float64Array.of(-3, -3 * slope, -1, 3, 3 * slope, -1, 3, 3 * slope, 1, -3, -3 * slope, 1),
      triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
    });
    const rgba = pictureOf([
      { surface: lean(1), paint: RED },
      { surface: lean(-1), paint: BLUE },
    ]);
    for (const column of [62, 70, 78]) expect(isRed(pixel(rgba, column, 50))).toBe(true);
    for (const column of [81, 90, 98]) expect(isBlue(pixel(rgba, column, 50))).toBe(true);
  });

  test('a box is seen from within: no side of it is lost, and none that is behind the eye shows', () => {
    const rgba = pictureOf([{ surface: box(8), paint: RED }], viewOf([0.5, 0.25, 0.125], [1, 2, 0.5]));
    expect(coveredArea(rgba)).toBe(WIDTH * HEIGHT);
  });

  test('ground that goes on behind the eye ends at the horizon', () => {
    const [wide, z] = [1e9, -1];
    const positions = Float64Array.of(-wide, -wide, z, wide, -wide, z, wide, wide, z, -wide, wide, z);
    const ground = { positions, triangles: Uint32Array.of(0, 1, 2, 0, 2, 3) };
    const rgba = pictureOf([{ surface: ground, paint: RED }]);
    for (let column = 0; column < WIDTH; column += 7) {
      for (const row of [52, 70, 99]) expect(pixel(rgba, column, row)[3]).toBe(255);
      for (const row of [0, 30, 48]) expect(pixel(rgba, column, row)[3]).toBe(0);
    }
  });

  test('the rows of a picture are its bands', () => {
    const bodies: Body[] = [{ surface: icosphere(3), paint: RED }];
    const whole = pictureOf(bodies);
    const bands = [0, 32, 64, 96].map((top) => render(bodies, rowsOf(front, top, Math.min(32, HEIGHT - top))));
    const joined = Buffer.concat(bands);
    expect(joined).toHaveLength(whole.length);
    // A sample on an edge may fall to the other side.
    expect(whole.filter((value, i) => Math.abs(value - joined[i]!) > 1).length).toBeLessThan(whole.length / 500);
  });
});

describe('a half-space', () => {
  const kept: HalfSpace = { normal: [1, 0, 0], offset: 0.25 };

  test('leaves what it keeps', () => {
    const rgba = pictureOf([{ surface: icosphere(4), paint: RED }], { ...front, kept });
    const { scale } = front;
    // The rim that is nearest to the eye, and the sphere's own outline.
    const right = WIDTH / 2 + (2.5 / (10 - Math.sqrt(1 - 0.0625))) * scale;
    const left = WIDTH / 2 - (10 / Math.sqrt(99)) * scale;
    for (let column = 0; column < WIDTH; column++)
      if (Math.min(Math.abs(column + 0.5 - right), Math.abs(column + 0.5 - left)) > 1)
        expect(pixel(rgba, column, 50)[3]).toBe(column < right && column > left ? 255 : 0);
  });

  test('draws a line where it cuts', () => {
    const view = viewOf([10, 0, 0], [0.25, 0, 0]);
    const cut = { width: 2, paint: BLUE };
    const rgba = pictureOf([{ surface: icosphere(4), paint: RED, cut }], { ...view, kept });
    let blue = 0;
    for (let i = 0; i < WIDTH * HEIGHT; i++) if (isBlue([...rgba.subarray(4 * i, 4 * i + 4)])) blue++;
    // A circle two pixels wide, at what the eye looks at; its border's pixels are less than blue.
    const area = 2 * 2 * Math.PI * Math.sqrt(1 - 0.0625) * view.scale;
    expect(blue / area).toBeGreaterThan(0.7);
    expect(blue / area).toBeLessThan(1.3);
    const whole = pictureOf([{ surface: icosphere(4), paint: RED, cut }], view);
    for (let i = 0; i < WIDTH * HEIGHT; i++) expect(isBlue([...whole.subarray(4 * i, 4 * i + 4)])).toBe(false);
  });

  test('opens what is closed: the inside has its own paint', () => {
    const towards: HalfSpace = { normal: [0, -1, 0], offset: 0 };
    const ball: Body = { surface: icosphere(3), paint: RED, inside: BLUE };
    expect(isRed(pixel(pictureOf([ball]), 80, 50))).toBe(true);
    expect(isBlue(pixel(pictureOf([ball], { ...front, kept: towards }), 80, 50))).toBe(true);
  });

  test('cuts lines, which end at the eye, too', () => {
    const line = (...points: number[]): Body => ({ points, ends: [0, 1], width: 3, paint: RED });
    const whole = pictureOf([line(-3, 0, 0, 3, 0, 0)]);
    const part = pictureOf([line(-3, 0, 0, 3, 0, 0)], { ...front, kept });
    expect(isRed(pixel(whole, 60, 50))).toBe(true);
    expect(isRed(pixel(whole, 100, 50))).toBe(true);
    expect(isRed(pixel(part, 60, 50))).toBe(true);
    expect(pixel(part, 100, 50)[3]).toBe(0);
    expect(coveredArea(pictureOf([line(0, -20, 0, 0, -30, 0)]))).toBe(0);
    expect(coveredArea(pictureOf([line(0, -20, 1, 0, 20, 1)]))).toBeGreaterThan(0);
  });
});
