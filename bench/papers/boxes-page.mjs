// Section of docs/experiments.md on GI-COLLIDE, Figure 11: spheres against oriented boxes.
import { chart } from '../chart.mjs';
import { count, ofMs, ratio, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */

const WAYS = ['spheres alone', 'tight spheres', 'image', 'OBB, 40 bytes', 'OBB, 64 bytes', 'FCL'];
/** By the names of svg.mjs; what makes a contestant has its color. */
const COLORS = /** @type {Record<string, string>} */ ({
  'spheres alone': colorOf('spheres alone'),
  'tight spheres': colorOf('tight spheres'),
  image: colorOf('images'),
  'OBB, 40 bytes': colorOf('OBB 40'),
  'OBB, 64 bytes': colorOf('OBB 64'),
  FCL: colorOf('FCL'),
  "the paper's spheres": colorOf('spheres alone'),
  slabs: 'grey',
  'the image itself': colorOf('images'),
});
const MAKES = [
  "the paper's spheres",
  'tight spheres',
  'slabs',
  'OBB, 40 bytes',
  'OBB, 64 bytes',
  'FCL',
  'the image itself',
];
/** From so many times as long on, it takes much longer. */
const MUCH = 2;

/** @param {Row} row @returns {[number, Record<string, number>][]} rows in which bunnies touch */
const touching = ({ rows }) => Object.entries(rows).flatMap(([n, x]) => (x.contacts > 0 ? [[Number(n), x]] : []));

/** @param {Row} row */
function ways(row) {
  const own = touching(row);
  return WAYS.filter((way) => own.some(([, x]) => typeof x[way] === 'number'));
}

/**
 * The comparison of boxes with spheres.
 *
 * @param {Row} row
 * @param {string} spheres
 * @param {string} boxes
 */
function boxesAgainst(row, spheres, boxes) {
  const own = touching(row);
  const faster = own.filter(([, x]) => x[boxes] < x[spheres]);
  const gains = own.map(([, x]) => x[spheres] - x[boxes]);
  const gain = gains.reduce((total, x) => total + x, 0) / gains.length;
  return {
    verdict: /** @type {'confirmed' | 'refuted' | 'partly'} */ (
      faster.length === own.length ? 'confirmed' : faster.length === 0 ? 'refuted' : 'partly'
    ),
    why: `${boxes === 'FCL' ? "FCL's OBB trees" : `gicollide's OBB trees of ${boxes.split(', ')[1]}`} are faster for ${faster.length} of the ${own.length} numbers of bunnies with a contact. On average, a collision takes ${time(Math.abs(gain))} ${gain < 0 ? 'longer' : 'less'}.`,
  };
}

/** @param {Row} row */
function findings(row) {
  const { tests, made, paper } = row;
  const sizes = Object.entries(made);
  const [size, last] = sizes[sizes.length - 1];
  const boxes = typeof last.FCL === 'number' ? 'FCL' : 'OBB, 64 bytes';
  const hasPeer = boxes === 'FCL';
  const gain = paper['RAPID is faster by, ms a collision'];
  const ofPeer = boxesAgainst(row, 'spheres alone', boxes);
  const fewer = tests['spheres alone'].bounds / tests['OBB, 40 bytes'].bounds;
  const spheres = last["the paper's spheres"];
  const trees = last[boxes] / spheres;
  const whole = spheres + last['the image itself'];
  return [
    {
      claim: `"RAPID provides faster collision detection than GI-COLLIDE", by ${gain} ms a collision (section 5.3, Figure 11): spheres alone, as in the paper`,
      verdict: /** @type {'not comparable'} */ ('not comparable'),
      why: `RAPID was not run, and the paper's spheres are searched in JavaScript. ${ofPeer.why}`,
    },
    {
      claim:
        "The same for gicollide's images, whose nodes have a slab beside the sphere, and its OBB trees; both have kernels in WebAssembly",
      ...boxesAgainst(row, 'image', 'OBB, 64 bytes'),
    },
    {
      claim: '"The OBBs report less number of false detections" (section 5.3)',
      verdict: /** @type {'confirmed' | 'refuted'} */ (fewer > 1 ? 'confirmed' : 'refuted'),
      why: `Near pairs of bunnies without a contact need ${tests['spheres alone'].bounds} tests of spheres alone, as in the paper, ${tests['tight spheres'].bounds} of tight spheres, ${tests.image.bounds} of tight spheres with slabs, and ${tests['OBB, 40 bytes'].bounds} of boxes.`,
    },
    {
      claim:
        '"To create the OBB-tree a significantly large amount of pre-processing time is required than for GI-COLLIDE" (section 5.3)',
      verdict: /** @type {'confirmed' | 'refuted' | 'partly'} */ (
        trees < MUCH ? 'refuted' : whole < last[boxes] ? 'confirmed' : 'partly'
      ),
      why: `For an image of ${size} with ${count(last.triangles)} triangles, the paper's spheres take ${ofMs(spheres)} and boxes of ${hasPeer ? 'FCL' : 'gicollide'} ${ofMs(last[boxes])}, ${ratio(trees)} times as long. But the image itself takes ${ofMs(last['the image itself'])} to make from a mesh, and boxes need no image.`,
    },
  ];
}

/** @param {Row} row */
function drawn(row) {
  const own = touching(row);
  const sizes = Object.keys(row.made).map(Number);
  const of = (/** @type {string} */ name) =>
    sizes
      .filter((size) => row.made[size][name] > 0)
      .map((size) => /** @type {const} */ ([row.made[size].triangles, row.made[size][name]]));
  const makes = MAKES.filter((name) => of(name).length > 0);
  return chart('Figure 11', [
    {
      title: 'Figure 11: a collision',
      subtitle: 'all pairs over those in contact',
      x: { name: 'bunnies', log: true, ticks: own.map(([n]) => /** @type {const} */ ([n, String(n)])) },
      y: { name: 'us', log: true },
      series: ways(row).map((name) => ({
        name,
        points: own.map(([n, x]) => /** @type {const} */ ([n, x[name]])),
        colour: COLORS[name],
      })),
    },
    {
      title: 'Time to make them',
      x: { name: 'triangles', log: true },
      y: { name: 'ms', log: true },
      series: makes.map((name) => ({ name, points: of(name), colour: COLORS[name] })),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const boxes = {
  paper: 'gi',
  title: 'Figure 11: spheres against oriented boxes',
  task: 'papers/boxes',
  reads: ({ tests }) => tests['tight spheres'] !== undefined,
  write: (row) => ({
    findings: findings(row),
    pictures: { 'spheres-and-boxes': drawn(row) },
    text: [
      `Each pair of bunnies is asked for its first contact, without a broad phase, as in the paper. All contestants have the triangles of one image of ${row.size} x ${row.size} samples, the paper's size. OBB trees of FCL and gicollide stand for RAPID, which was not run. "Spheres alone" are the paper's spheres, searched as in the paper, in JavaScript. "Tight spheres" are those of gicollide, searched in the same way. The image and gicollide's OBB trees are asked by \`prepare\`. A time is that of all pairs over the number in contact, the minimum of ${row.runs} rounds (five for FCL). Numbers of bunnies without a contact have no time. All find the same number of contacts.`,
      table(
        ['bunnies', 'pairs', 'in contact', ...ways(row)],
        Object.entries(row.rows).map(([n, x]) => [
          ...[n, count(x.pairs), count(x.contacts)],
          ...ways(row).map((way) => time(x[way])),
        ]),
      ),
      `Mean number of tests over ${count(row.tests.misses)} pairs that are not in contact, but have overlapping outermost spheres:`,
      table(
        ['', 'pairs of bounds', 'pairs of triangles'],
        WAYS.flatMap((way) => (row.tests[way] ? [[way, row.tests[way].bounds, row.tests[way].triangles]] : [])),
      ),
      'Time to make them from the triangles of an image. "The image itself" starts from a mesh and includes tight spheres and slabs. Times are minima of some rounds.',
      table(
        ['samples a side', 'triangles', ...MAKES],
        Object.entries(row.made).map(([size, x]) => [
          ...[size, count(x.triangles)],
          ...MAKES.map((name) => (typeof x[name] === 'number' ? ofMs(x[name]) : '')),
        ]),
      ),
    ],
  }),
};
