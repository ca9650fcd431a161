/** Geometry images in small tiles, made of formulas: files in which a search enters some tiles and not others. */
import sharp from 'sharp';
import type { PixelCodec } from '../../src/containers/pixels.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { encodeGeometryImage } from '../../src/representations/gi/format/codec.ts';
import type { PageRole } from '../../src/representations/gi/format/pages.ts';
import {
  assembleImage,
  type ChartGroup,
  type GeometryImage,
} from '../../src/representations/gi/tree/geometry-image.ts';
import { type Grid, sizeOf } from '../../src/representations/gi/tree/grid.ts';
import { buildSphereTrees } from '../../src/representations/gi/tree/sphere-tree.ts';

const GRID: Grid = { origin: Float64Array.of(-1.1, -1.1, -1.1), step: 2.2 / 65535 };

/** A part of a bumpy ball: directions by an octahedral map of the square from (left, top), `extent` wide. */
function sampleBall(exponent: number, left: number, top: number, extent: number, bumps: number): Uint16Array {
  const size = sizeOf(exponent);
  const samples = new Uint16Array(3 * size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let u = 2 * (left + (extent * column) / (size - 1)) - 1;
      let v = 2 * (top + (extent * row) / (size - 1)) - 1;
      const w = 1 - Math.abs(u) - Math.abs(v);
      if (w < 0) [u, v] = [(1 - Math.abs(v)) * Math.sign(u), (1 - Math.abs(u)) * Math.sign(v)];
      const length = Math.sqrt(u * u + v * v + w * w);
      const radius = 0.8 + 0.15 * Math.sin(bumps * (u - v)) * Math.cos(bumps * (v + w));
      [u, v, w].forEach((x, k) => {
        const at = GRID.origin[k];
        samples[3 * (row * size + column) + k] = Math.round(((radius * x) / length - at) / GRID.step);
      });
    }
  }
  return samples;
}

function groupOf(exponent: number, charts: readonly Uint16Array[]): ChartGroup {
  const geometry = new Uint16Array(charts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chart of charts) {
    geometry.set(chart, at);
    at += chart.length;
  }
  const count = charts.length;
  const tree = buildSphereTrees(geometry, exponent, count, GRID);
  return { exponent, count, geometry, normals: null, tree, deviation: null };
}

const HEADER = { tool: 'test', source: null, units: null, options: {} };

/** A ball in one chart. */
export function ballImage(exponent: number, bumps: number): GeometryImage {
  return assembleImage(GRID, [groupOf(exponent, [sampleBall(exponent, 0, 0, 1, bumps)])], HEADER);
}

/** A ball in 16 charts, of three sizes. */
export function atlasImage(exponents: readonly [number, number, number], bumps: number): GeometryImage {
  const groups = exponents.map((exponent, g) => {
    const places = Array.from({ length: 16 }, (_, i) => i).filter((i) => i % 3 === g);
    return groupOf(
      exponent,
      places.map((i) => sampleBall(exponent, (i % 4) / 4, Math.floor(i / 4) / 4, 0.25, bumps)),
    );
  });
  return assembleImage(GRID, groups, HEADER);
}

/** sharp's, with tiles of a given side whatever the page. */
export const tiledCodec = (side: number, predictor: 'horizontal' | 'none' = 'horizontal'): PixelCodec => ({
  ...sharpCodec,
  async encode({ width, height, channels, samples }, compression) {
    const tiff = await sharp(samples, { raw: { width, height, channels } })
      .toColourspace(channels === 1 ? 'grey16' : 'rgb16')
      .tiff({ compression, predictor, tile: true, tileWidth: side, tileHeight: side })
      .toBuffer();
    return new Uint8Array(tiff);
  },
});

export const tiledFile = (image: GeometryImage, side: number, pages?: readonly PageRole[]): Promise<Uint8Array> =>
  encodeGeometryImage(image, tiledCodec(side), pages && { pages });
