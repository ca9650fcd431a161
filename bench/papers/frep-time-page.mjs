// Section of docs/experiments.md on the claim of constant time, from the row of papers/frep-time,
// and of the task frep.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

const PAPERS_WAY = "the paper's way";

/** @type {import('./index.mjs').Experiment} */
export const frepTime = {
  paper: 'frep',
  title: 'Constant time: spread by position, pair and subdivision',
  task: 'papers/frep-time',
  also: ['frep'],
  reads: ({ spreads }) => Array.isArray(spreads),
  write(row, also) {
    const { paper, passes } = row;
    const spreads = /** @type {readonly any[]} */ (row.spreads);
    const pairs = Object.keys(passes);
    const ways = Object.keys(passes[pairs[0]].ways);
    /** @param {string} pair @param {string} way */
    const lineOf = (pair, way) => spreads.find((line) => line.pair === pair && line.way === way);
    const printed = spreads.filter(({ way }) => way === PAPERS_WAY);
    /** @param {readonly any[]} lines @param {(line: any) => number} get */
    const range = (lines, get) => {
      const values = lines.map(get);
      return { low: Math.min(...values), high: Math.max(...values) };
    };
    const cells = range(printed, (line) => line.contact.cells);
    const times = range(printed, (line) => line.contact.time);
    const own = range(
      spreads.filter(({ way }) => way === 'ours'),
      (line) => line.contact.cells,
    );
    const again = range(printed, (line) => line.again);
    const places = passes[pairs[0]].places.length;
    const missed = printed.reduce((sum, line) => sum + line.missed, 0);
    const touching = printed.reduce((sum, line) => sum + line.contact.positions, 0);
    const { constant, gaps } = also.frep;
    const explained = range(Object.keys(VARIANTS), (name) => constant[name].explainedInPair);
    /** @param {string} title @param {(line: any) => string} cell */
    const byWay = (title, cell) =>
      table(
        [title, ...ways],
        pairs.map((pair) => [pair, ...ways.map((way) => cell(lineOf(pair, way)))]),
      );
    return {
      findings: [
        {
          claim: `"The time spread in the tests was below ${paper.spread}% of the given time", for collisions of different complexity (sections ${paper.section})`,
          verdict: verdictOf([cells, times], paper.spread),
          why: `With the paper's own search, over the positions in contact, the cells of a pair spread by ${cells.low} to ${cells.high} % of their mean, and the times by ${times.low} to ${times.high} %. Repeating one query spreads by ${again.low} to ${again.high} %. gicollide's cells spread by ${own.low} to ${own.high} %.`,
        },
        {
          claim: 'An equal number of levels takes equal time (section 4)',
          verdict: printed.every(({ least, most }) => least === most) ? 'confirmed' : 'refuted',
          why: `The number of levels bounds the depth of the recursion, not the number of visited cells. The paper's own search visits ${count(range(printed, (line) => line.least).low)} to ${count(range(printed, (line) => line.most).high)} cells at 2^${row.resolution} by 2^${row.resolution} slices. Within a pair, the cells explain ${explained.low} to ${explained.high} of the variance of gicollide's times.`,
        },
        {
          claim: '"The collision is always detected" (section 4)',
          verdict: missed === 0 ? 'confirmed' : 'refuted',
          why: `The paper's own search finds nothing in ${count(missed)} of ${count(touching)} positions with a proved contact.`,
        },
      ],
      text: [
        `One solid moves straight through another, with ${places} positions of each pair. A search goes to the first contact or to its end; times are minima of ${row.runs} runs. The first two columns are the paper's search with tests 8 to 10 as printed, up to its first point, and over all slices. The others are those of gicollide: slices with its bounds, octants with each function tested alone, and \`check\`.`,
        byWay('cells, least to most', ({ least, most }) => `${count(least)} to ${count(most)}`),
        byWay('cells, spread in contact', ({ contact }) => `${contact.cells} %`),
        byWay('time, spread in contact', ({ contact }) => `${contact.time} %`),
        byWay('cells, spread over all', (line) => `${line.cells} %`),
        byWay('time, spread over all', ({ time }) => `${time} %`),
        byWay('us, median', ({ us }) => count(us)),
        byWay('missed of contacts', (line) => `${line.missed} of ${line.contact.positions}`),
        'Closest to constant time is the number of cells by the gap between two solids, with both functions tested together:',
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

/** Ways to ask of the task frep. */
const VARIANTS = { 'slices, first': 0, 'slices, all': 0, 'octants, first': 0, 'octants, all': 0 };

/** @param {readonly { low: number, high: number }[]} ranges @param {number} limit */
function verdictOf(ranges, limit) {
  if (ranges.every(({ high }) => high < limit)) return 'confirmed';
  return ranges.some(({ low }) => low < limit) ? 'partly' : 'refuted';
}

/** @param {Record<string, any>} passes */
function picture(passes) {
  const names = Object.keys(passes);
  const shown = names.length > 1 ? [names[0], names[names.length - 1]] : names;
  return chart(
    'Cells of a query by the position of one solid in the other',
    shown.map((name) => ({
      title: name,
      subtitle: 'straight through; constant time would be level lines',
      x: { name: 'way of the middle, model units' },
      y: { name: 'cells', log: true },
      series: Object.entries(passes[name].ways).map(([way, { cells }]) => ({
        name: way,
        colour: colorOf(way),
        points: passes[name].places.map((/** @type {number} */ place, /** @type {number} */ i) => [place, cells[i]]),
      })),
    })),
  );
}
