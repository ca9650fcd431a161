// Section of docs/experiments.md on Figure 2, the worst case, and of the random search, from the
// row of papers/frep-worst.
import { chart } from '../chart.mjs';
import { count, percent, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

const PAPERS_WAY = "the paper's way";
const RANDOM = 'random search';

/** @type {import('./index.mjs').Experiment} */
export const frepWorst = {
  paper: 'frep',
  title: 'Figure 2: the worst case, and the random search',
  task: 'papers/frep-worst',
  write(row) {
    const { paper, cases } = row;
    const noise = /** @type {readonly any[]} */ (row.noise);
    const places = Object.entries(cases).flatMap(([name, all]) =>
      /** @type {any[]} */ (all).map((place) => ({ name, ...place })),
    );
    const ways = Object.keys(places[0].told);
    const clear = places.filter(({ truth }) => truth === 'clear');
    const touching = places.filter(({ truth }) => truth === 'contact');
    const boxes = clear.map(({ volumes }) => volumes.boxes);
    const spheres = clear.map(({ volumes }) => volumes.spheres);
    const overlaps = boxes.every((share) => share > 0) && spheres.every((part) => part < 1);
    const decided = places.filter(({ told, truth }) => told.ours.answer === truth).length;
    /** @param {string} way */
    const missedBy = (way) => touching.filter(({ told }) => told[way].answer !== 'found').length;
    const missedOf = Object.keys(cases).map((name) => {
      const own = touching.filter((place) => place.name === name);
      return `${name} ${own.filter(({ told }) => told[PAPERS_WAY].answer !== 'found').length} of ${own.length}`;
    });
    const falseHits = clear.filter(({ told }) => told[PAPERS_WAY].answer === 'found').length;
    const hits = noise.filter(({ gap }) => gap < 0);
    const positions = hits.reduce((sum, line) => sum + line.positions, 0);
    const found = hits.reduce((sum, line) => sum + line.found, 0);
    const [least, most] = [Math.min(...hits.map(({ least }) => least)), Math.max(...hits.map(({ most }) => most))];
    const worst = noise.filter(({ gap }) => gap > 0);
    const isWorst = worst.every((line) => line.least === paper.worst && line.most === paper.worst);
    return {
      findings: [
        {
          claim: `Bounding spheres and boxes "cannot define collision of objects represented on figure ${paper.figure}" (section 1)`,
          verdict: overlaps && decided > 0 ? 'confirmed' : 'refuted',
          why: `In positions where the interlocked solids are clear, their boxes share ${percent(Math.min(...boxes))} to ${percent(Math.max(...boxes))} of the smaller box, and the centers of their spheres are ${Math.min(...spheres)} to ${Math.max(...spheres)} of the sum of the radii apart. gicollide's search decides ${count(decided)} of ${count(places.length)} positions.`,
        },
        {
          claim: '"The collision is always detected" (section 4), here in the worst case',
          verdict: missedBy(PAPERS_WAY) === 0 ? 'confirmed' : 'refuted',
          why: `It misses ${count(missedBy(PAPERS_WAY))} of ${count(touching.length)} positions in contact (${missedOf.join(', ')}). Test 10 as printed drops bulges that are positive in a whole cell, and the ray through the middle of a slice can pass a thin contact. With 2^${row.resolution} by 2^${row.resolution} slices it finds a point in ${count(falseHits)} of ${count(clear.length)} clear positions.`,
        },
        {
          claim: `The random search "does not always result in collision detection", and takes "a drastically different time" for different collisions (section 2)`,
          verdict: found < positions && most > 2 * least ? 'confirmed' : 'partly',
          why: `It finds ${count(found)} of ${count(positions)} contacts of noisy spheres, after ${count(least)} to ${count(most)} start points. It misses ${count(missedBy(RANDOM))} of ${count(touching.length)} contacts of the interlocked solids.`,
        },
        {
          claim: `Without a collision ${count(paper.worst)} points and ${paper['worst, s']} s, with one ${paper.collision} trials and ${paper['collision, s']} s (section 2)`,
          verdict: 'not comparable',
          why: `The paper does not give the positions of its noisy spheres, and its times are those of several T805 transputers. Without a collision, the search here takes all ${count(row.trials)} points by construction${isWorst ? '' : ', except in some positions'}. With one, the medians by depth are ${hits.map((line) => count(line.median)).join(', ')}.`,
        },
      ],
      text: [
        `Two equal solids, one through the hole of the other. b moves along x from the middle of a's hole until they touch, and further. The first position is the middle. The gap is the distance to the first touch, below 0 in contact. The paper's search and slices go down to 2^${row.resolution} by 2^${row.resolution}, gicollide's as deep as necessary. The random search has ${count(row.trials)} start points, and evaluations instead of cells. Times are minima of ${row.runs} runs. Tests are those of quadrics, of perturbed quadrics and of perturbations.`,
        table(
          ['solids', 'gap', ...ways.flatMap((way) => [way, 'cells', 'time']), 'its tests 8, 9, 10'],
          places.map(({ name, gap, told }) => [
            name,
            gap,
            ...ways.flatMap((way) => [told[way].answer, count(told[way].cells), time(told[way].us)]),
            told[PAPERS_WAY].tests,
          ]),
        ),
        `The random search of two noisy spheres, \`f = R² - x² - y² - z² + noise\`, by the gap between them:`,
        table(
          ['gap', 'found', 'start points: least', 'median', 'most', 'evaluations, median'],
          noise.map((line) => [
            line.gap,
            `${line.found} of ${line.positions}`,
            count(line.least),
            count(line.median),
            count(line.most),
            count(line.evaluations),
          ]),
        ),
      ],
      pictures: {
        'frep-worst': chart(
          'Cells of a query of two interlocked solids, by their gap',
          Object.entries(cases).map(([name, all]) => ({
            title: name,
            subtitle: 'gap along the way out; below 0 in contact',
            x: {
              name: 'gap',
              ticks: /** @type {any[]} */ (all).map(({ gap }, i) => /** @type {[number, string]} */ ([i, String(gap)])),
            },
            y: { name: 'cells, or evaluations', log: true },
            series: ways.map((way) => ({
              name: way,
              colour: colorOf(way),
              points: /** @type {any[]} */ (all).map(
                ({ told }, i) => /** @type {[number, number]} */ ([i, told[way].cells]),
              ),
            })),
          })),
        ),
      },
    };
  },
};
