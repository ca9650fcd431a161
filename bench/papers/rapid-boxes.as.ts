// Boxes of P. Terdiman's "RAPID Hack" read from their bytes and tested, as compiled code does it:
// by the layout of nodes, in double and in single precision. R is the type that nodes store, T the
// one of the arithmetic. It is papers/rapid-operations' alone.
//
// Nodes begin with the orientation, then the centre and the half extents.

const MATRIX: i32 = 0;
const QUATERNION: i32 = 1;
// Scratch space that the module's user leaves free: a's box, b's, b's as mapped.
const OF_A: usize = 1024;
const OF_B: usize = 1280;
const MAPPED: usize = 1536;

@inline
function get<T>(at: usize, k: usize): T {
  return load<T>(at + k * sizeof<T>());
}

@inline
function put<T>(at: usize, k: usize, x: T): void {
  store<T>(at + k * sizeof<T>(), x);
}

@inline
function decode<R, T>(at: usize, kind: i32, out: usize): void {
  const numbers: usize = kind == MATRIX ? 9 : kind == QUATERNION ? 4 : 3;
  for (let k: usize = 0; k < 6; k++) put<T>(out, 9 + k, <T>get<R>(at, numbers + k));
  if (kind == MATRIX) {
    for (let k: usize = 0; k < 9; k++) put<T>(out, k, <T>get<R>(at, k));
    return;
  }
  const one: T = <T>1;
  const two: T = <T>2;
  const x = <T>get<R>(at, 0);
  const y = <T>get<R>(at, 1);
  const z = <T>get<R>(at, 2);
  const n = one - x * x - y * y - z * z;
  const w = kind == QUATERNION ? <T>get<R>(at, 3) : sqrt<T>(max<T>(n, <T>0));
  put<T>(out, 0, one - two * (y * y + z * z));
  put<T>(out, 1, two * (x * y - z * w));
  put<T>(out, 2, two * (x * z + y * w));
  put<T>(out, 3, two * (x * y + z * w));
  put<T>(out, 4, one - two * (x * x + z * z));
  put<T>(out, 5, two * (y * z - x * w));
  put<T>(out, 6, two * (x * z - y * w));
  put<T>(out, 7, two * (y * z + x * w));
  put<T>(out, 8, one - two * (x * x + y * y));
}

@inline
function mapped<T>(map: usize, from: usize, to: usize): void {
  for (let row: usize = 0; row < 3; row++) {
    const x = <T>get<f64>(map, 4 * row);
    const y = <T>get<f64>(map, 4 * row + 1);
    const z = <T>get<f64>(map, 4 * row + 2);
    for (let k: usize = 0; k < 3; k++) {
      put<T>(to, 3 * row + k, x * get<T>(from, k) + y * get<T>(from, 3 + k) + z * get<T>(from, 6 + k));
    }
    const moved = x * get<T>(from, 9) + y * get<T>(from, 10) + z * get<T>(from, 11);
    put<T>(to, 9 + row, moved + <T>get<f64>(map, 4 * row + 3));
    put<T>(to, 12 + row, get<T>(from, 12 + row));
  }
}

@inline
function disjoint<T>(a: usize, b: usize, slack: T): bool {
  const dx = get<T>(b, 9) - get<T>(a, 9);
  const dy = get<T>(b, 10) - get<T>(a, 10);
  const dz = get<T>(b, 11) - get<T>(a, 11);
  const ha0 = get<T>(a, 12);
  const ha1 = get<T>(a, 13);
  const ha2 = get<T>(a, 14);
  const hb0 = get<T>(b, 12);
  const hb1 = get<T>(b, 13);
  const hb2 = get<T>(b, 14);
  const a00 = get<T>(a, 0);
  const a10 = get<T>(a, 3);
  const a20 = get<T>(a, 6);
  const t0 = a00 * dx + a10 * dy + a20 * dz;
  const r00 = a00 * get<T>(b, 0) + a10 * get<T>(b, 3) + a20 * get<T>(b, 6);
  const r01 = a00 * get<T>(b, 1) + a10 * get<T>(b, 4) + a20 * get<T>(b, 7);
  const r02 = a00 * get<T>(b, 2) + a10 * get<T>(b, 5) + a20 * get<T>(b, 8);
  const s00 = abs<T>(r00);
  const s01 = abs<T>(r01);
  const s02 = abs<T>(r02);
  if (abs<T>(t0) > ha0 + hb0 * s00 + hb1 * s01 + hb2 * s02 + slack) return true;
  const a01 = get<T>(a, 1);
  const a11 = get<T>(a, 4);
  const a21 = get<T>(a, 7);
  const t1 = a01 * dx + a11 * dy + a21 * dz;
  const r10 = a01 * get<T>(b, 0) + a11 * get<T>(b, 3) + a21 * get<T>(b, 6);
  const r11 = a01 * get<T>(b, 1) + a11 * get<T>(b, 4) + a21 * get<T>(b, 7);
  const r12 = a01 * get<T>(b, 2) + a11 * get<T>(b, 5) + a21 * get<T>(b, 8);
  const s10 = abs<T>(r10);
  const s11 = abs<T>(r11);
  const s12 = abs<T>(r12);
  if (abs<T>(t1) > ha1 + hb0 * s10 + hb1 * s11 + hb2 * s12 + slack) return true;
  const a02 = get<T>(a, 2);
  const a12 = get<T>(a, 5);
  const a22 = get<T>(a, 8);
  const t2 = a02 * dx + a12 * dy + a22 * dz;
  const r20 = a02 * get<T>(b, 0) + a12 * get<T>(b, 3) + a22 * get<T>(b, 6);
  const r21 = a02 * get<T>(b, 1) + a12 * get<T>(b, 4) + a22 * get<T>(b, 7);
  const r22 = a02 * get<T>(b, 2) + a12 * get<T>(b, 5) + a22 * get<T>(b, 8);
  const s20 = abs<T>(r20);
  const s21 = abs<T>(r21);
  const s22 = abs<T>(r22);
  if (abs<T>(t2) > ha2 + hb0 * s20 + hb1 * s21 + hb2 * s22 + slack) return true;
  if (abs<T>(t0 * r00 + t1 * r10 + t2 * r20) > hb0 + ha0 * s00 + ha1 * s10 + ha2 * s20 + slack) return true;
  if (abs<T>(t0 * r01 + t1 * r11 + t2 * r21) > hb1 + ha0 * s01 + ha1 * s11 + ha2 * s21 + slack) return true;
  if (abs<T>(t0 * r02 + t1 * r12 + t2 * r22) > hb2 + ha0 * s02 + ha1 * s12 + ha2 * s22 + slack) return true;
  if (abs<T>(t2 * r10 - t1 * r20) > ha1 * s20 + ha2 * s10 + hb1 * s02 + hb2 * s01 + slack) return true;
  if (abs<T>(t2 * r11 - t1 * r21) > ha1 * s21 + ha2 * s11 + hb0 * s02 + hb2 * s00 + slack) return true;
  if (abs<T>(t2 * r12 - t1 * r22) > ha1 * s22 + ha2 * s12 + hb0 * s01 + hb1 * s00 + slack) return true;
  if (abs<T>(t0 * r20 - t2 * r00) > ha0 * s20 + ha2 * s00 + hb1 * s12 + hb2 * s11 + slack) return true;
  if (abs<T>(t0 * r21 - t2 * r01) > ha0 * s21 + ha2 * s01 + hb0 * s12 + hb2 * s10 + slack) return true;
  if (abs<T>(t0 * r22 - t2 * r02) > ha0 * s22 + ha2 * s02 + hb0 * s11 + hb1 * s10 + slack) return true;
  if (abs<T>(t1 * r00 - t0 * r10) > ha0 * s10 + ha1 * s00 + hb1 * s22 + hb2 * s21 + slack) return true;
  if (abs<T>(t1 * r01 - t0 * r11) > ha0 * s11 + ha1 * s01 + hb0 * s22 + hb2 * s20 + slack) return true;
  return abs<T>(t1 * r02 - t0 * r12) > ha0 * s12 + ha1 * s02 + hb0 * s21 + hb1 * s20 + slack;
}

@inline
function touching<R, T>(kind: i32, bytes: usize, a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  let found = 0;
  for (let i = 0; i < count; i++) {
    const pair = pairs + 8 * <usize>i;
    decode<R, T>(a + bytes * <usize>load<u32>(pair), kind, OF_A);
    decode<R, T>(b + bytes * <usize>load<u32>(pair, 4), kind, OF_B);
    mapped<T>(map, OF_B, MAPPED);
    if (!disjoint<T>(OF_A, MAPPED, <T>slack)) found++;
  }
  return found;
}

// How many of the pairs touch, by numbers of nodes.
export function doubles132(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f64, f64>(MATRIX, 132, a, b, pairs, count, map, slack);
}
export function doubles136(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f64, f64>(MATRIX, 136, a, b, pairs, count, map, slack);
}
export function widened72(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f32, f64>(MATRIX, 72, a, b, pairs, count, map, slack);
}
export function single72(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f32, f32>(MATRIX, 72, a, b, pairs, count, map, slack);
}
export function single64(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f32, f32>(MATRIX, 64, a, b, pairs, count, map, slack);
}
export function single44(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f32, f32>(QUATERNION, 44, a, b, pairs, count, map, slack);
}
export function single40(a: usize, b: usize, pairs: usize, count: i32, map: usize, slack: f64): i32 {
  return touching<f32, f32>(2, 40, a, b, pairs, count, map, slack);
}
