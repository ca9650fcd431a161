/** `gicollide merge --manifest`: merges the manifests of a build's shards. */
import { InputError } from '../../base/errors.ts';
import { type Manifest, mergeManifests, readManifest, writeManifest } from '../../project/manifest.ts';
import { EXIT } from '../exit-codes.ts';
import { identityOf } from '../inputs/name.ts';
import { openInput } from '../inputs/open.ts';
import { about, type Session } from '../session.ts';
import { printError } from '../terminal.ts';
import { requireWritable, writeWhole } from '../write-whole.ts';

/** @returns the exit code: a failure in any shard counts */
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
