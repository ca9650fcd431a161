/** What `gicollide check` is told of a scene; what loads one is loaded where it is asked for. */
import type { Command } from 'commander';
import { parseUnits } from './units.ts';

export interface ScenePairFlags {
  /** What `gicollide scene` takes; names of objects depend on all of them. */
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
