/** What images say of the meshes they were made of: with the source exactly what brute force says, without never anything wrong. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { FormatError } from '../../../src/base/errors.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import type { CheckOptions } from '../../../src/engine/options.ts';
import { check } from '../../../src/engine/prepared.ts';
import type { ContactPair } from '../../../src/engine/records.ts';
import type { Asset } from '../../../src/engine/representation.ts';
import type { DistanceBracket } from '../../../src/geometry/triangle-distance.ts';
import { triangleDistance } from '../../../src/geometry/triangle-distance.ts';
import { compose, identity, type Pose, translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { readFrep } from '../../../src/representations/frep/make/model.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { assembleImage, type GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { buildVoxels } from '../../../src/representations/voxel/make/index.ts';
import { nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { movedBy } from '../../support/cubes.ts';
import { first, long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import {
  bowTie,
  box,
  collinearTriangles,
  finnedBox,
  kleinBottle,
  mapped,
  moebiusStrip,
  octasphere,
  openCylinder,
  randomTriangles,
  repeated,
  sheets,
  thornyBall,
  together,
  torus,
} from '../../support/shapes.ts';

interface Source {
  name: string;
  mesh: Mesh;
  /** With the source's triangles and without. */
  image: GeometryImage;
  plain: GeometryImage;
  obb: Asset;
  kdop: Asset;
}

function sourceOf(name: string, mesh: Mesh): Source {
  const image = buildGeometryImage(mesh, { size: 17, embedSource: true });
  const plain = buildGeometryImage(mesh, { size: 17 });
  return { name, mesh, image, plain, obb: buildObbTree(mesh), kdop: buildKdopTree(mesh) };
}

const sources = [
  sourceOf('torus', torus(8, 5)),
  sourceOf('repeated sphere', repeated(octasphere(1))),
  sourceOf('Klein bottle', kleinBottle(8, 6)),
  sourceOf('Moebius strip', moebiusStrip(8)),
  sourceOf('cylinder', openCylinder(8, 2)),
  sourceOf('sheets', repeated(sheets(3))),
  sourceOf('fins', finnedBox(2)),
  sourceOf('bow tie', bowTie()),
  sourceOf('tangle', repeated(randomTriangles(2, 20, 9))),
  sourceOf('loose triangles', randomTriangles(1, 12)),
  sourceOf('collinear triangles', collinearTriangles()),
  sourceOf(
    'nested',
    together(
      box(1.5),
      mapped(octasphere(1), (x, y, z) => [0.6 * x, 0.6 * y, 0.6 * z]),
    ),
  ),
];

const byNumbers = (p: ContactPair, q: ContactPair): number => p[0] - q[0] || p[1] - q[1];
const flipped = (pairs: ContactPair[]): ContactPair[] => pairs.map(([p, q]): ContactPair => [q, p]).sort(byNumbers);

/** The distance of two meshes over all pairs of their triangles. */
function distanceOf(a: Mesh, poseA: Pose, b: Mesh, poseB: Pose): { lower: number; upper: number } {
  const corners = ({ positions, triangles }: Mesh, pose: Pose): Float64Array => {
    const moved = movedBy(pose, [...positions]);
    return Float64Array.from([...triangles].flatMap((v) => moved.slice(3 * v, 3 * v + 3)));
  };
  const [p, q] = [corners(a, poseA), corners(b, poseB)];
  const out: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
  const least = { lower: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
  for (let i = 0; i < p.length; i += 9) {
    for (let j = 0; j < q.length; j += 9) {
      triangleDistance(p, i, q, j, out);
      least.lower = Math.min(least.lower, out.lower);
      least.upper = Math.min(least.upper, out.upper);
    }
  }
  return least;
}

/** Two sources, and poses from deep in each other to apart, four of them as near to contact as doubles go. */
function scene(seed: number): { a: Source; b: Source; poseA: Pose; poses: Pose[] } {
  const random = seeded(seed);
  const a = sources[seed % sources.length];
  const b = random.pick(sources);
  const poseA = seed % 2 === 0 ? identity() : compose(translation(random.between(-3, 3), 1, 0), randomRotation(random));
  const turned = randomRotation(random);
  // A corner of b on one of a.
  const corner = movedBy(poseA, [...a.mesh.positions.subarray(0, 3)]);
  const other = movedBy(turned, [...b.mesh.positions.subarray(0, 3)]);
  const start = compose(translation(...(corner.map((x, k) => x - other[k]) as [number, number, number])), turned);
  const direction = randomDirection(random);
  const [inside, outside] = nearContact(a.obb, b.obb, poseA, start, direction);
  const poses = [start, inside, outside, shifted(outside, direction, 0.02), shifted(outside, direction, 0.5), poseA];
  return { a, b, poseA, poses };
}

const seeds = Array.from({ length: long ? 12 : 2 }, (_, i) => i);

/** In the short run in contact, as near to it as can be, and apart. */
const fewer = (poses: Pose[]): Pose[] => poses.filter((_, i) => long || i === 1 || i === 2 || i === 4);

describe('with the source', { tags: ['quick', 'long'] }, () => {
  test.each(seeds)('every verdict and every list is that of brute force, seed %i', (seed) => {
    const { a, b, poseA, poses } = scene(seed);
    for (const poseB of poses) {
      const expected = bruteForce(a.mesh, poseA, b.mesh, poseB);
      const verdict = expected.length > 0 ? 'contact' : 'clear';
      for (const [p, q] of [
        [a.image, b.image],
        [a.image, b.obb],
        [a.kdop, b.image],
      ]) {
        const options: CheckOptions = { poseA, poseB, source: true, maxContacts: 1e6 };
        const all = check(p, q, { ...options, all: true });
        expect(all.verdict, `${a.name}, ${b.name}`).toBe(verdict);
        expect(all.contacts).toEqual({ count: expected.length, complete: true, pairs: expected });
        const first = check(p, q, options);
        expect(first.verdict).toBe(verdict);
        expect(first.contacts.count).toBe(Math.min(1, expected.length));
        if (expected.length > 0) expect(expected).toContainEqual(first.contacts.pairs[0]);
        const swapped = check(q, p, { ...options, poseA: poseB, poseB: poseA, all: true });
        expect(flipped(swapped.contacts.pairs)).toEqual(expected);
      }
    }
  });

  test.each(seeds.slice(0, long ? 2 : 1))('distance, clearance, a cut list, a level, no time, seed %i', (seed) => {
    const { a, b, poseA, poses } = scene(seed);
    for (const poseB of fewer(poses)) {
      const expected = bruteForce(a.mesh, poseA, b.mesh, poseB);
      const truth = distanceOf(a.mesh, poseA, b.mesh, poseB);
      const options: CheckOptions = { poseA, poseB, source: true };
      for (const [p, q] of [
        [a.image, b.image],
        [a.obb, b.image],
      ]) {
        const { distance, bracket, witness, verdict } = check(p, q, { ...options, distance: true });
        expect(verdict).toBe(expected.length > 0 ? 'contact' : 'clear');
        expect(bracket!.lower).toBeLessThanOrEqual(truth.upper);
        expect(bracket!.upper).toBeGreaterThanOrEqual(truth.lower);
        expect(bracket!.upper - bracket!.lower).toBeLessThanOrEqual(1e-9);
        expect(distance).toBe(bracket!.upper);
        expect(witness!.pair![0]).toBeLessThan(a.mesh.triangles.length / 3);
        expect(witness!.pair![1]).toBeLessThan(b.mesh.triangles.length / 3);
        if (expected.length > 0) expect(expected).toContainEqual(witness!.pair);

        if (expected.length === 0) {
          expect(check(p, q, { ...options, clearance: 1.01 * truth.upper + 1e-9 }).verdict).toBe('contact');
          expect(check(p, q, { ...options, clearance: 0.99 * truth.lower }).verdict).toBe('clear');
          const near = check(p, q, { ...options, clearance: 1.01 * truth.upper + 1e-9, all: true, maxContacts: 1e6 });
          expect(new Set(near.contacts.pairs.map(String)).size).toBe(near.contacts.count);
          expect(near.contacts.count).toBeGreaterThan(0);
        }
        if (expected.length > 2) {
          const cut = check(p, q, { ...options, all: true, maxContacts: expected.length - 1 }).contacts;
          expect([cut.count, cut.complete]).toEqual([expected.length - 1, false]);
          for (const pair of cut.pairs) expect(expected).toContainEqual(pair);
          const exactly = check(p, q, { ...options, all: true, maxContacts: expected.length }).contacts;
          expect(exactly).toEqual({ count: expected.length, complete: true, pairs: expected });
          const handed: string[] = [];
          const stopped = check(p, q, {
            ...options,
            all: true,
            onContact: (i, j) => handed.push(`${i} ${j}`) < 2,
          });
          expect(handed).toHaveLength(2);
          expect([stopped.contacts.count, stopped.contacts.complete]).toEqual([2, false]);
        }
        for (const extra of [{ level: 0 }, { level: 2 }, { budget: 0 }] satisfies CheckOptions[]) {
          const partial = check(p, q, { ...options, ...extra });
          expect([verdict, 'undecided']).toContain(partial.verdict);
        }
      }
    }
  });
});

describe('without it', () => {
  test.each(some(1, seeds))(
    'never a contact, never a false clear, a bracket that holds the distance, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const { a, b, poseA, poses } = scene(seed);
      const cubes = buildVoxels(b.mesh, { precision: 0.25 });
      for (const poseB of fewer(poses)) {
        const truth = distanceOf(a.mesh, poseA, b.mesh, poseB);
        const touches = bruteForce(a.mesh, poseA, b.mesh, poseB).length > 0;
        for (const [p, q] of [
          [a.plain, b.plain],
          [a.plain, b.image],
          [a.plain, b.obb],
          [a.image, cubes],
        ]) {
          for (const extra of [{}, { distance: true }, { level: 2 }, { clearance: 0.1 }] satisfies CheckOptions[]) {
            const { verdict, bracket, contacts } = check(p, q, { poseA, poseB, source: true, ...extra });
            expect(verdict).not.toBe('contact');
            if (touches) expect(verdict).toBe('undecided');
            if ('clearance' in extra && verdict === 'clear') expect(truth.upper).toBeGreaterThan(0.1);
            expect(contacts).toEqual({ count: 0, complete: verdict === 'clear', pairs: [] });
            expect(bracket!.lower).toBeLessThanOrEqual(truth.upper);
            expect(bracket!.upper).toBeGreaterThanOrEqual(truth.lower);
            if ('distance' in extra && q !== cubes) {
              const width = bracket!.upper - bracket!.lower;
              const most = [p, q].reduce((sum, side) => {
                const { missing, excess } = (side as GeometryImage).tolerance ?? { missing: 0, excess: 0 };
                return sum + missing + excess;
              }, 1e-9);
              // A quad's own bound may be more than the image's.
              expect(width).toBeLessThanOrEqual(4 * most);
            }
          }
          const far =
            2 * ((p as GeometryImage).tolerance?.missing ?? 0) + 2 * ((q as GeometryImage).tolerance?.missing ?? 0);
          const apart = q !== cubes && truth.lower > 2 * far + 0.3;
          if (apart) expect(check(p, q, { poseA, poseB, source: true }).verdict).toBe('clear');
        }
      }
    },
  );
});

test.each(some(2, [15, 42, ...Array.from({ length: 16 }, (_, i) => 100 + i)]))(
  'a thorn in a sphere and out of its slab is no false clear, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed + 1);
    const meshes = [thornyBall(seed), box(3, 3, 0.2)];
    const [a, b] = meshes.map((mesh) => buildGeometryImage(mesh, { size: 17 }));
    const [treeA, treeB] = meshes.map((mesh) => buildObbTree(mesh));
    const verdicts = new Set<string>();
    for (let i = 0; i < 24; i++) {
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(treeA, treeB, identity(), randomRotation(random), direction);
      expect(check(a, b, { poseB: inside, source: true }).verdict, `pose ${i}`).toBe('undecided');
      const away = shifted(outside, direction, a.tolerance!.missing + b.tolerance!.missing);
      verdicts.add(check(a, b, { poseB: away, source: true }).verdict);
    }
    expect(verdicts).toContain('clear');
  },
);

describe('files', () => {
  test.each(some(1, ['deflate', 'lzw', 'none'] as const))(
    '%s: the source is read as it was written, by both codecs',
    { tags: ['all', 'long'] },
    async (compression) => {
      for (const { image, plain } of first(1, sources)) {
        const bytes = await encodeGeometryImage(image, sharpCodec, { compression });
        const without = await encodeGeometryImage(plain, sharpCodec, { compression });
        for (const codec of [sharpCodec, utifCodec]) {
          const { asset, warnings } = await decodeGeometryImage(bytes, codec);
          expect(warnings).toEqual([]);
          expect({ ...asset, header: null }).toEqual({ ...image, header: null });
          expect({ ...(await decodeGeometryImage(without, codec)).asset, header: null }).toEqual({
            ...plain,
            header: null,
          });
        }
      }
    },
  );

  test('what was read answers as what was built', async () => {
    const { a, b, poseA, poses } = scene(3);
    const read = async (image: GeometryImage) =>
      (await decodeGeometryImage(await encodeGeometryImage(image, sharpCodec), sharpCodec)).asset;
    const [p, q] = [await read(a.image), await read(b.image)];
    for (const poseB of poses) {
      const { contacts, verdict } = check(p, q, { poseA, poseB, source: true, all: true });
      expect({ contacts, verdict }).toMatchObject({ contacts: { pairs: bruteForce(a.mesh, poseA, b.mesh, poseB) } });
    }
  });

  const [{ image }] = sources;

  /** Where the attached blob lies in a file. */
  async function written(): Promise<{ bytes: Uint8Array; at: number; tag: number }> {
    const bytes = await encodeGeometryImage(image, sharpCodec, { compression: 'none' });
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    // Tag 65012, UNDEFINED: 12 bytes of an entry, or 20 of a BigTIFF's.
    const tag = buffer.indexOf(Buffer.of(0xf4, 0xfd, 7, 0));
    expect(tag).toBeGreaterThan(0);
    return { bytes, at: buffer.readUInt32LE(tag + 8), tag };
  }

  test('a byte changed anywhere in it is refused', { tags: ['quick', 'long'] }, async () => {
    const { bytes, at, tag } = await written();
    const length = Buffer.from(bytes).readUInt32LE(tag + 4);
    const random = seeded(1);
    for (let i = 0; i < (long ? 16 : 8); i++) {
      const damaged = bytes.slice();
      damaged[at + random.below(length)] ^= 1 << random.below(8);
      const error = await decodeGeometryImage(damaged, sharpCodec).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FormatError);
      expect((error as FormatError).message).toMatch(/source with the digest .* damaged/);
    }
  });

  test('one that is missing is refused', async () => {
    const { bytes, tag } = await written();
    const damaged = bytes.slice();
    // Another private tag in its place.
    damaged[tag] ^= 1;
    await expect(decodeGeometryImage(damaged, sharpCodec)).rejects.toThrow(/the source that the header lists/);
  });
});

describe('with solids that a function defines', () => {
  const mesh = box(1);
  const exact = buildGeometryImage(mesh, { size: 17, charts: 'one', embedSource: true });
  const { origin, step, groups, header, tolerance } = exact;
  const plain = assembleImage({ origin, step }, groups, header, { tolerance });
  const cubes = buildVoxels(mesh, { precision: 0.3 });
  const ball = compileFrep(readFrep(JSON.stringify({ object: { sphere: { radius: 0.5 } } })));

  test('a ball at the edge of a box that images and cubes round off: no false clear, true brackets, seed 9', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(9);
    const tree = buildObbTree(mesh);
    const verdicts = new Set<string>();
    for (let i = 0; i < (long ? 10 : 2); i++) {
      const depth = random.between(-0.02, 0.04);
      const s = 0.5 + (0.5 - depth) / Math.SQRT2;
      const poseB = translation(random.between(-0.45, 0.45), s, s);
      const truth = check(tree, ball, { poseB }).verdict;
      for (const [j, asset] of [plain, cubes, exact].entries()) {
        const asked = [{}, { distance: true }, { level: 8 }, { clearance: 0.001 }] as CheckOptions[];
        for (const [k, options] of asked.entries()) {
          // In the short run one place asks half of it and the next the rest, in either order.
          if (!long && (i + j + k) % 2 === 0) continue;
          for (const isSwapped of long ? [false, true] : [(i + (k >> 1)) % 2 === 1]) {
            const how = { ...options, source: true, ...(!long && { resolution: 9 }) };
            const report = isSwapped
              ? check(ball, asset, { ...how, poseA: poseB })
              : check(asset, ball, { ...how, poseB });
            verdicts.add(report.verdict);
            if (truth === 'contact') expect(report.verdict).not.toBe('clear');
            else if (asset !== exact || !options.clearance) expect(report.verdict).not.toBe('contact');
            // The ball is so deep in the edge, or as far from it.
            const apart = Math.max(0, -depth);
            if (!report.bracket) continue;
            expect(report.bracket.lower).toBeLessThanOrEqual(apart + 1e-12);
            expect(report.bracket.upper).toBeGreaterThanOrEqual(apart - 1e-12);
          }
        }
      }
    }
    expect(verdicts).toContain('undecided');
  });

  test('a subsampled image says of its source what its tolerance lets it say', () => {
    const size = 2.5;
    const near = check(exact, exact, { source: true, lod: 3, poseB: translation(size, 0, 0) });
    const { missing } = near.tolerance!;
    expect(missing).toBeGreaterThan(check(exact, exact).tolerance!.missing);
    expect(check(exact, exact, { source: true, lod: 3 }).verdict).toBe('undecided');
    const far = { source: true, lod: 3, poseB: translation(size + 2 * missing, 0, 0) };
    expect(check(exact, exact, far).verdict).toBe('clear');
    const { lower, upper } = check(exact, exact, { ...far, distance: true }).bracket!;
    const truth = check(exact, exact, { source: true, poseB: far.poseB, distance: true }).bracket!;
    expect(lower).toBeLessThanOrEqual(truth.upper);
    expect(upper).toBeGreaterThanOrEqual(truth.lower);
    expect(check(exact, exact, { source: true, lod: 9 }).verdict).toBe('contact');
    expect(check(exact, exact, { source: true, maxError: 0 }).verdict).toBe('contact');
  });

  test('witnesses are named by the source’s triangles where it is kept', () => {
    const poseB = translation(1.7, 0.1, 0);
    const { witness } = check(exact, plain, { poseB, source: true, distance: true });
    expect(witness?.pair[0]).toBeLessThan(mesh.triangles.length / 3);
  });
});
