/**
 * Impulses, free motion and masses against closed forms, an enumeration, and what physics keeps.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  advance,
  build,
  type ContactManifold,
  check,
  compose,
  identity,
  massOf,
  type Pose,
  prepare,
  type RigidBody,
  readObj,
  respond,
  rotation,
  translation,
} from '../../src/index.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, octasphere, together } from '../support/shapes.ts';

type Vector = number[];

const add = (x: Vector, y: Vector, s = 1): Vector => x.map((value, k) => value + s * y[k]);
const inner = (x: Vector, y: Vector): number => x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
const cross = ([a, b, c]: Vector, [d, e, f]: Vector): Vector => [b * f - c * e, c * d - a * f, a * e - b * d];
const size = (x: Vector): number => Math.hypot(...x);
const inCube = (random: Random): Vector => [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
const unit = (random: Random): Vector => {
  const x = inCube(random);
  return x.map((value) => value / size(x));
};
const randomTurn = (random: Random): Pose => {
  const [x, y, z] = unit(random);
  return rotation(x, y, z, random.between(0, 360));
};

/** Solves m x = y by elimination with pivots. */
function solved(m: readonly Vector[], y: Vector): Vector {
  const rows = m.map((row, i) => [...row, y[i]]);
  for (let i = 0; i < rows.length; i++) {
    const pivot = rows.reduce((best, row, k) => (k > i && Math.abs(row[i]) > Math.abs(rows[best][i]) ? k : best), i);
    [rows[i], rows[pivot]] = [rows[pivot], rows[i]];
    for (let k = 0; k < rows.length; k++) {
      if (k === i) continue;
      const factor = rows[k][i] / rows[i][i];
      for (let c = i; c < rows[k].length; c++) rows[k][c] -= factor * rows[i][c];
    }
  }
  return rows.map((row, i) => row[rows.length] / row[i]);
}

interface Body extends RigidBody {
  mass: number;
  centre: Vector;
  inertia: Vector;
  pose: Pose;
  velocity: Vector;
  angularVelocity: Vector;
}

const placeOf = ({ pose: m, centre: [x, y, z] }: Body): Vector =>
  [0, 4, 8].map((r) => m[r] * x + m[r + 1] * y + m[r + 2] * z + m[r + 3]);

/** R I R^T, row by row. */
function inertiaOf({ pose, inertia }: Body): Vector[] {
  const r = [0, 4, 8].map((k) => Array.from(pose.subarray(k, k + 3)));
  const rows = [0, 3, 6].map((k) => inertia.slice(k, k + 3));
  return r.map((p) =>
    r.map((q) => p.reduce((sum, x, i) => sum + x * q.reduce((part, y, j) => part + rows[i][j] * y, 0), 0)),
  );
}

const spunBy = (body: Body, moment: Vector): Vector =>
  body.mass === Infinity ? [0, 0, 0] : solved(inertiaOf(body), moment);
const turning = (body: Body): Vector => inertiaOf(body).map((row) => inner(row, body.angularVelocity));

/**
 * What all bodies have together: momentum, angular momentum about the origin, energy; and sizes to
 * compare with.
 */
function totalsOf(bodies: readonly Body[]) {
  const totals = { momentum: [0, 0, 0], moment: [0, 0, 0], energy: 0, speeds: 0, moments: 0 };
  for (const body of bodies) {
    const { mass, velocity, angularVelocity } = body;
    const momentum = velocity.map((x) => mass * x);
    const moment = add(cross(placeOf(body), momentum), turning(body));
    totals.momentum = add(totals.momentum, momentum);
    totals.moment = add(totals.moment, moment);
    totals.speeds += size(momentum);
    totals.moments += size(placeOf(body)) * size(momentum) + size(turning(body));
    totals.energy += (mass * inner(velocity, velocity) + inner(angularVelocity, turning(body))) / 2;
  }
  return totals;
}

function speedsAt(a: Body, b: Body, contacts: readonly ContactManifold[]): Vector {
  const at = (body: Body, point: Vector) =>
    add(body.velocity, cross(body.angularVelocity, add(point, placeOf(body), -1)));
  return contacts.flatMap(({ normal, points }) =>
    points.map((point) => inner(Array.from(normal), add(at(a, Array.from(point)), at(b, Array.from(point)), -1))),
  );
}

const bodyOf = (mass: number, inertia: Vector, random: Random): Body => ({
  ...{
    mass,
    inertia,
    centre: inCube(random),
    pose: compose(translation(...(inCube(random) as [1, 1, 1])), randomTurn(random)),
  },
  ...{ velocity: inCube(random), angularVelocity: inCube(random).map((x) => 3 * x) },
});

/** Of any solid: the inertia of three masses beside each other. */
function randomBody(random: Random): Body {
  const points = [0, 1, 2, 3].map(() => inCube(random));
  const inertia = [0, 1, 2].flatMap((i) =>
    [0, 1, 2].map((j) => points.reduce((sum, p) => sum + (i === j ? inner(p, p) : 0) - p[i] * p[j], 0)),
  );
  return bodyOf(random.between(0.1, 5), inertia, random);
}

const RESTITUTIONS = [0, 0.5, 1];
const seeds = Array.from({ length: 100 }, (_, k) => k + 1);

describe('closed forms', () => {
  test.each(seeds.slice(0, 20))('spheres meet along the line of their centers, seed %i', (seed) => {
    const random = seeded(seed);
    for (const restitution of RESTITUTIONS) {
      const sphere = (mass: number, place: Vector): Body => ({
        ...bodyOf(
          mass,
          [mass, 0, 0, 0, mass, 0, 0, 0, mass].map((x) => 0.4 * x),
          random,
        ),
        ...{ centre: [0, 0, 0], pose: translation(...(place as [1, 1, 1])) },
      });
      const n = unit(random);
      const a = sphere(random.between(0.1, 9), n);
      const b = sphere(
        random.between(0.1, 9),
        n.map((x) => -x),
      );
      const parting = inner(n, add(a.velocity, b.velocity, -1));
      const change = parting < 0 ? (-(1 + restitution) * parting) / (a.mass + b.mass) : 0;
      const after = respond(a, b, [{ normal: n, points: [[0, 0, 0]] }], { restitution });
      for (let k = 0; k < 3; k++) {
        expect(after.a.velocity[k]).toBeCloseTo(a.velocity[k] + change * b.mass * n[k], 12);
        expect(after.b.velocity[k]).toBeCloseTo(b.velocity[k] - change * a.mass * n[k], 12);
        expect(after.a.angularVelocity[k]).toBeCloseTo(a.angularVelocity[k], 12);
      }
      if (parting > 0) expect(after).toEqual({ a: pick(a), b: pick(b), impulses: [] });
    }
  });

  test('two equal spheres of triangles exchange their velocities', () => {
    const sphere = build(octasphere(2), { format: 'obb' });
    const a: RigidBody = { ...massOf(sphere), velocity: [3, 0, 0] };
    const b: RigidBody = { ...massOf(sphere), pose: translation(2, 0, 0), velocity: [-1, 0, 0] };
    const { patches = [] } = check(sphere, sphere, { poseB: translation(2, 0, 0), all: true, patches: true }).contacts;
    const after = respond(a, b, patches);
    const expected = [[-1, 0, 0], [3, 0, 0]]; // biome-ignore format: velocities
    for (const [i, { velocity }] of [after.a, after.b].entries())
      for (let k = 0; k < 3; k++) expect(velocity[k]).toBeCloseTo(expected[i][k], 12);
    expect(after.impulses).toHaveLength(1);
  });

  test.each(RESTITUTIONS)('a box that falls flat on a floor rises with %d of its speed', (restitution) => {
    const [cube, floor] = [build(box(1), { format: 'obb' }), build(box(8, 8, 1), { format: 'obb' })];
    const pose = translation(0.5, 0.25, 1);
    const { patches = [] } = check(cube, floor, { poseA: pose, all: true, patches: true }).contacts;
    const falling = { ...massOf(cube, { density: 7 }), pose, velocity: [0.5, 0, -2] };
    const { a, b } = respond(falling, { mass: Infinity }, patches, { restitution });
    expect(b).toEqual({ velocity: [0, 0, 0], angularVelocity: [0, 0, 0] });
    expect(a.velocity[0]).toBeCloseTo(0.5, 10);
    expect(a.velocity[2]).toBeCloseTo(2 * restitution, 10);
    expect(size(a.angularVelocity)).toBeLessThan(1e-10);
  });

  test('friction stops what slides slowly, and brakes what is fast by its part of the impulse', () => {
    const ball = { mass: 2, inertia: [1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9] };
    const ground = { mass: Infinity };
    const contact = [{ normal: [0, 0, 1], points: [[0, 0, -1]] }];
    const options = { restitution: 0, friction: 0.5 };
    const slow = respond({ ...ball, velocity: [0.4, 0, -1] }, ground, contact, options).a.velocity;
    expect(slow[0]).toBeCloseTo(0, 8);
    const fast = respond({ ...ball, velocity: [3, 0, -1] }, ground, contact, options).a.velocity;
    expect(fast[0]).toBeCloseTo(2.5, 8);
    expect(fast[2]).toBeCloseTo(0, 8);
  });
});

const pick = ({ velocity, angularVelocity }: Body) => ({ velocity, angularVelocity });

/** Impulses without restitution: the set of points that push is tried out. */
function impulsesByTrial(matrix: readonly Vector[], speeds: Vector): Vector {
  for (let set = 0; set < 2 ** speeds.length; set++) {
    const chosen = speeds.flatMap((_, i) => ((set >> i) & 1 ? [i] : []));
    const part = solved(
      chosen.map((i) => chosen.map((j) => matrix[i][j])),
      chosen.map((i) => -speeds[i]),
    );
    const impulses = speeds.map((_, i) => part[chosen.indexOf(i)] ?? 0);
    const after = speeds.map((v, i) => v + matrix[i].reduce((sum, x, j) => sum + x * impulses[j], 0));
    if (impulses.every((x) => x >= 0) && after.every((x) => x >= -1e-9)) return impulses;
  }
  throw new Error('no set of points does');
}

describe.each(some(20, seeds))('bodies with few contact points, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  test('as by trying out which points push', () => {
    const random = seeded(seed);
    const [a, b] = [randomBody(random), randomBody(random)];
    if (seed % 4 === 0) Object.assign(b, { mass: Infinity });
    const contacts = Array.from({ length: 1 + (seed % 4) }, () => ({ normal: unit(random), points: [inCube(random)] }));
    const speeds = speedsAt(a, b, contacts);
    const pushes = contacts.map(({ normal, points: [point] }) =>
      [a, b].map((body, k) => {
        const push = normal.map((x) => (k === 0 ? x : -x));
        return {
          velocity: push.map((x) => x / body.mass),
          angularVelocity: spunBy(body, cross(add(point, placeOf(body), -1), push)),
        };
      }),
    );
    const still = { velocity: [0, 0, 0], angularVelocity: [0, 0, 0] };
    const columns = pushes.map(([p, q]) => speedsAt({ ...a, ...still, ...p }, { ...b, ...still, ...q }, contacts));
    const matrix = speeds.map((_, i) => columns.map((column) => column[i]));
    const impulses = impulsesByTrial(matrix, speeds);
    const after = respond(a, b, contacts, { restitution: 0 });
    for (const [k, body] of [a, b].entries()) {
      for (const key of ['velocity', 'angularVelocity'] as const) {
        const expected = pushes.reduce((sum, push, i) => add(sum, push[k][key], impulses[i]), body[key]);
        const found = [after.a, after.b][k][key];
        expect(size(add(found, expected, -1)), key).toBeLessThan(1e-6 * (1 + size(expected)));
      }
    }
    const one = contacts.slice(0, 1);
    const [before] = speedsAt(a, b, one);
    for (const restitution of RESTITUTIONS) {
      const { a: nextA, b: nextB } = respond(a, b, one, { restitution });
      const [next] = speedsAt({ ...a, ...nextA }, { ...b, ...nextB }, one);
      expect(next).toBeCloseTo(before < 0 ? -restitution * before : before, 10);
    }
  });
});

const SHAPES: Record<string, Mesh> = {
  boxes: box(1, 0.7, 0.4),
  spheres: octasphere(2),
  bunnies: readObj(readFileSync('assets/bunny.obj')),
};

describe.each(Object.entries(SHAPES))('%s that collide', (_, mesh) => {
  const asset = build(mesh, { format: 'obb', nodeBytes: 64 });
  const checker = prepare(asset, asset);

  /** Two that have just come into each other. */
  function collision(random: Random): { a: Body; b: Body; contacts: ContactManifold[] } {
    const [turnA, turnB] = [randomTurn(random), randomTurn(random)];
    const away = unit(random);
    let [touching, apart] = [0, 4];
    const at = (distance: number) => compose(translation(...(away.map((x) => distance * x) as [1, 1, 1])), turnB);
    while (apart - touching > 0.01) {
      const middle = (touching + apart) / 2;
      if (checker.contact(at(middle), turnA)) touching = middle;
      else apart = middle;
    }
    const poseB = at(touching);
    const moving = (pose: Pose): Body => ({
      ...massOf(asset, { density: random.between(0.1, 10) }),
      ...{ pose, velocity: inCube(random), angularVelocity: inCube(random) },
    });
    const { patches = [] } = check(asset, asset, { poseA: turnA, poseB, all: true, patches: true }).contacts;
    return { a: moving(turnA), b: moving(poseB), contacts: patches };
  }

  test.each(some(10, seeds))(
    'keep momentum and angular momentum, and no energy comes, seed %i',
    {
      tags: ['quick', 'long'],
    },
    (seed) => {
      const random = seeded(seed);
      const { a, b, contacts } = collision(random);
      const before = totalsOf([a, b]);
      const speeds = speedsAt(a, b, contacts);
      const fastest = Math.max(...speeds.map(Math.abs));
      expect(speeds.length).toBeGreaterThan(0);
      for (const friction of [0, 0.4]) {
        for (const restitution of RESTITUTIONS) {
          const after = respond(a, b, contacts, { restitution, friction });
          const [nextA, nextB] = [
            { ...a, ...after.a },
            { ...b, ...after.b },
          ];
          const totals = totalsOf([nextA, nextB]);
          const spread = before.speeds + totals.speeds;
          expect(size(add(totals.momentum, before.momentum, -1))).toBeLessThan(1e-14 * spread);
          expect(size(add(totals.moment, before.moment, -1))).toBeLessThan(1e-13 * (before.moments + totals.moments));
          expect(totals.energy).toBeLessThan(before.energy * (1 + 1e-12));
          if (restitution === 1 && friction === 0) expect(totals.energy / before.energy).toBeCloseTo(1, 11);
          const parting = speedsAt(nextA, nextB, contacts);
          expect(Math.min(...parting)).toBeGreaterThan(-1e-8 * fastest);
          expect(after.impulses.length > 0).toBe(speeds.some((x) => x < 0));
          const again = respond(nextA, nextB, contacts, { restitution });
          expect(size(add(again.a.velocity, after.a.velocity, -1))).toBeLessThan(1e-7 * fastest);
          // The other one's view.
          const flipped = contacts.map(({ normal, points }) => ({ normal: Array.from(normal, (x) => -x), points }));
          const swapped = respond(b, a, flipped, { restitution, friction });
          expect(size(add(swapped.b.velocity, after.a.velocity, -1))).toBeLessThan(1e-12);
        }
      }
    },
  );

  test('a collision with what is immovable keeps the energy of the one that moves', () => {
    for (const seed of seeds.slice(0, 5)) {
      const { a, b, contacts } = collision(seeded(seed));
      const wall = { mass: Infinity, pose: b.pose };
      const next = { ...a, ...respond(a, wall, contacts).a };
      expect(totalsOf([next]).energy / totalsOf([a]).energy).toBeCloseTo(1, 11);
    }
  });
});

/** Boxes in a room without gravity, step by step: every pose and velocity in turn. */
function flight(seed: number, steps: number): Float64Array {
  const random = seeded(seed);
  const asset = build(box(1, 0.8, 0.6), { format: 'obb', nodeBytes: 64 });
  const mass = massOf(asset);
  const wall = { mass: Infinity };
  let bodies: Body[] = [-1.2, 0, 1.2].map((x) => ({
    ...{ ...mass, pose: compose(translation(x, 0, 0), randomTurn(random)) },
    ...{ velocity: inCube(random), angularVelocity: inCube(random) },
  }));
  const states: number[] = [];
  const before = totalsOf(bodies).energy;
  for (let step = 0; step < steps; step++) {
    bodies = bodies.map((body) => advance(body, 1 / 16));
    for (const body of bodies) {
      for (let k = 0; k < 3; k++) {
        const place = placeOf(body);
        if (Math.abs(place[k]) < 2) continue;
        const normal = [0, 1, 2].map((axis) => (axis === k ? -Math.sign(place[k]) : 0));
        Object.assign(body, respond(body, wall, [{ normal, points: [place] }]).a);
      }
    }
    for (const [i, a] of bodies.entries()) {
      for (const b of bodies.slice(i + 1)) {
        const { patches } = check(asset, asset, { poseA: a.pose, poseB: b.pose, all: true, patches: true }).contacts;
        const after = respond(a, b, patches ?? []);
        Object.assign(a, after.a);
        Object.assign(b, after.b);
      }
    }
    for (const { pose, velocity, angularVelocity } of bodies) states.push(...pose, ...velocity, ...angularVelocity);
  }
  expect(Math.abs(totalsOf(bodies).energy / before - 1)).toBeLessThan(1e-4);
  return Float64Array.from(states);
}

test('500 steps give the same bytes twice, and keep their energy', { tags: ['all'] }, () => {
  const first = flight(7, 500);
  expect(Buffer.from(flight(7, 500).buffer).equals(Buffer.from(first.buffer))).toBe(true);
});

test('three flush boxes: patches of a sunken one lie sideways; by own manifolds they rest for 1,000 steps', {
  tags: ['all'],
}, () => {
  const asset = build(box(2), { format: 'obb' });
  const sunk = translation(0, 0, 2 - 1e-12);
  const { patches } = check(asset, asset, { poseA: sunk, all: true, patches: true }).contacts;
  expect(patches!.map(({ normal }) => normal[2])).toEqual([0, 0, 0, 0]);

  const corners = [-1, 1].flatMap((x) => [-1, 1].map((y) => [x, y]));
  let bodies: RigidBody[] = [0, 1, 2].map((i) => ({ ...massOf(asset), pose: translation(0, 0, 1 + 2 * i) }));
  for (let step = 0; step < 1000; step++) {
    for (const body of bodies) body.velocity = add(Array.from(body.velocity ?? [0, 0, 0]), [0, 0, -9.81 / 64]);
    // From the bottom up, each on the one below as if that were immovable.
    for (const [i, body] of bodies.entries()) {
      const manifold = { normal: [0, 0, 1], points: corners.map(([x, y]) => [x, y, 2 * i]) };
      const below = { ...(bodies[i - 1] ?? {}), mass: Infinity };
      Object.assign(body, respond(body, below, [manifold], { restitution: 0, friction: 0.5 }).a);
    }
    bodies = bodies.map((body) => advance(body, 1 / 64));
  }
  for (const [i, { pose, velocity }] of bodies.entries()) {
    for (let k = 0; k < 16; k++) expect(pose![k]).toBeCloseTo(translation(0, 0, 1 + 2 * i)[k], 12);
    expect(size(Array.from(velocity!))).toBeLessThan(1e-12);
  }
});

describe('free motion', () => {
  const asset = build(box(1, 2, 3), { format: 'obb' });
  const mass = { ...massOf(asset), centre: [0.5, 0, 0] };

  test('turns about a principal axis at constant speed, about the center of mass', () => {
    const turned = advance({ ...mass, velocity: [0, 1, 0], angularVelocity: [0, 0, 3] }, 2);
    const [c, s] = [Math.cos(6), Math.sin(6)];
    for (const [i, x] of [c, -s, 0, 0.5 - 0.5 * c, s, c, 0, 2 - 0.5 * s, 0, 0, 1, 0].entries())
      expect(turned.pose[i]).toBeCloseTo(x, 9);
  });

  test('a tumbling body keeps its angular momentum, its energy within a bound, and finds back', () => {
    const start = { ...mass, pose: identity(), velocity: [1, 0, 0], angularVelocity: [0.1, 1, 0.2] } as Body;
    let body = start;
    const before = totalsOf([start]);
    let worst = 0;
    for (let step = 0; step < 500; step++) {
      body = advance(body, 0.05);
      worst = Math.max(worst, Math.abs(totalsOf([body]).energy / before.energy - 1));
    }
    expect(size(add(turning(body), turning(start), -1))).toBeLessThan(1e-11);
    expect(worst).toBeLessThan(1e-4);
    for (let step = 0; step < 500; step++) body = advance(body, -0.05);
    for (const [i, x] of start.pose.entries()) expect(body.pose[i]).toBeCloseTo(x, 8);
  });
});

describe('mass', () => {
  test('of boxes beside each other, by the parallel axes, inside out or not', () => {
    const [p, q] = [
      { sides: [1, 2, 3], at: [5, 0, 1] },
      { sides: [2, 1, 0.5], at: [-1, 4, 2] },
    ];
    const moved = ({ sides: [w, h, d], at }: typeof p): Mesh => {
      const mesh = box(w, h, d);
      return { ...mesh, positions: mesh.positions.map((x, i) => x + at[i % 3]) };
    };
    const mesh = together(moved(p), moved(q));
    const volumes = [p, q].map(({ sides: [w, h, d] }) => w * h * d);
    const whole = volumes[0] + volumes[1];
    const centre = [0, 1, 2].map((k) => (volumes[0] * p.at[k] + volumes[1] * q.at[k]) / whole);
    const inertia = [0, 1, 2].flatMap((i) =>
      [0, 1, 2].map((j) =>
        [p, q].reduce((sum, { sides, at }, n) => {
          const r = add(at, centre, -1);
          const own = i === j ? (inner(sides, sides) - sides[i] ** 2) / 12 : 0;
          return sum + 2 * volumes[n] * (own + (i === j ? inner(r, r) : 0) - r[i] * r[j]);
        }, 0),
      ),
    );
    for (const triangles of [mesh.triangles, mesh.triangles.toReversed()]) {
      const found = massOf(build({ ...mesh, triangles }, { format: 'obb' }), { density: 2 });
      expect(found.mass).toBeCloseTo(2 * whole, 12);
      for (let k = 0; k < 3; k++) expect(found.centre[k]).toBeCloseTo(centre[k], 12);
      for (let k = 0; k < 9; k++) expect(found.inertia[k]).toBeCloseTo(inertia[k], 11);
    }
    expect(massOf(build(mesh, { format: 'obb' }), { mass: 3 }).mass).toBe(3);
  });

  test('refusals name what is wrong', () => {
    const asset = build(box(1), { format: 'obb' });
    const open = build({ ...box(1), triangles: box(1).triangles.slice(3) }, { format: 'obb' });
    const flat = build(
      { ...box(1), positions: box(1).positions.map((x, i) => (i % 3 === 2 ? 0 : x)) },
      { format: 'obb' },
    );
    const body = massOf(asset);
    const no = (call: () => unknown, message: RegExp) => expect(call).toThrow(message);
    no(() => massOf(open), /^massOf: the asset is open/);
    no(() => massOf(flat), /^massOf: the asset encloses no volume$/);
    no(() => massOf(build(box(1), { format: 'voxel', precision: 0.5 })), /^massOf: expected triangles, found voxel$/);
    no(() => massOf(asset, { density: 0 }), /^density: expected a finite number above 0, found 0$/);
    no(() => massOf(asset, { density: 1, mass: 1 }), /^mass: expected no density, too, found 1$/);
    no(() => respond({ mass: 1 }, body, []), /^a\.inertia: expected nine numbers/);
    no(() => respond(body, { ...body, mass: 0 }, []), /^b\.mass: expected a number above 0, or Infinity, found 0$/);
    no(
      () => respond({ ...body, inertia: [1, 0, 0, 0, -1, 0, 0, 0, 1] }, body, []),
      /^a\.inertia: expected a symmetric/,
    );
    no(() => respond(body, body, [{ normal: [0, 0, 2], points: [] }]), /^contacts\[0\]\.normal: expected length 1/);
    no(
      () => respond(body, body, [{ normal: [0, 0, 1], points: [[0, 0]] }]),
      /^contacts\[0\]\.points\[0\]: expected three/,
    );
    no(() => respond(body, body, [], { restitution: 1.5 }), /^restitution: expected a number from 0 to 1, found 1.5$/);
    no(() => respond({ ...body, mass: '1' as never }, body, []), /^a\.mass: expected a number above 0/);
    const contact = [{ normal: [0, 0, 1], points: [[0, 0, 0]] }];
    for (const fast of [
      { ...body, velocity: [0, 0, -1e200] },
      { ...body, mass: 1e-320, velocity: [0, 0, -1] },
      { ...body, centre: [1e200, 0, 0], angularVelocity: [0, 1, 0] },
    ])
      no(() => respond(fast, body, contact), /^contacts: expected speeds that doubles can hold, found /);
    no(() => advance({ ...body, velocity: [1e308, 0, 0] }, 9), /^time: expected one after which the body is at finite/);
    no(() => advance({ ...body, angularVelocity: [1e9, 0, 0] }, 1), /^time: expected one in which the body turns/);
  });
});
