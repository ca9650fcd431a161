/** What the contract tests run over: every representation of the registry, some of them built in several ways. */
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Asset, Representation } from '../../src/query/representation.ts';
import { representations } from '../../src/representations/registry.ts';
import { long } from '../support/long.ts';

/** Ways to build that deserve a test of their own. A representation that is not listed is built with its defaults. */
const OPTIONS: Record<string, object[]> = {
  gi: [
    { size: 17, spheres: 'tight' },
    { size: 33, spheres: 'seed' },
  ],
  kdop: [
    { k: 24, bits: 16 },
    { k: 6, bits: 8 },
    { k: 18, bits: 27 },
  ],
  obb: [{ nodeBytes: 40 }, { nodeBytes: 20 }],
};

export interface Variant {
  name: string;
  /** Whether it is the first of its representation. */
  isFirst: boolean;
  representation: Representation<Asset>;
  build(mesh: Mesh, options?: object): Asset;
  encode(asset: Asset): Promise<Uint8Array>;
  decode(bytes: Uint8Array): Promise<Asset>;
}

export const variants: Variant[] = representations.flatMap((representation) =>
  (OPTIONS[representation.name] ?? [{}]).map((own, i) => ({
    isFirst: i === 0,
    name: [representation.name, ...Object.values(own)].join(' '),
    representation,
    build: (mesh, options) => representation.build(mesh, { ...own, ...options }),
    encode: (asset) => representation.encode(asset, sharpCodec, {}),
    decode: async (bytes) => (await representation.decode(bytes, sharpCodec)).asset,
  })),
);

/**
 * The ordered pairs that a test runs over: of all representations, each in its first variant, and every variant with itself; in the long
 * run every variant with every other.
 */
export function pairsOf<T extends Variant>(list: T[]): [T, T][] {
  return list.flatMap((a) =>
    list.filter((b) => long || (a.isFirst && b.isFirst) || a.name === b.name).map((b): [T, T] => [a, b]),
  );
}
