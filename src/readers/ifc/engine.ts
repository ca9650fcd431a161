/**
 * Runs web-ifc, the optional package that triangulates IFC's solids, silently.
 *
 * Each file has an instance of its own: only then the grown memory of WebAssembly is freed, and an
 * aborted instance cannot be used again.
 */
import { FormatError, OptionError } from '../../base/errors.ts';

interface WebIfcApi {
  wasmModule: { HEAPU8: Uint8Array };
  /** The schema's number by the model's. */
  modelSchemaList?: number[];
  Init(locate: undefined, singleThread: boolean): Promise<void>;
  OpenModel(bytes: Uint8Array, settings: Record<string, number | boolean>): number;
  Dispose(): void;
  SetGeometryTransformation(model: number, matrix: number[]): void;
  GetLineType(model: number, id: number): number;
  GetNameFromTypeCode(type: number): string | undefined;
  StreamMeshes(model: number, ids: readonly number[], each: (mesh: WebIfcMesh) => void): void;
  GetGeometry(model: number, id: number): WebIfcGeometry;
}

interface WebIfc {
  IfcAPI: new () => WebIfcApi;
  InheritanceDef?: Record<number, Record<string, number[]>>;
}

interface WebIfcMesh {
  expressID: number;
  geometries: {
    size(): number;
    get(index: number): { geometryExpressID: number; flatTransformation: ArrayLike<number> };
  };
}

interface WebIfcGeometry {
  GetVertexData(): number;
  GetVertexDataSize(): number;
  GetIndexData(): number;
  GetIndexDataSize(): number;
  delete(): void;
  $$?: { ptr?: number };
}

export interface EnginePart {
  /** STRIDE numbers a vertex. */
  vertices: Float64Array;
  indices: Uint32Array;
  /** Column-major 4x4, last row 0, 0, 0, 1. */
  matrix: Float64Array;
  /** True if the numbers are the engine's doubles, not rounded to 24 bits. */
  isExact: boolean;
  geometry: number;
}

export interface Engine {
  /** A type's name in mixed case: IfcWall; null if the engine does not know it. */
  kindOf(id: number): string | null;
  /** The names of the types above a record's type, from IfcProduct's children down. */
  kindsAbove(id: number): readonly string[];
  /**
   * One element at a time, so that complaints belong to the current one.
   *
   * @param place moves everything, in its own axes and meters; column-major 4x4
   * @param each receives every element, with its numbers of complaints and empty parts
   */
  stream(
    ids: readonly number[],
    place: number[],
    each: (id: number, parts: EnginePart[], complaints: number) => void,
  ): void;
  complaints(): readonly string[];
  close(): void;
}

/** 32 corners and the first one again; four are on the axes. Changing this changes triangles. */
const CIRCLE_SEGMENTS = 33;

/** More complaints mean an endless loop. */
const MOST_COMPLAINTS = 10_000;

export const STRIDE = 6;

export async function openEngine(bytes: Uint8Array): Promise<Engine> {
  const { IfcAPI, InheritanceDef } = await loadPackage();
  const api = new IfcAPI();
  const complaints: string[] = [];
  await initialise(api, complaints);
  const model = guarded(() => api.OpenModel(bytes, { CIRCLE_SEGMENTS, COORDINATE_TO_ORIGIN: false }));
  if (model < 0)
    throw new FormatError(null, 'a file that web-ifc opens', complaints[0] ?? 'a file that it does not open');
  const nameOf = (type: number): string | null => {
    const name = api.GetNameFromTypeCode(type);
    return name?.startsWith('Ifc') ? name : null;
  };
  // Types below each type, by the number of the schema.
  const below = Object.entries(InheritanceDef?.[api.modelSchemaList?.[model] ?? 0] ?? {});
  const above = new Map<number, string[]>();
  return {
    kindOf: (id) => nameOf(api.GetLineType(model, id)),
    kindsAbove(id) {
      const type = api.GetLineType(model, id);
      const found =
        above.get(type) ?? below.flatMap(([up, types]) => (types.includes(type) ? (nameOf(Number(up)) ?? []) : []));
      above.set(type, found);
      return found;
    },
    stream(ids, place, each) {
      guarded(() => {
        api.SetGeometryTransformation(model, place);
        for (const id of ids) {
          const before = complaints.length;
          let parts: EnginePart[] = [];
          let empty = 0;
          api.StreamMeshes(model, [id], (mesh) => {
            parts = partsOf(api, model, mesh);
            empty = mesh.geometries.size() - parts.length;
          });
          each(id, parts, complaints.length - before + empty);
        }
      });
    },
    complaints: () => complaints,
    close() {
      try {
        api.Dispose();
      } catch {
        // An aborted instance cannot be ended.
      }
    },
  };
}

async function loadPackage(): Promise<WebIfc> {
  // The variable hides the name from bundlers of pages.
  const name = 'web-ifc';
  const found = await import(/* @vite-ignore */ name).catch(() => null);
  if (!found) throw new OptionError('IFC needs the package web-ifc, which is not installed: npm install web-ifc');
  return found.IfcAPI ? found : found.default;
}

/** The engine takes the console before its first await, for good. It gets a replacement then. */
async function initialise(api: WebIfcApi, complaints: string[]): Promise<void> {
  const own = globalThis.console;
  const { log, error } = own;
  const listen = (...words: unknown[]): void => {
    const text = words.join(' ').replace('[WEB-IFC][error]', '').trim();
    if (text !== '' && complaints.push(text) > MOST_COMPLAINTS) throw new Error('web-ifc does not end');
  };
  let ready: Promise<void>;
  own.log = listen;
  own.error = listen;
  try {
    ready = api.Init(undefined, true);
  } finally {
    own.log = log;
    own.error = error;
  }
  await ready;
}

/** Failures within the engine are the file's fault: it checks little. */
function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof FormatError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new FormatError(null, 'a file that web-ifc reads to its end', reason.split('\n')[0].slice(0, 100));
  }
}

function partsOf(api: WebIfcApi, model: number, mesh: WebIfcMesh): EnginePart[] {
  const parts: EnginePart[] = [];
  for (let k = 0; k < mesh.geometries.size(); k++) {
    const { geometryExpressID, flatTransformation } = mesh.geometries.get(k);
    const geometry = api.GetGeometry(model, geometryExpressID);
    const part = readGeometry(geometry, api);
    geometry.delete();
    if (part) parts.push({ ...part, matrix: Float64Array.from(flatTransformation), geometry: geometryExpressID });
  }
  return parts;
}

/** Copies, since the engine's memory moves and is reused. */
function readGeometry(geometry: WebIfcGeometry, api: WebIfcApi): Omit<EnginePart, 'matrix' | 'geometry'> | null {
  const [at, indicesAt] = [geometry.GetVertexData(), geometry.GetIndexData()];
  const [count, corners] = [geometry.GetVertexDataSize(), geometry.GetIndexDataSize()];
  if (count === 0 || corners === 0) return null;
  // Only now: these calls may grow the memory.
  const memory = api.wasmModule.HEAPU8.buffer;
  const indices = new Uint32Array(memory, indicesAt, corners).slice();
  const rounded = new Float32Array(memory, at, count);
  const exact = exactVertices(geometry, memory, rounded);
  if (count % STRIDE !== 0 || corners % 3 !== 0 || indices.some((v) => v * STRIDE >= count))
    throw new FormatError(null, 'finite numbers from web-ifc', 'NaN or infinite ones');
  return { vertices: exact ?? Float64Array.from(rounded), indices, isExact: exact !== null };
}

/**
 * The engine computes in doubles but returns floats. The doubles are beside the floats in its
 * memory: consecutive vectors in the object, each with pointers to its start, end and capacity.
 * They are used only if each of them rounds to its float; otherwise the floats are.
 */
function exactVertices(geometry: WebIfcGeometry, memory: ArrayBufferLike, rounded: Float32Array): Float64Array | null {
  const pointer = geometry.$$?.ptr;
  if (pointer === undefined || pointer % 4 !== 0) return null;
  const words = new Uint32Array(memory, pointer, SEARCHED);
  const { byteOffset, byteLength } = rounded;
  for (let w = 0; w + 4 < SEARCHED; w++) {
    if (words[w] !== byteOffset || words[w + 1] !== byteOffset + byteLength) continue;
    const [from, to] = [words[w + 3], words[w + 4]];
    if (to - from !== 2 * byteLength || from % 8 !== 0 || to > memory.byteLength) return null;
    const exact = new Float64Array(memory, from, rounded.length).slice();
    return exact.every((x, k) => Object.is(Math.fround(x), rounded[k])) ? exact : null;
  }
  return null;
}

const SEARCHED = 32;
