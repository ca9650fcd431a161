// Figure 3 of Raabe et al. 2006: the machine's time by the bits of a coefficient. Fewer bits pass
// more pairs that are apart; more bits take more bursts of the memory.
//
//   npm run bench -- papers/kdop-bits
import { printTable, round } from '../race.mjs';
import { burstsOfNode, cyclesOfBurst, parametersOf, stagesFor } from './kdop-machine/parameters.mjs';
import { lamp, means, posesOf } from './kdop-scene.mjs';

/** The widths around which a burst is added, and some between. */
const WIDTHS = [8, 9, 10, 11, 12, 14, 16, 18, 19, 22, 26, 30, 35, 40, 41, 48, 56, 61, 64];

/** @param {import('../race.mjs').Run} run */
export default async function kdopBits({ quick, keep }) {
  const poses = posesOf(quick);
  const widths = quick ? [8, 18, 19, 41] : WIDTHS;
  const rows = Object.fromEntries(
    widths.map((bits) => {
      const parameters = parametersOf({ bits });
      const bursts = burstsOfNode(24, parameters);
      const figures = {
        burstsOfNode: bursts,
        cyclesOfNode: bursts * cyclesOfBurst(parameters),
        stages: stagesFor(bits),
      };
      return [bits, { ...figures, ...means(quick, poses, { bits }) }];
    }),
  );
  printTable('all contacts by bits of a coefficient', rows);
  const exact = rows[widths[widths.length - 1]].pairs;
  const byBits = widths.map((bits) => ({ bits, excess: round(rows[bits].pairs / exact - 1, 4), ...rows[bits] }));
  keep({
    triangles: lamp(quick).triangles.length / 3,
    poses: poses.length,
    runs: 1, // a count of cycles is the same in every run
    byBits,
    // Section 4.3 and the caption of Figure 3; section 6.1; section 5.3.
    paper: { secondBurstAbove: 18, thirdBurstAbove: 40, fastest: 19, built: 35, cyclesOfNode: 20 },
  });
}
