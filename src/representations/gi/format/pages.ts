/**
 * The pages of a group of charts: the possible sets, their order, and their roles. Charts of one
 * size share a page: side by side, row by row, in about as many rows as columns.
 *
 * Missing spheres and slabs are built from the geometry. Normals and deviations need the source, so
 * they stay missing.
 */
import { OptionError } from '../../../base/errors.ts';
import type { PixelPage } from '../../../containers/pixels.ts';
import type { GeometryImage } from '../tree/geometry-image.ts';
import { sizeOf, treeHeight, treeWidth } from '../tree/grid.ts';

export const PAGE_ROLES = ['geometry', 'normals', 'spheres', 'deviation', 'slabs'] as const;

export type PageRole = (typeof PAGE_ROLES)[number];

/** Pages measured from the spheres in their places. */
const OF_SPHERES: readonly PageRole[] = ['deviation', 'slabs'];

export const inFileOrder = (roles: readonly string[]): PageRole[] => PAGE_ROLES.filter((role) => roles.includes(role));

export function oddRoles(roles: readonly PageRole[]): string | null {
  if (!roles.includes('geometry')) return 'geometry, which is the surface';
  const measured = OF_SPHERES.find((role) => roles.includes(role));
  if (measured && !roles.includes('spheres')) return `spheres, which the page of ${measured} is measured from`;
  return null;
}

/** Returns pages in a file's order; throws OptionError unless `asked` is a valid set. */
export function requirePages(asked: unknown, { keepsSource = false }: { keepsSource?: boolean } = {}): PageRole[] {
  const names = Array.isArray(asked) ? asked : [];
  const roles = inFileOrder(names);
  if (!Array.isArray(asked) || roles.length !== asked.length)
    throw new OptionError(`pages ${String(asked)}: expected a list of ${PAGE_ROLES.join(', ')}, each once`);
  const missing = oddRoles(roles);
  if (missing) throw new OptionError(`pages ${asked.join(',')}: expected ${missing}`);
  if (keepsSource && !roles.includes('deviation'))
    throw new OptionError(`pages ${asked.join(',')}: expected deviation, which the embedded source needs`);
  return roles;
}

export function rolesOf({ groups }: Pick<GeometryImage, 'groups'>): PageRole[] {
  return inFileOrder([
    'geometry',
    'spheres',
    ...(groups.every(({ normals }) => normals) ? ['normals'] : []),
    ...(groups.every(({ deviation }) => deviation) ? ['deviation'] : []),
    ...(groups.every(({ tree }) => tree.slabs) ? ['slabs'] : []),
  ]);
}

export function shapeOf(role: PageRole, exponent: number) {
  const side = sizeOf(exponent);
  const tree = { width: treeWidth(exponent), height: treeHeight(exponent) };
  if (role === 'spheres' || role === 'slabs') return { ...tree, channels: 4 as const };
  if (role === 'deviation') return { ...tree, channels: 1 as const };
  return { width: side, height: side, channels: 3 as const };
}

type Shape = Pick<PixelPage, 'width' | 'height' | 'channels'>;

export function packedSize(count: number, { width, height, channels }: Shape): Shape {
  const columns = columnsOf(count);
  return { width: columns * width, height: Math.ceil(count / columns) * height, channels };
}

function columnsOf(count: number): number {
  let columns = Math.floor(Math.sqrt(count));
  while (columns * columns < count) columns++;
  return columns;
}

/** Packs consecutive charts into a page, padded with 0. One chart is the page, not a copy. */
export function packCharts(samples: Uint16Array, count: number, shape: Shape): PixelPage {
  const page = packedSize(count, shape);
  if (count === 1) return { ...page, samples };
  const packed = new Uint16Array(page.width * page.height * page.channels);
  forEachRow(count, shape, (chart, onPage, length) => packed.set(samples.subarray(chart, chart + length), onPage));
  return { ...page, samples: packed };
}

export function unpackCharts({ samples }: PixelPage, count: number, shape: Shape): Uint16Array {
  if (count === 1) return samples;
  const charts = new Uint16Array(count * shape.width * shape.height * shape.channels);
  forEachRow(count, shape, (chart, onPage, length) => charts.set(samples.subarray(onPage, onPage + length), chart));
  return charts;
}

function forEachRow(
  count: number,
  { width, height, channels }: Shape,
  visit: (chart: number, onPage: number, length: number) => void,
): void {
  const columns = columnsOf(count);
  const length = width * channels;
  for (let index = 0; index < count; index++) {
    for (let row = 0; row < height; row++) {
      const pageRow = Math.floor(index / columns) * height + row;
      visit((index * height + row) * length, (pageRow * columns + (index % columns)) * length, length);
    }
  }
}
