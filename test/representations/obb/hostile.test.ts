/** Blobs with a right checksum and wrong contents: each is refused in one line, soon, whatever its words say. */
import { beforeAll, describe, expect, test } from 'vitest';
import { FormatError } from '../../../src/base/errors.ts';
import { writeBlob } from '../../../src/containers/blob.ts';
import { decodeObbTree, encodeObbTree } from '../../../src/representations/obb/format.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import { type Edit, edited, type Sections } from '../../support/edited.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere } from '../../support/shapes.ts';
import { countsSteps, stepsSoFar } from '../../support/steps.ts';

// Steps of the files that ran before this one in the same process don't count.
beforeAll(() => void stepsSoFar());

const mesh = bumpySphere(5, 1);
const triangles = mesh.triangles.length / 3;
const files = {
  40: await encodeObbTree(buildObbTree(mesh)),
  20: await encodeObbTree(buildObbTree(mesh, { nodeBytes: 20 })),
  64: await encodeObbTree(buildObbTree(mesh, { nodeBytes: 64 })),
};

const nodes = (sections: Sections) => sections.get('nodes') as Uint32Array;
const shorts = (sections: Sections) => sections.get('nodes') as Uint16Array;
const floats = (sections: Sections) => new Float32Array(sections.get('nodes')!.buffer);
const firstLeaf = (words: Uint32Array) =>
  Array.from({ length: words.length / 10 }, (_, i) => i).find((i) => words[10 * i + 9] & 1)!;

describe('40 bytes a node', () => {
  test.each<[string, Edit, RegExp]>([
    [
      'the root its own child',
      (s) => {
        nodes(s)[9] = 0;
      },
      /children after node 0, found node 0/,
    ],
    [
      'a cycle further down',
      (s) => {
        nodes(s)[19] = 2;
      },
      /children after node 1, found node 1/,
    ],
    [
      'a child beyond the end',
      (s) => {
        nodes(s)[9] = 2 * 100_000;
      },
      /node numbers below \d+, found 10000\d/,
    ],
    [
      'a child beyond 2^31',
      (s) => {
        nodes(s)[9] = 0xfffffffe;
      },
      /node numbers below/,
    ],
    [
      'two parents',
      (s) => {
        nodes(s)[19] = nodes(s)[29];
      },
      /every node once|children after|nodes in the tree|triangle/,
    ],
    [
      'the root a leaf',
      (s) => {
        nodes(s)[9] = 1;
      },
      /triangles in the tree, found 1/,
    ],
    [
      'a wild triangle',
      (s) => {
        nodes(s)[10 * firstLeaf(nodes(s)) + 9] = (triangles << 1) | 1;
      },
      /triangle numbers below \d+, found \d+ at node/,
    ],
    [
      'a triangle twice',
      (s) => {
        for (let i = 0, last = 0; i < nodes(s).length; i += 10) {
          if (!(nodes(s)[i + 9] & 1)) continue;
          if (last) nodes(s)[i + 9] = last;
          last ||= nodes(s)[i + 9];
        }
      },
      /every triangle once/,
    ],
    [
      'a quaternion longer than 1',
      (s) => {
        floats(s)[0] = 1.5;
      },
      /quaternion with x\^2 \+ y\^2 \+ z\^2 <= 1 at node 0/,
    ],
    [
      'a quaternion of NaN',
      (s) => {
        floats(s)[11] = Number.NaN;
      },
      /quaternion .* at node 1, found NaN/,
    ],
    [
      'an extent of NaN',
      (s) => {
        floats(s)[6] = Number.NaN;
      },
      /centre and half extents at node 0/,
    ],
    [
      'a negative extent',
      (s) => {
        floats(s)[7] = -1;
      },
      /half extents at node 0, found -1/,
    ],
    [
      'an infinite centre',
      (s) => {
        floats(s)[3] = Number.POSITIVE_INFINITY;
      },
      /centre .* at node 0, found Infinity/,
    ],
    [
      'a vertex of NaN',
      (s) => {
        s.get('positions')![4] = Number.NaN;
      },
      /coordinates up to .* NaN at vertex 1/,
    ],
    [
      'a wild corner',
      (s) => {
        s.get('triangles')![7] = 1e6;
      },
      /vertex numbers below \d+, found 1000000 in triangle 2/,
    ],
    [
      'nodes too few',
      (s) => {
        s.set('nodes', nodes(s).slice(10));
      },
      /elements in section nodes/,
    ],
    [
      'nodes of another type',
      (s) => {
        s.set('nodes', new Uint16Array(nodes(s).length));
      },
      /section nodes of u32, found u16/,
    ],
    [
      'no triangles',
      (s) => {
        s.delete('triangles');
      },
      /a section triangles/,
    ],
    [
      'counts that do not fit',
      (_, h) => {
        h.triangles = triangles + 1;
      },
      /elements in section triangles/,
    ],
    [
      'no count',
      (_, h) => {
        delete h.vertices;
      },
      /vertices, a count, .* found nothing/,
    ],
    [
      'a huge count',
      (_, h) => {
        h.triangles = 2 ** 40;
      },
      /triangles, a count/,
    ],
    [
      'another node size',
      (_, h) => {
        h.nodeBytes = 24;
      },
      /nodeBytes, 40, 20 or 64/,
    ],
    [
      'an origin of text',
      (_, h) => {
        h.origin = ['0', '0', '0'];
      },
      /origin, three coordinates/,
    ],
    [
      'options of lists',
      (_, h) => {
        h.options = { nodeBytes: [] };
      },
      /options/,
    ],
  ])('%s', async (_, edit, message) => {
    expect((await refusal(decodeObbTree(await edited(files[40], edit)))).message).toMatch(message);
  });

  test('a chain of ten thousand levels', async () => {
    const n = 10_000;
    const chain = new Uint32Array(10 * (2 * n - 1));
    // The k-th inner node has the children 2k + 1, which goes on, and 2k + 2, a leaf.
    for (let k = 0; k < n - 1; k++) {
      const inner = k === 0 ? 0 : 2 * k - 1;
      chain[10 * inner + 9] = (2 * k + 1) << 1;
      chain[10 * (2 * k + 2) + 9] = (k << 1) | 1;
    }
    chain[10 * (2 * n - 3) + 9] = ((n - 1) << 1) | 1;
    const blob = await writeBlob(
      'obb',
      1,
      {
        tool: 't',
        source: null,
        units: null,
        options: {},
        nodeBytes: 40,
        triangles: n,
        vertices: 1,
        origin: [0, 0, 0],
        scale: [1, 1],
      },
      [
        { name: 'positions', data: new Float32Array(3) },
        { name: 'triangles', data: new Uint32Array(3 * n) },
        { name: 'nodes', data: chain },
      ],
    );
    expect((await refusal(decodeObbTree(blob))).message).toMatch(/a tree of at most 256 levels, found a deeper one/);
  });
});

describe('20 bytes a node', () => {
  test.each<[string, Edit, RegExp]>([
    [
      'a positive child of none',
      (s) => {
        shorts(s)[9] = 0;
      },
      /positive child of 1 to \d+ triangles at node 0, found 0/,
    ],
    [
      'a positive child of all',
      (s) => {
        shorts(s)[9] = triangles;
      },
      /positive child of 1 to/,
    ],
    [
      'an order that repeats',
      (s) => {
        s.get('order')![1] = s.get('order')![0] as number;
      },
      /every triangle once/,
    ],
    [
      'an order that leaves the mesh',
      (s) => {
        s.get('order')![1] = triangles;
      },
      /triangle numbers below/,
    ],
    [
      'an order too short',
      (s) => {
        s.set('order', s.get('order')!.slice(1));
      },
      /elements in section order/,
    ],
    [
      'a quaternion longer than 1',
      (s) => {
        shorts(s)[0] = 32767;
        shorts(s)[1] = 32767;
      },
      /quaternion/,
    ],
    [
      'a scale of 0',
      (_, h) => {
        h.scale = [0, 1];
      },
      /scale, two lengths/,
    ],
  ])('%s', async (_, edit, message) => {
    expect((await refusal(decodeObbTree(await edited(files[20], edit)))).message).toMatch(message);
  });
});

describe('64 bytes a node', () => {
  const bytesOf = (sections: Sections) => new Uint8Array(nodes(sections).buffer);
  const halves = (sections: Sections) => new Uint16Array(nodes(sections).buffer);
  /** The first node whose link has the bit of a leaf, or not. */
  const firstNode = (sections: Sections, leaf: number) =>
    Array.from({ length: nodes(sections).length / 16 }, (_, i) => i).find(
      (i) => (nodes(sections)[16 * i + 9] & 1) === leaf,
    )!;

  test.each<[string, Edit, RegExp]>([
    [
      'the root its own child',
      (s) => {
        nodes(s)[9] = 3 << 1;
      },
      /children after node 0, found node 0/,
    ],
    [
      'children beyond the end',
      (s) => {
        nodes(s)[9] = ((nodes(s).length / 16 - 3) << 3) | (3 << 1);
      },
      /node numbers below \d+, found \d+/,
    ],
    [
      'an index of 2^29 - 1',
      (s) => {
        nodes(s)[9] = 0xfffffffe;
      },
      /node numbers below/,
    ],
    [
      'a leaf beyond the order',
      (s) => {
        nodes(s)[16 * firstNode(s, 1) + 9] = 0xffffffff;
      },
      /places below \d+ in the order of triangles, found 536870914/,
    ],
    [
      'two parents',
      (s) => {
        nodes(s)[16 * 1 + 9] = nodes(s)[16 * 2 + 9];
      },
      /every (node|triangle) once/,
    ],
    [
      'the root a leaf',
      (s) => {
        nodes(s)[9] = (3 << 1) | 1;
      },
      /triangles in the tree, found 4/,
    ],
    [
      'a child less',
      (s) => {
        const link = nodes(s)[9];
        nodes(s)[9] = link - (1 << 1);
        for (let k = 40; k < 64; k += 4) bytesOf(s)[k + ((link >> 1) & 3)] = k < 52 ? 255 : 0;
      },
      /triangles in the tree, found \d+/,
    ],
    [
      'a node that nothing leads to',
      (s) => {
        const more = new Uint32Array(nodes(s).length + 16);
        more.set(nodes(s));
        s.set('nodes', more);
      },
      /nodes in the tree, found/,
    ],
    [
      'half a node',
      (s) => {
        s.set('nodes', nodes(s).slice(8));
      },
      /nodes of 64 bytes, one at least, found \d+ bytes/,
    ],
    [
      'no nodes',
      (s) => {
        s.set('nodes', new Uint32Array(0));
      },
      /nodes of 64 bytes, one at least, found 0 bytes/,
    ],
    [
      'nodes of another type',
      (s) => {
        s.set('nodes', new Uint16Array(2 * nodes(s).length));
      },
      /section nodes of u32, found u16/,
    ],
    [
      'an order that repeats',
      (s) => {
        s.get('order')![1] = s.get('order')![0] as number;
      },
      /every triangle once/,
    ],
    [
      'an order that leaves the mesh',
      (s) => {
        s.get('order')![1] = triangles;
      },
      /triangle numbers below/,
    ],
    [
      'an order too short',
      (s) => {
        s.set('order', s.get('order')!.slice(1));
      },
      /elements in section order/,
    ],
    [
      'an axis too long',
      (s) => {
        halves(s).fill(32767, 0, 1);
        halves(s).fill(32767, 4, 5);
      },
      /three unit axes at right angles at node 0/,
    ],
    [
      'no axes',
      (s) => {
        halves(s).fill(0, 32, 44);
      },
      /three unit axes at right angles at node 1, found -1/,
    ],
    [
      'an axis a 4,000th askew',
      (s) => {
        halves(s).set([32767, 0, 0, 1, 0, 32767, 8, 1, 0, 0, 32767, 1], 32);
      },
      /three unit axes at right angles at node 1, found 0.0002/,
    ],
    [
      'a half extent of NaN',
      (s) => {
        halves(s)[3] = 0x7fc0;
      },
      /half extents at node 0, found NaN/,
    ],
    [
      'an infinite half extent',
      (s) => {
        halves(s)[7] = 0x7f80;
      },
      /half extents at node 0, found Infinity/,
    ],
    [
      'a half extent that children would overflow',
      (s) => {
        halves(s)[11] = 0x7f00;
      },
      /half extents at node 0, found 1.7/,
    ],
    [
      'a negative half extent',
      (s) => {
        halves(s)[32 + 3] |= 0x8000;
      },
      /half extents at node 1, found -/,
    ],
    [
      'a half extent of minus zero',
      (s) => {
        halves(s)[32 + 3] = 0x8000;
      },
      /half extents at node 1/,
    ],
    [
      'an infinite centre',
      (s) => {
        floats(s)[6] = Number.NEGATIVE_INFINITY;
      },
      /a centre at node 0, found -Infinity/,
    ],
    [
      'a box of a child that is not there',
      (s) => {
        const lone = Array.from({ length: nodes(s).length / 16 }, (_, i) => i).find(
          (i) => ((nodes(s)[16 * i + 9] >> 1) & 3) < 3,
        )!;
        bytesOf(s)[64 * lone + 43] = 0;
      },
      /no box of child 3 at node \d+, found 0/,
    ],
    [
      'no order',
      (s) => {
        s.delete('order');
      },
      /a section order/,
    ],
  ])('%s', async (_, edit, message) => {
    expect((await refusal(decodeObbTree(await edited(files[64], edit)))).message).toMatch(message);
  });

  test('a chain of ten thousand levels', async () => {
    const n = 10_000;
    const chain = new Uint32Array(16 * n);
    const unit = [32767, 0, 0, 1, 0, 32767, 0, 1, 0, 0, 32767, 1];
    for (let k = 0; k < n; k++) {
      new Uint16Array(chain.buffer, 64 * k, 12).set(unit);
      chain[16 * k + 9] = k < n - 1 ? (k + 1) << 3 : 1;
      new Uint8Array(chain.buffer, 64 * k + 40, 12).fill(255);
      for (let i = 40; i < 52; i += 4) new Uint8Array(chain.buffer, 64 * k)[i] = 0;
    }
    const bytes = await edited(files[64], (sections, header) => {
      header.triangles = 1;
      sections.set('triangles', new Uint32Array(3));
      sections.set('order', new Uint32Array(1));
      sections.set('nodes', chain);
    });
    expect((await refusal(decodeObbTree(bytes))).message).toMatch(/a tree of at most 64 levels, found a deeper one/);
  });

  test.each([83, 84])(
    'verify finds a child that was shrunk, and a node, seed %i',
    { tags: ['quick', 'long'] },
    async (seed) => {
      const random = seeded(seed);
      for (let trial = 0; trial < (long ? 30 : 15); trial++) {
        const tree = buildObbTree(bumpySphere(seed, long ? 2 : 1), { nodeBytes: 64 });
        const node = trial === 0 ? 0 : random.below(tree.nodes.length / 64);
        const words = new Uint32Array(tree.nodes.buffer, 64 * node, 16);
        const child = random.below(((words[9] >> 1) & 3) + 1);
        const shorts = new Uint16Array(tree.nodes.buffer, 64 * node, 12);
        // Along the longest axis: along the shortest a box may be mere rounding.
        const axis = [0, 1, 2].reduce((best, i) => (shorts[4 * i + 3] > shorts[4 * best + 3] ? i : best));
        const at = 64 * node + 40 + 4 * axis + child;
        const which = trial % 3;
        if (which === 0) tree.nodes[at] += 2;
        else if (which === 1) tree.nodes[at + 12] -= 2;
        else shorts[4 * axis + 3] -= 16;
        const { problems } = verifyObbTree(tree);
        expect(problems.length).toBeGreaterThanOrEqual(1);
        for (const problem of problems)
          expect(problem).toMatch(new RegExp(`^the box of child \\d of node ${node} does not hold triangle \\d+$`));
        if (which < 2) expect(problems[0]).toMatch(new RegExp(`child ${child} of`));
      }
    },
  );
});

describe.each([40, 20, 64] as const)('%i bytes a node', (nodeBytes) => {
  test.each(some(1, [7, 8]))(
    'words of chance under a right checksum: refused, or a tree that verify can judge, seed %i',
    { tags: ['quick', 'long'] },
    async (seed) => {
      const random = seeded(seed);
      let accepted = 0;
      for (let i = 0; i < (long ? 150 : 80); i++) {
        const bytes = await edited(files[nodeBytes], (sections) => {
          const names = [...sections.keys()];
          const data = sections.get(names[random.below(names.length)]) as Uint32Array;
          const words = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
          words[random.below(words.length)] ^= 1 << random.below(8);
        });
        const result = await decodeObbTree(bytes).catch((error: unknown) => error);
        if (result instanceof FormatError) continue;
        accepted++;
        const { asset } = result as Awaited<ReturnType<typeof decodeObbTree>>;
        expect(verifyObbTree(asset).checked).toBeGreaterThan(0);
      }
      expect(accepted).toBeGreaterThan(10);
    },
  );
});

test.skipIf(!countsSteps)('no count of a file is believed before it is checked: all of this took few steps', () => {
  expect(stepsSoFar()).toBeLessThan(1e8);
});
