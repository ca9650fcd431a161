/** The pages of geometry images: the pixels that `info --png` draws, samples where the surface has them, and what stands where. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { build } from '../../src/index.ts';
import { resize } from '../../src/picture/canvas.ts';
import { drawGeometryImage } from '../../src/picture/geometry-image.ts';
import { chartOf, type GeometryImage, toMesh } from '../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset, sizeOf, treePixels, treeWidth } from '../../src/representations/gi/tree/grid.ts';
import { depthOf } from '../../src/representations/gi/tree/levels.ts';
import { pagesOf } from '../../src/viewer/gi-pages.ts';
import { hasSample, middleOf, nodeAt, nodeOfSample, rectangleOf, sampleAt } from '../../src/viewer/page-places.ts';
import type { Pages } from '../../src/viewer/protocol.ts';
import { gridOf } from '../../src/viewer/sample-grid.ts';
import { squareImage, squareOf, withSquare } from '../support/gi.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, icosphere, together, torus } from '../support/shapes.ts';

const one = build(icosphere(2), { size: 17 });
const several = build(together(torus(), box(0.2, 0.2, 0.2)), { size: 17 });
const kinds: [string, GeometryImage][] = [
  ['one chart', one],
  ['several charts', several],
  ['no normals', withSquare(one, { normals: null })],
];

/** A sheet of 2^exponent + 1 samples a side, far from the origin, its tree the pixels' numbers. */
function sheet(exponent: number): GeometryImage {
  const size = sizeOf(exponent);
  const geometry = new Uint16Array(3 * size * size);
  for (let v = 0; v < size * size; v++)
    geometry.set([(v % size) * 8, Math.floor(v / size) * 7, ((v % size) * Math.floor(v / size)) & 1023], 3 * v);
  const page = new Uint16Array(4 * treePixels(exponent));
  for (let i = 0; i < page.length; i++) page[i] = Math.imul(i, 2654435761) >>> 16;
  const tree = { page, radiusSteps: new Float64Array(exponent + 1).fill(0.5) };
  return squareImage({ exponent, geometry, tree, origin: Float64Array.of(1e6, -2e6, 3), step: 2 ** -10 });
}

const pageOf = ({ pages }: Pages, role: string) => pages.find((page) => page.role === role)!;

/** The middle of each pixel of a page in the picture that `info --png` makes, where the page shows something. */
function differences(image: GeometryImage, shown: Pages): number {
  const picture = drawGeometryImage(image);
  const panels = { geometry: [440, 20, 400], normals: [860, 20, 400], spheres: [1280, 20, 0], radii: [1280, 228, 0] };
  let different = 0;
  for (const { role, width, height, rgba } of shown.pages) {
    const [left, top, side] = panels[role];
    const isTree = side === 0;
    const scale = isTree
      ? image.charts === 1
        ? 288 / width
        : 192 / Math.max(width, height)
      : 400 / Math.max(width, height);
    for (let pixel = 0; pixel < width * height; pixel++) {
      if (rgba[4 * pixel + 3] === 0) continue;
      const x = left + Math.floor(((pixel % width) + 0.5) * scale);
      const y = top + Math.floor((Math.floor(pixel / width) + 0.5) * scale);
      for (let k = 0; k < 3; k++)
        if (picture.pixels[3 * (y * picture.width + x) + k] !== rgba[4 * pixel + k]) different++;
    }
  }
  return different;
}

describe.each(kinds)('%s', (_, image) => {
  const pages = pagesOf(image);

  test('the pixels are those of the picture', { tags: ['all'] }, () => {
    expect(differences(image, pages)).toBe(0);
    const roles = ['geometry', ...(image.groups[0].normals ? ['normals'] : []), 'spheres', 'radii'];
    expect(pages.pages.map(({ role }) => role)).toEqual(roles);
  });

  test('every pixel that shows a sample lies on its vertex of the surface', () => {
    const { positions } = toMesh(image);
    const firstOf: number[] = [];
    for (let chart = 0, first = 0; chart < image.charts; chart++) {
      firstOf.push(first);
      first += sizeOf(chartOf(image, chart).exponent) ** 2;
    }
    const { width, height, rgba } = pages.pages[0];
    let seen = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      expect(rgba[4 * pixel + 3] === 255).toBe(hasSample(pages, pixel));
      if (!hasSample(pages, pixel)) continue;
      seen++;
      const { chart, row, column } = sampleAt(pages, pixel % width, Math.floor(pixel / width));
      const vertex = firstOf[chart] + row * sizeOf(chartOf(image, chart).exponent) + column;
      for (let k = 0; k < 3; k++) {
        const q = (positions[3 * vertex + k] - image.origin[k]) / image.step;
        expect(pages.places[3 * pixel + k]).toBe(Math.fround(Math.round(q) * image.step));
      }
    }
    expect(seen).toBe(image.charts === 1 ? 17 * 17 : image.quads);
  });

  test('a node is found at its own pixels, on every page and level', () => {
    const { width } = pages.pages[0];
    for (let pixel = 0; pixel < pages.places.length / 3; pixel += 7) {
      if (!hasSample(pages, pixel)) continue;
      const [x, y] = [pixel % width, Math.floor(pixel / width)];
      for (let level = 0; level <= depthOf(image); level++) {
        const node = nodeOfSample(pages, x, y, level)!;
        const held = rectangleOf(pages, 'geometry', node);
        expect(x >= held.x && x < held.x + held.width && y >= held.y && y < held.y + held.height).toBe(true);
        const middle = middleOf(pages, node);
        expect(nodeOfSample(pages, middle.x, middle.y, level)).toEqual(node);
        const there = rectangleOf(pages, 'radii', node);
        if (image.charts === 1) expect(nodeAt(pages, there.x, there.y)).toEqual(node);
        else expect(there).toEqual(held);
      }
    }
  });
});

test('several charts: their roots are at the levels that the tree over them has', () => {
  const pages = pagesOf(several);
  const levels = Array.from({ length: several.charts }, (_, chart) => pages.charts[4 * chart + 3]);
  expect(Math.max(...levels)).toBe(several.roots.height);
  // A binary tree over them: Kraft's sum.
  expect(levels.reduce((sum, level) => sum + 2 ** -level, 0)).toBe(1);
});

test('no node: right of the smaller levels and below the last', () => {
  const pages = pagesOf(one);
  const radii = pageOf(pages, 'radii');
  const isSeen = Uint8Array.from({ length: radii.width * radii.height }, (_, pixel) => radii.rgba[4 * pixel + 3]);
  const nodes = new Set<number>();
  for (let level = 0; level <= 4; level++)
    for (let i = 0; i < 4 ** level; i++) nodes.add(nodeOffset(4, level, i >> level, i & ((1 << level) - 1)) / 4);
  expect(isSeen.filter((alpha) => alpha > 0).length).toBe(nodes.size);
  for (const pixel of nodes) expect(isSeen[pixel]).toBe(255);
});

test('of a large image every second sample is shown, and the levels above the leaves', {
  tags: ['all', 'long'],
}, () => {
  const exponent = long ? 12 : 11;
  const image = sheet(exponent);
  const pages = pagesOf(image);
  expect(pages.stride).toBe(2 ** (exponent - 10));
  const { geometry, tree } = squareOf(image);
  const { width, height, rgba } = pages.pages[0];
  expect([width, height]).toEqual([1025, 1025]);
  for (let pixel = 0; pixel < width * height; pixel += 4099) {
    const { row, column } = sampleAt(pages, pixel % width, Math.floor(pixel / width));
    const vertex = row * sizeOf(exponent) + column;
    for (let k = 0; k < 3; k++) {
      expect(rgba[4 * pixel + k]).toBe(geometry[3 * vertex + k] >> 8);
      expect(pages.places[3 * pixel + k]).toBe(Math.fround(geometry[3 * vertex + k] * image.step));
    }
  }
  const centres = pageOf(pages, 'spheres');
  expect([centres.width, centres.height]).toEqual([treeWidth(10), 1024]);
  for (const [level, row, column] of [
    [10, 1023, 7],
    [9, 100, 511],
    [3, 5, 2],
    [0, 0, 0],
  ]) {
    const at = rectangleOf(pages, 'spheres', { chart: 0, level, row, column });
    const from = nodeOffset(exponent, level, row, column);
    for (let k = 0; k < 3; k++)
      expect(centres.rgba[4 * (at.y * centres.width + at.x) + k]).toBe(tree.page[from + k] >> 8);
  }
  // A leaf stands in the pixel of the deepest node that is shown.
  const leaf = nodeOfSample(pages, 600, 300, exponent)!;
  expect(rectangleOf(pages, 'radii', leaf)).toMatchObject({ x: 600, y: 300 });
});

describe('the nearest sample', () => {
  const seed = 25051;

  test(`is the nearest of all, seed ${seed}`, () => {
    const { next: random } = seeded(seed);
    const places = Float32Array.from({ length: 3 * 4000 }, (_, i) => (i % 3 === 2 ? 0.05 : 1) * random());
    for (let at = 0; at < places.length; at += 3 * 17) places.fill(Number.NaN, at, at + 3);
    const grid = gridOf(places);
    for (let round = 0; round < 300; round++) {
      const from = [3 * random() - 1, 3 * random() - 1, random() - 0.5];
      const distance = (sample: number): number =>
        [0, 1, 2].reduce((sum, k) => sum + (places[3 * sample + k] - from[k]) ** 2, 0);
      let least = Number.POSITIVE_INFINITY;
      for (let sample = 0; sample < 4000; sample++) if (distance(sample) < least) least = distance(sample);
      expect(distance(grid.nearest(from[0], from[1], from[2]))).toBe(least);
    }
  });

  test(`of few samples, and of one place, seed ${seed}`, () => {
    expect(gridOf(new Float32Array()).nearest(0, 0, 0)).toBe(-1);
    expect(gridOf(new Float32Array(3).fill(Number.NaN)).nearest(0, 0, 0)).toBe(-1);
    expect(gridOf(new Float32Array(300).fill(2)).nearest(1, 5, 2)).toBe(0);
    const sample = fc.float({ min: -4, max: 4, noNaN: true });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 3, maxLength: 30 }), fc.tuple(sample, sample, sample), (flat, from) => {
        const places = Float32Array.from(flat.slice(0, flat.length - (flat.length % 3)));
        const squares = Array.from({ length: places.length / 3 }, (_, i) =>
          [0, 1, 2].reduce((sum, k) => sum + (places[3 * i + k] - from[k]) ** 2, 0),
        );
        expect(squares[gridOf(places).nearest(...from)]).toBe(Math.min(...squares));
      }),
      { seed },
    );
  });

  test('of a vertex of the surface is its own pixel, or one at the same place', () => {
    for (const image of [one, several]) {
      const pages = pagesOf(image);
      const { places } = pages;
      const grid = gridOf(places);
      for (let sample = 0; sample < places.length / 3; sample++) {
        if (!hasSample(pages, sample)) continue;
        const found = grid.nearest(places[3 * sample], places[3 * sample + 1], places[3 * sample + 2]);
        expect(places.subarray(3 * found, 3 * found + 3)).toEqual(places.subarray(3 * sample, 3 * sample + 3));
      }
    }
  });
});

test('a picture of the page resized is the panel itself', { tags: ['all'] }, () => {
  const { width, height, rgba } = pagesOf(one).pages[0];
  const rows = {
    width,
    height,
    read: (row: number, into: Uint8Array) => {
      for (let x = 0; x < width; x++) into.set(rgba.subarray(4 * (row * width + x), 4 * (row * width + x) + 3), 3 * x);
    },
  };
  const picture = drawGeometryImage(one);
  const panel = resize(rows, 400, 400);
  const line = (y: number) =>
    picture.pixels.subarray(3 * ((20 + y) * picture.width + 440), 3 * ((20 + y) * picture.width + 840));
  for (let y = 0; y < 400; y += 13) expect(Buffer.compare(line(y), panel.subarray(1200 * y, 1200 * (y + 1)))).toBe(0);
});
