/** Sound files of every kind, small ones: what mutants are made of. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { CODECS } from '../../src/library.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { encodeFrep } from '../../src/representations/frep/format.ts';
import { BUILDERS } from '../support/builders.ts';
import { ball, objectFrom, objectOf, perturbed, polynomial, randomProgram, waves } from '../support/frep-programs.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, octasphere, together, torus } from '../support/shapes.ts';

export interface Base {
  name: string;
  kind: 'gi' | 'kdop' | 'obb' | 'voxel' | 'frep';
  bytes: Uint8Array;
}

const small: Mesh = octasphere(1);
const smooth: Mesh = bumpySphere(2, 2);
const larger: Mesh = bumpySphere(2, 1);
/** Triangles that are points and segments among others. */
const odd: Mesh = together(small, {
  positions: Float64Array.of(2, 0, 0, 3, 0, 0),
  triangles: Uint32Array.of(0, 0, 0, 0, 1, 0),
});
const single: Mesh = {
  positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
  triangles: Uint32Array.of(0, 1, 2),
  groups: [],
};
const provenance = { source: { name: 'bumpy.obj', sha256: 'ab'.repeat(32) } };

/** Mesh, options of the build and of writing. */
const BUILT: [Base['kind'], Mesh, object, object?][] = [
  ['gi', smooth, { size: 17 }, { compression: 'deflate' }],
  ['gi', smooth, { size: 33, spheres: 'seed' }, { compression: 'lzw' }],
  ['gi', smooth, { size: 17, embedSource: true }, { compression: 'none' }],
  ['gi', torus(6, 4), { size: 17 }, { compression: 'none' }],
  ['gi', torus(6, 4), { size: 17 }, { compression: 'deflate', pages: ['geometry', 'normals'] }],
  ['gi', torus(8, 6), { size: 17, embedSource: true }, { compression: 'deflate' }],
  ['kdop', larger, { k: 24, bits: 16 }],
  ['kdop', small, { k: 6, bits: 8 }],
  ['kdop', odd, { k: 14, bits: 12 }],
  ['kdop', small, { k: 18, bits: 27 }],
  ['kdop', larger, { k: 26, bits: 36 }],
  ['kdop', single, { k: 24, bits: 32 }],
  ['obb', larger, { nodeBytes: 40 }],
  ['obb', odd, { nodeBytes: 40 }],
  ['obb', larger, { nodeBytes: 20 }],
  ['obb', single, { nodeBytes: 20 }],
  ['obb', larger, { nodeBytes: 64 }],
  ['obb', odd, { nodeBytes: 64 }],
  ['voxel', larger, { precision: 0.3 }],
  ['voxel', larger, { precision: 0.4, fill: true }],
  ['voxel', single, { precision: 4 }],
];

const GOLDEN: [Base['kind'], string][] = [
  ['gi', 'box-17-v1.tiff'],
  ['gi', 'box-17-v3.tiff'],
  ['gi', 'box-17-v4.tiff'],
  ['obb', 'box-obb64-v1.obb'],
  ['kdop', 'box-kdop24-v1.kdop'],
  ['frep', 'part-frep-v1.frep'],
  ['frep', 'part-frep-v2.frep'],
  ['frep', 'part-frep-v3.frep'],
];

/** All of them, in an order that is always the same; `golden`: the folder of the golden files. */
export async function makeBases(golden: string): Promise<Base[]> {
  const bases: Base[] = [];
  for (const [kind, mesh, options, written = {}] of BUILT) {
    const asset = BUILDERS[kind].build(mesh, { ...options, ...provenance });
    const bytes = await CODECS[kind].encode(asset, sharpCodec, written);
    bases.push({ name: [kind, ...Object.values(options)].join(' '), kind, bytes });
  }
  for (const [kind, file] of GOLDEN)
    bases.push({ name: file, kind, bytes: new Uint8Array(readFileSync(join(golden, file))) });
  const random = seeded(5);
  const objects = [
    objectFrom((to) => perturbed(to, ball(to, 0.7), ball(to, 0.3, [0.4, 0, 0]), 2)),
    objectFrom((to) => waves(to, [0.5, 3, 1, 0, 0.2, 0.1, 0, 9, 2, 1])),
    objectFrom((to) =>
      polynomial(
        to,
        3,
        Array.from({ length: 20 }, (_, i) => 0.3 - (i % 3) / 4),
      ),
    ),
    ...Array.from({ length: 3 }, () => objectOf(randomProgram(random))),
  ];
  for (const [i, object] of objects.entries()) {
    bases.push({ name: `frep ${i}`, kind: 'frep', bytes: await encodeFrep(object) });
  }
  return bases;
}
