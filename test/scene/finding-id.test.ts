/** Ids against Web Crypto's SHA-256: names of every length about a block's end, and of letters of several bytes. */
import { expect, test } from 'vitest';
import { sha256 } from '../../src/containers/hash.ts';
import { findingId } from '../../src/scene/finding-id.ts';

const digestOf = async (parts: (string | null)[]): Promise<string> =>
  (await sha256(new TextEncoder().encode(JSON.stringify(parts)))).slice(0, 16);

test('the first letters of the digest of rule and names, the lesser first', async () => {
  for (let length = 0; length < 200; length++) {
    const name = 'wall-\u00e9\u4e2d'.repeat(30).slice(0, length);
    expect(findingId(null, `b${name}`, 'a')).toBe(await digestOf([null, 'a', `b${name}`]));
  }
  expect(findingId('rule', 'a', 'b')).toBe(await digestOf(['rule', 'a', 'b']));
  expect(findingId('rule', 'a', 'b')).not.toBe(findingId('rules', 'a', 'b'));
});
