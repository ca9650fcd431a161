/** A robot as a file of meshes: a node a link, and below it a node a shape, where all joints rest. */
import { FormatError, InputError } from '../math/errors.ts';
import { identity } from '../math/pose.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { transformMesh } from '../mesh/transform.ts';
import {
  elementNames,
  type FileMesh,
  type FileNode,
  type MeshFile,
  type Surroundings,
  wholeMesh,
} from './mesh-file.ts';
import { follow, jointPoses, type Robot, type RobotShape, restValues } from './robot.ts';
import { readUrdf } from './urdf.ts';

/** Reads a file of meshes that a robot names, and no robot: the table of formats, which this file stands in. */
export type ReadMeshes = (bytes: Uint8Array, around: Surroundings) => Promise<MeshFile>;

/**
 * Reads a robot and its meshes.
 *
 * @param readMeshes reads the files that it names
 * @throws FormatError as `readUrdf`, and for a mesh that cannot be read, with the line that names it
 */
export async function readRobotFile(
  bytes: Uint8Array,
  around: Surroundings,
  readMeshes: ReadMeshes,
): Promise<MeshFile> {
  const robot = readUrdf(bytes);
  const warnings = [...robot.warnings];
  const meshes: FileMesh[] = [];
  const known = new Map<string, number>();
  const surfaces = new Map<string, Mesh>();
  const meshOf = async ({ mesh, line }: RobotShape): Promise<number | null> => {
    if (!mesh) return null;
    const key = `${mesh.scale} ${mesh.path}`;
    const number = known.get(key);
    if (number !== undefined) return number;
    let surface = surfaces.get(mesh.path);
    if (!surface) {
      const file = await readNamed(mesh.path, line, around, readMeshes);
      warnings.push(...file.warnings.map((warning) => `${mesh.path}: ${warning}`));
      // A link's mesh is one part, whatever it has of its own.
      surface = { ...wholeMesh(file), groups: [] };
      surfaces.set(mesh.path, surface);
    }
    const [x, y, z] = mesh.scale;
    const scaled = transformMesh(surface, Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1));
    known.set(key, meshes.length);
    return meshes.push({ name: mesh.path, mesh: scaled }) - 1;
  };
  const shapes = robot.links.flatMap((link) => link.shapes);
  const numbers: (number | null)[] = [];
  for (const shape of shapes) numbers.push(await meshOf(shape));
  return { meshes, nodes: nodesOf(robot, numbers), units: 'm', warnings };
}

async function readNamed(path: string, line: number, around: Surroundings, readMeshes: ReadMeshes): Promise<MeshFile> {
  const refuse = (problem: string): FormatError => new FormatError({ line }, 'a mesh that can be read', problem);
  let file: MeshFile;
  try {
    file = await readMeshes(await around.open(path), { ...around, name: path });
  } catch (error) {
    if (error instanceof FormatError) throw refuse(error.describe(path));
    if (error instanceof InputError) throw refuse(`${path}: ${error.message}`);
    throw error;
  }
  if (file.units !== null && file.units !== 'm') throw refuse(`${path}: a mesh in ${file.units}, not in metres`);
  return file;
}

/** A name for every shape, each once: its link's, with a number behind where the link has several. */
export function partNames(robot: Robot): string[] {
  const shapes = robot.links.flatMap((link) => link.shapes);
  // Which meshes they show makes no difference.
  const nodes = nodesOf(robot, Array(shapes.length).fill(0));
  return elementNames({ meshes: [], nodes, units: null, warnings: [] }).filter((_, n) => nodes[n].mesh !== null);
}

/** The nodes of links, whose frames hang on each other, and of their shapes. */
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
