/**
 * An F-rep that depends on time, at one time or at all times from one to another: views of the same
 * program, which nothing is folded or rounded in.
 *
 * Of a view of several times `out` means that nothing of the object is there at any of them, and
 * `in` that one point is in the object at each of them. So what the searches answer holds for all
 * of them: `clear` at each, `contact` at each.
 */
import { OptionError } from '../../../math/errors.ts';
import { requireThat } from '../../../math/require.ts';
import type { FrepObject } from './program.ts';

/**
 * The object at all times from `from` to `to`; one that does not depend on time, itself.
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

/** The view at one time that was asked for last: trees that have been unfolded are found again. */
const lastViews = new WeakMap<FrepObject, FrepObject>();

/**
 * An F-rep that depends on time as it is at one time: a solid like others, to ask and to draw. Its
 * file would still hold all times. One that does not depend on time is given back as it is.
 *
 * @throws OptionError for a time that the model is not of
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
