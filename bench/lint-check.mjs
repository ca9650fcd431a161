// All rules of lint, and its self-contacts alone, beside building an OBB tree of 64 bytes of the
// same mesh. The peer of self-contacts is three-mesh-bvh's tree against itself, which tests only
// pairs without a common vertex, within rounding. Also `gicollide lint` of an STL beside admesh,
// which finds all but self-contacts, as whole processes.
//
//   npm run bench -- lint
//
// Contestants take turns. The time of each is its median; for processes it is the fastest of three.

import { build, lint, selfContacts } from 'gicollide';
import { Matrix4 } from 'three';
import { trianglesIntersectAt } from '#src/geometry/triangle-triangle';
import { forPairsByKernel } from '#src/mesh/self-pairs';
import { readTriangle } from '#src/mesh/topology';
import { TriangleTree } from '#src/mesh/triangle-tree';
import { bumpyBall, sample, stlBinary, subdivided } from './inputs.mjs';
import { leastOfPrograms, PROGRAM } from './program.mjs';
import { digits, elapsed, median, peerTree, printTable, startClock } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */

const PEER = 'three-mesh-bvh, pairs without a common vertex';

/** @param {Mesh} mesh */
function contestants(mesh) {
  return {
    lint: () => lint(mesh, { whole: true }).summary.counts['self-intersection'] ?? 0,
    'lint without self-contacts': () =>
      lint(mesh, { whole: true, severity: { 'self-intersection': 'off' } }).summary.errors,
    'self-contacts': () => {
      let pairs = 0;
      selfContacts(mesh, () => void pairs++);
      return pairs;
    },
    'pairs by the kernel': () => met(mesh, (onPair) => forPairsByKernel(mesh, onPair)),
    'pairs by the tree in JavaScript': () =>
      met(mesh, (onPair) => new TriangleTree(mesh).forPairs(mesh.triangles, onPair)),
    'an OBB tree of 64 bytes': () => build(mesh, { format: 'obb', nodeBytes: 64 }).nodes.length,
    [PEER]: () => {
      const { boundsTree, index } = peerTree(mesh);
      if (!index) throw new Error('a tree orders the indices');
      const triangles = index.array;
      let pairs = 0;
      boundsTree.bvhcast(boundsTree, new Matrix4(), {
        /** @param {any} a @param {any} b @param {number} t @param {number} u */
        intersectsTriangles(a, b, t, u) {
          if (t < u && !shareVertex(triangles, 3 * t, 3 * u) && a.intersectsTriangle(b)) pairs++;
          return false;
        },
      });
      return pairs;
    },
  };
}

/**
 * How many pairs without a common vertex meet.
 *
 * @param {Mesh} mesh
 * @param {(onPair: (t: number, u: number) => boolean) => unknown} search
 */
function met({ positions, triangles }, search) {
  const [a, b] = [new Float64Array(9), new Float64Array(9)];
  let pairs = 0;
  search((t, u) => {
    readTriangle(positions, triangles, t, a);
    readTriangle(positions, triangles, u, b);
    if (trianglesIntersectAt(a, 0, b, 0)) pairs++;
    return false;
  });
  return pairs;
}

/** @param {ArrayLike<number>} triangles @param {number} t @param {number} u */
function shareVertex(triangles, t, u) {
  for (let k = t; k < t + 3; k++) {
    const vertex = triangles[k];
    if (vertex === triangles[u] || vertex === triangles[u + 1] || vertex === triangles[u + 2]) return true;
  }
  return false;
}

/** @param {Mesh} mesh @param {number} rounds */
function measured(mesh, rounds) {
  const all = Object.entries(contestants(mesh));
  const times = all.map(() => /** @type {number[]} */ ([]));
  const pairs = all.map(([, work]) => Number(work()));
  for (let turn = 0; turn < rounds; turn++) {
    for (const [i, [, work]] of all.entries()) {
      startClock();
      work();
      times[i].push(elapsed());
    }
  }
  const triangles = mesh.triangles.length / 3;
  const ms = Object.fromEntries(all.map(([name], i) => [name, digits(median(times[i]))]));
  const own = median(times[all.findIndex(([name]) => name === 'lint')]);
  const tree = median(times[all.findIndex(([name]) => name === 'an OBB tree of 64 bytes')]);
  return {
    triangles,
    ms,
    'us a triangle': digits((1000 * own) / triangles),
    'ratio to the tree': digits(own / tree),
    'self-intersections': pairs[0],
    "the peer's": pairs[pairs.length - 1],
  };
}

/** @param {string} file */
function programsOf(file) {
  const own = [process.execPath, PROGRAM, 'lint', file, '--whole'];
  return {
    'gicollide lint': own,
    'without self-contacts': [...own, '--severity', 'self-intersection=off'],
    admesh: ['admesh', file],
  };
}

/** @param {import('./race.mjs').Run} run */
export default function lintTask({ quick, keep }) {
  const bunny = sample('bunny');
  const fine = () => subdivided(subdivided(bunny));
  /** @type {Record<string, () => Mesh>} */
  const meshes = quick
    ? { bunny: () => bunny }
    : {
        'fine bunny': fine,
        'bumpy ball with seams': () => bumpyBall(1),
        'finest bunny': () => subdivided(subdivided(fine())),
      };
  /** @type {Record<string, ReturnType<typeof measured>>} */
  const rows = {};
  for (const [name, make] of Object.entries(meshes)) rows[name] = measured(make(), quick ? 1 : 5);
  printTable('ms', Object.fromEntries(Object.entries(rows).map(([name, { ms }]) => [name, ms])));
  printTable('lint', Object.fromEntries(Object.entries(rows).map(([name, { ms, ...row }]) => [name, row])));
  const rounds = quick ? 1 : 3;
  const whole = Object.fromEntries(
    Object.entries(meshes).map(([name, make]) => [
      name,
      leastOfPrograms(stlBinary(make()), 'mesh.stl', programsOf, rounds),
    ]),
  );
  printTable('whole processes, ms', whole);
  keep({ meshes: rows, whole });
}
