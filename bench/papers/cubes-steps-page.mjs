// Section of docs/experiments.md on the steps of Z. Peng, B. Wu, "Collision Detection Algorithm
// Based on Data Parallelism": Tables I and II, and equations 1 to 4, by counts.
import { chart } from '../chart.mjs';
import { count, ratio, table } from '../page-text.mjs';
import { digits } from '../race.mjs';
import { colorOf } from '../svg.mjs';
import { linearFit, powerFit, verdictOfCases } from './least-squares.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** The least R² at which steps follow a term. */
const FOLLOWS = 0.95;
/** A power of Q that is 1/Q. */
const INVERSE = [-1.05, -0.95];
/** Steps over a term that says how many there are, at most. */
const TWICE = 2;
/** Reads and writes of an addition in place. */
const ADDITION = 3;

const { log2 } = Math;
/**
 * Steps of all rows, as text: one number, or the range.
 *
 * @param {readonly number[]} steps
 */
function range(steps) {
  const [least, greatest] = [Math.min(...steps), Math.max(...steps)];
  return least === greatest ? count(least) : `${count(least)} to ${count(greatest)}`;
}

/**
 * Table I: a part's name, its time, the term of a row (null for a constant), and gicollide's way.
 *
 * @type {Record<string, [name: string, printed: string, term: ((row: any) => number) | null, ours:
 *   string]>}
 */
const PARTS = {
  partition: [
    'Algorithm 1, partition',
    'C t1',
    ({ C }) => C,
    'it cuts all 64 cells of a brick at once, for the bricks that a triangle reaches',
  ],
  preGeneration: ['Algorithm 2, pre-generation', 'a constant', null, 'a few steps for a pair'],
  prefixPair: [
    'Obtaining Prefix_Pair',
    'log(N(N - 1)/2)',
    ({ pairs }) => log2(pairs),
    'one processor adds up the sums of parts, one part for each processor, which suits few processors',
  ],
  generation: [
    'Algorithm 3, generation',
    'C²',
    ({ C }) => C ** 2,
    'each two-tuple has a processor, which finds its pair by bisection: about the logarithm of the number of pairs, not C²',
  ],
  detection: ['Algorithm 4, detection', 't2, a constant', null, 'it compares two cells'],
  prefixR: ['Obtaining Prefix_R', 'log(TotalPairCount)', ({ total }) => log2(total), 'like Prefix_Pair'],
  reduction: ['Algorithm 5, reduction', 'a constant', null, 'a few steps for a two-tuple'],
};

/** @param {Row} row @param {'paper' | 'own'} way @param {string} part @returns {number[]} */
const stepsOf = ({ unlimited }, way, part) => unlimited.map((/** @type {any} */ each) => each[way][part]);

/**
 * The fit of steps to k term + c, or to a constant.
 *
 * @param {Row} row
 * @param {'paper' | 'own'} way
 * @param {string} part
 */
function follows(row, way, part) {
  const term = PARTS[part][2];
  const steps = stepsOf(row, way, part);
  if (!term) return { holds: new Set(steps).size === 1, r2: null };
  const { r2 } = linearFit([steps.map(() => 1), row.unlimited.map(term)], steps);
  return { holds: r2 >= FOLLOWS, r2 };
}

/** Table I, a line each. @param {Row} row @returns {Finding[]} */
const tableI = (row) =>
  Object.entries(PARTS).map(([part, [name, printed, , ours]]) => {
    const { holds, r2 } = follows(row, 'paper', part);
    const own = follows(row, 'own', part);
    const fit = (/** @type {typeof own} */ { r2: each }) => (each === null ? '' : ` (R² ${digits(each, 3)})`);
    return {
      claim: `${name} takes \`${printed}\` on as many processors as it can use (Table I).`,
      verdict: holds ? 'confirmed' : 'refuted',
      why: `As printed, the busiest processor takes ${range(stepsOf(row, 'paper', part))} steps${fit({ holds, r2 })}. gicollide's takes ${range(stepsOf(row, 'own', part))}, with ${own.holds ? `the same growth${fit(own)}` : 'another growth'}: ${ours}.`,
    };
  });

/** @param {any} each @returns {number} */
const all = (each) => Object.keys(PARTS).reduce((sum, part) => sum + each[part], 0);

/** @param {Row} row @returns {Finding} */
function equation1(row) {
  const { unlimited } = row;
  const totals = unlimited.map((/** @type {any} */ { paper }) => all(paper));
  const terms = Object.values(PARTS).flatMap(([, , term]) => (term ? [unlimited.map(term)] : []));
  // Both logarithms have the same factor: an addition of a prefix sum.
  const logs = terms[1].map((/** @type {number} */ x, /** @type {number} */ i) => x + terms[3][i]);
  const { coefficients, r2 } = linearFit([totals.map(() => 1), terms[0], terms[2], logs], totals);
  return {
    claim: '`T1 = C t1 + log(N(N - 1)/2) + C² + t2 + log(TotalPairCount) + Constants` (equation 1).',
    verdict: r2 >= FOLLOWS ? 'confirmed' : 'refuted',
    why: `Over ${unlimited.length} pairs of N and C, least squares give \`${digits(coefficients[1])} C + ${digits(coefficients[2])} C² + ${digits(coefficients[3])} (log(N(N - 1)/2) + log(TotalPairCount)) + ${digits(coefficients[0])}\` steps with R² ${digits(r2, 6)}. gicollide takes ${range(unlimited.map((/** @type {any} */ { own }) => all(own)))} steps, and the printed algorithms ${range(totals)}: gicollide has no C², and its prefix sums are for few processors.`,
  };
}

/** @param {Row} row @returns {Finding} */
function equation2({ unlimited }) {
  const printed = unlimited.filter((/** @type {any} */ { N, C, total }) => total === N * C ** 2);
  const right = unlimited.filter((/** @type {any} */ { N, C, total }) => total === ((N * (N - 1)) / 2) * C ** 2);
  const most = unlimited.toSorted((/** @type {any} */ p, /** @type {any} */ q) => q.N - p.N)[0];
  return {
    claim: '`TotalPairCount = Prefix_Pair_N = ∑ Pair_i = N C²`, the sum from 1 to N (equation 2).',
    verdict: verdictOfCases(printed.length, unlimited.length),
    why: `For N = ${count(most.N)} and C = ${most.C} there are ${count(most.total)} two-tuples, but \`N C²\` is ${count(most.N * most.C ** 2)}. There are \`N(N - 1)/2\` pairs, not N. Equation 2 adds up the first N of them. This contradicts section III.A, which has the sum over i < j of \`C_i C_j\`. That is \`N(N - 1)/2 C²\`, which is right for ${right.length} of ${unlimited.length} measured pairs of N and C. The two are equal only for N = 3.`,
  };
}

/** @param {Row} row @returns {Finding} */
function equation3({ unlimited }) {
  const ys = unlimited.map((/** @type {any} */ { paper }) => (paper.prefixPair + paper.prefixR) / ADDITION);
  const [N, C] = ['N', 'C'].map((name) => unlimited.map((/** @type {any} */ each) => log2(each[name])));
  const { coefficients, r2 } = linearFit([ys.map(() => 1), N, C], ys);
  const [ofN, ofC] = coefficients.slice(1);
  const held = [Math.abs(ofN - 3) < 0.5, Math.abs(ofC - 2) < 0.5].filter(Boolean).length;
  return {
    claim: '`T1 = 3 log(N) + 2 log(C) + C t1 + C² + t2 + Constants` (equation 3, of 1 and 2).',
    verdict: verdictOfCases(held, 2),
    why: `Both prefix sums together take ${digits(ofN)} log N + ${digits(ofC)} log C successive additions (R² ${digits(r2, 4)}). With the right TotalPairCount, the factor of log N is 4, because \`log(N(N - 1)/2)\` is nearly \`2 log N - 1\` in both.`,
  };
}

/**
 * @param {Row} row
 * @param {'paper' | 'own'} way
 * @param {string} part
 * @returns {[number, number][]}
 */
const byQ = ({ shared }, way, part) => shared.map((/** @type {any} */ each) => [each.Q, each[way][part]]);
const SHARES = ['partition', 'preGeneration', 'generation', 'detection', 'reduction'];

/** @param {Row} row @returns {Finding} */
function tableII(row) {
  const powers = SHARES.map((part) => ({
    part,
    paper: powerFit(byQ(row, 'paper', part)).power,
    own: powerFit(byQ(row, 'own', part)).power,
  }));
  const isInverse = (/** @type {number} */ power) => power >= INVERSE[0] && power <= INVERSE[1];
  const { N, C } = row.shared[0];
  return {
    claim: 'On Q processors all parts except the prefix sums take 1/Q of the steps of one processor (Table II).',
    verdict: verdictOfCases(powers.filter(({ paper }) => isInverse(paper)).length, powers.length),
    why: `For N = ${N}, C = ${C} and Q = ${row.shared.map((/** @type {any} */ { Q }) => Q).join(', ')}: as printed, steps grow with Q to the power of ${powers.map(({ part, paper }) => `${digits(paper)} (${part})`).join(', ')}. gicollide's powers are ${powers.map(({ own }) => digits(own)).join(', ')}; its models differ in the number of reached bricks.`,
  };
}

/** Numbers of summands of Table II's prefix sums. @param {any} each @param {string} part */
const summed = (each, part) => (part === 'prefixPair' ? each.pairs : each.total);
/** @param {number} M @param {number} Q */
const printedSum = (M, Q) => log2(M + M / Q);

/** @param {Row} row @returns {Finding} */
function prefixSums(row) {
  const parts = ['prefixPair', 'prefixR'].map((part) => {
    const M = summed(row.shared[0], part);
    const off = byQ(row, 'paper', part).map(([Q, steps]) => steps / ADDITION / printedSum(M, Q));
    return { part, M, off, holds: Math.max(...off) <= TWICE };
  });
  const [first] = parts;
  return {
    claim: "A prefix sum of M numbers takes `log(M + M/Q)` on Q processors, by Brent's theorem (section IV, Table II).",
    verdict: verdictOfCases(parts.filter(({ holds }) => holds).length, parts.length),
    why: `One processor needs at least ${count(first.M - 1)} additions to add up ${count(first.M)} numbers, but the term is ${digits(printedSum(first.M, 1))}. Counted from Q = 1 to ${row.shared.at(-1).Q}, the algorithm of the paper's reference 25 takes ${parts.map(({ part, off }) => `${ratio(Math.max(...off))} to ${ratio(Math.min(...off))} times the term (${part})`).join(', ')}. gicollide's takes ${['prefixPair', 'prefixR'].map((part) => range(byQ(row, 'own', part).map(([, steps]) => steps))).join(' and ')} steps. Brent's theorem gives \`M/Q + log M\`.`,
  };
}

/** @param {Row} row */
const partsTable = (row) =>
  table(
    ['N', 'C', 'pairs', 'two-tuples', ...Object.values(PARTS).map(([name]) => name.replace(/^.*, /, ''))],
    row.unlimited.map((/** @type {any} */ each) => [
      ...[each.N, each.C, each.pairs, each.total].map(count),
      ...Object.keys(PARTS).map((part) => `${count(each.paper[part])}, ${count(each.own[part])}`),
    ]),
  );

/** @param {Row} row */
const sharedTable = ({ shared }) =>
  table(
    ['Q', ...Object.values(PARTS).map(([name]) => name.replace(/^.*, /, '')), '`log(M + M/Q)` of the two sums'],
    shared.map((/** @type {any} */ each) => [
      each.Q,
      ...Object.keys(PARTS).map((part) => `${count(each.paper[part])}, ${count(each.own[part])}`),
      ['prefixPair', 'prefixR'].map((part) => digits(printedSum(summed(each, part), each.Q))).join(', '),
    ]),
  );

/** @param {Row} row */
function picture(row) {
  const least = Math.min(...row.unlimited.map((/** @type {any} */ { C }) => C));
  const byN = row.unlimited.filter((/** @type {any} */ { C }) => C === least);
  const Q = row.shared.map((/** @type {any} */ each) => each.Q);
  const sums = (/** @type {'paper' | 'own'} */ way) =>
    row.shared.map((/** @type {any} */ each) => [each.Q, each[way].prefixR]);
  return chart('Steps of the busiest processor', [
    {
      title: 'Table I: processors without end',
      subtitle: `shells of ${least} cubes`,
      x: { name: 'N', log: true, ticks: byN.map((/** @type {any} */ { N }) => [N, String(N)]) },
      y: { name: 'steps', log: true },
      series: [
        {
          name: 'as printed: all parts',
          points: byN.map((/** @type {any} */ { N, paper }) => [N, all(paper)]),
          colour: colorOf("the paper's way"),
        },
        {
          name: 'as printed: both prefix sums',
          points: byN.map((/** @type {any} */ { N, paper }) => [N, paper.prefixPair + paper.prefixR]),
          colour: colorOf("the paper's way"),
          dash: '6 4',
        },
        {
          name: 'ours: all parts but the prefix sums',
          points: byN.map((/** @type {any} */ { N, own }) => [N, all(own) - own.prefixPair - own.prefixR]),
          colour: colorOf('ours'),
        },
        {
          name: 'ours: both prefix sums',
          points: byN.map((/** @type {any} */ { N, own }) => [N, own.prefixPair + own.prefixR]),
          colour: colorOf('ours'),
          dash: '6 4',
        },
      ],
    },
    {
      title: 'Table II: Prefix_R on Q processors',
      subtitle: `${count(row.shared[0].total)} two-tuples`,
      x: { name: 'Q', log: true, ticks: Q.map((/** @type {number} */ q) => [q, String(q)]) },
      y: { name: 'steps', log: true },
      series: [
        { name: "the paper's [25], counted", points: sums('paper'), colour: colorOf("the paper's way") },
        { name: 'ours, counted', points: sums('own'), colour: colorOf('ours') },
        {
          name: 'log(M + M/Q), as printed',
          points: row.shared.map((/** @type {any} */ each) => [each.Q, printedSum(each.total, each.Q)]),
          ...{ colour: 'grey', dash: '2 3' },
        },
      ],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const cubesSteps = {
  paper: 'cubes',
  task: 'papers/cubes-steps',
  title: 'Tables I and II, equations 1 to 3: steps by counts',
  write: (row) => ({
    findings: [...tableI(row), equation1(row), equation2(row), equation3(row), tableII(row), prefixSums(row)],
    text: [
      "Steps are reads and writes of shared memory by the busiest processor; arithmetic is free. The paper's algorithms run as printed, on a machine that counts. gicollide's are its own stages, counted in the same way. Both find the same two-tuples. Algorithm 1 does not describe how a cube is found, so its printed form has only the cost of writing one. Each cell has two figures: as printed, and gicollide's. Each part has as many processors as it can use.",
      partsTable(row),
      `Q processors, N = ${row.shared[0].N}, C = ${row.shared[0].C}:`,
      sharedTable(row),
    ],
    pictures: { 'cubes-steps': picture(row) },
  }),
};
