// Figures 5, 6 and 7 of Raabe et al. 2006: how probable it is that axis i separates what no axis
// before it has separated, the machine's time by the number n of axes, and what is gained by
// testing further axes while the next pair is being loaded. The first 24 axes are those of faces,
// 144 crosses of edges follow.
//
//   npm run bench -- papers/kdop-axes
import { digits, printTable, sum } from '../race.mjs';
import { PAPER } from './kdop-machine/parameters.mjs';
import { answer, lamp, means, posesOf } from './kdop-scene.mjs';

const FACES = 24;
const EDGES = 144;
const COUNTS = [4, 6, 8, 10, 12, 16, 20, 22, 24, 26, 28, 32, 40, 56, 168];
/** With further axes: more than these leave the memory idle. */
const COUNTS_FURTHER = COUNTS.filter((count) => count <= 56);
/** For the machine that reads both nodes of every pair again. */
const COUNTS_ANEW = [8, 16, 24, 32, 40, 56];

/**
 * Figure 5: of the pairs that axes before i leave, the share that axis i separates.
 *
 * @param {boolean} quick
 * @param {readonly import('gicollide').Pose[]} poses
 */
function separations(quick, poses) {
  const all = FACES + EDGES;
  const answers = poses.map((pose) => answer(quick, pose, { bits: PAPER.bits, axes: all, edgeAxes: EDGES }));
  return Array.from({ length: all }, (_, i) => {
    const reached = sum(answers.map((each) => each.reached[i] ?? 0));
    const separated = sum(answers.map((each) => each.separated[i] ?? 0));
    return { reached, share: reached === 0 ? 0 : digits(separated / reached) };
  });
}

/** @param {import('../race.mjs').Run} run */
export default async function kdopAxes({ quick, keep }) {
  const poses = posesOf(quick);
  const byAxis = separations(quick, poses);
  console.log('Figure 5: share of what is left that each axis separates');
  console.log(byAxis.map(({ share }) => share).join(' '));
  /** @param {readonly number[]} counts @param {object} changes */
  const timesBy = (counts, changes) =>
    counts.map((axes) => ({ axes, ...means(quick, poses, { bits: PAPER.bits, edgeAxes: EDGES, axes, ...changes }) }));
  const counts = quick ? [8, 24, 40] : COUNTS;
  const byCount = timesBy(counts, {});
  const further = timesBy(quick ? counts : COUNTS_FURTHER, { isFurther: true });
  const anew = timesBy(quick ? [24] : COUNTS_ANEW, { isKept: false });
  for (const [title, rows] of Object.entries({ 'Figure 6, by n': byCount, 'Figure 7, further': further, anew })) {
    printTable(title, Object.fromEntries(rows.map(({ axes, ...rest }) => [axes, rest])));
  }
  keep({
    triangles: lamp(quick).triangles.length / 3,
    poses: poses.length,
    runs: 1, // a count of cycles is the same in every run
    bits: PAPER.bits,
    faces: FACES,
    edges: EDGES,
    byAxis,
    byCount,
    further,
    anew,
    // Section 5.3 and the captions of Figures 5 to 7.
    paper: { best: 24, cyclesOfNode: 20 },
  });
}
