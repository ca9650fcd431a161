/**
 * Reads small OBJ files with the npm package obj-file-parser, given only input that it reads
 * correctly.
 *
 * On its own the package (0.6) has many faults. It splits vertices by `o` while vertex numbers
 * continue. It resolves negative numbers within the last object. It forgets a group before the
 * first element. It reads 1abc as 1, and accepts 1e999 and missing coordinates. It knows neither
 * `\` nor CR nor a byte order mark, and it throws bare strings. So this front end splits the file
 * into statements, checks them, and writes them anew: one object, LF, one blank, `v` with three
 * numbers, `f` with absolute vertex numbers, and `g` with the serial number of a change of names.
 * The rules are those of obj-statements.ts; for files of a few megabytes.
 */
import OBJFile from 'obj-file-parser';
import type { MeshGroup } from '../mesh/mesh.ts';
import {
  badCorner,
  fewCoordinates,
  gluedKeyword,
  ObjContents,
  type ObjRecord,
  type ObjSkipped,
  outOfRange,
  relativeOutOfRange,
  zeroCorner,
} from './obj-statements.ts';
import {
  badNumber,
  closeRuns,
  fewVertices,
  longName,
  longNumber,
  MAX_NAME,
  MAX_NUMBER,
  nulByte,
  openRun,
  type Runs,
  textStart,
} from './text.ts';

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

export function readWithObjFileParser(bytes: Uint8Array): ObjRecord {
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
    lines: ['o all'], // or the first element would make an object, and forget the group with it
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
