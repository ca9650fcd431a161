/**
 * The pages of a group of charts: the possible sets, their order, and their roles.
 *
 * Missing spheres and slabs are built from the geometry. Normals and deviations need the source, so
 * they stay missing.
 */
import { OptionError } from '../../../base/errors.ts';
import type { GeometryImage } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { treeHeight, treeWidth } from '../tree/tree-page.ts';

export const PAGE_ROLES = ['geometry', 'normals', 'spheres', 'deviation', 'slabs'] as const;

export type PageRole = (typeof PAGE_ROLES)[number];

/** Measured from the spheres in their places. */
const OF_SPHERES: readonly PageRole[] = ['deviation', 'slabs'];

export const inFileOrder = (roles: readonly string[]): PageRole[] => PAGE_ROLES.filter((role) => roles.includes(role));

export function oddRoles(roles: readonly PageRole[]): string | null {
  if (!roles.includes('geometry')) return 'geometry, without which there is no surface';
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
    throw new OptionError(`pages ${asked.join(',')}: expected deviation, by which the embedded source is found`);
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
