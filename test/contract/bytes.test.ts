/** Every representation's bytes: round trips, determinism, and what `info` is told. */
import { describe, expect, test } from 'vitest';
import type { Asset } from '../../src/engine/representation.ts';
import { KINDS, sniffKind } from '../../src/representations/kinds.ts';
import { long } from '../support/long.ts';
import { bumpySphere } from '../support/shapes.ts';
import { variants } from './variants.ts';

const provenance = () => ({
  source: { name: 'b\u00fcmpy "1".obj', sha256: 'ab'.repeat(32) },
  units: 'mm',
  options: { scale: 2 },
});

test('names and endings are unlike each other', () => {
  expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length);
  expect(new Set(KINDS.map(({ extension }) => extension)).size).toBe(KINDS.length);
  for (const { extension } of KINDS) expect(extension).toMatch(/^\.[a-z]+$/);
});

describe.each(variants)('$name', ({ representation, triangles: isTriangles, build, encode, decode }) => {
  const mesh = bumpySphere(1, long ? 3 : 1);
  const asset = build(mesh, provenance());
  const encoded = encode(asset);

  test('decodes to what was encoded, and encodes to the same again', { tags: ['quick', 'long'] }, async () => {
    const bytes = await encoded;
    const decoded = await decode(bytes);
    // An encoder may add options of its own to those of the build.
    const { header } = asset as Asset & { header: { options: object } };
    expect(decoded).toEqual({ ...asset, header: { ...header, options: expect.objectContaining(header.options) } });
    expect(await encode(decoded)).toEqual(bytes);
    // Bytes that do not start at a multiple of anything in their buffer.
    const shifted = new Uint8Array(bytes.length + 3).subarray(3);
    shifted.set(bytes);
    expect(await decode(shifted)).toEqual(decoded);
  });

  test('two builds give the same bytes, and leave the mesh as it is', { tags: ['quick', 'long'] }, async () => {
    const fresh = bumpySphere(1, long ? 3 : 1);
    const before = structuredClone(fresh);
    expect(await encode(build(fresh, provenance()))).toEqual(await encoded);
    expect(fresh).toEqual(before);
  });

  test('is told by its first bytes', async () => {
    const bytes = await encoded;
    expect(sniffKind(bytes)?.name).toBe(representation.name);
    expect(KINDS.filter((kind) => kind.sniff(bytes)).map(({ name }) => name)).toEqual([representation.name]);
    for (let length = 0; length < 16; length++) expect(() => sniffKind(bytes.subarray(0, length))).not.toThrow();
    expect(sniffKind(new Uint8Array(0))).toBeUndefined();
    expect(sniffKind(new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'))).toBeUndefined();
  });

  test('describes itself: sizes, levels, tolerance, source and content hash', { tags: ['quick', 'long'] }, async () => {
    const bytes = await encoded;
    const description = await representation.describe(asset, bytes);
    const triangles = representation.surface(asset).triangles.length / 3;
    expect(description).toMatchObject({
      representation: representation.name,
      ...(isTriangles && { triangles, bytesPerTriangle: bytes.length / triangles }),
      levels: representation.depth(asset) + 1,
      tolerance: representation.tolerance(asset),
      fileBytes: bytes.length,
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      ...provenance(),
      options: expect.objectContaining({ scale: 2 }),
      tool: expect.stringMatching(/gicollide/),
    });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
    expect(await representation.describe(await decode(bytes), bytes)).toMatchObject({
      contentHash: description.contentHash,
    });
    const other = build(bumpySphere(2, 2), provenance());
    const otherHash = (await representation.describe(other, await encode(other))).contentHash;
    expect(otherHash).not.toBe(description.contentHash);
    // In memory, without a file.
    const unsaved = await representation.describe(asset, null);
    expect(unsaved).toMatchObject({ fileBytes: null });
    if (isTriangles) expect(unsaved).toMatchObject({ triangles, bytesPerTriangle: null });
  });
});
