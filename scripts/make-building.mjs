/**
 * Makes a building as an OBJ of hundreds of named elements, with the truth about which of them
 * clash and which only touch: `node scripts/make-building.mjs --storeys 4 --seed 1
 * out/building.obj` writes out/building.json beside it.
 *
 * Storeys of rooms on both sides of a corridor along x; millimetres, z up. Walls stand on slabs and
 * end at columns, doors and windows fill their openings, pipes lie against walls and on slabs, and
 * pipes and ducts pass through openings that were planned for them: all that touches, in shared
 * planes or lines, or is clear. The clashes are mistakes that the generator makes on purpose: an
 * opening that was forgotten, a pipe 20 mm deep in a wall, a drain that starts too low.
 *
 * Every element is a closed mesh and the union of convex parts: boxes, and prisms over polygons of
 * 24 corners. Coordinates are multiples of 1/16 mm, small enough that every product below is a
 * whole number of 2^-12 mm^n under 2^53 of them, so rounding has no part in what is separated,
 * touches or clashes: the separating axis theorem decides it. And what it finds must be what was
 * planned, or nothing is made.
 */

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const BAYS = 6;
const BAY = 6000;
const LENGTH = BAYS * BAY;
const DEPTH = 12000;
const STOREY = 3200;
const SLAB = 200;
/** Drains fall one in fifty. */
const FALL = 50;
const SIDES = 24;
/** 8,580 elements: every two of them are compared, which takes ten seconds. */
const MOST_STOREYS = 60;

/** @typedef {number[]} Point millimetres, z up */
/** @typedef {{ low: Point, high: Point }} Box axis-parallel */
/** @typedef {Box & { points: Point[], normals: Point[], edges: Point[] }} Part convex */
/** @typedef {{ points: Point[], faces: number[][], parts: Part[] }} Solid */
/** @typedef {Map<string, number>} Mistakes and the bay where each happens */
/** @typedef {(count: number) => number} Below a whole number below a count */

/**
 * @typedef {object} BuildingElement
 * @property {string} name as in the OBJ's `o` line: kind, storey, number
 * @property {string} kind wall, slab, column, beam, door, window, pipe, duct, conduit or stair
 * @property {Point} low corners of the axis-parallel box
 * @property {Point} high
 * @property {number} triangles
 */

/** @typedef {Solid & Box & { name: string, kind: string }} Element */

/**
 * @typedef {object} Site
 * @property {Element[]} elements
 * @property {Map<string, number>} counts
 * @property {Set<string>} planned
 * @property {Below} below
 */

/**
 * @typedef {object} Building
 * @property {string} obj the text of the OBJ file, an `o` an element
 * @property {BuildingElement[]} elements
 * @property {{ a: string, b: string, depth: number }[]} clashes pairs whose insides meet, and then
 *   their surfaces do too. Each has the smaller name first. No translation of less than `depth`
 *   millimetres takes the two apart
 * @property {{ a: string, b: string }[]} touches pairs whose surfaces meet, and their insides do
 *   not. All other pairs are clear
 */

/**
 * A building by formula: the same bytes for the same storeys (1 to 60, 4 by default) and seed (a
 * whole number, 1 by default).
 *
 * @param {{ storeys?: number, seed?: number }} options
 * @returns {Building}
 * @throws RangeError on other numbers
 * @example const { obj, clashes } = makeBuilding({ storeys: 2, seed: 7 });
 */
export function makeBuilding({ storeys = 4, seed = 1 } = {}) {
  if (!Number.isInteger(storeys) || storeys < 1 || storeys > MOST_STOREYS)
    throw new RangeError(`storeys: expected 1 to ${MOST_STOREYS}`);
  if (!Number.isInteger(seed)) throw new RangeError('seed: expected a whole number');
  /** @type {Site} */
  const site = { elements: [], counts: new Map(), planned: new Set(), below: random(seed) };
  const mistakes = Array.from({ length: storeys }, (_, storey) => chooseMistakes(storey, site.below));
  const slabs = Array.from({ length: storeys + 1 }, (_, level) => addSlab(site, level, storeys, mistakes[level]));
  for (let storey = 0; storey < storeys; storey++) addStorey(site, storey, storeys, mistakes[storey], slabs);
  const { clashes, touches } = relations(site.elements);
  const found = new Set(clashes.map(({ a, b }) => pairName(a, b)));
  const astray =
    [...found].find((pair) => !site.planned.has(pair)) ?? [...site.planned].find((pair) => !found.has(pair));
  if (astray) throw new Error(`${astray}: expected the planned clashes`);
  const elements = site.elements.map(({ name, kind, low, high, faces }) => {
    return { name, kind, low, high, triangles: faces.reduce((sum, face) => sum + face.length - 2, 0) };
  });
  return { obj: toObj(site.elements, storeys, seed), elements, clashes, touches };
}

// ------------------------------------------------------------------------------------ the building

/**
 * Three kinds of mistakes a storey, each with the bay where it happens.
 *
 * @param {number} storey
 * @param {Below} below
 * @returns {Mistakes}
 */
function chooseMistakes(storey, below) {
  const kinds = ['beam opening', 'pipe opening', 'duct opening', 'drain opening', 'sunk pipe', 'low drain'];
  if (storey > 0) kinds.push('riser opening');
  const chosen = new Map();
  while (chosen.size < 3) chosen.set(kinds.splice(below(kinds.length), 1)[0], below(BAYS - 1));
  return chosen;
}

/**
 * @param {Site} site
 * @param {number} level
 * @param {number} storeys
 * @param {Mistakes | undefined} mistakes
 */
function addSlab(site, level, storeys, mistakes) {
  const z = level * STOREY;
  const holes = [];
  if (level > 0 && level < storeys) {
    const [from, to] = stairLane(level - 1);
    holes.push(hole([30600, from - 50, 0], [35400, to + 50, 0]));
    holes.push(hole([12050, 8900, 0], [12250, 9100, 0]));
    if (!mistakes?.has('riser opening')) holes.push(hole([12150, 9300, 0], [12350, 9500, 0]));
  }
  return add(site, 'slab', level, pierced([-350, 0, z], [LENGTH + 350, DEPTH, z + SLAB], 2, holes));
}

/**
 * @param {Site} site
 * @param {number} storey
 * @param {number} storeys
 * @param {Mistakes} mistakes
 * @param {readonly string[]} slabs the names of all
 */
function addStorey(site, storey, storeys, mistakes, slabs) {
  const floor = storey * STOREY + SLAB;
  const top = (storey + 1) * STOREY;
  const { below } = site;
  /** @param {string} kind @param {Solid} solid */
  const put = (kind, solid) => add(site, kind, storey, solid);
  /** @param {string} a @param {string} b */
  const clash = (a, b) => site.planned.add(pairName(a, b));
  /** @param {string} mistake @param {number} bay */
  const isWrong = (mistake, bay) => mistakes.get(mistake) === bay;
  const mainRadius = 40 + 5 * below(5);
  const branchRadius = 40 + 5 * below(4);
  const heatingRadius = 15 + 5 * below(6);

  // The corridor's columns and beams, and the two mains that run along it through the beams, in
  // lengths of a bay.
  const mains = [5500, 6400];
  for (let line = 0; line <= BAYS; line++) {
    const x = line * BAY;
    for (const y of [5000, 7000]) put('column', pierced([x - 150, y - 150, floor], [x + 150, y + 150, top]));
    const [from, to] = [line === 0 ? -100 : x - 3000, line === BAYS ? LENGTH + 100 : x + 3000];
    const openings = mains.map((y) => hole([0, y - 90, top - 240], [0, y + 90, top - 60]));
    const forgotten = isWrong('beam opening', line);
    if (forgotten) openings.splice(below(2), 1);
    const beam = put('beam', pierced([x - 125, 5150, top - 300], [x + 125, 6850, top], 0, openings));
    for (const y of mains) {
      const main = put('pipe', pipe([from, y, top - 150], [to, y, top - 150], mainRadius));
      if (!openings.some(({ low, high }) => low[1] < y && y < high[1])) clash(main, beam);
    }
    put('duct', pierced([from, 5900, top - 700], [to, 6500, top - 400]));
    put('conduit', pipe([from, 5300, floor + 25], [to, 5300, floor + 25], 25));
  }

  // Bay by bay: the facades with windows, the corridor's walls with doors, what passes through
  // them, heating along the facades.
  /** @type {{ name: string, isLow: boolean }[]} */
  const drains = [];
  for (let bay = 0; bay < BAYS; bay++) {
    const x = bay * BAY;
    for (const south of [true, false]) {
      const [inner, outer] = south ? [200, 0] : [DEPTH - 200, DEPTH];
      const [from, to] = [Math.min(inner, outer), Math.max(inner, outer)];
      const window = hole([x + 2000, from, floor + 900], [x + 3500 + 50 * below(10), to, floor + 2300]);
      const ends = [bay === 0 ? -350 : x, bay === BAYS - 1 ? LENGTH + 350 : x + BAY];
      const facade = put('wall', pierced([ends[0], from, floor], [ends[1], to, top], 1, [window]));
      put('window', pierced(at(window.low, 1, from + 80), at(window.high, 1, to - 80)));

      const isSunk = south && isWrong('sunk pipe', bay);
      const y = inner + (south ? 1 : -1) * (heatingRadius - (isSunk ? 20 : 0));
      const heating = put('pipe', pipe([x + 300, y, floor + 150], [x + 5700, y, floor + 150], heatingRadius));
      if (isSunk) clash(heating, facade);

      const face = south ? 4900 : 7000;
      const left = x + (south ? 2400 : 1500) + 50 * below(12);
      const door = hole([left, face, floor], [left + 900, face + 100, floor + 2100]);
      const openings = [door];
      const hasBranch = south || bay < BAYS - 1; // the last bay in the north is the stairs'
      const forgotten = isWrong(south ? 'pipe opening' : 'duct opening', bay);
      if (hasBranch && !forgotten) {
        if (south) openings.push(hole([x + 1400, 0, top - 700], [x + 1600, 0, top - 500]));
        else openings.push(hole([x + 4450, 0, top - 700], [x + 4950, 0, top - 400]));
      }
      const wall = put('wall', pierced([x + 150, face, floor], [x + BAY - 150, face + 100, top], 1, openings));
      put('door', pierced([left, face + 30, floor + 10], [left + 900, face + 70, floor + 2100]));
      if (!hasBranch) continue;
      const branch = south
        ? put('pipe', pipe([x + 1500, 600, top - 600], [x + 1500, 5600, top - 600], branchRadius))
        : put('duct', pierced([x + 4500, 6500, top - 650], [x + 4900, 8500, top - 450]));
      if (forgotten) clash(branch, wall);
      if (south && drains[bay - 1]?.isLow) clash(branch, drains[bay - 1].name);
    }
    if (bay === BAYS - 1) continue;

    // A drain falls through the wall to the next bay and passes over the branch there; unless it
    // starts too low.
    const isLow = isWrong('low drain', bay);
    const start = top - 400 - (isLow ? 60 : 0);
    const drain = pipe([x + 3500, 2500, start], [x + 8500, 2500, start - 5000 / FALL], 55);
    drains[bay] = { name: put('pipe', drain), isLow };
    const forgotten = isWrong('drain opening', bay);
    const openings = forgotten ? [] : [hole([0, 2400, top - 620], [0, 2600, top - 350])];
    const cross = put('wall', pierced([x + BAY - 50, 200, floor], [x + BAY + 50, 4850, top], 0, openings));
    if (forgotten) clash(drains[bay].name, cross);
    put('wall', pierced([x + BAY - 50, 7150, floor], [x + BAY + 50, 11800, top]));
  }
  for (const x of [-350, LENGTH + 150]) {
    const window = hole([x, 5500, floor + 900], [x + 200, 6500, floor + 2300]);
    put('wall', pierced([x, 200, floor], [x + 200, DEPTH - 200, top], 0, [window]));
    put('window', pierced(at(window.low, 0, x + 80), at(window.high, 0, x + 120)));
  }

  // Risers, one against a wall, from the underside of one slab to that of the next; a flight of
  // stairs to the next storey.
  const bottom = storey === 0 ? floor : floor - SLAB;
  put('pipe', pipe([12110, 9000, bottom], [12110, 9000, top], 60));
  const riser = put('pipe', pipe([12250, 9400, bottom], [12250, 9400, top], 50));
  if (mistakes.has('riser opening')) clash(riser, slabs[storey]);
  if (storey < storeys - 1) put('stair', stair([30600, floor], 16, 300, 200, stairLane(storey)));
}

/**
 * Position of stairs in y. Those of the next storey are beside them.
 *
 * @param {number} storey
 * @returns {[number, number]}
 */
function stairLane(storey) {
  return storey % 2 === 0 ? [7600, 8700] : [9000, 10100];
}

/**
 * @param {Site} site
 * @param {string} kind
 * @param {number} storey
 * @param {Solid} solid
 */
function add(site, kind, storey, solid) {
  const key = `${kind}-${storey}`;
  const number = (site.counts.get(key) ?? 0) + 1;
  site.counts.set(key, number);
  const name = kind === 'slab' ? key : `${key}-${String(number).padStart(3, '0')}`;
  site.elements.push({ name, kind, ...extent(solid.points), ...solid });
  return name;
}

/**
 * Pairs have the earlier name first.
 *
 * @param {string} a
 * @param {string} b
 */
function pairName(a, b) {
  return a < b ? `${a} and ${b}` : `${b} and ${a}`;
}

// -------------------------------------------------------------------------------------- the solids

/**
 * A box that goes through, whatever its extent along the axis of the piercing.
 *
 * @param {Point} low
 * @param {Point} high
 * @returns {Box}
 */
function hole(low, high) {
  return { low, high };
}

/**
 * The box from low to high with holes along an axis.
 *
 * @param {Point} low
 * @param {Point} high
 * @param {number} axis
 * @param {readonly Box[]} holes
 */
export function pierced(low, high, axis = 2, holes = []) {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  const breaks = (/** @type {number} */ k) => {
    const all = [low[k], high[k], ...holes.flatMap((h) => [h.low[k], h.high[k]])];
    return [...new Set(all)].sort((p, q) => p - q);
  };
  const [us, vs] = [breaks(u), breaks(v)];
  /** @param {number} i @param {number} j */
  const isFree = (i, j) =>
    holes.some((h) => h.low[u] <= us[i] && us[i] < h.high[u] && h.low[v] <= vs[j] && vs[j] < h.high[v]);
  return cells(axis, low[axis], high[axis], us, vs, (i, j) => !isFree(i, j));
}

/**
 * A flight along x from a foot at [x, z]: saw-toothed above and below.
 *
 * @param {[number, number]} foot
 * @param {number} steps
 * @param {number} tread
 * @param {number} rise
 * @param {[number, number]} lane
 */
function stair([x, z], steps, tread, rise, [from, to]) {
  /** @param {number} start @param {number} step */
  const line = (start, step) => Array.from({ length: steps + 1 }, (_, i) => start + i * step);
  return cells(1, from, to, line(z, rise), line(x, tread), (row, column) => row === column || row === column - 1);
}

/**
 * The cells of a grid in the plane across an axis, extruded along it. No two cells may meet at a
 * corner alone, or the mesh would not be a manifold.
 *
 * @param {number} axis
 * @param {number} from
 * @param {number} to
 * @param {readonly number[]} us
 * @param {readonly number[]} vs
 * @param {(i: number, j: number) => boolean} isSolid
 * @returns {Solid}
 */
function cells(axis, from, to, us, vs, isSolid) {
  /** @type {Point[]} */
  const points = [];
  /** @type {number[][]} */
  const faces = [];
  /** @type {Part[]} */
  const parts = [];
  /** @type {Map<string, number>} */
  const numbers = new Map();
  /** @param {number} i @param {number} j @param {number} end */
  const point = (i, j, end) => {
    const p = [0, 0, 0];
    p[axis] = end;
    p[(axis + 1) % 3] = us[i];
    p[(axis + 2) % 3] = vs[j];
    return p;
  };
  /** @param {number} i @param {number} j @param {number} end */
  const vertex = (i, j, end) => {
    const key = `${i} ${j} ${end}`;
    const number = numbers.get(key) ?? points.push(point(i, j, end)) - 1;
    numbers.set(key, number);
    return number;
  };
  /** @param {number} i @param {number} j */
  const solid = (i, j) => i >= 0 && j >= 0 && i < us.length - 1 && j < vs.length - 1 && isSolid(i, j);
  for (let i = 0; i < us.length - 1; i++)
    for (let j = 0; j < vs.length - 1; j++) {
      if (!solid(i, j)) continue;
      parts.push(boxPart(point(i, j, from), point(i + 1, j + 1, to)));
      const corners = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ];
      faces.push(corners.map(([p, q]) => vertex(p, q, to)));
      faces.push(corners.map(([p, q]) => vertex(p, q, from)).reverse());
      const beyond = [solid(i, j - 1), solid(i + 1, j), solid(i, j + 1), solid(i - 1, j)];
      corners.forEach(([p, q], k) => {
        const [r, s] = corners[(k + 1) % 4];
        if (!beyond[k]) faces.push([vertex(p, q, from), vertex(r, s, from), vertex(r, s, to), vertex(p, q, to)]);
      });
    }
  return { points, faces, parts };
}

/**
 * A round pipe, solid, between two points of its axis, cut square to the coordinate axis that it
 * follows most.
 *
 * @param {Point} from
 * @param {Point} to
 * @param {number} radius
 * @returns {Solid}
 */
export function pipe(from, to, radius) {
  const way = minus(to, from);
  const axis = way.findIndex((x) => x !== 0);
  const ring = circle(SIDES).map(([c, s]) => {
    const p = [...from];
    p[(axis + 1) % 3] += sixteenths(radius * c);
    p[(axis + 2) % 3] += sixteenths(radius * s);
    return p;
  });
  const points = [...ring, ...ring.map((p) => plus(p, way))];
  const faces = [ring.map((_, i) => SIDES - 1 - i), ring.map((_, i) => SIDES + i)];
  for (let i = 0; i < SIDES; i++) {
    const next = (i + 1) % SIDES;
    faces.push([i, next, SIDES + next, SIDES + i]);
  }
  const sides = ring.map((p, i) => minus(ring[(i + 1) % SIDES], p));
  // A short vector of the pipe's direction keeps products short.
  const direction = way[2] === 0 || axis === 2 ? unitAlong(axis) : [FALL, 0, -1];
  const normals = [unitAlong(axis), ...sides.map((side) => cross(side, direction))];
  return { points, faces, parts: [{ ...extent(points), points, normals, edges: [direction, ...sides] }] };
}

/**
 * @param {Point} low
 * @param {Point} high
 * @returns {Part}
 */
function boxPart(low, high) {
  const points = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((axis) => ((k >> axis) & 1 ? high : low)[axis]));
  return { low, high, points, normals: BOX_AXES, edges: BOX_AXES };
}

// --------------------------------------------------------------------------------------- the truth

/** @param {readonly Element[]} elements */
function relations(elements) {
  const clashes = [];
  const touches = [];
  const order = [...elements].sort((p, q) => (p.name < q.name ? -1 : 1));
  for (let i = 0; i < order.length; i++)
    for (let j = i + 1; j < order.length; j++) {
      const depth = elementDepth(order[i], order[j]);
      const [a, b] = [order[i].name, order[j].name];
      if (depth > 0) clashes.push({ a, b, depth: Math.floor(1000 * depth) / 1000 });
      else if (depth === 0) touches.push({ a, b });
    }
  return { clashes, touches };
}

/**
 * The greatest depth of two parts, which no shorter translation takes apart; 0 where they touch,
 * negative where they do not.
 *
 * @param {Element} a
 * @param {Element} b
 */
function elementDepth(a, b) {
  let most = -1;
  if (!boxesMeet(a, b)) return most;
  for (const p of a.parts) for (const q of b.parts) if (boxesMeet(p, q)) most = Math.max(most, partDepth(p, q));
  return most;
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function boxesMeet(a, b) {
  return [0, 1, 2].every((axis) => a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis]);
}

/**
 * The length of the shortest translation that parts two convex solids: along a normal of one, or
 * across an edge of each.
 *
 * @param {Part} a
 * @param {Part} b
 */
function partDepth(a, b) {
  let least = Infinity;
  const test = (/** @type {Point} */ axis) => {
    const square = dot(axis, axis);
    if (square === 0) return;
    const [lowA, highA] = shadow(a.points, axis);
    const [lowB, highB] = shadow(b.points, axis);
    least = Math.min(least, Math.min(highA - lowB, highB - lowA) / Math.sqrt(square));
  };
  a.normals.forEach(test);
  if (a.normals === b.normals) return least; // two boxes
  b.normals.forEach(test);
  for (const e of a.edges) for (const f of b.edges) test(cross(e, f));
  return least;
}

/**
 * @param {readonly Point[]} points
 * @param {Point} axis
 */
function shadow(points, axis) {
  let [low, high] = [Infinity, -Infinity];
  for (const p of points) {
    const t = dot(p, axis);
    low = Math.min(low, t);
    high = Math.max(high, t);
  }
  return [low, high];
}

// --------------------------------------------------------------------------------------- the means

/**
 * @param {readonly Element[]} elements
 * @param {number} storeys
 * @param {number} seed
 */
function toObj(elements, storeys, seed) {
  const lines = [`# gicollide building: ${storeys} storeys, seed ${seed}, millimetres; by scripts/make-building.mjs`];
  let first = 1;
  for (const { name, points, faces } of elements) {
    lines.push(`o ${name}`);
    for (const p of points) lines.push(`v ${p.join(' ')}`);
    for (const face of faces) lines.push(`f ${face.map((v) => v + first).join(' ')}`);
    first += points.length;
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Whole numbers below a count, the same on any machine: a counter, hashed.
 *
 * @param {number} seed
 * @returns {Below}
 */
function random(seed) {
  let counter = Math.imul(seed, 0x9e3779b1);
  return (count) => {
    counter = (counter + 0x61c88647) | 0;
    let hash = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 4294967296) * count);
  };
}

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
      const sum = [p[0] + q[0], p[1] + q[1]];
      const length = Math.sqrt(sum[0] * sum[0] + sum[1] * sum[1]);
      return [p, [sum[0] / length, sum[1] / length]];
    });
  return corners;
}

/**
 * @param {readonly Point[]} points
 * @returns {Box}
 */
function extent(points) {
  const low = [0, 1, 2].map((axis) => points.reduce((least, p) => Math.min(least, p[axis]), Infinity));
  const high = [0, 1, 2].map((axis) => points.reduce((most, p) => Math.max(most, p[axis]), -Infinity));
  return { low, high };
}

/** @param {number} x */
function sixteenths(x) {
  return Math.floor(16 * x + 0.5) / 16;
}

/** @param {number} axis */
function unitAlong(axis) {
  return at([0, 0, 0], axis, 1);
}

/**
 * The point with another coordinate along one axis.
 *
 * @param {Point} point
 * @param {number} axis
 * @param {number} value
 */
function at(point, axis, value) {
  return point.map((x, k) => (k === axis ? value : x));
}

/**
 * @param {Point} p
 * @param {Point} q
 */
function plus(p, q) {
  return p.map((x, axis) => x + q[axis]);
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
function dot(p, q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/**
 * @param {Point} p
 * @param {Point} q
 */
function cross(p, q) {
  return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
}

const BOX_AXES = [0, 1, 2].map(unitAlong);

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { storeys: { type: 'string', default: '4' }, seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  });
  const [file = 'out/building.obj'] = positionals;
  const [storeys, seed] = [Number(values.storeys), Number(values.seed)];
  const { obj, ...truth } = makeBuilding({ storeys, seed });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, obj);
  const list = (/** @type {object[]} */ records) =>
    `[\n${records.map((record) => `    ${JSON.stringify(record)}`).join(',\n')}\n  ]`;
  const lists = Object.entries(truth).map(([key, records]) => `  "${key}": ${list(records)}`);
  const head = `  "storeys": ${storeys},\n  "seed": ${seed},\n  "units": "mm",\n`;
  writeFileSync(`${file.replace(/\.obj$/i, '')}.json`, `{\n${head}${lists.join(',\n')}\n}\n`);
}
