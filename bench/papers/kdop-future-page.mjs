// Section of docs/experiments.md on section 7 of Raabe et al. 2006, the paper's future work, and on
// values that it leaves open.
import { chart } from '../chart.mjs';
import { count, percent, ratio, table, time } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding['verdict']} Verdict */
/**
 * @typedef {{ pipelines: number, cacheNodes: number, deltaBits: number, burstWords: number,
 *   cyclesOfNode: number, microseconds: number, pairs: number, bursts: number, memoryBusy: number }} Timed
 */

/** Share of the linear speed-up that counts as linear. */
const LINEAR = 0.8;
/** Share of time with busy memory from which memory counts as the limit. */
const LIMIT = 0.9;
/** Smallest gain that counts as a solution. */
const GAIN = 0.1;

/** @template T @param {readonly T[]} rows @returns {T} */
const last = (rows) => rows[rows.length - 1];
/**
 * Speed of the last setting, in times of the first.
 *
 * @param {readonly Timed[]} rows
 */
const gainOf = (rows) => rows[0].microseconds / last(rows).microseconds;

/** @param {Row} row */
function pipelineFindings({ byPipelines, byPipelinesCached, paper }) {
  const { pipelines, memoryBusy } = last(/** @type {Timed[]} */ (byPipelines));
  const [alone, cached] = [gainOf(byPipelines), gainOf(byPipelinesCached)];
  const isLinear = byPipelines.every(
    (/** @type {Timed} */ x) =>
      byPipelines[0].microseconds / x.microseconds >= LINEAR * paper.speedUpAPipeline * x.pipelines,
  );
  const isBusy = byPipelines.every((/** @type {Timed} */ x) => x.memoryBusy >= LIMIT);
  return [
    {
      claim: 'Several pipelines for the axes of a pair give a speed-up linear to their number (section 7).',
      verdict: /** @type {Verdict} */ (
        isLinear ? 'confirmed' : Math.max(alone, cached) > 1 + GAIN ? 'partly' : 'refuted'
      ),
      why: `${pipelines} pipelines are ${ratio(alone)} times as fast as one, and ${ratio(cached)} times with all nodes in a cache. Even then, first reads and triangles keep the memory busy ${percent(last(/** @type {Timed[]} */ (byPipelinesCached)).memoryBusy)} of the time.`,
    },
    {
      claim: 'Then memory bandwidth becomes the limiting factor (section 7).',
      verdict: /** @type {Verdict} */ (isBusy ? 'confirmed' : 'refuted'),
      why: `The memory is busy ${percent(byPipelines[0].memoryBusy)} of the time with one pipeline, and ${percent(memoryBusy)} with ${pipelines}. It already limits a single pipeline.`,
    },
  ];
}

/** @param {Row} row */
function memoryFindings({ byDifference, byCache, nodes, together }) {
  const best = byDifference.reduce((/** @type {Timed} */ p, /** @type {Timed} */ q) =>
    q.microseconds < p.microseconds ? q : p,
  );
  const gain = byDifference[0].microseconds / best.microseconds;
  const cache = gainOf(byCache);
  /** @type {Timed | undefined} */
  const small = byCache.find(
    (/** @type {Timed} */ x) => byCache[0].microseconds / x.microseconds >= 1 + 0.9 * (cache - 1),
  );
  return [
    {
      claim: 'Compression of coefficients is a possible solution (section 7).',
      verdict: /** @type {Verdict} */ (gain >= 1 + GAIN ? 'confirmed' : 'refuted'),
      why: `Differences of ${best.deltaBits} bits from the parent's coefficients, in bursts of ${best.burstWords} words, make it ${ratio(gain)} times as fast, with ${percent(best.pairs / byDifference[0].pairs - 1)} more pairs of nodes. No contact is lost.`,
    },
    {
      claim: 'A cache is a possible solution (section 7).',
      verdict: /** @type {Verdict} */ (cache >= 1 + GAIN ? 'confirmed' : 'refuted'),
      why: `A cache for all ${count(nodes)} nodes makes it ${ratio(cache)} times as fast. A cache for ${count(small?.cacheNodes ?? nodes)} has nine tenths of the gain. With ${together.pipelines} pipelines, ${together.cacheNodes} nodes in the cache and differences of ${together.deltaBits} bits it is ${ratio(byCache[0].microseconds / together.microseconds)} times as fast.`,
    },
  ];
}

/** @param {Row} row */
function stackFinding({ assumptions }) {
  const [stack, queue] = [assumptions['as assumed'], assumptions['a queue of tests']];
  return {
    claim:
      'Scheduling DOP tests in a stack is far superior to queue control with regards to memory usage (section 5.2).',
    verdict: /** @type {Verdict} */ (
      queue.waiting >= 2 * stack.waiting ? 'confirmed' : queue.waiting > stack.waiting ? 'partly' : 'refuted'
    ),
    why: `The stack holds at most ${count(stack.waiting)} tests, a queue ${count(queue.waiting)}.`,
  };
}

/** @param {Row} row */
function picture({ byPipelines, byPipelinesCached, byCache }) {
  /** @param {readonly Timed[]} rows @returns {[number, number][]} */
  const speedUps = (rows) =>
    rows.map(({ pipelines, microseconds }) => [pipelines, rows[0].microseconds / microseconds]);
  const cached = byCache.filter((/** @type {Timed} */ { cacheNodes }) => cacheNodes > 0);
  return chart('Pipelines and cache', [
    {
      title: 'Speed-up by pipelines',
      subtitle: 'against one with as large a cache',
      x: { name: 'pipelines' },
      y: { name: 'speed-up', low: 0 },
      series: [
        { name: 'no cache', points: speedUps(byPipelines) },
        { name: 'a cache of all nodes', points: speedUps(byPipelinesCached) },
        {
          name: 'linear',
          points: byPipelines.map((/** @type {Timed} */ { pipelines }) => [pipelines, pipelines]),
          dash: '6 4',
        },
      ],
    },
    {
      title: 'Time by cache',
      subtitle: 'one pipeline; mean over the poses',
      x: { name: 'nodes in the cache', log: true },
      y: { name: 'microseconds', low: 0 },
      series: [
        { name: 'cache', points: cached.map((/** @type {Timed} */ x) => [x.cacheNodes, x.microseconds]) },
        {
          name: 'none',
          points: cached.map((/** @type {Timed} */ x) => [x.cacheNodes, byCache[0].microseconds]),
          dash: '6 4',
        },
      ],
    },
  ]);
}

/** @param {Row} row @param {readonly Timed[]} rows @param {(x: Timed) => (string | number)[]} names */
const timesOf = ({ byCache }, rows, names) =>
  rows.map((x) => [
    ...names(x),
    time(x.microseconds),
    ratio(byCache[0].microseconds / x.microseconds),
    count(Math.round(x.pairs)),
    count(Math.round(x.bursts)),
    percent(x.memoryBusy),
  ]);

/** @type {import('./index.mjs').Experiment} */
export const kdopFuture = {
  paper: 'kdop',
  task: 'papers/kdop-future',
  title: 'Section 7 in the model: pipelines, compressed coefficients, a cache',
  write: (row) => {
    const measured = ['time', 'times as fast', 'pairs of nodes', 'bursts', 'memory busy'];
    return {
      findings: [...pipelineFindings(row), ...memoryFindings(row), stackFinding(row)],
      text: [
        `24-DOPs of ${row.bits} bits, two headlights of ${count(row.triangles)} triangles, ${row.poses} poses, by [the model of the machine](../bench/papers/kdop-machine/README.md). Both lamps are one tree of ${count(row.nodes)} nodes in memory.`,
        table(
          ['pipelines', 'cache', ...measured],
          timesOf(row, [...row.byPipelines, ...row.byPipelinesCached], (x) => [
            x.pipelines,
            x.cacheNodes ? count(x.cacheNodes) : 'none',
          ]),
        ),
        table(
          ['nodes in the cache', ...measured],
          timesOf(row, row.byCache, (x) => [count(x.cacheNodes)]),
        ),
        table(
          ['bits of a difference', 'words of a burst', 'cycles a node', ...measured],
          timesOf(row, row.byDifference, (x) => [x.deltaBits || 'none stored', x.burstWords, x.cyclesOfNode]),
        ),
        'The paper leaves some values open. Their influence on the results:',
        table(
          ['assumed', 'time', 'tests that wait, at most'],
          Object.entries(row.assumptions).map(([name, { microseconds, waiting }]) => [
            name,
            time(microseconds),
            count(waiting),
          ]),
        ),
      ],
      pictures: { 'kdop-future': picture(row) },
    };
  },
};
