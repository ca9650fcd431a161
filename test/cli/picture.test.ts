/** `gicollide info --png`: what is drawn where, held against the image's own samples, and the command as a user runs it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { build, write } from '../../src/index.ts';
import { Canvas, resize } from '../../src/picture/canvas.ts';
import { drawGeometryImage } from '../../src/picture/geometry-image.ts';
import { drawable, drawText, strokesOf } from '../../src/picture/text.ts';
import type { GeometryImage } from '../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset, treeHeight, treeWidth } from '../../src/representations/gi/tree/grid.ts';
import { expectFailure, listFiles, makeFolder, run } from '../support/cli.ts';
import { squareOf, withSquare } from '../support/gi.ts';
import { long, some } from '../support/long.ts';
import { box, icosphere } from '../support/shapes.ts';

const seed = 20052;
const image = build(icosphere(2), { size: 17 });
const colourAt = ({ pixels, width }: Canvas, column: number, row: number): number[] =>
  Array.from(pixels.subarray(3 * (row * width + column), 3 * (row * width + column) + 3));

/** Where the panels stand: [left, top, width, height]. */
const SURFACE = [20, 20, 400, 400] as const;
const GEOMETRY = [440, 20, 400, 400] as const;
const NORMALS = [860, 20, 400, 400] as const;
const CENTRES = [1280, 20, 288, 192] as const;
const RADII = [1280, 228, 288, 192] as const;

/** The colour in the middle of cell (row, column) of a panel that is `columns` by `rows` cells. */
function cell(picture: Canvas, panel: readonly number[], columns: number, rows: number, row: number, column: number) {
  const x = panel[0] + Math.floor(((column + 0.5) * panel[2]) / columns);
  return colourAt(picture, x, panel[1] + Math.floor(((row + 0.5) * panel[3]) / rows));
}

/** The bytes of a panel, three a pixel. */
function crop({ pixels, width: whole }: Canvas, [left, top, width, height]: readonly number[]): Buffer {
  const rows = Array.from({ length: height }, (_, row) => {
    const first = 3 * ((top + row) * whole + left);
    return pixels.subarray(first, first + 3 * width);
  });
  return Buffer.concat(rows);
}

/** How many pixels of a panel are such. */
function count(picture: Canvas, panel: readonly number[], such: (r: number, g: number, b: number) => boolean): number {
  const bytes = crop(picture, panel);
  let found = 0;
  for (let i = 0; i < bytes.length; i += 3) if (such(bytes[i], bytes[i + 1], bytes[i + 2])) found++;
  return found;
}

/** Equal or not, without the printed difference of a million numbers. */
const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** A wavy sheet, 2^n + 1 samples a side, without normals, its tree left empty. */
function sheet(exponent: number): GeometryImage {
  const size = (1 << exponent) + 1;
  const geometry = new Uint16Array(3 * size * size);
  for (let v = 0; v < size * size; v++) {
    const x = (v % size) / (size - 1);
    const z = Math.floor(v / size) / (size - 1);
    geometry.set([65535 * x, 20000 + 30000 * x * (1 - x) + 30000 * z * z, 65535 * z], 3 * v);
  }
  const page = new Uint16Array(4 * treeWidth(exponent) * treeHeight(exponent));
  const tree = { page, radiusSteps: new Float64Array(exponent + 1) };
  return withSquare(image, { exponent, geometry, normals: null, tree });
}

const picture = drawGeometryImage(image);
const levelTwo = drawGeometryImage(image, 2);

describe('the panels', () => {
  test('geometry and normals show the samples’ upper bytes, each where it is', { tags: ['all'] }, () => {
    for (const [panel, page] of [
      [GEOMETRY, squareOf(image).geometry],
      [NORMALS, squareOf(image).normals as Uint16Array],
    ] as const) {
      const shown = Array.from({ length: 17 * 17 }, (_, v) => cell(picture, panel, 17, 17, Math.floor(v / 17), v % 17));
      expect(shown.flat()).toEqual(Array.from(page, (q) => q >> 8));
    }
  });

  test('the tree’s page shows every node where the page holds it, and what lies beside is left empty', {
    tags: ['all'],
  }, () => {
    const { page } = squareOf(image).tree;
    const nodes = new Set<number>();
    for (let level = 0; level <= 4; level++) {
      for (let i = 0; i < 4 ** level; i++) nodes.add(nodeOffset(4, level, i >> level, i & ((1 << level) - 1)));
    }
    for (let pixel = 0; pixel < 24 * 16; pixel++) {
      const [row, column] = [Math.floor(pixel / 24), pixel % 24];
      const expected = nodes.has(4 * pixel)
        ? Array.from(page.subarray(4 * pixel, 4 * pixel + 3), (q) => q >> 8)
        : [236, 237, 240];
      expect(cell(picture, CENTRES, 24, 16, row, column)).toEqual(expected);
      const [r, g, b] = cell(picture, RADII, 24, 16, row, column);
      if (nodes.has(4 * pixel)) expect([g, b]).toEqual([r, r]);
      else expect([r, g, b]).toEqual([236, 237, 240]);
    }
  });

  test.each(['tight', 'seed'] as const)(
    'radii, %s: larger spheres of a level are brighter, and levels become brighter towards the root',
    {
      tags: ['all'],
    },
    (spheres) => {
      const uneven = build(box(1, 0.2, 3), { size: 33, charts: 'one', spheres });
      const drawn = drawGeometryImage(uneven);
      const { tree } = squareOf(uneven);
      const means: number[] = [];
      const all: { alpha: number; grey: number }[] = [];
      for (let level = 0; level <= 5; level++) {
        const shown = Array.from({ length: 4 ** level }, (_, i) => {
          const offset = nodeOffset(5, level, i >> level, i & ((1 << level) - 1));
          const pixel = offset / 4;
          return {
            alpha: tree.page[offset + 3],
            grey: cell(drawn, RADII, 48, 32, Math.floor(pixel / 48), pixel % 48)[0],
          };
        }).sort((p, q) => p.alpha - q.alpha);
        expect(shown.filter(({ grey }, i) => i > 0 && grey < shown[i - 1].grey)).toEqual([]);
        means.push(shown.reduce((sum, { grey }) => sum + grey, 0) / shown.length);
        all.push(...shown);
      }
      for (let level = 1; level <= 5; level++) expect(means[level]).toBeLessThan(means[level - 1]);
      if (spheres === 'tight') return;
      // On one scale a gray tells a radius, whatever the level.
      all.sort((p, q) => p.alpha - q.alpha);
      expect(all.filter(({ grey }, i) => i > 0 && grey < all[i - 1].grey)).toEqual([]);
    },
  );

  test('the surface fills its panel, on white', { tags: ['all'] }, () => {
    expect(colourAt(picture, SURFACE[0], SURFACE[1])).toEqual([255, 255, 255]);
    const covered = count(picture, SURFACE, (r, g, b) => r + g + b < 765);
    // A ball of 94 % of the panel's height, drawn with 17 by 17 samples.
    expect(covered / (Math.PI * 188 ** 2)).toBeGreaterThan(0.9);
    expect(covered / (Math.PI * 188 ** 2)).toBeLessThan(1.02);
  });

  test('the sides of the square are red', { tags: ['all'] }, () => {
    const red = count(drawGeometryImage(sheet(4)), SURFACE, (r, g, b) => r > 180 && g < 100 && b < 80);
    // Four sides of 200 to 400 pixels, where nothing is in front of them, a pixel or two wide.
    expect(red).toBeGreaterThan(600);
    expect(red).toBeLessThan(3200);
  });

  test('the picture does not depend on where the model lies and how large it is', { tags: ['all'] }, () => {
    const { page, radiusSteps } = squareOf(image).tree;
    const scaled = withSquare(image, {
      origin: Float64Array.of(1e9, -1e-9, 3),
      step: image.step * 2 ** 40,
      tree: { page, radiusSteps: radiusSteps.map((step) => step * 2 ** 40) },
    });
    expect(same(drawGeometryImage(scaled, 2).pixels, levelTwo.pixels)).toBe(true);
  });

  test('without normals there is no such panel, and the triangles are flat', { tags: ['all'] }, () => {
    const plain = drawGeometryImage(withSquare(image, { normals: null }));
    expect(count(plain, NORMALS, (r, g, b) => r === 236 && g === 237 && b === 240)).toBe(400 * 400);
    expect(same(crop(plain, SURFACE), crop(picture, SURFACE))).toBe(false);
  });

  test('equal images give equal pixels', { tags: ['all', 'long'] }, () => {
    expect(same(drawGeometryImage(build(icosphere(2), { size: 17 })).pixels, picture.pixels)).toBe(true);
    // Of a level another process says so, below.
    if (long) expect(same(drawGeometryImage(image, 3).pixels, drawGeometryImage(image, 3).pixels)).toBe(true);
  });

  test('a large image is drawn from fewer samples, and looks the same', { tags: ['long'] }, () => {
    const [fine, finest] = (long ? [10, 11] : [8, 9]).map((exponent) =>
      crop(drawGeometryImage(sheet(exponent)), SURFACE),
    );
    let different = 0;
    for (let i = 0; i < fine.length; i++) if (Math.abs(fine[i] - finest[i]) > 8) different++;
    expect(different).toBeLessThan(0.001 * fine.length);
  });
});

describe('the spheres of a level', () => {
  test('cover all of the surface and colour it', { tags: ['all', 'long'] }, () => {
    const bare = picture;
    // The surface alone is grey; where quarters of different colours meet, two of them may mix to grey.
    const isGrey = (r: number, g: number, b: number) => r < 200 && Math.max(r, g, b) - Math.min(r, g, b) < 24;
    expect(count(bare, SURFACE, isGrey)).toBeGreaterThan(30_000);
    for (const level of some(1, [2, 4, 0, 1, 3])) {
      const drawn = level === 2 ? levelTwo : drawGeometryImage(image, level);
      expect(count(drawn, SURFACE, isGrey)).toBeLessThan(400);
      for (const panel of [GEOMETRY, NORMALS, CENTRES, RADII]) {
        expect(same(crop(drawn, panel), crop(bare, panel))).toBe(true);
      }
    }
  });

  test('are refused where there are none', { tags: ['all'] }, () => {
    for (const level of [5, -1, 0.5]) {
      expect(() => drawGeometryImage(image, level)).toThrow(`level ${level}: this image has the levels 0 to 4`);
    }
  });
});

describe('resize', () => {
  const sizes = fc.record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    to: fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 })),
    seed: fc.nat(),
  });
  const rowsOf = (pixels: Uint8Array, width: number, height: number) => ({
    width,
    height,
    read: (row: number, into: Uint8Array) => into.set(pixels.subarray(3 * row * width, 3 * (row + 1) * width)),
  });
  const mean = (pixels: Uint8Array): number => pixels.reduce((sum, value) => sum + value, 0) / pixels.length;

  test('keeps the mean, stays within what it covers, and gives itself at its own size', {
    tags: ['all', 'long'],
  }, () => {
    fc.assert(
      fc.property(sizes, ({ width, height, to, seed }) => {
        const pixels = Uint8Array.from({ length: 3 * width * height }, (_, i) => ((i + 1) * (seed | 1)) % 251);
        const source = rowsOf(pixels, width, height);
        const resized = resize(source, ...to);
        expect(resized).toHaveLength(3 * to[0] * to[1]);
        expect(Math.abs(mean(resized) - mean(pixels))).toBeLessThanOrEqual(0.5);
        expect(Math.max(...resized)).toBeLessThanOrEqual(Math.max(...pixels));
        expect(Math.min(...resized)).toBeGreaterThanOrEqual(Math.min(...pixels));
        expect(resize(source, width, height)).toEqual(pixels);
        const enlarged = resize(rowsOf(resize(source, 2 * width, 3 * height), 2 * width, 3 * height), width, height);
        expect(enlarged).toEqual(pixels);
      }),
      { seed, numRuns: long ? 67 : 30 },
    );
  });
});

describe('letters', { tags: ['all'] }, () => {
  test('every letter and digit has strokes of its own, within its height', () => {
    const shapes = new Set<string>();
    const small = 'abcdefghijklmnopqrstuvwxyz';
    const letters = `${small}${small.toUpperCase()}0123456789.,:-_/()[]+=#'!*<>|~%\ufffd`;
    for (const letter of letters) {
      const { pieces, width } = strokesOf(letter);
      shapes.add(pieces.join());
      for (let i = 0; i < pieces.length; i += 2) {
        expect(pieces[i]).toBeGreaterThanOrEqual(0);
        expect(pieces[i]).toBeLessThanOrEqual(width + 1e-9);
        expect(pieces[i + 1]).toBeGreaterThanOrEqual(-3);
        expect(pieces[i + 1]).toBeLessThanOrEqual(10);
      }
    }
    expect(shapes.size).toBe(letters.length);
    expect(() => strokesOf('é')).toThrow('no glyph');
    expect(drawable('Wände 3/梁\u{1f40e}\n')).toBe('Wande 3/\ufffd\ufffd\ufffd');
    expect(drawable('toString')).toBe('toString');
  });

  test('a stem is as wide and as tall as it says, and stands on its baseline', () => {
    const canvas = new Canvas(40, 60);
    drawText(canvas, 'l', { x: 20, baseline: 50, unit: 4, weight: 4, paint: [0, 0, 0] });
    const ink = canvas.pixels.reduce((sum, value) => sum + (255 - value) / 255 / 3, 0);
    expect(ink).toBeCloseTo(4 * 40 + 4 * Math.PI, -0.7);
    expect(colourAt(canvas, 20, 30)).toEqual([0, 0, 0]);
    expect(colourAt(canvas, 20, 53)).toEqual([255, 255, 255]);
  });
});

describe('the command', () => {
  const cwd = makeFolder();
  beforeAll(async () => {
    writeFileSync(join(cwd, 'box.tiff'), await write(build(box(), { size: 17 })));
    writeFileSync(join(cwd, 'ball.tiff'), await write(image));
    mkdirSync(join(cwd, 'folder'));
  });

  test('writes a PNG of the picture and says what it says without', { tags: ['all', 'long'] }, async () => {
    const args = ['info', 'ball.tiff', '--png', 'made/ball.png', ...(long ? [] : ['--level', '2'])];
    const { code, stdout, stderr } = await run(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe((await run(['info', 'ball.tiff'], { cwd })).stdout);
    const { format, width, height } = await sharp(join(cwd, 'made/ball.png')).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', width: 1588, height: 520 });
    expect(listFiles(cwd)).toEqual(['ball.tiff', 'box.tiff', 'made/ball.png']);
    const shown = await sharp(join(cwd, 'made/ball.png')).raw().toBuffer();
    expect(same(shown, (long ? picture : levelTwo).pixels)).toBe(true);
  });

  test('a level’s pixels are those of the drawing, too', { tags: ['long'] }, async () => {
    const args = ['info', 'ball.tiff', '--json', '--png', 'ball.png', '--level', '2'];
    expect((await run(args, { cwd })).code).toBe(0);
    expect(same(await sharp(join(cwd, 'ball.png')).raw().toBuffer(), levelTwo.pixels)).toBe(true);
  });

  test('draws a plain geometry image, whose tree is built on loading', { tags: ['all', 'long'] }, async () => {
    const page = { width: 17, height: 17, channels: 3, samples: squareOf(image).geometry } as const;
    writeFileSync(join(cwd, 'plain.tiff'), await sharpCodec.encode(page, 'lzw'));
    expect(
      (await run(['info', 'plain.tiff', '--png', 'plain.png', ...(long ? ['--level', '1'] : [])], { cwd })).code,
    ).toBe(0);
    expect((await sharp(join(cwd, 'plain.png')).metadata()).width).toBe(1588);
  });

  test.each(
    some<[string, string[], RegExp]>(2, [
      ['the input', ['--png', './box.tiff'], /^\.\/box\.tiff: would overwrite the input$/],
      ['a folder', ['--png', 'folder'], /^folder: expected a name for the PNG file, found a folder$/],
      ['a folder that is not there', ['--png', 'new/'], /^new\/: expected a name for the PNG file, found a folder$/],
      ['a file where a folder should be', ['--png', 'box.tiff/x.png'], /^box\.tiff\/x\.png: /],
      ['no name', ['--png', ''], /^--png: expected a name for the PNG file, found nothing$/],
      ['a level that is not there', ['--png', 'x.png', '--level', '5'], /^level 5: this image has the levels 0 to \d$/],
      ['half a level', ['--png', 'x.png', '--level', '1.5'], /--level/],
      ['a level without a picture', ['--level', '1'], /^--level: .*--png/],
    ]),
  )('refuses %s in one line', { tags: ['all', 'long'] }, async (_, args, line) => {
    const before = readFileSync(join(cwd, 'box.tiff'));
    expectFailure(await run(['info', 'box.tiff', ...args], { cwd }), line);
    expect(readFileSync(join(cwd, 'box.tiff'))).toEqual(before);
    for (const name of ['x.png', 'new']) expect(existsSync(join(cwd, name))).toBe(false);
  });

  test('leaves the old picture where the asset cannot be read', { tags: ['all'] }, async () => {
    writeFileSync(join(cwd, 'bad.tiff'), readFileSync(join(cwd, 'box.tiff')).subarray(0, 300));
    writeFileSync(join(cwd, 'old.png'), 'old');
    expectFailure(await run(['info', 'bad.tiff', '--png', 'old.png'], { cwd }), /^bad\.tiff: /);
    expect(readFileSync(join(cwd, 'old.png'), 'utf8')).toBe('old');
  });
});
