/** Files of meshes as other programs would write them: STL, PLY and OFF, by Node's own buffers. */
import { type ReadMeshFile, readMeshFile } from '../../src/readers/formats.ts';

/** A polygon mesh: points, and the numbers of each face's points. */
export interface Polygons {
  points: number[][];
  faces: number[][];
}

export const text = (source: string): Uint8Array => new TextEncoder().encode(source);

/** Reads bytes that name no other file. */
export const read = (source: Uint8Array | string): Promise<ReadMeshFile> =>
  readMeshFile(typeof source === 'string' ? text(source) : source, {
    open: (path) => {
      throw new Error(`${path} was asked for`);
    },
  });

/** The one mesh of a file. */
export const meshOf = async (source: Uint8Array | string) => (await read(source)).meshes[0].mesh;

/** The error of a file in one line; 'none' if it is read. */
export const errorOf = async (source: Uint8Array | string): Promise<string> =>
  read(source).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof Error && error.name === 'FormatError') return error.message;
      throw error;
    },
  );

/** A box with outward sides: 8 points and 6 faces. */
export const BOX: Polygons = {
  points: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [i & 1, (i >> 1) & 1, i >> 2]),
  faces: [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ],
};

/** Fans. */
export const trianglesOf = ({ faces }: Polygons): number[][] =>
  faces.flatMap((face) => face.slice(2).map((_, k) => [face[0], face[k + 1], face[k + 2]]));

/** Coordinates of corners, triangle by triangle. */
export const cornersOf = (mesh: Polygons): number[][] =>
  trianglesOf(mesh).flatMap((triangle) => triangle.map((p) => mesh.points[p]));

/** A binary STL of corners. */
export function stlBinary(corners: number[][], { header = 'binary', colour = 0, normal = [0, 0, 1] } = {}): Uint8Array {
  const count = corners.length / 3;
  const buffer = Buffer.alloc(84 + 50 * count);
  buffer.write(header, 0, 80, 'latin1');
  buffer.writeUInt32LE(count, 80);
  for (let t = 0; t < count; t++) {
    const numbers = [...normal, ...corners.slice(3 * t, 3 * t + 3).flat()];
    for (const [k, x] of numbers.entries()) buffer.writeFloatLE(x, 84 + 50 * t + 4 * k);
    buffer.writeUInt16LE(colour, 84 + 50 * t + 48);
  }
  return new Uint8Array(buffer);
}

/** An STL of text: the facets of a solid. */
export function stlText(name: string, corners: number[][]): string {
  const facets: string[] = [];
  for (let c = 0; c < corners.length; c += 3) {
    const vertices = corners.slice(c, c + 3).map((point) => `      vertex ${point.join(' ')}\n`);
    facets.push(`  facet normal 0 0 1\n    outer loop\n${vertices.join('')}    endloop\n  endfacet\n`);
  }
  return `solid ${name}\n${facets.join('')}endsolid ${name}\n`;
}

const WRITERS: Record<string, (buffer: Buffer, x: number, at: number, big: boolean) => number> = {
  char: (b, x, at) => b.writeInt8(x, at),
  uchar: (b, x, at) => b.writeUInt8(x, at),
  short: (b, x, at, big) => (big ? b.writeInt16BE(x, at) : b.writeInt16LE(x, at)),
  ushort: (b, x, at, big) => (big ? b.writeUInt16BE(x, at) : b.writeUInt16LE(x, at)),
  int: (b, x, at, big) => (big ? b.writeInt32BE(x, at) : b.writeInt32LE(x, at)),
  uint: (b, x, at, big) => (big ? b.writeUInt32BE(x, at) : b.writeUInt32LE(x, at)),
  float: (b, x, at, big) => (big ? b.writeFloatBE(x, at) : b.writeFloatLE(x, at)),
  double: (b, x, at, big) => (big ? b.writeDoubleBE(x, at) : b.writeDoubleLE(x, at)),
};
export const OLD_NAMES = Object.keys(WRITERS);
const NEW_NAMES = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64'];

export const ENCODINGS = ['ascii', 'binary_little_endian', 'binary_big_endian'] as const;

/** Properties as a header has them, and rows: a number a property, or the numbers of a list. */
export interface PlyTable {
  name: string;
  properties: string[];
  rows: (number | number[])[][];
}

/** A PLY of any tables. */
export function ply(
  encoding: (typeof ENCODINGS)[number],
  tables: PlyTable[],
  { lineEnd = '\n', comments = [] as string[] } = {},
): Uint8Array {
  const header = [
    'ply',
    `format ${encoding} 1.0`,
    ...comments,
    ...tables.flatMap(({ name, properties, rows }) => [
      `element ${name} ${rows.length}`,
      ...properties.map((property) => `property ${property}`),
    ]),
    'end_header',
  ];
  const parts: Buffer[] = [Buffer.from(header.map((line) => line + lineEnd).join(''))];
  for (const { properties, rows } of tables) {
    for (const row of rows) {
      if (encoding === 'ascii') {
        const words = row.flatMap((value) => (Array.isArray(value) ? [value.length, ...value] : [value]));
        parts.push(Buffer.from(words.join(' ') + lineEnd));
        continue;
      }
      for (const [k, value] of row.entries()) {
        const [first, length, item] = properties[k].split(' ');
        const big = encoding === 'binary_big_endian';
        if (Array.isArray(value))
          parts.push(number(length, value.length, big), ...value.map((x) => number(item, x, big)));
        else parts.push(number(first, value, big));
      }
    }
  }
  return new Uint8Array(Buffer.concat(parts));
}

function number(type: string, x: number, big: boolean): Buffer {
  const buffer = Buffer.alloc(8);
  const known = NEW_NAMES.includes(type) ? OLD_NAMES[NEW_NAMES.indexOf(type)] : type;
  return buffer.subarray(0, WRITERS[known](buffer, x, 0, big));
}

/** A PLY of a polygon mesh, in doubles unless other types are given. */
export const plyOf = (
  { points, faces }: Polygons,
  encoding: (typeof ENCODINGS)[number] = 'ascii',
  { coordinate = 'double', index = 'int', list = 'vertex_indices', lineEnd = '\n', comments = [] as string[] } = {},
): Uint8Array =>
  ply(
    encoding,
    [
      { name: 'vertex', properties: ['x', 'y', 'z'].map((axis) => `${coordinate} ${axis}`), rows: points },
      { name: 'face', properties: [`list uchar ${index} ${list}`], rows: faces.map((face) => [face]) },
    ],
    { lineEnd, comments },
  );

/** An OFF, with what stands behind each vertex and face. */
export const offOf = ({ points, faces }: Polygons, { word = 'OFF', vertex = '', face = '' } = {}): string =>
  [
    word,
    `${points.length} ${faces.length} 0`,
    ...points.map((point) => point.join(' ') + vertex),
    ...faces.map((corners) => [corners.length, ...corners].join(' ') + face),
    '',
  ].join('\n');
