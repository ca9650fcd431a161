/** The stored nodes bit for bit, what they promise on hard meshes, and the check against the oracle in hard poses. */
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/api.ts';
import { BoundTree } from '../../../src/engine/bound-tree.ts';
import { check, openPair } from '../../../src/engine/prepared.ts';
import { compose, identity, movePoint, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { layoutLadder } from '../../../src/representations/obb/format.ts';
import { obb } from '../../../src/representations/obb/index.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { quaternionOf, rotationOf } from '../../../src/representations/obb/tree/node.ts';
import type { ObbTree } from '../../../src/representations/obb/tree/obb-tree.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import { containment } from '../../support/containment.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { type Random, seeded } from '../../support/random.ts';
import { box, bumpySphere } from '../../support/shapes.ts';

const SIZES = [40, 20, 64] as const;

const meshOf = (positions: number[], triangles: number[]): Mesh => ({
  positions: Float64Array.from(positions),
  triangles: Uint32Array.from(triangles),
  groups: [],
});

const scaled = (mesh: Mesh, factor: number, shift = 0): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => factor * x + shift),
});

const one = meshOf([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2]);

const MESHES: [string, Mesh][] = [
  ['bumpy sphere, seed 61', bumpySphere(61, long ? 2 : 1)],
  ['one triangle', one],
  ['one point, three times', meshOf([3, 4, 5], [0, 0, 0])],
  ['a segment and a point', meshOf([0, 0, 0, 1, 2, 3], [0, 0, 1, 1, 1, 1])],
  ['two triangles', meshOf([0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 5, 5], [0, 1, 2, 1, 2, 3])],
  [
    'a hundred times the same',
    meshOf(
      [...one.positions],
      Array.from({ length: 300 }, (_, i) => i % 3),
    ),
  ],
  [
    'collinear',
    meshOf(
      Array.from({ length: 90 }, (_, i) => ((i / 3) | 0) * [1, 2, -1][i % 3]),
      Array.from({ length: 84 }, (_, i) => ((i / 3) | 0) + (i % 3)),
    ),
  ],
  ['tiny', scaled(bumpySphere(62, 1), 1e-30)],
  ['huge', scaled(bumpySphere(63, 1), 1e30)],
  ['far from the origin', scaled(bumpySphere(64, long ? 2 : 1), 1, 1e7)],
  [
    'a needle',
    { ...bumpySphere(65, 2), positions: bumpySphere(65, 2).positions.map((x, i) => (i % 3 === 0 ? 1e5 * x : x)) },
  ],
];

/** Every node's sixteen numbers hold, in exact arithmetic, all corners of the triangles below it; returns how many were tested. */
function expectContained(tree: ObbTree): number {
  const grown = new BoundTree((node, into) => obb.unfold(tree, node, into));
  const corners = new Float64Array(24);
  const below = (i: number): number[] => {
    const points: number[] = [];
    if (grown.isLeaf(i)) {
      obb.hull(tree, ~grown.link[i], corners);
      points.push(...corners.subarray(0, 9));
    } else {
      const first = grown.firstChild(i);
      for (let c = first; c < first + grown.count[i]; c++) points.push(...below(c));
    }
    tested++;
    expect(containment(grown.bounds, 16 * i)(points), `node ${i}`).toBe(-1);
    return points;
  };
  let tested = 0;
  below(0);
  return tested;
}

describe.each(SIZES)('%i bytes a node', (nodeBytes) => {
  test.each(MESHES)('every box holds what is below it: %s', { tags: ['quick', 'long'] }, (_, mesh) => {
    const tree = buildObbTree(mesh, { nodeBytes });
    const triangles = mesh.triangles.length / 3;
    const count = tree.nodes.byteLength / nodeBytes;
    if (nodeBytes === 64) expect(count).toBeLessThanOrEqual(Math.ceil(0.6 * triangles));
    else expect(count).toBe(nodeBytes === 40 ? 2 * triangles - 1 : Math.max(1, triangles - 1));
    expect(expectContained(tree)).toBe(nodeBytes === 64 ? count + triangles : 2 * triangles - 1);
    // All children of wide nodes, the root is none.
    expect(verifyObbTree(tree)).toMatchObject({
      checked: nodeBytes === 64 ? count + triangles - 1 : count,
      problems: [],
    });
    expect([...tree.triangles]).toEqual([...mesh.triangles]);
    expect([...tree.positions]).toEqual([...mesh.positions]);
  });

  test('positions are float32 only where nothing is lost', () => {
    expect(buildObbTree(one, { nodeBytes }).positions).toBeInstanceOf(Float32Array);
    expect(buildObbTree(scaled(one, 0.1), { nodeBytes }).positions).toBeInstanceOf(Float64Array);
  });

  test.skipIf(nodeBytes === 64).each(some(1, [81, 82]))(
    'verify finds a box that was shrunk, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const tree = buildObbTree(bumpySphere(seed, 2), { nodeBytes });
      const random = seeded(seed);
      const count = tree.nodes.byteLength / nodeBytes;
      for (let trial = 0; trial < (long ? 24 : 12); trial++) {
        const node = trial === 0 ? 0 : random.below(count);
        const nodes = tree.nodes.slice();
        const view = new DataView(nodes.buffer);
        // The largest extent, by a tenth: of a leaf's box the thin one may be mere rounding.
        if (nodeBytes === 40) {
          const offsets = [24, 28, 32].map((o) => 40 * node + o);
          const at = offsets.reduce((best, o) => (view.getFloat32(o, true) > view.getFloat32(best, true) ? o : best));
          view.setFloat32(at, 0.9 * view.getFloat32(at, true), true);
        } else {
          const offsets = [12, 14, 16].map((o) => 20 * node + o);
          const at = offsets.reduce((best, o) => (view.getUint16(o, true) > view.getUint16(best, true) ? o : best));
          view.setUint16(at, Math.floor(0.9 * view.getUint16(at, true)), true);
        }
        const { problems } = verifyObbTree({ ...tree, nodes });
        expect(problems.length).toBe(1);
        expect(problems[0]).toMatch(new RegExp(`^the box of node ${node} does not hold triangle \\d+$`));
      }
    },
  );

  test.each(some(1, [91, 92, 93]))(
    'agrees with the oracle in poses that are barely rigid, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const [a, b] = [bumpySphere(seed, long ? 2 : 1), bumpySphere(seed + 1, long ? 2 : 1)];
      const [treeA, treeB] = [
        buildObbTree(a, { nodeBytes }),
        buildObbTree(b, { nodeBytes: nodeBytes === 40 ? 20 : nodeBytes === 20 ? 40 : 64 }),
      ];
      let contacts = 0;
      for (let i = 0; i < (long ? 12 : 6); i++) {
        const far = i % 3 === 0 ? 1e6 : 0;
        const poseA = distorted(compose(translation(far, -far, 3), randomTurn(random)), random, i % 2 === 0);
        const along = randomDirection(random).map((x) => x * random.between(1, 2.6));
        const poseB = distorted(
          compose(translation(far + along[0], along[1] - far, 3 + along[2]), randomTurn(random)),
          random,
          i % 4 < 2,
        );
        const expected = bruteForce(a, poseA, b, poseB);
        for (const path of [{}, { path: 'common' as const }]) {
          const report = check(treeA, treeB, { poseA, poseB, all: true, maxContacts: 1e6, ...path });
          expect(report.contacts).toEqual({ count: expected.length, complete: true, pairs: expected });
        }
        expect(check(treeA, treeB, { poseA, poseB }).verdict).toBe(expected.length > 0 ? 'contact' : 'clear');
        if (expected.length > 0) contacts++;
      }
      expect(contacts).toBeGreaterThan(2);
    },
  );

  test.each(some(1, [111, 112]))(
    'a corner that is touched from outside, in poses that lengthen and shorten, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const cube = box(1, 2, 3);
      const tree = buildObbTree(cube, { nodeBytes });
      const corner = new Float64Array(3);
      for (let i = 0; i < (long ? 60 : 30); i++) {
        const lengthens = i % 2 === 0;
        const pose = randomTurn(random).map((x, k) => (k > 11 ? x : x * (lengthens ? 1 + 4.9e-6 : 1 - 4.9e-6)));
        const v = 3 * random.below(8);
        const [x, y, z] = cube.positions.subarray(v, v + 3);
        movePoint(pose, x, y, z, corner, 0);
        // A needle of a triangle that stands on the corner and points away from the cube.
        const [cx, cy, cz] = corner;
        const needle = buildObbTree(
          meshOf([cx, cy, cz, 1.01 * cx, 1.01 * cy, 1.01 * cz, 1.02 * cx, 1.01 * cy, 1.01 * cz], [0, 1, 2]),
          { nodeBytes },
        );
        for (const path of [{}, { path: 'common' as const }]) {
          expect(check(tree, needle, { poseA: pose, ...path }).verdict).toBe('contact');
          expect(check(needle, tree, { poseB: pose, ...path }).verdict).toBe('contact');
        }
      }
    },
  );

  test('vertices that a long way rounds together touch', () => {
    const at = (x: number) => buildObbTree(meshOf([x, 0, 0, x, 1, 0, x, 0, 1], [0, 1, 2]), { nodeBytes });
    const poseA = translation(2 ** 52, 0, 0);
    const poseB = translation(2 ** 52, 0, 0);
    for (const path of [{}, { path: 'common' as const }]) {
      expect(check(at(0.25), at(0.4), { poseA, poseB, ...path }).verdict).toBe('contact');
      expect(check(at(0.25), at(0.75), { poseA, poseB, ...path }).verdict).toBe('clear');
    }
  });

  test.each(some(1, [95, 96]))(
    'agrees with the oracle on triangle soups, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const soupOf = (n: number) =>
        meshOf(
          Array.from({ length: 9 * n }, () => Math.round(random.between(-3, 3)) / (random.below(3) + 1)),
          Array.from({ length: 3 * n }, (_, i) => i),
        );
      const [a, b] = [soupOf(long ? 40 : 24), soupOf(long ? 30 : 20)];
      const [treeA, treeB] = [buildObbTree(a, { nodeBytes }), buildObbTree(b, { nodeBytes })];
      for (const poseB of [
        identity(),
        translation(1, 0, 0),
        translation(4, 1, 0),
        compose(translation(5, 0, 0), randomTurn(random)),
      ]) {
        const expected = bruteForce(a, null, b, poseB);
        const { contacts } = check(treeA, treeB, { poseB, all: true, maxContacts: 1e6 });
        expect(contacts.pairs).toEqual(expected);
      }
    },
  );

  test('answers do not depend on what was asked before', { tags: ['quick', 'long'] }, () => {
    const mesh = bumpySphere(97, long ? 3 : 2);
    const used = buildObbTree(mesh, { nodeBytes });
    const random = seeded(97);
    for (let i = 0; i < (long ? 16 : 8); i++) {
      const poseB = compose(translation(random.between(-2, 2), random.between(-2, 2), 0), randomTurn(random));
      const fresh = buildObbTree(mesh, { nodeBytes });
      // Of one question: after 32 of them a kernel answers, which counts otherwise.
      const answer = (tree: ObbTree) => {
        const { contacts, tests, level, verdict } = openPair(tree, tree, { questions: 1 }).report({ poseB, all: true });
        return { contacts, tests, level, verdict };
      };
      expect(answer(used)).toEqual(answer(fresh));
    }
  });
});

test('a level limits the descent, and the level that was reached is reported', () => {
  const tree = buildObbTree(bumpySphere(98, 3));
  const poseB = translation(1.2, 0, 0);
  expect(check(tree, tree, { poseB, level: 3 })).toMatchObject({
    verdict: 'undecided',
    level: 3,
    contacts: { complete: false },
  });
  expect(check(tree, tree, { poseB }).level).toBeGreaterThan(8);
  expect(check(tree, tree, { poseB: translation(9, 0, 0), level: 0 }).verdict).toBe('clear');
});

test('the 40-byte node is what its description says, bit for bit', () => {
  const mesh = bumpySphere(99, 2);
  const tree = buildObbTree(mesh);
  const view = new DataView(tree.nodes.buffer);
  const seen = new Set<number>();
  let next = 1;
  const walk = (node: number): void => {
    const [x, y, z] = [0, 4, 8].map((o) => view.getFloat32(40 * node + o, true));
    // Floats are multiples of 2^-149; their squares' sum against 1, exactly.
    const exact = [x, y, z].map((q) => BigInt(q * 2 ** 149)).reduce((sum, q) => sum + q * q, 0n);
    expect(exact <= 2n ** 298n).toBe(true);
    for (const o of [24, 28, 32]) expect(view.getFloat32(40 * node + o, true)).toBeGreaterThan(0);
    const word = view.getUint32(40 * node + 36, true);
    if (word & 1) {
      expect(seen.has(word >>> 1)).toBe(false);
      seen.add(word >>> 1);
      return;
    }
    expect(word >>> 1).toBe(next);
    next += 2;
    walk(word >>> 1);
    walk((word >>> 1) + 1);
  };
  walk(0);
  expect(seen.size).toBe(mesh.triangles.length / 3);
});

test("the seed's ladder is the sum of its fields", () => {
  expect(layoutLadder().map((rung) => rung.bytes)).toEqual([132, 72, 68, 64, 44, 40, 64, 20]);
});

test.each([101, 102])('a quaternion names the same box, w at least 0.85, seed %i', (seed) => {
  const random = seeded(seed);
  const quaternion = new Float64Array(3);
  const decoded = new Float64Array(9);
  const cubic = [0, 90, 180, 270].flatMap((degrees) => [
    rotation(1, 0, 0, degrees),
    rotation(0, 1, 0, degrees),
    rotation(1, 1, 1, (degrees * 4) / 3),
  ]);
  for (const pose of [...cubic, ...Array.from({ length: 300 }, () => randomTurn(random))]) {
    const axes = Float64Array.from([0, 1, 2].flatMap((column) => [pose[column], pose[4 + column], pose[8 + column]]));
    const before = axes.slice();
    quaternionOf(axes, quaternion);
    const [x, y, z] = quaternion;
    expect(Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z))).toBeGreaterThan(0.85);
    rotationOf(x, y, z, decoded, 0);
    for (let axis = 0; axis < 3; axis++) {
      const column = [decoded[axis], decoded[3 + axis], decoded[6 + axis]];
      // Each decoded axis is one of the given three, or its opposite.
      const dots = [0, 3, 6].map((k) =>
        Math.abs(column[0] * before[k] + column[1] * before[k + 1] + column[2] * before[k + 2]),
      );
      expect(Math.max(...dots)).toBeGreaterThan(1 - 1e-14);
    }
  }
});

function randomDirection(random: Random): [number, number, number] {
  for (;;) {
    const v = [0, 0, 0].map(() => random.between(-1, 1));
    const length = Math.hypot(...v);
    if (length > 0.1 && length < 1) return v.map((x) => x / length) as [number, number, number];
  }
}

function randomTurn(random: Random): Pose {
  return rotation(...randomDirection(random), random.between(0, 360));
}

/** Six printed digits, or lengthened by what is just allowed. */
function distorted(pose: Pose, random: Random, digits: boolean): Pose {
  const factor = 1 + random.between(-4.9e-6, 4.9e-6);
  return pose.map((x, i) => (i % 4 === 3 || i > 11 ? x : digits ? Math.round(x * 1e6) / 1e6 : x * factor));
}

describe('where doubles end', () => {
  test('a contact of a triangle whose normal underflows is not missed', () => {
    // A lies in the plane y = 0, a corner at the origin, its centre 0.55 above: a normal of 5e-324 loses h |n . a_i|, but not n . c.
    const [s, c] = [Math.sqrt(0.8), Math.sqrt(0.2)];
    const a = meshOf([0, 0, 0, 0.98 * c, 0, 0.98 * s, 0.49 * (c - s), 0, 0.49 * (s + c)], [0, 1, 2]);
    for (const edge of [1e-100, 1e-121, 1e-155, 1e-160, 2e-162, 5e-324]) {
      const b = meshOf(
        [0, 0, 0, edge, 0, 0, 0, edge, 0, 0.01, 0, 0.01, 0.02, 0, 0.01, 0.01, 0.01, 0.01],
        [0, 1, 2, 3, 4, 5],
      );
      for (const nodeBytes of SIZES) {
        const trees = [buildObbTree(a, { nodeBytes }), buildObbTree(b, { nodeBytes: 20 })] as const;
        for (const [p, q] of [trees, [trees[1], trees[0]] as const]) {
          for (const path of [{}, { path: 'common' as const }]) {
            expect(check(p, q, { all: true, ...path }).contacts.pairs, `${edge}, ${nodeBytes}`).toEqual([[0, 0]]);
          }
        }
      }
    }
  });

  test('a corner that is no vertex is refused, whatever is built', () => {
    for (const format of ['gi', 'obb'] as const) {
      expect(() => build(meshOf([0, 0, 0, 1, 0, 0], [0, 1, 2]), { format })).toThrow(/below 2, found 2 in triangle 0/);
    }
  });

  test('a vertex that could not be stored is refused, one of no triangle too', () => {
    for (const [x, found] of [
      [1e200, /found 1e\+200/],
      [Number.NaN, /found NaN/],
      [Number.NEGATIVE_INFINITY, /found -Infinity/],
    ] as const) {
      expect(() => buildObbTree(meshOf([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, x, 0], [0, 1, 2]))).toThrow(found);
    }
  });
});
