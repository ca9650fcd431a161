/** Bytes of a point search in the kernels' memory: its record, nodes, workspace and results. */

// The record.

/** u32: addresses of the nodes, of nine doubles a triangle and of its number, in leaf order. */
export const NODES = 0;
export const CORNERS = 4;
export const ORDER = 8;
/** u32: 1 if the pose moves vertices. */
export const MOVES = 12;
/** f64 x 3 and f64: x is (x - centre) scale in the nodes' unit, at most 1. */
export const CENTRE = 16;
export const SCALE = 40;
/** f64 x 6: lowest and highest corner in that unit, with a thousandth to spare. */
export const ROOT = 48;
/** f64 x 12: the pose, row-major, and the map from the common frame to the asset's. */
export const POSE = 96;
export const TO_OWN = 192;
/** f64: see RelativePose (engine/pair-kernel.ts); SIZES is how far content may lie from 0. */
export const SLACK = 288;
export const NORM = 296;
export const SHORTEST = 304;
export const SIZES = 312;
export const RECORD_BYTES = 320;

// A node: f32 x 4 for each bound of four children, u32 x 4 for where they lead.

export const LOW = 0;
export const HIGH = 48;
export const LINKS = 96;
export const NODE_BYTES = 112;
export const WIDTH = 4;

// The workspace.

/** f64 x 2: lower and upper end of the distance, in lengths of r; f64 x 4: r and its length. */
export const LOWER = 448;
export const UPPER = 456;
export const R = 464;
export const LENGTH = 488;
/** u32: the triangle. */
export const TRIANGLE = 496;
/** 16 bytes a candidate: a lower bound, f64, and its triangle's number, u32. */
export const CANDIDATES = 720896;
export const MOST_CANDIDATES = 4096;

// Results.

export const MISSED = 0;
export const LEAVES = 1;
export const ENTERS = 2;
/** Whole numbers must decide, or numbers are beyond what float32 bounds allow. */
export const UNSURE = 3;
