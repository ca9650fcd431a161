// Section of docs/experiments.md on Figure 8 of Raabe et al. 2006: the machine against software.
import { chart } from '../chart.mjs';
import { count, ratio, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding['verdict']} Verdict */

/** @param {Row} row */
const peerOf = ({ ratios }) => (ratios.fcl === null ? 'descent' : 'fcl');

/** @param {Row} row */
function findings(row) {
  const { ratios, paper, megahertz, machineMegahertz } = row;
  const peer = peerOf(row);
  const name = peer === 'fcl' ? "FCL's OBB trees" : 'our descent over k-DOP trees';
  const factor = ratios[peer];
  // The cycles of this processor at the Pentium's clock. A Pentium needs more cycles.
  const slowed = megahertz === null ? null : (factor * megahertz) / paper.softwareMegahertz;
  const clock =
    slowed === null
      ? ''
      : ` This processor runs at about ${count(megahertz)} MHz and does more in a cycle than a Pentium III. With as many cycles at ${count(paper.softwareMegahertz)} MHz, ${name} would take ${ratio(slowed)} times as long as the machine of 35 bits, and ${ratio(slowed / ratios.machine18)} times as long as that of 18 bits. That is a lower bound for a Pentium III.`;
  return [
    {
      claim: `"The presented acceleration hardware yields a speed up of about factor ${paper.factor}" over "a state-of-the-art software intersection test running on a 1 GHz Pentium III" (section 6.2, Figure 8).`,
      verdict: /** @type {Verdict} */ ('not comparable'),
      why: `That processor and that software are not available. ${name} take ${ratio(factor)} times as long as the model of the machine of 35 bits at ${machineMegahertz} MHz, and gicollide's kernel ${ratio(ratios.kernel)} times, as means over the distances at which the lamps touch.${clock}`,
    },
  ];
}

const WAYS = /** @type {const} */ ([
  ['machine35', 'machine, 35 bits'],
  ['machine18', 'machine, 18 bits'],
  ['fcl', 'FCL, OBB trees'],
  ['descent', 'our search, in TypeScript'],
  ['kernel', 'our kernel'],
]);

const COLORS = {
  machine35: colorOf("the paper's way"),
  machine18: 'red',
  fcl: colorOf('FCL'),
  descent: 'sky',
  kernel: colorOf('ours'),
};

/** @param {Row} row */
function picture({ byDistance, byRotation, turnedAt }) {
  const ways = WAYS.filter(([name]) => byDistance[0][name] !== null);
  const x = { name: 'distance of the centers, diagonals' };
  /** @param {readonly any[]} rows @param {'distance' | 'degrees'} place */
  const seriesOf = (rows, place) =>
    ways.map(([name, title]) => ({
      name: title,
      points: rows.map((each) => /** @type {[number, number]} */ ([each[place], each[name]])),
      colour: COLORS[name],
      ...(name.startsWith('machine') ? {} : { dash: '6 4' }),
    }));
  return chart('All contacts of two headlights by distance', [
    {
      title: 'Figure 8: time by distance',
      subtitle: 'all contacts, mean over the rotations',
      x,
      y: { name: 'microseconds', low: 0 },
      series: seriesOf(byDistance, 'distance'),
    },
    {
      title: 'The same, powers of ten',
      x,
      y: { name: 'microseconds', log: true },
      series: seriesOf(byDistance, 'distance'),
    },
    {
      title: 'Time by rotation',
      subtitle: `all contacts at a distance of ${turnedAt}`,
      x: { name: 'degrees about z' },
      y: { name: 'microseconds', low: 0 },
      series: seriesOf(byRotation, 'degrees'),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const kdopHeadlight = {
  paper: 'kdop',
  task: 'papers/kdop-headlight',
  title: 'Figure 8: the machine against software',
  write: (row) => ({
    findings: findings(row),
    text: [
      `All contacts of two identical headlights of ${count(row.triangles)} triangles, with ${row.rotations} rotations at each distance, and one turned in steps. The paper's headlight has ${count(row.paper.triangles)} triangles; this one is made by a formula. The machine is [the model](../bench/papers/kdop-machine/README.md) at ${row.machineMegahertz} MHz with the paper's memory. Its time is a count of cycles, without the host's preparation of axes. Software is timed on this processor; a pose counts by the median of ${row.rounds} runs${row.ratios.fcl === null ? '. FCL was missing' : ''}. The task checks that machine, search and kernel list the same contacts.${row.ratios.fcl === null ? '' : ` FCL lists another number at ${count(row.fclDiffers)} of ${count(row.poses)} poses.`}`,
      table(
        ['distance', 'contacts', 'pairs of nodes', ...WAYS.map(([, title]) => title)],
        row.byDistance.map((/** @type {any} */ each) => [
          each.distance,
          count(Math.round(each.contacts)),
          count(Math.round(each.pairs)),
          ...WAYS.map(([name]) => time(each[name])),
        ]),
      ),
    ],
    pictures: { 'kdop-headlight': picture(row) },
  }),
};
