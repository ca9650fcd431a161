/** The renderer against geometry: areas, coverage and depth by brute force, equal pictures. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translation } from '../../src/math/pose.ts';
import type { Vector, View } from '../../src/picture/perspective.ts';
import { type Body, frame, type Paint, render } from '../../src/picture/shade.ts';
import { long } from '../support/long.ts';
import { box, icosphere } from '../support/shapes.ts';

const seed = 20051;
const GREY: Paint = [180, 180, 180];
const PIXELS = 96;

const surfaceOf = (mesh: { positions: Float64Array; triangles: Uint32Array }, normals: Float32Array | null = null) =>
  ({ surface: mesh, normals, paint: GREY }) satisfies Body;
const ball = (x: number, y: number, z: number, radius: number, paint: Paint = GREY): Body => ({
  balls: Float64Array.of(x, y, z, radius),
  paint: () => paint,
});
/** How much of the picture is covered, pixels. */
const coveredArea = (rgba: Uint8Array): number => rgba.reduce((sum, a, i) => sum + (i % 4 === 3 ? a / 255 : 0), 0);
const pixel = (rgba: Uint8Array, column: number, row: number, pixels = PIXELS) =>
  Array.from(rgba.subarray(4 * (row * pixels + column), 4 * (row * pixels + column) + 4));
const largestDifference = (a: Uint8Array, b: Uint8Array): number =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), 0);

/** Looks along -z, y is up; a unit of the scene is a third of a pixel: one sample. */
const front = (pixels: number, scale = 1 / 3): View => ({
  right: [1, 0, 0],
  up: [0, 1, 0],
  toward: [0, 0, 1],
  middle: [0, 0],
  scale,
  pixels,
});

describe('silhouettes', () => {
  test('a ball covers the area of its disc, from anywhere', () => {
    for (const toward of [
      [0, 0, 1],
      [1, 2, 3],
      [-0.2, -0.9, 0.1],
    ] as Vector[]) {
      const bodies = [ball(5, -3, 2, 0.7)];
      const radius = (PIXELS * 0.94) / 2;
      const area = coveredArea(render(bodies, frame(bodies, toward, PIXELS)));
      expect(Math.abs(area / (Math.PI * radius * radius) - 1)).toBeLessThan(2e-3);
    }
  });

  test('a box from its corner covers its hexagon', () => {
    const bodies = [surfaceOf(box())];
    const view = frame(bodies, [1, 1, 1], PIXELS);
    // A unit cube along its diagonal: a regular hexagon of area sqrt(3).
    expect(coveredArea(render(bodies, view)) / view.scale ** 2).toBeCloseTo(Math.sqrt(3), 2);
  });

  test('frame leaves the margin free and no more', { tags: ['quick', 'long'] }, () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }), fc.integer({ min: 1, max: 9 })),
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 9, maxLength: 9 }),
        fc.integer({ min: 5, max: 40 }),
        (toward, centres, radius) => {
          const bodies = [0, 3, 6].map((i) => ball(centres[i], centres[i + 1], centres[i + 2], radius));
          const pixels = 100;
          const rgba = render(bodies, frame(bodies, toward, pixels));
          const [columns, rows] = [new Set<number>(), new Set<number>()];
          for (let i = 0; i < pixels * pixels; i++) {
            if (rgba[4 * i + 3] > 0) {
              columns.add(i % pixels);
              rows.add(Math.floor(i / pixels));
            }
          }
          for (const seen of [columns, rows]) {
            expect(Math.min(...seen)).toBeGreaterThanOrEqual(3);
            expect(Math.max(...seen)).toBeLessThan(pixels - 3);
          }
          const spans = [columns, rows].map((seen) => Math.max(...seen) - Math.min(...seen) + 1);
          expect(Math.max(...spans)).toBeGreaterThanOrEqual(pixels - 6 - 2);
        },
      ),
      { seed, numRuns: long ? 50 : 25 },
    );
  });

  test('nothing, a point, and what is not a number are pictures too', () => {
    const bodies: Body[] = [
      ball(1, 1, 1, 0),
      surfaceOf({ positions: new Float64Array(9), triangles: Uint32Array.of(0, 1, 2) }),
    ];
    expect(coveredArea(render([], frame([], [0, 0, 1], 8)))).toBe(0);
    expect(coveredArea(render(bodies, frame(bodies, [0, 0, 1], 8)))).toBe(0);
    for (const bad of [Number.NaN, Infinity, 1e308]) {
      const odd = [ball(bad, 0, 0, 1), ball(0, 0, 0, bad), ball(0, bad, -bad, bad)];
      expect(render(odd, frame(odd, [1, 1, 1], 8))).toHaveLength(256);
    }
  });
});

describe('coverage and depth', () => {
  /** Corners on the renderer's own raster of 1/256 sample: brute force decides exactly there. */
  const coordinate = fc.integer({ min: -256 * 9, max: 256 * 9 }).map((k) => k / 256);
  const corner = fc.tuple(coordinate, coordinate, fc.integer({ min: -40, max: 40 }));

  test('triangles cover the samples that they hold, and the nearest is seen', { tags: ['quick', 'long'] }, () => {
    const paints: Paint[] = [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ];
    fc.assert(
      fc.property(fc.array(corner, { minLength: 9, maxLength: 9 }), (corners) => {
        const bodies = paints.map((paint, t): Body => {
          const positions = Float64Array.from(corners.slice(3 * t, 3 * t + 3).flat());
          return { surface: { positions, triangles: Uint32Array.of(0, 1, 2) }, normals: null, paint };
        });
        const pixels = 4;
        const rgba = render(bodies, front(pixels));
        for (let i = 0; i < pixels * pixels; i++) {
          let covered = 0;
          const seen = new Set<number>();
          for (let k = 0; k < 9; k++) {
            const x = 3 * (i % pixels) + (k % 3) + 0.5 - 6;
            const y = 6 - (3 * Math.floor(i / pixels) + Math.floor(k / 3) + 0.5);
            const depths = paints.map((_, t) => depthAt(corners.slice(3 * t, 3 * t + 3), x, y));
            const nearest = Math.max(...depths);
            if (nearest === -Infinity) continue;
            covered++;
            depths.forEach((z, t) => {
              if (z > nearest - 1e-4) seen.add(t);
            });
          }
          const shown = pixel(rgba, i % pixels, Math.floor(i / pixels), pixels);
          expect(shown[3]).toBe(Math.round((255 * covered) / 9));
          // Gloss is white and weak; where one triangle alone is seen, its channel leads.
          if (seen.size === 1) expect(shown.slice(0, 3).indexOf(Math.max(...shown.slice(0, 3)))).toBe([...seen][0]);
        }
      }),
      { seed, numRuns: long ? 200 : 100 },
    );
  });

  /** The height of a triangle over (x, y), or -Infinity. All but the last division is exact. */
  function depthAt([a, b, c]: number[][], x: number, y: number): number {
    const cross = (p: number[], q: number[]) => (p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x);
    const [wa, wb, wc] = [cross(b, c), cross(c, a), cross(a, b)];
    const area = wa + wb + wc;
    if (area === 0 || wa * area < 0 || wb * area < 0 || wc * area < 0) return -Infinity;
    return (wa * a[2] + wb * b[2] + wc * c[2]) / area;
  }

  test('neighbouring triangles leave no gap', () => {
    const sphere = icosphere(4);
    for (const toward of [
      [0, 0, 1],
      [1, 0.3, 0.2],
      [0.3, -0.7, 1],
    ] as Vector[]) {
      const bodies = [surfaceOf(sphere)];
      const rgba = render(bodies, frame(bodies, toward, PIXELS));
      const inside = (i: number) => Math.hypot((i % PIXELS) - 47.5, Math.floor(i / PIXELS) - 47.5) < 0.46 * PIXELS;
      const gaps = Array.from({ length: PIXELS * PIXELS }, (_, i) => i).filter(
        (i) => inside(i) && rgba[4 * i + 3] !== 255,
      );
      expect(gaps).toEqual([]);
    }
  });

  test('a sample on an edge or a corner is covered', () => {
    // Samples lie at halves: the square's diagonal runs through them, and the fan's middle is one.
    const positions = Float64Array.of(-4.5, -4.5, 0, 4.5, -4.5, 0, 4.5, 4.5, 0, -4.5, 4.5, 0, 0.5, 0.5, 0);
    for (const corners of [
      [0, 1, 2, 0, 2, 3],
      [0, 1, 3, 1, 2, 3],
      [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4],
    ]) {
      const rgba = render([surfaceOf({ positions, triangles: Uint32Array.from(corners) })], front(4));
      // 10 by 10 samples in all; the four pixels in the middle hold 36 of them.
      expect(coveredArea(rgba)).toBeCloseTo(100 / 9, 1);
      for (const [column, row] of [
        [1, 1],
        [1, 2],
        [2, 1],
        [2, 2],
      ])
        expect(pixel(rgba, column, row, 4)[3]).toBe(255);
    }
  });

  test('a near ball hides a far one, whichever is drawn first', () => {
    const near = ball(0, 0, 30, 20, [255, 0, 0]);
    const far = ball(0, 0, -30, 40, [0, 0, 255]);
    const pictures = [render([near, far], front(PIXELS)), render([far, near], front(PIXELS))];
    expect(pictures[0]).toEqual(pictures[1]);
    const [red, , blue] = pixel(pictures[0], 48, 48);
    expect(red).toBeGreaterThan(2 * blue);
  });

  test('a line is seen in front of a surface and not behind it', () => {
    const sphere = surfaceOf(icosphere(4));
    const line = (z: number): Body => ({ points: [-0.5, 0, z, 0.5, 0, z], ends: [0, 1], width: 2, paint: [255, 0, 0] });
    const without = render([sphere], front(PIXELS, 40));
    expect(render([sphere, line(-1.2)], front(PIXELS, 40))).toEqual(without);
    expect(pixel(render([sphere, line(1.2)], front(PIXELS, 40)), 48, 48)).toEqual([255, 0, 0, 255]);
    const square = Float64Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0);
    const ground = surfaceOf({ positions: square, triangles: Uint32Array.of(0, 1, 2, 0, 2, 3) });
    expect(pixel(render([ground, line(0)], front(PIXELS, 40)), 48, 48)).toEqual([255, 0, 0, 255]);
    // 40 pixels long, 2 wide, with round ends.
    expect(coveredArea(render([line(0)], front(PIXELS, 40)))).toBeCloseTo(80 + Math.PI, -0.5);
  });
});

describe('shading', () => {
  const fine = icosphere(5);
  /** On the unit sphere, positions are normals. */
  const smooth = surfaceOf(fine, Float32Array.from(fine.positions));

  test('a mesh with a ball’s normals looks like the ball', () => {
    const exact = render([ball(0, 0, 0, 1)], front(PIXELS, 40));
    for (const toward of [
      [0, 0, 1],
      [1, 1, 1],
      [-3, 1, 0.2],
    ] as Vector[]) {
      const { right, up, toward: unit } = frame([], toward, PIXELS);
      // Flat triangles of this mesh are at most three degrees off: seen where the light grazes.
      for (const [body, tolerance] of [
        [smooth, 6],
        [surfaceOf(fine), 40],
      ] as const) {
        let [compared, worst] = [0, 0];
        const mesh = render([body], { ...front(PIXELS, 40), right, up, toward: unit });
        for (let i = 0; i < PIXELS * PIXELS; i++) {
          if (mesh[4 * i + 3] !== 255 || exact[4 * i + 3] !== 255) continue;
          compared++;
          for (let k = 0; k < 3; k++) worst = Math.max(worst, Math.abs(mesh[4 * i + k] - exact[4 * i + k]));
        }
        expect(compared).toBeGreaterThan(4000);
        expect(worst).toBeLessThanOrEqual(tolerance);
      }
    }
  });

  test('light comes with the viewer: a ball looks the same from everywhere', () => {
    const bodies = [ball(0, 0, 0, 1)];
    const expected = render(bodies, frame(bodies, [0, 0, 1], PIXELS));
    for (const toward of [
      [1, 1, 1],
      [-3, 1, 0.2],
      [0.1, -2, -1],
    ] as Vector[]) {
      expect(largestDifference(render(bodies, frame(bodies, toward, PIXELS)), expected)).toBeLessThanOrEqual(1);
    }
  });

  test('the key light comes from the upper left', () => {
    const rgba = render([ball(0, 0, 0, 1)], front(PIXELS, 40));
    const brightness = (x: number, y: number) => pixel(rgba, Math.round(47.5 + 30 * x), Math.round(47.5 - 30 * y))[0];
    expect(brightness(-0.6, 0.7)).toBeGreaterThan(brightness(0.6, 0.7));
    expect(brightness(-0.6, 0.7)).toBeGreaterThan(brightness(-0.6, -0.7));
    expect(brightness(0.6, -0.7)).toBeLessThan(0.7 * brightness(-0.6, 0.7));
  });

  test('a triangle from behind is lit as its other side', () => {
    const flipped = {
      positions: fine.positions,
      triangles: fine.triangles.map((_, i, t) => t[3 * ((i / 3) | 0) + [0, 2, 1][i % 3]]),
    };
    const inward = surfaceOf(
      flipped,
      Float32Array.from(fine.positions, (x) => -x),
    );
    expect(
      largestDifference(render([inward], front(PIXELS, 40)), render([smooth], front(PIXELS, 40))),
    ).toBeLessThanOrEqual(1);
  });

  test('without normals, or where they are zero, a triangle is flat', () => {
    const cube = box();
    const flat = render([surfaceOf(cube)], front(PIXELS, 60));
    expect(render([surfaceOf(cube, new Float32Array(cube.positions.length))], front(PIXELS, 60))).toEqual(flat);
    const colours = new Set<string>();
    for (let i = 0; i < flat.length; i += 4) if (flat[i + 3] === 255) colours.add(flat.slice(i, i + 3).join());
    expect(colours.size).toBe(1);
  });
});

test('a pose moves surfaces and lines, and a dot has its radius in pixels', () => {
  const pose = translation(8, -4, 2);
  const moved = (mesh: { positions: Float64Array }): Float64Array =>
    mesh.positions.map((x, i) => x + [8, -4, 2][i % 3]);
  const mesh = icosphere(2);
  const line = { points: mesh.positions, ends: [0, 5, 5, 9], width: 3, paint: GREY };
  const posed: Body[] = [
    { surface: mesh, paint: GREY, pose },
    { ...line, pose },
  ];
  const placed: Body[] = [
    { surface: { ...mesh, positions: moved(mesh) }, paint: GREY },
    { ...line, points: moved(mesh) },
  ];
  const view = frame(posed, [1, 2, 3], PIXELS);
  expect(view).toEqual(frame(placed, [1, 2, 3], PIXELS));
  expect(Buffer.compare(render(posed, view), render(placed, view))).toBe(0);
  for (const scale of [0.01, 100]) {
    const dot: Body = { dots: [0, 0, 0], radius: 10, paint: GREY };
    expect(coveredArea(render([dot], front(PIXELS, scale))) / (100 * Math.PI)).toBeCloseTo(1, 2);
  }
});

test('a half-space cuts what is seen from far away, too', () => {
  const kept = { normal: [1, 0, 0], offset: 0 } as const;
  const body: Body = { surface: icosphere(4), paint: [255, 0, 0], inside: [0, 0, 255] };
  const area = (view: View): number => coveredArea(render([body], view));
  expect(area({ ...front(PIXELS, 40), kept }) / area(front(PIXELS, 40))).toBeCloseTo(0.5, 2);
  const opened = frame([body], [1, 0, 0.001], PIXELS);
  const [red, , blue] = pixel(render([body], { ...opened, kept }), 48, 48);
  expect(blue).toBeGreaterThan(2 * red);
});

test('a scaled and shifted scene gives the same picture', () => {
  const mesh = icosphere(2);
  const moved = { ...mesh, positions: mesh.positions.map((x) => 1024 * (x + 8)) };
  const [a, b] = [[surfaceOf(mesh)], [surfaceOf(moved)]].map((bodies) =>
    render(bodies, frame(bodies, [1, 2, 3], PIXELS)),
  );
  // A sample on an edge may fall to the other side: at most a ninth of a pixel's colour.
  expect(a.filter((value, i) => Math.abs(value - b[i]) > 1).length).toBeLessThan(a.length / 500);
});

test('the same bytes on any machine', () => {
  const line: Body = { points: [-1, 1, 1, 1, -1, 1], ends: [0, 1], width: 1.5, paint: [200, 30, 30] };
  const bodies = [surfaceOf(icosphere(2)), ball(0.5, 0.5, 0.5, 0.6, [10, 90, 200]), line];
  const rgba = render(bodies, frame(bodies, [0.55, 0.42, 1], PIXELS));
  expect(createHash('sha256').update(rgba).digest('hex')).toBe(
    '1645c1c27d03d3d5310c213cd861b0f34849e73d37a415917523c51a1a12519b',
  );
});
