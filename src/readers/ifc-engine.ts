/**
 * web-ifc, the optional package that makes triangles of IFC's solids: one instance a file, in
 * silence.
 *
 * Each file has an instance of its own, since memory that WebAssembly once grew is given back with
 * the instance alone, and an instance that was aborted cannot be used again.
 */
import { FormatError, OptionError } from '../math/errors.ts';

/** What is used of the package; it says no types for modules. */
interface WebIfcApi {
  wasmModule: { HEAPU8: Uint8Array };
  Init(locate: undefined, singleThread: boolean): Promise<void>;
  OpenModel(bytes: Uint8Array, settings: Record<string, number | boolean>): number;
  Dispose(): void;
  SetGeometryTransformation(model: number, matrix: number[]): void;
  GetLineType(model: number, id: number): number;
  GetNameFromTypeCode(type: number): string | undefined;
  StreamMeshes(model: number, ids: readonly number[], each: (mesh: WebIfcMesh) => void): void;
  GetGeometry(model: number, id: number): WebIfcGeometry;
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
  /** The handle of the C++ object. */
  $$?: { ptr?: number };
}

/** A part of an element: triangles in a frame of their own, and where that lies. */
export interface EnginePart {
  /** STRIDE numbers a vertex. */
  vertices: Float64Array;
  indices: Uint32Array;
  /** Column-major 4x4, last row 0, 0, 0, 1. */
  matrix: Float64Array;
  /** Whether the numbers are those that the engine computed, not rounded to 24 bits. */
  isExact: boolean;
  /** The number of its geometry, which elements share. */
  geometry: number;
}

/** An open file. */
export interface Engine {
  /** A type's name with its capitals: IfcWall; null of what the engine does not know. */
  kindOf(id: number): string | null;
  /**
   * Triangles, element by element. Elements are asked for one by one, so that a complaint belongs
   * to the element at hand.
   *
   * @param place where all is moved to, in its own axes and metres; column-major 4x4
   * @param each hears of every element, and how many complaints and empty parts it has
   */
  stream(
    ids: readonly number[],
    place: number[],
    each: (id: number, parts: EnginePart[], complaints: number) => void,
  ): void;
  /** What the engine complained of. */
  complaints(): readonly string[];
  close(): void;
}

/**
 * web-ifc's points of a circle, of which the last is the first: 32 corners, four of them on the
 * axes. Never another number: the same file would give other triangles.
 */
const CIRCLE_SEGMENTS = 33;

/** An engine that complains as often is lost in a loop. */
const MOST_COMPLAINTS = 10_000;

/** Numbers of a vertex: x, y, z, and a normal. */
export const STRIDE = 6;

/**
 * Opens a file.
 *
 * @throws OptionError where the package is missing
 * @throws FormatError where the engine cannot open it
 */
export async function openEngine(bytes: Uint8Array): Promise<Engine> {
  const api = new (await loadPackage())();
  const complaints: string[] = [];
  await initialise(api, complaints);
  const model = guarded(() => api.OpenModel(bytes, { CIRCLE_SEGMENTS, COORDINATE_TO_ORIGIN: false }));
  if (model < 0) throw new FormatError(null, 'a file that web-ifc opens', complaints[0] ?? 'one that it does not');
  return {
    kindOf(id) {
      const name = api.GetNameFromTypeCode(api.GetLineType(model, id));
      return name?.startsWith('Ifc') ? name : null;
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
        // An instance that was aborted cannot even end; it is forgotten as it is.
      }
    },
  };
}

async function loadPackage(): Promise<new () => WebIfcApi> {
  // Not by its bare name: bundlers of pages would look for it.
  const name = 'web-ifc';
  const found = await import(/* @vite-ignore */ name).catch(() => null);
  if (!found) throw new OptionError('IFC is read by the package web-ifc, which is not there: npm install web-ifc');
  return found.IfcAPI ?? found.default.IfcAPI;
}

/**
 * Starts the engine. It takes hold of the console as it starts, before it first waits, and writes
 * what it has to complain of there for as long as it lives: so it is given another one for that
 * moment.
 */
async function initialise(api: WebIfcApi, complaints: string[]): Promise<void> {
  const own = globalThis.console;
  const { log, error } = own;
  const listen = (...words: unknown[]): void => {
    const text = words.join(' ').replace('[WEB-IFC][error]', '').trim();
    if (text !== '' && complaints.push(text) > MOST_COMPLAINTS) throw new Error('web-ifc goes round in circles');
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

/** What goes wrong within the engine is the file's fault, since its own checks are few. */
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

/** Copies, since the engine's memory moves and is written again. */
function readGeometry(geometry: WebIfcGeometry, api: WebIfcApi): Omit<EnginePart, 'matrix' | 'geometry'> | null {
  const [at, indicesAt] = [geometry.GetVertexData(), geometry.GetIndexData()];
  const [count, corners] = [geometry.GetVertexDataSize(), geometry.GetIndexDataSize()];
  if (count === 0 || corners === 0) return null;
  // Not before: these calls may have made the memory grow.
  const memory = api.wasmModule.HEAPU8.buffer;
  const indices = new Uint32Array(memory, indicesAt, corners).slice();
  const rounded = new Float32Array(memory, at, count);
  const exact = exactVertices(geometry, memory, rounded);
  if (count % STRIDE !== 0 || corners % 3 !== 0 || indices.some((v) => v * STRIDE >= count))
    throw new FormatError(null, 'triangles of web-ifc', 'numbers that are none');
  return { vertices: exact ?? Float64Array.from(rounded), indices, isExact: exact !== null };
}

/**
 * The engine computes with doubles, and hands out floats. The doubles lie beside the floats in its
 * memory: a vector each (where it begins, ends, and where its room ends), one behind the other in
 * the object. They are what they seem only if each of them, rounded, is its float; else we have the
 * floats.
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

/** Words of an object that are looked at for its vectors. */
const SEARCHED = 32;
