/** Options of `gicollide view` and `gicollide picture` for loading. */
import { type Command, Option } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { suggestion } from '../../base/patterns.ts';
import { UPS, type Up } from '../../viewer/camera.ts';
import type { Unknown } from '../../viewer/known-view.ts';
import {
  addAllowance,
  addIfcOptions,
  addIncomplete,
  addName,
  addOutside,
  addReading,
  type PoseOptions,
  parseJobs,
  parseLength,
  parseNumbers,
  parsePose,
} from '../arguments.ts';
import { addKnownOptions, type BaselineFlags } from '../findings/baseline-file.ts';
import { addRobotOptions, addSolidOptions } from '../flags.ts';
import type { OpenFlags } from '../scene/open-scene.ts';
import { type PairUnits, parseUnits } from '../units.ts';

export interface ViewFlags extends OpenFlags, PoseOptions, PairUnits, Pick<BaselineFlags, 'baseline' | 'worse'> {
  jobs?: number;
  up?: Up;
  finding?: string;
}

export const addViewOptions = (command: Command): Command => {
  const [point, axis] = [3, 4].map(parseNumbers);
  addRobotOptions(addName(addSolidOptions(command, 'auto', 'coarse', ' [default: all but touch]')))
    .option('--pose-a <m>', 'pose of a, for a pair, as in gicollide check', parsePose)
    .option('--pose-b <m>', 'pose of b, in the same form', parsePose)
    .option('--translate-a <x,y,z>', 'move a, after its rotation', point)
    .option('--translate-b <x,y,z>', 'move b, after its rotation', point)
    .option('--rotate-a <ax,ay,az,degrees>', 'rotate a about an axis through the origin', axis)
    .option('--rotate-b <ax,ay,az,degrees>', 'rotate b about an axis through the origin', axis)
    .option('--units-a <name>', 'unit of a, for a pair, if its file records none; nothing is converted', parseUnits)
    .option('--units-b <name>', 'unit of b, for a pair, if its file records none', parseUnits)
    .option('--against <file...>', 'check the first files only against these')
    .option('--with <file...>', 'surroundings: checked against the other files, not against each other')
    .option('--clearance <len>', 'also report objects up to this far apart, as near', parseLength)
    .option('--units <name>', 'unit of meshes without one, and of a scene file without one', parseUnits)
    .option(
      '--allow <a,b>',
      'allow two objects to touch: names, patterns, or ifc:... as with --a; repeatable',
      addAllowance,
    )
    .option('--allow-unmatched', 'warn about patterns without a match instead of failing')
    .addOption(
      new Option(
        '--up <axis>',
        'axis that points up in the picture [default: y for OBJ and glTF, z for other files and for scene files]',
      ).choices(UPS),
    )
    .option('--finding <id>', 'show the two objects of this finding where they meet, and others as ghosts')
    .option('--jobs <n>', 'number of threads [default: number of processors]', parseJobs(1));
  return addKnownOptions(addIfcOptions(addIncomplete(addReading(addOutside(command)))));
};

const MOST_LISTED = 8;

/** Refuses a part of a view that the document lacks. */
export function refuseUnknown({ problem, key, name, known }: Unknown): never {
  const near = suggestion(name, known);
  if (key !== 'finding') throw new OptionError(`--view: ${problem}${near}`);
  const listed = `${known.slice(0, MOST_LISTED).join(', ')}${known.length > MOST_LISTED ? ', ...' : ''}`;
  throw new InputError(
    `${problem}${known.length === 0 ? '; there are none' : near || `; found ${known.length}: ${listed}`}`,
  );
}
