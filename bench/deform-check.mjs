// Continuous collision of meshes that deform: frames a second of pairs whose vertices all move, and
// the time from which a new tree of swept boxes is better than a long-fitted one.
//
//   npm run bench -- deform
//
// A frame is impactOfDeforming between the positions of two frames: both trees are fitted, pairs
// are found, and each is proved clear or in contact.
import { impactOfDeforming, selfImpactOfDeforming } from 'gicollide';
import { forSweptPairs, SweptTree } from '#src/motion/swept-tree';
import { bumpyBall, sample, subdivided } from './inputs.mjs';
import { digits, elapsed, median, printTable, round, startClock } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */

const FRAMES = 24;

/** A breath of 2 % of the size, at an angle of it, beside where the mesh stands by so much along x. */
const breath = (/** @type {Mesh} */ { positions }, /** @type {number} */ phase, /** @type {number} */ beside) =>
  positions.map((x, i) => {
    if (i % 3 === 2) return x;
    return x + 0.02 * Math.sin(6 * positions[i + 1] + phase) + (i % 3 === 0 ? beside : 0);
  });

/** Twisted along z, so many radians a unit of length. */
function twisted(/** @type {Mesh} */ { positions }, /** @type {number} */ angle, /** @type {number} */ beside) {
  const to = positions.slice();
  for (let v = 0; v < to.length; v += 3) {
    const [x, y, z] = positions.subarray(v, v + 3);
    const [c, s] = [Math.cos(angle * z), Math.sin(angle * z)];
    to[v] = c * x - s * y + beside;
    to[v + 1] = s * x + c * y;
  }
  return to;
}

/** How far along x a pair must be apart to touch in no frame, as near as a thousandth. */
function leastApart(
  /** @type {Mesh} */ mesh,
  /** @type {Mesh} */ twin,
  /** @type {(x: number) => Float64Array[]} */ at,
) {
  let [low, high] = [0, 8];
  while (high - low > 1e-3) {
    const middle = (low + high) / 2;
    const own = at(0);
    const others = at(middle);
    const touches = own.some((to, k) => {
      if (k === 0) return false;
      const { verdict } = impactOfDeforming(mesh, twin, own[k - 1], to, others[k - 1], others[k]);
      return verdict !== 'clear';
    });
    if (touches) low = middle;
    else high = middle;
  }
  return high;
}

/** @param {Mesh} mesh @param {number} count frames */
function framesOf(mesh, count) {
  const twin = { ...mesh };
  const at = (/** @type {number} */ beside) => Array.from({ length: count }, (_, k) => breath(mesh, 0.2 * k, beside));
  const apart = leastApart(mesh, twin, at);
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  const places = { 'boxes apart': 3 * apart, 'a hundredth apart': apart + 0.01, 'a thousandth apart': apart + 1e-3 };
  for (const [name, beside] of Object.entries({ ...places, 'in contact': apart - 0.02 })) {
    const [own, others] = [at(0), at(beside)];
    /** @type {number[]} */
    const times = [];
    const verdicts = { clear: 0, contact: 0, undecided: 0 };
    let tests = { bounds: 0, hulls: 0, times: 0 };
    for (let turn = -1; turn < 3; turn++)
      for (let k = 1; k < count; k++) {
        startClock();
        const found = impactOfDeforming(mesh, twin, own[k - 1], own[k], others[k - 1], others[k]);
        if (turn < 0) continue;
        times.push(elapsed());
        verdicts[found.verdict]++;
        tests = found.tests;
      }
    rows[name] = { ms: digits(median(times)), 'a second': round(1000 / median(times), 0), ...verdicts, ...tests };
  }
  const steps = at(0);
  selfImpactOfDeforming(mesh, steps[0], steps[1]);
  const times = steps.slice(1).map((to, k) => {
    startClock();
    selfImpactOfDeforming(mesh, steps[k], to);
    return elapsed();
  });
  rows['with itself'] = { ms: digits(median(times)), 'a second': round(1000 / median(times), 0) };
  return { triangles: mesh.triangles.length / 3, rows };
}

/**
 * A tree that was made at rest and fitted to a twist, against one that is made there: the areas of
 * boxes, and what the descent of a pair takes.
 *
 * @param {Mesh} mesh
 */
function priceOf(mesh) {
  const { triangles, positions } = mesh;
  startClock();
  new SweptTree(triangles, positions);
  const build = elapsed();
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  for (const [name, angle] of Object.entries({ 'an eighth of a turn': 0.8, 'half a turn': 3.1, 'two turns': 12.6 })) {
    const [from, to] = [angle, angle * 1.01].map((a) => twisted(mesh, a, 0));
    const [fromB, toB] = [angle, angle * 1.01].map((a) => twisted(mesh, a, 0.3));
    const measured = [positions, from].map((made) => {
      const [a, b] = [new SweptTree(triangles, made), new SweptTree(triangles, made)];
      a.sweep(positions, positions);
      const before = a.area;
      /** @type {number[]} */
      const fits = [];
      /** @type {number[]} */
      const descents = [];
      let pairs = 0;
      for (let turn = 0; turn < 9; turn++) {
        startClock();
        a.sweep(from, to);
        fits.push(elapsed());
        b.sweep(fromB, toB);
        const count = { boxes: 0 };
        pairs = 0;
        startClock();
        forSweptPairs(a, b, 0, count, () => ++pairs > 2e6);
        descents.push(elapsed());
      }
      return { growth: round(a.area / before, 2), fit: median(fits), descent: median(descents), pairs };
    });
    const [fitted, made] = measured;
    rows[name] = {
      growth: fitted.growth,
      'fit ms': digits(fitted.fit),
      'descent, fitted, ms': digits(fitted.descent),
      'descent, made anew, ms': digits(made.descent),
      pairs: fitted.pairs,
      'frames that pay for a build': Math.max(0, Math.ceil(build / Math.max(1e-9, fitted.descent - made.descent))),
    };
  }
  return { build: digits(build), rows };
}

/** @param {import('./race.mjs').Run} run */
export default function deform({ quick, keep }) {
  const bunny = sample('bunny');
  /** @type {Record<string, () => Mesh>} */
  const meshes = quick
    ? { bolt: () => sample('bolt') }
    : { 'fine bunny': () => subdivided(subdivided(bunny)), 'bumpy ball': () => bumpyBall(1) };
  /** @type {Record<string, ReturnType<typeof framesOf>>} */
  const pairs = {};
  for (const [name, make] of Object.entries(meshes)) {
    pairs[name] = framesOf(make(), quick ? 3 : FRAMES);
    printTable(`${name} x ${name}, ${pairs[name].triangles} triangles each`, pairs[name].rows);
  }
  const mesh = Object.values(meshes)[0]();
  const price = priceOf(mesh);
  printTable(`a tree that was fitted, against one made anew in ${price.build} ms`, price.rows);
  keep({ pairs, price });
}
