// The first table of docs/speed.md: one line per usual task, beside the peers that do the same.
import { comparison, table, time } from './page-text.mjs';

/** @typedef {import('./page-text.mjs').Answer} Answer */

/**
 * Answers of the sections, by task. `question` finds one, and `label` is its replacement, with $1
 * for the captured text.
 *
 * @type {readonly { label: string, task: string, question: RegExp, way: string }[]}
 */
const LINES = [
  { label: 'First contact of two meshes', task: 'speed', question: /^first contact$/, way: '`check`, OBB 64' },
  {
    label: 'First contact, a new pose each time',
    task: 'speed',
    question: /^first contact, another pose every time$/,
    way: '`check`, OBB 64',
  },
  { label: 'All contacts of two meshes', task: 'speed', question: /^all contacts$/, way: '`check`, OBB 64' },
  { label: 'Least distance', task: 'mixed', question: /^the least distance$/, way: 'obb x obb' },
  {
    label: 'Least distance, prepared, larger meshes',
    task: 'distance',
    question: /^the least distance, fine bunny-fine bunny$/,
    way: 'obb, 64 bytes, prepared',
  },
  {
    label: 'Time of first contact of a moving body',
    task: 'motion',
    question: /^the first impact, bunny-blob, screw$/,
    way: '`impact`, OBB 64',
  },
  { label: 'Ray against a mesh', task: 'queries', question: /^raycast, to a vertex$/, way: 'OBB, 40 bytes a node' },
  {
    label: 'Nearest point of a mesh',
    task: 'queries',
    question: /^closestPoint, a hundredth off$/,
    way: 'OBB, 40 bytes a node',
  },
  { label: 'Frame of 64 moving objects', task: 'scene', question: /^a frame of 64 moving.*/, way: '`Scene.step`' },
  {
    label: 'Frame of 64 moving objects in three.js',
    task: 'three',
    question: /^a frame of 64 moving.*/,
    way: '`LiveChecker`',
  },
  {
    label: 'Self-intersections of a mesh, $1',
    task: 'lint',
    question: /^self-intersections of fine bunny, (.*)$/,
    way: '`selfContacts`',
  },
  { label: 'Reading an OBJ file of $1', task: 'readers', question: /^reading (.*)$/, way: 'OBJ' },
  {
    label: 'Building a tree of $1',
    task: 'build',
    question: /^building from (.*)$/,
    way: 'OBB tree, 64 bytes a node',
  },
  {
    label: 'Updating a tree for moved vertices, $1',
    task: 'refit',
    question: /^new positions for bumpy ball, (.*)$/,
    way: 'obb, 64 bytes, in place, prepared, and a verdict',
  },
  {
    label: '`gicollide scene` of a $1, from its files',
    task: 'scene',
    question: /^a scene from its files: (building)$/,
    way: '`gicollide scene --solid off`',
  },
];

/** @param {Answer} answer */
const isInJavaScript = ({ peer }) => peer.startsWith('three');

/** @param {readonly Answer[]} answers */
const cell = (answers) => answers.map(comparison).join('; ');

/**
 * @param {readonly { task: string, section: { answers: readonly Answer[] } }[]} parts
 * @returns {string}
 */
export function summaryTable(parts) {
  return table(
    ['task', 'gicollide', 'compared in JavaScript', 'compared with C++'],
    LINES.flatMap(({ label, task, question, way }) => {
      const part = parts.find((each) => each.task === task);
      if (!part) return [];
      const found = part.section.answers.filter((answer) => question.test(answer.question) && answer.way === way);
      if (found.length === 0) throw new Error(`docs/speed.md: ${task} has no answer for "${label}"`);
      return [
        [
          found[0].question.replace(question, label),
          time(found[0].time),
          cell(found.filter(isInJavaScript)),
          cell(found.filter((answer) => !isInJavaScript(answer))),
        ],
      ];
    }),
  );
}
