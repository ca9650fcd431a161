/** Turns build jobs into tasks: skips existing outputs, and stores the sources. */
import { sha256 } from '../../containers/hash.ts';
import { InputError } from '../../math/errors.ts';
import { meshFormatOf } from '../../readers/formats.ts';
import type { BuildJob, BuildRun, JobRecord, OutputFacts } from '../build/job.ts';
import { knownOf } from '../build/known.ts';
import { requestDigest } from '../build/request.ts';
import type { BuildCache } from '../cache/cache.ts';
import { meshFileOf, placeBeside } from '../inputs/mesh.ts';
import { kindOf, STDIN } from '../inputs/name.ts';
import { readWhole } from '../inputs/open.ts';
import type { Session } from '../session.ts';
import type { AssetFolder } from './asset-store.ts';
import type { SourceTask } from './build-run.ts';

export interface Sent {
  task: SourceTask;
  /** For each format the existing output, or the facts of the output to build. */
  outputs: (JobRecord | { status: 'asked'; facts: OutputFacts })[];
}

/** True if a file gives its bytes only once, and only to this process. */
export const isStream = ({ inputs }: BuildJob): boolean =>
  inputs.some(({ file }) => file === STDIN || kindOf(file) === 'device');

/**
 * Returns the task of a job; null if this machine must do it: elements, whose names are unknown
 * before, unreadable files, whose errors are reported here, and existing outputs.
 */
export async function sendJob(
  job: BuildJob,
  run: BuildRun,
  { store, cache }: { store: AssetFolder; cache: BuildCache | null },
  session: Session,
): Promise<Sent | null> {
  if (job.flags.split !== undefined || job.inputs.length !== 1 || isStream(job)) return null;
  const read = await readAll(job, session);
  if (!read) return null;
  const { kind, formats, flags } = job;
  const [{ file, outputs: paths }] = job.inputs;
  const { bytes, digest, beside } = read;
  const reader = kind === 'mesh' ? meshFormatOf(bytes).name : null;
  const files = beside.map(({ path, digest }) => [path, digest] as const);
  const known = formats.map(async (format, k): Promise<Sent['outputs'][number]> => {
    const request = requestDigest(format, flags, { name: file, sha256: digest, reader, files });
    const places = beside.map(({ place }) => place);
    const facts = { output: paths[k], source: file, sha256: digest, beside: places, format, request };
    return (await knownOf(facts, run, cache)) ?? { status: 'asked', facts };
  });
  const outputs = await Promise.all(known);
  const asked = formats.filter((_, k) => outputs[k].status === 'asked');
  if (asked.length === 0) return null;
  for (const each of [bytes, ...beside.map((own) => own.bytes)]) await store.write(each);
  return { task: { kind, name: file, sha256: digest, beside: files, formats: asked, flags }, outputs };
}

interface Beside {
  path: string;
  place: string;
  bytes: Uint8Array;
  digest: string;
}

/** Reads a file and the files that it references, sorted; null if one cannot be read. */
async function readAll({ kind, inputs: [{ file }] }: BuildJob, session: Session) {
  try {
    const bytes = readWhole(file, session);
    const found = new Map<string, Uint8Array>();
    if (kind === 'mesh' && meshFormatOf(bytes).namesOthers) {
      // The builder logs the warnings. A reader may take over its input, hence the copy.
      const silent = { info() {}, warn() {}, error() {} };
      await meshFileOf(file, bytes, { ...session, log: silent }, (path, own) => found.set(path, own.slice()));
    }
    const beside = [...found]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(async ([path, own]): Promise<Beside> => {
        const { path: place } = placeBeside(path, file, session.global);
        return { path, place, bytes: own, digest: await sha256(own) };
      });
    return { bytes, digest: await sha256(bytes), beside: await Promise.all(beside) };
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
