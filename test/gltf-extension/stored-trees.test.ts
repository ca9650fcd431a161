/**
 * Trees that a GLB has stored with its meshes: gltf-transform writes them, Khronos' validator has
 * nothing against them, and GLTFLoader of three hands them to LiveChecker.
 */
// @module-tag all
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Document, type Mesh as DocumentMesh, NodeIO, VertexLayout } from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { validateBytes } from 'gltf-validator';
import { Group, type Mesh, type Object3D } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { GicollideObb, readTrees, type StoredObb, storeTrees } from '../../src/gltf-extension/index.ts';
import { read, representationOf } from '../../src/index.ts';
import type { Mesh as Triangles } from '../../src/mesh/mesh.ts';
import { GicollideObbPlugin, LiveChecker, storedTree } from '../../src/three/index.ts';
import { glbOf, openGlb } from '../support/glb.ts';
import { box, bumpySphere } from '../support/shapes.ts';

const NAME = 'GICOLLIDE_obb';
const io = new NodeIO().registerExtensions([GicollideObb, KHRMeshQuantization]);

/** A mesh of a document, a primitive of each of these. */
function add(document: Document, name: string, ...surfaces: Triangles[]): DocumentMesh {
  const buffer = document.getRoot().listBuffers()[0] ?? document.createBuffer();
  const mesh = document.createMesh(name);
  for (const { positions, triangles } of surfaces) {
    const points = document.createAccessor().setType('VEC3').setArray(Float32Array.from(positions)).setBuffer(buffer);
    const indices = document.createAccessor().setType('SCALAR').setArray(triangles.slice()).setBuffer(buffer);
    mesh.addPrimitive(document.createPrimitive().setAttribute('POSITION', points).setIndices(indices));
  }
  const node = document.createNode(name).setMesh(mesh);
  const scene = document.getRoot().listScenes()[0] ?? document.createScene();
  scene.addChild(node);
  return mesh;
}

/** A document of one mesh of one primitive, and one of two. */
function sample(): Document {
  const document = new Document();
  add(document, 'ball', bumpySphere(1, 2));
  add(document, 'pair', box(), bumpySphere(2, 1));
  return document;
}

interface Loaded {
  scene: Group;
  warnings: string[];
}

async function load(glb: Uint8Array): Promise<Loaded> {
  const warnings: string[] = [];
  const loader = new GLTFLoader();
  loader.register((parser) => new GicollideObbPlugin(parser, { onWarning: (line) => warnings.push(line) }));
  const { scene } = await loader.parseAsync(glb.slice().buffer, '');
  return { scene, warnings };
}

const named = (scene: Object3D, name: string): Object3D => scene.getObjectByName(name)!;

let glb: Uint8Array;
beforeAll(async () => {
  const document = sample();
  expect((await storeTrees(document)).stored).toHaveLength(2);
  glb = await io.writeBinary(document);
});

/** What tests read of a file's JSON. */
interface Json {
  meshes: { extensions: Record<string, { bufferView: number; sha256: string }> }[];
  bufferViews: { byteOffset?: number; byteLength: number }[];
  extensionsUsed: string[];
  extensionsRequired?: string[];
}

const opened = (bytes: Uint8Array) => openGlb(bytes) as unknown as { json: Json; binary: Uint8Array };

/** The bytes of the view that a mesh's tree is in. */
function viewOf(bytes: Uint8Array, mesh: number): Uint8Array {
  const { json, binary } = opened(bytes);
  const { byteOffset = 0, byteLength } = json.bufferViews[json.meshes[mesh].extensions[NAME].bufferView];
  return binary.slice(byteOffset, byteOffset + byteLength);
}

describe('a file', () => {
  test('has views that are whole .obb files of the meshes', async () => {
    for (const [n, surfaces] of [[bumpySphere(1, 2)], [box(), bumpySphere(2, 1)]].entries()) {
      const { asset } = await read(viewOf(glb, n));
      const count = surfaces.reduce((sum, { triangles }) => sum + triangles.length, 0);
      expect(representationOf(asset).name).toBe('obb');
      expect(representationOf(asset).surface(asset).triangles.length).toBe(count);
      expect(representationOf(asset).verify(asset).problems).toEqual([]);
      expect(representationOf(asset).units(asset)).toBe('m');
    }
  });

  test('is what the specification says, by its JSON schema and its digest', () => {
    const text = readFileSync(new URL('../../docs/gltf-extension.md', import.meta.url), 'utf8');
    const schema = JSON.parse(/```json schema\n([\s\S]*?)```/.exec(text)![1]);
    const validate = new Ajv2020({ strict: false }).compile(schema);
    const { json } = opened(glb);
    for (const mesh of json.meshes) expect(validate(mesh.extensions[NAME]), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ bufferView: -1, sha256: 'x' })).toBe(false);
    expect(json.extensionsUsed).toEqual([NAME]);
    expect(json.extensionsRequired).toBeUndefined();
    expect(json.meshes[1].extensions[NAME].sha256).toBe(digestByHand([box(), bumpySphere(2, 1)]));
  });

  test('is written to the same bytes again, and read as it was', async () => {
    const again = await io.writeBinary(await io.readBinary(glb));
    expect(Buffer.compare(again, await io.writeBinary(await io.readBinary(again)))).toBe(0);
    for (const n of [0, 1]) expect(viewOf(again, n)).toEqual(viewOf(glb, n));
    const { trees, skipped } = await readTrees(await io.readBinary(again));
    expect([trees.size, skipped]).toEqual([2, []]);
  });

  test('has nothing wrong for the validator, but an extension that it does not know', async () => {
    const { issues } = await validateBytes(glb);
    expect([issues.numErrors, issues.numWarnings]).toEqual([0, 0]);
    const codes = new Set(issues.messages.map(({ code }) => code));
    expect([...codes].sort()).toEqual(['UNSUPPORTED_EXTENSION', 'UNUSED_OBJECT']);
  });
});

/** SHA-256 as the specification has it, by another way: text that is sorted, and Node's digest. */
function digestByHand(surfaces: Triangles[]): string {
  const hash = createHash('sha256');
  for (const { positions, triangles } of surfaces) {
    for (let t = 0; t < triangles.length; t += 3) {
      const corners = [0, 1, 2].map((k) => [0, 1, 2].map((i) => Math.fround(positions[3 * triangles[t + k] + i]) + 0));
      const rotations = [0, 1, 2].map((k) => [...corners.slice(k), ...corners.slice(0, k)].flat());
      rotations.sort((a, b) => a.map((x, i) => x - b[i]).find((x) => x !== 0) ?? 0);
      const bytes = Buffer.alloc(72);
      for (const [i, x] of rotations[0].entries()) bytes.writeDoubleLE(x, 8 * i);
      hash.update(bytes);
    }
  }
  return hash.digest('hex');
}

describe('GLTFLoader', () => {
  test('hands trees to meshes, to groups of primitives, and to their clones', async () => {
    const { scene, warnings } = await load(glb);
    expect(warnings).toEqual([]);
    for (const [n, name] of ['ball', 'pair'].entries()) {
      const object = named(scene, name);
      const tree = storedTree(object)!;
      expect(await read(viewOf(glb, n))).toEqual({ asset: tree, warnings: [] });
      expect(storedTree(object.clone())).toBe(tree);
      expect(JSON.stringify(object.toJSON())).not.toContain('nodeBytes');
    }
    expect(named(scene, 'pair')).toBeInstanceOf(Group);
  });

  test('and LiveChecker answers by them, as it does without', async () => {
    const [stored, plain] = await Promise.all([glb, await io.writeBinary(sample())].map(load));
    for (const x of [0, 0.7, 1.4, 2.1, 2.8]) {
      const verdicts = [stored, plain].map(({ scene }) => {
        const [ball, pair] = ['ball', 'pair'].map((name) => named(scene, name));
        expect(storedTree(ball) !== null).toBe(scene === stored.scene);
        pair.position.set(x, 0.2, 0.1);
        pair.rotation.set(x, 1, 2);
        return new LiveChecker().add(ball).add(pair).update().length;
      });
      expect(verdicts[0]).toBe(verdicts[1]);
    }
  });

  test('a geometry that has changed since has no stored tree, nor one whose primitives were moved apart', async () => {
    const { scene } = await load(glb);
    const ball = named(scene, 'ball') as Mesh;
    ball.geometry.attributes.position.needsUpdate = true;
    expect(storedTree(ball)).toBeNull();
    const pair = named(scene, 'pair');
    pair.children[1].position.x = 1;
    pair.updateMatrixWorld();
    expect(storedTree(pair)).toBeNull();
    expect(storedTree(pair.children[0])).toBeNull();
  });
});

/** The first primitive's numbers, to be changed. */
function numbersOf(document: Document): { points: Float32Array; corners: Uint32Array; commit(): void } {
  const primitive = document.getRoot().listMeshes()[0].listPrimitives()[0];
  const [position, indices] = [primitive.getAttribute('POSITION')!, primitive.getIndices()!];
  const points = Float32Array.from(position.getArray()!);
  const corners = Uint32Array.from(indices.getArray()!);
  const commit = (): void => {
    position.setArray(points);
    indices.setArray(corners);
  };
  return { points, corners, commit };
}

const treeAt = (document: Document, mesh: number): StoredObb =>
  document.getRoot().listMeshes()[mesh].getExtension<StoredObb>(NAME)!;

/** What tools do to a file that leaves every triangle what it was. */
const HARMLESS: [string, (document: Document) => void][] = [
  [
    'vertices that stand in another order',
    (document) => {
      const { points, corners, commit } = numbersOf(document);
      const count = points.length / 3;
      const reversed = points.slice();
      for (let v = 0; v < count; v++) points.set(reversed.subarray(3 * v, 3 * v + 3), 3 * (count - 1 - v));
      corners.forEach((v, c) => {
        corners[c] = count - 1 - v;
      });
      commit();
    },
  ],
  [
    'triangles that begin with another corner',
    (document) => {
      const { corners, commit } = numbersOf(document);
      for (let c = 0; c < corners.length; c += 6) corners.set([corners[c + 1], corners[c + 2], corners[c]], c);
      commit();
    },
  ],
  [
    'zeros of another sign',
    (document) => {
      const { points, commit } = numbersOf(document);
      points.forEach((x, i) => {
        if (x === 0) points[i] = -x;
      });
      commit();
    },
  ],
  [
    'no index',
    (document) => {
      const { points, corners } = numbersOf(document);
      const primitive = document.getRoot().listMeshes()[0].listPrimitives()[0];
      const all = Float32Array.from(Array.from(corners).flatMap((v) => Array.from(points.subarray(3 * v, 3 * v + 3))));
      primitive.setIndices(null).getAttribute('POSITION')!.setArray(all);
    },
  ],
];

/** What makes it another mesh, or another tree. */
const HARMFUL: [string, RegExp, (document: Document) => void][] = [
  [
    'a coordinate that is another',
    /the mesh was changed/,
    (document) => {
      const { points, commit } = numbersOf(document);
      points[4] *= 1 + 2 ** -20;
      commit();
    },
  ],
  [
    'triangles in another order',
    /the mesh was changed/,
    (document) => {
      const { corners, commit } = numbersOf(document);
      corners.copyWithin(0, 3, 6);
      commit();
    },
  ],
  [
    'a triangle that faces the other way',
    /the mesh was changed/,
    (document) => {
      const { corners, commit } = numbersOf(document);
      corners.subarray(0, 3).reverse();
      commit();
    },
  ],
  [
    'a triangle less',
    /the mesh was changed/,
    (document) => {
      const primitive = document.getRoot().listMeshes()[0].listPrimitives()[0];
      const indices = primitive.getIndices()!;
      indices.setArray(indices.getArray()!.slice(3));
    },
  ],
  [
    'the tree of another mesh, with its digest',
    /the mesh was changed/,
    (document) => {
      const other = treeAt(document, 1);
      treeAt(document, 0).setBytes(other.getBytes()).setSha256(other.getSha256());
    },
  ],
  [
    'the tree of another mesh, with the digest of this one',
    /expected a tree of the mesh's triangles, found a tree of other triangles/,
    (document) => {
      treeAt(document, 0).setBytes(treeAt(document, 1).getBytes());
    },
  ],
  [
    'a tree with a bit that is another',
    /checksum/,
    (document) => {
      const bytes = treeAt(document, 0).getBytes().slice();
      bytes[bytes.length >> 1] ^= 1;
      treeAt(document, 0).setBytes(bytes);
    },
  ],
  [
    'a tree that is cut short',
    /./,
    (document) => {
      treeAt(document, 0).setBytes(treeAt(document, 0).getBytes().slice(0, 100));
    },
  ],
];

describe('what was done to a file since', () => {
  test.each(HARMLESS)("%s: the tree is the mesh's", async (_, edit) => {
    const document = await io.readBinary(glb);
    edit(document);
    expect((await readTrees(document)).skipped).toEqual([]);
    for (const layout of [VertexLayout.INTERLEAVED, VertexLayout.SEPARATE]) {
      const { scene, warnings } = await load(await io.setVertexLayout(layout).writeBinary(document));
      expect(warnings).toEqual([]);
      expect(storedTree(named(scene, 'ball'))).not.toBeNull();
    }
  });

  test.each(HARMFUL)('%s: the mesh comes without its tree', async (_, reason, edit) => {
    const document = await io.readBinary(glb);
    edit(document);
    const { trees, skipped } = await readTrees(document);
    expect([trees.size, skipped.length]).toEqual([1, 1]);
    expect(skipped[0].reason).toMatch(reason);
    const { scene, warnings } = await load(await io.writeBinary(document));
    expect(warnings).toEqual([`meshes[0] "ball": ${skipped[0].reason}`]);
    expect(storedTree(named(scene, 'ball'))).toBeNull();
    expect(storedTree(named(scene, 'pair'))).not.toBeNull();
    expect(new LiveChecker().add(named(scene, 'ball')).update()).toEqual([]);
  });

  test('whatever fails costs the tree and not the model, even the callback', async () => {
    const loader = new GLTFLoader();
    const lines: string[] = [];
    loader.register((parser) => {
      const getDependency = parser.getDependency.bind(parser);
      parser.getDependency = (type, index) => {
        if (type === 'bufferView' && index === opened(glb).json.meshes[0].extensions[NAME].bufferView)
          throw new TypeError('broken');
        return getDependency(type, index);
      };
      const onWarning = (line: string) => {
        lines.push(line);
        throw new Error('of the page');
      };
      return new GicollideObbPlugin(parser, { onWarning });
    });
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    try {
      const { scene } = await loader.parseAsync(glb.slice().buffer, '');
      expect(lines).toEqual(['meshes[0] "ball": broken']);
      expect(warn).toHaveBeenCalledOnce();
      expect(storedTree(named(scene, 'ball'))).toBeNull();
      expect(storedTree(named(scene, 'pair'))).not.toBeNull();
    } finally {
      warn.mockRestore();
    }
  });

  test.each([
    ['a view that is not there', { bufferView: 99, sha256: '' }],
    ['no view', { sha256: '' }],
    ['nothing', null],
    ['text', 'tree'],
  ])('%s in the JSON is a warning, and the file is read', async (_, stored) => {
    const { json, binary } = opened(glb);
    json.meshes[0].extensions[NAME] = stored as Json['meshes'][0]['extensions'][string];
    const edited = glbOf(new TextEncoder().encode(JSON.stringify(json)), binary);
    const lines: string[] = [];
    const warn = (line: string) => void lines.push(line);
    const own = new NodeIO().registerExtensions([GicollideObb]);
    own.setLogger({ debug() {}, info() {}, warn, error() {} });
    const { trees } = await readTrees(await own.readBinary(edited));
    expect([lines.length, trees.size]).toEqual([1, 1]);
    expect(lines[0]).toMatch(/^meshes\[0\].*: expected the number of a view at meshes\[0\]/);
    expect((await load(edited)).warnings).toEqual([expect.stringMatching(/^meshes\[0\] "ball": expected the number/)]);
  });
});

test.each([4, 5, 6] as const)('mode %i of triangles, quantised: GLTFLoader has the same ones', async (mode) => {
  const document = new Document();
  const mesh = add(document, 'one', box());
  const [primitive] = mesh.listPrimitives();
  const numbers = Int16Array.from({ length: 3 * 40 }, (_, i) => 32768 * Math.sin(i * i));
  primitive.setMode(mode).setIndices(null).getAttribute('POSITION')!.setArray(numbers).setNormalized(true);
  if (mode === 4) primitive.getAttribute('POSITION')!.setArray(numbers.slice(0, 117));
  document.createExtension(KHRMeshQuantization).setRequired(true);
  await storeTrees(document);
  const { scene, warnings } = await load(await io.writeBinary(document));
  expect(warnings).toEqual([]);
  expect(storedTree(named(scene, 'one'))!.triangles.length / 3).toBe(mode === 4 ? 13 : 38);
});

test('meshes without triangles, with morph targets and with bones are skipped, and lose the tree that they had', async () => {
  const document = await io.readBinary(glb);
  const [ball, pair] = document.getRoot().listMeshes();
  const [primitive] = ball.listPrimitives();
  primitive.addTarget(document.createPrimitiveTarget().setAttribute('POSITION', primitive.getAttribute('POSITION')));
  document.getRoot().listNodes()[1].setSkin(document.createSkin());
  const points = add(document, 'points', box());
  points.listPrimitives()[0].setMode(0);
  const { stored, skipped } = await storeTrees(document);
  expect(stored).toEqual([]);
  expect(skipped).toEqual([
    { mesh: ball, reason: 'expected one shape, found morph targets' },
    { mesh: pair, reason: 'expected one shape, found bones' },
    { mesh: points, reason: 'expected triangles, found none' },
  ]);
  expect(
    document
      .getRoot()
      .listMeshes()
      .map((mesh) => mesh.getExtension(NAME)),
  ).toEqual([null, null, null]);
});

test('options: which meshes, and which nodes', async () => {
  const document = sample();
  const { stored } = await storeTrees(document, { nodeBytes: 20, isWanted: (mesh) => mesh.getName() === 'ball' });
  expect(stored.map((mesh) => mesh.getName())).toEqual(['ball']);
  const { trees } = await readTrees(document);
  expect([...trees.values()].map(({ nodeBytes }) => nodeBytes)).toEqual([20]);
  await expect(storeTrees(document, { nodeBytes: 7 })).rejects.toThrow(/node bytes 7/);
});
