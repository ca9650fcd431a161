/** Images to TIFF and back: exact, the same bytes each time, and nothing damaged or foreign passes as right. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createLibrary } from '../../../src/api.ts';
import { OptionError } from '../../../src/base/errors.ts';
import { sha256 } from '../../../src/containers/hash.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import { readDirectories } from '../../../src/containers/tiff-directory.ts';
import { asciiJson, isolatePage, joinPages } from '../../../src/containers/tiff-writer.ts';
import {
  decodeGeometryImage,
  encodeGeometryImage,
  maxDecodedBytes,
} from '../../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import type { GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset, treeWidth } from '../../../src/representations/gi/tree/grid.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { squareOf } from '../../support/gi.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere } from '../../support/shapes.ts';

const image = buildGeometryImage(bumpySphere(77, 3), {
  size: 33,
  units: 'mm',
  source: { name: 'b\u00fcmpy "77".obj', sha256: 'ab'.repeat(32) },
  options: { scale: 2 },
});
const compressions = ['deflate', 'lzw', 'none'] as const;
const files = await Promise.all(
  compressions.map((compression) => encodeGeometryImage(image, sharpCodec, { compression })),
);

const decode = async (bytes: Uint8Array, codec = sharpCodec) => (await decodeGeometryImage(bytes, codec)).asset;

/** The file with its header's JSON edited. */
async function withHeader(bytes: Uint8Array, edit: (json: Record<string, unknown>) => void): Promise<Uint8Array> {
  const pages = readDirectories(bytes);
  const { sha256: _, ...json } = JSON.parse(pages[0].description!);
  edit(json);
  return joinPages(
    pages.map((page) => isolatePage(bytes, page)),
    asciiJson({ ...json, sha256: await sha256(new TextEncoder().encode(JSON.stringify(json))) }),
  );
}

test('a codec without decodePage gets each page as a TIFF of its own', async () => {
  const pages: number[] = [];
  const { name, encode } = sharpCodec;
  const decodeOne = (tiff: Uint8Array) => {
    pages.push(readDirectories(tiff).length);
    return utifCodec.decode(tiff);
  };
  const { read } = createLibrary({ name, encode, decode: decodeOne });
  for (const file of files) expect((await read(file)).asset).toEqual(await decode(file));
  expect(pages).toEqual(files.flatMap((file) => readDirectories(file)).map(() => 1));
});

test('the largest image that can be built may be read', () => {
  const pages = readDirectories(files[0]);
  const perSample =
    pages.reduce((sum, { width, height, channels }) => sum + 2 * channels * width * height, 0) / 33 ** 2;
  // Of small images a little more a sample than of large ones.
  expect(maxDecodedBytes(2 ** 31)).toBeGreaterThan(perSample * 8193 ** 2);
});

describe.each(compressions)('%s', (compression) => {
  const bytes = files[compressions.indexOf(compression)];

  test('decodes to what was encoded, with either codec', async () => {
    const expected: GeometryImage = {
      ...image,
      header: { ...image.header, options: { ...image.header.options, compression } },
    };
    expect(await decode(bytes)).toEqual(expected);
    expect(await decode(bytes, utifCodec)).toEqual(expected);
    expect((await decodeGeometryImage(bytes, sharpCodec)).warnings).toEqual([]);
  });

  test('the same image gives the same bytes', { tags: ['long'] }, async () => {
    expect(await encodeGeometryImage(structuredClone(image), sharpCodec, { compression })).toEqual(bytes);
  });

  test('sharp reads every page of the file itself', async () => {
    const samples = [squareOf(image).geometry, squareOf(image).normals!, squareOf(image).tree.page];
    for (const [page, expected] of samples.entries()) {
      const raw = await sharp(bytes, { page }).toColourspace('rgb16').raw({ depth: 'ushort' }).toBuffer();
      expect(new Uint16Array(raw.buffer, raw.byteOffset, raw.length / 2)).toEqual(expected);
    }
  });
});

test.each(['tiffinfo', 'tiffcp'])('%s reads the file without a complaint', (tool) => {
  if (spawnSync(tool, ['-h']).error) return; // libtiff's tools are not installed here
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  try {
    for (const bytes of files) {
      writeFileSync(join(folder, 'a.tiff'), bytes);
      const result = spawnSync(tool, tool === 'tiffinfo' ? ['-D', 'a.tiff'] : ['a.tiff', 'b.tiff'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(result.status).toBe(0);
      expect(result.stderr).toBe('');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const groupsOf = (json: Record<string, unknown>) =>
  json.groups as { size: number; charts: number; radiusSteps: number[] }[];

describe('a header that does not fit is refused', () => {
  test.each<[string, (json: Record<string, unknown>) => void, RegExp]>([
    [
      'newer version',
      (json) => {
        json.version = 5;
      },
      /expected version 1 to 4 .* found 5/,
    ],
    [
      'other size',
      (json) => {
        groupsOf(json)[0].size = 65;
      },
      /expected a geometry page of 65 by 65 by 3, found 33 by 33 by 3|expected radiusSteps, 7 lengths/,
    ],
    [
      'no groups',
      (json) => {
        json.groups = [];
      },
      /expected groups of charts/,
    ],
    [
      'a size that none has',
      (json) => {
        groupsOf(json)[0].size = 34;
      },
      /expected sizes of charts/,
    ],
    [
      'two groups of one size',
      (json) => {
        groupsOf(json).push(groupsOf(json)[0]);
      },
      /expected sizes of charts, 2\^n \+ 1, the largest first/,
    ],
    [
      'no number as a step of deviations',
      (json) => {
        (groupsOf(json)[0] as { deviationStep?: unknown }).deviationStep = 'x';
      },
      /expected deviationStep, a length in every group or none/,
    ],
    [
      'no charts',
      (json) => {
        groupsOf(json)[0].charts = 0;
      },
      /expected a number of charts/,
    ],
    [
      'more charts than there are numbers',
      (json) => {
        groupsOf(json)[0].charts = 2 ** 40;
      },
      /expected charts of 1073741824 spheres at most/,
    ],
    [
      'more charts than the pages hold',
      (json) => {
        groupsOf(json)[0].charts = 2;
      },
      /expected a geometry page of 66 by 33 by 3, found 33 by 33 by 3/,
    ],
    [
      'no step',
      (json) => {
        delete json.step;
      },
      /expected step, .* found nothing/,
    ],
    [
      'negative step',
      (json) => {
        json.step = -1;
      },
      /expected step/,
    ],
    [
      'huge origin',
      (json) => {
        json.origin = [0, 1e200, 0];
      },
      /expected origin/,
    ],
    [
      'an origin where steps vanish',
      (json) => {
        json.origin = [0, 1e12, 0];
      },
      /expected an origin within 2\^36 extents/,
    ],
    [
      'few radius steps',
      (json) => {
        groupsOf(json)[0].radiusSteps = [1];
      },
      /expected radiusSteps, 6 lengths/,
    ],
    [
      'missing digest',
      (json) => {
        (json.pages as { sha256?: string }[])[2].sha256 = undefined as never;
      },
      /expected pages/,
    ],
    [
      'wrong digest',
      (json) => {
        (json.pages as { sha256: string }[])[1].sha256 = '00';
      },
      /normals page .* damaged/,
    ],
    [
      'pages in another order',
      (json) => {
        (json.pages as unknown[]).reverse();
      },
      /expected the pages/,
    ],
    [
      'fewer pages',
      (json) => {
        (json.pages as unknown[]).splice(1, 1);
      },
      /expected the 4 pages .* found 5/,
    ],
    [
      'odd source',
      (json) => {
        json.source = 7;
      },
      /expected source/,
    ],
    [
      'odd options',
      (json) => {
        json.options = { size: [] };
      },
      /expected options/,
    ],
  ])('%s', async (_, edit, message) => {
    expect((await refusal(decode(await withHeader(files[2], edit)))).message).toMatch(message);
  });
});

describe('a plain geometry image', () => {
  const pages = readDirectories(files[1]);
  const page = (index: number) => isolatePage(files[1], pages[index]);

  test('takes origin and step from its description, and a tree is built', async () => {
    const plain = joinPages([page(0)], JSON.stringify({ origin: [...image.origin], step: image.step, by: 'somebody' }));
    const { asset, warnings } = await decodeGeometryImage(plain, sharpCodec);
    expect(squareOf(asset)).toEqual({ ...squareOf(image), normals: null });
    expect(warnings).toEqual(['no sphere tree with a valid header: built on loading']);
  });

  test('without them stands in the unit cube, with a warning', async () => {
    for (const description of ['a photograph', '[1,2]', '{}', '{"step":']) {
      const { asset, warnings } = await decodeGeometryImage(joinPages([page(0)], description), sharpCodec);
      expect([...asset.origin, asset.step]).toEqual([0, 0, 0, 1 / 65535]);
      expect(warnings[0]).toMatch(/0 and 1\/65535 are used/);
    }
  });

  test('with half of them is refused', async () => {
    const plain = joinPages([page(0)], '{"step":0.5}');
    expect((await refusal(decode(plain))).message).toMatch(/expected origin, three coordinates, and step/);
  });

  test('spheres without a header are not believed', async () => {
    const shrunken = squareOf(image).tree.page.slice().fill(0);
    const spheres = await sharpCodec.encode({ width: 48, height: 32, channels: 4, samples: shrunken }, 'lzw');
    const { asset } = await decodeGeometryImage(joinPages([page(0), page(1), spheres], '{}'), sharpCodec);
    expect(verifyGeometryImage(asset).problems).toEqual([]);
  });

  test('a file of ours that has lost its header is refused', async () => {
    const all = pages.map((_, index) => page(index));
    for (const description of ['', '{}', 'a photograph'])
      expect((await refusal(decode(joinPages(all, description)))).message).toMatch(
        /expected a header of gicollide in ImageDescription/,
      );
  });

  test('of another size is padded, but where there are other pages: they tell of charts', async () => {
    const samples = new Uint16Array(3 * 32 * 32).map((_, i) => 50 * i);
    const other = await sharpCodec.encode({ width: 32, height: 32, channels: 3, samples }, 'none');
    const { asset, warnings } = await decodeGeometryImage(other, sharpCodec);
    expect(asset.stored).toEqual({ width: 32, height: 32 });
    expect(warnings).toContain('32 by 32 samples: the last ones are repeated to make a square of 33');
    const two = joinPages([isolatePage(other, readDirectories(other)[0]), page(0)], '{}');
    expect((await refusal(decode(two))).message).toMatch(/expected one page, or .* found 2, 32 by 32 by 3/);
  });
});

test('a compression that does not exist is refused', async () => {
  await expect(encodeGeometryImage(image, sharpCodec, { compression: 'jpeg' as never })).rejects.toThrow(OptionError);
});

describe('golden files stay readable', () => {
  // Written by version 0.1.0: gicollide build assets/box.obj --size 17 --compression lzw
  const bytes = readFileSync(new URL('../../golden/box-17-v1.tiff', import.meta.url));

  test.each([sharpCodec, utifCodec])('box-17-v1.tiff is what FORMAT.md says of it', async (codec) => {
    const { asset, warnings } = await decodeGeometryImage(bytes, codec);
    expect(warnings).toEqual([]);
    expect(asset.header.source?.name).toBe('box.obj');
    expect(verifyGeometryImage(asset).problems).toEqual([]);
    const { exponent, origin, step, geometry, tree } = squareOf(asset);
    const root = nodeOffset(exponent, 0, 0, 0);
    const width = treeWidth(exponent);
    const found: Record<string, string> = {
      'page sizes': readDirectories(bytes)
        .map((p) => `${p.width} x ${p.height} x ${p.channels}`)
        .join(', '),
      origin: [...origin].join(' '),
      step: `${step}`,
      'samples of row 0, columns 0 to 2': [0, 3, 6].map((v) => [...geometry.subarray(v, v + 3)].join(' ')).join(', '),
      'pixel of the root, x y': `${(root / 4) % width} ${Math.floor(root / 4 / width)}`,
      'its centre and A': [...tree.page.subarray(root, root + 4)].join(' '),
      'radiusSteps[0]': `${tree.radiusSteps[0]}`,
      'root radius, model units': `${tree.page[root + 3] * tree.radiusSteps[0]}`,
      'leaf (0, 0): centre and A': [...tree.page.subarray(0, 4)].join(' '),
    };
    const format = readFileSync(new URL('../../../src/representations/gi/FORMAT.md', import.meta.url), 'utf8');
    const table = format.slice(format.indexOf('## Worked example')).matchAll(/^\| (.+?) +\| (.+?) +\|$/gm);
    const stated = Object.fromEntries([...table].slice(2).map(([, what, value]) => [what, value]));
    expect(found).toEqual(stated);
  });
});
