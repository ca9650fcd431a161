// What docs/experiments.md says of the claim of constant time: out of the row of papers/frep-time,
// and of the task frep.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';

/** @type {import('./index.mjs').Experiment} */
export const frepTime = {
  paper: 'frep',
  title: 'Constant time: spread by position, pair and subdivision',
  task: 'papers/frep-time',
  also: ['frep'],
  write(row, also) {
    const { paper, passes, spreads } = row;
    const lines = Object.entries(spreads);
    const times = lines.map(([, line]) => line['time, spread %']);
    const [least, most] = [Math.min(...times), Math.max(...times)];
    const touching = lines.map(([, line]) => line['in contact, %']);
    const again = Math.max(...lines.map(([, line]) => line['one again, %']));
    const { constant, gaps } = also.frep;
    const ways = Object.keys(VARIANTS).map((name) => [name, constant[name]]);
    const deviation = ways.map(([, way]) => way.time['deviation, %']);
    return {
      findings: [
        {
          claim: `The time's spread is below ${paper.spread} %, whatever the position and the solids (sections ${paper.section})`,
          verdict: most < paper.spread ? 'confirmed' : Math.min(...touching) < paper.spread ? 'partly' : 'refuted',
          why: `On one way through another solid the time of a pair spreads by ${least} to ${most} % of its mean, over the positions in contact alone by ${Math.min(...touching)} to ${Math.max(...touching)} %; one question asked again, by up to ${again} %. Over the six pairs of the task \`frep\` it is ${Math.min(...deviation)} to ${Math.max(...deviation)} %.`,
        },
        {
          claim: 'The same number of levels takes the same time (section 4)',
          verdict: lines.every(([, line]) => line['least cells'] === line['most cells']) ? 'confirmed' : 'refuted',
          why: `Equal levels bound how deep the recursion goes, not how many cells it visits: ${count(Math.min(...lines.map(([, line]) => line['least cells'])))} to ${count(Math.max(...lines.map(([, line]) => line['most cells'])))} at 2^${row.resolution} cells an axis. Within a pair the cells explain ${Math.min(...ways.map(([, way]) => way.explainedInPair))} to ${Math.max(...ways.map(([, way]) => way.explainedInPair))} of the time's variance.`,
        },
      ],
      text: [
        `One solid goes straight through another, ${Object.values(passes)[0].places.length} positions of each pair, the first contact or the proof that there is none; the least of ${row.runs} runs.`,
        table(
          [
            'solids and subdivision',
            'cells',
            'us, median',
            'cells, spread',
            'time, spread',
            'in contact',
            'one question again',
          ],
          lines.map(([name, line]) => [
            name,
            `${count(line['least cells'])} to ${count(line['most cells'])}`,
            count(line['median us']),
            `${line['cells, spread %']} %`,
            `${line['time, spread %']} %`,
            `${line['in contact, %']} %`,
            `${line['one again, %']} %`,
          ]),
        ),
        'The nearest thing to constant time is the number of cells by the gap between two solids, with both functions tested together:',
        table(
          ['cells by the gap', ...Object.keys(Object.values(gaps)[0])],
          Object.entries(gaps).map(([name, line]) => [
            name,
            ...Object.keys(Object.values(gaps)[0]).map((gap) => (line[gap] === undefined ? '' : count(line[gap]))),
          ]),
        ),
      ],
      pictures: { 'frep-time': picture(passes) },
    };
  },
};

/** Of the task frep: its ways to ask. */
const VARIANTS = { 'slices, first': 0, 'slices, all': 0, 'octants, first': 0, 'octants, all': 0 };

/** @param {Record<string, any>} passes */
function picture(passes) {
  const names = Object.keys(passes);
  const shown = names.length > 1 ? [names[0], names[names.length - 1]] : names;
  return chart(
    'Microseconds of a query by how far one solid has gone through the other',
    shown.map((name) => ({
      title: name,
      subtitle: 'a straight way through; constant time would be level lines',
      x: { name: 'way of the middle, model units' },
      y: { name: 'microseconds', log: true },
      series: Object.entries(passes[name].ways).map(([way, { us }]) => ({
        name: way,
        points: passes[name].places.map((/** @type {number} */ place, /** @type {number} */ i) => [place, us[i]]),
      })),
    })),
  );
}
