/** What the contract tests run over: every representation of the registry, some of them built in several ways. */

import type { ReadOptions } from '../../src/containers/blob.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import type { Asset, Representation } from '../../src/engine/representation.ts';
import { CODECS } from '../../src/library.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { representations } from '../../src/representations/everything.ts';
import { BUILDERS } from '../support/builders.ts';
import { first, long } from '../support/long.ts';

/**
 * Ways to build that deserve a test of their own. A representation that is not listed is built with its defaults. `cells` is no option:
 * how many cubes go along the longest side, from which the precision follows.
 */
const OPTIONS: Record<string, object[]> = {
  gi: first(1, [
    { size: 17, spheres: 'tight' },
    { size: 33, spheres: 'seed' },
  ]),
  kdop: first(1, [
    { k: 24, bits: 16 },
    { k: 6, bits: 8 },
    { k: 18, bits: 27 },
  ]),
  obb: first(2, [{ nodeBytes: 40 }, { nodeBytes: 64 }, { nodeBytes: 20 }]),
  voxel: [{ cells: 12 }, { cells: 5, fill: true }],
};

/** Representations whose hulls are not the triangles of their surface. */
const NO_TRIANGLES = ['voxel'];

export interface Variant {
  name: string;
  /** Whether it is the first of its representation. */
  isFirst: boolean;
  /** Whether its hulls are the triangles of its surface. */
  triangles: boolean;
  representation: Representation<Asset>;
  build(mesh: Mesh, options?: object): Asset;
  encode(asset: Asset): Promise<Uint8Array>;
  decode(bytes: Uint8Array, options?: ReadOptions): Promise<Asset>;
}

/** The options to build a mesh with, the precision of cubes among them. */
function optionsFor(own: object, { positions }: Mesh): object {
  const { cells, ...options } = own as { cells?: number };
  if (cells === undefined) return options;
  let extent = 0;
  let reach = 0;
  for (let axis = 0; axis < 3; axis++) {
    const along = positions.filter((_, i) => i % 3 === axis);
    const [least, most] = [Math.min(...along), Math.max(...along)];
    extent = Math.max(extent, most - least);
    reach = Math.max(reach, Math.abs(least), Math.abs(most));
  }
  // Far from the origin there are no cubes as small as that.
  return { ...options, precision: Math.max(extent / cells, reach / 2 ** 20) };
}

/** Of what meshes can become; the others have tests of their own. */
export const variants: Variant[] = Object.keys(BUILDERS).flatMap((kind) => {
  const representation = representations.find(({ name }) => name === kind)!;
  return (OPTIONS[kind] ?? [{}]).map(
    (own, i): Variant => ({
      isFirst: i === 0,
      triangles: !NO_TRIANGLES.includes(kind),
      name: [kind, ...Object.values(own)].join(' '),
      representation,
      build: (mesh, options) => BUILDERS[kind].build(mesh, { ...optionsFor(own, mesh), ...options }),
      encode: (asset) => CODECS[kind].encode(asset, sharpCodec, {}),
      decode: async (bytes, options) => (await CODECS[kind].decode(bytes, sharpCodec, options)).asset,
    }),
  );
});

/** Those that an oracle for triangles can judge. The others have oracles of their own, beside their tests. */
export const triangulated = variants.filter(({ triangles }) => triangles);

/**
 * The ordered pairs that a test runs over: of all representations, each in its first variant, and every variant with itself; in the long
 * run every variant with every other.
 */
export function pairsOf<T extends Variant>(list: T[]): [T, T][] {
  return list.flatMap((a) =>
    list.filter((b) => long || (a.isFirst && b.isFirst) || a.name === b.name).map((b): [T, T] => [a, b]),
  );
}
