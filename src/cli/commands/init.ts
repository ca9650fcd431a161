/** `gicollide init`: writes the project of a folder, its scene, a first baseline, and a CI file. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { InputError } from '../../base/errors.ts';
import { counted, printable } from '../../base/printable.ts';
import { notes } from '../arguments.ts';
import { requireWritable, writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { filesBelow, kindOf, PROJECT_FILE, withSlashes } from '../inputs/name.ts';
import { openInput } from '../inputs/open.ts';
import { buildsOf, type Found, findIn, sceneOf } from '../make/first-scene.ts';
import { openProject } from '../project-file.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';

const BASELINE = 'gicollide-baseline.json';
const WORKFLOW = '.github/workflows/gicollide.yml';
const SCHEMAS = './node_modules/gicollide/docs';
const SCENE = '.scene.json';

export function defineInit(command: Command, session: (command: Command) => Session): void {
  command
    .option('--dry-run', 'write nothing; list the files to write')
    .addHelpText(
      'after',
      notes(
        `Finds the meshes, robots and scene files below a folder, and writes gicollide.json, a scene file if there is none, a baseline with
today's findings, and a workflow for GitHub. It never overwrites a file: existing ones are kept and listed.
examples/ci has files for GitLab and Jenkins.
Exit code 0: written, and gicollide scene passes; 2: nothing was found, or not written.`,
        '  $ gicollide init\n  $ gicollide init models/ --dry-run',
      ),
    )
    .action(async (folder: string | undefined, flags: { dryRun?: boolean }, command: Command) => {
      process.exitCode = await init(folder ?? '.', flags.dryRun ?? false, session(command));
    });
}

interface Planned {
  file: string;
  text: string;
  /** Says what is in it. */
  about: string;
}

async function init(folder: string, isDry: boolean, session: Session): Promise<number> {
  if (kindOf(folder) !== 'folder') throw new InputError(`${folder}: expected a folder`);
  const found = await findIn(folder, filesBelow(folder), session);
  for (const [file, why] of found.refused) session.log.warn(`${file}: left out: ${why}`);
  const files = planned(folder, found);
  const missing = files.filter(({ file }) => kindOf(join(folder, file)) === null);
  for (const { file } of missing) if (!isDry) requireWritable(join(folder, file));
  for (const { file, text, about } of files) {
    const isKept = !missing.some((other) => other.file === file);
    if (!isKept && !isDry) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      await writeWhole(join(folder, file), Buffer.from(text));
    }
    await print(`${isKept ? 'kept' : isDry ? 'would write' : 'wrote'}  ${printable(join(folder, file))}  ${about}\n`);
  }
  if (isDry) return EXIT.expected;
  if (kindOf(join(folder, BASELINE)) === null) await record(folder);
  else await print(`kept  ${printable(join(folder, BASELINE))}  known findings\n`);
  await print(
    nextSteps(
      folder,
      found.scenes[0] ?? found.robots[0]?.file ?? files.find(({ file }) => file.endsWith(SCENE))?.file ?? null,
    ),
  );
  return EXIT.expected;
}

function planned(folder: string, found: Found): Planned[] {
  const { scenes, robots, meshes } = found;
  if (scenes.length + robots.length + meshes.length === 0)
    throw new InputError(`${folder}: expected meshes, robots or scene files in it, found none`);
  const own = `${basename(resolve(folder)) || 'all'}${SCENE}`;
  const made = scenes.length === 0 && meshes.length > 0 ? sceneOf(found, `${SCHEMAS}/scene.schema.json`) : null;
  const files = [...scenes, ...(made ? [own] : [])];
  const project = {
    $schema: `${SCHEMAS}/project.schema.json`,
    gicollide: 'project/1',
    ...(meshes.length > 0 && { build: buildsOf(found) }),
    scenes: [
      ...files.map((file) => ({ files: file, baseline: BASELINE, ...(file === own && allowedIn(found)) })),
      ...robots.map(({ file, srdf }) => ({ files: file, ...(srdf && { srdf }), baseline: BASELINE })),
    ],
  };
  return [
    { file: PROJECT_FILE, text: pretty(project), about: aboutOf(project.scenes.length) },
    ...(made ? [{ file: own, text: pretty(made.scene), about: made.about }] : []),
    { file: WORKFLOW, text: workflow(project.scenes.length > 0), about: 'runs it on GitHub' },
  ];
}

const aboutOf = (scenes: number): string =>
  scenes > 0 ? `the project: ${counted(scenes, 'scene')}` : 'the project: a build; a scene needs two objects';

const allowedIn = ({ meshes }: Found) => {
  const incomplete = meshes.flatMap(({ unread }) => unread.map((a) => ({ a, reason: 'incomplete in the first run' })));
  return incomplete.length > 0 ? { incomplete } : {};
};

const pretty = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** Records the findings of the first run, by the commands that users will run. */
async function record(folder: string): Promise<void> {
  const run = (...args: string[]): void => {
    const { status, stderr } = spawnSync(process.execPath, [process.argv[1], ...args], {
      ...{ cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
    });
    const last = stderr.trim().split('\n').at(-1) ?? '';
    if (status === null || status === EXIT.failed)
      throw new InputError(`gicollide ${args[0]} in ${folder}: ${last.replace(/^gicollide: /, '')}`);
  };
  const { model } = await openProject({ project: join(folder, PROJECT_FILE) }, PROJECT_FILE);
  const { build, scenes = [] } = model;
  if (build) run('build');
  if (scenes.length === 0) return;
  run('scene', '--update-baseline', '--force');
  const { findings } = JSON.parse(new TextDecoder().decode(openInput(join(folder, BASELINE)).bytes()));
  const count = findings.filter((entry: unknown) => entry !== null).length;
  const known = count === 0 ? 'no finding today' : `${counted(count, 'finding')} of today, known from now on`;
  await print(`wrote  ${printable(join(folder, BASELINE))}  ${known}\n`);
}

const nextSteps = (folder: string, scene: string | null): string => {
  const place = withSlashes(relative('.', folder));
  const steps =
    scene === null
      ? ['gicollide build    # builds what has changed', `git add ${PROJECT_FILE} ${WORKFLOW}`]
      : [
          'gicollide scene    # passes now, and fails on new findings',
          `gicollide view ${scene} --baseline ${BASELINE} --open    # shows the known ones`,
          `git add ${PROJECT_FILE} ${BASELINE} ${WORKFLOW}${scene.endsWith(SCENE) ? ` ${scene}` : ''}`,
        ];
  const lines = [...(place === '' ? [] : [`cd ${place}`]), ...steps].map((step) => `  ${step}\n`);
  return `\nNext:\n${lines.join('')}CI needs gicollide in package.json (docs/install.md).\n`;
};

const workflow = (hasScenes: boolean): string => `name: gicollide
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  collisions:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with:
          node-version: 22
      - run: npm ci
      - run: npx --no-install gicollide ${hasScenes ? 'scene --report github github-summary="$GITHUB_STEP_SUMMARY"' : 'build'}
`;
