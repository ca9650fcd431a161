// The pages of geometry images in several lossless codings: bytes, and processor time to write and
// to read them.
//
// Codings whose names begin with TIFF can be opened by other readers. The others show the cost of
// that. `gradient` stores each sample as its difference from the gradient of its neighbors (as in
// JPEG-LS), the low bytes after the high ones, channel by channel.
import { spawnSync } from 'node:child_process';
import { deflateSync, inflateSync } from 'node:zlib';
import { MeshoptDecoder, MeshoptEncoder } from 'meshoptimizer';
import sharp from 'sharp';
import { sharpCodec } from '#src/containers/pixels-sharp';
import { encodePage } from '#src/containers/tiff-writer';
import { PAGE_ROLES, shapeOf } from '#src/representations/gi/format/pages';
import { round } from './race.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').PixelPage} Page */
/** @typedef {import('#src/representations/gi/format/pages').PageRole} PageRole */
/**
 * @typedef {{
 *   encode: (page: Page) => Uint8Array | Promise<Uint8Array>,
 *   decode?: (bytes: Uint8Array, page: Page) => Uint16Array | Promise<Uint16Array>,
 * }} Coding
 *   without `decode`: its bytes alone are known
 */

const bytesOf = (/** @type {Uint16Array} */ { buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);
const samplesOf = (/** @type {Uint8Array} */ bytes) => new Uint16Array(Uint8Array.from(bytes).buffer);

/**
 * The pages of an image: those of one role as one page each, charts below one another.
 *
 * @param {GeometryImage} image
 * @returns {{ role: PageRole, page: Page }[]}
 */
export const pagesOf = ({ groups }) =>
  groups.flatMap(({ exponent, count, geometry, normals, tree, deviation }) => {
    const all = { geometry, normals, spheres: tree.page, deviation: deviation?.page, slabs: tree.slabs };
    return PAGE_ROLES.flatMap((role) => {
      const samples = all[role];
      const { width, height, channels } = shapeOf(role, exponent);
      return samples ? [{ role, page: { width, height: height * count, channels, samples } }] : [];
    });
  });

/** The difference from the gradient of the samples left, above and left above, up to its ends. */
function predict(/** @type {number} */ left, /** @type {number} */ above, /** @type {number} */ corner) {
  const [low, high] = left < above ? [left, above] : [above, left];
  return corner >= high ? low : corner <= low ? high : left + above - corner;
}

/** @param {Page} page */
function byGradient({ width, channels, samples }) {
  const row = width * channels;
  const count = samples.length;
  const out = new Uint8Array(2 * count);
  for (let i = 0; i < count; i++) {
    const isFirst = i % row < channels;
    const left = isFirst ? (samples[i - row] ?? 0) : samples[i - channels];
    const above = samples[i - row] ?? left;
    const corner = isFirst ? above : (samples[i - row - channels] ?? above);
    const difference = ((samples[i] - predict(left, above, corner)) << 16) >> 16;
    const code = (difference << 1) ^ (difference >> 31);
    const to = (i % channels) * (count / channels) + Math.floor(i / channels);
    out[to] = code >> 8;
    out[count + to] = code;
  }
  return deflateSync(out, { level: 9 });
}

/** @param {Uint8Array} bytes @param {Page} page */
function fromGradient(bytes, { width, channels, samples: { length: count } }) {
  const codes = inflateSync(bytes);
  const row = width * channels;
  const samples = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    const from = (i % channels) * (count / channels) + Math.floor(i / channels);
    const code = (codes[from] << 8) | codes[count + from];
    const isFirst = i % row < channels;
    const left = isFirst ? (samples[i - row] ?? 0) : samples[i - channels];
    const above = samples[i - row] ?? left;
    const corner = isFirst ? above : (samples[i - row - channels] ?? above);
    samples[i] = predict(left, above, corner) + ((code >>> 1) ^ -(code & 1));
  }
  return samples;
}

/** Samples of a vertex of meshoptimizer's, which is a multiple of 4 bytes: those beyond are 0. */
const stride = (/** @type {number} */ channels) => (channels === 1 ? 2 : 4);

/** @param {Page} page */
function padded({ channels, samples }) {
  const step = stride(channels);
  const out = new Uint16Array((samples.length / channels) * step);
  for (let i = 0; i < samples.length; i++) out[Math.floor(i / channels) * step + (i % channels)] = samples[i];
  return out;
}

/** @param {Page} page */
function byMeshopt(page) {
  const bytes = bytesOf(padded(page));
  const size = 2 * stride(page.channels);
  return MeshoptEncoder.encodeVertexBuffer(bytes, bytes.length / size, size);
}

/** @param {Uint8Array} bytes @param {Page} page */
function fromMeshopt(bytes, { channels, samples }) {
  const step = stride(channels);
  const size = 2 * step;
  const out = new Uint8Array((samples.length / channels) * step * 2);
  MeshoptDecoder.decodeVertexBuffer(out, out.length / size, size, bytes);
  const all = samplesOf(out);
  if (step === channels) return all;
  return Uint16Array.from(samples, (_, i) => all[Math.floor(i / channels) * step + (i % channels)]);
}

/** The samples as TIFF's predictor 2 has them. @param {Page} page */
function differences({ width, channels, samples }) {
  const row = width * channels;
  return Uint16Array.from(samples, (x, i) => (i % row < channels ? x : x - samples[i - channels]));
}

/** By the program, which Node has none of before 22.15; nothing where it is not installed. */
function byZstd(/** @type {Page} */ page) {
  const { stdout, status } = spawnSync('zstd', ['-19', '-c', '-q'], {
    input: bytesOf(differences(page)),
    maxBuffer: 2 ** 28,
  });
  return status === 0 ? new Uint8Array(stdout) : new Uint8Array(0);
}

const raw = (/** @type {Page} */ { samples, width, height, channels }) =>
  sharp(samples, { raw: { width, height, channels } }).toColourspace(channels === 1 ? 'grey16' : 'rgb16');

/** @param {Uint8Array} bytes @param {Page} page */
async function fromPng(bytes, { channels }) {
  const image = sharp(bytes).toColourspace(channels === 1 ? 'grey16' : 'rgb16');
  return samplesOf(await image.raw({ depth: 'ushort' }).toBuffer());
}

const fromTiff = async (/** @type {Uint8Array} */ bytes) => (await sharpCodec.decode(bytes)).samples;

/** @type {Record<string, Coding>} */
const CODINGS = {
  'TIFF, Deflate': { encode: (page) => sharpCodec.encode(page, 'deflate'), decode: fromTiff },
  'TIFF, Deflate 9': {
    encode: (page) => encodePage(page, 'deflate', async (bytes) => deflateSync(bytes, { level: 9 })),
    decode: fromTiff,
  },
  'TIFF, LZW': { encode: (page) => sharpCodec.encode(page, 'lzw'), decode: fromTiff },
  'PNG, 16 bits': {
    encode: (page) => raw(page).png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer(),
    decode: fromPng,
  },
  'predictor 2, zstd 19': { encode: byZstd },
  meshoptimizer: { encode: byMeshopt, decode: fromMeshopt },
  'meshoptimizer, Deflate': {
    encode: (page) => deflateSync(byMeshopt(page), { level: 9 }),
    decode: (bytes, page) => fromMeshopt(inflateSync(bytes), page),
  },
  'gradient, Deflate': { encode: byGradient, decode: fromGradient },
};

/** Processor time of this process, its threads included, milliseconds. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * A row a coding: bytes of each role's pages and of all, and of all the processor time; the least
 * of so many.
 *
 * @param {GeometryImage} image
 * @param {number} times
 */
export async function measureCodings(image, times) {
  await Promise.all([MeshoptEncoder.ready, MeshoptDecoder.ready]);
  const pages = pagesOf(image);
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const [name, { encode, decode }] of Object.entries(CODINGS)) {
    /** @type {Record<string, number>} */
    const row = {};
    let [total, writing, reading] = [0, 0, 0];
    for (const { role, page } of pages) {
      let bytes = new Uint8Array(0);
      let [least, leastBack] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let i = 0; i < times; i++) {
        const start = cpu();
        bytes = new Uint8Array(await encode(page));
        const middle = cpu();
        const back = decode && (await decode(bytes, page));
        leastBack = Math.min(leastBack, cpu() - middle);
        least = Math.min(least, middle - start);
        if (i === 0 && back && Buffer.compare(bytesOf(back), bytesOf(page.samples)) !== 0)
          throw new Error(`${name}: other samples of ${role}`);
      }
      row[role] = (row[role] ?? 0) + bytes.length;
      total += bytes.length;
      writing += least;
      reading += leastBack;
    }
    if (total === 0) continue;
    const spent = decode ? { 'encode ms': round(writing), 'decode ms': round(reading) } : {};
    table[name] = { ...row, total, ...spent, 'bytes a triangle': round(total / (2 * image.quads)) };
  }
  const own = table['TIFF, Deflate'].total;
  for (const row of Object.values(table)) row['against Deflate, %'] = round(100 * (row.total / own - 1));
  return table;
}
