// How the tests of all contacts grow where two planar meshes lie on one another: the seed's worst
// case, O(n1 x n2), and beside it the first contact, O(log(max{n1, n2})). B. Benes, N. Gomez
// Villanueva, "GI-COLLIDE", SCCG 2005, section 4.
//
//   npm run bench -- papers/planes
//
// Asked by the paper's spheres and its query (`check --bounds spheres`), each size against each.
// "Folded" planes reach the worst case: each quad is all of the square, so all pairs touch.
import { check } from 'gicollide';
import { printTable } from '../race.mjs';
import { LAYINGS, plane } from './planes.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Pose} Pose */

const FOLDED = 'folded onto the square';
/** Vertices are half as many, and a rim: the small planes have too large a rim to fit by these. */
const trianglesOf = (/** @type {number} */ exponent) => 2 * 4 ** exponent;

/**
 * @param {GeometryImage} a
 * @param {GeometryImage} b
 * @param {Pose} poseB
 */
function counted(a, b, poseB) {
  const all = check(a, b, { poseB, bounds: 'spheres', all: true, maxContacts: 2 ** 31 });
  const first = check(a, b, { poseB, bounds: 'spheres' });
  if (all.verdict !== 'contact' || first.verdict !== 'contact') throw new Error('planes on one another touch');
  return {
    contacts: all.contacts.count,
    ...{ spheres: all.tests.bounds, triangles: all.tests.hulls },
    ...{ 'first: spheres': first.tests.bounds, 'first: triangles': first.tests.hulls },
  };
}

/** @param {import('../race.mjs').Run} run */
export default function planes({ quick, keep }) {
  const exponents = quick ? [2, 3, 4] : [3, 4, 5, 6, 7];
  const foldedExponents = [1, 2, 3, 4];
  /** @type {Record<string, Record<string, number>[]>} */
  const layings = {};
  /**
   * @param {string} name
   * @param {readonly number[]} sizes
   * @param {Pose} pose
   * @param {boolean} isFolded
   */
  const lay = (name, sizes, pose, isFolded) => {
    const images = sizes.map((exponent) => plane(exponent, { isFolded }));
    layings[name] = sizes.flatMap((p, i) =>
      sizes.map((q, j) => ({ n1: trianglesOf(p), n2: trianglesOf(q), ...counted(images[i], images[j], pose) })),
    );
    printTable(name, Object.fromEntries(layings[name].map(({ n1, n2, ...row }) => [`${n1} x ${n2}`, row])));
  };
  for (const [name, pose] of Object.entries(LAYINGS)) lay(name, exponents, pose, false);
  lay(FOLDED, foldedExponents, LAYINGS['corner on corner'], true);

  // A first contact alone takes few tests at any size.
  const first = (quick ? [4, 5, 6] : [4, 5, 6, 7, 8, 9, 10]).map((exponent) => {
    const image = plane(exponent);
    const rows = Object.entries(LAYINGS).map(([name, poseB]) => {
      const { tests } = check(image, image, { poseB, bounds: 'spheres' });
      return /** @type {const} */ ([name, tests.bounds]);
    });
    return { n: trianglesOf(exponent), ...Object.fromEntries(rows) };
  });
  printTable('first contact, tests of spheres', Object.fromEntries(first.map(({ n, ...row }) => [n, row])));
  keep({ layings, first, folded: FOLDED });
}
