// Section of docs/experiments.md on section 4 of Raabe et al. 2006: the bound of eq. 21, and what
// it needs of directions.
import { chart } from '../chart.mjs';
import { count, percent, ratio, table } from '../page-text.mjs';
import { digits, sum } from '../race.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */
/** @typedef {import('./index.mjs').Finding['verdict']} Verdict */
/** @typedef {{ b: number, c: number, z: number }} Bits */
/**
 * Errors are shares of the bound.
 *
 * @typedef {{ bits: Bits, bound: number, tests: number, least: number, mean: number,
 *   greatest: number, below: number, apart: number, falsePositives: number,
 *   falseShare: number }} Errors
 */

/** Angles and weights are rounded to four digits. */
const ROUNDED = 2e-4;

/** All measured settings. @param {Row} row @returns {Errors[]} */
const allErrors = ({ byK, byBits, apart }) => [
  ...byBits,
  ...byK.filter((/** @type {any} */ { k }) => k !== 24).flatMap((/** @type {any} */ { errors }) => errors),
  ...apart.flatMap((/** @type {any} */ { errors }) => errors),
];

/** @param {Row} row @returns {Finding[]} */
function boundFindings(row) {
  const errors = allErrors(row);
  const tests = sum(errors.map((each) => each.tests));
  const below = sum(errors.map((each) => each.below));
  const least = Math.min(...errors.map((each) => each.least));
  const greatest = Math.max(...errors.map((each) => each.greatest));
  const means = row.byBits.map((/** @type {Errors} */ { mean }) => mean);
  const wrong = below > 0 ? `${count(below)} are not proved to be 0 or more` : 'Not one is below 0';
  return [
    {
      claim: '0 <= err <= sqrt(3) 2^(-b+1) + 6 2^-c + 2^-z (section 4.4, eq. 21).',
      verdict: below === 0 && greatest <= 1 ? 'confirmed' : 'refuted',
      why: `Over ${count(tests)} tests of axes in exact arithmetic, err is ${least} to ${greatest} of the bound. For b = c = z and k = 24, its mean is ${Math.min(...means)} to ${Math.max(...means)} of the bound.`,
    },
    {
      claim: '"... it formally proves that no false negatives can occur" (section 4.4).',
      verdict: below === 0 ? 'confirmed' : 'refuted',
      why: `${wrong}, so diff' is never more than diff. No pair of nodes is separated that eqs. 3 to 6 do not separate. The task compares every pair.`,
    },
  ];
}

/** @param {Row} row @returns {Finding} */
function falsePositives({ byBits }) {
  const narrow = byBits.filter((/** @type {Errors} */ { bits }) => bits.b <= 18);
  const falls = narrow.every(
    (/** @type {Errors} */ x, /** @type {number} */ i) => i === 0 || x.falsePositives <= narrow[i - 1].falsePositives,
  );
  const [first, last] = [narrow[0], narrow[narrow.length - 1]];
  const named = narrow.map((/** @type {Errors} */ x) => `${percent(x.falseShare)} with ${x.bits.b}`);
  return {
    claim:
      '"Below 18 bits accuracy, an increasing number of false positives occurs compared to the floating-point implementation" (section 4.3).',
    verdict: falls && first.falsePositives > last.falsePositives ? 'confirmed' : 'refuted',
    why: `Eqs. 3 to 6 separate ${count(first.apart)} pairs of nodes. By bits after the point, fixed point lets these shares of them pass: ${named.join(', ')}.`,
  };
}

/** @param {Row} row @returns {Finding[]} */
function directionFindings({ directions, random }) {
  const fit = directions.filter((/** @type {any} */ { dihedral }) => dihedral >= 90 - ROUNDED);
  const beyond = fit.filter((/** @type {any} */ { leastP }) => leastP < -1 - ROUNDED);
  const long = fit.filter((/** @type {any} */ { rMax }) => rMax > Math.sqrt(3) + ROUNDED * 2);
  const ours = directions.filter((/** @type {any} */ { name }) => name.startsWith('k ='));
  const inRange = ours.filter((/** @type {any} */ { leastP }) => leastP >= -1 - ROUNDED);
  const pushed = random.filter((/** @type {any} */ { isPushed }) => isPushed);
  const plain = random.filter((/** @type {any} */ { isPushed }) => !isPushed);
  const isTighter = pushed.every(
    (/** @type {any} */ each, /** @type {number} */ i) => each.acute === 0 && each.excess < plain[i].excess,
  );
  return [
    {
      claim:
        'If the dihedral angle between all pairs of neighboring faces is larger than 90 degrees, all P are in [-1, 0] (section 4.3).',
      verdict: beyond.length === 0 ? 'confirmed' : 'partly',
      why: `It holds for ${inRange.length} of gicollide's ${ours.length} sets.${beyond.map((/** @type {any} */ { name, dihedral, taken, leastP }) => ` It fails for ${name}, with angles of ${dihedral} degrees. Four faces meet in each vertex, and eq. 2 takes three of them. Two of these are not neighbors and make ${taken} degrees, and P goes down to ${leastP}.`).join('')} It suffices that the angles of all three faces in eq. 2 are 90 degrees or more. gicollide's builder checks that.`,
    },
    {
      claim: 'Then r_max is bounded by sqrt(3) (section 4.4).',
      verdict: long.length === 0 ? 'confirmed' : 'refuted',
      why: `It is ${ours.map((/** @type {any} */ { k, rMax }) => `${rMax} for k = ${k}`).join(', ')}. k = 6 has right angles and reaches the bound.`,
    },
    {
      claim:
        '"This is no hard restriction since every well-constructed DOP should not have acute angles to improve tightness of fit (even for oblong objects in random orientation)" (footnote 2).',
      verdict: isTighter ? 'confirmed' : 'partly',
      why: random
        .map(
          (/** @type {any} */ { k, isPushed, acute, count: of, excess }) =>
            `k = ${k}, ${isPushed ? 'directions pushed apart' : 'random directions'}: ${acute} of ${of} sets have an acute angle, and images of oblong boxes are too long by ${percent(excess)} of the box's radius`,
        )
        .join('; ')
        .concat('.'),
    },
  ];
}

/** @param {Row} row */
function picture({ byBits, byK, apart, byLevel }) {
  /** @param {(each: Errors) => number} value @returns {[number, number][]} */
  const points = (value) => byBits.map((/** @type {Errors} */ each) => [each.bits.b, value(each)]);
  const x = { name: 'bits after the point, b = c = z', low: 6 };
  return chart('Fixed-point error and false positives', [
    {
      title: 'Eq. 21: error by bits',
      subtitle: 'k = 24, over the largest coefficient',
      x,
      y: { name: 'err', log: true },
      series: [
        {
          name: "the paper's bound",
          points: points(({ bound }) => bound),
          colour: colorOf("the paper's way"),
          dash: '6 4',
        },
        { name: 'greatest', points: points(({ bound, greatest }) => bound * greatest), colour: 'navy' },
        { name: 'mean', points: points(({ bound, mean }) => bound * mean), colour: colorOf('ours') },
        { name: 'least', points: points(({ bound, least }) => bound * least), colour: 'sky' },
      ],
    },
    {
      title: 'False positives by bits and k',
      subtitle: 'of the pairs that eqs. 3 to 6 separate',
      x,
      y: { name: 'share, %', log: true },
      series: byK.map((/** @type {any} */ { k, errors }) => ({
        name: `k = ${k}`,
        points: errors.map((/** @type {Errors} */ each) => [each.bits.b, 100 * each.falseShare]),
      })),
    },
    {
      title: 'One of b, c and z, the others 16',
      subtitle: 'k = 24; mean error',
      x: { name: 'bits', low: 6 },
      y: { name: 'err', log: true },
      series: apart.map((/** @type {any} */ { name, errors }) => ({
        name: `${name}: ${{ b: 'coefficients', c: 'P', z: 'p' }[/** @type {'b'} */ (name)]}`,
        points: errors.map((/** @type {any} */ each) => [each.bits[name], each.bound * each.mean]),
      })),
    },
    {
      title: 'By level of the deeper node',
      subtitle: 'k = 24; shares of the bound, and of the pairs',
      x: { name: 'level' },
      y: { name: 'share', low: 0 },
      series: byLevel.flatMap((/** @type {any} */ { bits, levels }, /** @type {number} */ i) => [
        {
          name: `mean err over the bound, ${bits} bits`,
          colour: ['red', 'blue'][i],
          points: levels.map((/** @type {any} */ each) => [each.level, each.mean]),
        },
        {
          name: `false positives, ${bits} bits`,
          colour: ['red', 'blue'][i],
          points: levels.map((/** @type {any} */ each) => [each.level, each.falseShare]),
          dash: '6 4',
        },
      ]),
    },
  ]);
}

/** Means of groups of levels. @param {Row} row */
function levelRows({ byLevel }) {
  const [first] = byLevel;
  const step = 4;
  const groups = Math.ceil(first.levels.length / step);
  return Array.from({ length: groups }, (_, g) => {
    const cells = byLevel.flatMap((/** @type {any} */ { levels }) => {
      const own = levels.slice(step * g, step * (g + 1));
      const tests = sum(own.map((/** @type {any} */ each) => each.tests));
      const mean = sum(own.map((/** @type {any} */ each) => each.tests * each.mean)) / tests;
      const apart = sum(own.map((/** @type {any} */ each) => each.apart));
      const wrong = sum(own.map((/** @type {any} */ each) => each.falsePositives));
      return [String(digits(mean)), apart > 0 ? percent(wrong / apart) : ''];
    });
    const most = Math.min(step * (g + 1), first.levels.length) - 1;
    return [most > step * g ? `${step * g} to ${most}` : most, ...cells];
  });
}

/** @type {import('./index.mjs').Experiment} */
export const kdopError = {
  paper: 'kdop',
  task: 'papers/kdop-error',
  title: 'Eq. 21: the error of fixed point, and false positives',
  write: (row) => ({
    findings: [...boundFindings(row), falsePositives(row), ...directionFindings(row)],
    text: [
      `Two headlights of ${count(row.triangles)} triangles in ${row.poses} poses, all contacts. A traversal by eqs. 3 to 6 gives the pairs of nodes. All k axes of faces of each pair count. diff is computed from the doubles of vertices, directions and pose, in whole numbers of any length. diff' is computed to its last bit by eqs. 7 to 9 ([kdop-exact.mjs](../bench/papers/kdop-exact.mjs)). b, c and z are bits after the point; a stored coefficient has one more, its sign. Columns of err are shares of the bound.`,
      table(
        ['b = c = z', 'bound', 'least err', 'mean', 'greatest', 'pairs apart', 'false positives', 'share'],
        row.byBits.map((/** @type {Errors} */ x) => [
          x.bits.b,
          x.bound.toExponential(2),
          x.least,
          x.mean,
          x.greatest,
          count(x.apart),
          count(x.falsePositives),
          percent(x.falseShare),
        ]),
      ),
      'By k: occurring entries of P, the mean error as a share of the bound, and false positives:',
      table(
        [
          'k',
          'pairs tested',
          'least P',
          ...row.byK[0].errors.flatMap((/** @type {Errors} */ { bits }) => [`err at ${bits.b}`, `false at ${bits.b}`]),
        ],
        row.byK.map((/** @type {any} */ { k, pairs, leastP, errors }) => [
          k,
          count(pairs),
          leastP,
          ...errors.flatMap((/** @type {Errors} */ x) => [x.mean, percent(x.falseShare)]),
        ]),
      ),
      `One of b, c and z varies, the others have ${row.apart[0].errors.find((/** @type {Errors} */ { bits }) => bits.b === bits.c)?.bits.b} bits. A narrow P' alone lets about as many pairs pass as narrow coefficients alone. No node stores P' or p', so software can make c and z wide at no cost.`,
      table(
        ['bits', ...row.apart.flatMap((/** @type {any} */ { name }) => [`mean err, ${name}`, `false, ${name}`])],
        row.apart[0].errors.map((/** @type {Errors} */ _, /** @type {number} */ i) => [
          row.apart[0].errors[i].bits.b,
          ...row.apart.flatMap((/** @type {any} */ { errors }) => [
            (errors[i].mean * errors[i].bound).toExponential(2),
            percent(errors[i].falseShare),
          ]),
        ]),
      ),
      'By level of the deeper node. The error is nearly the same on every level: it depends on the distance of a node from the origin, not on its size. So smaller nodes have more false positives:',
      table(
        [
          'levels',
          ...row.byLevel.flatMap((/** @type {any} */ { bits }) => [`mean err, ${bits} bits`, `false, ${bits} bits`]),
        ],
        levelRows(row),
      ),
      'Directions: the smallest angle between two faces with a common edge, and between two faces of eq. 2; the least P and r_max over all axes; the excess of images of a box of 4 by 1 by 1 in random orientation, as a share of its radius.',
      table(
        ['directions', 'k', 'dihedral angle', 'taken together', 'least P', 'r_max', 'too long'],
        row.directions.map((/** @type {any} */ x) => [
          x.name,
          x.k,
          x.dihedral,
          x.taken,
          x.leastP,
          x.rMax,
          ratio(x.excess),
        ]),
      ),
    ],
    pictures: { 'kdop-error': picture(row) },
  }),
};
