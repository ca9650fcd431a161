/** `gicollide info`: describes an asset or a mesh file, in words and as a picture. */
import type { Command } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { sha256 } from '../../containers/hash.ts';
import { type Bounds, boundsOf } from '../../engine/bounds.ts';
import type { Asset, Description } from '../../engine/representation.ts';
import { boxOf } from '../../mesh/extent.ts';
import { measureSurface } from '../../mesh/measure.ts';
import type { OpenPlace } from '../../mesh/shells.ts';
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
        `For an asset, it prints how it is stored. For a mesh (docs/meshes.md), it prints its format, meshes, nodes and elements. For both, it
prints the box, the area, and whether it is closed and bounds a solid.`,
        `  $ gicollide info assets/bunny.obj`,
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
    throw new OptionError('--level says which spheres or cells --png draws: give both');
  }
  if (flags.time !== undefined && flags.png === undefined)
    throw new OptionError('--time says when it is that --png draws: give both');
  if (flags.png !== undefined) requirePngName(flags.png, '--png', [file]);
  const read = await readInput(file, session);
  const found = await (read.content === 'mesh' ? infoOfMesh : infoOfAsset)(read, flags, session);
  if (flags.json) return print(`${JSON.stringify({ file: read.name, ...found.description, ...found.shape?.shape })}\n`);
  const lines = found.shape && shapeInWords(found.shape, found.units);
  await print(`${printable(read.name)}\n${table({ ...found.description, ...lines })}`);
}

interface Info {
  description: Description;
  shape: Measured | null;
  units: string | null;
}

async function infoOfAsset(read: ReadInput, flags: InfoFlags, session: Session): Promise<Info> {
  const { asset, bytes: stored } = await loadAsset(read, session);
  const { describe, units, surface, solid, own } = representationOf(asset);
  const measured = (): Surface => (own?.pieces ? wholeOf(own.pieces(asset)) : surface(asset));
  if (flags.png !== undefined) await draw(atTime(asset, flags.time), flags.png, flags.level ?? null);
  if (flags.layout) return { description: layoutOf(asset), shape: null, units: null };
  const description = await describe(asset, stored);
  const count = Number(description.triangles ?? 12 * Number(description.cubes));
  const shape = solid ? shapeOfSolid(boundsOf(asset)) : shapeOf(boundsOf(asset), count, measured);
  return { description, shape, units: units(asset) };
}

/** Describes a mesh file; a file without any surface is no failure here. */
async function infoOfMesh({ file, bytes }: ReadInput, { png, layout }: InfoFlags, session: Session): Promise<Info> {
  for (const [option, asked] of [
    ['--png', png],
    ['--layout', layout],
  ])
    if (asked) throw new OptionError(`${option}: of assets, and this is a mesh; build makes one of it`);
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
  return { description, shape: triangles === 0 ? null : shapeOf(bounds, triangles, () => whole), units };
}

/** Triangles of the largest measured surface: each needs 60 bytes and half a microsecond. */
const MOST_MEASURED = 2 ** 23;

interface Shape {
  bounds: Bounds & { size: number[] };
  /** Null for an F-rep, and for a surface too large to measure. */
  area: number | null;
  /** True if every edge has an even number of triangles. */
  closed: boolean | null;
  openEdges: number | null;
  /** True if the triangles bound a solid: closed, and each edge used equally in both directions. */
  solid: boolean | null;
  unbalancedEdges: number | null;
  shells: number | null;
  /** Signed; only if the surface bounds a solid. */
  volume: number | null;
}

const UNMEASURED = {
  ...{ area: null, closed: null, openEdges: null },
  ...{ solid: null, unbalancedEdges: null, shells: null, volume: null },
};

interface Measured {
  shape: Shape;
  first: OpenPlace | null;
}

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

function shapeInWords({ shape, first }: Measured, units: string | null): Description {
  const { bounds, area, closed, openEdges, solid, unbalancedEdges, shells, volume } = shape;
  const point = (x: number[]): string => `(${x.map(show).join(' ')})`;
  const unit = units === null ? '' : ` ${units}`;
  const edges = (n: number | null, kind = ''): string => `${n} ${kind}${n === 1 ? 'edge' : 'edges'}`;
  const where = first && `, the first of triangle ${first.triangle} from ${point(first.from)} to ${point(first.to)}`;
  const solidInWords = solid
    ? 'yes'
    : closed
      ? `no: at ${edges(unbalancedEdges)} triangles disagree which side is outside${where}`
      : `no: at ${edges(unbalancedEdges)} triangles end, or disagree which side is outside${where}`;
  return {
    box: `${point(bounds.low)} to ${point(bounds.high)}`,
    boxSize: `${bounds.size.map(show).join(' x ')}${unit}`,
    ...(area !== null && { area: `${show(area)}${unit && `${unit}^2`}` }),
    ...(closed !== null && { closed: closed ? 'yes' : `no: ${edges(openEdges, 'open ')}` }),
    ...(solid !== null && { solid: solidInWords }),
    ...(shells !== null && { shells }),
    ...(volume !== null && {
      signedVolume: `${show(volume)}${unit && `${unit}^3`}${volume < 0 ? ', inside out' : ''}`,
    }),
  };
}

function layoutOf(asset: Asset): Description {
  const { own, name } = representationOf(asset);
  if (!own?.layout) throw new OptionError(`--layout: ${name} has none but what FORMAT.md says`);
  return own.layout();
}

async function draw(asset: Asset, png: string, level: number | null): Promise<void> {
  if (asset.representation !== 'gi' && asset.representation !== 'frep') {
    throw new OptionError(
      `--png draws geometry images and F-reps, and this is of the representation ${asset.representation}`,
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

function table(description: Description): string {
  const rows = Object.entries(description).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  const width = Math.max(...rows.map(([key]) => words(key).length));
  return rows
    .map(([key, value]) => {
      const label = `  ${words(key).padEnd(width)}  `;
      if (isRecords(value)) return `${label}${value.map(inline).join(`\n${' '.repeat(width + 4)}`)}\n`;
      if (isLines(value)) return `${label.trimEnd()}\n${value.map((line) => `    ${printable(line)}\n`).join('')}`;
      return `${label}${typeof value === 'object' && value !== null ? inline(value as Description) : show(value)}\n`;
    })
    .join('');
}

const isRecords = (value: unknown): value is Description[] =>
  Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'object' && x !== null);

const isLines = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'string');

const words = (key: string): string => printable(key).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function inline(record: Description): string {
  if (Array.isArray(record)) return record.map(show).join(record.some((x) => typeof x === 'string') ? '; ' : ' ');
  return Object.entries(record)
    .map(([key, value]) => `${words(key)} ${show(value)}`)
    .join(', ');
}

function show(value: unknown): string {
  if (value === null || value === undefined) return 'not recorded';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
