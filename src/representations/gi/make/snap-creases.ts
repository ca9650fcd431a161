/**
 * Moves samples onto the creases of the source, before a fit.
 *
 * Samples on both sides of a crease cut it off. A fit alone can't repair that: it compares each
 * point of the image with the source's point at the same place of the square, which beside a crease
 * is on the wrong face. So the places move, too. On each grid line that a crease crosses, the
 * nearer sample moves along that line to the crossing. This is the way in which S. Raman, R.
 * Wenger, "Quality Isosurface Mesh Generation Using an Extended Marching Cubes Lookup Table", 2008,
 * snap grid vertices to a surface. Corners, where creases meet or turn, get the nearest sample
 * first. A sample is moved once. No quad of the moved places is turned over or thin. Samples on a
 * chart's rim stay.
 *
 * The source's points at places between moved ones are found by the triangles of its fine samples.
 */
import type { ChartSource } from './charts/sampled-chart.ts';
import type { FittedChart } from './fit.ts';
import { createSquareImages, findSquareImages, type SurfaceSamples } from './resample.ts';

/** Cosine of the least angle between two faces at a crease, 25 degrees, as in sharp-edges.ts. */
const SHARP = 0.9063;
/** Cosine of the least turn of a crease at a corner, 40 degrees. */
const TURN = 0.77;
/** Most triangles per quad: in a dense scan, edges between samples are noise. */
const MOST_TRIANGLES = 2;
/** Most crossings per sample: many long creases would take gigabytes. */
const MOST_CROSSINGS = 8;
/** Least area of a corner of a moved quad, where a square has 1. */
const LEAST_CORNER = 0.15;
/** Fine samples this far from a cell are examined for the triangle that holds a place in it. */
const MOST_AROUND = 2;
/** Places on a triangle's side are on it. */
const ROUNDING = 1e-9;

interface Crease {
  /** Ends in the square, in quads: column, row, column, row. */
  ends: [number, number, number, number];
  from: number;
  to: number;
}

interface Crossing {
  /** The sample that moves, and the other end of its edge; -1 for a corner. */
  sample: number;
  other: number;
  column: number;
  row: number;
  distance: number;
  x: number;
  y: number;
  z: number;
}

/** Moves a chart's samples onto creases, and fine samples between them; true if any moved. */
export function snapToCreases(source: ChartSource, chart: FittedChart): boolean {
  const { size, positions, fine } = chart;
  const cells = size - 1;
  if (source.triangles.length / 3 > MOST_TRIANGLES * cells * cells) return false;
  const { creases, corners } = creasesOf(source, cells);
  if (creases.length === 0 || countCrossings(creases) > MOST_CROSSINGS * size * size) return false;
  const places = new Float64Array(2 * size * size);
  for (let g = 0; g < size * size; g++) {
    places[2 * g] = g % size;
    places[2 * g + 1] = Math.floor(g / size);
  }
  const isMoved = new Uint8Array(size * size);
  let count = 0;
  for (const { sample, other, column, row, x, y, z } of crossingsOf(source, creases, corners, size)) {
    if (isMoved[sample] || (other >= 0 && isMoved[other])) continue;
    const [wasColumn, wasRow] = [places[2 * sample], places[2 * sample + 1]];
    places[2 * sample] = column;
    places[2 * sample + 1] = row;
    if (!isSound(places, size, sample)) {
      places[2 * sample] = wasColumn;
      places[2 * sample + 1] = wasRow;
      continue;
    }
    isMoved[sample] = 1;
    count++;
    positions[3 * sample] = x;
    positions[3 * sample + 1] = y;
    positions[3 * sample + 2] = z;
  }
  if (count > 0 && fine) chart.fine = warped(source, fine, positions, places, isMoved, size);
  return count > 0;
}

/** Creases of the source in its square, and the vertices where they meet or turn. */
function creasesOf(source: ChartSource, cells: number): { creases: Crease[]; corners: Set<number> } {
  const { positions: p, triangles, corners: at, folded } = source;
  const normals = faceNormals(p, triangles);
  const vertices = p.length / 3;
  const open = new Map<number, number>();
  const sharp = new Set<number>();
  for (let h = 0; h < triangles.length; h++) {
    const next = h % 3 === 2 ? h - 2 : h + 1;
    const [a, b] = [triangles[h], triangles[next]];
    const key = Math.min(a, b) * vertices + Math.max(a, b);
    const other = open.get(key);
    if (other === undefined) {
      open.set(key, Math.floor(h / 3));
      continue;
    }
    const [i, j] = [3 * Math.floor(h / 3), 3 * other];
    const cosine = normals[i] * normals[j] + normals[i + 1] * normals[j + 1] + normals[i + 2] * normals[j + 2];
    if (cosine < SHARP) sharp.add(key);
  }
  const creases: Crease[] = [];
  if (sharp.size === 0) return { creases, corners: new Set() };
  const images = createSquareImages();
  for (let t = 0; t < triangles.length / 3; t++) {
    for (let k = 0; k < 3; k++) {
      const [from, to] = [triangles[3 * t + k], triangles[3 * t + ((k + 1) % 3)]];
      if (!sharp.has(Math.min(from, to) * vertices + Math.max(from, to))) continue;
      if (folded) {
        findSquareImages(at, 6 * t, images);
      } else {
        images.count = 1;
        for (let i = 0; i < 6; i++) images.corners[i] = at[6 * t + i];
      }
      for (let image = 0; image < images.count; image++) {
        const place = (corner: number, axis: number): number =>
          ((images.corners[6 * image + 2 * (corner % 3) + axis] + 1) / 2) * cells;
        creases.push({ ends: [place(k, 0), place(k, 1), place(k + 1, 0), place(k + 1, 1)], from, to });
      }
    }
  }
  return { creases, corners: cornersOf(p, sharp, vertices) };
}

function faceNormals(p: Float64Array, triangles: ArrayLike<number>): Float64Array {
  const normals = new Float64Array(triangles.length);
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.sqrt(x * x + y * y + z * z);
    // Faces without area have no creases.
    normals[i] = length > 0 ? x / length : 2;
    normals[i + 1] = length > 0 ? y / length : 2;
    normals[i + 2] = length > 0 ? z / length : 2;
  }
  return normals;
}

function cornersOf(p: Float64Array, sharp: ReadonlySet<number>, vertices: number): Set<number> {
  const neighbors = new Map<number, number[]>();
  for (const key of sharp) {
    const [a, b] = [Math.floor(key / vertices), key % vertices];
    for (const [v, other] of [
      [a, b],
      [b, a],
    ]) {
      const known = neighbors.get(v);
      if (known) known.push(other);
      else neighbors.set(v, [other]);
    }
  }
  const corners = new Set<number>();
  for (const [v, others] of neighbors) {
    if (others.length > 2 || (others.length === 2 && turns(p, others[0], v, others[1]))) corners.add(v);
  }
  return corners;
}

function turns(p: Float64Array, a: number, v: number, b: number): boolean {
  const [ux, uy, uz] = [0, 1, 2].map((k) => p[3 * v + k] - p[3 * a + k]);
  const [wx, wy, wz] = [0, 1, 2].map((k) => p[3 * b + k] - p[3 * v + k]);
  const product = ux * wx + uy * wy + uz * wz;
  return product < TURN * Math.sqrt((ux * ux + uy * uy + uz * uz) * (wx * wx + wy * wy + wz * wz));
}

/** Crossings of creases and grid lines, two more at most for each crease. */
function countCrossings(creases: readonly Crease[]): number {
  let count = 0;
  for (const { ends } of creases) count += Math.abs(ends[2] - ends[0]) + Math.abs(ends[3] - ends[1]);
  return count;
}

/** Corners first, then crossings of creases and grid lines, nearest first. */
function crossingsOf(
  { positions: p }: ChartSource,
  creases: readonly Crease[],
  corners: ReadonlySet<number>,
  size: number,
): Crossing[] {
  const all: Crossing[] = [];
  const offer = (column: number, row: number, other: number, point: readonly number[], isCorner: boolean): void => {
    const [c, r] = [Math.round(column), Math.round(row)];
    // Samples on the rim are shared.
    if (c < 1 || r < 1 || c > size - 2 || r > size - 2) return;
    const distance = Math.abs(column - c) + Math.abs(row - r);
    const [x, y, z] = point;
    all.push({ sample: r * size + c, other, column, row, distance: isCorner ? distance - 2 : distance, x, y, z });
  };
  for (const { ends, from, to } of creases) {
    const pointAt = (t: number): number[] =>
      [0, 1, 2].map((k) => p[3 * from + k] + t * (p[3 * to + k] - p[3 * from + k]));
    const [column, row, lastColumn, lastRow] = ends;
    if (corners.has(from)) offer(column, row, -1, pointAt(0), true);
    if (corners.has(to)) offer(lastColumn, lastRow, -1, pointAt(1), true);
    for (let c = Math.ceil(Math.min(column, lastColumn)); c <= Math.max(column, lastColumn); c++) {
      if (column === lastColumn) break;
      const t = (c - column) / (lastColumn - column);
      const r = row + t * (lastRow - row);
      const near = Math.round(r);
      offer(c, r, (near > r ? near - 1 : near + 1) * size + c, pointAt(t), false);
    }
    for (let r = Math.ceil(Math.min(row, lastRow)); r <= Math.max(row, lastRow); r++) {
      if (row === lastRow) break;
      const t = (r - row) / (lastRow - row);
      const c = column + t * (lastColumn - column);
      const near = Math.round(c);
      offer(c, r, r * size + (near > c ? near - 1 : near + 1), pointAt(t), false);
    }
  }
  return all.sort((a, b) => a.distance - b.distance || a.sample - b.sample);
}

/** True if no corner of the four quads about an inner sample is turned over or thin. */
function isSound(places: Float64Array, size: number, sample: number): boolean {
  for (const first of [sample - size - 1, sample - size, sample - 1, sample]) {
    const [a, b, c, d] = [first, first + 1, first + size, first + size + 1];
    if (
      !(cornerArea(places, a, b, c) > LEAST_CORNER) ||
      !(cornerArea(places, b, d, a) > LEAST_CORNER) ||
      !(cornerArea(places, d, c, b) > LEAST_CORNER) ||
      !(cornerArea(places, c, a, d) > LEAST_CORNER)
    )
      return false;
  }
  return true;
}

function cornerArea(places: Float64Array, at: number, one: number, other: number): number {
  const [ux, uy] = [places[2 * one] - places[2 * at], places[2 * one + 1] - places[2 * at + 1]];
  const [wx, wy] = [places[2 * other] - places[2 * at], places[2 * other + 1] - places[2 * at + 1]];
  return ux * wy - uy * wx;
}

/** Fine samples of quads with moved corners: places are linear in each of a quad's triangles. */
function warped(
  source: ChartSource,
  fine: SurfaceSamples,
  positions: Float64Array,
  places: Float64Array,
  isMoved: Uint8Array,
  size: number,
): SurfaceSamples {
  const cells = size - 1;
  const parts = (fine.size - 1) / cells;
  const out = fine.positions.slice();
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const g = row * size + column;
      if (!isMoved[g] && !isMoved[g + 1] && !isMoved[g + size] && !isMoved[g + size + 1]) continue;
      const isMain = squaredDistance(positions, g, g + size + 1) <= squaredDistance(positions, g + 1, g + size);
      for (let i = 0; i <= parts; i++) {
        for (let j = 0; j <= parts; j++) {
          const [down, across] = [i / parts, j / parts];
          const at = 3 * ((row * parts + i) * fine.size + column * parts + j);
          const place = (axis: number): number => {
            const [a, b, c, d] = [g, g + 1, g + size, g + size + 1].map((v) => places[2 * v + axis]);
            if (isMain)
              return down >= across ? a + down * (c - a) + across * (d - c) : a + across * (b - a) + down * (d - b);
            return down + across <= 1
              ? a + across * (b - a) + down * (c - a)
              : d + (1 - across) * (c - d) + (1 - down) * (b - d);
          };
          lookUp(source, fine, { column: place(0) * parts, row: place(1) * parts }, out, at);
        }
      }
    }
  }
  for (let g = 0; g < size * size; g++) {
    if (!isMoved[g]) continue;
    const at = 3 * (Math.floor(g / size) * parts * fine.size + (g % size) * parts);
    for (let k = 0; k < 3; k++) out[at + k] = positions[3 * g + k];
  }
  return { ...fine, positions: out };
}

function squaredDistance(p: Float64Array, g: number, h: number): number {
  const x = p[3 * g] - p[3 * h];
  const y = p[3 * g + 1] - p[3 * h + 1];
  const z = p[3 * g + 2] - p[3 * h + 2];
  return x * x + y * y + z * z;
}

/** The source's point at a place: on a triangle of a fine sample near it, or between samples. */
function lookUp(
  source: ChartSource,
  { positions: p, triangle, size }: SurfaceSamples,
  { column, row }: { column: number; row: number },
  out: Float64Array,
  at: number,
): void {
  const c = Math.min(size - 2, Math.floor(column));
  const r = Math.min(size - 2, Math.floor(row));
  const [x, y] = [(2 * column) / (size - 1) - 1, (2 * row) / (size - 1) - 1];
  const first = r * size + c;
  let last = -1;
  for (let around = 0; around <= MOST_AROUND; around++) {
    for (let i = Math.max(0, r - around); i <= Math.min(size - 1, r + 1 + around); i++) {
      for (let j = Math.max(0, c - around); j <= Math.min(size - 1, c + 1 + around); j++) {
        if (triangle[i * size + j] === last) continue;
        last = triangle[i * size + j];
        if (isOn(source, last, { x, y }, out, at)) return;
      }
    }
  }
  const [across, down] = [column - c, row - r];
  const v = 3 * first;
  for (let k = 0; k < 3; k++) {
    const upper = p[v + k] + across * (p[v + 3 + k] - p[v + k]);
    const w = v + 3 * size + k;
    const lower = p[w] + across * (p[w + 3] - p[w]);
    out[at + k] = upper + down * (lower - upper);
  }
}

const images = /* @__PURE__ */ createSquareImages();

/** Writes the point of triangle t at a place of the square, if it holds the place. */
function isOn(
  { positions: p, triangles, corners, folded }: ChartSource,
  t: number,
  { x, y }: { x: number; y: number },
  out: Float64Array,
  at: number,
): boolean {
  if (folded) {
    findSquareImages(corners, 6 * t, images);
  } else {
    images.count = 1;
    for (let i = 0; i < 6; i++) images.corners[i] = corners[6 * t + i];
  }
  for (let i = 0; i < 6 * images.count; i += 6) {
    const ax = images.corners[i] - x;
    const ay = images.corners[i + 1] - y;
    const bx = images.corners[i + 2] - x;
    const by = images.corners[i + 3] - y;
    const cx = images.corners[i + 4] - x;
    const cy = images.corners[i + 5] - y;
    const a = bx * cy - by * cx;
    const b = cx * ay - cy * ax;
    const c = ax * by - ay * bx;
    const sum = a + b + c;
    if (!(sum > 0) || Math.min(a, b, c) < -ROUNDING * sum) continue;
    const [va, vb, vc] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    for (let k = 0; k < 3; k++) out[at + k] = (a * p[va + k] + b * p[vb + k] + c * p[vc + k]) / sum;
    return true;
  }
  return false;
}
