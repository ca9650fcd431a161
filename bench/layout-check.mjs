// Pages of geometry images in strips and in tiles, their bytes in other codings, and the tightness
// of quantized leaf spheres.
//
//   npm run bench -- layout
//   npm run bench -- layout --size=2049   with the layouts at this size, too
//
// Every layout is decoded and compared with its source. A window is 64 x 64 quads and their
// spheres, at multiples of 64. Its kilobytes are those of the blocks that hold it, on average over
// the page. The bloat of a leaf is its decoded radius over that of the smallest ball around its
// quad's four vertices.
import { build, utifCodec } from 'gicollide';
import sharp from 'sharp';
import { readDirectories } from '#src/containers/tiff-directory';
import { cutPage, isolatePage } from '#src/containers/tiff-writer';
import { nodeOffset } from '#src/representations/gi/tree/grid';
import { measureCodings } from './codings.mjs';
import { npmTeapot, sample } from './inputs.mjs';
import { median, printTable, round } from './race.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {{ width: number, height: number, channels: 3 | 4, samples: Uint16Array }} Page */
/**
 * @typedef {{ rows?: (page: Page) => number, side?: number, rough?: boolean }} Layout strips of so
 *   many rows, or tiles of so long a side
 */
/** @typedef {'deflate' | 'lzw'} Compression */

const WINDOW = 64;

/**
 * The three pages of an image of one chart, and how many samples beside a window's own its quads or
 * spheres take.
 *
 * @param {GeometryImage} image
 * @returns {(Page & { edge: number })[]}
 */
function pagesOf({ groups: [{ exponent: n, geometry, normals, tree }] }) {
  const square = /** @type {const} */ ({ width: 2 ** n + 1, height: 2 ** n + 1, channels: 3, edge: 1 });
  if (!normals) throw new Error('expected normals');
  return [
    { ...square, samples: geometry },
    { ...square, samples: normals },
    { width: 3 * 2 ** (n - 1), height: 2 ** n, channels: 4, samples: tree.page, edge: 0 },
  ];
}

/**
 * The largest power of two of rows, from 2 up, within so many bytes of samples.
 *
 * @param {number} bytes
 * @returns {(page: Page) => number}
 */
const rowsWithin =
  (bytes) =>
  ({ width, channels }) => {
    let rows = 2;
    while (rows < 2 ** 14 && 2 * rows * width * channels * 2 <= bytes) rows *= 2;
    return rows;
  };

/**
 * The page with its last column and row repeated up to whole tiles.
 *
 * @param {Page} page
 * @param {number} side
 * @returns {Page}
 */
function padded(page, side) {
  const { channels, samples } = page;
  const width = side * Math.ceil(page.width / side);
  const height = side * Math.ceil(page.height / side);
  const out = new Uint16Array(width * height * channels);
  for (let y = 0; y < height; y++) {
    const row = page.width * channels;
    const from = Math.min(y, page.height - 1) * row;
    const to = y * width * channels;
    out.set(samples.subarray(from, from + row), to);
    for (let i = to + row; i < to + width * channels; i++) out[i] = out[i - channels];
  }
  return { width, height, channels, samples: out };
}

/** @type {Record<string, Layout>} */
const LAYOUTS = {
  'strips, 64 KiB': { rows: rowsWithin(2 ** 16) },
  'strips, 256 KiB': { rows: rowsWithin(2 ** 18) },
  'strips, 1 MiB': { rows: rowsWithin(2 ** 20) },
  'one strip': { rows: () => 2 ** 14 },
  'tiles of 64': { side: 64 },
  'tiles of 128': { side: 128 },
  'tiles of 256': { side: 256 },
  'tiles of 512': { side: 512 },
  'tiles of 128, padded by libvips': { side: 128, rough: true },
};

/**
 * @param {Page} page
 * @param {Compression} compression
 * @param {Layout} layout
 */
async function encode(page, compression, { rows, side, rough }) {
  const whole = side && !rough ? padded(page, side) : page;
  const { width, height, channels } = whole;
  const blocks = side ? { tile: true, tileWidth: side, tileHeight: side } : { tileHeight: rows?.(page) };
  const tiff = await sharp(whole.samples, { raw: { width, height, channels }, limitInputPixels: false })
    .toColourspace('rgb16')
    .tiff({ compression, predictor: 'horizontal', ...blocks })
    .toBuffer();
  return whole === page ? isolatePage(tiff, readDirectories(tiff)[0]) : cutPage(tiff, page.width, page.height);
}

/** @typedef {(tiff: Uint8Array) => Promise<Uint16Array>} Decode */

/** @type {Decode} */
const bySharp = async (tiff) => {
  const image = sharp(tiff, { limitInputPixels: false }).toColourspace('rgb16');
  const data = await image.raw({ depth: 'ushort' }).toBuffer();
  return new Uint16Array(data.buffer, data.byteOffset, data.length / 2);
};
/** @type {Decode} */
const byUtif = async (tiff) => (await utifCodec.decode(tiff)).samples;

const bytesOf = (/** @type {Uint16Array} */ { buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/**
 * The shortest of the times, which other programs on the machine lengthen least.
 *
 * @param {Decode} decode
 * @param {Uint8Array} tiff
 * @param {Uint16Array} samples
 * @param {number} times
 */
async function fastest(decode, tiff, samples, times) {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= times; i++) {
    const start = performance.now();
    const decoded = await decode(tiff);
    best = Math.min(best, performance.now() - start);
    if (i === 0 && Buffer.compare(bytesOf(decoded), bytesOf(samples)) !== 0)
      throw new Error('decoded to other samples');
  }
  return best;
}

/**
 * Mean stored bytes of the blocks that a window touches.
 *
 * @param {Uint8Array} tiff
 * @param {number} quads
 * @param {number} edge
 */
function windowOf(tiff, quads, edge) {
  const [{ width, blockWidth, blockHeight, byteCounts }] = readDirectories(tiff);
  const across = Math.ceil(width / blockWidth);
  let bytes = 0;
  let windows = 0;
  const last = (/** @type {number} */ at) => at + WINDOW - 1 + edge;
  for (let y = 0; y < quads; y += WINDOW) {
    for (let x = 0; x < quads; x += WINDOW) {
      windows++;
      for (let r = Math.floor(y / blockHeight); r <= Math.floor(last(y) / blockHeight); r++) {
        for (let c = Math.floor(x / blockWidth); c <= Math.floor(last(x) / blockWidth); c++) {
          bytes += byteCounts[r * across + c];
        }
      }
    }
  }
  return bytes / windows;
}

/**
 * A row of the table: three pages in one layout. By utif at the smallest size alone, which takes
 * long enough.
 *
 * @param {ReturnType<typeof pagesOf>} pages
 * @param {Compression} compression
 * @param {Layout} layout
 * @param {boolean} isSmallest
 */
async function measured(pages, compression, layout, isSmallest) {
  const quads = pages[0].width - 1;
  let [bytes, sharpMs, utifMs, window] = [0, 0, 0, 0];
  for (const page of pages) {
    const tiff = await encode(page, compression, layout);
    bytes += tiff.length;
    sharpMs += await fastest(bySharp, tiff, page.samples, isSmallest ? 8 : 2);
    if (isSmallest) utifMs += await fastest(byUtif, tiff, page.samples, 2);
    window += windowOf(tiff, quads, page.edge) / 1024;
  }
  return {
    bytes,
    'sharp ms': round(sharpMs),
    ...(isSmallest && { 'utif ms': round(utifMs) }),
    'window KB': Math.round(window),
  };
}

/** @param {readonly number[]} sizes */
async function compareLayouts(sizes) {
  const mesh = sample('bunny');
  /** @type {Record<string, Record<string, Record<string, number>>>} */
  const layouts = {};
  for (const size of sizes) {
    const pages = pagesOf(build(mesh, { size }));
    const isSmallest = size === sizes[0];
    for (const compression of /** @type {const} */ (['deflate', 'lzw'])) {
      /** @type {Record<string, Record<string, number>>} */
      const table = {};
      for (const [name, layout] of Object.entries(LAYOUTS)) {
        if (!isSmallest && (layout.side === 512 || layout.rough)) continue;
        if (layout.side && layout.side > size) continue;
        table[name] = await measured(pages, compression, layout, isSmallest);
      }
      const own = table['strips, 1 MiB'].bytes;
      for (const row of Object.values(table)) row['bytes, %'] = round(100 * (row.bytes / own - 1));
      printTable(`bunny, ${size} x ${size}, ${compression}; bytes against strips of 1 MiB`, table);
      layouts[`${size} ${compression}`] = table;
    }
  }
  return layouts;
}

/**
 * Bytes and processor time of the pages in several codings.
 *
 * @param {boolean} quick
 */
async function compareCodings(quick) {
  /** @type {Record<string, Record<string, Record<string, number>>>} */
  const codings = {};
  for (const name of quick ? ['bunny'] : ['bunny', 'blob', 'teapot', 'torus']) {
    for (const size of quick ? [33] : [129, 257]) {
      const image = build(name === 'teapot' ? npmTeapot() : sample(name), { size });
      const table = await measureCodings(image, quick ? 1 : 3);
      printTable(`${name}, ${size}, ${image.charts} chart${image.charts === 1 ? '' : 's'}: bytes of all pages`, table);
      codings[`${name} ${size}`] = table;
    }
  }
  return codings;
}

const [ux, uy, uz, vx, vy, vz] = [0, 1, 2, 3, 4, 5];

/**
 * The centre of the circle through three of the points, in `out`; false where they are on a line.
 *
 * @param {number[][]} points
 * @param {number} p
 * @param {number} q
 * @param {number} r
 * @param {number[]} out
 */
function centreOfThree(points, p, q, r, out) {
  const e = new Float64Array(6);
  for (let k = 0; k < 3; k++) {
    e[k] = points[q][k] - points[p][k];
    e[3 + k] = points[r][k] - points[p][k];
  }
  const uu = e[ux] * e[ux] + e[uy] * e[uy] + e[uz] * e[uz];
  const vv = e[vx] * e[vx] + e[vy] * e[vy] + e[vz] * e[vz];
  const uv = e[ux] * e[vx] + e[uy] * e[vy] + e[uz] * e[vz];
  const nn = uu * vv - uv * uv;
  if (nn <= 1e-12 * uu * vv) return false;
  const s = (vv * (uu - uv)) / (2 * nn);
  const t = (uu * (vv - uv)) / (2 * nn);
  for (let k = 0; k < 3; k++) out[k] = points[p][k] + s * e[k] + t * e[3 + k];
  return true;
}

/**
 * The centre of the sphere through all four, in `out`; false where they are in a plane.
 *
 * @param {number[][]} points
 * @param {number[]} out
 */
function centreOfFour([p, q, r, s], out) {
  const rows = [q, r, s].map((x) => x.map((value, k) => value - p[k]));
  const right = rows.map((row) => (row[0] ** 2 + row[1] ** 2 + row[2] ** 2) / 2);
  const [a, b, c] = rows;
  const cross = (/** @type {number[]} */ x, /** @type {number[]} */ y) => [
    x[1] * y[2] - x[2] * y[1],
    x[2] * y[0] - x[0] * y[2],
    x[0] * y[1] - x[1] * y[0],
  ];
  const [bc, ca, ab] = [cross(b, c), cross(c, a), cross(a, b)];
  const determinant = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
  if (determinant === 0) return false;
  for (let k = 0; k < 3; k++) {
    out[k] = p[k] + (right[0] * bc[k] + right[1] * ca[k] + right[2] * ab[k]) / determinant;
  }
  return true;
}

const PAIRS = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]; // biome-ignore format: a table
const TRIPLES = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]; // biome-ignore format: a table
/** @type {(points: number[][], c: ArrayLike<number>) => number} */
const reach = (points, c) =>
  Math.sqrt(Math.max(...points.map((p) => (p[0] - c[0]) ** 2 + (p[1] - c[1]) ** 2 + (p[2] - c[2]) ** 2)));

/**
 * Radius of the smallest ball about four points: the least that any candidate for its centre needs.
 *
 * @param {number[][]} points
 */
function smallestRadius(points) {
  const centre = [0, 0, 0];
  let least = Number.POSITIVE_INFINITY;
  for (const [p, q] of PAIRS) {
    for (let k = 0; k < 3; k++) centre[k] = (points[p][k] + points[q][k]) / 2;
    least = Math.min(least, reach(points, centre));
  }
  for (const [p, q, r] of TRIPLES)
    if (centreOfThree(points, p, q, r, centre)) least = Math.min(least, reach(points, centre));
  if (centreOfFour(points, centre)) least = Math.min(least, reach(points, centre));
  return least;
}

/**
 * The bloat of up to 65,536 leaves, evenly spaced; of `tight` spheres also what of it is owed to
 * the centre's rounding and the radius's.
 *
 * @param {GeometryImage} image
 * @param {'tight' | 'seed'} made
 */
function bloatOf({ step, groups: [{ exponent, geometry, tree }] }, made) {
  const size = 2 ** exponent + 1;
  const stride = Math.max(1, 2 ** (exponent - 8));
  const oneStep = Math.max(...tree.radiusSteps) / step;
  const total = [];
  let [centre, radius, one] = [0, 0, 0];
  for (let row = 0; row < size - 1; row += stride) {
    for (let column = 0; column < size - 1; column += stride) {
      const points = [0, 1, size, size + 1].map((k) => {
        const v = 3 * (row * size + column + k);
        return [geometry[v], geometry[v + 1], geometry[v + 2]];
      });
      const least = smallestRadius(points);
      if (!(least > 0)) continue;
      const o = nodeOffset(exponent, exponent, row, column);
      const needed = reach(points, tree.page.subarray(o, o + 3));
      const stored = (tree.page[o + 3] * tree.radiusSteps[exponent]) / step;
      total.push(stored / least);
      centre += needed / least - 1;
      radius += (stored - needed) / least;
      one += (Math.ceil(needed / oneStep) * oneStep) / least - 1;
    }
  }
  total.sort((a, b) => a - b);
  const percent = (/** @type {number} */ x) => round(100 * x, 2);
  return {
    'mean %': percent(total.reduce((sum, x) => sum + x, 0) / total.length - 1),
    'median %': percent(median(total) - 1),
    '99th %': percent(total[Math.floor(0.99 * total.length)] - 1),
    ...(made === 'tight' && {
      'of centre %': percent(centre / total.length),
      'of radius %': round((100 * radius) / total.length, 4),
      'one step for all levels, mean %': percent(one / total.length),
    }),
  };
}

/** @param {import('./race.mjs').Run} run */
export default async function layout({ quick, options, keep }) {
  const further = (options.size ?? []).map(Number);
  const layouts = await compareLayouts(quick ? [65] : [257, 1025, ...further]);
  /** @type {Record<string, Record<string, number>>} */
  const bloat = {};
  for (const name of quick ? ['bunny'] : ['bunny', 'blob', 'bolt']) {
    const mesh = sample(name);
    for (const size of quick ? [65] : [129, 257, 1025]) {
      bloat[`${name} ${size}`] = bloatOf(build(mesh, { size }), 'tight');
      if (name === 'bunny') bloat[`${name} ${size}, seed's`] = bloatOf(build(mesh, { size, spheres: 'seed' }), 'seed');
    }
  }
  printTable('radius of a leaf beyond the smallest ball', bloat);
  keep({ layouts, bloat, codings: await compareCodings(quick) });
}
