
// Layout of trees, queries and axes in buffers, for shaders with a line `include kdop-trees.wgsl`.
// kdop-poses.ts and for-device.as.ts of representations/kdop/search write them.

struct Constants {
  axes: u32, // room of a query, and the most that a pair of these trees has
  steps: u32, // of a query, at most
}

struct Tree {
  groups: u32, // where its groups begin, in words
  words: u32, // of a group
  leaves: u32, // where its leaves begin, nine numbers each
  half: u32, // k / 2
  table: u32, // where the record of its directions begins, in words
  exponent: i32, // the quantum is two to this power
  radius: vec2<u32>, // a double
}

struct Query {
  turn: array<vec2<u32>, 9>, // T, row by row
  apart: array<vec2<u32>, 3>, // oA - T oB
  slack: vec2<u32>, // twice that of T
  a: u32, // numbers of trees
  b: u32,
  rows: array<vec4<f32>, 3>, // from b's frame to a's, in units of the larger scale
  error: f32, // of a coordinate that was moved by them
  isLeft: u32, // 1: the processor answers
}

struct Axis {
  first: i32, // p - E and -p - E, less 1
  second: i32,
  pair: u32, // i16 x 2: P'_0, P'_1
  third: u32, // i16 x 2: P'_2 and 0
  own: u32, // u16 each, from here on: bytes in a group; the own side's lower end and upper end
  lower01: u32, // the other side's
  lower2Upper0: u32,
  upper12: u32,
}

const SHIFT = 2;
