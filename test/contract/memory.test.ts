/** An asset owns its memory: what becomes of the mesh, the bytes or the surface that it had to do with does not change it. */
import { serialize } from 'node:v8';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/engine/prepared.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { decodeFrep, encodeFrep } from '../../src/representations/frep/format.ts';
import { ball, objectFrom } from '../support/frep-programs.ts';
import { long, some } from '../support/long.ts';
import { bumpySphere } from '../support/shapes.ts';
import { variants } from './variants.ts';

const POSES = [translation(0.3, 0.1, 0), translation(1.2, 0.2, 0.1), translation(4, 0, 0)];

/** All that an asset is asked here: every contact in three poses by both ways, its surface, its file. */
async function answersOf(asset: Asset, { representation, encode }: (typeof variants)[number]): Promise<unknown> {
  const outcomes = POSES.flatMap((poseB) =>
    ([undefined, 'common'] as const).map((path) => {
      const { verdict, contacts } = check(asset, asset, { poseB, all: true, ...(path && { path }) });
      return { verdict, pairs: contacts.pairs };
    }),
  );
  return structuredClone({ outcomes, surface: representation.surface(asset), bytes: await encode(asset) });
}

/** Equal, without vitest's slow walk where they are equal to the byte. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!serialize(actual).equals(serialize(expected))) expect(actual).toEqual(expected);
}

/** Everything that the arrays hold is something else. */
function overwrite(...arrays: (Float64Array | Float32Array | Uint32Array | Uint8Array)[]): void {
  for (const array of arrays) array.fill(array instanceof Float64Array ? 1e3 : 0);
}

describe.each([...variants, ...variants.filter(({ name }) => name.startsWith('gi')).map(embedding)])(
  '$name',
  (variant) => {
    const { build, encode, decode, representation } = variant;
    const mesh = (): Mesh => bumpySphere(1, long ? 2 : 1);
    /** Positions that float32 does not hold, so that they are kept as they are. */
    const fine = (): Mesh => ({ ...mesh(), positions: mesh().positions.map((x) => x * (1 + 2 ** -40)) });

    const provenanceOf = () => ({
      source: { name: 'a.obj', sha256: 'ab'.repeat(32) },
      options: { scale: 2 },
    });
    const answersTo = async (make: () => Mesh) => answersOf(build(make(), provenanceOf()), variant);
    /** What one says whose fine mesh nobody touches. */
    let answers: Promise<unknown> | undefined;
    const untouched = (): Promise<unknown> => (answers ??= answersTo(fine));

    test.each(some(representation.name === 'gi' ? 1 : 2, [fine, mesh]))(
      'a mesh may be changed once it is built',
      { tags: ['quick', 'long'] },
      async (make) => {
        const given = make();
        const provenance = provenanceOf();
        const asset = build(given, provenance);
        overwrite(given.positions, given.triangles);
        provenance.source.name = 'b.obj';
        provenance.options.scale = 3;
        expectSame(await answersOf(asset, variant), await (make === fine ? untouched() : answersTo(make)));
      },
    );

    test('bytes may be changed once they are read', { tags: ['quick', 'long'] }, async () => {
      const given = (await encode(build(fine(), provenanceOf()))).slice();
      const asset = await decode(given);
      overwrite(given);
      expectSame(await answersOf(asset, variant), await untouched());
    });

    test('an asset that takes mesh and bytes over answers the same', { tags: ['quick', 'long'] }, async () => {
      const built = build(fine(), { ...provenanceOf(), take: true });
      expectSame(await answersOf(built, variant), await untouched());
      const bytes = await encode(built);
      const asset = await decode(bytes.slice(), { take: true });
      expectSame(await answersOf(asset, variant), await untouched());
    });

    test('a surface may be changed, too', { tags: ['quick', 'long'] }, async () => {
      const asset = build(fine(), provenanceOf());
      await answersOf(asset, variant);
      const { positions, triangles } = representation.surface(asset);
      overwrite(positions, triangles);
      expectSame(await answersOf(asset, variant), await untouched());
    });
  },
);

/** The same with the source's triangles in it. */
function embedding(variant: (typeof variants)[number]): (typeof variants)[number] {
  return {
    ...variant,
    name: `${variant.name} with its source`,
    build: (mesh, options) => variant.build(mesh, { ...options, embedSource: true }),
  };
}

test('bytes of an F-rep may be changed once they are read', async () => {
  const bytes = await encodeFrep(objectFrom((to) => ball(to, 0.5)));
  const given = bytes.slice();
  const { asset } = await decodeFrep(given);
  overwrite(given);
  const expected = (await decodeFrep(bytes)).asset;
  expect(asset).toEqual(expected);
  expect(check(asset, expected).verdict).toBe('contact');
});
