/** Documents of the viewer, as the command line makes them. */
import { build } from '../../src/api.ts';
import { utifCodec } from '../../src/containers/pixels-utif.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { writeBy } from '../../src/library.ts';
import { identity } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import type { ViewDocument, ViewObject } from '../../src/viewer/document.ts';
import { bumpySphere, torus } from './shapes.ts';

/** An asset of every kind, all about as large as a unit sphere. */
export function assetOfKind(kind: string): Asset {
  switch (kind) {
    case 'gi':
      return build(bumpySphere(3, 3), { format: 'gi', size: 17 });
    case 'kdop':
      return build(torus(24, 12), { format: 'kdop' });
    case 'obb':
      return build(bumpySphere(5, 3), { format: 'obb' });
    case 'voxel':
      return build(torus(24, 12), { format: 'voxel', precision: 0.1 });
    default:
      return build(readFrep(JSON.stringify(SPHERE)));
  }
}

const SPHERE = {
  domain: { min: [-1.5, -1.5, -1.5], max: [1.5, 1.5, 1.5] },
  object: { ellipsoid: { radii: [1, 1, 1] } },
};

export const KINDS = ['gi', 'kdop', 'obb', 'voxel', 'frep'];

/** A document of these objects, an asset each, and what lies beside it. */
export async function documentOf(
  objects: readonly ({ asset: Asset } & Partial<Omit<ViewObject, 'asset'>>)[],
  more: Partial<ViewDocument> = {},
): Promise<{ document: ViewDocument; files: Uint8Array[] }> {
  const files = await Promise.all(objects.map(({ asset }) => writeBy(utifCodec, asset)));
  const document: ViewDocument = {
    gicollide: 'view/1',
    ...{ title: 'a test', tool: 'gicollide', units: null },
    assets: objects.map(({ asset: { representation }, name = '' }, n) => {
      return { name: name || `asset ${n}`, representation, sha256: null, bytes: files[n].length };
    }),
    objects: objects.map(({ asset: _, ...object }, n) => {
      const own = { file: null, element: null, guid: null, pose: Array.from(identity()) };
      return { ...own, name: 'ab'[n] ?? `${n}`, ...object, asset: n };
    }),
    ...{ asked: {}, findings: [], summary: null, frames: [], baseline: null },
    again: { command: 'check', files: objects.map((_, n) => `${'ab'[n] ?? n}.bin`), options: [] },
    ...more,
  };
  return { document, files };
}

export const obbOf = (mesh: Mesh): Asset => build(mesh, { format: 'obb' });
