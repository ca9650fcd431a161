/** What every command shares: help, usage errors, pipes that close, faults of our own, logs, colours. */

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/inputs/name.ts';
import { build, write } from '../../src/index.ts';
import { assets, ended, expectFailure, expectLine, makeFolder, program, run, start } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { box } from '../support/shapes.ts';

const cwd = makeFolder();
/** Whose answers are more than a pipe takes. */
const POSES = long ? 3000 : 1500;
const FAR = '[1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,1]\n';

beforeAll(async () => {
  writeFileSync(join(cwd, 'box.tiff'), await write(build(box(), { size: 17 })));
  writeFileSync(join(cwd, 'lzw.tiff'), await write(build(box(), { size: 17 }), { compression: 'lzw' }));
  writeFileSync(join(cwd, 'poses.txt'), FAR.repeat(POSES));
});

describe.concurrent('help', () => {
  const commands = ['build', 'check', 'info', 'verify', 'export'];

  test('--version', { tags: ['long'] }, async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await run(['--version'], { cwd })).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.each(some(1, [['--help'], ['-h'], ['help']]))(
    '%s: every command, on stdout',
    { tags: ['quick', 'long'] },
    async (...args) => {
      const { code, stdout, stderr } = await run(args, { cwd });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    },
  );

  test('alone it prints its help, and says on stderr what is missing: exit code 2', async () => {
    const { code, stdout, stderr } = await run([], { cwd });
    expect(code).toBe(2);
    for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    expectLine(stderr, /^expected a command: build, check, scene, /);
  });

  test.each(['build', 'check', 'scene', 'cubes', 'lint', 'view', 'picture', 'merge'])(
    '%s: every option but --help stands under what it is used for',
    async (command) => {
      const { stdout } = await run([command, '--help-all'], { cwd });
      const others = stdout.split(/^Options:\n/m)[1].split(/^Global Options:/m)[0];
      expect(others.trim()).toMatch(/^-h, --help +display help for command$/);
    },
  );

  test.each([
    ...some(0, commands).map((command) => [command, '--help']),
    ...some(2, [
      ['help', 'build'],
      ['cd', 'check', '-h'],
      ['cd', '-h'],
    ]),
  ])('%s %s', { tags: ['quick', 'long'] }, async (...args) => {
    const outcome = await run(args.filter(Boolean), { cwd });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toMatch(/^Usage: gicollide .*\n/);
    expect(outcome.stdout.split('\n').length).toBeLessThan(40);
    expect(outcome.stdout).toMatch(/\n--help-all shows .*\.\n$/);
  });

  test.each([['--help-all'], ['build', '--help-all'], ['--help-all', 'scene']])(
    '%s %s: every option, and the notes',
    async (...args) => {
      const { code, stdout } = await run(args, { cwd });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ {2}-q, --quiet /m);
      expect(stdout).toContain('xit code');
      expect(stdout).not.toContain('--help-all shows');
      // Defaults stand there as a user types them.
      expect(stdout).not.toMatch(/default: "/);
    },
  );

  test.each([
    ['queue', 'unknown command queue: did you mean worker?'],
    ['scen', "unknown command 'scen' (Did you mean scene?)"],
    ['foo', 'unknown command foo: expected build, check, scene, cubes, '],
  ])('%s --help names the nearest command: exit code 2', async (name, said) => {
    const { code, stdout, stderr } = await run([name, '--help'], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(said);
  });
});

test('what needs no sharp does not wait for it to load', { tags: ['all', 'long'] }, async () => {
  const preload = 'process.dlopen = () => { throw new Error("native code") };';
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await run(['--version'], { cwd, preload })).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
  if (long) expect(await run(['check', '--help'], { cwd, preload })).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['verify', 'box.tiff'], { cwd, preload })).toMatchObject({ code: 0, stderr: '' });
  const { code, stderr } = await run(['verify', 'lzw.tiff'], { cwd, preload });
  expect(code).toBe(0);
  expect(stderr).toMatch(/^warning: images are read and written without sharp, /);
});

describe.concurrent('usage errors: one line on stderr, exit code 2', () => {
  test.each(
    some<[string[], RegExp]>(2, [
      [['biuld'], /^unknown command 'biuld' \(Did you mean build\?\)$/],
      [['cd'], /^expected a command/],
      [['help', 'nothing'], /^expected a command/],
      [['--level'], /^unknown option '--level'/],
      [['info'], /^missing required argument 'file'$/],
      [['info', 'box.tiff', 'box.tiff'], /^too many arguments for 'info'/],
      [['info', 'box.tiff', '--jsn'], /^unknown option '--jsn' \(Did you mean --json\?\)$/],
      [['check', 'box.tiff'], /^missing required argument 'b'$/],
      [['cd', 'check', 'box.tiff'], /^missing required argument 'b'$/],
      [['--log-level', 'loud', 'info', 'box.tiff'], /'--log-level <level>'.*Allowed choices/],
    ]),
  )('%j', { tags: ['quick', 'long'] }, async (args, line) => expectFailure(await run(args, { cwd }), line));
});

describe.concurrent('stdout that cannot be written is never a verdict', () => {
  test.each(
    some(1, [
      [['info', 'box.tiff']],
      [['--help']],
      [['check', 'box.tiff', 'box.tiff']],
      [['check', 'box.tiff', 'box.tiff', '--json', '--poses', 'poses.txt']],
    ]),
  )('a reader that has gone: %j', { tags: ['quick', 'long'] }, async (args) => {
    const child = start(args, { cwd });
    child.stdout.destroy();
    expect(await ended(child)).toMatchObject({ code: 2, stderr: '' });
  });

  test('a reader that goes after the first line', { tags: ['all'] }, async () => {
    const child = start(['check', 'box.tiff', 'box.tiff', '--json', '--poses', 'poses.txt'], { cwd });
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await ended(child)).toMatchObject({ code: 2, stderr: '' });
  });

  test('a reader that is slow gets everything', { tags: ['long'] }, async () => {
    const child = start(['check', 'box.tiff', 'box.tiff', '--json', '--poses', 'poses.txt'], { cwd });
    await new Promise((later) => setTimeout(later, 1000));
    const { code, stdout } = await ended(child);
    expect(code).toBe(0);
    expect(stdout.match(/\n/g)).toHaveLength(POSES);
  });

  test
    .skipIf(!existsSync('/dev/full'))
    .each(some(1, [[['check', 'box.tiff', 'box.tiff']], [['--help']], [['--version']]]))(
    'a disk that is full: %j',
    { tags: ['quick', 'long'] },
    (args) => {
      const stdio: ['ignore', number, 'pipe'] = ['ignore', openSync('/dev/full', 'w'), 'pipe'];
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], { cwd, stdio, encoding: 'utf8' });
      expect(status).toBe(2);
      expectLine(stderr, 'stdout: no space left on the device');
    },
  );
});

describe.concurrent('faults of our own are never a verdict', () => {
  /** Every command that touches an asset computes a digest. */
  const faulty = (body: string): string => `SubtleCrypto.prototype.digest = function () { ${body} };`;
  const args = ['check', 'box.tiff', 'box.tiff'];

  test.each(
    some(2, [
      [
        'thrown',
        faulty('throw new TypeError("bad luck\\n  twice")'),
        /^internal fault: TypeError: bad luck twice \(--verbose shows where\)$/,
      ],
      [
        'thrown later',
        faulty('return new Promise(() => setImmediate(() => { throw new Error("late") }))'),
        /^internal fault: Error: late/,
      ],
      ['no Error', faulty('throw "a string"'), /^internal fault: a string/],
      [
        'a rejection that nobody awaits',
        faulty('Promise.reject(new Error("lost")); return new Promise(() => {})'),
        /^internal fault: Error: lost/,
      ],
      ['endless recursion', faulty('const f = () => f(); f()'), /^internal fault: RangeError/],
    ]),
  )('%s: one line, exit code 2', { tags: ['quick', 'long'] }, async (_, preload, line) => {
    expectFailure(await run(args, { cwd, preload }), line);
  });

  test('--verbose adds the stack', { tags: ['all'] }, async () => {
    const { code, stderr } = await run([...args, '-v'], { cwd, preload: faulty('throw new Error("here")') });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: internal fault: Error: here\nError: here\n {4}at /);
  });

  test('an answer that never comes', { tags: ['all'] }, async () => {
    const outcome = await run(args, { cwd, preload: faulty('return new Promise(() => {})') });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
  });

  test('a program that cannot start', () => {
    mkdirSync(join(cwd, 'bin'));
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
    copyFileSync(program, join(cwd, 'bin/gicollide.js'));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/gicollide.js', ...args], {
      cwd,
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expectLine(stderr, /^cannot start: Cannot find module /);
  });
});

describe.concurrent('stderr', () => {
  test('--log-format json: errors are JSON lines too, with the stack under --verbose', async () => {
    const usage = await run(['info', '--log-format', 'json'], { cwd });
    expect(usage).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(usage.stderr)).toMatchObject({ level: 50, msg: "missing required argument 'file'" });
    const input = await run(['info', 'gone.tiff', '--log-format=json', '--log-level', 'silent'], { cwd });
    expect(JSON.parse(input.stderr)).toMatchObject({ level: 50, msg: 'gone.tiff: no such file' });
    const preload = 'SubtleCrypto.prototype.digest = () => { throw new Error("here") };';
    const fault = await run(['info', 'box.tiff', '--log-format', 'json', '-v'], { cwd, preload });
    expect(JSON.parse(fault.stderr)).toMatchObject({ level: 50, stack: expect.stringMatching(/^Error: here\n/) });
  });

  test('what a hostile name holds does not reach the terminal', { tags: ['long'] }, async () => {
    expectFailure(await run(['info', 'a\u001b[2Jb\nc'], { cwd }), 'a\\u001b[2Jb\\u000ac: no such file');
    if (process.platform === 'win32') return; // no file has such a name there
    const name = 'a\u001b[2Jb\nc';
    const escaped = 'a\\u001b[2Jb\\u000ac';
    for (const [from, to] of [
      ['box.tiff', `${name}.tiff`],
      [join(assets, 'box.obj'), `${name}.obj`],
    ]) {
      copyFileSync(resolve(cwd, from), join(cwd, to));
    }
    const [asset, mesh] = [`${name}.tiff`, `${name}.obj`];
    const { stderr } = await run(['check', mesh, 'box.tiff', '-v'], { cwd });
    expect(stderr).toBe(`info: ${escaped}.obj: a mesh, built in memory as an OBB tree\n`);
    const outcomes = await Promise.all(
      [
        ['check', asset, 'box.tiff'],
        ['info', asset],
        ['verify', asset],
        ['export', asset, '-o', `${name}-out.obj`],
        ...(long ? [['build', mesh, '-f', 'obb', '-o', `${name}.obb`]] : []),
        ['cubes', mesh, join(assets, 'box.obj'), '--precision', '0.1'],
        ['build', mesh, '-f', 'obb', '-o', `${name}.obb`, '-v'],
      ].map((args) => run(args, { cwd })),
    );
    for (const outcome of outcomes) {
      expect(`${outcome.stdout}${outcome.stderr}`).not.toMatch(/\p{Cc}(?<!\n)|^c[.:]/mu);
      expect(outcome.stdout).toContain(escaped);
    }
    copyFileSync(join(assets, 'blob.obj'), join(cwd, `${name}-blob.obj`));
    const bar = ['build', `${name}-blob.obj`, '--size', '33', '-o', 'bar.tiff'];
    expect((await run(bar, { cwd, preload: terminal })).stderr).toContain(`${escaped}-blob.obj =`);
    // JSON says what it is.
    const { stdout } = await run(['check', asset, 'box.tiff', '--json'], { cwd });
    expect(JSON.parse(stdout).a.file).toBe(asset);
  });

  test.skipIf(process.platform === 'win32')('no name is a command of a CI runner', { tags: ['long'] }, async () => {
    const own = makeFolder();
    const text = readFileSync(join(assets, 'box.obj'));
    for (const name of ['::error::x.obj', '##[error]x.obj', '##vso[task]x.obj']) {
      writeFileSync(join(own, name), text);
      writeFileSync(join(own, 'project.json'), JSON.stringify({ gicollide: 'project/1', scenes: [name, name] }));
      const lines = [
        ...[
          ['info', name],
          ['build', name, '-f', 'obb', '-o', './'],
          ['check', name, name, '--json'],
          ['lint', name],
        ],
        ['export', name, '-o', `${name}.obj`],
        ['scene', name, name, '--baseline', `${name}.json`, '--update-baseline'],
        ['scene', '--project', 'project.json'],
        ['info', `${name}.none`, '--log-format', 'json'],
        ['check', name, name, '--poses', 'poses.txt', '--json'],
      ];
      writeFileSync(join(own, 'poses.txt'), FAR);
      for (const args of lines) {
        const { stdout, stderr } = await run(args, { cwd: own });
        expect(`${stdout}${stderr}`, args.join(' ')).not.toMatch(/^\s*::|##(vso)?\[/m);
        // JSON reads the escape as what it is.
        if (args.includes('--json')) expect(JSON.parse(stdout).a.file).toBe(name);
      }
    }
    const annotated = [
      'lint',
      '::error::x.obj',
      '--severity',
      'stray-part=error,degenerate-face=error',
      '--report',
      'github',
    ];
    writeFileSync(join(own, '::error::x.obj'), 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n');
    expect((await run(annotated, { cwd: own })).stdout).toMatch(/^::error file=%3A%3Aerror/m);
    writeFileSync(join(own, '##[error]x.obj'), 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n');
    const marked = annotated.with(1, '##[error]x.obj');
    expect((await run(marked, { cwd: own })).stdout).toMatch(/^::error file=\\u0023#\[error\]x\.obj/m);
  });

  test('a name that says another format than is written is refused', { tags: ['all'] }, async () => {
    const own = makeFolder();
    copyFileSync(join(assets, 'box.obj'), join(own, 'box.obj'));
    for (const line of [
      ...[
        'picture box.obj -o a.jpg',
        'export box.obj -o a.stl',
        'view box.obj --html a.pdf',
        'info box.obj --png a.gif',
      ],
      'cubes box.obj box.obj --precision 1 --obj a.ply',
    ]) {
      const [ending] = /\.\w+$/.exec(line)!;
      expectFailure(
        await run(line.split(' '), { cwd: own }),
        new RegExp(`: expected a name that ends with .*, found \\${ending}$`),
      );
    }
    const other = await run('build box.obj -f obb -o a.kdop'.split(' '), { cwd: own });
    expect(other).toMatchObject({
      code: 0,
      stderr: 'warning: a.kdop: holds obb, whose files end in .obb; for .kdop, add -f kdop\n',
    });
  });

  test('what the system says is in words', () => {
    for (const [code, errno, words] of [
      ...[
        ['EFBIG', -27, /larger than/],
        ['EIO', -5, /cannot be read or written/],
        ['ELOOP', -40, /link/],
      ],
      ...[
        ['ETXTBSY', -26, /busy/],
        ['ERR_INVALID_ARG_VALUE', undefined, /NUL/],
      ],
    ] as [string, number | undefined, RegExp][]) {
      const { message } = explain('file', Object.assign(new Error(code), { code, errno }));
      expect(message).toMatch(words);
      expect(message).not.toContain(code);
    }
  });

  const terminal = 'Object.defineProperty(process.stderr, "isTTY", { value: true }); process.stderr.columns = 80;';
  const building = ['build', join(assets, 'box.obj'), '--size', '17', '-o', 'built.tiff'];

  test('a progress bar on a terminal alone; not under CI, not with --quiet', { tags: ['long'] }, async () => {
    // One that takes longer than until a bar is drawn first.
    const slow = ['build', join(assets, 'blob.obj'), '--size', '33', '-o', 'blob.tiff'];
    const outcomes = await Promise.all([
      run(slow, { cwd, preload: terminal }),
      ...(long ? [run(building, { cwd })] : []), // without a terminal all others run
      run(building, { cwd, preload: terminal, env: { CI: 'true' } }),
      run([...building, '--quiet'], { cwd, preload: terminal }),
    ]);
    const [shown, ...silent] = outcomes.map((outcome) => outcome.stderr);
    expect(shown).toMatch(
      /blob\.obj [=-]{24} \d+% (flattening|cutting charts|fitting samples|building the tree|writing)/,
    );
    expect(shown).not.toMatch(/% (simplify|cones|embed|plan|charts|resample|spheres|deviation)\b/);
    expect(silent).toEqual(long ? ['', '', ''] : ['', '']);
    // Nothing that an interrupt would leave the terminal in, such as a hidden cursor.
    expect(shown).not.toContain('\u001b[?');
  });

  test('colours on a terminal alone, and not under NO_COLOR', { tags: ['long'] }, async () => {
    copyFileSync(join(assets, 'box.obj'), join(cwd, 'box.obj'));
    const warns = ['build', 'box.obj', '-f', 'obb', '-o', 'a.kdop', '--force'];
    const fails = ['check', 'box.tiff', 'none.obj'];
    const env = { CI: 'true' }; // no progress bar
    const shown = async (args: string[], more: object = {}): Promise<string> =>
      (await run(args, { cwd, preload: terminal, env: { ...env, ...more } })).stderr;
    const warning = 'a.kdop: holds obb, whose files end in .obb; for .kdop, add -f kdop\n';
    const error = 'none.obj: no such file\n';
    expect(await shown(warns)).toBe(`\u001b[33mwarning\u001b[39m: ${warning}`);
    expect(await shown(fails)).toBe(`\u001b[31merror\u001b[39m: ${error}`);
    expect(await shown(warns, { NO_COLOR: '1' })).toBe(`warning: ${warning}`);
    expect(await shown(fails, { NO_COLOR: '1' })).toBe(`error: ${error}`);
    if (long) expect((await run(fails, { cwd })).stderr).toBe(`error: ${error}`);
  });

  test('a verdict has the colour of its exit code; a finding that of its level; JSON and pipes have none', {
    tags: ['long'],
  }, async () => {
    const preload = 'Object.defineProperty(process.stdout, "isTTY", { value: true });';
    const [red, green] = ['\u001b[31m', '\u001b[32m'];
    const check = ['check', 'box.tiff', 'box.tiff'];
    expect((await run(check, { cwd, preload })).stdout).toContain(`${red}contact\u001b[39m at (`);
    expect((await run([...check, '--expect', 'contact'], { cwd, preload })).stdout).toMatch(`${green}contact\u001b`);
    expect((await run([...check, '--json'], { cwd, preload })).stdout).not.toContain('\u001b');
    expect((await run(check, { cwd })).stdout).toMatch(/^contact at \(/);
    copyFileSync(join(cwd, 'box.tiff'), join(cwd, 'again.tiff'));
    const scene = ['scene', 'box.tiff', 'again.tiff'];
    const [line] = (await run(scene, { cwd, preload })).stdout.split('\n');
    expect(line.startsWith(red)).toBe(true);
    expect(line.slice(red.length)).toMatch(/^\w+.\[39m {2}\S+ {2}\S+/);
    expect((await run(scene, { cwd, preload, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b');
  });
});
