// What the tasks ask about: the sample meshes and others by formula, seeded numbers, and poses near
// contact.
import { readFileSync } from 'node:fs';
import { check, compose, readObj, rotation, translation } from 'gicollide';
import teapot from 'teapot';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {[number, number, number]} Point */

/**
 * A generator of numbers in [0, 1): mulberry32.
 *
 * @param {number} seed
 */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A unit vector, evenly over the sphere.
 *
 * @param {() => number} random
 * @returns {Point}
 */
export function direction(random) {
  for (;;) {
    const [x, y, z] = [2 * random() - 1, 2 * random() - 1, 2 * random() - 1];
    const length = Math.hypot(x, y, z);
    if (length > 0.1 && length <= 1) return [x / length, y / length, z / length];
  }
}

/** @param {() => number} random */
export const randomTurn = (random) => rotation(...direction(random), 360 * random());

/**
 * The translation by `length` along a direction.
 *
 * @param {Point} along
 * @param {number} length
 */
export const shift = ([x, y, z], length) => translation(length * x, length * y, length * z);

/**
 * Poses of b: seeded rotations and directions; the distance along the direction is bisected until
 * the bodies just touch, then moved by a thousandth either way. Even ones are barely clear, odd
 * ones barely in contact.
 *
 * @param {Asset} a
 * @param {Asset} b
 * @param {number} count
 * @param {number} seed
 */
export function nearContactPoses(a, b, count, seed) {
  const random = seeded(seed);
  /** @type {Pose[]} */
  const poses = [];
  while (poses.length < count) {
    const turn = randomTurn(random);
    const along = direction(random);
    /** @param {number} s */
    const at = (s) => compose(shift(along, s), turn);
    let [inside, outside] = [0, 2];
    if (check(a, b, { poseB: at(inside) }).verdict !== 'contact') continue;
    while (outside - inside > 1e-6) {
      const middle = (inside + outside) / 2;
      if (check(a, b, { poseB: at(middle) }).verdict === 'contact') inside = middle;
      else outside = middle;
    }
    poses.push(at(poses.length % 2 === 0 ? outside + 1e-3 : inside - 1e-3));
  }
  return poses;
}

/**
 * Seeded poses of so many bodies in a cube that grows with their number, pair by pair: that of one
 * in the other's frame.
 *
 * @param {number} bodies
 */
export function relativePoses(bodies) {
  const random = seeded(bodies);
  const side = 0.8 * Math.cbrt(bodies);
  const placed = Array.from({ length: bodies }, () => {
    const turn = randomTurn(random);
    for (const k of [3, 7, 11]) turn[k] = side * random();
    return turn;
  });
  return placed.flatMap((a, i) => placed.slice(0, i).map((b) => relative(a, b)));
}

/** A^-1 B. @param {Pose} a @param {Pose} b */
function relative(a, b) {
  const pose = translation(0, 0, 0);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 4; j++) {
      pose[4 * i + j] = 0;
      for (let k = 0; k < 3; k++) pose[4 * i + j] += a[4 * k + i] * (b[4 * k + j] - (j === 3 ? a[4 * k + 3] : 0));
    }
  }
  return pose;
}

/**
 * A mesh of assets/.
 *
 * @param {string} name
 * @returns {Mesh}
 */
export const sample = (name) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));

// Coordinates of the meshes below are rounded to float32, so that three-mesh-bvh has the same
// triangles.

/**
 * @param {Mesh} mesh
 * @returns {Mesh}
 */
const rounded = ({ positions, triangles, groups }) => ({ positions: positions.map(Math.fround), triangles, groups });

/**
 * Centred, with a diagonal of 1.
 *
 * @param {{ positions: number[], triangles: number[] }} mesh
 * @returns {Mesh}
 */
export function normalised({ positions, triangles }) {
  const low = [1e9, 1e9, 1e9];
  const high = [-1e9, -1e9, -1e9];
  for (const [i, x] of positions.entries()) {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  }
  const size = Math.hypot(...high.map((x, k) => x - low[k]));
  const moved = positions.map((x, i) => (x - (low[i % 3] + high[i % 3]) / 2) / size);
  return rounded({ positions: Float64Array.from(moved), triangles: Uint32Array.from(triangles), groups: [] });
}

/**
 * Four triangles of each.
 *
 * @param {Mesh} mesh
 * @returns {Mesh}
 */
export function subdivided({ positions, triangles }) {
  const points = Array.from(positions);
  /** @type {number[]} */
  const cut = [];
  /** @type {Map<number, number>} */
  const middles = new Map();
  /** @param {number} i @param {number} j */
  const middle = (i, j) => {
    const edge = Math.min(i, j) * 2 ** 26 + Math.max(i, j);
    const known = middles.get(edge);
    if (known !== undefined) return known;
    const made = points.length / 3;
    middles.set(edge, made);
    for (let k = 0; k < 3; k++) points.push((points[3 * i + k] + points[3 * j + k]) / 2);
    return made;
  };
  for (let t = 0; t < triangles.length; t += 3) {
    const [p, q, r] = triangles.subarray(t, t + 3);
    const [pq, qr, rp] = [middle(p, q), middle(q, r), middle(r, p)];
    cut.push(p, pq, rp, pq, q, qr, rp, qr, r, pq, qr, rp);
  }
  return rounded({ positions: Float64Array.from(points), triangles: Uint32Array.from(cut), groups: [] });
}

/**
 * `rows` by `columns` quads over at(u, v), u and v from 0 to 1, as a soup of seams: corners are not
 * shared along the rims.
 *
 * @param {number} rows
 * @param {number} columns
 * @param {(u: number, v: number) => number[]} at
 */
export function sheet(
  rows,
  columns,
  at,
  mesh = { positions: /** @type {number[]} */ ([]), triangles: /** @type {number[]} */ ([]) },
) {
  const base = mesh.positions.length / 3;
  for (let i = 0; i <= rows; i++) for (let j = 0; j <= columns; j++) mesh.positions.push(...at(i / rows, j / columns));
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const corner = base + i * (columns + 1) + j;
      const below = corner + columns + 1;
      mesh.triangles.push(corner, below, corner + 1, corner + 1, below, below + 1);
    }
  }
  return mesh;
}

/**
 * A ball of six sheets of 76 x 76 quads, 69,312 triangles, with waves of seeded directions on it.
 *
 * @param {number} seed
 */
export function bumpyBall(seed) {
  const random = seeded(seed);
  const waves = Array.from({ length: 24 }, () => ({
    along: [0, 1, 2].map(() => 24 * random() - 12),
    phase: 7 * random(),
    height: 0.02 * random(),
  }));
  const mesh = { positions: [], triangles: [] };
  for (let face = 0; face < 6; face++) {
    const side = face % 2 === 0 ? 1 : -1;
    /** @param {number} u @param {number} v */
    const at = (u, v) => {
      const corner = [side, side * Math.tan((Math.PI / 2) * (u - 0.5)), Math.tan((Math.PI / 2) * (v - 0.5))];
      const length = Math.hypot(...corner);
      const p = [0, 1, 2].map((k) => corner[(k + (face >> 1)) % 3] / length);
      let bump = 0;
      for (const { along, phase, height } of waves) {
        bump += height * Math.sin(along[0] * p[0] + along[1] * p[1] + along[2] * p[2] + phase);
      }
      return p.map((x) => (1 + bump) * x);
    };
    sheet(76, 76, at, mesh);
  }
  return normalised(mesh);
}

/**
 * A turned body: twelve rings of 720 strips each along it, 17,280 triangles up to 150 times longer
 * than wide.
 */
export function lathe() {
  /** @param {number} u */
  const radius = (u) => 0.35 + 0.12 * Math.sin(9 * u) + 0.05 * Math.sin(23 * u);
  return normalised(
    sheet(12, 720, (u, v) => {
      const turn = 2 * Math.PI * v;
      return [3 * u, radius(u) * Math.cos(turn), radius(u) * Math.sin(turn)];
    }),
  );
}

/**
 * A thin plate that is a fan on either side of 2,000 needles, bent in waves, and its rim: 12,000
 * triangles.
 */
export function fan() {
  /** @param {number} turn */
  const edge = (turn) => 1 + 0.2 * Math.cos(5 * turn);
  /** @param {number} side @returns {(u: number, v: number) => number[]} */
  const at = (side) => (u, v) => {
    const turn = 2 * Math.PI * v;
    const r = 0.02 + u * edge(turn);
    return [r * Math.cos(turn), r * Math.sin(turn), 0.15 * u * Math.sin(7 * turn) + side];
  };
  const mesh = sheet(1, 2000, at(0.01));
  sheet(1, 2000, at(-0.01), mesh);
  sheet(1, 2000, (u, v) => at(0.02 * u - 0.01)(1, v), mesh);
  return normalised(mesh);
}

export const npmTeapot = () => normalised({ positions: teapot.positions.flat(), triangles: teapot.cells.flat() });
