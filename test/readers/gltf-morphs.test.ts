/** Morph targets of glTF: frames against the sums of what targets move by, and what is refused. */
import { describe, expect, test } from 'vitest';
import { readMeshFile } from '../../src/readers/formats.ts';
import { readMorphs } from '../../src/readers/gltf/morphs.ts';
import { wholeMesh } from '../../src/readers/mesh-file.ts';
import { type GltfDraft, gltfDraft } from '../support/glb.ts';

const nothingBeside = {
  open(path: string): never {
    throw new Error(path);
  },
};

/** Two squares that share a side, whose four points at it are there twice. */
const POINTS = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 1, 1, 0];
const TRIANGLES = [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7];
/** Up, by x; and to the side, all of them. */
const UP = POINTS.map((_, i) => (i % 3 === 2 ? POINTS[i - 2] : 0));
const ASIDE = POINTS.map((_, i) => (i % 3 === 1 ? 0.5 : 0));

interface Made {
  times?: number[];
  weights?: number[];
  interpolation?: string;
  targets?: number[][];
  node?: object;
  mesh?: Record<string, unknown>;
}

function draftOf({
  times = [0, 1, 3],
  weights = [0, 0, 1, 0, 1, 1],
  interpolation = 'LINEAR',
  targets = [UP, ASIDE],
  node = {},
  mesh = {},
}: Made): GltfDraft {
  const draft = gltfDraft();
  const vectors = (numbers: number[]): number => draft.accessor(Float32Array.from(numbers), 'VEC3');
  draft.mesh(
    {
      attributes: { POSITION: vectors(POINTS) },
      indices: draft.accessor(Uint16Array.from(TRIANGLES), 'SCALAR'),
      targets: targets.map((target) => ({ POSITION: vectors(target) })),
    },
    mesh,
  );
  Object.assign(draft.json.nodes[0], node);
  const [input, output] = [times, weights].map((all) => draft.accessor(Float32Array.from(all), 'SCALAR'));
  draft.json.animations = [
    { samplers: [{ input, output, interpolation }], channels: [{ sampler: 0, target: { node: 0, path: 'weights' } }] },
  ];
  return draft;
}

async function framesOf(draft: GltfDraft) {
  const bytes = draft.glb();
  const mesh = wholeMesh(await readMeshFile(bytes, nothingBeside));
  const morphs = await readMorphs(bytes, nothingBeside);
  return { times: morphs.times, mesh, frames: morphs.times.map((_, n) => morphs.positions(n, mesh)) };
}

/** Where a mesh's vertices go, by where they are. */
const moved = (positions: Float64Array, up: number, aside: number): number[] =>
  Array.from(positions, (c, i) => c + (i % 3 === 2 ? up * positions[i - 2] : i % 3 === 1 ? 0.5 * aside : 0));

test('a frame is the positions and the weighted sum of the targets', async () => {
  const { times, mesh, frames } = await framesOf(draftOf({}));
  expect(times).toEqual([0, 1, 3]);
  expect(mesh.positions).toHaveLength(18);
  for (const [n, [up, aside]] of [
    [0, 0],
    [1, 0],
    [1, 1],
  ].entries())
    expect(Array.from(frames[n])).toEqual(moved(mesh.positions, up, aside));
});

test('nodes place what has changed its shape, a mirror, too', async () => {
  const { mesh, frames } = await framesOf(draftOf({ node: { scale: [-2, 2, 2], translation: [10, 0, 0] } }));
  const expected = Array.from(mesh.positions, (c, i) => {
    const x = (10 - mesh.positions[i - (i % 3)]) / 2;
    return c + (i % 3 === 2 ? 2 * x : i % 3 === 1 ? 1 : 0);
  });
  expect(Array.from(frames[2])).toEqual(expected);
});

describe('a second node has keys of its own', () => {
  test.each([
    ['LINEAR', 0.5],
    ['STEP', 0],
  ])('%s', async (interpolation, expected) => {
    const draft = draftOf({ targets: [UP], times: [0, 2], weights: [0, 1], interpolation });
    draft.json.nodes.push({ mesh: 0, translation: [0, 100, 0] });
    (draft.json.scenes[0].nodes as number[]).push(1);
    const [input, output] = [[1], [1]].map((all) => draft.accessor(Float32Array.from(all), 'SCALAR'));
    const [animation] = draft.json.animations as { samplers: object[]; channels: object[] }[];
    animation.samplers.push({ input, output });
    animation.channels.push({ sampler: 1, target: { node: 1, path: 'weights' } });
    const { times, mesh, frames } = await framesOf(draft);
    expect(times).toEqual([0, 1, 2]);
    const half = mesh.positions.length / 2;
    expect(Array.from(frames[1].subarray(0, half))).toEqual(moved(mesh.positions.subarray(0, half), expected, 0));
    for (const frame of frames)
      expect(Array.from(frame.subarray(half))).toEqual(moved(mesh.positions.subarray(half), 1, 0));
  });
});

test('what has no keys has the weights of its node, or of its mesh', async () => {
  const draft = draftOf({ targets: [UP], times: [5], weights: [0], mesh: { weights: [0.25] } });
  draft.json.nodes.push({ mesh: 0, weights: [2] }, { mesh: 0 });
  (draft.json.scenes[0].nodes as number[]).push(1, 2);
  const { mesh, frames } = await framesOf(draft);
  const third = mesh.positions.length / 3;
  for (const [k, up] of [0, 2, 0.25].entries()) {
    const own = mesh.positions.subarray(k * third, (k + 1) * third);
    expect(Array.from(frames[0].subarray(k * third, (k + 1) * third))).toEqual(moved(own, up, 0));
  }
});

describe('what is refused', () => {
  const torn = POINTS.map((_, i) => (i === 5 ? 1 : 0));
  test.each([
    ['targets that tear', draftOf({ targets: [torn, torn] }), /targets that keep coincident points together/],
    ['another number of weights', draftOf({ weights: [0, 1, 2] }), /6 weights/],
    ['other curves', draftOf({ interpolation: 'CUBICSPLINE' }), /LINEAR or STEP at animations\[0\]/],
    ['targets of other points', draftOf({ targets: [[0, 0, 0]] }), /8 elements/],
    ['weights of another length', draftOf({ mesh: { weights: [1] } }), /a list of 2 numbers/],
  ])('%s', async (_, draft, message) => {
    if (message.source.includes('list')) {
      draft.json.nodes.push({ mesh: 0 });
      (draft.json.scenes[0].nodes as number[]).push(1);
    }
    await expect(framesOf(draft)).rejects.toThrow(message);
  });

  test('no animation', async () => {
    const draft = draftOf({});
    draft.json.animations = [];
    await expect(framesOf(draft)).rejects.toThrow(/an animation of morph targets, found none/);
  });

  test('another mesh', async () => {
    const { frames, mesh } = await framesOf(draftOf({}));
    expect(frames).toHaveLength(3);
    const morphs = await readMorphs(draftOf({}).glb(), nothingBeside);
    const fewer = { ...mesh, triangles: mesh.triangles.subarray(3) };
    expect(() => morphs.positions(0, fewer)).toThrow(/the 3 triangles of the mesh, found 4/);
  });
});
