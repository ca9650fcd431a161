/**
 * What WebAssembly proves of large stored trees is what the readable passes find: the same extents
 * of sound trees, and no mutant that they refuse is taken.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import type { ObbTree } from '../../src/representations/obb/tree/obb-tree.ts';
import { extentIfProved } from '../../src/representations/obb/tree/reading.ts';
import { long, some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere } from '../support/shapes.ts';

const READING = '../../src/kernels/reading.ts';

afterEach(() => {
  vi.doUnmock(READING);
  vi.resetModules();
});

const mesh = bumpySphere(5, 4);

/** The same modules once more, where WebAssembly proves nothing. */
async function withoutModule<T>(path: string): Promise<T> {
  vi.resetModules();
  vi.doMock(READING, () => ({ reading: () => null, isProved: () => false, inChunks: () => false, WORTH_A_MODULE: 0 }));
  return (await import(path)) as T;
}

type Requirements = typeof import('../../src/representations/obb/tree/requirements.ts');

const WORDS = [0, 1, 2, 3, 255, 0x7e80, 0x7e81, 0x7f80, 0x8000, 0x7f800000, 0x7fc00000, 0x80000000, 0xffffffff];

/** Changes one field of 1, 2 or 4 bytes, more often of the first nodes. */
function change(bytes: Uint8Array, size: number, random: Random): void {
  const nodes = bytes.length / size;
  const node = random.below(random.below(3) === 0 ? Math.min(nodes, 40) : nodes);
  const width = random.pick([1, 2, 4]);
  const at = size * node + width * random.below(size / width);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const before = width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
  const how = random.below(3);
  const word =
    how === 0 ? random.pick(WORDS) : how === 1 ? before + random.below(9) - 4 : before ^ (1 << random.below(8 * width));
  if (width === 1) view.setUint8(at, word);
  else if (width === 2) view.setUint16(at, word, true);
  else view.setUint32(at, word, true);
}

describe.each([40, 64] as const)('%i bytes a node', (nodeBytes) => {
  test('a sound tree is proved, with the same extents', async () => {
    const { requireObbTree } = await withoutModule<Requirements>('../../src/representations/obb/tree/requirements.ts');
    for (const origin of [
      [0, 0, 0],
      [1e6, -3, 0.1],
    ]) {
      const tree = { ...buildObbTree(mesh, { nodeBytes }), origin: Float64Array.from(origin) };
      expect(tree.nodes.length).toBeGreaterThan(126272);
      const proved = extentIfProved(tree);
      expect(proved).not.toBeNull();
      expect(proved).toEqual(requireObbTree(tree));
    }
  });

  test.each(some(31, [32, 33]))(
    'mutants: none is proved that is refused, seed %i',
    { tags: ['quick', 'long'] },
    async (seed) => {
      const { requireObbTree } = await withoutModule<Requirements>(
        '../../src/representations/obb/tree/requirements.ts',
      );
      const random = seeded(seed + nodeBytes);
      const sound = buildObbTree(mesh, { nodeBytes });
      let proved = 0;
      let refused = 0;
      for (let run = 0; run < (long ? 2000 : 200); run++) {
        const tree: ObbTree = { ...sound, nodes: sound.nodes.slice(), order: sound.order?.slice() ?? null };
        if (tree.order && random.below(8) === 0)
          tree.order[random.below(tree.order.length)] = random.below(tree.order.length + 2);
        else change(tree.nodes, nodeBytes, random);
        const found = extentIfProved(tree);
        let expected: unknown = null;
        try {
          expected = requireObbTree(tree);
        } catch {
          refused++;
        }
        if (found) proved++;
        // Numbers near 1e100, which no tree of float32 has, are all that is left to the other pass.
        expect(found).toEqual(expected);
      }
      expect(proved).toBeGreaterThan(20);
      expect(refused).toBeGreaterThan(20);
    },
  );
});

test.each(some(41, [42, 43]))('mutants of k-DOP trees, seed %i', { tags: ['quick', 'long'] }, async (seed) => {
  const [{ areLinksProved, areCoefficientsProved }, format] = await Promise.all([
    import('../../src/representations/kdop/tree/reading.ts'),
    import('../../src/representations/kdop/format.ts'),
  ]);
  const { decodeKdopTree } = await withoutModule<typeof format>('../../src/representations/kdop/format.ts');
  const random = seeded(seed);
  for (const k of [6, 14, 18, 24, 26] as const) {
    for (const bits of [16, 12]) {
      const sound = buildKdopTree(mesh, { k, bits });
      const largest = 2 ** (bits - 1) - 1;
      expect([areLinksProved(sound), areCoefficientsProved(sound.coefficients, k, largest)]).toEqual([true, true]);
      for (let run = 0; run < (long ? 60 : 6); run++) {
        const tree = { ...sound, links: sound.links.slice(), coefficients: sound.coefficients.slice() };
        const isLink = random.below(2) === 0;
        const changed = isLink ? tree.links : tree.coefficients;
        const at = random.below(changed.length);
        const low = isLink ? 0 : -largest;
        changed[at] =
          random.below(2) === 0 ? changed[at] + random.below(7) - 3 : random.between(low, 2 * tree.links.length);
        if (!isLink && Math.abs(changed[at]) > largest) changed[at] = -largest - (bits === 16 ? 1 : 0);
        const isProved = areLinksProved(tree) && areCoefficientsProved(tree.coefficients, k, largest);
        const isRead = await decodeKdopTree(await format.encodeKdopTree(tree)).then(
          () => true,
          () => false,
        );
        expect(isProved, `k ${k}, ${bits} bits, ${isLink ? 'link' : 'coefficient'} ${at}: ${changed[at]}`).toBe(isRead);
      }
    }
  }
});
