/** What a finding's record asked, in the finding. */
import { expect, test } from 'vitest';
import { toldBy } from '../../src/report/records.ts';

const pair = {
  ...{ type: 'finding', id: '0123456789abcdef', rule: 'pipes', class: 'near' },
  ...{ a: { name: 'p', file: 'p.obj' }, b: { name: 'q', file: 'q.obj' } },
};

const check = {
  ...{ verdict: 'contact', a: { file: 'p.obj' }, b: { file: 'q.obj' } },
  run: { id: '0123456789abcdef', sha256: [null, null], asked: { all: true, patches: true } },
};

const askedOf = (record: object) => toldBy(record).findings[0].asked;

test('a finding of a scene has the clearance of its own rule, and patches if its record does', () => {
  const asked = { clearance: 0.6, tolerance: 0, touchGap: 0, solid: 'auto' };
  expect(askedOf({ ...pair, asked })).toEqual({ clearance: 0.6 });
  expect(askedOf({ ...pair, asked, contacts: { count: 1, complete: true, pairs: [] } })).toEqual({ clearance: 0.6 });
  expect(askedOf({ ...pair, asked, contacts: { patches: [] } })).toEqual({ clearance: 0.6, patches: true });
  const own = { clearance: 0, tolerance: 2, touchGap: 0.5, solid: 'off' };
  expect(askedOf({ ...pair, asked: own })).toEqual(own);
  expect(askedOf(pair)).toBeUndefined();
});

test('a finding of check has the clearance and the patches of its run', () => {
  expect(askedOf(check)).toEqual({ clearance: 0, patches: true });
  expect(askedOf({ ...check, run: { ...check.run, asked: { clearance: 2 } } })).toEqual({ clearance: 2 });
  expect(askedOf({ ...check, run: undefined })).toBeUndefined();
});

test('near says how far apart the two are, and how far they should be', () => {
  const asked = { clearance: 0.6, tolerance: 0, touchGap: 0, solid: 'auto' };
  const messageOf = (record: object) => toldBy(record).findings[0].message;
  const bracket = { lower: 0.2999999999999987, upper: 0.3000000000000024 };
  expect(messageOf({ ...pair, asked, distance: 0.3, bracket })).toBe('near, 0.3 apart, 0.6 required');
  expect(messageOf({ ...pair, asked })).toBe('near, 0.6 required');
  expect(messageOf({ ...pair, distance: 1 / 3 })).toBe('near, 0.333333 apart');
  const near = { ...check, class: 'near', distance: 0.25, run: { ...check.run, asked: { clearance: 2 } } };
  expect(messageOf(near)).toBe('near, 0.25 apart, 2 required');
  expect(messageOf({ ...pair, asked, class: 'overlap', thickness: { lower: 1, upper: 1 } })).toBe('overlap, 1 thick');
});

test.each(['x', -1, null, Number.POSITIVE_INFINITY])('%s is no clearance', (clearance) => {
  expect(() => toldBy({ ...pair, asked: { clearance } })).toThrow(/clearance/);
});
