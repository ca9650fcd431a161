/**
 * Writes a mesh as OBJ. Coordinates are the shortest decimals that read back as the same double
 * (Steele and White, "How to Print Floating-Point Numbers Accurately", 1990; what String() does),
 * -0 included.
 */
import { MeshError } from '../math/errors.ts';
import { requireMeshShape } from '../math/require.ts';
import type { Mesh } from '../mesh/mesh.ts';

/**
 * Elements turned into text at a time: a few hundred kilobytes of string, however large the mesh.
 */
const CHUNK = 8192;

/**
 * The bytes of an OBJ file: comment, vertices, faces under their objects' and groups' names; LF,
 * ASCII but for comment and names.
 *
 * @param comment written ahead, each of its lines behind `# `
 * @throws MeshError on a coordinate that is not finite
 * @example const positions = new Float64Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);
 *          new TextDecoder().decode(writeObj({ positions, triangles: new Uint32Array([0, 1, 2]) }))
 *          // 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'
 */
export function writeObj(
  mesh: Pick<Mesh, 'positions' | 'triangles'> & Partial<Pick<Mesh, 'groups'>>,
  comment?: string,
): Uint8Array {
  requireMeshShape(mesh);
  const { positions, triangles, groups = [] } = mesh;
  const chunks: Uint8Array[] = [];
  const encoder = new TextEncoder();
  if (comment !== undefined) {
    // The blank at the end keeps other readers from joining the next line to a comment that ends in
    // a backslash.
    const lines = comment.split(/\r\n|\r|\n/).map((text) => `# ${text}${text.endsWith('\\') ? ' ' : ''}\n`);
    chunks.push(encoder.encode(lines.join('')));
  }
  for (let start = 0; start < positions.length; start += 3 * CHUNK) {
    const end = Math.min(start + 3 * CHUNK, positions.length);
    let text = '';
    for (let i = start; i < end; i += 3) {
      text += `v ${decimal(positions[i])} ${decimal(positions[i + 1])} ${decimal(positions[i + 2])}\n`;
    }
    chunks.push(encoder.encode(text));
  }
  const names = new Map<number, string>();
  for (const { kind, name, first } of groups) {
    // A line of its own, whatever the name holds.
    const line = `${kind === 'object' ? 'o' : 'g'} ${name.replaceAll(/\p{C}|\\$/gu, '_')}\n`;
    names.set(3 * first, (names.get(3 * first) ?? '') + line);
  }
  const starts = [...new Set([0, ...names.keys()])].sort((a, b) => a - b);
  for (const [run, from] of starts.entries()) {
    const to = starts[run + 1] ?? triangles.length;
    chunks.push(encoder.encode(names.get(from) ?? ''));
    for (let start = from; start < to; start += 3 * CHUNK) chunks.push(faces(start, Math.min(start + 3 * CHUNK, to)));
  }
  return joined(chunks);

  function faces(start: number, end: number): Uint8Array {
    let text = '';
    for (let i = start; i < end; i += 3)
      text += `f ${triangles[i] + 1} ${triangles[i + 1] + 1} ${triangles[i + 2] + 1}\n`;
    return encoder.encode(text);
  }
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
