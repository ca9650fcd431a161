/** The language of `.frep.json`: what is of it is read, and what is not is refused in one line that points at it. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeSchema } from '../../../scripts/make-schema.mjs';
import type { FormatError } from '../../../src/base/errors.ts';
import { pathText } from '../../../src/base/json-messages.ts';
import { schemaNotes } from '../../../src/base/schema-notes.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { kindOf } from '../../../src/representations/frep/make/kinds.ts';
import { frepSchema, readFrep, type Shape } from '../../../src/representations/frep/make/model.ts';
import { long } from '../../support/long.ts';
import { refusal } from '../../support/refusal.ts';

/** The error of a text or of a model. */
const refusedModel = (input: unknown): FormatError =>
  refusal(() => readFrep(typeof input === 'string' || input instanceof Uint8Array ? input : JSON.stringify(input)));

const sphere = { sphere: { radius: 1 } };
const vertices = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
];

describe('what is read', () => {
  it('text, bytes, a byte order mark', () => {
    const text = '{"description": "a ball", "object": {"sphere": {"radius": 2}}}';
    const model = { description: 'a ball', object: { sphere: { radius: 2 } } };
    expect(readFrep(text)).toEqual(model);
    expect(readFrep(`\uFEFF${text}`)).toEqual(model);
    expect(readFrep(new TextEncoder().encode(`\uFEFF${text}`))).toEqual(model);
  });

  it.each<[string, Shape]>([
    ['sphere', { sphere: { radius: 1, center: [1, 2, 3] }, name: 'ball' }],
    ['ellipsoid', { ellipsoid: { radii: [1, 2, 3] }, scale: -2 }],
    ['cylinder', { cylinder: { radius: 1, axis: 'x', height: 2 }, scale: [1, -1, 1] }],
    ['cone', { cone: { angle: 30, height: 2 }, rotate: { axis: [0, 0, 1], degrees: -720 } }],
    ['cone', { cone: { slope: 2 }, rotate: [{ axis: [0, 3, 4], degrees: 1e9 }] }],
    ['paraboloid', { paraboloid: { radii: [1, 2], apex: [0, 0, 1] }, translate: [1e60, -1e60, 0] }],
    ['hyperboloid', { hyperboloid: { radii: [1, 2, 3], sheets: 2 } }],
    ['halfSpace', { halfSpace: { normal: [0, 0, -1], offset: 0 } }],
    ['box', { box: { min: [0, 0, 0], max: [1, 1, 1] } }],
    ['box', { box: { size: [1, 1, 1], center: [0, 0, 0] } }],
    ['torus', { torus: { major: 1, minor: 1 } }],
    ['goursat', { goursat: { a: 0, b: -1, c: 0.4 } }],
    ['quadric', { quadric: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }],
    ['polynomial', { polynomial: [[1, 12, 0, 0]] }],
    ['waves', { waves: [[1, 2, 3, 4, 5]] }],
    ['noise', { noise: { amplitude: 1, frequency: 2, octaves: 3, seed: 4294967295 } }],
    ['triangle', { triangle: { vertices, thickness: 1, perturbations: [{ by: sphere, amount: -1 }] } }],
    ['sum', { sum: [sphere, { noise: { amplitude: 1, frequency: 2 } }] }],
    ['union', { union: [sphere] }],
    ['intersection', { intersection: [sphere, { union: [sphere] }] }],
    ['difference', { difference: [sphere, sphere, sphere] }],
    ['complement', { complement: sphere, perturbations: [{ by: { ...sphere, perturbations: [{ by: sphere }] } }] }],
  ])('%s', (kind, object) => {
    expect(readFrep(JSON.stringify({ object })).object).toEqual(object);
    expect(kindOf(object)).toBe(kind);
  });
});

// The exact line, so that whoever changes one sees it.
const lines: [string, unknown, string][] = [
  ['nothing', '', 'line 1: expected a value, found the end of the text'],
  ['words', 'box', 'line 1: expected a value, found "box"'],
  ['a comma too many', '{\n"object": {\n},\n}', 'line 4: expected a key in quotes, found "}"'],
  ['a comma too many in a list', '[1,\n2,\n]', 'line 3: expected a value, found "]"'],
  ['a comment', '{\n  // ball\n}', 'line 2: expected a key in quotes or }, found "/"'],
  ['no comma', '[1\n\n2]', 'line 3: expected a comma or ], found "2"'],
  ['no colon', '{"a"\n1}', 'line 2: expected a colon, found "1"'],
  ['single quotes', "{'a': 1}", 'line 1: expected a key in quotes or }, found "\'"'],
  ['two values', '{}\n{}', 'line 2: expected nothing after the value, found "{"'],
  ['an end too early', '{"object": [', 'line 1: expected a value or ], found the end of the text'],
  ['a number with a plus', '{"a": +1}', 'line 1: expected a value, found "+1"'],
  ['a number with a leading zero', '[\r\n01]', 'line 2: expected a value or ], found "01"'],
  ['a number that stops at its point', '{"a": 1.}', 'line 1: expected a value, found "1."'],
  ['a tab in a string', '{"a": "b\tc"}', 'line 1: expected a value, found the string "b\\u0009c"'],
  ['an escape there is not', '{"\\x": 1}', 'line 1: expected a key in quotes or }, found the string "\\x"'],
  ['no UTF-8', Uint8Array.of(0x7b, 0xff), 'expected JSON in UTF-8, found bytes that are not UTF-8'],
  ['a list', [], 'expected an object, found a list of 0'],
  ['no object', {}, 'expected an object at object, found nothing'],
  ['null', { object: null }, 'expected an object at object, found null'],
  [
    'no kind',
    { object: { name: 'a' } },
    'expected one of sphere, ellipsoid, cylinder, cone, paraboloid, hyperboloid, halfSpace, box, torus, goursat, quadric, polynomial, waves, noise, expression, triangle, sum, blend, union, intersection, difference, complement at object, found none',
  ],
  [
    'two kinds',
    { object: { ...sphere, union: [] } },
    'expected a list of at least 1 at object.union, found a list of 0',
  ],
  ['two kinds', { object: { ...sphere, union: [sphere] } }, 'expected one shape at object, found sphere and union'],
  [
    'a negative radius',
    { object: { union: [sphere, { sphere: { radius: -3 } }] } },
    'expected a number above 0 at object.union[1].sphere.radius, found -3',
  ],
  ['a key of the top', { objcet: sphere }, 'expected only known keys, found "objcet": did you mean object?'],
  ['a kind', { object: { sfere: {} } }, 'expected only known keys at object, found "sfere": did you mean sphere?'],
  [
    'a kind',
    { object: { half_space: {} } },
    'expected only known keys at object, found "half_space": did you mean halfSpace?',
  ],
  ['a kind', { object: { teapot: {} } }, 'expected only known keys at object, found "teapot"'],
  [
    'in a list',
    { object: { union: [{ shpere: {} }] } },
    'expected only known keys at object.union[0], found "shpere": did you mean sphere?',
  ],
  [
    'a key',
    { object: { sphere: { raduis: 1 } } },
    'expected only known keys at object.sphere, found "raduis": did you mean radius?',
  ],
  [
    'a key',
    { object: { box: { size: [1, 1, 1], centre: [0, 0, 0] } } },
    'expected only known keys at object.box, found "centre": did you mean center?',
  ],
  [
    'a key',
    { object: { ...sphere, rotate: { axes: [1, 0, 0], degrees: 3 } } },
    'expected only known keys at object.rotate, found "axes": did you mean axis?',
  ],
  [
    'a key',
    { object: { ...sphere, perturbations: [{ of: sphere }] } },
    'expected only known keys at object.perturbations[0], found "of"',
  ],
  [
    'a prototype',
    '{"object": {"sphere": {"radius": 1}, "__proto__": {}}}',
    'expected only known keys at object, found "__proto__"',
  ],
  [
    'text',
    { object: { sphere: { radius: '1' } } },
    'expected a number of size at most 1e60 at object.sphere.radius, found "1"',
  ],
  [
    'too large',
    { object: { sphere: { radius: 1e61 } } },
    'expected a number of at most 1e60 at object.sphere.radius, found 1e61',
  ],
  [
    'too large',
    { object: { ...sphere, translate: [0, -1e61, 0] } },
    'expected a number of at least -1e60 at object.translate[1], found -1e61',
  ],
  [
    'infinite',
    '{"object": {"sphere": {"radius": 1e999}}}',
    'expected a number of size at most 1e60 at object.sphere.radius, found Infinity',
  ],
  [
    'two coordinates',
    { object: { sphere: { radius: 1, center: [0, 1] } } },
    'expected a list of 3 at object.sphere.center, found a list of 2',
  ],
  ['eleven', { object: { quadric: Array(11).fill(0) } }, 'expected a list of 10 at object.quadric, found a list of 11'],
  [
    'an axis',
    { object: { torus: { major: 1, minor: 1, axis: 'w' } } },
    'expected "x" or "y" or "z" at object.torus.axis, found "w"',
  ],
  [
    'a fat torus',
    { object: { torus: { major: 1, minor: 2 } } },
    'expected minor at most as large as major at object.torus, found major 1, minor 2',
  ],
  ['a flat cone', { object: { cone: { angle: 90 } } }, 'expected a number below 90 at object.cone.angle, found 90'],
  [
    'two angles',
    { object: { cone: { angle: 9, slope: 1 } } },
    'expected either angle or slope at object.cone, found angle 9, slope 1',
  ],
  ['no angle', { object: { cone: {} } }, 'expected either angle or slope at object.cone, found an empty object'],
  [
    'three sheets',
    { object: { hyperboloid: { radii: [1, 1, 1], sheets: 3 } } },
    'expected 1 or 2 at object.hyperboloid.sheets, found 3',
  ],
  [
    'no direction',
    { object: { halfSpace: { normal: [0, 0, 0], offset: 1 } } },
    'expected a direction other than 0, 0, 0 at object.halfSpace.normal, found [0, 0, 0]',
  ],
  [
    'a box inside out',
    { object: { box: { min: [0, 0, 0], max: [1, 1, 0] } } },
    'expected every coordinate of min below the one of max at object.box, found min [0, 0, 0], max [1, 1, 0]',
  ],
  ['a box without max', { object: { box: { min: [0, 0, 0] } } }, 'expected a list at object.box.max, found nothing'],
  [
    'a box without width',
    { object: { box: { size: [1, 0, 1] } } },
    'expected a number above 0 at object.box.size[1], found 0',
  ],
  [
    'a domain inside out',
    { domain: { min: [0, 0, 0], max: [1, -1, 1] }, object: sphere },
    'expected every coordinate of min below the one of max at domain, found min [0, 0, 0], max [1, -1, 1]',
  ],
  [
    'a high power',
    { object: { polynomial: [[1, 4, 4, 5]] } },
    'expected exponents with a sum of at most 12 at object.polynomial[0], found [1, 4, 4, 5]',
  ],
  [
    'a root',
    { object: { polynomial: [[1, 0.5, 0, 0]] } },
    'expected a whole number at object.polynomial[0][1], found 0.5',
  ],
  ['no terms', { object: { polynomial: [] } }, 'expected a list of at least 1 at object.polynomial, found a list of 0'],
  [
    'octaves',
    { object: { noise: { amplitude: 1, frequency: 1, octaves: 4 } } },
    'expected a number of at most 3 at object.noise.octaves, found 4',
  ],
  ['no scale', { object: { ...sphere, scale: 0 } }, 'expected a number other than 0 at object.scale, found 0'],
  [
    'a flat scale',
    { object: { ...sphere, scale: [1, 0, 1] } },
    'expected a number other than 0 at object.scale[1], found 0',
  ],
  [
    'no turns',
    { object: { ...sphere, rotate: [] } },
    'expected a list of at least 1 at object.rotate, found a list of 0',
  ],
  [
    'a turn about nothing',
    { object: { ...sphere, rotate: [{ axis: [0, 0, 0], degrees: 1 }] } },
    'expected a direction other than 0, 0, 0 at object.rotate[0].axis, found [0, 0, 0]',
  ],
  [
    'no amount',
    { object: { ...sphere, perturbations: [{ by: sphere, amount: 0 }] } },
    'expected a number other than 0 at object.perturbations[0].amount, found 0',
  ],
  [
    'one is no difference',
    { object: { difference: [sphere] } },
    'expected a list of at least 2 at object.difference, found a list of 1',
  ],
  [
    'inside a triangle',
    { object: { triangle: { vertices, thickness: 1, perturbations: [{ by: { cube: 1 } }] } } },
    'expected only known keys at object.triangle.perturbations[0].by, found "cube"',
  ],
  ['no name', { object: { ...sphere, name: '' } }, 'expected text that is not empty at object.name, found ""'],
  [
    'a long name',
    { object: { ...sphere, name: 'x'.repeat(201) } },
    'expected text of at most 200 characters at object.name, found 201',
  ],
  [
    'what moves a cursor',
    { object: { 'a\u001b[2J\nb': 1 } },
    'expected only known keys at object, found "a\\u001b[2J\\u000ab"',
  ],
  [
    'a long key',
    { object: { ['k'.repeat(1000)]: 1 } },
    `expected only known keys at object, found "${'k'.repeat(37)}..."`,
  ],
];

describe('what is refused', () => {
  it.each(lines)('%s: %#', (_, input, line) => {
    expect(refusedModel(input).message).toBe(line);
  });

  it('tells the line apart from the text', () => {
    expect(refusedModel('[1,\n2,\n]').describe('a.frep.json')).toBe('a.frep.json:3: expected a value, found "]"');
    expect(refusedModel('[1,\n2,\n]').place).toEqual({ line: 3 });
    expect(refusedModel({}).place).toBeNull();
  });
});

/** The models of one shape inside the other, `count` of them. */
const chains: [string, (inner: Shape) => Shape][] = [
  ['complement', (inner) => ({ complement: inner })],
  ['union', (inner) => ({ union: [inner] })],
  ['sum', (inner) => ({ sum: [inner] })],
  ['perturbation', (inner) => ({ ...sphere, perturbations: [{ by: inner }] })],
  ['triangle', (inner) => ({ triangle: { vertices, thickness: 1, perturbations: [{ by: inner }] } })],
];

describe.each(chains)('shapes inside each other by %s', (_, around) => {
  const nested = (count: number) => {
    let object: Shape = sphere;
    for (let i = 1; i < count; i++) object = around(object);
    return { domain: { min: [-1, -1, -1], max: [1, 1, 1] }, object };
  };

  it('256 are read and compiled, with a small stack left too', () => {
    const text = JSON.stringify(nested(256));
    const below = (depth: number): number =>
      depth > 0 ? 1 + below(depth - 1) : compileFrep(readFrep(text)).names.length;
    expect(below(2000)).toBeGreaterThan(2000);
  });

  it('one more is refused', () => {
    const { message } = refusedModel(nested(257));
    expect(message).toMatch(/^expected at most 256 shapes, one inside the other at object\..* \.\.\. .*, found more$/);
    expect(message.length).toBeLessThan(400);
  });
});

describe('hostile texts', () => {
  /** More than any stack is deep. */
  const MANY = long ? 1e6 : 2e5;

  it.each([
    ['lists', '['.repeat(MANY), 'line 1: expected a value or ], found the end of the text'],
    [
      'lists that end',
      `{"object": {"sphere": {"radius": ${'['.repeat(MANY)}${']'.repeat(MANY)}}}}`,
      'expected a number of size at most 1e60 at object.sphere.radius, found a list of 1',
    ],
    [
      'a key nobody knows',
      `{"object": {"sphere": {"radius": 1}, "x": ${'{"x":'.repeat(MANY)}1${'}'.repeat(MANY)}}}`,
      'expected only known keys at object, found "x"',
    ],
  ])(`${MANY} %s`, { tags: ['quick', 'long'] }, (_, text, line) => {
    expect(refusedModel(text).message).toBe(line);
  });

  it(`${MANY} complements`, { tags: ['quick', 'long'] }, () => {
    expect(refusedModel(`{"object": ${'{"complement":'.repeat(MANY)}1${'}'.repeat(MANY)}}`).message).toContain(
      'at most 256',
    );
  });

  it(`a broken string of ${MANY} escapes`, { tags: ['quick', 'long'] }, () => {
    expect(refusedModel(`{"a": "${'\\n'.repeat(MANY)}`).message).toMatch(/^line 1: expected a value, found the string/);
  });
});

it('long paths lose their middle', () => {
  expect(pathText(['object', 'union', 1, 'sphere', 'a b'])).toBe('object.union[1].sphere["a b"]');
  const path = ['object', ...Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? 'union' : 7))];
  expect(pathText(path).length).toBeLessThan(120);
});

describe('docs/frep.schema.json', () => {
  it('is what the schema says: npm run schema', () => {
    const text = readFileSync(new URL('../../../docs/frep.schema.json', import.meta.url), 'utf8');
    expect(text).toBe(makeSchema(frepSchema, schemaNotes));
  });
});

const folder = new URL('../../../assets/', import.meta.url);
const models = readdirSync(folder).filter((name) => name.endsWith('.frep.json'));

describe('the models of assets/', () => {
  it('are six at least', () => expect(models.length).toBeGreaterThanOrEqual(6));

  it('are listed in SOURCES.md, and no others', () => {
    const sources = readFileSync(new URL('SOURCES.md', folder), 'utf8');
    expect([...sources.matchAll(/^\| (\S+\.frep\.json) \|/gm)].map(([, name]) => name)).toEqual(models.sort());
  });

  it.each(models)('%s is of the language, small, and says what it is', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const model = readFrep(text);
    expect(model.$schema).toBe('../docs/frep.schema.json');
    expect(model.description).toMatch(/\w/);
    expect(text.length).toBeLessThan(6000);
    const { half, domain } = compileFrep(model);
    const diagonal = 2 * half * Math.sqrt(domain.reduce((sum, extent) => sum + extent * extent, 0));
    expect(diagonal).toBeGreaterThan(0.9);
    expect(diagonal).toBeLessThan(4);
  });
});

describe('keys', () => {
  it('that come twice in one object are refused with their line', () => {
    const text = '{\n  "object": {"sphere": {"radius": 1,\n "radi\\u0075s": 2}}}';
    expect(refusedModel(text).message).toBe('line 3: expected each key of an object once, found "radius" again');
    expect(
      refusedModel('{"description": "\\"a\\": {", "description": "", "object": {"sphere": {"radius": 1}}}').message,
    ).toBe('line 1: expected each key of an object once, found "description" again');
    // Equal keys of different objects, and strings that look like keys, are none.
    readFrep(
      '{"description": "\\"object\\": {", "object": {"union": [{"sphere": {"radius": 1}}, {"sphere": {"radius": 2}}]}}',
    );
  });

  it('of the two ways to say a box are not mixed', () => {
    expect(refusedModel({ object: { box: { min: [0, 0, 0], size: [1, 1, 1] } } }).message).toBe(
      'expected either min and max, or size and center at object.box, found "min", "size"',
    );
  });
});

it('takes text or bytes and nothing else', () => {
  expect(() => readFrep({ object: {} } as unknown as string)).toThrow(
    'expected the text of a model, or its bytes, found object',
  );
});
