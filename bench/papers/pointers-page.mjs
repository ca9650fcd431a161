// Section of docs/experiments.md on GI-COLLIDE, Figure 10: a tree found by index against pointers.
import { chart } from '../chart.mjs';
import { count, ratio, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */

const LANGUAGES = /** @type {const} */ ([
  ['JavaScript', 'index', 'pointer', 'ratio'],
  ['WebAssembly', 'WASM, index', 'WASM, pointer', 'WASM, ratio'],
]);

/** The largest ratio of times that still counts as almost constant. */
const CONSTANT = 1.5;

/**
 * The time of all pairs for each in contact, as the paper has it, where there is one: by number of
 * bunnies.
 *
 * @param {Row} row
 * @param {string} key of the time of a pair
 * @returns {[number, number][]}
 */
const collisionsOf = ({ scenes }, key) =>
  Object.entries(scenes)
    .filter(([, { contacts }]) => contacts > 0)
    .map(([n, { pairs, contacts, [key]: us }]) => [Number(n), (us * pairs) / contacts]);

/** @param {Row} row */
function findings(row) {
  const { scenes, bytesOfNode, paper } = row;
  const counts = Object.keys(scenes);
  const [least, most] = paper.bodies;
  const spreads = LANGUAGES.flatMap(([, ...keys]) => keys.slice(0, 2)).map((key) => {
    const times = collisionsOf(row, key).map(([, us]) => us);
    return Math.max(...times) / Math.min(...times);
  });
  const byIndex = collisionsOf(row, 'index').map(([, us]) => us);
  return [
    ...LANGUAGES.map(([language, , , key]) => {
      const faster = counts.filter((n) => scenes[n][key] < 1);
      const gains = counts.map((n) => 100 * (1 / scenes[n][key] - 1));
      return {
        claim: `"For majority of the tests, GI-COLLIDE required less time to detect a collision, providing speedup up to a ${paper['faster, %']}%", from ${least} to ${most} bunnies (section 5.2, Figure 10); in ${language}`,
        verdict: /** @type {'confirmed' | 'refuted'} */ (2 * faster.length > counts.length ? 'confirmed' : 'refuted'),
        why: `Indices are faster for ${faster.length} of ${counts.length} numbers of bunnies, by ${Math.round(Math.min(...gains))} to ${Math.round(Math.max(...gains))} %. Both test the same pairs.`,
      };
    }),
    {
      claim: '"The numbers of milliseconds per collision are almost constant for both cases" (section 5.2, Figure 10)',
      verdict: /** @type {'confirmed' | 'refuted'} */ (Math.max(...spreads) <= CONSTANT ? 'confirmed' : 'refuted'),
      why: `By index, the time of all pairs is ${time(Math.min(...byIndex))} to ${time(Math.max(...byIndex))} for each pair in contact. The largest time is ${ratio(Math.min(...spreads))} to ${ratio(Math.max(...spreads))} times the smallest, depending on the way. It depends on the number of near pairs for each pair in contact.`,
    },
    {
      claim:
        '"The memory requirements for the geometry images are much smaller, because no pointers are required" (section 5.2)',
      verdict: /** @type {'confirmed' | 'refuted'} */ (
        2 * bytesOfNode.index <= bytesOfNode['WASM, pointer'] ? 'confirmed' : 'refuted'
      ),
      why: `A node takes ${bytesOfNode.index} bytes by index, including the rest of the page. It takes ${bytesOfNode['WASM, pointer']} with pointers of 32 bits, and about ${bytesOfNode.pointer} as a JavaScript object.`,
    },
  ];
}

/** @param {Row} row */
function drawn(row) {
  const counts = collisionsOf(row, 'index').map(([n]) => n);
  const x = { name: 'bunnies', log: true, ticks: counts.map((n) => /** @type {const} */ ([n, String(n)])) };
  return chart(
    'Figure 10',
    LANGUAGES.map(([language, index, pointer]) => ({
      title: `Figure 10, in ${language}`,
      x,
      subtitle: 'all pairs over those in contact',
      y: { name: 'us a collision', low: 0 },
      series: [
        { name: 'by index', points: collisionsOf(row, index), colour: colorOf('spheres alone') },
        { name: 'by pointers', points: collisionsOf(row, pointer), colour: colorOf('pointers') },
      ],
    })),
  );
}

/** @type {import('./index.mjs').Experiment} */
export const pointers = {
  paper: 'gi',
  title: 'Figure 10: index against pointers',
  task: 'structure',
  reads: ({ size }) => size !== undefined,
  write: (row) => ({
    findings: findings(row),
    pictures: { pointers: drawn(row) },
    text: [
      `Bunnies are images of ${row.size} x ${row.size} samples, the paper's size, with the paper's spheres. Both trees have the same spheres in whole numbers, and the same test of triangles. They test the same pairs in the same order: those of \`check --bounds spheres\`. Each is written in JavaScript and in WebAssembly. Each pair of bunnies is asked for its first contact. A time is the minimum of ${row.runs} rounds, in which the four take turns. The time of a collision is that of all pairs over the number in contact, as in the paper. The paper's text says of its figure only that the times "are almost constant". Pairs that are far apart end at their first spheres.`,
      table(
        [
          'bunnies',
          'pairs',
          'in contact',
          ...LANGUAGES.flatMap(([language]) => [`${language}: index, a collision`, 'pointers', 'ratio']),
        ],
        Object.entries(row.scenes).map(([n, x]) => [
          ...[n, count(x.pairs), count(x.contacts)],
          ...LANGUAGES.flatMap(([, index, pointer, key]) => [
            ...[index, pointer].map((way) => (x.contacts > 0 ? time((x[way] * x.pairs) / x.contacts) : '')),
            x[key],
          ]),
        ]),
      ),
    ],
  }),
};
