// The cost of a sufficient budget: `check` with one, beside the plain `check`, in the same run; and
// a prepared verdict.
//
//   npm run bench -- budget
import { build, check, prepare } from 'gicollide';
import { nearContactPoses, sample } from './inputs.mjs';
import { printTable, race, round } from './race.mjs';

/** @type {Record<string, import('gicollide').BuildOptions>} */
const KINDS = {
  'OBB, 64 bytes': { format: 'obb', nodeBytes: 64 },
  'k-DOP': { format: 'kdop' },
  'image of 129': { format: 'gi', size: 129 },
};
/** Milliseconds; far more than any of these takes. */
const ENOUGH = 1000;
/** Calls that are timed as one: the clock is too coarse for a call. */
const CALLS = 16;

/** @param {(pose: import('gicollide').Pose) => boolean} ask @returns {import('./race.mjs').Ask} */
function repeated(ask) {
  return (pose) => {
    let hits = 0;
    for (let i = 0; i < CALLS; i++) hits += Number(ask(pose));
    return hits;
  };
}

/** @param {import('./race.mjs').Run} run */
export default function budget({ quick, keep }) {
  const meshes = (quick ? ['bolt', 'box'] : ['bunny', 'blob']).map(sample);
  /** @type {Record<string, Record<string, number>>} */
  const rows = {};
  for (const [kind, options] of Object.entries(KINDS)) {
    const [a, b] = meshes.map((mesh) => build(mesh, options));
    const prepared = prepare(a, b);
    const poses = nearContactPoses(a, b, quick ? 4 : 60, 1996);
    for (const hits of [true, false]) {
      const own = poses.filter((pose) => prepared.contact(pose) === hits);
      const times = race(
        {
          plain: repeated((poseB) => check(a, b, { poseB }).verdict === 'contact'),
          budget: repeated((poseB) => check(a, b, { poseB, budget: ENOUGH }).verdict === 'contact'),
          prepared: repeated((poseB) => prepared.contact(poseB)),
        },
        own,
      );
      rows[`${kind}, ${hits ? 'hit' : 'miss'}`] = {
        plain: round(times.plain / CALLS, 2),
        budget: round(times.budget / CALLS, 2),
        prepared: round(times.prepared / CALLS, 2),
        ratio: round(times.budget / times.plain, 2),
      };
    }
  }
  printTable('microseconds a query', rows);
  keep({ budget: ENOUGH, rows });
}
