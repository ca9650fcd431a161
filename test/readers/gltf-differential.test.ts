/** glTF beside others: three's loader, and gltf-transform's writer for what is compressed. */
import { Document, WebIO } from '@gltf-transform/core';
import {
  EXTMeshGPUInstancing,
  EXTMeshoptCompression,
  KHRDracoMeshCompression,
  KHRMeshQuantization,
} from '@gltf-transform/extensions';
import draco from 'draco3dgltf';
import { MeshoptEncoder } from 'meshoptimizer';
import type { InstancedMesh, Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readMeshFile } from '../../src/readers/formats.ts';
import { type MeshFile, wholeMesh } from '../../src/readers/mesh-file.ts';
import { type GltfDraft, gltfDraft, openGlb } from '../support/glb.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';
import { bumpySphere } from '../support/shapes.ts';

const read = (bytes: Uint8Array): Promise<MeshFile> =>
  readMeshFile(bytes, {
    open(path) {
      throw new Error(`asked for ${path}`);
    },
  });

/** x, y, z of each corner of each triangle. */
function cornersOf(file: MeshFile): number[] {
  const { positions, triangles } = wholeMesh(file);
  return turned(Array.from(triangles, (v) => Array.from(positions.subarray(3 * v, 3 * v + 3))).flat());
}

/** The same by three: strips and fans it turns into triangles itself. */
async function cornersOfThree(glb: Uint8Array): Promise<number[]> {
  const { buffer } = new Uint8Array(glb);
  const { scene } = await new Promise<{ scene: GltfObject }>((resolve, fail) =>
    new GLTFLoader().parse(buffer, '', resolve, fail),
  );
  scene.updateMatrixWorld(true);
  const corners: number[] = [];
  const visit = (object: GltfObject): void => {
    addMesh(object, corners);
    for (const child of object.children) visit(child);
  };
  visit(scene);
  return turned(corners);
}

/** The product of two matrices that are stored column by column. */
const product = (a: ArrayLike<number>, b: ArrayLike<number>): number[] =>
  Array.from({ length: 16 }, (_, n) =>
    [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (n % 4)] * b[n - (n % 4) + k], 0),
  );

/** An object of three's; what is no mesh has no geometry, and what is no instances no matrices of them. */
type GltfObject = Object3D & Partial<Pick<InstancedMesh, 'geometry' | 'instanceMatrix'>>;

function addMesh({ geometry, matrixWorld, instanceMatrix }: GltfObject, corners: number[]): void {
  if (!geometry) return;
  const { index, attributes } = geometry;
  const { position } = attributes;
  const one = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  for (let place = 0; place < (instanceMatrix?.count ?? 1); place++) {
    const within = instanceMatrix ? Array.from(instanceMatrix.array).slice(16 * place, 16 * place + 16) : one;
    const m = product(matrixWorld.elements, within);
    const determinant = [0, 1, 2].reduce((sum, k) => {
      const [l, n] = [(k + 1) % 3, (k + 2) % 3];
      return sum + m[k] * (m[4 + l] * m[8 + n] - m[4 + n] * m[8 + l]);
    }, 0);
    for (let c = 0; c < (index ?? position).count; c++) {
      // Ours turns triangles round where a mirror has turned them; three leaves that to drawing.
      const k = determinant < 0 && c % 3 > 0 ? c + 3 - 2 * (c % 3) : c;
      const v = index ? index.getX(k) : k;
      const [x, y, z] = [position.getX(v), position.getY(v), position.getZ(v)];
      for (let row = 0; row < 3; row++) corners.push(m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
    }
  }
}

/** Each triangle from its least corner on: which one a writer begins with is up to it. */
function turned(corners: readonly number[]): number[] {
  const out: number[] = [];
  for (let c = 0; c < corners.length; c += 9) {
    const t = corners.slice(c, c + 9);
    const turns = [t, [...t.slice(3), ...t.slice(0, 3)], [...t.slice(6), ...t.slice(0, 6)]];
    const isBefore = (a: number[], b: number[]): boolean => {
      const k = a.findIndex((x, i) => x !== b[i]);
      return k >= 0 && a[k] < b[k];
    };
    out.push(...turns.reduce((least, each) => (isBefore(each, least) ? each : least)));
  }
  return out;
}

function expectClose(found: readonly number[], expected: readonly number[], within: number): void {
  expect(found.length).toBe(expected.length);
  const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  const worst = found.reduce((most, x, k) => Math.max(most, Math.abs(x - expected[k])), 0);
  expect(worst / size).toBeLessThan(within);
}

/** A tree of random nodes, by matrices or parts, of meshes of one primitive of any kind. */
function randomScene(random: Random): GltfDraft {
  const draft = gltfDraft();
  const count = 2 + random.below(30);
  for (let m = 0; m < 3; m++) {
    const points = 3 * (1 + random.below(4));
    const numbers = Float32Array.from({ length: 3 * points }, () => random.between(-1, 1));
    const attributes = { POSITION: draft.accessor(numbers, 'VEC3', { min: [-1, -1, -1], max: [1, 1, 1] }) };
    const type = random.pick([Uint8Array, Uint16Array, Uint32Array]);
    const indices = type.from(Array.from({ length: 3 * (1 + random.below(5)) }, () => random.below(points)));
    const mode = random.pick([4, 5, 6]);
    const primitive = {
      attributes,
      mode,
      ...(random.below(2) > 0 ? { indices: draft.accessor(indices, 'SCALAR') } : {}),
    };
    draft.json.meshes.push({ primitives: [primitive] });
  }
  const several = (length: number, low: number, high: number): number[] =>
    Array.from({ length }, () => random.between(low, high));
  draft.json.nodes = Array.from({ length: count }, () => {
    const mesh = { mesh: random.below(3) };
    if (random.below(4) === 0) {
      // Without a shear, which three drops.
      const matrix = [...new Array(12).fill(0), ...several(3, -5, 5), 1];
      const first = random.below(3);
      for (let k = 0; k < 3; k++) matrix[4 * k + ((first + k) % 3)] = random.pick([-1, 1]) * random.between(0.5, 2);
      return { ...mesh, matrix };
    }
    const turn = several(4, -1, 1);
    const length = Math.sqrt(turn.reduce((sum, x) => sum + x * x, 0));
    return { ...mesh, translation: several(3, -5, 5), rotation: turn.map((x) => x / length), scale: several(3, -2, 2) };
  });
  const roots = [0];
  for (let n = 1; n < count; n++) {
    if (random.below(5) === 0) {
      roots.push(n);
      continue;
    }
    const parent = draft.json.nodes[random.below(n)];
    parent.children = [...((parent.children as number[]) ?? []), n];
  }
  draft.json.scenes = [{ nodes: roots }];
  return draft;
}

test.each(
  some(
    20,
    Array.from({ length: 400 }, (_, k) => k),
  ),
)('seed %i: a random scene as three reads it', { tags: ['quick', 'long'] }, async (seed) => {
  const glb = randomScene(seeded(seed)).glb();
  expectClose(cornersOf(await read(glb)), await cornersOfThree(glb), 1e-12);
});

test('instances as three places them, which has them in float32', async () => {
  const random = seeded(3);
  const draft = randomScene(random);
  const numbers = (length: number): Float32Array => Float32Array.from({ length }, () => random.between(-1, 1));
  const turns = numbers(4 * 20);
  for (let n = 0; n < 20; n++) {
    const length = Math.sqrt(turns.subarray(4 * n, 4 * n + 4).reduce((sum, x) => sum + x * x, 0));
    for (let k = 0; k < 4; k++) turns[4 * n + k] /= length;
  }
  const attributes = {
    TRANSLATION: draft.accessor(numbers(60), 'VEC3'),
    ROTATION: draft.accessor(turns, 'VEC4'),
    SCALE: draft.accessor(numbers(60), 'VEC3'),
  };
  draft.json.nodes = [{ mesh: 0, translation: [1, 2, 3], extensions: { EXT_mesh_gpu_instancing: { attributes } } }];
  draft.json.scenes = [{ nodes: [0] }];
  draft.json.extensionsUsed = ['EXT_mesh_gpu_instancing'];
  draft.json.meshes[0] = {
    primitives: [{ attributes: (draft.json.meshes[0].primitives as { attributes: object }[])[0].attributes }],
  };
  const glb = draft.glb();
  expectClose(cornersOf(await read(glb)), await cornersOfThree(glb), 1e-6);
});

describe('written by gltf-transform', () => {
  const sphere = bumpySphere(4, 2);
  const points = Float32Array.from(sphere.positions);
  /** Corners of the sphere in float32, twice: as it is, and moved by 5. */
  const expected = [0, 5].flatMap((x) =>
    turned(Array.from(sphere.triangles, (v) => [points[3 * v] + x, points[3 * v + 1], points[3 * v + 2]]).flat()),
  );
  const io = new WebIO();

  beforeAll(async () => {
    await MeshoptEncoder.ready;
    io.registerExtensions([EXTMeshoptCompression, KHRDracoMeshCompression, KHRMeshQuantization, EXTMeshGPUInstancing]);
    io.registerDependencies({
      'meshopt.encoder': MeshoptEncoder,
      'draco3d.encoder': await draco.createEncoderModule(),
    });
  });

  function sphereDocument(positions: Float32Array | Int16Array = points): Document {
    const document = new Document();
    const buffer = document.createBuffer();
    const accessor = document.createAccessor().setType('VEC3').setArray(positions).setBuffer(buffer);
    if (positions instanceof Int16Array) accessor.setNormalized(true);
    const indices = document
      .createAccessor()
      .setType('SCALAR')
      .setArray(Uint16Array.from(sphere.triangles))
      .setBuffer(buffer);
    const primitive = document.createPrimitive().setAttribute('POSITION', accessor).setIndices(indices);
    const mesh = document.createMesh('sphere').addPrimitive(primitive);
    const nodes = [0, 5].map((x) => document.createNode(`at ${x}`).setMesh(mesh).setTranslation([x, 0, 0]));
    const scene = document.createScene();
    for (const node of nodes) scene.addChild(node);
    return document;
  }

  test('uncompressed: to the bit', async () => {
    expect(cornersOf(await read(await io.writeBinary(sphereDocument())))).toEqual(expected);
  });

  test('by meshopt, as EXT and as KHR: to the bit', async () => {
    const document = sphereDocument();
    document.createExtension(EXTMeshoptCompression).setRequired(true);
    const glb = await io.writeBinary(document);
    const { json } = openGlb(glb);
    expect(JSON.stringify(json)).toContain('"EXT_meshopt_compression":{"buffer"');
    expect(cornersOf(await read(glb))).toEqual(expected);
    const other = new TextDecoder('latin1').decode(glb).replaceAll('EXT_meshopt', 'KHR_meshopt');
    expect(cornersOf(await read(Buffer.from(other, 'latin1')))).toEqual(expected);
  });

  test('quantised, by meshopt', async () => {
    const document = sphereDocument(Int16Array.from(points, (x) => Math.round(x * 16000)));
    document.createExtension(KHRMeshQuantization).setRequired(true);
    document.createExtension(EXTMeshoptCompression).setRequired(true);
    const found = cornersOf(await read(await io.writeBinary(document)));
    const stored = (v: number): number[] =>
      Array.from(points.subarray(3 * v, 3 * v + 3), (x) => Math.round(x * 16000) / 32767);
    const half = turned(Array.from(sphere.triangles, stored).flat());
    expect(found.slice(0, half.length)).toEqual(half);
  });

  test.each(['EDGEBREAKER', 'SEQUENTIAL'] as const)(
    'by Draco, %s: the same triangles, in its own order',
    async (method) => {
      const document = sphereDocument();
      document
        .createExtension(KHRDracoMeshCompression)
        .setRequired(true)
        .setEncoderOptions({
          method: KHRDracoMeshCompression.EncoderMethod[method],
          quantizationBits: { POSITION: 16 },
        });
      const glb = await io.writeBinary(document);
      expect(JSON.stringify(openGlb(glb).json)).toContain('"KHR_draco_mesh_compression":{"bufferView"');
      const file = await read(glb);
      expect(file.meshes.length).toBe(1);
      expectClose(sortedTriangles(cornersOf(file)), sortedTriangles(expected), 1e-4);
    },
  );

  /** Centres of triangles, sorted roughly: for comparing what comes in another order. */
  function sortedTriangles(corners: readonly number[]): number[] {
    const centres: number[][] = [];
    for (let c = 0; c < corners.length; c += 9) {
      centres.push([0, 1, 2].map((k) => (corners[c + k] + corners[c + 3 + k] + corners[c + 6 + k]) / 3));
    }
    const key = (p: number[]): number[] => p.map((x) => Math.round(x * 1000));
    return centres.sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1] || key(a)[2] - key(b)[2]).flat();
  }

  test('by Draco without draco3dgltf: the message says what to install', async () => {
    const document = sphereDocument();
    document.createExtension(KHRDracoMeshCompression).setRequired(true);
    const glb = await io.writeBinary(document);
    vi.doMock('draco3dgltf', () => {
      throw new Error('not installed');
    });
    try {
      expect((await refusal(read(glb))).message).toMatch(
        /^expected the package draco3dgltf, .*npm install draco3dgltf/,
      );
    } finally {
      vi.doUnmock('draco3dgltf');
    }
  });
});
