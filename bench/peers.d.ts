/** What the benches, scripts and tests use of packages that bring no types. */

declare module 'three' {
  export class BufferAttribute {
    constructor(array: Float32Array | Uint32Array, itemSize: number);
    array: Float32Array | Uint32Array;
  }
  export class BufferGeometry {
    index: { count: number; array: ArrayLike<number> } | null;
    attributes: { position: BufferAttribute };
    setAttribute(name: 'position', attribute: BufferAttribute): this;
    setIndex(attribute: BufferAttribute): this;
  }
  export class Line3 {
    distance(): number;
  }
  export class Matrix4 {
    /** Sixteen numbers, row by row. */
    set(...elements: number[]): this;
  }
  export class Vector3 {
    set(x: number, y: number, z: number): this;
  }
  export class Ray {
    origin: Vector3;
    direction: Vector3;
  }
  export const DoubleSide: 2;
}

declare module 'three/examples/jsm/loaders/GLTFLoader.js' {
  export interface Numbers {
    count: number;
    array: ArrayLike<number>;
    getX(k: number): number;
    getY(k: number): number;
    getZ(k: number): number;
  }
  /** An object of three's; what is no mesh has no geometry. */
  export interface GltfObject {
    children: GltfObject[];
    /** Sixteen numbers, column by column. */
    matrixWorld: { elements: number[] };
    geometry?: { index: Numbers | null; attributes: { position: Numbers } };
    /** Of instances: sixteen numbers each, column by column. */
    instanceMatrix?: Numbers;
    updateMatrixWorld(force: boolean): void;
  }
  export class GLTFLoader {
    parse(
      data: ArrayBuffer,
      path: string,
      done: (gltf: { scene: GltfObject }) => void,
      failed: (reason: unknown) => void,
    ): void;
  }
}

declare module 'draco3dgltf' {
  const draco: { createEncoderModule(): Promise<unknown> };
  export default draco;
}

declare module 'teapot' {
  const mesh: { positions: number[][]; cells: number[][] };
  export default mesh;
}

declare module 'bunny' {
  const mesh: { positions: [number, number, number][]; cells: [number, number, number][] };
  export default mesh;
}
