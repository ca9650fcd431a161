// What docs/speed.md says of questions about solids, and about one asset.
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
      `A bunny of ${count(triangles)} triangles, ${count(queries)} queries of each sort, medians of batches. Rays come from three sizes away; "off" is a length from a vertex, in parts of the model's size. Ours are proved brackets, the peer's are rounded; ${count(differ)} answers differ by 1e-5 or more.`,
      // Rows of before had no such tree.
      ...(tree
        ? [
            `A tree of boxes answers rays and nearest points. It is made once an asset has been asked an eighth as often as it has triangles; it takes ${digits(tree.ms, 2)} ms, as much as ${count(tree.rays)} rays save. \`raycasts\` is for batches of 20 rays. Embree answers in single precision, without a bracket.`,
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
    title: 'How long does it take to tell how two solids lie, and how deep?',
    // Rows of before had no peer.
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
            `A class takes ${ratio(row.classes['ratio, median'])} of the time of the intersection that manifold-3d makes of the same pair in the median, and ${ratio(row.classes['ratio, worst'])} at worst.`,
          ]
        : []),
      'Pairs of solids that clash. `thickness` is the largest ball inside both, within 1 %, and `reach` the farthest that either goes into the other; beside them a `distance` of the same two drawn apart. `class` tells overlap from touch and inside; beside it the list of all contacts that it begins with. manifold-3d makes the intersection in floating point, and says nothing of touching.',
      table(
        [
          'pair',
          'how thick',
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
      `In the geometric mean a thickness takes as long as ${ratio(row['to distance'])} distances, and in the median a class as long as ${ratio(row['to all'])} lists.`,
    ],
  };
}
