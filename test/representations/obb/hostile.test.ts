/** Blobs with a right checksum and wrong contents: each is refused in one line, soon, whatever its words say. */
import { describe, expect, test } from 'vitest';
import { readBlob, type SectionArray, writeBlob } from '../../../src/containers/blob.ts';
import { FormatError } from '../../../src/math/errors.ts';
import { buildObbTree } from '../../../src/representations/obb/build.ts';
import { decodeObbTree, encodeObbTree } from '../../../src/representations/obb/codec.ts';
import { verifyObbTree } from '../../../src/representations/obb/verify.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere } from '../../support/shapes.ts';

type Sections = Map<string, SectionArray>;
type Edit = (sections: Sections, header: Record<string, unknown>) => void;

const mesh = bumpySphere(5, 1);
const triangles = mesh.triangles.length / 3;
const files = {
  40: await encodeObbTree(buildObbTree(mesh)),
  20: await encodeObbTree(buildObbTree(mesh, { nodeBytes: 20 })),
};

/** The file with its contents changed and its checksum right. */
async function edited(nodeBytes: 40 | 20, edit: Edit): Promise<Uint8Array> {
  const { header, sections } = await readBlob(files[nodeBytes].slice(), 'obb', [1]);
  const copies: Sections = new Map([...sections].map(([name, data]) => [name, data.slice()]));
  edit(copies, header);
  return writeBlob(
    'obb',
    1,
    header,
    [...copies].map(([name, data]) => ({ name, data })),
  );
}

async function refusal(bytes: Uint8Array): Promise<string> {
  const start = performance.now();
  const error = await decodeObbTree(bytes).then(
    () => new Error('not refused'),
    (e: Error) => e,
  );
  expect(performance.now() - start).toBeLessThan(1000);
  expect(error).toBeInstanceOf(FormatError);
  expect(error.message).not.toMatch(/\n/);
  return error.message;
}

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
      /nodeBytes, 40 or 20/,
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
    expect(await refusal(await edited(40, edit))).toMatch(message);
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
    expect(await refusal(blob)).toMatch(/a tree of at most 256 levels, found a deeper one/);
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
    expect(await refusal(await edited(20, edit))).toMatch(message);
  });
});

describe.each([40, 20] as const)('%i bytes a node', (nodeBytes) => {
  test.each([7, 8])(
    'words of chance under a right checksum: refused, or a tree that verify can judge, seed %i',
    async (seed) => {
      const random = seeded(seed);
      let accepted = 0;
      for (let i = 0; i < 150; i++) {
        const bytes = await edited(nodeBytes, (sections) => {
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

  test('a truncated file is refused', async () => {
    for (let i = 0; i < 60; i++)
      await refusal(files[nodeBytes].slice(0, Math.floor((i / 60) * files[nodeBytes].length)));
  });
});
