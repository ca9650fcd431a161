/** Pages to encode and a TIFF builder that shares no code with the project's writer, so that tests can write what it never would. */

import type { PixelPage } from '../../src/containers/pixels.ts';
import { Random } from '../../src/math/numbers.ts';

/** The kinds of content: value of a sample from its place. Seed 1 where they are random. */
export const patterns: Record<string, () => (x: number, y: number, k: number) => number> = {
  random: () => {
    const generator = new Random(1);
    return () => generator.integer() >>> 16;
  },
  smooth: () => (x, y, k) => (x * x + 3 * y * y + x * y * (k + 1)) >>> 3,
  ramp: () => (x, y, k) => 3 * x + 257 * y + 1000 * k,
  constant: () => (_x, _y, k) => 12345 + k,
  zeros: () => () => 0,
  ones: () => () => 65535,
  // Colours that a reader which multiplies by alpha, or divides by it, destroys.
  transparent: () => (x, y, k) => (k === 3 ? ((x + y) % 3 === 0 ? 0 : x) : 40000 + 7 * x + 11 * y),
};

export function makePage(pattern: string, width: number, height: number, channels: 3 | 4): PixelPage {
  const value = patterns[pattern]();
  const samples = new Uint16Array(width * height * channels);
  for (let i = 0; i < samples.length; i++) {
    const pixel = Math.floor(i / channels);
    samples[i] = value(pixel % width, Math.floor(pixel / width), i % channels);
  }
  return { width, height, channels, samples };
}

/** An entry: tag, type (2 ASCII, 3 SHORT, 4 LONG), values. */
export type Entry = readonly [tag: number, type: number, values: ArrayLike<number>];

/** Where something in a built file is, for tests that break it. */
export interface Built {
  bytes: Uint8Array;
  /** Byte offset of each directory. */
  ifds: number[];
  /** Byte offset of the four bytes of each that point to the next one. */
  nexts: number[];
  /** Byte offset of the twelve-byte entry of a tag in a directory. */
  entry(directory: number, tag: number): number;
}

/**
 * A TIFF of one directory per element of `pages`, each with one block of data unless its entries give other offsets (tags 273
 * and 279 are added when they are missing). Layout: header, data of all pages, directories.
 */
export function buildTiff(pages: { entries: Entry[]; data: Uint8Array }[], littleEndian = true): Built {
  const chunks: number[] = littleEndian ? [0x49, 0x49, 42, 0, 0, 0, 0, 0] : [0x4d, 0x4d, 0, 42, 0, 0, 0, 0];
  const put = (at: number, size: number, value: number): void => {
    for (let i = 0; i < size; i++) {
      const shift = littleEndian ? i : size - 1 - i;
      chunks[at + i] = Math.floor(value / 256 ** shift) % 256;
    }
  };
  const placed = pages.map(({ entries, data }) => {
    const at = chunks.length;
    for (const byte of data) chunks.push(byte);
    if (chunks.length % 2 === 1) chunks.push(0);
    const all = [...entries];
    const has = (tag: number): boolean => entries.some((entry) => entry[0] === tag);
    if (!has(273) && !has(324)) all.push([273, 4, [at]]);
    if (!has(279) && !has(325)) all.push([279, 4, [data.length]]);
    return all.sort((a, b) => a[0] - b[0]);
  });
  const ifds: number[] = [];
  const nexts: number[] = [];
  let pointer = 4;
  for (const entries of placed) {
    const ifd = chunks.length;
    ifds.push(ifd);
    put(pointer, 4, ifd);
    put(ifd, 2, entries.length);
    pointer = ifd + 2 + 12 * entries.length;
    nexts.push(pointer);
    put(pointer, 4, 0);
    entries.forEach(([tag, type, values], i) => {
      const at = ifd + 2 + 12 * i;
      const size = type === 2 ? 1 : type === 3 ? 2 : 4;
      put(at, 2, tag);
      put(at + 2, 2, type);
      put(at + 4, 4, values.length);
      put(at + 8, 4, 0);
      const inside = size * values.length <= 4;
      const target = inside ? at + 8 : chunks.length;
      if (!inside) put(at + 8, 4, target);
      for (let k = 0; k < values.length; k++) put(target + k * size, size, values[k]);
      if (chunks.length % 2 === 1) chunks.push(0);
    });
  }
  const entry = (directory: number, tag: number): number =>
    ifds[directory] + 2 + 12 * placed[directory].findIndex((each) => each[0] === tag);
  return { bytes: Uint8Array.from(chunks), ifds, nexts, entry };
}

/** The usual entries of a page in one strip; `changes` replace entries by tag, or remove them when null. */
export function pageEntries(page: PixelPage, compression: number, changes: Record<number, Entry | null> = {}): Entry[] {
  const { width, height, channels } = page;
  const usual: Entry[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, new Array(channels).fill(16)],
    [259, 3, [compression]],
    [262, 3, [2]],
    [277, 3, [channels]],
    [278, 4, [height]],
    [284, 3, [1]],
    ...(channels === 4 ? ([[338, 3, [2]]] as Entry[]) : []),
  ];
  const kept = usual.filter(([tag]) => !(tag in changes));
  return [...kept, ...Object.values(changes).filter((entry) => entry !== null)];
}

/** The samples' bytes, differenced along rows where `predictor` says so. */
export function sampleBytes(page: PixelPage, littleEndian: boolean, predictor = false): Uint8Array {
  const { width, channels, samples } = page;
  const bytes = new Uint8Array(2 * samples.length);
  for (let i = 0; i < samples.length; i++) {
    const first = Math.floor(i / channels) % width === 0;
    const value = (predictor && !first ? samples[i] - samples[i - channels] : samples[i]) & 0xffff;
    bytes[2 * i + (littleEndian ? 0 : 1)] = value & 255;
    bytes[2 * i + (littleEndian ? 1 : 0)] = value >>> 8;
  }
  return bytes;
}
