/** Geometry images: 16-bit TIFFs whose pixels are the surface and whose alpha is its bounding-sphere tree. */
import { sha256, sha256OfSamples } from '../../containers/hash.ts';
import { isTiff, readDirectories } from '../../containers/tiff.ts';
import type { Representation } from '../../query/representation.ts';
import { buildGeometryImage } from './build.ts';
import { decodeGeometryImage, encodeGeometryImage } from './codec.ts';
import { countReversed, type GeometryImage, sizeOf, toMesh } from './geometry-image.ts';
import { checkGeometryImages } from './native.ts';
import { sphereMesh } from './sphere-mesh.ts';
import { subsample } from './subsample.ts';
import { hullOfGeometryImage, reachOfGeometryImage, unfoldGeometryImage } from './unfold.ts';
import { verifyGeometryImage } from './verify.ts';

export const gi: Representation<GeometryImage> = {
  name: 'gi',
  extension: '.tiff',
  sniff: isTiff,
  build: buildGeometryImage,
  encode: encodeGeometryImage,
  decode: decodeGeometryImage,
  tolerance: () => null,
  units: ({ header }) => header.units,
  describe,
  verify: verifyGeometryImage,
  surface: toMesh,
  depth: (image) => image.exponent,
  boundsOfLevel: sphereMesh,
  unfold: unfoldGeometryImage,
  hull: hullOfGeometryImage,
  reach: reachOfGeometryImage,
  coarser: subsample,
  native: checkGeometryImages,
};

/**
 * What `info` shows. Bytes are accounted as the paper does (section 3): s = 3 (2^n + 1)^2 samples for the geometry, s for the
 * normals, 2s for the tree: 1.5s of centres, 0.5s of radii.
 */
async function describe(image: GeometryImage, bytes: Uint8Array | null) {
  const side = sizeOf(image.exponent);
  const s = 2 * 3 * side * side;
  const stored = bytes ? readDirectories(bytes).map((page) => page.byteCounts.reduce((sum, n) => sum + n, 0)) : [];
  const treeBytes = image.tree.page.byteLength;
  const { tool, source, units, options } = image.header;
  const triangles = 2 * (side - 1) * (side - 1);
  const roles = ['geometry', ...(image.normals ? ['normals'] : []), 'spheres'];
  const samples = [image.geometry, ...(image.normals ? [image.normals] : []), image.tree.page];
  const digests = await Promise.all(samples.map(sha256OfSamples));
  const pages = roles.map((role, i) => ({
    role,
    width: role === 'spheres' ? 3 << (image.exponent - 1) : side,
    height: role === 'spheres' ? 1 << image.exponent : side,
    channels: role === 'spheres' ? 4 : 3,
    bytes: samples[i].byteLength,
    // A foreign file may hold other pages than ours.
    storedBytes: stored.length === roles.length ? stored[i] : i === 0 ? (stored[0] ?? null) : null,
    sha256: digests[i],
  }));
  return {
    representation: 'gi',
    size: side,
    vertices: side * side,
    triangles,
    reversed: countReversed(image),
    levels: image.exponent + 1,
    origin: Array.from(image.origin),
    step: image.step,
    extent: 65535 * image.step,
    tolerance: null,
    pages,
    // Of what the surface and its spheres are, whatever the compression and the names in the header.
    contentHash: await sha256(
      new TextEncoder().encode(
        JSON.stringify([digests, Array.from(image.origin), image.step, Array.from(image.tree.radiusSteps)]),
      ),
    ),
    accounting: {
      s,
      geometry: image.geometry.byteLength / s,
      normals: (image.normals?.byteLength ?? 0) / s,
      tree: treeBytes / s,
      total: (image.geometry.byteLength + (image.normals?.byteLength ?? 0) + treeBytes) / s,
    },
    fileBytes: bytes?.length ?? null,
    bytesPerTriangle: bytes ? bytes.length / triangles : null,
    source,
    units,
    options,
    tool,
  };
}
