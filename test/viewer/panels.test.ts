/** What the panels make of names, findings and typed poses, without a browser. */
import { describe, expect, test } from 'vitest';
import { compose, isRigid, rotation, translation } from '../../src/math/pose.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import {
  createSelection,
  type Filter,
  fitting,
  type namesOf,
  type Selecting,
} from '../../src/viewer/page/panels/chosen-findings.ts';
import { type Branch, createNames, groupsOf, rowsOf, treeOf } from '../../src/viewer/page/panels/names.ts';
import { placed, snapped, textsOf, turned } from '../../src/viewer/page/panels/pose-text.ts';
import { standingPose } from '../../src/viewer/standing.ts';
import { FIRST_VIEW } from '../../src/viewer/view-state.ts';
import { type Random, seeded } from '../support/random.ts';

const PARTS = ['a', 'b', '', 'Wall', '__proto__', 'constructor', '\u202egnp', '<b>', ' ', 'é'];

const nameFor = (random: Random): string =>
  Array.from({ length: 1 + Math.floor(random.between(0, 4)) }, () => random.pick(PARTS)).join('/');

const branchesOf = (branch: Branch): Branch[] => [branch, ...branch.parts.flatMap(branchesOf)];

describe.each([1, 2, 3])('names as a tree, seed %i', (seed) => {
  const random = seeded(seed);
  const names = [...new Set(Array.from({ length: 200 }, () => nameFor(random)))];
  const root = treeOf(names);
  const all = branchesOf(root);

  test('every object is there once, under its whole name', () => {
    const objects = all.filter(({ object }) => object !== null);
    expect(objects.map(({ object, path }) => [object, path]).sort()).toEqual(names.map((name, k) => [k, name]).sort());
    for (const { path, label } of all.slice(1)) expect(path.endsWith(label)).toBe(true);
  });

  test('a group counts what is in it', () => {
    for (const { path, count } of all.slice(1))
      expect(count).toBe(names.filter((name) => name === path || name.startsWith(`${path}/`)).length);
  });

  test('open groups show everything, closed ones themselves alone', () => {
    const open = new Set(names.flatMap(groupsOf));
    expect(rowsOf(root, open, '').filter(({ branch }) => branch.object !== null)).toHaveLength(names.length);
    expect(rowsOf(root, new Set(), '').map(({ branch }) => branch)).toEqual(root.parts);
  });

  test('a search shows the objects that have its words, wherever they are', () => {
    for (const words of ['wall', 'WALL b', 'proto', 'nothing has this']) {
      const shown = rowsOf(root, new Set(), words).flatMap(({ branch }) =>
        branch.object === null ? [] : [branch.path],
      );
      const has = (name: string) =>
        words
          .toLowerCase()
          .split(' ')
          .every((word) => name.toLowerCase().includes(word));
      for (const name of names.filter(has)) expect(shown).toContain(name);
      // Objects that others are in are shown with them.
      for (const name of shown)
        expect(names.some((other) => has(other) && (other === name || other.startsWith(`${name}/`)))).toBe(true);
    }
  });
});

test('a name of 10,000 slashes is a short branch', () => {
  const root = treeOf(['/'.repeat(10_000)]);
  expect(branchesOf(root).length).toBeLessThan(50);
  expect(rowsOf(root, new Set(groupsOf('/'.repeat(10_000))), '').at(-1)?.branch.object).toBe(0);
});

test('an element of IFC is a leaf of its class, by its short name; it is found by either', () => {
  const wall = 'house/IfcWall/Basic Wall:Long Brick:17/2O2Fr$t4X7Zf8NOew3FLPP';
  const objects = [wall, 'house/pipe'].map((name) => ({ name }) as ViewDocument['objects'][number]);
  const names = createNames({ objects, findings: [] });
  const root = treeOf(
    objects.map(({ name }) => name),
    names.label,
  );
  expect(branchesOf(root).map(({ label, object }) => [label, object])).toEqual([
    ['', null],
    ['house', null],
    ['IfcWall', null],
    ['Basic Wall 17', 0],
    ['pipe', 1],
  ]);
  expect(groupsOf(wall)).toEqual(['house', 'house/IfcWall']);
  for (const words of ['basic wall 17', 'Long Brick', '3FLPP'])
    expect(rowsOf(root, new Set(), words).at(-1)?.branch.object).toBe(0);
  expect(names.label('not in this \u202e view')).toBe('not in this \\u202e view');
});

const finding = (id: string, more: Partial<ReportFinding>): ReportFinding => ({
  ...{ id, rule: 'overlap', class: 'overlap', level: 'error', state: null, note: null, accepted: false },
  subjects: [`${id} left`, `${id} right`].map((name) => ({ name, file: null, line: null, sha256: null, guid: null })),
  ...{ message: 'overlap', point: null, box: null, size: null, again: null, ...more },
});

describe('which findings are listed', () => {
  const thick = (upper: number) => ({ kind: 'thickness' as const, lower: upper / 2, upper });
  const apart = (lower: number) => ({ kind: 'distance' as const, lower, upper: 2 * lower });
  const findings = [
    finding('a', { size: apart(2), class: 'near', state: 'new' }),
    finding('b', { size: thick(1), state: 'known' }),
    finding('c', { size: null, class: 'undecided', rule: 'pipes' }),
    finding('d', { size: thick(3), state: 'known', accepted: true, note: 'Ask the architect' }),
    finding('e', { size: apart(0), class: 'near', rule: 'pipes' }),
  ];
  const all: Filter = { rule: '', class: '', state: '', text: '', order: 'found' };
  const ids = (filter: Partial<Filter>) => fitting(findings, { ...all, ...filter }).map((k) => findings[k].id);

  test.each<[Partial<Filter>, string]>([
    [{}, 'abcde'],
    [{ order: 'size' }, 'dbeac'],
    [{ order: 'class' }, 'aebdc'],
    [{ rule: 'pipes' }, 'ce'],
    [{ class: 'near', rule: 'pipes' }, 'e'],
    [{ state: 'known' }, 'b'],
    [{ state: 'accepted' }, 'd'],
    [{ text: 'architect ask' }, 'd'],
    [{ text: 'LEFT b' }, 'b'],
    [{ text: 'nobody' }, ''],
  ])('%j', (filter, expected) => {
    expect(ids(filter).join('')).toBe(expected);
  });
});

test('findings are sorted by the names that are shown', () => {
  const findings = ['b', 'a'].map((id) => finding(id, {}));
  const by = (wordsOf?: typeof namesOf) =>
    fitting(findings, { rule: '', class: '', state: '', text: '', order: 'name' }, wordsOf);
  expect(by()).toEqual([1, 0]);
  expect(by(({ id }) => (id === 'b' ? '1' : '2'))).toEqual([0, 1]);
});

describe('several findings are selected', () => {
  const all = [...'abcdef'];
  test.each<[[Selecting, number][], string]>([
    [[['tick', 1]], 'b'],
    [
      [
        ['tick', 1],
        ['tick', 3],
        ['tick', 1],
      ],
      'd',
    ],
    // With Ctrl the chosen one, c, is the first.
    [[['add', 4]], 'ce'],
    [[['range', 4]], 'cde'],
    [[['range', 0]], 'abc'],
    [
      [
        ['tick', 4],
        ['range', 5],
        ['range', 3],
      ],
      'de',
    ],
    [[['all', 0]], 'abcdef'],
    [
      [
        ['all', 0],
        ['all', 0],
      ],
      '',
    ],
  ])('%j', (changes, selected) => {
    const selection = createSelection(() => all);
    for (const [how, index] of changes) selection.change(how, index, 'c');
    expect(all.filter(selection.has).join('')).toBe(selected);
    expect(selection.isEmpty()).toBe(selected === '');
    selection.clear();
    expect(selection.isEmpty()).toBe(true);
  });
});

describe('poses as they are typed', () => {
  test.each([1, 2, 3, 4, 5])('what is shown of a turn gives it again to nine digits, seed %i', (seed) => {
    const random = seeded(seed);
    for (let n = 0; n < 50; n++) {
      const axis = [1, 2, 3].map(() => random.between(-1, 1));
      const degrees = random.pick([0, 90, -90, 180, 179.9999, 1e-7, random.between(-360, 360)]);
      const pose = compose(translation(1e6, -2, 3), rotation(axis[0], axis[1], axis[2], degrees));
      for (const turn of ['axis', 'quaternion'] as const) {
        const again = placed(turned(turn, textsOf(turn, pose)), pose[3], pose[7], pose[11]);
        for (let k = 0; k < 16; k++) expect(Math.abs(again[k] - pose[k])).toBeLessThan(1e-8);
        expect(isRigid(again)).toBe(true);
      }
      expect(turned('matrix', textsOf('matrix', pose))).toEqual(pose);
    }
  });

  test('an axis with degrees is what --rotate makes of it', () => {
    expect(turned('axis', ['0', '0', '2', '90'])).toEqual(rotation(0, 0, 2, 90));
  });

  test('16 numbers may have commas, brackets and ends of lines', () => {
    expect(turned('matrix', ['[0,-1,0,1,\n 1,0,0,2, 0 0 1 3; 0 0 0 1]'])).toEqual(
      compose(translation(1, 2, 3), rotation(0, 0, 1, 90)),
    );
  });

  test.each<[() => unknown, string]>([
    [() => turned('axis', ['0', '0', '0', '90']), 'the axis of a rotation is 0,0,0, which has no direction'],
    [() => turned('axis', ['0', '0', '1', '']), 'degrees: a number is missing'],
    [() => turned('axis', ['0', '1e999', '1', '3']), 'axis y: 1e999 is no number'],
    [() => turned('axis', ['\u202e', '1', '1', '3']), 'axis x: \\u202e is no number'],
    [() => turned('quaternion', ['0', '0', '0', '0']), 'expected a rotation, found the quaternion 0 0 0 0'],
    [() => turned('matrix', ['1 0 0']), 'the pose has 3 numbers; a pose has 16, 12 or 7'],
    [
      () => turned('matrix', ['2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1']),
      'the pose scales by 2; a pose is rigid; scale the mesh (gicollide build --scale)',
    ],
    [() => placed(rotation(0, 0, 1, 0), 1e200, 0, 0), 'the pose: entry 3 is 1e+200; a pose shifts by at most 1e+150'],
  ])('what is wrong is said in a line: %#', (run, message) => {
    expect(run).toThrow(message);
  });
});

test('an object stands where somebody put it, else where the frames left it, else where it was placed', () => {
  const at = (x: number) => [...translation(x, 0, 0)];
  const objects = ['left', '__proto__'].map((name) => {
    return { name, asset: 0, pose: at(1), file: null, element: null, guid: null };
  });
  const poses = [[], [['left', at(2)]], [['__proto__', at(3)]]].map((entries) => Object.fromEntries(entries));
  const document = { objects, frames: poses.map((each) => ({ time: null, poses: each })) };
  const standing = (frame: number | null, object: number, moved = {}): number =>
    standingPose(document, { ...FIRST_VIEW, frame, poses: moved }, object)[3];
  expect([null, 0, 1, 2, 9].map((frame) => standing(frame, 0))).toEqual([1, 1, 2, 2, 2]);
  expect([null, 0, 1, 2, 9].map((frame) => standing(frame, 1))).toEqual([1, 1, 1, 3, 3]);
  expect(standing(2, 0, { left: at(7) })).toBe(7);
});

describe('a pose after a drag', () => {
  test('has no rounding errors, and keeps to the bit what the drag did not change', () => {
    const before = [...translation(1 / 3, -1.11e-16, 27000.123456789)];
    const after = [...before];
    after[3] += 0.123456789;
    after[7] -= 1e-17;
    expect(snapped(after, before, 3)).toEqual([...translation(0.45679, 0, 27000.123456789)]);
    expect(String(snapped(before, before, 3))).not.toContain('e-');
  });

  const seed = 48;
  test(`is rigid, within the step, and of few digits, seed ${seed}`, () => {
    const random = seeded(seed);
    for (let n = 0; n < 200; n++) {
      const size = 10 ** random.between(-6, 6);
      const before = [...translation(random.between(0, size), 0, 0)];
      const angle = n % 4 === 0 ? 90 : random.between(0, 360);
      const way = [0, 0, 0].map(() => random.between(-size, size)) as [number, number, number];
      const dragged = compose(translation(...way), rotation(0, n % 2, 1 - (n % 2), angle));
      const pose = snapped([...dragged], before, size);
      expect(isRigid(Float64Array.from(pose))).toBe(true);
      for (const k of [3, 7, 11]) {
        expect(Math.abs(pose[k] - dragged[k])).toBeLessThanOrEqual(size * 1e-5);
        expect(
          String(pose[k])
            .replace(/e.*$|[-.]/g, '')
            .replace(/^0+/, '').length,
        ).toBeLessThanOrEqual(7);
      }
      if (angle === 90) expect(pose.filter((x, k) => k % 4 < 3 && !Number.isInteger(x))).toEqual([]);
    }
  });
});
