/** IFC files of a few elements, written by test/support/ifc.ts: what comes out is known in closed form. */
import { describe, expect, test } from 'vitest';
import { identity } from '../../src/math/pose.ts';
import { determinantOf } from '../../src/mesh/mesh.ts';
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';
import { type Measured, measured as ofNode } from '../support/file-measures.ts';
import { type IfcUnit, type IfcWriter, ifcWriter } from '../support/ifc.ts';
import { corners, ifcZoo } from '../support/ifc-zoo.ts';
import { seeded } from '../support/random.ts';

const nowhere = { open: () => expect.unreachable('it asks for no file') };
const read = (text: string): Promise<ReadMeshFile> => readMeshFile(new TextEncoder().encode(text), nowhere);

/** Of the element of a name. */
const measured = (file: ReadMeshFile, name: string): Measured =>
  ofNode(
    file,
    file.nodes.findIndex((node) => node.name.split('/')[1] === name),
  );

/** An element of one box where it is placed. */
function boxElement(w: IfcWriter, name: string, size: number[], placement = w.placement([0, 0, 0])): string {
  return w.product('IFCWALL', { name, placement, shape: w.shape([w.box(size)]), more: '$' });
}

describe('what an element is', () => {
  test('its name is class, name and GlobalId, escapes read; id and kind stand beside it', async () => {
    const w = ifcWriter();
    boxElement(w, "T\\X2\\00FC\\X0\\r 1/2 ''a''", [1, 2, 3]);
    w.product('IFCDOOR', { placement: w.placement([0, 0, 0]), shape: w.shape([w.box([1, 1, 1])]), more: '$,$,$,$,$' });
    const { nodes, units, warnings } = await read(w.text());
    expect(nodes.map(({ name }) => name)).toEqual([
      "IfcWall/Tür 1/2 'a'/1000000000000000000002",
      'IfcDoor/1000000000000000000003',
    ]);
    expect(nodes[0]).toMatchObject({ id: '1000000000000000000002', kind: 'IfcWall', parent: -1 });
    expect({ units, warnings }).toEqual({ units: 'mm', warnings: [] });
  });

  test('rooms, openings and what has no body are left out, and counted', async () => {
    const w = ifcWriter();
    const placement = w.placement([0, 0, 0]);
    boxElement(w, 'wall', [1, 2, 3]);
    for (let k = 0; k < 2; k++)
      w.product('IFCSPACE', {
        name: `room ${k}`,
        placement,
        shape: w.shape([w.box([5, 5, 5])]),
        more: '.ELEMENT.,$,$',
      });
    w.product('IFCROOF', { name: 'of parts', placement, more: '$' });
    const axis = w.add(`IFCPOLYLINE((${w.point([0, 0])},${w.point([1, 0])}))`);
    const shape = w.shape([axis], 'Curve2D', 'Axis');
    w.product('IFCBEAM', { name: 'thin', placement, shape, more: '$' });
    w.product('IFCBUILDINGSTOREY', { name: 'said by nobody', placement });
    const { nodes, warnings } = await read(w.text());
    expect(nodes.map(({ kind }) => kind)).toEqual(['IfcWall']);
    expect(warnings).toEqual([
      '2 IfcSpace left out',
      '1 IfcRoof without geometry of their own',
      '1 IfcBeam without a body left out: their shapes are axes, boxes or footprints',
    ]);
  });

  test('a body is taken, and neither the box nor the axis beside it', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const placement = w.placement([0, 0, 0]);
    const context = w.add("IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#4,$)");
    const box = w.add(`IFCSHAPEREPRESENTATION(${context},'Box','BoundingBox',(${w.box([50, 50, 50])}))`);
    const body = w.add(`IFCSHAPEREPRESENTATION(${context},'Body','SweptSolid',(${w.box([1, 2, 3])}))`);
    // A bracket in a string and a comment must not end what is blanked.
    const shape = w.add(`IFCPRODUCTDEFINITIONSHAPE('a)''b',$ /* ) */,(${box},${body}))`);
    w.product('IFCWALL', { name: 'a', placement, shape, more: '$' });
    const file = await read(w.text());
    expect(measured(file, 'a')).toMatchObject({ low: [-0.5, -1, -1.5], high: [0.5, 1, 1.5], open: 0 });
  });

  test('several solids of one element are one mesh, in their order', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const placement = w.placement([10, 0, 0]);
    const shape = w.shape([w.box([2, 2, 2]), w.box([4, 4, 4], [100, 0, 0])]);
    w.product('IFCWALL', { name: 'two', placement, shape, more: '$' });
    const file = await read(w.text());
    expect(file.nodes).toHaveLength(1);
    expect([...file.meshes[0].mesh.triangles].slice(0, 36).every((v) => v < 8)).toBe(true);
    const { volume, ...rest } = measured(file, 'two');
    expect(rest).toEqual({ low: [9, -2, -2], high: [112, 2, 2], open: 0 });
    expect(volume).toBeCloseTo(8 + 64, 6);
  });

  test('GlobalIds that come twice are said; names stay apart by what makes them', async () => {
    const w = ifcWriter();
    boxElement(w, 'a', [1, 1, 1]);
    boxElement(w, 'b', [1, 1, 1]);
    const text = w.text().replace('1000000000000000000003', '1000000000000000000002');
    expect((await read(text)).warnings).toEqual(['1 GlobalId used more than once: 1000000000000000000002']);
  });

  test('web-ifc makes no triangles from it: said by name, with what web-ifc complains of', async () => {
    const w = ifcWriter();
    boxElement(w, 'good', [1, 1, 1]);
    const circle = w.add('IFCINVENTEDSOLID(1.)');
    w.product('IFCWALL', { name: 'odd', placement: w.placement([0, 0, 0]), shape: w.shape([circle]), more: '$' });
    const shape = w.shape([w.box([1, 1, 1])]);
    w.product('IFCINVENTEDWALL', { name: 'other', placement: w.placement([0, 0, 0]), shape });
    const { nodes, notes, warnings } = await read(w.text());
    expect([nodes.length, notes.filter(({ kind }) => kind === 'missing').length]).toEqual([1, 2]);
    expect(warnings[0]).toBe(
      '2 incomplete elements (web-ifc makes no triangles from it): ' +
        'IfcWall/odd/1000000000000000000003, IFCINVENTEDWALL/other/1000000000000000000004',
    );
    expect(warnings[1]).toMatch(/^web-ifc complains \(\d+\): /);
  });

  test('materials cannot make an element incomplete: layers of air, with offsets, and no material', async () => {
    const w = ifcWriter();
    const brick = w.add("IFCMATERIAL('brick',$,$)");
    const layers = [
      w.add(`IFCMATERIALLAYER(${brick},110.,$,$,$,$,$)`),
      w.add("IFCMATERIALLAYER($,50.,.T.,'air',$,$,$)"),
      w.add(`IFCMATERIALLAYERWITHOFFSETS(${brick},6.,$,$,$,$,$,.AXIS1.,(0.,0.))`),
    ];
    layers.forEach((layer, k) => {
      const shape = w.shape([w.box([1, 1, 1])]);
      const wall = w.product('IFCWALL', { name: `w${k}`, placement: w.placement([0, 0, 0]), shape, more: '$' });
      const set = w.add(`IFCMATERIALLAYERSET((${layer}),$,$)`);
      w.relate('IFCRELASSOCIATESMATERIAL', [wall], w.add(`IFCMATERIALLAYERSETUSAGE(${set},.AXIS2.,.POSITIVE.,0.,$)`));
    });
    const { nodes, notes } = await read(w.text());
    expect(notes).toEqual([]);
    expect(nodes.map(({ ifc }) => ifc!.material)).toEqual([['brick'], undefined, ['brick']]);
  });

  test('an element that web-ifc complains about is incomplete, and so is one that shows the same', async () => {
    const w = ifcWriter();
    const odd = (): string => w.add('IFCINVENTEDSOLID(1.)');
    const wall = (name: string, items: string[]): string =>
      w.product('IFCWALL', { name, placement: w.placement([0, 0, 0]), shape: w.shape(items), more: '$' });
    wall('whole', [w.box([1, 1, 1]), w.box([2, 1, 1])]);
    wall('empty', [odd()]);
    wall('next', [w.box([1, 1, 1])]);
    wall('part', [w.box([1, 1, 1]), odd()]);
    wall('union', [w.add(`IFCBOOLEANRESULT(.UNION.,${w.box([1, 1, 1])},${odd()})`)]);
    const map = w.map([w.box([1, 1, 1]), odd()]);
    for (const name of ['first', 'second']) wall(name, [w.mapped(map)]);
    const { notes } = await read(w.text());
    const lost = notes.filter(({ kind }) => kind === 'missing');
    expect(lost.map(({ element, isPart }) => [element!.split('/')[1], isPart])).toEqual([
      ['empty', false],
      ...['part', 'union', 'first', 'second'].map((name) => [name, true]),
    ]);
  });
});

describe('where an element stands', () => {
  test.each<IfcUnit>(['m', 'cm', 'mm', 'ft', 'in'])(
    'lengths stay in %s, to the bit',
    { tags: ['all'] },
    async (unit) => {
      const w = ifcWriter({ unit });
      boxElement(w, 'a', [3000, 200, 2800], w.placement([1e7 + 0.5, -200, 0.25]));
      const file = await read(w.text());
      const box = { low: [1e7 - 1499.5, -300, -1399.75], high: [1e7 + 1500.5, -100, 1400.25] };
      expect(file.units).toBe(unit);
      expect(measured(file, 'a')).toMatchObject({ ...box, open: 0 });
    },
  );

  test.each([
    ['no unit', /(IFCPROJECT\(.*),#\d+\)/, '$1,$)'],
    ['no project', /#\d+=IFCPROJECT.*/, ''],
    ['a unit of no length', '.LENGTHUNIT.', '.AREAUNIT.'],
  ])('%s: said, and lengths as they stand', { tags: ['all'] }, async (_, what, instead) => {
    const w = ifcWriter();
    boxElement(w, 'a', [2, 2, 2]);
    const file = await read(w.text().replace(what, instead));
    expect([file.units, file.warnings.at(-1)]).toEqual([null, 'the file states no known unit of length']);
    expect(measured(file, 'a')).toMatchObject({ low: [-1, -1, -1], high: [1, 1, 1] });
  });

  test('placements hang on placements, turned ones on turned ones', async () => {
    const w = ifcWriter();
    const outer = w.placement([1000, 0, 0], undefined, [0, 0, 1], [0, 1, 0]);
    const inner = w.placement([100, 10, 0], outer, [0, 0, 1], [0, 1, 0]);
    boxElement(w, 'a', [20, 40, 60], inner);
    // Turned about z by 90 degrees: (100, 10) to (-10, 100); by 180 in all, so the box is as it was.
    const file = await read(w.text());
    expect(measured(file, 'a')).toMatchObject({ low: [980, 80, -30], high: [1000, 120, 30], volume: 20 * 40 * 60 });
  });

  test('ten columns of one map share a mesh', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const map = w.map([w.box([300, 300, 3000], [0, 0, 1500])]);
    for (let k = 0; k < 10; k++) {
      const shape = w.shape([w.mapped(map)], 'MappedRepresentation');
      w.product('IFCCOLUMN', { name: `c${k}`, placement: w.placement([6000 * k, 0, 0]), shape, more: '$' });
    }
    const file = await read(w.text());
    expect(file.meshes).toHaveLength(1);
    expect(file.nodes.map(({ mesh }) => mesh)).toEqual(Array(10).fill(0));
    expect(measured(file, 'c7')).toMatchObject({ low: [41850, -150, 0], high: [42150, 150, 3000] });
  });

  test('maps scale and mirror, and triangles go on facing outward', async () => {
    const w = ifcWriter();
    const map = w.map([w.box([10, 20, 30], [5, 10, 15])]);
    const direction = (d: string) => w.add(`IFCDIRECTION((${d}))`);
    const [x, z] = [direction('-1.,0.,0.'), direction('0.,0.,1.')];
    const mirror = `IFCCARTESIANTRANSFORMATIONOPERATOR3D(${x},${direction('0.,1.,0.')},${w.point([0, 0, 0])},2.,${z})`;
    for (const [name, count] of [
      ['once', 1],
      ['twice', 2],
    ] as const) {
      const operator = w.add(mirror);
      const items = Array.from({ length: count }, () => w.add(`IFCMAPPEDITEM(${map},${operator})`));
      const shape = w.shape(items, 'MappedRepresentation');
      w.product('IFCDOOR', { name, placement: w.placement([0, 0, 0]), shape, more: '$,$,$,$,$' });
    }
    const file = await read(w.text());
    expect(determinantOf(file.nodes[0].matrix)).toBe(-8);
    expect(measured(file, 'once')).toMatchObject({ low: [-20, 0, 0], high: [0, 40, 60], volume: 48000, open: 0 });
    expect(measured(file, 'twice')).toMatchObject({ low: [-20, 0, 0], high: [0, 40, 60], volume: 96000, open: 0 });
  });
});

describe('what its solids are', () => {
  test.each(['IFC2X3', 'IFC4', 'IFC4X3_ADD2'])(
    '%s: a wall with an opening, faces as they stand',
    { tags: ['all'] },
    async (schema) => {
      const w = ifcWriter({ schema });
      const placement = w.placement([1000, 200, 0]);
      const wall = boxElement(w, 'wall', [3000, 200, 2800], w.placement([1000, 200, 1400]));
      const shape = w.shape([w.box([900, 400, 2100], [0, 0, 1150])]);
      w.voids(
        wall,
        w.product('IFCOPENINGELEMENT', { name: 'hole', placement, shape, more: schema === 'IFC2X3' ? '' : '$' }),
      );
      const cube = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2]);
      const faces = ['0231', '4576', '0154', '1375', '3267', '2046'].map((face) => [...face].map(Number));
      const brep = w.shape([w.solid(cube, faces)], 'Tessellation');
      w.product('IFCSLAB', { name: 'cube', placement: w.placement([5, 6, 7]), shape: brep, more: '.FLOOR.' });
      const file = await read(w.text());
      expect(file.warnings).toEqual(['1 IfcOpeningElement left out']);
      const { volume, ...rest } = measured(file, 'wall');
      expect(rest).toEqual({ low: [-500, 100, 0], high: [2500, 300, 2800], open: 0 });
      expect(volume).toBeCloseTo(200 * (3000 * 2800 - 900 * 2100), 3);
      expect(measured(file, 'cube')).toMatchObject({ low: [5, 6, 7], high: [6, 7, 8], open: 0 });
    },
  );

  test('each kind of solid is closed and has its volume', { tags: ['all'] }, async () => {
    const { text, solids } = ifcZoo();
    const file = await read(text);
    expect(file.warnings).toEqual([]);
    expect(file.nodes).toHaveLength(solids.length);
    for (const { name, volume } of solids) {
      const found = measured(file, name);
      expect([name, found.open]).toEqual([name, 0]);
      if (volume !== null) expect([name, Math.abs(found.volume / volume - 1) < 1e-8]).toEqual([name, true]);
      else expect(found.volume).toBeGreaterThan(0);
    }
  });

  test.each([0, 4e9])(
    'walls turned any way, %i mm away, are closed around their openings (seed 3)',
    { tags: ['all'] },
    async (away) => {
      const random = seeded(3);
      const w = ifcWriter();
      const areas: number[] = [];
      for (let k = 0; k < 20; k++) {
        const at = [away + random.between(-1e5, 1e5), away + random.between(-1e5, 1e5), random.between(0, 3e4)];
        const angle = random.between(0, 6.28);
        const placement = w.placement(at, undefined, [0, 0, 1], [Math.cos(angle), Math.sin(angle), 0]);
        const [length, height] = [random.between(4000, 9000), random.between(2000, 4000)];
        const wall = boxElement(w, `${k}`, [length, 200, height], placement);
        areas.push(length * height);
        for (let hole = 0; hole <= random.below(3); hole++) {
          const size = [random.between(300, 1000), 400, random.between(300, 1500)];
          const inner = w.placement([1200 * hole + 700 - length / 2, 0, random.between(-200, 200)], placement);
          const opening = { placement: inner, shape: w.shape([w.box(size)]), more: '$' };
          w.voids(wall, w.product('IFCOPENINGELEMENT', opening));
          areas[k] -= size[0] * size[2];
        }
      }
      const file = await read(w.text());
      expect(file.warnings).toHaveLength(1);
      for (const [k, area] of areas.entries()) {
        // About its own origin, or the volume would be lost in cubes of the distance.
        const matrix = identity();
        const { volume, open } = ofNode({ ...file, nodes: [{ ...file.nodes[k], matrix }] }, 0);
        expect([k, open, Math.abs(volume / (200 * area) - 1) < 1e-8]).toEqual([k, 0, true]);
      }
    },
  );

  test.each([50, 200, 500, 20_000])('a circle of %i mm: corners by the tolerance, on it and on its axes', async (r) => {
    const w = ifcWriter();
    const centre = w.add(`IFCAXIS2PLACEMENT2D(${w.point([0, 0])},$)`);
    const solid = w.extruded(w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,${centre},${r}.)`), [0, 0, 0], 1000);
    w.product('IFCCOLUMN', { name: 'round', placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
    const file = await read(w.text());
    const { low, high, volume, open } = measured(file, 'round');
    const n = corners(r);
    expect(file.meshes[0].mesh.positions).toHaveLength(2 * n * 3);
    expect({ low: low.map(Math.round), high, open }).toEqual({ low: [-r, -r, 0], high: [r, r, 1000], open: 0 });
    expect(volume / ((n / 2) * Math.sin((2 * Math.PI) / n) * r * r * 1000)).toBeCloseTo(1, 9);
  });

  test('the same file gives the same numbers, whatever was read before', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const wall = boxElement(w, 'wall', [3000, 200, 2800], w.placement([1, 2, 3], undefined, [0, 0, 1], [3, 4, 0]));
    const shape = w.shape([w.box([900, 400, 1100])]);
    w.voids(wall, w.product('IFCOPENINGELEMENT', { placement: w.placement([7, 8, 9]), shape, more: '$' }));
    const first = await read(w.text());
    const other = ifcWriter({ unit: 'ft' });
    boxElement(other, 'other', [1, 2, 3]);
    await read(other.text());
    expect(await read(w.text())).toEqual(first);
  });
});
