/** Assets that threads share. */
import { expect, test } from 'vitest';
import { check } from '../../src/engine/prepared.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { adoptPlacement, placementOf } from '../../src/kernels/memory.ts';
import { translation } from '../../src/math/pose.ts';
import { shared } from '../../src/work/shared-memory.ts';
import { variants } from '../contract/variants.ts';
import { icosphere } from '../support/shapes.ts';

const strip = (a: Asset, b: Asset) => ({ ...check(a, b, { poseB: translation(0.7, 0.3, 0.1), all: true }), ms: null });

test.each(variants.map((variant) => [variant.name, variant] as const))(
  '%s: what is shared answers alike',
  { tags: ['all', 'long'] },
  (_, variant) => {
    const [a, b] = [variant.build(icosphere(2)), variant.build(icosphere(1))];
    const { parts } = shared([a, b, a]);
    const [copyA, copyB, again] = structuredClone(parts) as Asset[];
    expect(again).toBe(copyA);
    expect(strip(copyA, copyB)).toEqual(strip(a, b));
  },
);

test('names of any kind are kept', () => {
  const groups = JSON.parse('{"__proto__":["a"],"g":["b"]}');
  expect(JSON.stringify(shared(groups).parts)).toBe(JSON.stringify(groups));
});

test('arrays are shared, views of one buffer stay so, and placements go along', () => {
  const buffer = new ArrayBuffer(64);
  const inner = { numbers: new Float64Array(buffer, 8, 2), map: new Map([[1, new Uint16Array(buffer, 24, 3)]]) };
  const asset = { representation: 'none', inner, bytes: Buffer.from([1, 2, 3]) } as Asset;
  inner.numbers[1] = 5;
  adoptPlacement(inner, 4096);
  const { parts, placed } = shared([asset, new Set([inner])]);
  const [copy, set] = parts as [typeof asset & { inner: typeof inner; bytes: Uint8Array }, Set<object>];
  expect(copy.inner.numbers).toEqual(Float64Array.of(0, 5));
  expect(copy.inner.numbers.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(copy.inner.map.get(1)?.buffer).toBe(copy.inner.numbers.buffer);
  expect([...copy.bytes]).toEqual([1, 2, 3]);
  expect([...set]).toEqual([copy.inner]);
  expect(set.has(copy.inner)).toBe(true);
  expect(placed).toEqual([[copy.inner, 4096]]);
  expect(placed[0][0]).toBe(copy.inner);
  expect(placementOf(copy.inner)).toBeUndefined();
});

test('what holds a function or an open file is not shared', () => {
  for (const part of [() => 1, [new (class {})()]]) expect(() => shared({ part })).toThrow('cannot share');
});
