// The seed's two structural claims about geometry images (Benes, Gomez Villanueva, "GI-COLLIDE", 2005), in one run: a tree found by index
// arithmetic against one of the same spheres with pointers; and how the tests of a query grow with the number of triangles.
//
//   npm run bench -- structure               prints the tables
//   npm run bench -- structure --record      and appends the row to bench/results.jsonl
//
// The pointer tree is what a first implementation would be: an object a node, its centre and radius as doubles and its four children by reference; the
// descent is the same, pair for pair, and ends in the same exact triangle test.
import { readFileSync } from 'node:fs';
import { build, check, readObj, representationOf, toMesh, trianglesIntersect } from 'gicollide';
import { keep, median, nearContactPoses, printRace, race } from './race.mjs';

const mesh = readObj(readFileSync(new URL('../assets/bunny.obj', import.meta.url)));

/** The tree of an image as objects, by its own unfold; leaves have the numbers of their triangles. */
function pointerTree(image) {
  const { unfold } = representationOf(image);
  const { positions, triangles } = toMesh(image);
  let made = [];
  const writer = {
    bounds: new Float64Array(16 * 4),
    branch: (own) => 16 * (made.push({ own, first: -1 }) - 1),
    leaf: (first) => 16 * (made.push({ own: -1, first }) - 1),
  };
  const grow = (own) => {
    made = [];
    unfold(image, own, writer);
    const nodes = made.map(({ own, first }, i) => {
      const [x, y, z, r] = writer.bounds.subarray(16 * i, 16 * i + 4);
      return { x, y, z, r, own, first, children: null };
    });
    for (const node of nodes) if (node.own >= 0) node.children = grow(node.own);
    return nodes;
  };
  const corners = (t, out) => {
    for (let k = 0; k < 3; k++) {
      const v = 3 * triangles[3 * t + k];
      for (let i = 0; i < 3; i++) out[3 * k + i] = positions[v + i];
    }
    return out;
  };
  return { root: grow(-1)[0], corners };
}

const [ofA, ofB] = [new Float64Array(9), new Float64Array(9)];
const stack = [];

/** The seed's double traversal in turns, over pointers: whether the two share a point. */
function pointerCheck(a, b, m) {
  stack.length = 0;
  stack.push(a.root, b.root, 0);
  while (stack.length > 0) {
    const turn = stack.pop();
    const q = stack.pop();
    const p = stack.pop();
    if (!p.children && !q.children) {
      for (let i = 0; i < 4; i++) {
        a.corners(p.first + (i >> 1), ofA);
        b.corners(q.first + (i & 1), ofB);
        for (let k = 0; k < 9; k += 3) {
          const [x, y, z] = [ofB[k], ofB[k + 1], ofB[k + 2]];
          ofB[k] = m[0] * x + m[1] * y + m[2] * z + m[3];
          ofB[k + 1] = m[4] * x + m[5] * y + m[6] * z + m[7];
          ofB[k + 2] = m[8] * x + m[9] * y + m[10] * z + m[11];
        }
        if (trianglesIntersect(ofA, ofB)) return true;
      }
      continue;
    }
    if (!q.children || (turn === 0 && p.children)) {
      const x = m[0] * q.x + m[1] * q.y + m[2] * q.z + m[3];
      const y = m[4] * q.x + m[5] * q.y + m[6] * q.z + m[7];
      const z = m[8] * q.x + m[9] * q.y + m[10] * q.z + m[11];
      for (let k = 3; k >= 0; k--) {
        const child = p.children[k];
        const dx = child.x - x;
        const dy = child.y - y;
        const dz = child.z - z;
        const sum = (child.r + q.r) * (1 + 1e-12);
        if (dx * dx + dy * dy + dz * dz <= sum * sum) stack.push(child, q, 1);
      }
    } else {
      for (let k = 3; k >= 0; k--) {
        const child = q.children[k];
        const dx = m[0] * child.x + m[1] * child.y + m[2] * child.z + m[3] - p.x;
        const dy = m[4] * child.x + m[5] * child.y + m[6] * child.z + m[7] - p.y;
        const dz = m[8] * child.x + m[9] * child.y + m[10] * child.z + m[11] - p.z;
        const sum = (child.r + p.r) * (1 + 1e-12);
        if (dx * dx + dy * dy + dz * dz <= sum * sum) stack.push(p, child, 0);
      }
    }
  }
  return false;
}

// 1. The same spheres, by index and by pointer.
const image = build(mesh, { size: 257 });
const poses = nearContactPoses(image, image, 40, 2005);
const before = process.memoryUsage().heapUsed;
const tree = pointerTree(image);
const pointerBytes = process.memoryUsage().heapUsed - before;
for (const pose of poses) {
  if (pointerCheck(tree, tree, pose) !== (check(image, image, { poseB: pose }).verdict === 'contact')) {
    throw new Error('the two trees disagree');
  }
}
const structure = race(
  {
    'index arithmetic': (pose) => check(image, image, { poseB: pose }).verdict === 'contact',
    'pointers, the same spheres': (pose) => pointerCheck(tree, tree, pose),
  },
  poses,
);
printRace('257 x 257, first contact', structure);
const nodes = (4 ** 9 - 1) / 3;
console.log(
  `bytes a node: ${(image.tree.page.byteLength / nodes).toFixed(1)} by index, about ${(pointerBytes / nodes).toFixed(0)} by pointer`,
);

// 2. Tests as images grow, two equal objects; spheres made tight, and as the seed makes them.
const growth = [];
for (const size of [129, 257, 513, 1025, 2049]) {
  const row = { size, triangles: 2 * (size - 1) ** 2 };
  for (const spheres of ['tight', 'seed']) {
    const own = build(mesh, { size, spheres });
    const near = nearContactPoses(own, own, 24, 7);
    const tests = near.map((pose) => check(own, own, { poseB: pose }).tests);
    row[`${spheres}: spheres`] = median(tests.map(({ bounds }) => bounds));
    row[`${spheres}: triangles`] = median(tests.map(({ hulls }) => hulls));
  }
  growth.push(row);
}
console.log('median tests to the first contact, or to its proof that there is none');
console.table(growth);
keep('structure-check', {
  poses: poses.length,
  structure,
  bytesOfNode: { pointer: Math.round(pointerBytes / nodes) },
  growth,
});
