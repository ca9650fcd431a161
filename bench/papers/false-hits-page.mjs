// Section of docs/experiments.md on GI-COLLIDE, section 4: false hits of spheres, and how soon they
// are dropped.
import { chart } from '../chart.mjs';
import { count, percent, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */
/** @typedef {import('./false-hits-check.mjs').Counts} Counts */

/** A high probability, and one above which it is more likely than not. */
const [HIGH, LIKELY] = [0.9, 0.5];

const SPHERES = /** @type {const} */ ({ seed: "the paper's spheres", tight: 'tight spheres' });

/** @param {Counts} counts @param {'droppedNext' | 'droppedByTwo'} key */
const shareOf = (counts, key) => counts[key] / counts.false;

/** @param {Counts[]} levels */
const withFalse = (levels) =>
  levels.flatMap((counts, level) => (counts.false > 0 ? [/** @type {const} */ ([level, counts])] : []));

/**
 * The shares of the levels that have spheres two levels lower.
 *
 * @param {Counts[]} levels
 * @param {'droppedNext' | 'droppedByTwo'} key
 */
const sharesOf = (levels, key) => withFalse(levels.slice(0, -2)).map(([, counts]) => shareOf(counts, key));

/** @param {readonly number[]} shares */
const rangeInWords = (shares) => `${percent(Math.min(...shares))} to ${percent(Math.max(...shares))}`;

/** @param {Row} row @returns {Finding[]} */
function findings({ levels }) {
  return Object.entries(levels).map(([scene, { seed }]) => {
    const [next, byTwo] = /** @type {const} */ (['droppedNext', 'droppedByTwo']).map((key) => sharesOf(seed, key));
    return {
      claim: `"possible false collision in the first level would be discarded with a high probability in the next level or levels" (section 4): ${scene}`,
      verdict: /** @type {'confirmed' | 'partly' | 'refuted'} */ (
        Math.min(...byTwo) >= HIGH ? 'confirmed' : byTwo.some((share) => share > LIKELY) ? 'partly' : 'refuted'
      ),
      why: `${rangeInWords(next)} of the false hits are dropped one level lower, depending on the level, and ${rangeInWords(byTwo)} within two levels. "High" is ${percent(HIGH)} here. Only levels with spheres two levels lower count.`,
    };
  });
}

/** @param {Row} row */
function drawn({ levels }) {
  return chart(
    'False hits by level',
    Object.entries(levels).map(([scene, bySpheres]) => ({
      title: `Dropped false hits: ${scene}`,
      subtitle: 'by the level at which the spheres overlap',
      x: { name: 'level' },
      y: { name: '% of false hits', low: 0, high: 100 },
      series: /** @type {const} */ (['seed', 'tight']).flatMap((spheres) => {
        const name = SPHERES[spheres];
        const colour = colorOf(spheres === 'seed' ? 'spheres alone' : 'tight spheres');
        // Only levels where spheres drop them, not triangles.
        const points = (/** @type {'droppedNext' | 'droppedByTwo'} */ key, /** @type {number} */ lower) =>
          withFalse(bySpheres[spheres].slice(0, -lower)).map(
            ([level, x]) => /** @type {const} */ ([level, 100 * shareOf(x, key)]),
          );
        return [
          { name: `${name}, one level lower`, points: points('droppedNext', 1), colour },
          { name: `${name}, by two levels lower`, points: points('droppedByTwo', 2), colour, dash: '6 4' },
        ];
      }),
    })),
  );
}

/** @type {import('./index.mjs').Experiment} */
export const falseHits = {
  paper: 'gi',
  title: 'Section 4: false hits of spheres, dropped a level lower',
  task: 'papers/false-hits',
  write: (row) => ({
    findings: findings(row),
    pictures: { 'false-hits': drawn(row) },
    text: [
      `Two bunnies of ${row.size} samples a side are asked for all contacts by spheres alone (\`check --bounds spheres --all\`), which reports each tested pair. There are all pairs of 64 moving bunnies, and 40 pairs that barely touch or miss. Pairs of spheres of one level are counted. One level lower means one level lower in both trees. A false hit is a pair of spheres that overlap, although no triangles below them touch. It is dropped one level lower if no pair of spheres below it overlaps there. At the deepest level its triangles drop it.`,
      ...Object.entries(row.levels).flatMap(([scene, bySpheres]) => [
        `${scene[0].toUpperCase()}${scene.slice(1)}:`,
        table(
          [
            'level',
            ...Object.values(SPHERES).flatMap((name) => [`${name}: overlap`, 'false', 'dropped next', 'by two']),
          ],
          bySpheres.seed.map((/** @type {Counts} */ _, /** @type {number} */ level) => [
            level,
            ...Object.keys(SPHERES).flatMap((spheres) => {
              const x = bySpheres[spheres][level];
              return [
                ...[count(x.overlapping), count(x.false)],
                ...(x.false > 0 ? [percent(shareOf(x, 'droppedNext')), percent(shareOf(x, 'droppedByTwo'))] : ['', '']),
              ];
            }),
          ]),
        ),
      ]),
    ],
  }),
};
