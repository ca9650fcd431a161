/**
 * `gicollide scene` of robots: joints, states, what may touch, the cell about it, packages,
 * refusals.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { movePoint } from '../../src/math/pose.ts';
import { assets, expectFailure, makeFolder, run, writeMesh } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { bruteForce } from '../support/oracle.ts';
import { seeded } from '../support/random.ts';
import { randomRobot, urdfOf } from '../support/robots.ts';
import { box } from '../support/shapes.ts';
import { loaded, rowsOf } from '../support/urdf-loader.ts';

const mesh = (path: string) => `<collision><geometry><mesh filename="${path}"/></geometry></collision>`;
const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A folder with these files. */
function folderOf(files: Record<string, string>): string {
  const cwd = makeFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  return cwd;
}

test.each(some(1, [1, 2, 3, 4]))(
  'seed %i: a robot of ten links touches itself where urdf-loader places it and the oracle says so',
  { tags: ['quick', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const model = randomRobot(random, 10);
    const text = urdfOf(model, () => mesh('box.obj'));
    const cwd = folderOf({ 'r.urdf': text });
    const cube = box(0.9);
    writeMesh(join(cwd, 'box.obj'), cube);
    const theirs = await loaded(text);
    const driven = model.joints.filter(({ type, mimic }) => type !== 'fixed' && !mimic).map(({ name }) => name);
    for (const { name } of model.joints) theirs.joints[name].ignoreLimits = true;
    const states = Array.from({ length: 4 }, () =>
      Object.fromEntries(driven.map((name) => [name, random.between(-3, 3)])),
    );
    writeFileSync(join(cwd, 's.ndjson'), states.map((state) => JSON.stringify(state)).join('\n'));
    writeFileSync(join(cwd, 'r.srdf'), '<robot name="made up"/>'); // nothing may touch

    const { stdout, stderr } = await run(['scene', 'r.urdf', '--srdf', 'r.srdf', '--states', 's.ndjson', '--json'], {
      cwd,
    });
    expect(stderr).toBe('');
    const frames = linesOf(stdout).filter(({ type }) => type === 'frame');
    expect(frames).toHaveLength(states.length);
    let touching = 0;
    for (const [n, state] of states.entries()) {
      for (const [name, value] of Object.entries(state)) theirs.setJointValue(name, value);
      theirs.updateMatrixWorld(true);
      const moved = Object.fromEntries(
        model.links.map((link) => {
          const pose = Float64Array.from(rowsOf(theirs.links[link].matrixWorld.elements));
          const positions = new Float64Array(cube.positions.length);
          for (let v = 0; v < positions.length; v += 3)
            movePoint(pose, cube.positions[v], cube.positions[v + 1], cube.positions[v + 2], positions, v);
          return [link, positions];
        }),
      );
      const links = [...model.links].sort();
      const expected = links.flatMap((a, i) =>
        links
          .slice(i + 1)
          .flatMap((b) => (boxesMeet(moved[a], moved[b]) && meet(moved[a], moved[b]) ? [`${a} ${b}`] : [])),
      );
      touching += expected.length;
      expect(frames[n].pairs.map(({ a, b }: Record<string, string>) => `${a} ${b}`)).toEqual(expected);
    }
    expect(touching).toBeGreaterThan(0);

    function meet(a: Float64Array, b: Float64Array): boolean {
      const { triangles } = cube;
      return bruteForce({ positions: a, triangles }, null, { positions: b, triangles }, null).length > 0;
    }
  },
);

function boxesMeet(a: Float64Array, b: Float64Array): boolean {
  const range = (positions: Float64Array, k: number) => positions.filter((_, i) => i % 3 === k);
  return [0, 1, 2].every(
    (k) => Math.min(...range(a, k)) <= Math.max(...range(b, k)) && Math.min(...range(b, k)) <= Math.max(...range(a, k)),
  );
}

/** Two cubes of edge 1 on a rail, 3 apart, and a third hanging on the second, 1.5 further. */
const CUBE = '<collision><geometry><box size="1 1 1"/></geometry></collision>';
const rail = (inside = CUBE) => `<robot name="rail">
  <link name="a">${inside}</link><link name="b">${CUBE}</link><link name="c">${CUBE}${CUBE}</link>
  <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/><origin xyz="3 0 0"/><limit lower="-2.75" upper="0"/></joint>
  <joint name="hang" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0 0 1.5"/></joint>
</robot>`;
const STRICT =
  '<robot name="rail"><group_state name="home" group="g"><joint name="slide" value="-2.5"/></group_state></robot>';
const files = { 'rail.urdf': rail(), 'rail.srdf': STRICT };
const scene = (cwd: string, ...args: string[]) => run(['scene', ...args], { cwd });

describe('what may touch', () => {
  test('links that hang on each other, where no SRDF says it; shapes of a link always', async () => {
    const cwd = folderOf(files);
    const { code, stdout } = await scene(cwd, 'rail.urdf', '--state', 'slide=-2.5');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 objects\n2 pairs: .* 2 pairs of adjacent links allowed, \d.*\n0 problems, 4 allowed\n$/);
    const json = linesOf((await scene(cwd, 'rail.urdf', '--state', 'slide=-2.5', '--json')).stdout);
    expect(json[0]).toMatchObject({ pairs: 2, allowed: 4, adjacent: 2, beyondLimits: 0, units: 'm' });
  });

  test('with an SRDF what it says; --state takes its states', async () => {
    const cwd = folderOf(files);
    const { code, stdout } = await scene(cwd, 'rail.urdf', '--srdf', 'rail.srdf', '--state', 'home');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^overlap {2}a {2}b .*\n\n4 objects\n5 pairs: [\s\S]*, 1 allowed\n$/);
  });

  test('what --allow says, by patterns too', async () => {
    const cwd = folderOf(files);
    const { code, stdout } = await scene(
      cwd,
      'rail.urdf',
      '--srdf',
      'rail.srdf',
      '--state',
      'home',
      '--allow',
      'a,b',
      '--allow',
      'c/*,?',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('6 allowed');
    expectFailure(await scene(cwd, 'rail.urdf', '--allow', 'a,x*'), 'allow[0].b: "x*" matches no object');
  });
});

describe('states', () => {
  const EXPECTED = [
    [
      'frame 0  time 0  clear',
      'frame 1  time 0.5  1 in contact: a b',
      'frame 2  1 in contact: a b',
      'frame 3  time 2  clear',
    ],
    /^first contact {2}a {2}b {2}in frame 1 {2}time 0\.5 {2}[0-9a-f]{8}$/,
    /^4 frames: 1 pair in contact, the first in frame 1 {2}time 0.5, 0 undecided, \d/,
  ] as const;
  const list = [{ time: 0, slide: 0 }, { time: 0.5, slide: -2.5 }, {}, { slide: -1.5, time: 2 }];
  test.each([
    ['s.csv', 'time,slide\n0,0\n0.5,-2.5\n,\n2,-1.5\n'],
    ['s.ndjson', list.map((state) => JSON.stringify(state)).join('\n')],
    ['s.json', JSON.stringify(list, null, 2)],
    ['s.yaml', '---\ntime: 0\nslide: 0\n---\n\ntime: 0.5\nslide: -2.5\n---\n{}\n---\nslide: -1.5\ntime: 2\n---\n'],
  ])('%s: a line each, the first contact, and the exit code', async (name, text) => {
    const cwd = folderOf({ ...files, [name]: text });
    const { code, stdout, stderr } = await scene(cwd, 'rail.urdf', '--srdf', 'rail.srdf', '--states', name);
    const lines = stdout.trim().split('\n');
    expect(lines.slice(0, 4)).toEqual(EXPECTED[0]);
    expect(lines[4]).toMatch(EXPECTED[1]);
    expect(lines.slice(5, 7)).toEqual(['', '4 objects']);
    expect(lines[7]).toMatch(EXPECTED[2]);
    expect([code, stderr]).toEqual([1, '']);
  });

  test('--state says where joints begin that states do not name; --events and --json say less and more', async () => {
    const cwd = folderOf({ ...files, 's.csv': 'time\n0\n' });
    const flags = ['rail.urdf', '--srdf', 'rail.srdf', '--states', 's.csv', '--state', 'home'];
    expect((await scene(cwd, ...flags, '--events')).stdout).toMatch(/^frame 0 {2}time 0 {2}contact {2}a {2}b\n/);
    const [frame, summary] = linesOf((await scene(cwd, ...flags, '--json')).stdout);
    expect(frame).toEqual({ type: 'frame', frame: 0, time: 0, pairs: [{ a: 'a', b: 'b', class: 'contact' }] });
    expect(summary).toMatchObject({
      frames: 1,
      contact: 1,
      first: { frame: 0, time: 0 },
      adjacent: 0,
      beyondLimits: 0,
    });
  });

  test('limits: a warning for the first, a count for all, or an error', async () => {
    const cwd = folderOf({ ...files, 's.csv': 'slide\n0.5\n0\n1\n' });
    const { code, stdout, stderr } = await scene(cwd, 'rail.urdf', '--states', 's.csv');
    expect(stderr.trim()).toMatch(/^\S*warn\S* s\.csv:2: joint slide: 0\.5 is beyond its limits, -2\.75 to 0$/i);
    expect(stdout).toContain('2 states beyond limits');
    expect(code).toBe(0);
    expectFailure(
      await scene(cwd, 'rail.urdf', '--states', 's.csv', '--limits', 'error'),
      's.csv:2: joint slide: 0.5 is beyond its limits, -2.75 to 0',
    );
    expectFailure(
      await scene(cwd, 'rail.urdf', '--state', 'slide=1', '--limits', 'error'),
      /--state: joint slide: 1 is beyond/,
    );
  });
});

test('a virtual joint moves the robot; a name that the robot does not have ends the run, with a hint', {
  tags: ['all'],
}, async () => {
  const srdf = (joint: string, values: string) =>
    `<robot name="rail"><virtual_joint name="world" type="planar" parent_frame="odom" child_link="a"/>
     <group_state name="home" group="g"><joint name="${joint}" value="${values}"/></group_state></robot>`;
  // The names of the shapes stay, whatever the world is called.
  const cwd = folderOf({ ...files, 'w.srdf': srdf('world', '0 7 0'), 'p.srdf': srdf('root_joint', '0 0 0 0 0 0 1') });
  const { stdout } = await scene(cwd, 'rail.urdf', '--srdf', 'w.srdf', '--state', 'home,slide=-2.5', '--json');
  const [finding] = linesOf(stdout);
  expect([finding.a.name, finding.b.name, finding.a.pose[7]]).toEqual(['a', 'b', 7]);
  expectFailure(
    await scene(cwd, 'rail.urdf', '--srdf', 'p.srdf', '--state', 'home'),
    /p\.srdf:2: expected .* found "root_joint" \(--allow-unmatched leaves it out\)/,
  );
  const without = await scene(cwd, 'rail.urdf', '--srdf', 'p.srdf', '--state', 'home', '--allow-unmatched');
  expect([without.code, without.stderr]).toEqual([0, expect.stringContaining('no "root_joint"')]);
});

test('states come through stdin, which is one input', { tags: ['all'] }, async () => {
  const cwd = folderOf(files);
  const flags = ['scene', 'rail.urdf', '--srdf', 'rail.srdf', '--states', '-'];
  const { stdout } = await run([...flags, '--events'], { cwd, input: 'slide\n0\n-2.5\n' });
  expect(stdout).toMatch(/^frame 1 {2}contact {2}a {2}b\n/);
  expectFailure(await run(['scene', '-', '--states', '-'], { cwd }), '-: stdin is one input, and comes twice');
});

describe('what stands about a robot', () => {
  const boxAt = (name: string, x: number) =>
    `o ${name}\nv ${x} 0 0\nv ${x + 1} 0 0\nv ${x} 1 0\nv ${x} 0 0.5\nf -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n`;

  test('is in metres where it says no unit, with a warning unless --units says so, and is not asked about itself', async () => {
    const cwd = folderOf({
      ...files,
      'cell.obj': boxAt('one', 3) + boxAt('two', 3.25),
      'home.csv': 'slide\n0\n-1.5\n',
    });
    const assumed = await scene(cwd, 'rail.urdf', '--with', 'cell.obj');
    expect(assumed.stderr).toContain(
      'cell.obj: no unit is recorded, and m is assumed, as for the robot; --units says it',
    );
    expect([assumed.code, assumed.stdout.match(/overlap/g)?.length]).toEqual([1, 3]);
    const flags = ['rail.urdf', '--with', 'cell.obj', '--units', 'm'];
    const { code, stdout, stderr } = await scene(cwd, ...flags);
    expect(stderr).toBe('');
    expect(stdout.match(/^\w+ .*? {2}at/gm)?.map((line) => line.split('  ').slice(0, 3).join(' '))).toEqual([
      'overlap cell/two rail/b',
      'overlap cell/one rail/b',
    ]);
    expect(stdout).toMatch(/^6 objects: .*1 without units taken in m\n10 pairs: /m);
    expect(code).toBe(1);
    const moved = await scene(cwd, ...flags, '--states', 'home.csv', '--events');
    expect(moved.stdout.match(/^frame.*$/gm)).toEqual([
      'frame 0  contact  cell/one  rail/b',
      'frame 0  contact  cell/two  rail/b',
      'frame 1  parted  cell/one  rail/b',
      'frame 1  parted  cell/two  rail/b',
    ]);
  });

  test('the samples: an arm swings into a lamp, then into a post', async () => {
    const flags = ['--srdf', 'arm.srdf', '--states', 'arm-states.csv', '--with', 'arm-cell.scene.json'];
    const allowed = ['--allow', 'arm/base,arm-cell/cell/floor'];
    const { code, stdout } = await scene(assets, 'arm.urdf', ...flags, ...allowed, '--events');
    expect(stdout.match(/^frame.*$/gm)).toEqual([
      'frame 17  time 0.85  contact  arm-cell/cell/lamp  arm/forearm',
      'frame 24  time 1.2  parted  arm-cell/cell/lamp  arm/forearm',
      'frame 24  time 1.2  contact  arm-cell/cell/post  arm/forearm',
      'frame 30  time 1.5  parted  arm-cell/cell/post  arm/forearm',
    ]);
    expect(code).toBe(1);
  });
});

describe('--learn-allowed', () => {
  /** c, which hangs on b, passes through d; all else that does not hang together is apart. */
  const learned = `<robot name="x&amp;y">
  <link name="a">${CUBE}</link><link name="b">${CUBE}</link><link name="c">${CUBE}</link>
  <link name="d &amp; e">${CUBE}</link><link name="far">${CUBE}</link>
  <joint name="ab" type="prismatic"><parent link="a"/><child link="b"/><limit lower="0" upper="5"/></joint>
  <joint name="bc" type="fixed"><parent link="b"/><child link="c"/><origin xyz="0 0 3"/></joint>
  <joint name="ad" type="prismatic"><parent link="a"/><child link="d &amp; e"/><origin xyz="2.5 0 2.5"/><axis xyz="0 1 0"/><limit lower="-0.1" upper="0.1"/></joint>
  <joint name="af" type="continuous"><parent link="a"/><child link="far"/><origin xyz="0 0 90"/></joint>
</robot>`;
  const line = (a: string, b: string, reason: string) =>
    `  <disable_collisions link1="${a}" link2="${b}" reason="${reason}"/>`;
  const adjacent = [
    '  <!-- Links that hang on each other. -->',
    line('a', 'b', 'Adjacent'),
    line('b', 'c', 'Adjacent'),
    line('a', 'd &amp; e', 'Adjacent'),
    line('a', 'far', 'Adjacent'),
  ];
  const never = [
    '  <!-- In contact in none of 200 random states (seed 1): a sample, not a proof. -->',
    line('a', 'c', 'Never'),
    line('b', 'd &amp; e', 'Never'),
    ...['b', 'c', 'd &amp; e'].map((name) => line(name, 'far', 'Never')),
  ];

  test('prints an SRDF of the pairs, the same each time and by any number of threads', async () => {
    const cwd = folderOf({ 'x.urdf': learned });
    const { code, stdout, stderr } = await scene(cwd, 'x.urdf', '--learn-allowed', '200');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n').slice(1)).toEqual(['<robot name="x&amp;y">', ...adjacent, ...never, '</robot>']);
    expect((await scene(cwd, 'x.urdf', '--learn-allowed', '200,1', '--jobs', '2')).stdout).toBe(stdout);
    writeFileSync(join(cwd, 'x.srdf'), stdout);
    // What it has learned is no news.
    expect((await scene(cwd, 'x.urdf', '--srdf', 'x.srdf', '--learn-allowed', '200')).stdout).toBe(stdout);
    expect((await scene(cwd, 'x.urdf', '--srdf', 'x.srdf', '--state', 'ab=4')).code).toBe(0);
  });

  test.each([
    [
      '  <enable_collisions link1="a" link2="c"/>\n</robot >\n<!-- </robot> -->\n',
      [...adjacent, never[0], ...never.slice(2)],
    ],
    ['<disable_default_collisions link="far"/>\n</robot>', [...adjacent.slice(0, 4), ...never.slice(0, 3)]],
  ])('keeps %j', { tags: ['all'] }, async (rest, added) => {
    const text = `<?xml version="1.0"?>\n<robot name="x&amp;y">\n${rest}`;
    const cwd = folderOf({ 'x.urdf': learned, 'x.srdf': text });
    const { stdout } = await scene(cwd, 'x.urdf', '--srdf', 'x.srdf', '--learn-allowed', '200');
    const end = text.indexOf('</robot');
    expect(stdout).toBe(`${text.slice(0, end)}${added.map((each) => `${each}\n`).join('')}${text.slice(end)}`);
  });

  test('says "always" of what always touches', { tags: ['all'] }, async () => {
    const still = '<limit lower="-0.2" upper="0.2"/>';
    const three = `<robot><link name="a">${CUBE}</link><link name="b">${CUBE}</link><link name="c">${CUBE}</link>
      <joint name="b" type="prismatic"><parent link="a"/><child link="b"/>${still}</joint>
      <joint name="c" type="prismatic"><parent link="a"/><child link="c"/>${still}</joint></robot>`;
    const { stdout } = await scene(
      folderOf({ 'x.urdf': three, 'x.srdf': '<robot/>' }),
      'x.urdf',
      '--srdf',
      'x.srdf',
      '--learn-allowed',
      '9,7',
    );
    expect(stdout).toBe(
      `<robot>\n${adjacent[0]}\n${line('a', 'b', 'Adjacent')}\n${line('a', 'c', 'Adjacent')}\n` +
        `  <!-- In contact in all of 9 random states (seed 7). -->\n${line('b', 'c', 'Always')}\n</robot>`,
    );
  });

  test('what it does not go with is refused in a line', async () => {
    const cwd = folderOf({ 'x.urdf': learned });
    expectFailure(await scene(cwd, 'x.urdf', '--learn-allowed', '0'), /Expected 1 to 10000000 states/);
    expectFailure(
      await scene(cwd, 'x.urdf', '--learn-allowed', '9', '--state', 'ab=1'),
      /^--state: not with --learn-allowed/,
    );
    expectFailure(await scene(cwd, 'x.urdf', 'x.urdf', '--learn-allowed', '9'), /--learn-allowed needs one robot/);
  });
});

describe('files that a robot names', () => {
  const about = '<package><name> arm_description </name></package>';
  const robot = (path: string) => rail(mesh(path));
  const inPackage = (path: string) =>
    folderOf({ 'ws/arm/package.xml': about, 'ws/arm/urdf/r.urdf': robot(path), 'outside.obj': '', 'other/x.obj': '' });
  const put = (cwd: string, ...paths: string[]) => {
    for (const path of paths) writeMesh(join(cwd, path), box(1));
    return cwd;
  };

  test.each(['package://arm_description/m.obj', 'package://arm/m.obj', '../m.obj', '../urdf/./../m.obj'])(
    '%s: of the package that the robot lies in',
    async (path) => {
      const cwd = put(inPackage(path), 'ws/arm/m.obj');
      expect((await scene(cwd, 'ws/arm/urdf/r.urdf')).code).toBe(0);
      expect((await run(['info', 'ws/arm/urdf/r.urdf'], { cwd })).code).toBe(0);
    },
  );

  test('of another package, whose folder --package says; of every command', async () => {
    const cwd = put(inPackage('package://other/x.obj'), 'other/x.obj');
    const r = 'ws/arm/urdf/r.urdf';
    const unknown = `${r}: line 2: expected a mesh that can be read, found package://other/x.obj: the folder of package "other" is unknown; name it with --package name=dir`;
    const { code, stderr } = await scene(cwd, r);
    expect([code, stderr]).toEqual([2, `error: ${unknown}; unchecked: a\n`]);
    for (const command of ['info', 'verify', 'build']) expectFailure(await run([command, r], { cwd }), unknown);
    expect((await scene(cwd, r, '--package', 'other=other')).code).toBe(0);
    expect((await run(['info', r, '--package', 'other=other'], { cwd })).code).toBe(0);
    expectFailure(await scene(cwd, r, '--package', 'other'), /--package.*Expected a name and a folder/);
  });

  test.each([
    ['package://arm/../../outside.obj', /expected a file in the same folder or below/],
    ['package://arm/urdf/../../../outside.obj', /expected a file in the same folder or below/],
    ['package:///outside.obj', /expected package:\/\/name\/path/],
    ['package://arm/link.obj', /expected a file in the same folder or below/],
    ['../../../outside.obj', /expected a file below/],
    ['/etc/passwd', /expected a file below/],
    ['file:///etc/passwd', /expected a file below/],
    ['file://%00', /expected/],
    ['link.obj', /expected a file in the same folder or below/],
    ['https://example.org/x.obj', /gicollide downloads nothing/],
    ['model://arm/m.obj', /gicollide downloads nothing/],
  ])('%s is not read', async (path, problem) => {
    const cwd = put(inPackage(path), 'outside.obj');
    for (const folder of ['ws/arm', 'ws/arm/urdf'])
      symlinkSync(join(cwd, 'outside.obj'), join(cwd, folder, 'link.obj'));
    const { code, stderr } = await scene(cwd, 'ws/arm/urdf/r.urdf');
    expect(code).toBe(2);
    expect(stderr).toMatch(problem);
    expect(stderr).toMatch(
      /^error: ws\/arm\/urdf\/r\.urdf: line 2: expected a mesh that can be read.*; unchecked: a\n$/,
    );
  });

  test('--allow-outside reads them', async () => {
    const cwd = put(inPackage('../../../outside.obj'), 'outside.obj');
    expect((await scene(cwd, 'ws/arm/urdf/r.urdf', '--allow-outside')).code).toBe(0);
  });

  test('a link without its mesh is unchecked in every state; the others are checked', async () => {
    const mesh = '<mesh filename="none.obj"/>';
    const box = '<box size="1 1 1"/>';
    const link = (name: string, shape: string) =>
      `<link name="${name}"><collision><geometry>${shape}</geometry></collision></link>`;
    const joint = (name: string, child: string, x: number) =>
      `<joint name="${name}" type="prismatic"><parent link="base"/><child link="${child}"/><origin xyz="${x} 0 0"/></joint>`;
    const urdf = `<robot>${link('base', box)}${link('lost', mesh)}${link('a', box)}${link('b', box)}
${joint('j0', 'lost', 2)}${joint('j1', 'a', 5)}${joint('j2', 'b', 8)}</robot>`;
    const cwd = folderOf({ 'r.urdf': urdf, 's.csv': 'time,j1\n0,0\n1,3\n' });
    const still = await run(['scene', 'r.urdf', '--state', 'j1=3', '--json'], { cwd });
    const [finding, unchecked, summary] = still.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(still.code).toBe(2);
    expect([finding.a.name, finding.b.name, unchecked.class, unchecked.a.name]).toEqual([
      'a',
      'b',
      'unchecked',
      'lost',
    ]);
    expect(summary).toMatchObject({ objects: 3, coverage: { elements: 4, checked: 3, unchecked: 1 }, adjacent: 2 });
    const moving = await run(['scene', 'r.urdf', '--states', 's.csv'], { cwd });
    expect(moving.code).toBe(2);
    expect(moving.stdout).toMatch(/^unchecked +lost /m);
    expect(moving.stdout).toMatch(/4 objects: 3 checked, 1 not readable/);
    const allowed = await run(['scene', 'r.urdf', '--allow-incomplete', 'lost'], { cwd });
    expect(allowed.code).toBe(0);
  });

  test('a robot without its mesh: the rest is checked, and the exit code is 2', async () => {
    const cwd = put(folderOf({ ...files, 'r.urdf': robot('none.obj') }), 'a.obj', 'b.obj');
    const { code, stdout, stderr } = await scene(cwd, 'a.obj', 'b.obj', 'r.urdf', '--units', 'm');
    expect(code).toBe(2);
    expect(stderr).toMatch(/r\.urdf: line 2: expected a mesh that can be read, found none\.obj/);
    expect(stdout).toMatch(/1 in contact \(1 same\)/);
  });
});

test.each([
  [['rail.urdf', '--state', 'hom'], /--state: no state "hom"; no --srdf names one/],
  [['rail.urdf', '--srdf', 'rail.srdf', '--state', 'hom'], '--state: no state "hom"; did you mean home?'],
  [['rail.urdf', '--state', 'slid=1'], '--state: no joint "slid"; did you mean slide?'],
  [
    ['rail.urdf', '--states', 'bad.csv'],
    'bad.csv:1: expected a joint of the robot, or time, found "slid": did you mean slide?',
  ],
  [['rail.urdf', '--states', 'bad.json'], /bad\.json:2: expected a comma/],
  [['rail.urdf', '--states', 'empty.csv'], 'frames: there is none'],
  [['rail.urdf', '--states', 'none.csv'], /none\.csv/],
  [['rail.urdf', '--states', 'bad.csv', '--all'], '--all is for objects at rest: leave it out, or --states'],
  [['rail.urdf', '--srdf', 'bad.srdf'], /bad\.srdf:1: expected a name of the robot as link1 .* found "x"/],
  [['rail.urdf', 'two.urdf', '--state', 'slide=0'], '--state is for one robot, and 2 inputs are robots'],
  [['box.obj', '--srdf', 'rail.srdf'], /no input is a robot|1 object/],
  [['rail.urdf', '--units', 'mm'], /expected --units m/],
  [['xacro.urdf'], 'xacro.urdf:1: expected URDF without macros (run xacro first), found <xacro:macro>'],
])('%j is refused', async (args, problem) => {
  const cwd = folderOf({
    ...{ ...files, 'two.urdf': rail(), 'bad.csv': 'slid\n1\n', 'bad.json': '[\n{"slide": 1', 'empty.csv': 'slide\n' },
    'bad.srdf': '<robot name="rail"><disable_collisions link1="x" link2="a"/></robot>',
    'xacro.urdf': '<robot xmlns:xacro="x"><xacro:macro name="m"/></robot>',
  });
  writeMesh(join(cwd, 'box.obj'), box(1));
  expectFailure(await scene(cwd, ...args), problem);
});

/** The links and joints of a fixed tree, whose parent is `root` unless one is given. */
const robotOf = (name: string, parts: readonly [string, string, string, string?, string?][]): string =>
  `<robot name="${name}"><link name="root"/>${parts
    .map(
      ([link, shape, xyz, rpy = '0 0 0', parent = 'root']) =>
        `<link name="${link}"><collision><geometry>${shape}</geometry></collision></link>
         <joint name="to ${link}" type="fixed"><parent link="${parent}"/><child link="${link}"/><origin xyz="${xyz}" rpy="${rpy}"/></joint>`,
    )
    .join('\n')}</robot>`;

test('an R2-D2 of boxes, cylinders and balls: its self-check ends without an undecided pair', async () => {
  const sides = [
    ['left', 1],
    ['right', -1],
  ] as const;
  const text = robotOf('r2d2', [
    ['body', '<cylinder radius="0.2" length="0.6"/>', '0 0 0'],
    ['head', '<sphere radius="0.2"/>', '0 0 0.3', '0 0 0', 'body'],
    ['box', '<box size="0.08 0.08 0.08"/>', '0.1814 0 0.1414', '0 0 0', 'head'],
    ['pole', '<cylinder radius="0.01" length="0.2"/>', '0.29 0 0.2', '0 1.57075 0', 'body'],
    ...sides.flatMap(([side, y]): [string, string, string, string, string][] => [
      [`${side} leg`, '<box size="0.6 0.1 0.2"/>', `0 ${0.22 * y} -0.05`, '0 1.57075 0', 'body'],
      [`${side} foot`, '<box size="0.4 0.1 0.1"/>', `0 ${0.22 * y} -0.35`, '0 0 0', 'body'],
      ...[-1, 1].map((x): [string, string, string, string, string] => [
        `${side} wheel ${x}`,
        '<cylinder radius="0.035" length="0.1"/>',
        `${(0.4 / 3) * x} ${0.22 * y} -0.435`,
        '1.57075 0 0',
        'body',
      ]),
      [`${side} finger`, '<box size="0.06 0.02 0.02"/>', `0.42 ${0.01 * y} 0.2`, '0 0 0', 'body'],
    ]),
  ]);
  const { code, stdout } = await run(['scene', 'r2d2.urdf', '--json'], { cwd: folderOf({ 'r2d2.urdf': text }) });
  const records = linesOf(stdout);
  const touching = records.filter(({ class: found }) => found === 'touch').map(({ a, b }) => [a.name, b.name].join());
  expect(touching).toContain('left finger,right finger');
  expect(records.at(-1)).toMatchObject({ undecided: 0 });
  expect(code).toBe(1);
});

test('a cart whose parts touch has no undecided pair: wheels, posts, plates, a mast and a lamp', async () => {
  const quarter = `${Math.PI / 2}`;
  const plate = '<box size="0.6 0.4 0.02"/>';
  const post = '<cylinder radius="0.01" length="0.3"/>';
  const wheel = '<cylinder radius="0.05" length="0.03"/>';
  const corners = [-1, 1].flatMap((x) => [-1, 1].map((y) => [0.25 * x, 0.15 * y]));
  const text = robotOf('cart', [
    ['floor', '<mesh filename="floor.obj"/>', '0 0 -0.5'],
    ['lower plate', plate, '0 0 0.11', '0 0 0.3'],
    ['upper plate', '<mesh filename="plate.obj"/>', '0 0 0.43', '0 0 0.3'],
    ...corners.map(([x, y], k): [string, string, string] => [`post ${k}`, post, `${x * 0.8} ${y * 0.8} 0.27`]),
    ...corners.map(([x, y], k): [string, string, string, string] => [
      `wheel ${k}`,
      wheel,
      `${x * 0.8} ${y * 0.8} 0.05`,
      `${quarter} 0 0`,
    ]),
    ['mast', '<capsule radius="0.02" length="0.2"/>', '0 0 0.56'],
    ['lamp', '<sphere radius="0.1"/>', '0 0 0.78'],
  ]);
  const cwd = folderOf({ 'cart.urdf': text });
  writeMesh(join(cwd, 'floor.obj'), box(4, 4, 1));
  writeMesh(join(cwd, 'plate.obj'), box(0.6, 0.4, 0.02));
  const { code, stdout } = await run(['scene', 'cart.urdf', '--json'], { cwd });
  const records = linesOf(stdout);
  const findings = records.filter(({ type }) => type === 'finding');
  const named = findings.map(({ class: found, a, b }) => `${found} ${a.name} ${b.name}`);
  const expected = [
    ...[0, 1, 2, 3].map((k) => `touch floor wheel ${k}`),
    ...[0, 1, 2, 3].map((k) => `touch lower plate post ${k}`),
    ...[0, 1, 2, 3].map((k) => `touch lower plate wheel ${k}`),
    ...[0, 1, 2, 3].map((k) => `touch post ${k} upper plate`),
    ...['touch lamp mast', 'touch mast upper plate'],
  ];
  expect(named.sort()).toEqual(expected.sort());
  for (const { thickness, bracket } of findings)
    for (const { lower, upper } of [thickness, bracket]) expect([lower, upper < 1e-11]).toEqual([0, true]);
  expect(records.at(-1)).toMatchObject({ type: 'summary', undecided: 0, touch: expected.length });
  expect(code).toBe(0);
  // In states, what touches is in contact; nobody is undecided there, either.
  writeFileSync(join(cwd, 's.ndjson'), '{}\n');
  const frames = await run(['scene', 'cart.urdf', '--states', 's.ndjson', '--json'], { cwd });
  const [frame] = linesOf(frames.stdout).filter(({ type }) => type === 'frame');
  expect(frame.pairs.map(({ class: found }: { class: string }) => found)).toEqual(expected.map(() => 'contact'));
});
