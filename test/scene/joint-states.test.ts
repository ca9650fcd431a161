import { describe, expect, test } from 'vitest';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { type JointState, JointStateReader } from '../../src/scene/robot.ts';
import { refusal } from '../support/refusal.ts';

const links = ['a', 'b', 'c', 'd', 'e'];
const joint = (n: number, inside = '', type = 'revolute') =>
  `<joint name="j${n}" type="${type}"><parent link="${links[n - 1]}"/><child link="${links[n]}"/>${inside}</joint>`;
const robot = readUrdf(
  new TextEncoder().encode(
    `<robot>${links.map((name) => `<link name="${name}"/>`).join('')}${joint(1)}${joint(2)}
     ${joint(3, '<mimic joint="j1"/>')}${joint(4, '', 'fixed')}</robot>`,
  ),
);

function statesOf(text: string, told: string[] = [], of = robot): JointState[] {
  const reader = new JointStateReader(of, (problem) => told.push(problem));
  const states = text.split('\n').flatMap((line, n) => reader.read(line, n + 1) ?? []);
  return [...states, ...reader.end()];
}
const plain = (states: JointState[]) => states.map(({ time, values, line }) => [time, [...values], line]);

describe('states of a robot', () => {
  const expected = [
    [
      0,
      [
        [0, 0.5],
        [1, -1],
      ],
    ],
    [0.25, [[1, 2]]],
  ];
  const without = (states: JointState[]) => plain(states).map(([time, values]) => [time, values]);

  test('as CSV: an empty cell leaves a joint where it is', () => {
    const states = statesOf('\ntime, "j1" ,j2\n\n0,0.5,-1\n0.25,,2e0\n');
    expect(without(states)).toEqual(expected);
    expect(states.map(({ line }) => line)).toEqual([4, 5]);
  });

  test('as objects, a line each', () =>
    expect(plain(statesOf('{"time": 0, "j1": 0.5, "j2": -1}\n\n{"j2": 2, "time": 0.25}'))).toEqual([
      [
        0,
        [
          [0, 0.5],
          [1, -1],
        ],
        1,
      ],
      [0.25, [[1, 2]], 3],
    ]));

  test('as one list of objects, over any lines', () =>
    expect(without(statesOf('[\n {"time": 0, "j1": 0.5, "j2": -1},\n {"j2": 2,\n "time": 0.25}\n]'))).toEqual(
      expected,
    ));

  test('as a trajectory of ROS, on one line or many, and within what has one', () => {
    const times = [
      [0, 0.25],
      [
        { sec: 0, nanosec: 0 },
        { sec: 0, nanosec: 250000000 },
      ],
      [
        { secs: 0, nsecs: 0 },
        { secs: 0, nsecs: 250000000 },
      ],
    ];
    for (const [first, second] of times) {
      const value = {
        joint_names: ['j1', 'j2'],
        points: [
          { positions: [0.5, -1], velocities: [], time_from_start: first },
          { positions: [0.5, 2], time_from_start: second },
        ],
      };
      const both = [
        expected[0],
        [
          0.25,
          [
            [0, 0.5],
            [1, 2],
          ],
        ],
      ];
      for (const text of [
        JSON.stringify(value),
        JSON.stringify(value, null, 1),
        JSON.stringify({ joint_trajectory: value }),
      ])
        expect(without(statesOf(text))).toEqual(both);
    }
  });

  test('joints that nobody drives are left out, and told of once', () => {
    const told: string[] = [];
    expect(plain(statesOf('j3,j4,j1\n1,1,1\n2,2,2', told))).toEqual([
      [null, [[0, 1]], 2],
      [null, [[0, 2]], 3],
    ]);
    expect(told).toEqual([
      'joint j3 mimics j1, and what states say of it is left out',
      'joint j4 is fixed, and what states say of it is left out',
    ]);
  });

  test('names of joints that mean something to JavaScript are no joints', () =>
    expect(refusal(() => statesOf('{"__proto__": 1}')).message).toContain('found "__proto__"'));
});

describe('joints of several values', () => {
  const two = '<link name="a"/><link name="b"/><link name="c"/>';
  const base = readUrdf(new TextEncoder().encode(`<robot>${two}${joint(1, '', 'planar')}${joint(2)}</robot>`));

  test.each([
    ['a column each', 'j1/x,j1/y,j1/theta,j2\n1,2,3,4\n'],
    ['a column of all', 'j1,j2\n1 2 3,4\n'],
    ['objects', '{"j1": [1, 2, 3], "j2": 4}'],
    ['objects of each', '{"j1/x": 1, "j1/y": 2, "j1/theta": 3, "j2": 4}'],
    ['a trajectory', '{"joint_names": ["j2", "j1/theta", "j1/x", "j1/y"], "points": [{"positions": [4, 3, 1, 2]}]}'],
  ])('%s', (_, text) => {
    const [{ values }] = statesOf(text, [], base);
    expect([...values].sort(([n], [m]) => n - m)).toEqual([1, 2, 3, 4].map((value, n) => [n, value]));
  });

  test.each([
    ['j1\n1 2\n', 'line 2: expected 3 numbers of joint j1, found "1 2"'],
    ['j1\n1 2 x\n', 'line 2: expected a number of size at most 1048576 of joint j1, found NaN'],
    ['{"j1": 1}', 'line 1: expected 3 numbers of joint j1, found 1'],
    ['j1/z\n', /found "j1\/z": did you mean j1\/x\?/],
    ['j1,j1/x\n1 2 3,4\n', 'line 1: expected each joint once, found "j1/x" again'],
  ])('%j is refused in a line', (text, expected) => {
    const { message } = refusal(() => statesOf(text, [], base));
    if (typeof expected === 'string') expect(message).toBe(expected);
    else expect(message).toMatch(expected);
  });
});

test.each([
  ['j1,jj2\n', 'line 1: expected a joint of the robot, or time, found "jj2": did you mean j2?'],
  ['j1,j2,j1\n', 'line 1: expected each joint once, found "j1" again'],
  ['j1,j2\n1,2\n1\n', 'line 3: expected 2 values, as the header has names, found 1'],
  ['j1\nx', 'line 2: expected a number of size at most 1048576 of joint j1, found "x"'],
  ['j1\nNaN', /line 2: .* found "NaN"/],
  ['j1\n1e9', /line 2: .* found "1e9"/],
  ['0.1,0.2\n', 'line 1: expected a joint of the robot, or time, found "0.1"'],
  ['{"j1": 1}\n{"j1": "1"}', 'line 2: expected a number of size at most 1048576 of joint j1, found "1"'],
  ['{"j1": 1}\n{"j1": null}', /line 2: .* found null/],
  ['{"j1": 1}\n{"j1": 1', /line 2: expected/],
  ['{"j1": 1}\n[1]', "line 2: expected an object of joints' values, found a list"],
  ['{"j1": 1, "j1": 2}', 'line 1: expected each key of an object once, found "j1" again'],
  ['[\n{"j1": 1},\n{"k": 1}]', 'expected a joint of the robot, or time at [1], found "k"'],
  ['[\n{"j1": 1},\n', /expected/],
  ['[1]', "expected an object of joints' values at [0], found 1"],
  ['{\n"j1": 1}', 'expected a list of states, or a trajectory: joint_names and points, found an object without these'],
  ['{"joint_names": ["j1"], "points": [{"positions": [1, 2]}]}', 'expected 1 positions at points[0], found 2'],
  [
    '{"joint_trajectory": {"joint_names": [], "points": []}, "multi_dof_joint_trajectory": {"joint_names": ["base"]}}',
    'expected a trajectory of joints of one value each, found a multi_dof_joint_trajectory',
  ],
  ['{"joint_names": ["j1"], "points": [{}]}', 'expected 1 positions at points[0], found nothing'],
  ['{"joint_names": ["j1"], "points": [{"positions": ["1"]}]}', /of joint j1 at points\[0\], found "1"/],
  [
    '{"joint_names": ["j1"], "points": [{"positions": [1], "time_from_start": "1"}]}',
    /at points\[0\]\.time_from_start/,
  ],
])('%j is refused in a line', (text, expected) => {
  const { message } = refusal(() => statesOf(text));
  if (typeof expected === 'string') expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});
