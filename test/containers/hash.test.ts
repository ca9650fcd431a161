/** SHA-256 without Web Crypto, against Node's own. */
import { createHash } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { sha256, sha256OfSamples } from '../../src/containers/hash.ts';
import { seeded } from '../support/random.ts';

afterEach(() => vi.unstubAllGlobals());

const random = seeded(11);
const bytesOf = (length: number) => Uint8Array.from({ length }, () => random.below(256));
const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.each([
  ['without Web Crypto', undefined],
  ['on a page of plain http', {}],
])('%s, lengths 0 to 300 and larger ones (seed 11)', async (_, crypto) => {
  vi.stubGlobal('crypto', crypto);
  for (let length = 0; length <= 300; length++) {
    const bytes = bytesOf(length);
    expect([length, await sha256(bytes)]).toEqual([length, expected(bytes)]);
  }
  for (const length of [4095, 4096, 4097, 100_003]) {
    const bytes = bytesOf(length + 3).subarray(3);
    expect([length, await sha256(bytes)]).toEqual([length, expected(bytes)]);
  }
});

test('of samples, the same with and without Web Crypto', async () => {
  const samples = Uint16Array.from({ length: 1000 }, () => random.below(65_536));
  const digest = await sha256OfSamples(samples);
  vi.stubGlobal('crypto', {});
  expect(await sha256OfSamples(samples)).toBe(digest);
});
