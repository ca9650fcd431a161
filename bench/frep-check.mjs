// Two F-reps: the time and the cells of a query beside the seed's own subdivision and the random search of its section 2; and the seed's claim
// of constant time, measured. The picture: frep-constant-time.svg, by frep-plot.mjs.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant Time", conclusion: "the object collision was
// detected in a constant time for collisions of different complexity and the time spread in the tests was below 1% of the given time", since
// "it is required to have equal number of levels of object space subdivision and, therefore, equal computation time".
//
// What we find, at 2^6 cells an axis, over 288 positions of six pairs (in contact deeply and barely, just clear and clear; its slices as printed and
// ours; up to the first contact and over all cells):
//
//   * Equal levels bound the depth of the recursion, not the number of cells. Of one pair of objects that number deviates by 30 to 200 % of its
//     mean over positions of one kind, and the time does as much: up to the first contact because it may be met in any cell (slices: 1 to 8,600
//     cells), over all cells because they count the surface of what the objects share (1 to 62,000). The worst case, just clear, is no more
//     constant than the rest: 77 % for slices, 38 % for octants. In no arrangement did we see a spread of 1 %.
//   * What is constant: the cells of one query asked again, exactly; and, roughly, the time of a cell in one pair of objects. The cells explain
//     0.79 to 0.94 of the time's variance in a pair, on a busy machine, and 0.6 to 0.75 over all pairs, because a cell costs 0.4 us with two balls
//     and 4 us with 100 perturbations on either side.
//   * By the gap between the objects the cells of the seed's tests are not constant either: ten times as many for a tenth of the gap with
//     octants, 30 to 130 times with slices. With mixes (separation.ts) it is 30 to 90 more, whatever the gap: that is as near to constant time
//     as this gets.
//   * "The collision is always detected": without mixes half of the queries of a gap or a depth of 10^-3 end undecided at 2^10 cells an axis.
//     The random search is quicker than ours where the objects overlap deeply. Of contacts 10^-4 deep it misses a fifth to a quarter with
//     N = 1000, at 10^-6 half to nearly all, more on the minimum itself than on the R-conjunction; ours missed none. What is clear costs it
//     all of its N searches. Thinness alone does not trouble it: needles that cross are found.
//
//   npm run bench -- frep [--record]
import { readFileSync } from 'node:fs';
import { check, compose, identity, rotation, translation } from 'gicollide';
import { compileFrep } from '../dist/representations/frep/build/compile.js';
import { readFrep } from '../dist/representations/frep/build/model.js';
import { searchCells } from '../dist/representations/frep/search/descent.js';
import { evaluate } from '../dist/representations/frep/tree/evaluate.js';
import { randomSearch } from './frep-baseline.mjs';
import { drawPlot } from './frep-plot.mjs';
import { direction, keep, median, nearContactPoses, seeded } from './race.mjs';

const digits = (x, count = 3) => (x === null ? null : Number(x.toPrecision(count)));
const began = performance.now();
const progress = (text) => console.log(`\n${text} [${((performance.now() - began) / 1000).toFixed(0)} s]`);

// ------------------------------------------------------------------------------------------------ objects

const model = (object, domain) => compileFrep(readFrep(JSON.stringify({ object, ...(domain && { domain }) })));
const asset = (name) => compileFrep(readFrep(readFileSync(new URL(`../assets/${name}.frep.json`, import.meta.url))));
const ball = (radius) => model({ sphere: { radius } });
const cube = (half) => ({ min: [-half, -half, -half], max: [half, half, half] });

/** A sphere with hills and, every third, pits: the more, the smaller. */
function perturbed(count, seed) {
  const random = seeded(seed);
  const size = Math.min(0.5, 1.2 / Math.sqrt(count));
  const perturbations = Array.from({ length: count }, (_, i) => ({
    amount: (i % 3 === 2 ? -0.12 : 0.12) * (0.5 + random()),
    by: {
      ellipsoid: {
        center: direction(random).map((x) => 0.4 * x),
        radii: [0, 0, 0].map(() => size * (0.6 + 0.6 * random())),
      },
    },
  }));
  return model({ sphere: { radius: 0.4 }, perturbations }, cube(0.75));
}

/** A sphere with thin spikes, which are perturbations too. */
function hedgehog(count, seed) {
  const random = seeded(seed);
  const perturbations = Array.from({ length: count }, () => ({
    amount: 0.4,
    by: { sphere: { radius: 0.1 }, scale: [0.5, 0.5, 3], ...along(direction(random)) },
  }));
  return model({ sphere: { radius: 0.3 }, perturbations }, cube(0.75));
}

/** Turns the z axis to a direction, and moves there by 0.3. */
function along(d) {
  const degrees = (180 / Math.PI) * Math.acos(d[2]);
  return { rotate: { axis: [-d[1], d[0], 0], degrees }, translate: d.map((x) => 0.3 * x) };
}

const twice = (object) => [object, object];
const PAIRS = {
  'two balls': [ball(0.5), ball(0.3)],
  ...Object.fromEntries(
    [1, 3, 10, 30, 100, 300].map((n) => [`spheres, ${n} perturbations`, [perturbed(n, n), perturbed(n, 1000 + n)]]),
  ),
  'two tori': twice(model({ torus: { major: 0.35, minor: 0.12 } })),
  'noise spheres': twice(asset('noise-sphere')),
  flanges: twice(asset('flange')),
  'asteroid, kidney': [asset('asteroid'), asset('kidney')],
  'vase, chain': [asset('vase'), asset('chain')],
};

// ------------------------------------------------------------------------------------------------ queries

const OURS = { subdivision: 'octants', mixes: true, resolution: 10 };
const SEED = { subdivision: 'slices', mixes: false, resolution: 10 };
const UNMOVED = identity();
const query = (poseB, all = false) => ({ poseA: UNMOVED, poseB, all, maxContacts: 1e9, level: null });

function search(a, b, poseB, options, all) {
  const { resolution } = options;
  const outcome = searchCells({ ...a, resolution }, { ...b, resolution }, query(poseB, all), options);
  if (outcome.point) requireInside(a, b, poseB, outcome.point);
  return outcome;
}

/** That a proof of contact is one, to the rounding of plain evaluation. */
function requireInside(a, b, pose, point) {
  const d = point.map((x, k) => x - pose[4 * k + 3]);
  const local = [0, 1, 2].map((i) => pose[i] * d[0] + pose[4 + i] * d[1] + pose[8 + i] * d[2]);
  const least = Math.min(evaluate(a, ...point), evaluate(b, ...local));
  if (!(least >= -1e-9)) throw new Error(`a point of contact where a function is ${least}`);
}

/** What a query answers, and its microseconds: the median of `rounds`, or of those that began within `most` ms. */
function timed(run, rounds, most = 30) {
  const times = [];
  let answer;
  const start = performance.now();
  while (times.length < rounds && (times.length === 0 || performance.now() - start < most)) {
    const at = performance.now();
    answer = run();
    times.push(1000 * (performance.now() - at));
  }
  return { answer, time: median(times), least: Math.min(...times) };
}

/** The last distance along `at` at which the two touch, to 1e-13; 0 where they touch nowhere. */
function touch(a, b, at) {
  const isContact = (s) => search(a, b, at(s), { ...OURS, resolution: 20 }).verdict === 'contact';
  let [inside, outside] = [0, 2];
  if (!isContact(inside)) return 0;
  while (outside - inside > 1e-13) {
    const middle = (inside + outside) / 2;
    if (isContact(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}

/** Ways to bring b to a: functions of the distance, and where the bodies first touch when it comes from outside. */
function approaches(a, b, count, seed) {
  const random = seeded(seed);
  const ways = [];
  while (ways.length < count) {
    const turn = rotation(...direction(random), 360 * random());
    const d = direction(random);
    const at = (s) => compose(translation(...d.map((x) => s * x)), turn);
    const end = touch(a, b, at);
    if (end > 0) ways.push({ at, end });
  }
  return ways;
}

const row = {};

// ------------------------------------------------------------------------------------------------ speed

/** No contestant takes longer than this over the poses of a pair, milliseconds; it is skipped where the coarser one says that it will. */
const BUDGET = 1500;
const CONTESTANTS = {
  'octants, mixes': (a, b) => (pose) => bySearch(a, b, pose, OURS),
  octants: (a, b) => (pose) => bySearch(a, b, pose, { ...OURS, mixes: false }),
  ...Object.fromEntries(
    [6, 8, 10].map((resolution) => [
      `slices, ${resolution}`,
      (a, b) => (pose) => bySearch(a, b, pose, { ...SEED, resolution }),
    ]),
  ),
  ...Object.fromEntries(
    [100, 1000, 10_000].map((trials) => [
      `random, ${trials}`,
      (a, b) => (pose) => {
        const { point, evaluations } = randomSearch(a, b, query(pose), trials);
        return { verdict: point ? 'contact' : 'not found', visits: evaluations };
      },
    ]),
  ),
};

/** What tells how long a contestant will take. */
const COARSER = {
  'slices, 8': 'slices, 6',
  'slices, 10': 'slices, 8',
  'random, 1000': 'random, 100',
  'random, 10000': 'random, 1000',
};

function bySearch(a, b, pose, options) {
  const { verdict, tests } = search(a, b, pose, options);
  return { verdict, visits: tests.bounds };
}

function speed() {
  row.speed = {};
  for (const [name, [a, b]] of Object.entries(PAIRS)) {
    const poses = nearContactPoses(a, b, 16, 2004);
    const line = {};
    for (const [contestant, make] of Object.entries(CONTESTANTS)) {
      const coarser = COARSER[contestant];
      const expected = coarser ? (line[coarser]?.clear ?? Infinity) * (contestant.startsWith('slices') ? 16 : 10) : 0;
      if (expected > 1000 * BUDGET) continue;
      const run = make(a, b);
      if (expected < 1e5) timed(() => run(poses[0]), 5);
      const results = [];
      const start = performance.now();
      for (const [i, pose] of poses.entries()) {
        // One clear and one in contact at least.
        if (i > 1 && i % 2 === 0 && performance.now() - start > BUDGET) break;
        results.push({ ...timed(() => run(pose), 5), isContact: i % 2 === 1 });
      }
      for (const { answer, isContact } of results) {
        if (isContact ? answer.verdict === 'clear' : answer.verdict === 'contact') throw new Error(`${name}: wrong`);
      }
      const count = (verdict, isContact) =>
        results.filter((x) => x.answer.verdict === verdict && x.isContact === isContact).length;
      line[contestant] = {
        time: digits(median(results.map((x) => x.time))),
        visits: median(results.map((x) => x.answer.visits)),
        poses: results.length,
        undecided: count('undecided', true) + count('undecided', false),
        missed: count('not found', true),
        clear: digits(median(results.filter((x) => !x.isContact).map((x) => x.time))),
      };
    }
    row.speed[name] = line;
  }
  const table = (of) =>
    Object.fromEntries(
      Object.entries(row.speed).map(([name, line]) => [
        name,
        Object.fromEntries(Object.keys(CONTESTANTS).map((key) => [key, line[key] ? of(line[key]) : '-'])),
      ]),
    );
  progress('a query near contact, 10^-3 clear or deep: median microseconds; slices: resolution, random: N');
  console.table(table((x) => x.time));
  console.log('of the clear ones');
  console.table(table((x) => x.clear));
  console.log('cells visited, or evaluations of both functions');
  console.table(table((x) => x.visits));
  console.log('undecided, or contacts not found, of so many poses');
  console.table(table((x) => `${x.undecided + x.missed} / ${x.poses}`));
}

// ------------------------------------------------------------------------------------------------ constant time

const CONSTANT = [
  'two balls',
  'spheres, 10 perturbations',
  'spheres, 100 perturbations',
  'two tori',
  'flanges',
  'asteroid, kidney',
];
const RESOLUTION = 6;
const VARIANTS = {
  'slices, first': { ...SEED, resolution: RESOLUTION, all: false },
  'slices, all': { ...SEED, resolution: RESOLUTION, all: true },
  'octants, first': { ...OURS, resolution: RESOLUTION, all: false },
  'octants, all': { ...OURS, resolution: RESOLUTION, all: true },
};

function spread(values) {
  const sorted = values.toSorted((x, y) => x - y);
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1));
  return {
    min: digits(sorted[0]),
    median: digits(sorted[sorted.length >> 1]),
    '95 %': digits(sorted[Math.floor(0.95 * (sorted.length - 1))]),
    max: digits(sorted[sorted.length - 1]),
    'deviation, %': digits((100 * deviation) / mean),
  };
}

/** How much of y's variance a line in x explains. */
function explained(x, y) {
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  for (const [i, v] of x.entries()) {
    xx += (v - mx) ** 2;
    yy += (y[i] - my) ** 2;
    xy += (v - mx) * (y[i] - my);
  }
  return digits(xy ** 2 / (xx * yy));
}

const KINDS = {
  'in contact, deep': (end, random) => end * (0.3 + 0.6 * random()),
  'in contact, barely': (end) => end - 1e-3,
  'just clear': (end) => end + 1e-3,
  clear: (end, random) => end + 0.02 + 0.3 * random(),
};

function constantTime() {
  const samples = Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, []]));
  const random = seeded(2800);
  for (const pair of CONSTANT) {
    const [a, b] = PAIRS[pair];
    const ways = approaches(a, b, 12, 4);
    for (const [kind, place] of Object.entries(KINDS)) {
      for (const { at, end } of ways) {
        const pose = at(place(end, random));
        for (const [name, options] of Object.entries(VARIANTS)) {
          // The least of the times: other programs on the machine only add.
          const { answer, least } = timed(() => search(a, b, pose, options, options.all), 7, 120);
          samples[name].push({ pair, kind, visits: answer.tests.bounds, time: least });
        }
      }
    }
  }
  const of = (list, key) => list.map((x) => x[key]);
  row.constant = { resolution: RESOLUTION };
  for (const [name, list] of Object.entries(samples)) {
    const byPair = CONSTANT.map((pair) => list.filter((x) => x.pair === pair));
    row.constant[name] = {
      visits: spread(of(list, 'visits')),
      time: spread(of(list, 'time')),
      explained: explained(of(list, 'visits'), of(list, 'time')),
      explainedInPair: digits(median(byPair.map((some) => explained(of(some, 'visits'), of(some, 'time'))))),
      nsPerVisit: Object.fromEntries(
        CONSTANT.map((pair, i) => [
          pair,
          digits(median(byPair[i].filter((x) => x.visits > 50).map((x) => (1000 * x.time) / x.visits))),
        ]),
      ),
      byKind: Object.fromEntries(
        Object.keys(KINDS).map((kind) => {
          // Of one pair: what is left of the spread when the objects are the same.
          const inPairs = CONSTANT.map((pair) => list.filter((x) => x.pair === pair && x.kind === kind));
          return [
            kind,
            {
              'visits, median': digits(
                median(
                  of(
                    list.filter((x) => x.kind === kind),
                    'visits',
                  ),
                ),
              ),
              'visits, deviation in a pair, %': digits(
                median(inPairs.map((some) => spread(of(some, 'visits'))['deviation, %'])),
              ),
              'time, deviation in a pair, %': digits(
                median(inPairs.map((some) => spread(of(some, 'time'))['deviation, %'])),
              ),
            },
          ];
        }),
      ),
    };
  }
  // One query, again and again.
  const [a, b] = PAIRS['asteroid, kidney'];
  const [{ at, end }] = approaches(a, b, 1, 4);
  const again = Array.from({ length: 300 }, () =>
    timed(() => search(a, b, at(end + 1e-3), VARIANTS['slices, first']), 1),
  );
  row.constant.again = {
    visits: spread(again.map((x) => x.answer.tests.bounds)),
    time: spread(again.slice(50).map((x) => x.time)),
  };

  progress(
    `constant time? resolution ${RESOLUTION}, ${samples['slices, first'].length} queries: ${CONSTANT.join('; ')}`,
  );
  for (const key of ['visits', 'time']) {
    console.log(key === 'visits' ? 'cells visited' : 'microseconds');
    console.table({
      ...Object.fromEntries(Object.keys(VARIANTS).map((name) => [name, row.constant[name][key]])),
      'slices, one query again': row.constant.again[key],
    });
  }
  console.log("how much of the time's variance the visits explain (R^2), and nanoseconds a visit");
  console.table(
    Object.fromEntries(
      Object.keys(VARIANTS).map((name) => [
        name,
        {
          all: row.constant[name].explained,
          'in a pair': row.constant[name].explainedInPair,
          ...row.constant[name].nsPerVisit,
        },
      ]),
    ),
  );
  for (const name of Object.keys(VARIANTS)) {
    console.log(name);
    console.table(row.constant[name].byKind);
  }
  return samples;
}

// ------------------------------------------------------------------------------------------------ gaps

const MOST_VISITS = 2e6;

function gaps() {
  row.gaps = {};
  const contestants = {
    'octants, mixes': (a, b, pose) => search(a, b, pose, { ...OURS, resolution: 20 }),
    octants: (a, b, pose) => search(a, b, pose, { ...OURS, mixes: false, resolution: 20 }),
    // At the least resolution that decides, which nobody knows beforehand.
    slices(a, b, pose) {
      for (let resolution = 2; ; resolution++) {
        const outcome = search(a, b, pose, { ...SEED, resolution });
        if (outcome.verdict !== 'undecided' || outcome.tests.bounds > MOST_VISITS) return outcome;
      }
    },
  };
  for (const pair of ['two balls', 'spheres, 10 perturbations']) {
    const [a, b] = PAIRS[pair];
    const ways = approaches(a, b, 8, 10);
    for (const [name, run] of Object.entries(contestants)) {
      const line = {};
      for (let exponent = 1; exponent <= 10; exponent++) {
        const outcomes = ways
          .slice(0, name === 'slices' ? 4 : 8)
          .map(({ at, end }) => run(a, b, at(end + 10 ** -exponent)));
        const visits = median(outcomes.map((x) => x.tests.bounds));
        if (outcomes.some((x) => x.verdict === 'contact')) throw new Error('no contact was expected');
        const clear = outcomes.filter((x) => x.verdict === 'clear').length;
        if (clear < outcomes.length) break;
        line[`1e-${exponent}`] = visits;
        if (visits > MOST_VISITS / 20) break;
      }
      row.gaps[`${pair}: ${name}`] = line;
    }
  }
  progress(
    'cells visited by the gap, median of 8 poses (slices: of 4, at the least resolution that decides); until they are 100,000',
  );
  console.table(row.gaps);
}

// ------------------------------------------------------------------------------------------------ missed

/** N, and on which function. */
const SEARCHES = {
  'random, 100': [100, true],
  'random, 1000': [1000, true],
  'random, 10000': [10_000, true],
  'random, 1000, on min': [1000, false],
};

function missed() {
  row.missed = {};
  const sweep = (name, label, cases) => {
    const lines = {};
    for (const [size, queries] of Object.entries(cases)) {
      const line = { ours: 0, 'ours, us': [] };
      for (const [a, b, pose] of queries) {
        const { answer, time } = timed(() => search(a, b, pose, { ...OURS, resolution: 20 }), 3);
        if (answer.verdict === 'clear') throw new Error(`${name}: contact expected`);
        if (answer.verdict !== 'contact') line.ours++;
        line['ours, us'].push(time);
      }
      line.ours /= queries.length;
      line['ours, us'] = digits(median(line['ours, us']));
      for (const [contestant, [count, isSmooth]] of Object.entries(SEARCHES)) {
        const times = [];
        let misses = 0;
        const start = performance.now();
        for (const [a, b, pose] of queries) {
          if (performance.now() - start > 6 * BUDGET) break;
          const { answer, time } = timed(() => randomSearch(a, b, query(pose), count, { isSmooth }), 1);
          if (!answer.point) misses++;
          times.push(time);
        }
        if (2 * times.length < queries.length) continue;
        line[contestant] = digits(misses / times.length, 2);
        line[`${contestant}, us`] = digits(median(times));
      }
      lines[size] = line;
    }
    row.missed[name] = { poses: Object.values(cases)[0].length, ...lines };
    progress(`${name}: part of ${row.missed[name].poses} contacts that is missed, by ${label}`);
    console.table(lines);
  };

  const byDepth = (a, b, exponents, count) => {
    const ways = approaches(a, b, count, 14);
    return Object.fromEntries(exponents.map((e) => [`1e-${e}`, ways.map(({ at, end }) => [a, b, at(end - 10 ** -e)])]));
  };
  sweep('two balls', 'depth of the lens', byDepth(...PAIRS['two balls'], [1, 2, 3, 4, 5, 6, 7, 8], 32));
  const spiny = [hedgehog(40, 1), hedgehog(40, 2)];
  sweep('two hedgehogs', 'depth, spike in spike or body', byDepth(...spiny, [1, 2, 3, 4, 6], 20));
  sweep('two flanges', 'depth', byDepth(...PAIRS.flanges, [1, 2, 3, 4, 6], 20));
  const needles = {};
  for (const e of [1, 2, 3, 4]) {
    const random = seeded(3);
    const needle = model({ ellipsoid: { radii: [0.5, 10 ** -e, 10 ** -e] } });
    needles[`1e-${e}`] = Array.from({ length: 32 }, () => {
      const turn = rotation(...direction(random), 360 * random());
      // A point of its axis to one of the other's.
      const [s, t] = [0.8 * random() - 0.4, 0.8 * random() - 0.4];
      return [needle, needle, compose(translation(t - s * turn[0], -s * turn[4], -s * turn[8]), turn)];
    });
  }
  sweep('two needles that cross', 'half their thickness; half their length is 0.5', needles);
}

// ------------------------------------------------------------------------------------------------ a thousand poses

function thousand() {
  row.thousand = {};
  for (const pair of ['asteroid, kidney', 'flanges', 'vase, chain', 'spheres, 300 perturbations', 'noise spheres']) {
    const [a, b] = PAIRS[pair];
    const random = seeded(1000);
    const poses = Array.from({ length: 1000 }, () =>
      compose(
        translation(...direction(random).map((x) => x * 1.5 * random())),
        rotation(...direction(random), 360 * random()),
      ),
    );
    const rate = (options) => {
      const start = performance.now();
      const verdicts = poses.map((poseB) => check(a, b, { poseB, ...options }).verdict);
      return { verdicts, rate: 1e6 / (performance.now() - start) };
    };
    for (const poseB of poses.slice(0, 100)) check(a, b, { poseB });
    const runs = [0, 1, 2].map(() => rate());
    const placed = [0, 1, 2].map(() => rate({ level: 0 }).rate);
    row.thousand[pair] = {
      'poses a second': Math.round(median(runs.map((x) => x.rate))),
      'us a pose': digits(1e6 / median(runs.map((x) => x.rate))),
      'of which placing and the first cell': digits(1e6 / median(placed)),
      'in contact': runs[0].verdicts.filter((x) => x === 'contact').length,
      undecided: runs[0].verdicts.filter((x) => x === 'undecided').length,
    };
  }
  progress('a thousand poses, as far as 1.5 away, by check');
  console.table(row.thousand);
}

speed();
const samples = constantTime();
gaps();
missed();
thousand();
if (process.argv.includes('--record') || process.argv.includes('--plot')) drawPlot({ samples, row });
keep('frep-check', row);
