// docs/experiments.md on boxes that were rounded and not fitted again, as P. Terdiman's "RAPID
// Hack" has them.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

const ROUNDED = ['72 bytes, rounded', '40 bytes, rounded', '20 bytes, rounded'];
const FITTED = ['40 bytes, fitted', '20 bytes, fitted', '64 bytes, fitted'];

/** All that was asked. @param {Row} row @returns {any[]} */
const asked = ({ depths, scenes }) => [...depths, ...scenes];

/** @param {readonly any[]} rows @param {readonly string[]} forms */
const wrong = (rows, forms) =>
  rows.reduce((total, { clear }) => total + forms.reduce((sum, form) => sum + clear[form], 0), 0);

const percent = (/** @type {number} */ part, /** @type {number} */ of) => `${Math.round((100 * part) / of)} %`;

/**
 * The deepest at which a form is wrong, of bodies in any pose.
 *
 * @param {Row} row
 * @param {string} form
 */
function deepest({ depths }, form) {
  const found = depths
    .filter((/** @type {any} */ { clear }) => clear[form] > 0)
    .map((/** @type {any} */ { depth }) => depth);
  return found.length > 0 ? Math.max(...found) : null;
}

/** @param {Row} row @returns {Finding} */
function single(row) {
  const forms = ROUNDED.slice(0, 2);
  const scenes = row.scenes.map(
    (/** @type {any} */ { name, contacts, clear }) =>
      `of ${count(contacts)} ${name} ${forms.map((form) => percent(clear[form], contacts)).join(' and ')}`,
  );
  const depth = deepest(row, forms[1]);
  return {
    claim: 'Doubles become floats, and it works just as well: in practice no differences were ever noticed (step 1).',
    verdict: wrong(asked(row), forms) > row.paper.differences ? 'refuted' : 'confirmed',
    why: `rounded nodes of 72 and of 40 bytes call contacts clear: ${scenes.join('; ')}. In other poses ${depth === null ? 'none was met' : `it takes a contact no deeper than ${depth.toExponential(0)} of a body's size`}, which is why nobody notices.`,
  };
}

/** @param {Row} row @returns {Finding} */
function fitted(row) {
  const failures = wrong(asked(row), FITTED);
  const contacts = asked(row).reduce((total, each) => total + each.contacts, 0);
  return {
    claim: 'Boxes of fewer bytes answer as those of RAPID do (the aim of the text).',
    verdict: failures === 0 ? 'confirmed' : 'refuted',
    why: `when extents are fitted to the axes and the centre that will be decoded, and rounded outward, ${failures} of ${count(contacts)} contacts are called clear with nodes of 40, 20 and 64 bytes.`,
  };
}

/** @param {Row} row */
function clearTable(row) {
  const forms = Object.keys(row.depths[0].clear);
  return table(
    ['contacts', 'of them', ...forms],
    asked(row).map(({ name, depth, contacts, clear }) => [
      depth === undefined ? name : `${name}, ${depth.toExponential(0)} deep`,
      count(contacts),
      ...forms.map((form) => count(clear[form])),
    ]),
  );
}

/** @param {Row} row */
function picture({ depths, scenes }) {
  const body = depths[depths.length - 1].name;
  const own = depths.filter((/** @type {any} */ each) => each.name === body);
  const share = (/** @type {any} */ { clear, contacts }, /** @type {string} */ form) => (100 * clear[form]) / contacts;
  const colours = ['violet', 'orange', 'red', 'green'];
  const y = { name: 'contacts called clear, %', low: 0 };
  return chart('Contacts that boxes call clear when they are rounded and not fitted again', [
    {
      title: `Two of a ${body}, so deep in each other`,
      subtitle: `${own[0].contacts} poses a depth`,
      x: { name: 'depth, by the size of the body', log: true },
      y,
      series: ROUNDED.map((form, i) => ({
        name: form,
        colour: colours[i],
        points: own.map((/** @type {any} */ each) => /** @type {[number, number]} */ ([each.depth, share(each, form)])),
      })),
    },
    {
      title: 'Bodies that rest on each other',
      x: {
        name: '',
        low: -0.6,
        high: 1.6,
        ticks: scenes.map((/** @type {any} */ { name }, /** @type {number} */ i) => [i, name]),
      },
      y,
      series: [...ROUNDED, FITTED[0]].map((form, i) => ({
        name: form,
        look: /** @type {const} */ ('bars'),
        colour: colours[i],
        points: scenes.map(
          (/** @type {any} */ each, /** @type {number} */ at) =>
            /** @type {[number, number]} */ ([at, share(each, form)]),
        ),
      })),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidUnfitted = {
  paper: 'rapid',
  task: 'papers/rapid-unfitted',
  title: 'Verdicts that rounded boxes get wrong',
  write: (row) => ({
    findings: [single(row), fitted(row)],
    text: [
      `Boxes are the least ones in doubles, rounded to nearest in the form that a node stores, and left at that. A contact that any form finds is proved by two triangles that meet, by exact predicates; what calls it clear is wrong. Of the building of the cubes' experiment, ${count(row.pairs)} pairs clash or touch; in metres its coordinates are no floats.`,
      clearTable(row),
      'So a node is written in this order: the axes are rounded, and decoded; the centre is rounded, and decoded; the extents are fitted to what these say, and rounded up.',
    ],
    pictures: { 'rapid-unfitted': picture(row) },
  }),
};
