/** Scene files: what they may say, units and scales, and one line for whatever is wrong with one. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeSchema } from '../../scripts/make-schema.mjs';
import { InputError } from '../../src/base/errors.ts';
import { schemaNotes } from '../../src/base/schema-notes.ts';
import { boundsOf } from '../../src/engine/bounds.ts';
import { build, openScene, write } from '../../src/index.ts';
import { writeObj } from '../../src/readers/obj/obj.ts';
import { MadeAssets } from '../../src/scene/assets.ts';
import { loadScene, type OpenSceneOptions } from '../../src/scene/load.ts';
import { readScene, type SceneModel, sceneSchema } from '../../src/scene/scene-file.ts';
import { ifcWriter } from '../support/ifc.ts';
import { bumpySphere } from '../support/shapes.ts';

const ball = bumpySphere(1, 1);
const files: Record<string, Uint8Array> = {
  'ball.obj': writeObj(ball),
  'inches.obb': await write(build(ball, { format: 'obb', units: 'in' })),
  'image.tiff': await write(build(ball, { size: 17 })),
  'solid.frep.json': new TextEncoder().encode('{"object": {"sphere": {"radius": 1}}}'),
  'broken.obj': new TextEncoder().encode('v 0 0\n'),
};
const read = (file: string): Uint8Array => {
  if (!files[file]) throw new Error(`${file} was asked for`);
  return files[file];
};
const scene = (more: object): SceneModel =>
  ({
    gicollide: 'scene/1',
    assets: { ball: 'ball.obj' },
    instances: [{ name: 'a', asset: 'ball' }],
    ...more,
  }) as SceneModel;
const instance = (more: object): SceneModel => scene({ instances: [{ name: 'a', asset: 'ball', ...more }] });

describe('what a scene may say', () => {
  const boundsOfFirst = async (model: SceneModel) => {
    const { objects } = await openScene(model, { read });
    return boundsOf(objects[0].asset, objects[0].pose);
  };
  const near = (found: number[], expected: number[]) =>
    found.forEach((x, k) => {
      expect(x).toBeCloseTo(expected[k], 9);
    });

  test('poses by translation, turn, quaternion and matrix, scales and mirrors', async () => {
    const own = await boundsOfFirst(instance({}));
    const moved = await boundsOfFirst(instance({ translate: [1, 2, 3] }));
    near(
      moved.low,
      own.low.map((x, k) => x + [1, 2, 3][k]),
    );
    const turned = await boundsOfFirst(instance({ rotate: { axis: [0, 0, 1], degrees: 90 } }));
    near(turned.low, [-own.high[1], own.low[0], own.low[2]]);
    const half = Math.sqrt(0.5);
    near((await boundsOfFirst(instance({ quaternion: [0, 0, half, half] }))).low, turned.low);
    const matrix = [0, -1, 0, 5, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    near((await boundsOfFirst(instance({ matrix }))).low, [turned.low[0] + 5, turned.low[1], turned.low[2]]);
    near(
      (await boundsOfFirst(instance({ scale: 2 }))).high,
      own.high.map((x) => 2 * x),
    );
    const mirrored = await boundsOfFirst(instance({ scale: [-1, 1, 3], translate: [1, 0, 0] }));
    near(mirrored.low, [1 - own.high[0], own.low[1], 3 * own.low[2]]);
    const sheared = [1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 7, 0, 0, 0, 1];
    expect((await boundsOfFirst(instance({ matrix: sheared }))).low[2]).toBeCloseTo(own.low[2] + 7, 9);
  });

  test('instances share their asset, and those that are scaled alike', async () => {
    const instances = [{}, {}, { scale: 2 }, { scale: [2, 2, 2], translate: [9, 0, 0] }, { scale: -1 }].map(
      (more, i) => ({
        ...{ name: `${i}`, asset: 'ball' },
        ...more,
      }),
    );
    const { objects, baked } = await openScene(scene({ instances }), { read });
    expect(objects[0].asset).toBe(objects[1].asset);
    expect(objects[2].asset).toBe(objects[3].asset);
    expect(new Set(objects.map(({ asset }) => asset)).size).toBe(3);
    expect(baked).toBe(2);
  });

  test('units: converted once, or one for all, or refused', async () => {
    const assets = { ball: 'ball.obj', inches: 'inches.obb', mm: { file: 'ball.obj', units: 'mm' } };
    const instances = Object.keys(assets).map((asset) => ({ name: asset, asset }));
    const { objects, converted, units } = await openScene(scene({ units: 'cm', assets, instances }), { read });
    expect([converted, units]).toEqual([2, 'cm']);
    const [own, inches, mm] = ['ball', 'inches', 'mm'].map((name) =>
      boundsOf(objects.find((o) => o.name === name)!.asset),
    );
    near(
      inches.high,
      own.high.map((x) => 2.54 * x),
    );
    near(
      mm.high,
      own.high.map((x) => x / 10),
    );
    await expect(openScene(scene({ assets, instances }), { read })).rejects.toThrow(
      'units: assets.inches is in "in", assets.ball in an unknown unit: set the units of the scene',
    );
    const known = { assets: { inches: 'inches.obb' }, instances: [{ name: 'inches', asset: 'inches' }] };
    expect((await openScene(scene(known), { read })).units).toBe('in');
  });

  test('assets of every kind; one that is broken leaves its instances unchecked', { tags: ['all'] }, async () => {
    const assets = { ball: 'ball.obj', image: 'image.tiff', solid: 'solid.frep.json', broken: 'broken.obj' };
    const instances = Object.keys(assets).flatMap((asset) => [1, 2].map((i) => ({ name: `${asset}-${i}`, asset })));
    const opened = await openScene(scene({ assets, instances, groups: { all: ['broken-*'] } }), { read });
    expect(opened.objects).toHaveLength(6);
    expect(opened.unchecked).toEqual([
      { names: ['broken-1', 'broken-2'], problem: expect.stringMatching(/^broken\.obj:1: expected/) },
    ]);
    const { findings } = await opened.findings();
    expect(findings).toHaveLength(15);
    const scaled = await openScene(scene({ assets, instances: [{ name: 's', asset: 'solid', scale: 2 }] }), { read });
    expect(scaled.unchecked[0].problem).toMatch(/^solid\.frep\.json: frep cannot be scaled here/);
  });
});

test.each([
  ['{', '1: expected a key in quotes or }, found the end of the text'],
  ['{"gicollide": "scene/2"}', 'expected "scene/1" at gicollide, found "scene/2"'],
  [scene({ unit: 'm' }), 'expected only known keys, found "unit": did you mean units?'],
  [
    instance({ trnslate: [0, 0, 0] }),
    'expected only known keys at instances[0], found "trnslate": did you mean translate?',
  ],
  [
    instance({ position: [0, 0, 0] }),
    'expected only known keys at instances[0], found "position": did you mean translate?',
  ],
  [
    instance({ rotation: [0, 0, 0] }),
    'expected only known keys at instances[0], found "rotation": did you mean rotate?',
  ],
  [
    instance({ colour: 'red' }),
    'expected a key of name, asset, translate, rotate, quaternion, matrix, scale, deform at instances[0], found "colour"',
  ],
  [
    instance({ rotate: [0, 0, 90] }),
    'expected an object such as { "axis": [0, 0, 1], "degrees": 90 } at instances[0].rotate, found a list of 3',
  ],
  [
    instance({ rotate: { axis: [0, 0, 1], degree: 3 } }),
    'expected only known keys at instances[0].rotate, found "degree": did you mean degrees?',
  ],
  [
    instance({ rotate: { axis: [0, 0, 0], degrees: 3 } }),
    'expected a direction other than 0, 0, 0 at instances[0].rotate.axis, found [0, 0, 0]',
  ],
  [instance({ translate: [0, 0] }), 'expected a list of 3 at instances[0].translate, found a list of 2'],
  [
    instance({ quaternion: [0, 0, 0, 2] }),
    'expected a quaternion of length 1 at instances[0].quaternion, found [0, 0, 0, 2]',
  ],
  [instance({ asset: 'bal' }), 'expected a name of assets at instances[0].asset, found "bal": did you mean ball?'],
  [
    instance({ matrix: Array(16).fill(1) }),
    'expected 0, 0, 0, 1 as the last row at instances[0].matrix, found 1, 1, 1, 1',
  ],
  [
    scene({ instances: [1, 2].map(() => ({ name: 'a', asset: 'ball' })) }),
    'expected each name once at instances[1].name, found "a", as instances[0] has it',
  ],
  [
    scene({ assets: { ball: { fil: 'x' } } }),
    'expected only known keys at assets.ball, found "fil": did you mean file?',
  ],
  [scene({ rules: [{ id: 'x', a: '*' }] }), 'expected text at rules[0].b, found nothing'],
])('%j is refused', (text, message) => {
  const refused = () => readScene(typeof text === 'string' ? text : JSON.stringify(text));
  expect(refused).toThrow(message.replace(/^1: /, 'line 1: '));
});

test('IFC: what belongs together, sides, and classes that are left out by rule', { tags: ['all'] }, async () => {
  const w = ifcWriter();
  const element = (kind: string, name: string, size: number[]): string =>
    w.product(kind, { name, placement: w.placement([0, 0, 0]), shape: w.shape([w.box(size)]), more: '$' });
  const [wall, part] = [element('IFCWALL', 'wall', [9, 2, 9]), element('IFCWALL', 'part', [9, 1, 9])];
  w.relate('IFCRELAGGREGATES', wall, [part]);
  element('IFCSPACE', 'room', [20, 20, 20]);
  const bytes = new TextEncoder().encode(w.text());
  const model = (include?: string[]): SceneModel =>
    scene({
      assets: { house: { file: 'house.ifc', split: 'elements', ...(include && { include }) } },
      instances: [
        { name: 'a', asset: 'house' },
        { name: 'b', asset: 'house', translate: [100, 0, 0] },
      ],
    });
  const found = async (include?: string[], options: Partial<OpenSceneOptions> = {}): Promise<string[]> => {
    const { findings } = await (await openScene(model(include), { ...options, read: () => bytes })).findings();
    return findings.map(({ a, b }) => [a, b].map(({ name }) => name.split('/')[2]).join(' '));
  };
  expect(await found()).toEqual([]);
  expect(await found(undefined, { ifcRelations: 'check' })).toEqual(['part wall', 'part wall']);
  const sides = { b: [{ ifc: { class: 'IfcSpace' } }] };
  expect((await found(['IfcSpace'], { sides })).sort()).toEqual(['room part', 'room part', 'room wall', 'room wall']);
  await expect(found(undefined, { sides })).rejects.toThrow('b: "ifc:class=IfcSpace" matches no object');
  await expect(found(undefined, { ifcRelations: 'no' as 'check' })).rejects.toThrow(
    'ifcRelations: expected allow or check',
  );
});

test('an asset that is read with other classes is another one to who remembers it', async () => {
  const asked: string[] = [];
  const memory = {
    made: new MadeAssets(),
    source: (name: string) => {
      asked.push(name);
      throw new InputError('gone');
    },
  };
  for (const include of [undefined, ['IfcSpace']]) {
    const decode = () => expect.unreachable();
    await loadScene(scene({}), { read, decode, memory, ...(include && { include }) });
  }
  expect(new Set(asked).size).toBe(2);
});

test('docs/scene.schema.json is that of the code', () => {
  const text = readFileSync(new URL('../../docs/scene.schema.json', import.meta.url), 'utf8');
  expect(text).toBe(makeSchema(sceneSchema, schemaNotes));
});
