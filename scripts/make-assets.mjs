/**
 * Makes the sample meshes of assets/ (`npm run assets`), byte for byte the same on any machine:
 * coordinates come from + - * / and Math.sqrt alone, which every engine rounds alike, and are
 * printed with six significant digits (bunny.obj: as many as tell its float32 numbers apart).
 *
 * A shape is {points: [[x, y, z], ...], faces: [[vertex numbers from 0, counter-clockwise from
 * outside], ...]}.
 */

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import bunnyPackage from 'bunny';

/** @typedef {number[]} Point */
/** @typedef {{ points: Point[], faces: number[][], print?: (x: number) => string }} Shape */
/** @typedef {{ comment: string, source: string, make: () => Shape }} Recipe */

/**
 * Each asset's comment line, what SOURCES.md says of it, and how it is made.
 *
 * @type {Record<string, Recipe>}
 */
const recipes = {
  'bunny.obj': {
    comment: 'The Stanford bunny, reduced; npm package bunny 1.0.1, centred and scaled by 1/16.',
    source: 'npm package `bunny` 1.0.1 (Mikola Lysenko), from the Stanford 3D Scanning Repository; see below',
    make: bunny,
  },
  'blob.obj': {
    comment: 'A smooth blob: a geodesic sphere with soft bumps and dents; by formula.',
    source: 'formula: geodesic sphere, radius changed by nine rational bumps',
    make: blob,
  },
  'star.obj': {
    comment: 'A sea urchin with twelve arms of different lengths on a geodesic sphere; by formula.',
    source: 'formula: geodesic sphere, twelve arms along the corners of an icosahedron',
    make: star,
  },
  'bolt.obj': {
    comment:
      'A bolt with a chamfered hexagonal head and a collar: quads, and polygons of 6 and 24 corners; by formula.',
    source: 'formula: rings of a hexagon and of a regular 24-gon',
    make: bolt,
  },
  'boulder.obj': {
    comment: 'A boulder: fractal value noise, hashed from integers, on a geodesic sphere; by formula.',
    source: 'formula: geodesic sphere, radius changed by five octaves of hashed value noise',
    make: boulder,
  },
  'box.obj': {
    comment: 'A cube with edges of one half: 6 quads.',
    source: 'formula: a cube of six quads',
    make: box,
  },
  'torus.obj': {
    comment: 'A torus, 48 by 24 quads: genus 1, which a geometry image in one square cannot hold; by formula.',
    source: 'formula: 48 by 24 quads',
    make: torus,
  },
};

/** Text of SOURCES.md on the models of assets/, which are written by hand and not changed here. */
const models = {
  'asteroid.frep.json': 'an ellipsoid, 21 perturbations of both signs, two of them perturbed themselves',
  'bowl.frep.json': 'paraboloids, a complement, a torus; an apple dented by perturbations, turned as one',
  'chain.frep.json': 'five tori, stretched, turned and moved',
  'flange.frep.json': 'differences, unions and intersections of cylinders, boxes, cones and half-spaces, turned',
  'goursat.frep.json': "Goursat's surface of degree 4, and a ball inside it",
  'gyroid.frep.json': 'a wall that follows a gyroid, in a ball: a formula',
  'island.frep.json': '15 triangle bases; ridges perturbed by the least of three half-spaces',
  'kidney.frep.json': 'an ellipsoid, eight perturbations; vessels of cylinders and a quarter of a torus',
  'noise-sphere.frep.json': "the paper's noise sphere: a sphere plus Gardner's series, 108 waves",
  'swell.frep.json': 'a half-space plus three waves that travel with the time, and a box with a velocity',
  'vase.frep.json': 'an ellipsoid plus a plane wave, hyperboloids, a mirrored cone, tori; hollow by difference',
};

/** Every file of assets/ that this makes: name -> text, the same on any machine. */
export function makeAssets() {
  /** @type {Record<string, string>} */
  const files = {};
  /** @type {string[]} */
  const rows = [];
  for (const [name, { comment, source, make }] of Object.entries(recipes)) {
    const shape = make();
    files[name] = toObj(`gicollide sample: ${comment}`, shape);
    const { vertices, triangles, genus } = count(shape);
    rows.push(`| ${name} | ${vertices} | ${triangles} | ${genus} | ${source} |`);
  }
  files['SOURCES.md'] = sources(rows);
  return files;
}

/** @param {readonly string[]} rows */
function sources(rows) {
  const rowsOfModels = Object.entries(models).map(([name, shows]) => `| ${name} | ${shows} |`);
  return `# Where the samples come from

Written by scripts/make-assets.mjs (\`npm run assets\`), like the meshes. All of these are closed, in one piece, face outward, and are
centred with a bounding-box diagonal of about 1. "By formula" means made by that script: they are the project's own, under its
MIT licence.

| File | Vertices | Triangles | Genus | Source |
|---|---|---|---|---|
${rows.join('\n')}

Triangles: a polygon of n corners counts as n - 2.

**bunny.obj.** The package.json of npm's \`bunny\` 1.0.1 says "Public Domain". The package credits the scan to the Stanford 3D
Scanning Repository (http://graphics.stanford.edu/data/3Dscanrep/#bunny), Stanford University Computer Graphics Laboratory,
which asks to be credited and has terms of its own for commercial use: read them before you ship the bunny in a product. Its
coordinates were divided by 16, moved so that their box is centred, and rounded to float32; vertices and triangles keep the
package's order.

## Models

Functionally defined objects, the project's own, under its MIT licence; their language is docs/frep.schema.json.

| File | Shows |
|---|---|
${rowsOfModels.join('\n')}

## Scenes

Written by scripts/make-scenes.mjs, like the meshes in parts/ that they place beside those above; the project's own, under its
MIT licence. Their language is docs/scene.md.

| File | Shows |
|---|---|
| room.scene.json | a game room: crates, bunnies, a vase of functions; what is stuck, and where nobody can walk |
| arm.urdf, arm.srdf, arm-states.csv | a robot arm with a gripper: meshes, boxes, cylinders, spheres; what may touch, two states by name, a motion of 41 |
| arm-cell.scene.json | what stands about it |
| robot-cell.scene.json | a robot over a conveyor, in one state: millimetres in a scene of metres, clearances, joints that may touch |
| building.scene.json | a storey of 143 elements, of scripts/make-building.mjs: pipes and ducts against walls, slabs and beams |
`;
}

/**
 * Vertices, triangles, and the genus of a closed surface in one piece, from Euler's formula.
 *
 * @param {Shape} shape
 */
function count({ points, faces }) {
  const edges = faces.reduce((sum, face) => sum + face.length, 0) / 2;
  return {
    vertices: points.length,
    triangles: faces.reduce((sum, face) => sum + face.length - 2, 0),
    genus: (2 - (points.length - edges + faces.length)) / 2,
  };
}

/**
 * @param {string} comment
 * @param {Shape} shape
 */
function toObj(comment, { points, faces, print = sixDigits }) {
  const vertices = points.map((point) => `v ${point.map(print).join(' ')}\n`);
  const polygons = faces.map((face) => `f ${face.map((v) => v + 1).join(' ')}\n`);
  return `# ${comment}\n${vertices.join('')}${polygons.join('')}`;
}

/**
 * Plain decimal for anything from 1e-6 up; what is smaller is rounding, and 0.
 *
 * @param {number} x
 */
function sixDigits(x) {
  return Math.abs(x) < 1e-6 ? '0' : String(Number(x.toPrecision(6)));
}

/**
 * The fewest digits that read back as the same float32.
 *
 * @param {number} x
 */
function float32Digits(x) {
  for (let digits = 1; ; digits++) {
    const rounded = Number(x.toPrecision(digits));
    if (Math.fround(rounded) === Math.fround(x)) return String(rounded);
  }
}

// -------------------------------------------------------------------------------------- the shapes

/** @returns {Shape} */
function bunny() {
  const shape = { points: bunnyPackage.positions, faces: bunnyPackage.cells };
  const { middle } = boundingBox(shape.points);
  const points = shape.points.map((p) => p.map((x, axis) => Math.fround((x - middle[axis]) / 16)));
  return { points, faces: shape.faces, print: float32Digits };
}

/** @returns {Shape} */
function blob() {
  // direction, height, sharpness of each bump
  const bumps = /** @type {[Point, number, number][]} */ ([
    [[0.9, 0.3, 0.2], 0.45, 6],
    [[-0.7, 0.6, 0.3], 0.5, 8],
    [[-0.2, -0.9, 0.3], 0.4, 5],
    [[0.1, 0.2, 1], 0.3, 9],
    [[0.3, -0.4, -0.9], 0.45, 7],
    [[-0.6, -0.3, -0.7], -0.25, 8],
    [[0.5, 0.8, -0.4], -0.2, 7],
    [[0.6, -0.6, 0.6], -0.25, 6],
    [[-0.9, -0.2, 0.5], -0.15, 9],
  ]).map(([direction, height, sharpness]) => ({ centre: unit(direction), height, sharpness }));
  return radial(geodesicSphere(16), (d) => {
    let radius = 1;
    for (const { centre, height, sharpness } of bumps) radius += height * bump(1 - dot(d, centre), sharpness);
    return radius;
  });
}

/** @returns {Shape} */
function star() {
  const arms = icosahedron().points.map((p, i) => ({ direction: unit(p), length: [1.5, 1.1, 1.3, 0.9][i % 4] }));
  return radial(geodesicSphere(24), (d) => {
    let radius = 0.8;
    for (const { direction, length } of arms) radius += length * bump(1 - dot(d, direction), 14);
    return radius;
  });
}

/**
 * 1 at distance 0, falling smoothly to 0: the square of a Cauchy bell.
 *
 * @param {number} distance
 * @param {number} sharpness
 */
function bump(distance, sharpness) {
  const bell = 1 / (1 + sharpness * distance);
  return bell * bell;
}

/** @returns {Shape} */
function boulder() {
  return radial(geodesicSphere(32), (d) => {
    let radius = 1;
    let height = 0.5;
    let frequency = 1.3;
    for (let octave = 0; octave < 5; octave++) {
      radius += height * (valueNoise(d[0] * frequency, d[1] * frequency, d[2] * frequency, octave) - 0.5);
      height *= 0.45;
      frequency *= 2.1;
    }
    return radius;
  });
}

/**
 * Values from 0 to 1 on the points with whole coordinates, blended smoothly between (Perlin's
 * quintic).
 *
 * @param {number} x
 * @param {number} y
 * @param {number} z
 * @param {number} seed
 */
function valueNoise(x, y, z, seed) {
  const [i, j, k] = [Math.floor(x), Math.floor(y), Math.floor(z)];
  const [u, v, w] = [x - i, y - j, z - k].map((t) => t * t * t * (t * (t * 6 - 15) + 10));
  let sum = 0;
  for (let corner = 0; corner < 8; corner++) {
    const [a, b, c] = [corner & 1, (corner >> 1) & 1, corner >> 2];
    const weight = (a ? u : 1 - u) * (b ? v : 1 - v) * (c ? w : 1 - w);
    sum += weight * latticeValue(i + a, j + b, k + c, seed);
  }
  return sum;
}

/**
 * @param {number} i
 * @param {number} j
 * @param {number} k
 * @param {number} seed
 */
function latticeValue(i, j, k, seed) {
  let hash = seed + 1;
  for (const word of [i, j, k]) {
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

/** @returns {Shape} */
function box() {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, i >> 2].map((bit) => bit / 2 - 0.25));
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  return { points, faces };
}

/** @returns {Shape} */
function torus() {
  const [around, across] = [circle(48), circle(24)];
  const points = around.flatMap(([c, s]) =>
    across.map(([p, q]) => {
      const r = 1 + 0.4 * p;
      return [r * c, r * s, 0.4 * q];
    }),
  );
  /** @param {number} i @param {number} j */
  const at = (i, j) => (i % 48) * 24 + (j % 24);
  const faces = [];
  for (let i = 0; i < 48; i++)
    for (let j = 0; j < 24; j++) faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
  return centred({ points, faces });
}

/**
 * From the top of the head down along z: rings of 6, then of 24 corners, closed by a polygon at
 * both ends.
 *
 * @returns {Shape}
 */
function bolt() {
  const [hexagon, round] = [circle(6), circle(24)];
  /** @type {Point[]} */
  const points = [];
  /** @type {number[][]} */
  const faces = [];
  /** @typedef {{ first: number, count: number }} Ring */
  /** @param {readonly Point[]} corners @param {number} radius @param {number} z @returns {Ring} */
  const ring = (corners, radius, z) => {
    for (const [x, y] of corners) points.push([radius * x, radius * y, z]);
    return { first: points.length - corners.length, count: corners.length };
  };
  /**
   * Quads between two rings of the same count, or a hexagon's fan of four triangles a side to the
   * 24-gon below it.
   *
   * @param {Ring} upper
   * @param {Ring} lower
   */
  const join = (upper, lower) => {
    const up = (/** @type {number} */ i) => upper.first + (i % upper.count);
    const low = (/** @type {number} */ i) => lower.first + (i % lower.count);
    const ratio = lower.count / upper.count;
    for (let i = 0; i < upper.count; i++) {
      if (ratio === 1) {
        faces.push([up(i), low(i), low(i + 1), up(i + 1)]);
        continue;
      }
      // from half a side before corner i to half a side after it, and the gap to the next corner
      for (let k = -ratio / 2; k < ratio / 2; k++) {
        const from = low(i * ratio + k + lower.count);
        faces.push([up(i), from, low(i * ratio + k + 1 + lower.count)]);
      }
      faces.push([up(i), low(i * ratio + ratio / 2), up(i + 1)]);
    }
  };
  const head = [
    [0.86, 0.72],
    [1, 0.62],
    [1, 0.4],
    [1, 0.2],
    [1, 0],
  ].map(([radius, z]) => ring(hexagon, radius, z));
  const shank = [
    [0.66, 0],
    [0.66, -0.08],
    [0.5, -0.12],
    [0.5, -0.35],
    [0.5, -0.6],
    [0.5, -0.85],
    [0.5, -1.1],
    [0.5, -1.35],
    [0.42, -1.45],
  ].map(([radius, z]) => ring(round, radius, z));
  const rings = [...head, ...shank];
  faces.push(polygon(rings[0]));
  for (let i = 1; i < rings.length; i++) join(rings[i - 1], rings[i]);
  faces.push(polygon(rings[rings.length - 1]).reverse());
  return centred({ points, faces });

  /** @param {Ring} ring */
  function polygon({ first, count }) {
    return Array.from({ length: count }, (_, i) => first + i);
  }
}

// --------------------------------------------------------------------------------------- the means

/**
 * A regular polygon's corners on the unit circle, counter-clockwise from (1, 0): 6 times a power of
 * two of them.
 *
 * @param {number} sides
 */
function circle(sides) {
  const h = Math.sqrt(3) / 2;
  /** @type {Point[]} */
  let corners = [
    [1, 0],
    [0.5, h],
    [-0.5, h],
    [-1, 0],
    [-0.5, -h],
    [0.5, -h],
  ];
  while (corners.length < sides)
    corners = corners.flatMap((p, i) => {
      const q = corners[(i + 1) % corners.length];
      return [p, unit([p[0] + q[0], p[1] + q[1]])];
    });
  return corners;
}

/** @returns {Shape} */
function icosahedron() {
  const g = (1 + Math.sqrt(5)) / 2;
  /** @type {Point[]} */
  const points = [];
  for (const s of [-1, 1]) for (const t of [-g, g]) points.push([0, s, t], [s, t, 0], [t, 0, s]);
  /** @param {Point} p @param {Point} q */
  const neighbours = (p, q) => Math.abs(dot(minus(p, q), minus(p, q)) - 4) < 1e-6;
  const faces = [];
  for (let i = 0; i < 12; i++)
    for (let j = i + 1; j < 12; j++)
      for (let k = j + 1; k < 12; k++) {
        const [a, b, c] = [points[i], points[j], points[k]];
        if (!neighbours(a, b) || !neighbours(b, c) || !neighbours(c, a)) continue;
        faces.push(dot(a, cross(b, c)) > 0 ? [i, j, k] : [i, k, j]);
      }
  return { points, faces };
}

/**
 * Each face of the icosahedron in n^2 triangles, projected to the unit sphere: 20 n^2 triangles, 10
 * n^2 + 2 vertices.
 *
 * @param {number} n
 * @returns {Shape}
 */
function geodesicSphere(n) {
  const solid = icosahedron();
  /** @type {Point[]} */
  const points = [];
  const faces = [];
  /** @type {Map<string, number>} */
  const numbers = new Map();
  // a point is a sum of whole multiples of corners; its key is the same for all faces that it lies
  // on
  /** @param {[number, number][]} corners each a corner and how many times */
  const vertex = (corners) => {
    const parts = corners.filter(([, times]) => times > 0).sort(([i], [j]) => i - j);
    const key = parts.join(';');
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, points.length);
    return (
      points.push(
        unit([0, 1, 2].map((axis) => parts.reduce((sum, [i, times]) => sum + times * solid.points[i][axis], 0))),
      ) - 1
    );
  };
  for (const [i, j, k] of solid.faces) {
    /** @param {number} a @param {number} b */
    const at = (a, b) =>
      vertex([
        [i, n - a - b],
        [j, a],
        [k, b],
      ]);
    for (let a = 0; a < n; a++)
      for (let b = 0; a + b < n; b++) {
        faces.push([at(a, b), at(a + 1, b), at(a, b + 1)]);
        if (a + b + 1 < n) faces.push([at(a + 1, b), at(a + 1, b + 1), at(a, b + 1)]);
      }
  }
  return { points, faces };
}

/**
 * A sphere's vertices moved along their radii. As long as radii are positive the surface cannot
 * meet itself.
 *
 * @param {Shape} shape
 * @param {(direction: Point) => number} radius
 */
function radial({ points, faces }, radius) {
  return centred({ points: points.map((d) => d.map((x) => x * radius(d))), faces });
}

/**
 * Moved and scaled: the bounding box centred, its diagonal 1.
 *
 * @param {Shape} shape
 * @returns {Shape}
 */
function centred({ points, faces }) {
  const { middle, diagonal } = boundingBox(points);
  return { points: points.map((p) => p.map((x, axis) => (x - middle[axis]) / diagonal)), faces };
}

/** @param {readonly Point[]} points */
function boundingBox(points) {
  const low = [0, 1, 2].map((axis) => points.reduce((least, p) => Math.min(least, p[axis]), Infinity));
  const high = [0, 1, 2].map((axis) => points.reduce((most, p) => Math.max(most, p[axis]), -Infinity));
  const size = minus(high, low);
  return { middle: low.map((x, axis) => (x + high[axis]) / 2), diagonal: Math.sqrt(dot(size, size)) };
}

/**
 * @param {Point} p
 * @param {Point} q
 */
function dot(p, q) {
  return p.reduce((sum, x, axis) => sum + x * q[axis], 0);
}

/**
 * @param {Point} p
 * @param {Point} q
 */
function minus(p, q) {
  return p.map((x, axis) => x - q[axis]);
}

/**
 * @param {Point} p
 * @param {Point} q
 */
function cross(p, q) {
  return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
}

/** @param {Point} p */
function unit(p) {
  const length = Math.sqrt(dot(p, p));
  return p.map((x) => x / length);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = new URL('../assets/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(makeAssets())) writeFileSync(new URL(name, folder), text);
}
