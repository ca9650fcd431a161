/**
 * Chooses the size of an image: the smallest one that is good enough.
 *
 * Embedding is the expensive part of a build, and charts are embedded anew for each size. So the
 * charts embedded for one size are sampled for the smaller ones, and these trials are measured by a
 * few thousand points of the source. Against real builds, spot, rotor and a plate with holes at 17
 * to 129 come within 2 dB, where more than a few samples are in a chart. Each trial costs a quarter
 * of the next. A fit takes longer than all the rest, so its gain is measured up to a quarter of the
 * size, and assumed for the next. The caller builds the size that trials propose, and proves it.
 *
 * Not taken: trials measured at the samples between their own, each against its own quad. Seams
 * and fitted samples, which slide along the surface, look up to 20 dB worse that way.
 */
import { twiceArea } from '../../../mesh/deviation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { TriangleTree } from '../../../mesh/triangle-tree.ts';
import { toMesh } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { type Atlas, areaOf, sumOf } from './charts/atlas.ts';
import { type SampledChart, sampleChart } from './charts/sampled-chart.ts';
import { stored } from './quantise.ts';
import { type NormalSource, normalsOfSamples } from './sample-normals.ts';

/** Distances between an image and its source, as parts of the diagonal. */
export interface Distances {
  /** Root mean square. */
  rms: number;
  /** The greatest one. */
  far: number;
}

/** `--size auto`: 78 dB, which is 10^(-78/20), and 0.2 % of the diagonal. */
export const GOOD: Distances = { rms: 1.2589254117941672e-4, far: 0.002 };
const SMALLEST = 4;
const LARGEST = 8;
/** Half a decibel: 10^(0.5/20). A larger image must lower the rms by more than this factor. */
const LEAST_GAIN = 1.0592537251772889;
/** A gain below this, 3.5 dB, is compared with that of the largest size. */
const SLOW = 1.5;
/** Points of the source that a trial is measured by. */
const POINTS = 3000;
/** Exponent below which the trial of a chart keeps its samples. */
const COARSEST = 2;
/** A trial that is larger than the smaller one by less than this factor says nothing new. */
const MORE = 1.5;
/** Twice the samples per side are expected to divide an rms and a greatest distance by these. */
const USUAL = { rms: 3, far: 2 };
/** A trial is proposed if its distances are larger than the goal by less: by 2 dB and 10 %. */
const HOPEFUL = { rms: 1.26, far: 1.1 };
/** A size is proposed by the trial of half its size if it promises this part of the goal. */
const SURE = { rms: 0.75, far: 0.75 };

/** Costs promise about 3 to 10 dB less than there are. This part of it, 2 dB, is counted on. */
const PESSIMISM = 1.26;

/** Returns the size up to 257 that reaches an rms by the costs of the charts. */
export function promisedSize({ mesh, closed, disks }: Atlas, rms: number, diagonal: number): number {
  const all = Int32Array.from({ length: mesh.triangles.length / 3 }, (_, t) => t);
  const sum = sumOf([...closed, ...disks]);
  const wanted = PESSIMISM * Math.min(rms, GOOD.rms) * diagonal;
  const enough = (sum * sum * sum) / (areaOf(mesh, all) * wanted * wanted);
  let exponent = SMALLEST;
  while (exponent < LARGEST && !(16 ** exponent >= enough)) exponent++;
  return sizeOf(exponent);
}

interface Choice {
  drawn: readonly Pick<SampledChart, 'exponent' | 'positions' | 'normals' | 'source'>[];
  /** Normals of the surface that was drawn. */
  normals: NormalSource;
  /** Samples per side that `drawn` was embedded for. */
  size: number;
  first: number;
  goal: Distances;
  diagonal: number;
  fit: ((charts: SampledChart[]) => void) | null;
}

/** Returns the size to build, at most that of `drawn`. */
export function chooseSize(mesh: Mesh, { drawn, normals, size, first, goal, diagonal, fit }: Choice): number {
  const points = pointsOn(mesh);
  const measure = (charts: readonly SampledChart[]): Distances => {
    const { rms, far } = distancesOf(points, charts);
    return { rms: rms / diagonal, far: far / diagonal };
  };
  let gain: Distances | null = fit ? null : { rms: 1, far: 1 };
  let before: { trial: number; rms: number; samples: number } | null = null;
  let isSlow = false;
  for (let trial = first; trial < size || (trial === size && isSlow); trial = 2 * trial - 1) {
    const charts = trialOf(drawn, normals, Math.round(Math.log2((size - 1) / (trial - 1))));
    const samples = charts.reduce((sum, { exponent }) => sum + sizeOf(exponent) ** 2, 0);
    const plain = measure(charts);
    if (fit && trial < size && (!gain || 4 * (trial - 1) < size)) {
      fit(charts);
      const fitted = measure(charts);
      gain = { rms: ratioOf(fitted.rms, plain.rms), far: ratioOf(fitted.far, plain.far) };
    }
    const expected = { rms: plain.rms * gain!.rms, far: plain.far * gain!.far };
    if (isWithin(expected, goal, HOPEFUL)) return trial;
    if (!before || samples > MORE * before.samples) {
      if (before && isEnough(before.rms, expected.rms)) return before.trial;
      isSlow = before !== null && before.rms < SLOW * expected.rms;
      before = { trial, rms: expected.rms, samples };
    }
    const next = { rms: expected.rms / USUAL.rms, far: expected.far / USUAL.far };
    if (isWithin(next, goal, SURE)) return 2 * trial - 1;
  }
  return size;
}

export const isWithin = (found: Distances, goal: Distances, factor: Distances = EXACTLY): boolean =>
  found.rms <= factor.rms * goal.rms && found.far <= factor.far * goal.far;
const EXACTLY = { rms: 1, far: 1 };

/** True if an image gains nothing by twice the samples per side. */
export const isEnough = (rms: number, ofNext: number): boolean => rms < LEAST_GAIN * ofNext;

/** A fit that does not come nearer is undone. */
const ratioOf = (fitted: number, plain: number): number => (plain > 0 ? Math.min(1, fitted / plain) : 1);

/** The charts with 2^levels times fewer quads per side; samples on seams are not shared. */
function trialOf(drawn: Choice['drawn'], from: NormalSource, levels: number): SampledChart[] {
  return drawn.map(({ exponent, positions, normals, source }) => {
    const own = Math.max(Math.min(exponent, COARSEST), exponent - levels);
    if (own === exponent) return { exponent, positions: positions.slice(), normals, source };
    const samples = sampleChart(source, sizeOf(own));
    return {
      exponent: own,
      positions: samples.positions,
      normals: normalsOfSamples(from, source.source, samples),
      source,
    };
  });
}

/** Points in equal shares of a surface's area, x, y, z each; empty without area. */
function pointsOn({ positions: p, triangles }: Mesh): Float64Array {
  const cumulative = new Float64Array(triangles.length / 3);
  let area = 0;
  for (let t = 0; t < cumulative.length; t++) {
    area += twiceArea(p, 3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]);
    cumulative[t] = area;
  }
  const points = new Float64Array(area > 0 ? 3 * POINTS : 0);
  for (let i = 0, t = 0; 3 * i < points.length; i++) {
    while (cumulative[t] <= ((i + 0.5) / POINTS) * area && t < cumulative.length - 1) t++;
    // M. Roberts' sequence of evenly spread points, its far half folded back onto the triangle.
    let v = (i * 0.7548776662466927) % 1;
    let w = (i * 0.5698402909980532) % 1;
    if (v + w > 1) [v, w] = [1 - v, 1 - w];
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    for (let k = 0; k < 3; k++) points[3 * i + k] = (1 - v - w) * p[a + k] + v * p[b + k] + w * p[c + k];
  }
  return points;
}

function distancesOf(points: Float64Array, charts: readonly SampledChart[]): Distances {
  const tree = new TriangleTree(toMesh(stored(charts)));
  let sum = 0;
  let far = 0;
  for (let i = 0; i < points.length; i += 3) {
    const squared = tree.closestDistanceSquared(points[i], points[i + 1], points[i + 2]);
    sum += squared;
    if (squared > far) far = squared;
  }
  return { rms: Math.sqrt(sum / Math.max(1, points.length / 3)), far: Math.sqrt(far) };
}
