import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read as decode } from '../../src/browser.ts';
import type { NamedState } from '../../src/readers/robot/srdf.ts';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { loadScene } from '../../src/scene/load.ts';
import { allowancesOf, MovingRobot, parseState } from '../../src/scene/robot.ts';
import { readScene } from '../../src/scene/scene-file.ts';

const BOX = '<collision><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></collision>';
const leads = (from: string, to: string, inside = '') =>
  `<joint name="${from}${to}" type="prismatic"><parent link="${from}"/><child link="${to}"/>${inside}</joint>`;
const robotOf = (inside: string) => readUrdf(new TextEncoder().encode(`<robot name="r">${inside}</robot>`));

/** base - frame (no shape) - arm (two) - hand, and a finger on the frame. */
const arm = robotOf(
  `<link name="base">${BOX}</link><link name="frame"/><link name="arm">${BOX}${BOX}</link>
   <link name="hand">${BOX}</link><link name="finger">${BOX}</link>
   ${leads('base', 'frame')}${leads('frame', 'arm', '<limit lower="-1" upper="1"/>')}
   ${leads('arm', 'hand')}${leads('frame', 'finger', '<mimic joint="framearm" multiplier="2"/>')}`,
);

describe('pairs that may touch', () => {
  const named = (list: ReturnType<typeof allowancesOf>) => list.map(({ a, b, reason }) => `${a} ${b} ${reason}`);

  test('without an SRDF: those of a link, and of links that hang on each other', () =>
    // What has no shape parts nobody; two that hang on it are no neighbours.
    expect(named(allowancesOf(new MovingRobot(arm, 'r/'), null))).toEqual([
      'r/arm/1 r/arm/2 one link',
      'r/base r/arm/1 adjacent',
      'r/base r/arm/2 adjacent',
      'r/arm/1 r/hand adjacent',
      'r/arm/2 r/hand adjacent',
      'r/base r/finger adjacent',
    ]));

  test('with an SRDF: those of a link, and what it says', () => {
    const mayTouch = [
      { a: 0, b: 3, reason: 'Never' },
      { a: 1, b: 2, reason: 'Never' },
    ];
    expect(
      named(allowancesOf(new MovingRobot(arm), { robot: arm, mayTouch, enabled: [], states: [], warnings: [] })),
    ).toEqual(['arm/1 arm/2 one link', 'base hand Never']);
  });

  test('a name that is a pattern is refused: it would allow more', () =>
    expect(() => allowancesOf(new MovingRobot(arm, 'r*/'), null)).toThrow("r*/base: a robot's name has no * and no ?"));
});

test('a robot rests, to the bit, where the loader of scenes puts it', async () => {
  const read = (path: string) => new Uint8Array(readFileSync(new URL(`../../assets/${path}`, import.meta.url)));
  const { objects } = await loadScene(
    readScene({
      ...{ gicollide: 'scene/1', assets: { arm: { file: 'arm.urdf', split: 'elements' } } },
      instances: [{ name: 'arm', asset: 'arm' }],
    }),
    { read, decode },
  );
  const poses = new MovingRobot(readUrdf(read('arm.urdf')), 'arm/').poses();
  expect(Object.fromEntries(objects.map(({ name, pose }) => [name, pose]))).toEqual(poses);
});

describe('a robot that moves', () => {
  test('joints keep their values until a state says others', () => {
    const robot = new MovingRobot(arm);
    const heights = () => Object.fromEntries(Object.entries(robot.poses()).map(([name, pose]) => [name, pose[3]]));
    expect(heights()).toEqual({ base: 0, 'arm/1': 0, 'arm/2': 0, hand: 0, finger: 0 });
    robot.move(new Map([[1, 0.5]]));
    expect(heights()).toEqual({ base: 0, 'arm/1': 0.5, 'arm/2': 0.5, hand: 0.5, finger: 1 });
    robot.move(new Map([[0, 1]]));
    expect(heights()).toEqual({ base: 0, 'arm/1': 1.5, 'arm/2': 1.5, hand: 1.5, finger: 2 });
    expect(robot.poses().base[11]).toBe(1);
  });

  test('a link that is called as something of JavaScript moves as others do', () => {
    const robot = new MovingRobot(
      robotOf(`<link name="a"/><link name="__proto__">${BOX}</link>${leads('a', '__proto__')}`),
    );
    robot.move(new Map([[0, 2]]));
    expect(Object.entries(robot.poses()).map(([name, pose]) => [name, pose[3]])).toEqual([['__proto__', 2]]);
  });

  test('what is beyond a limit is said, but for what printing rounds', () => {
    const robot = new MovingRobot(arm);
    expect(robot.beyondLimits()).toBeNull();
    robot.move(new Map([[1, 1 + 1e-12]]));
    expect(robot.beyondLimits()).toBeNull();
    robot.move(new Map([[1, 1.5]]));
    expect(robot.beyondLimits()).toBe('joint framearm: 1.5 is beyond its limits, -1 to 1');
  });

  test('beyond a limit of angles, the unit is said, and what the degrees would be', () => {
    const moved = (limits: string, value: number) => {
      const inside = '<joint name="lift" type="revolute"><parent link="a"/><child link="b"/>';
      const robot = new MovingRobot(robotOf(`<link name="a"/><link name="b"/>${inside}<limit ${limits}/></joint>`));
      robot.move(new Map([[0, value]]));
      return robot.beyondLimits();
    };
    expect(moved('lower="-1.8" upper="1.8"', 90)).toBe(
      'joint lift: 90 is beyond its limits, -1.8 to 1.8 radians; 90 degrees are 1.571',
    );
    expect(moved('lower="0" upper="1"', 90)).toBe('joint lift: 90 is beyond its limits, 0 to 1 radians');
  });

  test('what is too large for a sine, through a mimic as well, is refused', () => {
    const large = '<mimic joint="ab" multiplier="1e30"/>';
    const robot = new MovingRobot(
      robotOf(`<link name="a"/><link name="b"/><link name="c"/>${leads('a', 'b')}${leads('a', 'c', large)}`),
    );
    expect(() => robot.move(new Map([[0, 1]]))).toThrow(
      'joint ac: expected a value of size at most 1048576, found 1e+30',
    );
  });
});

describe('the text of a state', () => {
  const states: NamedState[] = [
    {
      name: 'ready',
      group: 'arm',
      values: new Map([
        [0, 1],
        [1, 2],
      ]),
    },
    { name: 'ready', group: 'hand', values: new Map([[2, 3]]) },
    { name: 'home', group: 'arm', values: new Map([[0, 4]]) },
    { name: 'home', group: 'hand', values: new Map([[0, 5]]) },
  ];
  const parse = (text: string) => [...parseState(text, arm, states)];

  test('names of states, of all groups or of one, and values', () => {
    expect(parse('ready')).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(parse('hand/ready')).toEqual([[2, 3]]);
    expect(parse(' hand/home , framearm = -0.5')).toEqual([
      [0, 5],
      [1, -0.5],
    ]);
    expect(parse('baseframe=1,arm/ready')).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  test('joints of several values: all of them with spaces between, or each by its name', () => {
    const ends = '<parent link="a"/><child link="b"/>';
    const base = robotOf(
      `<link name="a"/><link name="b">${BOX}</link><joint name="base" type="planar">${ends}</joint>`,
    );
    expect([...parseState('base=1 2  3,base/theta=0.5', base, [])]).toEqual([
      [0, 1],
      [1, 2],
      [2, 0.5],
    ]);
    const robot = new MovingRobot(base);
    robot.move(parseState('base=1 2 0', base, []));
    expect(robot.poses().b.filter((_, k) => k % 4 === 3)).toEqual(Float64Array.of(1, 2, 1, 1));
    expect(robot.beyondLimits()).toBeNull();
    expect(() => parseState('base=1 2', base, [])).toThrow(
      '--state: expected 3 numbers, separated by spaces for joint base, found "1 2"',
    );
    expect(() => parseState('base/tetha=1', base, [])).toThrow('no joint "base/tetha"; did you mean base/theta?');
  });

  test.each([
    ['home', '--state: groups have different values of joint "baseframe" as "home"; use hand/home'],
    ['redy', '--state: no state "redy"; did you mean ready?'],
    ['x', '--state: no state "x"; known: ready, home'],
    ['framarm=1', '--state: no joint "framarm"; did you mean framearm?'],
    ['framefinger=1', '--state: joint "framefinger" is moved by no state'],
    ['framearm=', '--state: expected a number for joint framearm, found ""'],
    ['framearm=1e999', '--state: expected a number for joint framearm, found "1e999"'],
  ])('%s', (text, message) => expect(() => parse(text)).toThrow(message));
});
