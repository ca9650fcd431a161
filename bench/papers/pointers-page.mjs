// What docs/experiments.md says of the seed's Figure 10: a tree found by index against pointers.
import { chart } from '../chart.mjs';
import { count, ratio, table, time } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */

const LANGUAGES = /** @type {const} */ ([
  ['JavaScript', 'index', 'pointer', 'ratio'],
  ['WebAssembly', 'WASM, index', 'WASM, pointer', 'WASM, ratio'],
]);

/** The greatest over the least that still is almost constant. */
const CONSTANT = 1.5;

/** @param {Row} row */
function findings({ scenes, first, bytesOfNode, paper }) {
  const counts = Object.keys(scenes);
  const collisions = Object.values(scenes)
    .filter(({ contacts }) => contacts > 0)
    .map(({ pairs, contacts, index }) => (index * pairs) / contacts);
  const spread = Math.max(...collisions) / Math.min(...collisions);
  const times = Object.values(first);
  const [least, most] = paper.bodies;
  return [
    ...LANGUAGES.map(([language, , , key], i) => {
      const faster = counts.filter((n) => scenes[n][key] < 1);
      const gains = counts.map((n) => 100 * (1 / scenes[n][key] - 1));
      const [index, pointer] = times.slice(2 * i, 2 * i + 2);
      return {
        claim: `"For majority of the tests, GI-COLLIDE required less time to detect a collision, providing speedup up to a ${paper['faster, %']}%", from ${least} to ${most} bunnies (section 5.2, Figure 10); in ${language}`,
        verdict: /** @type {'confirmed' | 'refuted' | 'partly'} */ (
          2 * faster.length <= counts.length ? 'refuted' : index < pointer ? 'confirmed' : 'partly'
        ),
        why: `By index it is faster at ${faster.length} of ${counts.length} numbers of bunnies, from ${Math.round(Math.min(...gains))} to ${Math.round(Math.max(...gains))} %; near contact, where the tree is in the caches, the index takes ${ratio(index / pointer)} of the time.`,
      };
    }),
    {
      claim: '"The numbers of milliseconds per collision are almost constant for both cases" (section 5.2, Figure 10)',
      verdict: /** @type {'confirmed' | 'refuted'} */ (spread <= CONSTANT ? 'confirmed' : 'refuted'),
      why: `All pairs by index take ${time(Math.min(...collisions))} to ${time(Math.max(...collisions))} for each in contact, a factor of ${ratio(spread)}: the more bunnies, the more pairs without a contact to each with one.`,
    },
    {
      claim:
        '"The memory requirements for the geometry images are much smaller, because no pointers are required" (section 5.2)',
      verdict: /** @type {'confirmed' | 'refuted'} */ (
        2 * bytesOfNode.index <= bytesOfNode['WASM, pointer'] ? 'confirmed' : 'refuted'
      ),
      why: `A node takes ${bytesOfNode.index} bytes by index, the rest of the page included, ${bytesOfNode['WASM, pointer']} with pointers of 32 bits, and about ${bytesOfNode.pointer} as an object of JavaScript.`,
    },
  ];
}

/** @param {Row} row */
function drawn({ scenes }) {
  const counts = Object.keys(scenes).map(Number);
  const x = { name: 'bunnies', log: true, ticks: counts.map((n) => /** @type {const} */ ([n, String(n)])) };
  return chart(
    'Figure 10',
    LANGUAGES.map(([language, index, pointer]) => ({
      title: `Figure 10, in ${language}`,
      x,
      y: { name: 'us a pair', low: 0 },
      series: [
        { name: 'by index', points: counts.map((n) => /** @type {const} */ ([n, scenes[n][index]])), colour: 'blue' },
        {
          name: 'by pointers',
          points: counts.map((n) => /** @type {const} */ ([n, scenes[n][pointer]])),
          colour: 'orange',
        },
      ],
    })),
  );
}

/** @type {import('./index.mjs').Experiment} */
export const pointers = {
  paper: 'gi',
  title: 'Figure 10: index against pointers',
  task: 'structure',
  write: (row) => ({
    findings: findings(row),
    pictures: { pointers: drawn(row) },
    text: [
      `Both trees hold the same spheres in whole numbers, test the same pairs in the same order and end in the same test of triangles, once in JavaScript and once in WebAssembly; each pair of bunnies is asked, and nothing but spheres is used. A time is the median of ${row.runs} rounds in which the four take turns. The text of the paper gives no more of its figure than that the times "are almost constant". Pairs that are far apart end at their first spheres, so a pair takes less where there are many.`,
      table(
        [
          'bunnies',
          'pairs',
          'in contact',
          ...LANGUAGES.flatMap(([language]) => [`${language}: index, us`, 'pointers, us', 'ratio']),
        ],
        Object.entries(row.scenes).map(([n, x]) => [
          ...[n, count(x.pairs), count(x.contacts)],
          ...LANGUAGES.flatMap(([, ...keys]) => keys.map((key) => x[key])),
        ]),
      ),
    ],
  }),
};
