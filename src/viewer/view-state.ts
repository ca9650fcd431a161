/**
 * What of a view the address holds, behind its #: enough to see the same again, on the page or by
 * `gicollide picture`.
 */

/** A plane that cuts away what lies beyond it: `at` along the axis, in the common frame. */
export interface Section {
  axis: 'x' | 'y' | 'z';
  at: number;
  /** Whether what lies below is cut away instead. */
  isFlipped: boolean;
}

/** Lengths and places are in the common frame, in doubles. */
export interface ViewState {
  /** The names of the two objects in question; null where none is chosen. */
  a: string | null;
  b: string | null;
  /** Objects that were moved by hand: 16 numbers, row-major 4x4, rigid. */
  poses: Readonly<Record<string, readonly number[]>>;
  /** Null: everything is in view, from the usual side. */
  camera: { eye: readonly [number, number, number]; target: readonly [number, number, number] } | null;
  /** The number of the frame that is shown; null where nothing moves. */
  frame: number | null;
  /** The id of the finding that is shown. */
  finding: string | null;
  /** Whether all but the two are left out. */
  isIsolated: boolean;
  surface: 'solid' | 'wire' | 'glass' | 'hidden';
  /** The bounds of this level are drawn over both objects; null: none. */
  level: number | null;
  /** The pairs of nodes that the query visited at this level are drawn; null: none. */
  visits: number | null;
  /** Whether contact curves and patches, and the line of the distance, are drawn. */
  showsContacts: boolean;
  showsDistance: boolean;
  /** Whether a geometry image's pages stand beside it. */
  showsPages: boolean;
  section: Section | null;
  theme: 'auto' | 'light' | 'dark';
}

/** As a view begins. */
export const FIRST_VIEW: ViewState = {
  a: null,
  b: null,
  poses: {},
  camera: null,
  frame: null,
  finding: null,
  isIsolated: false,
  surface: 'solid',
  level: null,
  visits: null,
  showsContacts: true,
  showsDistance: true,
  showsPages: false,
  section: null,
  theme: 'auto',
};
