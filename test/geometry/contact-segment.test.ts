/** Contact segments against exact intersections in rational arithmetic. */
import { describe, expect, test } from 'vitest';
import { type CommonSet, type ContactSegment, contactSegment } from '../../src/geometry/contact-segment.ts';
import { trianglesIntersectAt } from '../../src/geometry/triangle-triangle.ts';
import { long } from '../support/long.ts';
import { trianglesMeet } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

type Vector = [bigint, bigint, bigint];
/** A point times a positive number, and that number. */
type Rational = [Vector, bigint];

const minus = (p: Vector, q: Vector): Vector => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const times = (p: Vector, by: bigint): Vector => [p[0] * by, p[1] * by, p[2] * by];
const plus = (p: Vector, q: Vector): Vector => [p[0] + q[0], p[1] + q[1], p[2] + q[2]];
const dot = (p: Vector, q: Vector): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: Vector, q: Vector): Vector => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];
const isZero = (p: Vector): boolean => p[0] === 0n && p[1] === 0n && p[2] === 0n;
const between = (s: bigint, low: bigint, high: bigint): boolean => s >= low && s <= high;

function rational(numerators: Vector, denominator: bigint): Rational {
  return denominator < 0n ? [times(numerators, -1n), -denominator] : [numerators, denominator];
}

/** p - q times both denominators. */
const difference = ([p, d]: Rational, [q, e]: Rational): Vector => minus(times(p, e), times(q, d));

function isOnSegment(x: Rational, p: Vector, q: Vector): boolean {
  const [u, v] = [minus(q, p), difference(x, [p, 1n])];
  if (isZero(u)) return isZero(v);
  return isZero(cross(u, v)) && between(dot(u, v), 0n, dot(u, u) * x[1]);
}

function isInTriangle(x: Rational, t: Vector[]): boolean {
  const [u, v, d] = [minus(t[1], t[0]), minus(t[2], t[0]), difference(x, [t[0], 1n])];
  const n = cross(u, v);
  if (isZero(n)) return [0, 1, 2].some((k) => isOnSegment(x, t[k], t[(k + 1) % 3]));
  const [s, r] = [dot(cross(d, v), n), dot(cross(u, d), n)];
  return dot(d, n) === 0n && s >= 0n && r >= 0n && s + r <= dot(n, n) * x[1];
}

/** All vertices of the convex set that two triangles have in common, and maybe other points of it. */
function commonVertices(a: Vector[], b: Vector[]): Rational[] {
  const found: Rational[] = [];
  const take = (x: Rational) => {
    if (isInTriangle(x, a) && isInTriangle(x, b) && found.every((y) => !isZero(difference(x, y)))) found.push(x);
  };
  for (const [s, t] of [
    [a, b],
    [b, a],
  ]) {
    const n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    for (let k = 0; k < 3; k++) {
      const [p, q] = [s[k], s[(k + 1) % 3]];
      take([p, 1n]);
      const [hp, hq] = [dot(minus(p, t[0]), n), dot(minus(q, t[0]), n)];
      if (hp !== hq) take(rational(minus(times(q, hp), times(p, hq)), hp - hq));
    }
  }
  for (let k = 0; k < 3; k++) {
    for (let l = 0; l < 3; l++) {
      const [p, r] = [a[k], b[l]];
      const [u, v] = [minus(a[(k + 1) % 3], p), minus(b[(l + 1) % 3], r)];
      const n = cross(u, v);
      const nn = dot(n, n);
      if (nn > 0n) take(rational(plus(times(p, nn), times(u, dot(cross(minus(r, p), v), n))), nn));
    }
  }
  return found;
}

const squared = (x: Rational, y: Rational): [bigint, bigint] => {
  const d = difference(x, y);
  return [dot(d, d), (x[1] * y[1]) ** 2n];
};

/** The quotient as a double, within a few units in the last place; or its root, which underflows later. */
function quotient(p: bigint, q: bigint, root = false): number {
  if (p === 0n) return 0;
  const shift = 2 * Math.floor((p.toString(2).length - q.toString(2).length - 64) / 2);
  const digits = Number(shift > 0 ? p / (q << BigInt(shift)) : (p << BigInt(-shift)) / q);
  // In two steps: one power may be no double.
  const half = Math.trunc(shift / 2);
  return root ? Math.sqrt(digits) * 2 ** half : digits * 2 ** half * 2 ** (shift - half);
}

const vectors = (q: bigint[]): Vector[] => [0, 3, 6].map((k) => [q[k], q[k + 1], q[k + 2]]);
const point3 = (q: bigint[], k: number): Rational => [[q[k], q[k + 1], q[k + 2]], 1n];

/** The square of the exact distance of a point and a triangle. */
function squaredToTriangle(x: Vector, t: Vector[]): [bigint, bigint] {
  const n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
  const nn = dot(n, n);
  if (nn > 0n) {
    const h = dot(minus(x, t[0]), n);
    if (isInTriangle(rational(minus(times(x, nn), times(n, h)), nn), t)) return [h * h, nn];
  }
  let best: [bigint, bigint] = [dot(minus(x, t[0]), minus(x, t[0])), 1n];
  const take = (p: [bigint, bigint]) => {
    if (p[0] * best[1] < best[0] * p[1]) best = p;
  };
  for (let k = 0; k < 3; k++) {
    const [u, d] = [minus(t[(k + 1) % 3], t[k]), minus(x, t[k])];
    const [uu, along] = [dot(u, u), dot(u, d)];
    take([dot(d, d), 1n]);
    if (uu > 0n && between(along, 0n, uu)) take([dot(d, d) * uu - along * along, uu]);
  }
  return best;
}

const empty = (): ContactSegment => ({
  from: new Float64Array(3).fill(Number.NaN),
  to: new Float64Array(3).fill(Number.NaN),
  normal: new Float64Array(3).fill(Number.NaN),
  depth: Number.NaN,
  common: { count: 0, vertices: new Float64Array(18), normals: new Float64Array(6), edgeOfA: 0, edgeOfB: 0 },
});

/**
 * That the whole set is the exact one: every vertex of a polygon once, where it should be, in order
 * round.
 */
function checkCommon(c: Float64Array, exact: Rational[], promised: number[], out: ContactSegment, scale: number): void {
  const { count, vertices } = out.common as CommonSet;
  const turn = (i: number, j: number, k: number): Vector =>
    cross(times(difference(exact[j], exact[i]), exact[k][1]), times(difference(exact[k], exact[i]), exact[j][1]));
  const isFlat = exact.length < 3 || exact.every((_, k) => isZero(turn(0, 1, k)));
  if (isFlat) {
    const isPoint = out.from.every((x, k) => x === out.to[k]);
    if (count !== (isPoint ? 1 : 2)) expect.fail(`${count} vertices of a segment [${[...c]}]`);
    return;
  }
  if (count !== exact.length) expect.fail(`${count} vertices of ${exact.length} [${[...c]}]`);
  const q = commonIntegers([...c, ...vertices.subarray(0, 3 * count), ...out.from, ...out.to, scale]);
  const unit = q[18 + 3 * count + 6];
  // The integers' unit is another than that of the exact ones: both are powers of two.
  const theirs = commonIntegers([...c, ...out.from, ...out.to, scale])[24];
  const apart = (i: number, j: number): number => {
    const [n, d] = squared(exact[i], exact[j]);
    return quotient(n, d * theirs * theirs, true);
  };
  // Vertices that rounding may exchange say nothing of their order.
  if (exact.some((_, i) => exact.some((_, j) => i < j && apart(i, j) <= promised[i] + promised[j]))) return;
  const order = Array.from({ length: count }, (_, v) => {
    const p = vectors(q.slice(18 + 3 * v))[0];
    const off = exact.map(([x, d]) => {
      const way = minus(times(p, d * theirs), times(x, unit));
      return quotient(dot(way, way), (d * theirs * unit) ** 2n, true);
    });
    return off.findIndex((x, k) => x <= promised[k] && x === Math.min(...off));
  });
  if (new Set(order).size !== count || order.includes(-1)) expect.fail(`vertices ${order} [${[...c]}]`);
  const turns = order.map((i, k) => turn(i, order[(k + 1) % count], order[(k + 2) % count]));
  if (turns.some((u) => dot(u, turns[0]) <= 0n)) expect.fail(`not in order round: ${order} [${[...c]}]`);
}

interface Errors {
  /** Of the ends, from a vertex of the exact intersection, against what is promised. */
  ends: number;
  /** Of the length, from the exact diameter: twice an end's error at most. */
  length: number;
  /** From both triangles, in units of 2^-53 S and of the last place. */
  off: number;
  depth: number;
}

const E = 2 ** -53;
const crossOf = (t: Vector[]): Vector => cross(minus(t[1], t[0]), minus(t[2], t[0]));

/** Along n_a x n_b, or from the lexicographically smaller end where that is 0. */
function checkDirection(c: Float64Array, a: Vector[], b: Vector[], way: Vector): void {
  const along = cross(crossOf(a), crossOf(b));
  const first = way.find((x) => x !== 0n) ?? 0n;
  if (!(isZero(along) ? first > 0n : dot(way, along) > 0n)) expect.fail(`the wrong way round [${[...c]}]`);
}

/** The unit normal, null where there is none, 'poor' where the implementation need not see one. */
function unitNormal(t: Vector[]): number[] | null | 'poor' {
  const n = crossOf(t);
  if (isZero(n)) return null;
  const size = (x: bigint) => (x < 0n ? -x : x);
  const most = (x: bigint[]) => x.map(size).reduce((y, z) => (y > z ? y : z));
  const [u, v] = [minus(t[1], t[0]), minus(t[2], t[0])];
  const terms = most([0, 1, 2].flatMap((k) => [1, 2].map((l) => u[k] * v[(k + l) % 3])));
  if (most(n) << 50n < terms) return 'poor';
  const d = n.map((x) => (x < 0n ? -1 : 1) * quotient(size(x), most(n)));
  const length = Math.hypot(...d);
  return d.map((x) => x / length);
}

function checkNormal(c: Float64Array, a: Vector[], b: Vector[], out: ContactSegment): void {
  const [na, nb] = [unitNormal(a), unitNormal(b)];
  if (na === 'poor' || nb === 'poor') return;
  let expected = nb ?? na?.map((x) => -x);
  let near = 8 * E;
  if (na !== null && nb !== null) {
    const d = nb.map((x, k) => x - na[k]);
    const length = Math.hypot(...d);
    if (Math.abs(length - 1e-6) < 1e-14) return;
    if (length > 1e-6) {
      expected = d.map((x) => x / length);
      near += (16 * E) / length;
    }
  }
  if (expected === undefined) {
    const way = [0, 1, 2].map((k) => out.to[k] / 2 - out.from[k] / 2);
    const most = Math.max(...way.map(Math.abs));
    if (most === 0) expected = [1, 0, 0];
    else if (most > 1e-290) {
      const along = way.reduce((sum, x, k) => sum + (x / most) * out.normal[k], 0);
      expect(Math.abs(along), `at right angles [${[...c]}]`).toBeLessThan(8 * E);
    }
  }
  const off = expected === undefined ? 0 : Math.hypot(...expected.map((x, k) => x - out.normal[k]));
  if (!(off <= near)) expect.fail(`normal ${[...out.normal]} is not ${expected} [${[...c]}]`);
}

const over = (x: number, y: number): number => (x === 0 ? 0 : x / y);

/** Checks an answer against the exact one; returns how far it is off. */
function worstOf(c: Float64Array, i: number, j: number, out: ContactSegment): Errors {
  const a = c.subarray(i, i + 9);
  const b = c.subarray(j, j + 9);
  const scale = Math.max(...c.map(Math.abs)) || 1; // the integers' unit is that of this one
  const q = commonIntegers([...a, ...b, ...out.from, ...out.to, scale]);
  const unit = (n: bigint) => quotient(n, q[24]); // in units of `scale`
  const [ta, tb] = [vectors(q), vectors(q.slice(9))];
  const exact = commonVertices(ta, tb);
  if (exact.length === 0) expect.fail(`the exact triangles share nothing [${[...c]}]`);
  const root = ([n, d]: [bigint, bigint]) => quotient(n, d * q[24] * q[24], true);
  const smallest = Number.MIN_VALUE / scale;
  // 4 e of the edges on which a point lies, half a unit in the last place of its coordinates, and what no double can tell.
  const promised = exact.map((x) => {
    let longest = 0;
    for (const t of [ta, tb]) {
      for (let k = 0; k < 3; k++) {
        const [u, v] = [t[k], t[(k + 1) % 3]];
        if (isOnSegment(x, u, v)) longest = Math.max(longest, root(squared([u, 1n], [v, 1n])));
      }
    }
    return 4 * E * longest + E * root(squared(x, [[0n, 0n, 0n], 1n])) + Math.sqrt(3) * smallest;
  });
  const extent = Math.hypot(
    ...[0, 1, 2].map((k) => {
      const x = [0, 3, 6, 9, 12, 15].map((v) => q[v + k]);
      return unit(x.reduce((y, z) => (y > z ? y : z)) - x.reduce((y, z) => (y < z ? y : z)));
    }),
  );
  const computed = [point3(q, 18), point3(q, 21)];
  const missed = computed.map((p) => Math.min(...exact.map((x, k) => over(root(squared(p, x)), promised[k]))));
  const diameter = Math.max(...exact.flatMap((x) => exact.map((y) => root(squared(x, y)))));
  const length = root(squared(computed[0], computed[1]));
  const off = Math.max(...computed.flatMap(([p]) => [ta, tb].map((t) => root(squaredToTriangle(p, t)))));
  checkCommon(Float64Array.of(...a, ...b), exact, promised, out, scale);
  if (exact.length === 1) expect([...out.from], `one point [${[...c]}]`).toEqual([...out.to]);

  const n = commonIntegers([...out.normal, 1]);
  const along = (t: Vector[]) => t.map((p) => dot(p, [n[0], n[1], n[2]]));
  const overlap = along(tb).reduce((x, y) => (x > y ? x : y)) - along(ta).reduce((x, y) => (x < y ? x : y));
  const size = dot([n[0], n[1], n[2]], [n[0], n[1], n[2]]);
  expect(Math.abs(quotient(size - n[3] * n[3], n[3] * n[3])), `unit length [${[...c]}]`).toBeLessThan(10 * E);
  const depth = Math.max(0, Math.min(quotient(overlap, n[3] * q[24]), Number.MAX_VALUE / scale));
  const most = Math.max(...promised);
  if (length > 8 * most) checkDirection(c, ta, tb, minus(computed[1][0], computed[0][0]));
  checkNormal(c, ta, tb, out);
  return {
    ends: Math.max(...missed),
    length: over(Math.abs(length - diameter) / 2, most),
    off: over(off, E * extent + E + smallest),
    depth: over(Math.abs(out.depth / scale - depth), E * extent + smallest),
  };
}

const point = (r: Random, size = 1): number[] => [0, 0, 0].map(() => r.between(-size, size));
const six = (make: () => number[]): number[] => Array.from({ length: 6 }, make).flat();
const shift = (c: number[], by: number[], from = 9): number[] => c.map((x, k) => (k < from ? x : x + by[k % 3]));
const scaledBy = (c: number[], by: number): number[] => c.map((x) => x * by);

function unit(r: Random): number[] {
  const d = point(r);
  const length = Math.hypot(...d);
  return d.map((x) => x / length);
}

/** A point of the triangle at `at`: a vertex, of an edge, or of the face. */
function pointOf(r: Random, c: number[], at: number): number[] {
  const some = [r.pick([0, 0, r.next()]), r.pick([0, 0, r.next()])];
  const [s, t] = some[0] + some[1] > 1 ? [1 - some[0], 1 - some[1]] : some;
  const turn = r.below(3);
  const [p, q, o] = [0, 1, 2].map((k) => at + 3 * ((k + turn) % 3));
  return [0, 1, 2].map((k) => c[p + k] * (1 - s - t) + c[q + k] * s + c[o + k] * t);
}

/** Brings a point of the second triangle to one of the first, but for rounding. */
function bringTogether(r: Random, c: number[]): number[] {
  const [p, q] = [pointOf(r, c, 0), pointOf(r, c, 9)];
  return shift(
    c,
    p.map((x, k) => x - q[k]),
  );
}

function sliver(r: Random, width: number): number[] {
  const [p, u, v] = [point(r), unit(r), unit(r)];
  const along = r.pick([r.next(), 0, 1e-8]);
  return [p, p.map((x, k) => x + u[k]), p.map((x, k) => x + along * u[k] + width * v[k])].flat();
}

/** A segment or a point with its vertices in any order, some twice, or the third between. */
function degenerate(r: Random, size: number): number[] {
  const whole = () => point(r, size).map(Math.round);
  const [p, d] = [whole(), whole()];
  const on = (k: number) => p.map((x, i) => x + k * d[i]);
  return r
    .pick([
      [p, p, p],
      [p, on(1), p],
      [on(2), on(2), p],
      [p, on(1), on(2)],
      [on(1), p, on(3)],
    ])
    .flat();
}

const whole = (r: Random, size: number): number[] => [r.below(size), r.below(size), r.below(size)];

/** A triangle of whole coordinates that holds the origin. */
function planeThroughOrigin(r: Random, size: number): number[] {
  const [u, v] = [0, 1].map(() => whole(r, size).map((x) => x - size / 2));
  return [u, v, u.map((x, k) => -x - v[k])].flat();
}

/** Eighteen coordinates, two triangles, of each kind; many do not meet and are passed over. */
const kinds: Record<string, (r: Random) => number[]> = {
  general: (r) => six(() => point(r)),
  'general, brought together': (r) =>
    bringTogether(
      r,
      six(() => point(r)),
    ),
  'one far smaller': (r) =>
    bringTogether(r, [
      ...six(() => point(r)).slice(9),
      ...scaledBy(
        six(() => point(r)),
        1e-6,
      ).slice(9),
    ]),
  'an edge in the other face': (r) => {
    const c = six(() => whole(r, 9));
    for (const k of [2, 5, 8, 11, 14]) c[k] = 4;
    return c;
  },
  'an edge across an edge': (r) => {
    // In z = 0, at odds with what binary fractions can tell, the third vertices above and below.
    const [x, y] = [r.below(9) - 4, r.below(9) - 4];
    const [p, q] = [whole(r, 9), whole(r, 9)];
    const up = r.pick([1, -1]);
    p[2] = up * (p[2] + 1);
    q[2] = -up * (q[2] + 1);
    const c = [[-8, x, 0], [7, x + 1, 0], p, [y, -8, 0], [y + 1, 7, 0], q];
    if (r.next() < 0.5) c.splice(0, 2, c[1], c[0]);
    return c.flat();
  },
  'a vertex in the face or on an edge': (r) => {
    const c = six(() => scaledBy(whole(r, 8), 4));
    const sum = r.pick([
      [2, 1, 1],
      [2, 2, 0],
      [1, 3, 0],
      [4, 0, 0],
    ]);
    for (let k = 0; k < 3; k++) c[9 + k] = (sum[0] * c[k] + sum[1] * c[3 + k] + sum[2] * c[6 + k]) / 4;
    return c;
  },
  'sharing a vertex': (r) => {
    const c = six(() => point(r));
    c.splice(9 + 3 * r.below(3), 3, ...c.slice(3, 6));
    return c;
  },
  'sharing an edge': (r) => {
    const c = six(() => point(r));
    const [at, turned] = [3 * r.below(2), r.next() < 0.5];
    c.splice(9, 6, ...(turned ? [...c.slice(at + 3, at + 6), ...c.slice(at, at + 3)] : c.slice(at, at + 6)));
    return c;
  },
  'the same triangle': (r) => {
    const t = six(() => point(r)).slice(9);
    return [
      ...t,
      ...r.pick([t, [...t.slice(3), ...t.slice(0, 3)], [...t.slice(3, 6), ...t.slice(0, 3), ...t.slice(6)]]),
    ];
  },
  'coplanar, z = 0': (r) => six(() => [...point(r).slice(0, 2), 0]),
  'coplanar, oblique': (r) =>
    six(() => {
      const [s, t] = whole(r, 2 ** 20);
      return [s, t, 3 * s - 5 * t];
    }),
  'coplanar, a lattice': (r) =>
    six(() => {
      const [s, t] = whole(r, 5);
      return [s, t, s - 2 * t];
    }),
  'coplanar but for rounding': (r) => {
    const [u, v] = [unit(r), unit(r)];
    return six(() => {
      const [s, t] = point(r);
      return u.map((x, k) => s * x + t * v[k]);
    });
  },
  'nearly parallel': (r) => {
    const c = six(() => [...point(r).slice(0, 2), 0]);
    const by = 10 ** -r.between(2, 16);
    const [u, v, w] = [unit(r), unit(r), unit(r)];
    return six(() => [0, 0, 0]).map((_, k) => {
      const [s, t] = c.slice(k - (k % 3), k - (k % 3) + 2);
      return s * u[k % 3] + t * v[k % 3] + by * (s - t) * (k < 9 ? 0 : 1) * w[k % 3];
    });
  },
  'nearly parallel, tiny heights': (r) =>
    six(() => [...point(r).slice(0, 2), r.between(-1, 1) * 10 ** -r.between(5, 40)]),
  'slivers of 1e-8': (r) =>
    bringTogether(r, [...sliver(r, 1e-8), ...r.pick([sliver(r, 1e-8), six(() => point(r)).slice(9)])]),
  'slivers of 1e-14': (r) => bringTogether(r, [...sliver(r, 1e-14), ...sliver(r, r.pick([1e-14, 1]))]),
  'needles that cross at small angles': (r) => {
    const t = sliver(r, r.pick([1e-3, 1e-7, 1e-11]));
    return [...t, ...t.map((x) => x + r.between(-1, 1) * r.pick([1e-3, 1e-7, 1e-11, 1e-15]))];
  },
  'segments and points': (r) => [
    ...degenerate(r, 4),
    ...r.pick([degenerate(r, 4), six(() => point(r, 4).map(Math.round)).slice(9)]),
  ],
  'segments through faces': (r) => {
    const [p, q] = [point(r), point(r)];
    return [
      ...six(() => point(r)).slice(9),
      ...r
        .pick([
          [p, q, p],
          [p, p, q],
          [q, p, p],
        ])
        .flat(),
    ];
  },
  'lattice of 3': (r) => six(() => whole(r, 3)),
  'lattice of 30': (r) => six(() => whole(r, 30)),
  'lattice of 2^40': (r) => six(() => whole(r, 2 ** 40)),
  'far from the origin': (r) =>
    shift(
      six(() => point(r)),
      [1e6, -2e6, 3e6],
      0,
    ),
  'far from the origin, nearly parallel': (r) => {
    const [u, v] = [unit(r), unit(r)];
    return six(() => {
      const [s, t] = point(r);
      return u.map((x, k) => s * x + t * v[k] + [1e6, -2e6, 3e6][k]);
    });
  },
  'one coordinate far off': (r) => {
    const c = six(() => point(r));
    c[r.below(18)] *= 1e9;
    return c;
  },
  'scale 1e-100': (r) =>
    scaledBy(
      bringTogether(
        r,
        six(() => point(r)),
      ),
      1e-100,
    ),
  'scale 1e100': (r) =>
    scaledBy(
      bringTogether(
        r,
        six(() => point(r)),
      ),
      1e100,
    ),
  'scale 1e-300': (r) =>
    scaledBy(
      bringTogether(
        r,
        six(() => point(r)),
      ),
      1e-300,
    ),
  'scale 1e300': (r) =>
    scaledBy(
      bringTogether(
        r,
        six(() => point(r)),
      ),
      1e300,
    ),
  'the smallest doubles': (r) => six(() => scaledBy(whole(r, 40), Number.MIN_VALUE)),
  'the greatest doubles': (r) => six(() => scaledBy(point(r), Number.MAX_VALUE)),
  'a tiny edge through an oblique plane': (r) => {
    const size = 2 ** -r.between(40, 200);
    return [...planeThroughOrigin(r, 2 ** 30), ...scaledBy(point(r), size), ...scaledBy(point(r), size), ...point(r)];
  },
  'a tiny triangle in an oblique plane': (r) => {
    const size = 2 ** r.pick([-400, -600]);
    return [...planeThroughOrigin(r, 2 ** 30), ...scaledBy(six(() => point(r)).slice(9), size)];
  },
  'a tiny edge across another, in a plane': (r) => {
    const flat = (s: number, t: number) => [s, t, 2 * s - 4 * t];
    const tiny = 2 ** -r.pick([40 + r.below(160), 650]);
    const some = (by: number) => flat(...([0, 1].map(() => by * (r.below(2 ** 49) - 2 ** 48)) as [number, number]));
    const w = some(r.pick([1, tiny]));
    return [w, w.map((x) => -x), some(1), some(tiny), some(tiny), some(1)].flat();
  },
  'mixed magnitudes': (r) =>
    six(() => point(r).map((x) => x * 2 ** r.pick([-1070, -900, -500, -100, -30, 0, 0, 0, 10]))),
};
const WIDE = /^scale|doubles|magnitudes|tiny/;

function moved(c: Float64Array, at: number, out: ContactSegment): Float64Array {
  const size = Math.max(...c.map(Math.abs));
  const by = out.depth + 32 * E * size + 8 * Number.MIN_VALUE;
  return c.slice(at, at + 9).map((x, k) => x + by * out.normal[k % 3]);
}

/** That a and b changed turn the normal round, exactly, where the docstring says so. */
function checkFlip(c: Float64Array, out: ContactSegment, swapped: ContactSegment): void {
  const q = commonIntegers(c);
  const [na, nb] = [unitNormal(vectors(q)), unitNormal(vectors(q.slice(9)))];
  if (na === 'poor' || nb === 'poor' || (na === null && nb === null)) return;
  if (na !== null && nb !== null && Math.hypot(...na.map((x, k) => x - nb[k])) < 1e-6) return;
  if (out.normal.some((x, k) => x !== -swapped.normal[k])) expect.fail(`not turned round [${[...c]}]`);
}

/** Goes through pairs that meet; returns the worst errors. */
function goThrough(seed: number, make: (r: Random) => number[], wanted: number): { worst: Errors; met: number } {
  const r = seeded(seed);
  const [out, swapped] = [empty(), empty()];
  const worst = { ends: 0, length: 0, off: 0, depth: 0 };
  let met = 0;
  for (let tries = 0; tries < 40 * wanted && met < wanted; tries++) {
    const c = Float64Array.from(make(r));
    if (c.length !== 18) expect(c).toHaveLength(18);
    if (!trianglesIntersectAt(c, 0, c, 9)) continue;
    met++;
    const before = c.slice();
    contactSegment(c, 0, c, 9, out);
    contactSegment(c, 9, c, 0, swapped);
    if (c.some((x, k) => !Object.is(x, before[k]))) expect(c).toEqual(before);
    checkFlip(c, out, swapped);
    for (const [i, j, answer] of [
      [0, 9, out],
      [9, 0, swapped],
    ] as const) {
      const errors = worstOf(c, i, j, answer);
      for (const key of ['ends', 'length', 'off', 'depth'] as const) worst[key] = Math.max(worst[key], errors[key]);
      if (Math.max(...c.map(Math.abs)) > 1e307) continue; // it has nowhere to go
      const gone = moved(c, i, answer);
      const still = trianglesMeet(gone, c.subarray(j, j + 9));
      if (still) expect.fail(`still meets after depth ${answer.depth} [${[...c]}] at ${i}`);
    }
  }
  return { worst, met };
}

describe('the exact segment, but for rounding', () => {
  for (const [index, [kind, make]] of Object.entries(kinds).entries()) {
    const seed = 700 + index;
    test(`${kind}, seed ${seed}`, { tags: ['quick', 'long'] }, () => {
      const { worst, met } = goThrough(seed, make, (WIDE.test(kind) ? 20 : 40) * (long ? 34 : 0.4));
      expect(met).toBeGreaterThanOrEqual(long ? 16 : 8);
      expect(worst.ends).toBeLessThanOrEqual(1);
      expect(worst.length).toBeLessThanOrEqual(1);
      expect(worst.off).toBeLessThanOrEqual(2);
      expect(worst.depth).toBeLessThanOrEqual(16);
    });
  }
});

const at = (...points: number[][]): Float64Array => Float64Array.from(points.flat());
const numbers = (text: string): number[] => text.split(/[ ,]+/).map(Number);
const floor = '0 0 0, 4 0 0, 0 4 0';
const half = Math.sqrt(0.5);

describe('by hand', () => {
  test.each<[string, string, string, string, number[], number]>([
    ['upright, through the floor', '1 1 -1, 1 1 1, 1 3 -1', floor, '1 1 0, 1 2 0', [half, 0, half], 4 * half],
    ['the same, turned over', '1 1 -1, 1 3 -1, 1 1 1', floor, '1 2 0, 1 1 0', [-half, 0, half], 2 * half],
    ['its foot on the floor', '1 1 0, 1 0 2, 1 2 2', floor, '1 1 0, 1 1 0', [half, 0, half], 3 * half],
    ['a vertex of each', '4 0 0, 4 0 2, 4 2 2', floor, '4 0 0, 4 0 0', [half, 0, half], 0],
    ['an edge across an edge', '2 -1 -1, 2 1 1, 2 -1 1', floor, '2 0 0, 2 0 0', [-half, 0, half], 3 * half],
    ['face to face', '1 1 0, 1 2 0, 2 1 0', floor, '1 2 0, 2 1 0', [0, 0, 1], 0],
    ['in one plane, the same way up', '1 1 0, 9 1 0, 1 9 0', floor, '1 3 0, 3 1 0', [0, 0, 1], 0],
    ['a corner in one plane', '-1 -1 0, 0 0 0, -1 0 0', floor, '0 0 0, 0 0 0', [0, 0, 1], 0],
    ['a point on the floor', '1 1 0, 1 1 0, 1 1 0', floor, '1 1 0, 1 1 0', [0, 0, 1], 0],
    ['a segment through the floor', '1 1 -3, 1 1 5, 1 1 5', floor, '1 1 0, 1 1 0', [0, 0, 1], 3],
    ['the floor through a segment', floor, '1 1 -3, 1 1 5, 1 1 5', '1 1 0, 1 1 0', [0, 0, -1], 3],
    ['a segment on the floor', '3 -1 0, -1 3 0, 1 1 0', floor, '0 2 0, 2 0 0', [0, 0, 1], 0],
    ['segments on one line', '0 0 0, 2 2 0, 1 1 0', '3 3 0, 1 1 0, 3 3 0', '1 1 0, 2 2 0', [half, -half, 0], 0],
    ['the longer on the left', '1 1 0, 2 2 0, 1 1 0', '0 0 0, 3 3 0, 0 0 0', '1 1 0, 2 2 0', [half, -half, 0], 0],
    ['the longer on the right', '0 0 0, 3 3 0, 3 3 0', '1 1 0, 2 2 0, 1 1 0', '1 1 0, 2 2 0', [half, -half, 0], 0],
    ['segments that cross', '-1 0 1, 1 0 1, 1 0 1', '0 -1 1, 0 1 1, 0 1 1', '0 0 1, 0 0 1', [1, 0, 0], 1],
    ['points', '1 2 3, 1 2 3, 1 2 3', '1 2 3, 1 2 3, 1 2 3', '1 2 3, 1 2 3', [1, 0, 0], 0],
  ])('%s', (_, a, b, ends, normal, depth) => {
    const out = empty();
    for (const scale of [1, 2 ** -60, 2 ** 200, 2 ** -900, 2 ** 900]) {
      for (let turn = 0; turn < 9; turn++) {
        const turned = (t: string, by: number) => numbers(t).map((_, k, x) => x[(k + 3 * by) % 9]);
        const c = at(turned(a, turn % 3), turned(b, Math.floor(turn / 3))).map((x) => x * scale);
        contactSegment(c, 0, c, 9, out);
        expect([...out.from, ...out.to].map((x) => x / scale)).toEqual(numbers(ends));
        out.normal.forEach((x, k) => {
          expect(x).toBeCloseTo(normal[k], 14);
        });
        expect(out.depth / scale).toBeCloseTo(depth, 13);
      }
    }
  });

  test('a shared vertex is that vertex, bit by bit, seed 5', { tags: ['quick', 'long'] }, () => {
    const r = seeded(5);
    const out = empty();
    for (let k = 0; k < (long ? 200 : 100); k++) {
      const [p, u, v] = [point(r), point(r), point(r)];
      const c = at(p, u, v, p, scaledBy(point(r), 3), scaledBy(point(r), 3));
      contactSegment(c, 0, c, 9, out);
      expect([[...out.from], [...out.to]]).toContainEqual(p);
    }
  });

  test('a vertex on an edge of the other is that vertex, bit by bit, seed 6', { tags: ['quick', 'long'] }, () => {
    const r = seeded(6);
    const out = empty();
    const large = () => whole(r, 2 ** 49).map((x) => x - (x % 3));
    for (let k = 0; k < (long ? 200 : 100); k++) {
      const [p, q] = [large(), large()];
      const foot = p.map((x, axis) => (x / 3) * 2 + q[axis] / 3);
      const c = at(p, q, large(), foot, large(), large());
      contactSegment(c, 0, c, 9, out);
      expect([[...out.from], [...out.to]]).toContainEqual(foot);
      contactSegment(c, 9, c, 0, out);
      expect([[...out.from], [...out.to]]).toContainEqual(foot);
    }
  });

  test('reads nine numbers each at its offsets', () => {
    const r = seeded(1);
    const [whole, parts] = [empty(), empty()];
    let met = 0;
    for (let k = 0; k < 50; k++) {
      const c = Float64Array.from({ length: 50 }, () => r.between(-1, 1));
      if (!trianglesIntersectAt(c, 7, c, 21)) continue;
      met++;
      contactSegment(c, 7, c, 21, whole);
      contactSegment(c.slice(7, 16), 0, c.slice(21, 30), 0, parts);
      expect(whole).toEqual(parts);
    }
    expect(met).toBeGreaterThan(5);
  });
});

test('the segments of two tetrahedra line up head to tail, seed 2', () => {
  const r = seeded(2);
  const out = empty();
  const tetrahedron = (): number[][] => {
    const [p, q, s, t] = [point(r), point(r), point(r), point(r)];
    const [u, v, w] = [q, s, t].map((x) => x.map((y, k) => y - p[k]));
    const volume =
      u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
    const [x, y] = volume > 0 ? [s, q] : [q, s];
    return [[p, x, y].flat(), [p, y, t].flat(), [p, t, x].flat(), [x, t, y].flat()];
  };
  let curves = 0;
  for (let k = 0; k < 60; k++) {
    const [a, b] = [tetrahedron(), tetrahedron()];
    const segments: ContactSegment[] = [];
    for (const s of a) {
      for (const t of b) {
        const c = Float64Array.from([...s, ...t]);
        if (!trianglesIntersectAt(c, 0, c, 9)) continue;
        contactSegment(c, 0, c, 9, out);
        segments.push(structuredClone(out));
      }
    }
    for (const { to } of segments) {
      const follows = segments.filter(({ from }) => from.every((x, axis) => Math.abs(x - to[axis]) < 1e-14));
      expect(follows).toHaveLength(1);
    }
    if (segments.length > 0) curves++;
  }
  expect(curves).toBeGreaterThan(20);
});
