/**
 * glTF files made by hand: the JSON that a test wants, and the numbers that it points to. It shares
 * no code with the readers.
 */

type Json = Record<string, unknown>;
type Numbers = Float32Array | Float64Array | Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array;

const COMPONENT_TYPES: Record<string, number> = {
  Int8Array: 5120,
  Uint8Array: 5121,
  Int16Array: 5122,
  Uint16Array: 5123,
  Uint32Array: 5125,
  Float32Array: 5126,
  Float64Array: 5130,
};

const COUNTS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** A glTF file in the making: `json` may be changed at will before it is written. */
export interface GltfDraft {
  json: Json & {
    asset: Json;
    scene?: number;
    scenes: Json[];
    nodes: Json[];
    meshes: Json[];
    accessors: Json[];
    bufferViews: Json[];
    buffers: Json[];
  };
  /** Adds numbers as a view of their own; returns the accessor's number. */
  accessor(numbers: Numbers, type: string, more?: Json): number;
  /** Adds bytes as a view; returns its number. */
  view(bytes: Uint8Array, more?: Json): number;
  /** Adds a mesh of one primitive, and a node of the scene that shows it; returns the mesh's number. */
  mesh(primitive: Json, more?: Json): number;
  /** The binary chunk so far. */
  binary(): Uint8Array;
  glb(): Uint8Array;
}

export function gltfDraft(): GltfDraft {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const json: GltfDraft['json'] = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [] }],
    nodes: [],
    meshes: [],
    accessors: [],
    bufferViews: [],
    buffers: [],
  };
  const draft: GltfDraft = {
    json,
    view(bytes, more = {}) {
      json.bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length, ...more });
      const padded = new Uint8Array(8 * Math.ceil(bytes.length / 8));
      padded.set(bytes);
      chunks.push(padded);
      length += padded.length;
      json.buffers[0] = { byteLength: length };
      return json.bufferViews.length - 1;
    },
    accessor(numbers, type, more = {}) {
      const bufferView = draft.view(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
      const componentType = COMPONENT_TYPES[numbers.constructor.name];
      json.accessors.push({ bufferView, componentType, type, count: numbers.length / COUNTS[type], ...more });
      return json.accessors.length - 1;
    },
    mesh(primitive, more = {}) {
      json.meshes.push({ primitives: [primitive], ...more });
      json.nodes.push({ mesh: json.meshes.length - 1 });
      (json.scenes[0].nodes as number[]).push(json.nodes.length - 1);
      return json.meshes.length - 1;
    },
    binary: () => joined(chunks),
    glb: () => glbOf(new TextEncoder().encode(JSON.stringify(json)), length > 0 ? joined(chunks) : null),
  };
  return draft;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** A GLB of these chunks. */
export function glbOf(json: Uint8Array, binary: Uint8Array | null): Uint8Array {
  const chunk = (type: number, bytes: Uint8Array, filler: number): Uint8Array => {
    const size = 4 * Math.ceil(bytes.length / 4);
    const out = new Uint8Array(8 + size).fill(filler);
    new DataView(out.buffer).setUint32(0, size, true);
    new DataView(out.buffer).setUint32(4, type, true);
    out.set(bytes, 8);
    return out;
  };
  const parts = [chunk(0x4e4f534a, json, 32)];
  if (binary) parts.push(chunk(0x004e4942, binary, 0));
  const body = joined(parts);
  const header = new Uint8Array(12);
  new DataView(header.buffer).setUint32(0, 0x46546c67, true);
  new DataView(header.buffer).setUint32(4, 2, true);
  new DataView(header.buffer).setUint32(8, 12 + body.length, true);
  return joined([header, body]);
}

/** The JSON and the binary chunk of a GLB. */
export function openGlb(glb: Uint8Array): { json: Json; binary: Uint8Array } {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.byteLength);
  const end = 20 + view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, end)));
  return {
    json,
    binary: end < glb.length ? glb.subarray(end + 8, end + 8 + view.getUint32(end, true)) : new Uint8Array(0),
  };
}
