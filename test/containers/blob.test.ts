/** Blobs: the layout byte by byte, by a reader of its own; views in place; and bytes that are damaged or made to do harm. */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FormatError, MeshError } from '../../src/base/errors.ts';
import {
  type BlobContents,
  blobKind,
  contentHash,
  readBlob,
  requireChecksum,
  type SectionArray,
  sectionOf,
  writeBlob,
} from '../../src/containers/blob.ts';
import { swapBytes } from '../../src/math/byte-order.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';

const HEADER = { source: { name: 'täst "{[.obj', sha256: 'ab' }, origin: [0.1, -2e300, 5e-324], units: null };
const SECTIONS: { name: string; data: SectionArray }[] = [
  { name: 'nodes', data: Float32Array.of(1.5, -0, Number.NaN) },
  { name: 'none', data: new Float64Array(0) },
  { name: 'vertices', data: Float64Array.of(Math.PI, -Infinity) },
  { name: 'triangles', data: Uint32Array.of(0, 1, 2 ** 32 - 1) },
  { name: 'quaternions', data: Int16Array.of(-32768, 32767, -1) },
  { name: 'a-12-long-id', data: Uint16Array.of(65535) },
  { name: 'links', data: Int32Array.of(-(2 ** 31), 7) },
  { name: 'bits', data: Uint8Array.of(255, 0, 128) },
];
const sample = () => writeBlob('obb', 3, HEADER, SECTIONS);

/** The checksum of version 1 of every kind, and of version 3 of `obb`. */
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
function crc(bytes: Uint8Array) {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(bytes));
  return sum;
}

/** The checksum made right again, so that a reader looks at what was changed. */
function resealed(bytes: Uint8Array, sum = crc): Uint8Array {
  const end = Math.max(0, bytes.length - sum(bytes).length);
  bytes.set(sum(bytes.subarray(0, end)).subarray(0, bytes.length - end), end);
  return bytes;
}

async function changed(change: (view: DataView, bytes: Uint8Array) => void): Promise<Uint8Array> {
  const bytes = await sample();
  change(new DataView(bytes.buffer), bytes);
  return resealed(bytes);
}

/** The refusal, which must be a FormatError at a place inside the file, with one line to say. */
async function refusedBlob(bytes: Uint8Array, kind = 'obb', versions = [3]): Promise<FormatError> {
  const error = await refusal(readBlob(bytes, kind, versions));
  const { place } = error;
  expect(place !== null && 'byte' in place && place.byte >= 0 && place.byte <= bytes.length).toBe(true);
  return error;
}

const rawBytes = (data: SectionArray) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

function expectSame(found: BlobContents, header: object, sections: typeof SECTIONS) {
  expect(found.header).toEqual(header);
  expect([...found.sections.keys()]).toEqual(sections.map(({ name }) => name));
  for (const { name, data } of sections) {
    const read = found.sections.get(name)!;
    expect(read.constructor).toBe(data.constructor);
    expect(rawBytes(read)).toEqual(rawBytes(data));
  }
}

describe('layout', () => {
  test('a whole file, byte for byte', async () => {
    const bytes = await writeBlob('obb', 1, { n: 2 }, [{ name: 'extents', data: Uint16Array.of(258, 3) }]);
    const hex = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString('hex');
    expect(hex(0, 32)).toBe('6769636f6c6c69646f626200010000000100000007000000a400000000000000');
    expect(hex(32, 64)).toBe('657874656e747300000000007531360080000000000000000200000000000000');
    expect(hex(64, 71)).toBe(Buffer.from('{"n":2}').toString('hex'));
    expect(hex(71, 128)).toBe('00'.repeat(57));
    expect(hex(128, 132)).toBe('02010300');
    expect(hex(132, 164)).toBe(sha256(bytes.subarray(0, 132)).toString('hex'));
    expect(bytes.length).toBe(164);
    const newer = await writeBlob('obb', 2, { n: 2 }, [{ name: 'extents', data: Uint16Array.of(258, 3) }]);
    expect(Buffer.from(newer.subarray(0, 32)).toString('hex')).toBe(
      '6769636f6c6c69646f6262000200000001000000070000008800000000000000',
    );
    expect(newer.slice(32, 132)).toEqual(bytes.slice(32, 132));
    expect(Buffer.from(newer.subarray(132)).toString('hex')).toBe(crc(newer.subarray(0, 132)).toString('hex'));
  });

  test('a reader written from the table alone finds the same', async () => {
    const file = Buffer.from(await sample());
    const text = (at: number, length: number) => file.toString('latin1', at, at + length).split('\0')[0];
    expect([text(0, 8), text(8, 4), file.readUInt32LE(12)]).toEqual(['gicollid', 'obb', 3]);
    expect(Number(file.readBigUInt64LE(24))).toBe(file.length);
    const count = file.readUInt32LE(16);
    const json = 32 + 32 * count;
    expect(JSON.parse(file.toString('utf8', json, json + file.readUInt32LE(20)))).toEqual(HEADER);
    const reads: Record<string, [number, (at: number) => number]> = {
      u8: [1, (at) => file.readUInt8(at)],
      i16: [2, (at) => file.readInt16LE(at)],
      u16: [2, (at) => file.readUInt16LE(at)],
      u32: [4, (at) => file.readUInt32LE(at)],
      i32: [4, (at) => file.readInt32LE(at)],
      f32: [4, (at) => file.readFloatLE(at)],
      f64: [8, (at) => file.readDoubleLE(at)],
    };
    let end = json + file.readUInt32LE(20);
    for (let i = 0; i < count; i++) {
      const entry = 32 + 32 * i;
      const [size, read] = reads[text(entry + 12, 4)];
      const offset = Number(file.readBigUInt64LE(entry + 16));
      const length = Number(file.readBigUInt64LE(entry + 24));
      expect(offset % 64).toBe(0);
      expect(file.subarray(end, offset).every((byte) => byte === 0)).toBe(true);
      expect(text(entry, 12)).toBe(SECTIONS[i].name);
      expect(Array.from({ length }, (_, k) => read(offset + k * size))).toEqual(Array.from(SECTIONS[i].data));
      end = offset + length * size;
    }
    expect(file.subarray(end)).toEqual(crc(file.subarray(0, end)));
  });

  test('the same arguments give the same bytes, and the arguments stay as they are', async () => {
    const before = SECTIONS.map(({ data }) => rawBytes(data).slice());
    expect(await sample()).toEqual(await sample());
    expect(SECTIONS.map(({ data }) => rawBytes(data))).toEqual(before);
  });

  test('bytes swap within elements, and back', () => {
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i);
    const byteSwapped = (own: Uint8Array, size: number): Uint8Array<ArrayBuffer> => {
      const swapped = new Uint8Array(own);
      swapBytes(swapped, size);
      return swapped;
    };
    expect([...byteSwapped(bytes, 1)]).toEqual([...bytes]);
    expect([...byteSwapped(bytes, 2)]).toEqual([1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]);
    expect([...byteSwapped(bytes, 4)].slice(0, 8)).toEqual([3, 2, 1, 0, 7, 6, 5, 4]);
    const big = new DataView(new ArrayBuffer(16));
    big.setFloat64(0, Math.PI);
    big.setFloat64(8, -1e-300);
    expect(new Float64Array(byteSwapped(new Uint8Array(big.buffer), 8).buffer)).toEqual(
      Float64Array.of(Math.PI, -1e-300),
    );
    for (const size of [1, 2, 4, 8]) expect(byteSwapped(byteSwapped(bytes, size), size)).toEqual(bytes);
  });
});

describe('round trip', () => {
  test('every type, NaN and -0 too, and an empty section', async () => {
    const found = await readBlob(await sample(), 'obb', [1, 3]);
    expect(found.version).toBe(3);
    expectSame(found, HEADER, SECTIONS);
  });

  test('nothing but an empty header', async () => {
    const bytes = await writeBlob('frep', 2 ** 32 - 1, {}, []);
    expect(bytes.length).toBe(66);
    expectSame(await readBlob(bytes, 'frep', [2 ** 32 - 1]), {}, []);
  });

  test('any sections, seed 20', { tags: ['quick', 'long'] }, async () => {
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint16Array({ maxLength: 200 }),
      fc.int16Array({ maxLength: 200 }),
      fc.uint32Array({ maxLength: 200 }),
      fc.int32Array({ maxLength: 200 }),
      fc.float32Array({ maxLength: 200 }),
      fc.float64Array({ maxLength: 200 }),
    );
    const name = fc.stringMatching(/^[a-z0-9-]{1,12}$/);
    const sections = fc.uniqueArray(fc.record({ name, data }), { selector: (section) => section.name, maxLength: 9 });
    const header = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    await fc.assert(
      fc.asyncProperty(header, sections, fc.nat(15), async (json, stored, shift) => {
        const version = 1 + (shift % 2);
        const bytes = await writeBlob('kdop', version, json, stored);
        const moved = new Uint8Array(bytes.length + 16).subarray(shift, shift + bytes.length);
        moved.set(bytes);
        expectSame(await readBlob(moved, 'kdop', [1, 2]), JSON.parse(JSON.stringify(json)), stored);
        await requireChecksum(moved);
        const end = bytes.length - (version === 1 ? 32 : 4);
        expect(await contentHash(moved)).toBe(sha256(bytes.subarray(0, end)).toString('hex'));
      }),
      { seed: 20, numRuns: long ? 100 : 40 },
    );
  });

  test('sections are views of one copy, or of the bytes that are given up, where these are aligned and not shared', async () => {
    const bytes = await sample();
    const inside = new Uint8Array(bytes.length + 24);
    inside.set(bytes, 8);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    const buffersOf = async (given: Uint8Array) =>
      new Set([...(await readBlob(given, 'obb', [3], { take: true })).sections.values()].map(({ buffer }) => buffer));
    expect(await buffersOf(bytes)).toEqual(new Set([bytes.buffer]));
    const own = new Set([...(await readBlob(bytes, 'obb', [3])).sections.values()].map(({ buffer }) => buffer));
    expect(own.size).toBe(1);
    expect(own).not.toContain(bytes.buffer);
    expect([...(await buffersOf(inside.subarray(8, 8 + bytes.length)))][0]).toBe(inside.buffer);
    inside.set(bytes, 3);
    for (const given of [inside.subarray(3, 3 + bytes.length), shared]) {
      const buffers = [...(await buffersOf(given))];
      expect(buffers.length).toBe(1);
      expect(buffers[0]).not.toBe(given.buffer);
    }
  });

  test('sectionOf gives what is there and names what is not', async () => {
    const blob = await readBlob(await sample(), 'obb', [3]);
    expect(sectionOf(blob, 'triangles', 'u32', 3)).toEqual(Uint32Array.of(0, 1, 2 ** 32 - 1));
    expect(() => sectionOf(blob, 'leaves', 'u8')).toThrow(
      /^byte 16: expected a section leaves, found nodes, none, ver/,
    );
    expect(() => sectionOf(blob, 'none', 'f32')).toThrow('byte 76: expected section none of f32, found f64');
    expect(() => sectionOf(blob, 'links', 'i32', 3)).toThrow('byte 248: expected 3 elements in section links, found 2');
  });

  test('blobKind sniffs', async () => {
    const bytes = await sample();
    expect(blobKind(bytes)).toBe('obb');
    expect(blobKind(bytes.subarray(0, 12))).toBe('obb');
    expect(blobKind(bytes.subarray(0, 11))).toBe(null);
    expect(blobKind(new TextEncoder().encode('gicollid is a program'))).toBe(null);
    expect(blobKind(new TextEncoder().encode('v 0 0 0 and so on'))).toBe(null);
    expect(blobKind(new Uint8Array(0))).toBe(null);
  });
});

test.each<[string, () => Promise<unknown>]>([
  ['an upper-case kind', () => writeBlob('OBB', 1, {}, [])],
  ['a long kind', () => writeBlob('voxel', 1, {}, [])],
  ['half a version', () => writeBlob('obb', 1.5, {}, [])],
  ['an array as header', () => writeBlob('obb', 1, [], [])],
  ['a long name', () => writeBlob('obb', 1, {}, [{ name: 'thirteen-long', data: new Uint8Array(0) }])],
  ['one name twice', () => writeBlob('obb', 1, {}, [SECTIONS[0], SECTIONS[0]])],
  [
    'an unknown type',
    () => writeBlob('obb', 1, {}, [{ name: 'x', data: new BigInt64Array(1) as unknown as Uint8Array }]),
  ],
])('the writer refuses %s', async (_, written) => {
  await expect(written()).rejects.toThrow(RangeError);
});

test('the writer refuses more than a checksum can be made of, before it allocates', async () => {
  const data = { byteLength: 2 ** 31, byteOffset: 0, length: 2 ** 28 } as unknown as Float64Array;
  await expect(writeBlob('obb', 1, {}, [{ name: 'x', data }])).rejects.toThrow(MeshError);
});

describe('refusals say where and what', () => {
  const entry = (i: number) => 32 + 32 * i;
  const put = (bytes: Uint8Array, at: number, text: string) => bytes.set(new TextEncoder().encode(text), at);
  const json = entry(SECTIONS.length);

  test.each<[string, (view: DataView, bytes: Uint8Array) => void, RegExp]>([
    ['magic', (_, b) => put(b, 0, 'gicolliD'), /^byte 0: expected "gicollid", found "gicolliD"$/],
    ['kind', (_, b) => put(b, 8, 'kdop'), /^byte 8: expected kind "obb", found "kdop"$/],
    [
      'newer version',
      (v) => v.setUint32(12, 4, true),
      /^byte 12: expected a version of obb that this reader knows \(3\), found 4$/,
    ],
    ['absurd length', (v) => v.setBigUint64(24, 2n ** 53n, true), /^byte 24: .*found 9007199254740992$/],
    ['too many sections', (v) => v.setUint32(16, 257, true), /^byte 16: expected at most 256 sections, found 257$/],
    ['more sections than bytes', (v) => v.setUint32(16, 200, true), /^byte 16: .*found 200$/],
    ['long JSON', (v) => v.setUint32(20, 2 ** 32 - 1, true), /^byte 20: .*found 4294967295$/],
    ['short JSON', (v) => v.setUint32(20, 80, true), /^byte 368: expected zeros before section nodes, found \d+$/],
    ['no JSON', (v) => v.setUint32(20, 0, true), /^byte 48: expected section nodes at byte 320, found 384$/],
    ['name', (_, b) => put(b, entry(1), 'No'), /^byte 64: expected a name of a-z, 0-9 and -, found "None"$/],
    ['inner NUL', (_, b) => put(b, entry(1), 'a\0b'), /^byte 64: .*found "a\\u0000be"$/],
    ['no name', (_, b) => b.fill(0, entry(1), entry(1) + 12), /^byte 64: .*found ""$/],
    ['name again', (_, b) => put(b, entry(1), 'nodes'), /^byte 64: .*found nodes again$/],
    ['type', (_, b) => put(b, entry(2) + 12, 'f16'), /^byte 108: expected u8, .*, f64, found "f16"$/],
    [
      'offset',
      (v) => v.setBigUint64(entry(0) + 16, 448n, true),
      /^byte 48: expected section nodes at byte 384, found 448$/,
    ],
    ['odd offset', (v) => v.setBigUint64(entry(0) + 16, 385n, true), /^byte 48: .*found 385$/],
    ['overlap', (v) => v.setBigUint64(entry(3) + 16, 384n, true), /^byte 144: .*found 384$/],
    ['count', (v) => v.setBigUint64(entry(2) + 24, 2n ** 61n, true), /^byte 120: expected at most \d+ .*found 23058/],
    ['count of all ones', (v) => v.setBigUint64(entry(7) + 24, 2n ** 64n - 1n, true), /^byte 280: .*found 18446744073/],
    ['unclaimed bytes', (v) => v.setBigUint64(entry(7) + 24, 2n, true), /found 1 bytes that no section holds$/],
    ['padding', (_, b) => b.set([1], 383), /^byte 383: expected zeros before section nodes, found 1$/],
    ['not JSON', (_, b) => put(b, json, '{]'), /^byte 288: expected JSON, found /],
    ['not UTF-8', (_, b) => b.set([0xff], json + 20), /^byte 288: expected JSON, found /],
    [
      'byte order mark',
      (_, b) => put(b, json, `\ufeff${JSON.stringify({ a: 'b'.repeat(82) })}`),
      /^byte 288: expected JSON, found /,
    ],
  ])('%s', async (_, change, message) => {
    expect((await refusedBlob(await changed(change))).message).toMatch(message);
  });

  test('a JSON value that is no object', async () => {
    for (const text of ['[1]', 'null', '"ab"', '12']) {
      const bytes = await writeBlob('obb', 3, { ab: text.length > 3 ? 1 : 10 }, []);
      put(bytes, 32, text.padEnd(bytes.length - 36));
      expect((await refusedBlob(resealed(bytes))).message).toBe('byte 32: expected a JSON object, found another value');
    }
  });

  test('JSON nested to overflow a stack', async () => {
    const depth = 2 ** 20;
    const bytes = await writeBlob('obb', 3, { a: '[]'.repeat(depth) }, []);
    put(bytes, 32, `{"a":${'['.repeat(depth)}0${']'.repeat(depth)} }`);
    expect((await refusedBlob(resealed(bytes))).message).toMatch(/JSON at most 64 deep, found 1048577$/);
  });

  test('a byte that is off is told as damage', async () => {
    const bytes = await sample();
    bytes[bytes.length - 5] ^= 1;
    const message = /^byte \d+: expected the checksum [0-9a-f]{8}, found [0-9a-f]{8}$/;
    expect((await refusedBlob(bytes)).message).toMatch(message);
    expect((await refusal(requireChecksum(bytes))).message).toMatch(message);
    const older = await writeBlob('obb', 1, HEADER, SECTIONS);
    older[older.length - 33] ^= 1;
    const longer = /^byte \d+: expected the checksum [0-9a-f]{64}, found [0-9a-f]{64}$/;
    expect((await refusedBlob(older, 'obb', [1])).message).toMatch(longer);
    expect((await refusal(requireChecksum(older))).message).toMatch(longer);
    expect((await refusal(requireChecksum(older.slice(0, 31)))).message).toMatch(/^byte 31: expected 32 bytes/);
  });

  test('no or several versions', async () => {
    expect((await refusedBlob(await sample(), 'obb', [1, 2])).message).toMatch(/knows \(1, 2\), found 3$/);
  });
});

describe('hostile bytes', () => {
  test('every truncation, as it is and with a checksum made for it; and bytes behind the end', async () => {
    const bytes = await sample();
    for (let length = 0; length < bytes.length; length++) {
      const { message } = await refusedBlob(bytes.slice(0, length));
      if (length >= 36) expect(message).toContain(`the end of the file after ${length}`);
      await refusedBlob(resealed(bytes.slice(0, length)));
    }
    for (const extra of [1, 3, 4, 28, 31, 32, 64, 1000]) {
      const longer = new Uint8Array(bytes.length + extra);
      longer.set(bytes);
      expect((await refusedBlob(longer)).message).toBe(
        `byte ${bytes.length}: expected the end, found ${longer.length} bytes`,
      );
      await refusedBlob(resealed(longer));
    }
  });

  test('every byte changed; random changes, seed 21: the checksum tells', { tags: ['quick', 'long'] }, async () => {
    const bytes = await sample();
    const random = seeded(21);
    for (let at = 0; at < bytes.length + (long ? 1400 : 100); at++) {
      const flipped = bytes.slice();
      for (let n = at < bytes.length ? 1 : 1 + random.below(4); n > 0; n--) {
        flipped[at < bytes.length ? at : random.below(bytes.length)] ^= 1 << random.below(8);
      }
      if (Buffer.compare(flipped, bytes) !== 0) await refusedBlob(flipped);
    }
  });

  /** Reads bytes with a right checksum: a refusal, or contents that, written again, read the same. */
  async function readsOrRefuses(bytes: Uint8Array): Promise<boolean> {
    const buffers = process.memoryUsage().arrayBuffers;
    const found = await readBlob(bytes, 'obb', [3], { take: true }).catch((error: unknown) => error);
    expect(process.memoryUsage().arrayBuffers - buffers).toBeLessThan(2 ** 20);
    if (found instanceof FormatError) return false;
    const { version, header, sections } = found as BlobContents;
    const listed = [...sections].map(([name, data]) => ({ name, data }));
    expect(listed.every(({ data }) => data.buffer === bytes.buffer)).toBe(true);
    const again = await readBlob(await writeBlob('obb', version, header, listed), 'obb', [3]);
    expectSame(again, JSON.parse(JSON.stringify(header)), listed);
    return true;
  }

  test('random changes under a right checksum, seed 22: refused or consistent', {
    tags: ['quick', 'long'],
  }, async () => {
    const bytes = await sample();
    const random = seeded(22);
    let read = 0;
    const runs = long ? 2000 : 350;
    for (let run = 0; run < runs; run++) {
      const flipped = bytes.slice();
      const within = run % 3 === 0 ? bytes.length : 384; // header, table and JSON more often than elements
      for (let n = 1 + random.below(3); n > 0; n--) {
        const at = random.below(within);
        flipped[at] = random.below(2) === 0 ? flipped[at] ^ (1 << random.below(8)) : random.below(256);
      }
      if (await readsOrRefuses(resealed(flipped))) read++;
    }
    expect(read).toBeGreaterThan(runs / 20);
    expect(read).toBeLessThan((runs * 5) / 6);
  });

  test('sizes up to 2^64 in every field of the table, seed 23', { tags: ['quick', 'long'] }, async () => {
    const random = seeded(23);
    const sizes = [
      0n,
      1n,
      63n,
      64n,
      2n ** 31n - 1n,
      2n ** 31n,
      2n ** 32n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 60n,
      2n ** 64n - 1n,
    ];
    for (let field = 16; field < 32 + 32 * SECTIONS.length; field += long ? 4 : 12) {
      for (const size of sizes) {
        await readsOrRefuses(await changed((view) => view.setUint32(field, Number(size & 0xffffffffn), true)));
        await readsOrRefuses(await changed((view) => view.setBigUint64(field - (field % 8), size, true)));
        const wild = BigInt(Math.floor(random.next() * 2 ** 53)) << BigInt(random.below(11));
        await readsOrRefuses(await changed((view) => view.setBigUint64(field - (field % 8), wild, true)));
      }
    }
  });
});
