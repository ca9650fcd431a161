// Inputs of the tasks: the sample meshes, meshes by formula, seeded numbers, and poses near
// contact.
import { readFileSync } from 'node:fs';
import { check, compose, readObj, rotation, translation } from 'gicollide';
import teapot from 'teapot';
import { ShapeUtils, Vector2 } from 'three';

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

/**
 * A block with a grid of round holes through it, as CAD exports it: `columns` by `rows` holes of
 * `sides` flat strips each, and needles between the rims. The genus is 133 by default.
 */
export function drilledBlock({ columns = 19, rows = 7, sides = 32, radius = 0.3, depth = 2 } = {}) {
  const corners = [0, columns, columns, 0].map((x, i) => new Vector2(x, i < 2 ? 0 : rows));
  const holes = Array.from({ length: columns * rows }, (_, hole) =>
    Array.from({ length: sides }, (_, i) => {
      const turn = (-2 * Math.PI * i) / sides;
      const [x, y] = [(hole % columns) + 0.5, Math.floor(hole / columns) + 0.5];
      return new Vector2(x + radius * Math.cos(turn), y + radius * Math.sin(turn));
    }),
  );
  const rims = [corners, ...holes];
  const points = rims.flat();
  const above = points.length;
  const positions = [depth, 0].flatMap((z) => points.flatMap(({ x, y }) => [x, y, z]));
  const triangles = ShapeUtils.triangulateShape(corners, holes).flatMap(([a, b, c]) => [
    a,
    b,
    c,
    above + c,
    above + b,
    above + a,
  ]);
  let first = 0;
  for (const { length } of rims) {
    for (let i = 0; i < length; i++) {
      const [a, b] = [first + i, first + ((i + 1) % length)];
      triangles.push(b, a, above + a, b, above + a, above + b);
    }
    first += length;
  }
  return normalised({ positions, triangles });
}

/**
 * The surface where f is 0; f is below 0 inside. Surface nets over cubes of edge `step` (S. Gibson,
 * "Constrained Elastic Surface Nets", 1998), with each vertex moved onto the surface along the
 * gradient.
 *
 * @param {(p: number[]) => number} f
 * @param {number[]} low
 * @param {number[]} high
 * @param {number} step
 */
function surfaceOf(f, low, high, step) {
  const size = low.map((x, k) => Math.ceil((high[k] - x) / step) + 1);
  const down = [1, size[0], size[0] * size[1]];
  const count = size[0] * size[1] * size[2];
  /** @param {number} i */
  const cornerOf = (i) => [i % size[0], Math.floor(i / size[0]) % size[1], Math.floor(i / down[2])];
  const values = Float64Array.from({ length: count }, (_, i) => f(cornerOf(i).map((n, k) => low[k] + n * step)));
  /** @type {Map<number, number>} */
  const vertices = new Map();
  /** @type {number[]} */
  const positions = [];
  /** @param {number} cell */
  const vertexOf = (cell) => {
    const known = vertices.get(cell);
    if (known !== undefined) return known;
    // The mean of the points where the cell's edges meet the surface.
    const mean = [0, 0, 0, 0];
    for (let corner = 0; corner < 8; corner++) {
      const from = [0, 1, 2].map((k) => (corner >> k) & 1);
      const start = cell + from.reduce((sum, n, k) => sum + n * down[k], 0);
      for (let k = 0; k < 3; k++) {
        if (from[k] === 1 || values[start] < 0 === values[start + down[k]] < 0) continue;
        const part = values[start] / (values[start] - values[start + down[k]]);
        for (let axis = 0; axis < 3; axis++) mean[axis] += from[axis] + (axis === k ? part : 0);
        mean[3]++;
      }
    }
    let p = cornerOf(cell).map((n, k) => low[k] + (n + mean[k] / mean[3]) * step);
    for (let round = 0; round < 2; round++) {
      const value = f(p);
      const slope = p.map((_, k) => {
        const [ahead, behind] = [1, -1].map((side) => f(p.map((x, axis) => (axis === k ? x + side * 1e-4 * step : x))));
        return (ahead - behind) / (2e-4 * step);
      });
      const square = slope.reduce((sum, x) => sum + x * x, 0);
      p = p.map((x, k) => x - (value * slope[k]) / square);
    }
    vertices.set(cell, positions.push(...p) / 3 - 1);
    return positions.length / 3 - 1;
  };
  /** @type {number[]} */
  const triangles = [];
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      if (i + down[k] >= count || values[i] < 0 === values[i + down[k]] < 0) continue;
      const [u, v] = [down[(k + 1) % 3], down[(k + 2) % 3]];
      const [a, b, c, d] = [i - u - v, i - v, i, i - u].map(vertexOf);
      if (values[i] < 0) triangles.push(a, b, c, a, c, d);
      else triangles.push(a, c, b, a, d, c);
    }
  }
  return { positions, triangles };
}

/**
 * Smooth tubes that cross: `along` waves one way and as many the other, joined where they meet. The
 * genus is (along - 1)^2, 36 by default.
 */
export function tubeBundle({ along = 7, radius = 0.12, step = 0.055 } = {}) {
  const middle = (along - 1) / 2;
  /** @param {number[]} p */
  const f = ([x, y, z]) => {
    let sum = 0;
    for (let i = 0; i < along; i++) {
      for (const [s, t, turn] of [
        [x, y, 0],
        [y, x, 2],
      ]) {
        const end = Math.max(-0.4 - middle - s, s - middle - 0.4, 0);
        const across = t - (i - middle) - 0.18 * Math.sin(1.3 * s + i + turn);
        const up = z - 0.25 * Math.sin(0.9 * x + 0.7 * y);
        sum += Math.exp(-18 * (Math.hypot(end, across, up) - radius));
      }
    }
    return -Math.log(sum) / 18;
  };
  const far = middle + 1;
  return normalised(surfaceOf(f, [-far, -far, -0.81], [far, far, 0.81], step));
}

/**
 * A scan as scanners leave it: a bumpy, noisy ball with ragged bites, and ragged crumbs that float
 * around it. Sizes of both go from a few triangles to a hundredth of the ball. With seed 1: 856
 * components and 1,561 holes.
 *
 * @param {number} seed
 */
export function tornScan(seed, { divisions = 6, bites = 700, crumbs = 385, noise = 0.006, raggedness = 12 } = {}) {
  const random = seeded(seed);
  let ball = icosahedron();
  for (let i = 0; i < divisions; i++) ball = subdivided(ball);
  const count = ball.positions.length / 3;
  const unit = Float64Array.from(ball.positions);
  for (let v = 0; v < unit.length; v += 3) {
    const length = Math.hypot(unit[v], unit[v + 1], unit[v + 2]);
    for (let k = 0; k < 3; k++) unit[v + k] /= length;
  }
  const waves = Array.from({ length: 16 }, () => ({ along: direction(random).map((x) => 9 * x), phase: 7 * random() }));
  const heights = Float64Array.from({ length: count }, (_, v) => {
    let height = 1 + noise * random();
    for (const { along, phase } of waves) {
      height +=
        0.02 * Math.sin(along[0] * unit[3 * v] + along[1] * unit[3 * v + 1] + along[2] * unit[3 * v + 2] + phase);
    }
    return height;
  });
  const edge = 1.1 / 2 ** divisions;
  const ragged = Float64Array.from({ length: count }, () => raggedness * edge * random());
  /** @type {number[][]} */
  const around = Array.from({ length: count }, () => []);
  ball.triangles.forEach((v, h) => {
    around[v].push((h / 3) | 0);
  });
  /**
   * Vertices of a ragged spot; few spots are large. Next comes the neighbor nearest to the middle,
   * as far as `ragged` allows.
   */
  const spot = () => {
    const middle = Math.floor(count * random());
    const size = Math.min(400, 1 / random());
    const inside = new Set([middle]);
    const border = new Map();
    for (let last = middle; inside.size < size; ) {
      for (const t of around[last]) {
        for (const v of ball.triangles.subarray(3 * t, 3 * t + 3)) {
          if (inside.has(v) || border.has(v)) continue;
          const apart = Math.hypot(...[0, 1, 2].map((k) => unit[3 * middle + k] - unit[3 * v + k]));
          border.set(v, apart + ragged[v]);
        }
      }
      last = [...border].reduce((best, one) => (one[1] < best[1] ? one : best))[0];
      border.delete(last);
      inside.add(last);
    }
    return inside;
  };
  /** @type {number[]} */
  const positions = [];
  /** @type {number[]} */
  const triangles = [];
  /**
   * @param {Iterable<number>} list
   * @param {(v: number) => boolean} isKept
   * @param {number} lift
   */
  const take = (list, isKept, lift) => {
    /** @type {Map<number, number>} */
    const numbers = new Map();
    for (const t of list) {
      const corners = ball.triangles.subarray(3 * t, 3 * t + 3);
      if (!corners.every(isKept)) continue;
      for (const v of corners) {
        if (!numbers.has(v)) {
          for (let k = 0; k < 3; k++) positions.push((heights[v] + lift) * unit[3 * v + k]);
          numbers.set(v, positions.length / 3 - 1);
        }
        triangles.push(/** @type {number} */ (numbers.get(v)));
      }
    }
  };
  const [bitten, taken] = [new Uint8Array(count), new Uint8Array(count)];
  for (let made = 0; made < bites; ) {
    const bite = spot();
    const ring = new Set(
      [...bite].flatMap((v) => around[v].flatMap((t) => [...ball.triangles.subarray(3 * t, 3 * t + 3)])),
    );
    if ([...ring].some((v) => taken[v] === 1)) continue;
    for (const v of ring) taken[v] = 1;
    for (const v of bite) bitten[v] = 1;
    made++;
  }
  take(
    Array.from({ length: ball.triangles.length / 3 }, (_, t) => t),
    (v) => bitten[v] === 0,
    0,
  );
  for (let made = 0; made < crumbs; ) {
    const own = spot();
    const before = triangles.length;
    take(new Set([...own].flatMap((v) => around[v])), (v) => own.has(v), 0.02 + 0.1 * random());
    if (triangles.length > before) made++;
  }
  return normalised({ positions, triangles });
}

/** @returns {Mesh} */
function icosahedron() {
  const long = (1 + Math.sqrt(5)) / 2;
  const positions = [0, 1, 2].flatMap((k) =>
    [1, -1].flatMap((a) =>
      [long, -long].flatMap((b) => {
        const p = [0, 0, 0];
        p[k] = a;
        p[(k + 1) % 3] = b;
        return p;
      }),
    ),
  );
  const triangles = [];
  /** @param {number} i */
  const at = (i) => positions.slice(3 * i, 3 * i + 3);
  for (let a = 0; a < 12; a++) {
    for (let b = a + 1; b < 12; b++) {
      for (let c = b + 1; c < 12; c++) {
        const [p, q, r] = [at(a), at(b), at(c)];
        const near = [
          [p, q],
          [q, r],
          [r, p],
        ].every(([s, t]) => Math.hypot(s[0] - t[0], s[1] - t[1], s[2] - t[2]) < 2.1);
        if (!near) continue;
        const volume =
          p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
        triangles.push(a, ...(volume > 0 ? [b, c] : [c, b]));
      }
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/**
 * A closed torus of about so many triangles, in rows, with coordinates of floats.
 *
 * @param {number} triangles
 * @returns {Mesh}
 */
export function torus(triangles) {
  const rows = Math.round(Math.sqrt(triangles / 2));
  const positions = new Float64Array(3 * rows * rows);
  const corners = new Uint32Array(6 * rows * rows);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < rows; j++) {
      const [u, v] = [(2 * Math.PI * i) / rows, (2 * Math.PI * j) / rows];
      const radius = 3 + Math.cos(v) * (1 + 0.1 * Math.sin(7 * u));
      const point = [radius * Math.cos(u), radius * Math.sin(u), Math.sin(v)];
      positions.set(point.map(Math.fround), 3 * (i * rows + j));
      const [up, right] = [(i + 1) % rows, (j + 1) % rows];
      const [a, b, c, d] = [i * rows + j, up * rows + j, up * rows + right, i * rows + right];
      corners.set([a, b, c, a, c, d], 6 * (i * rows + j));
    }
  return { positions, triangles: corners, groups: [] };
}

/** @param {Mesh} mesh */
export function stlBinary({ positions, triangles }) {
  const bytes = new Uint8Array(84 + (50 * triangles.length) / 3);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, triangles.length / 3, true);
  for (const [corner, vertex] of triangles.entries()) {
    const at = 84 + 50 * Math.floor(corner / 3) + 12 * (1 + (corner % 3));
    for (let k = 0; k < 3; k++) view.setFloat32(at + 4 * k, positions[3 * vertex + k], true);
  }
  return bytes;
}
