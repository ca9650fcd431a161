/**
 * Turns back the triangles of an image that lie on their faces, by sliding samples along the
 * source.
 *
 * Three samples on a strongly bent surface can make a triangle whose normal opposes the surface
 * under it, as in a Schwarz lantern. That happens where quads are long and askew, and where the
 * surface is thinner than the sample distance. The source's part under a triangle has a vector area
 * that its rim x_0, x_1, ... alone determines:
 *   A = 1/2 sum of x_i cross x_(i+1)
 * A triangle is flipped if its own vector area has a negative product with A. It is tested on the
 * stored integers, since rounding turns small triangles over, too.
 *
 * A sample slides to another place of its square, up to a quad away, and keeps what a fit has added
 * to it. It takes the place with the least flipped area around it. Slivers count a little, too. A
 * slide may not move the source and the triangles around farther apart than a part of their sides,
 * or of the greatest distance before. All copies of a sample move as one. Borders stay. So
 * do the coordinates that determine origin and step.
 */
import { triangleDistanceSquared } from '../../../mesh/triangle-tree.ts';
import { cutsDownAt } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import type { SampledChart } from './charts/sampled-chart.ts';
import { joined, quantise } from './quantise.ts';
import { type SurfaceAt, surfaceAt } from './resample.ts';
import { shareSamples } from './shared-samples.ts';

/** Triangles with a smaller cosine to their corners' normals are examined. */
const SUSPECT = 0.2;
const ROUNDS = 8;
/**
 * Untangling ends after so much work: the number of examined triangles of the source, plus as many
 * for each slide. A cone of long, thin triangles folded to and fro would take minutes.
 */
const MOST_WORK = 3e7;
const SLIDE_WORK = 1000;
/** Slides aim at this cosine between a triangle and the source under it. */
const MARGIN = 0.1;
/** Weight of the area of flipped triangles, beside what their cosines lack. */
const FLIPPED_WEIGHT = 0.2;
/** A triangle whose height is below this part of its longest side is a sliver. */
const SLIVER = 0.05;
const SLIVER_WEIGHT = 0.05;
/** A slide must leave at most this part of the flaws. */
const GAIN = 0.95;
/** Distance that a slide may cause: in sides of the quads around, and of the greatest distance. */
const OF_SIDES = 0.1;
const OF_GREATEST = 0.25;
/** Chosen quads lie this far around suspects: a slide needs the quads around it, and one more. */
const AROUND = 2;
/** Parts of a triangle's side, for its rim on the source; even, since probes lie at halves. */
const PARTS = 4;
const ROW = PARTS + 1;
const PROBE_ROW = 3;
const PROBES = PROBE_ROW * PROBE_ROW;
/** Slides in quads, nearest first. */
const LENGTHS = [3 / 16, 6 / 16, 10 / 16, 14 / 16];
const DIRECTIONS = /* @__PURE__ */ [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((across) => [down, across]));

/** A quad of samples near a flipped triangle, and the source under it. */
interface Quad {
  /** Its first corner among all samples, and the samples per side. */
  corner: number;
  size: number;
  /** Unit vectors of the vector areas under the two triangles of either cut: see RIMS. */
  under: Float64Array;
  /** Points of the source at 3 x 3 places, in steps from the origin. */
  probes: Float64Array;
  /** Number of slides at the time of the last one beside it. */
  changed: number;
}

/** Slides samples until no triangle is flipped, or none can be turned back. */
export function untangle(charts: readonly SampledChart[]): void {
  const { geometry, origin, step } = quantise(joined(charts.map(({ positions }) => positions)));
  let from = 0;
  const suspects = charts.map(({ exponent, normals }) => {
    const own = geometry.subarray(from, from + normals.length);
    from += own.length;
    return exponent === 0 ? [] : suspectsOf(own, normals, sizeOf(exponent));
  });
  if (suspects.every(({ length }) => length === 0)) return;
  new Tangle(charts, geometry, origin, step, suspects).run(suspects);
}

/** Quads with a triangle far from its corners' normals. */
function suspectsOf(q: Uint16Array, normals: Float64Array, size: number): number[] {
  const suspects: number[] = [];
  for (let row = 0; row < size - 1; row++) {
    for (let column = 0; column < size - 1; column++) {
      setHalves(q, row * size + column, size);
      if (isSuspect(q, normals, 0) || isSuspect(q, normals, 3)) suspects.push(row * (size - 1) + column);
    }
  }
  return suspects;
}

function isSuspect(q: Uint16Array, normals: Float64Array, half: number): boolean {
  const [a, b, c] = [halves[half], halves[half + 1], halves[half + 2]];
  setArea(q, a, b, c);
  const x = normals[a] + normals[b] + normals[c];
  const y = normals[a + 1] + normals[b + 1] + normals[c + 1];
  const z = normals[a + 2] + normals[b + 2] + normals[c + 2];
  const product = area.x * x + area.y * y + area.z * z;
  return product < 0 || product * product < SUSPECT * SUSPECT * area.squared * (x * x + y * y + z * z);
}

/** Corners of a quad's triangles, each times three, and where `under` has their vector areas. */
const halves = new Int32Array(6);
let underAt = 0;

function setHalves(q: Uint16Array, corner: number, size: number): void {
  const a = 3 * corner;
  const b = a + 3;
  const c = a + 3 * size;
  const d = c + 3;
  const isDown = cutsDownAt(q, size, corner);
  halves[0] = a;
  halves[1] = isDown ? d : b;
  halves[2] = halves[5] = c;
  halves[3] = isDown ? a : b;
  halves[4] = isDown ? b : d;
  if (isDown) halves[5] = d;
  underAt = isDown ? 6 : 0;
}

/** Twice a triangle's vector area, and its square. */
const area = { x: 0, y: 0, z: 0, squared: 0 };

function setArea(q: Uint16Array, a: number, b: number, c: number): void {
  const ux = q[b] - q[a];
  const uy = q[b + 1] - q[a + 1];
  const uz = q[b + 2] - q[a + 2];
  const vx = q[c] - q[a];
  const vy = q[c + 1] - q[a + 1];
  const vz = q[c + 2] - q[a + 2];
  area.x = uy * vz - uz * vy;
  area.y = uz * vx - ux * vz;
  area.z = ux * vy - uy * vx;
  area.squared = area.x * area.x + area.y * area.y + area.z * area.z;
}

function squared(q: Uint16Array, a: number, b: number): number {
  const x = q[a] - q[b];
  const y = q[a + 1] - q[b + 1];
  const z = q[a + 2] - q[b + 2];
  return x * x + y * y + z * z;
}

/** The flipped area around, and what slides lower: area that lacks MARGIN, and that of slivers. */
const wrong = { flipped: 0, all: 0 };

function judge(q: Uint16Array, ring: readonly Quad[]): void {
  wrong.flipped = 0;
  wrong.all = 0;
  for (const { corner, size, under } of ring) {
    setHalves(q, corner, size);
    for (let half = 0; half < 6; half += 3) {
      const [a, b, c] = [halves[half], halves[half + 1], halves[half + 2]];
      setArea(q, a, b, c);
      const u = underAt + half;
      const product = area.x * under[u] + area.y * under[u + 1] + area.z * under[u + 2];
      const length = Math.max(squared(q, a, b), squared(q, b, c), squared(q, c, a));
      const whole = Math.sqrt(area.squared);
      if (product < 0) wrong.flipped += whole;
      wrong.all += (product < 0 ? FLIPPED_WEIGHT * whole : 0) + Math.max(0, MARGIN * whole - product);
      wrong.all += SLIVER_WEIGHT * Math.max(0, SLIVER * length - product);
    }
  }
}

interface Slide {
  wrong: number;
  position: Float64Array;
  q: number[];
  /** The sample nearest to the place, which has its normal. */
  nearest: number;
}

class Tangle {
  private readonly first: Int32Array;
  private readonly owner: Int32Array;
  private readonly stays: Uint8Array;
  private readonly chartOf: Int32Array;
  /** All copies of each sample that has more than one. */
  private readonly copies = new Map<number, number[]>();
  private readonly surfaces: (SurfaceAt | null)[];
  private readonly asked: SurfaceAt[];
  private readonly quads = new Map<number, Quad | null>();
  private readonly tried = new Map<number, number>();
  private slides = 0;
  private tries = 0;
  private greatest = 0;

  constructor(
    private readonly charts: readonly SampledChart[],
    private readonly geometry: Uint16Array,
    private readonly origin: Float64Array,
    private readonly step: number,
    suspects: readonly number[][],
  ) {
    const { first, owner, stays } = shareSamples(
      charts.map(({ exponent, positions, source }) => ({ size: sizeOf(exponent), positions, folded: source.folded })),
    );
    this.first = first;
    this.owner = owner;
    this.stays = stays;
    this.chartOf = new Int32Array(owner.length);
    charts.forEach((_, i) => {
      this.chartOf.fill(i, first[i], first[i + 1]);
    });
    for (let g = 0; g < owner.length; g++) {
      if (owner[g] === g) continue;
      const known = this.copies.get(owner[g]);
      if (known) known.push(g);
      else this.copies.set(owner[g], [owner[g], g]);
    }
    this.surfaces = charts.map(({ exponent, source }, i) =>
      suspects[i].length === 0 ? null : surfaceAt(source, 1 << exponent, around(suspects[i], 1 << exponent)),
    );
    this.asked = this.surfaces.filter((surface) => surface !== null);
  }

  run(suspects: readonly number[][]): void {
    const { charts, owner, geometry } = this;
    let open: Quad[] = [];
    suspects.forEach((list, i) => {
      const side = 1 << charts[i].exponent;
      for (const quad of list) {
        const known = this.quadAt(i, Math.floor(quad / side), quad % side);
        if (known) open.push(known);
      }
    });
    const isFlipped = (quad: Quad): boolean => {
      judge(geometry, [quad]);
      return wrong.flipped > 0;
    };
    open = open.filter(isFlipped);
    for (const quad of open) {
      measure(geometry, [quad]);
      this.greatest = Math.max(this.greatest, far.missing, far.excess);
    }
    for (let round = 0; round < ROUNDS && open.length > 0; round++) {
      const before = this.slides;
      for (const quad of open) {
        if (this.isTired()) return;
        const { corner, size } = quad;
        for (const g of [corner, corner + 1, corner + size, corner + size + 1])
          if (isFlipped(quad)) this.slide(owner[g]);
      }
      if (this.slides === before) return;
      open = open.filter(isFlipped);
    }
  }

  private isTired(): boolean {
    const looked = this.asked.reduce((sum, surface) => sum + surface.looked, 0);
    return looked + SLIDE_WORK * this.tries > MOST_WORK;
  }

  /** Null if the source is not known. */
  private quadAt(chart: number, row: number, column: number): Quad | null {
    const size = sizeOf(this.charts[chart].exponent);
    const corner = this.first[chart] + row * size + column;
    let quad = this.quads.get(corner);
    if (quad === undefined) {
      quad = this.readSource(chart, row, column) ? this.createQuad(corner, size) : null;
      this.quads.set(corner, quad);
    }
    return quad;
  }

  /** Evaluates the source at a quad's parts, where rims and probes are. */
  private readSource(chart: number, row: number, column: number): boolean {
    const surface = this.surfaces[chart];
    if (!surface) return false;
    for (let i = 0; i <= PARTS; i++) {
      for (let j = 0; j <= PARTS; j++) {
        if (i % PARTS !== 0 && j % PARTS !== 0 && i !== j && i + j !== PARTS) continue;
        if (!surface.at(row + i / PARTS, column + j / PARTS, parts, 3 * (i * ROW + j))) return false;
      }
    }
    return true;
  }

  private createQuad(corner: number, size: number): Quad {
    const { origin, step } = this;
    const quad = {
      corner,
      size,
      under: new Float64Array(12),
      probes: new Float64Array(3 * PROBES),
      changed: 0,
    };
    RIMS.forEach((rim, k) => {
      writeVectorArea(rim, quad.under, 3 * k);
    });
    for (let probe = 0; probe < PROBES; probe++) {
      const at = (PARTS / 2) * (Math.floor(probe / PROBE_ROW) * ROW + (probe % PROBE_ROW));
      for (let k = 0; k < 3; k++) quad.probes[3 * probe + k] = (parts[3 * at + k] - origin[k]) / step;
    }
    return quad;
  }

  /** The quads around a sample and its copies; null if one of them is not known. */
  private ringOf(copies: readonly number[]): Quad[] | null {
    const ring: Quad[] = [];
    for (const g of copies) {
      const chart = this.chartOf[g];
      const size = sizeOf(this.charts[chart].exponent);
      const [row, column] = [Math.floor((g - this.first[chart]) / size), (g - this.first[chart]) % size];
      for (let r = Math.max(0, row - 1); r <= Math.min(size - 2, row); r++) {
        for (let c = Math.max(0, column - 1); c <= Math.min(size - 2, column); c++) {
          const quad = this.quadAt(chart, r, c);
          if (!quad) return null;
          if (!ring.includes(quad)) ring.push(quad);
        }
      }
    }
    return ring;
  }

  /** Slides a sample to where the least area around it is flipped, or leaves it. */
  private slide(g: number): void {
    const { charts, geometry, first, chartOf } = this;
    if (this.stays[g] === 1) return;
    const copies = this.copies.get(g) ?? [g];
    const ring = this.ringOf(copies);
    const tried = this.tried.get(g) ?? -1;
    if (!ring?.some(({ changed }) => changed > tried)) return;
    this.tries++;
    const put = (q: ArrayLike<number>): void => {
      for (const v of copies) for (let k = 0; k < 3; k++) geometry[3 * v + k] = q[k];
    };
    const old = geometry.slice(3 * g, 3 * g + 3);
    judge(geometry, ring);
    const slides = this.slidesOf(copies, ring, put, old).sort((one, other) => one.wrong - other.wrong);
    put(old);
    if (slides.length > 0) measure(geometry, ring);
    const before = { ...far };
    const most = Math.min(OF_SIDES ** 2 * sideSquared(geometry, ring), OF_GREATEST ** 2 * this.greatest);
    for (const { position, q, nearest } of slides) {
      put(q);
      measure(geometry, ring);
      if (far.missing > Math.max(before.missing, most) || far.excess > Math.max(before.excess, most)) continue;
      const chart = chartOf[nearest];
      const at = 3 * (nearest - first[chart]);
      const normal = charts[chart].normals.slice(at, at + 3);
      for (const v of copies) {
        const to = 3 * (v - first[chartOf[v]]);
        charts[chartOf[v]].positions.set(position, to);
        // Charts may meet in a crease, so the others' normals stay.
        if (chartOf[v] === chart) charts[chart].normals.set(normal, to);
      }
      this.slides++;
      for (const quad of ring) quad.changed = this.slides;
      return;
    }
    put(old);
    this.tried.set(g, this.slides);
  }

  /** Finds slides that leave fewer flaws than `wrong` has. Leaves the last one in the geometry. */
  private slidesOf(
    copies: readonly number[],
    ring: readonly Quad[],
    put: (q: number[]) => void,
    old: Uint16Array,
  ): Slide[] {
    const { charts, geometry, first, chartOf, origin, step } = this;
    const before = { ...wrong };
    const found: Slide[] = [];
    const here = new Float64Array(3);
    if (!(before.flipped > 0)) return found;
    for (const length of LENGTHS) {
      for (const v of copies) {
        const chart = chartOf[v];
        const size = sizeOf(charts[chart].exponent);
        const [row, column] = [Math.floor((v - first[chart]) / size), (v - first[chart]) % size];
        const surface = this.surfaces[chart];
        if (!surface?.at(row, column, here, 0)) continue;
        for (const [down, across] of DIRECTIONS) {
          const [r, c] = [row + length * down, column + length * across];
          if ((down === 0 && across === 0) || r < 0 || r > size - 1 || c < 0 || c > size - 1) continue;
          const position = new Float64Array(3);
          if (!surface.at(r, c, position, 0)) continue;
          for (let k = 0; k < 3; k++) position[k] += charts[chart].positions[3 * (v - first[chart]) + k] - here[k];
          const q = Array.from(position, (x, k) => Math.round((x - origin[k]) / step));
          const own = 3 * (v - first[chart]);
          if (q.some((x, k) => !(x > 0 && x < 65535) && position[k] !== charts[chart].positions[own + k])) continue;
          if (old.some((x, k) => (x === 0 || x === 65535) && position[k] !== charts[chart].positions[own + k]))
            continue;
          put(q);
          judge(geometry, ring);
          if (!(wrong.all < GAIN * before.all && wrong.flipped < before.flipped)) continue;
          found.push({
            wrong: wrong.all,
            position,
            q,
            nearest: first[chart] + Math.round(r) * size + Math.round(c),
          });
        }
      }
      if (found.some(({ wrong: left }) => left === 0)) break;
    }
    return found;
  }
}

function around(list: readonly number[], quads: number): Uint8Array {
  const chosen = new Uint8Array(quads * quads);
  for (const quad of list) {
    const [row, column] = [Math.floor(quad / quads), quad % quads];
    const [left, right] = [Math.max(0, column - AROUND), Math.min(quads, column + AROUND + 1)];
    for (let r = Math.max(0, row - AROUND); r < Math.min(quads, row + AROUND + 1); r++)
      chosen.fill(1, r * quads + left, r * quads + right);
  }
  return chosen;
}

/** The source at a quad's parts. */
const parts = new Float64Array(3 * ROW * ROW);

/** Rims as numbers of parts: (a, b, c), (b, d, c); (a, d, c), (a, b, d). */
const RIMS = [
  [0, PARTS, PARTS * ROW],
  [PARTS, PARTS * ROW + PARTS, PARTS * ROW],
  [0, PARTS * ROW + PARTS, PARTS * ROW],
  [0, PARTS, PARTS * ROW + PARTS],
];

function writeVectorArea(rim: readonly number[], out: Float64Array, to: number): void {
  const o = 3 * rim[0];
  let [x, y, z] = [0, 0, 0];
  let from = o;
  for (let side = 0; side < 3; side++) {
    const [start, end] = [rim[side], rim[(side + 1) % 3]];
    for (let k = 1; k <= PARTS; k++) {
      const at = 3 * (start + ((end - start) / PARTS) * k);
      const [ux, uy, uz] = [parts[from] - parts[o], parts[from + 1] - parts[o + 1], parts[from + 2] - parts[o + 2]];
      const [vx, vy, vz] = [parts[at] - parts[o], parts[at + 1] - parts[o + 1], parts[at + 2] - parts[o + 2]];
      x += uy * vz - uz * vy;
      y += uz * vx - ux * vz;
      z += ux * vy - uy * vx;
      from = at;
    }
  }
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 0)) return;
  out[to] = x / length;
  out[to + 1] = y / length;
  out[to + 2] = z / length;
}

/** Mean square of the sides of quads, in steps. */
function sideSquared(q: Uint16Array, ring: readonly Quad[]): number {
  let sum = 0;
  for (const { corner, size } of ring)
    sum += squared(q, 3 * corner, 3 * corner + 3) + squared(q, 3 * corner, 3 * (corner + size));
  return sum / (2 * ring.length);
}

/** Nine coordinates of each triangle around a sample, and of the source under them. */
let image = new Float64Array(0);
let source = new Float64Array(0);

/**
 * Greatest squared distances in a ring: from the source's probes to the triangles, and from their
 * centers and the middles of their sides to the source.
 */
const far = { missing: 0, excess: 0 };

function measure(q: Uint16Array, ring: readonly Quad[]): void {
  if (image.length < 18 * ring.length) {
    image = new Float64Array(18 * ring.length);
    source = new Float64Array(9 * 8 * ring.length);
  }
  let i = 0;
  let s = 0;
  for (const { corner, size, probes } of ring) {
    setHalves(q, corner, size);
    for (let v = 0; v < 6; v++) for (let k = 0; k < 3; k++) image[i++] = q[halves[v] + k];
    for (const v of PROBE_TRIANGLES) for (let k = 0; k < 3; k++) source[s++] = probes[3 * v + k];
  }
  far.missing = 0;
  far.excess = 0;
  for (const { probes } of ring) {
    for (let k = 0; k < probes.length; k += 3)
      far.missing = nearer(image, i, probes[k], probes[k + 1], probes[k + 2], far.missing);
  }
  for (let t = 0; t < i; t += 9) {
    for (const [u, v, w] of MIDDLES) {
      const [x, y, z] = [0, 1, 2].map((k) => u * image[t + k] + v * image[t + 3 + k] + w * image[t + 6 + k]);
      far.excess = nearer(source, s, x, y, z, far.excess);
    }
  }
}

const PROBE_TRIANGLES = /* @__PURE__ */ [0, 1, 3, 4].flatMap((v) => [v, v + 1, v + 3, v + 1, v + 4, v + 3]);
const MIDDLES = [
  [1 / 3, 1 / 3, 1 / 3],
  [1 / 2, 1 / 2, 0],
  [0, 1 / 2, 1 / 2],
  [1 / 2, 0, 1 / 2],
];

/** Returns a point's squared distance from triangles, or `most` if that is more. */
function nearer(corners: Float64Array, end: number, x: number, y: number, z: number, most: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let t = 0; t < end && least > most; t += 9)
    least = Math.min(least, triangleDistanceSquared(corners, t, x, y, z));
  return Math.max(most, least);
}
