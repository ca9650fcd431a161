// P. Terdiman, "RAPID Hack" (2000 to 2002), step 1: doubles become floats, "it works just as
// well". Here boxes are the least ones in doubles, and then rounded to nearest in the form that a
// rung stores, without being fitted to what it decodes to, as in the text. A contact that some
// form finds is proved: its two triangles meet, by exact predicates. So a form that says `clear`
// there is wrong.
//
// "In theory, this may conduct to a loss of accuracy while recursively performing the collision
// queries": RAPID places a box in its parent's frame, and one form has these frames multiplied in
// single precision from the root down. Beside them the rungs whose extents are fitted to what a
// node decodes to, and the product's nodes.
//
// Bunnies and bolts as deep in each other as a power of ten says; boxes that stand on each other;
// and the elements of a generated building in metres that clash or touch.
//
//   npm run bench -- papers/rapid-unfitted
import { build, check, compose, identity, readObj, splitByGroups } from 'gicollide';
import { checkObbTrees } from '#src/representations/obb/search/descent';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { direction, randomTurn, sample, seeded, shift } from '../inputs.mjs';
import { printTable } from '../race.mjs';
import { RungSearch } from './rapid-search.mjs';
import { leastBoxes, RUNGS, RungTree, throughParents } from './rapid-trees.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */

const SEED = 2000;
const DEPTHS = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
/** The text, of single precision. */
const PAPER = { differences: 0 };

const [DOUBLES, FLOATS, , , QUATERNIONS, NO_W] = RUNGS;

/**
 * One mesh in all forms.
 *
 * @param {Mesh} mesh
 * @returns {{ rungs: Record<string, RungTree>, product: Record<string, ObbTree> }}
 */
function formsOf(mesh) {
  const treeOf = (/** @type {20 | 40 | 64} */ nodeBytes) => build(mesh, { format: 'obb', nodeBytes });
  const tree = treeOf(40);
  const [least, asTheyCome] = [leastBoxes(tree), leastBoxes(tree, { renamed: false })];
  const parents = { ...least, boxes: throughParents(tree, least.boxes) };
  const fitted = false;
  return {
    rungs: {
      'doubles, not rounded': new RungTree(tree, DOUBLES, least, { fitted }),
      '72 bytes, rounded': new RungTree(tree, FLOATS, least, { fitted }),
      "72 bytes, in the parent's frame": new RungTree(tree, DOUBLES, parents, { fitted }),
      '44 bytes, rounded': new RungTree(tree, QUATERNIONS, asTheyCome, { fitted }),
      '40 bytes, rounded': new RungTree(tree, NO_W, asTheyCome, { fitted }),
      '40 bytes, rounded, w largest': new RungTree(tree, NO_W, least, { fitted }),
      '72 bytes, fitted': new RungTree(tree, FLOATS, least),
      '44 bytes, fitted': new RungTree(tree, QUATERNIONS, asTheyCome),
      '40 bytes, fitted': new RungTree(tree, NO_W, asTheyCome),
    },
    product: { 'OBB 40': tree, 'OBB 20': treeOf(20), 'OBB 64': treeOf(64) },
  };
}

/** @typedef {ReturnType<typeof formsOf>} Forms */

/** How many contacts there are, and how many of them each form calls clear. */
class Count {
  contacts = 0;
  /** @type {Record<string, number>} */
  clear = {};

  /** @param {Forms} a @param {Forms} b */
  ask(a, b, poseB = identity()) {
    const query = { poseA: identity(), poseB, all: false, maxContacts: 1, level: null };
    const verdicts = /** @type {[string, string][]} */ ([
      ...Object.keys(a.rungs).map((name) => [
        name,
        new RungSearch(a.rungs[name], b.rungs[name]).meets(poseB) ? 'contact' : 'clear',
      ]),
      ...Object.keys(a.product).map((name) => [name, checkObbTrees(a.product[name], b.product[name], query).verdict]),
    ]);
    for (const [name] of verdicts) this.clear[name] ??= 0;
    if (verdicts.every(([, verdict]) => verdict === 'clear')) return;
    this.contacts++;
    for (const [name, verdict] of verdicts) if (verdict === 'clear') this.clear[name]++;
  }

  /** A mesh against itself. @param {Forms} forms @param {readonly Pose[]} poses */
  askAll(forms, poses) {
    for (const pose of poses) this.ask(forms, forms, pose);
    return this;
  }
}

/**
 * Poses just in contact along a direction, and the way out of there.
 *
 * @param {ObbTree} tree
 * @param {number} count
 */
function touching(tree, count) {
  const random = seeded(SEED);
  return Array.from({ length: count }, () => {
    const [turn, along] = [randomTurn(random), direction(random)];
    const at = (/** @type {number} */ s) => compose(shift(along, s), turn);
    let [inside, outside] = [0, 2];
    for (let step = 0; step < 60; step++) {
      const middle = (inside + outside) / 2;
      if (check(tree, tree, { poseB: at(middle) }).verdict === 'contact') inside = middle;
      else outside = middle;
    }
    return (/** @type {number} */ depth) => at(inside - depth);
  });
}

/** @param {readonly number[]} low @param {readonly number[]} high @returns {Mesh} */
function boxMesh(low, high) {
  const corners = [low, high];
  const positions = Float64Array.from({ length: 24 }, (_, i) => corners[(Math.floor(i / 3) >> (i % 3)) & 1][i % 3]);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]; // biome-ignore format: a table
  const triangles = Uint32Array.from(quads.flatMap(([p, q, r, s]) => [p, q, r, p, r, s]));
  return { positions, triangles, groups: [] };
}

/** Boxes of any size, each with another one upon it: they share a plane. @param {number} count */
function standing(count) {
  const random = seeded(SEED + 1);
  const result = new Count();
  for (let i = 0; i < count; i++) {
    const [top, upper] = [random() + 0.1, random() + 1.2];
    const lower = boxMesh([0, 0, 0], [random() + 0.1, random() + 0.1, top]);
    const other = boxMesh([-random(), -random(), top], [random() + 0.1, random() + 0.1, upper]);
    result.ask(formsOf(lower), formsOf(other));
  }
  return result;
}

/** The pairs of a building that clash or touch, in metres. @param {number} storeys */
function building(storeys) {
  const { obj, clashes, touches } = makeBuilding({ storeys, seed: 1 });
  const elements = new Map(
    splitByGroups(readObj(new TextEncoder().encode(obj))).map(({ name, mesh }) => [
      name,
      formsOf({ ...mesh, positions: mesh.positions.map((x) => x / 1000) }),
    ]),
  );
  const result = new Count();
  for (const { a, b } of [...clashes, ...touches]) {
    const [p, q] = [elements.get(a), elements.get(b)];
    if (!p || !q) throw new Error(`${a}, ${b}: expected both in the building`);
    result.ask(p, q);
  }
  return { pairs: clashes.length + touches.length, result };
}

/** @param {import('../race.mjs').Run} run */
export default function rapidUnfitted({ quick, keep }) {
  const depths = (quick ? ['bolt'] : ['bunny', 'bolt']).flatMap((name) => {
    const forms = formsOf(sample(name));
    const outward = touching(forms.product['OBB 40'], quick ? 8 : 300);
    return DEPTHS.map((depth) => {
      const { contacts, clear } = new Count().askAll(
        forms,
        outward.map((at) => at(depth)),
      );
      return { name, depth, contacts, clear };
    });
  });
  const boxes = standing(quick ? 20 : 1000);
  const { pairs, result } = building(quick ? 1 : 4);
  const scenes = [
    { name: 'boxes on boxes', contacts: boxes.contacts, clear: boxes.clear },
    { name: 'pairs of a building', contacts: result.contacts, clear: result.clear },
  ];
  const rows = [...depths.map(({ name, depth, ...rest }) => ({ name: `${name}, ${depth} deep`, ...rest })), ...scenes];
  printTable(
    'contacts that are called clear',
    Object.fromEntries(rows.map(({ name, contacts, clear }) => [name, { contacts, ...clear }])),
  );
  keep({ depths, scenes, pairs, paper: PAPER });
}
