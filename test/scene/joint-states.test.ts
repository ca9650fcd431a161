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

const parsing = new JointStateReader(robot, () => {});
await parsing.prepare();

/** Blank lines are left out, as by the command line. */
function statesOf(text: string, told: string[] = [], of = robot): JointState[] {
  const reader = new JointStateReader(of, (problem) => told.push(problem));
  Object.assign(reader, { parseYaml: Reflect.get(parsing, 'parseYaml') });
  const states = text.split('\n').flatMap((line, n) => (line.trim() === '' ? [] : reader.read(line, n + 1)));
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
      'joint j3 mimics j1; its values in states are left out',
      'joint j4 is fixed; its values in states are left out',
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

/** What a message says of j1 and j2, in the order of the states. */
const valuesOf = (text: string) => statesOf(text).map(({ time, values }) => [time, values.get(0), values.get(1)]);

const YAML_STATES = `header:
  seq: 3
  stamp:
    secs: 12
    nsecs: 500000000
  frame_id: ''
name: [j1, j2]
position: [0.5, -1.0]
velocity: []
effort: []
---
header:
  seq: 4
  stamp: {sec: 13, nanosec: 0}
  frame_id: "base"

name:
- j2
- j1
position:
- 2.0
- 0.25
velocity: []
effort: []
---
`;
const TRAJECTORY = `joint_trajectory:
  header: {seq: 0, stamp: {secs: 0, nsecs: 0}, frame_id: world}
  joint_names:
    - j1
    - j2
  points:
    - positions: [0.5, -1]
      velocities: [0, 0]
      time_from_start: {secs: 0, nsecs: 0}
    -
      positions: [0.25, 2.0e0] # the end
      time_from_start:
        secs: 1
        nsecs: 500000000
multi_dof_joint_trajectory:
  joint_names: []
  points: []
`;
const indented = (text: string): string => text.replaceAll(/^/gm, '  ').replace(/ +$/, '');
const POINTS = [
  [0, 0.5, -1],
  [1.5, 0.25, 2],
];

describe('messages of ROS', () => {
  const two = [
    [12.5, 0.5, -1],
    [13, 0.25, 2],
  ];
  test('JointState as YAML, with the line where each begins', () => {
    expect(valuesOf(YAML_STATES)).toEqual(two);
    expect(valuesOf(`---\n${YAML_STATES}`)).toEqual(two);
    expect(statesOf(YAML_STATES).map(({ line }) => line)).toEqual([1, 12]);
  });

  test('JointState as NDJSON, and as CSV of rostopic and of bagpy', () => {
    const message = (secs: number, name: string[], position: number[]) =>
      JSON.stringify({ header: { stamp: { secs, nsecs: 0 } }, name, position, velocity: [] });
    expect(valuesOf(`${message(12.5, ['j1', 'j2'], [0.5, -1])}\n${message(13, ['j2', 'j1'], [2, 0.25])}`)).toEqual(two);
    expect(
      valuesOf(
        '%time,field.header.seq,field.header.stamp,field.header.frame_id,field.name0,field.name1,field.position0,field.position1,field.velocity0\n' +
          '12500000000,1,12500000000,base,j1,j2,0.5,-1.0,0\n13000000000,2,13000000000,base,j2,j1,2.0,0.25,0\n',
      ),
    ).toEqual(two);
    for (const [a, b] of [
      ['position_0', 'position_1'],
      ['position[0]', 'position[1]'],
    ])
      expect(
        valuesOf(
          `Time,header.seq,header.stamp.secs,header.stamp.nsecs,header.frame_id,name,${a},${b},velocity,effort_0\n` +
            `12.5,1,12,5,"base, left","['j1', 'j2']",0.5,-1.0,(),0\n13,2,13,0,,"['j2', 'j1']",2.0,0.25,(),0\n`,
        ),
      ).toEqual(two);
  });

  test('trajectories as YAML: of joints, of a robot, to display, and of a goal', () => {
    const joints = TRAJECTORY.slice(TRAJECTORY.indexOf('\n') + 1, TRAJECTORY.indexOf('multi')).replaceAll(
      /^ {2}/gm,
      '',
    );
    const goal = `header: {}\ngoal_id: {}\ngoal:\n  trajectory:\n${indented(indented(joints))}\n`;
    for (const text of [joints, TRAJECTORY, `trajectory:\n${indented(TRAJECTORY)}\n`, goal])
      expect(valuesOf(text)).toEqual(POINTS);
    expect(valuesOf(`${TRAJECTORY}---\n${TRAJECTORY}---\n`)).toEqual([...POINTS, ...POINTS]);
    expect(valuesOf(`- ${indented(TRAJECTORY).trim()}\n`)).toEqual(POINTS);
  });

  test('the start of a trajectory to display puts the joints that it does not move', () => {
    const text = `model_id: arm
trajectory:
  - joint_trajectory:
      joint_names: [j1]
      points: [{positions: [0.5], time_from_start: {secs: 0, nsecs: 0}}, {positions: [0.75], time_from_start: 1}]
trajectory_start:
  joint_state: {header: {}, name: [j1, j2], position: [0.25, -1]}
  multi_dof_joint_state:
    joint_names: [base]
    transforms: [{translation: {x: 0, y: 0, z: 0}, rotation: {x: 0, y: 0, z: 0, w: 1}}]
  attached_collision_objects: []
`;
    expect(valuesOf(text)).toEqual([
      [0, 0.5, -1],
      [1, 0.75, undefined],
    ]);
    const told: string[] = [];
    statesOf(text.replace('objects: []', 'objects: [{link_name: e}]'), told);
    expect(told).toEqual(['objects attached to the robot are left out']);
    expect(refusal(() => statesOf(text.replace('x: 0,', 'x: 0.5,'))).message).toBe(
      'line 1: expected joints of one value each at trajectory_start, found a transform other than the identity in multi_dof_joint_state',
    );
  });

  test('joints of several degrees of freedom are refused, unless they are the base at rest', () => {
    const transform = '{translation: {x: 0, y: 0, z: 0}, rotation: {x: 0, y: 0, z: 0, w: 1}}';
    const several = (name: string, at: string): string =>
      TRAJECTORY.replace(
        /joint_names: \[\]\n {2}points: \[\]/,
        `joint_names: [${name}]\n  points: [{transforms: [${at}]}]`,
      );
    expect(valuesOf(several('world', transform))).toEqual(POINTS);
    expect(refusal(() => statesOf(several('j4', transform))).message).toBe(
      'line 1: expected joints of one value each, found "j4" in multi_dof_joint_trajectory',
    );
    expect(refusal(() => statesOf(several('world', transform.replace('z: 0', 'z: 0.1')))).message).toBe(
      'line 1: expected joints of one value each, found a transform other than the identity in multi_dof_joint_trajectory',
    );
  });

  test('states of a map a document, and of a list of maps', () => {
    expect(valuesOf('j1: 0.5\nj2: -1\ntime: 0\n---\ntime: 1.5\nj1: 0.25\nj2: 2')).toEqual(POINTS);
    expect(valuesOf('# two states\n- {time: 0, j1: 0.5, j2: -1}\n-\n  time: 1.5\n  j1: 0.25\n  j2: 2')).toEqual(POINTS);
  });

  test('CSV with a header behind a mark, semicolons and comments', () => {
    expect(valuesOf('# of a plan\n#Timestamp;j2;j1\n0;-1;0.5\n# next\n1.5;2;0.25\n')).toEqual(POINTS);
  });
});

test.each([
  ['j1;j2\n0,5;1\n', 'line 2: expected numbers with a decimal point between semicolons, found 0,5'],
  ['#time,j1,j2\n0,1,2\n#time,j2,j1\n0,2,1', 'line 3: expected the columns of the rows above, found "#time,j2,j1"'],
  ['name: [j1, j2]\nposition: [1]\n', 'line 1: expected 2 positions, found 1'],
  ['\nname: [j1, j1]\nposition: [1, 2]\n', 'line 2: expected each joint once, found one again'],
  ['j1: 1\n---\nname: [k]\nposition: [1]\n', 'line 3: expected a joint of the robot, or time, found "k"'],
  ['name: [j1]\nposition: [.nan]\n', /^line 1: expected a number .* of joint j1, found NaN$/],
  ['j1: 1\nj1: 2\n', 'line 2: expected each key of a map once, found "j1" again'],
  ['j1: &a 1\nj2: *a\n', 'line 2: expected values without aliases, found an alias'],
  ['j1: !!python/object:x 1\n', /^line 1: expected YAML, found Unresolved tag/],
  ['j1: [1\n\n\nj2: 3', /^line 4: expected YAML, found /],
  [`j1: ${'['.repeat(100)}`, 'line 1: expected at most 64 levels of lists and maps, found more'],
  [`a: &a [1]\n${'b: &b [*a, *a]\n'.repeat(9)}`, /^line \d+: expected (values without aliases|each key)/],
  [`j1: "${' '.repeat(2 ** 22)}"`, /^line 1: expected a YAML document of at most 4194304 characters, found /],
  [`j1: [${'1,'.repeat(2 ** 18)}]`, /^line 1: expected a YAML document of at most 262144 marks and lines/],
  ['joint_names: [j1]\npoints:\n- positions: [1, 2]\n', 'line 1: expected 1 positions at points[0], found 2'],
  [
    'joint_trajectory:\n  joint_names: [j1]\n  points: [{positions: [x]}]\n',
    /of joint j1 at joint_trajectory\.points\[0\], found "x"$/,
  ],
  ['Time,name,position_0,other\n', /^line 1: expected a column of a JointState: .* found "other"$/],
  ["Time,name,position_0\n1,\"['j1', 'j2']\",3\n", 'line 2: expected 2 positions, found 1'],
  ['Time,name0,position0\n1,j1,x\n', /^line 2: .* of joint j1, found "x"$/],
])('%.80j is refused in a line, as a message', (text, expected) => {
  const { message } = refusal(() => statesOf(text));
  if (typeof expected === 'string') expect(message).toBe(expected);
  else expect(message).toMatch(expected);
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
  ['{"joint_names": ["j1"], "points": [{"positions": [1, 2]}]}', 'line 1: expected 1 positions at points[0], found 2'],
  ['{"joint_names": ["j1"], "points": [{}]}', 'line 1: expected 1 positions at points[0], found nothing'],
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
