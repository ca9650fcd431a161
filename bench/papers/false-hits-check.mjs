// False hits of spheres, level by level: pairs that overlap though nothing below them touches, and
// how many of them are dropped one level lower, and two. B. Benes, N. Gomez Villanueva,
// "GI-COLLIDE", SCCG 2005, section 4: "possible false collision in the first level would be
// discarded with a high probability in the next level or levels".
//
//   npm run bench -- papers/false-hits
//
// Asked for all contacts by spheres alone (`check --bounds spheres --all`), which reports each pair
// that it tests. Counted are pairs of one level; a level lower is one level of both trees. Overlaps
// at the deepest level are dropped by their triangles.
import { build, check } from 'gicollide';
import { levelOfPixel, treeWidth } from '#src/representations/gi/tree/grid';
import { nearContactPoses, relativePoses, sample } from '../inputs.mjs';
import { printTable, round } from '../race.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Pose} Pose */

const SIZE = 65;
/** Numbers of nodes are less. */
const MOST_NODES = 2 ** 26;

/**
 * The position of a node in its level, by its number: the pixel of the page.
 *
 * @param {number} depth
 * @param {number} node
 */
export function placeOf(depth, node) {
  const level = levelOfPixel(depth, node);
  const [x, y] = [node % treeWidth(depth), Math.floor(node / treeWidth(depth))];
  const side = 2 ** depth;
  return level === depth ? { level, row: y, column: x } : { level, row: y - side + 2 * 2 ** level, column: x - side };
}

/**
 * A pair of nodes of one level as a number: their places in it.
 *
 * @typedef {number} Key
 */

/** @param {number} level @param {number} a row-major @param {number} b */
const keyOf = (level, a, b) => a * 4 ** level + b;

/** The key of the pair above. @param {number} level of the pair @param {Key} key @returns {Key} */
function above(level, key) {
  const nodes = 4 ** level;
  const [a, b] = [Math.floor(key / nodes), key % nodes].map((at) => {
    const [row, column] = [Math.floor(at / 2 ** level), at % 2 ** level];
    return (row >> 1) * 2 ** (level - 1) + (column >> 1);
  });
  return keyOf(level - 1, a, b);
}

/**
 * Adds the pairs of one question to the counts of each level.
 *
 * @param {GeometryImage} image of one chart, against itself
 * @param {Pose} poseB
 * @param {Counts[]} counts
 */
export function countFalseHits(image, poseB, counts) {
  const depth = image.groups[0].exponent;
  if (4 ** depth * 4 ** depth > Number.MAX_SAFE_INTEGER || image.groups[0].tree.page.length / 4 > MOST_NODES)
    throw new Error('expected a smaller image');
  const overlapping = Array.from({ length: depth + 1 }, () => /** @type {Set<Key>} */ (new Set()));
  const { contacts } = check(image, image, {
    poseB,
    bounds: 'spheres',
    all: true,
    maxContacts: 2 ** 31,
    onVisit(visit) {
      if (visit.kind !== 'nodes' || visit.isApart || visit.levelA !== visit.levelB) return;
      const [a, b] = [visit.a, visit.b].map((node) => {
        const { level, row, column } = placeOf(depth, node);
        return row * 2 ** level + column;
      });
      overlapping[visit.levelA].add(keyOf(visit.levelA, a, b));
    },
  });
  // Up from the deepest: what holds a contact, and what has overlapping pairs below.
  let touching = new Set(contacts.pairs.map(([a, b]) => keyOf(depth, a >> 1, b >> 1)));
  // Pairs of this level with overlapping ones one and two levels lower.
  let [below, below2] = [0, 0].map(() => /** @type {Set<Key>} */ (new Set()));
  for (let level = depth; level >= 0; level--) {
    const row = counts[level];
    for (const key of overlapping[level]) {
      row.overlapping++;
      if (touching.has(key)) continue;
      row.false++;
      if (!below.has(key)) row.droppedNext++;
      if (!below2.has(key)) row.droppedByTwo++;
    }
    if (level === 0) break;
    const up = (/** @type {Set<Key>} */ keys) => new Set(Array.from(keys, (key) => above(level, key)));
    [touching, below2, below] = [up(touching), up(below), up(overlapping[level])];
  }
}

/**
 * @typedef {object} Counts
 * @property {number} overlapping pairs of spheres
 * @property {number} false those of them without a contact below
 * @property {number} droppedNext those of the false ones without an overlapping pair a level lower
 * @property {number} droppedByTwo and without one two levels lower
 */

/** @param {number} depth @returns {Counts[]} by level */
export const noCounts = (depth) =>
  Array.from({ length: depth + 1 }, () => ({ overlapping: 0, false: 0, droppedNext: 0, droppedByTwo: 0 }));

/** @param {import('../race.mjs').Run} run */
export default function falseHits({ quick, keep }) {
  const size = quick ? 33 : SIZE;
  const scenes = /** @type {Record<string, (image: GeometryImage) => Pose[]>} */ ({
    'moving bunnies': () => relativePoses(quick ? 8 : 64),
    'near contact': (image) => nearContactPoses(image, image, quick ? 4 : 40, 2005),
  });
  /** @type {Record<string, Record<string, Counts[]>>} */
  const levels = {};
  for (const [name, posesOf] of Object.entries(scenes)) {
    levels[name] = {};
    for (const spheres of /** @type {const} */ (['seed', 'tight'])) {
      const image = build(sample('bunny'), { size, spheres });
      const counts = noCounts(image.groups[0].exponent);
      for (const pose of posesOf(image)) countFalseHits(image, pose, counts);
      levels[name][spheres] = counts;
      const share = (/** @type {number} */ part, /** @type {number} */ of) => (of > 0 ? round(part / of, 3) : null);
      printTable(
        `${name}, ${spheres} spheres`,
        Object.fromEntries(
          counts.map((x, level) => [
            `level ${level}`,
            {
              overlapping: x.overlapping,
              false: x.false,
              'dropped a level lower': share(x.droppedNext, x.false),
              'by two levels': share(x.droppedByTwo, x.false),
            },
          ]),
        ),
      );
    }
  }
  keep({ size, levels });
}
