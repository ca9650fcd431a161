// Sections of docs/speed.md on solids, and on queries of one asset.
import { count, ratio, table, time } from './page-text.mjs';
import { digits } from './race.mjs';

/** @type {import('./page-text.mjs').Writer} */
export function queries({ triangles, queries, rows, differ, tree }) {
  const named = Object.entries(rows);
  const peer = 'three-mesh-bvh';
  const own = 'OBB, 40 bytes';
  const kinds = [...new Set(named.flatMap(([, row]) => Object.keys(row)))].filter((name) => name !== 'ratio');
  return {
    title: 'How long do a ray, a nearest point and a point in a solid take?',
    answers: named.flatMap(([question, row]) =>
      row[peer] ? [{ question, way: `${own} a node`, time: row[own], peer, peerTime: row[peer] }] : [],
    ),
    text: [
      `A bunny of ${count(triangles)} triangles, ${count(queries)} queries of each kind, medians of batches. Rays start three sizes away. "Off" is the distance from a vertex, in sizes of the model. The answers of gicollide are proved brackets, those of the peer are rounded. ${count(differ)} answers differ by 1e-5 or more.`,
      // Older rows have no such tree.
      ...(tree
        ? [
            `A tree of boxes answers rays and nearest points. It is made after one query for every eight triangles. Making it takes ${digits(tree.ms, 2)} ms, which ${count(tree.rays)} rays save again. \`raycasts\` has batches of 20 rays. Embree answers in single precision, without a bracket.`,
          ]
        : []),
      table(
        ['query', ...kinds],
        named.map(([question, row]) => [question, ...kinds.map((kind) => time(row[kind]))]),
      ),
    ],
  };
}

/** @type {import('./page-text.mjs').Writer} */
export function solid(row) {
  const named = Object.entries(/** @type {Record<string, Record<string, number>>} */ (row.pairs));
  const ways = ['thickness', 'reach', 'distance', 'class', 'all'].map((name) => `${name}, us`);
  return {
    title: 'How long do the class and the depth of two solids take?',
    // Older rows have no peer.
    answers: row.classes
      ? [
          {
            question: `the class of two solids, ${row.classes.pairs} random pairs, medians`,
            way: '`solid`, `depth: off`',
            time: 1000 * row.classes['class, ms'],
            peer: 'the intersection by manifold-3d',
            peerTime: 1000 * row.classes['manifold-3d, ms'],
          },
        ]
      : [],
    text: [
      ...(row.classes
        ? [
            `A class takes ${ratio(row.classes['ratio, median'])} of the time in which manifold-3d intersects the same pair, in the median, and ${ratio(row.classes['ratio, worst'])} of it at worst.`,
          ]
        : []),
      'Pairs of solids that clash. `thickness` is the diameter of the largest ball inside both, within 1 %. `reach` is the largest depth of either in the other. `distance` is that of the same two solids drawn apart. `class` separates overlap, touch and inside; `all contacts` is the list that it starts from. manifold-3d computes the intersection in floating point, and has no notion of touching.',
      table(
        [
          'pair',
          'thickness within',
          ...ways.map((way) => way.replace(', us', way === 'all, us' ? ' contacts' : '')),
          'thickness / distance',
          'class / all',
        ],
        named.map(([name, pair]) => [
          name,
          `${digits(pair.from, 4)} to ${digits(pair.to, 4)}`,
          ...ways.map((way) => time(pair[way])),
          ratio(pair['to distance']),
          ratio(pair['to all']),
        ]),
      ),
      `A thickness takes as long as ${ratio(row['to distance'])} distances (geometric mean), and a class as long as ${ratio(row['to all'])} lists (median).`,
    ],
  };
}
