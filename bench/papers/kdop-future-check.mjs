// The future work in section 7 of Raabe et al. 2006: several pipelines, coefficients as differences
// from the parent's, a cache. And what the paper leaves open: which node of a pair stays in
// registers, which pair is fetched next, how long a test of triangles takes.
//
//   npm run bench -- papers/kdop-future
import { printTable } from '../race.mjs';
import { burstsOfNode, cyclesOfBurst, PAPER, parametersOf } from './kdop-machine/parameters.mjs';
import { answer, lamp, lampTree, means, posesOf, summary } from './kdop-scene.mjs';

/** @typedef {import('./kdop-machine/parameters.mjs').Parameters} Parameters */

const { bits } = PAPER;
const PIPELINES = [1, 2, 4, 8];
const CACHES = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 4096];
/**
 * Stored differences: bits of one, words of a burst. Differences of 7 bits fill a burst of four
 * words.
 */
const DIFFERENCES = [
  { deltaBits: 0, burstWords: 8 },
  { deltaBits: 18, burstWords: 8 },
  { deltaBits: 7, burstWords: 4 },
  { deltaBits: 4, burstWords: 4 },
  { deltaBits: 2, burstWords: 2 },
];

/** @param {boolean} quick */
function series(quick) {
  const poses = posesOf(quick);
  /** @param {Partial<Parameters>} changes */
  const measured = (changes) => ({ ...changes, ...means(quick, poses, { bits, ...changes }) });
  const everything = lampTree(quick, bits).links.length;
  const pipelines = quick ? [1, 4] : PIPELINES;
  const caches = quick ? [0, 64] : CACHES;
  return {
    poses: poses.length,
    nodes: everything,
    byPipelines: pipelines.map((count) => measured({ pipelines: count })),
    byPipelinesCached: pipelines.map((count) => measured({ pipelines: count, cacheNodes: everything })),
    byCache: caches.map((cacheNodes) => measured({ cacheNodes })),
    byDifference: (quick ? DIFFERENCES.slice(0, 3) : DIFFERENCES).map((changes) => {
      const parameters = parametersOf({ bits, ...changes });
      const cyclesOfNode = burstsOfNode(24, parameters) * cyclesOfBurst(parameters);
      return { cyclesOfNode, ...measured(changes) };
    }),
    together: measured({ pipelines: 4, cacheNodes: 256, deltaBits: 7, burstWords: 4 }),
  };
}

/**
 * Influence of values that the paper leaves open, and that are assumed here.
 *
 * @param {boolean} quick
 */
function assumptions(quick) {
  const poses = posesOf(quick);
  /** @type {Record<string, Partial<Parameters>>} */
  const trials = {
    'as assumed': {},
    'both nodes of a pair read anew': { isKept: false },
    "the search's order": { order: 'search' },
    'a queue of tests': { order: 'queue' },
    'triangles tested in 5 cycles': { triangleCycles: 5 },
    'triangles tested in 80 cycles': { triangleCycles: 80 },
    'a delay of 6 cycles a burst': { burstDelay: 6 },
  };
  return Object.fromEntries(
    Object.entries(trials).map(([name, changes]) => {
      const answers = poses.map((pose) => answer(quick, pose, { bits, ...changes }));
      const waiting = Math.max(...answers.map((each) => each.waiting));
      return [name, { microseconds: summary(answers).microseconds, waiting }];
    }),
  );
}

/** @param {import('../race.mjs').Run} run */
export default async function kdopFuture({ quick, keep }) {
  const found = series(quick);
  const { byPipelines, byPipelinesCached, byCache, byDifference, together } = found;
  for (const [title, rows] of Object.entries({ byPipelines, byPipelinesCached, byCache, byDifference })) {
    printTable(title, Object.fromEntries(rows.map((row, i) => [i, /** @type {any} */ (row)])));
  }
  console.log('\ntogether', JSON.stringify(together));
  const open = assumptions(quick);
  printTable('what the paper leaves open', open);
  keep({
    triangles: lamp(quick).triangles.length / 3,
    runs: 1, // a count of cycles is the same in every run
    bits,
    ...found,
    assumptions: open,
    // Section 7: "an expected speed-up linear to the number of pipelines"; section 5.2 on the
    // stack.
    paper: { speedUpAPipeline: 1 },
  });
}
