/** A robot as a file of meshes: a node a link, below it a node a shape, with all joints at rest. */
import { FormatError, InputError } from '../base/errors.ts';
import { identity } from '../math/pose.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { transformMesh } from '../mesh/transform.ts';
import { besidePath } from './beside.ts';
import {
  elementNames,
  type FileMesh,
  type FileNode,
  type MeshFile,
  type Surroundings,
  wholeMesh,
} from './mesh-file.ts';
import { missing, warning, warningsIn } from './notes.ts';
import { follow, jointPoses, type Robot, type RobotShape, restValues } from './robot.ts';
import { readUrdf } from './urdf.ts';

/** Reads a mesh, but no robot; passed in because the table of formats imports this file. */
type ReadMeshes = (bytes: Uint8Array, around: Surroundings) => Promise<MeshFile>;

/** Most coordinates of all meshes, once for each scale: 2 GiB. */
const MOST_COORDINATES = 2 ** 28;

/** @param readMeshes reads the files that it names; errors get the line that names them */
export async function readRobotFile(
  bytes: Uint8Array,
  around: Surroundings,
  readMeshes: ReadMeshes,
): Promise<MeshFile> {
  const robot = readUrdf(bytes);
  const shapes = robot.links.flatMap((link) => link.shapes);
  const notes = [...robot.notes];
  const lacking = new Map<string, string>();
  const surfaces = new Map<string, Mesh>();
  for (const { path, line, bytes } of openAll(shapes, around)) {
    const file = await readNamed(path, line, bytes, around, readMeshes);
    notes.push(...warningsIn(file.notes).map((text) => warning(`${path}: ${text}`)));
    const [lost] = file.notes.filter(({ kind }) => kind === 'missing');
    if (lost) lacking.set(path, `${path}: ${lost.element}: ${lost.text}`);
    // A link's mesh is one part, without groups.
    surfaces.set(path, { ...wholeMesh(file), groups: [] });
  }
  const meshes: FileMesh[] = [];
  const known = new Map<string, number>();
  let coordinates = 0;
  const numbers = shapes.map(({ mesh, line }) => {
    if (!mesh) return null;
    const key = `${mesh.scale} ${mesh.path}`;
    let number = known.get(key);
    if (number !== undefined) return number;
    const surface = surfaces.get(mesh.path)!;
    coordinates += surface.positions.length;
    if (coordinates > MOST_COORDINATES)
      throw new FormatError({ line }, `meshes of at most ${MOST_COORDINATES} coordinates, in all their sizes`, 'more');
    number = meshes.push({ name: mesh.path, mesh: scaled(surface, mesh.scale, line) }) - 1;
    known.set(key, number);
    return number;
  });
  const names = partNames(robot);
  for (const [n, { mesh }] of shapes.entries()) {
    const why = mesh && lacking.get(mesh.path);
    if (why) notes.push(missing(names[n], why, { isPart: true }));
  }
  return { meshes, nodes: nodesOf(robot, numbers), units: 'm', notes };
}

function scaled(surface: Mesh, [x, y, z]: readonly number[], line: number): Mesh {
  const mesh = transformMesh(surface, Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1));
  if (!mesh.positions.every(Number.isFinite))
    throw new FormatError({ line }, 'a scale that leaves coordinates finite', `${x} ${y} ${z}`);
  return mesh;
}

interface Named {
  path: string;
  line: number;
}

/** Opens all meshes, each once, even if one is invalid. */
function openAll(shapes: readonly RobotShape[], around: Surroundings): (Named & { bytes: Uint8Array })[] {
  const lines = new Map<string, number>();
  for (const { mesh, line } of shapes) if (mesh && !lines.has(mesh.path)) lines.set(mesh.path, line);
  const opened: (Named & { bytes: Uint8Array })[] = [];
  const failed: unknown[] = [];
  for (const [path, line] of lines) {
    try {
      opened.push({ path, line, bytes: around.open(path) });
    } catch (error) {
      failed.push(refusalOf({ path, line }, error));
    }
  }
  if (failed.length > 0) throw failed[0];
  return opened;
}

async function readNamed(
  path: string,
  line: number,
  bytes: Uint8Array,
  around: Surroundings,
  readMeshes: ReadMeshes,
): Promise<MeshFile> {
  const open = (inner: string): Uint8Array => around.open(besidePath(path, inner));
  let file: MeshFile;
  try {
    file = await readMeshes(bytes, { name: path, open });
  } catch (error) {
    throw refusalOf({ path, line }, error);
  }
  if (file.units === null || file.units === 'm') return file;
  throw refusalOf({ path, line }, new InputError(`a mesh in ${file.units}, not in metres`));
}

function refusalOf({ path, line }: Named, error: unknown): unknown {
  if (!(error instanceof InputError)) return error;
  const problem = error instanceof FormatError ? error.describe(path) : `${path}: ${error.message}`;
  return new FormatError({ line }, 'a mesh that can be read', problem);
}

export function partNames(robot: Robot): string[] {
  const shapes = robot.links.flatMap((link) => link.shapes);
  // The mesh numbers do not matter.
  const nodes = nodesOf(robot, Array(shapes.length).fill(0));
  return elementNames({ meshes: [], nodes, units: null, notes: [] }).filter((_, n) => nodes[n].mesh !== null);
}

function nodesOf(robot: Robot, meshes: readonly (number | null)[]): FileNode[] {
  const { links, joints } = robot;
  const values = restValues(robot);
  follow(robot, values);
  const local = [identity(), ...jointPoses(robot, values)];
  const nodes: FileNode[] = [];
  const numbers: number[] = [];
  let shape = 0;
  for (const [n, { name, shapes }] of links.entries()) {
    const parent = n === 0 ? -1 : numbers[joints[n - 1].parent];
    numbers.push(nodes.push({ name, parent, matrix: local[n], mesh: null }) - 1);
    for (const [k, { origin, primitive }] of shapes.entries())
      nodes.push({
        name: shapes.length === 1 ? name : `${name}/${k + 1}`,
        parent: numbers[n],
        matrix: origin,
        mesh: meshes[shape++],
        ...(primitive && { primitive }),
      });
  }
  return nodes;
}
