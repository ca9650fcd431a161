/** `gicollide info`: describes an asset or a mesh file, in words and as a picture. */
import type { Command } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { sha256 } from '../../containers/hash.ts';
import { type Bounds, boundsOf } from '../../engine/bounds.ts';
import type { Asset, Description } from '../../engine/representation.ts';
import { boxOf } from '../../mesh/extent.ts';
import { measureSurface } from '../../mesh/measure.ts';
import type { Surface } from '../../mesh/topology.ts';
import { wholeOf } from '../../mesh/topology.ts';
import { elementsOf } from '../../readers/elements.ts';
import { wholeMesh } from '../../readers/mesh-file.ts';
import type { FrepObject } from '../../representations/frep/tree/program.ts';
import type { GeometryImage } from '../../representations/gi/tree/geometry-image.ts';
import { representationOf } from '../../representations/kinds.ts';
import { addName, addOutside, addReading, notes, parseNumber, parseWhole } from '../arguments.ts';
import { writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { loadAsset, type ReadInput, readInput } from '../inputs/load.ts';
import { meshFileOf } from '../inputs/mesh.ts';
import { requirePngName, toPng } from '../png-file.ts';
import { infoText, type Measured, MOST_MEASURED, type Shape, table } from '../print-info.ts';
import { requireInputs, type Session } from '../session.ts';
import { print } from '../terminal.ts';
import { atTime } from '../units.ts';

interface InfoFlags {
  json?: boolean;
  png?: string;
  level?: number;
  time?: number;
  layout?: boolean;
}

export function defineInfo(command: Command, session: (command: Command) => Session): void {
  addReading(addOutside(addName(command)))
    .option('--json', 'print one JSON object')
    .option('--layout', 'OBB trees: explain the bytes of a node; k-DOP trees: list the directions for every k')
    .option('--png <file>', 'draw a picture: surface and pages of a geometry image, or an F-rep from two sides')
    .option('--level <n>', 'with --png: draw the spheres or cells of this level; 0 is the root', parseWhole(0))
    .option('--time <t>', 'with --png: time of an F-rep that depends on it', parseNumber)
    .addHelpText(
      'after',
      notes(
        `Prints first if the surface is usable as a solid, its size, volume, units and number of triangles. Then, for an asset: how it is
stored; for a mesh (docs/meshes.md): its format, meshes, nodes and elements. Bytes and digests come last.`,
        `  $ gicollide info assets/bunny.obj
  assets/bunny.obj
    usable as a solid  yes
    size               0.619208 x 0.603619 x 0.47128
    ...`,
      ),
    )
    .action(async (file: string, flags: InfoFlags, command: Command) => {
      await runInfo(file, flags, session(command));
      process.exitCode = EXIT.expected;
    });
}

async function runInfo(file: string, flags: InfoFlags, session: Session): Promise<void> {
  requireInputs([file], session);
  if (flags.level !== undefined && flags.png === undefined) {
    throw new OptionError('--level: expected --png, too, which draws the spheres or cells of this level');
  }
  if (flags.time !== undefined && flags.png === undefined)
    throw new OptionError('--time: expected --png, too, which draws the F-rep at this time');
  if (flags.png !== undefined) requirePngName(flags.png, '--png', [file]);
  const read = await readInput(file, session);
  const found = await (read.content === 'mesh' ? infoOfMesh : infoOfAsset)(read, flags, session);
  if (flags.json) return print(`${JSON.stringify({ file: read.name, ...found.description, ...found.shape?.shape })}\n`);
  if (flags.layout) return print(`${printable(read.name)}\n${table(Object.entries(found.description))}`);
  await print(infoText(read.name, found.description, found.shape));
}

interface Info {
  description: Description;
  shape: Measured | null;
}

async function infoOfAsset(read: ReadInput, flags: InfoFlags, session: Session): Promise<Info> {
  const { asset, bytes: stored } = await loadAsset(read, session);
  const { describe, surface, solid, own } = representationOf(asset);
  const measured = (): Surface => (own?.pieces ? wholeOf(own.pieces(asset)) : surface(asset));
  if (flags.png !== undefined) await draw(atTime(asset, flags.time), flags.png, flags.level ?? null);
  if (flags.layout) return { description: layoutOf(asset), shape: null };
  const description = await describe(asset, stored);
  const count = Number(description.triangles ?? 12 * Number(description.cubes));
  const shape = solid ? shapeOfSolid(boundsOf(asset)) : shapeOf(boundsOf(asset), count, measured);
  return { description, shape };
}

/** Describes a mesh file; a file without any surface is no failure here. */
async function infoOfMesh({ file, bytes }: ReadInput, { png, layout }: InfoFlags, session: Session): Promise<Info> {
  for (const [option, asked] of [
    ['--png', png],
    ['--layout', layout],
  ])
    if (asked)
      throw new OptionError(`${option}: expected an asset, found a mesh; gicollide build makes an asset of it`);
  const read = await meshFileOf(file, bytes, session);
  const { format, meshes, nodes, units, warnings } = read;
  const solids = nodes.filter(({ primitive }) => primitive !== undefined);
  const whole = wholeMesh({ ...read, nodes: nodes.map(({ primitive, ...node }) => node) });
  const [triangles, vertices] = [whole.triangles.length / 3, whole.positions.length / 3];
  const description: Description = {
    ...{ format, fileBytes: bytes.length, sha256: await sha256(bytes), units },
    ...{ meshes: meshes.length, nodes: nodes.length, elements: elementsOf(read, 'elements').length },
    ...(solids.length > 0 && { primitives: solids.length }),
    ...{ triangles, vertices, warnings },
  };
  const box = boxOf(whole.positions, whole.triangles);
  const bounds = { low: [...box.subarray(0, 3)], high: [...box.subarray(3)] };
  return { description, shape: triangles === 0 ? null : shapeOf(bounds, triangles, () => whole) };
}

const UNMEASURED = {
  ...{ area: null, closed: null, openEdges: null },
  ...{ solid: null, unbalancedEdges: null, shells: null, volume: null },
};

const withSize = ({ low, high }: Bounds): Shape['bounds'] => ({ low, high, size: high.map((x, k) => x - low[k]) });

const shapeOfSolid = (bounds: Bounds): Measured => ({
  shape: { bounds: withSize(bounds), ...UNMEASURED, closed: true, openEdges: 0, solid: true, unbalancedEdges: 0 },
  first: null,
});

/** @param count of the surface's triangles, which are created only if few enough to measure */
function shapeOf(box: Bounds, count: number, surface: () => Surface): Measured {
  const bounds = withSize(box);
  if (count > MOST_MEASURED) return { shape: { bounds, ...UNMEASURED }, first: null };
  const { area, openEdges, unbalancedEdges, firstUnbalanced, shells, volume } = measureSurface(surface());
  const [isClosed, solid] = [openEdges === 0, unbalancedEdges === 0];
  return {
    shape: { bounds, area, closed: isClosed, openEdges, solid, unbalancedEdges, shells, volume },
    first: firstUnbalanced,
  };
}

function layoutOf(asset: Asset): Description {
  const { own, name } = representationOf(asset);
  if (!own?.layout)
    throw new OptionError(`--layout: expected an OBB or k-DOP tree, found ${name}; FORMAT.md explains its bytes`);
  return own.layout();
}

async function draw(asset: Asset, png: string, level: number | null): Promise<void> {
  if (asset.representation !== 'gi' && asset.representation !== 'frep') {
    throw new OptionError(
      `--png: expected a geometry image or an F-rep, found ${asset.representation}; gicollide export and view show it`,
    );
  }
  const { drawGeometryImage } = await import('../../picture/geometry-image.ts');
  if (asset.representation === 'gi') {
    await writeWhole(png, await toPng(drawGeometryImage(asset as GeometryImage, level)));
    return;
  }
  const { drawFrep } = await import('../../picture/frep.ts');
  const { surface, boundsOfLevel } = representationOf(asset);
  const cells = level === null ? null : boundsOfLevel(asset, level);
  await writeWhole(png, await toPng(drawFrep(asset as FrepObject, level, surface(asset), cells)));
}
