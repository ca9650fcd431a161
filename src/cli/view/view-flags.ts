/** Options of `gicollide view` and `gicollide picture` for loading. */
import { type Command, Option } from 'commander';
import { UPS, type Up } from '../../viewer/camera.ts';
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
}

export const addViewOptions = (command: Command): Command => {
  const [point, axis] = [3, 4].map(parseNumbers);
  addRobotOptions(
    addName(addSolidOptions(command, 'auto unless given', 'coarse unless given', 'all but touch unless given')),
  )
    .option('--pose-a <m>', 'of a pair: 16 numbers, row-major 4x4 rigid transform; or as check takes it', parsePose)
    .option('--pose-b <m>', 'likewise, of b', parsePose)
    .option('--translate-a <x,y,z>', 'shift a, after its rotation', point)
    .option('--translate-b <x,y,z>', 'shift b, after its rotation', point)
    .option('--rotate-a <ax,ay,az,degrees>', 'turn a about an axis through the origin', axis)
    .option('--rotate-b <ax,ay,az,degrees>', 'turn b likewise', axis)
    .option('--units-a <name>', 'of a pair: unit of a, if its file records none; nothing is converted', parseUnits)
    .option('--units-b <name>', 'likewise, of b', parseUnits)
    .option('--against <file...>', 'objects of the files before against those of these alone')
    .option('--with <file...>', 'what stands about the objects of the files before, and is not asked about itself')
    .option('--clearance <len>', 'also what is closer than, or as close as, this', parseLength)
    .option('--units <name>', 'of meshes that say none, and of the scene, where its file says none', parseUnits)
    .option(
      '--allow <a,b>',
      'two objects, patterns of their names, or ifc:... as with --a, that may touch; repeatable',
      addAllowance,
    )
    .option('--allow-unmatched', 'a pattern that matches no object is a warning, not an error')
    .addOption(
      new Option(
        '--up <axis>',
        'axis that points up in the picture; y for OBJ and glTF, z for everything else and for scene files unless given',
      ).choices(UPS),
    )
    .option('--jobs <n>', 'threads; as many as there are processors unless given', parseJobs(1));
  return addKnownOptions(addIfcOptions(addIncomplete(addReading(addOutside(command)))));
};
