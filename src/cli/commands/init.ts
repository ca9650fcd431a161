/** `gicollide init`: writes the project of a folder, its scene, a first baseline, and a CI file. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join, normalize, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { InputError } from '../../base/errors.ts';
import { counted, printable } from '../../base/printable.ts';
import type { ProjectModel } from '../../project/project-file.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import { shellWord } from '../../viewer/command-line.ts';
import { notes } from '../arguments.ts';
import { requireWritable, writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { readBaselineFile } from '../findings/baseline-file.ts';
import { ANYWHERE, extensionOf, filesBelow, kindOf, PROJECT_FILE, withSlashes } from '../inputs/name.ts';
import { buildsOf, type Found, findIn, needsBuild, sceneOf } from '../make/first-scene.ts';
import {
  pathFrom,
  programName,
  type Surroundings,
  schemasOf,
  surroundingsOf,
  workflowFile,
  workflowText,
} from '../make/first-workflow.ts';
import { listOf, openProject } from '../project-file.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';

const BASELINE = 'gicollide-baseline.json';
const SCENE = '.scene.json';

export function defineInit(command: Command, session: (command: Command) => Session): void {
  command
    .option('--dry-run', 'write nothing; list the files to write')
    .addHelpText(
      'after',
      notes(
        `Finds the meshes, robots and scene files below a folder, and writes gicollide.json, a scene file if there is none, a baseline with
today's findings, and a workflow for GitHub, at the top of the git repository. It never overwrites a file: existing ones are kept and
listed. Then it prints what to do next. examples/ci has files for GitLab and Jenkins.
Exit code 0: written, and gicollide scene passes if the baseline is new; 2: nothing was found, or not written.`,
        '  $ gicollide init\n  $ gicollide init models/ --dry-run',
      ),
    )
    .action(async (folder: string | undefined, flags: { dryRun?: boolean }, command: Command) => {
      process.exitCode = await init(folder ?? '.', flags.dryRun ?? false, session(command));
    });
}

/** Files are relative to the folder. */
interface Planned {
  file: string;
  /** Null for files of the user. */
  text: string | null;
  /** Says what is in it. */
  about: string;
}

interface Plan {
  files: Planned[];
  /** The scenes' first files. */
  scenes: string[];
  /** Baselines to write. */
  baselines: string[];
  /** Baselines that exist. */
  known: string[];
  /** The folder of outputs that the scenes need, or null. */
  built: string | null;
}

async function init(folder: string, isDry: boolean, session: Session): Promise<number> {
  if (kindOf(folder) !== 'folder') throw new InputError(`${folder}: expected a folder`);
  const around = surroundingsOf(folder);
  const plan = await planOf(folder, around, session);
  const isMissing = ({ file, text }: Planned): boolean => text !== null && kindOf(join(folder, file)) === null;
  const missing = new Set(plan.files.filter(isMissing));
  const tell = (verb: string, file: string, about: string): Promise<void> =>
    print(`${verb}  ${printable(join(folder, file))}  ${printable(about)}\n`);
  for (const { file } of missing) if (!isDry) requireWritable(join(folder, file));
  for (const planned of plan.files) {
    const { file, text, about } = planned;
    if (missing.has(planned) && !isDry) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      await writeWhole(join(folder, file), Buffer.from(text!));
    }
    await tell(missing.has(planned) ? (isDry ? 'would write' : 'wrote') : 'kept', file, about);
  }
  if (!isDry && plan.baselines.length > 0) record(folder, plan.built !== null);
  if (plan.baselines.length > 0 && plan.built !== null)
    await tell(isDry ? 'would build' : 'built', plan.built, 'the outputs that the scenes use');
  for (const file of plan.baselines)
    await tell(isDry ? 'would write' : 'wrote', file, await aboutBaseline(join(folder, file)));
  for (const file of plan.known) await tell('kept', file, 'known findings');
  if (!isDry) await print(nextSteps(folder, around, plan));
  return EXIT.expected;
}

async function planOf(folder: string, around: Surroundings, session: Session): Promise<Plan> {
  const isKept = kindOf(join(folder, PROJECT_FILE)) !== null;
  const { model, files } = isKept ? await keptProject(folder) : await firstProject(folder, around, session);
  const { build = [], scenes: given = [] } = model;
  const scenes = given.map((scene) => (typeof scene === 'string' ? { files: scene } : scene));
  const all = [...new Set(scenes.flatMap(({ baseline }) => (baseline ? [baseline] : [])))];
  const known = all.filter((file) => kindOf(join(folder, file)) !== null);
  const isBuilt = build.length > 0 && scenes.length > 0;
  const report = 'scene --report github github-summary="$GITHUB_STEP_SUMMARY"';
  const command = isBuilt ? report.replace('scene', 'scene --build') : scenes.length > 0 ? report : 'build';
  const workflow = { file: workflowFile(around), text: workflowText(around, command), about: 'runs it on GitHub' };
  return {
    files: [...files, workflow],
    scenes: scenes.flatMap(({ files }) => listOf(files).slice(0, 1)),
    // Updating some of a project's baselines would change the others.
    baselines: known.length === 0 ? all : [],
    known,
    built: isBuilt ? (build[0].out ?? OUT) : null,
  };
}

const OUT = 'out/';

interface FirstProject {
  model: Pick<ProjectModel, 'build' | 'scenes'>;
  files: Planned[];
}

async function keptProject(folder: string): Promise<FirstProject> {
  const { model } = await openProject({ project: join(folder, PROJECT_FILE) }, PROJECT_FILE);
  const scenes = (model.scenes ?? []).flatMap((scene) => listOf(typeof scene === 'string' ? scene : scene.files));
  const kept = scenes.filter((file) => file.endsWith(SCENE) && kindOf(join(folder, file)) !== null);
  const ofUser = [PROJECT_FILE, ...kept].map((file) => ({ file, text: null, about: 'as it is' }));
  return { model, files: ofUser };
}

async function firstProject(folder: string, around: Surroundings, session: Session): Promise<FirstProject> {
  const found = await findIn(folder, filesBelow(folder), session);
  for (const [file, why] of found.refused) session.log.warn(`${file}: left out: ${why}`);
  const { scenes, robots, meshes } = found;
  if (scenes.length + robots.length + meshes.length === 0)
    throw new InputError(`${folder}: expected meshes, robots or scene files in it, found none`);
  const own = `${basename(resolve(folder)) || 'all'}${SCENE}`;
  const schemas = schemasOf(around);
  const made = scenes.length === 0 && meshes.length > 0 ? sceneOf(found, `${schemas}/scene.schema.json`) : null;
  const files = [...scenes, ...(made ? [own] : [])];
  // Scenes of meshes need no builds.
  const isBuilt = meshes.length > 0 && (files.length + robots.length === 0 || needsBuild(folder, scenes));
  const model = {
    ...(isBuilt && { build: buildsOf(found) }),
    scenes: [
      ...files.map((file) => ({ files: file, baseline: BASELINE, ...(file === own && allowedIn(found)) })),
      ...robots.map(({ file, srdf }) => ({ files: file, ...(srdf && { srdf }), baseline: BASELINE })),
    ],
  };
  const project = { $schema: `${schemas}/project.schema.json`, gicollide: 'project/1', ...model };
  return {
    model,
    files: [
      { file: PROJECT_FILE, text: pretty(project), about: aboutOf(model.scenes.length) },
      ...(made ? [{ file: own, text: pretty(made.scene), about: made.about }] : []),
    ],
  };
}

const aboutOf = (scenes: number): string =>
  scenes > 0 ? `the project: ${counted(scenes, 'scene')}` : 'the project: a build; a scene needs two objects';

async function aboutBaseline(path: string): Promise<string> {
  if (kindOf(path) === null) return "today's findings";
  const { size } = await readBaselineFile({ file: path, named: ANYWHERE });
  return size === 0 ? 'no finding today' : `${counted(size, 'finding')} of today, known from now on`;
}

const allowedIn = ({ meshes }: Found) => {
  const incomplete = meshes.flatMap(({ unread }) => unread.map((a) => ({ a, reason: 'incomplete in the first run' })));
  return incomplete.length > 0 ? { incomplete } : {};
};

const pretty = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/** Records the findings of the first run, by the command that users will run. */
function record(folder: string, isBuilt: boolean): void {
  const args = ['scene', '--update-baseline', '--force', ...(isBuilt ? ['--build'] : [])];
  const { status, stderr } = spawnSync(process.execPath, [process.argv[1], ...args], {
    ...{ cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 },
  });
  if (status !== null && status !== EXIT.failed) return;
  const last = stderr.trim().split('\n').at(-1) ?? '';
  throw new InputError(`gicollide scene in ${folder}: ${last.replace(/^(gicollide|error): /, '')}`);
}

/** Endings of files that a scene may name, beside meshes. */
const OTHERS = ['.srdf', '.bin', '.ndjson', '.f64', '.obb', '.kdop', '.voxel', '.frep', '.tif', '.tiff'];

/** Returns all that CI needs from the repository: files of the folder, and those above it. */
function filesToAdd({ folder, packages, hasGicollide, lock, tarball, root }: Surroundings, plan: Plan): string[][] {
  const { files, baselines, known } = plan;
  const out = plan.built === null ? null : join(folder, normalize(plan.built));
  const named = [...files.map(({ file }) => file), ...baselines, ...known].filter((file) => !file.startsWith('../'));
  const isOther = (file: string): boolean => !(out && file.startsWith(out)) && !named.includes(pathFrom(folder, file));
  const endings = new Set(filesBelow(folder).filter(isOther).map(extensionOf));
  const meshes = [...MESH_ENDINGS, ...OTHERS].filter((ending) => endings.has(ending)).map((ending) => `*${ending}`);
  const scenes = plan.scenes.filter((file) => file.endsWith(SCENE) && !named.includes(file));
  const ofPackages = [join(packages, 'package.json'), lock, tarball].flatMap((file) =>
    hasGicollide && file?.startsWith(root) ? [pathFrom(folder, file)] : [],
  );
  const above = files.map(({ file }) => file).filter((file) => file.startsWith('../'));
  return [
    [...named, ...scenes, ...meshes],
    [...ofPackages, ...above],
  ].filter(({ length }) => length > 0);
}

function nextSteps(folder: string, around: Surroundings, plan: Plan): string {
  const place = withSlashes(relative('.', folder));
  const program = programName();
  const { scenes, baselines, known } = plan;
  const baseline = [...baselines, ...known][0];
  const steps =
    scenes.length === 0
      ? [`${program} build    # builds what has changed`]
      : [
          `${program} scene    # ${known.length > 0 ? 'fails' : 'passes now, and fails'} on new findings`,
          `${program} view ${shellWord(scenes[0])}${baseline ? ` --baseline ${shellWord(baseline)}` : ''} --open    # shows the known ones`,
        ];
  const adding = filesToAdd(around, plan).map((files) => `git add ${files.map(shellWord).join(' ')}`);
  const lines = [...(place === '' ? [] : [`cd ${shellWord(place)}`]), ...steps, ...adding];
  return `\nNext:\n${lines.map((step) => `  ${step}\n`).join('')}${needsOf(around, plan).join('')}`;
}

/** Says what CI lacks. */
function needsOf({ root, isInGit, packages, hasGicollide, lock, tarball }: Surroundings, plan: Plan): string[] {
  const shown = (file: string): string => printable(withSlashes(relative('.', file)) || '.');
  return [
    ...(isInGit ? [] : [`The workflow runs if ${shown(root)} is the top of a git repository; none was found.\n`]),
    ...(hasGicollide
      ? []
      : [`CI runs npm ci, which needs gicollide in ${shown(join(packages, 'package.json'))} (docs/install.md).\n`]),
    ...(hasGicollide && lock === null ? ['CI runs npm ci, which needs package-lock.json: run npm install.\n'] : []),
    ...(tarball !== null && !tarball.startsWith(root)
      ? [
          `CI needs ${shown(tarball)}, which is outside of the repository: copy it in, and run npm install ./${printable(basename(tarball))}.\n`,
        ]
      : []),
    ...(plan.built === null ? [] : [`CI builds ${printable(plan.built)} itself; add it to .gitignore.\n`]),
  ];
}
