/**
 * Geometry images: 16-bit TIFFs whose pixels are the surface and whose alpha is its bounding-sphere
 * tree.
 */

import { sha256, sha256OfSamples } from '../../containers/hash.ts';
import { readDirectories, type TiffPage } from '../../containers/tiff-directory.ts';
import { registerOtherLeaves } from '../../engine/other-leaves.ts';
import type { Representation } from '../../engine/representation.ts';
import { type HeaderJson, parseDescription, rolesIn } from './format/codec.ts';
import { PAGE_ROLES, type PageRole, rolesOf, shapeOf } from './format/pages.ts';
import { updateGeometryImage } from './make/update.ts';
import { kernel, nearestSources, place, requireBounds, search, searchSources } from './search/index.ts';
import { countReversed, countsOf, type GeometryImage, toMesh } from './tree/geometry-image.ts';
import { sizeOf } from './tree/grid.ts';
import { piecesOfImage } from './tree/image-pieces.ts';
import { depthOf, discMesh, sphereMesh } from './tree/levels.ts';
import { sourceView } from './tree/source-view.ts';
import { subsample, subsampleWithin } from './tree/subsample.ts';
import { boxOfGeometryImage, hullOfGeometryImage, reachOfGeometryImage, unfoldGeometryImage } from './tree/unfold.ts';
import { verifyGeometryImage } from './tree/verify.ts';

export const gi: Representation<GeometryImage> = {
  name: 'gi',
  engines: registerOtherLeaves,
  update: updateGeometryImage,
  tolerance: ({ tolerance }) => tolerance,
  units: ({ header }) => header.units,
  describe,
  verify: verifyGeometryImage,
  surface: toMesh,
  depth: depthOf,
  boundsOfLevel: sphereMesh,
  unfold: unfoldGeometryImage,
  hull: hullOfGeometryImage,
  reach: reachOfGeometryImage,
  search,
  kernel: { pair: kernel, place, nearestSources },
  own: {
    options: {
      lod: { instead: subsample },
      maxError: { instead: subsampleWithin },
      bounds: { value: requireBounds, isSearched: true },
    },
    source: sourceView,
    searchSources,
    box: boxOfGeometryImage,
    primitives: ({ quads }) => 2 * quads,
    pieces: piecesOfImage,
    volumes: discMesh,
  },
};

function storedRoles(image: GeometryImage, pages: readonly TiffPage[]): PageRole[] {
  if (pages.length === 0) return rolesOf(image);
  const json = parseDescription(pages[0]);
  const isOurs = pages[0].description?.includes('gicollide') && Array.isArray(json?.pages);
  return isOurs ? rolesIn(json.pages as HeaderJson['pages'], image.groups.length) : ['geometry'];
}

const partsOf = ({ groups }: GeometryImage, roles: readonly PageRole[]) =>
  groups.flatMap(({ exponent, count, geometry, normals, tree, deviation }) => {
    const samplesOf = { geometry, normals, spheres: tree.page, deviation: deviation?.page, slabs: tree.slabs };
    return roles.map((role) => ({ role, ...shapeOf(role, exponent), charts: count, samples: samplesOf[role]! }));
  });

function leftOut(image: GeometryImage, stored: readonly PageRole[]) {
  const known = rolesOf(image);
  const absent = PAGE_ROLES.filter((role) => !stored.includes(role));
  return {
    madeOnLoading: absent.filter((role) => known.includes(role)),
    doneWithout: absent.filter((role) => !known.includes(role)),
  };
}

/**
 * Data for `info`. Bytes are counted as in the paper (section 3): s = 3 (2^n + 1)^2 samples for the
 * geometry, s for the normals, 2s for the tree (1.5s of centers, 0.5s of radii). Ours has 0.5s for
 * the deviation and 2s for the slabs. Only pages in the file count.
 */
async function describe(image: GeometryImage, bytes: Uint8Array | null) {
  const { groups } = image;
  const { vertices, triangles } = countsOf(image);
  const s = 2 * groups.reduce((sum, { geometry }) => sum + geometry.length, 0);
  const stored = bytes ? readDirectories(bytes) : [];
  const { tool, source, units, options } = image.header;
  const roles = storedRoles(image, stored);
  const whole = partsOf(image, rolesOf(image));
  const digests = await Promise.all(whole.map(({ samples }) => sha256OfSamples(samples)));
  const pages = partsOf(image, roles).map(({ samples, charts, ...part }, i) => {
    const storedBytes = stored[i]?.byteCounts.reduce((sum, n) => sum + n, 0) ?? null;
    return {
      ...part,
      ...(image.charts > 1 && { charts }),
      bytes: samples.byteLength,
      storedBytes,
      bytesPerTriangle: storedBytes === null ? null : storedBytes / triangles,
      sha256: digests[whole.findIndex((other) => other.samples === samples)],
    };
  });
  const bytesOf = (role: string): number =>
    pages.reduce((sum, page) => sum + (page.role === role ? page.bytes : 0), 0) / s;
  const [geometry, normals, tree, deviation, slabs] = PAGE_ROLES.map(bytesOf);
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
    ...leftOut(image, roles),
    // Digests the surface and its spheres, whatever the compression and the header's names.
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
