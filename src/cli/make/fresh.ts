/**
 * Decides by an output's header whether it is up to date: by the digest of its request and the
 * file's length. A checksum is verified if the format has one. Images have none, and their pixels
 * are not checked: use gicollide verify.
 */

import { FormatError, InputError } from '../../base/errors.ts';
import { readBlobHeader, requireChecksum } from '../../containers/blob.ts';
import { type ByteSource, memorySource } from '../../containers/byte-source.ts';
import { sha256 } from '../../containers/hash.ts';
import { isTiff } from '../../containers/is-tiff.ts';
import { TOOL } from '../../version.ts';
import { placeBeside } from '../inputs/mesh.ts';
import { ANYWHERE, isStream, kindOf, nameOf } from '../inputs/name.ts';
import { type NamedOptions, namedInput, readNamedLater } from '../inputs/open.ts';
import type { Session } from '../session.ts';
import { geometryOf, inHeader, type RequestElement, readerIn, requestDigest } from './build-key.ts';
import type { BuildFlags, BuildJob, BuildRecord, DoneRecord, OutputFacts, StaleRecord } from './job.ts';

interface Recorded {
  size: number;
  tool: unknown;
  source: string | null;
  build: unknown;
  geometry: string | null;
  /** The source's element that it is; null for a whole source. */
  element: RequestElement | null;
  /** Names of the files that the source referenced; null if unknown. */
  files: string[] | null;
}

type Staleness = Pick<StaleRecord, 'status' | 'reason'> | (Pick<DoneRecord, 'size'> & { status: 'fresh' });

const OF_ANY_SIZE: NamedOptions = { ...ANYWHERE, maxBytes: Number.POSITIVE_INFINITY };

const MISSING = { status: 'missing', reason: 'there is none' } as const;
const DAMAGED = 'no whole asset';
const OTHER_FILES = 'other options or files beside';
const stale = (reason: string) => ({ status: 'stale', reason }) as const;

export async function stalenessOf({ output, ...facts }: OutputFacts): Promise<Staleness> {
  return judge(output, await readRecorded(output), facts);
}

async function judge(output: string, recorded: Recorded | string | null, facts: AskedFor): Promise<Staleness> {
  if (recorded === null) return MISSING;
  if (typeof recorded === 'string') return stale(recorded);
  const reason = reasonAgainst(recorded, facts) ?? ((await isDamaged(output)) ? DAMAGED : null);
  return reason === null ? { status: 'fresh', size: recorded.size } : stale(reason);
}

type AskedFor = Pick<OutputFacts, 'sha256' | 'format' | 'request'>;

function reasonAgainst(
  { tool, source, build, geometry, files }: Recorded,
  { sha256, format, request }: AskedFor,
): string | null {
  if (tool !== TOOL) return 'another tool';
  if (typeof build !== 'string') return 'no record of how it was built';
  if (geometry === null) return 'no record of the revisions that built it';
  if (geometry !== geometryOf(readerIn(geometry), format)) return 'another revision of its reader or builder';
  if (source !== sha256) return 'another source';
  if (build === inHeader(request)) return null;
  return files === null || files.length > 0 ? OTHER_FILES : 'other options';
}

/** Reads a file's header; null if there is no file, and text if it is no asset. */
async function readRecorded(output: string): Promise<Recorded | string | null> {
  const kind = kindOf(output);
  if (kind === null) return null;
  if (kind !== 'file') return 'no file';
  let source: ByteSource | null = null;
  try {
    source = namedInput(output, OF_ANY_SIZE).source;
    return await recordedIn(source);
  } catch (error) {
    if (error instanceof FormatError) return DAMAGED;
    if (error instanceof InputError) return 'it cannot be read';
    throw error;
  } finally {
    source?.close?.();
  }
}

/** True if the header matches this request and the bytes are whole, as far as that can be told. */
export async function isOfRequest(bytes: Uint8Array, facts: OutputFacts): Promise<boolean> {
  try {
    if (!isTiff(bytes)) await requireChecksum(bytes);
    const recorded = await recordedIn(memorySource(bytes));
    return typeof recorded !== 'string' && reasonAgainst(recorded, facts) === null;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

async function recordedIn(source: ByteSource): Promise<Recorded | string> {
  const header = await headerOf(source);
  return header === null ? 'no asset of this program' : { size: source.size, ...recordedOf(header) };
}

async function isDamaged(output: string): Promise<boolean> {
  try {
    const bytes = await readNamedLater(output, OF_ANY_SIZE);
    if (!isTiff(bytes)) await requireChecksum(bytes);
    return false;
  } catch (error) {
    if (error instanceof FormatError) return true;
    throw error;
  }
}

async function headerOf(source: ByteSource): Promise<Record<string, unknown> | null> {
  const start = await source.read(0, Math.min(8, source.size));
  if (!isTiff(start)) return readBlobHeader(source);
  const { readDirectoriesOf } = await import('../../containers/tiff-directory.ts');
  const [page] = await readDirectoriesOf(source);
  try {
    return JSON.parse(page?.description ?? 'null');
  } catch {
    return null;
  }
}

function recordedOf(header: Record<string, unknown>): Omit<Recorded, 'size'> {
  const { tool, source, options } = header;
  const { build, files, geometry, element, index } = (options ?? {}) as Record<string, unknown>;
  const digest = (source as Record<string, unknown> | null | undefined)?.sha256;
  const isElement = typeof element === 'string' && typeof index === 'number';
  return {
    ...{ tool, build, files: namesIn(files) },
    source: typeof digest === 'string' ? digest : null,
    geometry: typeof geometry === 'string' ? geometry : null,
    element: isElement ? { name: element, index } : null,
  };
}

function namesIn(files: unknown): string[] | null {
  if (files === undefined) return [];
  try {
    const names: unknown = JSON.parse(files as string);
    return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : null;
  } catch {
    return null;
  }
}

// ---------------------------------------------------------------------- without reading a mesh

export interface Digests {
  get(file: string, options: NamedOptions): Promise<string> | undefined;
  set(file: string, digest: Promise<string>): unknown;
}

/** True if records need a reading: of elements, of what is excluded, of stdin and devices. */
const isOfReaders = ({ kind, inputs, flags: { split, exclude } }: BuildJob): boolean =>
  split !== undefined || (kind === 'mesh' && exclude !== undefined) || inputs.some(({ file }) => isStream(file));

/** Returns the records of a job whose outputs are all fresh; null otherwise. Reads no mesh. */
export async function freshRecords(job: BuildJob, digests: Digests, session: Session): Promise<BuildRecord[] | null> {
  if (isOfReaders(job)) return null;
  // Most outputs that are not fresh are recognized without reading a source.
  const headers: Headers = new Map();
  for (const output of job.inputs.flatMap(({ outputs }) => outputs)) {
    const recorded = await readRecorded(output);
    if (recorded === null || typeof recorded === 'string') return null;
    if (recorded.tool !== TOOL || typeof recorded.build !== 'string') return null;
    headers.set(output, recorded);
  }
  const records = await lookAt(job, digests, session, headers);
  return records?.every(({ status }) => status === 'fresh') ? records : null;
}

type Headers = Map<string, Recorded>;

/** Judges outputs by headers and digests, without reading a mesh; null if that is not enough. */
export async function lookAt(
  job: BuildJob,
  digests: Digests,
  session: Session,
  headers: Headers = new Map(),
): Promise<BuildRecord[] | null> {
  if (isOfReaders(job)) return null;
  const { inputs, formats } = job;
  const records: BuildRecord[] = [];
  for (const { file, outputs } of inputs) {
    const source = nameOf(file, session);
    try {
      const digest = await digestOf(file, digests, optionsOf(session));
      for (const [k, format] of formats.entries()) {
        const output = outputs[k];
        const recorded = headers.get(output) ?? (await readRecorded(output));
        records.push(await lookAtOne({ file, source, output, digest, recorded }, format, job, digests, session));
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      records.push({ status: 'failed', source, message: error.message });
    }
  }
  return records;
}

interface Looked extends Pick<OutputFacts, 'output' | 'source'> {
  file: string;
  digest: string;
  recorded: Recorded | string | null;
}

async function lookAtOne(
  looked: Looked,
  format: string,
  job: Pick<BuildJob, 'flags'>,
  digests: Digests,
  session: Session,
): Promise<BuildRecord> {
  const facts = await factsOf(looked, format, job, digests, session);
  return { ...facts, ...(await judge(looked.output, looked.recorded, facts)) };
}

/**
 * Returns why an output that is about to be read differs from a new build; null if it does not. The
 * reader checks its content.
 *
 * @throws InputError if the source, or a file that it references, cannot be read
 */
export async function whyStale(
  { file, output, format }: { file: string; output: string; format: string },
  flags: BuildFlags,
  digests: Digests,
  session: Session,
): Promise<string | null> {
  const recorded = await readRecorded(output);
  if (recorded === null) return MISSING.reason;
  if (typeof recorded === 'string') return recorded;
  const looked = {
    file,
    source: nameOf(file, session),
    output,
    digest: await digestOf(file, digests, optionsOf(session)),
    recorded,
  };
  const facts = await factsOf(looked, format, { flags }, digests, session);
  const reason = reasonAgainst(recorded, facts);
  const there = facts.beside.filter((path) => kindOf(path) !== null).length;
  if (reason === OTHER_FILES && there < (recorded.files?.length ?? 0))
    throw new InputError(`${file}: expected the files that it names`);
  return reason;
}

export async function isBuilt(output: string): Promise<boolean> {
  const recorded = await readRecorded(output);
  return recorded !== null && typeof recorded !== 'string' && typeof recorded.build === 'string';
}

async function factsOf(
  { file, source, output, digest, recorded }: Looked,
  format: string,
  { flags }: Pick<BuildJob, 'flags'>,
  digests: Digests,
  session: Session,
): Promise<OutputFacts> {
  const known = typeof recorded === 'object' ? recorded : null;
  const names = known?.files ?? [];
  const files: [string, string][] = [];
  const beside: string[] = [];
  for (const name of names) {
    // A missing file's digest differs from the requested one.
    try {
      const { path, place } = placeBeside(name, file, session.global);
      beside.push(path);
      files.push([name, await digestOf(path, digests, { ...place, maxBytes: session.global.maxBytes })]);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      files.push([name, '']);
    }
  }
  const reader = readerIn(known?.geometry ?? '');
  const element = (flags.split !== undefined && known?.element) || undefined;
  const request = requestDigest(format, flags, { name: source, sha256: digest, reader, files }, element);
  return { output, source, sha256: digest, beside, format, request };
}

const optionsOf = ({ named, global }: Session): NamedOptions =>
  named ? { ...named, maxBytes: global.maxBytes } : OF_ANY_SIZE;

function digestOf(file: string, digests: Digests, options: NamedOptions): Promise<string> {
  const known = digests.get(file, options);
  if (known) return known;
  const digest = readNamedLater(file, options).then(sha256);
  digest.catch(() => {}); // is told where it is asked for
  digests.set(file, digest);
  return digest;
}
