/**
 * Every function that the library exports, with each of its arguments replaced by what it does not
 * take: refused in one line that names the argument. A function that is new is missing in the table
 * until somebody adds it.
 */
import { describe, expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { InputError } from '../../src/index.ts';
import { bumpySphere } from '../support/shapes.ts';

// biome-ignore lint/suspicious/noExplicitAny: whatever JavaScript may hand over
type Anything = any;

const mesh = bumpySphere(1, 1);
const { positions } = mesh;
const tree = library.build(mesh, { format: 'obb' });
const image = library.build(mesh, { size: 17 });
const cubes = library.build(mesh, { format: 'voxel', precision: 0.5 });
const collisions = await library.collideSorted([cubes, cubes]);
const model = {
  domain: { min: [-1, -1, -1], max: [1, 1, 1] },
  object: { sphere: { radius: 0.5 } },
} as unknown as library.FrepModel;
const solid = library.build(model);
const growing = library.build(
  library.readFrep(
    '{"domain": {"min": [-3, -3, -3], "max": [3, 3, 3]}, "object": {"quadric": [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 2, 1]]}}',
  ),
);
const file = await library.write(tree);
const obj = library.writeObj(mesh);
const pose = library.identity();
const motion = { gicollide: 'motion/1', a: { keys: [{ time: 0 }, { time: 1, translate: [1, 0, 0] }] } };
const scene = {
  gicollide: 'scene/1',
  assets: { a: 'a.obb' },
  instances: [
    { name: 'x', asset: 'a' },
    { name: 'y', asset: 'a' },
  ],
};
const objects = [
  { name: 'x', asset: tree },
  { name: 'y', asset: cubes },
];
const source = library.memorySource(await library.write(image, { compression: 'none' }));
const point = [3, 0, 0];

/** A name, and a value that is taken; `?` behind the name of what may be left out. */
type Argument = readonly [name: string, value: unknown];

/** The arguments of each function, in their order. */
const ARGUMENTS: Record<string, readonly Argument[]> = {
  advance: [
    ['body', library.massOf(tree)],
    ['time', 1],
  ],
  build: [
    ['mesh', mesh],
    ['options?', { format: 'obb' }],
  ],
  boundsOf: [
    ['asset', tree],
    ['pose?', pose],
  ],
  check: [
    ['a', tree],
    ['b', cubes],
    ['options?', {}],
  ],
  checkPoses: [
    ['a', tree],
    ['b', tree],
    ['poses', pose],
    ['options?', {}],
  ],
  closestPoint: [
    ['asset', tree],
    ['point', point],
    ['options?', {}],
  ],
  closestPoints: [
    ['asset', tree],
    ['points', new Float64Array(6)],
    ['options?', {}],
  ],
  collideAllPairs: [
    ['sets', [cubes, cubes]],
    ['workers?', undefined],
    ['options?', {}],
  ],
  collideSorted: [
    ['sets', [cubes, cubes]],
    ['workers?', undefined],
    ['options?', {}],
  ],
  commonCubes: [
    ['collisions', collisions],
    ['pair', 0],
  ],
  compose: [
    ['outer', pose],
    ['second', pose],
  ],
  containsPoint: [
    ['asset', tree],
    ['point', point],
    ['pose?', pose],
  ],
  createLibrary: [['codec', library.utifCodec]],
  createScene: [
    ['objects', objects],
    ['options?', {}],
  ],
  frozen: [
    ['object', solid],
    ['time', 0],
  ],
  httpSource: [
    ['url', 'http://127.0.0.1:9/'],
    ['options?', {}],
  ],
  identity: [],
  impactOfDeforming: [
    ['a', mesh],
    ['b', mesh],
    ['positionsA0', positions],
    ['positionsA1', positions],
    ['positionsB0', positions],
    ['positionsB1', positions],
    ['options?', {}],
  ],
  impactOfFreps: [
    ['a', growing],
    ['b', solid],
    ['options?', { begin: 0, end: 1, timeResolution: 1 / 4, resolution: 5 }],
  ],
  keyed: [
    [
      'keys',
      [
        { time: 0, pose },
        { time: 1, pose },
      ],
    ],
    ['options?', {}],
  ],
  lint: [
    ['source', mesh],
    ['options?', {}],
  ],
  massOf: [
    ['asset', tree],
    ['options?', {}],
  ],
  measureDeviation: [
    ['a', mesh],
    ['b', mesh],
    ['options?', { samples: 10 }],
  ],
  memorySource: [['bytes', file]],
  motionOf: [
    ['poseAt', () => pose],
    ['options', { speed: { linear: 1, angular: 1, centre: [0, 0, 0] } }],
  ],
  openGpu: [['options?', undefined]],
  openImage: [
    ['source', source],
    ['options?', {}],
  ],
  openPair: [
    ['a', tree],
    ['b', tree],
    ['options?', {}],
  ],
  openScene: [
    ['scene', scene],
    ['options', { read: () => file }],
  ],
  openWorkers: [
    ['count', 1],
    ['share?', undefined],
  ],
  partitionAll: [
    ['meshes', [mesh]],
    ['precision', 0.5],
    ['workers?', undefined],
    ['options?', {}],
  ],
  prepare: [
    ['a', tree],
    ['b', tree],
  ],
  raycast: [
    ['asset', tree],
    ['origin', point],
    ['direction', [-1, 0, 0]],
    ['options?', {}],
  ],
  raycasts: [
    ['asset', tree],
    ['origins', new Float64Array(6)],
    ['directions', [-1, 0, 0, 0, 1, 0]],
    ['options?', {}],
  ],
  read: [
    ['bytes', file],
    ['options?', {}],
  ],
  readFrep: [['text', JSON.stringify(model)]],
  readMesh: [
    ['bytes', obj],
    ['options?', {}],
  ],
  readMeshFile: [
    ['bytes', obj],
    ['options?', {}],
  ],
  readMotion: [['source', motion]],
  readObj: [['bytes', obj]],
  readScene: [['source', scene]],
  representationOf: [['asset', tree]],
  respond: [
    ['a', library.massOf(tree)],
    ['b', { mass: Number.POSITIVE_INFINITY }],
    ['contacts', [{ normal: [0, 0, 1], points: [point] }]],
    ['options?', {}],
  ],
  rotation: [
    ['ax', 0],
    ['ay', 0],
    ['az', 1],
    ['degrees', 30],
  ],
  screw: [
    ['from', pose],
    ['to', pose],
    ['options?', {}],
  ],
  selfContacts: [
    ['surface', mesh],
    ['onPair', () => true],
  ],
  selfImpactOfDeforming: [
    ['mesh', mesh],
    ['positions0', positions],
    ['positions1', positions],
    ['options?', {}],
  ],
  splitByGroups: [['mesh', mesh]],
  still: [['pose', pose]],
  straight: [
    ['from', pose],
    ['to', pose],
    ['options?', {}],
  ],
  toMesh: [['image', image]],
  translation: [
    ['x', 1],
    ['y', 2],
    ['z', 3],
  ],
  trianglesIntersect: [
    ['a', new Float64Array(9)],
    ['b', new Float64Array(9)],
  ],
  updateGeometry: [
    ['asset', tree],
    ['positions', positions],
    ['options?', {}],
  ],
  volumeOf: [['asset', tree]],
  write: [
    ['asset', tree],
    ['options?', {}],
  ],
  writeObj: [
    ['mesh', mesh],
    ['comment?', 'made by a test'],
  ],
};

const JUNK: unknown[] = [
  undefined,
  null,
  'text',
  Number.NaN,
  -1.5,
  true,
  {},
  [],
  [1, 2],
  () => 1,
  new Uint8Array(3),
  new Float64Array(4),
  { representation: 'nope' },
];

const isFunction = (value: unknown): boolean => typeof value === 'function' && !/^class\b/.test(String(value));

test('there is a line for every function', () => {
  const names = Object.entries(library).flatMap(([name, value]) => (isFunction(value) ? [name] : []));
  expect(Object.keys(ARGUMENTS).sort()).toEqual(names.sort());
});

/** What is wrong within what is handed in: of a file its line or byte, of a record its field or option. */
const WITHIN = /^(line|byte) \d+: |: no such option; |^(speed|read): |: no answer \(/;
/** Of a scene or a motion: the field. */
const FIELD = /^expected [^:]{1,140}, found /;

/** Junk that is none to some: any number, any three numbers, any function, a list that may be empty. */
const TAKEN: [junk: (value: unknown) => boolean, by: RegExp][] = [
  [(junk) => junk === undefined, /\?$/],
  [(junk) => Object.getPrototypeOf(junk) === Object.prototype, /^options\?$/],
  [(junk) => junk === -1.5, /^(time|degrees|a?[xyz])$/],
  [(junk) => junk === 'text', /^comment\?$/],
  [(junk) => typeof junk === 'function', /^(poseAt|onPair)$/],
  [(junk) => junk instanceof Uint8Array, /^(points?|origin|bytes)$/],
  [(junk) => Array.isArray(junk) && junk.length === 0, /^(objects|meshes|contacts|points)$/],
];
const takes = (argument: string, junk: unknown): boolean =>
  junk !== null && TAKEN.some(([isJunk, by]) => by.test(argument) && isJunk(junk));

/** The refusal's message; null where nothing was refused. */
async function refusalOf(call: () => unknown): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    expect(error, String(error)).toBeInstanceOf(InputError);
    return (error as Error).message;
  }
}

/** What would open a connection or a device. */
const OUTSIDE = ['httpSource', 'openGpu'];

describe.each(Object.entries(ARGUMENTS))('%s', (name, args) => {
  const values = args.map(([, value]) => value);
  const call = (given: unknown[]): unknown => (library as Anything)[name](...given);

  test.skipIf(OUTSIDE.includes(name))('takes what the table has', async () => {
    await call(values);
  });

  const at = args.findIndex(([argument]) => /^options\??$/.test(argument));
  test.skipIf(at < 0)('an unknown option is refused', async () => {
    const options = { ...(args[at][1] as object), noSuch: 1 };
    const message = await refusalOf(() => call(values.map((value, k) => (k === at ? options : value))));
    expect(message).toMatch(/^noSuch: no such option; expected \w/);
  });

  test.each(args.map(([argument], i) => [argument, i] as const))(
    '%s: what it does not take',
    { tags: ['all'] },
    async (argument, i) => {
      const own = new RegExp(`\\b${argument.replace('?', '')}\\b`);
      for (const junk of JUNK) {
        if (OUTSIDE.includes(name) && (junk === undefined || argument === 'options?')) continue;
        const message = await refusalOf(() => call(values.map((value, k) => (k === i ? junk : value))));
        if (message === null) {
          expect(takes(argument, junk), `${name}, ${argument}: took ${String(junk)}`).toBe(true);
          continue;
        }
        expect(message, String(junk)).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{10,400}$/u);
        const isField = ['source', 'scene'].includes(argument) && FIELD.test(message);
        expect(isField || own.test(message) || WITHIN.test(message), `${name}, ${argument}: ${message}`).toBe(true);
      }
    },
  );
});
