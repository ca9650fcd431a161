// Section 4.3 of Raabe et al. 2006 by sets of directions: how large an entry of P gets, r_max, and
// how tight a set is about oblong objects, which footnote 2 speaks of.
//
// The faces that meet in a vertex of the DOP with all d_i = 1 are the corners of a flat face of the
// hull of the directions. Where more than three meet, hulls cut that face into triangles: two of
// its corners then need not be neighbors, and eq. 2 takes them together all the same.
import { convexHull } from '#src/mesh/hull';
import { direction, seeded } from '../inputs.mjs';
import { mean } from '../race.mjs';

/** @typedef {readonly number[]} Vector */

/** @param {Vector} p @param {Vector} q */
const dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
/** @param {Vector} p @param {Vector} q */
const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
/** @param {Vector} p */
const unit = (p) => p.map((x) => x / Math.sqrt(dot(p, p)));

/** Normals of two triangles of one flat face. */
const FLAT = 1 - 1e-9;

/**
 * @typedef {object} Facet
 * @property {readonly number[]} faces j, three of the k
 * @property {readonly Vector[]} rows of the inverse: weight m of v is rows[m] . v
 */

/** Directions and their opposites. @param {readonly Vector[]} half */
export const bothWays = (half) => [...half.map(unit), ...half.map((d) => unit(d).map((x) => -x))];

/** @param {readonly Vector[]} directions @returns {Facet[]} */
export function facetsOf(directions) {
  const { triangles } = convexHull(Float64Array.from(directions.flat()));
  return Array.from({ length: triangles.length / 3 }, (_, f) => {
    const faces = Array.from(triangles.slice(3 * f, 3 * f + 3));
    const [p, q, r] = faces.map((i) => directions[i]);
    const volume = dot(p, cross(q, r));
    return { faces, rows: [cross(q, r), cross(r, p), cross(p, q)].map((row) => row.map((x) => x / volume)) };
  });
}

/**
 * The largest weight of a unit vector in a facet's cone, where it is: inside, or between two
 * directions.
 *
 * @param {readonly Vector[]} directions
 * @param {Facet} facet
 */
function largestWeight(directions, { faces, rows }) {
  let most = 1;
  for (let m = 0; m < 3; m++) {
    const length = Math.sqrt(dot(rows[m], rows[m]));
    const isInside = rows.every((row) => dot(row, rows[m]) >= -1e-12);
    if (isInside) most = Math.max(most, length);
    for (const other of [faces[(m + 1) % 3], faces[(m + 2) % 3]]) {
      const along = dot(directions[faces[m]], directions[other]);
      if (along < 0) most = Math.max(most, 1 / Math.sqrt(1 - along * along));
    }
  }
  return most;
}

/**
 * The requirements of section 4.3 on directions.
 *
 * @param {readonly Vector[]} half
 */
export function fitness(half) {
  const directions = bothWays(half);
  const facets = facetsOf(directions);
  const normals = facets.map(({ rows }) => [0, 1, 2].map((i) => rows[0][i] + rows[1][i] + rows[2][i]));
  let [neighbors, together] = [1, 1];
  for (const [f, { faces }] of facets.entries()) {
    for (let m = 0; m < 3; m++) {
      const edge = [faces[m], faces[(m + 1) % 3]];
      const along = dot(directions[edge[0]], directions[edge[1]]);
      together = Math.min(together, along);
      const isInFlat = facets.some(
        (other, g) =>
          g !== f && edge.every((i) => other.faces.includes(i)) && dot(unit(normals[f]), unit(normals[g])) > FLAT,
      );
      if (!isInFlat) neighbors = Math.min(neighbors, along);
    }
  }
  const degrees = (/** @type {number} */ along) => 180 - (180 / Math.PI) * Math.acos(Math.max(-1, Math.min(1, along)));
  return {
    k: directions.length,
    /** Angle of two faces that share an edge. */
    dihedral: degrees(neighbors),
    /** Angle of two faces that eq. 2 takes together. */
    taken: degrees(together),
    leastP: -Math.max(...facets.map((facet) => largestWeight(directions, facet))),
    rMax: Math.max(...normals.map((n) => Math.sqrt(dot(n, n)))),
    vertices: facets.length,
  };
}

/** Edges of a box that stands for an oblong object, model units. */
const OBLONG = [4, 1, 1];

/**
 * How far images of eq. 3 reach beyond an oblong box in random orientation, on axes in all
 * directions: the mean, over half the box's diagonal.
 *
 * @param {readonly Vector[]} half
 * @param {{ turns: number, axes: number, seed: number }} sample
 */
export function excess(half, { turns, axes, seed }) {
  const directions = bothWays(half);
  const facets = facetsOf(directions);
  const random = seeded(seed);
  const radius = Math.sqrt(dot(OBLONG, OBLONG)) / 2;
  const found = [];
  for (let turn = 0; turn < turns; turn++) {
    const along = direction(random);
    const across = unit(cross(along, direction(random)));
    const frame = [along, across, cross(along, across)];
    /** @param {Vector} v */
    const reach = (v) => frame.reduce((total, e, i) => total + (OBLONG[i] / 2) * Math.abs(dot(e, v)), 0);
    const coefficients = directions.map(reach);
    for (let i = 0; i < axes; i++) {
      const v = direction(random);
      const image = facets.map(({ faces, rows }) => {
        const weights = rows.map((row) => dot(row, v));
        if (weights.some((w) => w < -1e-12)) return Number.POSITIVE_INFINITY;
        return weights.reduce((total, w, m) => total + w * coefficients[faces[m]], 0);
      });
      found.push((Math.min(...image) - reach(v)) / radius);
    }
  }
  return mean(found);
}

/**
 * Directions that are random, or pushed apart from each other as charges on a sphere.
 *
 * @param {number} k
 * @param {number} seed
 * @param {number} steps 0: random
 * @returns {Vector[]} half of them
 */
export function seededDirections(k, seed, steps) {
  const random = seeded(seed);
  /** @type {Vector[]} */
  let half = Array.from({ length: k / 2 }, () => direction(random));
  for (let step = 0; step < steps; step++) {
    const all = bothWays(half);
    half = half.map((d, i) => {
      const push = [0, 0, 0];
      for (const [j, e] of all.entries()) {
        if (j === i) continue;
        const apart = d.map((x, c) => x - e[c]);
        const squares = dot(apart, apart) + 1e-9;
        for (let c = 0; c < 3; c++) push[c] += apart[c] / (squares * Math.sqrt(squares));
      }
      const size = 0.3 / (k * (1 + step / 30));
      return unit(d.map((x, c) => x + size * push[c]));
    });
  }
  return half;
}
