/** The format of `name.motion.json`, the motions of two objects, and its errors. */
import * as z from 'zod/mini';
import { OptionError } from '../base/errors.ts';
import { type Language, messageOf, pathText, worst } from '../base/json-messages.ts';
import { parseJson } from '../base/json-text.ts';
import { requireJson } from '../base/require.ts';
import { schemaNotes } from '../base/schema-notes.ts';
import type { RigidMotion } from './motion.ts';
import { keyed, still } from './motions.ts';
import {
  direction,
  formOfPlacement,
  LARGEST_NUMBER,
  number,
  PLACEMENT,
  PLACEMENT_SYNONYMS,
  placementOf,
  ROTATE_KEYS,
  requireOneWay,
  vector,
} from './placement.ts';
import { MOST_TURNS } from './turn.ts';

const BETWEEN = ['screw', 'straight', 'bezier', 'cubic'] as const;

const KEY = {
  time: z.optional(number).register(schemaNotes, { description: 'Later than that of the key before' }),
  ...PLACEMENT,
  turns: z.optional(z.int().check(z.gte(-MOST_TURNS), z.lte(MOST_TURNS))).register(schemaNotes, {
    description: 'Whole turns on the way to the next key, on top of the shortest way round; below 0 the other way',
  }),
  axis: z.optional(direction).register(schemaNotes, {
    description: 'The axis of the turn to the next key, where both are turned alike',
  }),
  control: z.optional(z.array(vector).check(z.length(2))).register(schemaNotes, {
    description: 'With bezier: the two control points on the way to the next key',
  }),
};

const SIDE = {
  keys: z.array(z.strictObject(KEY)).check(z.minLength(1)).register(schemaNotes, {
    description: 'Where the object stands at times; one key: it stands still',
  }),
  between: z.optional(z.enum(BETWEEN)).register(schemaNotes, {
    description: 'How keys are joined: screw unless given',
  }),
  about: z.optional(vector).register(schemaNotes, {
    description:
      'But for screws: the point of the object whose path it is, about which it turns; its origin unless given',
  }),
};

const SHAPE = {
  $schema: z.optional(z.string()),
  description: z.optional(z.string()),
  gicollide: z.literal('motion/1').register(schemaNotes, { description: 'The format and its version' }),
  a: z.optional(z.strictObject(SIDE)).register(schemaNotes, {
    description: 'How the first object moves; it stands at its own coordinates unless given',
  }),
  b: z.optional(z.strictObject(SIDE)).register(schemaNotes, { description: 'Likewise, of the second' }),
};

export const motionSchema = z
  .strictObject(SHAPE)
  .register(schemaNotes, { title: 'How two objects move, for gicollide check --motion (.motion.json)' });

/** The content of a motion file (docs/motion.md). */
export type MotionModel = z.infer<typeof motionSchema>;
type SideModel = NonNullable<MotionModel['a']>;

const LANGUAGE: Language = {
  largest: LARGEST_NUMBER,
  synonyms: PLACEMENT_SYNONYMS,
  formAt: formOfPlacement,
  keysAt(path) {
    if (path.at(-1) === 'rotate') return ROTATE_KEYS;
    return Object.keys(path.includes('keys') ? KEY : path.length > 0 ? SIDE : SHAPE);
  },
};

/**
 * Reads the text of a motion file (docs/motion.md).
 *
 * @param source UTF-8 if it is bytes; or the parsed JSON
 * @throws FormatError or OptionError of one line: the line number if the text is not JSON,
 *   otherwise the path to the value that breaks the format or makes no motion
 * @example const keys = '[{"time": 0}, {"time": 2, "translate": [4, 0, 0]}]';
 *          const { b } = readMotion(`{"gicollide": "motion/1", "b": {"keys": ${keys}}}`);
 *          b.poseAt(0.5)[3] // 1
 */
export function readMotion(source: string | Uint8Array | MotionModel): { a: RigidMotion; b: RigidMotion } {
  requireJson(source, 'source');
  const isText = typeof source === 'string' || source instanceof Uint8Array;
  const value = isText ? parseJson(source) : source;
  const result = z.safeParse(motionSchema, value);
  if (!result.success) throw messageOf(worst(result.error.issues, value), value, LANGUAGE);
  const { a, b } = result.data;
  if (![a, b].some((side) => side && side.keys.length > 1))
    throw new OptionError('expected two keys or more at a.keys or b.keys, since otherwise nothing moves');
  return { a: motionOfSide('a', a), b: motionOfSide('b', b) };
}

function motionOfSide(name: string, side: SideModel = { keys: [{}] }): RigidMotion {
  const { keys, between, about } = side;
  const poses = keys.map((key, i) => {
    const place = pathText([name, 'keys', i]);
    requireOneWay(key, place);
    const { pose, linear } = placementOf(key);
    if (linear) throw new OptionError(`${place}: its matrix scales, shears or mirrors; a motion only moves`);
    return pose;
  });
  if (keys.length === 1) return still(poses[0]);
  const all = keys.map(({ time, turns, axis, control }, i) => {
    if (time === undefined)
      throw new OptionError(`expected a number at ${pathText([name, 'keys', i, 'time'])}, found nothing`);
    return { time, pose: poses[i], ...(turns && { turns }), ...(axis && { axis }), ...(control && { control }) };
  });
  try {
    return keyed(all, { ...(between && { between }), ...(about && { about }) });
  } catch (error) {
    throw error instanceof OptionError ? new OptionError(`${name}.${error.message}`) : error;
  }
}
