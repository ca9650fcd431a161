/** `gicollide init`: its files pass, it overwrites nothing, and it leaves out unreadable files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { programName } from '../../src/cli/make/first-workflow.ts';
import { listFiles, makeFolder, program, run, runAlone, writeMesh } from '../support/cli.ts';
import { box, boxText, icosphere } from '../support/shapes.ts';

let cwd: string;
beforeEach(() => {
  cwd = makeFolder();
});

const textOf = (file: string): string => readFileSync(join(cwd, file), 'utf8');
const jsonOf = (file: string) => JSON.parse(textOf(file));
const WRITTEN = ['gicollide.json', '.github/workflows/gicollide.yml', 'gicollide-baseline.json'];

test('props around the origin stand in a row: the scene, the build and a second init pass', async () => {
  mkdirSync(join(cwd, 'props'));
  writeMesh(join(cwd, 'props/crate.obj'), box());
  writeMesh(join(cwd, 'props/ball.obj'), icosphere(1));
  const outcome = await runAlone(['init', 'props'], { cwd });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  expect(outcome.stdout).toContain('2 meshes in a row, since all are around the origin');
  const scene = jsonOf('props/props.scene.json');
  expect(scene.$schema).toBe('./node_modules/gicollide/docs/scene.schema.json');
  expect(scene.instances.map(({ name }: { name: string }) => name)).toEqual(['ball', 'crate']);
  const inProps = { cwd: join(cwd, 'props') };
  const found = await run(['scene'], inProps);
  expect(found.code).toBe(0);
  expect(found.stdout).toContain('0 in contact');
  // The scene reads the meshes, so nothing is built.
  expect(scene.assets).toEqual({ ball: 'ball.obj', crate: 'crate.obj' });
  expect(listFiles(join(cwd, 'props'))).toEqual([...WRITTEN, 'ball.obj', 'crate.obj', 'props.scene.json'].sort());
  const before = WRITTEN.map((file) => textOf(`props/${file}`));
  const again = await runAlone(['init'], inProps);
  expect(again.code).toBe(0);
  expect(outcome.stdout).toContain(' scene    # passes now, and fails on new findings\n');
  expect(again.stdout).toContain(' scene    # fails on new findings\n');
  for (const file of WRITTEN) expect(again.stdout).toContain(`kept  ${file}`);
  expect(WRITTEN.map((file) => textOf(`props/${file}`))).toEqual(before);
});

test('meshes in their places: today’s findings are known, a new one fails', { tags: ['all', 'long'] }, async () => {
  writeFileSync(join(cwd, 'house.obj'), boxText('wall', 5) + boxText('floor', 5.5, 8));
  const made = await runAlone(['init'], { cwd });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('1 finding of today, known from now on\n') });
  const name = jsonOf('gicollide.json').scenes[0].files;
  expect(jsonOf(name).assets.house).toEqual({ file: 'house.obj', split: 'elements' });
  expect(textOf('gicollide-baseline.json')).toContain('"house/floor","house/wall"');
  const schema = './node_modules/gicollide/docs/baseline.schema.json';
  expect(jsonOf('gicollide-baseline.json').$schema).toBe(schema);
  expect((await run(['scene'], { cwd })).code).toBe(0);
  writeFileSync(join(cwd, 'house.obj'), boxText('wall', 5) + boxText('floor', 5.5, 8) + boxText('pipe', 6.2, 16));
  expect((await run(['scene'], { cwd })).code).toBe(1);
});

test('files that cannot be read are named and left out', async () => {
  writeMesh(join(cwd, 'good.obj'), box());
  writeFileSync(join(cwd, 'bad.obj'), 'no mesh\n');
  const outcome = await runAlone(['init'], { cwd });
  expect(outcome.code).toBe(0);
  expect(outcome.stderr).toMatch(/bad\.obj: left out: /);
  expect(jsonOf('gicollide.json').build[0].exclude).toEqual(['bad.obj']);
  // One object makes no scene.
  expect(jsonOf('gicollide.json').scenes).toEqual([]);
  expect(existsSync(join(cwd, 'gicollide-baseline.json'))).toBe(false);
});

test('--dry-run lists every file and writes none; an empty folder is refused', async () => {
  expect(await runAlone(['init'], { cwd })).toMatchObject({ code: 2, stdout: '' });
  writeMesh(join(cwd, 'crate.obj'), box());
  writeMesh(join(cwd, 'ball.obj'), icosphere(1));
  const before = listFiles(cwd);
  const outcome = await runAlone(['init', '--dry-run'], { cwd });
  expect(outcome.code).toBe(0);
  const planned = [...outcome.stdout.matchAll(/^would write {2}(\S+)/gm)].map(([, file]) => file);
  expect(listFiles(cwd)).toEqual(before);
  expect((await runAlone(['init'], { cwd })).code).toBe(0);
  expect(listFiles(cwd)).toEqual([...before, ...planned].sort());
});

/** A git repository whose package.json has gicollide, which is installed. */
function makeRepository(top: string): void {
  const dependencies = { gicollide: 'file:gicollide-0.1.0.tgz' };
  writeFileSync(join(top, 'package.json'), JSON.stringify({ dependencies }));
  for (const file of ['package-lock.json', 'gicollide-0.1.0.tgz']) writeFileSync(join(top, file), '');
  install(top);
  execFileSync('git', ['init', '--quiet', '.'], { cwd: top });
}

/** In place of npm ci. */
function install(top: string): void {
  mkdirSync(join(top, 'node_modules/.bin'), { recursive: true });
  symlinkSync(join(program, '../..'), join(top, 'node_modules/gicollide'));
  symlinkSync(program, join(top, 'node_modules/.bin/gicollide'));
}

const shell = (command: string, folder: string, env = {}) =>
  spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });

test.skipIf(process.platform === 'win32')(
  'in a subfolder of a repository: the printed steps and the workflow of a clone pass',
  { tags: ['all', 'long'], timeout: 120_000 },
  async () => {
    makeRepository(cwd);
    mkdirSync(join(cwd, 'my parts/props'), { recursive: true });
    writeMesh(join(cwd, 'my parts/props/crate.obj'), box());
    writeMesh(join(cwd, 'my parts/ball.obj'), icosphere(1));
    const { code, stdout } = await runAlone(['init', 'my parts'], { cwd });
    expect(code).toBe(0);
    expect(stdout).not.toContain('CI ');
    for (const file of ['gicollide.json', 'my parts.scene.json'])
      expect(existsSync(join(cwd, 'my parts', jsonOf(`my parts/${file}`).$schema))).toBe(true);
    const steps = [...stdout.matchAll(/^ {2}(.+)$/gm)].map(([, step]) => step).filter((step) => !/ view /.test(step));
    expect(steps[1]).toMatch(/^npx --no-install gicollide scene /);
    expect(shell(`set -e\n${steps.join('\n')}`, cwd)).toMatchObject({ status: 0, stderr: '' });
    const identity = '-c user.name=test -c user.email=test@localhost';
    const clone = makeFolder();
    expect(shell(`git ${identity} commit -qm first && git clone -q . '${clone}/of'`, cwd)).toMatchObject({ status: 0 });
    const files = listFiles(join(clone, 'of')).filter((file) => !file.startsWith('.git/'));
    expect(files).toEqual(expect.arrayContaining(['package-lock.json', 'gicollide-0.1.0.tgz', 'my parts/ball.obj']));
    install(join(clone, 'of'));
    const workflow = parse(readFileSync(join(clone, 'of/.github/workflows/gicollide-my parts.yml'), 'utf8'));
    const runs = workflow.jobs.collisions.steps.slice(2);
    expect(runs[0]).toEqual({ run: 'npm ci' });
    expect(runs[1]['working-directory']).toBe('my parts');
    const env = { GITHUB_STEP_SUMMARY: join(clone, 'summary.md') };
    expect(shell(runs[1].run, join(clone, 'of', 'my parts'), env)).toMatchObject({ status: 0, stderr: '' });
  },
);

test('says what CI lacks, and adds no second workflow', async () => {
  writeMesh(join(cwd, 'crate.obj'), box());
  writeMesh(join(cwd, 'ball.obj'), icosphere(1));
  const bare = await runAlone(['init'], { cwd });
  expect(bare.stdout).toContain('CI runs npm ci, which needs gicollide in package.json (docs/install.md).\n');
  expect(bare.stdout).toContain('none was found');
  expect(bare.stdout).not.toMatch(/git add.*package/);
  makeRepository(cwd);
  const whole = await runAlone(['init'], { cwd });
  expect(whole.stdout).toMatch(
    /kept {2}\.github\/workflows\/gicollide\.yml[\s\S]*\n {2}git add package\.json [^\n]*\n$/,
  );
});

test('scenes that use outputs: says what it builds, and CI builds them, too', { tags: ['all', 'long'] }, async () => {
  writeMesh(join(cwd, 'crate.obj'), box());
  const instances = [0, 5].map((x) => ({ name: `at ${x}`, asset: 'crate', translate: [x, 0, 0] }));
  const scene = { gicollide: 'scene/1', assets: { crate: 'out/crate.obb' }, instances };
  writeFileSync(join(cwd, 'yard.scene.json'), JSON.stringify(scene));
  expect((await runAlone(['init', '--dry-run'], { cwd })).stdout).toContain('would build  out/');
  const { code, stdout } = await runAlone(['init'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('built  out/  the outputs that the scenes use\n');
  expect(stdout).toContain('CI builds out/ itself; add it to .gitignore.\n');
  expect(textOf(WRITTEN[1])).toContain('gicollide scene --build --report');
  expect((await run(['build', '--check'], { cwd })).code).toBe(0);
});

test('a project of the user keeps its baselines', async () => {
  writeFileSync(join(cwd, 'two.obj'), boxText('one', 0) + boxText('two', 0.5, 8));
  const scene = { gicollide: 'scene/1', assets: { two: { file: 'two.obj', split: 'elements' } } };
  const instances = [{ name: 'two', asset: 'two' }];
  writeFileSync(join(cwd, 'two.scene.json'), JSON.stringify({ ...scene, instances }));
  const project = { gicollide: 'project/1', scenes: [{ files: 'two.scene.json', baseline: 'known.json' }] };
  writeFileSync(join(cwd, 'gicollide.json'), JSON.stringify(project));
  writeFileSync(join(cwd, 'known.json'), '{"gicollide": "baseline/1", "findings": []}');
  const { code, stdout } = await runAlone(['init'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('kept  known.json  known findings\n');
  expect(jsonOf('known.json').findings).toEqual([]);
  expect(existsSync(join(cwd, 'gicollide-baseline.json'))).toBe(false);
});

test('the program is named as the shell finds it, without the folders of npx', () => {
  const bin = join(cwd, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  for (const folder of [bin, cwd])
    for (const name of ['gicollide', 'gicollide.cmd']) writeFileSync(join(folder, name), '');
  expect(programName({ PATH: bin })).toBe('npx --no-install gicollide');
  expect(programName({ PATH: cwd })).toBe('gicollide');
});
