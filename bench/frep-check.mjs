// Two F-reps: time and cells of a query, beside the F-rep paper's own subdivision and the random
// search of its section 2. Also the paper's claim of constant time, measured. The picture is
// frep-constant-time.svg, by frep-plot.mjs.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", conclusion: "the object collision was detected in a constant time for collisions of
// different complexity and the time spread in the tests was below 1% of the given time", since "it
// is required to have equal number of levels of object space subdivision and, therefore, equal
// computation time".
//
// Results at 2^6 cells an axis, over 288 positions of six pairs (in contact deeply and barely, just
// clear and clear; slices as printed and gicollide's; up to the first contact and over all cells):
//
// - Equal levels bound the depth of the recursion, not the number of cells. For one pair, the
//   number deviates by 30 to 200 % of its mean over positions of one kind, and so does the time.
//   The first contact may be in any cell (slices: 1 to 8,600 cells). All cells count the surface of
//   the common part (1 to 62,000). The worst case, just clear, is no more constant: 77 % for
//   slices, 38 % for octants. No arrangement had a spread of 1 %.
// - The cells of a repeated query are exactly constant. The time of a cell in one pair is roughly
//   constant. The cells explain 0.79 to 0.94 of the time's variance in a pair on a busy machine.
//   Over all pairs they explain 0.6 to 0.75, because a cell costs 0.4 us with two balls and 4 us
//   with 100 perturbations on each side.
// - By the gap between the objects, the cells of the paper's tests are not constant either: a tenth
//   of the gap takes ten times as many with octants, and 30 to 130 times with slices. With mixes
//   (separation.ts) it takes 30 to 90 more for any gap, the closest to constant time.
// - "The collision is always detected": without mixes, half of the queries of a gap or a depth of
//   10^-3 end undecided at 2^10 cells an axis. The random search is faster than gicollide if the
//   objects overlap deeply. It misses a fifth to a quarter of contacts 10^-4 deep with N = 1000,
//   and half to nearly all at 10^-6, more on the minimum itself than on the R-conjunction.
//   gicollide missed none. A clear pair costs the random search all of its N searches. Thin objects
//   are no problem for it: it finds needles that cross.
// - F-reps in time: the time of first contact is known to a millionth after some thousand cells, in
//   the time of some hundred checks. Nothing between frames is missed.
//
//   npm run bench -- frep
import { check, compose, impactOfFreps, rotation, translation } from 'gicollide';
import { randomSearch } from '#src/representations/frep/search/random';
import { approaches, asset, cube, hedgehog, model, OURS, PAIRS, query, SEED, search, timed } from './frep-inputs.mjs';
import { direction, nearContactPoses, randomTurn, seeded, shift } from './inputs.mjs';
import { digits, mean, median, printTable } from './race.mjs';

/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./frep-inputs.mjs').Pair} Pair */
/** @typedef {import('./frep-inputs.mjs').Options} Options */
/** @typedef {Record<string, string | number | null>} Line of a table */

/**
 * How much is measured.
 *
 * @typedef {object} Extent
 * @property {readonly string[]} pairs
 * @property {readonly string[]} constant pairs of the claim of constant time
 * @property {number} poses
 * @property {number} ways
 * @property {number} budget milliseconds of a contestant over the poses of a pair; it is skipped
 *   where the coarser one says it takes longer
 * @property {number} smallest exponent of the gaps and depths
 * @property {number} many poses of `thousand`
 */

const CONSTANT = [
  'two balls',
  'spheres, 10 perturbations',
  'spheres, 100 perturbations',
  'two tori',
  'flanges',
  'asteroid, kidney',
];

/** @type {Extent} */
const WHOLE = {
  pairs: Object.keys(PAIRS),
  constant: CONSTANT,
  poses: 16,
  ways: 12,
  budget: 1500,
  smallest: 10,
  many: 1000,
};
/** @type {Extent} */
const QUICK = {
  pairs: ['two balls', 'flanges'],
  constant: ['two balls'],
  poses: 2,
  ways: 2,
  budget: 20,
  smallest: 2,
  many: 20,
};

// ------------------------------------------------------------------------------------------- speed

/** @typedef {(pair: Pair, pose: Pose) => { verdict: string, visits: number }} Contestant */

/** @type {(options: Options) => Contestant} */
const bySearch = (options) => (pair, pose) => {
  const { verdict, tests } = search(pair, pose, options);
  return { verdict, visits: tests.bounds };
};

/** Of the region's edges: where a random search's trial ends. */
const ACCURACY = 1e-6;

/** @type {(trials: number) => Contestant} */
const byRandom =
  (trials) =>
  ([a, b], pose) => {
    const { point, evaluations } = randomSearch(a, b, query(pose), { trials, accuracy: ACCURACY });
    return { verdict: point ? 'contact' : 'not found', visits: evaluations };
  };

/** @type {Record<string, Contestant>} */
const CONTESTANTS = {
  'octants, mixes': bySearch(OURS),
  octants: bySearch({ ...OURS, mixes: false }),
  'slices, 6': bySearch({ ...SEED, resolution: 6 }),
  'slices, 8': bySearch({ ...SEED, resolution: 8 }),
  'slices, 10': bySearch({ ...SEED, resolution: 10 }),
  'random, 100': byRandom(100),
  'random, 1000': byRandom(1000),
  'random, 10000': byRandom(10_000),
};

/**
 * What tells how long a contestant will take, and how many times as long as that.
 *
 * @type {Record<string, [string, number]>}
 */
const COARSER = {
  'slices, 8': ['slices, 6', 16],
  'slices, 10': ['slices, 8', 16],
  'random, 1000': ['random, 100', 10],
  'random, 10000': ['random, 1000', 10],
};

/**
 * One contestant in the poses of a pair. Even poses are clear, odd ones in contact.
 *
 * @param {Contestant} contestant
 * @param {Pair} pair
 * @param {readonly Pose[]} poses
 * @param {number} budget
 */
function contend(contestant, pair, poses, budget) {
  const results = [];
  const start = performance.now();
  for (const [i, pose] of poses.entries()) {
    // One clear and one in contact at least.
    if (i > 1 && i % 2 === 0 && performance.now() - start > budget) break;
    results.push({ ...timed(() => contestant(pair, pose), 5), isContact: i % 2 === 1 });
  }
  for (const { answer, isContact } of results) {
    if (isContact ? answer.verdict === 'clear' : answer.verdict === 'contact') throw new Error('a wrong verdict');
  }
  return {
    time: digits(median(results.map((x) => x.time))),
    visits: median(results.map((x) => x.answer.visits)),
    poses: results.length,
    undecided: results.filter((x) => x.answer.verdict === 'undecided').length,
    missed: results.filter((x) => x.answer.verdict === 'not found' && x.isContact).length,
    clear: digits(median(results.filter((x) => !x.isContact).map((x) => x.time))),
  };
}

/** @param {Extent} extent */
function speed({ pairs, poses: count, budget }) {
  /** @type {Record<string, Record<string, ReturnType<typeof contend>>>} */
  const table = {};
  for (const name of pairs) {
    const pair = PAIRS[name];
    const poses = nearContactPoses(pair[0], pair[1], count, 2004);
    /** @type {Record<string, ReturnType<typeof contend>>} */
    const line = {};
    for (const [contestant, run] of Object.entries(CONTESTANTS)) {
      const [coarser, times] = COARSER[contestant] ?? [];
      const expected = coarser && times ? (line[coarser]?.clear ?? Number.POSITIVE_INFINITY) * times : 0;
      if (expected > 1000 * budget) continue;
      if (expected < 1e5) timed(() => run(pair, poses[0]), 5); // warms up
      line[contestant] = contend(run, pair, poses, budget);
    }
    table[name] = line;
  }
  /**
   * @param {string} title
   * @param {(result: ReturnType<typeof contend>) => string | number | null} of
   */
  const print = (title, of) => {
    const lines = Object.entries(table).map(([name, line]) => {
      return [name, Object.fromEntries(Object.keys(CONTESTANTS).map((key) => [key, line[key] ? of(line[key]) : null]))];
    });
    printTable(title, Object.fromEntries(lines));
  };
  console.log('near contact, 10^-3 clear or deep; slices: resolution, random: N');
  print('median us', (x) => x.time);
  print('of the clear ones', (x) => x.clear);
  print('cells, or evaluations', (x) => x.visits);
  print('undecided or not found', (x) => `${x.undecided + x.missed} / ${x.poses}`);
  return table;
}

// ----------------------------------------------------------------------------------- constant time

const RESOLUTION = 6;
/** @type {Record<string, Options & { all: boolean }>} */
const VARIANTS = {
  'slices, first': { ...SEED, resolution: RESOLUTION, all: false },
  'slices, all': { ...SEED, resolution: RESOLUTION, all: true },
  'octants, first': { ...OURS, resolution: RESOLUTION, all: false },
  'octants, all': { ...OURS, resolution: RESOLUTION, all: true },
};

/** @param {readonly number[]} values */
function spread(values) {
  const sorted = values.toSorted((x, y) => x - y);
  const middle = mean(values);
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (values.length - 1));
  return {
    min: digits(sorted[0]),
    median: digits(sorted[sorted.length >> 1]),
    '95 %': digits(sorted[Math.floor(0.95 * (sorted.length - 1))]),
    max: digits(sorted[sorted.length - 1]),
    'deviation, %': digits((100 * deviation) / middle),
  };
}

/**
 * How much of y's variance a line in x explains.
 *
 * @param {readonly number[]} x
 * @param {readonly number[]} y
 */
function explained(x, y) {
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (const [i, v] of x.entries()) {
    xx += (v - mx) ** 2;
    yy += (y[i] - my) ** 2;
    xy += (v - mx) * (y[i] - my);
  }
  return xy ** 2 / (xx * yy);
}

/** @type {Record<string, (end: number, random: () => number) => number>} */
const KINDS = {
  'in contact, deep': (end, random) => end * (0.3 + 0.6 * random()),
  'in contact, barely': (end) => end - 1e-3,
  'just clear': (end) => end + 1e-3,
  clear: (end, random) => end + 0.02 + 0.3 * random(),
};

/** @typedef {{ pair: string, kind: string, visits: number, time: number }} Sample */

/** Of every variant at every position, pair and kind. @param {Extent} extent */
function samplesOf({ constant, ways: count }) {
  /** @type {Record<string, Sample[]>} */
  const samples = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, []]));
  const random = seeded(2800);
  for (const pair of constant) {
    const ways = approaches(PAIRS[pair], count, 4);
    for (const [kind, place] of Object.entries(KINDS)) {
      for (const { at, end } of ways) {
        const pose = at(place(end, random));
        for (const [name, options] of Object.entries(VARIANTS)) {
          // The least of the times: other programs on the machine only add.
          const { answer, least } = timed(() => search(PAIRS[pair], pose, options, options.all), 7, 120);
          samples[name].push({ pair, kind, visits: answer.tests.bounds, time: least });
        }
      }
    }
  }
  return samples;
}

/** @param {readonly Sample[]} list */
const visitsOf = (list) => list.map((x) => x.visits);
/** @param {readonly Sample[]} list */
const timesOf = (list) => list.map((x) => x.time);

/**
 * Constancy of the time in a variant's samples. Deviations are in a pair: what is left of the
 * spread when the objects are the same.
 *
 * @param {readonly Sample[]} list
 * @param {readonly string[]} pairs
 */
function constancy(list, pairs) {
  const byPair = pairs.map((pair) => list.filter((x) => x.pair === pair));
  const nsPerVisit = byPair.map((some) =>
    digits(median(some.filter((x) => x.visits > 50).map((x) => (1000 * x.time) / x.visits))),
  );
  const byKind = Object.keys(KINDS).map((kind) => {
    const inPairs = byPair.map((some) => some.filter((x) => x.kind === kind));
    /** @param {(list: readonly Sample[]) => number[]} of */
    const deviation = (of) => digits(median(inPairs.map((some) => Number(spread(of(some))['deviation, %']))));
    return /** @type {const} */ ([
      kind,
      {
        'visits, median': digits(median(visitsOf(inPairs.flat()))),
        'visits, deviation in a pair, %': deviation(visitsOf),
        'time, deviation in a pair, %': deviation(timesOf),
      },
    ]);
  });
  return {
    visits: spread(visitsOf(list)),
    time: spread(timesOf(list)),
    explained: digits(explained(visitsOf(list), timesOf(list))),
    explainedInPair: digits(median(byPair.map((some) => explained(visitsOf(some), timesOf(some))))),
    nsPerVisit: Object.fromEntries(pairs.map((pair, i) => [pair, nsPerVisit[i]])),
    byKind: Object.fromEntries(byKind),
  };
}

/** One query, again and again. @param {number} rounds of which the first sixth warms up */
function again(rounds) {
  const pair = PAIRS['asteroid, kidney'];
  const [{ at, end }] = approaches(pair, 1, 4);
  const runs = Array.from({ length: rounds }, () =>
    timed(() => search(pair, at(end + 1e-3), VARIANTS['slices, first']), 1),
  );
  return {
    visits: spread(runs.map((x) => x.answer.tests.bounds)),
    time: spread(runs.slice(rounds / 6).map((x) => x.time)),
  };
}

/** @param {Extent} extent */
function constantTime(extent) {
  const { constant } = extent;
  const samples = samplesOf(extent);
  const variants = Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, constancy(list, constant)]));
  const once = again(25 * extent.ways);
  console.log(
    `\nconstant time? 2^${RESOLUTION} cells an axis, ${samples['slices, all'].length} queries of ${constant.join('; ')}`,
  );
  /** @param {(variant: ReturnType<typeof constancy>) => Line} of */
  const lines = (of) => Object.fromEntries(Object.entries(variants).map(([name, variant]) => [name, of(variant)]));
  printTable('cells visited', { ...lines((x) => x.visits), 'slices, one query again': once.visits });
  printTable('microseconds', { ...lines((x) => x.time), 'slices, one query again': once.time });
  printTable(
    'R^2 of time by visits; ns a visit',
    lines((x) => ({ all: x.explained, 'in a pair': x.explainedInPair, ...x.nsPerVisit })),
  );
  for (const [name, { byKind }] of Object.entries(variants)) printTable(name, byKind);
  /** Cells and microseconds, for the picture. @param {Sample[]} list */
  const points = (list) => list.map(({ visits, time }) => [visits, digits(time)]);
  return {
    resolution: RESOLUTION,
    ...variants,
    again: once,
    samples: Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, points(list)])),
  };
}

// -------------------------------------------------------------------------------------------- gaps

const MOST_VISITS = 2e6;

/** @type {Record<string, (pair: Pair, pose: Pose) => ReturnType<typeof search>>} */
const UNTIL_PROVED = {
  'octants, mixes': (pair, pose) => search(pair, pose, { ...OURS, resolution: 20 }),
  octants: (pair, pose) => search(pair, pose, { ...OURS, mixes: false, resolution: 20 }),
  // At the least resolution that decides, which nobody knows beforehand.
  slices(pair, pose) {
    for (let resolution = 2; ; resolution++) {
      const outcome = search(pair, pose, { ...SEED, resolution });
      if (outcome.verdict !== 'undecided' || outcome.tests.bounds > MOST_VISITS) return outcome;
    }
  },
};

/** @param {Extent} extent */
function gaps({ ways: count, smallest }) {
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const pair of ['two balls', 'spheres, 10 perturbations']) {
    const ways = approaches(PAIRS[pair], Math.min(8, count), 10);
    for (const [name, run] of Object.entries(UNTIL_PROVED)) {
      /** @type {Record<string, number>} */
      const line = {};
      for (let exponent = 1; exponent <= smallest; exponent++) {
        const outcomes = ways
          .slice(0, name === 'slices' ? 4 : 8)
          .map(({ at, end }) => run(PAIRS[pair], at(end + 10 ** -exponent)));
        const visits = median(outcomes.map((x) => x.tests.bounds));
        if (outcomes.some((x) => x.verdict === 'contact')) throw new Error('no contact was expected');
        const clear = outcomes.filter((x) => x.verdict === 'clear').length;
        if (clear < outcomes.length) break;
        line[`1e-${exponent}`] = visits;
        if (visits > MOST_VISITS / 20) break;
      }
      table[`${pair}: ${name}`] = line;
    }
  }
  console.log('\ncells visited by the gap, median of 8 poses (slices: of 4); until they are 100,000');
  printTable('gap', table);
  return table;
}

// ------------------------------------------------------------------------------------------ missed

/** N, and whether on the smooth function. @type {Record<string, [number, boolean]>} */
const SEARCHES = {
  'random, 100': [100, true],
  'random, 1000': [1000, true],
  'random, 10000': [10_000, true],
  'random, 1000, on min': [1000, false],
};

/** @typedef {{ pair: Pair, pose: Pose }} Contact of which it is known */

/**
 * The part of some contacts that each search misses, and its microseconds.
 *
 * @param {readonly Contact[]} contacts
 * @param {number} budget
 */
function missedOf(contacts, budget) {
  const ours = contacts.map(({ pair, pose }) => {
    const { answer, time } = timed(() => search(pair, pose, { ...OURS, resolution: 20 }), 3);
    if (answer.verdict === 'clear') throw new Error('contact expected');
    return { isMissed: answer.verdict !== 'contact', time };
  });
  /** @type {Line} */
  const line = {
    ours: ours.filter((x) => x.isMissed).length / contacts.length,
    'ours, us': digits(median(ours.map((x) => x.time))),
  };
  for (const [contestant, [count, isSmooth]] of Object.entries(SEARCHES)) {
    const times = [];
    let misses = 0;
    const start = performance.now();
    for (const { pair, pose } of contacts) {
      if (performance.now() - start > 6 * budget) break;
      const { answer, time } = timed(
        () => randomSearch(pair[0], pair[1], query(pose), { trials: count, accuracy: ACCURACY, isSmooth }),
        1,
      );
      if (!answer.point) misses++;
      times.push(time);
    }
    if (2 * times.length < contacts.length) continue;
    line[contestant] = digits(misses / times.length, 2);
    line[`${contestant}, us`] = digits(median(times));
  }
  return line;
}

/**
 * Contacts by depth.
 *
 * @param {Pair} pair
 * @param {readonly number[]} exponents
 * @param {number} count
 * @returns {Record<string, Contact[]>}
 */
function byDepth(pair, exponents, count) {
  const ways = approaches(pair, count, 14);
  return Object.fromEntries(
    exponents.map((e) => [`1e-${e}`, ways.map(({ at, end }) => ({ pair, pose: at(end - 10 ** -e) }))]),
  );
}

/**
 * Needles that cross, by half their thickness: a point of one's axis lies on the other's.
 *
 * @param {number} count
 * @returns {Record<string, Contact[]>}
 */
function needles(count) {
  return Object.fromEntries(
    [1, 2, 3, 4].map((e) => {
      const random = seeded(3);
      const needle = model({ ellipsoid: { radii: [0.5, 10 ** -e, 10 ** -e] } });
      const contacts = Array.from({ length: count }, () => {
        const turn = rotation(...direction(random), 360 * random());
        const [s, t] = [0.8 * random() - 0.4, 0.8 * random() - 0.4];
        const pose = compose(translation(t - s * turn[0], -s * turn[4], -s * turn[8]), turn);
        return { pair: [needle, needle], pose };
      });
      return [`1e-${e}`, contacts];
    }),
  );
}

/** @param {Extent} extent */
function missed({ ways, smallest, budget }) {
  const isWhole = smallest > 8;
  /** @param {readonly number[]} exponents */
  const within = (exponents) => exponents.filter((e) => e <= smallest);
  /** @param {number} count */
  const some = (count) => (isWhole ? count : ways);
  const cases = {
    'two balls': byDepth(PAIRS['two balls'], within([1, 2, 3, 4, 5, 6, 7, 8]), some(32)),
    'two hedgehogs': byDepth([hedgehog(40, 1), hedgehog(40, 2)], within([1, 2, 3, 4, 6]), some(20)),
    'two flanges': byDepth(PAIRS.flanges, within([1, 2, 3, 4, 6]), some(20)),
    'two needles that cross': needles(some(32)),
  };
  return Object.fromEntries(
    Object.entries(cases).map(([name, bySize]) => {
      const lines = Object.entries(bySize).map(([size, contacts]) => [size, missedOf(contacts, budget)]);
      const table = /** @type {Record<string, Line>} */ (Object.fromEntries(lines));
      printTable(`${name}: part of contacts missed`, table);
      return [name, { poses: Object.values(bySize)[0].length, ...table }];
    }),
  );
}

// -------------------------------------------------------------------------------- a thousand poses

/** @param {Extent} extent */
function thousand({ pairs, many }) {
  /** @type {Record<string, Line>} */
  const table = {};
  const asked = ['asteroid, kidney', 'flanges', 'vase, chain', 'spheres, 300 perturbations', 'noise spheres'];
  for (const name of asked.filter((each) => pairs.includes(each))) {
    const [a, b] = PAIRS[name];
    const random = seeded(1000);
    const poses = Array.from({ length: many }, () =>
      compose(shift(direction(random), 1.5 * random()), randomTurn(random)),
    );
    /** @param {import('gicollide').CheckOptions} [options] */
    const run = (options) => {
      const start = performance.now();
      const verdicts = poses.map((poseB) => check(a, b, { poseB, ...options }).verdict);
      return { verdicts, us: (1000 * (performance.now() - start)) / many };
    };
    for (const poseB of poses.slice(0, 100)) check(a, b, { poseB });
    const runs = [run(), run(), run()];
    const us = median(runs.map((x) => x.us));
    table[name] = {
      'poses a second': Math.round(1e6 / us),
      'us a pose': digits(us),
      'of which placing and the first cell': digits(median([0, 1, 2].map(() => run({ level: 0 }).us))),
      'in contact': runs[0].verdicts.filter((x) => x === 'contact').length,
      undecided: runs[0].verdicts.filter((x) => x === 'undecided').length,
    };
  }
  printTable(`${many} poses, as far as 1.5 away, by check`, table);
  return table;
}

// ------------------------------------------------------------------------------------------- time

/** @typedef {import('gicollide').FrepObject} FrepObject */

/**
 * F-reps that depend on time, what they come to, and how far apart the two may be.
 *
 * @returns {Record<string, { a: FrepObject, b: FrepObject, reach: number }>}
 */
function timedPairs() {
  const ball = model({ sphere: { radius: 0.3 } });
  return {
    'growing ball, ball': {
      a: model({ quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, [0.01, 0.2, 1]] }, cube(1.2)),
      b: ball,
      reach: 1.4,
    },
    'flying ellipsoid, kidney': {
      a: model({ ellipsoid: { radii: [0.3, 0.2, 0.2] }, velocity: [2, 0, 0] }),
      b: asset('kidney'),
      reach: 2,
    },
    'swell, ball': { a: asset('swell'), b: model({ sphere: { radius: 0.075 } }), reach: 0.3 },
  };
}

/**
 * The first time that two touch, to a millionth of the time; and what checks of as many frames
 * would take.
 *
 * @param {Extent} extent
 */
function inTime({ poses: count }) {
  /** @type {Record<string, Line>} */
  const table = {};
  for (const [name, { a, b, reach }] of Object.entries(timedPairs())) {
    const random = seeded(26);
    const poses = Array.from({ length: count }, () => shift(direction(random), reach * random()));
    const runs = poses.map((poseB) => timed(() => impactOfFreps(a, b, { poseB }), 5, 300));
    const frame = median(poses.map((poseB) => timed(() => check(a, b, { poseB }), 5).time));
    /** @param {string} verdict */
    const of = (verdict) => runs.filter((x) => x.answer.verdict === verdict).length;
    table[name] = {
      'ms, median': digits(median(runs.map((x) => x.time)) / 1000),
      'cells, median': median(runs.map((x) => x.answer.tests.bounds)),
      searches: median(runs.map((x) => x.answer.tests.times)),
      'clear, contact, undecided': ['clear', 'contact', 'undecided'].map(of).join(', '),
      '2^20 frames, s': digits((frame * 2 ** 20) / 1e6),
    };
  }
  printTable('when two first touch, to 2^-20 of the time', table);
  return table;
}

/** @param {import('./race.mjs').Run} run */
export default function frep({ quick, keep }) {
  const extent = quick ? QUICK : WHOLE;
  keep({
    speed: speed(extent),
    constant: constantTime(extent),
    gaps: gaps(extent),
    missed: missed(extent),
    thousand: thousand(extent),
    inTime: inTime(extent),
  });
}
