/**
 * Assets whose vertices have moved: bounds are proved, verdicts and lists are the oracle's, nothing of the old geometry or the old
 * source is left, in a new asset or in place, whatever was asked or prepared before.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Asset } from '../../src/engine/representation.ts';
import {
  build,
  type CheckOptions,
  check,
  checkPoses,
  InputError,
  identity,
  openPair,
  type Pose,
  prepare,
  representationOf,
  rotation,
  translation,
  updateGeometry,
} from '../../src/index.ts';
import { kernelMemory } from '../../src/kernels/memory.ts';
import { expectAgreement } from '../support/agreement.ts';
import { long, some } from '../support/long.ts';
import { bruteForce } from '../support/oracle.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, icosphere } from '../support/shapes.ts';
import { triangulated } from './variants.ts';

const updatable = triangulated.filter(({ representation }) => representation.update);
const provenance = { source: { name: 'a.obj', sha256: 'ab'.repeat(32) }, options: { scale: 2 } };

type Deform = (x: number, y: number, z: number, random: () => number) => [number, number, number];

/** From what moves a little to what leaves nothing of the old shape. */
const DEFORMATIONS: Record<string, Deform> = {
  'bent a little': (x, y, z) => [x + 0.05 * Math.sin(3 * y), y, z + 0.05 * Math.cos(2 * x)],
  'wound up': (x, y, z) => [
    x * Math.cos(2 * z) - y * Math.sin(2 * z),
    x * Math.sin(2 * z) + y * Math.cos(2 * z),
    2 * z,
  ],
  'a point': () => [0.3, 0.2, 0.1],
  scattered: (_x, _y, _z, random) => [random() - 0.5, random() - 0.5, random() - 0.5],
  'as it was': (x, y, z) => [x, y, z],
  'a plane': (x, y) => [x, y, 0],
  'a line': (x) => [x, 2 * x, -x],
  'inside out': (x, y, z) => [-x, y, z],
  'on whole numbers': (x, y, z) => [Math.round(2 * x), Math.round(2 * y), Math.round(2 * z)],
  tiny: (x, y, z) => [1e-12 * x, 1e-12 * y, 1e-12 * z],
};
// Farther from one another than they are large: distances are rounded, and so are the bounds.
const FAR: Deform = (x, y, z) => [x + 1e6, y - 1e6, z];

function deformed(asset: Asset, deform: Deform, seed: number): Float64Array {
  const random = seeded(seed);
  const positions = Float64Array.from(representationOf(asset).surface(asset).positions);
  // What lies on one point moves to one point: the sides of images.
  const moved = new Map<string, number[]>();
  for (let v = 0; v < positions.length; v += 3) {
    const key = positions.slice(v, v + 3).join();
    const to = moved.get(key) ?? deform(positions[v], positions[v + 1], positions[v + 2], random.next);
    moved.set(key, to);
    positions.set(to, v);
  }
  return positions;
}

const problemsOf = (asset: Asset): string[] => representationOf(asset).verify(asset).problems;

/** The lists of two assets, against the oracle on the surfaces that they have now. */
function expectOracle(a: Asset, b: Asset, poseB: Pose): number {
  const [surfaceA, surfaceB] = [a, b].map((asset) => representationOf(asset).surface(asset));
  return expectAgreement(a, b, identity(), poseB, bruteForce(surfaceA, identity(), surfaceB, poseB)).length;
}

describe.each(updatable)('$name', ({ build: buildOne, encode, decode, representation }) => {
  const isSlow = representation.name === 'gi';
  const levels = long && !isSlow ? 2 : 1;
  const make = () => buildOne(bumpySphere(3, levels), provenance);
  const other = buildOne(icosphere(1));
  // Rational arithmetic takes its time with the thousands of triangles of an image; where all meet all, minutes.
  const cases = some(isSlow ? [1, 1] : [1, 4], Object.entries(DEFORMATIONS)).flatMap(([name, deform]) =>
    isSlow && name === 'scattered' ? [] : [[name, 1, deform] as const],
  );
  test.each(cases)(
    '%s, seed %i: proved, and the oracle finds the same',
    { tags: ['quick', 'all', 'long'] },
    async (_, seed, deform) => {
      const asset = make();
      const before = await encode(asset);
      const positions = deformed(asset, deform, seed);
      const given = positions.slice();
      const updated = updateGeometry(asset, positions);
      expect(positions).toEqual(given);
      expect(problemsOf(updated)).toEqual([]);
      const surface = representation.surface(updated);
      expect(representation.surface(asset).triangles.length).toBe(surface.triangles.length);
      if (representation.name !== 'gi') expect(surface.positions).toEqual(positions);
      const random = seeded(seed + 40);
      const direction = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
      for (const reach of isSlow ? [0.8] : [0.2, 0.8, 3]) {
        expectOracle(updated, other, translation(direction[0] * reach, direction[1] * reach, direction[2] * reach));
      }
      if (!isSlow) expectOracle(updated, updated, rotation(1, 2, 3, random.between(0, 360)));
      // The old one is as it was, and may be updated again.
      expect(await encode(asset)).toEqual(before);
      // In place, with a kernel's copy and without: the same bytes.
      const bytes = await encode(updated);
      for (const prepares of [false, true]) {
        const own = make();
        if (prepares) prepare(own, own).contact(identity());
        expect(updateGeometry(own, positions, { inPlace: true })).toBe(own);
        expect(await encode(own)).toEqual(bytes);
      }
      expect(await encode(await decode(bytes))).toEqual(bytes);
    },
  );

  test('far from where it was, and back', { tags: ['quick', 'long'] }, () => {
    const asset = make();
    const home = deformed(asset, (x, y, z) => [x, y, z], 1);
    const away = updateGeometry(asset, deformed(asset, FAR, 1));
    expect(problemsOf(away)).toEqual([]);
    expect(check(away, other).verdict).toBe('clear');
    if (!isSlow) expectOracle(away, other, translation(1e6, -1e6, 0));
    const back = updateGeometry(away, home);
    expect(problemsOf(back)).toEqual([]);
    expectOracle(back, other, translation(0.5, 0.5, 0));
  });

  test('says that it was updated, and nothing of the old source, in its file, too', async () => {
    const options = {
      ...provenance,
      units: 'mm',
      ...(representation.name === 'gi' && { embedSource: true, maxError: 0.5 }),
    };
    const asset = buildOne(bumpySphere(3, 1), options);
    const read = await decode(await encode(updateGeometry(asset, deformed(asset, DEFORMATIONS['bent a little'], 1))));
    const description = await representation.describe(read, null);
    expect(description).toMatchObject({ source: null, tolerance: null, units: 'mm' });
    expect(description.options).toMatchObject({ geometry: 'updated' });
    expect(description.options).not.toHaveProperty('scale');
    expect(description.options).not.toHaveProperty('maxError');
    expect(representation.own?.source?.(read) ?? null).toBeNull();
    expect(representation.tolerance(read)).toBeNull();
    expect(() => check(read, read, { source: true })).toThrow(/records no tolerance/);
    expect(problemsOf(read)).toEqual([]);
  });

  test('float32 is as good as the doubles of the same values', { tags: ['quick', 'long'] }, async () => {
    const asset = make();
    const floats = Float32Array.from(deformed(asset, DEFORMATIONS['bent a little'], 1));
    const [a, b] = [floats, Float64Array.from(floats)].map((positions) => updateGeometry(asset, positions));
    expect(await encode(a)).toEqual(await encode(b));
  });

  /** What was prepared before the update. */
  const POSES = [translation(0.3, 0, 0), translation(1.9, 0, 0), translation(2.6, 0, 0), translation(7, 0, 0)];
  const QUESTIONS: CheckOptions[] = [
    { all: true },
    { all: true, path: 'common' },
    { distance: true },
    { clearance: 0.5 },
    { budget: 1e6 },
    { level: 2 },
    { level: 2, path: 'common' },
    ...(representation.name === 'gi' ? [{ lod: 3, all: true }] : []),
  ];
  const answers = (a: Asset, b: Asset) =>
    POSES.flatMap((poseB) =>
      QUESTIONS.flatMap((question) =>
        [check(a, b, { ...question, poseB }), check(b, a, { ...question, poseA: poseB })].map((report) => ({
          verdict: report.verdict,
          pairs: question.all ? report.contacts.pairs : null,
          distance: report.distance === null ? null : Number(report.distance.toPrecision(9)),
        })),
      ),
    );
  const OTHERS: [string, () => Asset][] = [
    ['one of its kind', () => buildOne(icosphere(1))],
    ['a wide tree', () => build(icosphere(1), { format: 'obb', nodeBytes: 64 })],
    // Beside which a narrow one is placed once more.
    ['a k-DOP tree of 30 bits', () => build(icosphere(1), { format: 'kdop', bits: 30 })],
    ['a k-DOP tree', () => build(icosphere(1), { format: 'kdop' })],
  ];

  test.each(some(3, OTHERS))(
    'in place: whatever was asked of it and %s sees the update',
    { tags: ['quick', 'long'] },
    async (_, makeOther) => {
      const [asset, b] = [make(), makeOther()];
      const own = [prepare(asset, b), openPair(asset, b), openPair(asset, b, { questions: 40 })] as const;
      const turned = [prepare(b, asset), openPair(b, asset)] as const;
      const self = prepare(asset, asset);
      const ask = () =>
        POSES.map((poseB) => [
          ...own.map((pair) => [pair.verdict(poseB), Number(pair.distance(poseB)?.toPrecision(9))]),
          ...turned.map((pair) => [pair.verdict(poseB), pair.clearance(poseB, 0.5)]),
          [self.verdict(poseB), Number(self.distance(poseB)?.toPrecision(9))],
        ]);
      const ownKernel = own[0].isFast;
      // More than a kernel waits for.
      for (let i = 0; i < 40; i++) own[1].verdict(POSES[1]);
      answers(asset, b);
      ask();
      const seen = new Set<string>();
      const steps: Deform[] = [(x, y, z) => [3 * x, y, z], (x, y, z) => [x + 4, y, z], (x, y, z) => [x - 8, z, y]];
      for (const [i, deform] of steps.entries()) {
        // Of another width in between, for which a kernel's copy has no room.
        const positions = deformed(asset, deform, 1);
        updateGeometry(asset, i === 1 ? Float32Array.from(positions) : positions, { inPlace: true });
        expect(problemsOf(asset)).toEqual([]);
        // One that nobody has asked anything yet, of the same bytes.
        const cold = await decode(await encode(asset));
        const coldPairs = [prepare(cold, b), prepare(b, cold), prepare(cold, cold)] as const;
        const expected = POSES.map((poseB) => {
          const [ab, ba, aa] = coldPairs;
          const first = [ab.verdict(poseB), Number(ab.distance(poseB)?.toPrecision(9))];
          const second = [ba.verdict(poseB), ba.clearance(poseB, 0.5)];
          return [first, first, first, second, second, [aa.verdict(poseB), Number(aa.distance(poseB)?.toPrecision(9))]];
        });
        expect(ask()).toEqual(expected);
        expect(answers(asset, b)).toEqual(answers(cold, b));
        expect(own[0].isFast).toBe(ownKernel);
        for (const [first] of expected) seen.add(String(first[0]));
      }
      // The steps were not all alike.
      expect(seen.size).toBe(2);
    },
  );

  test('verdicts of many poses, before an update in place and after it', { tags: ['quick', 'long'] }, async () => {
    const asset = make();
    const poses = Float64Array.from({ length: 16 * 40 }, (_, i) => identity()[i % 16]);
    for (let i = 0; i < 40; i++) poses[16 * i + 3] = i / 8;
    await checkPoses(asset, other, poses);
    updateGeometry(
      asset,
      deformed(asset, (x, y, z) => [x + 3, y, z], 1),
      { inPlace: true },
    );
    const found = await checkPoses(asset, other, poses);
    const cold = await decode(await encode(asset));
    expect(found).toEqual(await checkPoses(cold, other, poses));
    expect(new Set(found)).toEqual(new Set([0, 1]));
  });

  test.skipIf(!kernelMemory())(
    'frame after frame in place, the memory of kernels does not grow',
    { tags: ['quick', 'long'] },
    () => {
      // Large enough that a dozen copies are more than the memory begins with.
      const asset = buildOne(bumpySphere(3, isSlow ? 1 : 3));
      const checker = prepare(asset, other);
      const positions = [-0.5, 0.5].map((s) => deformed(asset, (x, y, z) => [x + s, y, z], 1));
      const frame = (i: number): void => {
        updateGeometry(asset, positions[i % 2], { inPlace: true });
        checker.verdict(identity());
        checker.distance(identity());
      };
      const bytes = () => kernelMemory()?.memory.buffer.byteLength;
      for (let i = 0; i < 2; i++) frame(i);
      const before = bytes();
      for (let i = 0; i < (long ? 40 : 30); i++) frame(i);
      expect(bytes()).toBe(before);
    },
  );

  test('a copy of the record keeps the geometry that it had', { tags: ['quick', 'long'] }, () => {
    const asset = make();
    const copy = { ...asset };
    prepare(asset, other).contact(identity());
    updateGeometry(
      asset,
      deformed(asset, (x, y, z) => [x + 50, y, z], 1),
      { inPlace: true },
    );
    expect(check(asset, other).verdict).toBe('clear');
    expect(problemsOf(copy)).toEqual([]);
    expect(check(copy, other).verdict).toBe('contact');
    expect(prepare(copy, other).contact(identity())).toBe(true);
  });
});

describe('what is refused, in one line, and changes nothing', () => {
  const tree = build(icosphere(1), { format: 'obb', nodeBytes: 64 });
  const { positions } = icosphere(1);
  // biome-ignore lint/suspicious/noExplicitAny: whatever JavaScript may hand over
  type Anything = any;
  const voxels = build(icosphere(1), { format: 'voxel', precision: 0.5 });
  const at = (i: number, x: number) => positions.map((old, k) => (k === i ? x : old));
  const CASES: [string, () => unknown, RegExp][] = [
    ['no asset', () => updateGeometry(null as Anything, positions), /^asset: expected an asset from build or read/],
    ['a mesh', () => updateGeometry(icosphere(1) as Anything, positions), /^asset: expected/],
    [
      'nothing',
      () => updateGeometry(tree, undefined as Anything),
      /^positions: expected a Float64Array or a Float32Array/,
    ],
    ['an array', () => updateGeometry(tree, [...positions] as Anything), /found Array of 126$/],
    [
      'too few',
      () => updateGeometry(tree, positions.subarray(3)),
      /^positions: expected 126 numbers, .*42 vertices, found 123$/,
    ],
    ['too many', () => updateGeometry(tree, new Float64Array(129)), /found 129$/],
    [
      'NaN',
      () => updateGeometry(tree, at(4, Number.NaN)),
      /expected finite coordinates up to 1e\+37, found NaN at vertex 1$/,
    ],
    ['Infinity', () => updateGeometry(tree, at(125, -Infinity)), /found -Infinity at vertex 41$/],
    ['too far', () => updateGeometry(tree, at(0, 1e38)), /found 1e\+38 at vertex 0$/],
    [
      'cubes',
      () => updateGeometry(voxels, positions),
      /^updateGeometry: voxel cannot be updated: cubes .* build them again$/,
    ],
    ['an unknown option', () => updateGeometry(tree, positions, { inplace: true } as Anything), /did you mean inPlace/],
    ['inPlace in quotes', () => updateGeometry(tree, positions, { inPlace: 'yes' } as Anything), /found "yes"$/],
    ['a frozen asset', () => updateGeometry(Object.freeze({ ...tree }), positions, { inPlace: true }), /a frozen one/],
  ];
  test.each(CASES)('%s', async (_, ask, line) => {
    let found: unknown;
    try {
      ask();
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(InputError);
    expect((found as Error).message).toMatch(line);
    expect((found as Error).message).toMatch(/^[^\p{Cc}]{10,300}$/u);
    expect(problemsOf(tree)).toEqual([]);
    expect(check(tree, tree, { poseB: translation(1, 0, 0) }).verdict).toBe('contact');
  });

  test('in place, a refused update leaves what was prepared as it was', () => {
    const own = build(icosphere(1), { format: 'obb', nodeBytes: 64 });
    const checker = prepare(own, tree);
    expect(() => updateGeometry(own, at(4, Number.NaN), { inPlace: true })).toThrow(/NaN/);
    expect(checker.contact(translation(1, 0, 0))).toBe(true);
    expect(checker.contact(translation(3, 0, 0))).toBe(false);
  });

  test.skipIf(!kernelMemory())('nodes that somebody has broken since: no tree, no update, no stale kernel', () => {
    const own = build(icosphere(1), { format: 'obb', nodeBytes: 64 });
    const words = new Uint32Array(own.nodes.buffer);
    const link = words[9];
    for (const wrong of [link | 1, 8 << 3, 0xfffffff0]) {
      words[9] = wrong >>> 0;
      for (const inPlace of [false, true])
        expect(() => updateGeometry(own, positions, { inPlace })).toThrow(InputError);
    }
    words[9] = link;
    (own.order as Uint32Array)[0] = (own.order as Uint32Array)[1];
    expect(() => updateGeometry(own, positions)).toThrow(/every triangle once/);
  });

  test('in place within onContact; a new asset may be made there', () => {
    const own = build(icosphere(1), { format: 'obb', nodeBytes: 64 });
    let made: Asset | undefined;
    const onContact = () => {
      expect(() => updateGeometry(own, positions, { inPlace: true })).toThrow(/within onContact/);
      made = updateGeometry(own, positions);
    };
    expect(check(own, tree, { poseB: translation(1, 0, 0), all: true, onContact }).verdict).toBe('contact');
    expect(problemsOf(made as Asset)).toEqual([]);
  });

  test('in place while many poses are being answered', async () => {
    const own = build(icosphere(1), { format: 'obb', nodeBytes: 64 });
    const poses = Float64Array.from({ length: 16 * 10 }, (_, i) => identity()[i % 16]);
    const answering = checkPoses(own, tree, poses);
    expect(() => updateGeometry(own, positions, { inPlace: true })).toThrow(/a check of many poses uses this asset/);
    await answering;
    expect(updateGeometry(own, positions, { inPlace: true })).toBe(own);
  });
});

test('whatever hangs on an asset is known to updates', () => {
  const root = fileURLToPath(new URL('../../src', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const caches = files
    .filter((file) => /new WeakMap/.test(readFileSync(`${root}/${file}`, 'utf8')))
    .map((file) => file.replaceAll('\\', '/'))
    .sort();
  expect(caches).toEqual(
    [
      // Moved or dropped by updateGeometry itself.
      'kernels/memory.ts',
      // Of meshes while they are built, and of their parts' numbers alone.
      'mesh/manifold.ts',
      // Of poses, within one search.
      'motion/swept-gap.ts',
      // Look for themselves whether their assets have changed.
      'engine/prepared-kernel.ts',
      'engine/prepared.ts',
      // Of trees without nodes: an update reads these first, which makes them.
      'representations/kdop/make-later.ts',
      // Of opened images, and of copies that threads have: neither is updated.
      'representations/opened.ts',
      'work/pool.ts',
      'engine/asset-cache.ts',
      // Of programs, which have no vertices.
      'representations/frep/index.ts',
      'representations/frep/tree/unfold.ts',
      'representations/frep/tree/cell-function.ts',
      'representations/frep/tree/program.ts',
      // Of geometries of three's, whose versions it looks at.
      'three/geometry-trees.ts',
      // Of one reading of a file.
      'readers/ifc/lower/brep.ts',
      'readers/ifc/lower/curves.ts',
      'readers/ifc/lower/frames.ts',
      // Of a page's document, which nobody changes.
      'viewer/standing.ts',
      // Of jobs of builds, and of sources that a run of the command line has read, and of its rules.
      'cli/make/threads.ts',
      // Which run a finding is of.
      'cli/findings/report-files.ts',
      'scene/assets.ts',
      // Of assets that a watch has loaded, which it never changes.
      'scene/known-pairs.ts',
    ].sort(),
  );
});
