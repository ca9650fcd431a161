/** Text that is packed comes back, by the page's own reader and by another program. */
import { spawnSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pack } from '../../scripts/pack-text.mjs';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';

// Its types are those of a page.
const path = '../../src/viewer/page/unpack.ts';
const { unpack }: { unpack(packed: Uint8Array, count: number): Uint8Array } = await import(/* @vite-ignore */ path);

const hasXz = spawnSync('xz', ['--version']).status === 0;

/** The bytes by the page's reader, and by xz. */
function readBack(packed: Uint8Array, count: number): Buffer[] {
  const own = Buffer.from(unpack(packed, count));
  if (!hasXz) return [own];
  const args = ['--format=raw', '--lzma1=lc=4,lp=0,pb=0,dict=4MiB', '-dc'];
  // There is no end mark, so it waits for more.
  const { stdout } = spawnSync('xz', args, { input: packed, maxBuffer: 2 ** 26 });
  return [own, stdout.subarray(0, count)];
}

function expectSame(bytes: Uint8Array): Uint8Array {
  const packed = pack(bytes);
  for (const back of readBack(packed, bytes.length)) expect(Buffer.compare(back, bytes)).toBe(0);
  return packed;
}

test.each([
  ['nothing', []],
  ['one byte', [7]],
  ['two bytes', [255, 0]],
  ['a run of 3,000', new Array(3000).fill(65)],
  ['all bytes, twice', Array.from({ length: 512 }, (_, i) => i & 255)],
  ['pairs', Array.from({ length: 999 }, (_, i) => (i % 2) + (i % 7 === 0 ? 9 : 0))],
])('%s', (_, bytes) => {
  expectSame(Uint8Array.from(bytes));
});

test.each(Array.from({ length: long ? 200 : 12 }, (_, seed) => seed))('copies from near and far, seed %i', (seed) => {
  const { below } = seeded(seed);
  const letters = 1 + below(256);
  const bytes: number[] = [];
  while (bytes.length < 30_000) {
    const distance = below(2) === 0 ? 1 + below(20) : 1 + below(bytes.length);
    if (below(3) === 0 || distance > bytes.length) for (let i = below(30); i >= 0; i--) bytes.push(below(letters));
    else for (let i = below(below(8) === 0 ? 900 : 12); i >= 0; i--) bytes.push(bytes[bytes.length - distance]);
  }
  expectSame(Uint8Array.from(bytes));
});

test('the same bytes again, and fewer than gzip needs', () => {
  const text = Array.from({ length: 4000 }, (_, i) => `const value${i} = compute(${i * 7}, "${i % 13}");`).join('\n');
  const bytes = Buffer.from(text);
  const packed = expectSame(bytes);
  expect(Buffer.compare(pack(bytes), packed)).toBe(0);
  expect(packed.length).toBeLessThan(0.9 * gzipSync(bytes, { level: 9 }).length);
});
