// "A lot of different ways to get smaller projections are conceivable" (section 7 of Raabe et al.
// 2006): some of them, counted. Each is the paper's fixed point (eqs. 7 to 10) but for one thing:
//
//   wide P, wide p   32 bits after the point for P' and p', which no node stores
//   box              the facet's three faces or the box's: those of the smaller image
//   best of n        likewise of n triples of faces, chosen for each axis by a hundred nodes
//   all triples      of all whose cone holds the axis: the DOP's true image, by duality of linear
//                    programs. Section 4.1 calls one triple an estimate. Weights may exceed 1
//   scale of a tree  each tree has its own: a power of two over its largest coefficient
//   scale of a node  coefficients about the node's middle, on a power of two of its own
//
// None loses a contact. Weights are not negative, so each triple bounds a DOP by itself, and the
// smaller of two bounds is one. P' is below P by exact arithmetic (kdop-exact.mjs), coefficients
// are rounded up. All is exact in doubles: b + c <= 52 bits. Only a node's middle times the axis is
// rounded, by less than 2^-48 of the scale: ends are lowered by MARGIN.
//
//   npm run bench -- papers/kdop-projections
import { compose, trianglesIntersect } from 'gicollide';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { digits, mean, printTable, round, sum } from '../race.mjs';
import {
  exactAxes,
  exactTraversal,
  exactTree,
  fixedShift,
  floorDiv,
  HEIGHT,
  inverseOf,
  mappingBy,
  poseOnGrid,
  WEIGHT,
  wholeDirections,
} from './kdop-exact.mjs';
import { opened } from './kdop-machine/controller.mjs';
import { lamp } from './kdop-scene.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./kdop-exact.mjs').ExactAxis} ExactAxis */
/** @typedef {import('./kdop-exact.mjs').ExactTree} ExactTree */
/** @typedef {import('./kdop-exact.mjs').Mapping} Mapping */

const SEED = 7;
const K = 24;
const WIDTHS = [8, 12, 16, 18];
const WIDE = 32;
const MARGIN = 2 ** -46;
const POINT = 24;

/**
 * @typedef {object} Way
 * @property {string} name
 * @property {boolean} [isWide] P' and p' of 32 bits, else of b
 * @property {'facet' | 'box' | 'all' | number} [triples] a number: the best of so many
 * @property {'one' | 'tree' | 'node'} [scale]
 */

/** @type {readonly Way[]} */
const WAYS = [
  { name: "the paper's way" },
  { name: 'wide P and p', isWide: true },
  { name: 'box', triples: 'box' },
  { name: 'best of 2', triples: 2 },
  { name: 'best of 4', triples: 4 },
  { name: 'all triples', triples: 'all' },
  { name: 'scale of a tree', scale: 'tree' },
  { name: 'scale of a tree, wide P and p', scale: 'tree', isWide: true },
  { name: 'scale of a node, wide P and p', scale: 'node', isWide: true },
  { name: 'scale of a node, wide P and p, best of 4', scale: 'node', isWide: true, triples: 4 },
];

// Coefficients.

/**
 * @typedef {object} Rounded
 * @property {ExactTree} tree
 * @property {Float64Array} coefficients multiples of a power of two, over the scenario's largest
 * @property {Float64Array | null} middles x, y, z of each node, over the same
 */

/** @param {bigint} x @param {bigint} largest @param {number} places */
const up = (x, largest, places) => Number(-floorDiv(-x << BigInt(places), largest)) / 2 ** places;

/** The least s, from -20 on, with |x| <= largest 2^s. @param {bigint} x @param {bigint} largest */
function exponentOf(x, largest) {
  let s = -20;
  while (s < 0 && x << BigInt(-s) > largest) s++;
  return s;
}

/**
 * @param {ExactTree} tree
 * @param {bigint} largest of the scenario
 * @param {number} b
 * @param {Way['scale']} scale
 * @returns {Rounded}
 */
function rounded(tree, largest, b, scale) {
  const { k, coefficients, links } = tree;
  if (scale !== 'node') {
    const s = scale === 'tree' ? exponentOf(tree.largest, largest) : 0;
    return { tree, coefficients: Float64Array.from(coefficients, (x) => up(x, largest, b - s)), middles: null };
  }
  const directions = wholeDirections(k);
  const found = new Float64Array(coefficients.length);
  const middles = new Float64Array(3 * links.length);
  const size = Number(largest) / 2 ** HEIGHT;
  // Middles take b bits of the scale, on the mesh's grid.
  const step = 2 ** -Math.min(POINT, b - Math.floor(Math.log2(size)));
  for (let node = 0; node < links.length; node++) {
    const at = k * node;
    const middle = [0, 1, 2].map((i) => {
      const twice = Number(coefficients[at + i] - coefficients[at + i + k / 2]) / 2 ** HEIGHT;
      return Math.round(twice / 2 / step) * step;
    });
    const point = middle.map((x) => BigInt(x * 2 ** POINT));
    const own = directions.map((d, i) => coefficients[at + i] - (d[0] * point[0] + d[1] * point[1] + d[2] * point[2]));
    const most = own.map((x) => (x < 0n ? -x : x)).reduce((p, q) => (p > q ? p : q));
    const s = exponentOf(most, largest);
    for (const [i, x] of own.entries()) found[at + i] = up(x, largest, b - s);
    for (let i = 0; i < 3; i++) middles[3 * node + i] = middle[i] / size;
  }
  return { tree, coefficients: found, middles };
}

// Axes.

/**
 * @typedef {object} Side
 * @property {number[][]} faces of each axis: three for the lower end and three for the upper one of
 *   each triple, one after the other
 * @property {number[][]} weights P' of each triple, three a triple
 * @property {Float64Array} vectors of each axis, x, y, z
 * @property {number} step 2^-c
 */

/** @typedef {ReturnType<typeof inverseOf> & { near: number[] }} Inverse */

/** @type {Inverse[]} */
const inverses = [];

/** All triples of faces that meet in a point. */
function allInverses() {
  if (inverses.length > 0) return inverses;
  for (let i = 0; i < K; i++) {
    for (let j = i + 1; j < K; j++) {
      for (let l = j + 1; l < K; l++) {
        if (j === i + K / 2 || l === i + K / 2 || l === j + K / 2) continue;
        const inverse = inverseOf(K, [i, j, l]);
        // Three directions in a plane: nothing but rounding.
        if (inverse.volume < 1n << 140n) continue;
        const near = inverse.rows.flat().map((x) => Number(x) / Number(inverse.volume));
        inverses.push({ ...inverse, near });
      }
    }
  }
  return inverses;
}

/**
 * True if weights are nearly 0 or more. Others need no exact arithmetic.
 *
 * @param {Inverse} inverse
 * @param {readonly bigint[]} v
 */
function isNear({ near }, v) {
  // Rows have units 2^-106 as v has, the volume 2^-159.
  const [x, y, z] = v.map((each) => Number(each) / 2 ** 53);
  for (let i = 0; i < 9; i += 3) {
    const weight = near[i] * x + near[i + 1] * y + near[i + 2] * z;
    if (weight < -1e-9) return false;
  }
  return true;
}

/** The three faces of the box towards v. @param {readonly bigint[]} v */
const boxFaces = (v) => v.map((x, i) => (x < 0n ? i + K / 2 : i));

/**
 * The mappings a way may choose from, the facet's first.
 *
 * @param {Mapping} facet
 * @param {readonly bigint[]} v
 * @param {'facet' | 'box' | 'all'} triples
 * @returns {Mapping[]}
 */
function candidates(facet, v, triples) {
  if (triples === 'facet') return [facet];
  const found = triples === 'box' ? [inverseOf(K, boxFaces(v))] : allInverses().filter((inverse) => isNear(inverse, v));
  const others = found.flatMap((inverse) => mappingBy(K, inverse, v) ?? []);
  return [facet, ...others];
}

/**
 * Numbers of a mapping: P', and what is added before negative coefficients are multiplied.
 *
 * @param {Mapping} mapping
 * @param {number} c
 */
const truncated = ({ weights }, c) => weights.map((w) => Number(w >> BigInt(WEIGHT - c)) / 2 ** c);

/** Triples that are chosen of all, at most. */
const MOST_TRIPLES = 4;

/**
 * The facet and those triples that shorten the images of a hundred nodes most, one by one. Weights
 * beyond 1 would need wider P'.
 *
 * @param {readonly Mapping[]} mappings
 * @param {ExactTree} tree
 * @returns {Mapping[]}
 */
function bestOf(mappings, { links, coefficients }) {
  const narrow = mappings.filter(({ weights }) => weights.every((w) => w >= -(1n << BigInt(WEIGHT))));
  if (narrow.length <= MOST_TRIPLES) return narrow;
  const stride = Math.max(1, Math.floor(links.length / 100));
  const nodes = Array.from({ length: Math.floor(links.length / stride) }, (_, i) => i * stride);
  const near = nodes.map((node) => Float64Array.from(coefficients.slice(K * node, K * (node + 1)), Number));
  const ends = narrow.map(({ low, high, weights }) => {
    const [p, q, r] = weights.map(Number);
    const found = new Float64Array(2 * nodes.length);
    for (const [i, x] of near.entries()) {
      found[2 * i] = p * x[low[0]] + q * x[low[1]] + r * x[low[2]];
      found[2 * i + 1] = p * x[high[0]] + q * x[high[1]] + r * x[high[2]];
    }
    return found;
  });
  const chosen = [0];
  const best = ends[0].slice();
  while (chosen.length < MOST_TRIPLES) {
    let [most, next] = [-1, 0];
    for (const [j, each] of ends.entries()) {
      let gain = 0;
      for (let i = 0; i < best.length; i++) if (each[i] > best[i]) gain += each[i] - best[i];
      if (gain > most) [most, next] = [gain, j];
    }
    chosen.push(next);
    for (let i = 0; i < best.length; i++) best[i] = Math.max(best[i], ends[next][i]);
  }
  return chosen.map((i) => narrow[i]);
}

/**
 * @param {readonly ExactAxis[]} axes
 * @param {'a' | 'b'} side
 * @param {number} c
 * @param {Mapping[][]} mappings of each axis
 * @returns {Side}
 */
function sideOf(axes, side, c, mappings) {
  return {
    faces: mappings.map((each) => each.flatMap(({ low, high }) => [...low, ...high])),
    weights: mappings.map((each) => each.flatMap((mapping) => truncated(mapping, c))),
    vectors: Float64Array.from(
      axes.flatMap(({ ofA, ofB }) => (side === 'a' ? ofA : ofB)),
      (x) => Number(x) / 2 ** 106,
    ),
    step: 2 ** -c,
  };
}

// Traversals.

/** Ends of images, made when they are needed. @param {Rounded} rounding @param {Side} side */
function createImages({ tree: { k, links }, coefficients, middles }, { faces, weights, vectors, step }) {
  const count = weights.length;
  const ends = new Float64Array(2 * count * links.length).fill(Number.NaN);
  return (/** @type {number} */ node, /** @type {number} */ axis, /** @type {0 | 1} */ end) => {
    const place = 2 * (count * node + axis) + end;
    if (!Number.isNaN(ends[place])) return ends[place];
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < weights[axis].length; i += 3) {
      let total = 0;
      for (let m = 0; m < 3; m++) {
        const x = coefficients[k * node + faces[axis][2 * i + 3 * end + m]];
        const w = weights[axis][i + m];
        total += (x < 0 ? w + step : w) * x;
      }
      if (total > most) most = total;
    }
    if (middles) {
      const along =
        vectors[3 * axis] * middles[3 * node] +
        vectors[3 * axis + 1] * middles[3 * node + 1] +
        vectors[3 * axis + 2] * middles[3 * node + 2];
      most += (end === 0 ? along : -along) - MARGIN;
    }
    ends[place] = most;
    return most;
  };
}

/**
 * A pose prepared: what eqs. 3 to 6 test, the contacts, and candidates of triples.
 *
 * @param {ExactTree} a
 * @param {ExactTree} b
 * @param {Pose} pose of a
 */
function preparedPose(a, b, pose) {
  const axes = exactAxes(K, pose);
  /** @type {Map<string, Mapping[][]>} */
  const known = new Map();
  /** @type {(side: 'a' | 'b', kind: 'facet' | 'box' | 'all' | 'best') => Mapping[][]} */
  const kindOf = (side, kind) => {
    const name = `${side} ${kind}`;
    let found = known.get(name);
    if (!found) {
      found =
        kind === 'best'
          ? kindOf(side, 'all').map((each) => bestOf(each, side === 'a' ? a : b))
          : axes.map((axis) => candidates(axis[side], side === 'a' ? axis.ofA : axis.ofB, kind));
      known.set(name, found);
    }
    return found;
  };
  /** @param {'a' | 'b'} side @param {Way['triples']} triples */
  const mappings = (side, triples = 'facet') =>
    typeof triples === 'number' ? kindOf(side, 'best').map((each) => each.slice(0, triples)) : kindOf(side, triples);
  const corners = (/** @type {ExactTree} */ { mesh: { positions, triangles } }, /** @type {number} */ t) =>
    Float64Array.from({ length: 9 }, (_, i) => positions[3 * triangles[3 * t + Math.floor(i / 3)] + (i % 3)]);
  /** @param {Float64Array} points */
  const moved = (points) =>
    points.map((_, i) => {
      const [row, from] = [4 * (i % 3), i - (i % 3)];
      return (
        pose[row] * points[from] + pose[row + 1] * points[from + 1] + pose[row + 2] * points[from + 2] + pose[row + 3]
      );
    });
  /** @type {Map<number, boolean>} */
  const touching = new Map();
  const touch = (/** @type {number} */ i, /** @type {number} */ j) => {
    const name = i * 2 ** 24 + j;
    let found = touching.get(name);
    if (found === undefined) touching.set(name, (found = trianglesIntersect(moved(corners(a, i)), corners(b, j))));
    return found;
  };
  return { axes, pairs: exactTraversal(a, b, axes), mappings, touch };
}

/** @typedef {ReturnType<typeof preparedPose>} Prepared */

/**
 * All contacts by a way, and its verdict on the pairs that eqs. 3 to 6 test.
 *
 * @param {Rounded} a
 * @param {Rounded} b
 * @param {Prepared} prepared
 * @param {Way} way
 * @param {number} bits
 * @param {bigint} largest
 */
function measured(a, b, { axes, pairs, mappings, touch }, way, bits, largest) {
  const c = way.isWide ? WIDE : bits;
  const [imageA, imageB] = [/** @type {const} */ (['a', a]), /** @type {const} */ (['b', b])].map(([side, rounding]) =>
    createImages(rounding, sideOf(axes, side, c, mappings(side, way.triples))),
  );
  const shifts = axes.map((axis) => Number(fixedShift(axis.shift, largest, c)) / 2 ** c);
  const step = 2 ** -c;
  /** @param {number} i @param {number} j */
  const isApart = (i, j) => {
    for (let axis = 0; axis < shifts.length; axis++) {
      if (imageA(i, axis, 0) + shifts[axis] + imageB(j, axis, 1) > 0) return true;
      if (imageB(j, axis, 0) + imageA(i, axis, 1) - (shifts[axis] + step) > 0) return true;
    }
    return false;
  };
  let [nodes, triangles, contacts] = [0, 0, 0];
  const pending = [{ isTriangles: false, a: 0, b: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.isTriangles) {
      triangles++;
      if (touch(next.a, next.b)) contacts++;
      continue;
    }
    nodes++;
    if (!isApart(next.a, next.b)) pending.push(...opened(a.tree, b.tree, next.a, next.b));
  }
  let [apart, falsePositives, further] = [0, 0, 0];
  for (const pair of pairs) {
    const isFound = isApart(pair.a, pair.b);
    if (pair.isApart) apart++;
    if (pair.isApart && !isFound) falsePositives++;
    if (!pair.isApart && isFound) further++;
  }
  return { nodes, triangles, contacts, apart, falsePositives, further };
}

/**
 * Two trees at poses, by all ways.
 *
 * @param {ExactTree} a
 * @param {ExactTree} b
 * @param {readonly Pose[]} poses
 * @param {readonly number[]} widths
 */
function scene(a, b, poses, widths) {
  const largest = a.largest > b.largest ? a.largest : b.largest;
  const prepared = poses.map((pose) => preparedPose(a, b, pose));
  const exact = {
    nodes: round(mean(prepared.map(({ pairs }) => pairs.length))),
    triangles: round(
      mean(prepared.map(({ pairs }) => pairs.filter((x) => !x.isApart && a.links[x.a] & b.links[x.b] & 1).length)),
    ),
  };
  /** @type {(number | undefined)[]} */
  const contacts = [];
  /** @type {Map<string, Rounded[]>} */
  const known = new Map();
  const ways = WAYS.map((way) => ({
    name: way.name,
    byBits: widths.map((bits) => {
      const kind = `${way.scale} ${bits}`;
      const [ofA, ofB] = known.get(kind) ?? [a, b].map((tree) => rounded(tree, largest, bits, way.scale ?? 'one'));
      known.set(kind, [ofA, ofB]);
      const found = prepared.map((each) => measured(ofA, ofB, each, way, bits, largest));
      for (const [i, each] of found.entries()) {
        contacts[i] ??= each.contacts;
        if (each.contacts !== contacts[i]) throw new Error(`${way.name}: other contacts`);
      }
      /** @param {keyof (typeof found)[0]} name */
      const total = (name) => sum(found.map((each) => each[name]));
      return {
        bits,
        bytes: Math.ceil((K * bits + (way.scale === 'node' ? 3 * bits + 6 : 0)) / 8) + 4,
        nodes: round(total('nodes') / found.length),
        triangles: round(total('triangles') / found.length),
        falsePositives: total('falsePositives'),
        falseShare: digits(total('falsePositives') / Math.max(1, total('apart'))),
        further: total('further'),
      };
    }),
  }));
  return { exact, contacts: sum(contacts.map(Number)), poses: poses.length, ways };
}

/** A share of the lamp's size, for a scenario of objects of different sizes. */
const SMALL = 0.15;

/** @param {Mesh} mesh @param {number} scale @returns {Mesh} */
const scaledMesh = (mesh, scale) => ({ ...mesh, positions: mesh.positions.map((x) => scale * x) });

/** @param {import('../race.mjs').Run} run */
export default function kdopProjections({ quick, keep }) {
  const random = seeded(SEED);
  const placed = Array.from({ length: quick ? 1 : 2 }, () => ({ turn: randomTurn(random), along: direction(random) }));
  /** @param {readonly number[]} distances */
  const posesAt = (distances) =>
    distances.flatMap((far) => placed.map(({ turn, along }) => poseOnGrid(compose(shift(along, far), turn))));
  const whole = exactTree(lamp(quick), K);
  const small = exactTree(scaledMesh(lamp(quick), SMALL), K);
  const widths = quick ? [8, 16] : WIDTHS;
  const scenes = {
    'two lamps': scene(whole, whole, posesAt(quick ? [0.02] : [0.3, 0.5]), widths),
    'a lamp and a small one': scene(small, whole, posesAt(quick ? [0.1] : [0.2, 0.35]), widths),
  };
  for (const [name, { exact, ways }] of Object.entries(scenes)) {
    console.log(`\n${name}: eqs. 3 to 6`, JSON.stringify(exact));
    for (const { name: way, byBits } of ways) {
      printTable(way, Object.fromEntries(byBits.map(({ bits, ...rest }) => [bits, rest])));
    }
  }
  keep({ triangles: lamp(quick).triangles.length / 3, runs: 1, k: K, small: SMALL, scenes });
}
