/** Options of `gicollide check` for scenes; their implementation is loaded only for a scene. */
import type { Command } from 'commander';
import { parseUnits } from './units.ts';

export interface ScenePairFlags {
  /** Options of `gicollide scene`, since all of them affect names of objects. */
  scene?: string[];
  units?: string;
  srdf?: string;
  state?: string;
}

export const addScenePairOptions = (command: Command): Command =>
  command
    .option(
      '--scene <file>',
      'a and b are names of objects of this, which may be all that gicollide scene takes; may come again; they stand where it has them, unless a pose is given',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option('--units <name>', 'of a and b, if their files record none; with --scene, as scene has it', parseUnits)
    .option('--srdf <file>', 'likewise, of a robot')
    .option('--state <list>', 'likewise');
