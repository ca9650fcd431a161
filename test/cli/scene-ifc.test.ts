/** `gicollide scene` of IFC: what belongs together, sides and groups, what is left out. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { ifcWriter } from '../support/ifc.ts';
import { boxText } from '../support/shapes.ts';

/**
 * A wall on L1 with a part inside and a door through it; a room about all; pipes on L1 and L2, of
 * which each goes through the wall.
 */
function house(): string {
  const w = ifcWriter();
  const at = (x = 0, y = 0): string => w.placement([x, y, 0]);
  const box = (size: number[]): string => w.shape([w.box(size)]);
  const storeys = ['L1', 'L2'].map((name) => w.product('IFCBUILDINGSTOREY', { name, placement: at() }));
  const element = (kind: string, name: string, size: number[], placement: string, more = '$'): string =>
    w.product(kind, { name, placement, shape: box(size), more });
  const wall = element('IFCWALLSTANDARDCASE', 'wall', [100, 10, 40], at());
  const part = element('IFCBUILDINGELEMENTPART', 'part', [100, 6, 40], at(), '$,$');
  const door = element('IFCDOOR', 'door', [10, 20, 20], at(30), '$,$,$,$,$');
  const opening = element('IFCOPENINGELEMENT', 'hole', [8, 20, 18], at(30));
  const pipes = [-20, -40].map((x, n) => element('IFCPIPESEGMENT', `pipe-${n + 1}`, [2, 50, 2], at(x)));
  const room = element('IFCSPACE', 'room', [300, 300, 300], at(), '.ELEMENT.,$,$');
  w.relate('IFCRELAGGREGATES', wall, [part]);
  w.relate('IFCRELAGGREGATES', storeys[0], [room]);
  w.voids(wall, opening);
  w.relate('IFCRELFILLSELEMENT', opening, door);
  for (const [n, storey] of storeys.entries())
    w.relate('IFCRELCONTAINEDINSPATIALSTRUCTURE', n === 0 ? [wall, door, pipes[0]] : [pipes[1]], storey);
  w.relate('IFCRELASSOCIATESMATERIAL', pipes, w.add("IFCMATERIAL('copper',$,$)"));
  return w.text();
}

let cwd: string;
beforeAll(() => {
  cwd = makeFolder();
  writeFileSync(join(cwd, 'house.ifc'), house());
  writeFileSync(join(cwd, 'box.obj'), boxText('box', 1000));
});

/** Pairs of names, of all findings: `door wall`. */
async function found(args: string[], exit = 1): Promise<string[]> {
  const { code, stdout, stderr } = await run(['scene', ...args, '--json'], { cwd });
  expect(code, stderr).toBe(exit);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const nameOf = ({ name }: { name: string }): string => /(?:Ifc\w+|Clearance)\/([^/]*)/.exec(name)?.[1] ?? name;
  return lines.flatMap(({ type, a, b }) => (type === 'finding' ? [`${nameOf(a)} ${nameOf(b)}`] : [])).sort();
}

const sorted = (...pairs: string[]): string[] => pairs.map((pair) => pair.split(' ').sort().join(' ')).sort();
const pairsOf = async (args: string[], exit?: number): Promise<string[]> => sorted(...(await found(args, exit)));

const CLASHES = sorted('pipe-1 wall', 'pipe-2 wall', 'pipe-1 part', 'pipe-2 part');
const TOGETHER = sorted('part wall', 'door part', 'door wall');

describe('what belongs together', () => {
  test('is allowed, counted, and listed with --verbose', async () => {
    const { code, stdout, stderr } = await run(['scene', 'house.ifc', '--verbose'], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain('6 objects: 5 checked, 1 left out by rule\n');
    expect(stdout).toMatch(/, 3 pairs of IFC elements that belong together allowed, /);
    const listed = stderr.split('\n').filter((line) => line.includes('allowed  '));
    expect(listed.map((line) => line.replace(/^.*: /, '')).sort()).toEqual([
      ...['a whole and its part', 'an element and the filling of an opening'],
      'an element and the filling of an opening',
    ]);
    expect(await pairsOf(['house.ifc'])).toEqual(CLASHES);
  });

  test('--ifc-relations check finds it, too', { tags: ['all'] }, async () => {
    expect(await pairsOf(['house.ifc', '--ifc-relations', 'check'])).toEqual([...CLASHES, ...TOGETHER].sort());
  });

  test('only within one instance of a file', { tags: ['all'] }, async () => {
    const scene = {
      ...{ gicollide: 'scene/1', assets: { house: { file: 'house.ifc', split: 'elements' } } },
      instances: [
        { name: 'A', asset: 'house' },
        { name: 'B', asset: 'house' },
      ],
      rules: [{ id: 'parts in walls', a: 'B/*part*', b: 'A/*/wall/*' }],
    };
    writeFileSync(join(cwd, 'twice.scene.json'), JSON.stringify(scene));
    expect(await found(['twice.scene.json'])).toEqual(['wall part']);
  });

  test('in frames, too', { tags: ['all'] }, async () => {
    const scene = {
      ...{ gicollide: 'scene/1', assets: { house: { file: 'house.ifc', split: 'elements' } } },
      ...{ instances: [{ name: 'A', asset: 'house' }], frames: [{ poses: {} }] },
    };
    writeFileSync(join(cwd, 'frames.scene.json'), JSON.stringify(scene));
    const { stdout } = await run(['scene', 'frames.scene.json'], { cwd });
    expect(stdout).toMatch(
      /: 4 pairs in contact, .*, 3 pairs of IFC elements that belong together allowed, .*\n(?:.*\n)*.*, 3 allowed\n$/,
    );
  });

  test('shards of it are the one run', { tags: ['all'] }, async () => {
    const args = ['scene', 'house.ifc', '--a', 'ifc:class=IfcWall', '--allow', 'ifc:class=IfcPipe*,storey=L2,*'];
    for (const n of [1, 2]) await run([...args, '--shard', `${n}/2`, '--report', 'blob=found'], { cwd });
    const untimed = (text: string): string => text.replace(/"ms":\{[^}]*\}/, '').replace(/, [\d.]+ s$/m, '');
    for (const more of [[], ['--json'], ['--verbose']]) {
      const [one, merged] = [await run([...args, ...more], { cwd }), await run(['merge', 'found', ...more], { cwd })];
      expect(untimed(merged.stdout)).toBe(untimed(one.stdout));
      const told = one.stderr.replace(/^.*left out by rule: .*\n/m, '');
      expect([merged.code, merged.stderr]).toEqual([one.code, told]);
    }
  });
});

describe('choices by what IFC says', () => {
  test.each<[string, string[], string[]]>([
    ['class and storey', ['--a', 'ifc:class=IfcPipe*,storey=L2'], sorted('pipe-2 wall', 'pipe-2 part')],
    ['both sides', ['--a', 'ifc:storey=L1', '--b', 'ifc:material=cop*'], CLASHES],
    ['a class above', ['--b', 'ifc:class=IfcWall'], sorted('pipe-1 wall', 'pipe-2 wall')],
    ['with names', ['--a', '*/part/*', '--b', '*/pipe-1/*', '--b', '*/pipe-2/*'], sorted('pipe-1 part', 'pipe-2 part')],
    [
      'allowed',
      ['--allow', 'ifc:class=IfcPipe*,storey=L2,ifc:class=IfcWall'],
      CLASHES.filter((p) => p !== 'pipe-2 wall'),
    ],
  ])('on the command line: %s', { tags: ['all'] }, async (_, args, expected) => {
    expect(await pairsOf(['house.ifc', ...args])).toEqual(expected);
  });

  test('in a scene file, where an object that is not of IFC matches none', { tags: ['all'] }, async () => {
    const scene = {
      gicollide: 'scene/1',
      units: 'mm',
      assets: { house: { file: 'house.ifc', split: 'elements' }, box: 'box.obj' },
      instances: [
        { name: 'house', asset: 'house' },
        { name: 'box', asset: 'box' },
      ],
      groups: { structure: [{ ifc: { class: 'IfcWall' } }] },
      rules: [{ id: 'pipes', a: { ifc: { class: 'IfcPipe*', storey: 'L2' } }, b: 'structure' }],
    };
    writeFileSync(join(cwd, 'house.scene.json'), JSON.stringify(scene));
    expect(await pairsOf(['house.scene.json'])).toEqual(['pipe-2 wall']);
  });

  test.each<[string[], RegExp | string]>([
    [
      ['house.ifc', '--a', 'ifc:class=IfcPip'],
      /^house\.ifc: a: "ifc:class=IfcPip" matches no object: no object has such a class/,
    ],
    [
      ['box.obj', 'house.ifc', '--units', 'mm', '--b', 'ifc:storey=L3'],
      /"ifc:storey=L3" matches no object: no object has such a storey/,
    ],
    [
      ['house.ifc', '--include', 'IfcSpce'],
      '--include: "IfcSpce" is the class of no element; did you mean "IfcSpace"?',
    ],
    [
      ['house.ifc', '--a', 'ifc:clas=IfcWall'],
      /Expected class=, type=, storey=, material= once each, with a pattern, found ifc:clas=IfcWall\./,
    ],
    [['house.ifc', '--allow', 'ifc:storey=L1'], /Expected two names or patterns: a,b\./],
  ])('%j is refused', { tags: ['all'] }, async (args, problem) => {
    const { code, stderr } = await run(['scene', ...args], { cwd });
    expect(code).toBe(2);
    const [last, ...others] = stderr.trim().split('\n').reverse();
    expect(last.replace(/^\S+: /, '')).toMatch(problem);
    expect(others.filter((line) => !line.includes('left out'))).toEqual([]);
  });

  test('a wrong choice in a scene file is refused by its place', { tags: ['all'] }, async () => {
    const scene = (a: object): string =>
      JSON.stringify({
        ...{ gicollide: 'scene/1', assets: { h: 'house.ifc' }, instances: [{ name: 'h', asset: 'h' }] },
        rules: [{ id: 'x', a, b: '*' }],
      });
    for (const [a, problem] of [
      [
        { ifc: { clas: 'IfcWall' } },
        /expected only known keys at rules\[0\]\.a\.ifc, found "clas": did you mean class\?/,
      ],
      [{ ifcs: {} }, /expected only known keys at rules\[0\]\.a, found "ifcs": did you mean ifc\?/],
      [{ ifc: {} }, /expected class, type, storey or material at rules\[0\]\.a\.ifc, found an empty object/],
    ] as const) {
      writeFileSync(join(cwd, 'wrong.scene.json'), scene(a));
      expectFailure(await run(['scene', 'wrong.scene.json'], { cwd }), problem);
    }
  });
});

describe('what is left out by rule', () => {
  test('a room: --include brings it in; its finding is asked again', { tags: ['all'] }, async () => {
    const { stdout, stderr } = await run(['scene', 'house.ifc'], { cwd });
    expect(stdout).toContain('6 objects: 5 checked, 1 left out by rule\n');
    expect(stderr).toContain('1 IfcSpace left out');
    const within = sorted(...['door', 'part', 'pipe-1', 'pipe-2', 'wall'].map((name) => `${name} room`));
    const args = ['house.ifc', '--include', 'IfcSpace', '--a', 'ifc:class=IfcSpace'];
    expect(await pairsOf(args)).toEqual(within);
    const all = await run(['scene', ...args, '--json'], { cwd });
    writeFileSync(join(cwd, 'rooms.ndjson'), all.stdout);
    const { id, a, b } = JSON.parse(all.stdout.split('\n')[0]);
    expect([a.ifc, b.ifc]).toEqual(
      [
        { class: 'IfcBuildingElementPart', storey: 'L1' },
        { class: 'IfcSpace', storey: 'L1' },
      ].sort(() => (a.name < b.name ? 1 : -1)),
    );
    const again = await run(['check', '--finding', `rooms.ndjson#${id}`], { cwd });
    expect(again.stdout).toMatch(/contact|inside|overlap/);
    expect((await run(['check', '--scene', 'house.ifc', a.name, b.name], { cwd })).code).not.toBe(2);
  });
});

describe('the chord tolerance', () => {
  /** A pipe of 50 mm through a column of 400. */
  const columns = (): string => {
    const w = ifcWriter();
    for (const [name, r, y] of [
      ['column', 400, 0],
      ['pipe', 50, 420],
    ] as const) {
      const solid = w.extruded(w.add(`IFCCIRCLEPROFILEDEF(.AREA.,$,$,${r}.)`), [0, y, 0], 3000);
      w.product('IFCCOLUMN', { name, placement: w.placement([0, 0, 0]), shape: w.shape([solid]), more: '$' });
    }
    return w.text();
  };

  test('findings of another tolerance are those of the baseline', async () => {
    writeFileSync(join(cwd, 'columns.ifc'), columns());
    const scene = (...args: string[]) => run(['scene', 'columns.ifc', '--baseline', 'base.json', ...args], { cwd });
    expect((await scene('--update-baseline')).code).toBe(1);
    for (const tolerance of ['0.1', '2mm', '10']) {
      const { code, stdout, stderr } = await scene('--chord-tolerance', tolerance, '--json');
      expect([tolerance, code, stderr]).toEqual([tolerance, 0, '']);
      const [finding] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(finding).toMatchObject({ state: 'known', class: 'overlap' });
    }
  });

  test('an asset records it, in its own unit, and another tolerance makes it stale', async () => {
    const build = (...args: string[]) =>
      run(['build', 'columns.ifc', '-f', 'obb', '-o', 'columns/', '--split', 'elements', '--json', ...args], { cwd });
    const statuses = ({ stdout }: { stdout: string }) => stdout.match(/"status":"\w+"/g)?.slice(0, 2);
    expect(statuses(await build())).toEqual(['"status":"built"', '"status":"built"']);
    expect(statuses(await build())).toEqual(['"status":"fresh"', '"status":"fresh"']);
    expect(statuses(await build('--chord-tolerance', '0.2mm'))).toEqual(['"status":"built"', '"status":"built"']);
    const [file] = readdirSync(join(cwd, 'columns'));
    const { stdout } = await run(['info', join('columns', file), '--json'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ options: { chord: 0.2 } });
  });

  test.each(['0', '-1', 'mm', '1 2'])('%s is refused', async (text) => {
    expectFailure(await run(['scene', 'house.ifc', `--chord-tolerance=${text}`], { cwd }), /length above 0, such as/);
  });
});
