/**
 * Instances whose mesh deforms from frame to frame, and their files.
 *
 * Frames are a glTF file's morph targets (gltf/morphs.ts), or a `.f64` file of little-endian
 * doubles: x, y, z of every vertex of the mesh, in its order, frame after frame.
 *
 * Bounds are refitted to each frame, never rebuilt. Row `refit` of bench/results.jsonl, 58,784
 * triangles: a refit takes 6.5 ms, a build 127. After a twist by half a turn a query takes 3 us
 * more for a contact, and 44 us more otherwise. So a build is worth the time if a frame has more
 * than 2,700 questions of one object. A scene asks one a neighbor.
 */
import { InputError, OptionError } from '../base/errors.ts';
import { requireUnasked } from '../engine/reentrancy-guard.ts';
import type { Asset, Representation } from '../engine/representation.ts';
import { updateInPlace } from '../engine/update.ts';
import type { Surface } from '../mesh/topology.ts';
import { type ReadMeshOptions, withOthers } from '../readers/formats.ts';
import { kindOf, representationOf } from '../representations/kinds.ts';

export interface PositionFrames {
  file: string;
  count: number;
  read(n: number): Float64Array;
}

const BYTES = 8;

function positionFrames(file: string, bytes: Uint8Array, vertices: number): PositionFrames {
  const frame = 3 * BYTES * vertices;
  if (bytes.length === 0 || frame === 0 || bytes.length % frame !== 0) {
    const expected = `frames of ${vertices} vertices, ${frame} bytes each`;
    throw new InputError(`${file}: expected ${expected}, found ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    file,
    count: bytes.length / frame,
    read(n) {
      const positions = new Float64Array(3 * vertices);
      for (let i = 0; i < positions.length; i++) positions[i] = view.getFloat64(n * frame + BYTES * i, true);
      return positions;
    },
  };
}

/**
 * Reads frames: positions alone, or a glTF file's morph targets.
 *
 * @param mesh the mesh as read
 * @throws InputError for another extension, and for errors in the file
 */
export async function readFrames(
  file: string,
  bytes: Uint8Array,
  mesh: Surface,
  open: NonNullable<ReadMeshOptions['open']>,
): Promise<PositionFrames> {
  const name = file.toLowerCase();
  if (name.endsWith('.f64')) return positionFrames(file, bytes, mesh.positions.length / 3);
  if (!/\.(gltf|glb)$/.test(name)) throw new OptionError(`${file}: deform: expected a file of .f64, .glb or .gltf`);
  const { readMorphs } = await import('../readers/gltf/morphs.ts');
  const { times, positions } = await withOthers(open, (openNow) => readMorphs(bytes, { open: openNow, name: file }));
  return { file, count: times.length, read: (n) => positions(n, mesh) };
}

export function requireMovable(asset: Asset): NonNullable<Representation<Asset>['update']> {
  const { update, name } = representationOf(asset);
  if (!update)
    throw new OptionError(`deform: ${name} cannot be deformed: ${kindOf(asset).fixed ?? 'it has no update'}`);
  return update;
}

export class Deformation {
  readonly asset: Asset;
  #shown = 0;

  /**
   * @param still the undeformed asset; not changed
   * @param place maps coordinates of the mesh to those of the asset
   * @throws OptionError for a kind that has no vertices
   */
  constructor(
    readonly frames: PositionFrames,
    still: Asset,
    private readonly place: (positions: Float64Array) => Float64Array,
  ) {
    const update = requireMovable(still);
    this.asset = this.#at(0, (positions) => update(still, positions, { inPlace: false }));
  }

  /** Updates the asset in place. The last frame stays. */
  show(frame: number): void {
    const n = Math.min(frame, this.frames.count - 1);
    if (n === this.#shown) return;
    requireUnasked(this.asset);
    this.#shown = -1;
    this.#at(n, (positions) => updateInPlace(this.asset, positions));
    this.#shown = n;
  }

  #at<T>(n: number, take: (positions: Float64Array) => T): T {
    try {
      return take(this.place(this.frames.read(n)));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      throw new InputError(`${this.frames.file}: frame ${n}: ${error.message}`);
    }
  }
}
