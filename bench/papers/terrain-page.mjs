// Section of docs/experiments.md on GI-COLLIDE, Figures 12 and 13 and its memory: a helicopter over
// a fractal terrain.
import { chart } from '../chart.mjs';
import { count, ofMs, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';
import { fitsInWords, growthOf, verdictOfLogarithm } from './growth.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** The largest ratio of counts that still counts as constant. */
const CONSTANT = 1.5;
/** How near a printed size is to a computed one. */
const NEAR = 0.05;
const MIB = 2 ** 20 / 1e6;

const verdictOf = (/** @type {boolean} */ holds) =>
  /** @type {'confirmed' | 'refuted'} */ (holds ? 'confirmed' : 'refuted');

/** Pairs of equal sizes. @param {Row} row */
const equal = ({ pairs }) => pairs.filter((/** @type {Row} */ { terrain, helicopter }) => terrain === helicopter);

/**
 * Tests of two images of one size by their vertices.
 *
 * @param {Row} row
 * @returns {[number, number][]}
 */
const testsOf = (row) => equal(row).map((/** @type {Row} */ { terrain, spheres }) => [terrain ** 2, spheres]);

/** How tests grow with the size of images, and the better fit. @param {Row} row */
function growthInWords(row) {
  const own = equal(row);
  const last = own[own.length - 1];
  const tests = own.map((/** @type {Row} */ { spheres }) => count(spheres)).join(', ');
  return `from ${own[0].terrain} to ${last.terrain} samples a side, a query takes ${tests} tests of spheres, while the vertices grow ${Math.round((last.terrain / own[0].terrain) ** 2)} times; ${fitsInWords(growthOf(testsOf(row)))}`;
}

/** Megabytes of 16-bit samples, so many a pixel. @param {number} size @param {number} samples */
const megabytes = (size, samples) => (2 * samples * size * size) / 1e6;

/** @param {number} mb */
const mb = (mb) => `${count(Math.round(mb))} MB`;

/** @param {Row} row @returns {Finding[]} */
function findings(row) {
  const own = equal(row);
  const last = own[own.length - 1];
  const ownAlone = equal(row.alone);
  const lastAlone = ownAlone[ownAlone.length - 1];
  const paper = row.paper['section 5.4'];
  const size = last.terrain;
  const image = row.images.terrain.find((/** @type {Row} */ x) => x.size === size);
  const printed = paper['MB of two objects, 4097'];
  // Geometry, normals and twice as much for spheres: 4 s samples.
  const [one, two] = [megabytes(4097, 12), 2 * megabytes(4097, 12)];
  const file = megabytes(8193, 4);
  const share = image['spheres, MB'] / image['geometry, MB'];
  return [
    {
      claim:
        '"The number of collision tests corresponds to a logarithmical function of the number of vertices" (section 5.4, Figure 12)',
      verdict: verdictOfLogarithm(growthOf(testsOf(row.alone))),
      why: `With the paper's spheres and query, ${growthInWords(row.alone)}.`,
    },
    {
      claim: "The same for gicollide's tight spheres with slabs",
      verdict: verdictOfLogarithm(growthOf(testsOf(row))),
      why: `Two images of one size: ${growthInWords(row)}.`,
    },
    {
      claim: `A test takes less than ${paper['ms, worst']} ms at worst, two images of 4097, and around ${paper['ms, 1025']} ms with 1025 (section 5.4)`,
      // Another clock, and another language.
      verdict: 'not comparable',
      why: `This machine is twenty years newer. For two images of ${last.terrain}, spheres alone take ${ofMs(lastAlone.slowest)} in the slowest pose and ${ofMs(lastAlone.ms)} on average. gicollide's search takes ${ofMs(last['ms, slowest'])} and ${ofMs(last.ms)}, and ${ofMs(last['often, ms'])} if the pair is asked often.`,
    },
    {
      claim: `Two objects of 4097 x 4097 take ${printed} MB: ${paper['MB of geometry and normals, 4097']} for geometry and normals, ${paper['MB of spheres, 4097']} for spheres (section 5.4), with 16 bits a sample (section 3)`,
      verdict: verdictOf(Math.abs(printed * MIB - two) < NEAR * two),
      why: `By the paper's own formula, 4 s with s = 3 (2^n + 1)², two objects of 16 bits take ${mb(two)}, and one takes ${mb(one)}. The printed ${printed} MB are within ${Math.round(100 * Math.abs(1 - (printed * MIB) / one))} % of the size of one, if a MB has 2^20 bytes.`,
    },
    {
      claim: 'The spheres take twice as much as the geometry (section 3)',
      verdict: verdictOf(Math.abs(share / 2 - 1) < NEAR),
      why: `In gicollide's image of ${size}, spheres take ${mb(image['spheres, MB'])} and the geometry ${mb(image['geometry, MB'])}. Its slabs, which the paper does not have, take ${mb(image['slabs, MB'])} more.`,
    },
    {
      claim: `"The largest geometry image occupies ${paper['MB of the file, 8193']}MB of the disk space" (section 5.4)`,
      verdict: verdictOf(Math.abs(file / MIB - paper['MB of the file, 8193']) < NEAR * file),
      why: `Four channels of 16 bits of 8193 x 8193 are ${Math.round(file / MIB)} times 2^20 bytes. gicollide's files are compressed and include spheres and slabs: ${row.images.terrain.map((/** @type {Row} */ x) => `${mb(x['file, MB'])} at ${x.size}`).join(', ')}.`,
    },
  ];
}

/** Ticks of an axis of sizes. @param {readonly number[]} sizes */
const sizeAxis = (sizes) => ({
  name: 'samples a side of the terrain',
  log: true,
  ticks: sizes.map((n) => /** @type {const} */ ([n, String(n)])),
});

/** Dashes of the lines of Figure 12, the smallest helicopter first. */
const DASHES = ['', '8 4', '4 4', '2 4', '1 5'];

/** @param {Row} row */
function linesDrawn({ sizes, pairs, alone }) {
  const crafts = [...new Set(pairs.map((/** @type {Row} */ { helicopter }) => helicopter))];
  /** @param {Row[]} rows @param {string} contestant @param {string} key */
  const series = (rows, contestant, key) =>
    crafts.map((craft, i) => ({
      name: `${contestant === 'images' ? 'ours' : contestant}, helicopter of ${craft}`,
      colour: colorOf(contestant),
      dash: DASHES[i % DASHES.length],
      points: rows
        .filter(({ helicopter }) => helicopter === craft)
        .map((x) => /** @type {[number, number]} */ ([x.terrain, x[key]])),
    }));
  const both = (/** @type {string} */ key) => [
    ...series(alone.pairs, 'spheres alone', key),
    ...series(pairs, 'images', key),
  ];
  return chart('Figure 12', [
    {
      title: 'Figure 12: tests of spheres',
      x: sizeAxis(sizes),
      y: { name: 'a query', low: 0 },
      series: both('spheres'),
    },
    { title: 'Time of a query, by the search', x: sizeAxis(sizes), y: { name: 'ms', low: 0 }, series: both('ms') },
  ]);
}

/** @param {Row} row */
const memoryTable = ({ images, tiles }) =>
  table(
    [
      ...['samples a side', 'geometry', 'spheres', 'slabs', 'file', 'made in'],
      ...['a process that checks two files by tiles', 'and whole'],
    ],
    images.terrain.map((/** @type {Row} */ x, /** @type {number} */ i) => [
      x.size,
      ...['geometry, MB', 'spheres, MB', 'slabs, MB', 'file, MB'].map((key) => `${x[key]} MB`),
      `${x.seconds} s`,
      `${tiles[i]['peak by tiles, MB']} MB`,
      tiles[i]['peak whole, MB'] === null ? '' : `${tiles[i]['peak whole, MB']} MB`,
    ]),
  );

/** @type {import('./index.mjs').Experiment} */
export const terrain = {
  paper: 'gi',
  title: 'Figure 12 and memory: a helicopter over a fractal terrain',
  task: 'papers/terrain',
  reads: ({ alone }) => alone !== undefined,
  write: (row) => ({
    findings: findings(row),
    pictures: { terrain: linesDrawn(row) },
    text: [
      `The terrain is made by midpoint displacement and is one chart. The helicopter is sixteen balls and prisms, one chart each, with the same number of samples in total. It pitches and rolls over the terrain in ${row.poses} poses, from far above the ground to a little inside it. The first contact ends a query. A time is the mean of ${row.runs} flights without the fastest and the slowest, as in the paper. The kernel answers pairs that are asked often. The search answers if an image's copy for the kernel would need more than 1.5 GiB. "Spheres alone" are the paper's spheres and query (\`check --bounds spheres\`). "Ours" are tight spheres with slabs, gicollide's default. As in the paper's lines, the helicopter ends at ${Math.max(...row.pairs.map((/** @type {Row} */ x) => x.helicopter))}.`,
      table(
        [
          'terrain',
          'helicopter',
          'in contact',
          'spheres alone: tests',
          'triangles',
          'mean pose',
          'slowest',
          'ours: tests',
          'triangles',
          'mean pose',
          'slowest',
          'asked often',
          'by',
        ],
        row.pairs.map((/** @type {Row} */ x, /** @type {number} */ i) => {
          const alone = row.alone.pairs[i];
          return [
            ...[x.terrain, x.helicopter, `${x.contacts} of ${row.poses}`],
            ...[count(alone.spheres), count(alone.triangles), ofMs(alone.ms), ofMs(alone.slowest)],
            ...[count(x.spheres), count(x.triangles), ofMs(x.ms), ofMs(x['ms, slowest'])],
            ...[ofMs(x['often, ms']), x.engine],
          ];
        }),
      ),
      'Memory of one terrain without normals, which no check reads; its file; and the peak memory of a process that checks terrain and helicopter in one pose. Images up to 4097 are read whole.',
      memoryTable(row),
    ],
  }),
};

/** @param {Row[]} rows @param {string} key */
const range = (rows, key) => [Math.min, Math.max].map((end) => end(...rows.map((x) => x[key])));

/**
 * True if tests grow up to a size and are constant from there on, if time ends them.
 *
 * @param {Row[]} timed within one budget, by size
 * @param {Row[]} untimed the same without one
 */
function isLevel(timed, untimed) {
  const ended = timed.filter(({ spheres }, i) => spheres < untimed[i].spheres / CONSTANT);
  const [least, most] = range(ended, 'spheres');
  return { ended: ended.length, isConstant: most <= CONSTANT * least };
}

/** @param {Row} row @returns {Finding[]} */
function findingsInTime({ alone, timed, tiles, pairs, poses, middle, paper }) {
  const { 'ms a test': budget } = paper['section 5.5'];
  const within = (/** @type {Row[]} */ rows, isShort = false) => rows.filter((x) => (x.budget !== budget) === isShort);
  const slowest = [alone.timed, timed].map((rows) => Math.max(...within(rows).map((x) => x.slowest)));
  const ofTiles = Math.max(...tiles.map((/** @type {Row} */ x) => x.inTime.ms));
  const ofMiddle = (/** @type {Row[]} */ rows) => rows.filter(({ helicopter }) => helicopter === middle);
  const decided = (/** @type {Row[]} */ rows) => range(rows, 'decided').map(count).join(' to ');
  /** @param {Row[]} ofBudgets @param {Row[]} all */
  const inWords = (ofBudgets, all) => {
    const short = within(ofBudgets, true);
    return `within ${budget} ms ${decided(within(ofBudgets))} of ${poses} poses are decided, by size; within ${short[0].budget} ms ${decided(short)}, after ${range(short, 'spheres').map(count).join(' to ')} tests in the mean, where it takes ${range(ofMiddle(all), 'spheres').map(count).join(' to ')} without a budget`;
  };
  /** @param {Row[]} ofBudgets @param {Row[]} all */
  const levels = (ofBudgets, all) => {
    const { ended, isConstant } = isLevel(within(ofBudgets, true), ofMiddle(all));
    return /** @type {'confirmed' | 'refuted' | 'not comparable'} */ (
      ended < 2 ? 'not comparable' : isConstant ? 'confirmed' : 'refuted'
    );
  };
  return [
    {
      claim: `A test ends within ${budget} ms, whatever the size (section 5.5, Figure 13)`,
      verdict: Math.max(...slowest) > budget ? 'refuted' : ofTiles > budget ? 'partly' : 'confirmed',
      why: `In memory, the slowest pose takes ${ofMs(slowest[0])} with spheres alone and ${ofMs(slowest[1])} with gicollide's search. With files that are opened again for each pose, the mean is ${ofMs(ofTiles)} at the slowest size, including opening. A tile is always read to its end.`,
    },
    {
      claim:
        '"The number of actual collision follows the logarithmical function but up to the certain level. From this level the amount of tests remains constant" (section 5.5, Figure 13)',
      verdict: levels(alone.timed, alone.pairs),
      why: `With spheres alone, ${inWords(alone.timed, alone.pairs)}.`,
    },
    {
      claim: "The same for gicollide's tight spheres with slabs",
      verdict: levels(timed, pairs),
      why: `With gicollide's search, ${inWords(timed, pairs)}.`,
    },
  ];
}

/** @param {Row} row */
function timesDrawn({ alone, timed, tiles, pairs, middle, sizes, paper }) {
  const { 'ms a test': budget } = paper['section 5.5'];
  const budgets = [...new Set(timed.map((/** @type {Row} */ x) => x.budget))];
  const ends = /** @type {[number, number][]} */ ([sizes[0], sizes[sizes.length - 1]].map((n) => [n, budget]));
  /** @param {Row[]} rows @param {string} contestant @param {string} key */
  const series = (rows, contestant, key) =>
    budgets.map((ms, i) => ({
      name: `${contestant === 'images' ? 'ours' : contestant}, within ${ms} ms`,
      colour: colorOf(contestant),
      dash: DASHES[i],
      points: rows.filter((x) => x.budget === ms).map((x) => /** @type {[number, number]} */ ([x.terrain, x[key]])),
    }));
  const both = (/** @type {string} */ key) => [
    ...series(alone.timed, 'spheres alone', key),
    ...series(timed, 'images', key),
  ];
  /** @param {Row[]} rows @param {string} contestant */
  const untimed = (rows, contestant) => [
    {
      name: `${contestant === 'images' ? 'ours' : contestant}, without a budget`,
      colour: colorOf(contestant),
      dash: DASHES[3],
      points: rows
        .filter(({ helicopter }) => helicopter === middle)
        .map((x) => /** @type {[number, number]} */ ([x.terrain, x.spheres])),
    },
  ];
  return chart('Figure 13', [
    {
      title: `Figure 13: within ${budget} ms`,
      x: sizeAxis(sizes),
      y: { name: 'ms', log: true },
      series: [
        ...both('ms'),
        {
          name: 'ours, files opened anew, by tiles',
          points: tiles.map((/** @type {Row} */ x) => [x.size, x.inTime.ms]),
          colour: colorOf('images'),
          dash: DASHES[3],
        },
        { name: "the paper's frame", points: ends, colour: 'grey', dash: '6 4' },
      ],
    },
    {
      title: 'Tests of spheres in that time',
      x: sizeAxis(sizes),
      y: { name: 'a query', log: true },
      series: [...both('spheres'), ...untimed(alone.pairs, 'spheres alone'), ...untimed(pairs, 'images')],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const frame = {
  paper: 'gi',
  title: 'Figure 13: within the time of a frame',
  task: 'papers/terrain',
  reads: ({ alone }) => alone !== undefined,
  write: (row) => ({
    findings: findingsInTime(row),
    pictures: { 'frame-time': timesDrawn(row) },
    text: [
      `A helicopter of ${row.middle} samples a side over terrains of each size, in the same poses, within a budget of milliseconds. "Spheres alone" are the paper's spheres and query; the other is gicollide's search. If the time runs out, as with the shorter budget, the verdict is \`undecided\`. By tiles, both files are opened again for each pose; the budget does not count that.`,
      table(
        ['terrain', 'budget', 'mean', 'slowest pose', 'spheres', 'decided'],
        [
          ...[row.alone.timed, row.timed].flatMap((rows, i) =>
            rows.map((/** @type {Row} */ x) => [
              ...[x.terrain, `${x.budget} ms, ${['spheres alone', 'ours'][i]}`, ofMs(x.ms), ofMs(x.slowest)],
              ...[count(x.spheres), `${x.decided} of ${row.poses}`],
            ]),
          ),
          ...row.tiles.map((/** @type {Row} */ { size, inTime }) => [
            ...[
              size,
              `${row.paper['section 5.5']['ms a test']} ms, ours by tiles`,
              ofMs(inTime.ms),
              ofMs(inTime.slowest),
            ],
            ...[count(inTime.bounds), `${inTime.decided} of ${row.poses}`],
          ]),
        ],
      ),
    ],
  }),
};
