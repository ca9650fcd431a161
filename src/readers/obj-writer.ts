/**
 * Writes a mesh as OBJ. Coordinates are the shortest decimals that read back as the same double
 * (Steele and White, "How to Print Floating-Point Numbers Accurately", 1990; as String() does), -0
 * included.
 */
import { MeshError } from '../base/errors.ts';
import { requireMeshShape, requireThat } from '../base/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { inPieces, type SurfacePieces } from '../mesh/surface-pieces.ts';

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
