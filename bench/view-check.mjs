// Answers of the page of `gicollide view` to a drag: the verdict, the distance and its line for
// every move, beside `check`, a prepared pair and three-mesh-bvh in the same poses. Then its
// answers for objects at rest, and its size. With Chromium also the page itself (view-browser.mjs).
//
//   npm run bench -- view
//
// The engine of the page's worker runs in Node. A drag moves b along a seeded direction, with its
// own rotation, from afar until the centers meet. A pose counts by the median of three rounds over
// all drags, so no contestant repeats a pose; "worst" is over the poses. The peer's distance takes
// long: it is asked once, for the poses of the first drag.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build, check, compose, identity, prepare, write } from 'gicollide';
import { ViewEngine } from '#src/viewer/engine';
import { bumpyBall, direction, randomTurn, sample, seeded, shift, subdivided } from './inputs.mjs';
import { digits, elapsed, median, peerDistance, peerFirst, peerTree, printTable, startClock } from './race.mjs';
import { inBrowser } from './view-browser.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('#src/viewer/protocol').QuickAnswer} QuickAnswer */
/** @typedef {{ pose: Pose, part: string }} Step one pose of a drag */
/** @typedef {(pose: Pose) => unknown} Move what is timed */

/** Milliseconds of a frame. */
const FRAME = 16;
const PAGE = 'the page';
const PEER = 'three-mesh-bvh, verdict';
const PEER_BOTH = 'three-mesh-bvh, and distance';

/**
 * Parts of a drag: how far b is from where it first touches, as `t` goes from 0 to 1. Sizes are 1.
 *
 * @type {Record<string, (t: number, touch: number) => number>}
 */
const PARTS = {
  far: (t, touch) => touch + 1 - 0.9 * t,
  near: (t, touch) => touch + 10 ** (-1 - 3 * t),
  touching: (t, touch) => touch - 10 ** (-4 + 2.5 * t),
  deep: (t, touch) => (touch - 10 ** -1.5) * (1 - t),
};

/**
 * Drags of b, as many poses in every part.
 *
 * @param {Asset} a
 * @param {Asset} b
 * @param {number} count
 * @param {number} poses in a part of a drag
 */
function dragsOf(a, b, count, poses) {
  const random = seeded(25);
  const checker = prepare(a, b);
  return Array.from({ length: count }, () => {
    const turn = randomTurn(random);
    const along = direction(random);
    const at = (/** @type {number} */ s) => compose(shift(along, s), turn);
    let [inside, outside] = [0, 2];
    for (let i = 0; i < 30; i++) {
      const middle = (inside + outside) / 2;
      if (checker.contact(at(middle))) inside = middle;
      else outside = middle;
    }
    return Object.entries(PARTS).flatMap(([part, place]) =>
      Array.from({ length: poses }, (_, i) => ({ part, pose: at(place(i / (poses - 1), outside)) })),
    );
  });
}

/**
 * What the command line would give the page for two assets.
 *
 * @param {readonly Uint8Array[]} files
 * @param {readonly Asset[]} assets
 * @returns {import('#src/viewer/document').ViewDocument}
 */
const documentOf = (files, assets) => ({
  ...{ gicollide: 'view/1', title: 'a and b', tool: 'gicollide', units: null },
  assets: assets.map(({ representation }, n) => ({
    ...{ name: 'ab'[n], representation, sha256: null, bytes: files[n].length },
  })),
  objects: assets.map((_, n) => ({
    ...{ name: 'ab'[n], asset: n, pose: Array.from(identity()), file: null, element: null, guid: null },
  })),
  ...{ asked: {}, findings: [], summary: null, frames: [], baseline: null },
  again: { command: 'check', files: ['a', 'b'], options: [] },
});

/** A pair as the page has it: read from its files. @param {readonly Asset[]} assets */
async function opened(assets) {
  const files = await Promise.all(assets.map((asset) => write(asset)));
  const document = documentOf(files, assets);
  const open = async () => {
    const engine = new ViewEngine();
    // Reading takes the bytes over.
    const facts = await engine.answer('open', { document, files: files.map((file) => file.slice()) });
    return { engine, facts };
  };
  return { open, ...(await open()) };
}

const asked = (/** @type {Pose} */ poseB) => ({ a: 0, b: 1, poseA: identity(), poseB });

/**
 * Milliseconds a pose, the median of the rounds, in which contestants take turns.
 *
 * @param {Record<string, Move>} contestants
 * @param {readonly Step[]} steps
 * @param {number} rounds
 */
async function turns(contestants, steps, rounds) {
  const runners = Object.entries(contestants).map(([name, move]) => {
    return { name, move, times: steps.map(() => /** @type {number[]} */ ([])) };
  });
  for (const { pose } of steps.filter((_, i) => i % 7 === 0)) for (const { move } of runners) await move(pose);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { pose }] of steps.entries()) {
      for (const { move, times } of runners) {
        startClock();
        await move(pose);
        times[i].push(elapsed());
      }
    }
  }
  return Object.fromEntries(runners.map(({ name, times }) => [name, times.map(median)]));
}

/**
 * Microseconds by part of the drag, of all, and of the worst pose.
 *
 * @param {readonly Step[]} steps
 * @param {readonly number[]} times milliseconds
 */
function row(steps, times) {
  const us = (/** @type {number} */ ms) => digits(1000 * ms);
  return {
    ...Object.fromEntries(
      Object.keys(PARTS).map((part) => [part, us(median(times.filter((_, i) => steps[i].part === part)))]),
    ),
    median: us(median(times)),
    worst: us(Math.max(...times)),
    'in a frame': times.filter((ms) => ms <= FRAME).length,
  };
}

/** How far the page's answers are from the peer's. */
function apart(/** @type {readonly QuickAnswer[]} */ own, /** @type {readonly (number | null)[]} */ peer) {
  const pairs = own.map(({ distance }, i) => [distance, peer[i]]);
  const known = pairs.flatMap(([x, y]) => (typeof x === 'number' && typeof y === 'number' ? [Math.abs(x - y)] : []));
  return Math.max(0, ...known);
}

/**
 * A drag of two meshes, with all contestants.
 *
 * @param {readonly Mesh[]} meshes
 * @param {Sizes} sizes
 */
async function withPeer(meshes, { drags, poses, rounds }) {
  const assets = meshes.map((mesh) => build(mesh, { format: 'obb' }));
  const [a, b] = assets;
  const [first, ...others] = dragsOf(a, b, drags, poses);
  const steps = [...first, ...others.flat()];
  const { engine } = await opened(assets);
  const checker = prepare(a, b);
  const [p, q] = meshes.map(peerTree);
  const quick = (/** @type {Pose} */ pose) => engine.answer('quick', asked(pose));
  const times = await turns(
    {
      [PAGE]: quick,
      'check, verdict': (poseB) => check(a, b, { poseB }).verdict,
      'prepared, verdict': (pose) => checker.verdict(pose),
      [PEER]: (pose) => peerFirst(p, q, pose),
    },
    steps,
    rounds,
  );
  const answers = await Promise.all(steps.map(({ pose }) => quick(pose)));
  const both = peerBoth(p, q, first);
  const clear = answers.filter(({ verdict }) => verdict === 'clear');
  return {
    triangles: meshes.map(({ triangles }) => triangles.length / 3),
    poses: steps.length,
    us: {
      ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, row(steps, ms)])),
    },
    'us of the first drag': {
      [PAGE]: row(first, times[PAGE].slice(0, first.length)),
      [PEER_BOTH]: row(first, both.times),
    },
    clear: clear.length,
    'distances told': clear.filter(({ distance }) => distance !== null).length,
    'verdicts that differ': steps.filter(({ pose }, i) => (answers[i].verdict === 'contact') !== peerFirst(p, q, pose))
      .length,
    'distances differ by': apart(answers.slice(0, first.length), both.distances),
  };
}

/**
 * The peer's verdict, and its distance where that is clear; once.
 *
 * @param {import('./race.mjs').PeerTree} a
 * @param {import('./race.mjs').PeerTree} b
 * @param {readonly Step[]} steps
 */
function peerBoth(a, b, steps) {
  /** @type {(number | null)[]} */
  const distances = [];
  const ask = (/** @type {Pose} */ pose) => (peerFirst(a, b, pose) ? null : peerDistance(a, b, pose));
  for (const { pose } of steps.filter((_, i) => i % 3 === 0)) ask(pose); // compiled before any is timed
  const times = steps.map(({ pose }) => {
    startClock();
    distances.push(ask(pose));
    return elapsed();
  });
  return { times, distances };
}

/**
 * A drag of two assets of another kind.
 *
 * @param {readonly Asset[]} assets
 * @param {Sizes} sizes
 */
async function alone(assets, { drags, poses, rounds }) {
  const steps = dragsOf(assets[0], assets[1], drags, poses).flat();
  const { engine, facts } = await opened(assets);
  const quick = (/** @type {Pose} */ pose) => engine.answer('quick', asked(pose));
  const times = await turns({ [PAGE]: quick }, steps, rounds);
  const answers = await Promise.all(steps.map(({ pose }) => quick(pose)));
  const clear = answers.filter(({ verdict }) => verdict === 'clear');
  return {
    triangles: facts.map(({ triangles }) => triangles),
    us: row(steps, times[PAGE]),
    clear: clear.length,
    'distances told': clear.filter(({ distance }) => distance !== null).length,
  };
}

/**
 * What the page asks besides, milliseconds: the median of a few poses of every part, once each.
 *
 * @param {readonly Asset[]} assets
 * @param {Sizes} sizes
 */
async function atRest(assets, { drags, poses, rounds }) {
  const { open, engine } = await opened(assets);
  const steps = dragsOf(assets[0], assets[1], drags, poses).flat();
  const few = steps.filter((_, i) => i % (poses > 4 ? 5 : 1) === 0);
  const { full, visits } = await turns(
    {
      full: (pose) => engine.answer('full', asked(pose)),
      visits: (pose) => engine.answer('visits', { ...asked(pose), level: 8 }),
    },
    few,
    1,
  );
  const once = async (/** @type {() => Promise<unknown>} */ work) => {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      startClock();
      await work();
      times.push(elapsed());
    }
    return digits(median(times));
  };
  return {
    poses: few.length,
    ms: {
      ...{ full: inMs(row(few, full)), visits: inMs(row(few, visits)) },
      surface: await once(() => engine.answer('surface', { asset: 0 })),
      'open both': await once(open),
    },
  };
}

/** @param {Record<string, number | null>} times microseconds, but for a count */
const inMs = ({ 'in a frame': count, ...times }) => ({
  ...Object.fromEntries(Object.entries(times).map(([name, us]) => [name, digits((us ?? 0) / 1000)])),
  'in a frame': count,
});

/** @typedef {{ drags: number, poses: number, rounds: number }} Sizes */

/** @param {import('./race.mjs').Run} run */
export default async function view({ quick, keep }) {
  const sizes = quick ? { drags: 1, poses: 2, rounds: 1 } : { drags: 5, poses: 10, rounds: 3 };
  const bunny = quick ? sample('bunny') : subdivided(subdivided(sample('bunny')));
  const balls = quick ? [bunny, sample('blob')] : [bumpyBall(1), bumpyBall(2)];
  /** @type {Record<string, Awaited<ReturnType<typeof withPeer>>>} */
  const pairs = {};
  for (const [name, meshes] of Object.entries({ 'ball, ball': balls, 'bunny, ball': [bunny, balls[1]] })) {
    pairs[name] = await withPeer(meshes, sizes);
    printPair(name, pairs[name]);
  }
  const others = {
    'k-DOP trees, ball, ball': balls.map((mesh) => build(mesh, { format: 'kdop' })),
    'geometry images, bunny, blob': ['bunny', 'blob'].map((name) => build(sample(name), { size: quick ? 33 : 257 })),
  };
  /** @type {Record<string, Awaited<ReturnType<typeof alone>>>} */
  const kinds = {};
  for (const [name, assets] of Object.entries(others)) kinds[name] = await alone(assets, sizes);
  printTable(
    `${PAGE}, us a pose`,
    Object.fromEntries(
      Object.entries(kinds).map(([name, { us, clear, ...kind }]) => {
        return [name, { ...us, told: `${kind['distances told']} of ${clear}` }];
      }),
    ),
  );
  const rest = await atRest(
    balls.map((mesh) => build(mesh, { format: 'obb' })),
    sizes,
  );
  const { full, visits, ...once } = rest.ms;
  printTable('OBB trees, ball, ball, ms', { full, visits });
  for (const [name, ms] of Object.entries(once)) console.log(`${name}: ${ms} ms`);
  const html = readFileSync(new URL('../dist/viewer/page.html', import.meta.url));
  const page = { bytes: html.length, gzip: gzipSync(html, { level: 9 }).length };
  console.log(`the page without data: ${page.bytes} bytes, ${page.gzip} compressed`);
  const browser = await inBrowser(balls, { quick });
  if ('skipped' in browser) console.log(`without a browser: ${browser.skipped}`);
  keep({ pairs, kinds, rest, page, browser });
}

/** @param {string} name @param {Awaited<ReturnType<typeof withPeer>>} pair */
function printPair(name, pair) {
  const { triangles, poses, us, 'us of the first drag': first, ...rest } = pair;
  printTable(`${name}, us a pose`, us);
  printTable(`${name}, the first drag`, first);
  console.log(`  ${triangles.join(' and ')} triangles, ${poses} poses; ${JSON.stringify(rest)}`);
}
