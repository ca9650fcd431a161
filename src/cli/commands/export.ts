/** `gicollide export`: writes the stored surface, or a level's bounding volumes, as OBJ. */

import { basename } from 'node:path';
import type { Command } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { counted, grouped, printable } from '../../base/printable.ts';
import type { Asset } from '../../engine/representation.ts';
import { inPieces, type SurfacePieces } from '../../mesh/topology.ts';
import { writeObjPieces } from '../../readers/obj/obj.ts';
import { kindNamed, representationOf } from '../../representations/kinds.ts';
import { TOOL } from '../../version.ts';
import { addOutside, parseNumber, parseWhole } from '../arguments.ts';
import { requireEnding, writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { loadAsset } from '../inputs/load.ts';
import { identityOf, kindOf } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';
import { atTime } from '../units.ts';

interface ExportFlags {
  out: string;
  level?: number;
  resolution?: number;
  time?: number;
}

export function defineExport(command: Command, session: (command: Command) => Session): void {
  addOutside(command)
    .requiredOption('-o, --out <file>', 'OBJ file to write')
    .option('--resolution <a>', 'cells along the longest side of an F-rep: 2^a [default: 7]', parseWhole(1))
    .option('--time <t>', 'time of an F-rep that depends on it [default: its first time]', parseNumber)
    .option('--level <n>', 'write the bounding volumes of this level instead; 0 is the root', parseWhole(0))
    .action(async (file: string, flags: ExportFlags, command: Command) => {
      const current = session(command);
      if (identityOf(file) === identityOf(flags.out)) throw new InputError(`${flags.out}: would overwrite the input`);
      if (kindOf(flags.out) === 'folder' || /[\\/]$/.test(flags.out)) {
        throw new InputError(`${flags.out}: expected a name for the OBJ file, found a folder`);
      }
      requireEnding(flags.out, ['.obj'], 'OBJ');
      if (flags.level !== undefined && flags.resolution !== undefined) {
        throw new OptionError(
          '--resolution is for the surface, --level for bounding volumes: leave out one of the two',
        );
      }
      const asset = atTime((await loadAsset(file, current)).asset, flags.time);
      const representation = representationOf(asset);
      const whole = flags.level === undefined;
      const surface = whole
        ? surfaceOf(asset, flags.resolution)
        : inPieces(representation.boundsOfLevel(asset, flags.level as number));
      const what = whole ? 'the stored surface' : `level ${flags.level}, bounding volumes,`;
      await writeWhole(flags.out, writeObjPieces(surface, `${what} of ${basename(file)}, ${TOOL}`));
      if (!current.global.quiet) {
        const units = representation.units(asset);
        const kind = whole ? 'the stored surface' : `the bounding volumes of level ${flags.level}`;
        const size = `${grouped(surface.vertices)} vertices, ${counted(surface.triangles, 'triangle')}`;
        const unit = units ? `, in ${printable(units)}` : '';
        await print(`wrote ${printable(flags.out)}: ${kind} of ${printable(file)}, ${size}${unit}\n`);
      }
      process.exitCode = EXIT.expected;
    });
}

/** Finer surfaces have more triangles than any reader can handle. */
const FINEST_DRAWN = 10;

function surfaceOf(asset: Asset, resolution: number | undefined): SurfacePieces {
  const { name, surface, own } = representationOf(asset);
  if (resolution === undefined) return own?.pieces?.(asset) ?? inPieces(surface(asset));
  if (!own?.options?.resolution)
    throw new OptionError(`--resolution is for F-reps, and this is ${kindNamed(name)?.noun}`);
  if (resolution > FINEST_DRAWN) throw new OptionError(`--resolution ${resolution}: expected 1 to ${FINEST_DRAWN}`);
  return inPieces(surface(asset, resolution));
}
