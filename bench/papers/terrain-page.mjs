// What docs/experiments.md says of the seed's Figures 12 and 13 and its memory: a helicopter over a
// fractal terrain.
import { chart } from '../chart.mjs';
import { count, ofMs, table } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** How well a + b log n must fit, r^2. */
const FITS = 0.9;
/** The greatest over the least that still is constant. */
const CONSTANT = 1.5;
/** How near a printed size is to a computed one. */
const NEAR = 0.05;
const MIB = 2 ** 20 / 1e6;

const verdictOf = (/** @type {boolean} */ holds) =>
  /** @type {'confirmed' | 'refuted'} */ (holds ? 'confirmed' : 'refuted');

/**
 * r^2 of the best line through points.
 *
 * @param {readonly (readonly [number, number])[]} points
 */
function fitOf(points) {
  const n = points.length;
  const [meanX, meanY] = [0, 1].map((k) => points.reduce((total, point) => total + point[k], 0) / n);
  let [xx, xy, yy] = [0, 0, 0];
  for (const [x, y] of points) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
    yy += (y - meanY) ** 2;
  }
  return { rSquared: (xy * xy) / (xx * yy), slope: xy / xx };
}

/** Pairs of equal sizes. @param {Row} row */
const equal = ({ pairs }) => pairs.filter((/** @type {Row} */ { terrain, helicopter }) => terrain === helicopter);

/** Megabytes of 16-bit samples, so many a pixel. @param {number} size @param {number} samples */
const megabytes = (size, samples) => (2 * samples * size * size) / 1e6;

/** @param {number} mb */
const mb = (mb) => `${count(Math.round(mb))} MB`;

/** @param {Row} row @returns {Finding[]} */
function findings(row) {
  const own = equal(row);
  const last = own[own.length - 1];
  const { rSquared, slope } = fitOf(
    own.map((/** @type {Row} */ { terrain, spheres }) => [2 * Math.log2(terrain), spheres]),
  );
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
      verdict: verdictOf(rSquared >= FITS && slope > 0),
      why: `Of two images of one size, from ${own[0].terrain} to ${last.terrain}, a query takes ${count(own[0].spheres)} to ${count(last.spheres)} tests of spheres while the vertices grow ${Math.round((last.terrain / own[0].terrain) ** 2)} times; a + b log n fits with r² = ${rSquared.toFixed(2)}.`,
    },
    {
      claim: `A test takes less than ${paper['ms, worst']} ms at worst, two images of 4097, and around ${paper['ms, 1025']} ms with 1025 (section 5.4)`,
      // A machine of today that is faster proves nothing.
      verdict: last['ms, slowest'] < paper['ms, worst'] ? 'not comparable' : 'refuted',
      why: `The slowest pose of two images of ${last.terrain} takes ${ofMs(last['ms, slowest'])}, the mean pose ${ofMs(last.ms)}, and ${ofMs(last['often, ms'])} where the pair is asked often; ours is a machine of twenty years later.`,
    },
    {
      claim: `Two objects of 4097 x 4097 take ${printed} MB: ${paper['MB of geometry and normals, 4097']} for geometry and normals, ${paper['MB of spheres, 4097']} for spheres (section 5.4), with 16 bits a sample (section 3)`,
      verdict: verdictOf(Math.abs(printed * MIB - two) < NEAR * two),
      why: `By the paper's own formula, 4 s with s = 3 (2^n + 1)², two objects of 16 bits take ${mb(two)}; one takes ${mb(one)}, to which the printed ${printed} MB come within ${Math.round(100 * Math.abs(1 - (printed * MIB) / one))} % if they are of 2^20 bytes.`,
    },
    {
      claim: 'The spheres take twice as much as the geometry (section 3)',
      verdict: verdictOf(Math.abs(share / 2 - 1) < NEAR),
      why: `Ours of ${size} take ${mb(image['spheres, MB'])} against ${mb(image['geometry, MB'])}; the slabs that are our own take ${mb(image['slabs, MB'])} more.`,
    },
    {
      claim: `"The largest geometry image occupies ${paper['MB of the file, 8193']}MB of the disk space" (section 5.4)`,
      verdict: verdictOf(Math.abs(file / MIB - paper['MB of the file, 8193']) < NEAR * file),
      why: `Four channels of 16 bits of 8193 x 8193 are ${Math.round(file / MIB)} times 2^20 bytes. Ours hold spheres and slabs, and are compressed: ${row.images.terrain.map((/** @type {Row} */ x) => `${mb(x['file, MB'])} at ${x.size}`).join(', ')}.`,
    },
  ];
}

/** Ticks of an axis of sizes. @param {readonly number[]} sizes */
const sizeAxis = (sizes) => ({
  name: 'samples a side of the terrain',
  log: true,
  ticks: sizes.map((n) => /** @type {const} */ ([n, String(n)])),
});

/** @param {Row} row */
function linesDrawn({ sizes, pairs }) {
  const crafts = [...new Set(pairs.map((/** @type {Row} */ { helicopter }) => helicopter))];
  const series = (/** @type {string} */ key) =>
    crafts.map((craft) => ({
      name: `helicopter of ${craft}`,
      points: pairs
        .filter((/** @type {Row} */ { helicopter }) => helicopter === craft)
        .map((/** @type {Row} */ x) => [x.terrain, x[key]]),
    }));
  return chart('Figure 12', [
    {
      title: 'Figure 12: tests of spheres',
      x: sizeAxis(sizes),
      y: { name: 'a query', low: 0 },
      series: series('spheres'),
    },
    { title: 'Time of a query, by the search', x: sizeAxis(sizes), y: { name: 'ms', low: 0 }, series: series('ms') },
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
  write: (row) => ({
    findings: findings(row),
    pictures: { terrain: linesDrawn(row) },
    text: [
      `The terrain is made by midpoint displacement and is one chart; the helicopter is sixteen balls and prisms, a chart each, which have as many samples together. It pitches and rolls over the terrain, from far above the ground to a little in it, at ${row.poses} poses; the first contact ends a query. A time is the mean of ${row.runs} flights without the fastest and the slowest, as in the paper. A pair that is asked often is answered by the kernel; an image whose copy for the kernel would take more than 1.5 GiB is left to the search. As in the paper's lines, the helicopter ends at ${Math.max(...row.pairs.map((/** @type {Row} */ x) => x.helicopter))}.`,
      table(
        [
          'terrain',
          'helicopter',
          'spheres',
          'triangles',
          'in contact',
          'by the search',
          'slowest pose',
          'asked often',
          'by',
        ],
        row.pairs.map((/** @type {Row} */ x) => [
          ...[x.terrain, x.helicopter, count(x.spheres), count(x.triangles), `${x.contacts} of ${row.poses}`],
          ...[ofMs(x.ms), ofMs(x['ms, slowest']), ofMs(x['often, ms']), x.engine],
        ]),
      ),
      'Memory of one terrain, without normals, which no check reads; its file; and the most memory of a process that is started to check terrain and helicopter at one pose. Read whole are images up to 4097.',
      memoryTable(row),
    ],
  }),
};

/** @param {Row} row @returns {Finding[]} */
function findingsInTime({ timed, tiles, pairs, poses, middle, paper }) {
  const { 'ms a test': budget } = paper['section 5.5'];
  const inMemory = timed.filter((/** @type {Row} */ x) => x.budget === budget);
  const slowest = Math.max(...inMemory.map((/** @type {Row} */ x) => x.slowest));
  const ofTiles = Math.max(...tiles.map((/** @type {Row} */ x) => x.inTime.ms));
  const short = timed.filter((/** @type {Row} */ x) => x.budget !== budget);
  const range = (/** @type {Row[]} */ rows, /** @type {string} */ key) =>
    [Math.min, Math.max].map((end) => end(...rows.map((x) => x[key])));
  const [least, most] = range(short, 'spheres');
  const whole = range(
    pairs.filter((/** @type {Row} */ x) => x.helicopter === middle),
    'spheres',
  );
  const decided = [inMemory, short].map((rows) => range(rows, 'decided').map(count).join(' to '));
  return [
    {
      claim: `A test ends within ${budget} ms, whatever the size (section 5.5, Figure 13)`,
      verdict: slowest > budget ? 'refuted' : ofTiles > budget ? 'partly' : 'confirmed',
      why: `In memory the slowest pose takes ${ofMs(slowest)}. Of files that are opened anew at each pose, the median is ${ofMs(ofTiles)} at the slowest size, opening included, and a tile that is being read is read to its end.`,
    },
    {
      claim:
        '"The number of actual collision follows the logarithmical function but up to the certain level. From this level the amount of tests remains constant" (section 5.5, Figure 13)',
      verdict: verdictOf(most <= CONSTANT * least),
      why: `Within ${budget} ms our search decides ${decided[0]} of ${poses} poses, by size. Within ${short[0].budget} ms it decides ${decided[1]}, after ${count(least)} to ${count(most)} tests in the mean, where it takes ${whole.map(count).join(' to ')} without a budget.`,
    },
  ];
}

/** @param {Row} row */
function timesDrawn({ timed, tiles, sizes, paper }) {
  const { 'ms a test': budget } = paper['section 5.5'];
  const budgets = [...new Set(timed.map((/** @type {Row} */ x) => x.budget))];
  const ends = /** @type {[number, number][]} */ ([sizes[0], sizes[sizes.length - 1]].map((n) => [n, budget]));
  return chart('Figure 13', [
    {
      title: `Figure 13: within ${budget} ms`,
      x: sizeAxis(sizes),
      y: { name: 'ms', log: true },
      series: [
        ...budgets.map((ms) => ({
          name: `in memory, within ${ms} ms`,
          points: timed
            .filter((/** @type {Row} */ x) => x.budget === ms)
            .map((/** @type {Row} */ x) => [x.terrain, x.ms]),
        })),
        { name: 'files opened anew, by tiles', points: tiles.map((/** @type {Row} */ x) => [x.size, x.inTime.ms]) },
        { name: "the paper's frame", points: ends, colour: 'grey', dash: '6 4' },
      ],
    },
    {
      title: 'Tests of spheres in that time',
      x: sizeAxis(sizes),
      y: { name: 'a query', low: 0 },
      series: budgets.map((ms) => ({
        name: `in memory, within ${ms} ms`,
        points: timed
          .filter((/** @type {Row} */ x) => x.budget === ms)
          .map((/** @type {Row} */ x) => [x.terrain, x.spheres]),
      })),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const frame = {
  paper: 'gi',
  title: 'Figure 13: within the time of a frame',
  task: 'papers/terrain',
  write: (row) => ({
    findings: findingsInTime(row),
    pictures: { 'frame-time': timesDrawn(row) },
    text: [
      `A helicopter of ${row.middle} samples a side over terrains of each size, at the same poses, within a budget of milliseconds, by the search. A shorter budget shows what happens when time runs out: the verdict is \`undecided\`. By tiles, both files are opened anew at each pose, which the budget does not count.`,
      table(
        ['terrain', 'budget', 'mean', 'slowest pose', 'spheres', 'decided'],
        [
          ...row.timed.map((/** @type {Row} */ x) => [
            ...[x.terrain, `${x.budget} ms, in memory`, ofMs(x.ms), ofMs(x.slowest), count(x.spheres)],
            `${x.decided} of ${row.poses}`,
          ]),
          ...row.tiles.map((/** @type {Row} */ { size, inTime }) => [
            ...[size, `${row.paper['section 5.5']['ms a test']} ms, by tiles`, ofMs(inTime.ms), ofMs(inTime.slowest)],
            ...[count(inTime.bounds), `${inTime.decided} of ${row.poses}`],
          ]),
        ],
      ),
    ],
  }),
};
