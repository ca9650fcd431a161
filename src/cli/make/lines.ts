/** Formats the output of `gicollide build` for one asset: text, and JSON fields. */
import { isAbsolute, relative } from 'node:path';
import { MeshError } from '../../base/errors.ts';
import { excludedText } from '../../base/patterns.ts';
import { counted, grouped, printable, short } from '../../base/printable.ts';
import type { Asset } from '../../engine/representation.ts';
import { type MeanDeviation, measureMeans } from '../../mesh/deviation.ts';
import type { Surface } from '../../mesh/topology.ts';
import { MEASURED_SAMPLES } from '../../representations/gi/make/quantise.ts';
import { countReversed, type GeometryImage } from '../../representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../representations/gi/tree/grid.ts';
import { cubesOf, type VoxelSet } from '../../representations/voxel/tree/cube-set.ts';
import type { BuildRecord, DoneRecord, StaleRecord } from './job.ts';

interface TreeFlags {
  k: number;
  bits: number;
  nodeBytes: number;
}

export function ownFields(
  asset: Asset,
  flags: TreeFlags,
  measured: MeanDeviation | null,
): Record<string, number | string | null> {
  switch (asset.representation) {
    case 'gi':
      return {
        size: sizeOf((asset as GeometryImage).groups[0].exponent),
        chosen: (asset as GeometryImage).header.options.chosen ?? null,
        charts: (asset as GeometryImage).charts,
        layout: layoutOf(asset as GeometryImage) || null,
        reversed: countReversed(asset as GeometryImage),
        missing: (asset as GeometryImage).tolerance?.missing ?? null,
        excess: (asset as GeometryImage).tolerance?.excess ?? null,
        psnr: round(measured?.psnr, 2),
        psnrFromSource: round(measured?.psnrAB, 2),
        psnrToSource: round(measured?.psnrBA, 2),
      };
    case 'kdop':
      return { k: flags.k, bits: flags.bits };
    case 'voxel':
      return { precision: (asset as VoxelSet).precision, cubes: cubesOf(asset as VoxelSet) };
    default:
      return { nodeBytes: flags.nodeBytes };
  }
}

export function inWords(asset: Asset, flags: TreeFlags): string {
  switch (asset.representation) {
    case 'gi':
      return `geometry image ${sizeInWords(asset as GeometryImage)}`;
    case 'kdop':
      return `k-DOP tree (${flags.k} directions, ${flags.bits} bits)`;
    case 'voxel':
      return `${counted(cubesOf(asset as VoxelSet), 'cube')} of ${short((asset as VoxelSet).precision)}`;
    default:
      return `OBB tree (${flags.nodeBytes} bytes per node)`;
  }
}

/** Lists charts by size: "257 x 257", or "of 4 charts, 3 of 129 x 129, 1 of 65 x 65". */
function sizeInWords({ groups, charts }: GeometryImage): string {
  const sizes = groups.map(({ exponent, count }) => ({ count, size: [0, 1].map(() => sizeOf(exponent)).join(' x ') }));
  if (charts === 1) return sizes[0].size;
  if (sizes.length === 1) return `of ${charts} charts of ${sizes[0].size}`;
  if (sizes.length > 3) return `of ${charts} charts of ${sizes[0].size} to ${sizes[sizes.length - 1].size}`;
  return `of ${charts} charts, ${sizes.map(({ count, size }) => `${count} of ${size}`).join(', ')}`;
}

/** JSON header, section table, padding and checksum: 464 to 512 bytes in files of `build`. */
const OBB_FRAME = 490;

/**
 * Returns the bytes of a mesh as an OBB tree with 40 bytes a node, as its FORMAT.md has them, but
 * for a few of the header. Unlike an image, the tree keeps the triangles.
 */
export function obbBytes({ positions, triangles }: Surface): number {
  const count = triangles.length / 3;
  const width = positions.every((x) => Math.fround(x) === x) ? 4 : 8;
  return OBB_FRAME + 40 * (2 * count - 1) + 12 * count + width * positions.length;
}

export const layoutOf = ({ header }: GeometryImage): string => String(header.options.layout ?? '');

/** An exact image has more decibels than there are digits. */
const inDecibels = (psnr: number): string => (psnr < 300 ? psnr.toFixed(1) : 'over 300');

/** Smaller parts of the diagonal are rounding errors. */
const LEAST_PERCENT = 0.001;

/**
 * Returns the proved bound on the distance between an image and its mesh.
 *
 * @param diagonal of the mesh's box
 * @example boundOf(image, 0.98) // 'within 0.000678 of the mesh (0.07 % of its size)'
 */
export function boundOf({ tolerance }: GeometryImage, diagonal: number): string {
  const { missing, excess } = tolerance ?? { missing: 0, excess: 0 };
  const length = Math.max(missing, excess);
  const percent = (100 * length) / diagonal;
  const part = percent >= LEAST_PERCENT && percent < 100 ? ` (${Number(percent.toPrecision(1))} % of its size)` : '';
  return `within ${Number(length.toPrecision(3))} of the mesh${part}`;
}

/** The mean quality in both directions. */
export const qualityOf = (measured: MeanDeviation | null): string | undefined =>
  measured ? `${inDecibels(measured.psnr)} dB` : undefined;

export function measuresOf(image: GeometryImage, measured: MeanDeviation | null): string {
  const reversed = countReversed(image) ?? 0;
  const decibels = measured
    ? `${inDecibels(measured.psnrAB)} and ${inDecibels(measured.psnrBA)} dB`
    : 'quality not measured';
  return reversed > 0 ? `${decibels}, ${reversed} of its triangles reversed` : decibels;
}

/** Returns null if the samples of a very thin surface have no area. */
export function measure(mesh: Surface, stored: Surface): MeanDeviation | null {
  try {
    return measureMeans(mesh, stored, MEASURED_SAMPLES);
  } catch (error) {
    if (error instanceof MeshError) return null;
    throw error;
  }
}

function round(value: number | undefined, digits: number): number | null {
  return value !== undefined && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}

export function lineOf(record: BuildRecord): Record<string, unknown> {
  const { status, source } = record;
  if (record.status === 'failed') return { status, source, message: record.message };
  if (record.status === 'excluded') return { status, source, excluded: record.names.length };
  const { output, element, format } = record;
  const named = { status, file: output, source, ...(element !== undefined && { element }), representation: format };
  if ('reason' in record) return { ...named, reason: record.reason };
  const { size, facts, seconds } = record;
  return { ...named, ...facts?.fields, bytes: size, ...(seconds !== undefined && { seconds: round(seconds, 3) }) };
}

export function textOf(record: DoneRecord, { isVerbose }: { isVerbose: boolean }): string {
  const { status, output, source, facts, size, seconds = 0 } = record;
  if (status === 'fresh' || !facts) return `${shown(output)}  ${status}`;
  const { what, why, of, bound, quality, measures, exact } = facts;
  const time = status === 'built' ? `${seconds.toFixed(1)} s` : undefined;
  const parts = [kilobytes(size), bound, isVerbose ? measures : quality, time].filter((part) => part !== undefined);
  const reason = isVerbose && why ? ` (${why})` : '';
  const made = `${what}${reason} from ${shown(source)}${of === undefined ? '' : `, ${of}`}`;
  const lead = status === 'built' ? '' : `${status}: `;
  const other = exact === undefined ? '' : `; -f obb keeps the triangles: ${kilobytes(exact)}`;
  return `${shown(output)}  ${lead}${made}; ${parts.join(', ')}${other}`;
}

/**
 * 1 KB is 1000 bytes. Below 10 KB with one decimal.
 *
 * @example kilobytes(1032) // '1.0 KB'
 */
export function kilobytes(bytes: number): string {
  // 9,950 bytes and more would be shown as 10.0.
  return `${bytes < 9950 ? (Math.round(bytes / 100) / 10).toFixed(1) : grouped(Math.round(bytes / 1000))} KB`;
}

export const staleText = ({ status, output, reason }: StaleRecord, lead = 'stale'): string =>
  `${shown(output)}  ${status === 'missing' && lead === 'stale' ? status : `${lead}: ${status === 'missing' ? status : reason}`}`;

interface RunFacts {
  excluded?: number;
  skipped: number;
  warnings: number;
  seconds: number;
}

/** Returns the last line: 25 built, 3 fresh, 1 skipped, 18 warnings, 2.5 s. */
export function lastLineOf(
  counts: ReadonlyMap<BuildRecord['status'], number>,
  { skipped, warnings, seconds, ...facts }: RunFacts,
): string {
  return [
    ...STATUSES.flatMap((status) => (counts.has(status) ? [`${grouped(counts.get(status) as number)} ${status}`] : [])),
    ...excludedText(facts),
    ...(skipped > 0 ? [`${grouped(skipped)} skipped`] : []),
    ...(warnings > 0 ? [`${grouped(warnings)} warning${warnings === 1 ? '' : 's'}`] : []),
    `${seconds.toFixed(1)} s`,
  ].join(', ');
}

const STATUSES = ['built', 'cached', 'fresh', 'missing', 'stale', 'failed'] as const;

export function shown(path: string): string {
  const near = isAbsolute(path) ? relative(process.cwd(), path) : path;
  return printable(near.startsWith('..') ? path : near);
}
