/**
 * Geometry images: 16-bit TIFFs whose pixels are the surface and whose alpha is its bounding-sphere
 * tree.
 */
import { sha256, sha256OfSamples } from '../../containers/hash.ts';
import { readDirectories } from '../../containers/tiff.ts';
import type { Representation } from '../../query/representation.ts';
import { updateGeometryImage } from './build/update.ts';
import { decodeGeometryImage, encodeGeometryImage } from './format/codec.ts';
import { kernel, place, search, searchSources } from './search/index.ts';
import { countReversed, countsOf, type GeometryImage, toMesh } from './tree/geometry-image.ts';
import { sizeOf } from './tree/grid.ts';
import { piecesOfImage } from './tree/image-pieces.ts';
import { depthOf } from './tree/levels.ts';
import { sourceView } from './tree/source-view.ts';
import { discMesh, sphereMesh } from './tree/sphere-mesh.ts';
import { subsample, subsampleWithin } from './tree/subsample.ts';
import { treeHeight, treeWidth } from './tree/tree-page.ts';
import { boxOfGeometryImage, hullOfGeometryImage, reachOfGeometryImage, unfoldGeometryImage } from './tree/unfold.ts';
import { verifyGeometryImage } from './tree/verify.ts';

export const gi: Representation<GeometryImage> = {
  name: 'gi',
  encode: encodeGeometryImage,
  decode: decodeGeometryImage,
  update: updateGeometryImage,
  tolerance: ({ tolerance }) => tolerance,
  source: sourceView,
  units: ({ header }) => header.units,
  describe,
  verify: verifyGeometryImage,
  surface: toMesh,
  pieces: piecesOfImage,
  depth: depthOf,
  boundsOfLevel: sphereMesh,
  volumes: discMesh,
  unfold: unfoldGeometryImage,
  hull: hullOfGeometryImage,
  reach: reachOfGeometryImage,
  primitives: ({ quads }) => 2 * quads,
  box: boxOfGeometryImage,
  options: {
    lod: { instead: subsample },
    maxError: { instead: subsampleWithin },
  },
  search,
  searchSources,
  kernel,
  place,
};

/**
 * What `info` shows. Bytes are accounted as the paper does (section 3): s = 3 (2^n + 1)^2 samples
 * for the geometry, s for the normals, 2s for the tree: 1.5s of centres, 0.5s of radii. Ours has
 * another half for the deviation, and 2s for the slabs.
 */
async function describe(image: GeometryImage, bytes: Uint8Array | null) {
  const { groups } = image;
  const { vertices, triangles } = countsOf(image);
  const s = 2 * groups.reduce((sum, { geometry }) => sum + geometry.length, 0);
  const stored = bytes ? readDirectories(bytes).map((page) => page.byteCounts.reduce((sum, n) => sum + n, 0)) : [];
  const { tool, source, units, options } = image.header;
  const parts = groups.flatMap(({ exponent, count, geometry, normals, tree, deviation }) => {
    const side = sizeOf(exponent);
    const square = { width: side, height: side, channels: 3, charts: count };
    const page = { width: treeWidth(exponent), height: treeHeight(exponent), channels: 4, charts: count };
    return [
      { role: 'geometry', ...square, samples: geometry },
      ...(normals ? [{ role: 'normals', ...square, samples: normals }] : []),
      { role: 'spheres', ...page, samples: tree.page },
      ...(deviation ? [{ role: 'deviation', ...page, channels: 1, samples: deviation.page }] : []),
      ...(tree.slabs ? [{ role: 'slabs', ...page, samples: tree.slabs }] : []),
    ];
  });
  const digests = await Promise.all(parts.map(({ samples }) => sha256OfSamples(samples)));
  const pages = parts.map(({ role, width, height, channels, charts, samples }, i) => ({
    role,
    width,
    height,
    channels,
    ...(image.charts > 1 && { charts }),
    bytes: samples.byteLength,
    // A foreign file may hold other pages than ours.
    storedBytes: stored.length === parts.length ? stored[i] : i === 0 ? (stored[0] ?? null) : null,
    sha256: digests[i],
  }));
  const bytesOf = (role: string): number =>
    pages.reduce((sum, page) => sum + (page.role === role ? page.bytes : 0), 0) / s;
  const roles = ['geometry', 'normals', 'spheres', 'deviation', 'slabs'];
  const [geometry, normals, tree, deviation, slabs] = roles.map(bytesOf);
  const steps = groups.map(({ tree }) => Array.from(tree.radiusSteps));
  return {
    representation: 'gi',
    size: sizeOf(groups[0].exponent),
    ...(image.stored && { stored: `${image.stored.width} x ${image.stored.height}, padded to the size` }),
    charts: image.charts,
    vertices,
    triangles,
    reversed: countReversed(image),
    levels: depthOf(image) + 1,
    origin: Array.from(image.origin),
    step: image.step,
    extent: 65535 * image.step,
    tolerance: image.tolerance,
    embeddedSource: image.source && {
      triangles: image.source.triangles.length / 3,
      vertices: image.source.positions.length / 3,
      listed: image.source.items.length,
    },
    pages,
    // Of what the surface and its spheres are, whatever the compression and the names in the
    // header.
    contentHash: await sha256(
      new TextEncoder().encode(
        JSON.stringify([digests, Array.from(image.origin), image.step, ...(steps.length === 1 ? steps : [steps])]),
      ),
    ),
    accounting: { s, geometry, normals, tree, deviation, slabs, total: geometry + normals + tree + deviation + slabs },
    fileBytes: bytes?.length ?? null,
    bytesPerTriangle: bytes ? bytes.length / triangles : null,
    source,
    units,
    options,
    tool,
  };
}
