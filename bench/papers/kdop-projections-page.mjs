// Section of docs/experiments.md on section 7 of Raabe et al. 2006: ways to get smaller
// projections.
import { chart } from '../chart.mjs';
import { count, percent, table } from '../page-text.mjs';
import { sum } from '../race.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */
/**
 * @typedef {object} Figures
 * @property {number} bits
 * @property {number} bytes of a node
 * @property {number} nodes pairs tested, mean over the poses
 * @property {number} triangles pairs tested
 * @property {number} falsePositives pairs that eqs. 3 to 6 separate and this does not
 * @property {number} falseShare
 * @property {number} further pairs that this separates and eqs. 3 to 6 do not
 */
/** @typedef {{ name: string, byBits: readonly Figures[] }} Way */
/**
 * @typedef {{ exact: { nodes: number, triangles: number }, contacts: number, poses: number,
 *   ways: readonly Way[] }} Scene
 */

/** Share of false positives, over all widths, that a way must save to be listed. */
const WORTH = 0.1;

/** @param {Row} row @param {number} way */
const falseOf = ({ scenes }, way) =>
  sum(
    Object.values(/** @type {Record<string, Scene>} */ (scenes)).flatMap(({ ways }) =>
      ways[way].byBits.map(({ falsePositives }) => falsePositives),
    ),
  );

/** @param {Row} row @returns {Finding[]} */
function findings(row) {
  const scenes = Object.values(/** @type {Record<string, Scene>} */ (row.scenes));
  const [{ ways }] = scenes;
  const paper = falseOf(row, 0);
  const saved = ways.slice(1).map(({ name }, i) => ({ name, share: 1 - falseOf(row, i + 1) / Math.max(1, paper) }));
  const worth = saved.filter(({ share }) => share >= WORTH);
  const best = saved.reduce((p, q) => (q.share > p.share ? q : p));
  const contacts = sum(scenes.map((scene) => scene.contacts));
  return [
    {
      claim:
        '"Another important topic is fixed-point accuracy. Here, a lot of different ways to get smaller projections are conceivable" (section 7).',
      verdict: worth.length > 1 ? 'confirmed' : worth.length === 1 ? 'partly' : 'refuted',
      why: `${worth.length} of ${saved.length} ways save a tenth or more of the false positives of all widths: ${worth.map(({ name, share }) => `${name} (${percent(share)})`).join(', ')}. The best is ${best.name}. Each way finds the same ${count(contacts)} contacts.`,
    },
  ];
}

const PICTURED = /** @type {Record<string, string>} */ ({
  "the paper's way": colorOf("the paper's way"),
  'wide P and p': 'sky',
  box: colorOf('k-DOP'),
  'best of 4': 'red',
  'scale of a tree, wide P and p': 'navy',
  'scale of a node, wide P and p': colorOf('ours'),
});

/** @param {Row} row */
function picture({ scenes }) {
  return chart(
    'False positives by bits and way of projecting',
    Object.entries(/** @type {Record<string, Scene>} */ (scenes)).map(([name, { ways }]) => ({
      title: name,
      subtitle: 'of the pairs that a traversal by eqs. 3 to 6 tests; 0 is left out',
      x: { name: 'bits after the point', low: 6 },
      y: { name: 'false positives, % of the pairs apart', log: true },
      series: ways.flatMap((way) =>
        way.name in PICTURED
          ? [
              {
                name: way.name,
                colour: PICTURED[way.name],
                ...(way.name === 'box' ? { dash: '6 4' } : {}),
                points: way.byBits.map(({ bits, falseShare }) => /** @type {const} */ ([bits, 100 * falseShare])),
              },
            ]
          : [],
      ),
    })),
  );
}

/**
 * The narrowest coefficients with a scale for each node, and those of the paper that let at most as
 * many pairs pass.
 *
 * @param {Scene} scene
 */
function widthsAlike({ ways }) {
  const paper = ways[0].byBits;
  const [own] = ways.flatMap(({ name, byBits }) => (name === 'scale of a node, wide P and p' ? [byBits[0]] : []));
  const alike = paper.find(({ falseShare }) => falseShare <= own.falseShare);
  const needed = alike
    ? `${alike.bits} bits and ${alike.bytes} bytes`
    : `more than ${paper[paper.length - 1].bits} bits`;
  return `${own.bits} bits and ${own.bytes} bytes a node are as good as ${needed} in the paper's way`;
}

/** @type {import('./index.mjs').Experiment} */
export const kdopProjections = {
  paper: 'kdop',
  task: 'papers/kdop-projections',
  title: 'Section 7: smaller projections',
  write: (row) => {
    const scenes = Object.entries(/** @type {Record<string, Scene>} */ (row.scenes));
    const [[, { ways }]] = scenes;
    const widths = ways[0].byBits.map(({ bits }) => bits);
    return {
      findings: findings(row),
      text: [
        `${row.k}-DOPs of ${count(row.triangles)} triangles a lamp. The small lamp has ${row.small} of the size, in one scenario with the large one. Each way is the paper's fixed point with the change in its name. [kdop-projections-check.mjs](../bench/papers/kdop-projections-check.mjs) proves that none loses a contact. Bits are those after the point: of b, and of c and z unless P' and p' are wide (32 bits). "False" is the share of false positives among the pairs of nodes that a traversal by eqs. 3 to 6 tests. Exact eqs. 3 to 6 separate a false positive, and the way does not.`,
        ...scenes.flatMap(([name, { exact, ways: own, poses }]) => [
          `${name[0].toUpperCase()}${name.slice(1)}, ${poses} poses; eqs. 3 to 6 test ${count(exact.nodes)} pairs of nodes and ${count(exact.triangles)} of triangles:`,
          table(
            [
              'way',
              'bytes a node',
              ...['nodes', 'false'].flatMap((name) => widths.map((bits) => `${name}, ${bits} bits`)),
            ],
            own.map(({ name: way, byBits }) => [
              way,
              byBits.map(({ bytes }) => bytes).join(', '),
              ...byBits.map(({ nodes }) => count(Math.round(nodes))),
              ...byBits.map(({ falseShare }) => percent(falseShare)),
            ]),
          ),
        ]),
        `Narrow coefficients lose most by the single scale of the scenario. With a center and scale for each node, they let as few pairs pass as these wider ones: ${scenes.map(([name, scene]) => `${name}, ${widthsAlike(scene)}`).join('; ')}. P' and p' of 32 bits cost no byte of a node. Further triples of faces reduce the error of the estimate in eq. 3. With all triples, an image is the true one of the DOP, and fewer pairs are tested than by eqs. 3 to 6. But each triple costs twelve products for an axis that does not separate.`,
      ],
      pictures: { 'kdop-projections': picture(row) },
    };
  },
};
