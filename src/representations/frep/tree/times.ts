/**
 * Views of an F-rep at one time, or at all times of an interval. They share the program, without
 * folding or rounding.
 *
 * For a view of an interval, `out` means that the object is there at none of the times; `in` means
 * that one point is in the object at each of them. So search results hold for all times: `clear` at
 * each, `contact` at each.
 */
import { OptionError } from '../../../base/errors.ts';
import { requireThat } from '../../../base/require.ts';
import type { FrepObject } from './program.ts';

/**
 * Returns the object at all times from `from` to `to`; itself if it does not depend on time.
 *
 * @throws OptionError for times beyond the object's span
 */
export function duringOf(object: FrepObject, from: number, to: number): FrepObject {
  const { span } = object;
  if (!span) return object;
  for (const time of [from, to]) {
    if (typeof time !== 'number' || !(span[0] <= time && time <= span[1]))
      throw new OptionError(`time ${time}: expected a time from ${span[0]} to ${span[1]}, which the model is of`);
  }
  if (from > to) throw new OptionError(`times ${from} to ${to}: the later one comes last`);
  return { ...object, during: [from, to] };
}

/** The last view at one time, so that its unfolded trees are reused. */
const lastViews = new WeakMap<FrepObject, FrepObject>();

/**
 * Returns an F-rep at one time: a solid like others, to check and to draw. Its file would still
 * hold all times. An object that does not depend on time is returned unchanged.
 *
 * @throws OptionError for a time outside the model's span
 * @example const growing = build(readFrep(`{"domain": {"min": [-3, -3, -3], "max": [3, 3, 3]},
 *            "object": {"quadric": [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 2, 1]]}}`)); // a ball of radius 1 + t
 *          const ball = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
 *          check(frozen(growing, 0), ball, { poseB: translation(2.5, 0, 0) }).verdict // 'clear'
 *          check(frozen(growing, 1), ball, { poseB: translation(2.5, 0, 0) }).verdict // 'contact'
 */
export function frozen(object: FrepObject, time: number): FrepObject {
  requireThat(object?.representation === 'frep', 'object', 'an F-rep', object);
  requireThat(object.span !== undefined || Number.isFinite(time), 'time', 'a finite number', time);
  const known = lastViews.get(object);
  if (known?.during?.[0] === time) return known;
  const view = duringOf(object, time, time);
  if (view !== object) lastViews.set(object, view);
  return view;
}
