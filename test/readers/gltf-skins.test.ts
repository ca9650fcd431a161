/** Skins: where three's joints place their points at rest, and closed forms. */
import { WebIO } from '@gltf-transform/core';
import { KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco from 'draco3dgltf';
import { Matrix4, type Object3D, Quaternion, type SkinnedMesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, test } from 'vitest';
import { readMeshFile } from '../../src/readers/formats.ts';
import { readMorphs } from '../../src/readers/gltf/morphs.ts';
import { type MeshFile, wholeMesh } from '../../src/readers/mesh-file.ts';
import { type GltfDraft, gltfDraft, openGlb } from '../support/glb.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';
import { bumpySphere } from '../support/shapes.ts';

const alone = {
  open(path: string): never {
    throw new Error(`asked for ${path}`);
  },
};
const read = (draft: GltfDraft) => readMeshFile(draft.glb(), alone);

/** x, y, z of each corner of each triangle. */
function cornersOf(file: MeshFile): number[] {
  const { positions, triangles } = wholeMesh(file);
  return Array.from(triangles, (v) => Array.from(positions.subarray(3 * v, 3 * v + 3))).flat();
}

async function cornersOfThree(glb: Uint8Array): Promise<number[]> {
  const { buffer } = new Uint8Array(glb);
  const { scene } = await new Promise<{ scene: Object3D }>((resolve, fail) =>
    new GLTFLoader().parse(buffer, '', resolve, fail),
  );
  scene.updateMatrixWorld(true);
  const corners: number[] = [];
  const point = new Vector3();
  scene.traverse((object) => {
    const mesh = object as SkinnedMesh;
    if (!mesh.isMesh) return;
    const { index, attributes } = mesh.geometry;
    for (let c = 0; c < (index ?? attributes.position).count; c++) {
      // With its bones, if it has them.
      mesh.getVertexPosition(index ? index.getX(c) : c, point).applyMatrix4(mesh.matrixWorld);
      corners.push(point.x, point.y, point.z);
    }
  });
  return corners;
}

function expectClose(found: readonly number[], expected: readonly number[], within: number): void {
  expect(found.length).toBe(expected.length);
  const size = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
  expect(found.reduce((most, x, k) => Math.max(most, Math.abs(x - expected[k])), 0) / size).toBeLessThan(within);
}

const turn = (random: Random): number[] => {
  const q = Array.from({ length: 4 }, () => random.between(-1, 1));
  const length = Math.sqrt(q.reduce((sum, x) => sum + x * x, 0));
  return q.map((x) => x / length);
};
const three = (random: Random, low: number, high: number): number[] => [0, 1, 2].map(() => random.between(low, high));

/** Four meshes, three skins and a tree of nodes, some of which show a mesh by a skin. */
function randomSkins(random: Random): GltfDraft {
  const draft = gltfDraft();
  const count = 12 + random.below(10);
  draft.json.nodes = Array.from({ length: count }, () => ({
    translation: three(random, -2, 2),
    rotation: turn(random),
    scale: three(random, 0.5, 2),
  }));
  draft.json.skins = [0, 1, 2].map(() => {
    const joints = Array.from({ length: count }, (_, n) => n).filter(() => random.below(2) > 0);
    if (joints.length === 0) joints.push(0);
    if (random.below(4) === 0) return { joints };
    const inverses = joints.flatMap(() => {
      const [x, y, z, w] = turn(random);
      const matrix = new Matrix4().makeRotationFromQuaternion(new Quaternion(x, y, z, w));
      return matrix.setPosition(random.between(-1, 1), random.between(-1, 1), 0).toArray();
    });
    return { joints, inverseBindMatrices: draft.accessor(Float32Array.from(inverses), 'MAT4') };
  });
  for (let m = 0; m < 4; m++) {
    const points = 3 * (1 + random.below(4));
    const attributes: Record<string, number> = {
      POSITION: draft.accessor(
        Float32Array.from({ length: 3 * points }, () => random.between(-1, 1)),
        'VEC3',
        { min: [-1, -1, -1], max: [1, 1, 1] },
      ),
    };
    // The least skin has one joint.
    const most = Math.min(...(draft.json.skins as { joints: number[] }[]).map(({ joints }) => joints.length));
    const joints = Array.from({ length: 4 * points }, () => random.below(most));
    const kind = random.pick([Float32Array, Uint8Array, Uint16Array]);
    const one = kind === Float32Array ? 1 : kind === Uint8Array ? 255 : 65535;
    const weights = Array.from({ length: points }, () => {
      const a = random.below(64);
      const b = random.below(64 - a);
      const parts = [a, b, 64 - a - b, 0].map((x) => (x / 64) * one);
      const rounded = kind === Float32Array ? parts : parts.map(Math.floor);
      rounded[2] += Math.max(0, one - rounded.reduce((sum, x) => sum + x, 0));
      return rounded;
    }).flat();
    attributes.JOINTS_0 = draft.accessor((random.below(2) ? Uint8Array : Uint16Array).from(joints), 'VEC4');
    attributes.WEIGHTS_0 = draft.accessor(
      kind.from(weights),
      'VEC4',
      kind === Float32Array ? {} : { normalized: true },
    );
    draft.json.meshes.push({ primitives: [{ attributes }] });
  }
  const roots = [0];
  for (let n = 1; n < count; n++) {
    const parent = draft.json.nodes[random.below(n)];
    if (random.below(5) === 0) roots.push(n);
    else parent.children = [...((parent.children as number[]) ?? []), n];
  }
  // No joint of three's shows a mesh.
  const jointed = new Set((draft.json.skins as { joints: number[] }[]).flatMap(({ joints }) => joints));
  for (let n = 0; n < 6; n++) {
    // A mesh of three's has a skin wherever it is shown, or nowhere.
    const mesh = random.below(4);
    const node = { mesh, ...(mesh < 3 ? { skin: random.below(3) } : {}) };
    const place = { translation: three(random, -3, 3), scale: three(random, 0.5, 2) };
    draft.json.nodes.push({ ...node, ...place });
    const parent = random.below(count);
    if (jointed.has(parent) || random.below(2) === 0) roots.push(count + n);
    else (draft.json.nodes[parent].children ??= [] as number[]) as number[];
    if (!roots.includes(count + n)) (draft.json.nodes[parent].children as number[]).push(count + n);
  }
  draft.json.scenes = [{ nodes: roots }];
  return draft;
}

test.each(
  some(
    [5, 30],
    Array.from({ length: 300 }, (_, k) => k),
  ),
)('seed %i: random skins as three places them', { tags: ['quick', 'all', 'long'] }, async (seed) => {
  const glb = randomSkins(seeded(seed)).glb();
  expectClose(cornersOf(await readMeshFile(glb, alone)), await cornersOfThree(glb), 1e-5);
});

interface Made {
  nodes: object[];
  skins?: object[];
  /** Of the three points: joints and weights, set by set. */
  sets?: [number[][], number[][]][];
  inverses?: number[][];
  roots?: number[];
}

const POINTS = [0, 0, 0, 1, 0, 0, 0, 1, 0];

/** One triangle of a skin; all points follow the first joint unless `sets` say otherwise. */
function draftOf({
  nodes,
  skins,
  sets = [
    [
      [[0], [0], [0]],
      [[1], [1], [1]],
    ],
  ],
  inverses,
  roots = [0],
}: Made): GltfDraft {
  const draft = gltfDraft();
  const attributes: Record<string, number> = { POSITION: draft.accessor(Float32Array.from(POINTS), 'VEC3') };
  const four = (rows: number[][]): number[] => rows.flatMap((row) => [0, 1, 2, 3].map((k) => row[k] ?? 0));
  for (const [k, [joints, weights]] of sets.entries()) {
    attributes[`JOINTS_${k}`] = draft.accessor(Uint8Array.from(four(joints)), 'VEC4');
    attributes[`WEIGHTS_${k}`] = draft.accessor(Float32Array.from(four(weights)), 'VEC4');
  }
  const own = inverses ? { inverseBindMatrices: draft.accessor(Float32Array.from(inverses.flat()), 'MAT4') } : {};
  Object.assign(draft.json, {
    meshes: [{ primitives: [{ attributes }] }],
    nodes,
    scenes: [{ nodes: roots }],
    skins: skins?.map((skin) => ({ ...own, ...skin })) ?? [{ joints: [1], ...own }],
  });
  return draft;
}

const diagonal = (x: number, ...move: number[]): number[] => [x, 0, 0, 0, 0, x, 0, 0, 0, 0, x, 0, ...move, 1];

describe('joints', () => {
  test('alone place a mesh: neither its node nor those above it do', async () => {
    const nodes = [
      { scale: [0.01, 0.01, 0.01], children: [1, 2] },
      { name: 'bone', translation: [100, 0, 0] },
      { name: 'body', mesh: 0, skin: 0, translation: [7, 7, 7], children: [3] },
      { name: 'hat', mesh: 0 },
    ];
    const file = await read(draftOf({ nodes, inverses: [diagonal(100, 0, 300, 0)] }));
    expectClose(cornersOf(file).slice(0, 9), [1, 3, 0, 2, 3, 0, 1, 4, 0], 1e-15);
    // What hangs on the node of a skinned mesh moves with that node.
    expectClose(cornersOf(file).slice(9), [0.07, 0.07, 0.07, 0.08, 0.07, 0.07, 0.07, 0.08, 0.07], 1e-15);
    expect(file.meshes.length).toBe(1);
    expect(file.warnings).toEqual(['1 node with a skin: read in the rest pose of the joints']);
  });

  test('without inverse bind matrices: as the joints stand', async () => {
    const file = await read(draftOf({ nodes: [{ mesh: 0, skin: 0 }, { translation: [5, 0, 0] }], roots: [0, 1] }));
    expect(cornersOf(file)).toEqual([5, 0, 0, 6, 0, 0, 5, 1, 0]);
  });

  test('that are not in the scene place a mesh, too, as does what is above them', async () => {
    const nodes = [{ mesh: 0, skin: 0 }, { translation: [5, 0, 0] }, { children: [1], translation: [0, 3, 0] }];
    expect(cornersOf(await read(draftOf({ nodes })))).toEqual([5, 3, 0, 6, 3, 0, 5, 4, 0]);
  });

  test('eight a point: each by its weight, divided by their sum', async () => {
    const nodes = [{ mesh: 0, skin: 0 }, ...Array.from({ length: 8 }, (_, k) => ({ translation: [2 ** k, 0, k] }))];
    const joints = Array.from({ length: 8 }, (_, k) => k + 1);
    const draft = draftOf({
      nodes,
      skins: [{ joints }],
      sets: [
        [Array(3).fill([7, 6, 5, 4]), [[1, 1, 1, 1], [0.25], [0]]],
        [Array(3).fill([3, 2, 1, 0]), [[1, 1, 1, 1], [0.25], [0]]],
      ],
    });
    // All eight; the two of 128 and 8; and without weights the first joint, of 128.
    expectClose(cornersOf(await read(draft)), [255 / 8, 0, 3.5, 1 + 136 / 2, 0, 5, 128, 1, 7], 1e-15);
    expect((await read(draft)).warnings).toContain('1 point of skins without weights: moved by the first joint');
  });

  test('several skins of one mesh: a mesh for each that bends it', async () => {
    const nodes = [
      { name: 'a', mesh: 0, skin: 0 },
      { name: 'b', mesh: 0, skin: 1 },
      { name: 'c', mesh: 0, skin: 0 },
      { name: 'd', mesh: 0, translation: [0, 0, 9] },
      { translation: [1, 0, 0] },
      { translation: [0, 2, 0] },
    ];
    const sets: Made['sets'] = [
      [
        [[0], [1], [0]],
        [[1], [1], [1]],
      ],
    ];
    const skins = [{ joints: [4, 5] }, { joints: [5, 4] }];
    const file = await read(draftOf({ nodes, skins, sets, roots: [0, 1, 2, 3, 4, 5] }));
    expect(file.meshes.length).toBe(3);
    const bent = [1, 0, 0, 1, 2, 0, 1, 1, 0];
    expect(cornersOf(file)).toEqual([...bent, 0, 2, 0, 2, 0, 0, 0, 3, 0, ...bent, 0, 0, 9, 1, 0, 9, 0, 1, 9]);
    expect(wholeMesh(file).groups.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('that mirror turn triangles, so that they go on facing outward', async () => {
    const nodes = [{ mesh: 0, skin: 0 }, { scale: [-1, 1, 1] }, { scale: [-2, 1, 1] }];
    const rigid = await read(draftOf({ nodes, roots: [0, 1, 2] }));
    expect(cornersOf(rigid)).toEqual([0, 0, 0, 0, 1, 0, -1, 0, 0]);
    const sets: Made['sets'] = [
      [
        [[0], [1], [0]],
        [[1], [1], [1]],
      ],
    ];
    const bent = await read(draftOf({ nodes, sets, skins: [{ joints: [1, 2] }], roots: [0, 1, 2] }));
    expect(cornersOf(bent)).toEqual([0, 0, 0, 0, 1, 0, -2, 0, 0]);
  });

  test('primitives without joints stand where the node does', async () => {
    const draft = draftOf({ nodes: [{ mesh: 0, skin: 0, translation: [0, 0, 4] }, { translation: [5, 0, 0] }] });
    (draft.json.meshes[0].primitives as object[]).push({ attributes: { POSITION: 0 } });
    expect(cornersOf(await read(draft))).toEqual([5, 0, 0, 6, 0, 0, 5, 1, 0, 0, 0, 4, 1, 0, 4, 0, 1, 4]);
  });

  test('instances of a skinned mesh are one, and said', async () => {
    const draft = draftOf({ nodes: [{ mesh: 0, skin: 0 }, { translation: [5, 0, 0] }] });
    const attributes = { TRANSLATION: draft.accessor(new Float32Array(6), 'VEC3') };
    draft.json.nodes[0].extensions = { EXT_mesh_gpu_instancing: { attributes } };
    const file = await read(draft);
    expect(cornersOf(file).length).toBe(9);
    expect(file.warnings[0]).toMatch(/^1 incomplete element \(2 instances of a skinned mesh/);
  });
});

test.each(
  some(
    [4, 20],
    Array.from({ length: 100 }, (_, k) => k),
  ),
)(
  'seed %i: a chain of joints in its bind pose moves no point by a bit',
  { tags: ['quick', 'all', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const length = 4;
    const nodes: object[] = [{ mesh: 0, skin: 0, scale: [3, 3, 3] }];
    const worlds: Matrix4[] = [];
    for (let k = 0; k < length; k++) {
      const [t, [x, y, z, w], s] = [three(random, -1, 1), turn(random), random.between(0.5, 2)];
      nodes.push({
        translation: t,
        rotation: [x, y, z, w],
        scale: [s, s, s],
        ...(k + 1 < length ? { children: [k + 2] } : {}),
      });
      const own = new Matrix4().compose(new Vector3(...t), new Quaternion(x, y, z, w), new Vector3(s, s, s));
      worlds.push(k > 0 ? worlds[k - 1].clone().multiply(own) : own);
    }
    const inverses = worlds.map((world) => world.clone().invert().toArray().map(Math.fround));
    const sets: Made['sets'] = [
      [
        [
          [0, 1, 2],
          [1, 2, 3],
          [3, 0],
        ],
        [
          [0.2, 0.3, 0.5],
          [0.1, 0.1, 0.8],
          [0.5, 0.5],
        ],
      ],
    ];
    const file = await read(draftOf({ nodes, inverses, sets, skins: [{ joints: [1, 2, 3, 4] }], roots: [0, 1] }));
    expect(cornersOf(file)).toEqual(POINTS);
  },
);

test('compressed by Draco: as the same file uncompressed', async () => {
  const sphere = bumpySphere(3, 2);
  const count = sphere.positions.length / 3;
  const draft = gltfDraft();
  const weights = Array.from({ length: count }, (_, v) => {
    const part = Math.round(64 * (0.5 + sphere.positions[3 * v] / 4)) / 64;
    return [part, 1 - part, 0, 0];
  }).flat();
  const attributes = {
    POSITION: draft.accessor(Float32Array.from(sphere.positions), 'VEC3'),
    JOINTS_0: draft.accessor(
      Uint8Array.from({ length: 4 * count }, (_, k) => [0, 1, 0, 0][k % 4]),
      'VEC4',
    ),
    WEIGHTS_0: draft.accessor(Float32Array.from(weights), 'VEC4'),
  };
  draft.mesh({ attributes, indices: draft.accessor(Uint16Array.from(sphere.triangles), 'SCALAR') });
  draft.json.nodes = [{ mesh: 0, skin: 0 }, { translation: [1, 0, 0] }, { translation: [0, 5, 0], scale: [1, 2, 1] }];
  draft.json.scenes = [{ nodes: [0, 1, 2] }];
  draft.json.skins = [{ joints: [1, 2] }];
  const plain = draft.glb();
  const io = new WebIO().registerExtensions([KHRDracoMeshCompression]).registerDependencies({
    'draco3d.encoder': await draco.createEncoderModule(),
  });
  const document = await io.readBinary(plain as Uint8Array<ArrayBuffer>);
  const { EDGEBREAKER } = KHRDracoMeshCompression.EncoderMethod;
  document
    .createExtension(KHRDracoMeshCompression)
    .setRequired(true)
    .setEncoderOptions({ method: EDGEBREAKER, quantizationBits: { POSITION: 20, GENERIC: 16 } });
  const packed = await io.writeBinary(document);
  expect(JSON.stringify(openGlb(packed).json)).toMatch(/"KHR_draco_mesh_compression":\{[^}]*"JOINTS_0":/);
  const [a, b] = [await readMeshFile(plain, alone), await readMeshFile(packed, alone)];
  const bounds = ({ meshes }: MeshFile): number[] =>
    [0, 1, 2].flatMap((k) => {
      const along = meshes[0].mesh.positions.filter((_, i) => i % 3 === k);
      return [Math.min(...along), Math.max(...along), along.reduce((sum, x) => sum + x, 0) / along.length];
    });
  expectClose(bounds(b), bounds(a), 1e-3);
  expect(b.meshes[0].mesh.triangles.length).toBe(a.meshes[0].mesh.triangles.length);
});

test('morph targets move points before the joints do', async () => {
  const sets: Made['sets'] = [
    [
      [[0], [1], [0]],
      [[1], [1], [1]],
    ],
  ];
  const nodes = [{ mesh: 0, skin: 0 }, { scale: [2, 2, 2] }, { translation: [0, 0, 1] }];
  const draft = draftOf({ nodes, sets, skins: [{ joints: [1, 2] }], roots: [0, 1, 2] });
  const target = draft.accessor(Float32Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1), 'VEC3');
  (draft.json.meshes[0].primitives as Record<string, object[]>[])[0].targets = [{ POSITION: target }];
  const [input, output] = [Float32Array.of(0, 1), Float32Array.of(0, 1)].map((x) => draft.accessor(x, 'SCALAR'));
  draft.json.animations = [
    { samplers: [{ input, output }], channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }] },
  ];
  const mesh = wholeMesh(await read(draft));
  const morphs = await readMorphs(draft.glb(), alone);
  expect(morphs.positions(0, mesh)).toEqual(mesh.positions);
  expect(Array.from(morphs.positions(1, mesh))).toEqual([0, 0, 0, 1, 0, 1, 2, 4, 2]);
});

// biome-ignore lint/suspicious/noExplicitAny: a test changes whatever it likes
const WRONG: [string, (json: any, draft: GltfDraft) => void, RegExp][] = [
  ['no such joint', (j) => (j.skins[0].joints = [9]), /from 0 to 1 at skins\[0\].joints\[0\], found 9/],
  ['no joints', (j) => (j.skins[0].joints = []), /^expected at least one joint at skins\[0\]/],
  [
    'fewer matrices than joints',
    (j) => (j.skins[0].joints = [1, 0]),
    /^expected 2 matrices, one for each joint, at accessors\[3\], found 1/,
  ],
  ['weights alone', (j) => delete j.meshes[0].primitives[0].attributes.JOINTS_0, /JOINTS_0 and WEIGHTS_0 together at/],
  ['other counts', (j) => (j.accessors[1].count = 2), /^expected 3 elements at accessors\[1\], found 2/],
  [
    'a point whose joint is not in the skin',
    (j, draft) => {
      j.meshes[0].primitives[0].attributes.JOINTS_0 = draft.accessor(
        Uint8Array.of(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
        'VEC4',
      );
    },
    /^expected joints below 1 for point 1 at accessors\[4\], found 1/,
  ],
  [
    'weights that are no numbers',
    (j, draft) => {
      j.meshes[0].primitives[0].attributes.WEIGHTS_0 = draft.accessor(new Float32Array(12).fill(Number.NaN), 'VEC4');
    },
    /^expected finite weights for point 0 at accessors\[4\]/,
  ],
  [
    'a matrix that projects',
    (j, draft) => {
      j.skins[0].inverseBindMatrices = draft.accessor(new Float32Array(16).fill(1), 'MAT4');
    },
    /last row 0, 0, 0, 1 at accessors\[4\], element 0, found 1, 1, 1, 1/,
  ],
  [
    'a joint below itself',
    (j) => {
      j.nodes.push({ children: [1] });
      j.nodes[1].children = [2];
      j.scenes[0].nodes = [0];
    },
    /^expected a node that is not below itself at nodes\[1\]/,
  ],
];

test.each(WRONG)('%s', async (_, change, expected) => {
  const draft = draftOf({ nodes: [{ mesh: 0, skin: 0 }, {}], inverses: [diagonal(1, 0, 0, 0)], roots: [0, 1] });
  change(draft.json, draft);
  expect((await refusal(read(draft))).message).toMatch(expected);
});
