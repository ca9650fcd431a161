// Section of docs/experiments.md on boxes that were rounded and not fitted again, as P. Terdiman's
// "RAPID Hack" has them.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** As the text has them, in single precision. */
const ROUNDED = ['72 bytes, rounded', "72 bytes, in the parent's frame", '44 bytes, rounded', '40 bytes, rounded'];
const LARGEST = '40 bytes, rounded, w largest';
const FITTED = ['72 bytes, fitted', '44 bytes, fitted', '40 bytes, fitted', 'OBB 40', 'OBB 20', 'OBB 64'];
/** Each form's color and dash. @type {Record<string, readonly [colour: string, dash: string]>} */
const LOOKS = {
  [ROUNDED[0]]: [colorOf("the paper's way"), ''],
  [ROUNDED[1]]: [colorOf('RAPID'), ''],
  [ROUNDED[2]]: [colorOf('quaternions'), '6 4'],
  [ROUNDED[3]]: [colorOf('quaternions without w'), '2 3'],
  'OBB 40': [colorOf('OBB 40'), ''],
};

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

/** @param {Row} row @param {readonly string[]} forms */
const shares = ({ scenes }, forms) =>
  scenes
    .map(
      (/** @type {any} */ { name, contacts, clear }) =>
        `of ${count(contacts)} ${name} ${forms.map((form) => percent(clear[form], contacts)).join(', ')}`,
    )
    .join('; ');

/** @param {Row} row @returns {Finding} */
function single(row) {
  const [plain, parents] = ROUNDED;
  const depth = deepest(row, plain);
  return {
    claim:
      '"Just replace all the doubles with floats, it works just as well", and "In practice, I\'ve never noticed any differences between the double and the single precision version" (Using single-precision floating-point values)',
    verdict: wrong(asked(row), [plain, parents]) > row.paper.differences ? 'refuted' : 'confirmed',
    why: `doubles miss ${wrong(asked(row), ['doubles, not rounded'])} contacts. Nodes of 72 bytes call contacts clear: ${shares(row, [plain])}. In other poses ${depth === null ? 'none was met' : `it takes a contact no deeper than ${depth.toExponential(0)} of a body's size`}, which is why nobody notices.`,
  };
}

/** @param {Row} row @returns {Finding} */
function recursive(row) {
  const [plain, parents] = ROUNDED;
  const [kept, lost] = [wrong(row.depths, [plain]), wrong(row.depths, [parents])];
  return {
    claim:
      '"In theory, this may conduct to a loss of accuracy while recursively performing the collision queries" (Using single-precision floating-point values)',
    verdict: lost > kept ? 'confirmed' : 'refuted',
    why: `with each box in its parent's frame, multiplied in single precision down from the root, ${count(lost)} contacts of bodies in any pose are called clear, the deepest ${deepest(row, parents)?.toExponential(0) ?? 'none'} of a body's size; with boxes in the model's frame ${count(kept)}.`,
  };
}

/** @param {Row} row */
function fitted(row) {
  const contacts = asked(row).reduce((total, each) => total + each.contacts, 0);
  return `A node is written in this order instead: the axes are rounded, and decoded; the centre is rounded, and decoded; the extents are fitted to what these say, and rounded up. Then ${wrong(asked(row), FITTED)} of ${count(contacts)} contacts are called clear with the text's nodes of 72, 44 and 40 bytes and ours of 40, 20 and 64.`;
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
  const y = { name: 'contacts called clear, %', low: 0 };
  const forms = Object.entries(LOOKS).map(([name, [colour, dash]]) => ({ name, colour, dash }));
  return chart('Contacts that boxes call clear when they are rounded and not fitted', [
    {
      title: `Two of a ${body}, so deep in each other`,
      subtitle: `${own[0].contacts} poses a depth`,
      x: { name: 'depth, by the size of the body', log: true },
      y,
      series: forms.map((form) => ({
        ...form,
        points: own.map(
          (/** @type {any} */ each) => /** @type {[number, number]} */ ([each.depth, share(each, form.name)]),
        ),
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
      series: forms.map(({ name, colour }) => ({
        name,
        colour,
        look: /** @type {const} */ ('bars'),
        points: scenes.map(
          (/** @type {any} */ each, /** @type {number} */ at) =>
            /** @type {[number, number]} */ ([at, share(each, name)]),
        ),
      })),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidUnfitted = {
  paper: 'rapid',
  task: 'papers/rapid-unfitted',
  reads: ({ depths }) => LARGEST in depths[0].clear,
  title: 'Verdicts that rounded boxes get wrong',
  write: (row) => ({
    findings: [single(row), recursive(row)],
    text: [
      `Boxes are the least ones in doubles, rounded to nearest in the form that a node stores, and left at that; the search takes axes for orthonormal, as the text does. A contact that any form finds is proved by two triangles that meet, by exact predicates; what calls it clear is wrong. Of the building of the cubes' experiment, ${count(row.pairs)} pairs clash or touch; in metres its coordinates are no floats.`,
      clearTable(row),
      `Quaternions fare no better: ${shares(row, ROUNDED.slice(2))} with nodes of 44 and of 40 bytes, and ${shares(row, [LARGEST])} with 40 bytes and axes called so that w is largest.`,
      fitted(row),
    ],
    pictures: { 'rapid-unfitted': picture(row) },
  }),
};
