/** Mutated robots and what goes with them: each is read, or refused in one line. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { InputError } from '../../src/base/errors.ts';
import { readMeshFile } from '../../src/readers/formats.ts';
import { namesOfValues, restValues } from '../../src/readers/robot/robot.ts';
import { readSrdf } from '../../src/readers/robot/srdf.ts';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { allowancesOf, JointStateReader, MovingRobot } from '../../src/scene/robot.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { randomRobot, urdfOf } from '../support/robots.ts';

const MUTATIONS = long ? 10_000 : 600;
const TRIANGLE = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');

const SHAPES = [
  '<box size="1 2 3"/>',
  '<sphere radius="0.5"/>',
  '<cylinder radius="0.5" length="2"/>',
  '<capsule radius="0.5" length="2"/>',
  '<mesh filename="package://p/t.obj" scale="1 1 2"/>',
];
const WORDS = [
  '"',
  '<',
  '>',
  '/',
  '&',
  '&lt;',
  '<!--',
  '-->',
  '<![CDATA[',
  '<?',
  '<!DOCTYPE',
  'NaN',
  '1e999',
  '-',
  '0',
  ' ',
  '\n',
  '\0',
  '=',
  '<link name="link 1"/>',
  '<mimic joint="joint 2"/>',
  '__proto__',
  '\u{1F916}',
  '\uD800',
];

/** Text with some of it cut, copied, exchanged, or words of the format put in. */
function mutated(text: string, random: Random): string {
  let now = text;
  for (let n = 1 + random.below(2); n > 0; n--) {
    const at = random.below(now.length + 1);
    const end = Math.min(now.length, at + random.below(5));
    const kind = random.below(6);
    if (kind === 0) now = now.slice(0, at) + now.slice(end);
    else if (kind === 1) now = now.slice(0, at) + random.pick(WORDS) + now.slice(at);
    else if (kind === 2) now = now.slice(0, at) + random.pick(WORDS) + now.slice(end);
    else if (kind === 3) now = now.slice(0, at) + now.slice(at, at + random.below(200)) + now.slice(at);
    else if (kind === 4) now = now.slice(0, at) + String.fromCharCode(random.below(128)) + now.slice(at + 1);
    else now = now.slice(0, at) + now.slice(at).replace(/\d/, String(random.below(10)));
  }
  return now;
}

/** What reading gives; null where it is refused, in one line. */
async function outcome<T>(read: () => T | Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    expect(error.message).toMatch(/^[^\n\r]{1,400}$/);
    return null;
  }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const joint = (type: string, parent: string, child: string) =>
  `<joint name="${type}" type="${type}"><parent link="${parent}"/><child link="${child}"/><origin quat_xyzw="0 0.5 1 2"/></joint>`;
/** Of every type of joint, and every shape. */
const text = urdfOf(
  randomRobot(seeded(3), 8),
  (link) => `<collision><geometry>${SHAPES[Number(link.slice(5)) % 5]}</geometry></collision>`,
)
  .replace('<robot', '<robot version="1.1"')
  .replace(
    '</robot>',
    `<link name="cart"/><link name="drone"/>${joint('planar', 'link 7', 'cart')}${joint('floating', 'cart', 'drone')}</robot>`,
  );
const robot = readUrdf(bytesOf(text));

test(`${MUTATIONS} mutations of a robot, seed 11`, { tags: ['all', 'long'] }, async () => {
  const random = seeded(11);
  let read = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const bytes = bytesOf(mutated(text, random));
    const file = await outcome(() => readMeshFile(bytes, { open: () => TRIANGLE }));
    const changed = await outcome(() => readUrdf(bytes));
    // What is no robot by its first bytes may be an OBJ file without a face.
    if (!file || !changed) continue;
    read++;
    const moving = new MovingRobot(changed);
    await outcome(() => moving.move(new Map([...moving.values.keys()].map((k) => [k, random.between(-1, 1)]))));
    for (const pose of Object.values(moving.poses())) expect(pose.every(Number.isFinite)).toBe(true);
    expect(Object.keys(moving.poses())).toHaveLength(
      file.nodes.filter(({ mesh, primitive }) => mesh !== null || primitive).length,
    );
    await outcome(() => allowancesOf(moving, null));
  }
  expect(read).toBeGreaterThan(MUTATIONS / 50);
  expect(read).toBeLessThan(MUTATIONS);
});

test(`${MUTATIONS} mutations of an SRDF, seed 12`, { tags: ['quick', 'long'] }, async () => {
  const random = seeded(12);
  const off = robot.links
    .slice(1)
    .map(({ name }) => `<disable_collisions link1="link 0" link2="${name}" reason="Never"/>`);
  const values = robot.joints.map(({ name, type }) => {
    const count = type === 'planar' ? 3 : type === 'floating' ? 7 : 1;
    return `<joint name="${name}" value="${Array(count).fill(0.5).join(' ')}"/>`;
  });
  values.push('<joint name="world" value="1 2 3"/>');
  const semantics = `<robot name="made up">\n<virtual_joint name="world" type="planar" parent_frame="odom" child_link="${robot.links[0].name}"/>${off.join('\n')}\n<disable_default_collisions link="link 3"/>
    <group_state name="ready" group="arm">${values.join('\n')}</group_state></robot>`;
  let read = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const bytes = bytesOf(mutated(semantics, random));
    const found = await outcome(() => readSrdf(bytes, robot, random.next() < 0.5 ? { onUnmatched: () => {} } : {}));
    if (!found) continue;
    read++;
    const moving = new MovingRobot(found.robot);
    for (const { values } of found.states) await outcome(() => moving.move(values));
    for (const pose of Object.values(moving.poses())) expect(pose.every(Number.isFinite)).toBe(true);
  }
  expect(read).toBeGreaterThan(MUTATIONS / 50);
  expect(read).toBeLessThan(MUTATIONS);
});

const names = [...namesOfValues(robot)].filter(([, { count }]) => count === 1).map(([name]) => name);
const count = restValues(robot).length;
const row = names.map((_, n) => n / 8);
const object = JSON.stringify(Object.fromEntries(names.map((name, n) => [name, row[n]])));
const trajectory = { joint_names: names, points: [{ positions: row, time_from_start: 1 }] };

test.each([
  ['CSV', `time,${names}\n0,${row}\n1,${row}\n`],
  ['objects', `${object}\n${object}\n`],
  ['a trajectory', JSON.stringify(trajectory, null, 1)],
  ['YAML', `---\n${stringify({ joint_trajectory: trajectory })}---\n${stringify({ name: names, position: row })}`],
  [
    'CSV of rostopic',
    `%time,${names.map((_, n) => `field.name${n}`)},${names.map((_, n) => `field.position${n}`)}\n1,${names},${row}\n`,
  ],
])(`${MUTATIONS} mutations of states as %s, seed 13`, { tags: ['quick', 'long'] }, async (_, states) => {
  const random = seeded(13);
  let read = 0;
  for (let n = 0; n < MUTATIONS; n++) {
    const changed = mutated(states, random);
    const found = await outcome(async () => {
      const reader = new JointStateReader(robot, () => {});
      await reader.prepare();
      return [...changed.split('\n').flatMap((line, i) => reader.read(line, i + 1)), ...reader.end()];
    });
    if (!found) continue;
    read++;
    for (const { values } of found)
      for (const [k, value] of values) expect(k < count && Number.isFinite(value)).toBe(true);
  }
  expect(read).toBeGreaterThan(MUTATIONS / 50);
  expect(read).toBeLessThan(MUTATIONS);
});
