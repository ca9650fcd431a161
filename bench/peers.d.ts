/** What the benches, scripts and tests use of packages that bring no types. */

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
