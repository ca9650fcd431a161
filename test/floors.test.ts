/** The floors of the source tree: imports go down, no kind knows another, browsers run the core. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '../src/version.ts';

const root = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.split(sep).join('/'));

/** What stands in a folder may import what stands no higher. */
const FLOORS: [RegExp, number][] = [
  [/^(base\/|math\/|version\.ts)/, 0],
  [/^(geometry|mesh|kernels)\//, 1],
  [/^(containers|readers|gpu)\//, 2],
  [/^((engine|contacts|work)\/|representations\/kinds\.ts)/, 3],
  [/^(representations\/(everything|opened|check-poses|image-and-boxes)\b|solid\/)/, 5],
  [/^representations\/[^/]+\//, 4],
  [/^(motion|picture)\//, 6],
  [/^(scene|lint)\//, 7],
  [/^((report|project|subpaths)\/|(api|build|complete|library|index|browser)\.ts)/, 8],
  [/^(three|gltf-extension|viewer|cli)\//, 9],
];

function floorOf(file: string): number {
  const found = FLOORS.find(([pattern]) => pattern.test(file));
  if (!found) throw new Error(`${file} stands on no floor`);
  return found[1];
}

const withoutComments = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

function importsOf(file: string, leftOut = /^$/): string[] {
  const text = withoutComments(file).replaceAll(new RegExp(leftOut, 'gm'), '');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]);
}

const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** The files of src that a file imports, also for their types alone; AssemblyScript leaves the ending out. */
const targetsOf = (file: string, leftOut?: RegExp): string[] =>
  importsOf(file, leftOut)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) =>
      relative(root, join(root, dirname(file), specifier))
        .split(sep)
        .join('/'),
    )
    .map((target) => (/\.ts$/.test(target) ? target : `${target}.ts`));

/** The table of kinds: the engine looks kinds up there, and it loads their code on demand. */
const TABLE = 'representations/kinds.ts';
const LOADERS = /await import\('[^']+'\)/gm;

test.each(files)('%s imports downwards', (file) => {
  for (const target of targetsOf(file, file === TABLE ? LOADERS : undefined)) {
    expect(floorOf(target), `${file} -> ${target}`).toBeLessThanOrEqual(floorOf(file));
    if (floorOf(file) === 4 && floorOf(target) === 4) expect(folderOf(target)).toBe(folderOf(file));
  }
});

test('no files import each other in a ring', () => {
  const rings: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) rings.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (finished.has(file) || path.includes(file)) return;
    for (const target of targetsOf(file, file === TABLE ? LOADERS : undefined)) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of files) visit(file, []);
  expect(rings).toEqual([]);
});

/** What callers hand to the engine, since a page that only checks needs none of it. */
const HANDED = /^(solid|motion|contacts)\//;
const OF_TYPES = /^(import|export) type [^;]*;/gm;

test.each([
  ...['obb', 'kdop', 'gi-browser', 'voxel', 'frep'].map((name) => `subpaths/${name}.ts`),
  'three/live-checker.ts',
])('%s loads no solids, patches or motion', (entry) => {
  const reached = new Set([entry]);
  for (const file of reached) for (const target of targetsOf(file, OF_TYPES)) reached.add(target);
  expect([...reached].filter((file) => HANDED.test(file))).toEqual([]);
});

/** The room of a kind that a file stands in: make, format, tree, search, or '' for its index. */
const roomOf = (file: string): string | undefined => /^representations\/\w+\/(\w+)[/.]/.exec(file)?.[1];

test.each(files.filter((file) => roomOf(file)))('%s: what is stored does not know what searches it', (file) => {
  const targets = targetsOf(file);
  if (['make', 'format', 'tree'].includes(roomOf(file) ?? ''))
    expect(targets.filter((target) => roomOf(target) === 'search')).toEqual([]);
  // WebAssembly also reads, builds and updates trees, and makes cubes and parts of images.
  const isOfKernels =
    roomOf(file) === 'search' ||
    /\.as\.ts$|^representations\/((obb|voxel|kdop)\/(make\/[\w-]+\.ts$|update\/)|kdop\/kernel\.ts$|\w+\/tree\/(kernel|reading)\.ts$|gi\/(make\/kernel|make\/parameterize\/embed)\.ts$)/.test(
      file,
    );
  if (!isOfKernels) expect(targets.filter((target) => target.startsWith('kernels/'))).toEqual([]);
});

test.each(files.filter((file) => file.endsWith('.as.ts')))('%s imports AssemblyScript alone', (file) => {
  expect(targetsOf(file).filter((target) => !target.endsWith('.as.ts'))).toEqual([]);
});

/** These need Node: its threads, and its codec, which warns by the process. */
const ofNode = (file: string): boolean =>
  /^(cli|work)\/|^(containers\/pixels-node|representations\/(check-poses|voxel\/bulk\/cube-workers|obb\/make\/obb-workers)|scene\/answer-pairs)\.ts/.test(
    file,
  );

test.each(files.filter((file) => !ofNode(file)))('%s runs in a browser', (file) => {
  const text = withoutComments(file);
  expect(importsOf(file).filter((specifier) => specifier.startsWith('node:'))).toEqual([]);
  // Threads are Node's alone, and nothing that a browser loads imports them.
  if (file !== 'index.ts') expect(importsOf(file).join()).not.toMatch(/\/work\//);
  expect(text).not.toMatch(/\b(process|console|Buffer)\./);
  // sharp is a native module: one file holds it, and only Node's entry, its codec and the command line import that one.
  if (file !== 'containers/pixels-sharp.ts') expect(importsOf(file)).not.toContain('sharp');
  if (!/^(index|subpaths\/gi)\.ts$/.test(file)) expect(importsOf(file).join()).not.toMatch(/pixels-(sharp|node)/);
});

test.each(files)('%s: threads are those of pools alone', (file) => {
  if (file !== 'work/pool.ts') expect(importsOf(file)).not.toContain('piscina');
  if (file !== 'work/thread.ts') expect(importsOf(file)).not.toContain('node:worker_threads');
});

/** What of node:fs opens files; all of it does. */
const OPENING = /\b(open|openSync|openAsBlob|(read|copy)File(Sync)?|cp(Sync)?|createReadStream|promises)\b|^[^{]/;

/** Who takes it, and for what: a file that another file names is opened by `openNamed` alone. */
const OPENERS: Record<string, string> = {
  'cli/inputs/open.ts': 'openNamed; openInput, of what a person names',
  'cli/poses/read-poses.ts': 'lines and poses, of what a person names',
  'cli/atomic-write.ts': 'what is written; the number of the machine',
  'cli/cache/cache.ts': "the cache's own entries, by names that it makes",
  'cli/cache/program-digest.ts': "the program's own modules",
  'cli/view/server.ts': "the program's own page",
};

/**
 * Who opens what a person names, and what that is. Where a session has `named`, another file names
 * it, and openGiven, readWhole and readInput go by that.
 */
const OF_PERSONS: Record<string, Record<string, string>> = {
  openInput: {
    'cli/project-file.ts': '--project',
    'cli/findings/baseline-file.ts': '--baseline',
    'cli/make/side-files.ts': 'inputs',
    'cli/make/first-scene.ts': 'files of a folder',
  },
  openGiven: {
    'cli/inputs/load.ts': 'inputs; those of a project',
    'cli/inputs/pair.ts': 'inputs; files of a finding',
    'cli/commands/cubes.ts': 'inputs',
  },
  readWhole: {
    ...{ 'cli/make/make-job.ts': 'inputs; those of a project', 'cli/inputs/mesh.ts': 'inputs; those of a project' },
    ...{ 'cli/queue/builds.ts': 'inputs; those of a project', 'cli/inputs/load.ts': "a scene's files" },
    ...{ 'cli/scene/robot.ts': '--srdf; that of a project', 'cli/findings/finding-file.ts': 'inputs' },
    'cli/motion-check.ts': '--motion',
  },
  readInput: {
    ...{ 'cli/commands/cubes.ts': 'inputs', 'cli/commands/info.ts': 'inputs', 'cli/commands/lint.ts': 'inputs' },
    ...{ 'cli/scene/inputs.ts': 'inputs; scenes of a project', 'cli/view/load-view.ts': 'inputs' },
  },
  loadAsset: {
    ...{ 'cli/inputs/pair.ts': 'inputs; files of a finding', 'cli/commands/verify.ts': 'inputs' },
    ...{ 'cli/commands/export.ts': 'inputs', 'cli/findings/finding-file.ts': 'files of findings, opened' },
    ...{ 'cli/commands/cubes.ts': 'what is read', 'cli/commands/info.ts': 'what is read' },
    ...{ 'cli/commands/lint.ts': 'what is read', 'cli/view/load-view.ts': 'what is read' },
    'cli/queue/run-file.ts': 'what is read',
  },
  readingOf: { 'cli/findings/finding-file.ts': 'files of findings', 'cli/scene/inputs.ts': 'scenes of a project' },
  openPoses: { 'cli/poses/many-poses.ts': '--poses' },
  openLines: { 'cli/lines.ts': 'linesOf' },
};

/** Who goes through the lines of what a person names: all others say where the file may lie. */
const LINES_OF_PERSONS = ['cli/commands/report.ts', 'cli/findings/finding-file.ts'];

test('one function opens the files that other files name', () => {
  const found: string[] = [];
  const users = Object.fromEntries(Object.keys(OF_PERSONS).map((name) => [name, [] as string[]]));
  const lines: string[] = [];
  for (const file of files) {
    const text = withoutComments(file);
    const taken = [...text.matchAll(/import\s([^;]*?)\sfrom\s+'(?:node:)?fs(?:\/promises)?'/g)];
    if (taken.some(([, names]) => OPENING.test(names))) found.push(file);
    // Otherwise nobody could see what is taken of it.
    expect(text, file).not.toMatch(/(import|require|getBuiltinModule)\s*\(\s*['"`](node:)?fs/);
    for (const name of Object.keys(users)) {
      const isTaken = new RegExp(`import\\s[^;]*\\b${name}\\b[^;]*from`).test(text);
      if (isTaken) users[name].push(file);
    }
    if (file.startsWith('cli/') && /from\s+'[./]*lines\.ts'/.test(text) && /\blinesOf\([^,()]*\)/.test(text))
      lines.push(file);
  }
  expect(found.sort()).toEqual(Object.keys(OPENERS).sort());
  for (const [name, own] of Object.entries(OF_PERSONS))
    expect(users[name].sort(), name).toEqual(Object.keys(own).sort());
  expect(lines.sort()).toEqual(LINES_OF_PERSONS);
});

test('files record the version that package.json states', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(manifest.version);
});
