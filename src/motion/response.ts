/**
 * Computes the velocities of two rigid bodies after a collision, and the free motion of a body.
 *
 * Impulses act along the contact normals at all contact points at once (D. Baraff, "Analytical
 * methods for dynamic simulation of non-penetrating rigid bodies", SIGGRAPH 1989, section 8), with
 * Newton's law of restitution. Friction follows by Coulomb's law, one point after the other.
 *
 * Letters: n_i is the unit normal at point i, which pushes a off b. r_i are its arms from the two
 * centers of mass. v_i is the speed at which the bodies part there along n_i, below 0 if they
 * approach. l_i >= 0 is the size of its impulse. A is the matrix by which impulses change speeds,
 * and e the restitution. So v' = v + A l.
 *
 * The impulses for e = 0 are those of least energy: the minimum of v.l + l.A l / 2 over l >= 0. The
 * impulses for any e are 1 + e times as large. They satisfy v' >= -e v and l.(v' + e v) = 0. So
 * energy never grows: at the minimum on the ray through l, l.A l = -v.l =: q, and (1 + e) l changes
 * the energy by
 *   (1 + e) v.l + (1 + e)^2 l.A l / 2 = -(1 + e) (1 - e) q / 2 <= 0
 * This proof needs only the minimum on the ray, not over all l, and one division reaches it. So it
 * holds whatever rounding does to the search for l (C. Lawson, R. Hanson, "Solving Least Squares
 * Problems", 1974, chapter 23: at most six points push, since wrenches have six numbers). A point
 * that parts at first may approach at up to e v_i afterwards. Therefore rounds are repeated until
 * no point approaches. The last round has e = 0 and no friction, so no point approaches afterwards,
 * whatever the others do.
 *
 * Sums of a and b are kept by construction: a point takes from b what it gives to a. The code uses
 * only + - x / and sqrt, so results are the same on every engine.
 */

import { requireOptionTypes, requireThat } from '../base/require.ts';
import { cross, dot } from '../math/linear.ts';
import { identity, movePoint, type Pose, validatePose } from '../math/pose.ts';
import { isPositive } from '../solid/mass.ts';

/** A body that moves. The result of `massOf` is its mass, center and inertia. */
export interface RigidBody {
  /** Above 0. Infinity for a body that nothing moves, such as a wall. */
  mass: number;
  /** The center of mass, in the body's frame. Default: its origin. */
  centre?: ArrayLike<number>;
  /** Nine numbers, row-major: the inertia about the center of mass, in the body's frame. */
  inertia?: ArrayLike<number>;
  /** Its place in the common frame: 16, 12 or 7 numbers, as for `check`. Default: unmoved. */
  pose?: ArrayLike<number>;
  /** Velocity of the center of mass, in the common frame. Default: at rest. */
  velocity?: ArrayLike<number>;
  /** In the common frame: radians per unit of time, about its direction. Default: at rest. */
  angularVelocity?: ArrayLike<number>;
}

/** Points where two bodies touch, and the normal there: a `ContactPatch` is one. */
export interface ContactManifold {
  /** Unit vector that pushes a off b. */
  normal: ArrayLike<number>;
  /** x, y, z of the common frame each. */
  points: readonly ArrayLike<number>[];
}

export interface RespondOptions {
  /** The part of the approaching speed that remains, from 0 to 1. Default: 1, elastic. */
  restitution?: number;
  /** Coulomb's coefficient, from 0. Default: 0. */
  friction?: number;
}

/** A body's velocities in the common frame, with the shapes and units of RigidBody. */
export interface RigidVelocity {
  velocity: number[];
  angularVelocity: number[];
}

/** The result of a collision. */
export interface CollisionResponse {
  /** Velocities afterwards. */
  a: RigidVelocity;
  b: RigidVelocity;
  /** Impulses on a, each with its point; b receives the opposite. None if no point approaches. */
  impulses: { point: number[]; impulse: number[] }[];
}

/** Rounds until no point approaches, usually one. The last has no restitution. */
const MOST_ROUNDS = 32;
/** Most changes in a round of the set of points that push. Usually there are a few. */
const MOST_CHANGES = 64;
/** A smaller pivot, as a part of its diagonal, is rounding. */
const NO_PIVOT = 2 ** -44;
/** A slower approach, as a part of the speeds at the contact, is rounding. */
const SLOW = 2 ** -40;
/** From this speed on, the square is no finite number. */
const OVERFLOW = 2 ** 511;

/**
 * Returns the velocities of two bodies after a collision at the given contacts. They keep their
 * common momentum and angular momentum, up to rounding. Their kinetic energy does not grow. Without
 * friction, a restitution of 1 keeps it, unless points take turns more than 32 times. Afterwards
 * they approach at no contact point, up to rounding. Bodies that do not approach keep their
 * velocities.
 *
 * Positions don't change: bodies that overlap are left moving apart. To touch without an overlap,
 * move them no farther than to `first.from` of `impact`. A wall is a body of infinite mass; one
 * that moves may give energy to the other.
 *
 * @param contacts the patches of `check`, or better ones of your own; in the common frame
 * @throws OptionError for an invalid body, contact or option, and for speeds that overflow
 * @example const box = build(readObj(await readFile('assets/box.obj')), { format: 'obb' });
 *          // Its edge is 0.5.
 *          const left = { ...massOf(box), pose: identity(), velocity: [2, 0, 0] };
 *          const right = { ...massOf(box), pose: translation(0.5, 0, 0) };
 *          const { contacts } = check(box, box, { poseB: right.pose, all: true, patches: true });
 *          const { a, b } = respond(left, right, contacts.patches);
 *          [a.velocity[0], b.velocity[0]].map((x) => Math.round(1e9 * x) / 1e9 + 0) // [0, 2]
 */
export function respond(
  a: RigidBody,
  b: RigidBody,
  contacts: readonly ContactManifold[],
  options: RespondOptions = {},
): CollisionResponse {
  const first = new Moving(a, 'a', 1);
  const second = new Moving(b, 'b', -1);
  requireThat(Array.isArray(contacts), 'contacts', 'a list of normals and points', contacts);
  requireOptionTypes(options, { restitution: 'number', friction: 'number' });
  const { restitution = 1, friction = 0 } = options;
  requireThat(restitution >= 0 && restitution <= 1, 'restitution', 'a number from 0 to 1', restitution);
  requireThat(friction >= 0 && friction < Number.POSITIVE_INFINITY, 'friction', 'a finite number from 0', friction);
  const points = contacts.flatMap((contact, i) => pointsOf(contact, `contacts[${i}]`, first, second));
  const speed = points.reduce((most, { arms }) => Math.max(most, first.speedAt(arms[0]) + second.speedAt(arms[1])), 0);
  const meeting = new Meeting([first, second], points, SLOW * speed);
  meeting.run(restitution, friction);
  const after = { a: first.after(points), b: second.after(points) };
  // Overflows would otherwise continue as NaN, or as a speed that nothing is slower than.
  const found = Object.values(after).flatMap((body) => [...body.velocity, ...body.angularVelocity]);
  requireThat(
    found.every(Number.isFinite) && speed < OVERFLOW,
    'contacts',
    'speeds that doubles can hold',
    found.join(' '),
  );
  return {
    ...after,
    impulses: points.flatMap(({ point, impulse }) => (impulse.some((x) => x !== 0) ? [{ point, impulse }] : [])),
  };
}

/** A body in the common frame while impulses act on it. */
class Moving {
  readonly v: number[];
  readonly w: number[];
  readonly centre: number[];
  /** The inverses of the mass and the inertia; 0 if immovable. */
  readonly inverseMass: number;
  readonly inverse: Float64Array;
  private readonly before: RigidVelocity;

  /** @param sign of impulses on this body: impulses of points act on a */
  constructor(
    body: RigidBody,
    name: string,
    readonly sign: number,
  ) {
    const { pose, centre, inertia, velocity, angularVelocity } = requireBody(body, name);
    this.before = { velocity, angularVelocity };
    this.v = velocity.slice();
    this.w = angularVelocity.slice();
    this.centre = placed(pose, centre);
    this.inverseMass = 1 / body.mass;
    this.inverse = inertia ? turnedMatrix(pose, inverseOf(inertia)) : new Float64Array(9);
  }

  /** A bound of the speed at an arm's end. */
  speedAt(arm: readonly number[]): number {
    return lengthOf(this.v) + lengthOf(this.w) * lengthOf(arm);
  }

  /** The velocities after the impulses of all points; rounds have only summed these up. */
  after(points: readonly ContactPoint[]): RigidVelocity {
    const { velocity, angularVelocity } = this.before;
    const sum = [0, 0, 0];
    const moment = [0, 0, 0];
    for (const { impulse, arms } of points) {
      const turning = cross(arms[this.sign > 0 ? 0 : 1], impulse);
      for (let k = 0; k < 3; k++) {
        sum[k] += impulse[k];
        moment[k] += turning[k];
      }
    }
    const spun = times(this.inverse, moment);
    return {
      velocity: velocity.map((x, k) => x + this.sign * this.inverseMass * sum[k]),
      angularVelocity: angularVelocity.map((x, k) => x + this.sign * spun[k]),
    };
  }
}

interface ContactPoint {
  point: number[];
  normal: number[];
  /** From the centers of mass of a and of b. */
  arms: number[][];
  /** Along the normal. */
  along: Along;
  /** The sum of all rounds, on a. */
  impulse: number[];
}

/** The effect of a unit impulse at a point. */
interface Along {
  direction: readonly number[];
  /** arm x direction of either body, and the angular velocity that it gives. */
  moments: number[][];
  spins: number[][];
  /** The change of the speed along its own direction: A_ii. */
  own: number;
}

function pointsOf(contact: ContactManifold, name: string, a: Moving, b: Moving): ContactPoint[] {
  requireThat(typeof contact === 'object' && contact !== null, name, 'a normal and points', contact);
  const normal = requireThree(contact.normal, `${name}.normal`);
  requireThat(Math.abs(dot(normal, normal) - 1) <= 1e-6, `${name}.normal`, 'length 1', normal.join(' '));
  requireThat(Array.isArray(contact.points), `${name}.points`, 'a list of points', contact.points);
  return contact.points.map((given, i) => {
    const point = requireThree(given, `${name}.points[${i}]`);
    const arms = [a, b].map(({ centre }) => point.map((x, k) => x - centre[k]));
    return { point, normal, arms, along: alongOf([a, b], arms, normal), impulse: [0, 0, 0] };
  });
}

function alongOf(bodies: readonly Moving[], arms: readonly number[][], direction: readonly number[]): Along {
  const moments = arms.map((arm) => cross(arm, direction));
  const spins = bodies.map(({ inverse }, k) => times(inverse, moments[k]));
  const own = bodies.reduce((sum, { inverseMass }, k) => sum + inverseMass + dot(moments[k], spins[k]), 0);
  return { direction, moments, spins, own };
}

/** Two bodies and their contact points. */
class Meeting {
  private readonly sizes: Float64Array;
  private readonly speeds: Float64Array;

  constructor(
    private readonly bodies: readonly Moving[],
    private readonly points: readonly ContactPoint[],
    private readonly slow: number,
  ) {
    this.sizes = new Float64Array(points.length);
    this.speeds = new Float64Array(points.length);
  }

  run(restitution: number, friction: number): void {
    for (let round = 1; round <= MOST_ROUNDS && this.isApproaching(); round++) {
      const isLast = round === MOST_ROUNDS;
      this.push(isLast ? 0 : restitution);
      if (friction > 0 && !isLast) for (let i = 0; i < this.points.length; i++) this.rub(i, friction);
    }
  }

  /** Two immovable bodies cannot be helped. */
  private isApproaching(): boolean {
    return this.points.some(({ along }) => along.own > 0 && this.speedOf(along) < -this.slow);
  }

  /** The speed of a relative to b at a point, along a direction there. */
  private speedOf({ direction, moments }: Along): number {
    const [a, b] = this.bodies;
    return dot(direction, a.v) - dot(direction, b.v) + dot(moments[0], a.w) - dot(moments[1], b.w);
  }

  private give({ direction, spins }: Along, size: number): void {
    for (let i = 0; i < 2; i++) {
      const { v, w, sign, inverseMass } = this.bodies[i];
      for (let k = 0; k < 3; k++) {
        v[k] += sign * size * inverseMass * direction[k];
        w[k] += sign * size * spins[i][k];
      }
    }
  }

  /** Normal impulses at all points. */
  private push(restitution: number): void {
    const { points, sizes, speeds } = this;
    for (const [i, { along }] of points.entries()) speeds[i] = this.speedOf(along);
    this.findSizes();
    // The minimum on the ray: the head's q divided by l.A l.
    let work = 0;
    let square = 0;
    for (const [i, { along }] of points.entries()) {
      work -= sizes[i] * speeds[i];
      square += sizes[i] * (this.speedOf(along) - speeds[i]);
    }
    const factor = square > 0 ? (work / square) * (1 + restitution) : 1;
    for (const [i, { along, impulse }] of points.entries()) {
      if (sizes[i] === 0) continue;
      this.give(along, (factor - 1) * sizes[i]);
      sizes[i] *= factor;
      for (let k = 0; k < 3; k++) impulse[k] += sizes[i] * along.direction[k];
    }
  }

  /** Finds and applies the l for e = 0. Points push, one more at a time, while any approaches. */
  private findSizes(): void {
    const { points, sizes } = this;
    sizes.fill(0);
    const refused = new Set<number>();
    let pushing: number[] = [];
    for (let change = 0; change < MOST_CHANGES; change++) {
      let fastest = -1;
      let speed = -this.slow / 4;
      for (const [i, { along }] of points.entries()) {
        if (!(along.own > 0) || pushing.includes(i) || refused.has(i)) continue;
        const now = this.speedOf(along);
        if (now < speed) [fastest, speed] = [i, now];
      }
      if (fastest < 0) return;
      pushing.push(fastest);
      let wanted = this.solve(pushing);
      if (!wanted) {
        refused.add(fastest);
        pushing.pop();
        continue;
      }
      // Goes on until a size would fall below 0; that point stops pushing.
      while (wanted?.some((x) => x <= 0)) {
        const next: number[] = wanted;
        const parts = pushing.map((i, k) =>
          next[k] <= 0 ? sizes[i] / (sizes[i] - next[k]) || 0 : Number.POSITIVE_INFINITY,
        );
        const part = parts.reduce((least, x) => Math.min(least, x));
        for (const [k, i] of pushing.entries())
          this.set(i, parts[k] === part ? 0 : sizes[i] + part * (next[k] - sizes[i]));
        pushing = pushing.filter((_, k) => parts[k] !== part);
        wanted = this.solve(pushing);
      }
      for (const [k, i] of pushing.entries()) if (wanted && wanted[k] > 0) this.set(i, wanted[k]);
    }
  }

  private set(i: number, size: number): void {
    this.give(this.points[i].along, size - this.sizes[i]);
    this.sizes[i] = size;
  }

  /** Sizes at these points that stop their approach, by Cholesky; null if rounding hides them. */
  private solve(pushing: readonly number[]): number[] | null {
    const { points, speeds, bodies } = this;
    const n = pushing.length;
    const inverseMass = bodies[0].inverseMass + bodies[1].inverseMass;
    const rows: number[][] = [];
    const out: number[] = [];
    for (let i = 0; i < n; i++) {
      const p = points[pushing[i]].along;
      const row: number[] = [];
      for (let j = 0; j <= i; j++) {
        const q = points[pushing[j]].along;
        let sum =
          inverseMass * dot(p.direction, q.direction) + dot(p.moments[0], q.spins[0]) + dot(p.moments[1], q.spins[1]);
        for (let k = 0; k < j; k++) sum -= row[k] * (j < i ? rows[j][k] : row[k]);
        if (j === i && !(sum > NO_PIVOT * p.own)) return null;
        row.push(j < i ? sum / rows[j][j] : Math.sqrt(sum));
      }
      rows.push(row);
      out.push(out.reduce((sum, x, k) => sum - row[k] * x, -speeds[pushing[i]]) / row[i]);
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) out[i] -= rows[k][i] * out[k];
      out[i] /= rows[i][i];
    }
    return out;
  }

  /** Brakes the sliding at a point, by no more than friction allows. It takes energy away. */
  private rub(i: number, friction: number): void {
    const { arms, normal, impulse } = this.points[i];
    if (this.sizes[i] === 0) return;
    const [a, b] = this.bodies.map(({ v, w }, k) => cross(w, arms[k]).map((x, axis) => x + v[axis]));
    const relative = a.map((x, k) => x - b[k]);
    const parting = dot(relative, normal);
    const sliding = relative.map((x, k) => x - parting * normal[k]);
    const speed = lengthOf(sliding);
    if (!(speed > this.slow)) return;
    const direction = sliding.map((x) => x / speed);
    const along = alongOf(this.bodies, arms, direction);
    const size = -Math.min(friction * this.sizes[i], this.speedOf(along) / along.own);
    this.give(along, size);
    for (let k = 0; k < 3; k++) impulse[k] += size * direction[k];
  }
}

/** A piece of free motion turns by at most this, in radians, even if the body tumbles. */
const MOST_TURN = 1 / 8;
const MOST_PIECES = 2 ** 20;
/** Each iteration brings the turn's middle nearer to its right value by a factor of at least 8. */
const MOST_ITERATIONS = 16;

/**
 * Returns a body after it has moved freely for a time, without force or contact. The center of mass
 * moves straight. Angular momentum is kept, so a body tumbles unless it is a ball. The turn is
 * computed by the implicit midpoint rule, in pieces of up to an eighth of a radian. It is exact to
 * about 1e-9 about a principal axis, otherwise of second order, and energy does not drift.
 *
 * @param time may be negative: backwards
 * @returns the same record with another pose (16 numbers) and angular velocity
 * @throws OptionError for an invalid body or time, for more than 131,072 radians of turn, and for
 *   coordinates that are not finite afterwards
 * @example const box = build(readObj(await readFile('assets/box.obj')), { format: 'obb' });
 *          const body = { ...massOf(box), velocity: [1, 0, 0], angularVelocity: [0, 0, 1] };
 *          const moved = advance(body, 2);
 *          moved.pose[3] // 2
 *          Math.abs(moved.pose[0] - Math.cos(2)) < 1e-8 // true
 */
export function advance<Body extends RigidBody>(
  body: Body,
  time: number,
): Body & { pose: Pose; velocity: number[]; angularVelocity: number[] } {
  const { pose, centre, inertia, velocity, angularVelocity } = requireBody(body, 'body');
  requireThat(Number.isFinite(time), 'time', 'a finite number', time);
  // A body that nothing moves keeps its angular velocity instead of the momentum.
  const inverse = inertia && inverseOf(inertia);
  const momentum = inertia ? turnedTimes(columnsOf(pose), inertia, angularVelocity) : angularVelocity;
  // No angular velocity with this momentum is larger.
  const most = lengthOf(momentum) * (inverse ? normOf(inverse) : 1);
  const pieces = Math.max(1, Math.ceil((most * Math.abs(time)) / MOST_TURN));
  requireThat(pieces <= MOST_PIECES, 'time', 'one in which the body turns by 131,072 radians at most', time);
  const from = placed(pose, centre);
  let turned = columnsOf(pose);
  let spin = angularVelocity;
  const spinAt = (columns: Columns) => (inverse ? turnedTimes(columns, inverse, momentum) : momentum);
  for (let piece = 0; piece < pieces && most > 0; piece++) {
    let middle = turned;
    for (let i = 0; i < MOST_ITERATIONS; i++) {
      const before = spin;
      spin = spinAt(middle);
      if (i > 0 && isAsGood(spin, before)) break;
      middle = turnedBy(turned, spin, time / pieces / 2);
    }
    turned = orthonormal(turnedBy(middle, spin, time / pieces / 2));
    spin = spinAt(turned);
  }
  const out = identity();
  for (let k = 0; k < 3; k++) {
    for (let j = 0; j < 3; j++) out[4 * k + j] = turned[j][k];
    const away = turned[0][k] * centre[0] + turned[1][k] * centre[1] + turned[2][k] * centre[2];
    out[4 * k + 3] = from[k] + time * velocity[k] - away;
  }
  requireThat(out.every(Number.isFinite), 'time', 'one after which the body is at finite coordinates', time);
  return { ...body, pose: out, velocity, angularVelocity: spin };
}

/** The columns of R, a pose's 3x3 part. */
type Columns = readonly (readonly number[])[];

const columnsOf = (pose: Pose): Columns => [0, 1, 2].map((j) => [pose[j], pose[4 + j], pose[8 + j]]);

/**
 * A turn by `time` at a constant angular velocity: by the quaternion of 1 and u, which is tan(x) /
 * x times half the angle, x. The fraction is Lambert's, off by less than 1e-10 of it for x up to
 * 1/16. It takes a vector c to
 *   c + 2 (u x c + u x (u x c)) / (1 + u.u)
 */
function turnedBy(columns: Columns, spin: readonly number[], time: number): Columns {
  const half = [(spin[0] * time) / 2, (spin[1] * time) / 2, (spin[2] * time) / 2];
  const square = dot(half, half);
  const tangent = (15 - square) / (15 - 6 * square);
  const u = [tangent * half[0], tangent * half[1], tangent * half[2]];
  const factor = 2 / (1 + dot(u, u));
  return columns.map((c) => {
    const once = cross(u, c);
    const twice = cross(u, once);
    return [0, 1, 2].map((k) => c[k] + factor * (once[k] + twice[k]));
  });
}

/** A Newton step to the nearest rotation, R (3 - R^T R) / 2: without it rounding adds up. */
function orthonormal(columns: Columns): Columns {
  const [x, y, z] = columns;
  return columns.map((c) => {
    const [p, q, r] = columns.map((other) => ((other === c ? 3 : 0) - dot(other, c)) / 2);
    return [0, 1, 2].map((k) => p * x[k] + q * y[k] + r * z[k]);
  });
}

/** The body, checked, with its defaults. The inertia is null if nothing moves it. */
function requireBody(body: RigidBody, name: string) {
  requireThat(typeof body === 'object' && body !== null && !('length' in body), name, 'a body with a mass', body);
  const { mass, inertia } = body;
  requireThat(typeof mass === 'number' && mass > 0, `${name}.mass`, 'a number above 0, or Infinity', mass);
  const isFree = mass < Number.POSITIVE_INFINITY;
  if (isFree) {
    const isMatrix = typeof inertia === 'object' && inertia !== null && inertia.length === 9;
    requireThat(isMatrix, `${name}.inertia`, 'nine numbers, as massOf returns them', inertia);
    const spare = 1e-9 * (inertia[0] + inertia[4] + inertia[8]);
    const isSymmetric = [1, 2, 5].every((k, i) => Math.abs(inertia[k] - inertia[[3, 6, 7][i]]) <= spare);
    const found = Array.from(inertia).join(' ');
    requireThat(isSymmetric && isPositive(inertia), `${name}.inertia`, 'a symmetric, positive matrix', found);
  }
  return {
    pose: body.pose === undefined ? identity() : validatePose(body.pose, `${name}.pose`),
    centre: requireThree(body.centre ?? [0, 0, 0], `${name}.centre`),
    inertia: isFree ? (inertia ?? null) : null,
    velocity: requireThree(body.velocity ?? [0, 0, 0], `${name}.velocity`),
    angularVelocity: requireThree(body.angularVelocity ?? [0, 0, 0], `${name}.angularVelocity`),
  };
}

function requireThree(numbers: ArrayLike<number>, what: string): number[] {
  const isList = typeof numbers === 'object' && numbers !== null && numbers.length === 3;
  requireThat(isList && Array.from(numbers).every(Number.isFinite), what, 'three finite numbers', numbers);
  return Array.from(numbers);
}

const lengthOf = (x: ArrayLike<number>): number => Math.sqrt(dot(x, x));

/** True if two are the same up to rounding. */
const isAsGood = (x: readonly number[], y: readonly number[]): boolean =>
  Math.abs(x[0] - y[0]) + Math.abs(x[1] - y[1]) + Math.abs(x[2] - y[2]) <= 2 ** -50 * lengthOf(x);

/** The norm of a matrix: at least its largest eigenvalue. */
const normOf = (m: Float64Array): number => Math.sqrt(m.reduce((sum, x) => sum + x * x, 0));

const times = (m: ArrayLike<number>, x: ArrayLike<number>): number[] => [
  m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
  m[3] * x[0] + m[4] * x[1] + m[5] * x[2],
  m[6] * x[0] + m[7] * x[1] + m[8] * x[2],
];

function placed(pose: Pose, point: ArrayLike<number>): number[] {
  const out = new Float64Array(3);
  movePoint(pose, point[0], point[1], point[2], out, 0);
  return Array.from(out);
}

/** R M R^T x. */
function turnedTimes([x, y, z]: Columns, m: ArrayLike<number>, vector: readonly number[]): number[] {
  const [p, q, r] = times(m, [dot(x, vector), dot(y, vector), dot(z, vector)]);
  return [0, 1, 2].map((k) => p * x[k] + q * y[k] + r * z[k]);
}

/** R M R^T, symmetric to the bit. */
function turnedMatrix(pose: Pose, m: ArrayLike<number>): Float64Array {
  const out = new Float64Array(9);
  for (let i = 0; i < 3; i++) {
    for (let j = i; j < 3; j++) {
      let sum = 0;
      for (let k = 0; k < 3; k++) for (let l = 0; l < 3; l++) sum += pose[4 * i + k] * m[3 * k + l] * pose[4 * j + l];
      out[3 * i + j] = out[3 * j + i] = sum;
    }
  }
  return out;
}

/** The inverse of a symmetric matrix, by its cofactors. */
function inverseOf(m: ArrayLike<number>): Float64Array {
  const xx = m[4] * m[8] - m[5] * m[5];
  const xy = m[2] * m[5] - m[1] * m[8];
  const xz = m[1] * m[5] - m[2] * m[4];
  const yy = m[0] * m[8] - m[2] * m[2];
  const yz = m[1] * m[2] - m[0] * m[5];
  const zz = m[0] * m[4] - m[1] * m[1];
  const determinant = m[0] * xx + m[1] * xy + m[2] * xz;
  return Float64Array.of(xx, xy, xz, xy, yy, yz, xz, yz, zz).map((x) => x / determinant);
}
