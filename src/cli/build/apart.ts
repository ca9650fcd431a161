/** Refuses projects with entries that would write the same file. */
import { extname } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { identityOf } from '../inputs/name.ts';
import type { BuildFlags, BuildJob } from './job.ts';
import { elementStem } from './outputs.ts';

interface Owner {
  file: string;
  flags: BuildFlags;
}

/** Refuses outputs that entries write twice, or might: element names are not known yet. */
export function requireApart(jobs: readonly BuildJob[], inputs: ReadonlySet<string>): void {
  const owners = new Map<string, string>();
  const elements = new Map<string, Owner>();
  for (const { output, isWhole, ...owner } of outputsOf(jobs)) {
    if (!isWhole) {
      const key = elementStem(output) + extname(output);
      if (!elements.has(key)) elements.set(key, owner);
      continue;
    }
    const key = identityOf(output);
    const other = owners.get(key);
    if (other !== undefined) throw new InputError(`build: ${owner.file} and ${other} would both become ${output}`);
    if (inputs.has(key)) throw new InputError(`build: ${output} would overwrite an input`);
    owners.set(key, owner.file);
  }
  if (elements.size > 0) for (const output of outputsOf(jobs)) requireNoElement(output, elements);
}

type Output = Owner & { output: string; isWhole: boolean };

const outputsOf = (jobs: readonly BuildJob[]): Output[] =>
  jobs.flatMap(({ inputs, flags }) =>
    inputs.flatMap(({ file, outputs, solids }) =>
      outputs.map((output) => ({ output, file, flags, isWhole: solids === undefined })),
    ),
  );

/** An element's path is its file's path, a dot, and its name, so all begin with one stem. */
function requireNoElement({ output, isWhole, file, flags }: Output, elements: ReadonlyMap<string, Owner>): void {
  const stem = elementStem(output);
  for (let end = stem.indexOf('.'); end >= 0; end = stem.indexOf('.', end + 1)) {
    if (isWhole && end === stem.length - 1) continue;
    const other = elements.get(stem.slice(0, end + 1) + extname(output));
    if (other && other.flags !== flags)
      throw new InputError(
        `build: ${file} and an element of ${other.file} might both become ${isWhole ? output : `one of ${output}`}: give one of them another out`,
      );
  }
}
