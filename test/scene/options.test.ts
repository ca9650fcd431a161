/** Options of scenes and pairs: unknown ones are refused, the others are used. */
import { expect, test } from 'vitest';
import { build, createScene, openPair, openScene, prepare, type SceneModel, write } from '../../src/index.ts';
import { box } from '../support/shapes.ts';

test('unknown keys of objects and unknown options are refused with the nearest', async () => {
  const asset = build(box(), { format: 'obb' });
  const place = (object: object, options: object = {}) => createScene([{ name: 'a', asset, ...object }], options);
  expect(() => place({ translate: [1, 0, 0] })).toThrow('objects[0].translate: no such option; did you mean pose?');
  expect(() => place({ aset: asset })).toThrow('objects[0].aset: no such option; did you mean asset?');
  expect(() => place({}, { clearence: 1 })).toThrow('clearence: no such option; did you mean clearance?');
  expect(() => place({}, { tolerance: '1' })).toThrow('tolerance: expected a number, found "1"');
  await expect(place({}).findings({ distanc: true } as object)).rejects.toThrow('did you mean distance?');
  expect(() => openPair(asset, asset, { question: 1 } as object)).toThrow('did you mean questions?');
  const prepareWith = prepare as (...all: unknown[]) => unknown;
  expect(() => prepareWith(asset, asset, { clearence: 1 })).toThrow('clearence: prepare has no options');
  expect(prepareWith(asset, asset, {})).toHaveProperty('contact');
});

test('a scene opens with the options of a created one', async () => {
  const asset = await write(build(box(), { format: 'obb' }));
  const instances = [0, 0.999].map((x) => ({ name: `${x}`, asset: 'box', translate: [x, 0, 0] }));
  const model = { gicollide: 'scene/1', assets: { box: 'box.obb' }, instances } as SceneModel;
  const classes = async (options: object) => {
    const { findings } = await (await openScene(model, { read: () => asset, ...options })).findings();
    return findings.map((finding) => finding.class);
  };
  expect(await classes({})).toEqual(['overlap']);
  expect(await classes({ tolerance: 0.01 })).toEqual(['touch']);
  expect(await classes({ solid: 'off' })).toEqual(['contact']);
  await expect(classes({ rules: [] })).rejects.toThrow('rules: no such option');
});
