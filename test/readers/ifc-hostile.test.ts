/** IFC files that are wrong: one line says so, whatever web-ifc would have made of them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { InputError, OptionError } from '../../src/base/errors.ts';
import { meshFormatOf, readMeshFile } from '../../src/readers/formats.ts';
import { readIfc } from '../../src/readers/ifc/ifc.ts';
import { lowerSurfaceModel } from '../../src/readers/ifc/lower/brep.ts';
import { Draft } from '../../src/readers/ifc/lower/draft.ts';
import { lowerArbitrary } from '../../src/readers/ifc/lower/outlines.ts';
import { lowerProfile } from '../../src/readers/ifc/lower/profiles.ts';
import { lowerCone, lowerCylinder, lowerSphere } from '../../src/readers/ifc/lower/solids.ts';
import { type Lowering, Step } from '../../src/readers/ifc/lower/step.ts';
import { lowerDisk, lowerRevolved } from '../../src/readers/ifc/lower/sweeps.ts';
import { indexRecords } from '../../src/readers/ifc/step-records.ts';
import { scanStep } from '../../src/readers/ifc/step-scanner.ts';
import { type IfcWriter, ifcWriter } from '../support/ifc.ts';
import { ifcBrepZoo } from '../support/ifc-brep.ts';
import { ifcCurveZoo, ifcZoo } from '../support/ifc-zoo.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';

const nowhere = { open: () => expect.unreachable() };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readMeshFile(bytesOf(text), nowhere);

function smallFile(): string {
  const w = ifcWriter();
  const placement = w.placement([0, 0, 0]);
  const cube = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2]);
  const shape = w.shape([w.solid(cube, [[0, 2, 3, 1]])], 'Tessellation');
  const wall = w.product('IFCWALL', { name: 'wall', placement, shape, more: '$' });
  const hole = w.shape([w.box([1, 1, 1])]);
  w.voids(wall, w.product('IFCOPENINGELEMENT', { placement, shape: hole, more: '$' }));
  return w.text();
}

describe('refused in one line', () => {
  test.each<[string, string | RegExp, string, string | RegExp, string]>([
    ['another schema', "'IFC4'", "'AUTOMOTIVE_DESIGN'", /IFC4X3$/, 'AUTOMOTIVE_DESIGN: a STEP file, which'],
    ['an older schema', "'IFC4'", "'IFC2X2'", /IFC4X3$/, 'IFC2X2'],
    ['no schema', "'IFC4'", '$', /IFC4X3$/, 'none'],
    ['two projects', /#(\d+)=IFCPROJECT(.*)/, '#$1=IFCPROJECT$2#999=IFCPROJECT$2', 'one IfcProject', 'a second one'],
    ['a unit of no length', ',.METRE.', ',.GRAM.', 'a unit of length', 'none'],
    ['a unit of no length', '.MILLI.', '.MILLE.', 'a unit of length', 'none'],
    ['a number of no point', /POLYGONALFACE\(\(1,3/, 'POLYGONALFACE((1,9', 'the number of a point, 1 to 8', '9'],
    ['a number of no point', /POLYGONALFACE\(\(1,3/, 'POLYGONALFACE((1,0', 'the number of a point, 1 to 8', '0'],
    ['no reference', /IFCLOCALPLACEMENT\(\$,#\d+/, 'IFCLOCALPLACEMENT($,1.', /^a reference as argument 2/, '"1."'],
    ['no record', /IFCLOCALPLACEMENT\(\$,#\d+/, 'IFCLOCALPLACEMENT($,#999', 'a record #999', 'none'],
    ['a cycle', /#(\d+)=IFCLOCALPLACEMENT\(\$/, '#$1=IFCLOCALPLACEMENT(#$1', 'references without a cycle', 'a cycle: '],
    ['no double', '((0.,0.,0.),(1.,0.', '((1.E999,0.,0.),(1.,0.', /^a number below 1e30 in IFCCART/, '1.E999'],
  ])('%s: %s', async (_, what, instead, expected, found) => {
    const text = smallFile().replace(what, instead);
    expect(text).not.toBe(smallFile());
    const error = await refusal(readIfc(bytesOf(text)));
    expect(error.expected).toMatch(expected);
    expect(error.found).toContain(found);
  });

  test('no element: it says what was left out', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    w.product('IFCSPACE', {
      placement: w.placement([0, 0, 0]),
      shape: w.shape([w.box([1, 1, 1])]),
      more: '.ELEMENT.,$,$',
    });
    const error = await refusal(read(w.text()));
    expect([error.expected, error.found]).toEqual(['an element with a body', 'none: 1 IfcSpace left out']);
  });

  test('IFC in another coat is named', async () => {
    const zip = `PK\u0003\u0004${'\0'.repeat(26)}house.ifc`;
    expect((await refusal(read(zip))).found).toMatch(/^ifcZIP, .* unpack it$/);
    const xml = '<?xml version="1.0"?><ifcXML xmlns="http://www.buildingsmart-tech.org/ifcXML/IFC4/final">';
    expect((await refusal(read(xml))).found).toMatch(/^ifcXML, /);
    for (const [text, name] of [
      ['<svg/>', 'OBJ'],
      [smallFile(), 'IFC'],
      [`\ufeff ${smallFile()}`, 'IFC'],
      [smallFile().replace("'IFC4'", "'AUTOMOTIVE_DESIGN'"), 'OBJ'],
      [smallFile().replace('FILE_NAME', `/* ${'x'.repeat(600)} */ FILE_NAME`), 'IFC'],
    ])
      expect([text, meshFormatOf(bytesOf(text)).name]).toEqual([text, name]);
  });

  test('an opening that is its own element', async () => {
    const text = smallFile().replace(/(IFCRELVOIDSELEMENT\(.*,)(#\d+),#\d+/, '$1$2,$2');
    expect((await refusal(read(text))).found).toContain('a cycle');
  });

  test('maps of maps of maps', async () => {
    const w = ifcWriter();
    let item = w.box([1, 1, 1]);
    for (let k = 0; k < 40; k++) {
      const map = w.map([item, item]);
      item = w.mapped(map);
    }
    w.product('IFCWALL', { placement: w.placement([0, 0, 0]), shape: w.shape([item]), more: '$' });
    expect((await refusal(read(w.text()))).expected).toMatch(/^at most 4294967296 records/);
  });
});

describe('curves of too many corners', () => {
  type Make = (w: IfcWriter, radius: number) => string;
  type Rewrite = (lowering: Lowering, record: number) => void;
  const circle: Make = (w, radius) =>
    w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,${w.add(`IFCAXIS2PLACEMENT2D(${w.point([0, 0])},$)`)},${radius}.)`);
  const outline: Make = (w, radius) => {
    const curve = w.add(`IFCCIRCLE(${w.add(`IFCAXIS2PLACEMENT2D(${w.point([0, 0])},$)`)},${radius}.)`);
    return w.add(`IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${curve})`);
  };
  const face: Make = (w, radius) => {
    const corners = Array.from({ length: 64 }, (_, k) => {
      const [x, y] = [Math.cos, Math.sin].map((of) => 0.6 * radius * of((Math.PI * k) / 32));
      return w.point([x, y, 0.8 * radius]);
    });
    const bound = w.add(`IFCFACEOUTERBOUND(${w.add(`IFCPOLYLOOP((${corners}))`)},.T.)`);
    const surface = w.add(`IFCSPHERICALSURFACE(${w.axes([0, 0, 0])},${radius}.)`);
    const shell = w.add(`IFCOPENSHELL((${w.add(`IFCFACESURFACE((${bound}),${surface},.T.)`)}))`);
    return w.add(`IFCSHELLBASEDSURFACEMODEL((${shell}))`);
  };
  const ofRadius =
    (kind: string): Make =>
    (w, radius) =>
      w.add(`${kind}(${w.axes([0, 0, 0])},${kind === 'IFCSPHERE' ? '' : '10.,'}${radius}.)`);
  const disk: Make = (w, radius) =>
    w.add(`IFCSWEPTDISKSOLID(${w.add(`IFCCIRCLE(${w.axes([0, 0, 0])},${2 * radius}.)`)},${radius}.,$,$,$)`);
  const revolved: Make = (w, radius) => {
    const profile = w.add(
      `IFCCIRCLEPROFILEDEF(.AREA.,$,${w.add(`IFCAXIS2PLACEMENT2D(${w.point([2 * radius, 0])},$)`)},${radius}.)`,
    );
    const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([0, 0, 0])},${w.add('IFCDIRECTION((0.,1.,0.))')})`);
    return w.add(`IFCREVOLVEDAREASOLID(${profile},${w.axes([0, 0, 0])},${axis},3.)`);
  };
  /** A wall, and one that is right. */
  const file = (make: (w: IfcWriter) => string): string => {
    const w = ifcWriter();
    for (const solid of [make(w), w.box([1, 1, 1])])
      w.product('IFCWALL', { placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
    return w.text();
  };

  test.each<[string, Make]>([
    ['a sphere', ofRadius('IFCSPHERE')],
    ['a revolution', revolved],
  ])('%s of more than 2^20 is left out, and said', async (_, make) => {
    const { nodes, warnings } = await read(file((w) => make(w, 1e6)));
    expect(nodes.length).toBe(1);
    expect(warnings.join()).toContain('it has more than 1048576 corners; a larger --chord-tolerance makes fewer');
  });

  test.each<[string, Make, Rewrite, number]>([
    ['profiles', circle, lowerProfile, 1e5],
    ['cones', ofRadius('IFCRIGHTCIRCULARCONE'), lowerCone, 1e5],
    ['cylinders', ofRadius('IFCRIGHTCIRCULARCYLINDER'), lowerCylinder, 1e5],
    ['spheres', ofRadius('IFCSPHERE'), lowerSphere, 1e3],
    ['disks', disk, lowerDisk, 1e3],
    ['revolutions', revolved, lowerRevolved, 1e3],
    ['outlines', outline, lowerArbitrary, 1e5],
    ['faces', face, lowerSurfaceModel, 100],
  ])('a file of more than 2^22 on its %s', (_, make, rewrite, radius) => {
    const w = ifcWriter();
    const id = Number(make(w, radius).slice(1));
    const scanned = scanStep(bytesOf(w.text()), {});
    const recordOf = indexRecords(scanned);
    const why = "the file's curves have more than 4194304 corners; a larger --chord-tolerance makes fewer";
    for (const [left, said] of [
      [20, why],
      [1 << 20, null],
    ] as const) {
      const step = new Step(scanned, recordOf, 1);
      const draft = new Draft(scanned, recordOf);
      const lowering = { step, draft, unread: new Map(), doubtful: new Map(), chord: 1, corners: 32 };
      for (let k = 0; k < 3; k++) step.budget.spend(1 << 20);
      step.budget.spend((1 << 20) - left);
      expect(step.budget.within(() => rewrite(lowering, recordOf(id)))).toBe(said);
      expect([...lowering.doubtful]).toEqual([]);
      expect(draft.isReplaced(recordOf(id))).toBe(said === null);
    }
  });

  test('pieces of the text are put together in order', () => {
    const scanned = scanStep(bytesOf(smallFile()), {});
    const draft = new Draft(scanned, indexRecords(scanned));
    const made = ['a', 'b', 'c', 'd'].map((letter) => {
      const record = `IFCLABEL('${letter.repeat(700_000)}')`;
      return `${draft.add(record)}=${record};\n`;
    });
    expect(new TextDecoder().decode(draft.done()) === smallFile().replace('#1=', `${made.join('')}#1=`)).toBe(true);
  });
});

test('strings longer than web-ifc can count do no harm', { tags: ['all'] }, async () => {
  const w = ifcWriter();
  const name = "it''s long ".repeat(10_000);
  const [axis, body] = ['Axis', 'Body'].map((kind) =>
    w.add(`IFCSHAPEREPRESENTATION(#5,'${kind}','SweptSolid',(${w.box([1, 1, 1])}))`),
  );
  const shape = w.add(`IFCPRODUCTDEFINITIONSHAPE('${name}',$,(${axis},${body}))`);
  w.product('IFCWALL', { name, placement: w.placement([0, 0, 0]), shape, more: '$' });
  const { nodes, warnings } = await read(w.text());
  expect(nodes[0].name).toContain(name.replaceAll("''", "'"));
  expect(warnings).toEqual([]);
});

test('without web-ifc a line says what to install', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  try {
    for (const file of ['base/errors.js', 'base/printable.js', 'readers/ifc/engine.js']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(fileURLToPath(new URL(`../../dist/${file}`, import.meta.url)), join(folder, file));
    }
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const script = `
      import { openEngine } from './readers/ifc/engine.js';
      await openEngine(new Uint8Array(9)).catch(({ name, message }) => console.log(name, message));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(said).toMatch(/^OptionError IFC needs .*: npm install web-ifc\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const TOKENS = [
  '$',
  '*',
  '#1',
  '#20',
  '0.',
  '-1.',
  '1.E300',
  '1.E-300',
  '5',
  "'x'",
  '.T.',
  '()',
  '(#10)',
  '(0.,0.)',
  '#9999',
];

/** A file with some of it changed: bytes, arguments, records' numbers, or without a record. */
function mutate(lines: readonly string[], random: Random): Uint8Array {
  const at = () => 7 + random.below(lines.length - 10);
  const changed = [...lines];
  const kind = random.below(7);
  if (kind < 2) {
    const bytes = bytesOf(lines.join('\n'));
    for (let k = 0; k <= random.below(3); k++) bytes[random.below(bytes.length)] = random.below(128);
    return bytes;
  }
  if (kind < 5) {
    const i = at();
    const tokens = [...lines[i].matchAll(/#\d+|[-\d.]+E?[-\d]*|\$|\*|'[^']*'|\.\w+\./g)].slice(1);
    const token = random.pick(tokens);
    const other = random.below(2) ? random.pick(TOKENS) : `#${1 + random.below(lines.length - 10)}`;
    changed[i] = lines[i].slice(0, token.index) + other + lines[i].slice(token.index! + token[0].length);
  } else if (kind === 5) {
    const [i, j] = [at(), at()];
    const [a, b] = [lines[i], lines[j]].map((line) => line.split('='));
    changed[i] = `${a[0]}=${b[1]}`;
    changed[j] = `${b[0]}=${a[1]}`;
  } else changed.splice(at(), 1);
  return bytesOf(changed.join('\n'));
}

test.each([
  ['solids', long ? 500 : 25, ifcZoo().text],
  ['curves', long ? 300 : 25, ifcCurveZoo()],
  ['faces on surfaces', long ? 60 : 15, ifcBrepZoo()],
])(
  '%s, %i changes: a file or a line, and nothing is written (seed 7)',
  {
    tags: ['all', 'long'],
  },
  async (_, count, text) => {
    const lines = text.split('\n');
    const random = seeded(7);
    const heard = vi.spyOn(console, 'log');
    const wept = vi.spyOn(console, 'error');
    let [good, bad] = [0, 0];
    for (let k = 0; k < count; k++) {
      try {
        const { nodes, meshes } = await readMeshFile(mutate(lines, random), nowhere);
        for (const { mesh } of meshes) expect(mesh.positions.every(Number.isFinite)).toBe(true);
        expect(nodes.every(({ mesh }) => mesh! < meshes.length)).toBe(true);
        good++;
      } catch (error) {
        if (!(error instanceof InputError) || error instanceof OptionError) throw error;
        expect(error.message).toMatch(/^[^\n]+$/);
        bad++;
      }
    }
    expect(Math.min(good, bad)).toBeGreaterThan(long ? 10 : 2);
    expect([heard, wept].map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
    heard.mockRestore();
    wept.mockRestore();
    expect(process.exitCode).toBeUndefined();
  },
);
