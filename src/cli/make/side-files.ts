/**
 * Writes files beside a build's outputs: a manifest, and a depfile for make and ninja. Also merges
 * the manifests of a build's shards.
 */
import { createHash } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import { sep } from 'node:path';
import { InputError } from '../../base/errors.ts';
import type { Shard } from '../../base/shares.ts';
import {
  type Manifest,
  type ManifestOutput,
  mergeManifests,
  readManifest,
  writeManifest,
} from '../../project/manifest.ts';
import { TOOL } from '../../version.ts';
import { requireWritable, writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { explain, identityOf } from '../inputs/name.ts';
import { fileDigest, openInput } from '../inputs/open.ts';
import { about, type Session } from '../session.ts';
import { printError } from '../terminal.ts';
import type { BuildRecord, DoneRecord } from './job.ts';
import type { BuildPlan } from './plan.ts';

export interface SideFlags {
  manifest?: string | undefined;
  depfile?: string | undefined;
  shard?: Shard | undefined;
}

export interface SideFiles {
  add(record: BuildRecord): void;
  write(): Promise<void>;
}

/** @param also files that all outputs depend on: the project's */
export function openSideFiles(
  { manifest, depfile, shard }: SideFlags,
  plan: BuildPlan,
  also: readonly string[],
): SideFiles {
  const targets = [manifest, depfile].filter((file) => file !== undefined);
  const outputs = new Set(plan.jobs.flatMap(({ inputs }) => inputs.flatMap((input) => input.outputs.map(identityOf))));
  for (const [i, file] of targets.entries()) {
    requireWritable(file);
    const key = identityOf(file);
    if (plan.inputs.has(key)) throw new InputError(`${file}: would overwrite an input`);
    if (outputs.has(key) || targets.findIndex((other) => identityOf(other) === key) !== i)
      throw new InputError(`${file}: two things would be written there`);
  }
  const done: DoneRecord[] = [];
  const failed: Manifest['failed'] = [];
  return {
    add(record) {
      if (record.status === 'failed') failed.push({ source: slashed(record.source), message: record.message });
      else if ('size' in record) done.push(record);
    },
    async write() {
      if (depfile !== undefined) {
        for (const record of done) if (record.status === 'fresh') renew(record, also);
        await writeWhole(depfile, Buffer.from(dependencies(done, also)));
      }
      if (manifest === undefined) return;
      const head = { gicollide: 'manifest/1', tool: TOOL, plan: planDigest(plan) } as const;
      const all = outputsOf(done);
      const text = writeManifest({ ...head, ...(shard && { shard }), outputs: all, failed });
      await writeWhole(manifest, Buffer.from(text));
    },
  };
}

const slashed = (path: string): string => (sep === '\\' ? path.replaceAll(sep, '/') : path);

/** Covers all jobs of all shards: their requests, not the content of files. */
function planDigest({ jobs }: BuildPlan): string {
  const asked = jobs.map(({ kind, inputs, formats, flags }) => {
    const files = inputs.map(({ file, outputs }) => [slashed(file), outputs.map(slashed)]);
    return [kind, files, formats, Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1))];
  });
  return createHash('sha256').update(JSON.stringify(asked)).digest('hex');
}

function outputsOf(done: readonly DoneRecord[]): ManifestOutput[] {
  const all: ManifestOutput[] = [];
  for (const { output, source, element, format, size, sha256, request } of done) {
    all.push({
      ...{ file: slashed(output), source: slashed(source), ...(element !== undefined && { element }) },
      ...{ format, bytes: size, sha256: fileDigest(output), sourceSha256: sha256, request },
    });
  }
  return all;
}

/**
 * Updates the time of an output that is fresh by content but older than its dependencies. Otherwise
 * make and ninja, which compare times, would rebuild it every time.
 */
function renew({ output, source, beside }: DoneRecord, also: readonly string[]): void {
  const timeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  try {
    const newest = Math.max(...[source, ...beside, ...also].map(timeOf));
    // A source may be dated in the future if a clock was wrong.
    const time = new Date(Math.max(Date.now(), Math.ceil(newest)));
    if (newest > timeOf(output)) utimesSync(output, time, time);
  } catch (error) {
    throw explain(output, error);
  }
}

function dependencies(done: readonly DoneRecord[], also: readonly string[]): string {
  const rules = done.map(({ output, source, beside }) => {
    return `${escaped(output)}: ${[source, ...beside, ...also].map(escaped).join(' ')}\n`;
  });
  return rules.sort().join('');
}

/**
 * Escapes blank, #, $ and colon (except a drive's) for make and ninja. Windows' backslashes become
 * slashes, since before a blank they would escape it.
 */
function escaped(path: string): string {
  if (/[\r\n]/.test(path)) throw new InputError(`${JSON.stringify(path)}: a depfile holds no name with a line's end`);
  return slashed(path)
    .replaceAll(/\\*[ \t#]/g, (found) => `${'\\'.repeat(2 * (found.length - 1) + 1)}${found.at(-1)}`)
    .replaceAll(/(?<!^[a-z]):|:(?!\/)/gi, '\\:')
    .replaceAll('$', '$$$$');
}

/** `gicollide merge --manifest`. @returns the exit code: a failure in any shard counts */
export async function mergeManifestFiles(files: readonly string[], target: string, session: Session): Promise<number> {
  requireWritable(target);
  if (files.some((file) => identityOf(file) === identityOf(target)))
    throw new InputError(`${target}: would overwrite an input`);
  const parts: [string, Manifest][] = [];
  for (const file of files) {
    const bytes = openInput(file, session.global).bytes();
    parts.push([file, await about(file, () => readManifest(bytes))]);
  }
  const whole = mergeManifests(parts);
  await writeWhole(target, Buffer.from(writeManifest(whole)));
  for (const { message } of whole.failed) printError(message, session.global);
  return whole.failed.length > 0 ? EXIT.failed : EXIT.expected;
}
