// Section of docs/experiments.md on Figure 3 of Raabe et al. 2006: time by the bits of a
// coefficient.
import { chart } from '../chart.mjs';
import { count, percent, ratio, table } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding['verdict']} Verdict */

/** @param {Row} row */
function findings({ byBits, paper }) {
  const narrow = byBits.filter((/** @type {any} */ x) => x.bits <= paper.secondBurstAbove);
  const falls = narrow.every(
    (/** @type {any} */ x, /** @type {number} */ i) =>
      i === 0 || (x.pairs < narrow[i - 1].pairs && x.microseconds < narrow[i - 1].microseconds),
  );
  const last = narrow[narrow.length - 1];
  const fastest = byBits.reduce((/** @type {any} */ p, /** @type {any} */ q) =>
    q.microseconds < p.microseconds ? q : p,
  );
  const at = (/** @type {number} */ bits) => byBits.find((/** @type {any} */ x) => x.bits === bits);
  const excess = [8, 12, 16].flatMap((bits) => (at(bits) ? [`${percent(at(bits).excess)} at ${bits} bits`] : []));
  /** Time with another burst over the time without. @param {number} bits */
  const step = (bits) => {
    const above = byBits.find((/** @type {any} */ x) => x.bits > bits);
    const below = byBits.findLast((/** @type {any} */ x) => x.bits <= bits);
    return above && below ? above.microseconds / below.microseconds : Number.NaN;
  };
  const steps = [paper.secondBurstAbove, paper.thirdBurstAbove].map(step).filter(Number.isFinite);
  const isNear = Math.abs(fastest.bits - paper.fastest) <= 1;
  const stated = at(paper.fastest);
  const slower = stated
    ? `; ${stated.bits} take ${ratio(stated.microseconds / fastest.microseconds)} times as long`
    : '';
  return [
    {
      claim: `"Below ${paper.secondBurstAbove} bits accuracy, an increasing number of false positives occurs", and takes time (section 4.3).`,
      verdict: /** @type {Verdict} */ (falls ? 'confirmed' : 'refuted'),
      why: `With each bit less, more pairs of nodes are tested, and the time grows. Beside the widest coefficients: ${excess.join(', ')}. ${narrow[0].bits} bits take ${ratio(narrow[0].microseconds / last.microseconds)} times as long as ${last.bits}.`,
    },
    {
      claim: `"${paper.fastest}-bit accuracy performs best on our test data with respect to calculation time (Fig. 3)" (section 6.1), although a second burst of the memory is needed beyond ${paper.secondBurstAbove} bits (caption of Figure 3).`,
      verdict: /** @type {Verdict} */ (fastest.bits === paper.fastest ? 'confirmed' : isNear ? 'partly' : 'refuted'),
      why: `In the model ${fastest.bits} bits are the fastest${slower}. The paper's two sentences agree if one of them counts the sign; here it is counted. ${steps.map((x, i) => `${i === 0 ? 'The second burst makes it' : 'the third'} ${ratio(x)} times as long`).join(', ')}. The places of these steps are built into the model.`,
    },
  ];
}

/** @param {Row} row */
function picture({ byBits }) {
  /** @param {string} value */
  const points = (value) => byBits.map((/** @type {any} */ x) => [x.bits, x[value]]);
  const x = { name: 'bits of a coefficient' };
  return chart('Time of the machine by bits of a coefficient', [
    {
      title: 'All contacts, by bits',
      subtitle: 'the machine at 100 MHz, mean over the poses',
      x,
      y: { name: 'microseconds', low: 0 },
      series: [{ name: 'time', points: points('microseconds') }],
    },
    {
      title: 'What is tested',
      subtitle: 'mean over the poses',
      x,
      y: { name: 'tests', low: 0 },
      series: [
        { name: 'pairs of nodes', points: points('pairs') },
        { name: 'pairs of triangles', points: points('triangles') },
      ],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const kdopBits = {
  paper: 'kdop',
  task: 'papers/kdop-bits',
  title: 'Figure 3: time by bits of a coefficient',
  write: (row) => ({
    findings: findings(row),
    text: [
      `All contacts of two headlights of ${count(row.triangles)} triangles in ${row.poses} poses, by [the model of the machine](../bench/papers/kdop-machine/README.md). The paper has its figure only as a picture. It gives the places of the steps, and says that ${row.paper.fastest} bits are the fastest. Beyond 36 bits, the format's maximum, the model rounds coefficients itself. A count of cycles is the same in every run.`,
      table(
        [
          'bits',
          'bursts a node',
          'cycles a node',
          'us',
          'pairs of nodes',
          'too many',
          'pairs of triangles',
          'memory busy',
        ],
        row.byBits.map((/** @type {any} */ x) => [
          x.bits,
          x.burstsOfNode,
          x.cyclesOfNode,
          count(Math.round(x.microseconds)),
          count(Math.round(x.pairs)),
          percent(x.excess),
          count(Math.round(x.triangles)),
          percent(x.memoryBusy),
        ]),
      ),
    ],
    pictures: { 'kdop-bits': picture(row) },
  }),
};
