// Section of docs/speed.md on objects that move in three.js, and on models with stored trees.
import { count, ofMs, table, time } from './page-text.mjs';

const PEER = 'three-mesh-bvh';

/** @type {import('./page-text.mjs').Writer} */
export function three({ moving, few = {}, loading, ready = {}, sizes = {} }) {
  const flights = Object.entries(moving);
  const bodies = Object.entries(few);
  const models = Object.values(loading);
  const stored = Object.entries(/** @type {Record<string, Record<string, any>>} */ (ready));
  const own = (/** @type {any} */ row) => row['with its tree'] - row['ms to load'];
  return {
    title: 'How fast is it in three.js?',
    answers: [
      ...flights.map(([n, row]) => ({
        question: `a frame of ${n} moving bunnies in three.js`,
        ...{ way: '`LiveChecker`', time: row['us a frame'], peer: PEER, peerTime: row[`${PEER}, us a frame`] },
      })),
      ...bodies.map(([name, row]) => ({
        question: `a frame of ${name}, in three.js`,
        ...{ way: '`LiveChecker`', time: row['us a frame'], peer: PEER, peerTime: row[`${PEER}, us a frame`] },
      })),
      ...models.map((row) => ({
        question: `the tree of a loaded model of ${count(row.triangles)} triangles`,
        ...{
          way: 'from its GLB',
          time: 1000 * own(row),
          peer: `${PEER}, built`,
          peerTime: 1000 * row[`${PEER}, to build`],
        },
      })),
      ...stored.flatMap(([triangles, rows]) =>
        Object.entries(rows).map(([way, row]) => ({
          question: `a stored tree of ${count(Number(triangles))} triangles, until its first query`,
          ...{ way, time: 1000 * row['ms to read'], peer: `${PEER}, built`, peerTime: 1000 * row[`${PEER}, to build`] },
        })),
      ),
    ],
    text: [
      `Flying bunnies, each a mesh of three.js. A frame starts with their matrices and ends with the list of touching pairs. ${PEER} is asked about the pairs whose world boxes meet. Both find the same number of pairs in every frame.`,
      table(
        ['bunnies', 'touching', 'a frame', `${PEER}, a frame`, 'ratio'],
        flights.map(([n, row]) => [
          ...[n, row['touching a frame'], time(row['us a frame']), time(row[`${PEER}, us a frame`])],
          (1 / row[`${PEER} / own`]).toPrecision(2),
        ]),
      ),
      ...(bodies.length > 0
        ? [
            `Rows of bodies: apart, or in touching pairs. In each frame all of them move a little, or one does. The loop of ${PEER} compares all boxes first.`,
            table(
              ['bunnies', 'a frame', `${PEER}, a frame`, 'ratio'],
              bodies.map(([name, row]) => [
                ...[name, time(row['us a frame']), time(row[`${PEER}, us a frame`])],
                row.ratio,
              ]),
            ),
          ]
        : []),
      'A GLB of a torus knot, loaded by GLTFLoader without and with its stored tree. The tree is compared with the loaded triangles. The last columns have the times to build this tree and that of the peer.',
      table(
        ['triangles', 'loaded', 'with its tree', 'to build the tree', `${PEER}, to build`, 'bytes a triangle'],
        models.map((row) => [
          ...[count(row.triangles), ofMs(row['ms to load']), ofMs(row['with its tree'])],
          ...[ofMs(row['to build the tree']), ofMs(row[`${PEER}, to build`]), row['bytes a triangle']],
        ]),
      ),
      ...stored.flatMap(([triangles, rows]) => [
        `Trees of ${count(Number(triangles))} triangles: from bytes in memory to the first answer, less the time of a second answer. The bytes are copied (the default), or not.`,
        table(
          ['tree', 'MB', 'read', 'without a copy', `${PEER}, to build`],
          Object.entries(rows).map(([name, row]) => [
            ...[name, row.MB, ofMs(row['ms to read']), ofMs(row['without a copy'])],
            ofMs(row[`${PEER}, to build`]),
          ]),
        ),
      ]),
      ...sizesOf(sizes),
    ],
  };
}

/** @param {Record<string, { bytes: number, compressed: number }>} sizes empty in older rows */
function sizesOf(sizes) {
  const rows = Object.entries(sizes).map(([name, { bytes, compressed }]) => [name, count(bytes), count(compressed)]);
  if (rows.length === 0) return [];
  return [
    'Code that a page loads, bundled and minified by esbuild, without three; compressed by gzip.',
    table(['import', 'bytes', 'compressed'], rows),
  ];
}
