// Section of docs/experiments.md on the times of Z. Peng, B. Wu, "Collision Detection Algorithm
// Based on Data Parallelism": Tables II to X, Figure 1, and equations 7, 11 and 12 as they are
// printed.
import { chart } from '../chart.mjs';
import { count, geometricMean, ofMs, ratio, table, time } from '../page-text.mjs';
import { digits, mean } from '../race.mjs';
import { colorOf } from '../svg.mjs';
import { compareFits, slopesOf, TREND, trend, verdictOfCases, verdictOfRise } from './least-squares.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Smallest R² of a good fit. */
const GOOD_FIT = 0.95;
/** Factor by which a constant may differ because of other work of the machine. */
const ALIKE = 1.5;
/** Shares of the gain in N that T2 promises, as a power of Q. */
const [NEARLY_ALL, HARDLY_ANY] = [0.8, 0.2];

const last = (/** @type {readonly any[]} */ values) => values[values.length - 1];
const spread = (/** @type {readonly number[]} */ values) => Math.max(...values) / Math.min(...values);
const workers = (/** @type {string} */ lane) => Number(lane.slice(4));
/** Numbers of workers; a GPU does not say how many processors it has. @param {Row} row */
const real = ({ times }) => Object.keys(times).filter((lane) => lane.startsWith('Q = '));
/** 10^-3 rather than 0.001. */
const small = (/** @type {number} */ x) => x.toExponential(3).replace(/e(.*)/, ' 10^$1').replace('+', '');

/** @param {Row} row @returns {Finding} */
function fits({ all, paper }) {
  const [ours, theirs] = [all, paper].map(({ fits: each }) => Object.values(each).map(({ r2 }) => r2));
  return {
    claim: 'A quadratic in N fits T well (section V.B, Table VII).',
    verdict: Math.min(...ours) >= GOOD_FIT ? 'confirmed' : 'partly',
    why: `R² is ${digits(Math.min(...ours), 6)} to ${digits(Math.max(...ours), 6)} on workers here, and ${digits(Math.min(...theirs), 6)} to ${digits(Math.max(...theirs), 6)} for the paper's own tables. The same fit gives its Table VII, and its Tables VIII to X to within ${paper.missed} of N.`,
  };
}

/** The indices of all T for which every number of workers has an N. @param {Row} row */
const placesOfT = (row) =>
  row.all.T.flatMap((/** @type {number} */ _, /** @type {number} */ i) =>
    real(row).every((lane) => row.all.models[lane][i] !== null) ? [i] : [],
  );

/** @param {Row} row @returns {Finding} */
function constantTime(row) {
  const { all, paper } = row;
  const lanes = real(row);
  const [one, most] = [lanes[0], last(lanes)];
  const gains = placesOfT(row).map((/** @type {number} */ i) => all.models[most][i] / all.models[one][i]);
  const promised = Math.sqrt(workers(most));
  const share = mean(gains.map((/** @type {number} */ gain) => Math.log(gain) / Math.log(promised)));
  const [few, many] = ['Tesla C2075', 'Tesla K20m'].map((name) => paper.processors[name].Q);
  const theirs = paper.models['Tesla K20m'].map(
    (/** @type {number} */ N, /** @type {number} */ i) => N / paper.models['Tesla C2075'][i],
  );
  const printed = `In Tables VIII and IX, ${count(many)} processors take ${ratio(Math.min(...theirs))} to ${ratio(Math.max(...theirs))} times the models of ${count(few)}; T2 promises ${ratio(Math.sqrt(many / few))}.`;
  if (lanes.length < 2) return { claim: CONSTANT, verdict: 'not comparable', why: `one processor. ${printed}` };
  return {
    claim: CONSTANT,
    verdict: share >= NEARLY_ALL ? 'confirmed' : share > HARDLY_ANY ? 'partly' : 'refuted',
    why: `In the same time, ${workers(most)} workers take ${ratio(Math.min(...gains))} to ${ratio(Math.max(...gains))} times the models of one, over ${gains.length} times from ${ofMs(all.T[placesOfT(row)[0]])} to ${ofMs(last(all.T))}; T2 promises ${ratio(promised)}. ${printed}`,
  };
}

const CONSTANT =
  '"For the specific time T, the increase of N can be dealt with in the increase of Q" (section V.B, conclusion 1).';

/** @param {Row} row @returns {Finding} */
function constantK1(row) {
  const { all, paper } = row;
  const products = Object.entries(paper.processors).map(([name, { a, Q }]) => ({ name, product: a * Q }));
  const apart = spread(products.map(({ product }) => product));
  const lanes = real(row);
  const own = spread(lanes.map((lane) => all.fits[lane].a * workers(lane)));
  return {
    claim: 'T2 grows by `K1 N²/Q`, where K1 is a constant (the equation printed as 7).',
    verdict: lanes.length < 2 ? 'not comparable' : own <= ALIKE && apart <= ALIKE ? 'confirmed' : 'partly',
    why: `With ${lanes.map((lane) => workers(lane)).join(', ')} workers of one machine, the coefficient of N² times Q differs by a factor of ${ratio(own)}. In the paper's Table VII it is ${products.map(({ name, product }) => `${small(product)} (${name})`).join(', ')}, a factor of ${ratio(apart)}. Processors differ by more than their number and their clock.`,
  };
}

/** @param {Row} row @returns {Finding} */
function slopes(row) {
  const { all, paper } = row;
  const lanes = real(row);
  const gained =
    (/** @type {Record<string, number[]>} */ models, /** @type {string[]} */ [few, many]) =>
    (/** @type {number} */ at) =>
      models[many][at] - models[few][at];
  const processors = Object.keys(paper.models).toSorted((p, q) => paper.processors[p].Q - paper.processors[q].Q);
  const ofPaper = gained(paper.models, [processors[0], last(processors)]);
  const theirs = paper.models[processors[0]].map((/** @type {number} */ _, /** @type {number} */ i) => ofPaper(i));
  const rising = trend(theirs.map((/** @type {number} */ N, /** @type {number} */ i) => [i, N]));
  const why = `in Tables VIII to X it rises at ${rising.rises} of ${rising.of} pairs of times, from ${count(theirs[0])} to ${count(last(theirs))} (the paper reads ${count(paper.slopes.left.N)} and ${count(paper.slopes.right.N)} off Figure 1)`;
  const claim =
    '"When N increases, the same increase of Q can cope with the larger increase of N" (section V.B, conclusion 2).';
  if (lanes.length < 2) return { claim, verdict: 'not comparable', why: `one processor; ${why}.` };
  const own = gained(all.models, [lanes[0], last(lanes)]);
  /** @type {[number, number][]} */
  const points = placesOfT(row).map((/** @type {number} */ i) => [all.T[i], own(i)]);
  const { rises, of } = trend(points);
  return {
    claim,
    verdict: verdictOfRise(points),
    why: `From one worker to ${workers(last(lanes))}, N gains ${count(Math.round(points[0][1]))} in ${ofMs(points[0][0])} and ${count(Math.round(last(points)[1]))} in ${ofMs(last(points)[0])}; the gain rises in ${rises} of ${of} pairs of times. ${why[0].toUpperCase()}${why.slice(1)}.`,
  };
}

/** Trend of the growth rate of T, by all pairs of slopes. @param {readonly any[]} points */
const rateOf = (points) => trend(slopesOf(points));

/** @param {readonly ReturnType<typeof rateOf>[]} rates */
function verdictOfRates(rates) {
  if (rates.every(({ tau }) => tau >= TREND)) return 'confirmed';
  return rates.some(({ tau }) => tau > 0) ? 'partly' : 'refuted';
}

/** @param {Record<string, any>} points @param {readonly string[]} names */
const ratesText = (points, names) =>
  names
    .map((name) => {
      const { rises, of } = rateOf(points[name]);
      return `${rises} of ${of} (${name})`;
    })
    .join(', ');

/** @param {Row} row @returns {Finding} */
function convex(row) {
  const { all, paper } = row;
  const falls = Object.entries(paper.convex).filter(([, each]) => each.falls > 0);
  const fall = falls.map(
    ([name, { falls: times }]) =>
      ` The times of ${name} even fall ${times === 1 ? 'once' : `${times} times`}, and grow again.`,
  );
  return {
    claim:
      '"The growth of N can lead to the larger growth rate of T" (section V.B, conclusion 3; its equations 11, 12).',
    verdict: verdictOfRates(real(row).map((lane) => rateOf(all.points[lane]))),
    why: `Over all pairs of slopes between two N and the next two, the later slope is greater in ${ratesText(all.points, real(row))}. The coefficient of N² is positive for ${real(row).filter((lane) => all.fits[lane].a > 0).length} of ${real(row).length} numbers of workers. The paper's tables have ${ratesText(paper.times, Object.keys(paper.times))}.${fall.join('')}`,
  };
}

/** Nanoseconds of a step of Table II: a two-tuple is reduced in one. @param {Row} row */
const stepTime = ({ staged }) => last(Object.values(staged.costs['Q = 1'])).reduction;

/** K1 as printed, for shells of C cubes. @param {number} C */
const printedK1 = (C) => (1 + C ** 2) / 2;

/** N from which T2 is convex. @param {number} Q @param {number} K1 */
const turn = (Q, K1) => Math.sqrt((1.5 * Q) / K1);

/** N > sqrt(1.5 Q / K1). @param {Row} row @returns {Finding} */
function convexFrom(row) {
  const { all, paper, cubes } = row;
  const step = stepTime(row);
  const own = real(row).map((lane) => {
    const K1 = (1e6 * all.fits[lane].a * workers(lane)) / step;
    return { lane, K1, N: turn(workers(lane), K1), least: all.points[lane][0][0], rate: rateOf(all.points[lane]) };
  });
  // K1 is never below one half, whatever C is.
  const theirs = Object.entries(paper.processors).map(([name, { Q }]) => ({
    name,
    N: turn(Q, 0.5),
  }));
  const beyond = own.filter(({ N, least }) => N < least);
  return {
    claim: 'From `N > sqrt(1.5 Q/K1)` on the growth rate of T rises (section V.B, conclusion 3).',
    verdict: beyond.length === 0 ? 'not comparable' : verdictOfRates(beyond.map(({ rate }) => rate)),
    why: `K1 is \`(1 + C²)/2\` steps, which is ${printedK1(cubes)} for C = ${cubes}. Measured by the coefficient of N² and the ${digits(step)} ns in which a two-tuple is reduced, it is ${own.map(({ lane, K1 }) => `${digits(K1)} (${lane})`).join(', ')}. The rate should rise from N = ${own.map(({ N }) => digits(N, 2)).join(', ')} on, which is before the first timed N. It does in ${ratesText(all.points, real(row))} pairs of slopes. K1 is at least 1/2, so the paper's processors reach that N at ${theirs.map(({ name, N }) => `${digits(N, 2)} at most (${name})`).join(', ')}. That is before the first N of its tables, in which it rises in ${ratesText(paper.times, Object.keys(paper.times))}. The condition follows from \`-3/N²\`, the second derivative of \`3 log N\` with the natural logarithm. With the base 2 of the prefix sums it is \`N > sqrt(1.5 Q/(K1 ln 2))\`. With the right TotalPairCount, 3 becomes 4, and it is \`N > sqrt(2 Q/K1)\`. The text calls the derivatives (12) and (13); they are printed as (11) and (12).`,
  };
}

/** @param {Row} row @returns {Finding} */
function prefixSums({ prefix }) {
  const lanes = [...new Set(prefix.map((/** @type {any} */ { Q }) => Q))];
  const fits = lanes.map((Q) => {
    const own = prefix.filter((/** @type {any} */ each) => each.Q === Q);
    const points = own.map((/** @type {any} */ { M, us }) => /** @type {[number, number]} */ ([M, us]));
    return compareFits(points, {
      'log(M + M/Q)': (M) => Math.log2(M + M / Q),
      'M/Q + Q': (M) => M / Q + Q,
    });
  });
  const held = fits.filter(([best]) => best.name === 'log(M + M/Q)').length;
  const r2 = (/** @type {string} */ name) =>
    fits.map((each) => digits(each.find((fit) => fit.name === name)?.r2, 3)).join(', ');
  return {
    claim: 'A prefix sum of M numbers takes `log(M + M/Q)` on Q processors (section IV, Table II).',
    verdict: verdictOfCases(held, fits.length),
    why: `Over ${prefix.length / lanes.length} numbers M from ${count(prefix[0].M)} to ${count(last(prefix).M)}, times follow \`M/Q + Q\` with R² ${r2('M/Q + Q')} for Q = ${lanes.join(', ')}, and the printed term with ${r2('log(M + M/Q)')}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function tableII(row) {
  const { staged } = row;
  const lanes = real(row);
  const apart = Object.keys(staged.terms).map((stage) => {
    const byN = lanes.map((lane) =>
      Object.values(staged.costs[lane])
        .map((costs) => costs[stage])
        .filter((cost) => cost > 0),
    );
    // The time of Q workers together.
    const byQ = lanes.map((lane, i) => workers(lane) * geometricMean(byN[i]));
    return { stage, N: Math.max(...byN.map(spread)), Q: spread(byQ) };
  });
  const right = apart.filter(({ N, Q }) => N <= ALIKE && Q <= ALIKE);
  const models = Object.keys(staged.costs['Q = 1']).map((n) => count(Number(n)));
  return {
    claim: 'Parts take what Table II says: t1 a cube, constants a pair and a two-tuple, all of it over Q.',
    verdict: verdictOfCases(right.length, apart.length),
    why: `The cost of one item in each of the seven stages, for N = ${models.join(', ')} and Q = ${lanes.map(workers).join(', ')}, differs by N and by Q (times Q). The factors are ${apart.map(({ stage, N, Q }) => `${ratio(N)} and ${ratio(Q)} (${stage})`).join(', ')}. Up to ${ALIKE} counts as constant. gicollide sums and reduces only blocks with a collision: ${Object.entries(
      staged.reduced,
    )
      .map(([n, share]) => `${digits(100 * share, 2)} % of the two-tuples at N = ${count(Number(n))}`)
      .join(', ')}; their costs are per item of these blocks.`,
  };
}

/** By the gain of both ways by workers, and by their times. @param {Row} row @returns {Finding} */
function unparalleled(row) {
  const { times } = row;
  const lanes = real(row);
  const models = Object.keys(times['Q = 1']);
  const most = last(lanes);
  const best = (/** @type {string} */ n, /** @type {'all' | 'sorted'} */ way) =>
    Math.min(...lanes.map((lane) => times[lane][n][way]));
  const gain = (/** @type {'all' | 'sorted'} */ way) =>
    geometricMean(models.map((n) => times[lanes[0]][n][way] / times[most][n][way]));
  const faster = models.filter((n) => best(n, 'all') <= best(n, 'sorted'));
  const [all, sorted] = [gain('all'), gain('sorted')];
  const claim =
    '"Its advantages in parallelism and scalability is unparalleled in respect to the traditional algorithms" (abstract).';
  const end = last(models);
  const far = `Sorted bricks are faster for ${models.length - faster.length} of ${models.length} N. For ${count(Number(end))} models they take ${ofMs(best(end, 'sorted'))} with ${count(times['Q = 1'][end].tuplesOfBricks)} two-tuples, and all two-tuples take ${ofMs(best(end, 'all'))} with ${count(times['Q = 1'][end].tuples)}. Trees on threads are not measured here.`;
  if (lanes.length < 2) return { claim, verdict: 'not comparable', why: `one processor. ${far}` };
  return {
    claim,
    verdict: verdictOfCases([all > sorted, faster.length > models.length / 2].filter(Boolean).length, 2),
    why: `From one worker to ${workers(most)}, all two-tuples become ${ratio(all)} times as fast (mean over ${models.length} N), and sorted bricks ${ratio(sorted)} times. ${all > sorted ? 'So processors help all pairs more' : 'So processors do not help all pairs more'}. ${far}`,
  };
}

/** Table III. @param {Row} row */
const machinesTable = ({ machine, gpu, paper }) =>
  table(
    ['', 'Q', 'clock, MHz'],
    [
      ...Object.entries(paper.processors).map(([name, { Q, megahertz }]) => [
        `the paper's ${name}`,
        count(Q),
        count(megahertz),
      ]),
      [machine.model.replaceAll('(R)', ''), machine.cores, machine.megahertz ? count(machine.megahertz) : 'unknown'],
      ...(gpu.name ? [[gpu.name, 'WebGPU does not say', 'WebGPU does not say']] : []),
    ],
  );

/** @param {Row} row @returns {Finding} */
const clocks = ({ machine }) => ({
  claim: '"The execution time has been divided by the respective GPU clock frequency" (section V.B, Tables IV to VI).',
  verdict: 'not comparable',
  why: `A time divided by a clock rate has no meaning on another processor; a time multiplied by it is a number of cycles. The table below also divides the times here${machine.megahertz ? ` by ${count(machine.megahertz)} MHz` : ', if the machine reports its clock rate'}. Shapes and ratios are compared, but not times.`,
});

/** Tables IV to VI. @param {Row} row */
function timesTable({ times, machine }) {
  const lanes = Object.keys(times);
  const models = Object.keys(times[lanes[0]]);
  const whole = (/** @type {string} */ lane, /** @type {string} */ n) => times[lane][n].partition + times[lane][n].all;
  const divided = machine.megahertz ? lanes.filter((lane) => lane.startsWith('Q = ')) : [];
  return table(
    [
      'N',
      ...lanes.map((lane) => `all, ${lane}`),
      ...divided.map((lane) => `all, ${lane}, divided by the clock, ms/MHz`),
      ...lanes.map((lane) => `sorted, ${lane}`),
      'of it the partition, Q = 1',
      'runs',
    ],
    models.map((n) => [
      count(Number(n)),
      ...lanes.map((lane) => ofMs(whole(lane, n))),
      ...divided.map((lane) => String(digits(whole(lane, n) / machine.megahertz))),
      ...lanes.map((lane) => ofMs(times[lane][n].partition + times[lane][n].sorted)),
      ofMs(times[lanes[0]][n].partition),
      times[lanes[0]][n].runs,
    ]),
  );
}

/** Table VII. @param {Row} row */
function fitsTable({ all, sorted, paper }) {
  /** @param {string} name @param {any} fit @param {string} q @param {string} [said] */
  const line = (name, { a, b, c, r2 }, q, said = '') => [name, q, small(a), small(b), small(c), r2, said];
  const own = (/** @type {string} */ name, /** @type {any} */ { fits: each }) =>
    Object.entries(each).map(([lane, fit]) => line(name, fit, lane.startsWith('Q = ') ? String(workers(lane)) : lane));
  return table(
    ['', 'Q', 'a, ms', 'b, ms', 'c, ms', 'R²', 'as printed'],
    [
      ...own('all two-tuples', all),
      ...own('sorted bricks', sorted),
      ...Object.entries(paper.fits).map(([name, fit]) => {
        const { Q, a, b, c } = paper.processors[name];
        return line(`the paper's ${name}`, fit, count(Q), [a, b, c].map(small).join(', '));
      }),
    ],
  );
}

/** Tables VIII to X: every fourth time. @param {Row} row */
function modelsTable({ all }) {
  const lanes = Object.keys(all.models);
  return table(
    ['T', ...lanes],
    all.T.map((/** @type {number} */ T, /** @type {number} */ i) => [
      ofMs(T),
      ...lanes.map((lane) => (all.models[lane][i] === null ? '' : count(Math.round(all.models[lane][i])))),
    ]).filter((/** @type {unknown} */ _, /** @type {number} */ i) => i % 4 === 3),
  );
}

/** Table II. @param {Row} row */
function stagesTable(row) {
  const { staged } = row;
  const lanes = Object.entries(staged.costs);
  return table(
    [
      'stage',
      'term',
      ...lanes.flatMap(([lane, costs]) => Object.keys(costs).map((n) => `${lane}, N = ${count(Number(n))}`)),
    ],
    Object.entries(staged.terms).map(([stage, [term, unit]]) => [
      stage,
      `${term.replaceAll('|C|', 'C')}, ns a ${unit}`,
      ...lanes.flatMap(([, costs]) => Object.values(costs).map((each) => String(digits(each[stage])))),
    ]),
  );
}

/** @param {Row} row */
const prefixTable = ({ prefix }) =>
  table(
    ['M', 'Q', 'log2(M + M/Q)', 'numbers that a worker goes over, 2M/Q + Q', 'time'],
    prefix.map((/** @type {any} */ { M, Q, log, steps, us }) => [count(M), Q, log, count(steps), time(us)]),
  );

/** Figure 1. @param {Row} row */
function figure1(row) {
  const { all, paper } = row;
  const polyline =
    (/** @type {Record<string, any>} */ models, /** @type {(name: string) => number} */ processors) =>
    (/** @type {number} */ i, /** @type {number} */ T) => ({
      name: `T = ${ofMs(T)}`,
      points: Object.keys(models)
        .filter((name) => models[name][i] !== null)
        .map((name) => /** @type {[number, number]} */ ([models[name][i], processors(name)]))
        .toSorted((p, q) => p[1] - q[1]),
    });
  const theirs = polyline(paper.models, (name) => paper.processors[name].Q);
  const own = polyline(Object.fromEntries(real(row).map((lane) => [lane, all.models[lane]])), workers);
  const shown = [0, 2, 4, 9, 14, 19];
  return chart('N models on Q processors in the same time T', [
    {
      title: "The paper's Figure 1",
      subtitle: 'drawn of its Tables VIII to X',
      x: { name: 'N', low: 0 },
      y: { name: 'Q', low: 0 },
      series: shown.map((i) => theirs(i, 10 * (i + 1))),
    },
    {
      title: 'Ours, all two-tuples',
      subtitle: `workers on ${row.machine.cores} processors`,
      x: { name: 'N', low: 0 },
      y: { name: 'Q', low: 0 },
      series: shown.map((i) => own(i, all.T[i])),
    },
  ]);
}

/** By lane. */
const DASHES = ['', '6 4', '2 3', '8 3 2 3', '1 2', '12 4'];

/** T by N, and the quadratics. @param {Row} row */
function timesChart({ all, sorted, paper }) {
  const curve = (/** @type {any} */ { a, b, c }, /** @type {[number, number][]} */ points) => {
    const [from, to] = [points[0][0], last(points)[0]];
    return Array.from({ length: 81 }, (_, i) => from + ((to - from) * i) / 80).map(
      (n) => /** @type {[number, number]} */ ([n, a * n * n + b * n + c]),
    );
  };
  const both = (
    /** @type {Record<string, any>} */ points,
    /** @type {Record<string, any>} */ quadratics,
    /** @type {string} */ contestant,
  ) =>
    Object.keys(points).flatMap((name, i) => [
      { name, points: points[name], colour: colorOf(contestant), dash: DASHES[i % DASHES.length] },
      { name: `${name}, fitted`, points: curve(quadratics[name], points[name]), ...FITTED },
    ]);
  const axes = { x: { name: 'N', low: 0 }, y: { name: 'T, ms', low: 0 } };
  return chart(
    'Time by the number of models, and quadratics that fit it',
    [
      { title: 'The paper: Tables IV to VI', ...axes, series: both(paper.times, paper.fits, "the paper's way") },
      { title: 'All two-tuples, the partition in', ...axes, series: both(all.points, all.fits, 'all pairs') },
      { title: 'Sorted bricks, the partition in', ...axes, series: both(sorted.points, sorted.fits, 'ours') },
    ],
    { columns: 3 },
  );
}

const FITTED = /** @type {const} */ ({ colour: 'ink', look: 'dots' });

/** @type {import('./index.mjs').Experiment} */
export const cubesTime = {
  paper: 'cubes',
  task: 'papers/cubes-time',
  title: 'Tables II to X, Figure 1: time by models and processors',
  reads: ({ machine }) => machine !== undefined,
  write: (row) => ({
    findings: [
      ...[fits(row), clocks(row), constantTime(row), constantK1(row), slopes(row), convex(row)],
      ...[convexFrom(row), prefixSums(row), tableII(row), unparalleled(row)],
    ],
    text: [
      `The paper does not give the number of cubes of a model. Here models are shells of ${row.cubes} cubes in a hall that grows with their number, for all N of the paper's tables. Workers are threads, up to one on each of ${row.machine.cores} processors. T is the time from meshes to pairs, including the partition, the minimum of the runs. ${row.gpu.name ? `The GPU is ${row.gpu.name}.` : `No GPU was measured: ${row.gpu.reason}.`} \`npm run bench -- papers/cubes-time --record\` measures any machine.`,
      'Table III:',
      machinesTable(row),
      'Tables IV to VI:',
      timesTable(row),
      '`T = a N² + b N + c`, by least squares:',
      fitsTable(row),
      'N by T, of our equations for all two-tuples:',
      modelsTable(row),
      'Table II: the cost of a stage per item that its term counts, with a barrier after each stage. If the term is right, it is constant, and falls as 1/Q. Shells of 12 triangles are too small for a thread each, so workers do not speed up the partition.',
      stagesTable(row),
      'Prefix sums alone, in two passes:',
      prefixTable(row),
    ],
    pictures: { 'cubes-models': figure1(row), 'cubes-times': timesChart(row) },
  }),
};
