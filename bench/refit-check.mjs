// Updates of an asset's geometry, beside its build and three-mesh-bvh's refit in the same run. Also
// their cost in queries: first contact of updated trees beside trees that were built for the same
// vertices, after small and large deformations.
//
//   npm run bench -- refit
//
// Contestants take turns; the time of each is its median. Both times include copying the positions.
import { build, openPair, prepare, representationOf, toMesh, translation, updateGeometry } from 'gicollide';
import { bumpyBall, nearContactPoses, sample, subdivided } from './inputs.mjs';
import { digits, elapsed, median, peerFirst, peerTree, printTable, race, round, startClock } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').BuildOptions} BuildOptions */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {(x: number, y: number, z: number) => number[]} Deform */

/** @type {BuildOptions} */
const WIDE = { format: 'obb', nodeBytes: 64 };
/** @type {Record<string, BuildOptions>} */
const TREES = {
  'obb, 64 bytes': WIDE,
  'obb, 40 bytes': { format: 'obb' },
  'obb, 20 bytes': { format: 'obb', nodeBytes: 20 },
  'k-DOPs': { format: 'kdop' },
};
const PEER = 'three-mesh-bvh';

/** Of bodies about as large as 1. @type {Record<string, Deform>} */
const DEFORMATIONS = {
  'a breath, 2 % of the size': (x, y, z) => [x + 0.02 * Math.sin(6 * y), y + 0.02 * Math.sin(6 * z), z],
  'a bend by 60 degrees': (x, y, z) => bent(x, y, z, Math.PI / 3),
  'a twist by half a turn': (x, y, z) => twisted(x, y, z, Math.PI),
};

/** @param {number} x @param {number} y @param {number} z @param {number} angle a unit of length along x */
function bent(x, y, z, angle) {
  const r = 1 / angle - y;
  return [r * Math.sin(angle * x), 1 / angle - r * Math.cos(angle * x), z];
}

/** @param {number} x @param {number} y @param {number} z @param {number} angle a unit of length along z */
function twisted(x, y, z, angle) {
  const [c, s] = [Math.cos(angle * z), Math.sin(angle * z)];
  return [c * x - s * y, s * x + c * y, z];
}

/** @param {ArrayLike<number>} positions @param {Deform} deform */
function deformed(positions, deform) {
  const to = new Float64Array(positions.length);
  for (let v = 0; v < to.length; v += 3) to.set(deform(positions[v], positions[v + 1], positions[v + 2]), v);
  return to;
}

/**
 * Medians of milliseconds, in turn.
 *
 * @param {Record<string, (turn: number) => unknown>} contestants
 * @param {number} rounds
 */
function inTurn(contestants, rounds) {
  const times = Object.keys(contestants).map(() => /** @type {number[]} */ ([]));
  for (let turn = -3; turn < rounds; turn++) {
    for (const [i, work] of Object.values(contestants).entries()) {
      startClock();
      work(turn & 1);
      if (turn >= 0) times[i].push(elapsed());
    }
  }
  return Object.fromEntries(Object.keys(contestants).map((name, i) => [name, digits(median(times[i]))]));
}

/** @param {Mesh} mesh @param {boolean} quick */
function updates(mesh, quick) {
  // Two shapes in turn, so that no update finds what it would write.
  const shapes = Object.values(DEFORMATIONS)
    .slice(0, 2)
    .map((deform) => deformed(mesh.positions, deform));
  const floats = shapes.map((positions) => Float32Array.from(positions));
  const fresh = () => build(mesh, WIDE);
  // Trees of their own, since another width of coordinates has them placed anew.
  const [kept, inPlace, doubles, singles] = [fresh(), fresh(), fresh(), fresh()];
  const still = fresh();
  updateGeometry(doubles, shapes[0], { inPlace: true });
  updateGeometry(singles, floats[0], { inPlace: true });
  const [ofDoubles, ofSingles] = [doubles, singles].map((tree) => prepare(tree, still));
  const peer = peerTree(mesh);
  const far = translation(9, 0, 0);
  /** @type {Record<string, (turn: number) => unknown>} */
  const contestants = {
    [PEER]: (turn) => {
      peer.attributes.position.array.set(floats[turn]);
      peer.boundsTree.refit();
    },
    'obb, 64 bytes, a new tree': (turn) => updateGeometry(kept, shapes[turn]),
    'obb, 64 bytes, in place': (turn) => updateGeometry(inPlace, shapes[turn], { inPlace: true }),
    'obb, 64 bytes, in place, prepared, and a verdict': (turn) => {
      updateGeometry(doubles, shapes[turn], { inPlace: true });
      return ofDoubles.contact(far);
    },
    'the same, float32': (turn) => {
      updateGeometry(singles, floats[turn], { inPlace: true });
      return ofSingles.contact(far);
    },
  };
  const trees = Object.entries(TREES)
    .slice(1)
    .map(([name, options]) => ({ name, tree: build(mesh, options) }));
  for (const { name, tree } of trees) {
    contestants[`${name}, in place`] = (turn) => updateGeometry(tree, shapes[turn], { inPlace: true });
  }
  const times = inTurn(contestants, quick ? 3 : 41);
  const builds = inTurn(
    {
      [PEER]: (turn) => peerTree({ ...mesh, positions: shapes[turn] }),
      ...Object.fromEntries(
        Object.entries(TREES).map(([name, options]) => [
          name,
          (turn) => build({ ...mesh, positions: shapes[turn] }, options),
        ]),
      ),
    },
    quick ? 1 : 3,
  );
  for (const tree of [inPlace, doubles, singles, ...trees.map(({ tree }) => tree)]) {
    if (representationOf(tree).verify(tree).problems.length > 0) throw new Error('an update that does not hold');
  }
  return { triangles: mesh.triangles.length / 3, updates: times, builds };
}

/**
 * Microseconds of a first contact near contact, of trees refit and of trees built.
 *
 * @param {Mesh} mesh @param {Deform} deform @param {number} count
 */
function price(mesh, deform, count) {
  const positions = deformed(mesh.positions, deform);
  const moved = { ...mesh, positions };
  const fresh = build(moved, WIDE);
  const poses = nearContactPoses(fresh, fresh, count, 2024);
  const pairs = Object.fromEntries(
    Object.entries({
      'obb, 64 bytes': [fresh, updateGeometry(build(mesh, WIDE), positions)],
      'k-DOPs': [build(moved, TREES['k-DOPs']), updateGeometry(build(mesh, TREES['k-DOPs']), positions)],
    }).map(([name, trees]) => [name, trees.map((tree) => openPair(tree, tree, { questions: 1e6 }))]),
  );
  const peers = [peerTree(moved), peerTree(mesh)];
  peers[1].attributes.position.array.set(Float32Array.from(positions));
  peers[1].boundsTree.refit();
  const [built, refit] = pairs['obb, 64 bytes'];
  const isHit = poses.map((pose) => built.contact(pose));
  for (const pair of [refit, ...pairs['k-DOPs']]) {
    if (poses.some((pose, i) => pair.contact(pose) !== isHit[i])) throw new Error('another verdict');
  }
  /** @type {Record<string, Record<string, number>>} */
  const rows = {};
  for (const hits of [true, false]) {
    const own = poses.filter((_, i) => isHit[i] === hits);
    const part = hits ? 'hit' : 'miss';
    const add = (/** @type {Record<string, number>} */ times, calls = 1) => {
      for (const [name, us] of Object.entries(times)) rows[name] = { ...rows[name], [part]: us / calls };
    };
    for (const [name, of] of Object.entries(pairs)) {
      const [ofBuilt, ofRefit] = of.map((pair) => repeated((pose) => pair.contact(pose)));
      add(race({ [`${name}, built`]: ofBuilt, [`${name}, refit`]: ofRefit }, own), CALLS);
    }
    const [ofBuilt, ofRefit] = peers.map((peer) => (/** @type {Pose} */ pose) => peerFirst(peer, peer, pose));
    add(race({ [`${PEER}, built`]: ofBuilt, [`${PEER}, refit`]: ofRefit }, own, 3));
  }
  for (const [name, row] of Object.entries(rows)) {
    const of = rows[name.replace(', refit', ', built')];
    rows[name] = {
      hit: round(row.hit, 2),
      miss: round(row.miss, 2),
      'hit x': round(row.hit / of.hit, 2),
      'miss x': round(row.miss / of.miss, 2),
    };
  }
  return rows;
}

/** Calls of a query that are timed as one: the clock is too coarse, and the caches are warm but for one. */
const CALLS = 16;

/** @param {(pose: Pose) => boolean} ask @returns {import('./race.mjs').Ask} */
function repeated(ask) {
  return (pose) => {
    let hits = 0;
    for (let i = 0; i < CALLS; i++) hits += Number(ask(pose));
    return hits;
  };
}

/** @param {import('./race.mjs').Run} run */
export default function refit({ quick, keep }) {
  const bunny = sample('bunny');
  /** @type {Record<string, () => Mesh>} */
  const meshes = quick
    ? { bolt: () => sample('bolt') }
    : { 'fine bunny': () => subdivided(subdivided(bunny)), 'bumpy ball': () => bumpyBall(1) };
  /** @type {Record<string, ReturnType<typeof updates>>} */
  const times = {};
  for (const [name, make] of Object.entries(meshes)) times[name] = updates(make(), quick);
  const of = (/** @type {'updates' | 'builds'} */ part) =>
    Object.fromEntries(Object.entries(times).map(([name, row]) => [`${name}, ${row.triangles} triangles`, row[part]]));
  printTable('ms to update', transposed(of('updates')));
  printTable('ms to build', transposed(of('builds')));

  const image = build(bunny, { size: quick ? 65 : 257 });
  const shapes = [0, 1].map((i) => deformed(toMesh(image).positions, Object.values(DEFORMATIONS)[i]));
  const images = inTurn({ update: (turn) => updateGeometry(image, shapes[turn]) }, quick ? 1 : 5);
  const built = inTurn({ build: () => build(bunny, { size: quick ? 65 : 257 }) }, 1);
  console.log(`\nan image of ${2 * image.quads} triangles, ms:`, { ...images, ...built });

  /** @type {Record<string, ReturnType<typeof price>>} */
  const prices = {};
  for (const [name, deform] of Object.entries(DEFORMATIONS)) {
    prices[name] = price(Object.values(meshes)[0](), deform, quick ? 4 : 60);
    printTable(`us a first contact: ${name}`, prices[name]);
  }
  keep({ times, image: { triangles: 2 * image.quads, ...images, ...built }, prices });
}

/** @param {Record<string, Record<string, number | null>>} table */
function transposed(table) {
  const names = [...new Set(Object.values(table).flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(Object.entries(table).map(([key, row]) => [key, row[name] ?? null])),
    ]),
  );
}
