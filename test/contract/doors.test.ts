/** What is handed to the library's doors and is not what they take: one line that says what, what was expected and what was found. */
import { describe, expect, test } from 'vitest';
import {
  build,
  check,
  checkPoses,
  collideSorted,
  FormatError,
  httpSource,
  type InputError,
  identity,
  MeshError,
  measureDeviation,
  memorySource,
  OptionError,
  openImage,
  openPair,
  partitionAll,
  prepare,
  read,
  readFrep,
  readObj,
  splitByGroups,
  toMesh,
  translation,
  trianglesIntersect,
  write,
  writeObj,
} from '../../src/index.ts';
import { bumpySphere, tetrahedron } from '../support/shapes.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever JavaScript may hand over
type Anything = any;

const mesh = bumpySphere(1, 1);
const tree = build(mesh, { format: 'obb' });
const file = await write(tree);
const kdop = build(mesh, { format: 'kdop' });
const FORMATS = ['gi', 'kdop', 'obb', 'voxel'] as const;

/** The refusal: an InputError, of the class, on one line. */
async function refusalOf(
  ask: () => unknown,
  kind: abstract new (...args: never[]) => InputError = OptionError,
): Promise<string> {
  let found: unknown = 'nothing was refused';
  try {
    await ask();
  } catch (error) {
    found = error;
  }
  expect(found).toBeInstanceOf(kind);
  const { message } = found as Error;
  expect(message).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{10,400}$/u);
  return message;
}

describe.each(FORMATS)('build of %s', (format) => {
  const options = { format, ...(format === 'gi' && { size: 17 }), ...(format === 'voxel' && { precision: 0.5 }) };
  const { positions, triangles, groups } = tetrahedron();
  test.each<[string, Anything, RegExp]>([
    ['nothing', null, /^mesh: expected positions and triangles, found null$/],
    ['a text', 'v 0 0 0', /^mesh: expected positions and triangles, found "v 0 0 0"$/],
    ['no arrays', {}, /^mesh\.positions: expected a Float64Array, found undefined$/],
    ['positions in an array', { positions: [...positions], triangles, groups }, /Float64Array, found Array of 12$/],
    ['positions in integers', { positions: Int32Array.from(positions), triangles }, /found Int32Array of 12$/],
    ['triangles in an array', { positions, triangles: [...triangles] }, /^mesh\.triangles: .* found Array of 12$/],
    ['triangles in Int32Array', { positions, triangles: Int32Array.from(triangles) }, /found Int32Array of 12$/],
    ['4 indices', { positions, triangles: Uint32Array.of(0, 1, 2, 3) }, /three vertex numbers a triangle, found 4$/],
    ['7 coordinates', { positions: new Float64Array(7), triangles: Uint32Array.of(0, 1, 0) }, /found 7$/],
    [
      'NaN',
      { positions: positions.map((x, i) => (i === 4 ? Number.NaN : x)), triangles },
      /finite coordinates, found NaN at vertex 1$/,
    ],
    [
      'Infinity',
      { positions: positions.map((x, i) => (i === 0 ? -Infinity : x)), triangles },
      /found -Infinity at vertex 0$/,
    ],
    ['a vertex that is none', { positions, triangles: Uint32Array.of(0, 1, 9) }, /below 4, found 9 in triangle 0$/],
  ])('of %s is refused', async (_, given, line) => {
    expect(await refusalOf(() => build(given, options as Anything), MeshError)).toMatch(line);
  });

  test('needs no groups', () => {
    const { representation } = build({ positions, triangles } as Anything, options as Anything);
    expect(representation).toBe(format);
  });

  test.each<[string, Anything, RegExp]>([
    ['units', { units: 5 }, /^units: expected a string, found 5$/],
    ['a source', { source: 'a.obj' }, /^source: expected a name and a digest, found "a.obj"$/],
    [
      'options',
      { options: { scale: [2] } },
      /^options\.scale: expected a string or a finite number, found Array of 1$/,
    ],
  ])('with %s of another type is refused', async (_, wrong, line) => {
    expect(await refusalOf(() => build(mesh, { ...options, ...wrong }))).toMatch(line);
  });
});

test('build of a promise asks to await it', () => {
  expect(() => build(Promise.resolve(mesh) as Anything)).toThrow(/^mesh: expected .*, found a promise; await it$/);
});

test.each<[string, () => unknown, RegExp]>([
  [
    'check without a second',
    () => (check as Anything)(tree),
    /^b: expected an asset from build or read, found undefined$/,
  ],
  ['check of null', () => check(null as Anything, tree), /found null$/],
  ['check with null', () => check(tree, null as Anything), /found null$/],
  ['check of another kind', () => check({ representation: 'nope' }, tree), /found a representation "nope"$/],
  ['check of a mesh', () => check(mesh as Anything, tree), /found a mesh; build it first$/],
  ['options of null', () => check(tree, kdop, null as Anything), /^options: expected an object, found null$/],
  ['a clearance in quotes', () => check(tree, kdop, { clearance: '5' } as Anything), /^clearance: .* found "5"$/],
  ['a clearance that is none', () => check(tree, kdop, { clearance: Number.NaN }), /^clearance NaN: expected/],
  ['a level of one and a half', () => check(tree, kdop, { level: 1.5 }), /^level 1.5: expected a whole number from 0$/],
  ['maxContacts in quotes', () => check(tree, kdop, { maxContacts: '3' } as Anything), /found "3"$/],
  [
    'a budget that is none',
    () => check(tree, kdop, { budget: Number.NaN }),
    /^budget NaN: expected milliseconds from 0$/,
  ],
  [
    'a budget in quotes',
    () => check(tree, kdop, { budget: '5' } as Anything),
    /^budget: expected a number, found "5"$/,
  ],
  [
    'all that is no boolean',
    () => check(tree, kdop, { all: 'yes' } as Anything),
    /^all: expected true or false, found/,
  ],
  ['a path', () => check(tree, kdop, { path: 'native' } as Anything), /^path: expected "common", found "native"$/],
  ['a function', () => check(tree, kdop, { onContact: 1 } as Anything), /^onContact: expected a function, found 1$/],
  [
    'a typing error',
    () => check(tree, kdop, { clearence: 1 } as Anything),
    /no such option; did you mean clearance\?$/,
  ],
  [
    'another name',
    () => check(tree, kdop, { foo: 1 } as Anything),
    /^foo: no such option; expected poseA, poseB, all, /,
  ],
  ['a pose of text', () => check(tree, kdop, { poseB: 'identity' } as Anything), /^poseB: expected 16 numbers, found/],
  ['a short pose', () => check(tree, kdop, { poseB: [1, 0, 0] }), /^pose of b has 3 numbers; a pose has 16, 12 or 7$/],
  [
    'a pose of NaN',
    () => check(tree, kdop, { poseB: identity().map((x, i) => (i === 3 ? Number.NaN : x)) }),
    /entry 3 is NaN/,
  ],
  ['prepare of null', () => prepare(tree, null as Anything), /^b: .* found null$/],
  [
    'a verdict without a pose',
    () => prepare(tree, tree).verdict(undefined as Anything),
    /^pose of b has 0 numbers; a pose has 16, 12 or 7$/,
  ],
  [
    'a verdict of a text',
    () => prepare(tree, tree).verdict('0123456789abcdef' as Anything),
    /^pose of b: entry 0 is 0/,
  ],
  ['questions that are none', () => openPair(tree, tree, { questions: Number.NaN }), /^questions: .* found NaN$/],
  ['a pair with null', () => openPair(tree, tree, null as Anything), /^options: expected an object, found null$/],
  [
    'poses with null',
    () => checkPoses(tree, tree, new Float64Array(16), null as Anything),
    /^options: expected an object, found null$/,
  ],
  ['half a pose', () => checkPoses(tree, tree, new Float64Array(8)), /^poses: expected 16 numbers a pose, found 8$/],
  ['poses in an array', () => checkPoses(tree, tree, [...identity()] as Anything), /^poses: .* found Array of 16$/],
  ['jobs', () => checkPoses(tree, tree, identity(), { jobs: 0 }), /^jobs: expected a whole number from 1, found 0$/],
  ['read of null', () => read(null as Anything), /^bytes: expected a Uint8Array, found null$/],
  ['read of a text', () => read('text' as Anything), /^bytes: expected a Uint8Array, found "text"$/],
  ['read of a buffer', () => read(new ArrayBuffer(8) as Anything), /found ArrayBuffer$/],
  ['read with a typing error', () => read(new Uint8Array(8), { Take: true } as Anything), /did you mean take\?$/],
  ['write of null', () => write(null as Anything), /^asset: expected an asset from build or read, found null$/],
  ['write of a mesh', () => write(mesh as Anything), /^asset: .* found a mesh; build it first$/],
  ['check with a mesh', () => check(tree, mesh as Anything), /^b: .* found a mesh; build it first$/],
  ['check with a promise', () => check(tree, read(file) as Anything), /^b: .* found a promise; await it$/],
  ['check of all that read gives', async () => check((await read(file)) as Anything, tree), /; pass its asset$/],
  ['readObj of nothing', () => readObj(undefined as Anything), /^bytes: expected a Uint8Array, found undefined$/],
  ['memorySource of null', () => memorySource(null as Anything), /^bytes: /],
  [
    'openImage of nothing',
    () => openImage(undefined as Anything),
    /^source: expected a size and a read function, found/,
  ],
  ['openImage of bytes', () => openImage(new Uint8Array(8) as Anything), /found Uint8Array of 8$/],
  [
    'httpSource of nothing',
    () => httpSource(undefined as Anything),
    /^url: expected a string or a URL, found undefined$/,
  ],
  ['collideSorted of null', () => collideSorted(null as Anything), /^sets: expected an array of cubes, found null$/],
  [
    'collideSorted of trees',
    () => collideSorted([tree, tree] as Anything),
    /^sets\[0\]: expected cubes, found an object$/,
  ],
  [
    'partitionAll of null',
    () => partitionAll(null as Anything, 1),
    /^meshes: expected an array of meshes, found null$/,
  ],
  [
    'partitionAll to no length',
    () => partitionAll([mesh], '1' as Anything),
    /^precision: expected a length, found "1"$/,
  ],
  [
    'trianglesIntersect of null',
    () => trianglesIntersect(null as Anything, []),
    /^triangle a: expected 9 coordinates, found 0/,
  ],
  ['trianglesIntersect of texts', () => trianglesIntersect('123456789' as Anything, []), /coordinate 0 is 1$/],
  ['toMesh of null', () => toMesh(null as Anything), /^image: expected a geometry image, found null$/],
])('%s is refused', async (_, ask, line) => {
  expect(await refusalOf(ask)).toMatch(line);
});

test.each<[string, () => unknown, RegExp]>([
  ['writeObj of null', () => writeObj(null as Anything), /^mesh: expected positions and triangles, found null$/],
  ['partitionAll of null meshes', () => partitionAll([null] as Anything, 1), /^meshes\[0\]: expected positions/],
  ['measureDeviation of null', () => measureDeviation(null as Anything, mesh), /^a: expected positions/],
  ['splitByGroups of null', () => splitByGroups(null as Anything), /^mesh: expected/],
  ['splitByGroups without groups', () => splitByGroups({ ...mesh, groups: undefined } as Anything), /^mesh\.groups: /],
])('%s is refused', async (_, ask, line) => {
  expect(await refusalOf(ask, MeshError)).toMatch(line);
});

test('readFrep of nothing is refused', async () => {
  expect(await refusalOf(() => readFrep(undefined as Anything), FormatError)).toMatch(/found undefined$/);
});

test('an image that is opened is asked by its own check', async () => {
  const file = await write(build(mesh, { size: 17 }), { compression: 'none' });
  const image = await openImage(memorySource(file));
  expect(await refusalOf(() => check(image as Anything, tree))).toMatch(/an opened image has a method check/);
  expect((await image.check(tree, { poseB: translation(9, 0, 0) })).verdict).toBe('clear');
});
