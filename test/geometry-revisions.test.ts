/**
 * The `geometry` revisions of readers and builders: test/golden/geometry.json has a digest of what
 * each revision makes of golden inputs. Whoever changes geometry raises the revision and adds a
 * digest. Digests of earlier revisions stay.
 */
// @module-tag all
import { createHash, type Hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { build, read, readFrep, readMesh, write } from '../src/index.ts';
import { readersOf, readMeshFile } from '../src/readers/formats.ts';
import { KINDS } from '../src/representations/kinds.ts';
import { ifcZoo } from './support/ifc-zoo.ts';

const root = new URL('../', import.meta.url);
const bytesOf = (path: string) => new Uint8Array(readFileSync(new URL(path, root)));
const textOf = (value: string) => new TextEncoder().encode(value);

const GOLDEN: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(new URL('test/golden/geometry.json', root), 'utf8'),
);

/** A digest of plain values and typed arrays. */
function digestOf(value: unknown): string {
  const hash = createHash('sha256');
  add(hash, value);
  return hash.digest('hex').slice(0, 32);
}

function add(hash: Hash, value: unknown): void {
  if (ArrayBuffer.isView(value)) {
    hash.update(`${value.constructor.name} ${value.byteLength}\n`);
    hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined && typeof part !== 'function');
    hash.update(`${entries.length} parts\n`);
    for (const [key, part] of entries) {
      hash.update(`${key}\n`);
      add(hash, part);
    }
  } else hash.update(`${Object.is(value, -0) ? '-0' : String(value)}\n`);
}

/** A node that turns, scales and shows one triangle, of a buffer that stands in the file. */
function gltf(): Uint8Array {
  const positions = new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0.1).buffer);
  const uri = `data:application/octet-stream;base64,${Buffer.from(positions).toString('base64')}`;
  return textOf(
    JSON.stringify({
      asset: { version: '2.0' },
      buffers: [{ uri, byteLength: 36 }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0.1] }],
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      nodes: [{ mesh: 0, rotation: [0.5, 0.5, 0.5, 0.5], scale: [1, 2, 3], translation: [0.1, 0.2, 0.3] }],
      scenes: [{ nodes: [0] }],
      scene: 0,
    }),
  );
}

/** A triangle whose points follow two joints, by a half each. */
function skinned(): Uint8Array {
  const file = JSON.parse(new TextDecoder().decode(gltf()));
  const positions = Buffer.from(file.buffers[0].uri.split(',')[1], 'base64');
  const joints = Uint8Array.of(0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0);
  const weights = new Uint8Array(Float32Array.from({ length: 12 }, (_, k) => [0.5, 0.5, 0, 0][k % 4]).buffer);
  const bytes = Buffer.concat([positions, joints, weights]);
  const views = [0, 36, 48].map((byteOffset, k) => ({ buffer: 0, byteOffset, byteLength: [36, 12, 48][k] }));
  const more = [5121, 5126].map((componentType, k) => ({ bufferView: k + 1, componentType, count: 3, type: 'VEC4' }));
  return textOf(
    JSON.stringify({
      ...file,
      buffers: [{ uri: `data:application/octet-stream;base64,${bytes.toString('base64')}`, byteLength: bytes.length }],
      bufferViews: views,
      accessors: [...file.accessors, ...more],
      meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 } }] }],
      skins: [{ joints: [1, 2] }],
      nodes: [{ mesh: 0, skin: 0, scale: [9, 9, 9] }, { translation: [0, 0, 1] }, { scale: [2, 4, 8] }],
      scenes: [{ nodes: [0, 1, 2] }],
    }),
  );
}

/** An STL whose count is too small. */
function uncounted(): Uint8Array {
  const bytes = bytesOf('test/fixtures/meshes/box-binary.stl');
  bytes[80] = 3;
  return bytes;
}

const fixtures = (...names: string[]) => names.map((name) => bytesOf(`test/fixtures/${name}`));

/** A robot of version 1.1. */
const TURNED = `<robot version="1.1"><link name="a"/><link name="b"><collision><origin quat_xyzw="1 2 3 4"/><geometry>
<capsule radius="1" length="2"/></geometry></collision></link><joint name="j" type="floating"><parent link="a"/>
<child link="b"/><origin xyz="1 2 3" quat_xyzw="-1 0 0.5 0"/></joint></robot>`;

/** Files by the names of their formats. */
const FILES: Record<string, () => Uint8Array[]> = {
  IFC: () => [textOf(ifcZoo().text)],
  PLY: () =>
    fixtures('meshes/box-ascii.ply', 'meshes/box-binary_little_endian.ply', 'meshes/box-binary_big_endian.ply'),
  OFF: () => fixtures('meshes/box.off'),
  STL: () => [...fixtures('meshes/box-binary.stl', 'meshes/box-text.stl'), uncounted()],
  glTF: () => [gltf(), skinned()],
  URDF: () => [bytesOf('assets/arm.urdf'), textOf(TURNED)],
  COLLADA: () => fixtures('meshes/box.dae'),
  OBJ: () => [...fixtures('obj/everything.obj', 'obj/concave.obj', 'obj/relative.obj'), bytesOf('assets/bolt.obj')],
};

async function digestOfReader(format: string): Promise<string> {
  const all: unknown[] = [];
  for (const bytes of FILES[format]()) {
    const file = await readMeshFile(bytes, { open: (path) => bytesOf(`assets/${path}`) });
    expect(file.format).toBe(format);
    const { meshes, nodes, units } = file;
    all.push({ meshes, nodes, units });
  }
  return digestOf(all);
}

/** The options that each builder is tried with. */
const OPTIONS: Record<string, object[]> = {
  gi: [{ size: 17 }, { size: 17, charts: 'one' }, { size: 33, charts: 'one', fit: 'on', spheres: 'seed' }],
  kdop: [{}, { k: 6, bits: 8 }],
  obb: [{}, { nodeBytes: 20 }, { nodeBytes: 64 }],
  voxel: [{}, { fill: true }],
};

async function digestOfBuilder(format: string): Promise<string> {
  const all: unknown[] = [];
  if (format === 'frep') {
    for (const name of ['chain', 'goursat', 'island']) all.push(build(readFrep(bytesOf(`assets/${name}.frep.json`))));
  } else {
    const mesh = await readMesh(bytesOf(`assets/${format === 'gi' ? 'box' : 'bolt'}.obj`));
    for (const options of OPTIONS[format]) all.push(build(mesh, { ...options, format } as object));
  }
  const stored: unknown[] = [];
  for (const asset of all) {
    const { header: _, ...rest } = (await read(await write(asset as never))).asset as unknown as { header: unknown };
    stored.push(rest);
  }
  return digestOf(stored);
}

/** @param where the revision stands */
function expectGolden(name: string, revision: number, digest: string, where: string): void {
  const known = GOLDEN[name] ?? {};
  const isRaised = known[revision] === undefined;
  const line = `"${name}": { "${isRaised ? revision : revision + 1}": "${digest}" }`;
  const advice = `${isRaised ? '' : `raise geometry in ${where}, and `}add ${line} to test/golden/geometry.json`;
  expect(known[revision], `${name}: golden inputs have another geometry: ${advice}`).toBe(digest);
  const revisions = Array.from({ length: revision }, (_, i) => String(i + 1));
  expect(Object.keys(known), `${name}: revisions from 1 on, each with its digest`).toEqual(revisions);
  expect(new Set(Object.values(known)).size, `${name}: a digest comes twice`).toBe(revision);
}

// A robot's meshes are read by all readers.
const READERS = readersOf('URDF')
  .split(', ')
  .map((reader) => reader.split(' ') as [name: string, revision: string]);

describe('the geometry of golden inputs is that of the revision', () => {
  test.each(READERS)('reader %s', async (name, revision) => {
    expectGolden(name, Number(revision), await digestOfReader(name), 'src/readers/formats.ts');
  });

  test.each(KINDS.map(({ name, geometry }) => [name, geometry] as const))('builder %s', async (name, revision) => {
    expectGolden(name, revision, await digestOfBuilder(name), 'src/representations/kinds.ts');
  });

  test('every reader and builder is tried, and a digest knows a bit from another', () => {
    expect(READERS.map(([name]) => name).sort()).toEqual(Object.keys(FILES).sort());
    expect(Object.keys(GOLDEN).sort()).toEqual(
      [...READERS, ...KINDS.map(({ name }) => [name])].map(([name]) => name).sort(),
    );
    const array = Float64Array.of(1, 2, 3);
    const before = digestOf({ array });
    array[1] += Number.EPSILON * 2;
    expect(digestOf({ array })).not.toBe(before);
    expect(digestOf({ x: 0 })).not.toBe(digestOf({ x: -0 }));
  });
});
