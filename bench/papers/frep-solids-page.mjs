// Section of docs/experiments.md on collisions of two, three and more functionally defined solids,
// from the row of papers/frep-solids.
import { chart } from '../chart.mjs';
import { count, ofMs, table } from '../page-text.mjs';

/** @type {import('./index.mjs').Experiment} */
export const frepSolids = {
  paper: 'frep',
  title: 'Figures 1 and 8: collisions of two, three and more solids',
  task: 'papers/frep-solids',
  write(row) {
    const { paper, sections, scenes } = row;
    const lines = Object.entries(scenes);
    const [solids, last] = lines[lines.length - 1];
    const isFound = sections.two.verdict === 'contact' && sections.three.verdict === 'contact';
    const open = lines.reduce((sum, [, line]) => sum + line.contact + line.undecided, 0);
    return {
      findings: [
        {
          claim: `Whether ${paper.solids} solids collide is one search for a point of their intersection (sections ${paper.section} and 3.3, Figures ${paper.figures})`,
          verdict: isFound ? 'confirmed' : 'refuted',
          why: `Two solids share ${count(sections.two.cells)} proved cells, and all three share ${count(sections.three.cells)}. The intersection of two solids is a model like any other. A scene of ${solids} solids checks ${count(last.checked)} of ${count(last.pairs)} pairs, in ${ofMs(last['contacts, ms'])} on one thread.`,
        },
      ],
      text: [
        `Sections at z = 0. Left, ${sections.names[0]} and ${sections.names[1]}; right, with a ${sections.names[2]}. The classes of their pairs are ${sections.classes.join(', ')}. Dots fill the cells that are proved to be wholly in both, or in all three.`,
        `Random solids of four kinds (ellipsoids, tori, bulges, drilled boxes), with the same number in each unit of volume. Times are medians of ${row.runs} runs. Boxes separate most pairs. Classes ([solids](solids.md)) are those of the same pairs; ${open} of them stay open.`,
        table(
          ['solids', 'pairs', 'asked', 'contacts', 'time', 'time with classes', 'overlap', 'inside', 'open'],
          lines.map(([name, line]) => [
            name,
            count(line.pairs),
            count(line.checked),
            line.contacts,
            ofMs(line['contacts, ms']),
            ofMs(line['classes, ms']),
            line.overlap,
            line.inside,
            line.contact + line.undecided,
          ]),
        ),
      ],
      pictures: { 'frep-solids': picture(sections) },
    };
  },
};

/** @param {Record<string, any>} sections */
function picture({ names, outlines, two, three }) {
  const colours = ['blue', 'orange', 'green'];
  /** @param {number} solids @param {{ points: [number, number][], cells: number }} shared @param {string} what */
  const panel = (solids, shared, what) => ({
    title: solids === 2 ? 'Two solids' : 'Three solids',
    subtitle: `section at z = 0; ${shared.cells.toLocaleString('en-US')} cells in ${what}`,
    x: { name: 'x', low: -1.6, high: 1.6 },
    y: { name: 'y', low: -1.2, high: 1.2 },
    series: [
      ...(shared.points.length > 0
        ? [{ name: `in ${what}`, points: shared.points, colour: 'red', look: /** @type {const} */ ('dots') }]
        : []),
      ...outlines.slice(0, solids).flatMap((/** @type {[number, number][][]} */ paths, /** @type {number} */ i) =>
        paths
          .toSorted((p, q) => q.length - p.length)
          .map((points, part) => ({
            name: part === 0 ? names[i] : `${names[i]}, part ${part + 1}`,
            points,
            colour: colours[i],
          })),
      ),
    ],
  });
  return chart('Sections of solids that collide, and what they share', [
    panel(2, two, 'both'),
    panel(3, three, 'all three'),
  ]);
}
