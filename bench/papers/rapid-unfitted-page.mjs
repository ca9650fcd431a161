// Section of docs/experiments.md on boxes that were rounded and not fitted again, as P. Terdiman's
// "RAPID Hack" has them.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** The forms of the text, in single precision. */
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

/** All queries. @param {Row} row @returns {any[]} */
const asked = ({ depths, scenes }) => [...depths, ...scenes];

/** @param {readonly any[]} rows @param {readonly string[]} forms */
const wrong = (rows, forms) =>
  rows.reduce((total, { clear }) => total + forms.reduce((sum, form) => sum + clear[form], 0), 0);

const percent = (/** @type {number} */ part, /** @type {number} */ of) => `${Math.round((100 * part) / of)} %`;

/**
 * The deepest contact that a form misses, for bodies in any pose.
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
        `${forms.map((form) => percent(clear[form], contacts)).join(' and ')} of ${count(contacts)} ${name}`,
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
    why: `Doubles miss ${wrong(asked(row), ['doubles, not rounded'])} contacts. Nodes of 72 bytes call contacts clear: ${shares(row, [plain])}. In other poses ${depth === null ? 'no such contact was met' : `such contacts are at most ${depth.toExponential(0)} of a body's size deep`}, so they are easy to overlook.`,
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
    why: `If each box is in its parent's frame, and matrices are multiplied in single precision from the root, ${count(lost)} contacts of bodies in any pose are called clear. The deepest is ${deepest(row, parents)?.toExponential(0) ?? 'none'} of a body's size. With boxes in the model's frame there are ${count(kept)}.`,
  };
}

/** @param {Row} row */
function fitted(row) {
  const contacts = asked(row).reduce((total, each) => total + each.contacts, 0);
  return `The right order is: round and decode the axes; round and decode the center; fit the extents to the decoded box, and round them up. Then ${wrong(asked(row), FITTED)} of ${count(contacts)} contacts are called clear, with the text's nodes of 72, 44 and 40 bytes and gicollide's of 40, 20 and 64.`;
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
      `Boxes are the smallest ones in doubles, rounded to nearest in the form that a node stores, and not fitted again. The search takes axes as orthonormal, as the text does. If any form finds a contact, two triangles that meet prove it, by exact predicates. A form that calls it clear is wrong. ${count(row.pairs)} pairs of the building in the cubes' experiment clash or touch. In meters, its coordinates are not floats.`,
      clearTable(row),
      `Quaternions are not better. Missed contacts with nodes of 44 and of 40 bytes: ${shares(row, ROUNDED.slice(2))}. With 40 bytes and the axes in the order with the largest w: ${shares(row, [LARGEST])}.`,
      fitted(row),
    ],
    pictures: { 'rapid-unfitted': picture(row) },
  }),
};
