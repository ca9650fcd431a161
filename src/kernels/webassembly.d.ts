/**
 * The used part of WebAssembly's JavaScript interface, which the types of browsers declare and
 * those of Node 20 do not.
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    static exports(module: Module): { name: string; kind: string }[];
  }
  class Memory {
    constructor(limits: { initial: number; maximum: number; shared: boolean });
    readonly buffer: SharedArrayBuffer;
    /** Grows by `pages` pages of 65,536 bytes; throws RangeError. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
