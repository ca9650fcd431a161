/**
 * Geometry images are TIFFs to others: geotiff in JavaScript and libtiff's tools read the samples
 * that ours reads, and what tiffcp writes again is the same asset.
 */
// @module-tag all
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { fromArrayBuffer } from 'geotiff';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { isolatePage } from '../../src/containers/tiff-writer.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../src/representations/gi/make/index.ts';
import type { GeometryImage } from '../../src/representations/gi/tree/geometry-image.ts';
import { subsample } from '../../src/representations/gi/tree/subsample.ts';
import { makeFolder } from '../support/cli.ts';
import { bumpySphere, torus } from '../support/shapes.ts';
import { ballImage } from '../support/tiles.ts';

const golden = fileURLToPath(new URL('../golden', import.meta.url));
const read = async (bytes: Uint8Array) => (await decodeGeometryImage(bytes, sharpCodec)).asset;

interface File {
  name: string;
  bytes: Uint8Array;
  keepsSource?: boolean;
  isTiled?: boolean;
}
const files: File[] = [];
const assets: GeometryImage[] = [];

beforeAll(async () => {
  for (const name of readdirSync(golden).filter((name) => name.endsWith('.tiff')))
    files.push({ name, bytes: new Uint8Array(readFileSync(join(golden, name))) });
  const charts = buildGeometryImage(torus(8, 6), { size: 17 });
  const square = buildGeometryImage(bumpySphere(7, 2), { size: 33 });
  const whole = buildGeometryImage(bumpySphere(7, 2), { size: 17, embedSource: true });
  const large = ballImage(9, 5); // a page of it is above 1 MiB, and in tiles of 128 x 128
  files.push(
    { name: 'charts', bytes: await encodeGeometryImage(charts, sharpCodec) },
    {
      name: 'charts of utif, geometry and normals',
      bytes: await encodeGeometryImage(charts, utifCodec, { pages: ['geometry', 'normals'] }),
    },
    { name: 'a square by LZW', bytes: await encodeGeometryImage(square, sharpCodec, { compression: 'lzw' }) },
    {
      name: 'uncompressed, without slabs',
      bytes: await encodeGeometryImage(square, sharpCodec, { compression: 'none', pages: ['geometry', 'spheres'] }),
    },
    { name: 'of less detail', bytes: await encodeGeometryImage(subsample(square, 3), sharpCodec) },
    { name: 'with its source', bytes: await encodeGeometryImage(whole, sharpCodec), keepsSource: true },
    { name: 'in tiles', bytes: await encodeGeometryImage(large, sharpCodec), isTiled: true },
  );
  for (const { bytes } of files) assets.push(await read(bytes));
});

const pagesOf = (bytes: Uint8Array) =>
  Promise.all(readDirectories(bytes).map((page) => sharpCodec.decode(isolatePage(bytes, page))));

test('geotiff finds our pages, sizes and samples, and the header', async () => {
  for (const { name, bytes } of files) {
    const ours = await pagesOf(bytes);
    const theirs = await fromArrayBuffer(bytes.slice().buffer);
    expect(await theirs.getImageCount(), name).toBe(ours.length);
    for (const [i, { width, height, channels, samples }] of ours.entries()) {
      const image = await theirs.getImage(i);
      expect([image.getWidth(), image.getHeight(), image.getSamplesPerPixel()], name).toEqual([
        width,
        height,
        channels,
      ]);
      expect([image.getBitsPerSample(), image.getSampleFormat()], name).toEqual([16, 1]);
      const rasters = await image.readRasters({ interleave: true });
      expect(
        Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).equals(Buffer.from(rasters.buffer)),
        name,
      ).toBe(true);
    }
    const description = (await (await theirs.getImage(0)).getFileDirectory().loadValue('ImageDescription')) as string;
    expect(JSON.parse(description.replace(/\0$/, '')).format).toBe('gicollide geometry image');
  }
});

const hasTools = ['tiffinfo', 'tiffcp', 'tiffcmp', 'tiffdump'].every((tool) => spawnSync(tool).error === undefined);
if (!hasTools)
  console.warn("skipped: libtiff's tools are not tried, since they are not installed here (libtiff-tools)");

describe.skipIf(!hasTools)("libtiff's tools", () => {
  const folder = makeFolder();
  const run = (tool: string, args: readonly string[]) => spawnSync(tool, args, { cwd: folder, encoding: 'utf8' });
  /** Runs a tool that must find nothing to complain of; that our tag is private it may say. */
  function succeed(tool: string, ...args: string[]): string {
    const { status, stdout, stderr } = run(tool, args);
    const said = stderr.split('\n').filter((line) => line !== '' && !/Unknown field with tag 65012 /.test(line));
    expect({ status, said }, `${tool} ${args.join(' ')}`).toEqual({ status: 0, said: [] });
    return stdout;
  }

  test('tiffinfo and tiffdump read every directory, tiffinfo every sample', async () => {
    for (const { name, bytes } of files) {
      writeFileSync(join(folder, 'a.tiff'), bytes);
      const sizes = (await pagesOf(bytes)).map(({ width, height }) => `Image Width: ${width} Image Length: ${height}`);
      expect(succeed('tiffinfo', '-D', 'a.tiff').match(/Image Width: \d+ Image Length: \d+/g), name).toEqual(sizes);
      expect(succeed('tiffdump', 'a.tiff').match(/^Directory \d+/gm)?.length, name).toBe(sizes.length);
    }
  });

  test.each([
    ['uncompressed', ['-c', 'none']],
    ['in strips of five rows', ['-c', 'zip:2', '-s', '-r', '5']],
    ['in tiles of 16', ['-c', 'lzw:2', '-t', '-w', '16', '-l', '16']],
    ['big-endian', ['-B', '-c', 'zip:1']],
  ])('what tiffcp writes %s is the same asset', async (_, options) => {
    for (const [i, { name, bytes, keepsSource, isTiled }] of files.entries()) {
      writeFileSync(join(folder, 'a.tiff'), bytes);
      succeed('tiffcp', ...options, 'a.tiff', 'b.tiff');
      // With -t it goes on behind tags that differ. It reads no tiles.
      if (!isTiled && !options.includes('-t')) succeed('tiffcmp', '-t', 'a.tiff', 'b.tiff');
      const copy = read(new Uint8Array(readFileSync(join(folder, 'b.tiff'))));
      // tiffcp copies what it knows, and the source lies in a tag of our own.
      if (keepsSource) await expect(copy, name).rejects.toThrow('the source that the header lists, found none');
      else expect(isDeepStrictEqual(await copy, assets[i]), name).toBe(true);
    }
  });
});
