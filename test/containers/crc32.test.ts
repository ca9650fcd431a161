/**
 * CRC-32: the published check value, zlib's function, and the definition bit by bit; with and
 * without WebAssembly.
 */
import { crc32 as crc32OfZlib } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { seeded } from '../support/random.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

/** ISO 3309, bit by bit. */
function bitwise(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const odd = ((sum ^ (byte >> bit)) & 1) === 1;
      sum = odd ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    }
  }
  return (sum ^ 0xffffffff) >>> 0;
}

describe.each(['WebAssembly', 'no WebAssembly'])('%s', (host) => {
  async function load(): Promise<(bytes: Uint8Array) => number> {
    if (host !== 'WebAssembly') vi.stubGlobal('WebAssembly', undefined);
    return (await import('../../src/containers/crc32.ts')).crc32;
  }

  test('the check value of its catalogue, and nothing', async () => {
    const crc32 = await load();
    expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
    expect(crc32(new Uint8Array(0))).toBe(0);
  });

  test('every length about the ends of lanes and chunks, at every alignment, seed 7', async () => {
    const crc32 = await load();
    const random = seeded(7);
    const bytes = Uint8Array.from({ length: 400_000 }, () => random.below(256));
    const chunk = 131072 - 4800;
    const lengths = [0, 1200, 4800, 2 ** 15, 4 * 4096 + 1200, chunk, chunk + 4800, 2 * chunk + 4800, 390_000];
    for (const length of lengths) {
      for (let more = length === 0 ? 0 : -20; more < 24; more++) {
        const start = random.below(64);
        const part = bytes.subarray(start, start + length + more);
        expect(crc32(part), `${part.length} bytes from ${start}`).toBe(crc32OfZlib(part));
        if (length <= 1200) expect(crc32(part)).toBe(bitwise(part));
      }
    }
  });

  test('zeros, ones, and any one bit that changes', async () => {
    const crc32 = await load();
    for (const value of [0, 255]) {
      const bytes = new Uint8Array(200_003).fill(value);
      const sum = crc32(bytes);
      expect(sum).toBe(crc32OfZlib(bytes));
      for (let at = 0; at < bytes.length; at += 9973) {
        bytes[at] ^= 1 << (at % 8);
        expect(crc32(bytes)).not.toBe(sum);
        bytes[at] = value;
      }
    }
  });

  test('bytes in shared memory, and none of them is written', async () => {
    const crc32 = await load();
    const shared = new Uint8Array(new SharedArrayBuffer(100_001)).fill(3);
    expect(crc32(shared)).toBe(crc32OfZlib(shared.slice()));
    expect(shared.every((byte) => byte === 3)).toBe(true);
  });
});
