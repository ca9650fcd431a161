/** `gicollide export`: the stored surface, or a level's bounding volumes, as OBJ. */

import { basename } from 'node:path';
import type { Command } from 'commander';
import { writeObj } from '../../containers/obj.ts';
import { InputError } from '../../math/errors.ts';
import { representationOf } from '../../representations/registry.ts';
import { TOOL } from '../../version.ts';
import { parseWhole } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { identityOf, kindOf, print, writeWhole } from '../files.ts';
import { loadAsset, type Session } from '../session.ts';

export function addExport(program: Command, session: (command: Command) => Session): void {
  program
    .command('export')
    .description('the stored surface as OBJ, or the bounding volumes of one level, to look at anywhere')
    .argument('<file>', 'an asset that build wrote')
    .requiredOption('-o, --out <file>', 'the OBJ file to write')
    .option('--level <n>', 'the bounding volumes of this level instead; 0 is the root', parseWhole(0))
    .action(async (file: string, flags: { out: string; level?: number }, command: Command) => {
      const current = session(command);
      if (identityOf(file) === identityOf(flags.out)) throw new InputError(`${flags.out}: would overwrite the input`);
      if (kindOf(flags.out) === 'folder' || /[\\/]$/.test(flags.out)) {
        throw new InputError(`${flags.out}: expected a name for the OBJ file, found a folder`);
      }
      const { asset } = await loadAsset(file, current);
      const representation = representationOf(asset);
      const whole = flags.level === undefined;
      const surface = whole
        ? representation.surface(asset)
        : representation.boundsOfLevel(asset, flags.level as number);
      const what = whole ? 'the stored surface' : `level ${flags.level}, bounding volumes,`;
      await writeWhole(flags.out, writeObj(surface, `${what} of ${basename(file)}, ${TOOL}`));
      if (!current.global.quiet) {
        const vertices = surface.positions.length / 3;
        await print(`${flags.out}  ${what} ${vertices} vertices, ${surface.triangles.length / 3} triangles\n`);
      }
      process.exitCode = EXIT.expected;
    });
}
