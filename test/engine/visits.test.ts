/**
 * What a query tells of what it tests, of every kind, alone and mixed: as much as it counts, about nodes that the trees have, and nothing that
 * the contacts refute. The oracle walks the trees by `unfold`.
 */
// @module-tag all
// @module-tag long
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { memorySource } from '../../src/containers/byte-source.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { BoundTree } from '../../src/engine/bound-tree.ts';
import { HULL_NUMBERS } from '../../src/engine/narrow-phase.ts';
import { isOfTriangles } from '../../src/engine/operand.ts';
import type { CheckOptions } from '../../src/engine/options.ts';
import { check, openPair } from '../../src/engine/prepared.ts';
import type { HullVisit, NodeVisit, Report, Visit } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { createLibrary } from '../../src/library.ts';
import { identity, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { solids } from '../../src/solid/class-of.ts';
import { nearContact, randomDirection, randomRotation, shifted } from '../support/agreement.ts';
import { BUILDERS } from '../support/builders.ts';
import { ball, objectFrom } from '../support/frep-programs.ts';
import { long, some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, mapped, torus } from '../support/shapes.ts';

const shape = (seed: number): Mesh => mapped(bumpySphere(seed, long ? 2 : 1), (x, y, z) => [0.5 * x, 0.4 * y, 0.6 * z]);

function build(name: string, mesh: Mesh, options: object): Asset {
  return BUILDERS[name].build(mesh, options);
}

const ways: [string, (seed: number) => Asset][] = [
  ['gi', (seed) => build('gi', shape(seed), { size: 17 })],
  ['kdop', (seed) => build('kdop', shape(seed), { k: 14 })],
  ['obb 40', (seed) => build('obb', shape(seed), { nodeBytes: 40 })],
  ['obb 20', (seed) => build('obb', shape(seed), { nodeBytes: 20 })],
  ['obb 64', (seed) => build('obb', shape(seed), { nodeBytes: 64 })],
  ['voxel', (seed) => build('voxel', shape(seed), { precision: 0.125 })],
  ['frep', (seed) => objectFrom((to) => ball(to, 0.5 + 0.1 * seed, [0.1, 0, 0]), { resolution: 4 })],
  ['atlas', () => build('gi', torus(), { size: 17 })],
];
const kinds = ways.map(([name, make]) => ({ name, a: make(1), b: make(2) }));
/** All with all in the long run; before that each with its own and with two others, as either. */
const isAsked = (i: number, j: number): boolean => long || [0, 1, 3].includes((j - i + kinds.length) % kinds.length);
const pairs = kinds.flatMap((p, i) =>
  kinds
    .map((q, j) => ({ name: `${p.name} x ${q.name}`, a: p.a, b: q.b, seed: 1 + kinds.length * i + j, j }))
    .filter(({ j }) => isAsked(i, j)),
);

/** What is known of an asset's nodes, by their numbers: level, and the hulls below. */
interface Known {
  levels: Map<number, number>;
  hulls: Map<number, Set<number>>;
}
const known = new Map<Asset, Known>();

function nodesOf(asset: Asset): Known {
  const found = known.get(asset);
  if (found) return found;
  const tree = new BoundTree((node, into) => representationOf(asset).unfold(asset, node, into));
  for (let i = 0; i < tree.size; i++) if (!tree.isLeaf(i)) tree.firstChild(i);
  const [levels, hulls] = [new Map<number, number>(), new Map<number, Set<number>>()];
  for (let i = tree.size - 1; i >= 0; i--) {
    const [from, below] = [tree.isLeaf(i) ? ~tree.link[i] : tree.link[i], new Set<number>()];
    for (let k = from; k < from + tree.count[i]; k++) {
      for (const hull of tree.isLeaf(i) ? [k] : hulls.get(tree.own[k])!) below.add(hull);
    }
    levels.set(tree.own[i], tree.level[i]);
    hulls.set(tree.own[i], below);
  }
  expect(levels.size).toBe(tree.size);
  known.set(asset, { levels, hulls });
  return { levels, hulls };
}

/** Two poses at the end of contact, one in the midst of it and one far away. */
function posesOf(a: Asset, b: Asset, random: Random): [poseA: Pose, poseB: Pose][] {
  const [poseA, start, direction] = [randomRotation(random), randomRotation(random), randomDirection(random)];
  const ends = nearContact(a, b, poseA, start, direction);
  const poses = [...ends, shifted(start, direction, 0.2), shifted(start, direction, 7)];
  return [...poses.map((pose): [Pose, Pose] => [poseA, pose]), [identity(), identity()]];
}

function visited(
  a: Asset,
  b: Asset,
  options: CheckOptions,
): { report: Report; nodes: NodeVisit[]; hulls: HullVisit[] } {
  const visits: Visit[] = [];
  const report = check(a, b, { ...options, onVisit: (visit) => visits.push(visit) });
  return {
    report,
    nodes: visits.filter((visit) => visit.kind === 'nodes'),
    hulls: visits.filter((visit) => visit.kind === 'hulls'),
  };
}

const questions: CheckOptions[] = [
  {},
  { path: 'common' },
  { all: true, maxContacts: 1e6 },
  { level: 2 },
  ...some(0, [{ level: 4 }, { level: 2, all: true }, { maxContacts: 3, all: true }]),
  { clearance: 0.1 },
  { distance: true },
  { budget: 1e9 },
  { clearance: 0.1, all: true, maxContacts: 1e6 },
  { solid: 'auto', solids },
];

describe.each(pairs)('$name', ({ a, b, seed }) => {
  const seeds = some(1, [seed, seed + 100]);
  const areFreps = [a, b].every(({ representation }) => representation === 'frep');
  const areTriangles = isOfTriangles(a) && isOfTriangles(b);

  test.each(seeds)('tells as much as is counted, and answers as ever, seed %i', (s) => {
    for (const [poseA, poseB] of posesOf(a, b, seeded(s))) {
      for (const question of questions) {
        const options = { ...question, poseA, poseB };
        const { report, nodes, hulls } = visited(a, b, options);
        expect({ bounds: nodes.length, hulls: hulls.length }, JSON.stringify(question)).toEqual(report.tests);
        expect(report.engine).toMatch(/^(search|common|closest)$/);
        const plain = check(a, b, options);
        // Of two F-reps the common engine and their own search leave other questions open.
        const isOpen = areFreps && [report, plain].some(({ verdict }) => verdict === 'undecided');
        if (!isOpen) expect(report.verdict).toBe(plain.verdict);
        if (question.all && plain.contacts.complete && !areFreps) expect(report.contacts).toEqual(plain.contacts);
      }
    }
  });

  test.each(seeds)('nodes are those of the trees, and apart only where nothing below them touches, seed %i', (s) => {
    const [knownA, knownB] = [nodesOf(a), nodesOf(b)];
    for (const [poseA, poseB] of posesOf(a, b, seeded(s))) {
      const { contacts } = check(a, b, { poseA, poseB, all: true, maxContacts: 1e6 });
      for (const path of [{}, { path: 'common' }] as const) {
        const { nodes, report } = visited(a, b, { poseA, poseB, ...path });
        for (const { a: i, b: j, levelA, levelB, isApart } of nodes) {
          if (knownA.levels.get(i) !== levelA || knownB.levels.get(j) !== levelB)
            expect.fail(`nodes ${i} and ${j} are not on levels ${levelA} and ${levelB}`);
          const [belowA, belowB] = [knownA.hulls.get(i)!, knownB.hulls.get(j)!];
          const refuted = isApart && areTriangles && contacts.pairs.some(([p, q]) => belowA.has(p) && belowB.has(q));
          if (refuted) expect.fail(`nodes ${i} and ${j} are not apart`);
        }
        const [root] = nodes;
        expect(root).toMatchObject({ levelA: 0, levelB: 0 });
        expect(nodes.some(({ isApart }) => !isApart) || report.verdict !== 'contact').toBe(true);
      }
    }
  });

  test('the contact is the pair of primitives that was told last; two runs tell the same', () => {
    const [poseA, poseB] = posesOf(a, b, seeded(seed))[2];
    for (const path of [{}, { path: 'common' }] as const) {
      const one = visited(a, b, { poseA, poseB, ...path });
      const two = visited(a, b, { poseA, poseB, ...path });
      expect(two.nodes).toEqual(one.nodes);
      expect(two.hulls).toEqual(one.hulls);
      const { a: p, b: q } = one.hulls.at(-1)!;
      if (areTriangles && one.report.verdict === 'contact') expect([[p, q]]).toEqual(one.report.contacts.pairs);
    }
  });
});

// ------------------------------------------------------------------------------------------- what is drawn of nodes

/** Points that a node must hold: its hulls', or where these may hold nothing of a solid, their cores'. */
function pointsBelow(asset: Asset, ids: Iterable<number>): number[] {
  const { hull, solid } = representationOf(asset);
  const out = new Float64Array(HULL_NUMBERS);
  return Array.from(ids).flatMap((id) => Array.from(out.subarray(0, 3 * (solid?.core ?? hull)(asset, id, out))));
}

/** How far the points reach beyond a convex surface along a direction. */
function excessAlong([x, y, z]: readonly number[], surface: ArrayLike<number>, points: readonly number[]): number {
  const most = (p: ArrayLike<number>): number => {
    let found = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < p.length; i += 3) found = Math.max(found, p[i] * x + p[i + 1] * y + p[i + 2] * z);
    return found;
  };
  return most(points) - most(surface);
}

describe.each(kinds)('volumes of $name', ({ a, name }) => {
  const { own: extra, boundsOfLevel, depth } = representationOf(a);
  const volumes = extra!.volumes!;
  const { levels, hulls } = nodesOf(a);
  // Balls are drawn inscribed: they fall short of the ball by a fortieth.
  const spare = a.representation === 'gi' ? 0.025 : 1e-12;

  test('a node that is drawn holds what is below it, seed 5', () => {
    const random = seeded(5);
    const all = Array.from(levels.keys());
    for (const node of long ? all : [all[0], ...Array.from({ length: 60 }, () => random.pick(all))]) {
      const { positions } = volumes(a, [node]);
      const points = pointsBelow(a, hulls.get(node)!);
      if (points.length === 0) continue;
      const size = Math.max(...positions.map((x, i) => Math.abs(x - positions[i % 3])));
      for (let trial = 0; trial < 30; trial++) {
        const excess = excessAlong(randomDirection(random), positions, points);
        if (!(excess <= spare * size + 1e-12)) expect.fail(`node ${node} does not hold what is below it: ${excess}`);
      }
    }
  });

  test('nodes drawn together are those drawn alone, in their order', () => {
    const nodes = Array.from(levels.keys()).slice(-12);
    const together = volumes(a, nodes);
    const cornersOf = (surface: typeof together): string[] =>
      Array.from(surface.triangles, (v) => String(surface.positions.subarray(3 * v, 3 * v + 3)));
    expect(cornersOf(together)).toEqual(nodes.flatMap((node) => cornersOf(volumes(a, [node]))));
    expect(volumes(a, [])).toEqual({ positions: new Float64Array(0), triangles: new Uint32Array(0) });
  });

  test.runIf(a.representation !== 'gi')('a level is drawn as its nodes and the leaves above it are', () => {
    const { own, level, link } = walked(a);
    for (let l = 0; l <= depth(a); l++) {
      const ids = own.filter((_, i) => level[i] === l || (level[i] < l && link[i] < 0));
      const corners = ({ positions }: { positions: Float64Array }): string[] =>
        Array.from({ length: positions.length / 3 }, (_, v) => String(positions.subarray(3 * v, 3 * v + 3))).sort();
      expect(corners(volumes(a, ids)), name).toEqual(corners(boundsOfLevel(a, l)));
    }
  });
});

function walked(asset: Asset): { own: number[]; level: number[]; link: number[] } {
  const tree = new BoundTree((node, into) => representationOf(asset).unfold(asset, node, into));
  for (let i = 0; i < tree.size; i++) if (!tree.isLeaf(i)) tree.firstChild(i);
  const list = (of: Int32Array): number[] => Array.from(of.subarray(0, tree.size));
  return { own: list(tree.own), level: list(tree.level), link: list(tree.link) };
}

test('a geometry image without slabs is drawn as a level is', () => {
  const image = structuredClone(kinds[0].a) as Asset & { groups: { tree: { slabs: unknown } }[] };
  for (const { tree } of image.groups) tree.slabs = undefined;
  const { own, level } = walked(image);
  const { own: extra, boundsOfLevel } = representationOf(image);
  const volumes = extra!.volumes!;
  const ids = own.filter((_, i) => level[i] === 2);
  const sorted = (positions: Float64Array): Float64Array => positions.sort();
  expect(sorted(volumes(image, ids).positions)).toEqual(sorted(boundsOfLevel(image, 2).positions));
  expect(sorted(volumes(kinds[0].a, ids).positions)).not.toEqual(sorted(boundsOfLevel(image, 2).positions));
});

// ---------------------------------------------------------------------------------------------- who else would answer

test('a kernel gives way, and is asked again afterwards', () => {
  const [{ a, b }] = kinds.filter(({ name }) => name === 'kdop');
  const pair = openPair(a, b, { questions: 10_000 });
  const poseB = translation(0.3, 0, 0);
  let told = 0;
  expect(pair.report({ poseB }).engine).toBe('kernel');
  expect(pair.report({ poseB, onVisit: () => told++ }).engine).toBe('search');
  expect(told).toBeGreaterThan(0);
  expect(pair.report({ poseB }).engine).toBe('kernel');
});

test('opened images are read whole for it', async () => {
  const { openImage, write } = createLibrary(sharpCodec);
  const file = await write(kinds[0].a);
  const image = await openImage(memorySource(file));
  const poseB = translation(0.3, 0, 0);
  expect((await image.check(image, { poseB })).engine).toBe('tiles');
  const visits: Visit[] = [];
  const report = await image.check(image, { poseB, onVisit: (visit) => visits.push(visit) });
  expect(report.engine).toBe('search');
  expect(visits.length).toBe(report.tests.bounds + report.tests.hulls);
});

test("of sources that are kept, the triangles are the source's", () => {
  const make = (seed: number): Asset => build('gi', shape(seed), { size: 17, embedSource: true });
  const [a, b] = [make(1), make(2)];
  for (const x of [0.2, 0.9, 3]) {
    for (const question of [{}, { all: true }, { distance: true }]) {
      const { report, nodes, hulls } = visited(a, b, { ...question, source: true, poseB: translation(x, 0, 0) });
      expect({ bounds: nodes.length, hulls: hulls.length }).toEqual(report.tests);
      const told = new Set(hulls.map(({ a: p, b: q }) => `${p} ${q}`));
      expect(report.contacts.pairs.filter(([p, q]) => !told.has(`${p} ${q}`))).toEqual([]);
    }
  }
});

test('a query within it is refused; what it throws ends the query; what is no function is refused', () => {
  const [{ a, b }] = kinds;
  expect(() => check(a, b, { onVisit: () => check(a, b) })).toThrow('check: called within onContact or onVisit');
  expect(() => check(a, b, { onVisit: () => JSON.parse('{') })).toThrow(SyntaxError);
  expect(() => check(a, b, { onVisit: 1 as never })).toThrow(/^onVisit: expected a function, found 1$/);
  expect(check(a, b).verdict).toBe('contact');
});
