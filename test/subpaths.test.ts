/** The subpaths of one kind are handed what they do not load: classes of solids, and contacts. */
import { describe, expect, test } from 'vitest';
import * as whole from '../src/api.ts';
import { OptionError } from '../src/base/errors.ts';
import { contacts } from '../src/subpaths/contacts.ts';
import * as frep from '../src/subpaths/frep.ts';
import * as gi from '../src/subpaths/gi-browser.ts';
import * as kdop from '../src/subpaths/kdop.ts';
import * as obb from '../src/subpaths/obb.ts';
import { solids } from '../src/subpaths/solid.ts';
import * as voxel from '../src/subpaths/voxel.ts';
import { icosphere } from './support/shapes.ts';

const ball = icosphere(1);
const poseB = whole.translation(0.7, 0.2, 0.1);

/** `check` of a subpath, and an asset of its kind. */
const kinds = [
  { kind: 'obb', check: obb.check, asset: obb.build(ball), isOfTriangles: true },
  { kind: 'kdop', check: kdop.check, asset: kdop.build(ball), isOfTriangles: true },
  { kind: 'gi', check: gi.check, asset: gi.build(ball, { size: 17 }), isOfTriangles: true },
  {
    kind: 'voxel',
    check: voxel.check,
    asset: voxel.build(ball, { precision: 0.25, fill: true }),
    isOfTriangles: false,
  },
  {
    kind: 'frep',
    check: frep.check,
    asset: frep.build(frep.readFrep('{"object": {"sphere": {"radius": 1}}}')),
    isOfTriangles: false,
  },
] as unknown as { kind: string; check: typeof whole.check; asset: whole.Asset; isOfTriangles: boolean }[];

describe.each(kinds)('gicollide/$kind', ({ check, asset, isOfTriangles }) => {
  test('classes of solids are those of gicollide, once `solids` is passed', () => {
    expect(() => check(asset, asset, { solid: 'auto' })).toThrow(
      new OptionError(
        "solid: add import { solids } from 'gicollide/solid' and pass solids as an option; check of gicollide needs neither",
      ),
    );
    const { ms: _, ...report } = check(asset, asset, { poseB, solid: 'require', solids });
    const { ms: __, ...expected } = whole.check(asset, asset, { poseB, solid: 'require' });
    expect(report).toEqual(expected);
    expect(report.class).toBe('overlap');
    expect(check(asset, asset, { solid: 'off' }).class).toBeUndefined();
  });

  test('points and patches are those of gicollide, once `contacts` is passed', () => {
    for (const asked of [{ contactPoints: true }, { all: true, patches: true }]) {
      const name = asked.contactPoints ? 'contactPoints' : 'patches';
      expect(() => check(asset, asset, asked)).toThrow(
        `${name}: add import { contacts } from 'gicollide/contacts' and pass contacts as an option`,
      );
      const ask = (one: typeof check, options: object) => () => one(asset, asset, { poseB, ...asked, ...options });
      if (!isOfTriangles) expect(ask(check, { contacts })).toThrow(`${name}: expected triangles`);
      else expect(ask(check, { contacts })().contacts).toEqual(ask(whole.check, {})().contacts);
    }
  });
});

test('something else in their place is refused', () => {
  const { check, asset } = kinds[0];
  expect(() => check(asset, asset, { solid: 'auto', solids: {} as never })).toThrow(
    'solids: expected the solids of gicollide/solid, found an object',
  );
  expect(() => check(asset, asset, { contactPoints: true, contacts: solids as never })).toThrow(
    'contacts: expected the contacts of gicollide/contacts, found an object',
  );
});
