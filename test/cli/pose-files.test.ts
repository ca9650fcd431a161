/** Files of poses: every notation gives the same matrix, and none that has two meanings is read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.ts';
import { parsePose } from '../../src/cli/arguments.ts';
import { openPoses, type PosesOptions, visitPoses } from '../../src/cli/poses/read-poses.ts';
import { boundsOf, build, check, openPair, prepare, still, translation } from '../../src/index.ts';
import { placementOf } from '../../src/motion/placement.ts';
import { readScene } from '../../src/scene/scene-file.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';

const cwd = makeFolder();
let files = 0;

async function posesOf(text: string, options: PosesOptions = {}): Promise<number[][]> {
  const path = join(cwd, `${files++ % 50}.csv`);
  writeFileSync(path, text);
  const source = openPoses(path, options);
  const found: number[][] = [];
  try {
    for (let block = await source.read(2 ** 16); block; block = await source.read(2 ** 16))
      await visitPoses(block, (pose) => void found.push([...pose]));
  } finally {
    source.close();
  }
  return found;
}

const lineOf = async (text: string, options: PosesOptions = {}): Promise<string> => {
  const error = await posesOf(text, options).then(
    () => new Error('it was read'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  return error.message.replaceAll(cwd, '').replace(/^[/\\]\d+\.csv:/, '');
};

/** A pose by plain trigonometry, which shares no code with the readers. */
interface Sample {
  at: number[];
  /** x, y, z, w. */
  quaternion: number[];
  /** Radians. */
  angles: number[];
  matrix: number[];
}

type Four = readonly [number, number, number, number];

function sampleOf(random: Random): Sample {
  const at = [0, 1, 2].map(() => random.between(-9, 9));
  const angles = [random.between(-3.1, 3.1), random.between(-1.5, 1.5), random.between(-3.1, 3.1)];
  const [c, s] = [angles.map(Math.cos), angles.map(Math.sin)];
  const about = [
    [1, 0, 0, 0, c[0], -s[0], 0, s[0], c[0]],
    [c[1], 0, s[1], 0, 1, 0, -s[1], 0, c[1]],
    [c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1],
  ];
  const times = (a: number[], b: number[]): number[] =>
    Array.from({ length: 9 }, (_, k) =>
      [0, 1, 2].reduce((sum, i) => sum + a[3 * Math.floor(k / 3) + i] * b[3 * i + (k % 3)], 0),
    );
  const m = times(about[2], times(about[1], about[0]));
  const half = (axis: number): Four => {
    const [sine, cosine] = [Math.sin(angles[axis] / 2), Math.cos(angles[axis] / 2)];
    return [axis === 0 ? sine : 0, axis === 1 ? sine : 0, axis === 2 ? sine : 0, cosine];
  };
  const hamilton = ([x, y, z, w]: Four, [a, b, c, d]: Four): Four => [
    w * a + x * d + y * c - z * b,
    w * b - x * c + y * d + z * a,
    w * c + x * b - y * a + z * d,
    w * d - x * a - y * b - z * c,
  ];
  const quaternion = [...hamilton(half(2), hamilton(half(1), half(0)))];
  const rows = [0, 1, 2].flatMap((i) => [...m.slice(3 * i, 3 * i + 3), at[i]]);
  return { at, angles, quaternion, matrix: [...rows, 0, 0, 0, 1] };
}

const EUROC =
  '#timestamp, p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], q_RS_x [], q_RS_y [], q_RS_z [], ' +
  'v_RS_R_x [m s^-1], v_RS_R_y [m s^-1], v_RS_R_z [m s^-1], b_w_RS_S_x [rad s^-1], b_w_RS_S_y [rad s^-1], ' +
  'b_w_RS_S_z [rad s^-1], b_a_RS_S_x [m s^-2], b_a_RS_S_y [m s^-2], b_a_RS_S_z [m s^-2]\n';
const POSE = 'position.x position.y position.z orientation.x orientation.y orientation.z orientation.w'.split(' ');
const STAMP = '1403636580838555648';
const NINE = Array(9).fill('0.5').join();
const DEGREES = 180 / Math.PI;

/** Each with the text of its file, and what the user says. */
const NOTATIONS: Record<string, (sample: Sample) => [string, PosesOptions?]> = {
  '16 numbers': ({ matrix }) => [matrix.join()],
  '12 numbers': ({ matrix }) => [matrix.slice(0, 12).join(' ')],
  '7 numbers': ({ at, quaternion }) => [[...at, ...quaternion].join('\t')],
  'between semicolons': ({ at, quaternion }) => [[...at, ...quaternion].join(';')],
  'an array': ({ at, quaternion }) => [JSON.stringify([...at, ...quaternion])],
  'a document of 7': ({ at, quaternion }) => [JSON.stringify({ queries: [{ T: [...at, ...quaternion] }] })],
  'a document of 12': ({ matrix }) => [JSON.stringify({ queries: [{ T: matrix.slice(0, 12) }] })],
  TUM: ({ at, quaternion }) => [
    `# ground truth trajectory\n# timestamp tx ty tz qx qy qz qw\n1305031102.1758 ${[...at, ...quaternion].join(' ')}`,
  ],
  'TUM without its header': ({ at, quaternion }) => [`1305031102.1758 ${[...at, ...quaternion].join(' ')}`],
  "EuRoC's ground truth": ({ at, quaternion: [x, y, z, w] }) => [`${EUROC}${[STAMP, ...at, w, x, y, z, NINE]}`],
  'EuRoC without its header': ({ at, quaternion: [x, y, z, w] }) => [`${[STAMP, ...at, w, x, y, z, NINE]}`],
  "TUM-VI's mocap": ({ at, quaternion: [x, y, z, w] }) => [
    `#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []\r\n${[STAMP, ...at, w, x, y, z]}\r\n`,
  ],
  'a header behind a mark, of blanks': ({ at, quaternion: [x, y, z, w] }) => [
    `# t [s] x [m] y [m] z [m] qw qx qy qz\n1.5 ${[...at, w, x, y, z].join(' ')}`,
  ],
  'a header behind words': ({ at, quaternion: [x, y, z, w] }) => [
    `# columns: time tx ty tz qw qx qy qz\n1 ${[...at, w, x, y, z].join(' ')}`,
  ],
  'lines that end with a return': ({ at, quaternion: [x, y, z, w] }) => [
    `# x y z qw qx qy qz\r${[...at, w, x, y, z].join(' ')}\r`,
  ],
  'rostopic echo -p': ({ at, quaternion }) => [
    `%time,field.header.seq,field.header.stamp,field.header.frame_id,${POSE.map((name) => `field.pose.${name}`)}\n` +
      `${STAMP},7,${STAMP},map,${[...at, ...quaternion]}\n`,
  ],
  'rostopic echo -p of tf': ({ at, quaternion }) => [
    '%time,field.transforms0.header.seq,field.transforms0.header.frame_id,field.transforms0.child_frame_id,' +
      `${['x', 'y', 'z'].map((axis) => `field.transforms0.transform.translation.${axis}`)},` +
      `${['x', 'y', 'z', 'w'].map((axis) => `field.transforms0.transform.rotation.${axis}`)}\n` +
      `${STAMP},0,odom,"base, left",${[...at, ...quaternion]}\n`,
  ],
  'odometry of bagpy': ({ at, quaternion }) => [
    `Time,header.seq,header.stamp.secs,header.stamp.nsecs,header.frame_id,child_frame_id,` +
      `${POSE.map((name) => `pose.pose.${name}`)},pose.covariance,twist.twist.linear.x,twist.twist.angular.z\n` +
      `1576.25,3,1576,250000000,odom,base,${[...at, ...quaternion]},"(0.1, 0.0, 0.0)",0.5,0.25\n`,
  ],
  'names of other words': ({ at: [x, y, z], quaternion: [qx, qy, qz, qw] }) => [
    `quatW;"positionX";pos_y;p_z;quat_x;QY;orientation_z\n${[qw, x, y, z, qx, qy, qz].join(';')}`,
  ],
  'a quaternion beside its angles': ({ at, quaternion, angles }) => [
    `x,y,z,roll,pitch,yaw,qx,qy,qz,qw\n${[...at, ...angles, ...quaternion]}`,
  ],
  radians: ({ at, angles }) => [`x,y,z,roll,pitch,yaw\n${[...at, ...angles]}`, { angles: 'rad' }],
  degrees: ({ at, angles: [roll, pitch, yaw] }) => [
    `#yaw pitch roll x y z\n${[yaw, pitch, roll].map((angle) => angle * DEGREES).join(' ')} ${at.join(' ')}`,
    { angles: 'deg' },
  ],
  'degrees by the header': ({ at, angles }) => [
    `x,y,z,roll [deg],pitch [deg],yaw [deg]\n${[...at, ...angles.map((angle) => angle * DEGREES)]}`,
  ],
  'radians by the header': ({ at, angles }) => [`x,y,z,roll_rad,pitch_rad,yaw_rad\n${[...at, ...angles]}`],
};

describe('notations of a pose', () => {
  test.each(Object.entries(NOTATIONS))('%s: the same matrix, seed 43', async (_, notation) => {
    const random = seeded(43);
    for (let i = 0; i < (long ? 50 : 4); i++) {
      const sample = sampleOf(random);
      const [text, options] = notation(sample);
      const found = await posesOf(text, options);
      expect(found).toHaveLength(1);
      for (const [k, x] of found[0].entries()) expect(Math.abs(x - sample.matrix[k])).toBeLessThan(1e-12);
    }
  });

  test('columns in any order, with any names, marks and separators: the same matrix, seed 45', async () => {
    const random = seeded(45);
    const words = {
      x: ['x', 'tx', 'pX', 'pos_x [m]', 'p_RS_R_x [m]', 'field.pose.position.x', 'transform.translation.x', 'x(m)'],
      q: ['qx', 'q_x', 'Quat_X', 'q_RS_x []', 'field.pose.orientation.x', 'transform.rotation.x', 'quaternion.x'],
      other: [
        'time',
        '%time',
        'timestamp [ns]',
        'field.header.seq',
        'v_RS_R_x [m s^-1]',
        'b_w_RS_S_z',
        'twist.linear.x',
      ],
    };
    const named = (some: string[], axis: string): string =>
      random.pick(some).replace(/x(?=( ?[[(].*)?$)/i, (x) => (x === 'X' ? axis.toUpperCase() : axis));
    for (let i = 0; i < (long ? 500 : 40); i++) {
      const { at, quaternion, matrix } = sampleOf(random);
      const style = { x: [random.pick(words.x)], q: [random.pick(words.q)] };
      const columns = [
        ...at.map((value, k) => [named(style.x, 'xyz'[k]), value] as const),
        ...quaternion.map((value, k) => [named(style.q, 'xyzw'[k]), value] as const),
        ...Array.from({ length: random.below(4) }, () => [random.pick(words.other), random.below(9)] as const),
      ];
      for (let k = columns.length - 1; k > 0; k--) {
        const n = random.below(k + 1);
        [columns[k], columns[n]] = [columns[n], columns[k]];
      }
      const separator = random.pick([',', ', ', ';', ' ; ']);
      const header = random.pick(['', '#', '# ', '%']) + columns.map(([name]) => name).join(separator);
      const end = random.pick(['\n', '\r\n', '\r']);
      const text = [header, columns.map(([, value]) => value).join(separator), ''].join(end);
      const [found] = await posesOf(text);
      for (const [k, x] of found.entries()) expect(Math.abs(x - matrix[k]), text).toBeLessThan(1e-12);
    }
  });

  test('without some angles: these are 0; without any: a translation to the bit, seed 46', async () => {
    const random = seeded(46);
    for (let i = 0; i < (long ? 500 : 60); i++) {
      const { at } = sampleOf(random);
      const turns = ['roll', 'pitch', 'yaw'].filter(() => random.below(2) === 0);
      const degrees = turns.map(() => random.between(-170, 170));
      const others = ['time', 'vx', 'frame'].filter(() => random.below(3) === 0);
      const columns = [
        ...at.map((value, k) => [`${random.pick(['', 't', 'pos_'])}${'xyz'[k]}`, value] as const),
        ...turns.map((name, k) => [`${name} [deg]`, degrees[k]] as const),
        ...others.map((name) => [name, random.below(9)] as const),
      ];
      for (let k = columns.length - 1; k > 0; k--) {
        const n = random.below(k + 1);
        [columns[k], columns[n]] = [columns[n], columns[k]];
      }
      const row = columns.map(([, value]) => value).join();
      const [mark, separator] = random.pick([
        ['', ','],
        ['#', ', '],
        ['# columns: ', ' '],
      ]);
      const header = mark + columns.map(([name]) => name).join(separator);
      const angleOf = (name: string): number => degrees[turns.indexOf(name)] ?? 0;
      const angles = ['roll', 'pitch', 'yaw'].map(angleOf);
      const [whole] = await posesOf(`x,y,z,roll,pitch,yaw\n${[...at, ...angles]}`, { angles: 'deg' });
      const found = await posesOf(`${header}\n${row}\n${row}\n`);
      // Angles of 0 give zeros of both signs.
      const plain = (pose: number[]): number[] => pose.map((x) => x + 0);
      expect(found.map(plain), header).toEqual([plain(whole), plain(whole)]);
      if (turns.length > 0) continue;
      const moved = [...translation(at[0], at[1], at[2])];
      expect(found[0], header).toEqual(moved);
      expect(await posesOf(`${at.join(random.pick([',', ' ', ';']))}\n# x y z\n${at}\n`)).toEqual([moved, moved]);
    }
  });

  test('of one quaternion: the same to the bit, in files, options, scene files and the library, seed 44', async () => {
    const random = seeded(44);
    const shape = build(box(), { format: 'obb' });
    for (let i = 0; i < (long ? 50 : 4); i++) {
      const { at, quaternion, matrix } = sampleOf(random);
      const seven = [...at, ...quaternion];
      const [expected] = await posesOf(seven.join(' '));
      const twelve = expected.slice(0, 12);
      for (const name of ['TUM', "EuRoC's ground truth", "TUM-VI's mocap", 'odometry of bagpy'])
        expect(await posesOf(NOTATIONS[name]({ at, quaternion, matrix, angles: [] })[0])).toEqual([expected]);
      for (const numbers of [seven, twelve, expected]) {
        expect([...parsePose(numbers.join())]).toEqual(expected);
        expect([...placementOf({ matrix: numbers }).pose]).toEqual(expected);
        expect([...still(numbers).poseAt(0)]).toEqual(expected);
        expect(boundsOf(shape, numbers)).toEqual(boundsOf(shape, expected));
        const ask = { poseB: numbers, distance: true };
        const { distance } = check(shape, shape, { poseB: expected, distance: true });
        expect(check(shape, shape, ask).distance).toBe(distance);
        expect(openPair(shape, shape).distance(numbers)).toBe(distance);
        expect(prepare(shape, shape).contact(numbers)).toBe(distance === 0);
      }
    }
  });

  test('in a scene file: 16, 12 or 7 numbers, a frame too', () => {
    const scene = (matrix: number[]) =>
      readScene(
        JSON.stringify({
          gicollide: 'scene/1',
          assets: { box: 'box.obj' },
          instances: [{ name: 'a', asset: 'box', matrix }],
          frames: [{ poses: { a: { matrix } } }],
        }),
      );
    expect(scene([1, 2, 3, 0, 0, 0, 1]).instances[0].matrix).toHaveLength(7);
    expect(scene([1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0]).instances[0].matrix).toHaveLength(12);
    expect(() => scene([1, 2, 3, 0, 0, 1, 1])).toThrow(
      /^expected x, y, z and a quaternion of length 1 at instances\[0\]\.matrix, found a list of 7$/,
    );
    expect(() => scene([1, 2, 3])).toThrow(/^expected a list of 16, 12 or 7 at instances\[0\]\.matrix, found /);
  });

  test('in the library: a line for another count, and for what is no number', () => {
    expect(() => still([1, 2, 3])).toThrow('pose has 3 numbers; a pose has 16, 12 or 7');
    expect(() => still([1, 2, 3, 0, 0, 0, 2])).toThrow(
      'pose: the quaternion 0 0 0 2 has length 2; a pose needs length 1',
    );
    expect(() => still([1, 2, Number.NaN, 0, 0, 0, 1])).toThrow('pose: entry 2 is NaN, not a finite number');
    expect(() => still(['1', 2, 3, 0, 0, 0, 1] as number[])).toThrow('pose: entry 0 is 1, not a finite number');
    expect(() => still([2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0])).toThrow(
      'pose scales by 2; a pose is rigid; scale the mesh (gicollide build --scale)',
    );
  });
});

const TURNED = '0 0 0.6 0.8';
describe('refused in one line', () => {
  test.each<[string, string | RegExp, PosesOptions?]>([
    ['0,1;0;0;0;0;0;1\n', '1: expected numbers with a decimal point between semicolons, found 0,1'],
    ['x;y;z;qx;qy;qz;qw\n0;0;0;0;0;0;1\n0;0;0,5;0;0;0;1\n', /^3: expected numbers with a decimal point .* found 0,5$/],
    [
      '0,1 0 0 0 0 0 1\n',
      /^1: expected numbers with a decimal point, all between commas or all between blanks, found /,
    ],
    ['0,1\t0,2\t0\t0\t0\t0\t1\n', /^1: expected numbers with a decimal point, all between commas/],
    ['t x y z qx qy qz qw\n0 0,1 0 0 0 0 0 1\n', /^2: expected numbers with a decimal point/],
    [
      `# x y z q1 q2 q3 q4\n1 2 3 ${TURNED}\n`,
      /^1: expected a header of x y z qx qy qz qw, .* found "x y z q1 q2 q3 q4"$/,
    ],
    [`# x, y, z and a quaternion, w x y z\n1 2 3 ${TURNED}\n`, /^1: expected a header of x y z qx/],
    [`# rotation as wxyz\n1 2 3 ${TURNED}\n`, /^1: expected a header/],
    [`# timestamp tx ty tz qw qx qy\n7 1 2 3 ${TURNED}\n`, /^1: expected a header/],
    [
      `#x y z qw qx qy qz\n#x y z qx qy qz qw\n1 2 3 ${TURNED}\n`,
      /^2: expected the columns of line 1, found "x y z qx/,
    ],
    [
      `1 2 3 ${TURNED}\n# x y z qw qx qy qz\n1 2 3 ${TURNED}\n`,
      /^2: expected the columns of the rows above, found "# x/,
    ],
    [`x y z qw qx qy qz\n1 2 3 ${TURNED}\n# x y z qx qy qz qw\n`, /^3: expected the columns of the rows above/],
    [`#timestamp x y z qx qy qz qw\n1 2 3 ${TURNED}\n`, '2: expected 8 numbers, as the header has names, found 7'],
    [
      '#t,x,y,z,qw,qx,qy,qz,quality\n0,1,2,3,1,0,0,0,9\n',
      /^1: expected a header .* found "t,x,y,z,qw,qx,qy,qz,quality"$/,
    ],
    [`${STAMP} 1 2 3 ${TURNED}\n`, /^1: expected a header that says whether qw comes first \(EuRoC\) or last \(TUM\)/],
    [`${Array(17).fill(1)}\n`, /^1: expected 16, 12, 8 or 7 numbers/],
    [
      'field.poses0.position.x,field.poses1.position.x,y,z,qx,qy,qz,qw\n',
      /^1: expected one column x, found 2 of them: "field\.poses0\.position\.x", "field\.poses1\.position\.x"$/,
    ],
    ['x,y,z,rx,ry,rz\n', /^1: expected columns of x y z qx qy qz qw, and time, found "rx"/],
    ['x,y,z,rot_x,rot_y,rot_z\n', '1: expected one column qw, found none'],
    ['x,y,z,qx,qy,qz,w\n', /^1: expected columns .* found "w"/],
    ['x,y,z,p_max,qx,qy,qz,qw\n', /found "p_max"/],
    [
      'x,y,z,roll,pitch,yaw\n',
      '1: expected --angles deg or --angles rad, the unit of roll, pitch and yaw, found neither',
    ],
    ['x,y,z,roll,pitch\n', /^1: expected --angles deg or --angles rad/],
    ['x,y,roll,pitch\n', '1: expected one column z, found none', { angles: 'deg' }],
    ['x,y,z,yaw[deg],yaw_deg\n', '1: expected one column yaw, found 2 of them: "yaw[deg]", "yaw_deg"'],
    ['x,y,z,yaw[deg],qx,qw\n', '1: expected columns qy, qz, found none'],
    ['x\n', '1: expected columns y, z, found none'],
    ['x,y,z\n', '1: expected columns roll, pitch and yaw, for --angles, found none', { angles: 'deg' }],
    ['1,2,3\n', /^--angles: .* has no header with roll, pitch and yaw$/, { angles: 'deg' }],
    ['x,y,z,theta\n', /^1: expected columns of x y z qx qy qz qw, and time, found "theta"/],
    ['x,y,z,wx,wy,wz\n', /^1: expected columns of .*, or roll, pitch and yaw, or no rotation, found "wx"$/],
    ['x,y,z,pose.a_x [m]\n', /or no rotation, found "pose\.a_x\[m\]"$/],
    ['x [mm],y [mm],z [mm]\n', / expected lengths in m, as the assets record it, found mm in its/, { units: 'm' }],
    ['x,y,z\n1,2\n', '2: expected 3 numbers, as the header has names, found 2'],
    ['x,y,z\n1,2,b\n', '2: expected 3 columns of numbers, found 1,2,b'],
    ['1,2,3\n1,2\n', '2: expected 3 numbers, as the first row has, found 2'],
    ['1,2,3\n1,2,3,0,0,0,1\n', '2: expected 3 numbers, as the first row has, found 7'],
    [`1 2 3 ${TURNED}\n1 2 3\n`, '2: expected 16, 12, 8 or 7 numbers of a pose, found 1 2 3'],
    ['1,2,3\n# z y x\n1,2,3\n', '2: expected the columns of the rows above, found "# z y x"'],
    ['# x y z qx qy qz qw\n1 2 3\n', '2: expected 7 numbers, as the header has names, found 3'],
    ['# x y z of b, in mm\n1,5 2,5 3\n', /^2: expected numbers with a decimal point, all between commas or/],
    ['0,1;2;3\n', '1: expected numbers with a decimal point between semicolons, found 0,1'],
    ['[1, 2, 3]\n', '1: expected 16, 12, 8 or 7 numbers of a pose, found [1, 2, 3]'],
    ['1 2\n', '1: expected 16, 12, 8 or 7 numbers of a pose, found 1 2'],
    ['x,y,z,roll[deg],pitch[deg],yaw[rad]\n', /^1: expected one unit of angles, found "deg", "deg", "rad"$/],
    ['x,y,z,roll[grad],pitch[grad],yaw[grad]\n', '1: expected roll, pitch and yaw in deg or rad, found "grad"'],
    [
      'x,y,z,roll_deg,pitch_deg,yaw_deg\n',
      /^1: expected angles in rad, as --angles says, found a header with deg$/,
      { angles: 'rad' },
    ],
    ['x,y,z,roll,pitch,yaw\n0 0 0 1e9 0 0\n', /^2: expected angles of size at most/, { angles: 'deg' }],
    [
      'x,y,z,qx,qy,qz,qw\n',
      /^1: expected columns roll, pitch and yaw, for --angles, found those of/,
      { angles: 'deg' },
    ],
    [`1 2 3 ${TURNED}\n`, /^--angles: .* has no header with roll, pitch and yaw$/, { angles: 'rad' }],
    ['x [m],y [mm],z [m],qx,qy,qz,qw\n', /^1: expected one unit of lengths, found "m", "mm", "m"$/],
    [
      'x [m],y [m],z [m],qx,qy,qz,qw\n',
      / expected lengths in mm, as the assets record it, found m in its header$/,
      { units: 'mm' },
    ],
    [`x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,2\n`, '2: expected a quaternion of length 1, found 1,2,3,0,0,0,2'],
    ['x,y,z,qx,qy,qz,qw\n1,2,3,0,0,,1\n', '2: expected 7 columns of numbers, found 1,2,3,0,0,,1'],
  ])('%j', async (text, expected, options) => {
    const line = await lineOf(text, options);
    if (typeof expected === 'string') expect(line).toBe(expected);
    else expect(line).toMatch(expected);
  });

  test('w first behind a mark is contact, and a decimal comma no clear', async () => {
    const bar = [0, 2].flatMap((x) => [`v ${x} 0 0`, `v ${x} 0 0.1`, `v ${x} 0.1 0`]).join('\n');
    writeFileSync(join(cwd, 'bar.obj'), `${bar}\nf 1 2 3\nf 4 5 6\nf 1 2 5\nf 1 5 4\nf 1 3 6\nf 1 6 4\n`);
    const ask = ['check', 'bar.obj', 'bar.obj', '--poses', '-'];
    const header = '#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []';
    const turned = await run(ask, { cwd, input: `${header}\n${STAMP},1,-1,0,0.7071068,0,0,0.7071068\n` });
    expect([turned.code, turned.stdout.slice(0, 15)]).toEqual([1, 'pose 0: contact']);
    const comma = await run(ask, { cwd, input: '0,1;0;0;0;0;0;1\n' });
    expectFailure(comma, 'stdin:1: expected numbers with a decimal point between semicolons, found 0,1');
  });

  test('--angles without --poses, and of another unit', { tags: ['all'] }, async () => {
    writeFileSync(join(cwd, 'box.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    const ask = ['check', 'box.obj', 'box.obj', '--angles'];
    expectFailure(await run([...ask, 'deg'], { cwd }), /^--angles is for --poses/);
    expectFailure(
      await run([...ask, 'turns', '--poses', '-'], { cwd }),
      /'turns' is invalid. Allowed choices are deg, rad/,
    );
  });
});

describe('comments that are no headers', () => {
  test.each([
    '# of a robot',
    '# x is to the right',
    '# the robot stands at x, y, z',
    '# position in metres, orientation as a quaternion',
    '# ground truth trajectory\n# file: rgbd_dataset.bag\n# timestamp tx ty tz qx qy qz qw',
    '% time is in seconds',
    '# x y z of the base, then its turn',
    '# x y z qx qy qz qw',
    `# ${'['.repeat(9000)}`,
    `# ${'w '.repeat(9000)}`,
  ])('%.60j', async (comment) => {
    const row = comment.includes('timestamp') ? `1 1 2 3 ${TURNED}` : `1 2 3 ${TURNED}`;
    const plain = await posesOf(`1 2 3 ${TURNED}`);
    expect(await posesOf(`${comment}\n\n${row}\n# the end\n${row}\n`)).toEqual([...plain, ...plain]);
  });
});

const PIECES = [
  '#',
  '%',
  ',',
  ';',
  ' ',
  '\t',
  '\n',
  '\r',
  '"',
  "'",
  '[',
  ']',
  '(',
  ')',
  '.',
  '-',
  '1',
  '0',
  'e9',
  'x',
  'y',
  'z',
];
const NAMES = [
  'qx',
  'qw',
  'time',
  'roll',
  'yaw [deg]',
  'pose.position.x',
  'NaN',
  '\u0000',
  '\u{1f600}',
  '\ufeff',
  '__proto__',
];

test.each([1, 2])('hostile text ends in a pose or in one line, seed %i', { tags: ['all', 'long'] }, async (seed) => {
  const random = seeded(seed);
  let read = 0;
  const count = long ? 2000 : 200;
  for (let i = 0; i < count; i++) {
    const [text, options = {}] = random.pick(Object.values(NOTATIONS))(sampleOf(random));
    let changed = text;
    for (let n = random.below(4); n >= 0; n--) {
      const at = random.below(changed.length);
      const cut = random.below(random.pick([1, 2, 30]));
      changed = changed.slice(0, at) + random.pick([...PIECES, ...NAMES]) + changed.slice(at + cut);
    }
    await posesOf(changed, options).then(
      () => read++,
      (error) => {
        expect(error, JSON.stringify(changed)).toBeInstanceOf(InputError);
        expect(error.message).toMatch(/^[^\n\r\p{Zl}\p{Zp}]+$/u);
      },
    );
  }
  expect(read).toBeGreaterThan(count / 50);
  expect(read).toBeLessThan(count);
});
