/**
 * Cuts a face of a surface into triangles, within the chord tolerance: its loops are mapped to the
 * surface's parameters, and points are added inside them, never on them.
 *
 * A loop around a period is no polygon there. Two of them, or one and a pole, become one polygon by
 * a cut from one to the other, whose two sides have the same points.
 */
import { Delaunay } from './delaunay.ts';
import { distance, dot, minus, type Step, unit } from './step.ts';
import type { Surface, Uv } from './surfaces.ts';

/** A corner of a loop or a triangle: parameters, and the number of its point. */
interface Corner {
  uv: Uv;
  id: number;
}

interface Loop {
  corners: Corner[];
  /** Turns along u and v until the loop closes. */
  turns: Uv;
  /** True if it passes a pole; then its side follows from its direction. */
  hasPole: boolean;
}

export interface FaceInput {
  surface: Surface;
  /** True if the face's normal is that of the surface. */
  isAlong: boolean;
  /** Point numbers, counter-clockwise about the face's normal; a single point is an apex. */
  loops: readonly (readonly number[])[];
}

/** Data that the faces of a solid share. */
export interface Points {
  list: number[][];
  chord: number;
  budget: Step['budget'];
}

/** The reason why a face is not cut. */
export class FaceFault extends Error {}

/** Number of cuts to try, since one may meet a hole. */
const MOST_CUTS = 16;
const MOST_PASSES = 16;
/** Points on a pole with few lines. */
const LEAST_ON_POLE = 8;
/** A step of a loop by more of a period could go either way. */
const MOST_STEP = 0.45;

/**
 * @returns numbers of corners, three per triangle, counter-clockwise about the face's normal.
 *   isSure is false if the result depends on the direction of the surface, and isOdd is true if
 *   that direction is wrong
 */
export function cutFace(points: Points, face: FaceInput): { triangles: number[]; isSure: boolean; isOdd: boolean } {
  const { surface } = face;
  const sense = face.isAlong !== (surface.isMirrored === true) ? 1 : -1;
  const apexes = face.loops.filter((ids) => ids.length === 1).map(([id]) => id);
  const loops = face.loops.filter((ids) => ids.length > 1).map((ids) => loopOf(points, surface, ids, sense));
  if (surface.isPlane && loops.length === 0) throw new FaceFault('a plane without edges');
  const around = loops.filter(({ turns }) => turns[0] !== 0 || turns[1] !== 0);
  const flat = loops.filter(({ turns }) => turns[0] === 0 && turns[1] === 0);
  if (around.length > 2) throw new FaceFault('more than two loops about its surface');
  if (around.length === 0 && flat.length > 0) {
    const signs = flat.map(({ corners }) => areaOf(corners));
    const outer = signs.reduce((best, x, k) => (Math.abs(x) > Math.abs(signs[best]) ? k : best), 0);
    const sign = signs[outer] < 0 ? -1 : 1;
    const isHole = sign !== sense && surface.poles.length === 2 && !flat[outer].hasPole && surface.periods[0] > 0;
    if (!isHole) {
      const polygons = flat.map(({ corners }, k) =>
        k === outer ? corners : shifted(surface, corners, flat[outer].corners),
      );
      const isSure = !flat.some(({ hasPole }) => hasPole);
      return { triangles: cut(points, surface, polygons, sign), isSure, isOdd: sign !== sense };
    }
  }
  const [band, isOneWay] = bandOf(points, surface, around, sense, apexes);
  const isSure = isOneWay && (around.length > 0 || flat.length === 0);
  const kept = points.list.length;
  for (let k = 0; k < Math.min(MOST_CUTS, band.near.length); k++) {
    points.list.length = kept;
    const start = Math.floor((k * band.near.length) / Math.min(MOST_CUTS, band.near.length));
    const main = cutOpen(points, surface, band, start);
    const sign = around.length === 0 ? sense : areaOf(main) < 0 ? -1 : 1;
    try {
      const polygons = [main, ...flat.map(({ corners }) => shifted(surface, corners, main))];
      return { triangles: cut(points, surface, polygons, sign), isSure, isOdd: sign !== sense };
    } catch (fault) {
      if (!(fault instanceof FaceFault) || flat.length === 0) throw fault;
    }
  }
  throw new FaceFault('loops that cross');
}

/** Parameters of a loop's points, each near the one before. */
function loopOf({ list, chord }: Points, surface: Surface, ids: readonly number[], sense: number): Loop {
  const { periods, poles } = surface;
  const poleOf = (p: readonly number[]): number | undefined =>
    poles.find((v) => distance(surface.point(0, v), p) <= chord / 1000);
  const at = poles.length === 0 ? ids.map(() => undefined) : ids.map((id) => poleOf(list[id]));
  const first = at.indexOf(undefined);
  if (first < 0) throw new FaceFault('a loop within a pole');
  const corners: Corner[] = [];
  let [last, pole, hasPole] = [null as Uv | null, null as { v: number; id: number } | null, false];
  const step = (id: number, uv: Uv): void => {
    const from = last;
    let next = from ? nearby(periods, uv, from) : uv;
    if (pole && from) {
      // A counter-clockwise loop runs forward along the lower edge of its region.
      const way = (pole.v < from[1] ? 1 : -1) * sense;
      let jump = next[0] - from[0];
      if (periods[0] > 0) {
        hasPole = true;
        if (Math.abs(jump) < 1e-6 * periods[0]) jump = 0;
        if (jump * way <= 0) jump += way * periods[0];
        next = [from[0] + jump, next[1]];
      }
      const lines = surface.lines(0, Math.min(from[0], next[0]), Math.max(from[0], next[0]));
      if (jump < 0) lines.reverse();
      for (const u of [from[0], ...lines, next[0]]) corners.push({ uv: [u, pole.v], id: pole.id });
    } else if (from && [0, 1].some((k) => periods[k] > 0 && Math.abs(next[k] - from[k]) > MOST_STEP * periods[k]))
      throw new FaceFault('an edge with too few corners for its surface');
    pole = null;
    last = next;
    corners.push({ uv: next, id });
  };
  for (let k = 0; k <= ids.length; k++) {
    const [id, v] = [ids[(first + k) % ids.length], at[(first + k) % ids.length]];
    if (v !== undefined) {
      pole = { v, id };
      continue;
    }
    const uv = k === ids.length ? corners[0].uv : surface.invert(list[id], last);
    if (uv === null || !uv.every(Number.isFinite)) throw new FaceFault('an edge off its surface');
    if (!surface.isPlane && !(distance(surface.point(...uv), list[id]) <= chord))
      throw new FaceFault('an edge off its surface');
    step(id, uv);
  }
  const end = corners.pop()!.uv;
  const turns = [0, 1].map((k) => (periods[k] > 0 ? Math.round((end[k] - corners[0].uv[k]) / periods[k]) : 0));
  return { corners, turns: turns as unknown as Uv, hasPole };
}

const nearby = (periods: Uv, uv: Uv, to: Uv): Uv => {
  const move = (k: 0 | 1): number =>
    periods[k] > 0 ? uv[k] + periods[k] * Math.round((to[k] - uv[k]) / periods[k]) : uv[k];
  return [move(0), move(1)];
};

function areaOf(corners: readonly Corner[]): number {
  const [x, y] = corners[0].uv;
  let sum = 0;
  corners.forEach(({ uv: [a, b] }, k) => {
    const [c, d] = corners[(k + 1) % corners.length].uv;
    sum += (a - x) * (d - y) - (c - x) * (b - y);
  });
  return sum;
}

function rangeOf(corners: readonly Corner[], k: 0 | 1): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { uv } of corners) [low, high] = [Math.min(low, uv[k]), Math.max(high, uv[k])];
  return [low, high];
}

/** A hole, shifted by whole periods until its middle is within the range of another loop. */
function shifted({ periods }: Surface, hole: Corner[], main: readonly Corner[]): Corner[] {
  const move = ([0, 1] as const).map((k) => {
    const [[a, b], [low]] = [rangeOf(hole, k), rangeOf(main, k)];
    return periods[k] > 0 ? -periods[k] * Math.floor(((a + b) / 2 - low) / periods[k]) : 0;
  });
  return moved(hole, move);
}

const moved = (corners: readonly Corner[], [x, y]: readonly number[]): Corner[] =>
  corners.map(({ uv: [u, v], id }) => ({ uv: [u + x, v + y], id }));

/** A region about a surface: two loops in opposite directions along one of u and v. */
interface Band {
  axis: 0 | 1;
  /** The period; negative for a loop that runs backward. */
  way: number;
  near: Corner[];
  far: Corner[];
}

function bandOf(
  points: Points,
  surface: Surface,
  around: readonly Loop[],
  sense: number,
  apexes: readonly number[],
): [band: Band, isSure: boolean] {
  const { periods, poles } = surface;
  const pole = (v: number, way: number, from: number): Corner[] => {
    const p = surface.point(0, v);
    const id = apexes.find((n) => distance(points.list[n], p) <= points.chord / 1000) ?? points.list.push(p) - 1;
    return lineOf(surface, from, way).map((u) => ({ uv: [u, v], id }));
  };
  if (around.length === 0) {
    if (periods[0] > 0 && poles.length === 2)
      return [
        { axis: 0, way: periods[0], near: pole(poles[0], periods[0], 0), far: pole(poles[1], -periods[0], 0) },
        true,
      ];
    if (!(periods[0] > 0 && periods[1] > 0)) throw new FaceFault('no edges');
    const near = lineOf(surface, 0, periods[0]).map(
      (u): Corner => ({ uv: [u, 0], id: points.list.push(surface.point(u, 0)) - 1 }),
    );
    return [
      {
        axis: 0,
        way: periods[0],
        near,
        far: moved([near[0], ...moved(near.slice(1).reverse(), [-periods[0], 0])], [0, periods[1]]),
      },
      true,
    ];
  }
  const [a, b] = around;
  const axis = a.turns[0] !== 0 ? 0 : 1;
  if (around.some(({ turns }) => Math.abs(turns[axis]) !== 1 || turns[1 - axis] !== 0))
    throw new FaceFault('a loop that goes around its surface twice');
  const way = a.turns[axis] * periods[axis];
  // The region is on the left: above a loop along u, and below one along v.
  const up = (way > 0 ? 1 : -1) * sense * (axis === 0 ? 1 : -1);
  const other = (1 - axis) as 0 | 1;
  if (!b) {
    const [low, high] = rangeOf(a.corners, 1);
    const above = poles.find((v) => v >= high);
    const below = poles.find((v) => v <= low);
    const v = up > 0 ? (above ?? below) : (below ?? above);
    if (axis === 1 || v === undefined) throw new FaceFault('one loop about its surface and no apex');
    return [
      { axis, way, near: a.corners, far: pole(v, -way, a.corners[0].uv[0]) },
      above === undefined || below === undefined,
    ];
  }
  const isSame = a.turns[axis] === b.turns[axis];
  const far = isSame ? [...b.corners].reverse() : b.corners;
  if (periods[other] === 0) return [{ axis, way, near: a.corners, far }, true];
  // On a torus, both directions lead from one loop to the other.
  const [from, to] = [a.corners[0].uv[other], far[0].uv[other]];
  const rest = (to - from) * up;
  const ahead = rest - periods[other] * Math.floor(rest / periods[other]);
  const move = (ahead > 0 ? ahead : periods[other]) * up - (to - from);
  return [{ axis, way, near: a.corners, far: moved(far, axis === 0 ? [0, move] : [move, 0]) }, false];
}

/** Values of u about a pole or a whole surface. */
function lineOf(surface: Surface, from: number, way: number): number[] {
  const inner = surface.lines(0, Math.min(from, from + way), Math.max(from, from + way));
  if (way < 0) inner.reverse();
  if (inner.length + 1 >= LEAST_ON_POLE) return [from, ...inner];
  return Array.from({ length: LEAST_ON_POLE }, (_, k) => from + (way * k) / LEAST_ON_POLE);
}

/** One polygon: the near loop, a cut to the far one, that loop, and the cut back. */
function cutOpen(points: Points, surface: Surface, { axis, way, near, far }: Band, start: number): Corner[] {
  const along = (corners: readonly Corner[], by: number): Corner[] => moved(corners, axis === 0 ? [by, 0] : [0, by]);
  const turnedBy = (corners: readonly Corner[], k: number, by: number): Corner[] => [
    ...corners.slice(k),
    ...along(corners.slice(0, k), by),
    ...along([corners[k]], by),
  ];
  const first = turnedBy(near, start, way);
  const from = first[0].uv[axis];
  const period = Math.abs(way);
  const off = (x: number): number => Math.abs(x - from - period * Math.round((x - from) / period));
  const nearest = far.reduce((best, { uv }, k) => (off(uv[axis]) < off(far[best].uv[axis]) ? k : best), 0);
  const opposite = turnedBy(far, nearest, -way);
  const x = opposite[0].uv[axis];
  const second = along(opposite, period * Math.round((from + way - x) / period));
  const other = (1 - axis) as 0 | 1;
  const [p, q] = [first[first.length - 1].uv, second[0].uv];
  const lines = surface.lines(other, Math.min(p[other], q[other]), Math.max(p[other], q[other]));
  if (q[other] < p[other]) lines.reverse();
  const bridge = lines.map((line): Corner => {
    const t = (line - p[other]) / (q[other] - p[other]);
    const uv: Uv = [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
    return { uv, id: points.list.push(surface.point(...uv)) - 1 };
  });
  return [...first, ...bridge, ...second, ...along(bridge, -way).reverse()];
}

/** Triangles of polygons in parameters; a negative sign reverses them. */
function cut(points: Points, surface: Surface, polygons: readonly Corner[][], sign: number): number[] {
  const all = polygons.flat();
  const [[u0, u1], [v0, v1]] = [rangeOf(all, 0), rangeOf(all, 1)];
  if (!(u1 > u0 && v1 > v0)) return [];
  const [us, vs] = [surface.lines(0, u0, u1), surface.lines(1, v0, v1)];
  const [width, height] = [(u1 - u0) / (us.length + 1), (v1 - v0) / (vs.length + 1)];
  const [along, y] = surface.isPlane ? [1, 1] : scalesOf(surface, [u0, v0], [u1, v1]);
  // Straight lines may be long, but triangles must not extend over several steps of the other
  // parameter.
  const x = vs.length === 0 && us.length > 0 ? Math.max(along, (height * y) / width) : along;
  const delaunay = new Delaunay([u0 * x, v0 * y, u1 * x, v1 * y]);
  const ids: number[] = [];
  // All corners come before the sides, which would otherwise be cut by them.
  const rings = polygons.map((polygon) =>
    polygon.map(({ uv: [u, v], id }) => {
      const vertex = delaunay.insert(u * x, v * y);
      if (ids[vertex] !== undefined && ids[vertex] !== id) throw new FaceFault('loops that touch');
      ids[vertex] = id;
      return vertex;
    }),
  );
  for (const vertices of rings)
    for (const [k, a] of vertices.entries()) {
      const b = vertices[(k + 1) % vertices.length];
      if (a !== b && !delaunay.addSide(a, b)) throw new FaceFault('loops that cross');
    }
  delaunay.fill();
  if (!surface.isPlane) {
    const insert = (u: number, v: number, clearance: number): boolean => {
      const vertex = delaunay.insertInside(u * x, v * y, clearance);
      if (vertex < 0) return false;
      ids[vertex] = points.list.push(surface.point(u, v)) - 1;
      return true;
    };
    points.budget.spend(us.length * vs.length);
    const clearance = 0.3 * Math.min(width * x, height * y);
    for (const v of vs) for (const u of us) insert(u, v, clearance);
    const more: typeof insert = (...at) => {
      points.budget.spend(1);
      return insert(...at);
    };
    refine(points, surface, { delaunay, ids, scales: [x, y], insert: more });
  }
  const triangles: number[] = [];
  delaunay.forInside((e) => {
    const [a, b, c] = [e, e + 1, e + 2].map((k) => ids[delaunay.start[k]]);
    // A pole is many vertices and one point.
    if (a !== b && b !== c && c !== a) triangles.push(a, ...(sign > 0 ? [b, c] : [c, b]));
  });
  return triangles;
}

/** Lengths of u and v, so that cells are about square. */
function scalesOf(surface: Surface, [u0, v0]: Uv, [u1, v1]: Uv): Uv {
  const [du, dv] = [(u1 - u0) / 64, (v1 - v0) / 64];
  let [x, y] = [0, 0];
  for (const s of [8, 31, 54])
    for (const t of [8, 31, 54]) {
      const [u, v] = [u0 + s * du, v0 + t * dv];
      const p = surface.point(u, v);
      x += distance(p, surface.point(u + du, v)) / du;
      y += distance(p, surface.point(u, v + dv)) / dv;
    }
  return [x > 0 ? x : 1, y > 0 ? y : 1];
}

interface Mesh {
  delaunay: Delaunay;
  /** The point of each vertex. */
  ids: readonly number[];
  scales: Uv;
  insert: (u: number, v: number, clearance: number) => boolean;
}

/** Adds points if edges and triangles are farther from the surface than the tolerance. */
function refine({ list, chord }: Points, surface: Surface, { delaunay, ids, scales, insert }: Mesh): void {
  const uvOf = (vertex: number): Uv => {
    const [a, b] = delaunay.at(vertex);
    return [a / scales[0], b / scales[1]];
  };
  const mix = (p: Uv, q: Uv, t: number): Uv => [p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])];
  for (let pass = 0; ; pass++) {
    const wanted: Uv[] = [];
    delaunay.forInside((first) => {
      const vertices = [0, 1, 2].map((k) => delaunay.start[first + k]);
      const [p, q, r] = vertices.map((v) => list[ids[v]]);
      if (vertices.some((v, k) => ids[v] === ids[vertices[(k + 1) % 3]])) return;
      const uvs = vertices.map(uvOf);
      vertices.forEach((a, k) => {
        const b = vertices[(k + 1) % 3];
        if (a > b || delaunay.isSide(first + k)) return;
        const [from, to] = [list[ids[a]], list[ids[b]]];
        const way = unit(minus(to, from));
        const isFar = [0.25, 0.5, 0.75].some((t) => {
          const d = minus(surface.point(...mix(uvs[k], uvs[(k + 1) % 3], t)), from);
          const s = way ? dot(d, way) : 0;
          return dot(d, d) - s * s > chord * chord;
        });
        if (isFar) wanted.push(mix(uvs[k], uvs[(k + 1) % 3], 0.5));
      });
      const middle = mix(uvs[0], mix(uvs[1], uvs[2], 0.5), 2 / 3);
      const [d, e, f] = [minus(q, p), minus(r, p), minus(surface.point(...middle), p)];
      const normal = unit([d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]]);
      if (normal && Math.abs(dot(f, normal)) > chord) wanted.push(middle);
    });
    let added = 0;
    for (const [u, v] of wanted) if (insert(u, v, 0)) added++;
    if (added === 0) return;
    if (pass === MOST_PASSES) throw new FaceFault('a surface that is not smooth');
  }
}
