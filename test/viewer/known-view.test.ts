/** What of a link a document does not have. */
import { expect, test } from 'vitest';
import type { ReportFinding } from '../../src/report/finding.ts';
import { knownView } from '../../src/viewer/known-view.ts';
import { FIRST_VIEW, type ViewState } from '../../src/viewer/view-state.ts';

const STAND = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const scene = {
  objects: ['left', 'right', '__proto__'].map((name) => ({
    ...{ name, asset: 0, pose: STAND, file: null, element: null, guid: null },
  })),
  findings: [{ id: '0123456789abcdef' } as ReportFinding],
  frames: [0, 1, 2].map((time) => ({ time, poses: {} })),
};

function known(changes: Partial<ViewState>, document = scene) {
  const problems: string[] = [];
  const state = knownView(document, { ...FIRST_VIEW, ...changes }, ({ problem }) => problems.push(problem));
  return { state, problems };
}

test('what is there stays, and nothing is told', () => {
  const poses = Object.fromEntries([['__proto__', STAND]]);
  const view = { a: 'left', b: 'right', finding: '0123456789abcdef', frame: 2, poses, level: 99 };
  expect(known(view)).toEqual({ state: { ...FIRST_VIEW, ...view }, problems: [] });
});

test('the first digits of an id are enough if one finding alone has them', () => {
  const findings = ['0123456789abcdef', '0123456fffffffff'].map((id) => ({ id }) as ReportFinding);
  expect(known({ finding: '01234567' }, { ...scene, findings })).toEqual({
    ...{ state: { ...FIRST_VIEW, finding: '0123456789abcdef' }, problems: [] },
  });
  expect(known({ finding: '012345' }, { ...scene, findings })).toEqual({
    ...{ state: FIRST_VIEW, problems: ['several findings have ids that begin with 012345'] },
  });
  expect(known({ finding: '01234' }).problems).toEqual(['no finding has the id 01234']);
});

test('objects, poses, findings and frames that are not there are left out, a line each', () => {
  const { state, problems } = known({ a: 'lft', b: 'right', poses: { 'x\u202e': STAND }, finding: 'zz', frame: 3 });
  expect(state).toEqual({ ...FIRST_VIEW, b: 'right' });
  expect(problems).toEqual([
    'no object is called "lft"',
    'no object is called "x\\u202e"',
    'no finding has the id zz',
    'there is no frame 3: the last one is 2',
  ]);
  expect(known({ frame: 0 }, { ...scene, frames: [] }).problems).toEqual(['there is no frame 0: nothing moves here']);
});
