/** Finds the meshes, robots and scene files of a folder, and makes a first scene of its meshes. */
import { dirname, join, relative } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { grouped } from '../../base/printable.ts';
import { boxOf } from '../../mesh/extent.ts';
import { transformMesh } from '../../mesh/mesh.ts';
import type { ProjectModel } from '../../project/project-file.ts';
import { elementsOf, type FileElement } from '../../readers/elements.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import type { MeshFile } from '../../readers/mesh-file.ts';
import { readScene } from '../../scene/scene-file.ts';
import { readOrNotes } from '../inputs/mesh.ts';
import { ANYWHERE, extensionOf, kindOf, withSlashes } from '../inputs/name.ts';
import { openInput, readNamed } from '../inputs/open.ts';
import type { Session } from '../session.ts';

export interface FoundMesh {
  /** Relative to the folder, with slashes. */
  file: string;
  /** Unique among the meshes; elements have it in front. */
  name: string;
  units: string | null;
  elements: number;
  /** Around all elements: three lower, then three upper corners; null without triangles. */
  box: ArrayLike<number> | null;
  /** Names of incomplete elements, as a scene has them. */
  unread: string[];
}

export interface Found {
  scenes: string[];
  robots: { file: string; srdf: string | null }[];
  meshes: FoundMesh[];
  /** Files that cannot be read, with the reason. */
  refused: Map<string, string>;
}

const ROBOT = '.urdf';

/** @param files below the folder; meshes beside or below a robot are its own */
export async function findIn(folder: string, files: readonly string[], session: Session): Promise<Found> {
  const found: Found = { scenes: [], robots: [], meshes: [], refused: new Map() };
  const named = (file: string): string => withSlashes(relative(folder, file));
  const isOf = (file: string, ending: string): boolean => file.toLowerCase().endsWith(ending);
  found.scenes = files.filter((file) => isOf(file, '.scene.json')).map(named);
  const robots = files.filter((file) => isOf(file, ROBOT));
  for (const file of robots) {
    const beside = files.filter((other) => isOf(other, '.srdf') && dirname(other) === dirname(file));
    found.robots.push({ file: named(file), srdf: beside.length === 1 ? named(beside[0]) : null });
  }
  const ofRobots = robots.map((file) => `${dirname(file)}/`);
  const isMesh = (file: string): boolean =>
    MESH_ENDINGS.includes(extensionOf(file)) && !isOf(file, ROBOT) && !ofRobots.some((own) => file.startsWith(own));
  const names = new Set<string>();
  for (const file of files.filter(isMesh)) {
    const name = nameIn(names, named(file));
    try {
      const read = await readOrNotes(file, openInput(file).bytes(), session);
      if (!('meshes' in read)) throw new InputError('no element has a surface');
      found.meshes.push({ file: named(file), name, units: read.units, ...factsOf(read, name) });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      found.refused.set(named(file), error.message);
    }
  }
  return found;
}

/** Returns the file's name without its ending; with its folders, if another file has that name. */
function nameIn(names: Set<string>, file: string): string {
  const whole = file.slice(0, file.length - extensionOf(file).length);
  const short = whole.slice(whole.lastIndexOf('/') + 1);
  const name = names.has(short) ? whole.replaceAll('/', '-') : short;
  names.add(name);
  return name;
}

function factsOf(read: MeshFile, name: string): Pick<FoundMesh, 'elements' | 'box' | 'unread'> {
  const elements = elementsOf(read, 'elements');
  const isSplit = elements.length > 1;
  const missing = read.notes.filter(({ kind }) => kind === 'missing');
  return {
    elements: elements.length,
    box: boxAround(elements),
    unread: [...new Set(missing.map(({ element }) => (isSplit && element ? `${name}/${element}` : name)))],
  };
}

function boxAround(elements: readonly FileElement[]): number[] | null {
  const around = [...Array(3).fill(Number.POSITIVE_INFINITY), ...Array(3).fill(Number.NEGATIVE_INFINITY)];
  for (const { mesh, matrix } of elements) {
    if (!mesh) continue;
    const { positions, triangles } = transformMesh(mesh, matrix);
    const box = boxOf(positions, triangles);
    for (let k = 0; k < 3; k++) {
      around[k] = Math.min(around[k], box[k]);
      around[k + 3] = Math.max(around[k + 3], box[k + 3]);
    }
  }
  return around[0] <= around[3] ? around : null;
}

export interface FirstScene {
  scene: object;
  /** Says what is in it. */
  about: string;
}

/**
 * Makes a scene of all meshes. They keep their places, unless they are single bodies around the
 * origin, as props are: then they stand in a row. Returns null for fewer than two objects.
 */
export function sceneOf({ meshes }: Found, schema: string): FirstScene | null {
  if (meshes.reduce((sum, { elements }) => sum + elements, 0) < 2) return null;
  const isRow = meshes.length > 1 && meshes.every(isAroundOrigin);
  const units = meshes.find((mesh) => mesh.units !== null)?.units;
  let x = 0;
  const instances = meshes.map((mesh) => {
    const own = { name: mesh.name, asset: mesh.name };
    if (!isRow) return own;
    const [low, high] = [mesh.box![0], mesh.box![3]];
    const at = Number((x - low).toPrecision(6));
    x = at + high + GAP * (high - low);
    return { ...own, translate: [at, 0, 0] };
  });
  const assets = meshes.map(({ name, file, elements }) => [name, elements > 1 ? { file, split: 'elements' } : file]);
  const count = meshes.length === 1 ? '1 mesh' : `${grouped(meshes.length)} meshes`;
  return {
    scene: {
      $schema: schema,
      gicollide: 'scene/1',
      ...(units && { units }),
      assets: Object.fromEntries(assets),
      instances,
    },
    about: `${count} ${isRow ? 'in a row, since all are around the origin' : 'in their places'}`,
  };
}

/** True if a scene names a file that is missing, so that a build may have to make it. */
export function needsBuild(folder: string, scenes: readonly string[]): boolean {
  return scenes.some((scene) => {
    try {
      const { assets } = readScene(readNamed(join(folder, scene), ANYWHERE));
      const files = Object.values(assets).map((asset) => (typeof asset === 'string' ? asset : asset.file));
      return files.some((file) => kindOf(join(folder, dirname(scene), file)) === null);
    } catch (error) {
      // The first run says why.
      if (error instanceof InputError) return false;
      throw error;
    }
  });
}

/** Returns the builds of all meshes. */
export function buildsOf({ meshes, refused }: Found): NonNullable<ProjectModel['build']> {
  const endings = [...new Set(meshes.map(({ file }) => extensionOf(file)))].sort();
  return [
    {
      include: endings.map((ending) => `**/*${ending}`),
      ...(refused.size > 0 && { exclude: [...refused.keys()] }),
      ...{ format: 'obb', out: 'out/' },
    },
  ];
}

/** Gap between two in a row, as a part of the width. */
const GAP = 0.25;

const isAroundOrigin = ({ box, elements }: FoundMesh): boolean =>
  elements === 1 && box !== null && [0, 1, 2].every((k) => box[k] <= 0 && box[k + 3] >= 0);
