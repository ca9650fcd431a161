/**
 * The model of the paper's machine: it tests the pairs of nodes that the search tests, lists what
 * the oracle lists, and takes the cycles that README.md counts.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { compressed } from '../../bench/papers/kdop-machine/compress.mjs';
import { edgeDirections, edgesOf } from '../../bench/papers/kdop-machine/edges.mjs';
import { prepareAxes, store } from '../../bench/papers/kdop-machine/host.mjs';
import { runMachine } from '../../bench/papers/kdop-machine/machine.mjs';
import { createCache } from '../../bench/papers/kdop-machine/memory.mjs';
import {
  burstsOfNode,
  burstsOfTriangle,
  cyclesOfBurst,
  parametersOf,
  stagesFor,
} from '../../bench/papers/kdop-machine/parameters.mjs';
import { createPipeline } from '../../bench/papers/kdop-machine/pipeline.mjs';
import { widened } from '../../bench/papers/kdop-machine/widen.mjs';
import type { OnVisit } from '../../src/engine/records.ts';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { checkKdopTrees } from '../../src/representations/kdop/search/descent.ts';
import { axisSet, prepareAxis, project } from '../../src/representations/kdop/search/projection.ts';
import { DOP_SIZES } from '../../src/representations/kdop/tree/dop-directions.ts';
import type { KdopTree } from '../../src/representations/kdop/tree/kdop-tree.ts';
import { nearContact, randomDirection, randomRotation } from '../support/agreement.ts';
import { long, some } from '../support/long.ts';
import { bruteForce } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, mapped, octasphere, randomTriangles, torus } from '../support/shapes.ts';

const WIDTHS = [8, 12, 16, 18, 19, 26, 27, 35, 36];
const seeds = Array.from({ length: long ? 14 : 4 }, (_, i) => i + 1);

interface Case {
  meshes: Mesh[];
  trees: KdopTree[];
  poseA: Pose;
  poses: Pose[];
  axes: number;
  mappingBits: number;
}

function randomCase(random: Random): Case {
  const shapes = [() => bumpySphere(random.below(1000), 2), () => octasphere(2), () => torus(8, 6)];
  const meshes = [0, 1].map(() => random.pick(shapes)());
  if (random.below(3) === 0) meshes[1] = mapped(meshes[1], (x, y, z) => [0.1 * x, 0.1 * y, 0.1 * z]);
  if (random.below(4) === 0) meshes[0] = randomTriangles(random.below(1000), 60);
  const bits = random.pick(WIDTHS);
  const trees = meshes.map((mesh) => buildKdopTree(mesh, { k: random.pick(DOP_SIZES), bits }));
  const poseA = random.below(2) === 0 ? identity() : compose(translation(0.3, -2, 1), randomRotation(random));
  const start = compose(poseA, randomRotation(random));
  const poses = [start, ...nearContact(trees[0], trees[1], poseA, start, randomDirection(random))];
  const axes = 1 + random.below((trees[0].k + trees[1].k) / 2);
  return { meshes, trees, poseA, poses, axes, mappingBits: random.pick([bits - 1, 6, 40]) };
}

/** The search on the same axes and bits: its outcome, and the pairs of nodes it tests. */
function searched({ trees: [a, b], poseA, axes, mappingBits }: Case, poseB: Pose) {
  const tested: number[] = [];
  const onVisit: OnVisit = (visit) => {
    if (visit.kind === 'nodes') tested.push(visit.a, visit.b, Number(visit.isApart));
  };
  const query = { poseA, poseB, all: true, maxContacts: 1e6, level: null, own: { axes }, onVisit };
  const outcome = checkKdopTrees(a, b, query, { mappingBits });
  if (!outcome) throw new Error('scales too far apart');
  return { outcome, tested };
}

/** Pairs of nodes as strings, sorted. */
const asSet = (tested: number[]) =>
  Array.from({ length: tested.length / 3 }, (_, i) => tested.slice(3 * i, 3 * i + 3).join(' ')).sort();

describe.each(seeds)('seed %d', { tags: ['all'] }, (seed) => {
  const random = seeded(seed);
  const asked = randomCase(random);
  const { meshes, trees, poseA, poses, axes, mappingBits } = asked;
  const run = (poseB: Pose, changes: object) =>
    runMachine(trees[0], trees[1], poseA, poseB, { axes, mappingBits, ...changes });

  test('the same sequence of node pairs, the same list, whatever the number of pipelines', {
    tags: ['all', 'long'],
  }, () => {
    for (const pose of poses) {
      const { outcome, tested } = searched(asked, pose);
      const pipelines = random.pick([1, 2, 5]);
      const answer = run(pose, { order: 'search', pipelines, cacheNodes: random.pick([0, 7]) });
      expect(answer.tested).toEqual(tested);
      expect(answer.contacts).toEqual(outcome.contacts.pairs);
      expect(answer.verdict).toBe(outcome.verdict);
      expect([answer.pairs, answer.triangles]).toEqual([outcome.tests.bounds, outcome.tests.hulls]);
      expect(answer.contacts).toEqual(bruteForce(meshes[0], poseA, meshes[1], pose));
    }
  });

  test('fetching ahead, from a stack or a queue, tests the same pairs in another order', {
    tags: ['all', 'long'],
  }, () => {
    for (const pose of poses) {
      const { outcome, tested } = searched(asked, pose);
      for (const order of ['ahead', 'queue'] as const) {
        const answer = run(pose, { order, isKept: random.below(2) === 0 });
        expect(asSet(answer.tested)).toEqual(asSet(tested));
        expect(answer.contacts).toEqual(outcome.contacts.pairs);
      }
    }
  });

  test('further axes and axes of edges only separate more, compressed coefficients less; no contact is lost', {
    tags: ['all', 'long'],
  }, () => {
    for (const pose of poses) {
      const { outcome, tested } = searched(asked, pose);
      const expected = outcome.contacts.pairs;
      const further = run(pose, { isFurther: true });
      expect(further.contacts).toEqual(expected);
      expect(further.pairs).toBeLessThanOrEqual(tested.length / 3);
      const edges = run(pose, { isFurther: true, edgeAxes: 20, axes: 40 });
      expect(edges.contacts).toEqual(expected);
      const delta = run(pose, { deltaBits: random.pick([3, 5, 7]) });
      expect(delta.contacts).toEqual(expected);
      if (poses.indexOf(pose) > 0) continue;
      const wide = runMachine(trees[0], trees[1], poseA, pose, { axes, bits: random.pick([40, 53, 64]) });
      expect(wide.contacts).toEqual(expected);
    }
  });
});

test.each(WIDTHS)(
  'the pipeline has the differences of the search to the last digit, %d bits',
  { tags: ['all'] },
  (bits) => {
    const random = seeded(bits);
    const [treeA, treeB] = [1, 0.3].map((size) =>
      buildKdopTree(
        mapped(bumpySphere(bits, 2), (x, y, z) => [size * x, size * y, size * z]),
        { bits },
      ),
    );
    const parameters = parametersOf({ bits, mappingBits: random.pick([bits - 1, 40]) });
    const [a, b] = [store(treeA, parameters), store(treeB, parameters)];
    const poseB = compose(translation(0.7, 0.2, 0), randomRotation(random));
    const set = axisSet(treeA, treeB, identity(), poseB, 24, parameters.mappingBits);
    if (set === null) throw new Error('scales too far apart');
    while (set.prepared < 24) prepareAxis(set);
    const pipeline = createPipeline(a, b, prepareAxes(a, b, identity(), poseB, parameters), bits, 24);
    const [endsA, endsB] = [new Float64Array(48), new Float64Array(48)];
    let tooWide = 0;
    for (let n = 0; n < 200; n++) {
      const [nodeA, nodeB] = [random.below(treeA.links.length), random.below(treeB.links.length)];
      project(set.a, 24 * nodeA, 0, 24, endsA, 0);
      project(set.b, 24 * nodeB, 0, 24, endsB, 0);
      const expected = Array.from({ length: 24 }, (_, i) => [
        endsA[2 * i] + set.below[i] + endsB[2 * i + 1],
        endsA[2 * i + 1] - set.above[i] + endsB[2 * i],
      ]);
      const found: number[][] = [];
      pipeline.step({ a: nodeA, b: nodeB, number: 0, isSeparated: false }, 0, 24, true);
      while (!pipeline.isEmpty) {
        pipeline.leave((done) => {
          found.push([Number(done.diff1), Number(done.diff2)]);
          // The widths that README.md gives the registers.
          const { products, sums, negative, corrections, images, diff1, diff2 } = done;
          const c = Math.max(set.a.c, set.b.c);
          const widths: [(number | bigint)[], number][] = [
            [products, bits + c],
            [sums, bits + c + 2],
            [negative, bits],
            [corrections, bits + 2],
            [images, 50],
            [[diff1, diff2], 53],
          ];
          for (const [row, width] of widths)
            for (const x of row) if (BigInt.asIntN(width, BigInt(x)) !== BigInt(x)) tooWide++;
        });
        pipeline.step(null, 0, 0, false);
      }
      expect(found).toEqual(expected);
    }
    expect(tooWide).toBe(0);
  },
);

test('a pair whose axis is found is aborted: what is in the pipeline is ignored, the next pair begins', () => {
  const tree = buildKdopTree(octasphere(2), { bits: 16 });
  const apart = runMachine(tree, tree, identity(), translation(2.5, 0, 0));
  // The first axis separates the roots: seven results later no more axes are tested.
  expect([apart.pairs, apart.axes, apart.ignored, apart.verdict]).toEqual([1, 7, 6, 'clear']);
  // Two DOPs of a burst each, seven stages, and the cycle in which the sign leaves.
  expect(apart.cycles).toBe(2 * 10 + 7 + 7);
});

/**
 * The cycles of the machine in the search's order, counted event by event: when a pair is handed
 * over, when its result is known, when the next can be asked for.
 */
function cyclesOf(
  treeA: KdopTree,
  treeB: KdopTree,
  poseB: Pose,
  { axes, pipelines, isKept }: { axes: number; pipelines: number; isKept: boolean },
): number {
  const { bits, k } = treeA;
  const [stages, ofNode, ofTriangle, ofTest] = [bits > 18 ? 9 : 7, bits > 18 ? 20 : 10, 10, 20];
  const set = axisSet(treeA, treeB, identity(), poseB, axes, bits - 1);
  if (set === null) throw new Error('scales too far apart');
  while (set.prepared < axes) prepareAxis(set);
  const [endsA, endsB] = [new Float64Array(52), new Float64Array(52)];
  const firstSeparating = (a: number, b: number): number => {
    project(set.a, k * a, 0, axes, endsA, 0);
    project(set.b, k * b, 0, axes, endsB, 0);
    for (let i = 0; i < axes; i++) {
      if (endsA[2 * i] + set.below[i] + endsB[2 * i + 1] > 0) return i;
      if (endsA[2 * i + 1] - set.above[i] + endsB[2 * i] > 0) return i;
    }
    return axes;
  };
  const widthOf = ({ coefficients }: KdopTree, node: number, quantum: number): number =>
    quantum *
    Math.max(
      ...Array.from({ length: k / 2 }, (_, i) => coefficients[k * node + i] + coefficients[k * node + k / 2 + i]),
    );
  const held = { nodes: [-1, -1], triangles: [-1, -1] };
  const loading = (kind: 'nodes' | 'triangles', pair: number[], cycles: number): number => {
    const missing = pair.filter((x, side) => !isKept || held[kind][side] !== x).length;
    held[kind] = pair;
    return missing * cycles;
  };
  // The cycle at whose end GetData may ask, the first in which each unit takes a pair, and the last
  // of all.
  let [asks, pipelineFree, unitFree, known, end] = [0, 1, 1, 0, 0];
  const overlapping: number[][] = [];
  const testPair = (a: number, b: number): void => {
    const ready = asks + loading('nodes', [a, b], ofNode);
    const first = Math.max(ready + 1, pipelineFree);
    const found = firstSeparating(a, b);
    const steps = Math.ceil(axes / pipelines);
    const ended = first + stages + (found < axes ? Math.floor(found / pipelines) : steps - 1);
    pipelineFree = Math.min(first + steps, ended);
    end = Math.max(end, pipelineFree - 1 + stages);
    known = Math.max(known, ended);
    asks = first;
    if (found === axes) overlapping.push([a, b]);
  };
  testPair(0, 0);
  for (let pair = overlapping.pop(); pair; pair = overlapping.pop()) {
    const [a, b] = pair;
    const [linkA, linkB] = [treeA.links[a], treeB.links[b]];
    asks = Math.max(asks, known);
    if (linkA & linkB & 1) {
      const taken = Math.max(asks + loading('triangles', [linkA >>> 1, linkB >>> 1], ofTriangle) + 1, unitFree);
      unitFree = taken + ofTest;
      end = Math.max(end, taken + ofTest - 1);
      asks = taken;
      continue;
    }
    const [sizeA, sizeB] = [widthOf(treeA, a, set.a.quantum), widthOf(treeB, b, set.b.quantum)];
    const opensA = !(linkA & 1) && (linkB & 1 || 2 * sizeA >= sizeB);
    const opensB = !(linkB & 1) && (linkA & 1 || 2 * sizeB >= sizeA);
    const below = (link: number) => [link >>> 1, (link >>> 1) + 1];
    for (const i of opensA ? below(linkA) : [a]) for (const j of opensB ? below(linkB) : [b]) testPair(i, j);
  }
  return end;
}

test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8]))(
  'as many cycles as events take, one by one, seed %d',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const bits = random.pick([12, 18, 19, 35]);
    const [a, b] = [2, 3].map((levels) => buildKdopTree(bumpySphere(random.below(1000), levels - 1), { k: 18, bits }));
    for (let n = 0; n < 4; n++) {
      const pose = compose(translation(random.between(0, 2), 0.1, 0), randomRotation(random));
      const asked = { axes: 1 + random.below(18), pipelines: random.pick([1, 1, 2, 5]), isKept: random.below(2) === 0 };
      const { cycles } = runMachine(a, b, identity(), pose, { order: 'search', ...asked });
      expect(cycles).toBe(cyclesOf(a, b, pose, asked));
    }
  },
);

describe('cycles', () => {
  const triangle = (z: number): KdopTree =>
    buildKdopTree(
      { positions: Float64Array.of(-1, -1, z, 1, -1, -z, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2), groups: [] },
      { bits: 35 },
    );

  test('the worked example of README.md: two triangles that touch, 113 cycles', () => {
    const answer = runMachine(triangle(0.5), triangle(-0.5), identity(), rotation(0, 0, 1, 10));
    expect(answer.contacts).toEqual([[0, 0]]);
    // Two DOPs, 24 axes, nine stages, two triangles, their test.
    expect(answer.cycles).toBe(40 + 24 + 9 + 20 + 20);
    const readme = readFileSync(new URL('../../bench/papers/kdop-machine/README.md', import.meta.url), 'utf8');
    expect(readme).toContain(`40 + 24 + 9 + 20 + 20 = ${answer.cycles}`);
    expect(answer.memory).toEqual({ bursts: 6, busy: 60, nodes: 2, hits: 0, kept: 0 });
    const four = runMachine(triangle(0.5), triangle(-0.5), identity(), rotation(0, 0, 1, 10), { pipelines: 4 });
    expect(four.cycles).toBe(40 + 6 + 9 + 20 + 20);
  });

  test('a DOP of 35 bits takes 20 cycles; a second burst beyond 18 bits, a third beyond 40', () => {
    const bursts = (bits: number) => burstsOfNode(24, parametersOf({ bits }));
    expect(bursts(35) * cyclesOfBurst(parametersOf())).toBe(20);
    expect([8, 18, 19, 40, 41, 61, 62].map(bursts)).toEqual([1, 1, 2, 2, 3, 3, 4]);
    expect([8, 18, 19, 35, 36].map(stagesFor)).toEqual([7, 7, 9, 9, 11]);
    expect([8, 4, 2].map((burstWords) => burstsOfTriangle(parametersOf({ burstWords })))).toEqual([1, 2, 3]);
  });

  test('the second object of a pair stays in the registers while the next pair needs it', () => {
    const tree = buildKdopTree(octasphere(2), { bits: 16 });
    const [kept, anew] = [true, false].map((isKept) =>
      runMachine(tree, tree, identity(), translation(1, 0.2, 0), { isKept, order: 'search' }),
    );
    expect(kept.tested).toEqual(anew.tested);
    expect(anew.memory.kept).toBe(0);
    expect(kept.memory.nodes + kept.memory.kept).toBeGreaterThan(anew.memory.nodes);
    expect(anew.memory.nodes).toBe(2 * anew.pairs);
    expect(kept.cycles).toBeLessThan(anew.cycles);
  });
});

test('a cache gives up what was used longest ago, and one of no room holds nothing', () => {
  const cache = createCache(2);
  expect([1, 2, 1, 3, 1, 2].map((node) => cache.has(node))).toEqual([false, false, true, false, true, false]);
  const none = createCache(0);
  expect([1, 1].map((node) => none.has(node))).toEqual([false, false]);
});

test('coefficients rounded by the model are those of build, where that has as many bits', () => {
  for (const seed of [1, 2]) {
    const mesh = mapped(bumpySphere(seed, 2), (x, y, z) => [x + 3, y / 7, z - 1]);
    const tree = buildKdopTree(mesh, { bits: 36 });
    expect(Array.from(widened(tree, 36), Number)).toEqual(Array.from(tree.coefficients));
  }
});

test.each([1, 4, 8, 40])(
  'differences of %d bits hold what the coefficients held, and no more than the parent',
  { tags: ['all'] },
  (bits) => {
    const tree = buildKdopTree(bumpySphere(7, 2), { bits: 35 });
    const { coefficients, links, k } = tree;
    const read = compressed(coefficients, links, k, bits);
    for (const [i, x] of Array.from(coefficients).entries()) expect(Number(read[i])).toBeGreaterThanOrEqual(x);
    for (const [node, link] of links.entries()) {
      if (link & 1) continue;
      for (let i = 0; i < 2 * k; i++) {
        expect(Number(read[k * (link >>> 1) + i])).toBeLessThanOrEqual(Number(read[k * node + (i % k)]));
      }
    }
    if (bits === 40) expect(read).toEqual(Array.from(coefficients));
  },
);

test('edges of a cube are its axes; of 24 directions twelve differ, so 144 pairs', () => {
  expect(edgeDirections(6).map((e) => e.map(Math.abs).sort())).toEqual(Array(3).fill([0, 0, 1]));
  expect(edgeDirections(24)).toHaveLength(12);
  const pairs = edgesOf(24, 24).map(([e, f]) => [...e, ...f].join());
  expect(new Set(pairs).size).toBe(144);
});
