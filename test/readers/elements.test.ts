/** Mesh files as wholes and in elements: names that never collide, triangles in the order of nodes. */
import { describe, expect, test } from 'vitest';
import { identity, rotation, translation } from '../../src/math/pose.ts';
import { elementsOf } from '../../src/readers/elements.ts';
import { readMesh, readMeshFile } from '../../src/readers/formats.ts';
import {
  distinctNames,
  elementNames,
  type FileNode,
  fileOf,
  type MeshFile,
  wholeMesh,
} from '../../src/readers/mesh-file.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, tetrahedron } from '../support/shapes.ts';

const node = (name: string, parent = -1, mesh: number | null = 0, matrix = identity()): FileNode => ({
  ...{ name, parent, matrix, mesh },
});
const fileWith = (nodes: FileNode[], name = ''): MeshFile => ({
  meshes: [
    { name, mesh: box(1) },
    { name: 'other', mesh: tetrahedron() },
  ],
  ...{ nodes, units: null, notes: [] },
});

describe('names', () => {
  test.each<[string, FileNode[], string[]]>([
    ['its own', [node('wall'), node('door')], ['wall', 'door']],
    ["its mesh's", [node('')], ['slab']],
    [
      'with ancestors where another has it',
      [node('a', -1, null), node('wall', 0), node('b', -1, null), node('wall', 2)],
      ['a', 'a/wall', 'b', 'b/wall'],
    ],
    [
      'with a number where ancestors do not tell',
      [node('wall'), node('wall'), node('wall')],
      ['wall', 'wall~2', 'wall~3'],
    ],
    ['with a number that nobody has', [node('a'), node('a'), node('a~2')], ['a', 'a~3', 'a~2']],
    ['that a path would be', [node('a', -1, null), node('b', 0), node('a/b'), node('b')], ['a', 'a/b~2', 'a/b', 'b']],
    ['of what shows nothing, as they are', [node('a', -1, null), node('a', 0)], ['a', 'a']],
  ])('%s', (_, nodes, names) => {
    expect(elementNames(fileWith(nodes, 'slab'))).toEqual(names);
  });

  test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))(
    'seed %i: once each, whole, and the same again',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const parts = ['a', 'b', 'a~2', 'a/b', '', 'a~2~2', 'b~3'];
      const nodes = Array.from({ length: 40 }, (_, n) =>
        node(random.pick(parts), random.below(n + 1) - 1, random.pick([0, 1, null])),
      );
      const file = fileWith(nodes);
      const names = elementNames(file);
      const shown = names.filter((_, n) => nodes[n].mesh !== null);
      expect(new Set(shown).size).toBe(shown.length);
      for (const [n, { name, mesh }] of nodes.entries()) {
        const own = name || (mesh === 1 ? 'other' : 'unnamed');
        expect([names[n], names[n].replace(/~\d+$/, '')].some((whole) => whole.endsWith(own))).toBe(true);
        const others = nodes.filter((other, k) => k !== n && other.mesh !== null && other.name === name);
        if (mesh !== null && name !== '' && others.length === 0) expect(names[n]).toBe(name);
      }
      expect(elementNames(file)).toEqual(names);
    },
  );

  test('of a chain of 50,000 nodes, each below the other, and of as many of one name: at once', () => {
    const chain = Array.from({ length: 50_000 }, (_, n) => node('link', n - 1));
    const names = elementNames(fileWith(chain));
    expect(names.slice(0, 3)).toEqual(['link', 'link/link', 'link/link/link']);
    expect(new Set(names).size).toBe(50_000);
    expect(Math.max(...names.map(({ length }) => length))).toBeLessThan(1100);
    const alike = distinctNames(Array(50_000).fill('a'));
    expect([alike[0], alike[49_999]]).toEqual(['a', 'a~50000']);
  });
});

describe('the whole of a file', () => {
  test('is its mesh where that stands alone, with the objects that it has', () => {
    const mesh = { ...box(1), groups: [{ kind: 'object' as const, name: 'lid', first: 0, count: 2 }] };
    expect(wholeMesh(fileOf(mesh, 'box'))).toBe(mesh);
    expect(wholeMesh(fileOf(box(1), 'box')).groups).toEqual([{ kind: 'object', name: 'box', first: 0, count: 12 }]);
    expect(wholeMesh(fileOf(box(1))).groups).toEqual([]);
  });

  test('is numbered by nodes, each where it stands; a mirror turns its triangles round', () => {
    const mirror = Float64Array.of(-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    const nodes = [
      node('first', -1, 1, translation(10, 0, 0)),
      node('group', -1, null, translation(0, 5, 0)),
      node('second', 1, 0, rotation(0, 0, 1, 90)),
      node('third', 1, 1, mirror),
    ];
    const file = fileWith(nodes);
    const { positions, triangles, groups } = wholeMesh(file);
    expect(groups.map(({ name, first, count }) => [name, first, count])).toEqual([
      ['first', 0, 4],
      ['second', 4, 12],
      ['third', 16, 4],
    ]);
    const corner = (t: number, c: number) => Array.from(positions.subarray(3 * triangles[3 * t + c]).slice(0, 3));
    const source = tetrahedron();
    const own = (t: number, c: number) =>
      Array.from(source.positions.subarray(3 * source.triangles[3 * t + c]).slice(0, 3));
    for (const t of [0, 3]) {
      for (const c of [0, 1, 2]) {
        const [x, y, z] = own(t, c);
        expect(corner(t, c)).toEqual([x + 10, y, z]);
        const [u, v, w] = own(t, [0, 2, 1][c]);
        expect(corner(16 + t, c)).toEqual([0 - u, v + 5, w]);
      }
    }
    const { positions: cube, triangles: faces } = box(1);
    const [x, y, z] = cube.subarray(3 * faces[0]);
    expect(corner(4, 0)).toEqual([0 - y, x + 5, z]);
  });

  test('of primitives is none', () => {
    const ball: FileNode = { ...node('ball', -1, null), primitive: { shape: 'sphere', radius: 1 } };
    expect(() => wholeMesh(fileWith([ball, node('box')]))).toThrow('expected only triangles, found 1 solid');
  });
});

describe('elements', () => {
  const nodes = [node('a', -1, 0, translation(1, 0, 0)), node('b', -1, 0, translation(2, 0, 0)), node('c', -1, 1)];

  test('are nodes, which share their meshes; groups is another word', () => {
    const file = fileWith(nodes);
    const elements = elementsOf(file, 'elements');
    expect(elements.map(({ name, matrix }) => [name, matrix[3]])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 0],
    ]);
    expect(elements[0].mesh).toBe(elements[1].mesh);
    expect(elementsOf(file, 'groups')).toEqual(elements);
  });

  test('are meshes, once each, in their own frames', () => {
    const elements = elementsOf(fileWith(nodes, 'other'), 'meshes');
    expect(elements.map(({ name, matrix }) => [name, matrix[3]])).toEqual([
      ['other', 0],
      ['other~2', 0],
    ]);
  });

  test('are the objects of a mesh that stands alone', () => {
    const runs = [
      { kind: 'object' as const, name: 'lid', first: 0, count: 2 },
      { kind: 'object' as const, name: 'rest', first: 2, count: 10 },
    ];
    const elements = elementsOf(fileOf({ ...box(1), groups: runs }), 'elements');
    expect(elements.map(({ name, mesh }) => [name, mesh!.triangles.length / 3])).toEqual([
      ['lid', 2],
      ['rest', 10],
    ]);
  });
});

describe('reading a file of any format', () => {
  const text = (source: string): Uint8Array => new TextEncoder().encode(source);
  const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

  test('tells the format by the content, and what was left out', async () => {
    const file = await readMeshFile(text(`${TRIANGLE}p 1\n`), { name: 'a.stl' });
    expect([file.format, file.units, file.warnings.length]).toEqual(['OBJ', null, 1]);
    const mesh = await readMesh(text(TRIANGLE));
    expect(Array.from(mesh.triangles)).toEqual([0, 1, 2]);
  });

  test('asks for bytes, and options that there are', async () => {
    await expect(readMesh('v 0 0 0' as unknown as Uint8Array)).rejects.toThrow(/^bytes: expected a Uint8Array/);
    await expect(readMesh(text(TRIANGLE), { nam: 'a' } as object)).rejects.toThrow(/nam/);
  });
});
