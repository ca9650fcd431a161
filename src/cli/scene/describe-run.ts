/** Describes a run of `gicollide scene` in its summary, so that its scene can be opened again. */
import { isStream } from '../inputs/name.ts';
import type { GlobalOptions } from '../terminal.ts';
import type { OpenFlags } from './open-scene.ts';
import type { Facts } from './print-scene.ts';

/** Flags that affect objects and questions, by their names in the record. */
const ASKED = [
  ...(['units', 'include', 'exclude', 'srdf', 'state', 'ifcRelations', 'allow', 'allowIncomplete', 'a', 'b'] as const),
  ...(['clearance', 'solid', 'tolerance', 'touchGap', 'depth', 'failOn'] as const),
];

/** Returns nothing if an input was a pipe, which gives its bytes once. */
export function runFact(
  files: readonly string[],
  flags: OpenFlags,
  { weld, chordTolerance, package: packages }: GlobalOptions,
): Pick<Facts, 'run'> {
  const { with: beside, against } = flags;
  if ([...files, ...(against ?? []), flags.srdf ?? ''].some(isStream)) return {};
  const given = ASKED.flatMap((key) => (flags[key] === undefined ? [] : [[key, flags[key]]]));
  const asked = {
    ...Object.fromEntries(given),
    ...(weld !== undefined && { weld }),
    ...(chordTolerance !== undefined && { chordTolerance }),
    ...(packages && packages.size > 0 && { package: Object.fromEntries(packages) }),
  };
  return { run: { files: [...files], ...(beside && { with: beside }), ...(against && { against }), asked } };
}
