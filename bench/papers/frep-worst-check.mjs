// Figure 2, the worst case: two interlocked solids that don't touch, while their bounding boxes and
// spheres overlap; asked by our search, by slices, by the paper's own search and by the random one.
// And the random search's counts on the noisy spheres of section 2.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", Figure 2 (no numbers), sections 1 and 2. The solids of the figure are not given; these are
// two rings of quadrics, two tori, and two hooks of perturbations.
//
//   npm run bench -- papers/frep-worst
import { boundsOf, compose, rotation, translation } from 'gicollide';
import { randomSearch } from '#src/representations/frep/search/random';
import { approaches, cube, model, OURS, PAIRS, paperSearch, query, SEED, search, timed } from '../frep-inputs.mjs';
import { digits, median, printTable } from '../race.mjs';

/** @typedef {import('../frep-inputs.mjs').Pair} Pair */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {{ answer: string, cells: number, us: number, tests?: string }} Told */

const PAPER = { figure: 2, sections: '1 and 2', worst: 1000, collision: 106, 'worst, s': 1.07, 'collision, s': 0.07 };

const RESOLUTION = 6;
const TRIALS = 1000;
const ACCURACY = 2 ** -10;

// ------------------------------------------------------------------------------------------ solids

/** A ring about z: hole of radius 0.6, outer radius 1. */
const ring = model({
  difference: [{ cylinder: { radius: 1, height: 0.4 } }, { cylinder: { radius: 0.6 } }],
});

const torus = model({ torus: { major: 0.75, minor: 0.25 } });

/** Bulges along three quarters of a circle about z; without them there is no solid. */
const hook = model(
  {
    quadric: [0, 0, 0, 0, 0, 0, 0, 0, 0, -1],
    perturbations: Array.from({ length: 9 }, (_, i) => {
      const angle = (Math.PI * (45 + (270 * i) / 8)) / 180;
      const center = [0.75 * Math.cos(angle), 0.75 * Math.sin(angle), 0];
      return { amount: 3, by: { ellipsoid: { radii: [0.36, 0.36, 0.36], center } } };
    }),
  },
  cube(1.2),
);

/** What each is, how far b is from the middle of a where it is in the middle of the hole. */
const SOLIDS = {
  'rings of quadrics': { solid: ring, offset: 0.8 },
  'tori, degree 4': { solid: torus, offset: 0.75 },
  'hooks of perturbations': { solid: hook, offset: -0.75 },
};

/** Turned about x, so that it goes through the hole; about z, so that a hook holds. */
const THROUGH = compose(rotation(1, 0, 0, 90), rotation(0, 0, 1, 180));

/**
 * b on its way out of a's hole, along x, and where it first touches: by bisection with our search.
 *
 * @param {Pair} pair
 * @param {number} offset
 */
function wayOut(pair, offset) {
  const out = Math.sign(offset);
  /** @param {number} s */
  const at = (s) => compose(translation(offset + out * s, 0, 0), THROUGH);
  /** @param {number} s */
  const isContact = (s) => search(pair, at(s), { ...OURS, resolution: 20 }).verdict === 'contact';
  if (isContact(0)) throw new Error('clear was expected in the middle');
  let [free, touching] = [0, 0.4];
  if (!isContact(touching)) throw new Error('contact was expected');
  while (touching - free > 1e-9) {
    const middle = (free + touching) / 2;
    if (isContact(middle)) touching = middle;
    else free = middle;
  }
  return { at, end: touching };
}

/**
 * The share of the smaller box inside of the other, and the distance of the centers of the bounding
 * spheres, in sums of their radii.
 *
 * @param {import('gicollide').FrepObject} solid
 * @param {Pose} pose
 */
function volumes(solid, pose) {
  const [a, b] = [boundsOf(solid), boundsOf(solid, pose)];
  const edges = (/** @type {any} */ box) => [0, 1, 2].map((k) => box.high[k] - box.low[k]);
  const shared = [0, 1, 2].map((k) => Math.max(0, Math.min(a.high[k], b.high[k]) - Math.max(a.low[k], b.low[k])));
  const volume = (/** @type {number[]} */ [x, y, z]) => x * y * z;
  const apart = Math.hypot(...[0, 1, 2].map((k) => (a.high[k] + a.low[k] - b.high[k] - b.low[k]) / 2));
  const radius = (/** @type {any} */ box) => Math.hypot(...edges(box)) / 2;
  return {
    boxes: digits(volume(shared) / Math.min(volume(edges(a)), volume(edges(b)))) ?? 0,
    spheres: digits(apart / (radius(a) + radius(b))) ?? 0,
  };
}

// ---------------------------------------------------------------------------------------- searches

/** @type {Record<string, (pair: Pair, pose: Pose) => Omit<Told, 'us'>>} */
const SEARCHES = {
  ours(pair, pose) {
    const { verdict, tests } = search(pair, pose, OURS);
    return { answer: verdict, cells: tests.bounds };
  },
  'slices, our bounds'(pair, pose) {
    const { verdict, tests } = search(pair, pose, { ...SEED, resolution: RESOLUTION });
    return { answer: verdict, cells: tests.bounds };
  },
  "the paper's way"(pair, pose) {
    const { answer, cells, tests } = paperSearch(pair, pose, { resolution: RESOLUTION });
    return { answer, cells, tests: `${tests.quadric}, ${tests.freeform}, ${tests.perturbation}` };
  },
  'random search'([a, b], pose) {
    const { answer, evaluations, trials } = randomSearch(a, b, query(pose), { trials: TRIALS, accuracy: ACCURACY });
    return { answer, cells: evaluations, tests: `${trials} trials` };
  },
};

/**
 * @param {string} name
 * @param {readonly number[]} gaps above 0 clear, below in contact
 * @param {number} rounds
 */
function interlocked(name, gaps, rounds) {
  const { solid, offset } = SOLIDS[/** @type {keyof typeof SOLIDS} */ (name)];
  /** @type {Pair} */
  const pair = [solid, solid];
  const { at, end } = wayOut(pair, offset);
  // Warms up.
  for (const ask of Object.values(SEARCHES)) for (const gap of [end, -0.1]) ask(pair, at(end - gap));
  const places = [end, ...gaps].map((gap) => {
    const pose = at(end - gap);
    /** @type {Record<string, Told>} */
    const told = {};
    for (const [way, ask] of Object.entries(SEARCHES)) {
      const { answer, least } = timed(() => ask(pair, pose), rounds, 300);
      told[way] = { ...answer, us: digits(least) ?? 0 };
    }
    // Not a distance: how far b is along its way from where it touches.
    return { gap: digits(gap) ?? 0, truth: gap > 0 ? 'clear' : 'contact', volumes: volumes(solid, pose), told };
  });
  return places;
}

// ----------------------------------------------------------------------------------- noisy spheres

/**
 * The random search's trials by depth: two spheres with noise.
 *
 * @param {number} ways
 * @param {readonly number[]} gaps
 */
function noisy(ways, gaps) {
  const pair = PAIRS['noise spheres'];
  const paths = approaches(pair, ways, 14);
  return gaps.map((gap) => {
    const found = paths.map(({ at, end }) =>
      timed(() => randomSearch(pair[0], pair[1], query(at(end + gap)), { trials: TRIALS, accuracy: ACCURACY }), 1),
    );
    const trials = found.map(({ answer }) => answer.trials);
    return {
      ...{ gap, positions: ways, found: found.filter(({ answer }) => answer.answer === 'found').length },
      ...{ least: Math.min(...trials), median: median(trials), most: Math.max(...trials) },
      ...{ evaluations: median(found.map(({ answer }) => answer.evaluations)) },
      ms: digits(Math.min(...found.map(({ least }) => least)) / 1000) ?? 0,
    };
  });
}

/** @param {import('../race.mjs').Run} run */
export default function frepWorst({ quick, keep }) {
  const rounds = quick ? 1 : 7;
  const gaps = quick ? [0.01, -0.01] : [0.1, 0.03, 0.01, 0.001, -0.001, -0.01, -0.03, -0.1];
  const cases = Object.fromEntries(Object.keys(SOLIDS).map((name) => [name, interlocked(name, gaps, rounds)]));
  const noise = noisy(quick ? 2 : 24, quick ? [0.01] : [-0.3, -0.1, -0.01, -0.001, -0.0001, 0.01]);
  for (const [name, places] of Object.entries(cases)) {
    const lines = places.flatMap(({ gap, truth, told }) =>
      Object.entries(told).map(([way, line]) => [`${gap} ${truth}: ${way}`, line]),
    );
    printTable(name, Object.fromEntries(lines));
  }
  printTable(
    'random search of noisy spheres: start points',
    Object.fromEntries(noise.map(({ gap, ...line }) => [String(gap), line])),
  );
  keep({ runs: rounds, paper: PAPER, resolution: RESOLUTION, trials: TRIALS, cases, noise });
}
