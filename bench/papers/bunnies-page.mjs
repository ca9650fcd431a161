// Section of docs/experiments.md on GI-COLLIDE, Figures 1, 8 and 9: many moving bunnies.
import { chart } from '../chart.mjs';
import { count, ofMs, ratio, table } from '../page-text.mjs';
import { colorOf, picture, text } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('../svg.mjs').Point} Point */
/** @typedef {readonly [number, number, number]} Triple */

/** Size of the picture, and distance of the eye in sides of the cube. */
const WIDTH = 760;
const HEIGHT = 680;
const DISTANCE = 3;
/** Corners of an outline. */
const CORNERS = 32;
/** Fills of bunnies, and their meanings. */
const FILLS = /** @type {const} */ ([
  ['f-orange', 'touches another in this frame'],
  ['f-blue', 'has met another, and flies as the response made it'],
  ['f-grey', 'has met none yet'],
]);

/**
 * Projects a point of the cube, seen from the right and above.
 *
 * @param {Triple} point @param {number} side
 */
function seen([x, y, z], side) {
  const [u, v, w] = [x / side - 0.5, y / side - 0.5, z / side - 0.5];
  // Turned by arcs whose cosine and sine are 4/5 and 3/5, then 12/13 and 5/13.
  const [right, back] = [0.8 * u + 0.6 * w, 0.6 * u - 0.8 * w];
  const [up, away] = [(12 * v + 5 * back) / 13, (12 * back - 5 * v) / 13];
  const scale = (0.52 * WIDTH) / (1 + away / DISTANCE);
  return { at: /** @type {Point} */ ([WIDTH / 2 + scale * right, 0.46 * HEIGHT - scale * up]), away };
}

/**
 * The outermost point in each direction from the middle, joined.
 *
 * @param {readonly Point[]} points
 */
function outline(points) {
  const middle = [0, 1].map((k) => points.reduce((total, point) => total + point[k], 0) / points.length);
  /** @type {{ point: Point, far: number }[]} */
  const corners = [];
  for (const point of points) {
    const [x, y] = [point[0] - middle[0], point[1] - middle[1]];
    const corner = Math.floor(((Math.atan2(y, x) / Math.PI + 1) / 2) * CORNERS) % CORNERS;
    const far = x * x + y * y;
    if (!(corners[corner]?.far > far)) corners[corner] = { point, far };
  }
  return corners
    .filter(Boolean)
    .map(({ point: [x, y] }, i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('');
}

/** Edges of the cube. @param {number} side */
function cube(side) {
  const edges = [];
  for (let corner = 0; corner < 8; corner++) {
    for (let k = 0; k < 3; k++) {
      if ((corner >> k) & 1) continue;
      const ends = [corner, corner | (1 << k)].map((at) => {
        const [x, y, z] = [0, 1, 2].map((axis) => side * ((at >> axis) & 1));
        return seen([x, y, z], side)
          .at.map((value) => value.toFixed(1))
          .join(' ');
      });
      edges.push(`M${ends.join('L')}`);
    }
  }
  return `<path d="${edges.join('')}" class="s-frame" fill="none"/>`;
}

/**
 * The bunnies as outlines, the farthest first.
 *
 * @param {{ side: number, points: Triple[], poses: number[][], touching: number[], met: number[]
 *   }} look
 */
function bunniesDrawn({ side, points, poses, touching, met }) {
  const drawn = poses.map((pose, i) => {
    const placed = points.map((point) => {
      const [x, y, z] = [0, 1, 2].map((k) =>
        point.reduce((total, value, j) => total + pose[3 * k + j] * value, pose[9 + k]),
      );
      return seen([x, y, z], side);
    });
    const away = placed.reduce((total, point) => total + point.away, 0) / placed.length;
    const [fill] = FILLS[touching.includes(i) ? 0 : met.includes(i) ? 1 : 2];
    return {
      away,
      path: `<path d="${outline(placed.map(({ at }) => at))}Z" class="${fill} s-paper" stroke-width="0.7"/>`,
    };
  });
  const legend = FILLS.flatMap(([fill, meaning], i) => [
    `<rect x="16" y="${16 + 20 * i}" width="14" height="14" class="${fill}"/>`,
    text(38, 28 + 20 * i, meaning),
  ]);
  const parts = drawn.toSorted((p, q) => q.away - p.away).map(({ path }) => path);
  return picture(WIDTH, HEIGHT, `${poses.length} bunnies in a cube, by whether they have met another`, [
    cube(side),
    ...parts,
    ...legend,
  ]);
}

const CONTESTANTS = /** @type {const} */ ([
  ['spheres alone', "the paper's query: spheres alone"],
  ['images', 'gicollide: images with slabs'],
  ['OBB 64', 'gicollide: OBB trees'],
  ['FCL', 'FCL, instead of I-COLLIDE'],
]);

/**
 * Milliseconds of all frames, by number of bunnies. @param {Row} row @param {string} name @returns
 * {Point[]}
 */
const timesOf = ({ moving }, name) =>
  Object.entries(moving).flatMap(([n, x]) => (x[`${name}, ms`] ? [[Number(n), x[`${name}, ms`]]] : []));

/**
 * The same over the number of collisions, where there are any. @param {Row} row @param {string}
 * name
 */
const ofCollision = (row, name) =>
  timesOf(row, name).flatMap(([n, ms]) =>
    row.moving[n].collisions > 0 ? [/** @type {Point} */ ([n, ms / row.moving[n].collisions])] : [],
  );

/**
 * How well values grow with their number: C. Spearman's rank correlation, from -1 to 1, of values
 * that come in the order of their numbers.
 *
 * @param {readonly number[]} values no two alike
 */
export function trendOf(values) {
  const n = values.length;
  const ranks = values.map((x) => values.filter((y) => y < x).length);
  const square = ranks.reduce((total, rank, i) => total + (rank - i) ** 2, 0);
  return 1 - (6 * square) / (n * (n * n - 1));
}

/** @param {Row} row */
function charts(row) {
  const counts = Object.keys(row.moving).map(Number);
  const x = { name: 'bunnies', log: true, ticks: counts.map((n) => /** @type {const} */ ([n, String(n)])) };
  const [low, high] = row.paper.objects;
  const series = (/** @type {typeof timesOf} */ of) =>
    CONTESTANTS.flatMap(([key, name]) => {
      const points = of(row, key);
      // Two of ours nearly coincide.
      const dash = key === 'OBB 64' ? '7 7' : '';
      return points.length > 0 ? [{ name, points, colour: colorOf(key), dash }] : [];
    });
  /** The paper's range, in the color of the one that it is compared with. */
  const range = (/** @type {string} */ name, /** @type {string} */ contestant) =>
    ['least', 'greatest'].map((which, i) => ({
      name: `${name}, the paper's ${which}`,
      points: [low, high].map((n) => /** @type {Point} */ ([n, row.paper['ms a collision'][name][i]])),
      ...{ colour: colorOf(contestant), dash: i === 0 ? '2 5' : '9 4' },
    }));
  const y = { name: 'ms', log: true };
  return chart('Figures 8 and 9', [
    { title: 'Figure 8: detection, all frames', x, y, series: series(timesOf) },
    {
      title: 'Figure 9: detection, a collision',
      x,
      y,
      series: [...series(ofCollision), ...range('GI-COLLIDE', 'spheres alone'), ...range('I-COLLIDE', 'FCL')],
    },
  ]);
}

/** @param {Row} row */
function findings(row) {
  const { moving, paper, frames } = row;
  const counts = Object.keys(moving).map(Number);
  const most = counts[counts.length - 1];
  const paperWay = timesOf(row, 'spheres alone');
  const peer = timesOf(row, 'FCL');
  const leads = peer.map(([n, ms], i) => ({ n, lead: ms / paperWay[i][1] }));
  const faster = leads.filter(({ lead }) => lead > 1).map(({ n }) => n);
  const trend = trendOf(leads.map(({ lead }) => lead));
  const growths = [paperWay, peer].map((points) => trendOf(points.map(([, ms]) => ms)));
  const collisions = ['spheres alone', 'FCL'].map((name) => ofCollision(row, name).map(([, ms]) => ms));
  const [ownRange, peerRange] = collisions.map((ms) =>
    ms.length > 0 ? `${ofMs(Math.min(...ms))} to ${ofMs(Math.max(...ms))}` : 'nothing that was measured',
  );
  const [[ownLeast, ownMost], [theirLeast, theirMost]] = ['GI-COLLIDE', 'I-COLLIDE'].map(
    (name) => paper['ms a collision'][name],
  );
  const spread = Math.max(...collisions[0]) / Math.min(...collisions[0]);
  const rows = Object.values(moving);
  const responses = rows.reduce((total, x) => total + x.responses, 0);
  const worst = (/** @type {string} */ key) => Math.max(...rows.map((x) => Math.abs(x[key])));
  const isKept = worst('momentum off') < KEPT && worst('energy off') < KEPT && responses > 0;
  return [
    {
      claim:
        '"A collision was detected and the collision response was calculated" (section 5; "we also generate the collision response", section 4)',
      verdict: /** @type {'confirmed' | 'refuted'} */ (isKept ? 'confirmed' : 'refuted'),
      why: `${count(responses)} pairs that touched and approached got their impulses, in ${count(frames)} frames for each of ${counts[0]} to ${most} bunnies. The momentum of a pair changes by ${worst('momentum off')} of itself at most. The impulses have no loss, and its energy changes by ${worst('energy off')} at most.`,
    },
    {
      claim:
        '"The time spent to detect the collisions grows with the number of objects in both cases" (section 5.1, Figure 8)',
      verdict: /** @type {'confirmed' | 'refuted' | 'partly'} */ (
        growths[0] < 1 ? 'refuted' : growths[1] === 1 ? 'confirmed' : 'partly'
      ),
      why: `The paper's query takes ${ofMs(paperWay[0][1])} for ${counts[0]} and ${ofMs(paperWay[paperWay.length - 1][1])} for ${most} bunnies. Over ${paperWay.length} numbers of bunnies, the rank correlation is ${growths[0].toFixed(2)}, that of FCL ${growths[1]?.toFixed(2)}.`,
    },
    {
      claim:
        '"GI-COLLIDE needs significantly less time than the original algorithm used by I-COLLIDE" (section 5.1, Figure 8)',
      verdict: /** @type {const} */ ('not comparable'),
      why: `I-COLLIDE was not run. The paper's query runs in JavaScript here, FCL in C++. The paper's query takes less time for ${faster.length} of ${leads.length} numbers of bunnies${faster.length > 0 ? ` (${faster.join(', ')})` : ''}: FCL takes ${leads.map(({ lead }) => ratio(lead)).join(', ')} times as long.`,
    },
    {
      claim: '"The difference is more significant especially for large number of objects" (section 5.1, Figure 8)',
      verdict: /** @type {const} */ ('not comparable'),
      why: `The peer is FCL instead of I-COLLIDE. Over all ${leads.length} numbers of bunnies, that factor has a rank correlation of ${trend.toFixed(2)} with the number. 1 means that it always grows, -1 that it always falls.`,
    },
    {
      claim:
        '"I-COLLIDE reported values between 9.5 to 11.5 milliseconds per collision whereas GI-COLLIDE reported times between 0.29 to 0.94 milliseconds" (section 5.1, Figure 9)',
      verdict: /** @type {const} */ ('not comparable'),
      why: `Processors differ by twenty years. The paper's query takes ${ownRange}, FCL ${peerRange}. The largest time of the paper's query is ${ratio(spread)} times the smallest; in the paper this is ${ratio(ownMost / ownLeast)} for GI-COLLIDE and ${ratio(theirMost / theirLeast)} for I-COLLIDE. All frames count, also those without a collision.`,
    },
  ];
}

/** Largest relative change of a pair's momentum and energy that counts as rounding. */
const KEPT = 1e-9;

/** @type {import('./index.mjs').Experiment} */
export const bunnies = {
  paper: 'gi',
  title: 'Figures 1, 8 and 9: moving bunnies',
  task: 'papers/bunnies',
  write: (row) => ({
    findings: findings(row),
    pictures: { bunnies: bunniesDrawn(row.look), 'moving-bunnies': charts(row) },
    text: [
      `The first picture is Figure 1: outlines of ${row.look.poses.length} bunnies after ${row.look.frames} frames. ${row.look.touching.length} touch another, ${row.look.met.length} have met one and got a response.`,
      `Bunnies fly and turn in a cube, and bounce off its walls and each other. In each frame, touching pairs are detected. Pairs that approach get impulses without loss at their contact patches ([contacts](contacts.md)). No pair touches at the start. Images have ${row.size} x ${row.size} samples, the paper's size, and ${count(2 * (row.size - 1) ** 2)} triangles. All contestants test these triangles in the same poses, from a flight that is computed before. Only the test of a pair differs. gicollide's tests follow sweep and prune, the first level of I-COLLIDE; FCL has a tree of boxes before its OBB trees. "Spheres alone" is the paper's query of the paper's spheres (\`check --bounds spheres\`) in JavaScript. gicollide's other ways are in WebAssembly, FCL in C++. The time of a frame is the minimum of ${row.rounds} rounds, in which contestants take turns, after a warm-up flight.`,
      table(
        [
          'bunnies',
          'collisions',
          ...CONTESTANTS.map(([name]) => name),
          ...CONTESTANTS.map(([name]) => `a collision: ${name}`),
        ],
        Object.entries(row.moving).map(([n, x]) => [
          ...[n, count(x.collisions)],
          ...CONTESTANTS.map(([name]) => ofMs(x[`${name}, ms`])),
          ...CONTESTANTS.map(([name]) =>
            x.collisions > 0 && x[`${name}, ms`] !== undefined ? ofMs(x[`${name}, ms`] / x.collisions) : '',
          ),
        ]),
      ),
      `A collision is a pair that touches in a frame. These times do not include the response. In one run of all frames, it takes:`,
      table(
        [
          'bunnies',
          'pairs that touched',
          'that approached',
          'patches',
          'impulses',
          'patches of a pair',
          'energy of all, change',
        ],
        Object.entries(row.moving).map(([n, x]) => [
          ...[n, count(x.collisions), count(x.responses), ofMs(x['patches, ms']), ofMs(x['impulses, ms'])],
          ...[x.collisions > 0 ? ofMs(x['patches, ms'] / x.collisions) : '', x['energy, change of all']],
        ]),
      ),
      `Patches need the list of all contacts, but detection ends with the first. The total energy changes by the error of free motion of tumbling bodies (\`advance\`), not by impulses.`,
    ],
  }),
};
