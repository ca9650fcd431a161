/** What a view begins with, and what stands out in it. */
import { describe, expect, test } from 'vitest';
import { cross } from '../../src/math/linear.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { sorted } from '../../src/report/severity.ts';
import {
  axesOf,
  type Box,
  boxAround,
  fitCamera,
  frameFinding,
  laid,
  roundLength,
  stood,
  tangentOf,
  UPS,
} from '../../src/viewer/camera.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { marksOf } from '../../src/viewer/palette.ts';
import { begun, opened } from '../../src/viewer/standing.ts';
import { FIRST_VIEW } from '../../src/viewer/view-state.ts';

const finding = (id: string, level: ReportFinding['level'], ...names: string[]): ReportFinding => ({
  ...{ id, level, rule: 'r', class: 'overlap', state: null, note: null, accepted: false, message: '' },
  subjects: names.map((name) => ({ name, file: null, line: null, sha256: null, guid: null })),
  ...{ point: null, box: null, size: null, again: null },
});

const POSE = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function documentOf(names: string[], findings: ReportFinding[] = [], command: 'check' | 'scene' = 'scene') {
  const objects = names.map((name) => ({ name, asset: 0, pose: POSE, file: null, element: null, guid: null }));
  const again = { command, files: [], options: [] };
  return { objects, findings, frames: [], again } satisfies Partial<ViewDocument>;
}

const pairOf = (view: ReturnType<typeof documentOf>, changes: object = {}) => {
  const { a, b, isIsolated } = begun(view, { ...FIRST_VIEW, ...changes });
  return [a, b, isIsolated];
};

test('a scene begins with the first of its worst findings, a pair in its own order, one object alone', () => {
  const found = [finding('1', 'note', 'c', 'd'), finding('2', 'error', 'b', 'd'), finding('3', 'error', 'a', 'b')];
  const scene = documentOf(['a', 'b', 'c', 'd'], found);
  expect(pairOf(scene)).toEqual(['b', 'd', false]);
  expect(pairOf(scene, { finding: '1' })).toEqual(['c', 'd', true]);
  expect(pairOf(scene, { a: 'd' })).toEqual(['d', 'b', false]);
  expect(pairOf(scene, { finding: 'gone' })).toEqual(['b', 'd', false]);
  expect(pairOf(documentOf(['a', 'b', 'c', 'd']))).toEqual(['a', 'b', false]);
  expect(pairOf(documentOf(['z', 'a'], [finding('1', 'error', 'a', 'z')], 'check'))).toEqual(['z', 'a', false]);
  expect(pairOf(documentOf(['a']))).toEqual(['a', null, false]);
  expect(pairOf(documentOf([]))).toEqual([null, null, false]);
});

test('what is met on the way begins with the frame in which it is met', () => {
  const frames = [
    { time: 0, poses: {} },
    { time: 1, poses: {}, found: ['2', '3'] },
  ];
  const moving = {
    ...documentOf(['a', 'b'], [finding('1', 'error', 'a', 'b'), finding('3', 'error', 'a', 'b')]),
    frames,
  };
  const frameOf = (changes: object): number | null => begun(moving, { ...FIRST_VIEW, ...changes }).frame;
  expect([{}, { finding: '1' }, { finding: '3' }, { finding: '3', frame: 0 }].map(frameOf)).toEqual([0, 0, 1, 0]);
});

test('a scene begins with what scene prints first: contacts before what is near, the thickest first', () => {
  const sized = (id: string, found: string, kind: 'thickness' | 'distance', lower: number): ReportFinding => ({
    ...finding(id, 'error', 'a', 'b'),
    ...{ class: found, size: { kind, lower, upper: lower }, asked: { clearance: 1 } },
  });
  const all = [
    ...[sized('4', 'near', 'distance', 0.6), sized('2', 'overlap', 'thickness', 1)],
    ...[sized('3', 'near', 'distance', 0.5), sized('1', 'overlap', 'thickness', 2)],
  ];
  expect(sorted(all).map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  expect(opened(documentOf(['a', 'b'], all), FIRST_VIEW).finding).toBe('1');
});

describe('a scene opens on the first finding that fails', () => {
  const names = ['a', 'b', 'c', 'd'];
  const known = { ...finding('known', 'error', 'a', 'b'), state: 'known' as const };
  const accepted = { ...finding('accepted', 'error', 'a', 'c'), accepted: true };
  const fresh = { ...finding('fresh', 'warning', 'b', 'c'), state: 'new' as const };
  const note = finding('note', 'note', 'c', 'd');
  const gone = finding('gone', 'error', 'a', 'elsewhere');
  const openedOn = (found: ReportFinding[], changes: object = {}, command: 'check' | 'scene' = 'scene') => {
    const { a, b, isIsolated, finding: id } = opened(documentOf(names, found, command), { ...FIRST_VIEW, ...changes });
    return [id, a, b, isIsolated];
  };

  test('a new one before those that are known or accepted, then the worst, whose objects are there', () => {
    expect(openedOn([note, gone, known, accepted, fresh])).toEqual(['fresh', 'b', 'c', true]);
    expect(openedOn([note, fresh, { ...fresh, id: 'worse', level: 'error' }])).toEqual(['worse', 'b', 'c', true]);
    expect(openedOn([note, known, accepted])).toEqual(['known', 'a', 'b', true]);
  });

  test('if none fails, everything is in view', () => {
    expect(openedOn([note])).toEqual([null, 'c', 'd', false]);
    expect(openedOn([])).toEqual([null, 'a', 'b', false]);
    expect(openedOn([gone])).toEqual([null, 'a', 'b', false]);
  });

  test('a link, and a pair, win', () => {
    expect(openedOn([fresh, note], { finding: 'note' })).toEqual(['note', 'c', 'd', true]);
    expect(openedOn([fresh], { a: 'd' })).toEqual([null, 'd', 'b', false]);
    expect(openedOn([fresh], { a: 'd', b: 'a' })).toEqual([null, 'd', 'a', false]);
    expect(openedOn([fresh], {}, 'check')).toEqual([null, 'a', 'b', false]);
  });

  test('of a robot the earliest, in its frame; a picture of it shows the same frame, and everything', () => {
    const stands = finding('stand', 'error', 'a', 'd');
    const found = [stands, finding('last', 'error', 'a', 'b'), finding('early', 'error', 'c', 'd'), note];
    const frames = [['stand'], ['note'], ['early'], ['last']].map((ids, frame) => {
      const touches = frame > 0 ? { touches: true as const } : {};
      return { time: null, poses: {}, found: ids, ...touches };
    });
    const moving = { ...documentOf(names, found), frames };
    const { finding: id, frame, a } = opened(moving, FIRST_VIEW);
    expect([id, frame, a]).toEqual(['early', 2, 'c']);
    const still = begun(moving, FIRST_VIEW);
    expect([still.finding, still.frame, still.a, still.isIsolated]).toEqual([null, 2, 'c', false]);
    expect(opened(moving, { ...FIRST_VIEW, frame: 0 }).frame).toBe(0);
  });
});

test('the worst finding of an object marks it; notes, and names of nobody, do not', () => {
  const found = [
    finding('1', 'error', 'a', 'b'),
    finding('2', 'warning', 'b', 'c'),
    finding('3', 'note', 'd', '__proto__'),
  ];
  expect([...marksOf(documentOf(['a', 'b', 'c', 'd'], found))]).toEqual([
    [0, 'error'],
    [1, 'error'],
    [2, 'warning'],
  ]);
});

test('boxes are put together where poses have turned them, and a finding keeps what is around it', () => {
  const box = { low: [0, 0, 0], high: [2, 1, 1] };
  const turned = [0, -1, 0, 5, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  expect(boxAround([[box, turned]])).toEqual({ low: [4, 0, 0], high: [5, 2, 1] });
  expect(
    boxAround([
      [box, POSE],
      [box, turned],
    ]),
  ).toEqual({ low: [0, 0, 0], high: [5, 2, 1] });
  expect(boxAround([])).toBeNull();
  const small = { low: [1, 0.25, 0.25], high: [1.25, 0.5, 0.5] };
  const long = { low: [-9, 0, 0], high: [9, 1, 1] };
  const framing = { box: { low: [0.625, 0, 0], high: [1.625, 0.875, 0.875] }, direction: [0.6, -1, 0.55] };
  expect(frameFinding(small, [long, small])).toEqual(framing);
  expect(frameFinding(null, [long, small]).box).toEqual(long);
  // A clearance of 50 about small objects frames the objects.
  const wide = { low: [-50, -50, -50], high: [50, 50, 50] };
  const two = [
    { low: [0, 0, 0], high: [1, 1, 1] },
    { low: [2, 0, 0], high: [3, 1, 1] },
  ];
  expect(frameFinding(wide, two).box).toEqual({ low: [0, 0, 0], high: [3, 1, 1] });
});

test.each([
  ['before', [0, -1, 0], [0.6, -1, 0.55]],
  ['behind', [0, 1, 0], [-0.6, 1, 0.55]],
  ['on the left of', [-1, 0, 0], [-1, -0.6, 0.55]],
  ['on the right of', [1, 0, 0], [1, 0.6, 0.55]],
])('what stands %s something larger is seen from there', (_, [x, y, z], direction) => {
  const larger = { low: [-1, -1, -1], high: [1, 1, 1] };
  const smaller = { low: [x - 0.1, y - 0.1, z - 0.1], high: [x + 0.1, y + 0.1, z + 0.1] };
  const place = { low: [x / 1.1 - 0.09, y / 1.1 - 0.09, 0], high: [x / 1.1 + 0.09, y / 1.1 + 0.09, 0] };
  expect(frameFinding(place, [smaller, larger]).direction).toEqual(direction);
  expect(frameFinding(place, [larger, smaller]).direction).toEqual(direction);
});

describe.each(UPS)('with %s up', (up) => {
  const direction = laid([0.6, -1, 0.55], up);

  test('a picture has this axis up, and its axes are right-handed', () => {
    const above = laid([0, 0, 1], up);
    expect(above['xyz'.indexOf(up.slice(-1))]).toBe(up.length > 1 ? -1 : 1);
    for (const way of [direction, [0.3, 0.2, -0.7], above, above.map((x) => -x)]) {
      const axes = axesOf(way, up);
      const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, k) => sum + x * b[k], 0);
      expect(dot(axes.right, above)).toBeCloseTo(0, 12);
      expect(dot(axes.up, above)).toBeGreaterThanOrEqual(0);
      expect(dot(axes.toward, way)).toBeCloseTo(Math.hypot(...way), 12);
      expect(dot(cross(axes.right, axes.up), axes.toward)).toBeCloseTo(1, 12);
    }
  });

  test('the camera and a framed finding turn along', () => {
    const turned = ({ low, high }: Box): Box => {
      const [one, other] = [laid(low, up), laid(high, up)];
      return { low: one.map((x, k) => Math.min(x, other[k])), high: one.map((x, k) => Math.max(x, other[k])) };
    };
    const box = { low: [1, 2, 3], high: [9, 4, 7] };
    const [usual, other] = [fitCamera(box, 1.5), fitCamera(turned(box), 1.5, { up })];
    for (const key of ['eye', 'target'] as const)
      for (const [k, x] of stood(other[key], up).entries()) expect(x).toBeCloseTo(usual[key][k], 12);
    const small = { low: [1, 2, 3], high: [2, 2.5, 3.5] };
    const framed = frameFinding(small, [small, box]).direction;
    expect(stood(frameFinding(turned(small), [turned(small), turned(box)], up).direction, up)).toEqual(framed);
  });
});

test('an orthographic camera has the box as large as the picture, however long it is', () => {
  for (const depth of [1, 1000]) {
    const box = { low: [-1, 0, -1], high: [1, depth, 1] };
    const { eye } = fitCamera(box, 1, { direction: [0, -1, 0], isOrthographic: true });
    expect(depth / 2 - eye[1]).toBeCloseTo(1.06 / tangentOf(1), 12);
  }
});

test('steps of a grid are 1, 2 or 5 times a power of ten', () => {
  const lengths = [1e-300, 0.000999, 0.001, 0.3, 1, 1.99, 2, 5, 999.9999999999999, 1000, 7e22];
  expect(lengths.map(roundLength)).toEqual([1e-300, 0.0005, 0.001, 0.2, 1, 1, 2, 5, 500, 1000, 5e22]);
  for (const length of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) expect(roundLength(length) > 0).toBe(false);
});
