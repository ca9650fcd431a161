// Section of docs/experiments.md on GI-COLLIDE, section 4: how tests grow where two planar meshes
// lie on one another.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';
import { fitsInWords, growthOf, powerOf } from './growth.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */
/** @typedef {{ n1: number, n2: number, triangles: number }} Laid */

/** From this power of n1 n2 on, growth counts as n1 n2. */
const FULL = 0.95;

/** Growth of tests of triangles. @param {Laid[]} rows */
const powerOfProduct = (rows) => powerOf(rows.map((x) => [x.n1 * x.n2, x.triangles]));

/**
 * Growth of tests of triangles by (sqrt n1 + sqrt n2)^2. If the unit square has n1 and n2 equal
 * squares, the number of touching pairs grows like this.
 *
 * @param {Laid[]} rows
 */
const powerOfSquares = (rows) => powerOf(rows.map((x) => [(Math.sqrt(x.n1) + Math.sqrt(x.n2)) ** 2, x.triangles]));

/** @param {Row} row @returns {Finding[]} */
function findings({ layings, folded, first }) {
  const names = Object.keys(layings);
  const planes = names.filter((name) => name !== folded);
  const words = names.map((name) => {
    const [product, squares] = [powerOfProduct, powerOfSquares].map((fit) => fit(layings[name]));
    return `${name}, (n1 n2)^${product.k.toFixed(2)} (r² = ${product.r2.toFixed(3)}) or (√n1 + √n2)^${(2 * squares.k).toFixed(2)} (${squares.r2.toFixed(3)})`;
  });
  const isReached = (/** @type {string[]} */ some) => some.every((name) => powerOfProduct(layings[name]).k >= FULL);
  const growths = planes.map((name) =>
    growthOf(first.map((/** @type {Row} */ x) => /** @type {const} */ ([x.n, x[name]]))),
  );
  return [
    {
      claim:
        '"In the case of detection of the all-possible collisions the complexity is O(n1 x n2). An example of this situation is two planar meshes laying one over another" (section 4)',
      verdict: isReached(planes) ? 'confirmed' : isReached([folded]) ? 'partly' : 'refuted',
      why: `Over all pairs of sizes, tests of triangles grow as follows. ${words.map((word) => `${word[0].toUpperCase()}${word.slice(1)}`).join('. ')}. A triangle of a plane touches few triangles of the other plane, unless it is much larger. So this example does not reach the bound n1 n2. Folded planes reach it, because all pairs touch.`,
    },
    {
      claim:
        '"The first collision detection is fast and the algorithm has logarithmic complexity", O(log(max{n1, n2})) (section 4): of these planes',
      verdict: growths.every(({ isLogarithm }) => isLogarithm) ? 'confirmed' : 'refuted',
      why: `Tests of spheres to the first contact, from ${count(first[0].n)} to ${count(first[first.length - 1].n)} triangles. ${planes.map((name, i) => `${name[0].toUpperCase()}${name.slice(1)}: ${fitsInWords(growths[i])}`).join('. ')}. The search ends at the first leaves, which touch. Figure 12 measures bodies that barely touch or miss.`,
    },
  ];
}

/** @param {Row} row */
function drawn({ layings }) {
  const dashes = ['', '8 4', '2 4'];
  const names = Object.keys(layings);
  const equal = (/** @type {string} */ name) => layings[name].filter((/** @type {Laid} */ { n1, n2 }) => n1 === n2);
  /** @param {string} key */
  const series = (key) =>
    names.map((name, i) => ({
      name,
      colour: colorOf('spheres alone'),
      dash: dashes[i],
      points: equal(name).map((/** @type {Row} */ x) => /** @type {[number, number]} */ ([x.n1, x[key]])),
    }));
  const x = { name: 'triangles of each of the two', log: true };
  return chart('All contacts of two planar meshes', [
    {
      title: 'Contacts',
      subtitle: 'pairs of triangles',
      x,
      y: { name: 'pairs', log: true },
      series: series('contacts'),
    },
    {
      title: 'Tests of all contacts',
      subtitle: 'pairs of triangles',
      x,
      y: { name: 'tests', log: true },
      series: series('triangles'),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const planes = {
  paper: 'gi',
  title: 'Section 4: all collisions of two planar meshes',
  task: 'papers/planes',
  write: (row) => ({
    findings: findings(row),
    pictures: { planes: drawn(row) },
    text: [
      "Two unit squares of n1 and n2 triangles lie in one plane: corner on corner, or one turned by 30 degrees about the middle. They have half as many vertices, and a rim. The queries are all contacts and the first contact, by the paper's spheres and query (`check --bounds spheres`). In the third layout each plane is folded like a map, so that each quad is the whole square. Then all triangles of one touch all of the other. The tables leave out pairs with the larger plane first; the fits include them.",
      ...Object.entries(row.layings).flatMap(([name, rows]) => [
        `Planes ${name}:`,
        table(
          ['n1', 'n2', 'contacts', 'tests of spheres', 'of triangles', 'first contact: spheres', 'triangles'],
          rows
            .filter((/** @type {Laid} */ { n1, n2 }) => n1 <= n2)
            .map((/** @type {Row} */ x) => [
              ...[x.n1, x.n2, x.contacts, x.spheres, x.triangles].map(count),
              ...[x['first: spheres'], x['first: triangles']].map(count),
            ]),
        ),
      ]),
    ],
  }),
};
