/** Files of motions: what they mean, what is refused, and the schema that editors read. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { makeSchema } from '../../scripts/make-schema.mjs';
import { schemaNotes } from '../../src/base/schema-notes.ts';
import { motionSchema, readMotion } from '../../src/motion/motion-file.ts';

const file = (a: unknown, b?: unknown): string => JSON.stringify({ gicollide: 'motion/1', a, b });
const TWO = [{ time: 1 }, { time: 3, translate: [4, 0, 0] }];

test('keys are placements at times; what is not named stands still', () => {
  const { a, b } = readMotion(file({ keys: [{ time: 0, rotate: { axis: [0, 0, 1], degrees: 90 } }, ...TWO] }));
  expect([a.begin, a.end]).toEqual([0, 3]);
  expect(a.poseAt(2)[3]).toBe(2);
  expect(a.poseAt(0)[1]).toBe(-1);
  expect(b.poseAt(7)).toEqual(Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1));
});

test('one key stands still; turns, axes, control points and about are what the library takes', () => {
  const spin = [{ time: 0, turns: 1, axis: [0, 0, 1] }, { time: 1 }];
  const { a, b } = readMotion(
    file({ keys: [{ translate: [1, 2, 3] }] }, { keys: spin, between: 'straight', about: [1, 0, 0] }),
  );
  expect([...a.poseAt(5)].filter((_, k) => k % 4 === 3)).toEqual([1, 2, 3, 1]);
  expect(b.poseAt(0.5)[3]).toBeCloseTo(2, 12);
  const curve = [
    {
      time: 0,
      control: [
        [0, 1, 0],
        [1, 1, 0],
      ],
    },
    { time: 1, translate: [1, 0, 0] },
  ];
  expect(readMotion(file({ keys: curve, between: 'bezier' })).a.poseAt(0.5)[7]).toBe(0.75);
});

describe('what is refused, in one line', () => {
  test.each<[string, string, string]>([
    ['another format', '{"gicollide": "scene/1"}', 'expected "motion/1" at gicollide, found "scene/1"'],
    ['no JSON', '{"gicollide": "motion/1",\n}', 'line 2: '],
    [
      'nothing that moves',
      file({ keys: [{}] }),
      'expected two keys or more at a.keys or b.keys, since otherwise nothing moves',
    ],
    ['no keys', file({ keys: [] }), 'expected a list of at least 1 at a.keys, found a list of 0'],
    [
      'a mistyped key',
      file({ keys: [{ tme: 0 }, {}] }),
      'only known keys at a.keys[0], found "tme": did you mean time?',
    ],
    [
      'a key of three.js',
      file({ keys: [{ time: 0, position: [0, 0, 0] }, {}] }),
      'only known keys at a.keys[0], found "position": did you mean translate?',
    ],
    [
      'a mistyped side',
      file({ keys: TWO, abaut: [0, 0, 0] }),
      'only known keys at a, found "abaut": did you mean about?',
    ],
    ['no time', file({ keys: [{ time: 0 }, {}] }), 'expected a number at a.keys[1].time, found nothing'],
    [
      'times that go back',
      file(undefined, { keys: [{ time: 2 }, { time: 1 }] }),
      'b.keys[1].time: expected a later time than the key before, found 1',
    ],
    [
      'a matrix that scales',
      file({ keys: [{ time: 0, matrix: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1] }, { time: 1 }] }),
      'a.keys[0]: its matrix scales, shears or mirrors; a motion only moves',
    ],
    [
      'two ways at once',
      file({ keys: [{ time: 0, rotate: { axis: [0, 0, 1], degrees: 1 }, quaternion: [0, 0, 0, 1] }, { time: 1 }] }),
      'expected rotate or quaternion at a.keys[0], found both',
    ],
    [
      'another way',
      file({ keys: TWO, between: 'line' }),
      'expected "screw" or "straight" or "bezier" or "cubic" at a.between, found "line"',
    ],
    [
      'half a turn',
      file({ keys: [{ time: 0, turns: 0.5 }, { time: 1 }] }),
      'expected a whole number at a.keys[0].turns, found 0.5',
    ],
    [
      'a turn without an axis',
      file({ keys: [{ time: 0, turns: 1 }, { time: 1 }] }),
      'a.axis: expected an axis, since both poses have the same rotation',
    ],
  ])('%s', (_, text, message) => {
    expect(() => readMotion(text)).toThrow(message);
  });
});

test('docs/motion.schema.json is this schema, and takes what the reader takes', () => {
  const text = readFileSync('docs/motion.schema.json', 'utf8');
  expect(text).toBe(makeSchema(motionSchema, schemaNotes));
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(text));
  expect(validate(JSON.parse(file({ keys: TWO })))).toBe(true);
  expect(validate({ gicollide: 'motion/1', a: { keys: [{ tme: 0 }] } })).toBe(false);
});
