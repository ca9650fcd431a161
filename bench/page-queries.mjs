// What docs/speed.md says of questions about one asset.
import { count, table, time } from './page-text.mjs';

/** @type {import('./page-text.mjs').Writer} */
export function queries({ triangles, queries, rows, differ }) {
  const named = Object.entries(rows);
  const peer = 'three-mesh-bvh';
  const own = 'OBB, 40 bytes';
  const kinds = Object.keys(named[0][1]).filter((name) => name !== 'ratio');
  return {
    title: 'How long do a ray, a nearest point and a point in a solid take?',
    answers: named.flatMap(([question, row]) =>
      row[peer] ? [{ question, way: `${own} a node`, time: row[own], peer, peerTime: row[peer] }] : [],
    ),
    text: [
      `A bunny of ${count(triangles)} triangles, ${count(queries)} queries of each sort, medians of batches. Rays come from three sizes away; "off" is a length from a vertex, in parts of the model's size. Ours are proved brackets, the peer's are rounded; ${count(differ)} answers differ by 1e-5 or more.`,
      table(
        ['query', ...kinds],
        named.map(([question, row]) => [question, ...kinds.map((kind) => time(row[kind]))]),
      ),
    ],
  };
}
