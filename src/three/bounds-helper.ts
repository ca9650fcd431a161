/**
 * Draws the bounding volumes of one level of an asset's tree as lines.
 *
 * Tried: three's EdgesGeometry. It finds neighbors by coordinates rounded to 1e-4, so a tree of a
 * few millimeters, in meters, has no lines.
 */
import { BufferAttribute, BufferGeometry, type ColorRepresentation, LineBasicMaterial, LineSegments } from 'three';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import type { Asset } from '../engine/representation.ts';
import { halfedges, nextInTriangle, type Surface } from '../mesh/topology.ts';
import { representationOf } from '../representations/kinds.ts';

export interface BoundsOptions {
  /** 0, the root, unless given; `depth` is the deepest level. */
  level?: number;
  color?: ColorRepresentation;
}

/**
 * Draws the volumes of a level: boxes of OBB trees, spheres of geometry images, k-DOPs, octants of
 * cubes, cells of F-reps. Add it to the asset's object, so that it moves with that.
 *
 * @example import { build, readObj } from 'gicollide';
 *          import { BoundsHelper } from 'gicollide/three';
 *          import { readFile } from 'node:fs/promises';
 *          const bunny = build(readObj(await readFile('assets/bunny.obj')), { format: 'obb' });
 *          const helper = new BoundsHelper(bunny, { level: 3, color: 'orange' });
 *          helper.level = Math.min(6, helper.depth);
 *          helper.update();
 */
export class BoundsHelper extends LineSegments<BufferGeometry, LineBasicMaterial> {
  override readonly type = 'BoundsHelper';
  /** The level that `update` shows. */
  level: number;

  /** @throws OptionError for a level that the asset does not have */
  constructor(
    readonly asset: Asset,
    options: BoundsOptions = {},
  ) {
    requireOptionTypes(options, { level: 'number', color: 'any' });
    super(new BufferGeometry(), new LineBasicMaterial({ color: options.color ?? 0xffaa00 }));
    this.level = options.level ?? 0;
    this.update();
  }

  /** The number of the deepest level. */
  get depth(): number {
    return representationOf(this.asset).depth(this.asset);
  }

  /**
   * Redraws the level. Call it after `level` was set, and after the asset has changed in place.
   *
   * @throws OptionError for a level that the asset does not have
   */
  update(): void {
    const { depth, level } = this;
    const isLevel = Number.isInteger(level) && level >= 0 && level <= depth;
    requireThat(isLevel, 'level', `a whole number from 0 to ${depth}`, level);
    const lines = linesOf(representationOf(this.asset).boundsOfLevel(this.asset, level));
    // A different number of lines needs another buffer, which a geometry cannot get after it was
    // drawn.
    this.geometry.dispose();
    this.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(lines, 3));
  }

  /** Frees its GPU resources. */
  override dispose(): void {
    super.dispose?.();
    this.geometry.dispose();
    this.material.dispose();
  }
}

/** Triangles count as one face up to this sine of the angle between them. */
const FLAT = 1e-6;

/** Returns both ends of each edge, except between triangles in one plane. */
function linesOf(surface: Surface): Float32Array {
  const { positions, triangles } = surface;
  const twins = halfedges(triangles, positions.length / 3);
  const normals = normalsOf(surface);
  const lines: number[] = [];
  for (let h = 0; h < triangles.length; h++) {
    const twin = twins[h];
    if (twin >= 0 && (twin < h || areFlat(normals, Math.floor(h / 3), Math.floor(twin / 3)))) continue;
    for (const corner of [h, nextInTriangle(h)]) {
      for (let k = 0; k < 3; k++) lines.push(positions[3 * triangles[corner] + k]);
    }
  }
  return Float32Array.from(lines);
}

/** Returns a unit vector per triangle; 0 for a triangle without area. */
function normalsOf({ positions, triangles }: Surface): Float64Array {
  const normals = new Float64Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const [vx, vy, vz] = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal);
    for (let k = 0; k < 3; k++) normals[t + k] = length > 0 ? normal[k] / length : 0;
  }
  return normals;
}

function areFlat(normals: Float64Array, s: number, t: number): boolean {
  const [a, b, c] = [normals[3 * s], normals[3 * s + 1], normals[3 * s + 2]];
  const [x, y, z] = [normals[3 * t], normals[3 * t + 1], normals[3 * t + 2]];
  return a * x + b * y + c * z > 0 && Math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) < FLAT;
}
