/** Types of the used part of the npm package obj-file-parser 0.6. */
declare module 'obj-file-parser' {
  export default class OBJFile {
    constructor(fileContents: string, defaultModelName?: string);
    parse(): {
      models: {
        vertices: { x: number; y: number; z: number }[];
        faces: { group: string; vertices: { vertexIndex: number }[] }[];
      }[];
    };
  }
}
