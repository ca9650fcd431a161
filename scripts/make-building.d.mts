export interface BuildingElement {
  /** As in the OBJ's `o` line: kind, storey, number. */
  name: string;
  /** wall, slab, column, beam, door, window, pipe, duct, conduit or stair. */
  kind: string;
  /** Corners of the axis-parallel box; millimetres, z up. */
  low: number[];
  high: number[];
  triangles: number;
}

export interface Building {
  /** The text of the OBJ file, an `o` an element. */
  obj: string;
  elements: BuildingElement[];
  /**
   * Pairs whose insides meet, and then their surfaces do too. Each has the smaller name first. `depth`: no translation of less than
   * so many millimetres takes the two apart.
   */
  clashes: { a: string; b: string; depth: number }[];
  /** Pairs whose surfaces meet, and their insides do not. All other pairs are clear. */
  touches: { a: string; b: string }[];
}

/**
 * A building by formula: the same bytes for the same storeys (1 to 40, 4 by default) and seed (a whole number, 1 by default).
 *
 * @throws RangeError on other numbers
 * @example const { obj, clashes } = makeBuilding({ storeys: 2, seed: 7 });
 */
export function makeBuilding(options?: { storeys?: number; seed?: number }): Building;
