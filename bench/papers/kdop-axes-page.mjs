// Section of docs/experiments.md on Figures 5, 6 and 7 of Raabe et al. 2006: how many axes are
// worth testing.
import { chart } from '../chart.mjs';
import { count, percent, table } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding['verdict']} Verdict */
/**
 * @typedef {{ axes: number, microseconds: number, pairs: number, tests: number, triangles: number,
 *   memoryBusy: number }} Timed
 */

/** Difference in time up to which two settings count as equal. */
const AS_GOOD = 0.02;

/** @param {readonly Timed[]} rows */
const best = (rows) => rows.reduce((p, q) => (q.microseconds < p.microseconds ? q : p));
/** @param {readonly Timed[]} rows @param {number} axes */
const at = (rows, axes) => rows.find((row) => row.axes === axes) ?? rows[rows.length - 1];

/**
 * Mean share of axes from one number to another.
 *
 * @param {Row} row
 * @param {number} from
 * @param {number} to
 */
function shareOf({ byAxis }, from, to) {
  const shares = byAxis.slice(from, to).map((/** @type {{ share: number }} */ x) => x.share);
  return shares.reduce((/** @type {number} */ p, /** @type {number} */ q) => p + q, 0) / shares.length;
}

/**
 * Numbers of pairs of axes in which the later one separates a smaller share, and a larger one.
 *
 * @param {Row} row
 */
function laterAxes({ byAxis }) {
  let [less, more] = [0, 0];
  for (const [i, { share }] of byAxis.entries()) {
    for (const later of byAxis.slice(i + 1)) {
      if (later.share < share) less++;
      else if (later.share > share) more++;
    }
  }
  return [less, more];
}

/** @param {Row} row */
function findings(row) {
  const { byCount, further, anew, faces, edges, paper } = row;
  const parts = [shareOf(row, 0, faces / 2), shareOf(row, faces / 2, faces), shareOf(row, faces, faces + edges)];
  const [less, more] = laterAxes(row);
  const falls = parts[0] > parts[1] && parts[1] > parts[2] && less >= 2 * more;
  const [fastest, stated] = [best(byCount), at(byCount, paper.best)];
  const loss = stated.microseconds / fastest.microseconds - 1;
  const fastestAnew = best(anew);
  const slowest = byCount[byCount.length - 1];
  const gain = 1 - at(further, paper.best).microseconds / stated.microseconds;
  const upTo = further.filter((/** @type {Timed} */ { axes }) => axes <= paper.best);
  const gains = upTo.filter((/** @type {Timed} */ x) => x.microseconds < at(byCount, x.axes).microseconds);
  const few = byCount[0];
  const fewGain = 1 - at(further, few.axes).microseconds / few.microseconds;
  return [
    {
      claim:
        '"The more axes are tested for intersection the less probable it is for other axes to be separating" (Figure 5).',
      verdict: /** @type {Verdict} */ (falls ? 'confirmed' : 'refuted'),
      why: `An axis separates ${percent(parts[0])} of the remaining pairs on average if it is of a's faces, ${percent(parts[1])} if of b's, and ${percent(parts[2])} if of the ${edges} cross products of edges that follow. The later one of two axes separates less in ${count(less)} pairs of axes, and more in ${count(more)}.`,
    },
    {
      claim: `n = ${paper.best} axes yield the optimum for 24-DOPs (Figure 6, section 5.3).`,
      verdict: /** @type {Verdict} */ (
        fastest.axes === paper.best ? 'confirmed' : loss <= AS_GOOD ? 'partly' : 'refuted'
      ),
      why: `${fastest.axes} axes are the fastest${loss > 0 ? `; ${paper.best} take ${percent(loss)} longer` : ''}. If both nodes of every pair are loaded again, ${fastestAnew.axes} are. Axes of edges are ${fastest.axes > faces ? '' : 'not '}worth it: ${slowest.axes} axes take ${percent(slowest.microseconds / fastest.microseconds - 1)} longer.`,
    },
    {
      claim: 'Testing further axes until the next pair is loaded yields a speed-up (Figure 7).',
      verdict: /** @type {Verdict} */ (
        gain > 0 && gains.length === upTo.length ? 'confirmed' : gains.length > 0 ? 'partly' : 'refuted'
      ),
      why: `With n = ${paper.best} the time is ${percent(Math.abs(gain))} ${gain > 0 ? 'shorter' : 'longer'}, with n = ${few.axes} ${percent(Math.abs(fewGain))} ${fewGain > 0 ? 'shorter' : 'longer'}. It is faster for ${gains.length} of the ${upTo.length} numbers of axes up to ${paper.best}. The best is ${best(further).axes}, with ${percent(1 - best(further).microseconds / fastest.microseconds)} less time than ${fastest.axes} alone.`,
    },
  ];
}

/** @param {Row} row */
function separationPicture({ byAxis, faces }) {
  const points = byAxis.map((/** @type {{ share: number }} */ { share }, /** @type {number} */ i) => [
    i + 1,
    100 * share,
  ]);
  const y = { name: 'separated of those left, %' };
  return chart('How often each further axis separates', [
    {
      title: 'Figure 5: the axes of faces',
      subtitle: "a's twelve first, then b's",
      x: { name: 'axis' },
      y,
      series: [{ name: 'a face each', points: points.slice(0, faces) }],
    },
    {
      title: 'And the crosses of edges after them',
      subtitle: 'those that separate none are left out',
      x: { name: 'axis' },
      y: { ...y, log: true },
      series: [
        { name: 'faces', points: points.slice(0, faces) },
        { name: 'edge x edge', points: points.slice(faces), look: /** @type {const} */ ('dots') },
      ],
    },
  ]);
}

/** @param {Row} row */
function timePicture({ byCount, further, anew }) {
  /** @param {readonly Timed[]} rows @param {keyof Timed} value @returns {[number, number][]} */
  const points = (rows, value) => rows.map((row) => [row.axes, row[value]]);
  const x = { name: 'axes n', log: true };
  return chart('Time by the number of axes', [
    {
      title: 'Figures 6 and 7: time by n',
      subtitle: 'the machine at 100 MHz, mean over the poses',
      x,
      y: { name: 'microseconds', low: 0 },
      series: [
        { name: 'n axes', points: points(byCount, 'microseconds') },
        { name: 'and further ones while memory is busy', points: points(further, 'microseconds') },
        { name: 'n axes, both nodes loaded anew', points: points(anew, 'microseconds'), dash: '6 4' },
      ],
    },
    {
      title: 'Pairs of nodes by n',
      x,
      y: { name: 'pairs of nodes', low: 0 },
      series: [
        { name: 'n axes', points: points(byCount, 'pairs') },
        { name: 'and further ones while memory is busy', points: points(further, 'pairs') },
      ],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const kdopAxes = {
  paper: 'kdop',
  task: 'papers/kdop-axes',
  title: 'Figures 5, 6 and 7: how many axes',
  write: (row) => ({
    findings: findings(row),
    text: [
      `24-DOPs of ${row.bits} bits, two headlights of ${count(row.triangles)} triangles, ${row.poses} poses, by [the model of the machine](../bench/papers/kdop-machine/README.md). The first ${row.faces} axes are those of the faces of both. ${row.edges} cross products of an edge of a and an edge of b follow. Rounding is outward on all of them. The paper has its figures only as pictures. It says that ${row.paper.best} axes are the best, and that loading a set of coefficients takes ${row.paper.cyclesOfNode} cycles.`,
      table(
        [
          'n',
          'us',
          'pairs of nodes',
          'axes tested',
          'pairs of triangles',
          'memory busy',
          'us with further axes',
          'us, loaded anew',
        ],
        row.byCount.map((/** @type {Timed} */ x) => [
          x.axes,
          count(Math.round(x.microseconds)),
          count(Math.round(x.pairs)),
          count(Math.round(x.tests)),
          count(Math.round(x.triangles)),
          percent(x.memoryBusy),
          timeAt(row.further, x.axes),
          timeAt(row.anew, x.axes),
        ]),
      ),
    ],
    pictures: { 'kdop-separations': separationPicture(row), 'kdop-axes': timePicture(row) },
  }),
};

/** @param {readonly Timed[]} rows @param {number} axes */
function timeAt(rows, axes) {
  const found = rows.find((row) => row.axes === axes);
  return found ? count(Math.round(found.microseconds)) : '';
}
