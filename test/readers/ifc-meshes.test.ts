/** What is made of the triangles that an IFC engine gives: soups of corners, some roundings apart, turned any way. */
import { expect, test } from 'vitest';
import type { EnginePart } from '../../src/readers/ifc/engine.ts';
import { ElementMeshes } from '../../src/readers/ifc/meshes.ts';
import { measured } from '../support/file-measures.ts';
import { seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';

const UNIT = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);

/** Boxes of these sizes about the origin as a soup; a triangle is turned where `isTurned` says so. */
function soup(sizes: number[], isTurned = (_triangle: number) => false, noise = () => 0): EnginePart {
  const corners = sizes.flatMap((size) => {
    const { positions, triangles } = box(size);
    return [...triangles].map((v) => [...positions.slice(3 * v, 3 * v + 3)].map((x) => x + noise()));
  });
  for (let t = 0; t < corners.length / 3; t++)
    if (isTurned(t)) [corners[3 * t + 1], corners[3 * t + 2]] = [corners[3 * t + 2], corners[3 * t + 1]];
  const vertices = Float64Array.from(corners.flatMap((corner) => [...corner, 0, 0, 1]));
  return { vertices, indices: Uint32Array.from(corners.keys()), matrix: UNIT, isExact: true, geometry: 1 };
}

function made(...parts: EnginePart[]) {
  const meshes = new ElementMeshes();
  const { mesh, matrix, isClosed } = meshes.add(parts);
  const node = { name: '', parent: -1, matrix, mesh };
  const file = {
    meshes: meshes.meshes.map((each) => ({ name: '', mesh: each })),
    nodes: [node],
    units: null,
    notes: [],
  };
  const { volume, ...rest } = measured(file, 0);
  return { ...rest, volume: Math.round(volume), isClosed, vertices: meshes.meshes[mesh].positions.length / 3 };
}

test('corners at one place are one vertex, and a zero has one sign', () => {
  const part = soup([2]);
  part.vertices.forEach((x, k) => {
    if (x === 0) part.vertices[k] = -0;
  });
  expect(made(part)).toMatchObject({ vertices: 8, volume: 8, isClosed: true, open: 0 });
});

test('corners some roundings apart are joined where that closes the mesh (seed 5)', () => {
  const random = seeded(5);
  const noise = (size: number) => () => size * random.between(-1, 1);
  for (const size of [1e-13, 1e-10, 1e-9]) {
    expect(made(soup([20], undefined, noise(size)))).toMatchObject({ vertices: 8, isClosed: true, open: 0 });
  }
  // Beyond 2^-24 of the extent they stay as they were given.
  expect(made(soup([20], undefined, noise(1e-4)))).toMatchObject({ vertices: 36, isClosed: false });
});

test('a mesh that lacks a face is as it was given', () => {
  const part = soup([2]);
  expect(made({ ...part, indices: part.indices.slice(3) })).toMatchObject({ isClosed: false, open: 3 });
});

test('triangles that disagree are turned, and then all of it faces outward', () => {
  for (let turned = 0; turned < 2 ** 12; turned += 97) {
    const part = soup([2], (t) => ((turned >> t) & 1) === 1);
    expect([turned, made(part)]).toMatchObject([turned, { volume: 8, isClosed: true, open: 0 }]);
  }
});

test('a hollow stays one, also where the body around it disagreed', () => {
  const hollow = (t: number) => t >= 12;
  expect(made(soup([4, 2], hollow)).volume).toBe(64 - 8);
  expect(made(soup([4, 2], (t) => !hollow(t))).volume).toBe(64 - 8);
  expect(made(soup([4, 2], (t) => hollow(t) || t === 3))).toMatchObject({ volume: 64 - 8, isClosed: true });
});

test('parts are joined where they stand; an element alone shares its mesh with its like', () => {
  const moved = Float64Array.from(UNIT);
  moved[12] = 10;
  expect(made(soup([2]), { ...soup([4]), matrix: moved })).toMatchObject({ low: [-1, -2, -2], high: [12, 2, 2] });
  const meshes = new ElementMeshes();
  const numbers = [2, 4, 2, 4].map((size) => meshes.add([soup([size])]).mesh);
  expect(numbers).toEqual([0, 1, 0, 1]);
});
