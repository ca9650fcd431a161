/** Options of build: each format has its own, and refuses all others by their names. */
import { expect, test } from 'vitest';
import { type BuildOptions, build, OptionError, readFrep } from '../src/index.ts';
import { builtKinds } from '../src/representations/kinds.ts';
import { build as buildObb } from '../src/subpaths/obb.ts';
import { BUILDERS } from './support/builders.ts';
import { long } from './support/long.ts';
import { box } from './support/shapes.ts';

const built = builtKinds().map((name) => ({ name, options: BUILDERS[name].options }));
/** What takes long by default. */
const small: Record<string, object> = long ? {} : { gi: { size: 17 } };
const foreign = built.flatMap(({ name, options }) =>
  built
    .filter((other) => other.name !== name)
    .flatMap((other) => Object.keys(options).map((option) => [option, name, other.name] as const)),
);

test.each(foreign)('%s: an option of %s, not of %s', (option, owner, format) => {
  const options = { format, [option]: 65 } as object as BuildOptions;
  expect(() => build(box(), options)).toThrow(new OptionError(`${option}: an option of ${owner}, not of ${format}`));
});

test('every format has options, and takes common and undefined ones, but no unknown one', {
  tags: ['quick', 'long'],
}, () => {
  const common = { source: { name: 'a', sha256: 'b' }, units: 'mm', options: { scale: 2 }, onProgress: () => {} };
  for (const { name, options: own } of built) {
    expect(Object.keys(own).length).toBeGreaterThan(0);
    const nothing = Object.fromEntries(foreign.map(([option]) => [option, undefined]));
    const options = { ...common, ...nothing, format: name, ...small[name] } as object as BuildOptions;
    expect(build(box(), options).representation).toBe(name);
    expect(() => build(box(), { ...options, another: 1 } as object as BuildOptions)).toThrow(
      /^another: no such option; expected /,
    );
  }
});

test('a misspelled option or unit is refused with the nearest', () => {
  const options = { format: 'obb', nodebytes: 64 } as object as BuildOptions;
  expect(() => build(box(), options)).toThrow(new OptionError('nodebytes: no such option; did you mean nodeBytes?'));
  expect(() => buildObb(box(), { nodebytes: 64 } as object)).toThrow('did you mean nodeBytes?');
  expect(() => build(box(), { szie: 33 } as object)).toThrow('szie: no such option; did you mean size?');
  expect(() => build(box(), { compression: 'lzw' } as object)).toThrow('compression: an option of write, not of build');
  expect(() => build(box(), { format: 'obb', units: 'milimeter' })).toThrow(
    'units: expected a unit of length (did you mean millimeter?), found "milimeter"',
  );
  // A unit that is near none is recorded as it is.
  expect(build(box(), { format: 'obb', units: 'us-ft' }).header.units).toBe('us-ft');
});

test('the model of an F-rep takes no option of a mesh', () => {
  const model = readFrep('{"object": {"sphere": {"radius": 2}}}');
  expect(() => build(model, { size: 65 } as object)).toThrow('size: an option of gi, not of frep');
});

test('coordinates in float32 are those numbers in doubles', () => {
  const mesh = box(0.7);
  const single = { ...mesh, positions: Float32Array.from(mesh.positions) };
  const double = { ...mesh, positions: Float64Array.from(single.positions) };
  for (const { name } of built) {
    const options = { format: name, ...small[name], ...(name === 'voxel' && { precision: 0.1 }) } as BuildOptions;
    expect(build(single, options), name).toEqual(build(double, options));
  }
  expect(() => build({ ...mesh, positions: Float32Array.of(0, Number.NaN, 0) })).toThrow(
    /finite coordinates, found NaN/,
  );
});

test('the types know', () => {
  // @ts-expect-error: size is an option of gi
  expect(() => build(box(), { format: 'obb', size: 65 })).toThrow(OptionError);
  // @ts-expect-error: k is an option of kdop
  expect(() => build(box(), { k: 6 })).toThrow(OptionError);
});
