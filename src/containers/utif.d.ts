/** The part of utif 3 that pixels-utif.ts uses; the package has no types. */
declare module 'utif' {
  /** A directory: value `t256` is the array of tag 256; `data` is there after `decodeImage`. */
  export interface UtifImage {
    data: Uint8Array;
    width: number;
    height: number;
    [tag: `t${number}`]: number[];
  }
  const UTIF: {
    decode(file: ArrayBuffer): UtifImage[];
    /** Writes the samples, always little-endian, to `image.data`. */
    decodeImage(file: ArrayBuffer, image: UtifImage): void;
  };
  export default UTIF;
}
