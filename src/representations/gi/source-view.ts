/**
 * What an image knows of its source: spheres that hold it, and at their ends the source's own triangles, where they are kept, or the stored ones and
 * how far the source may be from them.
 */
import type { SourceView } from '../../query/representation.ts';
import { type GeometryImage, groupOfQuad } from './geometry-image.ts';
import { nodeOffset, treePixels } from './sphere-tree.ts';
import { hullOfGeometryImage, unfoldSource } from './unfold.ts';

const views = new WeakMap<GeometryImage, SourceView>();

/** Null of an image that does not know. */
export function sourceView(image: GeometryImage): SourceView | null {
  if (image.tolerance === null || image.groups.some(({ deviation }) => deviation === null)) return null;
  let view = views.get(image);
  if (!view) {
    view = {
      unfold: (node, into) => unfoldSource(image, node, into),
      ...(image.source ? trianglesOf(image.source) : stored(image)),
    };
    views.set(image, view);
  }
  return view;
}

type Ends = Pick<SourceView, 'hull' | 'margin' | 'triangle'>;

/** Hulls are numbered as `items` are. */
const trianglesOf = ({ positions, triangles, items }: NonNullable<GeometryImage['source']>): Ends => ({
  triangle: (id) => items[id],
  margin: () => 0,
  hull: (id, out) => {
    const t = 3 * items[id];
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
