// Queries of solids: thickness of the common part, beside the least distance of the same two drawn
// apart; classes, beside the plain list of all contacts. Classes of random pairs without depths,
// beside the intersection by manifold-3d.
//
//   npm run bench -- solid
//   ... --only=<text>       only pairs with the text in their names
import { readFileSync } from 'node:fs';
import { build, check, compose, identity, readObj, rotation, splitByGroups, translation } from 'gicollide';
import openManifold from 'manifold-3d';
import '#src/representations/everything';
import { classify } from '#src/solid/classify';
import { placeBody } from '#src/solid/solid';
import { reachOf, thicknessOf } from '#src/solid/thickness';
import { bumpyBall, direction, drilledBlock, randomTurn, sample, seeded, shift, subdivided } from './inputs.mjs';
import { digits, elapsed, mean, median, printTable, race, startClock } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {{ a: Asset, b: Asset, pose: Pose, along: [number, number, number] }} Pair */

/** @param {Mesh} mesh */
const treeOf = (mesh) => build(mesh, { format: 'obb' });

/** Edges w, h, d; a corner at the origin. @param {number} w @param {number} h @param {number} d @returns {Mesh} */
function slab(w, h, d) {
  const { positions, triangles, groups } = readObj(readFileSync(new URL('../assets/box.obj', import.meta.url)));
  const low = [0, 1, 2].map((k) => Math.min(...positions.filter((_, i) => i % 3 === k)));
  const high = [0, 1, 2].map((k) => Math.max(...positions.filter((_, i) => i % 3 === k)));
  const size = [w, h, d];
  const scaled = positions.map((x, i) => ((x - low[i % 3]) / (high[i % 3] - low[i % 3])) * size[i % 3]);
  return { positions: scaled, triangles, groups };
}

/**
 * Two that overlap by about a length along a direction.
 *
 * @param {Mesh} meshA
 * @param {Mesh} meshB
 * @param {Pose} turn
 * @param {number} deep
 * @returns {Pair}
 */
function sunk(meshA, meshB, turn, deep) {
  const [a, b] = [treeOf(meshA), treeOf(meshB)];
  /** @type {[number, number, number]} */
  const along = [0.8, 0.5, 0.33];
  let [inside, outside] = [0, 4];
  while (outside - inside > 1e-9) {
    const middle = (inside + outside) / 2;
    if (check(a, b, { poseB: compose(shift(along, middle), turn) }).verdict === 'contact') inside = middle;
    else outside = middle;
  }
  return { a, b, pose: compose(shift(along, inside - deep), turn), along };
}

/** @returns {Record<string, () => Pair>} */
function pairs() {
  /** @type {Record<string, () => Pair>} */
  const made = {};
  const still = identity();
  const turn = rotation(1, 2, 3, 77);
  const fine = () => subdivided(subdivided(sample('bunny')));
  for (const deep of [0.01, 0.05, 0.2]) {
    made[`bunny-bunny, ${100 * deep} % deep`] = () => sunk(sample('bunny'), sample('bunny'), still, deep);
    made[`bunny-bunny turned, ${100 * deep} % deep`] = () => sunk(sample('bunny'), sample('bunny'), turn, deep);
    made[`bunny-blob, ${100 * deep} % deep`] = () => sunk(sample('bunny'), sample('blob'), still, deep);
  }
  made['fine bunny-fine bunny, 5 % deep'] = () => sunk(fine(), fine(), turn, 0.05);
  made['bumpy balls, 5 % deep'] = () => sunk(bumpyBall(1), bumpyBall(2), turn, 0.05);
  const wall = () => treeOf(slab(3, 0.2, 3));
  made['walls that share 50 mm'] = () => ({
    ...{ a: wall(), b: wall(), pose: translation(0.1, 0.15, 0.2), along: [0, 1, 0] },
  });
  made['walls that cross'] = () => ({
    ...{ a: wall(), b: treeOf(slab(0.2, 3, 3)), pose: translation(1, -1, 0.2), along: [0, 1, 0] },
  });
  return made;
}

/** Clashes of the building's elements. @param {number} most @returns {Pair[]} */
function clashes(most) {
  const mesh = readObj(readFileSync(new URL('../assets/parts/building.obj', import.meta.url)));
  const parts = splitByGroups(mesh).map((element) => treeOf(element.mesh));
  /** @type {Pair[]} */
  const found = [];
  for (const [i, a] of parts.entries()) {
    for (const b of parts.slice(i + 1)) {
      if (found.length === most) return found;
      const pose = identity();
      if (check(a, b, { all: true }).verdict !== 'contact') continue;
      if (lieOf(a, b, pose).lie === 'overlap') found.push({ a, b, pose, along: [0, 0, 1] });
    }
  }
  return found;
}

/** @param {Asset} a @param {Asset} b @param {Pose} poseB */
function lieOf(a, b, poseB) {
  const { contacts } = check(a, b, { poseB, all: true, maxContacts: 1e9 });
  return classify(placeBody(a, identity()), placeBody(b, poseB), contacts.pairs);
}

/** The first pose along a direction, of ever longer ones, in which the two are apart. @param {Pair} pair */
function drawnApart({ a, b, pose, along }, first = 1e-3) {
  for (let by = first; ; by *= 2) {
    const apart = compose(shift(along, by), pose);
    if (check(a, b, { poseB: apart }).verdict === 'clear') return apart;
  }
}

/** @param {Pair} pair @param {number} rounds */
function measure(pair, rounds) {
  const { a, b, pose } = pair;
  const apart = drawnApart(pair);
  const [placedA, placedB] = [placeBody(a, identity()), placeBody(b, pose)];
  const thickness = thicknessOf(placedA, placedB, {});
  const options = { all: true, maxContacts: 1e9 };
  const times = race(
    {
      thickness: () => thicknessOf(placedA, placedB, {}).upper,
      reach: () => reachOf(placedA, placedB, {}).upper,
      distance: (at) => check(a, b, { poseB: at, distance: true }).distance ?? Number.NaN,
    },
    [apart],
    rounds,
  );
  const listed = race(
    {
      class: (at) => lieOf(a, b, at).lie.length,
      all: (at) => check(a, b, { ...options, poseB: at }).contacts.count,
    },
    [pose],
    rounds,
  );
  return {
    from: digits(thickness.lower, 4),
    to: digits(thickness.upper, 4),
    'thickness, us': times.thickness,
    'reach, us': times.reach,
    'distance, us': times.distance,
    'to distance': digits(times.thickness / times.distance),
    'class, us': listed.class,
    'all, us': listed.all,
    'to all': digits(listed.class / listed.all),
  };
}

/** Joins corners at one place, in single precision, as manifold-3d does. @param {Mesh} mesh */
function joined({ positions, triangles }) {
  const places = new Map();
  /** @type {number[]} */
  const points = [];
  const corners = Uint32Array.from(triangles, (v) => {
    const point = Array.from(positions.subarray(3 * v, 3 * v + 3), Math.fround);
    const key = point.join();
    if (!places.has(key)) places.set(key, points.push(...point) / 3 - 1);
    return places.get(key);
  });
  return { positions: Float64Array.from(points), triangles: corners, groups: [] };
}

/** @param {boolean} quick @param {import('manifold-3d').ManifoldToplevel} wasm */
function classMeshes(quick, { Manifold, Mesh }) {
  const few = { bolt: sample('bolt'), torus: sample('torus') };
  const more = () => ({
    ...{ bunny: sample('bunny'), blob: sample('blob'), boulder: sample('boulder'), star: sample('star') },
    ...{ bumpy: bumpyBall(1), fine: subdivided(subdivided(sample('bunny'))), drilled: drilledBlock() },
  });
  return Object.values(quick ? few : { ...few, ...more() }).map((given) => {
    const mesh = joined(given);
    const box = [0, 1, 2].map((k) => {
      const along = mesh.positions.filter((_, i) => i % 3 === k);
      return along.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [along[0], along[0]]);
    });
    const peer = { numProp: 3, vertProperties: Float32Array.from(mesh.positions), triVerts: mesh.triangles };
    return {
      asset: treeOf(mesh),
      size: Math.max(...box.map(([low, high]) => high - low)),
      middle: box.map(([low, high]) => low / 2 + high / 2),
      manifold: new Manifold(new Mesh(peer)),
    };
  });
}

/**
 * Least milliseconds of `rounds`, the contestants in turn.
 *
 * @param {Record<string, () => unknown>} work
 * @param {number} rounds
 */
function leastOf(work, rounds) {
  const least = Object.fromEntries(Object.keys(work).map((key) => [key, Number.POSITIVE_INFINITY]));
  for (let turn = 0; turn < rounds; turn++) {
    for (const [key, ask] of Object.entries(work)) {
      startClock();
      ask();
      least[key] = Math.min(least[key], elapsed());
    }
  }
  return least;
}

/** Random pairs of 488 to 69,312 triangles each; most overlap. @param {boolean} quick */
async function classes(quick) {
  const wasm = await openManifold();
  wasm.setup();
  const meshes = classMeshes(quick, wasm);
  const random = seeded(7);
  const some = () => meshes[Math.floor(meshes.length * random())];
  /** @type {Record<string, number>[]} */
  const times = [];
  for (let n = 0; n < (quick ? 2 : 200); n++) {
    const [a, b] = [some(), some()];
    const by = 0.45 * (a.size + b.size) * random() ** 0.7;
    const way = direction(random);
    const [x, y, z] = a.middle.map((at, k) => at + by * way[k]);
    const [p, q, r] = b.middle.map((at) => -at);
    const pose = compose(translation(x, y, z), compose(randomTurn(random), translation(p, q, r)));
    const columns = [0, 1, 2, 3].flatMap((k) => [pose[k], pose[4 + k], pose[8 + k], k === 3 ? 1 : 0]);
    const moved = b.manifold.transform(/** @type {any} */ (columns));
    moved.numTri(); // makes it
    const ask = () => check(a.asset, b.asset, { poseB: pose, solid: 'auto', depth: 'off' }).class;
    const intersect = () => {
      const common = a.manifold.intersect(moved);
      common.numTri();
      common.delete();
    };
    times.push(leastOf({ class: ask, manifold: intersect }, quick ? 1 : 5));
    moved.delete();
  }
  const of = (/** @type {string} */ key) => times.map((time) => time[key]);
  const ratios = times.map((time) => time.class / time.manifold);
  return {
    pairs: times.length,
    'class, ms': digits(median(of('class'))),
    'manifold-3d, ms': digits(median(of('manifold'))),
    'ratio, median': digits(median(ratios)),
    'ratio, worst': digits(Math.max(...ratios)),
  };
}

/** @param {import('./race.mjs').Run} run */
export default async function solid({ quick, options, keep }) {
  const rounds = quick ? 1 : 9;
  const chosen = Object.entries(pairs()).filter(([name]) => name.includes(options.only ?? (quick ? 'walls' : '')));
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  for (const [name, make] of chosen) rows[name] = measure(make(), rounds);
  const elements = clashes(quick ? 1 : 20).map((pair) => measure(pair, rounds));
  if (elements.length > 0) {
    rows[`a building's clashes, median`] = Object.fromEntries(
      Object.keys(elements[0]).map((key) => [
        key,
        digits(median(elements.map((row) => Number(row[/** @type {keyof typeof row} */ (key)]))), 4),
      ]),
    );
  }
  printTable('how deep, and how two lie', rows);
  const ratios = (/** @type {string} */ key) => Object.values(rows).map((row) => Number(row[key]));
  const over = digits(Math.exp(mean(ratios('to distance').map(Math.log))));
  const overAll = digits(median(ratios('to all')));
  console.log(`  thickness / distance, geometric mean ${over}; class / all contacts, median ${overAll}`);
  const known = options.only ? null : await classes(quick);
  if (known) printTable('classes of random pairs, without depths', { 'all pairs': known });
  keep({ pairs: rows, ...(known && { classes: known }), 'to distance': over, 'to all': overAll });
}
