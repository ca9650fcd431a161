/** COLLADA against three's loader and corners counted by hand, and files with errors. */
import { expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { readMesh } from '../../src/readers/formats.ts';
import { wholeMesh } from '../../src/readers/mesh-file.ts';
import { daeOf, geometryOf, randomDae, threeCorners, trianglesText } from '../support/collada.ts';
import { long, some } from '../support/long.ts';
import { errorOf, read } from '../support/mesh-files.ts';
import { type Random, seeded } from '../support/random.ts';

/** Coordinates of corners, in the order of triangles. */
const cornersIn = async (text: string): Promise<number[][]> => {
  const { positions, triangles } = wholeMesh(await read(text));
  return Array.from(triangles, (v) => Array.from(positions.subarray(3 * v, 3 * v + 3)));
};

const SEEDS = some(
  4,
  Array.from({ length: 100 }, (_, k) => k + 1),
);

test.each(SEEDS)('three sees the same triangles, seed %i', { tags: ['quick', 'long'] }, async (seed) => {
  const text = randomDae(seeded(seed));
  const [ours, others] = [await cornersIn(text), await threeCorners(text)];
  expect(ours.length).toBe(others.length);
  // Nodes may come in another order.
  const triangles = (corners: number[][]) =>
    corners.flatMap((_, c) => (c % 3 === 0 ? [corners.slice(c, c + 3).flat()] : []));
  const left = triangles(others);
  for (const triangle of triangles(ours)) {
    const n = left.findIndex((other) => other.every((x, k) => Math.abs(x - triangle[k]) < 2e-4));
    expect(n, `a triangle at ${triangle}`).toBeGreaterThanOrEqual(0);
    left.splice(n, 1);
  }
});

const SQUARE = [
  [0, 0, 0],
  [1, 0, 0],
  [1, 1, 0],
  [0, 1, 0],
];
const shown = (transforms = '', id = 'g'): string =>
  `<node name="n">${transforms}<instance_geometry url="#${id}"/></node>`;
const square = (primitives: string, transforms = '', asset?: string): string =>
  daeOf(geometryOf('g', SQUARE, primitives), shown(transforms), asset === undefined ? {} : { asset });
const ONE = trianglesText([[0, 1, 2]]);

test('strips and fans keep the side of their triangles', async () => {
  const strip = await cornersIn(square('<tristrips count="1">INPUT<p>0 1 3 2</p></tristrips>'));
  expect(strip).toEqual([0, 1, 3, 1, 2, 3].map((v) => SQUARE[v]));
  const fan = await cornersIn(square('<trifans count="1">INPUT<p>0 1 2 3</p></trifans>'));
  expect(fan).toEqual([0, 1, 2, 0, 2, 3].map((v) => SQUARE[v]));
});

test('polygons become fans, or are cut where they are concave', async () => {
  const list = '<polylist count="2">INPUT<vcount>4 3</vcount><p>0 1 2 3 3 2 1</p></polylist>';
  expect(await cornersIn(square(list))).toEqual([0, 1, 2, 0, 2, 3, 3, 2, 1].map((v) => SQUARE[v]));
  const arrow = [SQUARE[0], SQUARE[1], [0.25, 0.25, 0], SQUARE[3]];
  const corners = await cornersIn(
    daeOf(geometryOf('g', arrow, '<polygons count="1">INPUT<p>1 2 3 0</p></polygons>'), shown()),
  );
  // Both triangles have the corner at the dent, and none spans it.
  const sets = [corners.slice(0, 3), corners.slice(3)];
  for (const set of sets) expect(set).toContainEqual(arrow[2]);
  for (const set of sets) expect(set).toContainEqual(arrow[0]);
});

test('a polygon with a hole covers its area without the hole, and has closed sides', async () => {
  const points = [...SQUARE.map((p) => p.map((x) => 4 * x)), ...SQUARE.map(([x, y]) => [1 + x, 1 + y, 0])];
  for (const [outline, hole] of [
    ['0 1 2 3', '4 5 6 7'],
    ['0 1 2 3', '7 6 5 4'],
    ['3 2 1 0', '4 5 6 7'],
  ]) {
    const text = `<polygons count="1">INPUT<ph><p>${outline}</p><h>${hole}</h></ph></polygons>`;
    const corners = await cornersIn(daeOf(geometryOf('g', points, text), shown()));
    let area = 0;
    for (let c = 0; c < corners.length; c += 3) {
      const [[ax, ay], [bx, by], [cx, cy]] = corners.slice(c, c + 3);
      area += ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) / 2;
    }
    expect(corners.length / 3).toBe(8);
    expect(area).toBeCloseTo(outline === '3 2 1 0' ? -15 : 15, 12);
  }
});

test('holes that cross the outline are named, and the rest is read', async () => {
  const text = '<polygons count="1">INPUT<ph><p>0 1 2 3</p><h>0 2 1</h></ph></polygons>';
  const { notes, meshes } = await read(square(ONE + text));
  expect(meshes[0].mesh.triangles.length).toBe(3);
  expect(notes.filter(({ kind }) => kind === 'missing').map(({ element, isPart }) => [element, isPart])).toEqual([
    ['n', true],
  ]);
});

test.each([
  ['translate', '<translate>1 2 3</translate>', [2, 3, 3]],
  ['rotate', '<rotate>0 0 5 90</rotate>', [-1, 1, 0]],
  ['scale', '<scale>2 3 4</scale>', [2, 3, 0]],
  ['matrix', '<matrix>0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1</matrix>', [4, 7, 7]],
  ['in order', '<translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>', [-1, 2, 0]],
  ['lookat', '<lookat>0 0 5  0 0 0  0 1 0</lookat>', [1, 1, 5]],
  ['lookat sideways', '<lookat>5 0 0  0 0 0  0 0 2</lookat>', [5, 1, 1]],
  ['skew', '<skew>45 0 1 0 1 0 0</skew>', [2, 1, 0]],
])('%s', async (_, transforms, third) => {
  const corners = await cornersIn(square(ONE, transforms));
  for (const [k, x] of third.entries()) expect(corners[2][k]).toBeCloseTo(x, 12);
});

test('the unit makes meters, also of translations; the axes stay', async () => {
  const asset = '<unit meter="0.5"/><up_axis>Y_UP</up_axis>';
  const text = square(ONE, '<translate>2 0 0</translate>', asset);
  expect((await cornersIn(text))[2]).toEqual([1.5, 0.5, 0]);
  const { units, warnings } = await read(text);
  expect([units, warnings]).toEqual(['m', ['up_axis is "Y_UP"; the axes were left as they are']]);
  expect((await read(square(ONE))).warnings).toEqual([]);
});

test('instances share the mesh; nodes of libraries are below the node that shows them', async () => {
  const more =
    '<library_nodes><node id="l" name="l"><translate>0 0 1</translate><instance_geometry url="#g"/></node></library_nodes>';
  const nodes =
    '<node name="a"><instance_node url="#l"/></node><node name="b"><translate>1 0 0</translate><instance_node url="#l"/></node>';
  const file = await read(daeOf(geometryOf('g', SQUARE, ONE), nodes, { more }));
  expect(file.meshes.length).toBe(1);
  expect(file.nodes.map(({ name, parent, mesh }) => [name, parent, mesh])).toEqual([
    ['a', -1, null],
    ['l', 0, 0],
    ['b', -1, null],
    ['l', 2, 0],
  ]);
});

test('a skin stands as it is bound, with a warning', async () => {
  const more = `<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>
1 0 0 7 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>`;
  const node = '<node name="n"><instance_controller url="#c"/></node>';
  const text = daeOf(geometryOf('g', SQUARE, ONE), node, { more });
  expect((await cornersIn(text))[0]).toEqual([7, 0, 0]);
  expect((await read(text)).warnings.join()).toContain('1 skin left out');
});

test('a robot has such meshes, in meters', async () => {
  const urdf =
    '<robot><link name="a"><collision><geometry><mesh filename="a.dae"/></geometry></collision></link></robot>';
  const dae = new TextEncoder().encode(square(ONE, '', '<unit meter="0.5"/><up_axis>Y_UP</up_axis>'));
  const { positions } = await readMesh(new TextEncoder().encode(urdf), { open: () => dae });
  expect(Array.from(positions.subarray(6, 9))).toEqual([0.5, 0.5, 0]);
});

test('lines and geometries outside the scene are left out, with a warning; other files are named', async () => {
  const lines = geometryOf('l', SQUARE, '<lines count="1">INPUT<p>0 1</p></lines>');
  const other = geometryOf('o', SQUARE, ONE);
  const nodes = `${shown()}${shown('', 'l')}<node name="x"><instance_geometry url="b.dae#q"/></node>`;
  const { notes, warnings, meshes } = await read(daeOf(geometryOf('g', SQUARE, ONE) + lines + other, nodes));
  expect(meshes.length).toBe(1);
  expect(notes.filter(({ kind }) => kind !== 'warning').map(({ kind, element }) => [kind, element])).toEqual([
    ['missing', 'x'],
    ['left out', 'n'],
  ]);
  expect(warnings.join('\n')).toContain('1 node without faces left out: n');
  expect(warnings.join('\n')).toContain('1 geometry left out: not in the scene');
});

test('doubles stay doubles; offset and stride of an accessor count, and unnamed params are passed over', async () => {
  const numbers = '9 9 0.1 9 1e-17 0.30000000000000004  2 9 3 4  5 9 6 7';
  const text = square(ONE)
    .replace(/count="12">[^<]*/, `count="14">${numbers}`)
    .replace('count="4" stride="3"', 'count="3" stride="4" offset="2"')
    .replace('<param name="Y"', '<param type="float"/><param name="Y"');
  expect((await cornersIn(text))[0]).toEqual([0.1, 1e-17, 0.30000000000000004]);
});

/** Each node shows the next one twice. */
const chain = (count: number): string => {
  const twice = (k: number): string => `<node id="c${k}">${`<instance_node url="#c${k + 1}"/>`.repeat(2)}</node>`;
  const links = Array.from({ length: count }, (_, k) => twice(k)).join('');
  return `${links}<node id="c${count}"><instance_geometry url="#g"/></node>`;
};

test.each([
  [
    'entities',
    daeOf('', '').replace('<COLLADA', '<!DOCTYPE a [<!ENTITY b "bbbb">]><COLLADA'),
    'without a document type',
  ],
  ['nodes in nodes', square(ONE).replace('<node name="n">', '<node>'.repeat(300)), 'expected XML'],
  ['300 closed levels', daeOf('', '<node>'.repeat(300) + '</node>'.repeat(300)), 'XML of at most 256 levels'],
  [
    'a ring',
    daeOf('', '<node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>'),
    'nodes that are no instance of themselves, found "a"',
  ],
  [
    'a count that is too high',
    square(ONE).replace('count="12"', 'count="4294967295"'),
    'line 5: expected 4294967295 numbers in <float_array>, found 12',
  ],
  [
    'a high count of points',
    square(ONE).replace('count="4"', 'count="999999999"'),
    'line 6: expected 2999999997 numbers for 999999999 points, found 12',
  ],
  ['a high count of faces', square(ONE.replace('count="1"', 'count="7"')), 'expected 7 faces in <triangles>, found 1'],
  [
    'a count of 1e99',
    square(ONE).replace('count="4"', 'count="1e99"'),
    'a whole number below 2^32 as count of <accessor>, found "1e99"',
  ],
  ['a vertex too high', square(trianglesText([[0, 1, 4]])), 'numbers of points from 0 to 3 in <p>, found 4'],
  ['a vertex below 0', square(trianglesText([[0, 1, -1]])), 'numbers of points from 0 to 3 in <p>, found -1'],
  ['half a vertex', square(trianglesText([[0, 1, 0.5]])), 'found 0.5'],
  ['half a triangle', square('<triangles>INPUT<p>0 1 2 3</p></triangles>'), 'three corners a triangle, found 4 in all'],
  [
    'vcount too high',
    square('<polylist count="1">INPUT<vcount>4</vcount><p>0 1 2</p></polylist>'),
    'with the sum 3, the number of corners, in <vcount>, found 4',
  ],
  ['no vcount', square('<polylist count="1">INPUT<p>0 1 2</p></polylist>'), 'in <vcount>, found 0'],
  [
    'a missing source',
    square(ONE).replace('source="#g-v"', 'source="#q"'),
    'source of <input> to be the id of one <vertices> or <source>, found "#q"',
  ],
  [
    'a missing geometry',
    daeOf('', shown()),
    'url of <instance_geometry> to be the id of one <geometry> or <controller>, found "#g"',
  ],
  ['two of an id', daeOf(geometryOf('g', SQUARE, ONE).repeat(2), shown()), 'found "#g", an id of several'],
  ['NaN', square(ONE).replace('>0 0 0 1', '>0 NaN 0 1'), 'line 5: expected a finite number, found "NaN"'],
  ['beyond doubles', square(ONE).replace('>0 0 0 1', '>0 1e999 0 1'), 'expected a finite number'],
  ['a comma', square(ONE).replace('>0 0 0 1', '>0,5 0 0 1'), 'expected a finite number, found "0,5"'],
  ['no positions', square(ONE.replace('INPUT', '')), 'expected <input semantic="VERTEX"> in <triangles>, found none'],
  [
    'no offset',
    square(ONE.replace('INPUT', 'INPUT<input semantic="NORMAL" source="#q"/>')),
    'offset of <input>, found none',
  ],
  ['a stride of 2', square(ONE).replace('stride="3"', 'stride="2"'), 'a stride of three or more'],
  ['a short matrix', square(ONE, '<matrix>1 0 0</matrix>'), '16 numbers'],
  [
    'a projection',
    square(ONE, '<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix>'),
    '0 0 0 1 as the last row of <matrix>, found 0 0 1 1',
  ],
  ['an axis of no length', square(ONE, '<rotate>0 0 0 5</rotate>'), 'directions in <rotate>'],
  ['a unit of 0', square(ONE, '', '<unit meter="0"/>'), 'a number above 0 as meter of <unit>, found "0"'],
  ['another version', square(ONE).replace('1.4.1', '1.3.0'), 'version 1.4 or 1.5 of COLLADA, found "1.3.0"'],
  ['no triangles', daeOf('', '<node/>'), 'a scene with triangles, found none'],
  [
    'matrices that grow',
    daeOf(
      geometryOf('g', SQUARE, ONE),
      `<node>${'<scale>1e60 1 1</scale>'.repeat(3)}<instance_geometry url="#g"/></node>`,
    ),
    'in the product of the matrices',
  ],
  [
    'a controller of itself',
    daeOf('', '<node><instance_controller url="#c"/></node>', {
      more: '<library_controllers><controller id="c"><skin source="#c"/></controller></library_controllers>',
    }),
    'a <skin> or <morph> of a geometry',
  ],
])('%s: one line', async (_, text, expected) => expect(await errorOf(text)).toContain(expected));

test('2^30 instances: one line', { tags: ['all'] }, async () => {
  const more = `<library_nodes>${chain(30)}</library_nodes>`;
  const text = daeOf(geometryOf('g', SQUARE, ONE), '<node><instance_node url="#c0"/></node>', { more });
  expect(await errorOf(text)).toContain('at most 262,144 nodes');
});

test('a small file cannot fill the memory by sharing an array', { tags: ['all'] }, async () => {
  const numbers = '0 '.repeat(300_000);
  const array = `<geometry id="g"><mesh><source id="s"><float_array id="a">${numbers}</float_array>
<technique_common><accessor source="#a" count="100000" stride="3"/></technique_common></source></mesh></geometry>`;
  const other = (k: number): string => `<geometry id="g${k}"><mesh><source id="s"><technique_common>
<accessor source="#a" count="100000" stride="3"/></technique_common></source>
<triangles count="1"><input semantic="POSITION" source="#s" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>`;
  const ids = Array.from({ length: 200 }, (_, k) => k);
  const nodes = ids.map((k) => shown('', `g${k}`)).join('');
  const text = daeOf(array + ids.map(other).join(''), nodes);
  expect(await errorOf(text)).toContain("at most 64 times the file's size plus 256 MiB");
});

const SEED = 20261128;
const COUNT = long ? 2000 : 150;
const WORDS = [
  ...[
    'NaN',
    '-1',
    '1e999',
    '4294967296',
    '0',
    ' ',
    '\n',
    '<',
    '>',
    '"',
    '/',
    '&',
    '</p>',
    '<p>',
    '<ph>',
    '<h>0 1 2</h>',
  ],
  ...[
    'count="9"',
    'stride="0"',
    'offset="7"',
    'url="#n0"',
    '<instance_node url="#n1"/>',
    '__proto__',
    '\0',
    '\u{1F916}',
  ],
  ...['polygons', 'tristrips', 'trifans', 'lines', 'skew', 'lookat', 'matrix', 'controller', 'x'.repeat(250)],
];

function mutated(text: string, random: Random): string {
  let now = text;
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(now.length + 1);
    const end = Math.min(now.length, at + random.below(8));
    const kind = random.below(5);
    if (kind === 0) now = now.slice(0, at) + now.slice(end);
    else if (kind === 1) now = now.slice(0, at) + random.pick(WORDS) + now.slice(at);
    else if (kind === 2) {
      // A word of letters for another.
      const words = [...now.matchAll(/[a-z_]{3,}/gi)];
      const word = random.pick(words);
      now = now.slice(0, word.index) + random.pick(WORDS) + now.slice(word.index + word[0].length);
    } else if (kind === 3) now = now.slice(0, at) + now.slice(at, at + random.below(200)) + now.slice(at);
    else now = now.slice(0, at) + now.slice(at).replace(/\d/, String(random.below(10)));
  }
  return now;
}

test(`${COUNT} mutations (seed ${SEED})`, { tags: ['all', 'long'] }, async () => {
  const random = seeded(SEED);
  const texts = [
    ...[1, 2, 3].map((seed) => randomDae(seeded(seed))),
    square(
      '<polygons count="2">INPUT<ph><p>0 1 2 3</p><h>1 2 3</h></ph><p>0 1 2</p></polygons><trifans count="1">INPUT<p>0 1 2 3</p></trifans>',
      '<skew>45 0 1 0 1 0 0</skew><lookat>0 0 5 0 0 0 0 1 0</lookat>',
    ),
  ];
  let meshes = 0;
  for (let k = 0; k < COUNT; k++) {
    const text = mutated(random.pick(texts), random);
    let mesh: ReturnType<typeof wholeMesh>;
    try {
      mesh = wholeMesh(await read(text));
    } catch (error) {
      if (!(error instanceof FormatError)) throw new Error(`of ${JSON.stringify(text)}`, { cause: error });
      expect(error.message).toMatch(/^[^\p{Cc}]{1,700}$/u);
      continue;
    }
    expect(mesh.positions.every(Number.isFinite)).toBe(true);
    expect(mesh.triangles.every((v) => v < mesh.positions.length / 3)).toBe(true);
    meshes++;
  }
  expect(meshes).toBeGreaterThan(COUNT / 50);
  expect(meshes).toBeLessThan(COUNT);
});
