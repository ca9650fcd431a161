/**
 * A new kind is a folder, its row in kinds.ts, and a name in each list of the library: here the
 * table and the codecs are given a toy, and everything works with it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../src/engine/bound-tree.ts';
import type { Asset, Builder, Codec, Representation } from '../../src/engine/representation.ts';
import { build, check, InputError, openPair, prepare, read, translation, write } from '../../src/index.ts';
import { CODECS } from '../../src/library.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { KINDS, kindNamed, register, representationNamed, representationOf } from '../../src/representations/kinds.ts';
import { box } from '../support/shapes.ts';

/** The mesh's bounding box, a hull of eight corners. */
interface BoundingBox extends Asset {
  representation: 'toy';
  low: number[];
  high: number[];
}

const boxOf = ({ positions }: Mesh): BoundingBox => {
  const along = (axis: number) => positions.filter((_, i) => i % 3 === axis);
  return {
    representation: 'toy',
    low: [0, 1, 2].map((axis) => Math.min(...along(axis))),
    high: [0, 1, 2].map((axis) => Math.max(...along(axis))),
  };
};

const surface = ({ low, high }: BoundingBox) => ({
  positions: Float64Array.of(...low, ...high, low[0], high[1], low[2]),
  triangles: Uint32Array.of(0, 1, 2),
});

const toy: Representation<BoundingBox> = {
  name: 'toy',
  tolerance: () => null,
  units: () => null,
  describe: async () => ({ representation: 'toy' }),
  verify: () => ({ checked: 1, what: 'box', problems: [] }),
  surface,
  depth: () => 0,
  boundsOfLevel: surface,
  unfold({ low, high }, node, into) {
    if (node !== ROOT) return;
    const at = into.leaf(0, 1);
    for (let axis = 0; axis < 3; axis++) {
      into.bounds[at + axis] = (low[axis] + high[axis]) / 2;
      into.bounds[at + 4 * (axis + 1) + axis] = 1;
      into.bounds[at + 4 * (axis + 1) + 3] = ((high[axis] - low[axis]) / 2) * (1 + 1e-12);
    }
  },
  hull({ low, high }, _, out) {
    for (let corner = 0; corner < 8; corner++)
      for (let axis = 0; axis < 3; axis++) out[3 * corner + axis] = (corner >> axis) & 1 ? high[axis] : low[axis];
    return 8;
  },
  reach: ({ low, high }) => 1.001 * Math.sqrt([...low, ...high].reduce((sum, x) => sum + x * x, 0)),
};

const codec: Codec<BoundingBox> = {
  encode: async (asset) => new TextEncoder().encode(`toy${JSON.stringify(asset)}`),
  decode: async (bytes) => ({ asset: JSON.parse(new TextDecoder().decode(bytes.subarray(3))), warnings: [] }),
};
const builder: Builder<BoundingBox> = { build: boxOf, options: {} };

beforeAll(() => {
  KINDS.push({
    ...{ name: 'toy', noun: 'a toy', plural: 'toys', extension: '.toy', geometry: 1, options: {} },
    sniff: (bytes) => new TextDecoder().decode(bytes.subarray(0, 3)) === 'toy',
    codec: async () => codec,
    code: async () => toy,
    builder: async () => builder,
  });
  register(toy);
  CODECS.toy = codec;
});
afterAll(() => {
  KINDS.pop();
  delete CODECS.toy;
});

test('it is built, written, read, verified and checked against every other', async () => {
  const built = (await kindNamed('toy').builder!()).build(box(), {}) as BoundingBox;
  expect(built).toEqual({ representation: 'toy', low: [-0.5, -0.5, -0.5], high: [0.5, 0.5, 0.5] });
  const { asset } = await read(await write(built));
  expect(asset).toEqual(built);
  expect(representationOf(asset)).toBe(toy);
  expect(representationNamed('toy')?.verify(asset).problems).toEqual([]);
  const obb = build(box(), { format: 'obb' });
  for (const [x, verdict] of [
    [0.9, 'contact'],
    [1.1, 'clear'],
  ] as const) {
    const poseB = translation(x, 0, 0);
    expect(check(asset, obb, { poseB }).verdict).toBe(verdict);
    expect(check(obb, asset, { poseB }).verdict).toBe(verdict);
    expect(check(asset, asset, { poseB }).verdict).toBe(verdict);
    expect(openPair(asset, obb, { questions: 1000 }).verdict(poseB)).toBe(verdict);
    expect(prepare(asset, asset).verdict(poseB)).toBe(verdict);
  }
  expect(check(asset, obb, { poseB: translation(2, 0, 0), distance: true }).distance).toBeCloseTo(1, 9);
});

test('options of other kinds are refused by its name', () => {
  const built = boxOf(box());
  expect(() => check(built, built, { lod: 3 })).toThrow(
    'lod: one of the two must be a geometry image, found toy and toy',
  );
  expect(() => build(box(), { format: 'toys' } as object)).toThrow(InputError);
});
