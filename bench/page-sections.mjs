// What docs/speed.md says, task by task: each makes a section out of its newest row, or null where
// that row lacks what is asked for. Figures are the row's; no figure is typed here.
import { budget, cubes, distance, mixed, poses, refit, scene, source, speed } from './page-questions.mjs';
import { build, frep, gi, kdop, layout, obb, startUp, structure, tiles } from './page-stored.mjs';

/** @typedef {import('./page-text.mjs').Writer} Writer */

/** @type {Writer} */
function lint({ meshes }) {
  const named = Object.entries(meshes);
  const [, last] = named[named.length - 1];
  const ways = Object.keys(last.ms);
  const peer = ways[ways.length - 1];
  const tree = ways[ways.length - 2];
  return {
    title: 'How long does lint take?',
    answers: [
      ...named.map(([name, { triangles, ms }]) => ({
        question: `where ${name}, ${count(triangles)} triangles, meets itself`,
        way: '`selfContacts`',
        time: 1000 * ms['self-contacts'],
        peer,
        peerTime: 1000 * ms[peer],
      })),
      ...named.slice(-1).map(([name, { triangles, ms }]) => ({
        question: `what is wrong with ${name}, ${count(triangles)} triangles`,
        way: '`lint`, all rules',
        time: 1000 * ms.lint,
        peer: `building ${tree}`,
        peerTime: 1000 * ms[tree],
      })),
    ],
    text: [
      'Meshes in memory to findings. Pairs of triangles are decided exactly, those that share a vertex or an edge, too; the peer, tree and all, tests the others within rounding.',
      table(
        ['', ...named.map(([name, { triangles }]) => `${name}, ${count(triangles)} triangles`)],
        [
          ...ways.map((way) => [way, ...named.map(([, { ms }]) => ofMs(ms[way]))]),
          ['lint, of a triangle', ...named.map(([, row]) => time(row['us a triangle']))],
        ],
      ),
    ],
  };
}

/** By task, in the order of the page. @type {Record<string, Writer>} */
export const SECTIONS = {
  speed,
  poses,
  scene,
  'start-up': startUp,
  build,
  tiles,
  budget,
  mixed,
  distance,
  refit,
  lint,
  gi,
  source,
  cubes,
  frep,
  structure,
  kdop,
  obb,
  layout,
};
