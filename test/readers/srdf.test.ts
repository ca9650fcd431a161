import { describe, expect, test } from 'vitest';
import { readSrdf } from '../../src/readers/robot/srdf.ts';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { refusal } from '../support/refusal.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const leads = (from: string, to: string, inside = '') =>
  `<joint name="${from}${to}" type="prismatic"><parent link="${from}"/><child link="${to}"/>${inside}</joint>`;
const robot = readUrdf(
  bytesOf(
    `<robot name="r">${['a', 'b', 'c', 'd'].map((name) => `<link name="${name}"/>`).join('')}
     ${leads('a', 'b')}${leads('b', 'c')}${leads('c', 'd', '<mimic joint="ab"/>')}</robot>`,
  ),
);
const read = (inside: string, told?: string[]) =>
  readSrdf(
    bytesOf(`<robot name="r">\n${inside}</robot>`),
    robot,
    told && { onUnmatched: (problem) => told.push(problem) },
  );

const off = (a: string, b: string) => `<disable_collisions link1="${a}" link2="${b}" reason="Never"/>`;
const on = (a: string, b: string) => `<enable_collisions link1="${a}" link2="${b}"/>`;
const pairs = (inside: string) => read(inside).mayTouch.map(({ a, b, reason }) => `${a}${b} ${reason}`);

test('pairs that may touch, each once, in either order', () =>
  expect(pairs(off('d', 'a') + off('a', 'd') + off('b', 'c'))).toEqual(['03 Never', '12 Never']));

test('all pairs of a link, but for those that are switched on again', () => {
  const all = '<disable_default_collisions link="b"/>';
  expect(pairs(on('d', 'b') + all)).toEqual(['01 default', '12 default']);
  expect(pairs(on('d', 'b') + off('b', 'd') + all)).toEqual(['01 default', '12 default', '13 Never']);
});

const state = (name: string, group: string, inside: string) =>
  `<group_state name="${name}" group="${group}">${inside}</group_state>`;
const value = (joint: string, ...numbers: number[]) => `<joint name="${joint}" value="${numbers.join(' ')}"/>`;
const virtual = (type: string, child = 'a', name = 'world') =>
  `<virtual_joint name="${name}" type="${type}" parent_frame="odom" child_link="${child}"/>`;

test('states have names, groups, and values of joints that are driven', () => {
  const { states, warnings } = read(
    `${state('ready', 'arm', value('ab', 0.5) + value('bc', -1))}
     ${state('open', 'hand', value('cd', 1))}`,
  );
  expect(states.map(({ name, group, values }) => [name, group, [...values]])).toEqual([
    [
      'ready',
      'arm',
      [
        [0, 0.5],
        [1, -1],
      ],
    ],
    ['open', 'hand', []],
  ]);
  expect(warnings).toEqual(['line 3: joint cd is moved by no state, and its value is left out']);
});

describe('a virtual joint', () => {
  test.each([
    ['planar', [1, 2, 3]],
    ['Floating', [1, 2, 3, 0.5, 0.5, 0.5, 0.5]],
  ])('%s: the robot hangs on it, and states move it', (type, numbers) => {
    const {
      robot: hung,
      states,
      mayTouch,
      warnings,
    } = read(virtual(type) + off('a', 'c') + state('home', 'all', value('world', ...numbers) + value('bc', 9)));
    expect(hung.links.map(({ name }) => name)).toEqual(['odom', 'a', 'b', 'c', 'd']);
    expect(hung.joints.map(({ name, parent, first }) => [name, parent, first])).toEqual([
      ['world', 0, 0],
      ['ab', 1, numbers.length],
      ['bc', 2, numbers.length + 1],
      ['cd', 3, numbers.length + 2],
    ]);
    expect(hung.joints[3].mimic?.joint).toBe(1);
    expect(mayTouch).toMatchObject([{ a: 1, b: 3 }]);
    expect([...states[0].values]).toEqual([...numbers.entries(), [numbers.length + 1, 9]]);
    expect(warnings).toEqual([]);
  });

  test('that is fixed moves nothing; a value of it is told of', () => {
    const { robot: same, warnings } = read(`${virtual('fixed')}${state('home', 'all', value('world', 1))}`);
    expect(same).toBe(robot);
    expect(warnings).toEqual(['line 2: joint world is moved by no state, and its value is left out']);
  });

  test.each([
    [virtual('planar', 'b'), 'virtual joint world leads to "b", not to the root "a", and is left out'],
    [virtual('planar', 'a', 'ab'), 'virtual joint ab has the name of a joint of the robot, and is left out'],
    [virtual('planar') + virtual('planar', 'a', 'w'), 'virtual joint w is the second one, and is left out'],
  ])('%s', (inside, warning) => expect(read(inside).warnings).toEqual([`line 2: ${warning}`]));
});

test('another robot of that name, and what the robot does not have', () => {
  expect(readSrdf(bytesOf('<robot name="q"/>'), robot).warnings).toEqual([
    'it describes robot "q", but the other file describes "r"',
  ]);
  const told: string[] = [];
  expect(read(off('a', 'x') + off('a', 'b'), told).mayTouch).toEqual([{ a: 0, b: 1, reason: 'Never' }]);
  expect(told).toEqual(['line 2: the robot has no "x", and this <disable_collisions> is left out; did you mean "a"?']);
});

test.each([
  [off('a', 'x'), /line 2: expected a name of the robot as link2 of <disable_collisions>, found "x"/],
  ['<disable_collisions link1="a"/>', 'line 2: expected <disable_collisions link2="...">, found none'],
  [
    '<group_state name="s"><joint name="abc" value="1"/></group_state>',
    /as name of <joint>, found "abc"; did you mean "ab"\?/,
  ],
  [
    '<group_state name="s"><joint name="ab" value="x"/></group_state>',
    'line 2: expected a number as value of <joint>, found "x"',
  ],
  ['<group_state name="s"><joint name="ab"/></group_state>', 'line 2: expected <joint value="...">, found none'],
  [
    virtual('planer'),
    /line 2: expected a type of virtual joint \(fixed, planar, floating\), found "planer": did you mean/,
  ],
  [
    virtual('planar') + state('s', 'g', value('world', 1, 2)),
    'line 2: expected 3 numbers as value of <joint>, found "1 2"',
  ],
  ['<group_state/>', 'line 2: expected <group_state name="...">, found none'],
])('%s', (inside, expected) => {
  const { message } = refusal(() => read(inside));
  if (typeof expected === 'string') expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});

test('a hint on how to go on follows the name that is unknown', () => {
  const inside = state('home', 'all', value('root_joint', 0, 0, 0.3, 0, 0, 0, 1));
  expect(refusal(() => readSrdf(bytesOf(`<robot name="r">${inside}</robot>`), robot, { hint: ' (so)' })).message).toBe(
    'line 1: expected a name of the robot as name of <joint>, found "root_joint" (so)',
  );
});
