/** Reads and writes Wavefront OBJ as an indexed triangle mesh. The rules are in scanner.ts. */

import OBJFile from 'obj-file-parser';
import { MeshError, OptionError } from '../../base/errors.ts';
import { requireBytes, requireMeshShape, requireOptionTypes, requireThat } from '../../base/require.ts';
import type { Mesh, MeshGroup } from '../../mesh/mesh.ts';
import { inPieces, type SurfacePieces } from '../../mesh/topology.ts';
import { triangulate } from '../faces.ts';
import { fileOf, leftOut, type MeshFile, NoSurfaceError, type ObjParser, UNNAMED } from '../mesh-file.ts';
import {
  badNumber,
  closeRuns,
  fewVertices,
  longName,
  longNumber,
  MAX_NAME,
  MAX_NUMBER,
  noFaces,
  nulByte,
  openRun,
  type Runs,
  textStart,
} from '../text.ts';
import {
  badCorner,
  fewCoordinates,
  gluedKeyword,
  ObjContents,
  type ObjRecord,
  type ObjSkipped,
  outOfRange,
  relativeOutOfRange,
  scanObj,
  zeroCorner,
} from './scanner.ts';

/** A mesh from an OBJ file, with counts of content that is no surface. */
export interface ObjMesh extends Mesh {
  skipped: ObjSkipped;
}

const OBJ_PARSERS: readonly ObjParser[] = ['auto', 'obj-file-parser', 'scanner'];

interface ReadObjOptions {
  /** `auto`: obj-file-parser up to 32 KiB, else gicollide's scanner; both give the same bits. */
  parser?: ObjParser | undefined;
}

/** Up to here obj-file-parser takes 4 ms at most; the scanner is some 25 times faster. */
const OBJ_FILE_PARSER_BYTES = 2 ** 15;

/** Above this the results of obj-file-parser do not fit in strings and records. */
const OBJ_FILE_PARSER_CEILING = 2 ** 28;

/**
 * Reads an OBJ file: every vertex and every face in file order, polygons cut into n - 2 triangles
 * (polygon.ts), vertex numbers from 0, coordinates as the doubles nearest to their text. Nothing is
 * cleaned. `o` and `g` names become runs of triangles; empty runs are dropped.
 *
 * @throws FormatError, with the line, for anything but an OBJ file; without one, for a file without
 *   faces
 * @throws OptionError if obj-file-parser is requested by name for more than 256 MiB
 * @example const bytes = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n');
 *          readObj(bytes).triangles // [0, 1, 2, 0, 2, 3]
 */
export function readObj(bytes: Uint8Array, options: ReadObjOptions = {}): ObjMesh {
  requireBytes(bytes);
  requireOptionTypes(options, { parser: 'string' });
  const record = recordOf(bytes, options);
  if (record.triangleCount === 0) throw noFaces();
  return meshOf(record);
}

function recordOf(bytes: Uint8Array, { parser = 'auto' }: ReadObjOptions): ObjRecord {
  requireThat(OBJ_PARSERS.includes(parser), 'parser', OBJ_PARSERS.join(' or '), parser);
  if (parser === 'obj-file-parser' && bytes.length > OBJ_FILE_PARSER_CEILING) {
    throw new OptionError(
      `expected at most ${OBJ_FILE_PARSER_CEILING} bytes for obj-file-parser, found ${bytes.length}`,
    );
  }
  const isSmall = bytes.length <= OBJ_FILE_PARSER_BYTES;
  return parser === 'obj-file-parser' || (parser === 'auto' && isSmall) ? readWithObjFileParser(bytes) : scanObj(bytes);
}

const meshOf = (record: ObjRecord): ObjMesh => ({
  positions: record.positions,
  triangles: triangulate(record.positions, record),
  groups: record.groups,
  skipped: record.skipped,
});

export function readObjFile(bytes: Uint8Array, options: ReadObjOptions = {}): MeshFile {
  const record = recordOf(bytes, options);
  const notes = record.contents.notes(record);
  if (record.triangleCount === 0) {
    const { lines, points, freeForm } = record.skipped;
    if (lines + points + freeForm === 0 || record.vertexCount === 0) throw noFaces();
    const isNamed = notes.some(({ kind }) => kind !== 'warning');
    const all = isNamed ? notes : [...notes, leftOut(UNNAMED, 'only lines or points')];
    throw new NoSurfaceError(all, 'at least one face', 'none');
  }
  return fileOf(meshOf(record), '', notes);
}

/*
 * Writes a mesh as OBJ. Coordinates are the shortest decimals that read back as the same double
 * (Steele and White, "How to Print Floating-Point Numbers Accurately", 1990; as String() does), -0
 * included.
 */

/**
 * Returns the bytes of an OBJ file: comment, vertices, faces under their objects' and groups'
 * names; LF, ASCII except for comment and names.
 *
 * @param comment comes first, each of its lines after `# `
 * @throws MeshError for a coordinate that is not finite
 * @example const positions = new Float64Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
 *          new TextDecoder().decode(writeObj({ positions, triangles: new Uint32Array([0, 1, 2]) }))
 *          // 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
 */
export function writeObj(
  mesh: Pick<Mesh, 'positions' | 'triangles'> & Partial<Pick<Mesh, 'groups'>>,
  comment?: string,
): Uint8Array {
  requireMeshShape(mesh);
  requireThat(comment === undefined || typeof comment === 'string', 'comment', 'a string', comment);
  const { triangles, positions } = inPieces(mesh);
  const chunks: Uint8Array[] = [];
  const encoder = new TextEncoder();
  const add = (text: string): void => {
    chunks.push(encoder.encode(text));
  };
  if (comment !== undefined) add(commentText(comment));
  for (const piece of positions()) add(vertexText(piece));
  const names = namesOf(mesh.groups ?? []);
  const starts = [...new Set([0, ...names.keys()])].sort((a, b) => a - b);
  for (const [run, from] of starts.entries()) {
    add(names.get(from) ?? '');
    const own = mesh.triangles.subarray(3 * from, 3 * (starts[run + 1] ?? triangles));
    for (const piece of inPieces({ positions: mesh.positions, triangles: own }).corners()) add(faceText(piece));
  }
  return joined(chunks);
}

/** Text of a surface without groups, in pieces of some hundred kilobytes. */
export async function* writeObjPieces(surface: SurfacePieces, comment: string): AsyncGenerator<string> {
  yield commentText(comment);
  for (const piece of surface.positions()) yield vertexText(piece);
  for (const piece of surface.corners()) yield faceText(piece);
}

/** The final blank keeps readers from joining the next line to one that ends in a backslash. */
const commentText = (comment: string): string =>
  comment
    .split(/\r\n|\r|\n/)
    .map((text) => `# ${text}${text.endsWith('\\') ? ' ' : ''}\n`)
    .join('');

function namesOf(groups: Mesh['groups']): Map<number, string> {
  const names = new Map<number, string>();
  for (const { kind, name, first } of groups) {
    // Keeps any name on a single line.
    const line = `${kind === 'object' ? 'o' : 'g'} ${name.replaceAll(/\p{C}|\\$/gu, '_')}\n`;
    names.set(first, (names.get(first) ?? '') + line);
  }
  return names;
}

function vertexText(positions: Float64Array): string {
  let text = '';
  for (let i = 0; i < positions.length; i += 3)
    text += `v ${decimal(positions[i])} ${decimal(positions[i + 1])} ${decimal(positions[i + 2])}\n`;
  return text;
}

function faceText(corners: Uint32Array): string {
  let text = '';
  for (let i = 0; i < corners.length; i += 3)
    text += `f ${corners[i] + 1} ${corners[i + 1] + 1} ${corners[i + 2] + 1}\n`;
  return text;
}

function decimal(value: number): string {
  if (!Number.isFinite(value)) throw new MeshError(`a coordinate is ${value}`);
  return Object.is(value, -0) ? '-0' : String(value);
}

function joined(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/*
 * Reads small OBJ files with the npm package obj-file-parser, given only input that it reads
 * correctly.
 *
 * On its own the package (0.6) has many faults. It splits vertices by `o` while vertex numbers
 * continue. It resolves negative numbers within the last object. It forgets a group before the
 * first element. It reads 1abc as 1, and accepts 1e999 and missing coordinates. It knows neither
 * `\` nor CR nor a byte order mark, and it throws bare strings. So this front end splits the file
 * into statements, checks them, and writes them anew. The new text has one object, LF, one blank,
 * `v` with three numbers, `f` with absolute vertex numbers, and `g` with the serial number of a
 * change of names. The rules are those of scanner.ts.
 */

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i;
const CORNER = /^([-+]?\d+)(?:\/(?:[-+]?\d+)?){0,2}$/;
const COMMENT = /(?<![^ \t\v\f])#/;
const FREE_FORM = /^(?:curv2?|surf|bsp|bzp|cdc|cdp)$/i;

/** A physical line's part of a statement, or a token; with its line, from 1. */
interface Piece {
  text: string;
  line: number;
}

interface Name {
  kind: MeshGroup['kind'];
  name: string;
}

interface Normalised {
  lines: string[];
  vertexCount: number;
  /** Positive vertex numbers that point ahead. */
  ahead: { value: number; token: Piece }[];
  /** The names for `g <n>`, and the line of the first face under them. */
  changes: { names: Name[]; line: number }[];
  pending: Name[];
  skipped: ObjSkipped;
  contents: ObjContents;
}

function readWithObjFileParser(bytes: Uint8Array): ObjRecord {
  const normalised = normalise(bytes);
  for (const { value, token } of normalised.ahead) {
    if (value > normalised.vertexCount) throw outOfRange(token.line, normalised.vertexCount, token.text);
  }
  const [model] = new OBJFile(normalised.lines.join('\n')).parse().models;
  const { vertices, faces } = model ?? { vertices: [], faces: [] };

  const corners: number[] = [];
  const polygons: number[] = [];
  const runs: Runs = { list: [], open: { object: null, group: null } };
  let triangleCount = 0;
  let group = '';
  for (const face of faces) {
    if (face.group !== group) {
      group = face.group;
      const { names, line } = normalised.changes[Number(group)];
      for (const { kind, name } of names) openRun(runs, kind, name, triangleCount, line);
    }
    if (face.vertices.length > 3) polygons.push(corners.length, face.vertices.length);
    triangleCount += face.vertices.length - 2;
    for (const { vertexIndex } of face.vertices) corners.push(vertexIndex - 1);
  }
  const positions = new Float64Array(3 * vertices.length);
  vertices.forEach(({ x, y, z }, v) => {
    positions.set([x, y, z], 3 * v);
  });
  return {
    vertexCount: normalised.vertexCount,
    positions,
    corners: Uint32Array.from(corners),
    polygons: Uint32Array.from(polygons),
    triangleCount,
    groups: closeRuns(runs, triangleCount),
    skipped: normalised.skipped,
    contents: normalised.contents,
  };
}

function normalise(bytes: Uint8Array): Normalised {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(textStart(bytes)));
  const out: Normalised = {
    // otherwise the first element would make an object, and forget the group with it
    lines: ['o all'],
    vertexCount: 0,
    ahead: [],
    changes: [],
    pending: [],
    skipped: { lines: 0, points: 0, freeForm: 0 },
    contents: new ObjContents(),
  };
  let statement: Piece[] = [];
  text.split(/\r\n|\r|\n/).forEach((whole, index) => {
    const line = index + 1;
    const hash = whole.search(COMMENT);
    const body = hash < 0 ? whole : whole.slice(0, hash);
    const continues = hash < 0 && body.endsWith('\\');
    statement.push({ text: continues ? body.slice(0, -1) : body, line });
    if (continues) return;
    addStatement(out, statement);
    statement = [];
    if (hash >= 0 && whole.includes('\0', hash)) throw nulByte(line);
  });
  addStatement(out, statement);
  return out;
}

function addStatement(out: Normalised, pieces: Piece[]): void {
  const [keyword, ...tokens] = pieces.flatMap(({ text, line }) =>
    text
      .split(/[ \t\v\f]+/)
      .filter((token) => token !== '')
      .map((token) => ({ text: token, line })),
  );
  if (keyword === undefined) return;
  const kind = keyword.text.length <= 5 ? keyword.text.toLowerCase() : '';
  if (kind === 'v') addVertex(out, tokens, keyword.line);
  else if (kind === 'f' || kind === 'fo') addFace(out, tokens, keyword.line);
  else if (/^[vf][-+.\d]/i.test(keyword.text)) throw gluedKeyword(keyword.line, keyword.text);
  else {
    for (const { text, line } of pieces) if (text.includes('\0')) throw nulByte(line);
    if (kind === 'o' || kind === 'g') addName(out, kind, pieces, keyword.line);
    else if (kind === 'l' || kind === 'p') {
      out.skipped[kind === 'l' ? 'lines' : 'points']++;
      out.contents.thin();
    } else if (FREE_FORM.test(kind)) {
      out.skipped.freeForm++;
      out.contents.freeForm(kind);
    }
  }
}

function addVertex(out: Normalised, tokens: Piece[], statementLine: number): void {
  for (const { text, line } of tokens) {
    if (!NUMBER.test(text)) throw badNumber(line, text);
    if (text.length > MAX_NUMBER) throw longNumber(line);
    if (!Number.isFinite(Number(text))) throw badNumber(line, text);
  }
  if (tokens.length < 3) throw fewCoordinates(statementLine, tokens.length);
  out.lines.push(`v ${tokens[0].text} ${tokens[1].text} ${tokens[2].text}`);
  out.vertexCount++;
}

function addFace(out: Normalised, tokens: Piece[], statementLine: number): void {
  const absolute = tokens.map((token) => {
    const { text, line } = token;
    const corner = CORNER.exec(text);
    if (corner === null) throw badCorner(line, text);
    const value = Number(corner[1]);
    if (value === 0) throw zeroCorner(line, text);
    if (value < -out.vertexCount) throw relativeOutOfRange(line, out.vertexCount, text);
    if (value > out.vertexCount) out.ahead.push({ value, token });
    return value < 0 ? out.vertexCount + 1 + value : value;
  });
  if (absolute.length < 3) throw fewVertices({ line: statementLine }, absolute.length);
  if (out.pending.length > 0) {
    out.lines.push(`g ${out.changes.length}`);
    out.changes.push({ names: out.pending, line: statementLine });
    out.pending = [];
    out.contents.face();
  }
  out.lines.push(`f ${absolute.join(' ')}`);
}

function addName(out: Normalised, keyword: 'o' | 'g', pieces: Piece[], line: number): void {
  const kind = keyword === 'o' ? 'object' : 'group';
  const statement = pieces.map(({ text }) => text).join(' ');
  const name = trimmed(statement.replace(/^[ \t\v\f]*[og]/i, ''));
  if (name.length > MAX_NAME) throw longName(line);
  // The last name of a kind counts, in the order of the names.
  out.pending = [...out.pending.filter((earlier) => earlier.kind !== kind), { kind, name: name || 'default' }];
  out.contents.begin(kind, line, () => name || 'default');
}

/** A loop: a regular expression would take quadratic time on blanks in the middle. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && ' \t\v\f'.includes(text[start])) start++;
  while (end > start && ' \t\v\f'.includes(text[end - 1])) end--;
  return text.slice(start, end);
}
