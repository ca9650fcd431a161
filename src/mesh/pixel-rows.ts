/** Pictures that are drawn a row at a time, however large they are. */

export interface PixelRows {
  width: number;
  height: number;
  /** Writes row `row`: red, green, blue, from 0 to 255, 3 * width values. */
  read(row: number, into: Uint8Array): void;
}
