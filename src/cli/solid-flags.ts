/** Options of solids. */
import { type Command, Option } from 'commander';
import type { SolidMode } from '../engine/options.ts';
import type { FindingClass } from '../scene/classes.ts';
import { parseClasses, parseLength } from './arguments.ts';

export interface SolidFlags {
  solid?: SolidMode;
  tolerance?: number;
  touchGap?: number;
  failOn?: FindingClass[];
}

export const addSolidOptions = (command: Command, mode: string, failing: string): Command =>
  command
    .addOption(
      new Option(
        '--solid <mode>',
        `closed meshes and F-reps are solids (auto), others are refused (require), or none is (off): ${mode}`,
      ).choices(['auto', 'require', 'off']),
    )
    .option('--tolerance <len>', 'overlaps of solids no thicker than this are touch', parseLength)
    .option('--touch-gap <len>', 'so are solids no farther apart than this', parseLength)
    .option(
      '--fail-on <classes>',
      `which classes fail: overlap, inside, same, contact, touch, near, or none; ${failing}`,
      parseClasses,
    );

export const solidOptionsOf = ({ solid, tolerance, touchGap }: SolidFlags): Omit<SolidFlags, 'failOn'> => ({
  ...(solid !== undefined && { solid }),
  ...(tolerance !== undefined && { tolerance }),
  ...(touchGap !== undefined && { touchGap }),
});
