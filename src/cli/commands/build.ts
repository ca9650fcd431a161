/** `gicollide build`: meshes become collision assets. */

import { isAbsolute, relative } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Compression } from '../../containers/pixels.ts';
import { InputError, MeshError, OptionError } from '../../math/errors.ts';
import { type Deviation, measureDeviation } from '../../mesh/deviation.ts';
import type { Surface } from '../../mesh/topology.ts';
import { exponentOf } from '../../representations/gi/geometry-image.ts';
import { gi } from '../../representations/gi/index.ts';
import type { SphereMethod } from '../../representations/gi/sphere-tree.ts';
import { parsePositive, parseWhole } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { expandMeshes, planOutputs, print, writeWhole } from '../files.ts';
import { about, buildFrom, loadLibrary, type Session } from '../session.ts';
import { printError } from '../terminal.ts';

interface BuildFlags {
  format: string;
  out: string;
  units?: string;
  scale?: number;
  size: number;
  compression: Compression;
  spheres: SphereMethod;
  json?: boolean;
}

/** Points that the quality on the build's line is measured with: two digits of a dB for a tenth of a second. */
const MEASURE_SAMPLES = 20_000;
/** Larger images are not measured: a search tree over their millions of triangles takes longer than the build. */
const MEASURE_UP_TO = 1025;

export function addBuild(program: Command, session: (command: Command) => Session): void {
  program
    .command('build')
    .description('turn meshes into collision assets')
    .argument('<mesh...>', 'OBJ files, folders of them, or globs in quotes')
    .option('-f, --format <list>', 'gi: geometry image', 'gi')
    .option('-o, --out <path>', 'a file for one mesh, else a folder', 'out/')
    .option('--units <name>', 'unit of the coordinates, recorded in the asset (m, cm, mm, in, ...)')
    .option('--scale <s>', 'multiply the coordinates', parsePositive)
    .option('--size <n>', 'samples along a side: 17 33 65 129 257 513 1025 2049 4097 8193', parseWhole(1), 257)
    .addOption(new Option('--compression <c>', 'of the pixels').choices(['deflate', 'lzw', 'none']).default('deflate'))
    .addOption(
      new Option('--spheres <method>', 'tight, or as the seed paper makes them')
        .choices(['tight', 'seed'])
        .default('tight'),
    )
    .option('--json', 'one JSON object a mesh')
    .addHelpText(
      'after',
      `
Takes closed meshes of genus 0 in one piece, any size; other meshes are refused with the reason.
One bad mesh does not stop the others; any failure makes the exit code 2.

  $ gicollide build assets/bunny.obj
  out/bunny.tiff  257 x 257 from assets/bunny.obj, 3674 triangles; 80.8 dB, 1029 KB, 1.2 s`,
    )
    .action(async (meshes: string[], flags: BuildFlags, command: Command) => {
      process.exitCode = await build(meshes, flags, session(command));
    });
}

async function build(args: string[], flags: BuildFlags, session: Session): Promise<number> {
  const unknown = flags.format.split(',').find((format) => format !== gi.name);
  if (unknown !== undefined) throw new OptionError(`--format ${unknown}: this version builds gi`);
  if (exponentOf(flags.size) < 0) {
    throw new OptionError(`--size ${flags.size}: expected 17, 33, 65, 129, 257, 513, 1025, 2049, 4097 or 8193`);
  }
  const { files, problems } = await expandMeshes(args);
  const outputs = planOutputs(files, flags.out, gi.extension, files.length + problems.length > 1);
  for (const problem of problems) printError(problem, session.global);
  let code: number = problems.length > 0 ? EXIT.failed : EXIT.expected;
  for (let i = 0; i < files.length; i++) {
    try {
      await buildOne(files[i], outputs[i], flags, session);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      printError(error.message, session.global);
      code = EXIT.failed;
    }
  }
  return code;
}

async function buildOne(input: string, output: string, flags: BuildFlags, session: Session): Promise<void> {
  const start = performance.now();
  const { image, mesh } = await buildFrom(
    input,
    {
      size: flags.size,
      spheres: flags.spheres,
      ...(flags.units !== undefined && { units: flags.units }),
      ...(flags.scale !== undefined && { scale: flags.scale }),
    },
    session,
  );
  const { write } = await loadLibrary();
  const bytes = await about(input, () => write(image, { compression: flags.compression }));
  await writeWhole(output, bytes);
  const seconds = (performance.now() - start) / 1000;
  if (session.global.quiet && !flags.json) return;
  const measured = flags.size <= MEASURE_UP_TO ? measure(mesh, gi.surface(image)) : null;
  const triangles = mesh.triangles.length / 3;
  if (flags.json) {
    const line = {
      file: output,
      source: input,
      representation: gi.name,
      size: flags.size,
      triangles,
      psnr: round(measured?.psnr, 2),
      psnrFromSource: round(measured?.psnrAB, 2),
      psnrToSource: round(measured?.psnrBA, 2),
      bytes: bytes.length,
      seconds: round(seconds, 3),
    };
    await print(`${JSON.stringify(line)}\n`);
    return;
  }
  await print(
    `${shown(output)}  ${flags.size} x ${flags.size} from ${shown(input)}, ${triangles} triangles; ` +
      `${measured ? `${measured.psnr.toFixed(1)} dB` : 'quality not measured'}, ${Math.ceil(bytes.length / 1000)} KB, ${seconds.toFixed(1)} s\n`,
  );
}

/** Null where a surface is so thin that its samples leave it no area. */
function measure(mesh: Surface, stored: Surface): Deviation | null {
  try {
    return measureDeviation(mesh, stored, { samples: MEASURE_SAMPLES });
  } catch (error) {
    if (error instanceof MeshError) return null;
    throw error;
  }
}

function round(value: number | undefined, digits: number): number | null {
  return value !== undefined && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}

function shown(path: string): string {
  if (!isAbsolute(path)) return path;
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
