/** glTF files that are wrong: each ends in one line that says where, or is read to sound meshes. */
import { type Document, type Extension, WebIO } from '@gltf-transform/core';
import { EXTMeshoptCompression, KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco from 'draco3dgltf';
import { MeshoptEncoder } from 'meshoptimizer';
import { beforeAll, describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.ts';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { dracoCounts } from '../../src/readers/gltf/draco.ts';
import { type MeshFile, worldMatrices } from '../../src/readers/mesh-file.ts';
import { looksLikeGltf } from '../../src/readers/signatures.ts';
import { type GltfDraft, glbOf, gltfDraft, openGlb } from '../support/glb.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';
import { bumpySphere } from '../support/shapes.ts';

const read = (bytes: Uint8Array): Promise<ReadMeshFile> =>
  readMeshFile(bytes, {
    open() {
      throw new InputError('nothing is beside it');
    },
  });

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: a test changes whatever it likes
type Anything = any;

/** A sound file, with all that is read but what is compressed. */
function soundDraft(): GltfDraft {
  const draft = gltfDraft();
  const { json } = draft;
  const points = Float32Array.from({ length: 36 }, (_, k) => ((k * 7919) % 101) / 10);
  const position = draft.accessor(points, 'VEC3');
  const attributes = { POSITION: position };
  const indices = draft.accessor(Uint16Array.of(0, 1, 2, 3, 4, 5), 'SCALAR');
  draft.mesh({ attributes, indices }, { name: 'first' });
  draft.mesh({ attributes, indices, mode: 5 });
  draft.mesh({ attributes, mode: 6 });
  const strided = draft.view(new Uint8Array(64), { byteStride: 16 });
  const replaced = draft.view(Uint8Array.of(0, 3));
  const by = draft.view(new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer));
  const sparse = { count: 2, indices: { bufferView: replaced, componentType: 5121 }, values: { bufferView: by } };
  json.accessors.push({ bufferView: strided, byteOffset: 4, componentType: 5126, type: 'VEC3', count: 4, sparse });
  draft.mesh({
    attributes: { POSITION: json.accessors.length - 1 },
    indices: draft.accessor(Uint8Array.of(0, 1, 3), 'SCALAR'),
  });
  const places = draft.accessor(Float32Array.of(0, 0, 0, 1, 2, 3), 'VEC3');
  json.nodes[2].extensions = { EXT_mesh_gpu_instancing: { attributes: { TRANSLATION: places } } };
  json.nodes[0].children = [4];
  json.nodes.push({ mesh: 1, matrix: [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 4, 5, 6, 1] });
  json.nodes[1].rotation = [0, 0.6, 0, 0.8];
  json.nodes[1].scale = [1, -2, 3];
  json.extensionsRequired = ['EXT_mesh_gpu_instancing'];
  return draft;
}

/** Two meshes by two skins of three joints, one of which is above the scene's roots. */
function skinnedDraft(): GltfDraft {
  const draft = gltfDraft();
  const { json } = draft;
  for (let m = 0; m < 2; m++) {
    const attributes = {
      POSITION: draft.accessor(
        Float32Array.from({ length: 18 }, (_, k) => ((k * 7919) % 101) / 10),
        'VEC3',
      ),
      JOINTS_0: draft.accessor(
        Uint8Array.from({ length: 24 }, (_, k) => k % 3),
        'VEC4',
      ),
      WEIGHTS_0: draft.accessor(
        Uint8Array.from({ length: 24 }, (_, k) => 50 + k),
        'VEC4',
        { normalized: true },
      ),
    };
    draft.mesh({ attributes });
  }
  const inverses = Float32Array.from({ length: 48 }, (_, k) => ((k % 16) % 5 === 0 || k % 16 === 12 ? 1 : 0));
  const inverseBindMatrices = draft.accessor(inverses, 'MAT4');
  json.skins = [{ joints: [2, 3, 4], inverseBindMatrices }, { joints: [4, 4, 2] }];
  json.nodes[0].skin = 0;
  json.nodes[1].skin = 1;
  json.nodes.push(
    { children: [3], translation: [1, 2, 3] },
    { scale: [1, 2, 3] },
    { children: [2], rotation: [0, 0.6, 0, 0.8] },
  );
  (json.scenes[0].nodes as number[]).push(2);
  return draft;
}

const rejected = async (change: (json: Anything, draft: GltfDraft) => void): Promise<string> => {
  const draft = soundDraft();
  change(draft.json, draft);
  return (await refusal(read(draft.glb()))).message;
};

test('the sound file is read', async () => {
  const file = await read(soundDraft().glb());
  expect([file.meshes.length, file.nodes.length, file.warnings]).toEqual([4, 7, []]);
});

describe('what is wrong is said', () => {
  const cases: [string, (json: Anything) => void, string | RegExp][] = [
    ['no asset', (j) => delete j.asset, 'expected the asset of glTF, found an object with "scene"'],
    ['glTF 1', (j) => (j.asset.version = '1.0'), 'expected version 2.0 of glTF at asset.version, found "1.0"'],
    ['a newer one', (j) => (j.asset.minVersion = '2.1'), /version 2.0 of glTF at asset.minVersion, found "2.1"/],
    [
      'an extension',
      (j) => j.extensionsRequired.push('ACME_shape'),
      /that gicollide does not read, found "ACME_shape"/,
    ],
    ['a scene that is not there', (j) => (j.scene = 3), 'expected a whole number from 0 to 0 at scene, found 3'],
    [
      'two parents',
      (j) => (j.nodes[1].children = [4]),
      /a node with one parent \(nodes\[0\] has it, too\) at nodes\[1\].children\[0\]/,
    ],
    ['a node below itself', (j) => (j.nodes[4].children = [4]), /\(nodes\[0\] has it, too\) at nodes\[4\]/],
    ['a ring', (j) => (j.nodes[4].children = [0]), /expected a node that is not below itself at nodes\[0\], found 0/],
    ['a root twice', (j) => j.scenes[0].nodes.push(0), /each root once at scenes\[0\].nodes\[4\], found 0/],
    [
      'a child that is not there',
      (j) => (j.nodes[0].children = [77]),
      /from 0 to 4 at nodes\[0\].children\[0\], found 77/,
    ],
    [
      '15 numbers',
      (j) => j.nodes[4].matrix.pop(),
      'expected a list of 16 numbers at nodes[4].matrix, found a list of 15',
    ],
    ['a projection', (j) => (j.nodes[4].matrix[3] = 1), /expected 0, 0, 0, 1 as the last row at nodes\[4\].matrix/],
    ['a matrix and parts', (j) => (j.nodes[4].scale = [1, 1, 1]), /a matrix without other transforms at nodes\[4\]/],
    [
      'no direction',
      (j) => (j.nodes[1].rotation = [0, 0, 0, 0]),
      'expected a quaternion of length 1 at nodes[1].rotation, found length 0',
    ],
    ['text', (j) => (j.nodes[1].scale[0] = '1'), /at nodes\[1\].scale\[0\], found "1"/],
    ['too far', (j) => (j.nodes[4].matrix[12] = 1e151), /size at most 1e\+?150 at nodes\[4\].matrix\[12\]/],
    [
      'too far in two steps',
      (j) => Object.assign(j.nodes[0], { scale: [1e100, 1, 1] }) && (j.nodes[4].matrix[12] = 1e100),
      /down to nodes\[4\]/,
    ],
    ['no mesh of this number', (j) => (j.nodes[0].mesh = 9), /from 0 to 3 at nodes\[0\].mesh, found 9/],
    [
      'no positions',
      (j) => delete j.meshes[0].primitives[0].attributes.POSITION,
      /the attribute POSITION at meshes\[0\].primitives\[0\]/,
    ],
    ['another mode', (j) => (j.meshes[1].primitives[0].mode = 7), /from 0 to 6 at meshes\[1\].primitives\[0\].mode/],
    [
      'half a triangle',
      (j) => (j.accessors[1].count = 4),
      /three corners for each triangle at meshes\[0\].primitives\[0\], found 4/,
    ],
    ['2^32 points', (j) => (j.accessors[0].count = 2 ** 32), /from 1 to 4294967295 at accessors\[0\].count/],
    [
      '4 thousand million',
      (j) => (j.accessors[0].count = 2 ** 32 - 1),
      /expected a bufferView of at least 51,539,607,540 bytes/,
    ],
    ['no type', (j) => (j.accessors[0].type = 'VEC2'), 'expected VEC3 at accessors[0].type, found "VEC2"'],
    [
      'integers of 32 bits',
      (j) => (j.accessors[0].componentType = 5125),
      /at accessors\[0\].componentType, found 5125/,
    ],
    ['a negative offset', (j) => (j.accessors[0].byteOffset = -4), /at accessors\[0\].byteOffset, found -4/],
    ['behind the view', (j) => (j.accessors[0].byteOffset = 4), /a bufferView of at least 148 bytes/],
    [
      'behind the buffer',
      (j) => (j.bufferViews[0].byteLength = 9999),
      /a buffer of at least 9,999 bytes at bufferViews\[0\]/,
    ],
    [
      'a stride too short',
      (j) => (j.bufferViews[2].byteStride = 8),
      /a byteStride of at least 12 at bufferViews\[2\], found 8/,
    ],
    ['no numbers at all', (j) => delete j.accessors[0].bufferView, /expected a bufferView at accessors\[0\]/],
    [
      'a longer buffer',
      (j) => (j.buffers[0].byteLength = 1e9),
      /expected 1,000,000,000 bytes of buffers\[0\] in the GLB, found/,
    ],
    [
      'more replaced than there are',
      (j) => (j.accessors[2].sparse.count = 5),
      /from 1 to 4 at accessors\[2\].sparse.count/,
    ],
    [
      'replaced behind the end',
      (j) => (j.accessors[2].count = 3),
      /above 0 and below 3 at accessors\[2\].sparse.indices\[1\], found 3/,
    ],
    [
      'a point that is not there',
      (j) => (j.accessors[0].count = 5),
      /points below 5 at meshes\[0\].primitives\[0\] \("first"\).indices, found 5/,
    ],
    [
      'instances that differ',
      (j) => (j.nodes[2].extensions.EXT_mesh_gpu_instancing.attributes.SCALE = 0),
      /2 elements, as the other attributes have, at accessors\[0\]/,
    ],
    ['nothing to see', (j) => (j.scenes[0].nodes = []), 'expected a scene with triangles, found none'],
  ];

  test.each(cases)('%s', async (_, change, expected) => {
    const message = await rejected(change);
    if (typeof expected === 'string') expect(message).toBe(expected);
    else expect(message).toMatch(expected);
  });

  test('a coordinate that is no number: with mesh, primitive and accessor', async () => {
    const draft = soundDraft();
    const glb = draft.glb();
    const { json, binary } = openGlb(glb);
    new DataView(binary.buffer, binary.byteOffset).setFloat32(16, Number.NaN, true);
    const bytes = glbOf(new TextEncoder().encode(JSON.stringify(json)), binary);
    expect((await refusal(read(bytes))).message).toBe(
      'expected finite coordinates at accessors[0], point 1, of meshes[0].primitives[0] ("first"), found NaN',
    );
  });
});

describe('containers', () => {
  const glb = soundDraft().glb();
  const changed = async (byte: number, value: number): Promise<string> => {
    const bytes = glb.slice();
    new DataView(bytes.buffer).setUint32(byte, value, true);
    return (await refusal(read(bytes))).message;
  };

  test('cut short, at every length', async () => {
    for (let length = 4; length < glb.length; length += 7) {
      const { message } = await refusal(read(glb.subarray(0, length)));
      if (length >= 20) expect(message).toMatch(/^byte 8: expected a GLB of [\d,]+ bytes, found [\d,]+$/);
      else expect(message).toBe(`expected a GLB of at least 20 bytes, found ${length}`);
    }
  });

  test('versions and lengths of chunks', async () => {
    expect(await changed(4, 1)).toBe('byte 4: expected version 2 of GLB, found 1');
    expect(await changed(8, 19)).toMatch(/^byte 16: expected the chunk JSON/);
    expect(await changed(12, 2 ** 32 - 1)).toMatch(
      /^byte 12: expected a chunk of at most [\d,]+ bytes, found 4,294,967,295$/,
    );
    expect(await changed(16, 0x004e4942)).toMatch(/^byte 16: expected the chunk JSON, found chunk type 5130562$/);
    const more = new Uint8Array(glb.length + 12);
    more.set(glb);
    expect((await read(more)).warnings).toEqual(['12 bytes after the end of the GLB were skipped']);
  });

  test('JSON that is none, is cut, nests a million lists, or has a key twice', { tags: ['all'] }, async () => {
    const text = (json: string): Promise<unknown> => refusal(read(new TextEncoder().encode(json)));
    expect(await text('{"asset":')).toMatchObject({ place: { line: 1 } });
    expect(await text('{"asset":{"version":"2.0"},"asset":{}}')).toMatchObject({
      message: expect.stringMatching('once'),
    });
    const deep = `{"asset":{"version":"2.0"},"extras":${'['.repeat(1e6)}${']'.repeat(1e6)}}`;
    expect(await text(deep)).toMatchObject({ message: 'expected a scene with triangles, found none' });
    expect(await text(`{"asset":${'['.repeat(1e6)}`)).toMatchObject({ expected: 'a value or ]' });
  });

  test.each([
    ['\uFEFF \n{\n\t"accessors" : [', true],
    ['{"asset":{}}', true],
    ['{"scenes":[]', true],
    ['{"assets":{}}', false],
    ['{"gicollide":"scene/1","nodes":[]}', false],
    ['["asset"]', false],
    ['{asset:{}}', false],
    ['glTF', true],
    ['glT', false],
    ['', false],
  ])('%j begins as glTF does: %s', (text, expected) => {
    expect(looksLikeGltf(new TextEncoder().encode(text))).toBe(expected);
  });
});

describe('bombs', () => {
  test.each([
    ['views', 20_000],
    ['meshes', 20_000],
  ])('many %s of one run of bytes', { tags: ['all'] }, async (what, count) => {
    const draft = gltfDraft();
    const points = new Float32Array(27_000);
    const accessor = draft.accessor(points, 'VEC3');
    for (let n = 0; n < count; n++) {
      if (what === 'views') draft.json.accessors.push({ ...draft.json.accessors[0] });
      draft.json.meshes.push({ primitives: [{ attributes: { POSITION: what === 'views' ? n : accessor } }] });
      draft.json.nodes.push({ mesh: n });
    }
    draft.json.scenes[0].nodes = Array.from({ length: count }, (_, n) => n);
    expect((await refusal(read(draft.glb()))).message).toMatch(
      /^expected data of at most 64 times the file's size plus 256 MiB/,
    );
  });

  test('JSON of more values than memory has room for, and of more nodes', { tags: ['all'] }, async () => {
    const many = (before: string, one: string, count: number, after: string): Uint8Array =>
      Buffer.from(`${before}${`${one},`.repeat(count - 1)}${one}${after}`);
    const values = many('{"extras":[', '{}', 2 ** 23, ']}');
    expect((await refusal(read(values))).message).toBe('expected at most 16,777,216 values in JSON, found 16,777,218');
    const nodes = many('{"asset":{"version":"2.0"},"nodes":[', '{}', 2 ** 20 + 1, ']}');
    expect((await refusal(read(nodes))).message).toMatch(/^expected at most 1,048,576 nodes .* found 1,048,577$/);
  });

  test('sparse accessors of nothing, and instances', async () => {
    const bomb = (count: number) => (json: Anything) => {
      delete json.accessors[2].bufferView;
      json.accessors[2].count = count;
    };
    expect(await rejected(bomb(2 ** 32 - 1))).toMatch(/256 MiB, found more, with 4,294,967,295 elements/);
    const few = (json: Anything): void => {
      bomb(2 ** 20)(json);
      json.accessors[2].sparse.values.bufferView = 0;
      json.nodes[2].extensions.EXT_mesh_gpu_instancing.attributes.TRANSLATION = 2;
    };
    expect(await rejected(few)).toBe('expected at most 1,048,576 nodes and instances, found 1,048,581');
  });
});

/** A file that gltf-transform has compressed. */
async function compressed(extension: typeof Extension): Promise<Uint8Array> {
  const sphere = bumpySphere(5, 1);
  const draft = gltfDraft();
  const attributes = { POSITION: draft.accessor(Float32Array.from(sphere.positions), 'VEC3') };
  draft.mesh({ attributes, indices: draft.accessor(Uint16Array.from(sphere.triangles), 'SCALAR') });
  await MeshoptEncoder.ready;
  const io = new WebIO().registerExtensions([extension]).registerDependencies({
    'meshopt.encoder': MeshoptEncoder,
    'draco3d.encoder': await draco.createEncoderModule(),
  });
  const document = await io.readBinary(draft.glb() as Uint8Array<ArrayBuffer>);
  document.createExtension(extension as unknown as new (doc: Document) => Extension).setRequired(true);
  return io.writeBinary(document);
}

describe('Draco', () => {
  /** A file of Draco's, with some bytes in place of those from `at` on, in what it has compressed. */
  async function forged(at: number, bytes: readonly number[], change?: (json: Anything) => void): Promise<string> {
    const { json, binary } = openGlb(await compressed(KHRDracoMeshCompression));
    const primitive = (json.meshes as Anything)[0].primitives[0];
    const view = (json.bufferViews as Anything)[primitive.extensions.KHR_draco_mesh_compression.bufferView];
    binary.set(bytes, (view.byteOffset ?? 0) + at);
    change?.(json);
    const glb = glbOf(new TextEncoder().encode(JSON.stringify(json)), binary);
    return (await refusal(read(glb))).message;
  }

  test('what its data say of themselves is read before they are decoded', async () => {
    expect(await forged(0, [0])).toBe('expected Draco data, found other data');
    expect(await forged(5, [1])).toBe('expected version 2.2 of Draco, found 1.2');
    expect(await forged(7, [0])).toBe('expected a mesh compressed with Draco, found something else');
    expect(await forged(8, [2])).toBe('expected a mesh encoding of Draco (0 or 1), found 2');
    // Points and faces of the Edgebreaker method, in seven bits a byte.
    expect(await forged(12, [0xff, 0xff, 0x7f])).toMatch(
      /, like the Draco data, at accessors\[\d\]\.count, found \d+$/,
    );
    expect(await forged(12, [1, 0xff, 0xff, 0xff, 0x7f])).toMatch(/^expected 805306365 elements, like the Draco data,/);
    expect(await forged(12, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])).toMatch(/^expected a 32-bit number in Draco data/);
    expect(await forged(9, [0, 0x80, 0, 0, 0, 0, 1, 1])).toMatch(/Draco data/);
  });

  test.each([
    [
      true,
      '445241434f020201000080010001017801790002016e0407000000046e616d650661206d6573680002040100010202010301010009030000' +
        '000000000000000000000000803f0000000000000000000000000000803f000000000000803f0000803f00000000',
    ],
    [
      false,
      '445241434f020201010080010001017801790002016e0407000000046e616d650661206d6573680000040200020000011fff011101ff0000' +
        '01000903000000000000000000803f000000000000803f00000000000000000000803f0000803f00000000000000000000000000000000',
    ],
  ])('two triangles with metadata, as Draco 1.5.7 wrote them; one after the other: %s', (isExact, hex) => {
    expect(dracoCounts(Buffer.from(hex, 'hex'))).toEqual({ faces: 2, points: 4, isExact });
  });

  test('counts that are not those of the data', async () => {
    const one = (json: Anything, key: string): Anything => {
      const { attributes, indices } = json.meshes[0].primitives[0];
      return json.accessors[key === 'indices' ? indices : attributes.POSITION];
    };
    expect(await forged(0, [], (json) => (one(json, 'indices').count -= 3))).toMatch(
      /elements, like the Draco data, at/,
    );
    expect(await forged(0, [], (json) => (one(json, 'POSITION').count -= 1))).toMatch(
      /elements at least, like the Draco/,
    );
    expect(await forged(0, [], (json) => (one(json, 'POSITION').count += 1))).toMatch(
      /^expected \d+ numbers, like the Draco/,
    );
  });
});

describe('mutations', () => {
  const bases: Uint8Array[] = [];
  beforeAll(async () => {
    bases.push(
      soundDraft().glb(),
      skinnedDraft().glb(),
      await compressed(EXTMeshoptCompression),
      await compressed(KHRDracoMeshCompression),
    );
  });

  test.each(['plain', 'skins', 'meshopt', 'Draco'])(
    '%s: refused in one line, or read to finite coordinates; seed 11',
    { tags: ['all', 'long'] },
    async (name) => {
      const base = bases[['plain', 'skins', 'meshopt', 'Draco'].indexOf(name)];
      const random = seeded(11);
      let sound = 0;
      // Draco's decoder is compiled for each file.
      const count = !long ? (name === 'Draco' ? 60 : 300) : name === 'Draco' ? 1500 : 6000;
      for (let n = 0; n < count; n++) {
        const outcome = await read(mutated(base, random)).catch((error: unknown) => error);
        if (outcome instanceof InputError) expect(outcome.message).toMatch(/^[^\n\r\p{Zl}\p{Zp}]+$/u);
        else if (outcome instanceof Error) throw outcome;
        else {
          sound++;
          expectUsable(outcome as MeshFile);
        }
      }
      // Or mutations would all end at the door.
      expect(sound).toBeGreaterThan(count / 50);
      expect(sound).toBeLessThan(count);
    },
  );
});

const HOSTILE: unknown[] = [
  ...[-1, 0, 1, 2, 3, 0.5, 255, 256, 65536, 5120, 5125, 5126, 5130, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53, 1e308],
  ...[
    null,
    true,
    '',
    'x',
    'data:,',
    '../a',
    'SCALAR',
    'VEC3',
    '\u2028',
    [],
    {},
    [0],
    [[]],
    { a: 1 },
    'ATTRIBUTES',
    'QUATERNION',
  ],
];

/** A base changed in its JSON, in its numbers, or anywhere. */
function mutated(base: Uint8Array, random: Random): Uint8Array {
  const how = random.below(10);
  if (how === 0) {
    const bytes = base.slice(0, random.below(3) === 0 ? random.below(base.length) : base.length);
    for (let k = 1 + random.below(3); k > 0; k--) bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  }
  const { json, binary } = openGlb(base);
  const body = binary.slice();
  if (how < 4) for (let k = 1 + random.below(4); k > 0; k--) body[random.below(body.length)] = random.below(256);
  else for (let k = 1 + random.below(2); k > 0; k--) changeJson(json, random);
  return glbOf(new TextEncoder().encode(JSON.stringify(json)), body);
}

function changeJson(json: Json, random: Random): void {
  let place: Anything = json;
  for (;;) {
    const keys = Object.keys(place);
    if (keys.length === 0) return;
    const key = random.pick(keys);
    const value = place[key];
    const isLeaf = typeof value !== 'object' || value === null;
    if (!isLeaf && random.below(6) > 0) {
      place = value;
      continue;
    }
    const how = random.below(5);
    if (how === 0 && !Array.isArray(place)) delete place[key];
    else if (how === 1 && typeof value === 'number') place[key] = value + random.pick([-1, 1, 2, 4, 1000]);
    else if (how === 2 && Array.isArray(place)) place.push(structuredClone(value));
    else place[key] = structuredClone(random.pick(HOSTILE));
    return;
  }
}

function expectUsable({ meshes, nodes }: MeshFile): void {
  for (const { name, mesh } of meshes) {
    expect(typeof name).toBe('string');
    expect(mesh.positions.every(Number.isFinite)).toBe(true);
    const vertices = mesh.positions.length / 3;
    expect(mesh.triangles.length % 3).toBe(0);
    expect(mesh.triangles.every((v) => v < vertices)).toBe(true);
  }
  for (const [n, { parent, mesh }] of nodes.entries()) {
    expect(parent).toBeLessThan(n);
    if (mesh !== null) expect(mesh).toBeLessThan(meshes.length);
  }
  for (const world of worldMatrices(nodes)) expect(world.every(Number.isFinite)).toBe(true);
}
