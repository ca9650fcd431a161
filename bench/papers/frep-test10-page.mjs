// Section of docs/experiments.md on the paper's test 10, from the row of papers/frep-test10.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';

/** @type {import('./index.mjs').Experiment} */
export const frepTest10 = {
  paper: 'frep',
  title: 'Test 10, and the sign that it lacks',
  task: 'papers/frep-test10',
  write(row) {
    const { paper, cells, contacts, collisions, missed } = row;
    const printed = collisions['as printed'];
    const mended = collisions['with A44 < 0'];
    const left = cells['left out as printed'];
    return {
      findings: [
        {
          claim: `A cell on which test ${paper.test} holds, the size of A44 above the sum of the other nine, is outside of the perturbation's range (section ${paper.section})`,
          verdict: left === 0 ? 'confirmed' : 'refuted',
          why: `The test also holds for cells in which the perturbation is positive: for ${count(left)} of ${count(cells['positive somewhere'])} cells in which it is positive somewhere. With the further test A44 < 0, it holds for ${cells['left out with A44 < 0']}.`,
        },
        {
          claim: `With these tests ${paper.claim} (section 4)`,
          verdict: printed['false clear'] === 0 ? 'confirmed' : mended['false clear'] === 0 ? 'partly' : 'refuted',
          why: `As printed, the search calls ${count(printed['false clear'])} of ${count(contacts)} collisions of bulges (${missed} %) clear; with A44 < 0, ${mended['false clear']}.`,
        },
      ],
      text: [
        `Two separate balls, each with a bulge towards the other. A search of points found a common point of ${count(contacts)} of ${count(row.pairs)} pairs. The table has the paper's search with its slices, down to 2^${row.levels} cells an axis. gicollide's search has the sign, and bounds each cell more tightly ([F-reps](frep.md)).`,
        table(
          ['test 10', 'contact', 'undecided', 'false clear'],
          Object.entries(collisions).map(([name, line]) => [
            name,
            ...['contact', 'undecided', 'false clear'].map((key) => count(line[key])),
          ]),
        ),
      ],
      pictures: {
        'frep-test10': chart('What the paper’s search says of pairs in contact, by the form of test 10', [
          {
            title: 'Pairs of solids whose bulges meet',
            subtitle: `${count(contacts)} pairs, all in contact`,
            x: {
              name: 'verdict',
              ticks: [
                [0, 'contact'],
                [1, 'undecided'],
                [2, 'clear: wrong'],
              ],
            },
            y: { name: 'pairs', low: 0 },
            series: Object.entries(collisions).map(([name, line], i) => ({
              name: `test 10 ${name}`,
              look: 'bars',
              colour: ['red', 'blue'][i],
              points: [
                [0, line.contact],
                [1, line.undecided],
                [2, line['false clear']],
              ],
            })),
          },
        ]),
      },
    };
  },
};
