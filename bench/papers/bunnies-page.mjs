// What docs/experiments.md says of the seed's Figures 1, 8 and 9: many moving bunnies.
import { chart } from '../chart.mjs';
import { count, ofMs, ratio, table, time } from '../page-text.mjs';
import { picture } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('../svg.mjs').Point} Point */
/** @typedef {readonly [number, number, number]} Triple */

/** Of the picture, and how far away the eye is, in sides of the cube. */
const WIDTH = 760;
const HEIGHT = 680;
const DISTANCE = 3;
/** Corners of an outline. */
const CORNERS = 24;
/** Of bunnies, from far away to near. */
const FAR_TO_NEAR = ['f-grey', 'f-sky', 'f-blue', 'f-navy'];

/** What is seen of the cube: from the right and above. @param {Triple} point @param {number} side */
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
 * The bunnies as outlines, the farthest first; those that touch another in orange.
 *
 * @param {{ side: number, points: Triple[], poses: number[][], touching: number[] }} look
 */
function bunniesDrawn({ side, points, poses, touching }) {
  const touches = new Set(touching);
  const drawn = poses.map((pose, i) => {
    const placed = points.map((point) => {
      const [x, y, z] = [0, 1, 2].map((k) =>
        point.reduce((total, value, j) => total + pose[3 * k + j] * value, pose[9 + k]),
      );
      return seen([x, y, z], side);
    });
    const away = placed.reduce((total, point) => total + point.away, 0) / placed.length;
    const tone = Math.min(FAR_TO_NEAR.length - 1, Math.max(0, Math.floor((0.6 - away) / 0.3)));
    const look = touches.has(i) ? 'f-orange' : FAR_TO_NEAR[tone];
    return {
      away,
      path: `<path d="${outline(placed.map(({ at }) => at))}Z" class="${look} s-paper" stroke-width="0.7"/>`,
    };
  });
  const parts = drawn.toSorted((p, q) => q.away - p.away).map(({ path }) => path);
  return picture(WIDTH, HEIGHT, `${poses.length} bunnies in a cube; those that touch another are orange`, [
    cube(side),
    ...parts,
  ]);
}

/** @param {Row} row */
function charts({ moving, paper }) {
  const counts = Object.keys(moving).map(Number);
  /** @param {string} column @param {number} unit @returns {Point[]} */
  const of = (column, unit) =>
    counts.filter((n) => moving[n][column] !== null).map((n) => [n, moving[n][column] / unit]);
  const x = { name: 'bunnies', log: true, ticks: counts.map((n) => /** @type {const} */ ([n, String(n)])) };
  const [low, high] = paper.objects;
  const series = (/** @type {string} */ name, /** @type {number} */ unit) => [
    { name: 'geometry images', points: of(`images, ${name}`, unit), colour: 'blue' },
    { name: 'OBB trees', points: of(name, unit), colour: 'green' },
    { name: "FCL's dynamic AABB tree and OBB trees", points: of(`FCL, ${name}`, unit), colour: 'orange' },
  ];
  /** @param {string} name @param {string} colour @returns {import('../chart.mjs').Series[]} */
  const band = (name, colour) =>
    paper['ms a collision'][name].map((/** @type {number} */ ms, /** @type {number} */ i) => ({
      name: `${name}, the paper's ${i === 0 ? 'least' : 'greatest'}`,
      points: [[low, ms], [high, ms]], // biome-ignore format: points
      ...{ colour, dash: '6 4' },
    }));
  return chart('Figures 8 and 9', [
    {
      title: 'Figure 8: all frames',
      x,
      y: { name: 'ms', log: true },
      series: series('all frames, ms', 1),
    },
    {
      title: 'Figure 9: a collision',
      x,
      y: { name: 'ms', log: true },
      series: [...series('us a collision', 1000), ...band('GI-COLLIDE', 'grey'), ...band('I-COLLIDE', 'red')],
    },
  ]);
}

/** @param {Row} row */
function findings({ moving, paper }) {
  const counts = Object.keys(moving).map(Number);
  const last = moving[counts.at(-1) ?? 0];
  const peer = counts.filter((n) => moving[n]['FCL, all frames, ms'] !== null);
  const faster = peer.filter((n) => moving[n]['images, all frames, ms'] < moving[n]['FCL, all frames, ms']);
  const lead = (/** @type {number} */ n) => moving[n]['FCL, all frames, ms'] / moving[n]['images, all frames, ms'];
  const ofCollision = counts
    .filter((n) => n >= paper.objects[0] && n <= paper.objects[1] && moving[n]['images, us a collision'])
    .map((n) => moving[n]['images, us a collision']);
  const spread = Math.max(...ofCollision) / Math.min(...ofCollision);
  const [least, greatest] = paper['ms a collision']['GI-COLLIDE'];
  const [, theirs] = paper['ms a collision']['I-COLLIDE'];
  const none = { verdict: /** @type {const} */ ('not comparable'), why: 'The peer was not there in this run.' };
  return [
    {
      claim: `"GI-COLLIDE needs significantly less time than the original algorithm used by I-COLLIDE" (section 5.1, Figure 8: ${greatest} ms a collision at most against ${theirs})`,
      ...(peer.length === 0
        ? none
        : {
            verdict: /** @type {'confirmed' | 'refuted' | 'partly'} */ (
              faster.length === peer.length ? 'confirmed' : faster.length === 0 ? 'refuted' : 'partly'
            ),
            why: `With FCL in the place of I-COLLIDE, images take less time at ${faster.join(', ') || 'no number of'} bunnies, of ${peer.join(', ')}; ${ofMs(last['images, all frames, ms'])} against ${ofMs(last['FCL, all frames, ms'])} at ${counts.at(-1)}.`,
          }),
    },
    {
      claim: '"The difference is more significant especially for large number of objects" (section 5.1, Figure 8)',
      ...(peer.length < 2
        ? none
        : {
            verdict: /** @type {'confirmed' | 'refuted'} */ (
              lead(peer[peer.length - 1]) > lead(peer[0]) ? 'confirmed' : 'refuted'
            ),
            why: `FCL takes ${ratio(lead(peer[0]))} times our time at ${peer[0]} bunnies and ${ratio(lead(peer[peer.length - 1]))} times at ${peer.at(-1)}.`,
          }),
    },
    {
      claim: `A collision takes about as long however many objects there are: ${least} to ${greatest} ms, a factor of ${ratio(greatest / least)} (section 5.1, Figure 9)`,
      verdict: /** @type {'confirmed' | 'refuted'} */ (spread <= greatest / least ? 'confirmed' : 'refuted'),
      why: `Ours takes ${time(Math.min(...ofCollision))} to ${time(Math.max(...ofCollision))} from ${paper.objects[0]} to ${paper.objects[1]} bunnies, a factor of ${ratio(spread)}: where few touch, most of the time goes to frames without a collision, and all of it is counted.`,
    },
  ];
}

/** @type {import('./index.mjs').Experiment} */
export const bunnies = {
  paper: 'gi',
  title: 'Figures 1, 8 and 9: moving bunnies',
  task: 'scene',
  write: (row) => ({
    findings: findings(row),
    pictures: { bunnies: bunniesDrawn(row.look), 'moving-bunnies': charts(row) },
    text: [
      `The first picture is our Figure 1: ${row.look.poses.length} bunnies as the last line begins, ${row.look.touching.length} of which touch another and are orange; outlines, no surfaces. The second is Figures 8 and 9, from ${count(row.frames)} frames, as in the paper. Bunnies fly and turn in a cube and bounce off its walls. Images have ${row.imageSize} x ${row.imageSize} samples, the paper's size, ${count(2 * (row.imageSize - 1) ** 2)} triangles; the trees of boxes are of the mesh as it is. The paper's second level is the sweep of I-COLLIDE, ours is a tree of boxes; I-COLLIDE itself is not run, and FCL has its place. "All pairs" is the brute force of the other figures: each pair is asked by \`prepare\`. Every contestant of the mesh finds the same number of touching pairs in each frame. Times are of one run on a machine of ${row.cores} processors.`,
      table(
        [
          ...['bunnies', 'touching', 'images, all frames', 'OBB trees', 'FCL'],
          ...['a collision: images', 'OBB trees', 'FCL', 'all pairs, a frame'],
        ],
        Object.entries(row.moving).map(([n, x]) => [
          ...[n, x['touching a frame']],
          ...['images, all frames, ms', 'all frames, ms', 'FCL, all frames, ms'].map((key) => ofMs(x[key])),
          ...['images, us a collision', 'us a collision', 'FCL, us a collision', 'all pairs, us a frame'].map((key) =>
            time(x[key]),
          ),
        ]),
      ),
    ],
  }),
};
