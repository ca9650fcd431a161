/** `gicollide scene` of instances that deform: each frame as check has meshes built for it, and what is refused. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/engine/prepared.ts';
import { openScene } from '../../src/index.ts';
import { translation } from '../../src/math/pose.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { expectFailure, expectLine, makeFolder, run } from '../support/cli.ts';
import { gltfDraft } from '../support/glb.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { torus } from '../support/shapes.ts';

const mesh = torus(10, 6);

const OBJ = [
  'o ring',
  ...Array.from(
    { length: mesh.positions.length / 3 },
    (_, v) => `v ${mesh.positions.slice(3 * v, 3 * v + 3).join(' ')}`,
  ),
  ...Array.from({ length: mesh.triangles.length / 3 }, (_, t) => {
    const corners = mesh.triangles.slice(3 * t, 3 * t + 3);
    return `f ${[...corners].map((v) => v + 1).join(' ')}`;
  }),
].join('\n');

/** The bytes of a file of frames. */
function bytesOf(frames: readonly Float64Array[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * frames.reduce((sum, { length }) => sum + length, 0)));
  let at = 0;
  for (const frame of frames) for (const x of frame) view.setFloat64(8 * at++, x, true);
  return new Uint8Array(view.buffer);
}

function workspace(instances: object[], files: Record<string, string | Uint8Array>, more: object = {}): string {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'room'));
  const scene = { gicollide: 'scene/1', assets: { ring: 'ring.obj' }, instances, ...more };
  const all = { 'ring.obj': OBJ, 'room.scene.json': JSON.stringify(scene), ...files };
  for (const [name, content] of Object.entries(all)) writeFileSync(join(cwd, 'room', name), content);
  return cwd;
}

const scene = (cwd: string, ...flags: string[]) => run(['scene', 'room/room.scene.json', ...flags], { cwd });

const framesOf = (stdout: string): string[][] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === 'frame')
    .map(({ pairs }) => pairs.map(({ a, b }: { a: string; b: string }) => `${a} ${b}`));

describe.each(some(1, [1, 2, 3]))('seed %i', (seed) => {
  test('each frame is as check has meshes that were built for it', { tags: ['quick', 'long'] }, async () => {
    const random = seeded(seed);
    const count = long ? 16 : 8;
    const bent = (): Float64Array => {
      const [stretch, wave] = [random.between(0.5, 3), random.between(0, 2)];
      return mesh.positions.map((x, k) =>
        k % 3 === 0 ? stretch * x : x + wave * Math.sin(mesh.positions[k - (k % 3)]),
      );
    };
    const frames = Array.from({ length: count }, bent);
    const size = Math.max(...mesh.positions) * 2;
    const instances = [
      { name: 'a', asset: 'ring', deform: 'a.f64' },
      { name: 'b', asset: 'ring', translate: [1.4 * size, 0, 0] },
      { name: 'c', asset: 'ring', translate: [0, 1.2 * size, 0], scale: [1, 0.5, -1], deform: 'c.f64' },
    ];
    // c has fewer frames: it stays as its last one has it.
    const short = frames.slice(0, 3).map((positions) => positions.map((x) => 1.5 * x));
    const cwd = workspace(instances, { 'a.f64': bytesOf(frames), 'c.f64': bytesOf(short) });
    const { stdout } = await scene(cwd, '--json');
    const told = framesOf(stdout);
    expect(told).toHaveLength(count);
    const built = (positions: Float64Array, scale = [1, 1, 1]) =>
      buildObbTree({ ...mesh, positions: positions.map((x, k) => x * scale[k % 3]) }, { nodeBytes: 64 });
    let hits = 0;
    for (const [n, pairs] of told.entries()) {
      const assets = {
        a: { asset: built(frames[n]), pose: translation(0, 0, 0) },
        b: { asset: built(mesh.positions), pose: translation(1.4 * size, 0, 0) },
        c: { asset: built(short[Math.min(n, 2)], [1, 0.5, -1]), pose: translation(0, 1.2 * size, 0) },
      };
      const expected = (
        [
          ['a', 'b'],
          ['a', 'c'],
          ['b', 'c'],
        ] as const
      ).filter(([p, q]) => {
        const [first, second] = [assets[p], assets[q]];
        return check(first.asset, second.asset, { poseA: first.pose, poseB: second.pose }).verdict === 'contact';
      });
      hits += expected.length;
      expect(pairs).toEqual(expected.map((names) => names.join(' ')));
    }
    expect(hits).toBeGreaterThan(0);
    expect(hits).toBeLessThan(3 * count);
  });
});

test('frames move and deform at once, and units are converted', async () => {
  const wide = mesh.positions.map((x) => 1000 * x);
  const instances = [
    { name: 'a', asset: 'ring', deform: 'a.f64' },
    { name: 'b', asset: 'ring' },
  ];
  const far = { poses: { b: { translate: [1e6, 0, 0] } } };
  const near = { poses: { b: { translate: [0.01, 0, 0] } } };
  const small = mesh.positions.map((x) => 1e-3 * x);
  const more = { units: 'm', assets: { ring: { file: 'ring.obj', units: 'mm' } }, frames: [far, near, near] };
  const cwd = workspace(instances, { 'a.f64': bytesOf([mesh.positions, wide, small]) }, more);
  const told = framesOf((await scene(cwd, '--json')).stdout);
  expect(told[0]).toEqual([]);
  const built = (positions: Float64Array) => buildObbTree({ ...mesh, positions: positions.map((x) => x / 1000) });
  const pose = translation(0.01, 0, 0);
  const isHit = [wide, small].map((p) => check(built(p), built(mesh.positions), { poseB: pose }).verdict === 'contact');
  expect(told.slice(1).map((pairs) => pairs.length > 0)).toEqual(isHit);
});

test('morph targets of a glTF file', async () => {
  const draft = gltfDraft();
  const { positions, triangles } = mesh;
  const vectors = (numbers: Float64Array): number => draft.accessor(Float32Array.from(numbers), 'VEC3');
  const indices = draft.accessor(Uint32Array.from(triangles), 'SCALAR');
  draft.mesh({ attributes: { POSITION: vectors(positions) }, indices, targets: [{ POSITION: vectors(positions) }] });
  // Twice as large at the second key, and as large as before at the third one.
  const [input, output] = [
    [0, 1, 2],
    [0, 1, 0],
  ].map((all) => draft.accessor(Float32Array.from(all), 'SCALAR'));
  draft.json.animations = [
    { samplers: [{ input, output }], channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }] },
  ];
  const size = Math.max(...positions) * 2;
  const instances = [
    { name: 'a', asset: 'ring', deform: 'ring.glb' },
    { name: 'b', asset: 'ring', translate: [1.2 * size, 0, 0] },
  ];
  const cwd = workspace(instances, { 'ring.glb': draft.glb() }, { assets: { ring: 'ring.glb' } });
  expect(framesOf((await scene(cwd, '--json')).stdout)).toEqual([[], ['a b'], []]);
});

test('the library shows frames, and steps', async () => {
  const files: Record<string, Uint8Array> = {
    'ring.obj': new TextEncoder().encode(OBJ),
    'a.f64': bytesOf([mesh.positions, mesh.positions.map((x) => 100 * x)]),
  };
  const instances = [
    { name: 'a', asset: 'ring', deform: 'a.f64' },
    { name: 'b', asset: 'ring', translate: [60, 0, 0] },
  ];
  const opened = await openScene(
    { gicollide: 'scene/1', assets: { ring: 'ring.obj' }, instances } as Parameters<typeof openScene>[0],
    { read: (file) => files[file] },
  );
  const a = opened.deforming.get('a')!;
  expect(a.frames.count).toBe(2);
  const counts = [0, 1, 0, 7].map((n) => {
    a.show(n);
    opened.step({});
    return opened.touching().length;
  });
  expect(counts[2]).toBe(counts[0]);
  expect(counts[3]).toBe(counts[1]);
});

describe('what is refused', () => {
  const instances = (deform: string) => [
    { name: 'a', asset: 'ring', deform },
    { name: 'b', asset: 'ring' },
  ];
  const whole = bytesOf([mesh.positions]);

  test.each([
    [
      'half a frame',
      'a.f64',
      { 'a.f64': whole.subarray(8) },
      {},
      /a\.f64: expected frames of 60 vertices, 1440 bytes each/,
    ],
    ['no frame', 'a.f64', { 'a.f64': new Uint8Array(0) }, {}, /a\.f64: expected frames of 60 vertices.*found 0 bytes/],
    ['another ending', 'ring.obj', {}, {}, /ring\.obj: deform: expected a file of \.f64, \.glb or \.gltf/],
    ['no such file', 'a.f64', {}, {}, /a\.f64/],
    ['a file outside', '../a.f64', {}, {}, /--allow-outside/],
    [
      'what is split',
      'a.f64',
      { 'a.f64': whole },
      { assets: { ring: { file: 'ring.obj', split: 'elements' } } },
      /deform: expected an asset that is not split/,
    ],
    [
      'no numbers',
      'a.f64',
      { 'a.f64': bytesOf([mesh.positions.map(() => Number.NaN)]) },
      {},
      /a\.f64: frame 0: positions: expected finite/,
    ],
  ] as [string, string, Record<string, Uint8Array>, object, RegExp][])('%s', async (_, file, files, more, message) => {
    const { code, stderr } = await scene(workspace(instances(file), files, more));
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('a later frame, with its number', async () => {
    const files = { 'a.f64': bytesOf([mesh.positions, mesh.positions.map(() => Number.POSITIVE_INFINITY)]) };
    const failed = await scene(workspace(instances('a.f64'), files));
    expect(failed.code).toBe(2);
    expectLine(failed.stderr, /a\.f64: frame 1: positions: expected finite/);
  });

  test('a GPU', async () => {
    const cwd = workspace(instances('a.f64'), { 'a.f64': whole });
    expectFailure(await scene(cwd, '--device', 'gpu'), /some objects of this scene deform/);
    expectFailure(await scene(cwd, '--continuous'), /^--continuous needs rigid objects/);
  });
});
