// What solids are asked: how thick two share space, against the least distance of the same two once
// they are drawn apart; and how they lie, against the plain list of all contacts.
//
//   npm run bench -- solid
//   ... --only=<text>       only pairs with the text in their names
import { readFileSync } from 'node:fs';
import { build, check, compose, identity, readObj, rotation, splitByGroups, translation } from 'gicollide';
import '#src/representations/everything';
import { classify } from '#src/solid/classify';
import { placeBody } from '#src/solid/solid';
import { reachOf, thicknessOf } from '#src/solid/thickness';
import { bumpyBall, sample, shift, subdivided } from './inputs.mjs';
import { digits, mean, median, printTable, race } from './race.mjs';

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

/** @param {import('./race.mjs').Run} run */
export default function solid({ quick, options, keep }) {
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
  keep({ pairs: rows, 'to distance': over, 'to all': overAll });
}
