/** What glTF files mean: files of test/support/glb.ts, and what the specification makes of them. */
import { describe, expect, test } from 'vitest';
import { cleanMesh } from '../../src/mesh/clean.ts';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { wholeMesh, worldMatrices } from '../../src/readers/mesh-file.ts';
import { type GltfDraft, gltfDraft } from '../support/glb.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';

const nothingBeside = {
  open(path: string): never {
    throw new Error(`asked for ${path}`);
  },
};
const read = (draft: GltfDraft): Promise<ReadMeshFile> => readMeshFile(draft.glb(), nothingBeside);

/** The points 0,0,0, 1,0,0, ..., each at its number along x, and off the line. */
const row = (count: number): Float32Array =>
  Float32Array.from({ length: 3 * count }, (_, k) => [k / 3, (k % 2) + 1, k][k % 3]);

/** x of each corner of each triangle, which is the number of the point in `row`. */
const numbersOf = ({ positions, triangles }: { positions: Float64Array; triangles: Uint32Array }): number[] =>
  Array.from(triangles, (v) => positions[3 * v]);

describe('primitives', () => {
  test.each([
    ['triangles', 4, 6, [0, 1, 2, 3, 4, 5]],
    ['a strip', 5, 6, [0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4]],
    ['a fan', 6, 5, [1, 2, 0, 2, 3, 0, 3, 4, 0]],
  ])('%s without indices: as section 3.7.2.1 has them', async (_, mode, count, expected) => {
    const draft = gltfDraft();
    draft.mesh({ attributes: { POSITION: draft.accessor(row(count), 'VEC3') }, mode });
    const { meshes, units, warnings } = await read(draft);
    expect(numbersOf(meshes[0].mesh)).toEqual(expected);
    expect([units, warnings]).toEqual(['m', []]);
  });

  test.each([Uint8Array, Uint16Array, Uint32Array])('indices of %o', async (type) => {
    const draft = gltfDraft();
    const [attributes, indices] = [{ POSITION: draft.accessor(row(9), 'VEC3') }, type.of(8, 1, 5, 5, 1, 0)];
    draft.mesh({ attributes, indices: draft.accessor(indices, 'SCALAR') });
    draft.mesh({ attributes, indices: draft.accessor(indices, 'SCALAR'), mode: 5 });
    const { meshes } = await read(draft);
    expect(numbersOf(meshes[0].mesh)).toEqual([8, 1, 5, 5, 1, 0]);
    expect(numbersOf(meshes[1].mesh)).toEqual([8, 1, 5, 1, 5, 5, 5, 5, 1, 5, 0, 1]);
    // Vertices that no triangle has are left out: 5 of 9.
    expect(meshes[0].mesh.positions.length).toBe(3 * 4);
  });

  test('points and lines are skipped, and said; a node of nothing else shows nothing', async () => {
    const draft = gltfDraft();
    const attributes = { POSITION: draft.accessor(row(6), 'VEC3') };
    draft.mesh({ attributes, mode: 1 });
    const mixed = draft.mesh({ attributes });
    (draft.json.meshes[mixed].primitives as object[]).push({ attributes, mode: 0 }, { attributes, mode: 3 });
    const { meshes, nodes, warnings } = await read(draft);
    expect(nodes.map(({ mesh }) => mesh)).toEqual([null, 0]);
    expect(meshes.length).toBe(1);
    expect(warnings).toEqual(['3 primitives skipped: points or lines']);
  });

  test('primitives follow one another in their mesh; those that share points share vertices', async () => {
    const draft = gltfDraft();
    const attributes = { POSITION: draft.accessor(row(9), 'VEC3') };
    const two = [Uint8Array.of(0, 1, 2), Uint8Array.of(2, 1, 8)].map((x) => draft.accessor(x, 'SCALAR'));
    const n = draft.mesh({ attributes, indices: two[0] });
    (draft.json.meshes[n].primitives as object[]).push({ attributes, indices: two[1] });
    const { mesh } = (await read(draft)).meshes[0];
    expect(numbersOf(mesh)).toEqual([0, 1, 2, 2, 1, 8]);
    expect(Array.from(mesh.triangles)).toEqual([0, 1, 2, 2, 1, 3]);
  });

  test('a cube of 24 vertices, each with its own normal, becomes one of 8, closed', async () => {
    const draft = gltfDraft();
    const { positions, indices } = sharpCube();
    const normals = draft.accessor(new Float32Array(72).fill(1), 'VEC3');
    draft.mesh({
      attributes: { POSITION: draft.accessor(positions, 'VEC3'), NORMAL: normals },
      indices: draft.accessor(indices, 'SCALAR'),
    });
    const { mesh } = (await read(draft)).meshes[0];
    expect(mesh.positions.length).toBe(24);
    const sides = new Set<string>();
    for (let c = 0; c < 36; c++) sides.add(`${mesh.triangles[c]} ${mesh.triangles[c - (c % 3) + ((c + 1) % 3)]}`);
    expect([...sides].every((side) => sides.has(side.split(' ').reverse().join(' ')))).toBe(true);
    expect(cleanMesh(mesh).losses).toMatchObject({ weldedVertices: 0, unusedVertices: 0, degenerateTriangles: 0 });
  });

  test('triangles without an area keep their places', async () => {
    const draft = gltfDraft();
    const same = Float32Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0);
    draft.mesh({ attributes: { POSITION: draft.accessor(same, 'VEC3') } });
    expect(Array.from((await read(draft)).meshes[0].mesh.triangles)).toEqual([0, 0, 0, 1, 2, 3]);
  });
});

/** Six faces of a cube, four vertices each. */
function sharpCube(): { positions: Float32Array; indices: Uint16Array } {
  const positions: number[] = [];
  const indices: number[] = [];
  for (let face = 0; face < 6; face++) {
    const [axis, end] = [face >> 1, face & 1];
    for (const [u, v] of [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]) {
      const point = [0, 0, 0];
      point[axis] = end;
      point[(axis + 1) % 3] = u;
      point[(axis + 2) % 3] = v;
      positions.push(...point);
    }
    const first = 4 * face;
    for (const k of end ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2]) indices.push(first + k);
  }
  return { positions: Float32Array.from(positions), indices: Uint16Array.from(indices) };
}

describe('numbers', () => {
  const triangle = (draft: GltfDraft, accessor: number): number => draft.mesh({ attributes: { POSITION: accessor } });

  test.each([
    [Int8Array.of(127, -128, 0, 64, -127, 1, 5, 6, 7), 127],
    [Uint8Array.of(255, 0, 1, 64, 127, 3, 5, 6, 7), 255],
    [Int16Array.of(32767, -32768, 0, 64, -127, 1, 5, 6, 7), 32767],
    [Uint16Array.of(65535, 0, 1, 64, 127, 3, 5, 6, 7), 65535],
  ])('quantised: %o, and normalised by %i', async (numbers, divisor) => {
    const draft = gltfDraft();
    triangle(draft, draft.accessor(numbers, 'VEC3'));
    triangle(draft, draft.accessor(numbers, 'VEC3', { normalized: true }));
    const { meshes } = await read(draft);
    expect(Array.from(meshes[0].mesh.positions)).toEqual(Array.from(numbers));
    expect(Array.from(meshes[1].mesh.positions)).toEqual(Array.from(numbers, (x) => Math.max(x / divisor, -1)));
  });

  test('doubles stay doubles', async () => {
    const draft = gltfDraft();
    const numbers = Float64Array.of(0.1, 0.2, 0.3, 1 / 3, 1e-200, 1e60, 4, 5, 6);
    draft.json.extensionsRequired = ['KHR_accessor_float64'];
    triangle(draft, draft.accessor(numbers, 'VEC3'));
    expect((await read(draft)).meshes[0].mesh.positions).toEqual(numbers);
  });

  test('interleaved, behind an offset', async () => {
    const draft = gltfDraft();
    const bytes = new Uint8Array(8 + 3 * 20);
    const view = new DataView(bytes.buffer);
    for (let v = 0; v < 3; v++)
      for (let k = 0; k < 3; k++) view.setFloat32(8 + 4 + 20 * v + 4 * k, 10 * v + k * k, true);
    const bufferView = draft.view(bytes.subarray(8), { byteStride: 20 });
    draft.json.bufferViews[bufferView].byteLength = 60;
    draft.json.accessors.push({ bufferView, byteOffset: 4, componentType: 5126, type: 'VEC3', count: 3 });
    triangle(draft, 0);
    expect(Array.from((await read(draft)).meshes[0].mesh.positions)).toEqual([0, 1, 4, 10, 11, 14, 20, 21, 24]);
  });

  test('sparse: the accessor’s offset is not that of what replaces its elements', async () => {
    const draft = gltfDraft();
    const base = draft.view(new Uint8Array(Float32Array.of(9, 9, 9, ...row(3)).buffer));
    const indices = draft.view(Uint8Array.of(0, 2));
    const values = draft.view(new Uint8Array(Float32Array.of(7, 8, 9, 4, 5, 6).buffer));
    const sparse = { count: 2, indices: { bufferView: indices, componentType: 5121 }, values: { bufferView: values } };
    const shape = { componentType: 5126, type: 'VEC3', count: 3 };
    draft.json.accessors.push({ bufferView: base, byteOffset: 12, ...shape, sparse }, { ...shape, sparse });
    triangle(draft, 0);
    triangle(draft, 1);
    const { meshes } = await read(draft);
    expect(Array.from(meshes[0].mesh.positions)).toEqual([7, 8, 9, ...row(3).subarray(3, 6), 4, 5, 6]);
    expect(Array.from(meshes[1].mesh.positions)).toEqual([7, 8, 9, 0, 0, 0, 4, 5, 6]);
    sparse.count = 1;
    draft.json.accessors[1].sparse = { ...sparse, indices: { ...sparse.indices, byteOffset: 1 } };
    expect(Array.from((await read(draft)).meshes[1].mesh.positions)).toEqual([0, 0, 0, 7, 8, 9]);
  });
});

test.each([0, 1, 2, 3, 4, 6])('bytes %i into a larger buffer are read alike, and stay as they are', async (offset) => {
  const draft = gltfDraft();
  const base = draft.accessor(row(4), 'VEC3');
  const places = draft.view(Uint8Array.of(1));
  const values = draft.view(new Uint8Array(Float32Array.of(7, 8, 9).buffer));
  const changed = { indices: { bufferView: places, componentType: 5121 }, values: { bufferView: values } };
  Object.assign(draft.json.accessors[base], { sparse: { count: 1, ...changed } });
  draft.mesh({ attributes: { POSITION: base }, indices: draft.accessor(Uint16Array.of(0, 1, 2, 2, 1, 3), 'SCALAR') });
  const glb = draft.glb();
  const larger = new Uint8Array(glb.length + 8);
  larger.set(glb, offset);
  const { meshes } = await readMeshFile(larger.subarray(offset, offset + glb.length), nothingBeside);
  expect(numbersOf(meshes[0].mesh)).toEqual([0, 7, 2, 2, 7, 3]);
  expect(larger.subarray(offset, offset + glb.length)).toEqual(glb);
});

test.each(Array.from({ length: long ? 500 : 40 }, (_, seed) => seed))(
  'seed %i: meshes that share points, joined by first use',
  { tags: ['quick', 'long'] },
  async (seed) => {
    const { below } = seeded(seed);
    const draft = gltfDraft();
    const clouds = [1 + below(60), 1 + below(9)].map((count) => {
      const numbers = Float32Array.from({ length: 3 * count }, () => [0, -0, 1, 2, -1][below(5)]);
      return { numbers, POSITION: draft.accessor(numbers, 'VEC3') };
    });
    const expected = Array.from({ length: 1 + below(4) }, () => {
      const corners: number[][] = [];
      const primitives = Array.from({ length: 1 + below(3) }, () => {
        const { numbers, POSITION } = clouds[below(2)];
        const type = [Uint8Array, Uint16Array, Uint32Array][below(3)];
        const corner = (): number => below(numbers.length / 3);
        const indices = type.from(Array.from({ length: 3 * (1 + below(20)) }, corner));
        for (const p of indices) corners.push(Array.from(numbers.subarray(3 * p, 3 * p + 3)));
        return { attributes: { POSITION }, indices: draft.accessor(indices, 'SCALAR') };
      });
      draft.json.meshes[draft.mesh({})].primitives = primitives;
      const known = new Map<string, number>();
      const positions: number[] = [];
      const triangles = corners.map((point) => {
        const key = point.map((x) => x + 0).join();
        if (!known.has(key)) positions.push(...point);
        known.set(key, known.get(key) ?? known.size);
        return known.get(key);
      });
      return { positions, triangles };
    });
    const { meshes } = await read(draft);
    const found = meshes.map(({ mesh }) => ({
      positions: Array.from(mesh.positions),
      triangles: Array.from(mesh.triangles),
    }));
    expect(found).toEqual(expected);
  },
);

describe('nodes', () => {
  const scene = (nodes: object[], roots: number[] = [0]): GltfDraft => {
    const draft = gltfDraft();
    draft.mesh({ attributes: { POSITION: draft.accessor(row(3), 'VEC3') } }, { name: 'thing' });
    draft.json.nodes = nodes as GltfDraft['json']['nodes'];
    draft.json.scenes = [{ nodes: roots }];
    return draft;
  };

  test('are numbered depth first; a mesh that several show is one', async () => {
    const draft = scene(
      [
        { name: 'a', children: [3, 1] },
        { name: 'b', mesh: 0 },
        { name: 'c', mesh: 0 },
        { name: 'd', children: [2] },
        { name: 'e', mesh: 0 },
      ],
      [4, 0],
    );
    const file = await read(draft);
    expect(file.nodes.map(({ name, parent, mesh }) => [name, parent, mesh])).toEqual([
      ['e', -1, 0],
      ['a', -1, null],
      ['d', 1, null],
      ['c', 2, 0],
      ['b', 1, 0],
    ]);
    expect(file.meshes.length).toBe(1);
    expect(wholeMesh(file).groups.map(({ name }) => name)).toEqual(['e', 'c', 'b']);
  });

  test('a matrix is read column by column, in doubles, shears with it', async () => {
    const columns = [1, 0.1, 0, 0, 1 / 3, -2, 0, 0, 0, 0.7, 1e-9, 0, 1e9 + 0.1, 5, 6, 1];
    const { nodes } = await read(scene([{ mesh: 0, matrix: columns }]));
    expect(Array.from(nodes[0].matrix)).toEqual([1, 1 / 3, 0, 1e9 + 0.1, 0.1, -2, 0.7, 5, 0, 0, 1e-9, 6, 0, 0, 0, 1]);
  });

  test('translation, rotation and scale: scaled first, moved last', async () => {
    const half = Math.SQRT1_2;
    const { nodes } = await read(
      scene([{ mesh: 0, translation: [1, 2, 3], rotation: [0, 0, half, half], scale: [2, 3, -4] }]),
    );
    const expected = [0, -3, 0, 1, 2, 0, 0, 2, 0, 0, -4, 3, 0, 0, 0, 1];
    for (const [k, x] of expected.entries()) expect(nodes[0].matrix[k]).toBeCloseTo(x, 14);
  });

  test('the scene that the file names is read, else its first; without scenes, all; the rest is said', async () => {
    const draft = scene([
      { name: 'a', mesh: 0 },
      { name: 'b', mesh: 0 },
      { name: 'c', children: [1] },
    ]);
    draft.json.scenes = [{ nodes: [2] }, { nodes: [0] }];
    draft.json.scene = 1;
    const names = async (): Promise<string[]> => (await read(draft)).nodes.map(({ name }) => name);
    expect(await names()).toEqual(['a']);
    expect((await read(draft)).warnings).toEqual(['2 nodes left out: not in the scene']);
    delete draft.json.scene;
    expect(await names()).toEqual(['c', 'b']);
    Object.assign(draft.json, { scenes: undefined });
    expect(await names()).toEqual(['a', 'c', 'b']);
    expect((await read(draft)).warnings).toEqual([]);
  });

  test('skins, morph targets, animations and meshes that nothing shows are left out, and said', async () => {
    const draft = scene([{ mesh: 0, skin: 0 }]);
    const attributes = { POSITION: 0 };
    draft.json.meshes = [{ primitives: [{ attributes, targets: [attributes] }] }, { primitives: [{ attributes }] }];
    Object.assign(draft.json, { skins: [{ joints: [0] }], animations: [{}, {}] });
    expect((await read(draft)).warnings).toEqual([
      '1 mesh left out: in no node of the scene',
      '1 mesh read without morph targets',
      '1 node with a skin, but without joints in the mesh: placed by the node',
      '2 animations left out',
    ]);
  });

  test('a scene lists children of other nodes: each stands once, where all nodes above it say', async () => {
    const draft = scene(
      [
        { name: 'above', translation: [1, 0, 0], children: [1, 2] },
        { name: 'a', mesh: 0, translation: [0, 1, 0] },
        { name: 'b', mesh: 0, translation: [0, 2, 0], children: [3] },
        { name: 'c', mesh: 0, translation: [0, 0, 4] },
      ],
      [1, 3, 2],
    );
    const file = await read(draft);
    expect(file.nodes.map(({ name, parent }) => [name, parent])).toEqual([
      ['a', -1],
      ['b', -1],
      ['c', 1],
    ]);
    const places = worldMatrices(file.nodes).map((m) => [m[3], m[7], m[11]]);
    expect(places).toEqual([
      [1, 1, 0],
      [1, 2, 0],
      [1, 2, 4],
    ]);
    expect(file.warnings).toEqual([
      '3 roots of the scene below other nodes: placed by all nodes above',
      '1 node left out: not in the scene',
    ]);
  });

  test.each([
    'KHR_materials_unlit',
    'VRMC_materials_mtoon',
    'ADOBE_materials_thin_transparency',
    'EXT_texture_webp',
    'KHR_lights_punctual',
    'EXT_lights_image_based',
    'MSFT_packing_normalRoughnessMetallic',
    'MOZ_lightmap',
    'KHR_techniques_webgl',
    'KHR_xmp_json_ld',
    'EXT_structural_metadata',
  ])('%s moves nothing, even where it is required', async (name) => {
    const draft = scene([{ mesh: 0 }]);
    draft.json.extensionsRequired = [name];
    expect((await read(draft)).warnings).toEqual([]);
  });

  test.each(['EXT_primitive_voxels', 'WEB3D_quantized_attributes', 'KHR_rigid_bodies', 'materials', 'KHR_meshes'])(
    '%s is refused where it is required',
    async (name) => {
      const draft = scene([{ mesh: 0 }]);
      draft.json.extensionsRequired = [name];
      expect((await refusal(read(draft))).message).toBe(
        `expected no required extension that gicollide does not read, found "${name}"`,
      );
    },
  );

  test('instances become nodes of one mesh, before the node’s children', async () => {
    const count = 5000;
    const draft = scene([
      { name: 'wood', mesh: 0, children: [1] },
      { name: 'hut', mesh: 0 },
    ]);
    const places = Float32Array.from({ length: 3 * count }, (_, k) => [k, 0, 1][k % 3]);
    const turns = Int8Array.from({ length: 4 * count }, (_, k) => [0, 0, 127, 0][k % 4]);
    const attributes = {
      TRANSLATION: draft.accessor(places, 'VEC3'),
      ROTATION: draft.accessor(turns, 'VEC4', { normalized: true }),
    };
    draft.json.nodes[0].extensions = { EXT_mesh_gpu_instancing: { attributes } };
    draft.json.extensionsRequired = ['EXT_mesh_gpu_instancing'];
    const file = await read(draft);
    expect([file.meshes.length, file.nodes.length]).toEqual([1, count + 2]);
    expect(file.nodes[0]).toMatchObject({ name: 'wood', parent: -1, mesh: null });
    expect(file.nodes[4]).toMatchObject({ parent: 0, mesh: 0 });
    expect(Array.from(file.nodes[4].matrix)).toEqual([-1, 0, 0, 9, 0, -1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1]);
    expect(file.nodes.at(-1)).toMatchObject({ name: 'hut', parent: 0, mesh: 0 });
  });
});

test('a chain of 100,000 nodes is read without a stack', { tags: ['all'] }, async () => {
  const draft = gltfDraft();
  draft.mesh({ attributes: { POSITION: draft.accessor(row(3), 'VEC3') } });
  const count = 100_000;
  draft.json.nodes = Array.from({ length: count }, (_, n) => ({ translation: [0, 0, 1], children: [n + 1] }));
  draft.json.nodes[count - 1] = { mesh: 0, translation: [0, 0, 1] };
  const { nodes } = await read(draft);
  expect(nodes.map(({ parent }) => parent)).toEqual(Array.from({ length: count }, (_, n) => n - 1));
  expect(worldMatrices(nodes)[count - 1][11]).toBe(count);
});

describe('buffers', () => {
  /** A file of JSON alone, whose buffer is at an address. */
  function beside(uri: string): { bytes: Uint8Array; buffer: Uint8Array } {
    const draft = gltfDraft();
    draft.mesh({ attributes: { POSITION: draft.accessor(row(3), 'VEC3') } });
    draft.json.buffers[0].uri = uri;
    return { bytes: new TextEncoder().encode(JSON.stringify(draft.json)), buffer: draft.binary() };
  }

  test('in a file beside it, whose name is decoded; images are never opened', async () => {
    const { bytes, buffer } = beside('parts/my%20part.bin');
    const asked: string[] = [];
    const text = new TextDecoder().decode(bytes).replace('{', '{"images":[{"uri":"no.png"}],');
    const { meshes } = await readMeshFile(new TextEncoder().encode(text), {
      open(path) {
        asked.push(path);
        return buffer;
      },
    });
    expect(asked).toEqual(['parts/my part.bin']);
    expect(numbersOf(meshes[0].mesh)).toEqual([0, 1, 2]);
  });

  test.each([40, 41, 42])('in base64, %i bytes', async (length) => {
    const { buffer } = beside('');
    const longer = Buffer.concat([buffer, Buffer.alloc(8)]).subarray(0, length);
    const { bytes } = beside(`data:application/octet-stream;base64,${longer.toString('base64')}`);
    expect(numbersOf((await readMeshFile(bytes, nothingBeside)).meshes[0].mesh)).toEqual([0, 1, 2]);
  });

  test.each([
    '../secret.bin',
    'a/../../secret.bin',
    '%2e%2e/secret.bin',
    '/etc/passwd',
    'C:/secret.bin',
    '..\\secret.bin',
    '\\\\host\\share',
    '//host/share',
    'http://example.org/a.bin',
    'file:///etc/passwd',
    'DATA:x',
    '%66ile:x',
    'a%00.bin',
    '%zz.bin',
    'data:text/plain,AAAA',
    'data:;base64,A',
    'data:;base64,AA===',
    'data:;base64,A*==',
    'data:;base64,Aé==',
  ])('%s: refused, and nothing is opened', async (uri) => {
    const { message } = await refusal(readMeshFile(beside(uri).bytes, nothingBeside));
    expect(message).toMatch(/ at buffers\[0\]\.uri, found "/);
  });

  test('what is missing or too short is said', async () => {
    expect((await refusal(readMeshFile(beside('a.bin').bytes, { open: () => new Uint8Array(30) }))).message).toBe(
      'expected 40 bytes of buffers[0] in "a.bin", found 30',
    );
    expect((await refusal(readMeshFile(beside('').bytes, nothingBeside))).message).toMatch(/address of a buffer/);
  });
});
