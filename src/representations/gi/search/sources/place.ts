/**
 * Places a geometry image for the search of near quads (kernel.as.ts): its stored surface or its
 * source, as float32 disks, beside the data placed for contacts.
 *
 * A disk around a node's triangles (../../tree/slab-tree.ts) is enlarged by the largest deviation
 * of the quads below. Then it holds the source laid on these quads. Its radius is at most the
 * sphere's, plus the page's deviation beyond that, plus the distance of the two centers. Without a
 * page, the whole image's bound is used for all quads. Then it refers to the nearest triangles of
 * all, so it enlarges every node and is every margin.
 *
 * Rounding outward: proved in ../discs.ts.
 */
import { allocateFor, kernels } from '../../../../kernels/memory.ts';
import { derived } from '../../../../query/derived.ts';
import {
  type Deviation,
  type GeometryImage,
  groupOf,
  groupOfQuad,
  type PlacedGroup,
} from '../../tree/geometry-image.ts';
import { discOf } from '../../tree/slab-tree.ts';
import { nodeOffset, treePixels } from '../../tree/tree-page.ts';
import { LANES, type Lanes, NOTHING, spread, writeDisc } from '../discs.ts';
import { placeImage, treeOver } from '../kernel.ts';
import { BLOCKS, CHART_BYTES, CHARTS, FIRST_BLOCK, HALVES, OVER, RECORD_BYTES } from '../layout.as.ts';
import { DISCS_BYTES } from './layout.as.ts';

export interface PlacedDiscs {
  /** Address of a record as in ../layout.as.ts, but with these blocks. */
  record: number;
  /** Steps: the largest coordinate of a center, or radius; the largest quad's radius. */
  reach: number;
  finest: number;
}

const NUMBERS = DISCS_BYTES / 4;
/** Larger radii, in steps, are left to the search. */
const LARGEST = 2 ** 40;

const storedDiscs = /* @__PURE__ */ derived<GeometryImage, PlacedDiscs | null>();
const sourceDiscs = /* @__PURE__ */ derived<GeometryImage, PlacedDiscs | null>();

/** @param surface around which surface the discs are: the image's own, or its source */
export function placeDiscs(image: GeometryImage, surface: 'stored' | 'source'): PlacedDiscs | null {
  const known = surface === 'source' ? sourceDiscs : storedDiscs;
  let placed = known.get(image);
  if (placed === undefined) {
    // The kernels may be in use; this says nothing about the image.
    if (!kernels()) return null;
    placed = write(image, surface);
    known.set(image, placed);
  }
  return placed;
}

/** Whether each quad's own bound is known. */
const knowsDeviations = ({ groups }: GeometryImage): boolean => groups.every(({ deviation }) => deviation !== null);

const largestMargin = (image: GeometryImage): number =>
  knowsDeviations(image)
    ? Math.max(...image.groups.map(({ deviation }) => 65535 * deviation!.step))
    : (image.tolerance?.missing ?? Number.POSITIVE_INFINITY);

export function marginOfQuad(image: GeometryImage, quad: number): number {
  if (!knowsDeviations(image)) return largestMargin(image);
  const { exponent, deviation, firstQuad } = groupOfQuad(image, quad);
  const own = quad - firstQuad;
  const row = (own >> exponent) & ((1 << exponent) - 1);
  const column = own & ((1 << exponent) - 1);
  const pixel = (own >> (2 * exponent)) * treePixels(exponent) + nodeOffset(exponent, exponent, row, column) / 4;
  return deviation!.page[pixel] * deviation!.step;
}

type Discs = PlacedDiscs & Lanes;

function write(image: GeometryImage, surface: 'stored' | 'source'): PlacedDiscs | null {
  const ofSource = surface === 'source';
  const plain = placeImage(image);
  const own = kernels();
  if (plain === 0 || !own) return null;
  const blocks = blocksOf(image, own.memory, plain);
  // Not the image's own record: that placement may move (movePlacement).
  const placed: PlacedDiscs = { record: 0, reach: 0, finest: 0 };
  const record = allocateFor(placed, RECORD_BYTES + DISCS_BYTES * blocks);
  if (record === 0) return null;
  const { buffer } = own.memory;
  new Uint8Array(buffer, record, RECORD_BYTES).set(new Uint8Array(buffer, plain, RECORD_BYTES));
  const first = record + RECORD_BYTES;
  new DataView(buffer, record, RECORD_BYTES).setUint32(BLOCKS, first, true);
  const numbers = new Float32Array(buffer, first, (DISCS_BYTES / 4) * blocks);
  const discs: Discs = { ...placed, numbers, largest: 0 };
  writeOver(image, ofSource ? largestMargin(image) / image.step : 0, discs);
  const records = new Uint32Array(buffer, new DataView(buffer, plain, RECORD_BYTES).getUint32(CHARTS, true));
  for (const group of image.groups) {
    const margins = ofSource ? marginsOf(image, group) : null;
    for (let slot = 0; slot < group.count; slot++) {
      const block = records[(CHART_BYTES * (group.firstChart + slot) + FIRST_BLOCK) / 4];
      writeChart(group, slot, image.step, margins, discs, block);
    }
  }
  const { reach, finest, largest } = discs;
  return largest < LARGEST ? Object.assign(placed, { record, reach: Math.max(reach, largest), finest }) : null;
}

function blocksOf({ groups }: GeometryImage, { buffer }: WebAssembly.Memory, record: number): number {
  const over = new DataView(buffer, record, RECORD_BYTES).getUint32(OVER, true) / LANES;
  return groups.reduce((sum, { exponent, count }) => sum + (count * (4 ** exponent - 1)) / 3, over);
}

interface Margins {
  /** By pixel: largest distance of the source on any quad below from that quad's triangles. */
  margins: Float64Array;
  /** Distance beyond a node's sphere, if the pages have it. */
  outside: Deviation | null;
}

function marginsOf(image: GeometryImage, { exponent, count, deviation }: PlacedGroup): Margins {
  const pixels = treePixels(exponent);
  const margins = new Float64Array(count * pixels);
  if (!deviation || !knowsDeviations(image)) return { margins: margins.fill(largestMargin(image)), outside: null };
  for (let slot = 0; slot < count; slot++) {
    const at = (level: number, row: number): number => slot * pixels + nodeOffset(exponent, level, row, 0) / 4;
    for (let row = 0; row < 1 << exponent; row++) {
      const first = at(exponent, row);
      for (let i = first; i < first + (1 << exponent); i++) margins[i] = deviation.page[i] * deviation.step;
    }
    for (let level = exponent - 1; level >= 0; level--) {
      for (let row = 0; row < 1 << level; row++) {
        const [to, upper, lower] = [at(level, row), at(level + 1, 2 * row), at(level + 1, 2 * row + 1)];
        for (let i = 0; i < 1 << level; i++) {
          const k = 2 * i;
          const most = Math.max(margins[upper + k], margins[upper + k + 1]);
          margins[to + i] = Math.max(most, margins[lower + k], margins[lower + k + 1]);
        }
      }
    }
  }
  return { margins, outside: deviation };
}

const disc = new Float64Array(8);

function writeOver(image: GeometryImage, beyond: number, into: Discs): void {
  const { spheres } = image.roots;
  treeOver(image).members.forEach((members, i) => {
    for (let k = 0; k < LANES; k++) {
      const at = NUMBERS * i + k;
      if (k >= members.length) {
        writeNothing(into, at);
        continue;
      }
      const node = members[k];
      if (node < 0) {
        const { tree, exponent, firstChart } = groupOf(image, ~node);
        const o = (~node - firstChart) * 4 * treePixels(exponent) + nodeOffset(exponent, 0, 0, 0);
        const radius = (tree.page[o + 3] * tree.radiusSteps[0]) / image.step;
        discOf(tree.page, tree.slabs, o, radius, disc);
        if (exponent === 0) into.finest = Math.max(into.finest, radius);
      } else {
        disc.fill(0);
        for (let a = 0; a < 3; a++) disc[a] = spheres[4 * node + a];
        disc[6] = 1;
        disc[3] = disc[7] = spheres[4 * node + 3] / image.step;
      }
      writeDisc(into, at, disc, disc[3] + beyond, thick(disc[7] + beyond));
    }
  });
}

function writeChart(
  { exponent, tree }: PlacedGroup,
  slot: number,
  step: number,
  of: Margins | null,
  into: Discs,
  first: number,
): void {
  const base = slot * 4 * treePixels(exponent);
  for (let level = 1; level <= exponent; level++) {
    const firstSlot = LANES * (first + (4 ** (level - 1) - 1) / 3);
    const toGrid = tree.radiusSteps[level] / step;
    for (let row = 0; row < 1 << level; row++) {
      const o = base + nodeOffset(exponent, level, row, 0);
      const ofRow = firstSlot + 2 * spread(row);
      for (let column = 0; column < 1 << level; column++) {
        const number = ofRow + spread(column);
        const pixel = o + 4 * column;
        const sphere = tree.page[pixel + 3] * toGrid;
        discOf(tree.page, tree.slabs, pixel, sphere, disc);
        const margin = of ? of.margins[pixel >> 2] / step : 0;
        let radius = disc[3] + margin;
        if (of?.outside) {
          const outside = (of.outside.page[pixel >> 2] * of.outside.step) / step;
          radius = Math.min(radius, sphere + outside + movedFrom(tree.page, pixel));
        }
        if (level === exponent) into.finest = Math.max(into.finest, sphere);
        writeDisc(into, NUMBERS * (number >> 2) + (number & 3), disc, radius, thick(disc[7] + margin));
      }
    }
  }
}

function movedFrom(page: Uint16Array, o: number): number {
  const x = disc[0] - page[o];
  const y = disc[1] - page[o + 1];
  const z = disc[2] - page[o + 2];
  return Math.sqrt(x * x + y * y + z * z) * (1 + 2 ** -40);
}

/** A damaged file may have its planes reversed. */
const thick = (half: number): number => Math.max(0, half);

function writeNothing({ numbers }: Discs, at: number): void {
  for (let number = 0; number < NUMBERS; number += LANES) numbers[at + number] = 0;
  numbers[at + HALVES / 4] = NOTHING;
}
