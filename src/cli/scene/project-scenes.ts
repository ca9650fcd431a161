/** Checks the scenes of a project one after the other. */
import { InputError, OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { SceneEntry } from '../../project/project-file.ts';
import { EXIT } from '../exit-codes.ts';
import { type BaselineFlags, requireBaselineFor } from '../findings/baseline-file.ts';
import { Decisions } from '../findings/decisions.ts';
import { reportRuns, requireReports } from '../findings/report-files.ts';
import { type ReportFlags, type RunsTogether, reportsWritten } from '../findings/report-flags.ts';
import { BLOB } from '../flags.ts';
import { codeOf } from '../inputs/name.ts';
import { listOf, openProject, type Project, type ProjectFlags, projectPath } from '../project-file.ts';
import type { Session } from '../session.ts';
import { print, printError } from '../terminal.ts';

interface SceneRequest {
  files: string[];
  /** The entry's options, which replace the command line's. */
  flags: Record<string, unknown>;
}

/** Options of the command line that replace those of a project's scenes. */
const INSTEAD = ['report', 'group', 'bcfVersion', 'csvSeparator', 'csvBom', 'distance', 'baseline'];
/** Options of the command line that are allowed with a project. */
const WITH_PROJECT = [
  ...INSTEAD,
  ...['project', 'jobs', 'json', 'allowOutside', 'build', 'stale'],
  ...['updateBaseline', 'pruneBaseline', 'note', 'accept', 'force'],
];

/**
 * Checks each scene, even after a failure. Reports named on the command line cover all scenes.
 *
 * @returns the exit code: the worst of all, 2 before 3 before 1
 */
export async function runProjectScenes(
  flags: ProjectFlags & ReportFlags & BaselineFlags,
  given: ReadonlyMap<string, string>,
  asking: Session,
  run: (request: SceneRequest, session: Session) => Promise<number>,
): Promise<number> {
  const other = [...given].find(([name]) => !WITH_PROJECT.includes(name));
  if (other)
    throw new OptionError(`${other[1]}: a project file says what its scenes are asked; name files, or leave it out`);
  if (flags.report?.some(({ format }) => format === BLOB))
    throw new OptionError(
      '--report blob writes a share of one scene, and a project may have several: name the files of one scene',
    );
  const project = await openProject(flags, 'files');
  const session = { ...asking, named: project.named };
  const together: RunsTogether = { runs: [], inputs: new Set() };
  const decisions = flags.accept || flags.note ? new Decisions(flags.accept, flags.note) : undefined;
  const requests = scenesOf(project).map((request) => overruled(request, given, { together, decisions }));
  if (requests.length === 0) throw new InputError(`${project.file}: expected a scene, found no entry of scenes`);
  const baselines = requests.flatMap((request) => (request.flags.baseline as string | undefined) ?? []);
  requireBaselineFor({ ...flags, baseline: flags.baseline ?? baselines[0] });
  const codes: number[] = [];
  for (const [i, request] of requests.entries()) {
    const isTold = requests.length > 1 && !given.has('json') && !session.global.quiet;
    if (isTold) await print(`${printable(request.files.join(' '))}:\n`);
    try {
      codes.push(
        await run(baselines.length > 0 && !request.flags.baseline ? withoutUpdate(request) : request, session),
      );
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const where = codeOf(error) === 'ENOENT' ? ` (scenes[${i}] of ${printable(project.file)})` : '';
      printError(error.message + where, session.global);
      const { message } = error;
      together.runs.push({ records: [{ type: 'error', subject: request.files.join(' '), message }], command: 'scene' });
      codes.push(EXIT.failed);
    }
  }
  if (given.has('report')) {
    requireReports(flags, together.inputs);
    await reportRuns(together.runs, flags);
    if (!given.has('json') && !session.global.quiet) for (const line of reportsWritten(flags)) await print(`${line}\n`);
  }
  decisions?.requireFound();
  return [EXIT.failed, EXIT.undecided, EXIT.other].find((code) => codes.includes(code)) ?? EXIT.expected;
}

function overruled(
  { files, flags }: SceneRequest,
  given: ReadonlyMap<string, string>,
  { together, decisions }: { together: RunsTogether; decisions: Decisions | undefined },
): SceneRequest {
  const own: SceneRequest['flags'] = { ...flags, decisions, ...(given.has('report') && { together }) };
  for (const name of INSTEAD) if (given.has(name)) delete own[name];
  if (given.has('baseline')) delete own.baselinePlace;
  return { files, flags: own };
}

const CHANGING = ['updateBaseline', 'pruneBaseline', 'note', 'accept', 'decisions', 'force'];

/** Drops changes of baselines for a scene that has none, while another has one. */
const withoutUpdate = ({ files, flags }: SceneRequest): SceneRequest => ({
  files,
  flags: { ...flags, ...Object.fromEntries(CHANGING.map((name) => [name, undefined])) },
});

export const scenesOf = (project: Project): SceneRequest[] =>
  (project.model.scenes ?? []).map((scene, i) =>
    requestOf(project, typeof scene === 'string' ? { files: scene } : scene, `scenes[${i}]`),
  );

function requestOf(project: Project, scene: SceneEntry, place: string): SceneRequest {
  const { files, against, with: about, report, allow, incomplete, baseline, srdf, states, ...options } = scene;
  const path = (given: string, name: string): string => projectPath(project, given, `${place}.${name}`);
  const paths = (given: string | string[] | undefined, name: string): string[] =>
    listOf(given).map((one) => path(one, name));
  const reports = Object.entries((report ?? {}) as Record<string, string>).map(([format, file]) => ({
    format,
    file: file === PRINTED ? null : path(file, `report.${format}`),
  }));
  return {
    files: paths(files, 'files'),
    flags: {
      ...options,
      project: project.file,
      ...(against && { against: paths(against, 'against') }),
      ...(about && { with: paths(about, 'with') }),
      ...(report && { report: reports }),
      ...(allow && { allow: allow.map((pair) => ({ reason: 'gicollide.json', ...pair })) }),
      ...(incomplete && {
        allowIncomplete: incomplete.map(({ a, reason = 'gicollide.json' }) => ({ a, reason })),
      }),
      ...(baseline !== undefined && { baseline: path(baseline, 'baseline'), baselinePlace: project.named }),
      ...(srdf !== undefined && { srdf: path(srdf, 'srdf') }),
      ...(states !== undefined && { states: path(states, 'states') }),
    },
  };
}

/** The file name for github's annotations, which are printed. */
const PRINTED = '-';
