/**
 * Finds the sides of a placed chart's nodes: a direction in each node's plane, and the extents of
 * its vertices from the center along it and across it.
 *
 * Extents are measured from placed centers and normals, in doubles. Stored values are larger by
 * 2^-20 of the radius, for float32.
 */
import { everyOtherBit } from './image-nodes.as';
import { ACROSS, ALONG, BLOCK_BYTES, CENTRES, NORMALS, RADII, SIDES } from './layout.as';

const SAMPLE_BYTES: usize = 6;
const SPARE: f64 = 1.0 / 1048576.0; // 2^-20
/** A vector with a smaller part, squared, across the normal gives no direction. */
const LEAST_LEFT: f64 = 1e-8;

// Current node: center, normal, side, and the extents along the side and across it.
let cx: f64 = 0;
let cy: f64 = 0;
let cz: f64 = 0;
let nx: f64 = 0;
let ny: f64 = 0;
let nz: f64 = 0;
let ux: f64 = 0;
let uy: f64 = 0;
let uz: f64 = 0;
let along: f64 = 0;
let across: f64 = 0;

export function placeSides(blocks: usize, firstBlock: u32, exponent: u32, samples: usize): void {
  const down = SAMPLE_BYTES * <usize>((1 << exponent) + 1);
  let block = blocks + BLOCK_BYTES * <usize>firstBlock;
  for (let level: u32 = 1; level <= exponent; level++) {
    const span: usize = 1 << (exponent - level);
    const nodes: u32 = 1 << (2 * level);
    for (let number: u32 = 0; number < nodes; number++) {
      const row = <usize>everyOtherBit(number >> 1);
      const column = <usize>everyOtherBit(number);
      placeSide(block + <usize>((number & 3) << 2), samples + span * (row * down + column * SAMPLE_BYTES), span, down);
      if ((number & 3) == 3) block += BLOCK_BYTES;
    }
  }
}

function placeSide(node: usize, first: usize, span: usize, down: usize): void {
  cx = <f64>load<f32>(node + CENTRES);
  cy = <f64>load<f32>(node + CENTRES + 16);
  cz = <f64>load<f32>(node + CENTRES + 32);
  nx = <f64>load<f32>(node + NORMALS);
  ny = <f64>load<f32>(node + NORMALS + 16);
  nz = <f64>load<f32>(node + NORMALS + 32);
  const length = sqrt(nx * nx + ny * ny + nz * nz);
  nx /= length;
  ny /= length;
  nz /= length;
  chooseSide(first, span, down);
  measure(first, span, down);
  const spare = SPARE * <f64>load<f32>(node + RADII);
  store<f32>(node + SIDES, <f32>ux);
  store<f32>(node + SIDES + 16, <f32>uy);
  store<f32>(node + SIDES + 32, <f32>uz);
  store<f32>(node + ALONG, <f32>(along * (1 + SPARE) + spare));
  store<f32>(node + ACROSS, <f32>(across * (1 + SPARE) + spare));
}

/** Uses the direction of the patch's rows, or of its columns if these are longer. */
function chooseSide(first: usize, span: usize, down: usize): void {
  const b = first + SAMPLE_BYTES * span;
  const c = first + down * span;
  const d = c + SAMPLE_BYTES * span;
  const px = sample(b) - sample(first) + sample(d) - sample(c);
  const py = sample(b + 2) - sample(first + 2) + sample(d + 2) - sample(c + 2);
  const pz = sample(b + 4) - sample(first + 4) + sample(d + 4) - sample(c + 4);
  const qx = sample(c) - sample(first) + sample(d) - sample(b);
  const qy = sample(c + 2) - sample(first + 2) + sample(d + 2) - sample(b + 2);
  const qz = sample(c + 4) - sample(first + 4) + sample(d + 4) - sample(b + 4);
  const isWide = px * px + py * py + pz * pz > qx * qx + qy * qy + qz * qz;
  if (isWide ? setSide(px, py, pz) : setSide(qx, qy, qz)) return;
  if (nx * nx < 0.5) setSide(1, 0, 0);
  else setSide(0, 1, 0);
}

@inline
function sample(at: usize): f64 {
  return <f64>(<i32>load<u16>(at));
}

/** Uses a vector without its part along the normal; false if too little is left. */
function setSide(x: f64, y: f64, z: f64): bool {
  const by = x * nx + y * ny + z * nz;
  ux = x - by * nx;
  uy = y - by * ny;
  uz = z - by * nz;
  const square = ux * ux + uy * uy + uz * uz;
  if (!(square > LEAST_LEFT * (x * x + y * y + z * z))) return false;
  const length = sqrt(square);
  ux /= length;
  uy /= length;
  uz /= length;
  return true;
}

function measure(first: usize, span: usize, down: usize): void {
  const byX = f64x2(ux, ny * uz - nz * uy);
  const byY = f64x2(uy, nz * ux - nx * uz);
  const byZ = f64x2(uz, nx * uy - ny * ux);
  let most = f64x2(0, 0);
  for (let row: usize = 0; row <= span; row++) {
    let at = first + row * down;
    for (let column: usize = 0; column <= span; column++, at += SAMPLE_BYTES) {
      const x = f64x2.mul(byX, f64x2.splat(sample(at) - cx));
      const y = f64x2.mul(byY, f64x2.splat(sample(at + 2) - cy));
      const z = f64x2.mul(byZ, f64x2.splat(sample(at + 4) - cz));
      most = f64x2.pmax(most, f64x2.abs(f64x2.add(f64x2.add(x, y), z)));
    }
  }
  along = f64x2.extract_lane(most, 0);
  across = f64x2.extract_lane(most, 1);
}
