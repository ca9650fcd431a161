/** Files that name others: asked for at once or later, below their folder alone; and scenes of such files. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene } from '../../src/index.ts';
import { InputError } from '../../src/math/errors.ts';
import { identity, translation } from '../../src/math/pose.ts';
import { MESH_FORMATS, type MeshFormat, readMesh, readMeshFile } from '../../src/readers/formats.ts';
import { readObj } from '../../src/readers/obj.ts';
import { boxText } from '../support/shapes.ts';

const text = (source: string): Uint8Array => new TextEncoder().encode(source);

/** A format for this test: after LIST, a line a node, with the OBJ file of its mesh and a shift. */
const LIST: MeshFormat = {
  name: 'LIST',
  endings: ['.list'],
  sniff: (head) => new TextDecoder().decode(head.subarray(0, 4)) === 'LIST',
  read(bytes, { open }) {
    const lines = new TextDecoder().decode(bytes).trim().split('\n').slice(1);
    const files = [...new Set(lines.map((line) => line.split(' ')[0]))];
    const meshes = files.map((name) => ({ name, mesh: readObj(open(name)) }));
    const nodes = lines.map((line, n) => {
      const [file, x] = line.split(' ');
      return { name: `n${n}`, parent: -1, matrix: translation(Number(x), 0, 0), mesh: files.indexOf(file) };
    });
    return { meshes, nodes, units: 'm', warnings: [] };
  },
};

beforeAll(() => {
  (MESH_FORMATS as MeshFormat[]).unshift(LIST);
});
afterAll(() => {
  (MESH_FORMATS as MeshFormat[]).shift();
});

const list = text('LIST\na.obj 0\nb.obj 0.5\na.obj 7\n');
const files: Record<string, Uint8Array> = {
  'parts.list': list,
  'a.obj': text(boxText('a', 0)),
  'b.obj': text(boxText('b', 0)),
};
const read = (path: string): Uint8Array => {
  const name = path.replace(/^sub\//, '');
  if (!files[name]) throw new InputError(`${path}: no such file`);
  return files[name];
};
const later = async (path: string): Promise<Uint8Array> => {
  await new Promise((done) => setImmediate(done));
  return read(path);
};

test.each([
  ['at once', read],
  ['later', later],
])('other files come %s', async (_, open) => {
  const file = await readMeshFile(list, { open });
  expect([file.format, file.meshes.length, file.nodes.length]).toEqual(['LIST', 2, 3]);
  const { triangles, units, groups } = await readMesh(list, { open });
  expect([triangles.length / 3, units, groups.map(({ name }) => name)]).toEqual([36, 'm', ['n0', 'n1', 'n2']]);
});

test('one that does not come: its own error, once', async () => {
  const gone = text('LIST\ngone.obj 0\n');
  await expect(readMesh(gone, { open: later })).rejects.toThrow(/^gone\.obj: no such file$/);
  await expect(readMesh(gone, { open: read })).rejects.toThrow(/^gone\.obj: no such file$/);
  await expect(readMesh(gone)).rejects.toThrow('expected a file that names no other, found "gone.obj" in it');
});

const sceneOf = (split?: 'elements' | 'meshes', file = 'sub/parts.list') => ({
  ...{ gicollide: 'scene/1' as const, assets: { parts: { file, ...(split && { split }) } } },
  instances: [{ name: 'one', asset: 'parts' }],
});

test.each([
  ['at once', read],
  ['later', later],
])('a scene of a file that names others, which come %s', async (_, open) => {
  const scene = await openScene(sceneOf('elements'), { read: open });
  const { objects, units } = scene;
  expect(units).toBe('m');
  expect(objects.map(({ name }) => name)).toEqual(['one/n0', 'one/n1', 'one/n2']);
  expect(objects[0].asset).toBe(objects[2].asset);
  expect((await scene.findings()).findings.map(({ a, b, class: found }) => [a.name, b.name, found])).toEqual([
    ['one/n0', 'one/n1', 'overlap'],
  ]);
  const meshes = await openScene(sceneOf('meshes'), { read: open });
  expect(meshes.objects.map(({ name, pose }) => [name, pose])).toEqual([
    ['one/a.obj', identity()],
    ['one/b.obj', identity()],
  ]);
  const whole = await openScene(sceneOf(), { read: open });
  expect(whole.objects.map(({ name }) => name)).toEqual(['one']);
});

test.each(['../a.obj', '/a.obj', 'http://example.org/a.obj', 'x/../../a.obj', '..\\a.obj', ''])(
  'a scene reads nothing outside the folder of the file that names it: %j',
  async (path) => {
    const asked: string[] = [];
    const outside = (file: string): Uint8Array => {
      asked.push(file);
      return file === 'sub/out.list' ? text(`LIST\n${path} 0\n`) : files['a.obj'];
    };
    const { unchecked } = await openScene(sceneOf('elements', 'sub/out.list'), { read: outside });
    expect(unchecked[0].problem).toMatch(/^sub\/out\.list: expected a file in the same folder or below, found "/);
    expect(asked).toEqual(['sub/out.list']);
  },
);
