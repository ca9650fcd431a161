/** Blobs with a right checksum and wrong contents: each is refused in one line, soon, whatever its numbers say. */
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError } from '../../../src/base/errors.ts';
import { type SectionArray, writeBlob } from '../../../src/containers/blob.ts';
import { decodeKdopTree, encodeKdopTree } from '../../../src/representations/kdop/format.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { depthOfKdopTree, dopMesh, isLeaf } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { verifyKdopTree } from '../../../src/representations/kdop/tree/verify.ts';
import { type Edit, edited, type Sections } from '../../support/edited.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere } from '../../support/shapes.ts';
import { countsSteps, stepsSoFar } from '../../support/steps.ts';

// Steps of the files that ran before this one in the same process don't count.
beforeAll(() => void stepsSoFar());

const mesh = bumpySphere(5, 1);
const triangles = mesh.triangles.length / 3;
const nodes = 2 * triangles - 1;
const WIDTHS = [8, 11, 16, 32, 35] as const;
const files = new Map<number, Uint8Array>();
for (const bits of WIDTHS) files.set(bits, await encodeKdopTree(buildKdopTree(mesh, { k: 18, bits })));
const fileOf = (bits: number): Uint8Array => files.get(bits)!;

const linksOf = (sections: Sections) => sections.get('links') as Uint32Array;
const firstLeaf = (links: Uint32Array) => links.findIndex((link) => isLeaf(link));
/** Inner nodes, the root first. */
const branches = (links: Uint32Array) => [...links.keys()].filter((node) => !isLeaf(links[node]));

test.each<[string, (links: Uint32Array) => void, RegExp]>([
  [
    'the root its own child',
    (links) => {
      links[0] = 0;
    },
    /children of node 0 after it, below \d+, found 0$/,
  ],
  [
    'a node its own sibling',
    (links) => {
      const [, node] = branches(links);
      links[node] = (node - 1) << 1;
    },
    /children of node \d+ after it, below \d+, found \d+$/,
  ],
  [
    'a cycle further down',
    (links) => {
      const [, , node] = branches(links);
      links[node] = 1 << 1;
    },
    /children of node \d+ after it, below \d+, found 1$/,
  ],
  [
    'a child beyond the end',
    (links) => {
      links[0] = nodes << 1;
    },
    /children of node 0 after it, below 159, found 159$/,
  ],
  [
    'a sibling beyond the end',
    (links) => {
      links[0] = (nodes - 1) << 1;
    },
    /children of node 0 after it, below 159, found 158$/,
  ],
  [
    'a child beyond 2^30',
    (links) => {
      links[0] = 0xfffffffe;
    },
    /children of node 0 after it, below 159, found 2147483647$/,
  ],
  [
    'two parents of the same two',
    (links) => {
      links.set([1 << 1, 3 << 1, 3 << 1]);
    },
    /every node once, found children 3 twice$/,
  ],
  [
    'two parents of one node',
    (links) => {
      links.set([1 << 1, 5 << 1, 4 << 1]);
    },
    /every node once, found children 4 twice$/,
  ],
  [
    'two parents of one node, the other way round',
    (links) => {
      links.set([1 << 1, 4 << 1, 5 << 1]);
    },
    /every node once, found children 5 twice$/,
  ],
  [
    'the root a leaf',
    (links) => {
      links[0] = 1;
    },
    /a parent before node 1, found none$/,
  ],
  [
    'a branch cut off',
    (links) => {
      const last = branches(links).at(-1) as number;
      const child = links[last] >> 1;
      links[last] = links[child];
    },
    /a parent before node \d+, found none$/,
  ],
  [
    'a triangle that is none',
    (links) => {
      links[firstLeaf(links)] = (triangles << 1) | 1;
    },
    /triangle numbers below 80, found 80 at node \d+$/,
  ],
  [
    'a triangle beyond 2^31',
    (links) => {
      links[firstLeaf(links)] = 0xffffffff;
    },
    /triangle numbers below 80, found 2147483647 at node \d+$/,
  ],
  [
    'a triangle twice',
    (links) => {
      const [first, second] = [...links.keys()].filter((node) => isLeaf(links[node]));
      links[second] = links[first];
    },
    /every triangle once, found triangle \d+ twice$/,
  ],
])('links: %s', async (_, edit, message) => {
  expect(
    (await refusal(decodeKdopTree(await edited(fileOf(16), (sections) => edit(linksOf(sections)))))).message,
  ).toMatch(message);
});

describe('a coefficient', () => {
  /** Sets coefficient i of a node in any stream, bit by bit. */
  function set(sections: Sections, bits: number, node: number, i: number, value: number): void {
    const { buffer } = sections.get('coefficients') as SectionArray;
    const bytes = new Uint8Array(buffer);
    for (let bit = 0; bit < bits; bit++) {
      const at = (18 * node + i) * bits + bit;
      const isSet = (BigInt(value) >> BigInt(bit)) & 1n;
      bytes[at >> 3] = (bytes[at >> 3] & ~(1 << (at & 7))) | (Number(isSet) << (at & 7));
    }
  }

  test.each(WIDTHS)('of %i bits beyond the least', async (bits) => {
    const most = 2 ** (bits - 1) - 1;
    for (const [node, i] of [
      [0, 0],
      [7, 8],
      [7, 9],
      [nodes - 1, 17],
    ]) {
      const bytes = await edited(fileOf(bits), (sections) => set(sections, bits, node, i, -most - 1));
      expect((await refusal(decodeKdopTree(bytes))).message).toMatch(
        new RegExp(`^expected coefficients from ${-most}, found ${-most - 1} at node ${node}$`),
      );
    }
    // The least itself makes a slab that is inside out, unless the opposite is the largest.
    const inside = await edited(fileOf(bits), (sections) => set(sections, bits, 7, 9, -most));
    expect((await refusal(decodeKdopTree(inside))).message).toMatch(
      /opposite coefficients whose sum is not negative, found .* at node 7$/,
    );
    const sets = (d: number, opposite: number) =>
      edited(fileOf(bits), (sections) => {
        set(sections, bits, 7, 0, d);
        set(sections, bits, 7, 9, opposite);
      });
    expect((await refusal(decodeKdopTree(await sets(5, -6)))).message).toMatch(
      /sum is not negative, found 5 and -6 at node 7$/,
    );
    for (const [d, opposite] of [
      [most, -most],
      [5, -5],
    ]) {
      const { asset } = await decodeKdopTree(await sets(d, opposite));
      expect(verifyKdopTree(asset).problems.length).toBeGreaterThan(0);
    }
  });

  test.each([11, 35])('of %i bits, and one after the last', async (bits) => {
    const used = (18 * nodes * bits) % 8;
    expect(used).toBeGreaterThan(0);
    for (let bit = used; bit < 8; bit++) {
      const bytes = await edited(fileOf(bits), (sections) => {
        const stream = sections.get('coefficients') as Uint8Array;
        stream[stream.length - 1] |= 1 << bit;
      });
      expect((await refusal(decodeKdopTree(bytes))).message).toBe(
        `expected zeros after the last coefficient, found ${1 << (bit - used)}`,
      );
    }
  });
});

test.each<[string, Edit, RegExp]>([
  [
    'no k',
    (_, h) => {
      delete h.k;
    },
    /k, one of 6, 14, 18, 24, 26, in the header, found nothing$/,
  ],
  [
    'another k',
    (_, h) => {
      h.k = 16;
    },
    /k, one of 6, 14, 18, 24, 26, in the header, found 16$/,
  ],
  [
    'a k of text',
    (_, h) => {
      h.k = '18';
    },
    /k, one of .* found "18"$/,
  ],
  [
    'a k that is known but not this',
    (_, h) => {
      h.k = 26;
    },
    /4134 elements in section coefficients, found 2862$/,
  ],
  [
    'bits below 8',
    (_, h) => {
      h.bits = 7;
    },
    /bits, 8 to 36, in the header, found 7$/,
  ],
  [
    'bits above 36',
    (_, h) => {
      h.bits = 37;
    },
    /bits, 8 to 36, .* found 37$/,
  ],
  [
    'bits and a half',
    (_, h) => {
      h.bits = 16.5;
    },
    /bits, 8 to 36, .* found 16.5$/,
  ],
  [
    'bits of another type of section',
    (_, h) => {
      h.bits = 17;
    },
    /section coefficients of u8, found i16$/,
  ],
  [
    'an exponent below the least',
    (_, h) => {
      h.exponent = -901;
    },
    /exponent, -900 to 340, in the header, found -901$/,
  ],
  [
    'an exponent above the largest',
    (_, h) => {
      h.exponent = 341;
    },
    /exponent, -900 to 340, .* found 341$/,
  ],
  [
    'an exponent and a half',
    (_, h) => {
      h.exponent = 0.5;
    },
    /exponent, .* found 0.5$/,
  ],
  [
    'an origin of text',
    (_, h) => {
      h.origin = ['0', '0', '0'];
    },
    /origin, three coordinates, .* found \["0","0","0"\]$/,
  ],
  [
    'an origin of two',
    (_, h) => {
      h.origin = [0, 0];
    },
    /origin, three coordinates,/,
  ],
  [
    'an origin too far',
    (_, h) => {
      h.origin = [0, 2e100, 0];
    },
    /origin, three coordinates, .* found \[0,2e\+100,0\]$/,
  ],
  [
    'one triangle more',
    (_, h) => {
      h.triangles = triangles + 1;
    },
    /243 elements in section triangles, found 240$/,
  ],
  [
    'no count',
    (_, h) => {
      delete h.vertices;
    },
    /vertices, a count, in the header, found nothing$/,
  ],
  [
    'no triangles at all',
    (_, h) => {
      h.triangles = 0;
    },
    /triangles, a count, .* found 0$/,
  ],
  [
    'a count that is negative',
    (_, h) => {
      h.vertices = -42;
    },
    /vertices, a count, .* found -42$/,
  ],
  [
    'a huge count that is allowed',
    (_, h) => {
      h.triangles = 2 ** 30;
    },
    /3221225472 elements in section triangles, found 240$/,
  ],
  [
    'a huge count of vertices',
    (_, h) => {
      h.vertices = 2 ** 30;
    },
    /3221225472 elements in section positions/,
  ],
  [
    'a count beyond all',
    (_, h) => {
      h.triangles = 2 ** 40;
    },
    /triangles, a count, .* found 1099511627776$/,
  ],
  [
    'options of lists',
    (_, h) => {
      h.options = { k: [] };
    },
    /options in the header/,
  ],
  [
    'a source of text',
    (_, h) => {
      h.source = 'box.obj';
    },
    /source, a name and a digest,/,
  ],
  [
    'a vertex of NaN',
    (s) => {
      (s.get('positions') as SectionArray)[4] = Number.NaN;
    },
    /coordinates up to 1e\+100, found NaN at vertex 1$/,
  ],
  [
    'a vertex beyond the largest',
    (s) => {
      (s.get('positions') as SectionArray)[5] = -2e100;
    },
    /coordinates up to 1e\+100, found -2e\+100 at vertex 1$/,
  ],
  [
    'a wild corner',
    (s) => {
      (s.get('triangles') as SectionArray)[7] = 1e6;
    },
    /vertex numbers below 42, found 1000000 in triangle 2$/,
  ],
  [
    'a section cut short',
    (s) => {
      s.set('links', linksOf(s).slice(1));
    },
    /159 elements in section links, found 158$/,
  ],
  [
    'links of another type',
    (s) => {
      s.set('links', new Float32Array(nodes));
    },
    /section links of u32, found f32$/,
  ],
  [
    'no coefficients',
    (s) => {
      s.delete('coefficients');
    },
    /a section coefficients, found positions, triangles, links$/,
  ],
])('%s', async (_, edit, message) => {
  expect((await refusal(decodeKdopTree(await edited(fileOf(16), edit)))).message).toMatch(message);
});

describe('a chain', () => {
  /** A tree of n leaves: branch b has the children 2b + 1, which goes on, and 2b + 2, a leaf. All in one point. */
  async function chain(n: number): Promise<Uint8Array> {
    const links = new Uint32Array(2 * n - 1);
    for (let b = 0; b < n - 1; b++) {
      links[b === 0 ? 0 : 2 * b - 1] = (2 * b + 1) << 1;
      links[2 * b + 2] = (b << 1) | 1;
    }
    links[n === 1 ? 0 : 2 * n - 3] = ((n - 1) << 1) | 1;
    const header = {
      tool: 't',
      source: null,
      units: null,
      options: {},
      k: 6,
      bits: 8,
      triangles: n,
      vertices: 1,
      origin: [0, 0, 0],
      exponent: 0,
    };
    return writeBlob('kdop', 1, header, [
      { name: 'positions', data: new Float32Array(3) },
      { name: 'triangles', data: new Uint32Array(3 * n) },
      { name: 'coefficients', data: new Uint8Array(6 * links.length) },
      { name: 'links', data: links },
    ]);
  }

  test.each([1, 2, 129])('of %i leaves is a tree', async (n) => {
    const { asset } = await decodeKdopTree(await chain(n));
    expect(depthOfKdopTree(asset)).toBe(n - 1);
    expect(verifyKdopTree(asset).problems).toEqual([]);
  });

  test.each([130, 10_000, 300_000])('of %i leaves is too deep', async (n) => {
    expect((await refusal(decodeKdopTree(await chain(n)))).message).toMatch(
      /a tree of at most 128 levels, found a deeper one$/,
    );
  });
});

describe.each(WIDTHS)('%i bits', (bits) => {
  test.each([7])(
    'numbers of chance under a right checksum: refused, or a tree that verify can judge, seed %i',
    { tags: ['all'] },
    async (seed) => {
      const random = seeded(seed + bits);
      let accepted = 0;
      let refuted = 0;
      for (let i = 0; i < 120; i++) {
        const bytes = await edited(fileOf(bits), (sections) => {
          const data = sections.get(random.pick([...sections.keys()])) as SectionArray;
          const words = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
          words[random.below(words.length)] ^= 1 << random.below(8);
        });
        const result = await decodeKdopTree(bytes).catch((error: unknown) => error);
        if (result instanceof FormatError) continue;
        accepted++;
        const { asset } = result as Awaited<ReturnType<typeof decodeKdopTree>>;
        if (verifyKdopTree(asset).problems.length > 0) refuted++;
      }
      expect(accepted).toBeGreaterThan(10);
      expect(refuted).toBeGreaterThan(5);
    },
  );
});

test('any scale and origin that a header may have is judged, not crashed on', async () => {
  for (const exponent of [-900, -500, 340]) {
    for (const origin of [
      [0, 0, 0],
      [1e100, -1e100, 1e100],
    ]) {
      const bytes = await edited(fileOf(35), (_, header) => Object.assign(header, { exponent, origin }));
      const { asset } = await decodeKdopTree(bytes);
      expect(verifyKdopTree(asset).checked).toBe(nodes);
      if (exponent < 0) expect(verifyKdopTree(asset).problems.length).toBeGreaterThan(0);
    }
  }
});

test.each(WIDTHS)(
  'k-DOPs beside their triangles are refuted and not drawn: drawing them went on for ever, %i bits',
  async (bits) => {
    const { asset } = await decodeKdopTree(fileOf(bits));
    const { coefficients, k } = asset;
    const wide = 2 ** (bits - 2);
    for (let at = 0; at < coefficients.length; at += k) {
      // All slabs somewhere else, as wide as they were.
      for (let i = at; i < at + k / 2; i++) {
        coefficients[i] = wide;
        coefficients[i + k / 2] = -wide;
      }
    }
    const { asset: moved } = await decodeKdopTree(await encodeKdopTree(asset));
    expect(verifyKdopTree(moved).problems.length).toBeGreaterThan(0);
    for (let level = 0; level <= depthOfKdopTree(moved); level++) {
      expect(() => dopMesh(moved, level)).toThrow(
        /^expected a k-DOP of node \d+ that holds the triangles below it, found/,
      );
    }
  },
);

test.skipIf(!countsSteps)('no count of a file is believed before it is checked: all of this took few steps', () => {
  expect(stepsSoFar()).toBeLessThan(1e8);
});
