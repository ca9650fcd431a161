/** `gicollide check --poses` with many of them: threads, order, pipes, threads that die, doubles. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { grouped } from '../../src/base/printable.ts';
import type { Report } from '../../src/engine/records.ts';
import { build, write } from '../../src/index.ts';
import { ended, expectFailure, expectLine, makeFolder, type Outcome, program, run, start } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, icosphere } from '../support/shapes.ts';

const cwd = makeFolder();
/** Whose contact points take long enough for threads to be started, in the short run by SLOW. */
const COUNT = long ? 1_000 : 200;
/** As on a slower machine: the clock runs faster, and a thread that answers alone rests between
 * blocks. So threads pay for few poses, and stand before these are answered. */
const SLOW = long
  ? ''
  : `const now = performance.now.bind(performance);
     performance.now = () => 20 * now();
     globalThis.setImmediate = (turn) => setTimeout(turn, 5);`;
const [SIN, COS] = [Math.sqrt(0.2), Math.sqrt(0.8)];
/** By twice the angle of which these are sine and cosine. */
const TURN = [0.6, -0.8, 0, 0, 0.8, 0.6, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** Turned and shifted, near contact every other time, seed 12. */
const random = seeded(12);
const poses = Array.from({ length: COUNT }, () => {
  const pose = [...TURN];
  for (const i of [3, 7, 11]) pose[i] = Number(random.between(-1.2, 1.2).toFixed(4));
  return pose;
});
const text = poses.map((pose) => `[${pose}]\n`).join('');
const ARGS = ['check', 'box.obb', 'ball.obb', '--json', '--all', '--contact-points', '--poses'];
const many = (name: string, ...args: string[]): Promise<Outcome> => run([...ARGS, name, ...args], { cwd });
const manySlowly = (name: string, ...args: string[]): Promise<Outcome> =>
  run([...ARGS, name, ...args], { cwd, preload: SLOW });
/** All but the times, which no two runs share. */
const untimed = (stdout: string): string => stdout.replaceAll(/"ms":[^\n]*/g, '');

let alone: Outcome;
beforeAll(async () => {
  for (const [name, mesh] of [
    ['box', box()],
    ['ball', icosphere(2)],
  ] as const) {
    writeFileSync(join(cwd, `${name}.obb`), await write(build(mesh, { format: 'obb' })));
  }
  writeFileSync(join(cwd, 'poses.txt'), text);
  writeFileSync(join(cwd, 'poses.f64'), Float64Array.from(poses.flat()));
  alone = await many('poses.txt', '--jobs', '1');
});

/** Runs in every thread but the first. */
const inThreads = (deed: string): string =>
  `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) { ${deed} }`;

describe.concurrent('threads', () => {
  test('any number of them: the same lines in the order of the poses, and the same code', {
    tags: ['long'],
  }, async () => {
    expect(alone).toMatchObject({ code: 1, stderr: '' });
    expect(alone.stdout.match(/\n/g)).toHaveLength(COUNT);
    for (const jobs of some(1, ['3', '2'])) {
      const outcome = await manySlowly('poses.txt', '--jobs', jobs);
      expect(outcome).toMatchObject({ code: 1, stderr: '' });
      expect(untimed(outcome.stdout) === untimed(alone.stdout)).toBe(true);
    }
  });

  test('from a pipe, from doubles and from a document likewise', { tags: ['long'] }, async () => {
    writeFileSync(join(cwd, 'poses.json'), JSON.stringify({ queries: poses.map((T) => ({ T })) }));
    // A pipe is held to the same below, where its reader waits.
    for (const [name, input] of some(1, [
      ['poses.f64', ''],
      ['poses.json', ''],
      ['-', text],
    ])) {
      const outcome = await run([...ARGS, name, '--jobs', '2'], { cwd, input, preload: SLOW });
      expect(outcome).toMatchObject({ code: 1, stderr: '' });
      expect(untimed(outcome.stdout) === untimed(alone.stdout)).toBe(true);
    }
  });

  test('mixtures of kinds, from a file and from a pipe: every thread asks the kernel over the same trees', {
    tags: ['long'],
  }, async () => {
    writeFileSync(join(cwd, 'ball.kdop'), await write(build(icosphere(2), { format: 'kdop' })));
    const args = ['check', 'box.obb', 'ball.kdop', '--json', '--all', '--contact-points', '--poses'];
    const mixed = await run([...args, 'poses.txt', '--jobs', '1'], { cwd });
    expect(mixed).toMatchObject({ code: 1, stderr: '' });
    expect(mixed.stdout.match(/"engine":"kernel"/g)).toHaveLength(COUNT);
    for (const [name, input] of some(1, [
      ['-', text],
      ['poses.txt', ''],
    ])) {
      const outcome = await run([...args, name, '--jobs', '2'], { cwd, input, preload: SLOW });
      expect(outcome).toMatchObject({ code: 1, stderr: '' });
      expect(untimed(outcome.stdout) === untimed(mixed.stdout)).toBe(true);
    }
  });

  test('every line has the number of its pose, blank lines none; the summary counts verdicts', {
    tags: ['long'],
  }, async () => {
    const spaced = poses.map((pose, i) => `${' \n'.repeat(i % 3)}[${pose}]${i % 2 ? '\r\n\r\n' : '\n'}`).join('');
    writeFileSync(join(cwd, 'spaced.txt'), `\ufeff\n${spaced}`);
    const outcome = await manySlowly('spaced.txt', '--jobs', '2', '--summary');
    const lines = outcome.stdout.trimEnd().split('\n');
    const summary = JSON.parse(lines.pop() as string);
    const reports: (Report & { pose: number })[] = lines.map((line) => JSON.parse(line));
    expect(reports.map(({ pose }) => pose)).toEqual(poses.map((_, i) => i));
    const count = (wanted: string): number => reports.filter(({ verdict }) => verdict === wanted).length;
    expect(count('clear')).toBeGreaterThan(0);
    expect(summary).toEqual({
      ...{ type: 'summary', poses: COUNT, clear: count('clear'), contact: count('contact') },
      undecided: count('undecided'),
    });
    expect(untimed(`${lines.join('\n')}\n`) === untimed(alone.stdout)).toBe(true);
    const words = await run(['check', 'box.obb', 'ball.obb', '--poses', 'poses.f64'], { cwd });
    expect(words.stdout).toMatch(
      new RegExp(`\n${grouped(COUNT)} poses: ${summary.contact} contact, ${summary.clear} clear\n$`),
    );
  });

  test.each([
    [
      'rows of CSV under a header in any order',
      'qw,time,z,x,y,qx,qy,qz\n',
      ([x, y, z]: number[]) => [COS, 0, z, x, y, 0, 0, SIN].join(),
    ],
    ['x y z qx qy qz qw', '', (at: number[]) => [...at, 0, 0, SIN, COS].join(' ')],
    [
      "a trajectory of TUM's",
      '# timestamp tx ty tz qx qy qz qw\n\n',
      (at: number[]) => [7.5, ...at, 0, 0, -SIN, -COS].join(' '),
    ],
    [
      "a trajectory of KITTI's",
      '',
      ([x, y, z]: number[]) => [...TURN.slice(0, 3), x, ...TURN.slice(4, 7), y, 0, 0, 1, z].join(' '),
    ],
    ['arrays with comments between', '# of a robot\n', (at: number[]) => `# next\n[${[...at, 0, 0, SIN, COS]}]`],
  ])('%s: the verdicts of their matrices', { tags: ['quick', 'long'] }, async (name, header, row) => {
    const file = `${name.replaceAll(/\W/g, '-')}.csv`;
    writeFileSync(join(cwd, file), header + poses.map((pose) => `${row([pose[3], pose[7], pose[11]])}\r\n`).join(''));
    const ask = ['check', 'box.obb', 'ball.obb', '--poses'];
    const words = (stdout: string): string[] => stdout.split('\n').map((line) => line.split(' ')[0]);
    const expected = await run([...ask, 'poses.txt'], { cwd });
    const found = await run([...ask, file, '--jobs', '2'], { cwd });
    expect(found).toMatchObject({ code: expected.code, stderr: '' });
    expect(words(found.stdout)).toEqual(words(expected.stdout));
  });

  test('--pose-b likewise', async () => {
    const ask = async (pose: string): Promise<Outcome> =>
      run(['check', 'box.obb', 'ball.obb', '--json', '--pose-b', pose], { cwd });
    const { pose, verdict } = JSON.parse((await ask(`1.5,0.2,0.1,0,0,${SIN},${COS}`)).stdout);
    const matrix = [...TURN];
    [matrix[3], matrix[7], matrix[11]] = [1.5, 0.2, 0.1];
    expect(verdict).toBe(JSON.parse((await ask(matrix.join())).stdout).verdict);
    expect(pose).toBeUndefined();
    expectFailure(await ask('1,2,3,0,0,1,1'), /'--pose-b <m>'.*the quaternion 0 0 1 1 has length 1\.41/);
  });

  test('the highest code of all', { tags: ['long'] }, async () => {
    expect((await manySlowly('poses.txt', '--jobs', '2', '--max-contacts', '3')).code).toBe(3);
  });

  test('one that dies: one line, exit code 2', { tags: ['long'] }, async () => {
    const preload = SLOW + inThreads('TextEncoder.prototype.encode = () => process.exit(3);');
    const outcome = await run([...ARGS, 'poses.txt', '--jobs', '2'], { cwd, preload });
    expect(outcome.code).toBe(2);
    expectLine(outcome.stderr, /^internal fault: Error: worker exited with code: 3/);
  });

  test('where none can start, one goes on, and says so', { tags: ['long'] }, async () => {
    const preload = SLOW + inThreads("throw new Error('no room')");
    const outcome = await run([...ARGS, 'poses.txt', '--jobs', '2'], { cwd, preload });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(
      /^warning: --jobs 2: no other thread starts, so one does all the work: .*no room\n$/,
    );
    expect(untimed(outcome.stdout) === untimed(alone.stdout)).toBe(true);
  });

  test('few poses start none', { tags: ['all', 'long'] }, async () => {
    // A clock that goes by how often it is read: on a busy machine a few may take as long as many.
    const counted = 'let reads = 0; performance.now = () => 0.05 * reads++;';
    const preload = counted + inThreads("throw new Error('a thread')");
    const input = text.slice(0, 1 + text.indexOf('\n', 500));
    const args = ['check', 'box.obb', 'ball.obb', '--json', '--jobs', '2', '--poses', '-'];
    const outcome = await run(args, { cwd, preload, input });
    expect(outcome).toMatchObject({ code: 1, stderr: '' });
  });

  test.each(
    some<[string[], RegExp]>(2, [
      [['--jobs', '2'], /^--jobs is for --poses/],
      [['--summary'], /^--summary is for --poses: one pose has one line$/],
      [['--jobs', '257', '--poses', '-'], /'--jobs <n>' argument '257' is invalid. Expected at most 256/],
      [['--jobs', '0'], /'--jobs <n>'.*whole number from 1/],
    ]),
  )('%j is refused', { tags: ['quick', 'long'] }, async (args, line) => {
    expectFailure(await run(['check', 'box.obb', 'ball.obb', ...args], { cwd }), line);
  });
});

/** Beyond the first blocks that are read, of 256 KB. */
const LATE = long ? 24_000 : 7_000;

describe.concurrent('what is no pose', () => {
  const good = `[${TURN}]`;
  const bad = (line: number, what: string, end = '\n'): string =>
    (good + end).repeat(line - 1) + what + end + (good + end).repeat(999);
  const scaled = `[${TURN.map((x, i) => (i === 15 ? x : 2 * x))}]`;

  test.each(
    some(1, [
      [LATE, '1'],
      [400_000, '3'],
    ]),
  )('in line %i of a file, %s threads: no answer, one line', { tags: ['quick', 'long'] }, async (number, jobs) => {
    const [words, scales] = [`bad-${number}.txt`, `scaled-${number}.txt`];
    writeFileSync(join(cwd, words), bad(number, '[1, 2, 3]'));
    const line = `${words}:${number}: expected 16, 12, 8 or 7 numbers of a pose, found [1, 2, 3]`;
    expectFailure(await many(words, '--jobs', jobs), line);
    if (!long) return; // a scale is met below, in a file whose lines end otherwise
    writeFileSync(join(cwd, scales), bad(number, scaled, '\r\n'));
    const scale = `${scales}: the pose in line ${number} scales by 2; a pose is rigid; scale the mesh (gicollide build --scale)`;
    expectFailure(await many(scales, '--jobs', jobs), scale);
  });

  test(`in line ${LATE} of a pipe: all answers before it, one line`, { tags: ['all', 'long'] }, async () => {
    const args = ['check', 'box.obb', 'ball.obb', '--json', '--jobs', '2', '--poses', '-'];
    const outcome = await run(args, { cwd, input: bad(LATE, 'nothing'), preload: SLOW });
    expect(outcome.code).toBe(2);
    expectLine(outcome.stderr, `stdin:${LATE}: expected 16, 12, 8 or 7 numbers of a pose, found nothing`);
    expect(outcome.stdout.match(/\n/g)).toHaveLength(LATE - 1);
  });

  test.each([
    [
      'x,y,z,qx,qy,qz,qv\n',
      /^bad-\w+\.csv:1: expected columns of x y z qx qy qz qw, and time, found "qv": did you mean qx\?$/,
    ],
    ['x,y,z,qx,qy,qz\n', /^bad-\w+\.csv:1: expected one column qw, found none$/],
    [
      'x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n0,0,0,1\n',
      /^bad-\w+\.csv:3: expected 7 numbers, as the header has names, found 4$/,
    ],
    [
      '0,0,0,0,0,0,1\n0,0,,0,0,0,1\n',
      /^bad-\w+\.csv:2: expected 16, 12, 8 or 7 numbers of a pose, found 0,0,,0,0,0,1$/,
    ],
    ['\n0,0,0,0,0,0,2\n', /^bad-\w+\.csv:2: expected a quaternion of length 1, found 0,0,0,0,0,0,2$/],
    ['# x\n1e999 0 0 0 0 0 1\n', /^bad-\w+\.csv: the pose in line 2: /],
    ['x,y,z,qx,qy,qz,qw\n', /expected at least one pose/],
  ])('%j: one line', async (content, line) => {
    const name = `bad-${Buffer.from(content).toString('hex')}.csv`;
    writeFileSync(join(cwd, name), content);
    expectFailure(await many(name), line);
  });

  test('in doubles', { tags: ['quick', 'long'] }, async () => {
    const doubles = Float64Array.from(poses.slice(0, 99).flat());
    doubles[16 * 77] = Number.NaN;
    writeFileSync(join(cwd, 'nan.f64'), doubles);
    expectFailure(await many('nan.f64'), 'nan.f64: pose 77: entry 0 is NaN, not a finite number');
    writeFileSync(join(cwd, 'cut.f64'), new Uint8Array(Float64Array.from(poses.slice(0, 9).flat()).buffer, 0, 1100));
    expectFailure(await many('cut.f64'), 'cut.f64: byte 1024: expected 128 bytes of a pose, found 76 bytes');
  });

  test('a line without an end is not read to its end', { tags: ['all'] }, async () => {
    const child = start(['check', 'box.obb', 'ball.obb', '--poses', '-'], { cwd });
    child.stdin.on('error', () => {});
    const zeros = '0,'.repeat(2 ** 15);
    child.stdin.write('[');
    const writing = setInterval(() => child.stdin.write(zeros), 1);
    const outcome = await ended(child);
    clearInterval(writing);
    expectFailure(outcome, /^stdin:1: expected 16, 12, 8 or 7 numbers of a pose, found \[0,0,0/);
  });

  test('lines that end with a return alone', { tags: ['quick', 'long'] }, async () => {
    writeFileSync(join(cwd, 'mac.txt'), bad(LATE, scaled, '\r'));
    const line = `mac.txt: the pose in line ${LATE} scales by 2; a pose is rigid; scale the mesh (gicollide build --scale)`;
    expectFailure(await many('mac.txt'), line);
  });
});

describe.concurrent('pipes', () => {
  test('with threads at work a line is still answered before the next is sent', { tags: ['all', 'long'] }, async () => {
    const child = start([...ARGS, '-', '--jobs', '2'], { cwd, preload: SLOW });
    let lines = 0;
    let answers = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      lines += chunk.match(/\n/g)?.length ?? 0;
      answers += chunk;
    });
    const until = async (count: number): Promise<void> => {
      while (lines < count) await new Promise((turn) => setTimeout(turn, 5));
    };
    child.stdin.write(text);
    await until(COUNT);
    expect(untimed(answers) === untimed(alone.stdout)).toBe(true);
    for (let i = 0; i < 5; i++) {
      child.stdin.write(`[${poses[i]}]\n`);
      await until(COUNT + i + 1);
    }
    const expected = JSON.parse(alone.stdout.split('\n')[4]) as Report;
    expect({ ...JSON.parse(answers.trimEnd().split('\n').at(-1) as string), ms: null }).toEqual({
      ...expected,
      pose: COUNT + 4,
      ms: null,
    });
    child.stdin.end();
    expect(await ended(child)).toMatchObject({ code: 1, stderr: '' });
  });

  test('a reader that goes while threads are at work ends them', { tags: ['long'] }, async () => {
    const child = start([...ARGS, 'poses.txt', '--jobs', '2'], { cwd, preload: SLOW });
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > 2 ** 20) child.stdout.destroy();
    });
    expect(await ended(child)).toMatchObject({ code: 2, stderr: '' });
  });

  test.skipIf(process.platform === 'win32')('an interrupt ends all threads', { tags: ['all', 'long'] }, async () => {
    const child = start([...ARGS, '-', '--jobs', '2'], { cwd, preload: SLOW });
    child.stdin.on('error', () => {});
    child.stdin.write(text);
    child.stdout.once('data', () => setTimeout(() => child.kill('SIGINT'), 500));
    expect(await ended(child)).toMatchObject({ code: null, signal: 'SIGINT', stderr: '' });
  });

  test.skipIf(!existsSync('/dev/stdin'))('a pipe that has a name is answered as it comes', { tags: ['all'] }, () => {
    const command = ['head -9 poses.txt | "$0" "$@"', process.execPath, program, ...ARGS, '/dev/stdin'];
    const { status, stdout, stderr } = spawnSync('sh', ['-c', ...command], { cwd, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout.match(/\n/g)).toHaveLength(9);
  });
});
