/** Formats the text of `gicollide info`: the answers for most users first, digests last. */
import { counted, grouped, pointText, printable, short } from '../base/printable.ts';
import type { Bounds } from '../engine/bounds.ts';
import type { Description } from '../engine/representation.ts';
import type { OpenPlace } from '../mesh/shells.ts';

/** Triangles of the largest measured surface: each needs 60 bytes and half a microsecond. */
export const MOST_MEASURED = 2 ** 23;

/** Pages of most images; more are summed up by their role. */
const MOST_PAGES = 10;

export interface Shape {
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

export interface Measured {
  shape: Shape;
  /** The first edge that keeps the surface from bounding a solid. */
  first: OpenPlace | null;
}

type Row = readonly [key: string, value: unknown];

/** Keys that the first rows show. */
const FIRST = ['units', 'triangles', 'vertices'];
const LAST = [
  ...['source', 'options', 'tool', 'fileBytes', 'bytesPerTriangle', 'bytesPerCube', 'treeBytesPerTriangle', 'bytes'],
  ...['pages', 'accounting', 'sha256', 'contentHash'],
];

const LABELS: Readonly<Record<string, string>> = {
  ...{ accounting: 'bytes as in the paper', bits: 'bits per coefficient', bytes: 'bytes by section' },
  ...{ doneWithout: 'pages it does without', extent: 'extent of the grid', fileBytes: 'file', k: 'directions (k)' },
  ...{ levels: 'tree levels', nodeBytes: 'bytes per node', precision: 'edge of a cube' },
  ...{ quantum: 'step of a coefficient', reversed: 'reversed triangles', step: 'step of the grid' },
};

const KINDS: Readonly<Record<string, string>> = {
  ...{ gi: 'geometry image (gi)', obb: 'OBB tree (obb)', kdop: 'k-DOP tree (kdop)', voxel: 'cubes (voxel)' },
  frep: 'functions (frep)',
};

const VALUES: Readonly<Record<string, (value: never) => string>> = {
  representation: (name: string) => KINDS[name] ?? name,
  tolerance: (lengths: { missing: number; excess: number } | null) =>
    lengths === null ? 'not computed' : toleranceText(lengths),
  embeddedSource: (source: Description | null) => (source === null ? 'none' : inline(source)),
  fileBytes: (bytes: number) => counted(bytes, 'byte'),
  samples: (size: number) => `${size} x ${size}`,
  nodes: grouped,
  meshes: grouped,
  elements: grouped,
  cubes: grouped,
  bricks: grouped,
  instructions: grouped,
};

const toleranceText = ({ missing, excess }: { missing: number; excess: number }): string =>
  missing === 0 && excess === 0
    ? '0: it is the source itself'
    : `missing ${show(missing)} (source to surface), excess ${show(excess)} (surface to source)`;

function byRole(pages: readonly Description[]): Description[] {
  const roles = [...new Set(pages.map(({ role }) => role))];
  const sums = roles.map((role) => {
    const own = pages.filter((page) => page.role === role);
    const stored = own.reduce((sum, { storedBytes }) => sum + Number(storedBytes), 0);
    return { role, pages: own.length, storedBytes: stored };
  });
  return [...sums, { all: pages.length, 'listed by': '--json' }];
}

/** @param measured null if the file has no surface */
export function infoText(name: string, description: Description, measured: Measured | null): string {
  const { size, pages, ...others } = description;
  // The size of an image is not that of its surface.
  const told = Object.entries({
    ...others,
    ...(size !== undefined && { samples: size }),
    ...(pages !== undefined && { pages: isRecords(pages) && pages.length > MOST_PAGES ? byRole(pages) : pages }),
  });
  const rest = told.filter(([key, value]) => !FIRST.includes(key) && !(value === null && LAST.includes(key)));
  const rank = ([key]: Row): number => LAST.indexOf(key);
  return `${printable(name)}\n${table([...firstRows(description, measured), ...rest.sort((a, b) => rank(a) - rank(b))])}`;
}

function firstRows(description: Description, measured: Measured | null): Row[] {
  const { units, triangles, vertices } = description;
  const { bounds, area = null, shells = null, volume = null } = measured?.shape ?? {};
  const first = measured?.first ?? null;
  const power = (n: number): string => (typeof units === 'string' ? ` ${units}${n > 1 ? `^${n}` : ''}` : '');
  const rows: (Row | false | undefined)[] = [
    ['usable as a solid', solidText(description, measured?.shape)],
    first !== null && [
      'first such edge',
      `from ${pointText(first.from)} to ${pointText(first.to)}, of triangle ${first.triangle}`,
    ],
    bounds && ['size', `${bounds.size.map(show).join(' x ')}${power(1)}`],
    volume !== null && ['volume', `${show(volume)}${power(3)}${volume < 0 ? ', negative: it is inside out' : ''}`],
    ['units', units ?? 'not recorded; build, check and scene take --units'],
    triangles !== undefined && ['triangles', grouped(Number(triangles))],
    vertices !== undefined && ['vertices', grouped(Number(vertices))],
    shells !== null && ['shells', grouped(shells)],
    area !== null && ['area', `${show(area)}${power(2)}`],
    bounds && ['box', `${pointText(bounds.low)} to ${pointText(bounds.high)}`],
  ];
  return rows.filter((row) => row !== false && row !== undefined);
}

function solidText({ representation, options, primitives }: Description, shape: Shape | undefined): string {
  if (!shape) return primitives ? 'yes: it has no triangles, only primitives' : 'no, because it has no triangles';
  const isFilled = (options as Description | undefined)?.fill !== undefined;
  if (representation === 'voxel' && !isFilled)
    return 'no, because only its surface has cubes; build --fill adds the others';
  const { solid, openEdges, unbalancedEdges } = shape;
  if (solid === null || unbalancedEdges === null || openEdges === null)
    return `not known: it has more than ${counted(MOST_MEASURED, 'triangle')}`;
  if (solid) return 'yes';
  const isOpen = openEdges > 0;
  const turned = unbalancedEdges - openEdges;
  const reasons = [
    ...(isOpen ? [`${counted(openEdges, 'edge')} ${openEdges === 1 ? 'is' : 'are'} open`] : []),
    ...(turned > 0 ? [`at ${counted(turned, isOpen ? 'other edge' : 'edge')} triangles face opposite ways`] : []),
  ];
  return `no, because ${reasons.join(', and ')}; gicollide lint tells how to mend it`;
}

/** Writes a line for each row; a key of camel case becomes words. */
export function table(all: readonly Row[]): string {
  const rows = all.filter(([, value]) => typeof value !== 'object' || value === null || Object.keys(value).length > 0);
  const width = Math.max(...rows.map(([key]) => labelOf(key).length));
  return rows
    .map(([key, value]) => {
      const label = `  ${labelOf(key).padEnd(width)}  `;
      if (key in VALUES) return `${label}${printable(VALUES[key](value as never))}\n`;
      if (isRecords(value)) return `${label}${value.map(inline).join(`\n${' '.repeat(width + 4)}`)}\n`;
      if (isLines(value)) return `${label.trimEnd()}\n${value.map((line) => `    ${printable(line)}\n`).join('')}`;
      return `${label}${typeof value === 'object' && value !== null ? inline(value as Description) : show(value)}\n`;
    })
    .join('');
}

const labelOf = (key: string): string => LABELS[key] ?? words(key);

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
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : short(value);
  if (Array.isArray(value)) return value.map(show).join(' ');
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
