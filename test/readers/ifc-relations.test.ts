/** Relations of IFC: what belongs together, storeys, types, materials; what is left out. */
import { describe, expect, test } from 'vitest';
import { type ReadMeshFile, type ReadMeshOptions, readMeshFile } from '../../src/readers/formats.ts';
import { Relations } from '../../src/readers/ifc/relations.ts';
import { indexRecords } from '../../src/readers/ifc/step-records.ts';
import { scanStep } from '../../src/readers/ifc/step-scanner.ts';
import type { IfcFacts } from '../../src/readers/mesh-file.ts';
import { measured as ofNode } from '../support/file-measures.ts';
import { type IfcWriter, ifcWriter } from '../support/ifc.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

const read = (w: IfcWriter, options: ReadMeshOptions = {}): Promise<ReadMeshFile> =>
  readMeshFile(new TextEncoder().encode(w.text()), { open: () => expect.unreachable('no file'), ...options });

const MORE: Record<string, string> = { IFCDOOR: '$,$,$,$,$', IFCWINDOW: '$,$,$,$,$', IFCSPACE: '.ELEMENT.,$,$' };

/** An element of a box; or without a shape. */
function element(w: IfcWriter, name: string, kind = 'IFCWALL', hasShape = true): string {
  const shape = hasShape ? w.shape([w.box([1, 1, 1])]) : '$';
  return w.product(kind, { name, placement: w.placement([0, 0, 0]), shape, more: MORE[kind] ?? '$' });
}

const aggregates = (w: IfcWriter, whole: string, parts: string[]) => w.relate('IFCRELAGGREGATES', whole, parts);

/** An opening of a host, with what fills it. */
function opened(w: IfcWriter, host: string, fillings: string[]): string {
  // Far off, so that it takes nothing away.
  const [placement, shape] = [w.placement([100, 0, 0]), w.shape([w.box([1, 1, 1])])];
  const opening = w.product('IFCOPENINGELEMENT', { name: 'hole', placement, shape, more: '$' });
  w.voids(host, opening);
  for (const filling of fillings) w.relate('IFCRELFILLSELEMENT', opening, filling);
  return opening;
}

/** Without web-ifc, which recurses on rings. */
function relationsIn(text: string): { all: Relations; recordOf(id: string): number } {
  const file = scanStep(new TextEncoder().encode(text), {});
  const recordOf = indexRecords(file);
  return { all: new Relations(file, recordOf), recordOf: (id) => recordOf(Number(id.slice(1))) };
}

const nameOf = (name: string): string => name.split('/')[1];

/** Pairs of names, sorted: `part < whole: why`. */
const relatedIn = ({ nodes }: ReadMeshFile): string[] =>
  nodes
    .flatMap(({ name, related = [] }) =>
      related.map(({ node, why }) => `${[nameOf(name), nameOf(nodes[node].name)].sort().join(' ')}: ${why}`),
    )
    .sort();

const factsOf = (file: ReadMeshFile, name: string): Omit<IfcFacts, 'kinds'> & { kinds?: IfcFacts['kinds'] } => {
  const { kinds: _, ...facts } = file.nodes.find((node) => nameOf(node.name) === name)!.ifc!;
  return facts;
};

describe('what belongs together', () => {
  test('a whole and its parts at any depth; parts of one whole do not', async () => {
    const w = ifcWriter();
    const [wall, a, b, inner] = ['wall', 'a', 'b', 'inner'].map((name) => element(w, name));
    aggregates(w, wall, [a, b]);
    aggregates(w, a, [inner]);
    const why = 'a whole and its part';
    expect(relatedIn(await read(w))).toEqual([
      `a inner: ${why}`,
      `a wall: ${why}`,
      `b wall: ${why}`,
      `inner wall: ${why}`,
    ]);
  });

  test('a whole without a shape passes on what it belongs to', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const [wall, part] = [element(w, 'wall'), element(w, 'part')];
    const between = element(w, 'between', 'IFCELEMENTASSEMBLY', false);
    aggregates(w, wall, [between]);
    aggregates(w, between, [part]);
    expect(relatedIn(await read(w))).toEqual(['part wall: a whole and its part']);
  });

  test('a wall and its projection', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const [wall, other, pier] = [element(w, 'wall'), element(w, 'other'), element(w, 'pier', 'IFCPROJECTIONELEMENT')];
    w.relate('IFCRELPROJECTSELEMENT', wall, pier);
    expect(relatedIn(await read(w))).toEqual(['pier wall: an element and its projection']);
    expect(other).toBeDefined();
  });

  test('an element, its parts and its whole, and what fills its opening, with parts', async () => {
    const w = ifcWriter();
    const names = ['hall', 'wall', 'sibling', 'layer', 'door', 'leaf', 'twin'];
    const [hall, wall, sibling, layer, door, leaf, twin] = names.map((name) => element(w, name));
    aggregates(w, hall, [wall, sibling]);
    aggregates(w, wall, [layer]);
    aggregates(w, door, [leaf]);
    opened(w, wall, [door]);
    opened(w, wall, [twin]);
    const found = relatedIn(await read(w)).filter((line) => line.endsWith('the filling of an opening'));
    expect(found.map((line) => line.split(':')[0])).toEqual([
      ...['door hall', 'door layer', 'door wall'],
      ...['hall leaf', 'hall twin', 'layer leaf', 'layer twin'],
      ...['leaf wall', 'twin wall'],
    ]);
  });

  test('what an element carries (IfcRelNests) is no part of it, and stands on its storey', {
    tags: ['all'],
  }, async () => {
    const w = ifcWriter();
    const [sink, tap] = [element(w, 'sink', 'IFCSANITARYTERMINAL'), element(w, 'tap', 'IFCVALVE')];
    const storey = w.product('IFCBUILDINGSTOREY', { name: 'L2', placement: w.placement([0, 0, 0]) });
    w.relate('IFCRELNESTS', sink, [tap]);
    w.relate('IFCRELCONTAINEDINSPATIALSTRUCTURE', [sink], storey);
    const file = await read(w);
    expect(relatedIn(file)).toEqual([]);
    expect(factsOf(file, 'tap').storey).toBe('L2');
  });

  test('openings that are read belong to their element and their fillings', { tags: ['all'] }, async () => {
    const w = ifcWriter();
    const [wall, door] = [element(w, 'wall'), element(w, 'door', 'IFCDOOR')];
    opened(w, wall, [door]);
    expect(relatedIn(await read(w, { include: ['IfcOpeningElement'] }))).toEqual([
      'door hole: an element and the filling of an opening',
      'door wall: an element and the filling of an opening',
      'hole wall: an element and its opening',
    ]);
  });

  test('rings, relations of nothing and of themselves end, and say nothing', () => {
    const w = ifcWriter();
    const [a, b] = ['a', 'b'].map((name) => element(w, name));
    w.relate('IFCRELPROJECTSELEMENT', b, b);
    for (const kind of ['IFCRELFILLSELEMENT', 'IFCRELPROJECTSELEMENT']) w.relate(kind, '$', a);
    w.relate('IFCRELAGGREGATES', a, ['#999999', '$', "'text'"]);
    w.relate('IFCRELCONTAINEDINSPATIALSTRUCTURE', a, '#999998');
    w.relate('IFCRELDEFINESBYTYPE', '$', "'text'");
    w.add('IFCRELFILLSELEMENT()');
    w.relate('IFCRELPROJECTSELEMENT', a, b);
    w.relate('IFCRELPROJECTSELEMENT', b, a);
    const material = w.add('IFCMATERIALLIST((#900,#900))');
    w.relate('IFCRELASSOCIATESMATERIAL', [a], material);
    const relations = relationsIn(w.text().replaceAll('#900', material));
    const shown = [a, b].map((id, node) => ({ record: relations.recordOf(id), node, isClearance: false }));
    expect([...relations.all.related(shown)]).toEqual([[0, [{ node: 1, why: 'an element and its projection' }]]]);
    const kinds = { own: ['IfcWall'], above: [] };
    expect(relations.all.factsOf(shown[0].record, kinds)).toEqual({ class: 'IfcWall', kinds });
  });

  test.each(some(1, [1, 2, 3, 4]))(
    'as the closure of the relations has it, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const random = seeded(seed);
      for (let round = 0; round < (long ? 20 : 5); round++) {
        const w = ifcWriter();
        const count = 12;
        const ids = Array.from({ length: count }, (_, n) => element(w, `e${n}`));
        const [parts, fills]: [number[][], number[][]] = [[], []];
        for (let k = 0; k < 9; k++) {
          const [p, q] = [random.below(count), random.below(count)];
          // Parts come after their wholes, fillings after their hosts.
          if (p === q) continue;
          const [one, other] = [Math.min(p, q), Math.max(p, q)];
          if (random.below(3) > 0) {
            parts.push([one, other]);
            aggregates(w, ids[one], [ids[other]]);
          } else {
            fills.push([one, other]);
            opened(w, ids[one], [ids[other]]);
          }
        }
        const expected = closureOf(count, parts, fills);
        const found = relatedIn(await read(w))
          .map((line) => line.split(':')[0])
          .sort();
        expect(found).toEqual(expected);
      }
    },
  );

  test.runIf(countsSteps)('steps grow with the relations, not with their square', { tags: ['all'] }, () => {
    const stepsFor = (count: number): number => {
      const w = ifcWriter();
      const [wall, ...others] = Array.from({ length: count }, (_, n) => element(w, `e${n}`, 'IFCWALL', false));
      aggregates(w, wall, others);
      opened(w, wall, others.slice(0, 5));
      for (let n = 1; n < others.length; n++) w.relate('IFCRELNESTS', others[n - 1], [others[n]]);
      const text = w.text();
      return stepsOf(() => {
        const { all: relations, recordOf } = relationsIn(text);
        const records = [wall, ...others].map(recordOf);
        for (const record of records) relations.factsOf(record, { own: ['IfcWall'], above: [] });
        relations.related(records.map((record, node) => ({ record, node, isClearance: false })));
      });
    };
    expect(stepsFor(2000) / stepsFor(500)).toBeLessThan(5);
  });
});

/** By a matrix: x belongs to y as part or filling, at any depth; a filling also to parts of y. */
function closureOf(count: number, parts: readonly number[][], fills: readonly number[][]): string[] {
  const matrix = (pairs: readonly number[][]): boolean[][] => {
    const m = Array.from({ length: count }, (_, i) => Array.from({ length: count }, (_, j) => i === j));
    for (const [one, other] of pairs) m[other][one] = true;
    for (let k = 0; k < count; k++)
      for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) m[i][j] ||= m[i][k] && m[k][j];
    return m;
  };
  const [isPart, belongs] = [matrix(parts), matrix([...parts, ...fills])];
  const found: string[] = [];
  for (let x = 0; x < count; x++) {
    for (let y = 0; y < x; y++) {
      const fillsPartOf = (p: number, q: number): boolean =>
        fills.some(([host, filling]) => belongs[p][filling] && isPart[q][host]);
      if (belongs[x][y] || belongs[y][x] || fillsPartOf(x, y) || fillsPartOf(y, x))
        found.push([`e${x}`, `e${y}`].sort().join(' '));
    }
  }
  return found.sort();
}

describe('what IFC says about an element', () => {
  test('its storey: by containment, by a space, by its whole, by the opening it fills', async () => {
    const w = ifcWriter();
    const at = () => w.placement([0, 0, 0]);
    const building = w.product('IFCBUILDING', { name: 'B', placement: at() });
    const storeys = ['L1', 'L2'].map((name) => w.product('IFCBUILDINGSTOREY', { name, placement: at() }));
    const room = w.product('IFCSPACE', { name: 'room', placement: at(), more: '.ELEMENT.,$,$' });
    aggregates(w, building, storeys);
    aggregates(w, storeys[1], [room]);
    const names = ['direct', 'chair', 'stair', 'flight', 'door', 'outside', 'nowhere'];
    const [direct, chair, stair, flight, door, outside] = names.map((name) => element(w, name));
    const inside = (elements: string[], where: string) =>
      w.relate('IFCRELCONTAINEDINSPATIALSTRUCTURE', elements, where);
    inside([direct, stair], storeys[0]);
    inside([chair], room);
    inside([outside], building);
    aggregates(w, stair, [flight]);
    opened(w, direct, [door]);
    const file = await read(w);
    expect(Object.fromEntries(names.map((name) => [name, factsOf(file, name).storey]))).toEqual({
      ...{ direct: 'L1', chair: 'L2', stair: 'L1', flight: 'L1', door: 'L1' },
      ...{ outside: undefined, nowhere: undefined },
    });
  });

  test('its type; the class that the type is made for, and the classes above', { tags: ['all'] }, async () => {
    const w = ifcWriter({ schema: 'IFC2X3' });
    const shape = w.shape([w.box([1, 1, 1])]);
    const pipe = w.product('IFCFLOWSEGMENT', { name: 'pipe', placement: w.placement([0, 0, 0]), shape });
    const wall = w.product('IFCWALLSTANDARDCASE', { name: 'wall', placement: w.placement([0, 0, 0]), shape });
    const typeOf = (kind: string, name: string) => w.add(`${kind}('1234567890123456789012',$,'${name}',$,$,$,$,$,$,$)`);
    w.relate('IFCRELDEFINESBYTYPE', [pipe], typeOf('IFCPIPESEGMENTTYPE', 'DN 50'));
    w.relate('IFCRELDEFINESBYTYPE', [wall], typeOf('IFCWALLTYPE', 'W 200'));
    const { nodes } = await read(w);
    expect(nodes.map(({ ifc }) => [ifc!.class, ifc!.type, ifc!.kinds.own])).toEqual([
      ['IfcFlowSegment', 'DN 50', ['IfcFlowSegment', 'IfcPipeSegment']],
      ['IfcWallStandardCase', 'W 200', ['IfcWallStandardCase', 'IfcWall']],
    ]);
    expect(nodes[1].ifc!.kinds.above).toEqual(expect.arrayContaining(['IfcWall', 'IfcBuildingElement', 'IfcElement']));
  });

  test('its materials, in every way that IFC has; those of its type where it has none', async () => {
    const w = ifcWriter();
    const material = (name: string) => w.add(`IFCMATERIAL('${name}',$,$)`);
    const layer = (name: string) => w.add(`IFCMATERIALLAYER(${material(name)},10.,$,$,$,$,$)`);
    const layers = w.add(`IFCMATERIALLAYERSET((${layer('brick')},${layer('wool')}),'W1',$)`);
    const profile = w.add(`IFCMATERIALPROFILE('p',$,${material('steel')},$,$,$)`);
    const profiles = w.add(`IFCMATERIALPROFILESET('s',$,(${profile}),$)`);
    const constituent = w.add(`IFCMATERIALCONSTITUENT('c',$,${material('glass')},$,$)`);
    const made: Record<string, [string, string[]]> = {
      plain: [material('oak'), ['oak']],
      list: [w.add(`IFCMATERIALLIST((${material('tin')},${material('zinc')},${material('tin')}))`), ['tin', 'zinc']],
      layer: [layer('lime'), ['lime']],
      layers: [layers, ['brick', 'wool']],
      layerUsage: [w.add(`IFCMATERIALLAYERSETUSAGE(${layers},.AXIS2.,.POSITIVE.,0.,$)`), ['brick', 'wool']],
      profiles: [profiles, ['steel']],
      profileUsage: [w.add(`IFCMATERIALPROFILESETUSAGE(${profiles},5,$)`), ['steel']],
      constituents: [w.add(`IFCMATERIALCONSTITUENTSET('k',$,(${constituent}))`), ['glass']],
    };
    for (const [name, [from]] of Object.entries(made)) w.relate('IFCRELASSOCIATESMATERIAL', [element(w, name)], from);
    const type = w.add("IFCWALLTYPE('1234567890123456789012',$,'T',$,$,$,$,$,$,.STANDARD.)");
    const [typed, both] = [element(w, 'typed'), element(w, 'both')];
    w.relate('IFCRELDEFINESBYTYPE', [typed, both], type);
    w.relate('IFCRELASSOCIATESMATERIAL', [type], material('clay'));
    w.relate('IFCRELASSOCIATESMATERIAL', [both], material('sand'));
    // An example file of buildingSMART has one like this.
    w.relate('IFCRELASSOCIATESMATERIAL', '$', material('lost'));
    const file = await read(w);
    for (const [name, [, names]] of Object.entries(made)) expect(factsOf(file, name).material, name).toEqual(names);
    expect(factsOf(file, 'typed')).toEqual({ class: 'IfcWall', type: 'T', material: ['clay'] });
    expect(factsOf(file, 'both').material).toEqual(['sand']);
  });
});

describe('what is left out by rule', () => {
  const KINDS = ['IFCSITE', 'IFCBUILDING', 'IFCBUILDINGSTOREY', 'IFCSPACE', 'IFCSPATIALZONE'];

  function building(): IfcWriter {
    const w = ifcWriter();
    element(w, 'wall');
    for (const kind of KINDS) element(w, kind.toLowerCase(), kind);
    // Most files have these without a shape.
    w.product('IFCSITE', { name: 'bare', placement: w.placement([0, 0, 0]) });
    const context = w.add("IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#4,$)");
    const shown = (identifier: string, size: number[], centre: number[]) =>
      w.add(`IFCSHAPEREPRESENTATION(${context},'${identifier}','SweptSolid',(${w.box(size, centre)}))`);
    const shape = `(${shown('Body', [1, 1, 1], [0, 0, 0])},${shown('Clearance', [1, 4, 2], [0, 2.5, 0])})`;
    const door = { placement: w.placement([10, 0, 0]), shape: w.add(`IFCPRODUCTDEFINITIONSHAPE($,$,${shape})`) };
    w.product('IFCDOOR', { name: 'door', ...door, more: '$,$,$,$,$' });
    return w;
  }

  test('sites, buildings, storeys, spaces, zones and clearances, counted and listed', async () => {
    const { nodes, notes, warnings } = await read(building());
    expect(nodes.map(({ kind }) => kind)).toEqual(['IfcWall', 'IfcDoor']);
    expect(warnings).toEqual([
      '1 Clearance, 1 IfcBuilding, 1 IfcBuildingStorey, 1 IfcSite, 1 IfcSpace and 1 IfcSpatialZone left out',
    ]);
    const left = notes.filter(({ kind }) => kind === 'left out').map(({ element }) => element!.split('/')[0]);
    expect(left.sort()).toEqual([
      ...['Clearance', 'IfcBuilding', 'IfcBuildingStorey', 'IfcSite', 'IfcSpace', 'IfcSpatialZone'],
    ]);
  });

  test.each([
    ['IfcSpace', ['IfcSpace']],
    ['ifcs*', ['IfcSite', 'IfcSpace', 'IfcSpatialZone']],
    ['IfcWall', []],
  ])('include %s brings in %j', { tags: ['all'] }, async (pattern, kinds) => {
    const { nodes } = await read(building(), { include: [pattern] });
    expect(nodes.map(({ kind }) => kind).sort()).toEqual(['IfcDoor', ...kinds, 'IfcWall'].sort());
  });

  test('a clearance is an object of its own, where its element is, and belongs to that', async () => {
    const file = await read(building(), { include: ['Clearance'] });
    const n = file.nodes.findIndex(({ kind }) => kind === 'Clearance');
    expect(file.nodes[n].name.split('/').slice(0, 2)).toEqual(['Clearance', 'door']);
    expect(ofNode(file, n)).toMatchObject({ low: [9.5, 0.5, -1], high: [10.5, 4.5, 1], open: 0 });
    const door = file.nodes.findIndex(({ kind }) => kind === 'IfcDoor');
    expect(ofNode(file, door)).toMatchObject({ low: [9.5, -0.5, -0.5], high: [10.5, 0.5, 0.5] });
    expect(relatedIn(file)).toEqual(['door door: an element and its clearance']);
    expect(file.nodes[n].ifc).toEqual({ class: 'Clearance', kinds: { own: ['Clearance'], above: [] } });
  });
});

const SEED = 20261128;

/** What stands in relations' places: references, lists, nothing, words. */
const VALUES = ['$', '*', '()', "'x'", '.T.', '7.', '(#1,#2)', '($)', 'IFCLABEL((#3))', '#999'];

test(`relations with anything in them are read or refused in one line, seed ${SEED}`, { tags: ['all', 'long'] }, () => {
  const random = seeded(SEED);
  const w = ifcWriter();
  const ids = Array.from({ length: 6 }, (_, n) => element(w, `e${n}`));
  const [a, b, c, d, e, storey] = ids;
  aggregates(w, a, [b, c]);
  w.relate('IFCRELPROJECTSELEMENT', b, d);
  w.relate('IFCRELNESTS', c, [e]);
  opened(w, a, [e, d]);
  w.relate('IFCRELCONTAINEDINSPATIALSTRUCTURE', [a, e], storey);
  const layer = w.add(`IFCMATERIALLAYER(${w.add("IFCMATERIAL('m',$,$)")},1.,$)`);
  w.relate('IFCRELASSOCIATESMATERIAL', [a, b], w.add(`IFCMATERIALLAYERSET((${layer}),'s',$)`));
  w.relate('IFCRELDEFINESBYTYPE', [a, c], w.add("IFCWALLTYPE('1',$,'T',$,$,$,$,$,$,$)"));
  const text = w.text().replaceAll('IFCBUILDINGSTOREY', 'IFCWALL');
  const lines = text.split('\n');
  const own = lines.flatMap((line, n) => (/=IFC(REL|MATERIAL|WALLTYPE)/.test(line) ? [n] : []));
  for (let k = 0; k < (long ? 20_000 : 400); k++) {
    const changed = [...lines];
    for (let times = 1 + random.below(3); times > 0; times--) {
      const n = random.pick(own);
      const [head, list] = [
        changed[n].slice(0, changed[n].indexOf('(')),
        changed[n].slice(changed[n].indexOf('(') + 1, -2),
      ];
      const parts = list.split(/,(?![^()]*\))/);
      const value = random.below(2) === 0 ? random.pick(ids) : random.pick(VALUES);
      if (random.below(6) === 0) parts.splice(random.below(parts.length));
      else parts[random.below(parts.length)] = random.below(3) === 0 ? `(${value},${random.pick(ids)})` : value;
      changed[n] = `${head}(${parts.join(',')});`;
    }
    const { all, recordOf } = relationsIn(changed.join('\n'));
    const shown = ids.map((id, node) => ({ record: recordOf(id), node, isClearance: random.below(5) === 0 }));
    const related = all.related(shown);
    const pairs = [...related].flatMap(([from, list]) => list.map(({ node }) => [from, node].sort().join()));
    expect(new Set(pairs).size).toBe(pairs.length);
    expect(pairs.every((pair) => pair[0] !== pair[2])).toBe(true);
    for (const { record } of shown) {
      const { type = '', storey: at = '', material = [] } = all.factsOf(record, { own: ['IfcWall'], above: [] });
      for (const name of [type, at, ...material]) expect(typeof name).toBe('string');
    }
  }
});
