/**
 * Computes an image's deviation from its source, in all and node by node. If asked for, also lists
 * the source's triangles, each with every quad that contains a part of it.
 *
 * A node's bound: every source point whose place lies in its quads is in the node's sphere,
 * enlarged by the bound. Above the quads the spheres hold almost all of the source, so the bound is
 * the excess that the overlay found. A quad's own bound is the source's distance from its two
 * triangles, which are in its sphere; so it is good for both.
 *
 * Triangles that cleaning dropped are laid on quads near them. They are within their distance of
 * all spheres that hold these quads. The same is done for source points farther from their own quad
 * than the whole source is from the image. They slid past the quad's rim, and the search for the
 * greatest distance has found a quad near them. At 129 that is 9 % of the quads of a sphere, one of
 * them with 17 times the greatest distance.
 */

import { MeshError } from '../../../base/errors.ts';
import type { Tolerance } from '../../../engine/records.ts';
import { LARGEST_COORDINATE } from '../../../geometry/face-bound.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import {
  type Chart,
  chartsOf,
  type Deviation,
  type EmbeddedSource,
  type GeometryImage,
} from '../tree/geometry-image.ts';
import { nodeOffset, treePixels } from '../tree/grid.ts';
import type { ChartSource } from './charts/sampled-chart.ts';
import { type Overlay, overlayDeviation } from './overlay.ts';
import { quantiseNodes } from './quantise-nodes.ts';
import { type Answer, type Charge, createStoredSurface, layDropped, wholeDeviation } from './whole-deviation.ts';

export interface Deviations {
  tolerance: Tolerance;
  /** For each chart, the greatest distance between it and its source at the same place. */
  farthest: Float64Array;
  pages: Deviation[];
  source: EmbeddedSource | null;
}

type OverlaidSource = Omit<ChartSource, 'normals'>;

const U = 2 ** -53;
/** More deviation from the square's area, 4, would be a place covered by no triangle, or by two. */
const AREA_ERROR = 1e-6;

/**
 * Measures `image` against the mesh of the file; `cleaned` is as in cleanMesh.
 *
 * @param sources emptied unless they are embedded: they are as large as the mesh
 */
export function deviationsOf(
  image: GeometryImage,
  mesh: Mesh,
  cleaned: Int32Array,
  sources: OverlaidSource[],
  { embed }: { embed: boolean },
): Deviations {
  const dropped = droppedOf(mesh, cleaned);
  const charts: Chart[] = Array.from(chartsOf(image));
  const overlays = charts.map((chart, i) => {
    const overlay = overlayDeviation(chart, sources[i], { cells: embed, spheres: chart.tree });
    if (!(Math.abs(overlay.area - 4) < AREA_ERROR)) throw new Error(`chart ${i} covers ${overlay.area} of 4`);
    return overlay;
  });
  const stored = createStoredSurface(charts);
  // Vertices on cut edges (and on edges between these) are rounded this far from the layout.
  const rounding = 16 * U * sources.reduce((most, { positions }) => Math.max(most, largestOf(positions)), 0);
  const overlaid = charts.map((chart, i) => ({ chart, source: sources[i], overlay: overlays[i] }));
  if (!embed) sources.length = 0;
  const whole = wholeDeviation(overlaid, stored, { empties: true });
  const charges = layDropped(dropped, stored);
  const missing = charges.reduce((most, { length }) => Math.max(most, length), whole.missing);
  return {
    tolerance: { missing: missing + rounding, excess: whole.excess + rounding },
    farthest: Float64Array.from(overlays, (overlay) => Math.max(largestOf(overlay.missing), largestOf(overlay.excess))),
    // With its triangles listed by quad, the source stays where the embedding put it.
    pages: embed
      ? pagesOf(image, overlays, charges, Number.POSITIVE_INFINITY, rounding)
      : pagesOf(image, overlays, [...charges, ...whole.moved], whole.missing, rounding),
    source: embed ? sourceOf(image, mesh, cleaned, sources, overlays, charges) : null,
  };
}

function droppedOf({ positions, triangles }: Mesh, cleaned: Int32Array) {
  const lost: number[] = [];
  cleaned.forEach((c, t) => {
    if (c < 0) lost.push(triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]);
  });
  for (const v of lost) {
    const far = positions.subarray(3 * v, 3 * v + 3).find((x) => !(Math.abs(x) <= LARGEST_COORDINATE));
    if (far !== undefined)
      throw new MeshError(`expected coordinates up to ${LARGEST_COORDINATE}, found ${far}: scale the mesh`);
  }
  return { positions, triangles: Uint32Array.from(lost) };
}

function largestOf(positions: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < positions.length; i++) {
    const size = Math.abs(positions[i]);
    if (size > largest) largest = size;
  }
  return largest;
}

/**
 * Returns all nodes' bounds. Another quad answers for the parts of the source in `answers`: they
 * have no place in a quad, or are farther than `most` from their own.
 */
function pagesOf(
  image: GeometryImage,
  overlays: readonly Overlay[],
  answers: readonly Answer[],
  most: number,
  rounding: number,
): Deviation[] {
  let chart = 0;
  return image.groups.map(({ exponent, count, firstChart }) => {
    const pixels = treePixels(exponent);
    const nodes = new Float64Array(count * pixels);
    const quads = 1 << exponent;
    for (let slot = 0; slot < count; slot++, chart++) {
      const { outside, missing } = overlays[chart];
      const own = nodes.subarray(slot * pixels, (slot + 1) * pixels);
      for (let i = 0; i < pixels; i++) own[i] = outside![i] < most ? outside![i] : most;
      for (let row = 0; row < quads; row++) {
        const first = nodeOffset(exponent, exponent, row, 0) / 4;
        for (let i = 0; i < quads; i++) {
          const far = missing[row * quads + i];
          own[first + i] = far < most ? far : most;
        }
      }
      for (let level = exponent; level >= 0; level--) {
        for (let row = 0; row < 1 << level; row++) {
          const first = nodeOffset(exponent, level, row, 0) / 4;
          for (let i = first; i < first + (1 << level); i++) own[i] += rounding;
        }
      }
    }
    for (const { chart: charged, quad, length } of answers) {
      if (charged < firstChart || charged >= firstChart + count) continue;
      for (let level = exponent; level >= 0; level--) {
        const [row, column] = [(quad >> exponent) >> (exponent - level), (quad & (quads - 1)) >> (exponent - level)];
        const node = (charged - firstChart) * pixels + nodeOffset(exponent, level, row, column) / 4;
        nodes[node] = Math.max(nodes[node], length + rounding);
      }
    }
    return quantiseNodes(nodes);
  });
}

function sourceOf(
  image: GeometryImage,
  mesh: Mesh,
  cleaned: Int32Array,
  sources: readonly OverlaidSource[],
  overlays: readonly Overlay[],
  charges: readonly Charge[],
): EmbeddedSource {
  const { triangles } = mesh;
  const ofClean = membersOf(cleaned);
  const lost: number[] = [];
  cleaned.forEach((c, t) => {
    if (c < 0) lost.push(t);
  });
  const charged = new Map<number, number[]>();
  for (const { chart, quad, triangle } of charges) {
    const list = charged.get(firstQuadOf(image, chart) + quad) ?? [];
    list.push(lost[triangle]);
    charged.set(firstQuadOf(image, chart) + quad, list);
  }
  const offsets = new Uint32Array(image.quads + 1);
  let items = new Uint32Array(2 * image.quads);
  let length = 0;
  let quad = 0;
  overlays.forEach(({ cells }, i) => {
    const { offsets: firsts, items: own } = cells!;
    for (let k = 0; k + 1 < firsts.length; k++) {
      const listed = new Set(charged.get(quad));
      for (let j = firsts[k]; j < firsts[k + 1]; j++) for (const t of ofClean(sources[i].source[own[j]])) listed.add(t);
      if (length + listed.size > items.length) {
        const bigger = new Uint32Array(2 * (length + listed.size));
        bigger.set(items);
        items = bigger;
      }
      items.set(
        Array.from(listed).sort((a, b) => a - b),
        length,
      );
      length += listed.size;
      offsets[++quad] = length;
    }
  });
  return { positions: usedOf(mesh), triangles: triangles.slice(), offsets, items: items.slice(0, length) };
}

/** Unused vertices, which may be anywhere, become 0. */
function usedOf({ positions, triangles }: Mesh): Float64Array {
  const used = new Float64Array(positions.length);
  for (let c = 0; c < triangles.length; c++) {
    for (let i = 3 * triangles[c]; i < 3 * triangles[c] + 3; i++) used[i] = positions[i];
  }
  return used;
}

function firstQuadOf({ groups }: GeometryImage, chart: number): number {
  let g = groups.length - 1;
  while (groups[g].firstChart > chart) g--;
  const { firstQuad, firstChart, exponent } = groups[g];
  return firstQuad + ((chart - firstChart) << (2 * exponent));
}

function membersOf(cleaned: Int32Array): (clean: number) => Uint32Array {
  let count = 0;
  for (const c of cleaned) count = Math.max(count, c + 1);
  const firsts = new Uint32Array(count + 1);
  for (const c of cleaned) if (c >= 0) firsts[c + 1]++;
  for (let c = 0; c < count; c++) firsts[c + 1] += firsts[c];
  const members = new Uint32Array(firsts[count]);
  const filled = firsts.slice();
  cleaned.forEach((c, t) => {
    if (c >= 0) members[filled[c]++] = t;
  });
  // Charts of segments and points have no clean triangle; charges list their triangles.
  return (clean) => (clean < 0 ? members.subarray(0, 0) : members.subarray(firsts[clean], firsts[clean + 1]));
}
