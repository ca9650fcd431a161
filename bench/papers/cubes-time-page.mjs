// docs/experiments.md on the times of Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data
// Parallelism": Tables II and IV to X, Figure 1, and equations 2, 8, 11 and 12.
import { chart } from '../chart.mjs';
import { count, ofMs, ratio, table, time } from '../page-text.mjs';
import { digits } from '../race.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** The worst of what a fit explains that is still good. */
const GOOD_FIT = 0.95;
/** What should be constant may differ so much by other things that a machine does. */
const ALIKE = 1.5;
/** Of the gain in N that equation 8 promises, as a power of Q. */
const [NEARLY_ALL, HARDLY_ANY] = [0.8, 0.2];

const last = (/** @type {readonly any[]} */ values) => values[values.length - 1];
const spread = (/** @type {readonly number[]} */ values) => Math.max(...values) / Math.min(...values);
const workers = (/** @type {string} */ lane) => Number(lane.slice(4));
/** The lanes that processors stand behind. @param {Row} row */
const real = ({ times, cores }) => Object.keys(times).filter((lane) => workers(lane) <= cores);
/** 10^-3 rather than 0.001. */
const small = (/** @type {number} */ x) => x.toExponential(3).replace(/e(.*)/, ' 10^$1').replace('+', '');

/** @param {Row} row @returns {Finding} */
function fits({ all, paper }) {
  const [ours, theirs] = [all, paper].map(({ fits: each }) => Object.values(each).map(({ r2 }) => r2));
  return {
    claim: 'A quadratic in N fits T well (section V.B, Table VII).',
    verdict: Math.min(...ours) >= GOOD_FIT ? 'confirmed' : 'partly',
    why: `R² is ${digits(Math.min(...ours), 6)} to ${digits(Math.max(...ours), 6)} on our workers, and ${digits(Math.min(...theirs), 6)} to ${digits(Math.max(...theirs), 6)} of the paper's own tables; the same fit gives its Table VII, and its Tables VIII to X to within ${paper.missed} of N.`,
  };
}

/** @param {Row} row @returns {Finding} */
function constantTime(row) {
  const { all, paper } = row;
  const lanes = real(row);
  const [one, most] = [lanes[0], last(lanes)];
  const T = all.T.length - 1;
  const gain = all.models[most][T] / all.models[one][T];
  const promised = Math.sqrt(workers(most));
  const share = Math.log(gain) / Math.log(promised);
  const [few, many] = ['Tesla C2075', 'Tesla K20m'].map((name) => ({
    ...paper.processors[name],
    N: paper.models[name][2],
  }));
  const theirs = `The paper's ${count(few.Q)} and ${count(many.Q)} processors take ${count(few.N)} and ${count(many.N)} models in 30 ms, ${ratio(many.N / few.N)} times as many where equation 8 promises ${ratio(Math.sqrt(many.Q / few.Q))}.`;
  if (lanes.length < 2) return { claim: CONSTANT, verdict: 'not comparable', why: `one processor. ${theirs}` };
  return {
    claim: CONSTANT,
    verdict: share >= NEARLY_ALL ? 'confirmed' : share > HARDLY_ANY ? 'partly' : 'refuted',
    why: `in ${ofMs(all.T[T])}, ${workers(most)} workers take ${ratio(gain)} times the models of one, where equation 8 promises ${ratio(promised)}. ${theirs}`,
  };
}

const CONSTANT =
  'More data are dealt with by more processors in the same time (section V.B, conclusion 1; equation 8).';

/** @param {Row} row @returns {Finding} */
function equation8(row) {
  const { all, paper } = row;
  const products = Object.entries(paper.processors).map(([name, { a, Q }]) => ({ name, product: a * Q }));
  const apart = spread(products.map(({ product }) => product));
  const own = spread(real(row).map((lane) => all.fits[lane].a * workers(lane)));
  return {
    claim: 'T grows by `K1 N²/Q`, where K1 is the same on all processors (equation 8).',
    verdict: apart <= ALIKE ? 'confirmed' : 'refuted',
    why: `by the paper's own Table VII, the coefficient of N² times Q is ${products.map(({ name, product }) => `${small(product)} (${name})`).join(', ')}: ${ratio(apart)} times apart. On our ${count(row.cores)} processors it is ${ratio(own)} times apart.`,
  };
}

/** @param {Row} row @returns {Finding} */
function slopes(row) {
  const { all, paper } = row;
  const lanes = real(row);
  const gained = (
    /** @type {Record<string, number[]>} */ models,
    /** @type {string[]} */ [few, many],
    /** @type {number} */ at,
  ) => models[many][at] - models[few][at];
  const end = all.T.length - 1;
  const [left, right] = [0, end].map((at) => gained(all.models, [lanes[0], last(lanes)], at));
  const processors = Object.keys(paper.models).toSorted((p, q) => paper.processors[p].Q - paper.processors[q].Q);
  const theirs = [0, 19].map((at) => gained(paper.models, [processors[0], last(processors)], at));
  const why = `of Tables VIII to X it is ${count(theirs[0])} at 10 ms and ${count(theirs[1])} at 200 ms (the paper reads ${count(paper.slopes.left.N)} and ${count(paper.slopes.right.N)} off Figure 1)`;
  const claim = 'With more time, the same processors more deal with more data more (section V.B, conclusion 2).';
  if (lanes.length < 2) return { claim, verdict: 'not comparable', why: `one processor; ${why}.` };
  return {
    claim,
    verdict: left > 0 && right > left && theirs[1] > theirs[0] ? 'confirmed' : 'refuted',
    why: `from one worker to ${workers(last(lanes))}, N grows by ${count(Math.round(left))} in ${ofMs(all.T[0])} and by ${count(Math.round(right))} in ${ofMs(all.T[end])}; ${why}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function convex({ all, paper }) {
  const rising = Object.values(all.fits).every(({ a }) => a > 0);
  const lanes = Object.entries(all.convex).map(([lane, { positive, of }]) => `${positive} of ${of} (${lane})`);
  const theirs = Object.entries(paper.convex).map(([name, { positive, of }]) => `${positive} of ${of} (${name})`);
  const falls = Object.entries(paper.convex).filter(([, each]) => each.falls > 0);
  const fall = falls.map(
    ([name, { falls: times }]) =>
      `; the times of ${name} even fall ${times === 1 ? 'once' : `${times} times`}, and grow again`,
  );
  return {
    claim: 'T grows faster the larger N is: its second derivative is positive (equations 11 and 12, conclusion 3).',
    verdict: rising ? 'confirmed' : 'partly',
    why: `the coefficient of N² is ${rising ? 'positive on every number of workers' : 'not positive on every number of workers'}; second differences are, too, in ${lanes.join(', ')}. Of the paper's: ${theirs.join(', ')}${fall.join('')}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function equation2({ added, cubes }) {
  const { models, printed, right, run } = last(added);
  const equal = added
    .filter((/** @type {any} */ each) => each.printed === each.right)
    .map((/** @type {any} */ each) => each.models);
  return {
    claim: '`TotalPairCount = N C²`, with N models of C cubes each (equation 2).',
    verdict: added.every((/** @type {any} */ each) => each.run === each.printed) ? 'confirmed' : 'refuted',
    why: `it adds up N of the \`N(N - 1)/2\` pairs of models. For N = ${count(models)} and C = ${cubes} that says ${count(printed)}; ${count(run)} two-tuples were run, which is the \`N(N - 1)/2 C²\` of ${count(right)}, ${count(Math.round(right / printed))} times as many. The two are equal for N = ${equal.join(', ')} alone.`,
  };
}

/** @param {Row} row @returns {Finding} */
function prefixSums({ prefix }) {
  const one = prefix.filter((/** @type {any} */ each) => each.Q === 1);
  const [first, end] = [one[0], last(one)];
  const [took, said, steps] = [end.us / first.us, end.log / first.log, end.steps / first.steps];
  const middle = Math.sqrt(said * steps);
  return {
    claim: 'A prefix sum of M numbers takes `log(M + M/Q)` on Q processors (section IV, Table II).',
    verdict: took > middle ? 'refuted' : 'confirmed',
    why: `on one worker, ${count(end.M / first.M)} times the numbers took ${ratio(took)} times as long; the term says ${ratio(said)}, and \`M/Q + Q\`, which is what R. P. Brent's theorem gives, ${ratio(steps)}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function tableII({ staged }) {
  const one = Object.values(staged.costs['Q = 1']);
  const most = Object.keys(staged.terms).filter((stage) => !['prefix', 'reduction'].includes(stage));
  const apart = most.map((stage) => ({ stage, by: spread(one.map((costs) => costs[stage])) }));
  const wrong = apart.filter(({ by }) => by > ALIKE);
  return {
    claim: 'Stages cost what Table II says, the partition among them: t1 a cube, constants a pair and a two-tuple.',
    verdict: wrong.length === 0 ? 'confirmed' : 'partly',
    why: `on one worker, what one cube, pair or two-tuple costs differs over N = ${Object.keys(staged.costs['Q = 1'])
      .map((n) => count(Number(n)))
      .join(', ')} by ${apart.map(({ stage, by }) => `${ratio(by)} times (${stage})`).join(', ')}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function unparalleled(row) {
  const { times } = row;
  const models = last(Object.keys(times['Q = 1']));
  const all = Object.values(times).map((each) => each[models].all);
  const sorted = times['Q = 1'][models];
  const factor = Math.min(...all) / sorted.sorted;
  return {
    claim: 'Its advantages in parallelism and scalability are unparalleled by the traditional algorithms (abstract).',
    verdict: factor > 2 ? 'refuted' : 'partly',
    why: `bricks sorted by key give the same answer for ${count(Number(models))} models in ${ofMs(sorted.sorted)} on one worker, where all two-tuples take ${ofMs(Math.min(...all))} on the best number of them: ${count(sorted.tuplesOfBricks)} two-tuples instead of ${count(sorted.tuples)}. No number of processors here makes up for ${ratio(factor)} times.`,
  };
}

/** Tables IV to VI. @param {Row} row */
function timesTable({ times }) {
  const lanes = Object.keys(times);
  const models = Object.keys(times[lanes[0]]);
  return table(
    [
      'N',
      ...lanes.map((lane) => `all, ${lane}`),
      ...lanes.map((lane) => `sorted, ${lane}`),
      'of it the partition, Q = 1',
      'runs',
    ],
    models.map((n) => [
      count(Number(n)),
      ...lanes.map((lane) => ofMs(times[lane][n].partition + times[lane][n].all)),
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
    Object.entries(each).map(([lane, fit]) => line(name, fit, String(workers(lane))));
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
  const lanes = Object.entries(staged.costs).filter(([lane]) => real(row).includes(lane));
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
      subtitle: `workers on ${row.cores} processors`,
      x: { name: 'N', low: 0 },
      y: { name: 'Q', low: 0 },
      series: shown.map((i) => own(i, all.T[i])),
    },
  ]);
}

/** T by N, and the quadratics. @param {Row} row */
function timesChart({ all, sorted, paper }) {
  const curve = (/** @type {any} */ { a, b, c }, /** @type {[number, number][]} */ points) => {
    const [from, to] = [points[0][0], last(points)[0]];
    return Array.from({ length: 81 }, (_, i) => from + ((to - from) * i) / 80).map(
      (n) => /** @type {[number, number]} */ ([n, a * n * n + b * n + c]),
    );
  };
  const colours = ['blue', 'orange', 'green', 'violet', 'red'];
  const both = (/** @type {Record<string, any>} */ points, /** @type {Record<string, any>} */ quadratics) =>
    Object.keys(points).flatMap((name, i) => [
      { name, points: points[name], colour: colours[i % 5] },
      {
        name: `${name}, fitted`,
        points: curve(quadratics[name], points[name]),
        colour: colours[i % 5],
        look: /** @type {const} */ ('dots'),
      },
    ]);
  const axes = { x: { name: 'N', low: 0 }, y: { name: 'T, ms', low: 0 } };
  return chart(
    'Time by the number of models, and quadratics that fit it',
    [
      { title: 'The paper: Tables IV to VI', ...axes, series: both(paper.times, paper.fits) },
      { title: 'All two-tuples, the partition in', ...axes, series: both(all.points, all.fits) },
      { title: 'Sorted bricks, the partition in', ...axes, series: both(sorted.points, sorted.fits) },
    ],
    { columns: 3 },
  );
}

/** @type {import('./index.mjs').Experiment} */
export const cubesTime = {
  paper: 'cubes',
  task: 'papers/cubes-time',
  title: 'Tables II and IV to X, Figure 1: time by models and processors',
  write: (row) => ({
    findings: [
      ...[fits(row), constantTime(row), equation8(row), slopes(row), convex(row)],
      ...[equation2(row), prefixSums(row), tableII(row), unparalleled(row)],
    ],
    text: [
      `The paper does not say how many cubes a model has. Ours are shells of ${row.cubes} cubes in a hall that grows with their number; all N of its tables then run. Workers are threads on ${row.cores} processors: more of them than that gain nothing. T is from meshes to pairs, the partition included.`,
      timesTable(row),
      '`T = a N² + b N + c`, by least squares. The paper divides times by the clocks of its processors, so that only shapes compare.',
      fitsTable(row),
      'N by T, of our equations for all two-tuples:',
      modelsTable(row),
      'Table II: what a stage costs for one of what its term counts, with a barrier after each stage; constant where the term is right. Shells of 12 triangles are a small model to hand to a thread, so that the partition gains nothing by workers; sums over blocks in which nothing collides are not made.',
      stagesTable(row),
      'Prefix sums alone, in two passes:',
      prefixTable(row),
    ],
    pictures: { 'cubes-models': figure1(row), 'cubes-times': timesChart(row) },
  }),
};
