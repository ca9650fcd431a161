// Section of docs/experiments.md on R-functions and blends, from the row of papers/frep-blend.
import { chart } from '../chart.mjs';
import { count, ratio, table } from '../page-text.mjs';

/** Colors of the five forms, in all panels. */
const COLOURS = ['blue', 'orange', 'sky', 'peach', 'violet'];

/** @type {import('./index.mjs').Experiment} */
export const frepBlend = {
  paper: 'frep',
  title: 'Equation 7: sets by minimum and maximum, by R-functions, and blended',
  task: 'papers/frep-blend',
  write(row) {
    const { paper, operations: sets } = row;
    const all = Object.entries(sets).flatMap(([set, sizes]) =>
      Object.entries(/** @type {Record<string, any>} */ (sizes)).map(([size, { forms, differ }]) => ({
        set,
        size,
        forms,
        differ,
      })),
    );
    /** The range of the ratio of cells. @param {string} form @param {string} other */
    const times = (form, other) => {
      const ratios = all.map(({ forms }) => forms[form].cells / forms[other].cells);
      return `${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))}`;
    };
    const poses = all.length * row.poses;
    const differ = all.reduce((sum, each) => sum + each.differ, 0);
    const forms = Object.keys(all[0].forms);
    const open = all.reduce((sum, each) => sum + forms.reduce((own, form) => own + each.forms[form].undecided, 0), 0);
    return {
      findings: [
        {
          claim: `A set operation may be any continuous function of two with the right sign (section ${paper.section}, equation ${paper.equation})`,
          verdict: differ === 0 ? 'confirmed' : 'refuted',
          why: `R-functions and minima and maxima gave different verdicts in ${differ} of ${count(poses)} poses of sets of two kinds. If only the sign is asked, R-functions take ${times('R-functions', 'min and max')} times the cells. ${count(open)} of ${count(poses * forms.length)} answers are undecided.`,
        },
      ],
      text: [
        `If more than the sign is asked, as within a sum, R-functions take ${times('R-functions, as values', 'min and max, as values')} times the cells of minima and maxima. A line bounds an R-function where members meet, but only a range bounds a maximum there. Elsewhere the maximum is the simpler function. Each cell takes longer. R-functions that blend take ${times('R-functions that blend', 'min and max')} times the cells of the plain set; their solid is a little larger or smaller. The sets are ellipsoids in sets of two, as balanced trees, checked with one ellipsoid. Figures are means of ${row.poses} poses, and times medians of ${row.runs} runs.`,
        table(
          ['set', 'members', ...forms.flatMap((form) => [`${form}: cells`, 'us', 'undecided'])],
          all.map(({ set, size, forms }) => [
            set,
            size,
            ...Object.values(forms).flatMap((/** @type {any} */ { cells, us, undecided }) => [
              ...[count(cells), count(us)],
              count(undecided),
            ]),
          ]),
        ),
      ],
      pictures: {
        'frep-blend': chart(
          'Cells and time of a query by the number of members, by the form of set operations',
          Object.entries(sets).map(([set, sizes]) => ({
            title: `${set[0].toUpperCase()}${set.slice(1)}s`,
            subtitle: 'microseconds of a query',
            x: { name: 'members', log: true, ticks: Object.keys(sizes).map((size) => [Number(size), size]) },
            y: { name: 'microseconds', log: true },
            series: forms.map((form, i) => ({
              name: form,
              colour: COLOURS[i],
              points: Object.entries(/** @type {Record<string, any>} */ (sizes)).map(([size, { forms }]) => [
                Number(size),
                forms[form].us,
              ]),
            })),
          })),
        ),
      },
    };
  },
};
