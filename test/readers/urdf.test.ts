import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.ts';
import { identity, translation } from '../../src/math/pose.ts';
import { isMarkedMesh, readMesh, readMeshFile } from '../../src/readers/formats.ts';
import { elementNames, linesOfNotes, type Surroundings, worldMatrices } from '../../src/readers/mesh-file.ts';
import { follow, linkPoses, restValues } from '../../src/readers/robot/robot.ts';
import { partNames, readUrdf } from '../../src/readers/robot/urdf.ts';
import { refusal } from '../support/refusal.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const robotOf = (inside: string) => readUrdf(bytesOf(`<robot name="r">\n${inside}\n</robot>`));
const BOX = '<collision><geometry><box size="1 2 3"/></geometry></collision>';
const TWO = '<link name="a"/>\n<link name="b"/>';
const joint = (inside: string, type = 'revolute') =>
  `<joint name="j" type="${type}"><parent link="a"/><child link="b"/>${inside}</joint>`;

/** Where link b stands for a value of the one joint. */
function poseOfB(inside: string, value: number, type?: string): number[] {
  const robot = robotOf(`${TWO}${joint(inside, type)}`);
  return Array.from(linkPoses(robot, Float64Array.of(value))[1]);
}

describe('kinematics in closed form', () => {
  const quarter = Math.PI / 2;
  const near = (found: number[], expected: number[]) =>
    expect(Math.max(...found.map((x, k) => Math.abs(x - expected[k])))).toBeLessThan(1e-15);

  test('an axis is 1 0 0 unless given', () =>
    near(poseOfB('', quarter), [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1]));

  test('an axis of another length is a direction, of slides too', () => {
    near(poseOfB('<axis xyz="0 0 5"/>', quarter), [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    near(poseOfB('<axis xyz="0 0 5"/>', 0.25, 'prismatic'), [...translation(0, 0, 0.25)]);
    near(poseOfB('<axis xyz="1e-200 0 0"/>', 2, 'prismatic'), [...translation(2, 0, 0)]);
  });

  test('roll, then pitch, then yaw, about axes that stand still', () =>
    // x goes to x, -z, -z; y to z, x, y; z to -y, -y, x.
    near(
      poseOfB(`<origin xyz="1 2 3" rpy="${quarter} ${quarter} ${quarter}"/>`, 0, 'fixed'),
      [0, 0, 1, 1, 0, 1, 0, 2, -1, 0, 0, 3, 0, 0, 0, 1],
    ));

  test('a fixed joint does not move, whatever its value', () =>
    expect(poseOfB('<origin xyz="1 0 0"/>', 7, 'fixed')).toEqual([...translation(1, 0, 0)]));

  /** As `poseOfB`, of version 1.1 and for all values of the joint. */
  function newPoseOfB(inside: string, values: number[], type = 'fixed'): number[] {
    const robot = readUrdf(bytesOf(`<robot version="1.1">${TWO}${joint(inside, type)}</robot>`));
    follow(robot, Float64Array.from(values));
    return Array.from(linkPoses(robot, Float64Array.from(values))[1]);
  }
  const half = Math.SQRT1_2;

  test('a quaternion is x y z w, and of any length but 0', () => {
    const turned = [0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1];
    near(newPoseOfB(`<origin xyz="1 2 3" quat_xyzw="0 0 ${half} ${half}"/>`, [0]), turned);
    near(newPoseOfB('<origin xyz="1 2 3" quat_xyzw="0 0 -1e-200 -1e-200"/>', [0]), turned);
    near(newPoseOfB('<origin xyz="1 2 3" quat_xyzw="0 0 7e59 7e59"/>', [0]), turned);
  });

  test('a planar joint moves in x and y, then turns about z, in the frame of its origin', () => {
    // The origin maps x to y, y to -x.
    const origin = `<origin xyz="5 0 0" rpy="0 0 ${quarter}"/><axis xyz="0 0 1"/>`;
    near(newPoseOfB(origin, [1, 2, quarter], 'planar'), [-1, 0, 0, 3, 0, -1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1]);
    near(newPoseOfB('', [1, 2, 0], 'planar'), [...translation(1, 2, 0)]);
  });

  test('a floating joint moves, then turns by a quaternion x y z w of any length but 0', () => {
    const values = [1, 2, 3, 2 * half, 0, 0, 2 * half];
    near(newPoseOfB('<origin xyz="1 1 1"/>', values, 'floating'), [1, 0, 0, 2, 0, 0, -1, 3, 0, 1, 0, 4, 0, 0, 0, 1]);
    expect(() => newPoseOfB('', [0, 0, 0, 0, 0, 0, 0], 'floating')).toThrow(
      'joint j: expected a rotation, found the quaternion 0 0 0 0',
    );
  });

  test('joints follow others, in chains', () => {
    const chain = ['a', 'b', 'c', 'd'].map((name) => `<link name="${name}"/>`).join('');
    const joints = [
      '<joint name="3" type="prismatic"><parent link="c"/><child link="d"/><mimic joint="2" offset="1"/></joint>',
      '<joint name="2" type="prismatic"><parent link="b"/><child link="c"/><mimic joint="1" multiplier="-2"/></joint>',
      '<joint name="1" type="prismatic"><parent link="a"/><child link="b"/></joint>',
    ];
    const robot = robotOf(chain + joints.join(''));
    expect(robot.joints.map(({ name }) => name)).toEqual(['1', '2', '3']);
    const values = Float64Array.of(0.5, 99, 99);
    follow(robot, values);
    expect([...values]).toEqual([0.5, -1, 0]);
    expect(linkPoses(robot, values)[3][3]).toBe(-0.5);
  });

  test('a joint rests at 0, or at the limit that is nearest', () => {
    const rests = ['', '<limit lower="1" upper="2"/>', '<limit lower="-2" upper="-1"/>', '<limit effort="1"/>'].map(
      (limit) => restValues(robotOf(TWO + joint(limit)))[0],
    );
    expect(rests).toEqual([0, 1, -1, 0]);
    expect([...restValues(robotOf(TWO + joint('', 'planar')))]).toEqual([0, 0, 0]);
    expect([...restValues(robotOf(TWO + joint('', 'floating')))]).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });
});

describe('what is read', () => {
  test('links stand depth first, whatever the order of the file', () => {
    const names = (text: string): string[] => robotOf(text).links.map(({ name }) => name);
    const link = (name: string) => `<link name="${name}"/>`;
    const leads = (from: string, to: string) =>
      `<joint name="${from}${to}" type="fixed"><parent link="${from}"/><child link="${to}"/></joint>`;
    const text = ['d', 'c', 'b', 'a', 'e'].map(link).join('') + leads('b', 'd') + leads('a', 'b') + leads('a', 'c');
    expect(names(text + leads('b', 'e'))).toEqual(['a', 'b', 'd', 'e', 'c']);
  });

  test('names may have letters that XML writes as references', () =>
    expect(robotOf('<link name="a&lt;&#65;&#x42;&amp;amp;"/>').links[0].name).toBe('a<AB&amp;'));

  test('what is left out is said', () => {
    const visual = '<visual><geometry><capsule/></geometry></visual>';
    const nothing = '<collision><geometry><box size="0 0 0"/></geometry></collision>';
    expect(
      linesOfNotes(
        robotOf(`<link name="a">${visual}</link><link name="b">${nothing}</link>${joint('', 'floating')}`).notes,
      ),
    ).toEqual([
      'line 2: a shape of link b has no size, and is left out',
      '1 link has <visual> and no <collision>, and collides with nothing: a',
    ]);
  });

  test('the axis of a planar joint is z, as in MoveIt; another one is told of', () => {
    const told = (axis: string) => linesOfNotes(robotOf(TWO + joint(axis, 'planar')).notes);
    expect(told('<axis xyz="0 0 2"/>')).toEqual([]);
    expect(told('<axis xyz="1 0 0"/>')).toEqual([
      'line 3: joint j is planar: it moves in x and y and turns about z, not 1 0 0',
    ]);
  });

  test('elements that say nothing of collisions are left out, with what is in them', () => {
    const gazebo = '<gazebo><link name="a"/><joint/></gazebo><transmission name="t"/><material name="m"/>';
    expect(robotOf(`${gazebo}<link name="a"><inertial><mass value="none"/></inertial></link>`).links).toEqual([
      { name: 'a', shapes: [] },
    ]);
  });
});

/** The surroundings of a robot: some files, and a list of those that were asked for. */
function filesOf(files: Record<string, string>): Surroundings & { opened: string[] } {
  const opened: string[] = [];
  return {
    opened,
    open(path) {
      opened.push(path);
      return bytesOf(files[path]);
    },
  };
}

const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';

describe('a robot as a file of meshes', () => {
  const shape = (inside: string, origin = '') => `<collision>${origin}<geometry>${inside}</geometry></collision>`;

  test('has a node a link and a node a shape, in metres; a mesh of one size is there once', async () => {
    const mesh = (scale: string) => shape(`<mesh filename="package://p/t.obj" ${scale}/>`, '<origin xyz="0 0 1"/>');
    const two = mesh('') + mesh('scale="2 2 -2"') + mesh('scale="1 1 1"') + shape('<sphere radius="0.5"/>');
    const text = `<?xml version="1.0"?>\n<!-- made -->\n<robot name="r"><link name="a">${BOX}</link><link name="b">${two}</link>${joint('<origin xyz="1 0 0"/>')}</robot>`;
    const around = filesOf({ 'package://p/t.obj': TRIANGLE });
    const file = await readMeshFile(bytesOf(text), { open: around.open });
    expect(around.opened).toEqual(['package://p/t.obj']);
    expect(file.units).toBe('m');
    expect(file.nodes.map(({ name, parent, mesh, primitive }) => [name, parent, mesh, primitive?.shape])).toEqual([
      ['a', -1, null, undefined],
      ['a', 0, null, 'box'],
      ['b', 0, null, undefined],
      ['b/1', 2, 0, undefined],
      ['b/2', 2, 1, undefined],
      ['b/3', 2, 0, undefined],
      ['b/4', 2, null, 'sphere'],
    ]);
    expect(elementNames(file).filter((_, n) => n !== 0 && n !== 2)).toEqual(partNames(readUrdf(bytesOf(text))));
    expect([...worldMatrices(file.nodes)[3]]).toEqual([...translation(1, 0, 1)]);
    expect([...file.meshes[1].mesh.positions]).toEqual([0, 0, 0, 2, 0, 0, 0, 2, 0]);
    // Mirrored, and turned round for it.
    expect([...file.meshes[1].mesh.triangles]).toEqual([0, 2, 1]);
  });

  test('stands where its joints rest, mimics included', async () => {
    const limits = '<axis xyz="1 0 0"/><limit lower="2" upper="3"/>';
    const more =
      '<link name="c"/><joint name="k" type="prismatic"><parent link="a"/><child link="c"/><mimic joint="j"/></joint>';
    const text = `<robot>${TWO.replace('<link name="a"/>', `<link name="a">${BOX}</link>`)}${more}${joint(limits, 'prismatic')}</robot>`;
    const { nodes } = await readMeshFile(bytesOf(text));
    expect(nodes.map(({ matrix }) => matrix[3])).toEqual([0, 0, 2, 2]);
    expect(nodes[0].matrix).toEqual(identity());
  });

  test('link names that are parts of others have parts with names of their own', () => {
    const names = partNames(
      robotOf(`<link name="a">${BOX}${BOX}</link><link name="a/1">${BOX}</link>
      <joint name="j" type="fixed"><parent link="a"/><child link="a/1"/></joint>`),
    );
    expect(new Set(names).size).toBe(3);
  });

  test('a mesh that is none is missing, with the line that names it; the rest is read', async () => {
    const text = `<robot><link name="a">\n${shape('<mesh filename="t.obj"/>')}${shape('<sphere radius="1"/>')}</link></robot>`;
    const around = { open: () => bytesOf('v 0 0 0\nf 1 2 3\n') };
    const { notes, nodes } = await readMeshFile(bytesOf(text), around);
    expect(notes).toEqual([
      {
        ...{ kind: 'missing', element: 'a/1', isPart: false },
        text: 'line 2: expected a mesh that can be read, found t.obj:2: expected a vertex number from 1 to 1, found "2"',
      },
    ]);
    expect(nodes.map(({ name, mesh, primitive }) => [name, mesh, primitive?.shape])).toEqual([
      ['a', null, undefined],
      ['a/1', null, undefined],
      ['a/2', null, 'sphere'],
    ]);
    await expect(readMesh(bytesOf(text), around)).rejects.toThrow('line 2: expected a mesh that can be read');
  });

  test('files that come later, and one that does not come', async () => {
    const text = `<robot><link name="a">${shape('<mesh filename="t"/>')}${shape('<mesh filename="u"/>')}</link></robot>`;
    const open = async (path: string): Promise<Uint8Array> => {
      if (path === 'u') throw new InputError('u: no such file');
      return bytesOf('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    };
    const { notes, meshes } = await readMeshFile(bytesOf(text), { open });
    expect([meshes.length, notes.map(({ element }) => element)]).toEqual([1, ['a/2']]);
    await expect(readMeshFile(bytesOf(text))).rejects.toThrow('expected a file without references to other files');
  });

  test('a robot of robots is refused, before it is read again and again', async () => {
    const text = `<robot><link name="a">${shape('<mesh filename="r"/>')}</link></robot>`;
    const around = filesOf({ r: text });
    await expect(readMeshFile(bytesOf(text), { open: around.open })).rejects.toThrow(
      /found r: expected a mesh, found a robot/,
    );
    expect(around.opened).toEqual(['r']);
  });
});

describe('what is a robot, by its first bytes', () => {
  const remark = `<!-- ${'='.repeat(900)} -->`;
  test.each([
    ['<robot name="a"/>', true],
    ['\uFEFF  <?xml version="1.0"?><!-- <COLLADA> --><robot/>', true],
    [`<?xml version="1.0"?>${remark}<robot/>`, true],
    [`${remark}<robot/>`, true],
    ['<?xml version="1.0"?><svg/>', false],
    ['<html>', false],
    ['<robotics/>', false],
    ['# <robot>', false],
  ])('%j', (text, expected) => expect(isMarkedMesh(bytesOf(text))).toBe(expected));
});

describe('what is no robot is refused in a line', () => {
  const link = (inside: string) => `<link name="a"><collision><geometry>\n${inside}</geometry></collision></link>`;
  const shapes = 'one of <box>, <cylinder>, <capsule>, <sphere>, <mesh> in the <geometry> of a <collision>';
  test.each([
    ['', 'line 1: expected a robot with links, found none'],
    ['<link/>', 'line 2: expected <link name="...">, found none'],
    ['<link name="a"/>\n<link name="a"/>', 'line 3: expected each link once, found "a" again, as in line 2'],
    ['<link name="a*"/>', 'line 2: expected a link\'s name without * and ?, found "a*"'],
    [TWO, 'line 3: expected one root link, found 2: a, b'],
    [`${TWO}<joint name="j" type="hinge"/>`, /line 3: expected a type of joint \(fixed, .*\), found "hinge"/],
    [`${TWO}<joint name="j" type="revolut"/>`, /did you mean revolute\?/],
    [`${TWO}\n<joint name="j" type="fixed"/>`, 'line 4: expected <parent link="..."> in <joint>, found none'],
    [
      joint('') + TWO.replace('"b"', '"bb"'),
      /line 2: expected a name of the robot as link of <child>, found "b": did you mean/,
    ],
    [
      `${TWO}${joint('')}\n${joint('').replace('"j"', '"k"')}`,
      'line 4: expected a child link of one joint, found "b", which joint "j" leads to',
    ],
    [
      `<link name="r"/>${TWO}${joint('')}${joint('').replace('"j"', '"k"').replace('"a"', '"b"').replace('child link="b"', 'child link="a"')}`,
      'line 3: expected links that form a tree, found joints that form a cycle',
    ],
    [TWO + joint('<axis xyz="0 0 0"/>'), 'line 3: expected an axis other than 0 0 0, found 0 0 0'],
    [TWO + joint('<axis xyz="0 1"/>'), 'line 3: expected 3 numbers as xyz of <axis>, found "0 1"'],
    [TWO + joint('<axis xyz="0 nan 1"/>'), /expected 3 numbers as xyz/],
    [TWO + joint('<origin rpy="0 0 1e9"/>'), /of size at most 1048576 as rpy/],
    [TWO + joint('<origin xyz="0 0 1e999"/>'), /of size at most 1e\+?60/],
    [TWO + joint('<origin/><origin/>'), 'line 3: expected one <origin> in <joint>, found 2'],
    [TWO + joint('<limit lower="1" upper="0"/>'), 'line 3: expected lower up to upper of <limit>, found 1 and 0'],
    [TWO + joint('<mimic joint="i"/>'), /as joint of <mimic>, found "i": did you mean j\?/],
    [
      TWO + joint('<mimic joint="j"/>'),
      'line 3: expected a joint to mimic that mimics no other, found joints that mimic each other in a cycle',
    ],
    [
      `${TWO}<link name="c"/>${joint('<mimic joint="k"/>')}<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>`,
      'line 3: expected a joint to mimic that turns or slides, found "k", which is fixed',
    ],
    [link(`<cone radius="1" length="1"/>`), `line 3: expected ${shapes}, found <cone>, which URDF does not have`],
    [link('<box size="1 1 1"/><sphere radius="1"/>'), `line 2: expected ${shapes}, found 2`],
    ['<link name="a"><collision/></link>', `line 2: expected ${shapes}, found 0`],
    [link('<box size="1 0 1"/>'), 'line 3: expected sizes above 0 of <box>, found 1 0 1'],
    [link('<sphere/>'), 'line 3: expected <sphere radius="...">, found none'],
    [link('<sphere radius="-1"/>'), 'line 3: expected sizes above 0 of <sphere>, found -1'],
    [link('<box size="1 1 1" scale="0.1"/>'), 'line 3: expected no attribute of <box> but size, found "scale"'],
    [
      link('<cylinder radius="1" lenght="1"/>'),
      'line 3: expected no attribute of <cylinder> but radius, length, found "lenght": did you mean length?',
    ],
    [link('<mesh filename="a.obj" unit="mm"/>'), /no attribute of <mesh> but filename, scale, found "unit"/],
    [
      link('<sphere radius="1"><origin xyz="1 0 0"/></sphere>'),
      'line 3: expected no element in <sphere>, found <origin>',
    ],
    [
      '<link name="a"><collision><orgin xyz="1 0 0"/><geometry><sphere radius="1"/></geometry></collision></link>',
      'line 2: expected <origin> in <collision>, found <orgin>, which URDF does not have',
    ],
    [
      '<link name="a"><collision><pose>1 0 0 0 0 0</pose><geometry><sphere radius="1"/></geometry></collision></link>',
      'line 2: expected <origin> in <collision>, found <pose>, which URDF does not have',
    ],
    [TWO + joint('<Axis xyz="0 0 1"/>'), 'line 3: expected <axis> in <joint>, found <Axis>, which URDF does not have'],
    [
      TWO + joint('<origin xyz="0 0 1" quat="0 0 0 1"/>'),
      'line 3: expected no attribute of <origin> but xyz, rpy, quat_xyzw, found "quat"',
    ],
    [
      TWO + joint('<origin xyz="0 0 1" quat_xyzw="0 0 0 1"/>'),
      'line 3: expected <robot version="1.1"> for quat_xyzw of <origin>, found an older or no version',
    ],
    [
      TWO + joint('<mimic joint="j"/>', 'planar'),
      'line 3: expected a joint of one value to mimic another, found one that is planar',
    ],
    [link('<mesh/>'), 'line 3: expected <mesh filename="...">, found none'],
    [
      link('<mesh filename="a" scale="1 1 0"/>'),
      'line 3: expected factors other than 0 as scale of <mesh>, found 1 1 0',
    ],
    [
      '<link name="a"/>\n<xacro:macro name="m"/>',
      'line 3: expected URDF without macros (run xacro first), found <xacro:macro>',
    ],
    [`${TWO}${joint(`<origin xyz="${'$'}{pi} 0 0"/>`)}`, /found "\$\{pi\} 0 0": run xacro first/],
    ['<link name="&nbsp;"/>', 'line 2: expected a reference that XML defines, found "&nbsp;"'],
    ['<link name="a">', /line 3: expected XML, found Expected closing tag 'link'/],
    ['<link name="a" name="b"/>', /line 2: expected XML, found Attribute 'name' is repeated/],
  ])('%j', (inside, expected) => {
    const { message } = refusal(() => robotOf(inside));
    if (typeof expected === 'string') expect(message).toBe(expected);
    else expect(message).toMatch(expected);
  });
});

test.each([
  ['rpy="0 0 0" quat_xyzw="0 0 0 1"', 'line 1: expected rpy or quat_xyzw of <origin>, found both'],
  ['quat_xyzw="0 0 0 0"', 'line 1: expected a rotation as quat_xyzw of <origin>, found 0 0 0 0'],
  ['quat_xyzw="0 0 1"', 'line 1: expected 4 numbers as quat_xyzw of <origin>, found "0 0 1"'],
])('of version 1.1, %s is refused', (attributes, expected) => {
  const text = `<robot version="1.1"><link name="a"/><link name="b"/>${joint(`<origin ${attributes}/>`)}</robot>`;
  expect(refusal(() => readUrdf(bytesOf(text))).message).toBe(expected);
});
