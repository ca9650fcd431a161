/**
 * Decodes numbers from the views of a glTF file: plain ones as views of its bytes, compressed ones
 * with gltf-transform, which checks little. It gets a file of our own with the needed views,
 * already checked, and is loaded only then.
 *
 * Done here instead: sparse elements (its reader adds the accessor's offset to the replacements',
 * and does not check their numbers), normalized integers, and accessors that two compressed
 * primitives share.
 */
import type { GLTF, TypedArray } from '@gltf-transform/core';
import { FormatError, InputError } from '../../base/errors.ts';
import { type Accessor, COMPONENTS, loadPackage, type Plain, refuse, type Views, viewOf } from './accessors.ts';

export interface DracoRun {
  view: number;
  /** Draco's number of the positions. */
  attribute: number;
  positions: Accessor;
  indices: Accessor;
  /** Joints and weights, by their names in the primitive, with Draco's numbers of them. */
  more: readonly { name: string; attribute: number; accessor: Accessor }[];
}

export type Numbers = TypedArray;

/** The numbers of each run and accessor. */
export interface Decoded {
  accessors: Map<Accessor, Numbers>;
  dracos: Map<DracoRun, { positions: Numbers; indices: Numbers; more: Numbers[] }>;
}

export async function decode(
  views: Views,
  accessors: readonly Accessor[],
  dracos: readonly DracoRun[],
): Promise<Decoded> {
  const file = new OwnFile(views);
  const take = (plain: Plain): number | Numbers =>
    viewOf(views, plain.view).meshopt ? file.plain(plain) : uncompressed(views, plain);
  const taken = accessors.map(({ base, sparse }) => ({
    base: base && take(base),
    sparse: sparse && { indices: take(sparse.indices), values: take(sparse.values) },
  }));
  const primitives = dracos.map((draco) => file.draco(draco));
  const arrays = await file.read();
  const given = (numbers: number | Numbers): Numbers => (typeof numbers === 'number' ? arrays[numbers] : numbers);
  return {
    accessors: new Map(
      accessors.map((accessor, k) => {
        const { base, sparse } = taken[k];
        if (!sparse) return [accessor, given(base!)];
        const values = given(sparse.values);
        // A copy: the bytes of the file stay as they are.
        const numbers = base === null ? zerosFor(accessor, values) : given(base).slice();
        replace(accessor, numbers, given(sparse.indices), values);
        return [accessor, numbers];
      }),
    ),
    dracos: new Map(
      dracos.map((draco, k) => {
        const positions = arrays[primitives[k].positions];
        const indices = arrays[primitives[k].indices];
        requireLength(draco.positions, positions, 3 * draco.positions.count);
        requireLength(draco.indices, indices, draco.indices.count);
        const more = primitives[k].more.map((n) => arrays[n]);
        for (const [m, { accessor }] of draco.more.entries()) requireLength(accessor, more[m], 4 * accessor.count);
        return [draco, { positions, indices, more }];
      }),
    ),
  };
}

const ARRAYS = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
  5130: Float64Array,
};

/** A view of the file's bytes if they are packed and aligned, otherwise a copy. */
function uncompressed(views: Views, { view, byteOffset, componentType, type, count }: Plain): Numbers {
  const own = viewOf(views, view);
  const bytes = views.buffer(own.buffer);
  const array = ARRAYS[componentType as keyof typeof ARRAYS];
  const length = count * COMPONENTS[type];
  const size = COMPONENTS[type] * array.BYTES_PER_ELEMENT;
  const start = own.byteOffset + byteOffset;
  const isPacked = own.byteStride === 0 || own.byteStride === size;
  const buffer = bytes.buffer as ArrayBuffer;
  if (isPacked && (bytes.byteOffset + start) % array.BYTES_PER_ELEMENT === 0)
    return new array(buffer, bytes.byteOffset + start, length) as Numbers;
  const out = new array(length) as Numbers;
  const to = new Uint8Array(out.buffer);
  if (isPacked) to.set(bytes.subarray(start, start + to.length));
  else for (let n = 0; n < count; n++) copyBytes(bytes, start + n * own.byteStride, to, n * size, size);
  return out;
}

function copyBytes(from: Uint8Array, at: number, to: Uint8Array, first: number, count: number): void {
  for (let k = 0; k < count; k++) to[first + k] = from[at + k];
}

const zerosFor = ({ count, type }: Accessor, values: Numbers): Numbers =>
  new (values.constructor as new (length: number) => Numbers)(count * COMPONENTS[type]);

function replace({ path, count, type }: Accessor, numbers: Numbers, indices: Numbers, values: Numbers): void {
  const components = COMPONENTS[type];
  let last = -1;
  for (let i = 0; i < indices.length; i++) {
    if (!(indices[i] > last && indices[i] < count)) {
      refuse(`a number above ${last} and below ${count}`, [...path, 'sparse', 'indices', i], indices[i]);
    }
    last = indices[i];
    for (let k = 0; k < components; k++) numbers[last * components + k] = values[i * components + k];
  }
}

function requireLength({ path }: Accessor, { length }: Numbers, expected: number): void {
  if (length !== expected) refuse(`${expected} numbers, like the Draco data,`, path, length);
}

class OwnFile {
  private readonly buffers = new Map<number, number>();
  private readonly viewNumbers = new Map<number, number>();
  private readonly resources: Record<string, Uint8Array<ArrayBuffer>> = {};
  private readonly json = {
    asset: { version: '2.0' },
    extensionsUsed: [] as string[],
    buffers: [] as GLTF.IBuffer[],
    bufferViews: [] as GLTF.IBufferView[],
    accessors: [] as GLTF.IAccessor[],
    meshes: [] as GLTF.IMesh[],
  };

  /** The components of each attribute, in the order of gltf-transform's requests to Draco. */
  private readonly dracoComponents: number[] = [];

  constructor(private readonly views: Views) {}

  plain({ view, byteOffset, componentType, type, count }: Plain): number {
    return (
      this.json.accessors.push({
        bufferView: this.view(view),
        byteOffset,
        componentType,
        type,
        count,
      } as GLTF.IAccessor) - 1
    );
  }

  draco({ view, attribute, positions, indices, more }: DracoRun): {
    positions: number;
    indices: number;
    more: number[];
  } {
    const [p, i, ...rest] = [positions, indices, ...more.map(({ accessor }) => accessor)].map(
      ({ componentType, type, count }) =>
        this.json.accessors.push({ componentType, type, count } as GLTF.IAccessor) - 1,
    );
    const named = (values: readonly number[]): Record<string, number> =>
      Object.fromEntries(['POSITION', ...more.map(({ name }) => name)].map((name, k) => [name, values[k]]));
    const attributes = named([attribute, ...more.map(({ attribute }) => attribute)]);
    const extensions = { [this.uses('KHR_draco_mesh_compression')]: { bufferView: this.view(view), attributes } };
    this.json.meshes.push({ primitives: [{ attributes: named([p, ...rest]), indices: i, extensions }] });
    this.dracoComponents.push(3, ...rest.map(() => 4));
    return { positions: p, indices: i, more: rest };
  }

  private view(n: number): number {
    const known = this.viewNumbers.get(n);
    if (known !== undefined) return known;
    const { buffer, byteOffset, stored, byteLength, byteStride, meshopt } = viewOf(this.views, n);
    const where = { buffer: this.buffer(buffer), byteOffset };
    const stride = byteStride > 0 ? { byteStride } : {};
    const view: GLTF.IBufferView = { ...where, byteLength, ...stride };
    if (meshopt)
      view.extensions = { [this.uses('EXT_meshopt_compression')]: { ...where, byteLength: stored, ...meshopt } };
    const own = this.json.bufferViews.push(view) - 1;
    this.viewNumbers.set(n, own);
    return own;
  }

  private buffer(n: number): number {
    const known = this.buffers.get(n);
    if (known !== undefined) return known;
    const bytes = this.views.buffer(n) as Uint8Array<ArrayBuffer>;
    const uri = `buffer ${n}`;
    this.resources[uri] = bytes;
    const own = this.json.buffers.push({ uri, byteLength: bytes.length }) - 1;
    this.buffers.set(n, own);
    return own;
  }

  private uses(extension: string): string {
    if (!this.json.extensionsUsed.includes(extension)) this.json.extensionsUsed.push(extension);
    return extension;
  }

  async read(): Promise<Numbers[]> {
    if (this.json.accessors.length === 0) return [];
    const { Logger, WebIO } = await loadPackage<typeof import('@gltf-transform/core')>('@gltf-transform/core');
    const io = new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT));
    const { extensionsUsed, meshes } = this.json;
    const json = { ...this.json, extensionsRequired: extensionsUsed } as GLTF.IGLTF;
    try {
      if (extensionsUsed.length > 0) {
        const { addDecoders } = await import('./compression.ts');
        const counts = this.json.accessors.map(({ count }) => count);
        const points = meshes.length > 0 ? counts.reduce((most, count) => Math.max(most, count), 0) : 0;
        await addDecoders(io, points, this.dracoComponents);
      }
      const document = await io.readJSON({ json, resources: this.resources });
      return document
        .getRoot()
        .listAccessors()
        .map((accessor) => accessor.getArray()!);
    } catch (error) {
      if (error instanceof InputError) throw error;
      const what = extensionsUsed.length > 0 ? `data compressed with ${extensionsUsed.join(' and ')}` : 'glTF';
      // Its messages begin with [the extension].
      const message = error instanceof Error ? error.message : String(error);
      throw new FormatError(null, what, message.replace(/^\[\w+\]:? |\.$/g, ''));
    }
  }
}
