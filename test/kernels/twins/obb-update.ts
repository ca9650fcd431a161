/**
 * The boxes of wide trees as obb/update/kernel.as.ts fits them: the same operations in the same
 * order, one at a time, and so the same bytes.
 */
import type { StoredMesh } from '../../../src/containers/mesh-sections.ts';
import { marginOf } from '../../../src/representations/obb/make/kernel.ts';
import {
  decodeWideBox,
  isWideLeaf,
  linkOfNode,
  WIDE_BYTES,
  WIDE_DECODED,
  WIDTH,
  type WideViews,
  wideCount,
  wideIndex,
  wideViews,
} from '../../../src/representations/obb/tree/wide-node.ts';
import { encodeWideNode } from './obb-node.ts';

/** Bottom nodes below an anchor, at most. */
const LARGEST_ANCHOR = 32;

/** Float32 coordinates of what is below an anchor, about its local origin. */
interface Anchor {
  /** Relative to the tree's origin. */
  origin: [number, number, number];
  pad: number;
}

/**
 * Fits all boxes of a tree to vertices, in place.
 *
 * @param nodes of a tree that requireObbTree has passed
 * @param order the triangles in the order of the leaves
 * @param extent what floatExtent says of the vertices
 */
export function fitWideBoxes(
  nodes: Uint8Array,
  order: Uint32Array,
  { positions, triangles }: StoredMesh,
  { origin, reach }: { origin: Float64Array; reach: number },
): void {
  const views = wideViews(nodes);
  const total = nodes.length / WIDE_BYTES;
  const below = bottomNodesBelow(views, total);
  const box = new Float64Array(WIDE_DECODED);
  const spans = new Float64Array(6 * WIDTH);
  const margin = marginOf(reach);
  const local = (corner: number, k: number): number => positions[3 * triangles[corner] + k] - origin[k];

  const anchorAt = (node: number): Anchor => {
    let leaf = node;
    while (!isWideLeaf(linkOfNode(views, leaf))) leaf = wideIndex(linkOfNode(views, leaf));
    const first = 3 * order[wideIndex(linkOfNode(views, leaf))];
    const at: Anchor['origin'] = [local(first, 0), local(first, 1), local(first, 2)];
    let farthest = 0;
    eachTriangle(views, node, (place) => {
      for (let c = 3 * order[place]; c < 3 * order[place] + 3; c++) {
        for (let k = 0; k < 3; k++) farthest = Math.max(farthest, Math.abs(Math.fround(local(c, k) - at[k])));
      }
    });
    return { origin: at, pad: 2 ** -20 * farthest };
  };
  const widen = (j: number, place: number, anchor: Anchor): void => {
    const [mx, my, mz] = anchor.origin;
    for (let c = 3 * order[place]; c < 3 * order[place] + 3; c++) {
      const x = Math.fround(local(c, 0) - mx);
      const y = Math.fround(local(c, 1) - my);
      const z = Math.fround(local(c, 2) - mz);
      for (let i = 0; i < 3; i++) {
        const p = Math.fround(Math.fround(box[i]) * x);
        const q = Math.fround(Math.fround(box[3 + i]) * y);
        const r = Math.fround(Math.fround(box[6 + i]) * z);
        const u = Math.fround(Math.fround(p + q) + r);
        const offset = box[i] * mx + box[3 + i] * my + box[6 + i] * mz;
        spans[6 * j + i] = Math.min(spans[6 * j + i], u + offset - anchor.pad);
        spans[6 * j + 3 + i] = Math.max(spans[6 * j + 3 + i], u + offset + anchor.pad);
      }
    }
  };

  const anchors: (Anchor | undefined)[] = new Array(total);
  const findAnchors = (node: number, above: Anchor | undefined): void => {
    const anchor = above ?? (below[node] <= LARGEST_ANCHOR ? anchorAt(node) : undefined);
    anchors[node] = anchor;
    const link = linkOfNode(views, node);
    if (isWideLeaf(link)) return;
    for (let j = 0; j < wideCount(link); j++) findAnchors(wideIndex(link) + j, anchor);
  };
  findAnchors(0, undefined);

  /** Widens the span of child j by what is below a node. */
  const widenBelow = (j: number, node: number): void => {
    const anchor = anchors[node];
    if (anchor) {
      eachTriangle(views, node, (place) => widen(j, place, anchor));
      return;
    }
    const link = linkOfNode(views, node);
    for (let k = 0; k < wideCount(link); k++) widenBelow(j, wideIndex(link) + k);
  };
  for (let node = 0; node < total; node++) {
    decodeWideBox(views, node, box, 0);
    const link = linkOfNode(views, node);
    for (let j = 0; j < wideCount(link); j++) {
      spans.fill(Number.POSITIVE_INFINITY, 6 * j, 6 * j + 3);
      spans.fill(Number.NEGATIVE_INFINITY, 6 * j + 3, 6 * j + 6);
      if (isWideLeaf(link)) widen(j, wideIndex(link) + j, anchors[node] as Anchor);
      else widenBelow(j, wideIndex(link) + j);
    }
    encodeWideNode(views, node, box.subarray(0, 9), spans, wideCount(link), margin);
  }
}

/** How many bottom nodes are below each node, itself included. */
function bottomNodesBelow(views: WideViews, total: number): Uint32Array {
  const below = new Uint32Array(total);
  for (let node = total - 1; node >= 0; node--) {
    const link = linkOfNode(views, node);
    if (isWideLeaf(link)) below[node] = 1;
    else for (let j = 0; j < wideCount(link); j++) below[node] += below[wideIndex(link) + j];
  }
  return below;
}

/** Calls with the places, in the order of the leaves, of the triangles below a node. */
function eachTriangle(views: WideViews, node: number, visit: (place: number) => void): void {
  const link = linkOfNode(views, node);
  for (let j = 0; j < wideCount(link); j++) {
    if (isWideLeaf(link)) visit(wideIndex(link) + j);
    else eachTriangle(views, wideIndex(link) + j, visit);
  }
}
