/**
 * An image's view of its source: spheres that hold it. Leaves have the source's own triangles, or
 * the stored ones with their deviations.
 */
import { derived } from '../../../engine/asset-cache.ts';
import type { SourceView } from '../../../engine/representation.ts';
import { type EmbeddedSource, type GeometryImage, groupOfQuad } from './geometry-image.ts';
import { nodeOffset, treePixels } from './grid.ts';
import {
  createSourceHulls,
  hullOfGeometryImage,
  reachOfGeometryImage,
  type SourceHulls,
  unfoldSource,
} from './unfold.ts';

const views = /* @__PURE__ */ derived<GeometryImage, SourceView>();

/** Null if the image has no deviations. */
export function sourceView(image: GeometryImage): SourceView | null {
  if (image.tolerance === null || image.groups.some(({ deviation }) => deviation === null)) return null;
  let view = views.get(image);
  if (!view) {
    const hulls = createSourceHulls(image);
    view = {
      unfold: (node, into) => unfoldSource(image, node, into, hulls),
      reach: reachOf(image),
      ...(image.source ? trianglesOf(image.source, hulls) : stored(image)),
    };
    views.set(image, view);
  }
  return view;
}

/**
 * Spheres are enlarged by the pages' deviations, which may exceed the tolerance. The source may
 * also extend beyond the image.
 */
function reachOf(image: GeometryImage): number {
  let reach = reachOfGeometryImage(image) + 2 * 65535 * Math.max(...image.groups.map((g) => g.deviation!.step));
  for (const x of image.source?.positions ?? []) if (2 * Math.abs(x) > reach) reach = 2 * Math.abs(x);
  return reach;
}

type Ends = Pick<SourceView, 'hull' | 'margin' | 'triangle'>;

const trianglesOf = ({ positions, triangles }: EmbeddedSource, hulls: SourceHulls): Ends => ({
  triangle: (id) => hulls.triangles[id],
  margin: () => 0,
  hull: (id, out) => {
    const t = 3 * hulls.triangles[id];
    for (let k = 0; k < 9; k++) out[k] = positions[3 * triangles[t + Math.floor(k / 3)] + (k % 3)];
    return 3;
  },
});

const stored = (image: GeometryImage): Ends => ({
  hull: (id, out) => hullOfGeometryImage(image, id, out),
  margin: (id) => {
    const group = groupOfQuad(image, id >>> 1);
    const { exponent, deviation, firstQuad } = group;
    const quad = (id >>> 1) - firstQuad;
    const [row, column] = [(quad >> exponent) & ((1 << exponent) - 1), quad & ((1 << exponent) - 1)];
    const node = (quad >> (2 * exponent)) * treePixels(exponent) + nodeOffset(exponent, exponent, row, column) / 4;
    return deviation!.page[node] * deviation!.step * (1 + 2 ** -50);
  },
});
