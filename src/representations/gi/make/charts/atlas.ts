/**
 * Turns any surface into charts with samples: a pillowcase for each closed component of genus 0,
 * disks in squares for the rest.
 *
 * P. Sander, Z. Wood, S. Gortler, J. Snyder, H. Hoppe, "Multi-Chart Geometry Images", SGP 2003, but
 * with other charts (segment.ts), and squares for all of them. Seams need no zippering, since both
 * sides take their samples from one polyline (sampled-chart.ts).
 *
 * A chart that cannot be embedded is cut in two, if necessary down to single triangles, which
 * always can be embedded. So every mesh has an image.
 *
 * Costs are first guessed on a coarse form of each chart, then measured on its samples. A chart
 * that is much dearer than guessed is turned or cut, and the samples are shared out again.
 */
import { MeshError } from '../../../../base/errors.ts';
import { diagonalOf } from '../../../../mesh/extent.ts';
import { type ManifoldMesh, perMesh } from '../../../../mesh/manifold.ts';
import { OPEN } from '../../../../mesh/topology.ts';
import { sizeOf } from '../../tree/grid.ts';
import { arcLength, coarsenDisk, estimateDisk } from '../parameterize/coarse-disk.ts';
import type { DiskEmbedding } from '../parameterize/disk.ts';
import { type NormalSource, normalsOfSamples, withNormals } from '../sample-normals.ts';
import { type Component, components } from '../segment/regions.ts';
import { cutIntoDisks } from '../segment/segment.ts';
import { allocate, type Demand, errorAt } from './allocate.ts';
import { type Arc, type DiskChart, layCharts } from './arcs.ts';
import {
  chooseCharts,
  cutAlongCreases,
  cutFurther,
  faces,
  halve,
  isPlanar,
  limbs,
  type PricedChart,
  type Shared,
  total,
  weightOf,
} from './choose.ts';
import { type FlatOptions, flatCharts } from './flat.ts';
import { type ChartChoice, isClosedSphere, JUDGED_SIZE, judge, requireOneSquare, sumAt } from './one-square.ts';
import { farthestVertex } from './outliers.ts';
import { allotSides, type Rim, rimErrors, rimsOf } from './rims.ts';
import {
  type Boundary,
  type ChartSource,
  diskOf,
  embedChart,
  interpolationError,
  type Pins,
  type PlannedChart,
  placesOf,
  type SampledChart,
  type SeamSamples,
  sampleArc,
  sampleChart,
  sampleDisk,
} from './sampled-chart.ts';

interface ClosedChart extends PlannedChart {
  source: ChartSource;
  cost: number;
  area: number;
}

export interface ClosedSource extends ChartSource {
  /** The chart embedded by lengths alone. Throws MeshError if that is impossible. */
  plain: () => ChartSource;
}

interface PricedSquare extends ClosedChart {
  /** The chart embedded by lengths alone; infinite cost if that is impossible. */
  plain: () => { source: ChartSource; cost: number };
}

export interface Atlas {
  mesh: ManifoldMesh;
  normals: NormalSource;
  closed: ClosedChart[];
  disks: PricedChart[];
  /** Squared distances below this are negligible. */
  unseen: number;
  why: string;
  /** The alternative as one square, if charts replaced it. Both are measured. */
  square: Atlas | null;
  /** With `best`: charts that may be better than the rest of the plan, which is that of `auto`. */
  rival: Atlas | null;
  /** Samples at JUDGED_SIZE, once charts have been measured there, and cut further. */
  draft: Draft | null;
}

/** Relative to the diagonal: a twentieth of a step of 16 bits. */
const UNSEEN = 0.05 / 65536;
/** Faces are flat within a step of 16 bits, relative to the diagonal. */
const FLAT = 1 / 65536;
/** Folded, a square of one quad would be a point. */
const SMALLEST_FOLDED = 2;
const FINEST_MEASURED = 8;
/** Vertices of a crease need no sample this near to chords, relative to the diagonal. */
const NEAR = 2e-5;
/** As an exponent: at finer intervals, the edges of coarse forms would count. */
const FINEST_GUESSED = 7;
/** The place of a chart's corners matters as much as the cut. */
const ROTATIONS = 4;
const FIRST_PLACES = [0, 0.5];
const OTHER_PLACES = [0.25, 0.75];
const ALL_PLACES = [0, 0.25, 0.5, 0.75];
const LEAST_SHARE = 0.01;
/** In dB at 257 x 257. Worse pillowcases compete with charts; worse charts are cut by faces. */
const POOR_PILLOWCASE = 72;
const POOR_CHARTS = 77;
/**
 * A body with at most this many triangles may be a box. If there are several bodies, it is cut
 * along its faces where that is better, however good the whole is.
 */
const FEW = 64;
/** Charts must weigh less than this part of a pillowcase's weight: 2 dB less error. */
const LEAST_GAIN = 0.858;
/** The same for `best`, which compares what is built: 1 dB. */
const LEAST_RIVAL_GAIN = 0.926;
/** `best` continues if the first cuts, coarsely priced, weigh less than this part of a square. */
const PROMISING = 0.85;
/** Turn or cut charts that cost this many times the guess, after scaling by the average excess. */
const SURPRISE = 3;
/** Part of a flat chart's area that may lie the other way: rounding. */
const FOLDED = 1e-6;
/** Up to this many triangles, a surface is cut along its creases only where that is cheaper. */
const COARSE = 512;
/** A cost below this part of the guess is only valid for these samples. */
const LUCKY = 1 / 16;
/** Rounds of sharing out samples again; each must leave at most this part of the error. */
const ROUNDS = 2;
const WORTH_AGAIN = 0.93;
/** A chart is embedded with bends if its error falls to this part: 0.2 dB less. */
const WORTH_BENDING = 0.955;
/** Vertices farther than this part of the diagonal and so many times the rms stick out. */
const STICKS_OUT = { part: 0.004, rms: 20 };
/** Rounds against them, and the part of all samples that they may take from others. */
const OUTLIER_ROUNDS = 5;
const OUTLIER_SHARE = 0.2;
/** A chart is cut if more samples leave more than this part of its greatest distance. */
const HELPED = 0.5;
/** The farthest vertex must come nearer than this part, with at most so many times the error. */
const LEAST_NEARER = 0.9;
const MOST_ERROR = 1.25;
const MOST_DOUBLINGS = 5;
const MOST_LIMBS = 4;
const EVEN = 1e-3;
const EXACT = 'charts: flat faces, exact';
/** Most exact charts. With more, an image would be a list of triangles without levels of detail. */
const MOST_EXACT = 1024;
/** It is such a list if it would have less than LOST in dB at 257 otherwise. */
const MOST_IF_LOST = 16384;
const LOST = 70;
/** A cut must leave at most this part of the measured cost's cube root. */
const CUT_GAIN = 0.9;

/**
 * Cuts a surface into charts, the same for all sizes: the best ones at JUDGED_SIZE. `onProgress`
 * gets estimates.
 */
export function planAtlas(
  mesh: ManifoldMesh,
  choice: ChartChoice,
  embedClosed: (triangles: Int32Array) => ClosedSource | null,
  onProgress?: (fraction: number) => void,
): Atlas {
  const samples = JUDGED_SIZE * JUDGED_SIZE;
  const normals = withNormals(mesh);
  const parts = components(mesh);
  if (choice === 'one') requireOneSquare(parts);
  const diagonal = diagonalOf(mesh);
  const areas = parts.map(({ triangles }) => areaOf(mesh, triangles));
  const whole = areas.reduce((sum, area) => sum + area, 0);
  const exponentFor = (area: number, finest: number): number =>
    Math.max(2, Math.min(finest, Math.round(Math.log2((samples * area) / whole) / 2)));
  let steps = 0;
  const told = (): void => {
    onProgress?.(steps / (steps + 16));
    steps++;
  };
  const priceAs = (triangles: Int32Array, places: readonly number[]): PricedChart => {
    told();
    return guessCost(mesh, triangles, exponentFor(areaOf(mesh, triangles), FINEST_GUESSED), places);
  };
  const price = (triangles: Int32Array): PricedChart => priceAs(triangles, FIRST_PLACES);

  const closed: PricedSquare[] = [];
  const cut: Int32Array[] = [];
  const unseen = (UNSEEN * diagonal) ** 2;
  const atlasOf = (squares: PricedSquare[], disks: PricedChart[], why: string): Atlas => {
    const own = squares.map(withoutPlain);
    return { mesh, normals, closed: own, disks, unseen, why, square: null, rival: null, draft: null };
  };
  const flat = FLAT * diagonal;
  const exact = exactCharts(mesh, parts, { flat, most: choice === 'one' ? 0 : MOST_EXACT, isFew: true });
  const flatDisks = Array.from(exact.values()).flat();
  if (exact.size === parts.length) return atlasOf([], flatDisks, EXACT);
  parts.forEach((component, i) => {
    if (exact.has(component)) return;
    const { triangles } = component;
    const source = isClosedSphere(component) ? embedClosed(triangles) : null;
    if (!source) cut.push(...cutOpen(mesh, triangles, { flat, samples, price, told }));
    else closed.push(priceSquare(source, triangles, areas[i], exponentFor(areas[i], FINEST_MEASURED)));
  });

  const shared: Shared = { samples, others: sumOf(closed), poor: sumAt(POOR_CHARTS, diagonal, whole), flat };
  if (choice === 'one' && closed.length !== 1)
    throw new MeshError('charts one: expected a surface that flattens, found one too degenerate');
  told();
  const verdict = judge(parts, closed[0]?.source, (decibels) => sumAt(decibels, diagonal, whole));
  const first = chooseCharts(mesh, cut, price, shared);
  told();
  const realise = (chart: PricedChart): PricedChart => {
    told();
    return realised(mesh, chart, exponentFor(areaOf(mesh, chart.triangles), FINEST_MEASURED));
  };
  // A square that is good enough is not compared with charts; any other always is.
  const isKept = choice === 'one' || (parts.length === 1 && verdict.isGood);
  const decibels = verdict.isGood ? POOR_PILLOWCASE : Number.POSITIVE_INFINITY;
  const poorSquares = isKept ? Number.POSITIVE_INFINITY : sumAt(decibels, diagonal, whole);
  const comparison = { ...shared, poorSquares, hasRival: choice === 'best', price, realise };
  const replaced = replaceSquares(mesh, closed, first, comparison);
  const expected = sumOf([...replaced.kept, ...replaced.disks]);
  if (choice !== 'one' && expected > sumAt(LOST, diagonal, whole)) {
    const all = exactCharts(mesh, parts, { flat, most: MOST_IF_LOST, isFew: false });
    if (all.size === parts.length) return atlasOf([], Array.from(all.values()).flat(), EXACT);
  }
  const one = atlasOf(closed, [], `one square: ${verdict.reason}`);
  const planOf = ({ kept, disks }: Replaced): Atlas => {
    if (kept.length === 1 && disks.length === 0 && exact.size === 0) return atlasOf(kept, [], one.why);
    const sum = sumOf([...kept, ...disks]);
    const turned = disks.map((chart) => withOtherPlaces(chart, sum, priceAs));
    const square = parts.length === 1 && closed.length === 1 ? one : null;
    return { ...atlasOf(kept, [...turned, ...flatDisks], `charts: ${verdict.reason}`), square };
  };
  const plan = planOf(replaced);
  return replaced.rival ? { ...plan, rival: { ...planOf(replaced.rival), square: null } } : plan;
}

/** Cuts an open surface: between the triangles of a coarse form, a round one has creases, too. */
function cutOpen(
  mesh: ManifoldMesh,
  triangles: Int32Array,
  of: { flat: number; samples: number; price: (triangles: Int32Array) => PricedChart; told: () => void },
): Int32Array[] {
  const creased = cutAlongCreases(mesh, triangles, of.flat);
  if (creased && triangles.length > COARSE) return creased;
  const disks = cutIntoDisks(mesh, triangles, of.told);
  if (!creased) return disks;
  const [plain, other] = [disks, creased].map((parts) => parts.map(of.price));
  const sum = sumOf(plain);
  const isPlain = sum < Number.POSITIVE_INFINITY && total(plain, of.samples, sum) < total(other, of.samples, sum);
  return isPlain ? disks : creased;
}

/** A chart with a large share of the cost, or a better variant with other corner places. */
function withOtherPlaces(
  chart: PricedChart,
  sum: number,
  priceAs: (triangles: Int32Array, places: readonly number[]) => PricedChart,
): PricedChart {
  if (chart.isMeasured || !(Math.cbrt(chart.cost) > LEAST_SHARE * sum)) return chart;
  const better = priceAs(chart.triangles, OTHER_PLACES);
  return better.cost < chart.cost ? better : chart;
}

/** Returns the charts of components that are exact as triangles and quads, at most `most`. */
function exactCharts(
  mesh: ManifoldMesh,
  parts: readonly Component[],
  options: FlatOptions,
): Map<Component, PricedChart[]> {
  const exact = new Map<Component, PricedChart[]>();
  let left = options.most;
  if (left === 0) return exact;
  for (const component of parts) {
    const found = flatCharts(mesh, component.triangles, { ...options, most: left });
    if (!found) continue;
    left -= found.length;
    exact.set(
      component,
      found.map((triangles) => {
        return { triangles, cost: 0, smallest: 0, isMeasured: true, isExact: true, corner: { vertex: 0, place: 0 } };
      }),
    );
  }
  return exact;
}

/** The source of the other embedding is larger than the mesh. */
function withoutPlain({ source: all, cost, triangles: own, area }: PricedSquare): ClosedChart {
  const { positions, triangles, corners, folded, source } = all;
  return { source: { positions, triangles, corners, folded, source }, cost, triangles: own, area };
}

const NOTHING: ManifoldMesh = {
  positions: new Float64Array(0),
  triangles: new Uint32Array(0),
  twin: new Int32Array(0),
  vertex: new Uint32Array(0),
};

/** Releases the surface and its charts, once no more samples are taken. */
export function releaseAtlas(atlas: Atlas): void {
  const { why, square, rival } = atlas;
  for (const other of [square, rival]) if (other) releaseAtlas(other);
  const normals = { ...NOTHING, normals: new Float32Array(0) };
  Object.assign(atlas, { mesh: NOTHING, normals, closed: [], disks: [], why, square: null, rival: null, draft: null });
}

function priceSquare(source: ClosedSource, triangles: Int32Array, area: number, exponent: number): PricedSquare {
  const costOf = (embedded: ChartSource): number => interpolationError(embedded, exponent) * 16 ** exponent;
  const plain = () => {
    try {
      const other = source.plain();
      return { source: other, cost: costOf(other) };
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      return { source, cost: Number.POSITIVE_INFINITY };
    }
  };
  return { source, cost: costOf(source), plain, triangles, area };
}

export const sumOf = (charts: readonly { cost: number }[]): number =>
  charts.reduce((all, { cost }) => all + Math.cbrt(cost), 0);

interface Comparison extends Shared {
  /** Compare pillowcases with charts above this sum of cube roots. */
  poorSquares: number;
  hasRival: boolean;
  price: (triangles: Int32Array) => PricedChart;
  realise: (chart: PricedChart) => PricedChart;
}

interface Replaced {
  kept: PricedSquare[];
  disks: PricedChart[];
}

/**
 * Replaces pillowcases by charts that weigh less, dearest first, or embeds them by lengths. The
 * rival has also charts that gain less, or that replace good pillowcases.
 */
function replaceSquares(
  mesh: ManifoldMesh,
  closed: readonly PricedSquare[],
  first: readonly PricedChart[],
  comparison: Comparison,
): Replaced & { rival: Replaced | null } {
  const { poorSquares, hasRival } = comparison;
  const [kept, rivalKept] = [new Set(closed), new Set(closed)];
  const [disks, rivalDisks] = [first.slice(), first.slice()];
  let sum = sumOf([...closed, ...first]);
  let isRival = false;
  const isPoor = sum > poorSquares;
  for (const one of isPoor || hasRival || closed.length > 1 ? closed.slice().sort((a, b) => b.cost - a.cost) : []) {
    const isCompared = isPoor || one.triangles.length <= FEW;
    if (!isCompared && !hasRival) continue;
    const plain = isCompared ? one.plain() : one;
    const priced = Math.min(plain.cost, Number.MAX_VALUE);
    const { charts, share } = chartsFor(mesh, one, priced, sum - Math.cbrt(one.cost) + Math.cbrt(priced), {
      ...comparison,
      isCompared,
    });
    if (isCompared && share < LEAST_GAIN) {
      for (const own of [kept, rivalKept]) own.delete(one);
      for (const own of [disks, rivalDisks]) own.push(...charts);
      sum += sumOf(charts) - Math.cbrt(one.cost);
      continue;
    }
    const nearer = plain.cost < one.cost ? { ...one, source: plain.source, cost: plain.cost } : one;
    kept.delete(one);
    kept.add(nearer);
    rivalKept.delete(one);
    if (share < LEAST_RIVAL_GAIN) {
      rivalDisks.push(...charts);
      isRival = true;
    } else rivalKept.add(nearer);
  }
  return { kept: [...kept], disks, rival: hasRival && isRival ? { kept: [...rivalKept], disks: rivalDisks } : null };
}

/** Returns charts and the part of the pillowcase's weight that they have, 1 if it is more. */
function chartsFor(
  mesh: ManifoldMesh,
  one: PricedSquare,
  plain: number,
  sum: number,
  { poorSquares, hasRival, price, realise, isCompared, ...shared }: Comparison & { isCompared: boolean },
): { charts: PricedChart[]; share: number } {
  const { samples, flat } = shared;
  const weight = weightOf({ cost: plain, smallest: SMALLEST_FOLDED }, samples, sum);
  let least = (hasRival ? LEAST_RIVAL_GAIN : LEAST_GAIN) * weight;
  let best: PricedChart[] = [];
  const offer = (charts: PricedChart[]): void => {
    if (!(total(charts, samples, sum) < least)) return;
    // The pillowcase's cost is measured, so theirs must be, too.
    const found = charts.map(realise);
    const all = total(found, samples, sum);
    if (all < least) [least, best] = [all, found];
  };
  const found = () => ({ charts: best, share: best.length > 0 ? least / weight : 1 });
  const plane = isCompared ? faces(mesh, one.triangles, flat) : null;
  if (plane) offer(plane.map(price));
  const isPoor = sum > poorSquares || (hasRival && !isCompared);
  if (best.length > 0 || !isPoor || !(Math.cbrt(one.cost) > LEAST_SHARE * sum)) return found();
  const others = sum - Math.cbrt(one.cost);
  for (const first of [limbs(mesh, one.triangles), isCompared ? cutIntoDisks(mesh, one.triangles) : null]) {
    if (!first) continue;
    if (!isCompared && !(total(first.map(price), samples, sum) < PROMISING * weight)) continue;
    offer(chooseCharts(mesh, first, price, { ...shared, others }));
  }
  return found();
}

/**
 * Guesses the cost on a coarse form at 2^exponent intervals, with the best of some places of its
 * first boundary vertex.
 */
export function guessCost(
  mesh: ManifoldMesh,
  triangles: Int32Array,
  exponent: number,
  places: readonly number[] = ALL_PLACES,
): PricedChart {
  const best: PricedChart = {
    triangles,
    cost: Number.POSITIVE_INFINITY,
    smallest: 0,
    corner: { vertex: 0, place: 0 },
  };
  if (triangles.length === 1) return { ...best, cost: 0 };
  const { part, vertices } = cutOut(mesh, triangles);
  const [chart] = layCharts(part, [Int32Array.from(triangles, (_, i) => i)]).charts;
  best.smallest = smallestFor(chart);
  if (isPlanar(mesh, triangles, FLAT * diagonalIn(mesh))) {
    const corner = { vertex: vertices[chart.vertices[chart.boundary[0]]], place: 0 };
    return { ...best, cost: 0, corner, isPlanar: true };
  }
  try {
    const disk = diskOf(part, chart);
    const coarse = coarsenDisk(disk);
    const along = arcLength(disk);
    for (const first of places) {
      const perimeter = along.map((place) => (place + first) % 4);
      const cost = interpolationError(measurable(estimateDisk(coarse, perimeter)), exponent) * 16 ** exponent;
      if (cost < best.cost) {
        best.cost = cost;
        best.corner = { vertex: vertices[chart.vertices[chart.boundary[0]]], place: first };
      }
    }
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
  }
  return best;
}

const measurable = ({ positions, triangles, corners, source }: DiskEmbedding): ChartSource => {
  return { positions, triangles, corners, source, folded: false };
};

const diagonalIn = /* @__PURE__ */ perMesh((mesh) => diagonalOf(mesh));
/** Clean vertex or triangle of the mesh -> that of the part, -1 outside. All -1 between calls. */
const verticesIn = /* @__PURE__ */ perMesh(({ vertex }) => new Int32Array(vertex.length).fill(-1));
const trianglesIn = /* @__PURE__ */ perMesh(({ twin }) => new Int32Array(twin.length / 3).fill(-1));
function cutOut(mesh: ManifoldMesh, list: Int32Array): { part: ManifoldMesh; vertices: Uint32Array } {
  const { triangles, twin, vertex, positions } = mesh;
  const vertexIn = verticesIn(mesh);
  const triangleIn = trianglesIn(mesh);
  const clean: number[] = [];
  const copies: number[] = [];
  for (let i = 0; i < list.length; i++) {
    triangleIn[list[i]] = i;
    for (let h = 3 * list[i]; h < 3 * list[i] + 3; h++) {
      const of = vertex[triangles[h]];
      if (vertexIn[of] < 0) vertexIn[of] = clean.push(of) - 1;
    }
  }
  const part: ManifoldMesh = {
    positions: new Float64Array(0),
    triangles: new Uint32Array(3 * list.length),
    twin: new Int32Array(3 * list.length),
    vertex: new Uint32Array(0),
  };
  for (let i = 0; i < list.length; i++) {
    for (let k = 0; k < 3; k++) {
      const v = triangles[3 * list[i] + k];
      if (vertexIn[v] < 0) vertexIn[v] = clean.length + copies.push(v) - 1;
      part.triangles[3 * i + k] = vertexIn[v];
      const g = twin[3 * list[i] + k];
      const t = g < 0 ? -1 : triangleIn[Math.floor(g / 3)];
      part.twin[3 * i + k] = t < 0 ? OPEN : 3 * t + (g % 3);
    }
  }
  part.vertex = Uint32Array.from([...clean, ...copies], (v) => vertexIn[vertex[v]]);
  part.positions = new Float64Array(3 * part.vertex.length);
  clean.concat(copies).forEach((v, i) => {
    for (let k = 0; k < 3; k++) part.positions[3 * i + k] = positions[3 * v + k];
    vertexIn[v] = -1;
  });
  for (const t of list) triangleIn[t] = -1;
  return { part, vertices: Uint32Array.from(clean) };
}

interface Draft {
  disks: PricedChart[];
  boundaries: Boundary[];
  demands: Demand[];
  exponents: ArrayLike<number>;
  arcs: Arc[];
  seams: SeamSamples[];
  sampled: SampledChart[];
}

/**
 * Samples a surface, the largest charts first. Before the first sampling, the atlas gets measured
 * costs and further cuts: those of JUDGED_SIZE. `size` is the side of a closed surface's one chart.
 * Otherwise the total is about its square, or more if the charts' corners alone need that.
 */
export function sampleAtlas(atlas: Atlas, size: number, onProgress?: (fraction: number) => void): SampledChart[] {
  const { closed } = atlas;
  const isOne = closed.length === 1 && atlas.disks.length === 0;
  if (!isOne) atlas.draft ??= settle(atlas, (fraction) => onProgress?.(fraction / 2));
  const budget = isOne ? [Math.max(Math.log2(size - 1), closed[0].least ?? 0)] : size * size;
  const isDrawn = size === JUDGED_SIZE && atlas.draft?.disks === atlas.disks;
  const draft = isDrawn
    ? atlas.draft!
    : draw(atlas, atlas.disks, budget, atlas.draft, (fraction) => onProgress?.((1 + fraction) / 2));
  const sampled = closed.map(({ source }, i): SampledChart => {
    const exponent = draft.exponents[i];
    const samples = sampleChart(source, sizeOf(exponent));
    const normals = normalsOfSamples(atlas.normals, source.source, samples);
    return { exponent, positions: samples.positions, normals, source, of: closed[i] };
  });
  sampled.push(
    ...bentWhereNearer(atlas, sumOf([...closed, ...draft.disks]), draft).map((chart, i) => ({
      ...chart,
      // A fit moves samples.
      positions: chart.positions.slice(),
      of: draft.disks[i],
    })),
  );
  atlas.disks = draft.disks;
  onProgress?.(1);
  return sampled.sort((a, b) => b.exponent - a.exponent);
}

/** Measures costs at JUDGED_SIZE, and turns or cuts charts that are much dearer than guessed. */
function settle(atlas: Atlas, onProgress: (fraction: number) => void): Draft {
  const { mesh, closed } = atlas;
  const samples = JUDGED_SIZE * JUDGED_SIZE;
  const progress = (round: number) => (fraction: number) => onProgress(1 - (1 - fraction / 2) * 0.5 ** round);
  let draft = draw(atlas, atlas.disks, samples, null, progress(0));
  for (let round = 1; round <= ROUNDS && draft.disks.length > 0; round++) {
    const disks = draft.disks.map((chart, i) => measured(chart, draft.sampled[i]));
    const sum = sumOf([...closed, ...disks]);
    const guessed = sumOf([...closed, ...draft.disks]);
    const usual = SURPRISE * Math.max(1, (sum / guessed) ** 3);
    const better = disks.flatMap((chart, i): PricedChart[] => {
      const isSurprise = chart.cost > usual * draft.disks[i].cost && Math.cbrt(chart.cost) > LEAST_SHARE * sum;
      return isSurprise ? improved(mesh, chart, draft.exponents[closed.length + i]) : [chart];
    });
    const isChanged = better.length > disks.length || better.some((chart, i) => chart !== disks[i]);
    if (!isChanged) {
      const demands = draft.demands.map((demand, i) => {
        return i < closed.length ? demand : { ...demand, cost: disks[i - closed.length].cost };
      });
      const errorWith = (exponents: ArrayLike<number>): number =>
        demands.reduce((all, demand, i) => all + errorAt(demand, exponents[i]), 0);
      if (!(errorWith(allocate(demands, samples)) < WORTH_AGAIN * errorWith(draft.exponents))) break;
    }
    draft = draw(atlas, better, samples, { ...draft, disks }, progress(round));
  }
  draft = withoutOutliers(atlas, draft, samples);
  atlas.disks = draft.disks;
  return draft;
}

/**
 * Gives more samples to charts with vertices that stick out, the farthest first, at the others'
 * cost. Charts that this does not help are cut. Returns `first` unless that brings the farthest
 * vertex nearer and hardly adds to the error of the whole.
 */
function withoutOutliers(atlas: Atlas, first: Draft, samples: number): Draft {
  const { mesh, closed } = atlas;
  const diagonal = diagonalIn(mesh);
  const area = areaOf(mesh, null);
  const errorOf = ({ demands, exponents }: Draft): number =>
    demands.reduce((all, demand, i) => all + errorAt(demand, exponents[i]), 0);
  const most = MOST_ERROR * errorOf(first);
  const limit = Math.max(STICKS_OUT.part * diagonal, STICKS_OUT.rms * Math.sqrt(errorOf(first) / area));
  /** Charts that got more samples, as they were before. */
  const before = new Map<PricedChart, { chart: PricedChart; exponent: number; far: number }>();
  let [draft, best, least] = [first, first, Number.POSITIVE_INFINITY];
  let room = OUTLIER_SHARE * samples;
  for (let round = 0; ; round++) {
    const { disks, exponents, sampled } = draft;
    const far = disks.map((chart, i) => (isExactWithin(chart) ? 0 : farthestVertex(sampled[i])));
    const farthest = far.reduce((all, own) => Math.max(all, own), 0);
    if (round === 0 || (farthest < LEAST_NEARER * least && errorOf(draft) < most)) [best, least] = [draft, farthest];
    const out = Array.from(disks.keys()).filter((i) => far[i] > limit);
    if (out.length === 0 || round === OUTLIER_ROUNDS) return best;
    const changed = new Map<PricedChart, PricedChart[]>();
    for (const i of out.sort((a, b) => far[b] - far[a] || a - b)) {
      const [chart, exponent] = [disks[i], exponents[closed.length + i]];
      const old = before.get(chart);
      if (old && far[i] > HELPED * old.far) {
        room += sizeOf(exponent) ** 2 - sizeOf(old.exponent) ** 2;
        changed.set(chart, cutOnce(mesh, old.chart, old.exponent));
        continue;
      }
      const wanted = exponent + (far[i] > 2 * limit ? 2 : 1);
      const extra = sizeOf(wanted) ** 2 - sizeOf(exponent) ** 2;
      if (extra > room) continue;
      room -= extra;
      const more = raised(atlas, draft, i, wanted, samples);
      before.set(more, { chart, exponent, far: far[i] });
      changed.set(chart, [more]);
    }
    if (changed.size === 0) return best;
    const charts = disks.flatMap((chart) => changed.get(chart) ?? [chart]);
    draft = draw(atlas, charts, samples, draft, () => {});
  }
}

const isExactWithin = ({ triangles, isPlanar, isExact }: PricedChart): boolean =>
  isPlanar || isExact || triangles.length === 1;

/** Limbs or halves; one that could not be embedded is cut when it is sampled. */
function cutOnce(mesh: ManifoldMesh, chart: PricedChart, exponent: number): PricedChart[] {
  const half = Math.max(2, exponent - 1);
  const own = halve(mesh, chart.triangles).map((part) => partOf(mesh, chart, part, half));
  const others = limbs(mesh, chart.triangles, MOST_LIMBS)?.map((part) => partOf(mesh, chart, part, half));
  const best = others && sumOf(others) < sumOf(own) ? others : own;
  return best.map((part) => (Number.isFinite(part.cost) ? part : { ...part, cost: chart.cost }));
}

/** The draft's disk `i`, with the doublings that get it 2^wanted quads per side of `samples`. */
function raised({ mesh, closed, unseen }: Atlas, draft: Draft, i: number, wanted: number, samples: number) {
  const chart = draft.disks[i];
  // Vertices between samples cost nothing.
  const cost = Math.max(chart.cost, areaOf(mesh, chart.triangles) * unseen * 16 ** wanted);
  const demands = draft.demands.slice();
  const at = closed.length + i;
  let { doublings = 0 } = chart;
  do {
    doublings++;
    demands[at] = { ...demands[at], cost, doublings };
  } while (doublings < MOST_DOUBLINGS && allocate(demands, samples)[at] < wanted);
  return { ...chart, cost, doublings };
}

/**
 * Embeds the charts with `budget` samples, or exponents. Charts that fail are cut; unchanged ones
 * of `before` are reused.
 */
function draw(
  { mesh, normals, closed, unseen }: Atlas,
  charts: readonly PricedChart[],
  budget: number | number[],
  before: Draft | null,
  onProgress: (fraction: number) => void,
): Draft {
  const known = new Map<PricedChart, { boundary: Boundary; seams: SeamSamples[]; sampled: SampledChart }>();
  const keep = (
    disks: readonly PricedChart[],
    boundaries: Boundary[],
    seams: SeamSamples[],
    i: number,
    sampled: SampledChart,
  ): void => {
    known.set(disks[i], { boundary: boundaries[i], seams, sampled });
  };
  before?.sampled.forEach((sampled, i) => {
    keep(before.disks, before.boundaries, before.seams, i, sampled);
  });
  for (let disks = charts; ; ) {
    const layout = layCharts(
      mesh,
      disks.map(({ triangles }) => triangles),
      disks.map(({ isExact }) => isExact ?? false),
    );
    const { arcs } = layout;
    const near = NEAR * diagonalOf(mesh);
    const rims = rimsOf(mesh.positions, arcs, near);
    const demands: Demand[] = [
      ...closed.map(({ source, cost, area, least = 0 }) => {
        const { diagonal } = extentOf(source.positions, source.triangles, null);
        const smallest = Math.max(SMALLEST_FOLDED, least);
        return { cost, smallest, negligible: area * unseen, size: area * diagonal ** 2 };
      }),
      ...disks.map(({ cost, triangles, isPlanar, least = 0, doublings = 0 }, i) => {
        const { area, diagonal } = extentOf(mesh.positions, mesh.triangles, triangles);
        const smallest = Math.max(smallestFor(layout.charts[i]), least);
        const demand = { cost, smallest, negligible: area * unseen, size: area * diagonal ** 2, doublings };
        if (!isPlanar || triangles.length === 1) return demand;
        return {
          ...demand,
          rim: rimErrors(layout.charts[i], { arcs, rims, positions: mesh.positions, smallest, area, near }),
        };
      }),
    ];
    const exponents = typeof budget === 'number' ? allocate(demands, budget) : budget;
    const boundaries = layout.charts.map((chart, i): Boundary => {
      return { chart, pins: pinsOf(chart, arcs, exponents[closed.length + i], disks[i].corner, rims) };
    });
    const failed = new Set<number>();
    const seams = sampleSeams(mesh, arcs, rims, boundaries);
    const sampled: SampledChart[] = [];
    boundaries.forEach((boundary, i) => {
      const old = known.get(disks[i]);
      if (old && isSame(old.boundary, old.seams, boundary, seams)) sampled.push(old.sampled);
      else {
        try {
          sampled.push(sampleDisk(mesh, normals, arcs, seams, boundary));
          keep(disks, boundaries, seams, i, sampled[sampled.length - 1]);
        } catch (error) {
          if (!(error instanceof MeshError) || boundary.chart.triangles.length < 2) throw error;
          failed.add(i);
        }
      }
      onProgress((i + 1) / boundaries.length);
    });
    if (failed.size === 0) return { disks: disks.slice(), boundaries, demands, exponents, arcs, seams, sampled };
    disks = disks.flatMap((chart, i) => (failed.has(i) ? cutFurther(mesh, chart) : [chart]));
  }
}

/**
 * Returns the disks' samples, embedded again with bends included where that is closer to the
 * source. Costs up to here count lengths alone, which takes half the time. Flat charts and charts
 * of few samples stay unchanged.
 */
function bentWhereNearer({ mesh, normals }: Atlas, sum: number, draft: Draft): SampledChart[] {
  const { disks, boundaries, arcs, seams, sampled } = draft;
  const errorOf = ({ source, exponent }: SampledChart): number =>
    interpolationError(source, Math.min(exponent, FINEST_MEASURED));
  return sampled.map((plain, i) => {
    if (!(Math.cbrt(disks[i].cost) > LEAST_SHARE * sum) || isFlat(plain.source, normals)) return plain;
    const error = errorOf(plain);
    try {
      const bent = sampleDisk(mesh, normals, arcs, seams, boundaries[i], { isBent: true });
      return errorOf(bent) < WORTH_BENDING * error ? bent : plain;
    } catch (problem) {
      if (!(problem instanceof MeshError)) throw problem;
      return plain;
    }
  });
}

function isFlat({ source }: ChartSource, { normals }: NormalSource): boolean {
  const first = 9 * source[0];
  for (let i = 0; i < source.length; i++) {
    for (let k = 0; k < 9; k++)
      if (Math.abs(normals[9 * source[i] + k] - normals[first + (k % 3)]) > EVEN) return false;
  }
  return true;
}

function isSame(one: Boundary, seams: SeamSamples[], other: Boundary, otherSeams: SeamSamples[]): boolean {
  const { sides } = other.chart;
  if (one.pins.exponent !== other.pins.exponent || one.pins.start !== other.pins.start) return false;
  if (one.chart.sides.length !== sides.length) return false;
  return sides.every(({ arc, reversed }, s) => {
    const before = one.chart.sides[s];
    return (
      before.reversed === reversed &&
      one.pins.intervals[s] === other.pins.intervals[s] &&
      seams[before.arc].intervals === otherSeams[arc].intervals
    );
  });
}

function measured(chart: PricedChart, sampled: SampledChart): PricedChart {
  const { source, exponent } = sampled;
  if (chart.triangles.length === 1 || chart.isMeasured) return chart;
  const at = Math.min(exponent, FINEST_MEASURED);
  if (chart.isPlanar) {
    const folded = foldedArea(sampled);
    const cost = folded > 0 ? Math.min(interpolationError(source, at), folded * folded) * 16 ** at : 0;
    return { ...chart, cost, isMeasured: true };
  }
  const cost = interpolationError(source, at) * 16 ** at;
  // Samples that meet all edges are exact, but fewer would not be.
  return { ...chart, cost: cost < LUCKY * chart.cost ? chart.cost : cost, isMeasured: true };
}

/**
 * Area of a flat chart's triangles that lie the other way. They cross its rim, about as far as
 * the root of their area.
 */
function foldedArea({ positions: p, exponent }: SampledChart): number {
  const size = sizeOf(exponent);
  const sum = [0, 0, 0];
  const normals: number[] = [];
  const add = (a: number, b: number, c: number): void => {
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    normals.push(...n);
    for (let k = 0; k < 3; k++) sum[k] += n[k];
  };
  for (let row = 0; row + 1 < size; row++) {
    for (let column = 0; column + 1 < size; column++) {
      const a = 3 * (row * size + column);
      const [b, c, d] = [a + 3, a + 3 * size, a + 3 * size + 3];
      if (distanceSquared(p, a, d) <= distanceSquared(p, b, c)) {
        add(a, c, d);
        add(a, d, b);
      } else {
        add(a, c, b);
        add(b, c, d);
      }
    }
  }
  let folded = 0;
  for (let i = 0; i < normals.length; i += 3) {
    folded -= Math.min(0, normals[i] * sum[0] + normals[i + 1] * sum[1] + normals[i + 2] * sum[2]);
  }
  const square = sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
  return folded > FOLDED * square ? folded / Math.sqrt(square) / 2 : 0;
}

function distanceSquared(p: Float64Array, a: number, b: number): number {
  const [x, y, z] = [p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]];
  return x * x + y * y + z * z;
}

function improved(mesh: ManifoldMesh, chart: PricedChart, exponent: number): PricedChart[] {
  let best = chart;
  for (let k = 1; k < ROTATIONS && !chart.isPlanar; k++) {
    const corner = { vertex: chart.corner.vertex, place: chart.corner.place + k / ROTATIONS };
    const cost = measureAlone(mesh, chart.triangles, corner, exponent);
    if (cost < best.cost) best = { ...chart, cost, corner };
  }
  const half = Math.max(2, exponent - 1);
  const parts = halve(mesh, chart.triangles).map((triangles) => partOf(mesh, chart, triangles, half));
  const sum = parts.reduce((all, { cost }) => all + Math.cbrt(cost), 0);
  return sum < CUT_GAIN * Math.cbrt(best.cost) ? parts : [best];
}

function partOf(
  mesh: ManifoldMesh,
  { least, doublings }: PricedChart,
  triangles: Int32Array,
  exponent: number,
): PricedChart {
  const guess = guessCost(mesh, triangles, Math.min(exponent, FINEST_GUESSED));
  if (triangles.length === 1 || guess.isPlanar) return guess;
  const cost = measureAlone(mesh, triangles, guess.corner, exponent);
  const kept = { ...(least !== undefined && { least }), ...(doublings !== undefined && { doublings }) };
  return { ...guess, cost, isMeasured: true, ...kept };
}

function realised(mesh: ManifoldMesh, chart: PricedChart, exponent: number): PricedChart {
  if (chart.triangles.length === 1 || chart.isMeasured || chart.isPlanar) return chart;
  return { ...chart, cost: measureAlone(mesh, chart.triangles, chart.corner, exponent), isMeasured: true };
}

function measureAlone(
  mesh: ManifoldMesh,
  triangles: Int32Array,
  { vertex, place }: PricedChart['corner'],
  exponent: number,
): number {
  const { part, vertices } = cutOut(mesh, triangles);
  const { arcs, charts } = layCharts(part, [Int32Array.from(triangles, (_, i) => i)]);
  const at = Math.max(exponent, smallestFor(charts[0]));
  try {
    const pins = pinsOf(charts[0], arcs, at, { vertex: vertices.indexOf(vertex), place });
    const source = embedChart(part, arcs, charts[0], pins);
    const measuredAt = Math.min(at, FINEST_MEASURED);
    return interpolationError(source, measuredAt) * 16 ** measuredAt;
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return Number.POSITIVE_INFINITY;
  }
}

/** Whole intervals for a chart's sides, with corners rotated closest to their best places. */
function pinsOf(
  chart: DiskChart,
  arcs: Arc[],
  exponent: number,
  corner: PricedChart['corner'],
  rims?: readonly (Rim | null)[],
): Pins {
  const total = 4 << exponent;
  const lengths = chart.sides.map(({ arc }) => arcs[arc].length);
  const own = chart.sides.map(({ arc }) => (chart.triangles.length > 1 && rims?.[arc]) || null);
  const pins = { intervals: allotSides(lengths, own, total), start: 0, exponent };
  const at = chart.boundary.findIndex((v) => chart.vertices[v] === corner.vertex);
  if (at < 0 || chart.triangles.length === 1) return pins;
  const turn = Math.round((corner.place - placesOf(chart, arcs, pins)[at]) * (1 << exponent));
  return { ...pins, start: ((turn % total) + total) % total };
}

function smallestFor({ sides }: DiskChart): number {
  let exponent = 0;
  while (4 << exponent < sides.length) exponent++;
  return exponent;
}

/** Arcs get the fewest intervals of any side; straight sides of single triangles need one. */
function sampleSeams(
  mesh: ManifoldMesh,
  arcs: Arc[],
  rims: readonly (Rim | null)[],
  boundaries: Boundary[],
): SeamSamples[] {
  const fewest = new Int32Array(arcs.length).fill(2 ** 30);
  for (const { chart, pins } of boundaries) {
    chart.sides.forEach(({ arc }, s) => {
      fewest[arc] = Math.min(fewest[arc], chart.triangles.length === 1 ? 1 : pins.intervals[s]);
    });
  }
  return arcs.map((arc, i) => sampleArc(arc, rims[i], fewest[i], mesh.positions));
}

export const areaOf = ({ positions, triangles }: ManifoldMesh, list: Int32Array | null): number =>
  extentOf(positions, triangles, list).area;

function extentOf(p: Float64Array, corners: ArrayLike<number>, list: Int32Array | null) {
  let twice = 0;
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const count = list ? list.length : corners.length / 3;
  for (let i = 0; i < count; i++) {
    const t = list ? list[i] : i;
    const [a, b, c] = [3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]];
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], p[a + k], p[b + k], p[c + k]);
      high[k] = Math.max(high[k], p[a + k], p[b + k], p[c + k]);
    }
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    twice += Math.sqrt(x * x + y * y + z * z);
  }
  const [x, y, z] = [0, 1, 2].map((k) => high[k] - low[k]);
  return { area: twice / 2, diagonal: Math.sqrt(x * x + y * y + z * z) };
}
